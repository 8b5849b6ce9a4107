"""The audit store: what was decided at every moment that an agent's program told of, and what each session has seen.

A file of its own beside the ledger. It holds no claims: deleting it loses counts and makes sessions be told things again. Standard library only, for
hooks wait for it. Rows are written in transactions of their own, so that many agents at once lose nothing.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from knowledge.errors import StoreError
from knowledge.storage.failures import store_errors

_WAY_OUT = "It holds no claims: move it aside, and a new one is begun."
_WAIT_SECONDS = 2.0
_TABLES = """
    CREATE TABLE IF NOT EXISTS session_state (host TEXT, session TEXT, state TEXT NOT NULL, PRIMARY KEY (host, session)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS off_record (id TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS decision (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, host TEXT NOT NULL, version TEXT NOT NULL, session TEXT NOT NULL, moment TEXT NOT NULL,
        tool TEXT NOT NULL, adviser TEXT NOT NULL, outcome TEXT NOT NULL, cause TEXT NOT NULL, claims TEXT NOT NULL, tokens INTEGER NOT NULL,
        milliseconds REAL NOT NULL);
    CREATE INDEX IF NOT EXISTS decision_at ON decision (at);
"""


@dataclass(frozen=True, slots=True)
class Decision:
    """What one adviser decided at one moment. outcome: match, miss, failed, off-record, switched-off. cause: of a failure, in words.

    claims: ids of what was given. tokens: about how many were given. milliseconds: how long it took.
    """

    at: str
    host: str
    version: str
    session: str
    moment: str
    tool: str
    adviser: str
    outcome: str
    cause: str = ""
    claims: tuple[str, ...] = ()
    tokens: int = 0
    milliseconds: float = 0.0


_COLUMNS = tuple(field.name for field in fields(Decision))


class AuditStore:
    """One connection. Raises the product's errors for failures of SQLite."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection

    def state(self, host: str, session: str) -> dict[str, Any]:
        """What a session has seen; {} for one that is new."""
        with self._errors():
            row = self._connection.execute("SELECT state FROM session_state WHERE host = ? AND session = ?", (host, session)).fetchone()
        found = json.loads(row[0]) if row is not None else {}
        return found if isinstance(found, dict) else {}

    def close_moment(self, host: str, session: str, state: dict[str, Any], decisions: Sequence[Decision]) -> None:
        """Keep what the session has seen now, and what was decided, in one transaction."""
        rows = [[" ".join(d.claims) if name == "claims" else getattr(d, name) for name in _COLUMNS] for d in decisions]
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("INSERT OR REPLACE INTO session_state VALUES (?, ?, ?)", (host, session, json.dumps(state, ensure_ascii=False)))
            self._connection.executemany(f"INSERT INTO decision ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})", rows)

    def decisions(self, after: str = "") -> list[Decision]:
        """All decisions since a time (ISO 8601), oldest first."""
        with self._errors():
            rows = self._connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM decision WHERE at >= ? ORDER BY id", (after,)).fetchall()
        return [_decision(row) for row in rows]

    def take_off_record(self, ids: Sequence[str], at: str) -> None:
        """Mark a session and its sub-agents; all that was kept of it but this goes."""
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR IGNORE INTO off_record VALUES (?, ?)", [(one, at) for one in ids if one])
            self._connection.executemany("DELETE FROM session_state WHERE session = ?", [(one,) for one in ids if one])
            self._connection.executemany("DELETE FROM decision WHERE session = ?", [(one,) for one in ids if one])

    def put_on_record(self, ids: Sequence[str]) -> None:
        """Take the mark off again."""
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("DELETE FROM off_record WHERE id = ?", [(one,) for one in ids])

    def is_off_record(self, ids: Sequence[str]) -> bool:
        """Whether one of these sessions or sub-agents is marked."""
        with self._errors():
            marks = ", ".join("?" * len(ids))
            return bool(ids) and self._connection.execute(f"SELECT 1 FROM off_record WHERE id IN ({marks})", tuple(ids)).fetchone() is not None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with store_errors(self.path, _WAY_OUT):
            yield


def _decision(row: tuple[Any, ...]) -> Decision:
    return Decision(**dict(zip(_COLUMNS, row, strict=True)) | {"claims": tuple(row[_COLUMNS.index("claims")].split())})


@contextmanager
def open_audit(path: Path) -> Iterator[AuditStore]:
    """The store at `path`, made where it is not there. Raises StoreError, also where a test would write to one outside of its own folders."""
    if "PYTEST_CURRENT_TEST" in os.environ and not path.resolve().is_relative_to(Path(tempfile.gettempdir()).resolve()):
        raise StoreError(f"{path} is not a test's own: a test never writes to the audit of real work")
    with store_errors(path, _WAY_OUT):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if not connection.execute("PRAGMA user_version").fetchone()[0]:
                connection.executescript(_TABLES + "PRAGMA user_version = 1;")
            yield AuditStore(path, connection)
        finally:
            connection.close()
