"""`HEAD+dirty`: the work tree as a tree, held against the tree that `git add --all` would make of it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Literal

import pytest
from git_fixtures import GitRepo, build_repository

from knowledge.errors import RepositoryReadError
from knowledge.repository import git_command, overlay
from knowledge.repository.interface import Tree
from knowledge.repository.opening import open_repository

Backend = Literal["any", "git"]
both = pytest.mark.parametrize("backend", ["any", "git"])
FILES: dict[str, str | bytes | None] = {"a.py": "1", "b.py": "2", "d/c.py": "3", "d/e/f.py": "4"}


@pytest.fixture(autouse=True)
def _no_user_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return build_repository(tmp_path / "repo", [FILES])


def dirty(repo: GitRepo, backend: Backend = "any") -> Tree:
    return open_repository(repo.path, backend=backend).tree("HEAD+dirty")


def as_git_would_store(repo: GitRepo) -> dict[bytes, tuple[str, str]]:
    """path → (kind, id) of the tree that `git add --all` makes of the work tree, in an index of its own."""
    index = repo.path / ".git" / "index"
    saved = index.read_bytes()
    repo.git("add", "--all")
    tree_id = repo.git("write-tree")
    index.write_bytes(saved)
    return {path: (entry.kind, entry.blob_id) for path, entry in open_repository(repo.path).tree(tree_id).entries().items()}


def said(tree: Tree) -> dict[bytes, tuple[str, str]]:
    return {path: (entry.kind, entry.blob_id) for path, entry in tree.entries().items()}


def stage_and_go_on(repo: GitRepo) -> None:
    repo.write("a.py", "staged")
    repo.git("add", "a.py")
    repo.write("a.py", "after")


def stage_and_take_back(repo: GitRepo) -> None:
    repo.write("a.py", "staged")
    repo.git("add", "a.py")
    repo.write("a.py", "1")


def stage_new_and_delete(repo: GitRepo) -> None:
    repo.write("new.py", "new")
    repo.git("add", "new.py")
    repo.delete("new.py")


def intend_to_add(repo: GitRepo) -> None:
    repo.write("new.py", "new")
    repo.git("add", "--intent-to-add", "new.py")


def swap_file_and_directory(repo: GitRepo) -> None:
    repo.delete("a.py")
    repo.write("a.py/inner", "x")
    repo.delete("d")
    repo.write("d", "y")


def link_directory_outside(repo: GitRepo) -> None:
    outside = repo.path.parent / "outside"
    (outside / "e").mkdir(parents=True)
    (outside / "c.py").write_text("secret", encoding="utf-8")
    (outside / "e/f.py").write_text("secret", encoding="utf-8")
    repo.delete("d")
    repo.symlink("d", "../outside")


def make_links(repo: GitRepo) -> None:
    repo.symlink("loop", "loop")
    repo.symlink("up", "..")
    repo.symlink("b.py", "/etc/passwd")
    repo.symlink(b"odd\xff", b"to\xfe")


def ignore_some(repo: GitRepo) -> None:
    repo.write(".gitignore", "*.log\nbuild/\n!keep.log\n")
    for path in ("x.log", "keep.log", "build/y", "d/build/z", "d/w.log"):
        repo.write(path, path)


def conflict(repo: GitRepo) -> None:
    repo.checkout("other", "-b")
    repo.write("a.py", "theirs")
    repo.delete("b.py")
    repo.commit("Theirs")
    repo.checkout("main")
    repo.write("a.py", "ours")
    repo.write("b.py", "ours too")
    repo.commit("Ours")
    with pytest.raises(subprocess.CalledProcessError):
        repo.merge("other")


def stage_mode(repo: GitRepo) -> None:
    repo.file("a.py").chmod(0o755)
    repo.git("add", "a.py")
    repo.file("b.py").chmod(0o755)


def move_files(repo: GitRepo) -> None:
    repo.rename("a.py", "d/a.py")
    repo.rename("d/e", "é")
    repo.rename("b.py", b"b\xff\n.py")


STATES: list[Callable[[GitRepo], None]] = [
    stage_and_go_on, stage_and_take_back, stage_new_and_delete, intend_to_add, swap_file_and_directory, link_directory_outside, make_links,
    ignore_some, conflict, stage_mode, move_files,
]  # fmt: skip


@both
@pytest.mark.parametrize("change", STATES, ids=lambda change: change.__name__)
def test_as_git_would_store_it(repo: GitRepo, backend: Backend, change: Callable[[GitRepo], None]) -> None:
    """Whatever is staged, the files as they lie there are the tree that committing everything would make."""
    change(repo)
    tree = dirty(repo, backend)
    assert said(tree) == as_git_would_store(repo)
    opened = open_repository(repo.path, backend=backend)
    changes = opened.diff(opened.tree(), tree)
    assert {found.path: found.new for found in changes} == dict(tree.uncommitted())
    assert all(tree.entry(found.path) == found.new and opened.tree().entry(found.path) == found.old for found in changes)
    contents = dict(tree.read_many(entry.blob_id for entry in tree.entries().values()))
    assert all(content is not None and opened.hash_blob(content) == blob for blob, content in contents.items())
    assert not any(content == b"secret" for content in contents.values())


@both
def test_nothing_uncommitted(repo: GitRepo, backend: Backend) -> None:
    """With nothing changed the tree is HEAD's own; also right after files were written, and after their times changed."""
    opened = open_repository(repo.path, backend=backend)
    assert opened.tree("HEAD+dirty").snapshot == opened.tree().snapshot
    os.utime(repo.file("a.py"), (1, 1))
    repo.write("b.py", "2")
    assert opened.tree("HEAD+dirty").snapshot == opened.tree().snapshot
    stage_and_take_back(repo)
    assert opened.tree("HEAD+dirty").snapshot == opened.tree().snapshot


