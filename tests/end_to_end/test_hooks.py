"""Git hooks in real git: what they leave, what they start, and that git never notices."""

import json
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from git_fixtures import GitRepo, isolated_environment

from knowledge.surfaces.git_hooks.install import install, uninstall
from knowledge.surfaces.git_hooks.worklist import read_log, waiting

T = TypeVar("T")

WORKER = '''
"""Stands in for the worker: says how it was started, and works until it is told to end."""
import json, os, pathlib, sys, time
folder = pathlib.Path(sys.argv[1]) / "knowledge"
nothing = os.stat(os.devnull).st_rdev
report = {
    "leads its session": os.getsid(0) == os.getpid(),
    "streams are closed": all(os.fstat(stream).st_rdev == nothing for stream in (0, 1, 2)),
    "folder": os.getcwd(),
    "variables": sorted(name for name in os.environ if name.startswith("GIT_")),
    "argument is absolute": os.path.isabs(sys.argv[1]),
}
part = folder / f"part.{os.getpid()}"
part.write_text(json.dumps(report))
part.rename(folder / f"started.{os.getpid()}")
end = time.monotonic() + 60
while not (folder / "release").exists() and time.monotonic() < end:
    time.sleep(0.01)
(folder / f"finished.{os.getpid()}").touch()
'''


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter whose `knowledge` is nothing but the worker above."""
    folder = tmp_path_factory.mktemp("interpreter")
    venv.create(folder, symlinks=True)
    package = folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages" / "knowledge" / "surfaces" / "git_hooks"
    package.mkdir(parents=True)
    (package / "worker.py").write_text(WORKER)
    return folder / "bin" / "python"


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A repository under an awkward path, with a branch to merge and rebase."""
    created = GitRepo.create(tmp_path / 'it\'s "한글" $HOME')
    created.write("a.py", "x = 1\n")
    created.commit("Add a")
    created.checkout("topic", "-b")
    for number in range(3):
        created.write(f"topic{number}.py", "y = 2\n")
        created.commit(f"Add topic {number}")
    created.checkout("main")
    return created


def knowledge(repo: GitRepo) -> Path:
    """The folder below the git common directory."""
    return repo.path / ".git" / "knowledge"


def wait_for(look: Callable[[], T]) -> T:
    """What `look` finds, as soon as it finds something."""
    end = time.monotonic() + 60
    while not (found := look()):
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.01)
    return found


def asked(repo: GitRepo, expected: int) -> list[str]:
    """The hooks that left a request, sorted, once there are as many as expected.

    A commit of our own comes last, and is not told: what should have left nothing has had time to leave something.
    """
    repo.git("commit", "--quiet", "--allow-empty", "-m", "last")
    requests = wait_for(lambda: found if len(found := waiting(repo.path / ".git")) > expected else [])
    hooks = sorted(request.hook for request in requests)
    hooks.remove("post-commit")
    return hooks


