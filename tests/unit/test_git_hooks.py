"""Installing, removing and inspecting git hooks, next to whatever is there."""

import ast
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.errors import NotARepositoryError
from knowledge.surfaces.git_hooks import client
from knowledge.surfaces.git_hooks.block import HOOKS, can_hold_block, insert_block, new_hook, remove_block
from knowledge.surfaces.git_hooks.inspection import inspect
from knowledge.surfaces.git_hooks.install import InstallReport, install, uninstall
from knowledge.surfaces.git_hooks.site import locate
from knowledge.surfaces.git_hooks.worker import drain
from knowledge.surfaces.git_hooks.worklist import LOG_BYTES, REQUEST_SECONDS, log_path, read_log, sole_worker, waiting, write_log


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    created = GitRepo.create(tmp_path / "repo")
    created.write("a.py", "x = 1\n")
    created.commit()
    return created


def put_hook(folder: Path, name: str, content: str | bytes, mode: int = 0o755) -> Path:
    """A hook that was there before us."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)
    return path


def actions(report: InstallReport) -> dict[str, str]:
    """Hook → what was done."""
    return {change.hook: change.action for change in report.changes}


def situations(repo: GitRepo) -> dict[str, str]:
    """Hook → its situation."""
    return {state.hook: state.situation for state in inspect(repo.path).states}


def ask(common_dir: Path, hook: str = "post-commit", nanoseconds: int = 2**62) -> None:
    """A request as the client leaves it; the time is far ahead, so that it does not expire."""
    queue = common_dir / "knowledge" / "queue"
    queue.mkdir(parents=True, exist_ok=True)
    (queue / f"{nanoseconds}.7.{hook}").write_bytes(b"/somewhere")


# ---- the marked lines


@pytest.mark.parametrize(
    "content",
    [
        b"#!/bin/sh\necho hello\n",
        b"#!/bin/sh\n",
        b"#!/usr/bin/env bash\nset -euo pipefail\nexit 3",
        b"#!/usr/bin/env -S bash -e\necho\n",
        b"#! /bin/dash -e\n\n\nexec other\n",
        b"echo no first line\n",
        b"",
        "#!/bin/zsh\necho 안녕 \xff\n".encode("latin-1", "replace"),
    ],
)
def test_lines_come_out_byte_for_byte(content: bytes) -> None:
    """A shell script takes the lines after its first line, once, and is the same without them."""
    assert can_hold_block(content)
    changed = insert_block(content, "post-commit")
    assert changed.count(b">>> knowledge >>>") == 1
    assert insert_block(changed, "post-commit") == changed
    assert remove_block(changed) == content
    assert changed.partition(b"\n")[0] == content.partition(b"\n")[0] or not content.startswith(b"#!")


@pytest.mark.parametrize(
    "content",
    [b"#!/usr/bin/python3\nprint()\n", b"#!/usr/bin/env node\n", b"#!/bin/csh\n", b"#!/usr/bin/fish\n", b"#!/bin/sh", b"\x7fELF\0\1"],
)
def test_other_programs_take_no_shell_lines(content: bytes) -> None:
    """Shell lines in a Python script, a csh script or a binary would break it; a first line without an end would not come out again."""
    assert not can_hold_block(content)


def test_an_older_wording_is_replaced() -> None:
    """What an earlier version put in gives way to the present lines."""
    old = b"#!/bin/sh\n# >>> knowledge >>> once\nsomething else\n# <<< knowledge <<<\necho hello\n"
    assert insert_block(old, "post-merge") == insert_block(b"#!/bin/sh\necho hello\n", "post-merge")


# ---- install and uninstall


def test_empty_hooks_folder(repo: GitRepo) -> None:
    """Where nothing is, four executable hooks appear, a second time changes nothing, and they go again."""
    hooks = repo.path / ".git" / "hooks"
    before = sorted(path.name for path in hooks.iterdir())
    assert set(actions(install(repo.path)).values()) == {"written"}
    assert all((hooks / hook).stat().st_mode & 0o111 for hook in HOOKS)
    assert set(actions(install(repo.path)).values()) == {"unchanged"}
    assert set(situations(repo).values()) == {"installed"}
    assert actions(uninstall(repo.path)) == dict.fromkeys(HOOKS, "removed")
    assert sorted(path.name for path in hooks.iterdir()) == before
    assert set(situations(repo).values()) == {"missing"}
    assert not (repo.path / ".git" / "knowledge" / "hook").exists()


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        (b"#!/bin/sh\necho mine\nexit 3\n", 0o755),
        (b"#!/bin/bash\necho mine", 0o700),
        (b"echo mine\n", 0o711),
        (b"#!/usr/bin/env python3\nprint('mine')\n", 0o755),
        (b"#!/bin/sh\necho switched off\n", 0o644),
        (b"\x7fELF\0", 0o755),
    ],
)
def test_a_hook_that_was_there_is_given_back(repo: GitRepo, content: bytes, mode: int) -> None:
    """Whatever stood there is the same after removal: bytes and mode; and nothing is left beside it."""
    path = put_hook(repo.path / ".git" / "hooks", "post-commit", content, mode)
    beside = sorted(entry.name for entry in path.parent.iterdir())
    assert actions(install(repo.path))["post-commit"] == "written"
    assert path.stat().st_mode & 0o111
    assert set(actions(install(repo.path)).values()) == {"unchanged"}
    assert situations(repo)["post-commit"] == "installed"
    assert actions(uninstall(repo.path))["post-commit"] == "restored"
    assert path.read_bytes() == content
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert sorted(entry.name for entry in path.parent.iterdir()) == beside
    assert list((repo.path / ".git" / "knowledge").rglob("post-commit")) == []


def test_a_linked_hook_leaves_its_target_alone(repo: GitRepo) -> None:
    """A hook that is a link to a tracked script is put aside as a link; the script is not written to."""
    script = put_hook(repo.path / "scripts", "post-commit", "#!/bin/sh\necho mine\n")
    link = repo.path / ".git" / "hooks" / "post-commit"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to("../../scripts/post-commit")
    install(repo.path)
    assert script.read_text() == "#!/bin/sh\necho mine\n"
    uninstall(repo.path)
    assert link.readlink() == Path("../../scripts/post-commit")


def test_lines_added_meanwhile_stay(repo: GitRepo) -> None:
    """What a person wrote into our hook after installation is theirs: only our lines go; the older state is kept and told."""
    path = put_hook(repo.path / ".git" / "hooks", "post-commit", "#!/bin/sh\necho mine\n")
    install(repo.path)
    path.write_text(path.read_text() + "echo more\n")
    ours = repo.path / ".git" / "hooks" / "post-merge"
    ours.write_text(ours.read_text() + "echo mine too\n")
    changes = {change.hook: change for change in uninstall(repo.path).changes}
    assert path.read_text() == "#!/bin/sh\necho mine\necho more\n"
    assert "hook-backups" in changes["post-commit"].detail
    assert ours.read_text().endswith("echo mine too\n")
    assert b"knowledge/hook" not in ours.read_bytes()


def test_hooks_path_outside_the_repository(repo: GitRepo, tmp_path: Path) -> None:
    """Other repositories may use that folder: it is only told what to put there, unless asked to write."""
    repo.git("config", "core.hooksPath", str(tmp_path / "shared"))
    report = install(repo.path)
    assert (report.site.reach, report.site.scope) == ("outside", "local")
    assert set(actions(report).values()) == {"proposed"}
    assert all(change.text and "outside the repository" in change.detail for change in report.changes)
    assert not (tmp_path / "shared").exists()
    assert set(actions(install(repo.path, allow_shared=True)).values()) == {"written"}
    assert set(situations(repo).values()) == {"installed"}
    assert set(actions(uninstall(repo.path)).values()) == {"kept"}
    install(repo.path)
    assert set(actions(uninstall(repo.path, allow_shared=True)).values()) == {"removed"}


def test_hooks_path_in_a_tracked_folder(repo: GitRepo) -> None:
    """A relative path counts from the top of the work tree; what git would track is only proposed, what it ignores is written."""
    (repo.path / "sub").mkdir()
    repo.git("config", "core.hooksPath", "tools/hooks")
    report = install(repo.path / "sub")
    assert report.site.hooks_dir == repo.path / "tools" / "hooks"
    assert report.site.reach == "worktree"
    assert set(actions(report).values()) == {"proposed"}
    repo.write(".gitignore", "tools/\n")
    assert set(actions(install(repo.path)).values()) == {"written"}
    assert set(situations(repo).values()) == {"installed"}


def test_a_linked_hooks_folder_counts_where_it_really_is(repo: GitRepo) -> None:
    """`.git/hooks` may be a link to a tracked folder; then it is tracked."""
    (repo.path / "hooks").mkdir()
    usual = repo.path / ".git" / "hooks"
    for sample in usual.iterdir():
        sample.unlink()
    usual.rmdir()
    usual.symlink_to("../hooks")
    assert set(actions(install(repo.path)).values()) == {"proposed"}
    assert list((repo.path / "hooks").iterdir()) == []


def test_hooks_are_bypassed_when_the_path_is_set_later(repo: GitRepo, tmp_path: Path) -> None:
    """Hooks that git no longer looks at are not called installed, and uninstalling still finds them."""
    install(repo.path)
    repo.git("config", "core.hooksPath", str(tmp_path / "elsewhere"))
    states = inspect(repo.path).states
    assert {state.situation for state in states} == {"bypassed"}
    assert all("core.hooksPath (local configuration)" in state.detail for state in states)
    assert set(actions(uninstall(repo.path)).values()) == {"removed"}


def test_husky(repo: GitRepo) -> None:
    """husky's own folder is generated; what people write lies beside it and is tracked, so it is proposed, and written when asked."""
    put_hook(repo.path / ".husky" / "_", "post-commit", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n')
    (repo.path / ".husky" / "_" / ".gitignore").write_text("*\n")
    mine = put_hook(repo.path / ".husky", "post-commit", "npm test\n", 0o644)
    repo.git("config", "core.hooksPath", ".husky/_")
    report = install(repo.path)
    assert report.site.manager == "husky"
    assert actions(report)["post-commit"] == "proposed"
    assert mine.read_text() == "npm test\n"
    assert report.changes[0].path == mine
    install(repo.path, allow_shared=True)
    assert mine.read_text().endswith("npm test\n")
    assert stat.S_IMODE(mine.stat().st_mode) == 0o644
    assert situations(repo)["post-commit"] == "installed"
    uninstall(repo.path, allow_shared=True)
    assert mine.read_text() == "npm test\n"


def test_lefthook(repo: GitRepo) -> None:
    """lefthook writes its hooks anew: a job for its configuration is proposed, and found there; other hooks are ours to write."""
    generated = "#!/bin/sh\ncall_lefthook() { :; }\ncall_lefthook run post-commit\n"
    path = put_hook(repo.path / ".git" / "hooks", "post-commit", generated)
    repo.write("lefthook.yml", "post-commit:\n  jobs: []\n")
    report = install(repo.path)
    assert report.site.manager == "lefthook"
    assert actions(report) == {"post-commit": "proposed", "post-merge": "written", "post-rewrite": "written", "post-checkout": "written"}
    assert path.read_text() == generated
    assert situations(repo)["post-commit"] == "missing"
    repo.write("lefthook.yml", report.changes[0].text)
    assert situations(repo)["post-commit"] == "installed"


def test_lefthook_that_came_later(repo: GitRepo) -> None:
    """lefthook renames what it finds to `.old` and does not run it: the hook is bypassed, and removed all the same."""
    install(repo.path)
    hooks = repo.path / ".git" / "hooks"
    (hooks / "post-commit").rename(hooks / "post-commit.old")
    put_hook(hooks, "post-commit", "#!/bin/sh\ncall_lefthook run post-commit\n")
    state = inspect(repo.path).states[0]
    assert (state.situation, "lefthook" in state.detail) == ("bypassed", True)
    assert [change.path.name for change in uninstall(repo.path).changes] == ["post-commit.old", "post-merge", "post-rewrite", "post-checkout"]


def test_pre_commit(repo: GitRepo) -> None:
    """pre-commit runs and keeps `<hook>.legacy`: that is where we go, and its own file stays as it is."""
    generated = "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n"
    path = put_hook(repo.path / ".git" / "hooks", "post-commit", generated)
    repo.write(".pre-commit-config.yaml", "repos: []\n")
    report = install(repo.path)
    assert report.site.manager == "pre-commit"
    assert report.changes[0].path.name == "post-commit.legacy"
    assert path.read_text() == generated
    assert set(situations(repo).values()) == {"installed"}
    uninstall(repo.path)
    assert not path.with_name("post-commit.legacy").exists()


def test_a_hook_that_is_switched_off_or_lost_its_interpreter(repo: GitRepo, tmp_path: Path) -> None:
    """doctor can tell: not executable, or the interpreter is gone."""
    install(repo.path, python=tmp_path / "gone" / "python")
    assert all("gone" in state.detail for state in inspect(repo.path).states)
    assert set(situations(repo).values()) == {"disabled"}
    install(repo.path)
    (repo.path / ".git" / "hooks" / "post-merge").chmod(0o644)
    assert situations(repo) == {hook: "disabled" if hook == "post-merge" else "installed" for hook in HOOKS}


def test_a_worktree_shares_the_hooks(repo: GitRepo, tmp_path: Path) -> None:
    """One installation serves all linked worktrees."""
    linked = repo.worktree_add(tmp_path / "linked", "-b", "topic")
    assert locate(linked.path).hooks_dir == repo.path / ".git" / "hooks"
    install(linked.path)
    assert set(situations(repo).values()) == {"installed"}


def test_something_in_the_way_is_reported(repo: GitRepo) -> None:
    """A hook that cannot be written is said, with its reason; the others are installed."""
    hooks = repo.path / ".git" / "hooks"
    (hooks / "post-merge").mkdir(parents=True)
    put_hook(hooks, "post-commit", "#!/usr/bin/env python3\n")
    (hooks / "post-commit.before-knowledge").write_text("from an earlier time\n")
    report = install(repo.path)
    assert actions(report) == {"post-commit": "failed", "post-merge": "failed", "post-rewrite": "written", "post-checkout": "written"}
    assert all(change.detail for change in report.changes if change.action == "failed")


def test_no_repository(tmp_path: Path) -> None:
    """Outside a repository there is nothing to install into."""
    with pytest.raises(NotARepositoryError, match="is not in a git repository"):
        install(tmp_path)


# ---- client and worker


def test_the_client_imports_only_what_costs_nothing() -> None:
    """The client is on the path of every commit: os, sys and time, nothing of ours."""
    tree = ast.parse(Path(client.__file__).read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert names == {"os", "sys", "time"}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))


