"""Hot reads: what `knowledge status` shows, over views that the migrations declare, with the standard library alone.

Neither SQLAlchemy nor Alembic is imported (they cost ten times what the answer does). Nothing is written, nothing is computed anew.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from knowledge.config import INDEX_FILE, LEDGER_FILE
from knowledge.errors import NotInitializedError, StoreError
from knowledge.storage.failures import store_errors, too_new
from knowledge.storage.files import INDEX, LEDGER, Schema, beside, connect_for_reading, read_version

_NAMES = ("files", "resolved", "is_resolved")
UNCOMPUTED = "uncomputed"
"""Stands for the status of claims that no run has looked at in this worktree."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The store at a glance, as last computed for one worktree.

    claims: (kind, status) → how many. tree_key, revision, branch: what the statuses were computed for; "" and None where they never were.
    event_lag: events that the statuses have not seen; negative where the ledger is older than the index. counters: failures inside.
    names: what the index says of the tree's names (`files`, `resolved`, `is_resolved`); {} where it does not have the tree.
    Sizes in bytes. Schemas: "" where there is no file. index_problem: why the index cannot be read ("" where it can); it will be rebuilt.
    """

    claims: dict[tuple[str, str], int]
    tree_key: str
    revision: str | None
    branch: str | None
    last_sequence: int
    event_lag: int
    counters: dict[str, int]
    ledger_size: int
    index_size: int
    ledger_schema: str
    index_schema: str
    index_problem: str = ""
    names: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _IndexState:
    """What could be read of the index."""

    schema: str = ""
    state: tuple[str, str | None, str | None, int] = ("", None, None, 0)
    statuses: dict[str, str] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    problem: str = ""


def summary(common_dir: Path, worktree: str) -> Summary:
    """What the store knows of one worktree ("" is the main one).

    Raises NotInitializedError, StoreTooNewError, StoreCorruptError (of the ledger), StoreLockedError, StoreReadOnlyError.
    """
    ledger_path, index_path = common_dir / LEDGER_FILE, common_dir / INDEX_FILE
    if not ledger_path.exists():
        raise NotInitializedError(f"no claims are kept for {common_dir} yet. Run `knowledge init` first.")
    index = _read_index(index_path, worktree)
    with store_errors(ledger_path, LEDGER.way_out), contextlib.closing(connect_for_reading(ledger_path)) as connection:
        version = _version(connection, ledger_path, LEDGER)
        connection.execute("BEGIN")
        claims: Counter[tuple[str, str]] = Counter()
        last = 0
        if version:
            for claim_id, kind in connection.execute("SELECT claim_id, kind FROM hot_claim"):
                claims[kind, index.statuses.get(claim_id, UNCOMPUTED)] += 1
            last = connection.execute("SELECT last_sequence FROM hot_position").fetchone()[0]
    tree_key, revision, branch, seen = index.state
    sizes = _size(ledger_path), _size(index_path)
    return Summary(
        dict(sorted(claims.items())),
        tree_key,
        revision,
        branch,
        last,
        last - seen,
        index.counters,
        *sizes,
        version,
        index.schema,
        index.problem,
        index.names,
    )


def _read_index(path: Path, worktree: str) -> _IndexState:
    found = _IndexState()
    if not path.exists():
        return found
    try:
        with store_errors(path, INDEX.way_out), contextlib.closing(connect_for_reading(path)) as connection:
            found.schema = _version(connection, path, INDEX)
            if found.schema == INDEX.version:
                connection.execute("BEGIN")
                row = connection.execute(
                    "SELECT tree_key, revision, branch, event_sequence FROM hot_worktree WHERE worktree = ?", (worktree,)
                ).fetchone()
                found.state = row or found.state
                for (meta,) in connection.execute("SELECT meta FROM hot_tree WHERE key = ?", (found.state[0],)):
                    found.names = {name: int(value) for name, value in json.loads(meta).items() if name in _NAMES}
                found.statuses = dict(connection.execute("SELECT claim_id, status FROM hot_status WHERE worktree = ?", (worktree,)))
                found.counters = dict(connection.execute("SELECT name, value FROM hot_counter ORDER BY name"))
    except StoreError as error:
        return _IndexState(problem=error.message)
    return found


def _version(connection: sqlite3.Connection, path: Path, schema: Schema) -> str:
    version = read_version(connection, path, schema)
    if version > schema.version:
        raise too_new(path, version, schema.version)
    return version


def _size(path: Path) -> int:
    return sum(part.stat().st_size for part in beside(path)[:2] if part.exists())
