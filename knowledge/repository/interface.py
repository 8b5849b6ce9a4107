"""What the rest of the product may ask of a git repository. Both backends give the same answers (a test compares them)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from knowledge.records.trees import Commit, EntryChange, FileEntry, Head, Snapshot


class Tree(Protocol):
    """One tree's content: a revision's, or the working tree's uncommitted state laid over HEAD's."""

    @property
    def snapshot(self) -> Snapshot: ...

    def entries(self) -> Mapping[bytes, FileEntry]:
        """Every file, symlink and submodule by path. Computed once, then kept."""
        ...

    def entry(self, path: bytes) -> FileEntry | None: ...

    def read(self, blob_id: str) -> bytes:
        """The bytes of a blob of this tree. Raises RepositoryReadError where they cannot be had."""
        ...

    def read_many(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Many blobs, in the order asked; None for one that cannot be had (a partial clone)."""
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

    def resolve(self, name: str) -> str:
        """The commit id of a revision expression. Raises UnknownRevisionError with suggestions (near branch and tag names)."""
        ...

    def commit(self, revision: str) -> Commit: ...

    def has_object(self, object_id: str) -> bool: ...

    def tree(self, name: str | None = None) -> Tree:
        """The tree of a revision expression, of a tree id, of HEAD (None), or of the working tree ("HEAD+dirty").

        An unborn HEAD has the empty tree. With "HEAD+dirty" and nothing changed the snapshot equals HEAD's and is not dirty.
        """
        ...

    def diff(self, old: Tree, new: Tree) -> list[EntryChange]:
        """Paths whose entries differ, sorted by path; no rename detection."""
        ...

    def walk(self, start: str, *, first_parent: bool = False, limit: int = 0) -> Iterator[Commit]:
        """Commits from `start` backwards, newest first; stops cleanly at a shallow boundary."""
        ...

    def is_ancestor(self, ancestor: str, descendant: str) -> bool: ...

    def merge_base(self, one: str, other: str) -> str | None: ...

    def refs(self) -> dict[str, str]:
        """Full ref name → commit id (tags peeled)."""
        ...

    def hash_blob(self, content: bytes) -> str:
        """git's object id for these bytes, in this repository's object format."""
        ...