def test_the_client_knows_git_s_own_list() -> None:
    """Every variable that git itself calls local to a repository is taken from the worker's environment."""
    said = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True).stdout.split()
    assert set(said) - {"GIT_INTERNAL_SUPER_PREFIX"} <= set(client.REPOSITORY_VARIABLES)


def test_a_worker_that_has_nothing_to_do_is_light() -> None:
    """A second worker leaves before it has loaded anything heavy."""
    code = "import knowledge.surfaces.git_hooks.worker, sys; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout.split())
    assert not loaded & {"sqlalchemy", "pygit2", "networkx", "typer", "rich", "pydantic", "tree_sitter", "knowledge.records"}


@pytest.mark.parametrize(
    ("words", "is_rebasing", "expected"),
    [
        (("post-commit",), False, (1, 1)),
        (("post-commit",), True, (1, 0)),
        (("post-checkout", "0" * 40, "1" * 40, "1"), False, (1, 1)),
        (("post-checkout", "1" * 40, "1" * 40, "0"), False, (0, 0)),
        (("post-rewrite", "amend"), True, (1, 0)),
        (("post-rewrite", "rebase"), True, (1, 1)),
    ],
)
def test_when_the_worker_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], is_rebasing: bool, expected: tuple[int, int]
) -> None:
    """During a rebase requests are only left; its end starts the worker. Checking out files counts for nothing."""
    started: list[str] = []
    monkeypatch.setattr(client, "start_worker", started.append)
    monkeypatch.delenv("GIT_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git" / ("rebase-merge" if is_rebasing else "refs")).mkdir(parents=True)
    client.main(str(tmp_path / ".git" / "knowledge" / "hook"), *words)
    assert (len(waiting(tmp_path / ".git")), len(started)) == expected
    assert set(started) <= {str(tmp_path / ".git")}


