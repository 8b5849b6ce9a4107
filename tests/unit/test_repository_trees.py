"""Trees: every kind of entry, what differs, and trees made to do harm."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import Literal

import pytest
from git_fixtures import GitRepo, build_repository

from knowledge.errors import RepositoryReadError
from knowledge.records.trees import EntryChange, FileEntry
from knowledge.repository import trees
from knowledge.repository.interface import Repository
from knowledge.repository.opening import open_repository

Backend = Literal["any", "git"]
both = pytest.mark.parametrize("backend", ["any", "git"])


def listed(repo: GitRepo, revision: str) -> list[tuple[bytes, bytes, str]]:
    """(path, mode, id) of every file, as `git ls-tree` has it."""
    records = repo.git_bytes("ls-tree", "-r", "-z", revision).split(b"\0")[:-1]
    return sorted((path, head.split()[0], head.split()[2].decode()) for head, _, path in (record.partition(b"\t") for record in records))


def entries(opened: Repository, revision: str | None = None) -> list[tuple[bytes, bytes, str]]:
    modes = {"file": b"100644", "executable": b"100755", "symlink": b"120000", "submodule": b"160000"}
    return [(entry.path, modes[entry.kind], entry.blob_id) for entry in opened.tree(revision).entries().values()]


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    repo = build_repository(
        tmp_path / "repo", [{"a.py": "1", "d/b.py": "2", "d/e/c.py": "3", b"d/caf\xe9": "4", "D/B.py": "5", "x-y": "6", "x/y": "7"}]
    )
    repo.write("run", "#!/bin/sh\n").chmod(0o755)
    repo.symlink("link", "/etc/passwd")
    repo.symlink("loop", "loop")
    repo.write("nfc-\u00e9", "8")
    repo.write("nfd-e\u0301", "9")
    repo.submodule_add(build_repository(tmp_path / "inner", [{"inside": "x"}]), "sub")
    repo.commit("All kinds")
    return repo


@both
def test_every_kind_of_entry(repo: GitRepo, backend: Backend) -> None:
    """Files, executables, symlinks and submodules by the bytes of their paths, in git's order; nothing of what is in a submodule."""
    opened = open_repository(repo.path, backend=backend)
    found = entries(opened)
    assert found == listed(repo, "HEAD")
    assert {kind for _, kind, _ in found} == {b"100644", b"100755", b"120000", b"160000"}
    link = opened.tree().entry(b"link")
    assert link is not None
    assert opened.tree().read(link.blob_id) == b"/etc/passwd"


@both
def test_entry_by_path(repo: GitRepo, backend: Backend) -> None:
    """A single entry is the one that the whole list has; directories and what is not there are none."""
    tree = open_repository(repo.path, backend=backend).tree()
    assert all(tree.entry(path) == entry for path, entry in tree.entries().items())
    for path in (b"", b"d", b"d/", b"nothing", b"d/nothing", b"a.py/x", b"/a.py", b"sub/inside", b"link/x", b"d//b.py", b"../a.py"):
        assert tree.entry(path) is None


@both
def test_diff_between_revisions(repo: GitRepo, backend: Backend) -> None:
    """Changed content, changed kind, a file that became a directory and back: exactly what git's own diff lists."""
    before = repo.head()
    repo.delete("a.py")
    repo.write("a.py/inner", "1")
    repo.delete("x")
    repo.write("x", "7")
    repo.file("run").chmod(0o644)
    repo.delete("link")
    repo.write("link", "/etc/passwd")
    repo.write("d/e/c.py", "33")
    repo.delete(b"d/caf\xe9")
    repo.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "On")
    repo.commit("Change")
    opened = open_repository(repo.path, backend=backend)
    changes = opened.diff(opened.tree(before), opened.tree())
    assert [change.path for change in changes] == sorted(
        repo.git_bytes("diff-tree", "-r", "-z", "--no-renames", "--name-only", before, "HEAD").split(b"\0")[:-1]
    )
    old, new = opened.tree(before).entries(), opened.tree().entries()
    assert changes == [EntryChange(path, old.get(path), new.get(path)) for path in sorted(old.keys() | new.keys()) if old.get(path) != new.get(path)]
    assert opened.diff(opened.tree(), opened.tree(before)) == [EntryChange(change.path, change.new, change.old) for change in changes]
    assert opened.diff(opened.tree(), opened.tree("HEAD")) == []


@both
def test_blobs_in_the_order_asked(repo: GitRepo, backend: Backend) -> None:
    """Many blobs come in the order asked, repeats and missing ones included, also where the reader stops half-way."""
    tree = open_repository(repo.path, backend=backend).tree()
    blobs = [entry.blob_id for entry in tree.entries().values() if entry.kind != "submodule"]
    asked = [blob for _ in range(30) for blob in (*blobs, "0" * 40)]
    stopped = tree.read_many(asked)
    next(stopped)
    answers = list(tree.read_many(asked))
    assert [blob for blob, _ in answers] == asked
    assert all(content == (None if blob == "0" * 40 else tree.read(blob)) for blob, content in answers)
    assert [tree.size(blob) for blob in blobs] == [len(tree.read(blob)) for blob in blobs]


