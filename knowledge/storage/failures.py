"""What SQLite's failures mean to the person who asked: the one place where database errors become the product's errors.

Standard library only: hot reads use it too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knowledge.config import LIMITS
from knowledge.errors import (
    InvalidRecordError,
    KnowledgeError,
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreTooNewError,
)

_PRIMARY_CODE = 0xFF


def store_error(error: BaseException, path: Path, way_out: str) -> KnowledgeError | None:
    """The product's error for a failure of SQLite on the database at `path`; None where it is no such failure (a mistake of ours)."""
    if isinstance(error, UnicodeEncodeError):
        return InvalidRecordError(f"The text {error.object[:40]!r} is not valid Unicode and cannot be stored; expected text without lone surrogates.")
    if not isinstance(error, sqlite3.Error):
        return None
    code = getattr(error, "sqlite_errorcode", -1) & _PRIMARY_CODE
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLockedError(f"{path} is in use by another process; waited {LIMITS.lock_seconds:g} s. Try again when it is done.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StoreReadOnlyError(f"{path} cannot be written ({error}). Check the permissions of the file and of its folder.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return corrupt(path, str(error), way_out)
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"The disk that holds {path} is full. What was stored before is safe; free some space and try again.")
    if code == sqlite3.SQLITE_CONSTRAINT:
        return InvalidRecordError(f"{path.name} refused a row: {error}.")
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL):
        return StoreError(f"{path} cannot be read or written: {error}. What was stored before is safe; check the disk and try again.")
    return None


def corrupt(path: Path, what: str, way_out: str) -> StoreCorruptError:
    """The error for a database that is damaged."""
    return StoreCorruptError(f"{path} is damaged ({what}). {way_out}")


def too_new(path: Path, version: str, known: str) -> StoreTooNewError:
    """The error for a database that a newer version of the program wrote."""
    return StoreTooNewError(f"{path} was written by a newer version of this program (schema {version}; this one knows {known}). Upgrade the program.")


@contextmanager
def store_errors(path: Path, way_out: str) -> Iterator[None]:
    """Raise the product's error for every failure of sqlite3 inside."""
    try:
        yield
    except sqlite3.Error as error:
        told = store_error(error, path, way_out)
        if told is None:
            raise
        raise told from error