def test_a_full_queue_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing takes the requests they do not pile up."""
    monkeypatch.setattr(client, "QUEUE_LIMIT", 2)
    queue = tmp_path / "queue"
    assert [client.write_request(str(queue), "post-commit") for _ in range(4)] == [True, True, False, False]
    assert len(list(queue.iterdir())) == 2


def test_requests_are_read_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request carries its hook and its worktree, whatever the path's bytes; half-written and foreign files are passed over."""
    worktree = tmp_path / "new\nline é"
    worktree.mkdir()
    monkeypatch.chdir(worktree)
    queue = tmp_path / "knowledge" / "queue"
    client.write_request(str(queue), "post-checkout")
    (queue / "12.3.post-commit.part").write_bytes(b"/half")
    (queue / "notes").write_bytes(b"")
    assert [(request.hook, request.worktree) for request in waiting(tmp_path)] == [("post-checkout", worktree)]


def test_one_round_answers_all_requests(tmp_path: Path) -> None:
    """Requests that wait together are one round of work; the log says which hooks it was for."""
    ask(tmp_path, "post-commit", 2**62)
    ask(tmp_path, "post-merge", 2**62 + 1)
    calls: list[Path] = []
    assert drain(tmp_path, calls.append) == 1
    assert calls == [tmp_path]
    assert waiting(tmp_path) == []
    assert [(entry.hooks, entry.error) for entry in read_log(tmp_path)] == [(("post-commit", "post-merge"), "")]


