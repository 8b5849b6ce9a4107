"""Trees and what differs between them, as git stores them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FileKind = Literal["file", "executable", "symlink", "submodule"]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One entry of a tree. `blob_id` is git's object id of the bytes (for a submodule the commit it points at)."""

    path: bytes
    blob_id: str
    kind: FileKind = "file"
    size: int = -1
    """Bytes; -1 where the backend does not know it without reading."""


@dataclass(frozen=True, slots=True)
class EntryChange:
    """A path whose entry differs between two trees; None = not there. Never a rename: moves are ours to judge, symbol by symbol."""

    path: bytes
    old: FileEntry | None
    new: FileEntry | None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. Times are seconds since the epoch."""

    revision: str
    tree_id: str
    parents: tuple[str, ...]
    author: str
    authored_at: int
    committed_at: int
    message: str

    @property
    def subject(self) -> str:
        return self.message.split("\n", 1)[0]


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD stands. `revision` None: unborn (no commit yet). `branch` None: detached."""

    branch: str | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class Worktree:
    """A worktree of the project. `name` is "" for the main one; `path` may be gone without git having noticed yet."""

    name: str
    path: Path
    head: Head


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The name of one tree's content. `key` is equal exactly when the content is equal.

    key: git's tree id, or "<tree id>+<digest of the overlay>" where uncommitted files are laid over it.
    label: what people read: a short commit id, a branch, `HEAD+dirty`.
    """

    key: str
    tree_id: str
    revision: str | None
    label: str
    is_dirty: bool = False