@both
def test_key_follows_content(repo: GitRepo, backend: Backend) -> None:
    """Equal content has an equal key, whatever way it came; other content, kinds and deletions have others."""
    keys = []
    for change in (
        lambda: repo.write("a.py", "9"),
        lambda: repo.file("a.py").chmod(0o755),
        lambda: repo.delete("a.py"),
        lambda: repo.symlink("a.py", "9"),
    ):
        change()
        keys.append(dirty(repo, backend).snapshot.key)
    assert len(set(keys)) == 4
    repo.delete("a.py")
    repo.write("a.py", "9")
    repo.git("add", "a.py")
    snapshot = dirty(repo, backend).snapshot
    assert (snapshot.key, snapshot.label, snapshot.is_dirty) == (keys[0], "HEAD+dirty", True)
    assert snapshot.key.startswith(f"{snapshot.tree_id}+")
    assert (snapshot.tree_id, snapshot.revision) == (repo.revision("HEAD^{tree}"), repo.head())


def test_unstaged_and_ignored_is_gone(repo: GitRepo) -> None:
    """A file taken out of the index that is ignored now counts as deleted, although it lies there."""
    repo.git("rm", "-q", "--cached", "a.py", "b.py")
    repo.write(".gitignore", "a.py\n.gitignore\n")
    assert dict(dirty(repo).uncommitted()) == {b"a.py": None}


@both
def test_submodules_are_boundaries(repo: GitRepo, tmp_path: Path, backend: Backend) -> None:
    """A submodule stands where its own HEAD does; its files, and other repositories that lie inside, are not looked at."""
    inner = build_repository(tmp_path / "inner", [{"x": "1"}, {"x": "2"}])
    for name in ("moved", "edited", "emptied", "removed"):
        repo.submodule_add(inner, name)
    repo.commit("Submodules")
    GitRepo(repo.path / "moved").checkout("HEAD~1", "--detach")
    repo.write("edited/x", "changed")
    repo.write("edited/new", "new")
    repo.delete("emptied")
    (repo.path / "emptied").mkdir()
    repo.delete("removed")
    build_repository(repo.path / "nested", [{"n": "1"}])
    tree = dirty(repo, backend)
    entry = tree.entry(b"moved")
    assert entry is not None
    assert (entry.kind, entry.blob_id) == ("submodule", inner.revision("HEAD~1"))
    assert dict(tree.uncommitted()) == {b"moved": entry, b"removed": None}
    with pytest.raises(RepositoryReadError):
        tree.read(entry.blob_id)