def test_a_request_that_comes_meanwhile_is_not_lost(tmp_path: Path) -> None:
    """A second hook enqueues and goes: its worker finds the lock held, and the first worker does the work."""
    ask(tmp_path, "post-commit")
    seconds: list[int] = []

    def reconcile(common_dir: Path) -> None:
        if not seconds:
            ask(tmp_path, "post-merge", 2**62 + 1)
            seconds.append(drain(tmp_path, lambda _: pytest.fail("two workers at once")))

    assert drain(tmp_path, reconcile) == 2
    assert seconds == [0]
    assert waiting(tmp_path) == []


def test_the_lock_is_one(tmp_path: Path) -> None:
    """Only one holder at a time, and free again afterwards."""
    (tmp_path / "knowledge").mkdir()
    with sole_worker(tmp_path) as first, sole_worker(tmp_path) as second:
        assert (first, second) == (True, False)
    with sole_worker(tmp_path) as third:
        assert third


def test_a_failure_is_logged_and_counted(repo: GitRepo) -> None:
    """What goes wrong stands in the log on one line; the request counts as done, because every read reconciles by itself."""
    common_dir = repo.path / ".git"
    install(repo.path)
    ask(common_dir, "post-commit")

    def fail(_: Path) -> None:
        raise RuntimeError("the disk\nis\tfull")

    assert drain(common_dir, fail) == 1
    health = inspect(repo.path)
    assert (health.rounds, health.failures, health.waiting) == (1, 1, 0)
    assert health.last_error == "RuntimeError: the disk is full"
    assert health.states[0].last_fired
    assert not health.states[1].last_fired


def test_an_old_request_is_dropped(tmp_path: Path) -> None:
    """A request that outlived its worker is not tried for ever."""
    ask(tmp_path, "post-commit", nanoseconds=(REQUEST_SECONDS + 1) * 10**9)
    assert drain(tmp_path, lambda _: pytest.fail("worked on")) == 0
    assert waiting(tmp_path) == []


def test_the_log_stays_small(tmp_path: Path) -> None:
    """The log keeps its newer half, whole lines only."""
    (tmp_path / "knowledge").mkdir()
    for number in range(40):
        write_log(tmp_path, [], 0.5, f"{number} " + "x" * 5000)
    assert log_path(tmp_path).stat().st_size <= LOG_BYTES
    kept = read_log(tmp_path)
    assert [int(entry.error.split()[0]) for entry in kept] == list(range(40 - len(kept), 40))
    assert len(kept) >= 5


def test_new_hooks_name_no_path_of_this_machine() -> None:
    """A hook may be tracked and used elsewhere: it finds its way from the repository."""
    assert str(Path.home()).encode() not in new_hook("post-commit")
    assert sys.prefix.encode() not in new_hook("post-commit")
