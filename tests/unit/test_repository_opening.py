"""Which backend opens what, and what a person reads where nothing can be opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_fixtures import GitRepo, build_repository

from knowledge.errors import NotARepositoryError, RepositoryReadError
from knowledge.records.trees import Head, Worktree
from knowledge.repository.opening import open_repository

FILES = {"a.py": "x = 1\n", "d/b.py": "y = 2\n", "e/c.py": "z = 3\n"}


@pytest.fixture(autouse=True)
def _no_user_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return build_repository(tmp_path / "repo", [FILES])


def contents(path: Path, tree: str | None = None) -> dict[bytes, bytes]:
    found = open_repository(path).tree(tree)
    return {name: found.read(entry.blob_id) for name, entry in found.entries().items()}


def expected() -> dict[bytes, bytes]:
    return {name.encode(): content.encode() for name, content in FILES.items()}


def test_libgit2_by_default_and_git_on_request(repo: GitRepo) -> None:
    """An ordinary repository is read in this process, unless the caller wants to spare the import."""
    assert open_repository(repo.path).backend == "pygit2"
    assert open_repository(repo.path, backend="git").backend == "git"
    assert contents(repo.path / "d") == expected()


def test_sha256(tmp_path: Path) -> None:
    """libgit2 knows no sha256; ids are then 64 digits, and bytes are hashed alike."""
    repo = build_repository(tmp_path / "long", [FILES], "--object-format=sha256")
    opened = open_repository(repo.path)
    assert (opened.backend, opened.object_format, opened.head()) == ("git", "sha256", Head("main", repo.head()))
    assert opened.hash_blob(b"x = 1\n") == repo.revision("HEAD:a.py")
    assert contents(repo.path) == expected()
    repo.write("a.py", "x = 2\n")
    assert open_repository(repo.path).tree("HEAD+dirty").uncommitted().keys() == {b"a.py"}


def test_split_index(repo: GitRepo) -> None:
    """libgit2 cannot read a split index; git says what is uncommitted."""
    repo.git("update-index", "--split-index")
    repo.write("a.py", "x = 2\n")
    assert contents(repo.path) == expected()
    assert contents(repo.path, "HEAD+dirty") == expected() | {b"a.py": b"x = 2\n"}


@pytest.mark.parametrize("options", [["--no-sparse-index"], ["--sparse-index"]])
def test_sparse_checkout(repo: GitRepo, options: list[str]) -> None:
    """Files left out of a sparse checkout are not deleted: they count as HEAD has them."""
    repo.git("sparse-checkout", "set", *options, "d")
    assert not repo.file("e/c.py").exists()
    assert contents(repo.path, "HEAD+dirty") == expected()
    repo.write("d/b.py", "y = 3\n")
    assert open_repository(repo.path).tree("HEAD+dirty").uncommitted().keys() == {b"d/b.py"}


def test_skipped_file_counts_as_staged(repo: GitRepo) -> None:
    """A file that git was told to skip is not looked at, as `git status` does not."""
    repo.git("update-index", "--skip-worktree", "a.py")
    repo.delete("a.py")
    assert contents(repo.path, "HEAD+dirty") == expected()


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_partial_clone_without_its_promisor(tmp_path: Path, object_format: str) -> None:
    """Blobs that were never fetched are told as missing, never fetched; what is there is read."""
    repo = build_repository(tmp_path / "repo", [FILES, {"a.py": "x = 2\n"}], f"--object-format={object_format}")
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = repo.clone(tmp_path / "partial", "--filter=blob:none")
    repo.path.rename(tmp_path / "gone")
    for opened in (open_repository(clone.path), open_repository(clone.path, backend="git")):
        now, before = opened.tree(), opened.tree("HEAD~1")
        missing, present = before.entry(b"a.py"), now.entry(b"a.py")
        assert missing is not None
        assert present is not None
        assert [change.path for change in opened.diff(before, now)] == [b"a.py"]
        asked = [missing.blob_id, present.blob_id, missing.blob_id]
        assert list(before.read_many(asked)) == [(missing.blob_id, None), (present.blob_id, b"x = 2\n"), (missing.blob_id, None)]
        assert (before.size(missing.blob_id), now.size(present.blob_id)) == (None, 6)
        assert not opened.has_object(missing.blob_id)
        with pytest.raises(RepositoryReadError, match="partial clone"):
            before.read(missing.blob_id)
        assert opened.tree("HEAD+dirty").uncommitted() == {}


def test_shallow_clone(repo: GitRepo, tmp_path: Path) -> None:
    """A walk ends cleanly where a shallow clone does, and its last commit has no parents."""
    second = repo.commit("Second")
    third = repo.commit("Third")
    shallow = repo.clone(tmp_path / "shallow", "--depth=2")
    for opened in (open_repository(shallow.path), open_repository(shallow.path, backend="git")):
        assert opened.is_shallow
        assert [commit.revision for commit in opened.walk("HEAD")] == [third, second]
        assert opened.commit(second).parents == ()
    assert not open_repository(repo.path).is_shallow


def test_replaced_commit_is_seen_as_git_shows_it(repo: GitRepo) -> None:
    """libgit2 ignores `git replace`; a replaced commit keeps its id and has the other's content."""
    first = repo.head()
    repo.write("a.py", "x = 2\n")
    second = repo.commit("Second")
    repo.write("a.py", "x = 3\n")
    third = repo.commit("Third")
    repo.git("replace", third, second)
    opened = open_repository(repo.path)
    assert opened.backend == "git"
    assert (opened.resolve("HEAD"), opened.commit("HEAD").message, opened.commit("HEAD").parents) == (third, "Second\n", (first,))
    assert [commit.revision for commit in opened.walk("HEAD")] == [third, first]
    entry = opened.tree().entry(b"a.py")
    assert entry is not None
    assert opened.tree().read(entry.blob_id) == b"x = 2\n"


