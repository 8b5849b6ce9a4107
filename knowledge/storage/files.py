"""Database files as such: opened for reading whatever the folder allows, their version, whether they are ours.

Standard library only: hot reads use it too.
"""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from knowledge.config import LIMITS
from knowledge.errors import StoreReadOnlyError
from knowledge.storage.failures import corrupt


@dataclass(frozen=True, slots=True)
class Schema:
    """Which database it is, and the newest schema that this program knows. Versions are Alembic's revision ids and sort as text."""

    name: str
    version: str
    application_id: int
    """Written into the file's header, so that no other program's database is taken for ours."""
    synchronous: str
    is_cache: bool
    way_out: str
    """What a person can do about a damaged file."""


LEDGER = Schema(
    "ledger",
    "0004",
    0x6B6E6C67,
    "FULL",
    is_cache=False,
    way_out="Nothing was overwritten. Restore it from a backup, or move it aside, run `knowledge init` and `knowledge import` an export.",
)
INDEX = Schema("index", "0007", 0x6B6E6978, "NORMAL", is_cache=True, way_out="It is only a cache and will be rebuilt; run the command again.")


def is_writable(path: Path) -> bool:
    """Whether SQLite could write this database: the folder (for its journal) and the file, where they are there."""
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return _may(folder, os.W_OK | os.X_OK) and (not path.exists() or _may(path, os.W_OK))


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. In a folder that cannot be written the file is read as it lies there.

    Raises sqlite3.Error, and StoreReadOnlyError where recent writes can only be seen by a process that may write.
    """
    if is_writable(path):
        return _connect(path, "mode=ro")
    journal = Path(f"{path}-wal")
    if not journal.exists() or journal.stat().st_size == 0:
        return _connect(path, "mode=ro&immutable=1")
    if Path(f"{path}-shm").exists():
        return _connect(path, "mode=ro")
    raise StoreReadOnlyError(f"{path} has writes in its journal that can only be read where the folder can be written; expected a writable folder.")


def _connect(path: Path, options: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(os.fsencode(path))}?{options}", uri=True, isolation_level=None, timeout=LIMITS.lock_seconds)


def read_version(connection: sqlite3.Connection, path: Path, schema: Schema) -> str:
    """The schema version of an open database; "" for an empty file. Raises StoreCorruptError where it is something else, and sqlite3.Error."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return ""
    is_ours = connection.execute("PRAGMA application_id").fetchone()[0] == schema.application_id
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone() if is_ours and "alembic_version" in tables else None
    if row is None:
        raise corrupt(path, f"not a database of this program's {schema.name}", schema.way_out)
    return str(row[0])


def damage_mark(path: Path) -> Path:
    """A file beside a cache that says that it turned out to be damaged: whoever opens it next begins it anew."""
    return Path(f"{path}.damaged")


def beside(path: Path) -> tuple[Path, ...]:
    """The database file and what SQLite keeps next to it."""
    return (path, Path(f"{path}-wal"), Path(f"{path}-shm"), Path(f"{path}-journal"))
