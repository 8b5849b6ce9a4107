"""The audit store: what was decided at every moment that an agent's program told of, and what each session has seen.

A file of its own beside the ledger. It holds no claims: deleting it loses counts and makes sessions be told things again. Standard library only, for
hooks wait for it. Rows are written in transactions of their own, so that many agents at once lose nothing.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from knowledge.config import PROCESS_MARK
from knowledge.errors import StoreError, StoreReadOnlyError
from knowledge.storage.failures import corrupt, store_errors

_WAY_OUT = "It holds no claims: move it aside, and a new one is begun."
_WAIT_SECONDS = 2.0
TESTS_BELOW = "KNOWLEDGE_TESTS_BELOW"
"""The environment variable that names the folder below which a test may keep an audit."""
_TABLES = """
    CREATE TABLE IF NOT EXISTS session_state (host TEXT, session TEXT, state TEXT NOT NULL, PRIMARY KEY (host, session)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS off_record (id TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS decision (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, host TEXT NOT NULL, version TEXT NOT NULL, session TEXT NOT NULL, moment TEXT NOT NULL,
        tool TEXT NOT NULL, adviser TEXT NOT NULL, outcome TEXT NOT NULL, cause TEXT NOT NULL, claims TEXT NOT NULL, tokens INTEGER NOT NULL,
        milliseconds REAL NOT NULL, triggers TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS decision_at ON decision (at);
    CREATE TABLE IF NOT EXISTS call (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, host TEXT NOT NULL, session TEXT NOT NULL, moment TEXT NOT NULL, tool TEXT NOT NULL,
        payload TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS asking (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, session TEXT NOT NULL, query TEXT NOT NULL, claims TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS failure (
        signature TEXT PRIMARY KEY, at TEXT NOT NULL, host TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL, text TEXT NOT NULL,
        times INTEGER NOT NULL) WITHOUT ROWID;
"""
_VERSION = 2


@dataclass(frozen=True, slots=True)
class Decision:
    """What one adviser or gate decided at one moment. outcome: match, miss, failed. cause: of a failure, or of a miss although something hit.

    claims: ids of what was given. tokens: about how many were given. milliseconds: how long it took. triggers: the rows that hit.
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
    triggers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A call, or a prompt, as it is kept: reduced, and masked."""

    at: str
    host: str
    session: str
    moment: str
    tool: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asking:
    """A recall that was asked for by hand. session: "" where none is known. claims: those that answered well, best first."""

    at: str
    session: str
    query: str
    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed call, under what it has in common with others of one cause. text: the telling line, masked. times: how often, this one included."""

    at: str
    host: str
    session: str
    tool: str
    text: str
    times: int = 1


_LISTS = ("claims", "triggers")
_KEPT_CALLS = 20_000
_KEPT_ASKINGS = _KEPT_FAILURES = 2_000
_CLEARED_EVERY = 1_000
MEANWHILE = "given-meanwhile"
"""The cause of a miss: another moment of the session gave the same memory while this one was thinking."""
_COLUMNS = tuple(field.name for field in fields(Decision))


class AuditStore:
    """One connection. Raises the product's errors for failures of SQLite."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def state(self, host: str, session: str) -> dict[str, Any]:
        """What a session has seen; {} for one that is new."""
        with self._errors():
            row = self._connection.execute("SELECT state FROM session_state WHERE host = ? AND session = ?", (host, session)).fetchone()
        found = json.loads(row[0]) if row is not None else {}
        return found if isinstance(found, dict) else {}

    def close_moment(self, host: str, session: str, state: dict[str, Any], decisions: Sequence[Decision], call: Call | None = None) -> frozenset[str]:
        """Keep what the session has seen now, what was decided and the call, in one transaction; memories that another moment gave meanwhile.

        Agents call tools in parallel: of two moments that would give one memory the first to come here gives it.
        """
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            given = [str(one) for one in self.state(host, session).get("given", ())]
            new = {claim for decision in decisions for claim in decision.claims}
            meanwhile = frozenset(new & set(given))
            kept = state | {"given": [*given, *(claim for claim in state.get("given", ()) if claim not in set(given))]}
            self._connection.execute("INSERT OR REPLACE INTO session_state VALUES (?, ?, ?)", (host, session, json.dumps(kept, ensure_ascii=False)))
            self._add([replace(d, outcome="miss", cause=MEANWHILE) if meanwhile & set(d.claims) else d for d in decisions])
            if call is not None:
                self._keep(call)
        return meanwhile

    def add(self, decisions: Sequence[Decision]) -> None:
        """Keep what was decided outside of a session's moments."""
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._add(decisions)

    def _add(self, decisions: Sequence[Decision]) -> None:
        rows = [[" ".join(getattr(d, name)) if name in _LISTS else getattr(d, name) for name in _COLUMNS] for d in decisions]
        self._connection.executemany(f"INSERT INTO decision ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})", rows)

    def _keep(self, call: Call) -> None:
        added = self._connection.execute(
            "INSERT INTO call (at, host, session, moment, tool, payload) VALUES (?, ?, ?, ?, ?, ?)",
            (call.at, call.host, call.session, call.moment, call.tool, json.dumps(call.payload, ensure_ascii=False)),
        )
        number = added.lastrowid or 0
        if not number % _CLEARED_EVERY:
            self._connection.execute("DELETE FROM call WHERE id <= ?", (number - _KEPT_CALLS,))

    def calls(self, after: str = "", most: int = _KEPT_CALLS) -> list[Call]:
        """The calls that were kept since a time (ISO 8601), the last so many, oldest first."""
        with self._errors():
            columns = "at, host, session, moment, tool, payload"
            rows = self._connection.execute(f"SELECT {columns} FROM call WHERE at >= ? ORDER BY id DESC LIMIT ?", (after, most)).fetchall()
        return [Call(at, host, of, moment, tool, json.loads(payload)) for at, host, of, moment, tool, payload in reversed(rows)]

    def calls_of(self, sessions: Sequence[str], after: str, most: int) -> list[Call]:
        """The last calls of these sessions since a time (ISO 8601), of all sessions where none is named; oldest first."""
        of = f"AND session IN ({', '.join('?' * len(sessions))})" if sessions else ""
        with self._errors():
            columns = "at, host, session, moment, tool, payload"
            query = f"SELECT {columns} FROM call WHERE at >= ? {of} ORDER BY id DESC LIMIT ?"
            rows = self._connection.execute(query, (after, *sessions, most)).fetchall()
        return [Call(at, host, session, moment, tool, json.loads(payload)) for at, host, session, moment, tool, payload in reversed(rows)]

    def given_to(self, sessions: Sequence[str]) -> frozenset[str]:
        """The memories that these sessions were given by themselves."""
        marks = ", ".join("?" * len(sessions))
        with self._errors():
            rows = self._connection.execute(f"SELECT state FROM session_state WHERE session IN ({marks})", tuple(sessions)).fetchall()
        return frozenset(str(one) for (state,) in rows for one in json.loads(state).get("given", ()))

    def keep_asking(self, asking: Asking, decisions: Sequence[Decision] = ()) -> None:
        """Keep a recall that was asked for by hand, and what was decided about it."""
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            values = (asking.at, asking.session, asking.query, " ".join(asking.claims))
            number = self._connection.execute("INSERT INTO asking (at, session, query, claims) VALUES (?, ?, ?, ?)", values).lastrowid or 0
            self._connection.execute("DELETE FROM asking WHERE id <= ?", (number - _KEPT_ASKINGS,))
            self._add(decisions)

    def askings(self, after: str = "") -> list[Asking]:
        """The recalls that were asked for by hand since a time (ISO 8601), oldest first."""
        with self._errors():
            rows = self._connection.execute("SELECT at, session, query, claims FROM asking WHERE at >= ? ORDER BY id", (after,)).fetchall()
        return [Asking(at, session, query, tuple(claims.split())) for at, session, query, claims in rows]

    def keep_failure(self, signature: str, failure: Failure) -> Failure | None:
        """Keep a failure under its signature; the one before, with how often it had happened, None where it is the first."""
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            row = self._connection.execute("SELECT at, host, session, tool, text, times FROM failure WHERE signature = ?", (signature,)).fetchone()
            times = row[5] + 1 if row is not None else 1
            values = (signature, failure.at, failure.host, failure.session, failure.tool, failure.text, times)
            self._connection.execute("INSERT OR REPLACE INTO failure VALUES (?, ?, ?, ?, ?, ?, ?)", values)
            oldest = "SELECT signature FROM failure ORDER BY at DESC LIMIT -1 OFFSET ?"
            self._connection.execute(f"DELETE FROM failure WHERE signature IN ({oldest})", (_KEPT_FAILURES,))
        return Failure(*row) if row is not None else None

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
            for table in ("session_state", "decision", "call", "asking", "failure"):
                self._connection.executemany(f"DELETE FROM {table} WHERE session = ?", [(one,) for one in ids if one])

    def put_on_record(self, ids: Sequence[str]) -> None:
        """Take the mark off again, and off the programs that were marked with a session."""
        programs = "id GLOB ? AND at IN (SELECT at FROM off_record WHERE id = ?)"
        with self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(f"DELETE FROM off_record WHERE {programs}", [(f"{PROCESS_MARK}*", one) for one in ids])
            self._connection.executemany("DELETE FROM off_record WHERE id = ?", [(one,) for one in ids])

    def is_off_record(self, ids: Sequence[str]) -> bool:
        """Whether one of these sessions or sub-agents is marked."""
        with self._errors():
            marks = ", ".join("?" * len(ids))
            return bool(ids) and self._connection.execute(f"SELECT 1 FROM off_record WHERE id IN ({marks})", tuple(ids)).fetchone() is not None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with store_errors(self.path, _WAY_OUT):
            try:
                yield
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                    raise
                # The statements are ours and right: it is the file that has other tables than it says.
                raise corrupt(self.path, str(error), _WAY_OUT) from error


def _decision(row: tuple[Any, ...]) -> Decision:
    told = dict(zip(_COLUMNS, row, strict=True))
    return Decision(**told | {name: tuple(told[name].split()) for name in _LISTS})


def connect_audit(path: Path) -> AuditStore:
    """The store at `path`, made where it is not there; whoever asks closes it. To close the last connection costs more than all of a moment.

    Raises StoreError, also where a test would write to one outside of its own folders.
    """
    _refuse_of_tests(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreReadOnlyError(f"{path.parent} cannot be made ({error.strerror}). Check the permissions of its folder.") from error
    with store_errors(path, _WAY_OUT), ExitStack() as on_failure:
        connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
        on_failure.callback(connection.close)
        _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        # Tables have only ever been added: an older file is brought up to date by making those that it lacks.
        if connection.execute("PRAGMA user_version").fetchone()[0] < _VERSION:
            connection.executescript(f"{_TABLES} PRAGMA user_version = {_VERSION};")
        on_failure.pop_all()
        return AuditStore(path, connection)


@contextmanager
def open_audit(path: Path) -> Iterator[AuditStore]:
    """The store at `path` for as long as is needed. Raises what `connect_audit` raises."""
    store = connect_audit(path)
    try:
        yield store
    finally:
        store.close()


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switching is refused at once while another process looks at the file, so the waiting is ours."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal" or time.monotonic() >= deadline:
                return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
        time.sleep(0.01)


def _refuse_of_tests(path: Path) -> None:
    """A test, ours or of somebody whose tests run this program, writes below the folder that it names and nowhere else."""
    if "PYTEST_CURRENT_TEST" not in os.environ:
        return
    below = os.environ.get(TESTS_BELOW, "")
    if not below or not path.resolve().is_relative_to(Path(below).resolve()):
        raise StoreError(f"{path} is not a test's own: a test never writes to the audit of real work")