def test_a_blob_is_what_its_id_says(repo: GitRepo) -> None:
    """A replaced blob is not read in its place: content is known by its hash."""
    other = repo.git("hash-object", "-w", "--stdin", stdin=b"other\n")
    repo.git("replace", repo.revision("HEAD:a.py"), other)
    assert contents(repo.path) == expected()


def test_worktrees_of_one_project(repo: GitRepo, tmp_path: Path) -> None:
    """Each worktree is listed with its own HEAD, from any of them; the project is one."""
    first = repo.head()
    topic = repo.worktree_add(tmp_path / "topic", "-b", "topic")
    topic.write("a.py", "x = 2\n")
    second = topic.commit("On topic")
    repo.worktree_add(tmp_path / "still", "--detach")
    main, linked = open_repository(repo.path), open_repository(topic.path)
    assert main.common_dir == linked.common_dir
    assert (main.worktree_name, linked.worktree_name) == ("", "topic")
    assert main.worktrees() == linked.worktrees()
    assert main.worktrees() == [
        Worktree("", repo.path.resolve(), Head("main", first)),
        Worktree("still", (tmp_path / "still").resolve(), Head(None, first)),
        Worktree("topic", (tmp_path / "topic").resolve(), Head("topic", second)),
    ]
    topic.write("a.py", "x = 3\n")
    assert main.tree("HEAD+dirty").uncommitted() == {}
    assert linked.tree("HEAD+dirty").snapshot.revision == second
    assert linked.tree("HEAD+dirty").uncommitted().keys() == {b"a.py"}


def test_bare_repository(repo: GitRepo, tmp_path: Path) -> None:
    """A bare repository has revisions, no worktree and nothing uncommitted."""
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    opened = open_repository(bare.path)
    assert (opened.workdir, opened.worktrees()) == (None, [])
    assert opened.tree("HEAD+dirty").snapshot == opened.tree().snapshot
    assert contents(bare.path) == expected()


def test_worktree_of_a_bare_repository(repo: GitRepo, tmp_path: Path) -> None:
    """A worktree linked to a bare repository has uncommitted work like any other."""
    linked = repo.clone(tmp_path / "bare.git", "--bare").worktree_add(tmp_path / "linked", "--detach")
    linked.write("a.py", "x = 2\n")
    opened = open_repository(linked.path)
    assert opened.tree("HEAD+dirty").uncommitted().keys() == {b"a.py"}
    assert [worktree.name for worktree in opened.worktrees()] == ["linked"]


