"""What the rest of the product may ask of a git repository. Both backends give the same answers (a test compares them)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from knowledge.records.trees import Commit, EntryChange, FileEntry, Head, Snapshot, Worktree


class Tree(Protocol):
    """One tree's content: a revision's, or the working tree's uncommitted state laid over HEAD's."""

    @property
    def snapshot(self) -> Snapshot: ...

    def entries(self) -> Mapping[bytes, FileEntry]:
        """Every file, symlink and submodule, sorted by path. Computed once, then kept.

        Raises RepositoryReadError where a part of the tree is missing, or where it names millions of files (trees can be built to do so).
        """
        ...

    def entry(self, path: bytes) -> FileEntry | None: ...

    def read(self, blob_id: str) -> bytes:
        """The bytes of a blob of this tree. Raises RepositoryReadError where they cannot be had: missing, too large, changed since."""
        ...

    def read_many(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Many blobs, in the order asked; None for one that cannot be had: missing (a partial clone), too large. `size` tells these apart."""
        ...

    def size(self, blob_id: str) -> int | None:
        """Bytes of a blob of this tree without reading it; None where it is missing."""
        ...

    def remarks(self) -> Mapping[bytes, str]:
        """Paths whose content cannot be taken at face value, and why: a file that was not read, a filter that was not run."""
        ...

    def uncommitted(self) -> Mapping[bytes, FileEntry | None]:
        """What is laid over the stored tree `snapshot.tree_id`, sorted by path; None for what is not there. Empty for a stored tree."""
        ...


class Repository(Protocol):
    """One git repository, opened from one of its worktrees (or bare)."""

    @property
    def backend(self) -> str:
        """ "pygit2" or "git": recorded with evidence."""
        ...

    @property
    def object_format(self) -> str: ...

    @property
    def common_dir(self) -> Path:
        """The git common directory: the project's identity, shared by linked worktrees."""
        ...

    @property
    def git_dir(self) -> Path: ...

    @property
    def workdir(self) -> Path | None:
        """None: a bare repository."""
        ...

    @property
    def worktree_name(self) -> str:
        """ "" for the main worktree, else the name under `worktrees/`."""
        ...

    @property
    def is_shallow(self) -> bool: ...

    def head(self) -> Head: ...

    def worktrees(self) -> list[Worktree]:
        """All worktrees of the project, the main one first; a bare repository has none but linked ones."""
        ...

    def resolve(self, name: str) -> str:
        """The commit id of a revision expression. Raises UnknownRevisionError with suggestions (near branch and tag names)."""
        ...

    def commit(self, revision: str) -> Commit:
        """The commit of a revision expression. At the edge of a shallow clone it has no parents.

        Raises UnknownRevisionError, and RepositoryReadError where git knows it but cannot read it.
        """
        ...

    def has_object(self, object_id: str) -> bool:
        """Whether an object of this full id is here, without fetching it."""
        ...

    def tree(self, name: str | None = None) -> Tree:
        """The tree of a revision expression, of a tree id, of HEAD (None), or of the working tree ("HEAD+dirty").

        An unborn HEAD has the empty tree. With "HEAD+dirty" and nothing changed the snapshot equals HEAD's and is not dirty.
        """
        ...

    def diff(self, old: Tree, new: Tree) -> list[EntryChange]:
        """Paths whose entries differ, sorted by path; no rename detection."""
        ...

    def walk(self, start: str, *, first_parent: bool = False, limit: int = 0) -> Iterator[Commit]:
        """Commits from `start` backwards, newest first by committer's time, none before the one through which it was reached.

        Stops cleanly at a shallow boundary. limit 0: all.
        """
        ...

    def changed_paths(self, commit: Commit) -> list[bytes]:
        """The paths whose entries differ between a commit and its first parent (the first commit: from nothing), sorted.

        Raises RepositoryReadError where a tree is missing.
        """
        ...

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether one commit is reached from another; each is from itself."""
        ...

    def merge_base(self, one: str, other: str) -> str | None:
        """A best common ancestor; None where the histories have nothing in common. Of several equally good ones any may come."""
        ...

    def count_between(self, old: str, new: str) -> int:
        """How many commits are reached from `new` and not from `old`, in a shallow clone as far as it goes."""
        ...

    def refs(self) -> dict[str, str]:
        """Full ref name → commit id (tags peeled), sorted; refs to anything else are left out. Bytes that are not UTF-8 show as \\xNN."""
        ...

    def user_name(self) -> str:
        """git's `user.name` here, "" where it is not set."""
        ...

    def hash_blob(self, content: bytes) -> str:
        """git's object id for these bytes, in this repository's object format."""
        ...