@pytest.mark.parametrize("autocrlf", ["false", "true", "input"])
def test_line_ends_as_git_would_store_them(tmp_path: Path, autocrlf: str) -> None:
    """For every mix of attributes, contents and earlier contents the bytes are those that `git add` stores."""
    attributes = [
        "",
        "text",
        "-text",
        "text=auto",
        "eol=lf",
        "eol=crlf",
        "text=auto eol=crlf",
        "crlf",
        "-crlf",
        "crlf=input",
        "crlf=auto",
        "binary eol=lf",
    ]
    contents = [
        b"a\r\nb\n", b"a\r\nb\r\n", b"a\rb\r\n", b"a\0\r\n", b"a\r\n" + b"\x01" * 3, b"$Id: x$\r\n$Id$ $Id:\n$", b"\x01" + b"x" * 200 + b"\r\n\x1a",
        b"a\r\r\n", b"\r\n",
    ]  # fmt: skip
    earlier: list[bytes | None] = [None, b"was\r\n", b"was\n"]
    repo = GitRepo.create(tmp_path / "repo")
    repo.git("config", "core.safecrlf", "false")
    cases = list(enumerate(product(["", " ident"], attributes, contents, earlier)))
    for number, (_, _, _, before) in cases:
        if before is not None:
            repo.write(f"{number}.txt", before)
    repo.commit("Before")
    repo.git("config", "core.autocrlf", autocrlf)
    repo.write(".gitattributes", "".join(f"{number}.txt {attribute}{ident}\n" for number, (ident, attribute, _, _) in cases))
    for number, (_, _, content, _) in cases:
        repo.write(f"{number}.txt", content)
    tree = dirty(repo)
    assert said(tree) == as_git_would_store(repo)
    opened = open_repository(repo.path)
    assert all(opened.hash_blob(tree.read(entry.blob_id)) == entry.blob_id for entry in tree.entries().values())


@both
def test_converted_line_ends_are_not_a_change(tmp_path: Path, backend: Backend) -> None:
    """A work tree checked out with CRLF is clean, and an edit there changes only what was edited."""
    repo = build_repository(tmp_path / "repo", [{".gitattributes": "*.txt text eol=crlf\n", "a.txt": "one\ntwo\n", "b.txt": "x\n"}])
    repo.delete("a.txt")
    repo.git("checkout", "--", "a.txt")
    assert repo.file("a.txt").read_bytes() == b"one\r\ntwo\r\n"
    os.utime(repo.file("a.txt"), (1, 1))
    assert dirty(repo, backend).uncommitted() == {}
    repo.write("a.txt", b"one\r\nthree\r\n")
    tree = dirty(repo, backend)
    entry = tree.entry(b"a.txt")
    assert entry is not None
    assert (list(tree.uncommitted()), tree.read(entry.blob_id)) == ([b"a.txt"], b"one\nthree\n")


@both
def test_filters_are_told_not_run(tmp_path: Path, backend: Backend) -> None:
    """A file under a filter command is unchanged while git's times say so; touched, its own bytes count, and that is told."""
    repo = build_repository(tmp_path / "repo", [{".gitattributes": "*.bin filter=store\n*.utf text working-tree-encoding=UTF-16\n"}])
    repo.git("config", "filter.store.clean", "echo pointer")
    repo.git("config", "filter.store.required", "true")
    repo.write("a.bin", "large")
    just_before = time.time_ns() - 20_000_000
    os.utime(repo.file("a.bin"), ns=(just_before, just_before))
    repo.commit("Stored as a pointer")
    assert repo.git("show", "HEAD:a.bin") == "pointer"
    assert dirty(repo, backend).uncommitted() == {}
    repo.write("a.bin", "edited")
    repo.write("b.utf", "é\n".encode("utf-16"))
    tree = dirty(repo, backend)
    entry = tree.entry(b"a.bin")
    assert entry is not None
    assert tree.read(entry.blob_id) == b"edited"
    assert {path: remark.split(",")[0] for path, remark in tree.remarks().items()} == {
        b"a.bin": "the filter `store` was not run",
        b"b.utf": "its encoding UTF-16 was not converted",
    }


@both
def test_what_is_no_file_counts_as_absent(repo: GitRepo, backend: Backend) -> None:
    """A pipe in place of a file is no file, and nobody waits for it."""
    repo.delete("a.py")
    os.mkfifo(repo.file("a.py"))
    os.mkfifo(repo.file("untracked"))
    assert dict(dirty(repo, backend).uncommitted()) == {b"a.py": None}