@both
def test_large_blob(tmp_path: Path, backend: Backend) -> None:
    """A blob beyond the limit is not read: it says so, its size is known, and those after it are read all the same."""
    repo = build_repository(tmp_path / "repo", [{"large": b"x" * 3_000_000, "small": b"y"}])
    tree = open_repository(repo.path, backend=backend, size_limit=100_000).tree()
    large, small = (entry.blob_id for entry in tree.entries().values())
    with pytest.raises(RepositoryReadError, match="3000000 bytes"):
        tree.read(large)
    assert list(tree.read_many([large, small, large])) == [(large, None), (small, b"y"), (large, None)]
    assert tree.size(large) == 3_000_000
    assert tree.read(small) == b"y"


@both
@pytest.mark.parametrize("blob_id", ["", "HEAD", "abc", "0" * 40, "-x", "a b\nc"])
def test_no_blob(repo: GitRepo, backend: Backend, blob_id: str) -> None:
    """What is no blob cannot be read, whatever the text."""
    opened = open_repository(repo.path, backend=backend)
    for wrong in (blob_id, repo.revision("HEAD"), repo.revision("HEAD^{tree}")):
        with pytest.raises(RepositoryReadError):
            opened.tree().read(wrong)
        assert opened.tree().size(wrong) is None
    assert not opened.has_object(blob_id)


@both
def test_damaged_object(repo: GitRepo, backend: Backend) -> None:
    """A damaged object is an error that names it; the others are read."""
    tree = open_repository(repo.path, backend=backend).tree()
    damaged, sound = repo.revision("HEAD:a.py"), repo.revision("HEAD:d/b.py")
    path = repo.path / ".git/objects" / damaged[:2] / damaged[2:]
    path.chmod(0o644)
    path.write_bytes(b"rubbish")
    with pytest.raises(RepositoryReadError, match=damaged):
        tree.read(damaged)
    assert tree.read(sound) == b"2"
    assert dict(tree.read_many([damaged, sound])) == {damaged: None, sound: b"2"}


@both
def test_missing_directory(repo: GitRepo, backend: Backend) -> None:
    """A tree of which a directory is gone says so, and is not taken for one without it."""
    missing = repo.revision("HEAD:d/e")
    (repo.path / ".git/objects" / missing[:2] / missing[2:]).unlink()
    opened = open_repository(repo.path, backend=backend)
    with pytest.raises(RepositoryReadError, match=missing):
        opened.tree().entries()
    assert opened.tree().entry(b"a.py") is not None


@both
def test_tree_that_names_too_many_files(tmp_path: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree of a few objects that names more files than anybody could list is refused, not listed."""
    monkeypatch.setattr(trees, "_LARGEST_LISTING", 1 << 22)
    repo = build_repository(tmp_path / "repo", [{"a": "1"}])
    tree_id = repo.revision("HEAD^{tree}")
    for _ in range(40):
        tree_id = repo.git("mktree", stdin=f"040000 tree {tree_id}\tx\n040000 tree {tree_id}\ty\n".encode())
    opened = open_repository(repo.path, backend=backend)
    with pytest.raises(RepositoryReadError, match="too many files"):
        opened.tree(tree_id).entries()
    with pytest.raises(RepositoryReadError, match="too many files"):
        opened.diff(opened.tree(), opened.tree(tree_id))
    assert opened.tree(tree_id).entry(b"x/" * 40 + b"a") == FileEntry(b"x/" * 40 + b"a", repo.revision("HEAD:a"))


@both
def test_very_deep_tree(tmp_path: Path, backend: Backend) -> None:
    """A tree of many hundred levels is no matter."""
    repo = build_repository(tmp_path / "repo", [{"a": "1"}])
    tree_id = repo.revision("HEAD^{tree}")
    depth = 600
    for _ in range(depth):
        tree_id = _store(repo, "tree", b"40000 d\0" + bytes.fromhex(tree_id))
    opened = open_repository(repo.path, backend=backend)
    assert list(opened.tree(tree_id).entries()) == [b"d/" * depth + b"a"]


@both
def test_names_that_only_harm(tmp_path: Path, backend: Backend) -> None:
    """Names such as `..` and `.git` are bytes like any other: nothing on disk is touched or read by them."""
    repo = build_repository(tmp_path / "repo", [{"a": "1"}])
    blob = bytes.fromhex(repo.revision("HEAD:a"))
    content = b"".join(b"100644 %s\0%s" % (name, blob) for name in (b"..", b".git", b"a\nb", b"con", b"x\\y"))
    tree_id = _store(repo, "tree", content)
    tree = open_repository(repo.path, backend=backend).tree(tree_id)
    assert list(tree.entries()) == [b"..", b".git", b"a\nb", b"con", b"x\\y"]
    with pytest.raises(RepositoryReadError, match="damaged"):
        open_repository(repo.path, backend=backend).tree(_store(repo, "tree", content + b"rest")).entries()


def _store(repo: GitRepo, kind: str, content: bytes) -> str:
    """Write an object that git itself would not make."""
    raw = b"%s %d\0" % (kind.encode(), len(content)) + content
    object_id = hashlib.sha1(raw).hexdigest()
    path = repo.path / ".git/objects" / object_id[:2] / object_id[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(raw, 1))
    return object_id