def attempt(repo: GitRepo, *words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a git command, read through pipes."""
    done = subprocess.run(["git", *words], cwd=repo.path, env=isolated_environment(), capture_output=True, text=True, check=False, timeout=50)
    return done.returncode, done.stdout, done.stderr


def put_hook(repo: GitRepo, name: str, content: str, folder: str = ".git/hooks") -> Path:
    """A hook of somebody else's."""
    path = repo.write(f"{folder}/{name}", content)
    path.chmod(0o755)
    return path


def test_commit_does_not_wait(repo: GitRepo, stand_in: Path) -> None:
    """git returns, its pipes closed, while the worker is still at work, detached from everything that the commit had."""
    install(repo.path, python=stand_in)
    repo.write("b.py", "z = 3\n")
    repo.commit()
    started = wait_for(lambda: list(knowledge(repo).glob("started.*")))
    assert not list(knowledge(repo).glob("finished.*"))
    (knowledge(repo) / "release").touch()
    report = json.loads(started[0].read_text())
    assert set(report.pop("variables")).isdisjoint({"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_CONFIG_PARAMETERS"})
    assert report == {"leads its session": True, "streams are closed": True, "folder": "/", "argument is absolute": True}
    wait_for(lambda: list(knowledge(repo).glob("finished.*")))


OPERATIONS: dict[str, tuple[list[list[str]], list[str]]] = {
    "commit": ([["commit", "--quiet", "--allow-empty", "-m", "more"]], ["post-commit"]),
    "commit without checks": ([["commit", "--quiet", "--no-verify", "--allow-empty", "-m", "more"]], ["post-commit"]),
    "amend": ([["commit", "--quiet", "--amend", "-m", "other words"]], ["post-commit", "post-rewrite"]),
    "merge, fast-forward": ([["merge", "--quiet", "--ff-only", "topic"]], ["post-merge"]),
    "merge commit": ([["merge", "--quiet", "--no-ff", "-m", "merge", "topic"]], ["post-merge"]),
    "cherry-pick": ([["cherry-pick", "topic"]], ["post-commit"]),
    "switch": ([["switch", "--quiet", "topic"]], ["post-checkout"]),
    "files from another commit": ([["checkout", "topic", "--", "topic1.py"]], []),
    "reset": ([["reset", "--quiet", "--hard", "topic"]], []),
}


@pytest.mark.parametrize(("commands", "expected"), OPERATIONS.values(), ids=OPERATIONS)
def test_what_each_operation_leaves(repo: GitRepo, stand_in: Path, commands: list[list[str]], expected: list[str]) -> None:
    """Each operation leaves one request a hook; what fires no hook, or moves no HEAD, leaves none."""
    install(repo.path, python=stand_in)
    (knowledge(repo) / "release").touch()
    for command in commands:
        repo.git(*command)
    assert asked(repo, len(expected)) == expected


def test_rebase_settles_at_its_end(repo: GitRepo, stand_in: Path) -> None:
    """The commits of a rebase leave requests; its end starts the worker."""
    install(repo.path, python=stand_in)
    (knowledge(repo) / "release").touch()
    repo.write("b.py", "z = 3\n")
    repo.git("add", "b.py")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "Add b")
    repo.git("-c", "core.hooksPath=/dev/null", "switch", "--quiet", "topic")
    repo.git("rebase", "--quiet", "main")
    assert asked(repo, 5) == ["post-checkout", "post-commit", "post-commit", "post-commit", "post-rewrite"]
    wait_for(lambda: list(knowledge(repo).glob("finished.*")))


BEHAVIOUR = [
    ["commit", "--allow-empty", "-m", "more"],
    ["commit", "-m", "nothing to commit"],
    ["commit", "--amend", "-m", "other words"],
    ["switch", "topic"],
    ["switch", "nowhere"],
    ["rebase", "main"],
    ["switch", "main"],
    ["merge", "--ff-only", "topic"],
]


@pytest.mark.parametrize("hook_text", ["", "#!/bin/sh\nexit 1\n", "#!/bin/sh -eu\ncat\nfalse\n", "#!/usr/bin/env python3\nimport sys; sys.exit(3)\n"])
def test_git_behaves_as_before(repo: GitRepo, stand_in: Path, hook_text: str) -> None:
    """Exit code and output of every command are those that they were before, also beside a hook that fails."""
    before = repo.clone(repo.path.with_name("without hooks"))
    before.git("branch", "topic", "origin/topic")
    after = repo.clone(repo.path.with_name("with hooks"))
    after.git("branch", "topic", "origin/topic")
    for copy in (before, after):
        for hook in ("post-commit", "post-merge", "post-rewrite", "post-checkout"):
            if hook_text:
                put_hook(copy, hook, hook_text)
    install(after.path, python=stand_in)
    (knowledge(after) / "release").touch()
    for words in BEHAVIOUR:
        assert attempt(after, *words) == attempt(before, *words), words
    wait_for(lambda: waiting(after.path / ".git"))


def test_the_other_hook_gets_its_input_and_arguments(repo: GitRepo, stand_in: Path) -> None:
    """A post-rewrite hook reads the pairs of old and new commit from standard input; we leave them to it, in a script and in a wrapper."""
    shell = '#!/bin/sh\necho "$1" > seen.txt\ncat >> seen.txt\n'
    python = "#!/usr/bin/env python3\nimport sys\nopen('seen.txt', 'w').write(sys.argv[1] + '\\n' + sys.stdin.read())\n"
    for text in (shell, python):
        put_hook(repo, "post-rewrite", text)
        install(repo.path, python=stand_in)
        (knowledge(repo) / "release").touch()
        old = repo.head()
        repo.git("commit", "--quiet", "--amend", "-m", f"for {len(text)}")
        assert repo.file("seen.txt").read_text() == f"amend\n{old} {repo.head()}\n"
        uninstall(repo.path)
        repo.file(".git/hooks/post-rewrite").unlink()