def test_git_that_never_ends_is_stopped(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git itself waits for ever, on a pipe named `.gitignore`, that is an error after a while."""
    monkeypatch.setattr(git_command, "SECONDS_ALLOWED", 0.2)
    os.mkfifo(repo.file(".gitignore"))
    with pytest.raises(RepositoryReadError, match="took longer"):
        dirty(repo)


@both
def test_large_file_is_there_but_not_read(repo: GitRepo, backend: Backend) -> None:
    """A file beyond the limit has an entry with its size that changes when it does; reading it says why it was not."""
    repo.write("large.py", b"x" * 50_000)
    os.utime(repo.file("large.py"), (1, 1))
    opened = open_repository(repo.path, backend=backend, size_limit=10_000)
    tree = opened.tree("HEAD+dirty")
    entry = tree.entry(b"large.py")
    assert entry is not None
    assert (entry.size, tree.size(entry.blob_id), tree.remarks().keys()) == (50_000, 50_000, {b"large.py"})
    with pytest.raises(RepositoryReadError, match="10000 bytes"):
        tree.read(entry.blob_id)
    assert list(tree.read_many([entry.blob_id])) == [(entry.blob_id, None)]
    assert entry.blob_id != opened.hash_blob(b"x" * 50_000)
    assert opened.tree("HEAD+dirty").snapshot == tree.snapshot
    os.utime(repo.file("large.py"), (2, 2))
    assert opened.tree("HEAD+dirty").snapshot != tree.snapshot


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_told(repo: GitRepo) -> None:
    """A file without permission has an entry, and reading it says why it was not."""
    repo.write("a.py", "changed").chmod(0)
    tree = dirty(repo)
    entry = tree.entry(b"a.py")
    assert entry is not None
    with pytest.raises(RepositoryReadError, match="cannot be read"):
        tree.read(entry.blob_id)


def test_content_is_that_of_the_moment(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept stays; what has to be read again and has changed since is an error, never other bytes under the old id."""
    monkeypatch.setattr(overlay, "_CONTENT_KEPT", 4)
    repo.write("a.py", "kept")
    repo.write("b.py", "too long to keep")
    repo.write("d/c.py", "too long as well")
    tree = dirty(repo)
    first, second, third = (tree.entries()[path].blob_id for path in (b"a.py", b"b.py", b"d/c.py"))
    repo.write("a.py", "gone")
    repo.write("d/c.py", "changed")
    assert (tree.read(first), tree.read(second)) == (b"kept", b"too long to keep")
    with pytest.raises(RepositoryReadError, match="changed since"):
        tree.read(third)
    assert list(tree.read_many([first, third, repo.revision("HEAD:a.py"), second])) == [
        (first, b"kept"),
        (third, None),
        (repo.revision("HEAD:a.py"), b"1"),
        (second, b"too long to keep"),
    ]


def test_head_that_moves_meanwhile(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit between the look at HEAD and the look at the files is noticed: both are of one moment."""
    read_status = overlay.WorkTree._read_status
    repo.write("a.py", "2")
    moves = iter([lambda: repo.commit("Meanwhile"), lambda: None])

    def read_after_a_commit(self: overlay.WorkTree, settings: object) -> object:
        next(moves)()
        return read_status(self, settings)  # type: ignore[arg-type]

    monkeypatch.setattr(overlay.WorkTree, "_read_status", read_after_a_commit)
    tree = dirty(repo)
    assert (tree.snapshot.revision, tree.snapshot.is_dirty) == (repo.head(), False)
    assert next(moves, None) is None


def test_variables_of_hooks_do_not_mislead(repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git sets while it runs a hook of another repository changes nothing."""
    other = build_repository(tmp_path / "other", [{"z": "1"}])
    repo.write("a.py", "2")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git/index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git/objects"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare=true'")
    assert list(dirty(repo, "git").uncommitted()) == [b"a.py"]
    assert list(dirty(repo).uncommitted()) == [b"a.py"]


def test_the_index_is_left_alone(repo: GitRepo) -> None:
    """Looking writes nothing, even where git would like to note new file times."""
    os.utime(repo.file("a.py"), (1, 1))
    before = {path: path.stat().st_mtime_ns for path in (repo.path / ".git").rglob("*")}
    dirty(repo)
    dirty(repo, "git")
    assert {path: path.stat().st_mtime_ns for path in (repo.path / ".git").rglob("*")} == before


def test_worktree_that_is_gone(repo: GitRepo, tmp_path: Path) -> None:
    """Where the directory was deleted under an open repository, that is said."""
    linked = repo.worktree_add(tmp_path / "linked", "--detach")
    opened = open_repository(linked.path)
    linked.path.rename(tmp_path / "away")
    with pytest.raises(RepositoryReadError, match="linked"):
        opened.tree("HEAD+dirty")