def test_inside_a_submodule(repo: GitRepo, tmp_path: Path) -> None:
    """Opened from inside, a submodule is a project of its own, with uncommitted work of its own."""
    inner = build_repository(tmp_path / "inner", [{"inside.py": "1"}])
    repo.submodule_add(inner, "sub")
    repo.write("sub/inside.py", "2")
    opened = open_repository(repo.path / "sub")
    assert opened.common_dir == (repo.path / ".git/modules/sub").resolve()
    assert opened.tree("HEAD+dirty").uncommitted().keys() == {b"inside.py"}
    assert opened.head().revision == inner.head()


@pytest.mark.parametrize("backend", ["any", "git"])
def test_stays_right_while_the_repository_moves_on(repo: GitRepo, backend: str) -> None:
    """What was opened once sees new commits and refs, and reads on after git has repacked everything."""
    opened = open_repository(repo.path, backend=backend)  # type: ignore[arg-type]
    first = opened.tree()
    assert first.entries()
    repo.write("a.py", "x = 2\n")
    second = repo.commit("Second")
    repo.branch("later")
    repo.forget_unreachable()
    assert (opened.head().revision, opened.refs()["refs/heads/later"], opened.resolve("later")) == (second, second, second)
    changes = opened.diff(first, opened.tree())
    assert [(change.path, opened.tree().read(change.new.blob_id)) for change in changes if change.new] == [(b"a.py", b"x = 2\n")]
    assert opened.tree("HEAD+dirty").uncommitted() == {}


@pytest.mark.parametrize("backend", ["any", "git"])
def test_unborn_head(tmp_path: Path, backend: str) -> None:
    """Before the first commit HEAD is the empty tree, and files in the worktree are uncommitted."""
    repo = GitRepo.create(tmp_path / "new")
    opened = open_repository(repo.path, backend=backend)  # type: ignore[arg-type]
    assert (opened.head(), opened.refs()) == (Head("main", None), {})
    assert opened.tree().entries() == {}
    assert opened.tree("HEAD+dirty").snapshot == opened.tree().snapshot
    repo.write("a.py", "x = 1\n")
    dirty = opened.tree("HEAD+dirty")
    assert (dirty.snapshot.revision, dirty.snapshot.is_dirty, list(dirty.entries())) == (None, True, [b"a.py"])


def test_deep_directory_whose_name_is_not_utf8(tmp_path: Path) -> None:
    """A repository may lie in a directory whose name is no UTF-8."""
    repo = build_repository(tmp_path / os.fsdecode(b"\xff caf\xc3\xa9"), [FILES])
    assert contents(repo.path) == expected()
    assert open_repository(repo.path, backend="git").tree("HEAD+dirty").uncommitted() == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to another user")
@pytest.mark.parametrize("backend", ["any", "git"])
def test_repository_of_another_user(repo: GitRepo, backend: str) -> None:
    """git refuses a repository that belongs to somebody else, and so do we, saying how to trust it."""
    for place in (repo.path, repo.path / ".git"):
        os.chown(place, 12345, 12345)
    with pytest.raises(NotARepositoryError, match=r"safe\.directory"):
        open_repository(repo.path, backend=backend)  # type: ignore[arg-type]


def test_unknown_extension(repo: GitRepo) -> None:
    """A format that neither backend knows is refused in git's own words."""
    repo.git("config", "extensions.future", "true")
    repo.git("config", "core.repositoryFormatVersion", "1")
    with pytest.raises(NotARepositoryError, match="future"):
        open_repository(repo.path)


def test_without_git_on_the_path(repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the command is needed and not there, that is said; a `git` of the repository's own, on a relative PATH, is never run."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin:.:")
    with pytest.raises(NotARepositoryError, match="install git"):
        open_repository(repo.path, backend="git")
    assert open_repository(repo.path).tree().entries().keys() == expected().keys()
