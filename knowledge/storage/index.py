"""The index: a cache in one SQLite file. Delete it and it is computed anew; damaged or of another version, it is set aside and begun again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy.exc import DatabaseError

from knowledge.config import LIMITS
from knowledge.errors import StoreCorruptError, StoreError
from knowledge.storage.database import Database, memory_database, open_database, peek_version
from knowledge.storage.files import INDEX, beside, damage_mark, is_writable
from knowledge.storage.index_facts import FactRows
from knowledge.storage.index_recall import RecallRows
from knowledge.storage.index_resolutions import ResolutionRows
from knowledge.storage.index_state import StateRows
from knowledge.storage.index_texts import TextRows
from knowledge.storage.index_trees import TreeStore
from knowledge.storage.kept import Kept
from knowledge.storage.lock import file_lock

REBUILT = "index-rebuilt"
"""The counter of indexes that were damaged or of another version."""


class IndexStore(FactRows, ResolutionRows, TreeStore, StateRows, RecallRows, TextRows):
    """An open index. It belongs to one thread.

    was_rebuilt: what was there could not be used and was set aside; everything has to be computed anew.
    is_temporary: the folder cannot be written, so this is a copy in memory that is gone when it is closed.
    """

    def __init__(self, path: Path, db: Database, versions: Mapping[str, tuple[str, str]], *, was_rebuilt: bool = False) -> None:
        self.path = path
        self.db = db
        self.versions = versions
        self.was_rebuilt = was_rebuilt
        self._remembered = {}
        self._kept = Kept()
        self._undone = 0
        self._read_at = 0

    @property
    def kept(self) -> Kept:
        """What is kept of its rows in memory."""
        if self._undone != self.db.undone:
            self._undone = self.db.undone
            self._kept.clear()
        return self._kept

    @property
    def is_temporary(self) -> bool:
        return self.db.path != self.path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; nests. See `Database.transaction`."""
        with self.db.transaction():
            yield

    def integrity(self) -> list[str]:
        """What is wrong with the file as SQLite sees it; nothing where it is whole. Reads all of it."""
        return self.db.integrity()

    def rebuild(self) -> None:
        """Set the file aside and begin an empty index in its place: for a damage that showed only in use (StoreCorruptError).

        Not inside a transaction.
        """
        self.db.close()
        if not self.is_temporary:
            with file_lock(_rebuild_lock(self.path), LIMITS.lock_seconds):
                _set_aside(self.path)
        self.db = _open(self.path)
        self._remembered.clear()
        self._kept.clear()
        self.was_rebuilt = True
        self.count(REBUILT)


def open_index(path: Path, versions: Mapping[str, tuple[str, str]] | None = None) -> IndexStore:
    """Open the index at `path`, making it where there is none. `versions`: see `FactRows`.

    Raises StoreLockedError, and StoreError where the disk is full.
    """
    was_rebuilt = False
    if path.exists() and is_writable(path) and _is_unusable(path):
        with file_lock(_rebuild_lock(path), LIMITS.lock_seconds):
            # Another process may have been here first.
            was_rebuilt = _is_unusable(path)
            if was_rebuilt:
                _set_aside(path)
    try:
        db = _open(path)
    except DatabaseError:
        # A script cannot run on what lies there: a file of some version between two releases.
        with file_lock(_rebuild_lock(path), LIMITS.lock_seconds):
            _set_aside(path)
        db, was_rebuilt = _open(path), True
    store = IndexStore(path, db, versions or {}, was_rebuilt=was_rebuilt)
    if was_rebuilt:
        store.count(REBUILT)
    return store


def _open(path: Path) -> Database:
    if is_writable(path):
        return open_database(path, INDEX)
    return memory_database(INDEX, path if _is_readable(path) else None)


def _is_readable(path: Path) -> bool:
    try:
        return not damage_mark(path).exists() and peek_version(path, INDEX) == INDEX.version
    except StoreError:
        return False


def _rebuild_lock(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _is_unusable(path: Path) -> bool:
    if damage_mark(path).exists():
        return True
    try:
        return peek_version(path, INDEX) > INDEX.version
    except StoreCorruptError:
        return True


def _set_aside(path: Path) -> None:
    """Keep the newest unusable file for whoever wants to look at it; earlier ones would only fill the disk."""
    for old in path.parent.glob(f"{path.name}.corrupt-*"):
        old.unlink(missing_ok=True)
    for extra in (*beside(path)[1:], damage_mark(path)):
        extra.unlink(missing_ok=True)
    if path.exists():
        path.rename(path.with_name(f"{path.name}.corrupt-{time.time_ns() // 1_000_000}"))