def test_linked_worktree(repo: GitRepo, stand_in: Path, tmp_path: Path) -> None:
    """One installation serves a linked worktree, and the request says which worktree it was."""
    linked = repo.worktree_add(tmp_path / "linked", "-b", "linked")
    install(repo.path, python=stand_in)
    (knowledge(repo) / "release").touch()
    linked.git("commit", "--quiet", "--allow-empty", "-m", "more")
    requests = wait_for(lambda: waiting(repo.path / ".git"))
    assert [(request.hook, request.worktree) for request in requests] == [("post-commit", linked.path)]
    wait_for(lambda: list(knowledge(repo).glob("finished.*")))


def test_submodule(repo: GitRepo, stand_in: Path, tmp_path: Path) -> None:
    """A submodule is a repository of its own; its git directory lies in its parent's."""
    parent = GitRepo.create(tmp_path / "parent")
    parent.submodule_add(repo, "part")
    part = GitRepo(parent.path / "part")
    site = install(part.path, python=stand_in).site
    assert site.common_dir == parent.path / ".git" / "modules" / "part"
    (site.common_dir / "knowledge" / "release").touch()
    part.git("commit", "--quiet", "--allow-empty", "-m", "more")
    requests = wait_for(lambda: waiting(site.common_dir))
    assert [(request.hook, request.worktree) for request in requests] == [("post-commit", part.path)]


def test_husky(repo: GitRepo, stand_in: Path) -> None:
    """Under husky the lines stand in the script that husky runs by the shell, next to what is there."""
    husky = 's=".husky/$(basename "$0")"\n[ ! -f "$s" ] && exit 0\nsh -e "$s" "$@"\nexit $?\n'
    for hook in ("post-commit", "post-checkout"):
        put_hook(repo, hook, f"#!/usr/bin/env sh\n{husky}", ".husky/_")
    repo.write(".husky/_/.gitignore", "*\n")
    repo.write(".husky/post-commit", "echo run > husky.txt\nfalse\n")
    repo.git("config", "core.hooksPath", ".husky/_")
    install(repo.path, python=stand_in, allow_shared=True)
    (knowledge(repo) / "release").touch()
    repo.git("commit", "--quiet", "--allow-empty", "-m", "more")
    assert asked(repo, 1) == ["post-commit"]
    assert repo.file("husky.txt").read_text() == "run\n"


def test_switched_off(repo: GitRepo, stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """KNOWLEDGE_HOOKS=off in the environment, and nothing is asked."""
    install(repo.path, python=stand_in)
    monkeypatch.setenv("KNOWLEDGE_HOOKS", "off")
    repo.git("commit", "--quiet", "--allow-empty", "-m", "more")
    monkeypatch.delenv("KNOWLEDGE_HOOKS")
    assert asked(repo, 0) == []


@pytest.mark.parametrize("missing", ["interpreter", "package", "script", "folder"])
def test_something_is_gone(repo: GitRepo, tmp_path: Path, missing: str) -> None:
    """Interpreter, package, our script or the whole folder may be gone: the commit is as good, and nothing is said."""
    python = tmp_path / "interpreter"
    if missing == "package":
        venv.create(python, symlinks=True)
    install(repo.path, python=python / "bin" / "python")
    if missing == "script":
        (knowledge(repo) / "hook").unlink()
    if missing == "folder":
        (knowledge(repo) / "hook").unlink()
        knowledge(repo).rmdir()
    assert attempt(repo, "commit", "--quiet", "--allow-empty", "-m", "more") == (0, "", "")


def test_the_real_worker_answers(repo: GitRepo) -> None:
    """With this interpreter and package the request is taken and the log says so; a `knowledge` package of the repository is not run."""
    repo.write("knowledge/__init__.py", "open('was-run.txt', 'w').close()\n")
    install(repo.path)
    repo.commit("Add a package of the same name")
    rounds = wait_for(lambda: read_log(repo.path / ".git"))
    assert rounds[0].hooks == ("post-commit",)
    wait_for(lambda: not waiting(repo.path / ".git"))
    assert not list(repo.path.rglob("was-run.txt"))
