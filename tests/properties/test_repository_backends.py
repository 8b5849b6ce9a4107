"""Over random histories and random uncommitted work both backends say the same, and what they say is what git says."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from git_fixtures import START, GitRepo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.records.trees import FileEntry
from knowledge.repository.interface import Repository, Tree
from knowledge.repository.opening import open_repository

# Some names are files in one commit and directories in the next, some differ only in case or Unicode form, one is no UTF-8.
NAMES = [b"a", b"A", b"a.b", b"b", b"caf\xc3\xa9", b"cafe\xcc\x81", b"\xff\n"]
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(b"/".join)
contents = st.sampled_from([b"", b"1\n", b"2\n", b"3\r\n", b"\0\xff"])
kinds = st.sampled_from([b"100644", b"100644", b"100755", b"120000"])
# A symlink's text has no NUL.
changes_of_one = st.tuples(kinds, contents.filter(bool)).map(
    lambda change: (change[0], change[1].replace(b"\0", b"")) if change[0] == b"120000" else change
)
edits = st.lists(st.tuples(paths, st.none() | changes_of_one), max_size=5)


@dataclass(frozen=True)
class Step:
    """One commit: on which of three branches, its edits (None deletes), the branch it merges if any, minutes since the one before."""

    branch: int
    edits: list[tuple[bytes, tuple[bytes, bytes] | None]]
    merged: int | None
    minutes: int


steps = st.lists(
    st.builds(Step, branch=st.integers(0, 2), edits=edits, merged=st.none() | st.integers(0, 2), minutes=st.integers(-3, 3)), min_size=1, max_size=6
)


def build(directory: Path, history: list[Step]) -> GitRepo:
    """The history as one stream for `git fast-import`, which knows no file system and so takes every path."""
    repo = GitRepo.create(directory)
    stream = b""
    heads: dict[int, int] = {}
    now = START
    for number, step in enumerate(history, start=1):
        now += 60 * step.minutes
        stream += b"commit refs/heads/b%d\nmark :%d\nauthor A <a@x> %d +0000\ncommitter C <c@x> %d +0000\n" % (step.branch, number, now - 5, now)
        stream += b"data 7\nCommit\n\n"
        parent = heads.get(step.branch, heads.get(0))
        if parent is not None:
            stream += b"from :%d\n" % parent
            if step.merged is not None and heads.get(step.merged, parent) != parent:
                stream += b"merge :%d\n" % heads[step.merged]
        for path, change in step.edits:
            name = b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
            stream += b"D %s\n" % name if change is None else b"M %s inline %s\ndata %d\n%s\n" % (change[0], name, len(change[1]), change[1])
        stream += b"\n"
        heads[step.branch] = number
    repo.git("fast-import", "--quiet", "--force", stdin=stream)
    repo.git("symbolic-ref", "HEAD", f"refs/heads/b{history[-1].branch}")
    repo.git("reset", "--quiet", "--hard")
    return repo


def disturb(repo: GitRepo, changes: list[tuple[bytes, tuple[bytes, bytes] | None]], staged: set[int]) -> None:
    """Edit the work tree, staging after some of the edits; edits that the file system does not take are left out."""
    for number, (path, change) in enumerate(changes):
        target = repo.file(path)
        if any(part.is_symlink() or part.is_file() for part in target.parents if part != repo.path and repo.path in part.parents):
            continue
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        elif target.is_symlink() or target.exists():
            target.unlink()
        if change is not None and change[0] == b"120000":
            repo.symlink(path, change[1])
        elif change is not None:
            repo.write(path, change[1]).chmod(0o755 if change[0] == b"100755" else 0o644)
        if number in staged:
            repo.git("add", "--all")


def described(tree: Tree) -> dict[bytes, tuple[str, str]]:
    return {path: (entry.kind, entry.blob_id) for path, entry in tree.entries().items()}


def apply(old: Tree, new: Tree, opened: Repository) -> dict[bytes, FileEntry]:
    """The old tree with the difference to the new one applied."""
    entries = dict(old.entries())
    for change in opened.diff(old, new):
        if change.new is None:
            del entries[change.path]
        else:
            entries[change.path] = change.new
    return entries


def assert_same_history(one: Repository, other: Repository, repo: GitRepo) -> None:
    assert (one.head(), one.refs(), one.worktrees()) == (other.head(), other.refs(), other.worktrees())
    commits = list(one.walk("HEAD"))
    assert commits == list(other.walk("HEAD"))
    assert list(one.walk("HEAD", first_parent=True)) == list(other.walk("HEAD", first_parent=True))
    assert {commit.revision for commit in commits} == set(repo.git("rev-list", "HEAD").split("\n"))
    for revision in {*one.refs().values(), *(commit.revision for commit in commits)}:
        tree = one.tree(revision)
        assert one.resolve(revision[:12]) == other.resolve(revision[:12]) == revision
        assert tree.snapshot == other.tree(revision).snapshot
        assert tree.entries() == other.tree(revision).entries()
        assert list(tree.entries()) == sorted(repo.git_bytes("ls-tree", "-r", "-z", "--name-only", revision).split(b"\0")[:-1])
        for name in one.refs():
            assert one.diff(tree, one.tree(name)) == other.diff(other.tree(revision), other.tree(name))
            assert {path: (entry.kind, entry.blob_id) for path, entry in apply(tree, one.tree(name), one).items()} == described(one.tree(name))
            assert one.is_ancestor(revision, name) == other.is_ancestor(revision, name)
            counted = int(repo.git("rev-list", "--count", f"^{revision}", name))
            assert one.count_between(revision, name) == other.count_between(revision, name) == counted
            bases = repo.git("merge-base", "--all", revision, name) if one.merge_base(revision, name) else ""
            assert {one.merge_base(revision, name) or "", other.merge_base(revision, name) or ""} <= set(bases.split("\n"))


def compare(directory: Path, history: list[Step], changes: list[tuple[bytes, tuple[bytes, bytes] | None]], staged: set[int]) -> None:
    repo = build(directory / "repo", history)
    one, other = open_repository(repo.path), open_repository(repo.path, backend="git")
    assert (one.backend, other.backend) == ("pygit2", "git")
    assert_same_history(one, other, repo)
    clean = one.tree("HEAD+dirty")
    assert clean.snapshot == one.tree().snapshot == other.tree("HEAD+dirty").snapshot
    disturb(repo, changes, staged)
    dirty = one.tree("HEAD+dirty")
    assert dirty.snapshot == other.tree("HEAD+dirty").snapshot
    assert dirty.entries() == other.tree("HEAD+dirty").entries()
    assert apply(one.tree("HEAD"), dirty, one) == dict(dirty.entries())
    repo.git("add", "--all")
    assert described(one.tree(repo.git("write-tree"))) == described(dirty)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(history=steps, changes=edits, staged=st.sets(st.integers(0, 4)))
def test_both_backends_say_what_git_says(history: list[Step], changes: list[tuple[bytes, tuple[bytes, bytes] | None]], staged: set[int]) -> None:
    """Entries, differences, commits, ancestry and uncommitted work are the same through libgit2, through git, and in git's own words."""
    directory = Path(tempfile.mkdtemp())
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
            patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
            compare(directory, history, changes, staged)
    finally:
        shutil.rmtree(directory)


def test_names_in_one_directory_are_bytes(tmp_path: Path) -> None:
    """Names that differ only in case or Unicode form are different files in a tree, wherever they can be checked out."""
    repo = build(tmp_path / "repo", [Step(0, [(name, (b"100644", name)) for name in NAMES], None, 0)])
    assert sorted(open_repository(repo.path).tree().entries()) == sorted(NAMES)
