"""The ledger's runs: what was executed, what each test came to, and what it covered."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any

import msgspec
from sqlalchemy import func, select

from knowledge.errors import InvalidRecordError, UnknownRecordError
from knowledge.records.events import Event
from knowledge.records.runs import Coverage, Run, TestResult
from knowledge.storage import ledger_rows as rows
from knowledge.storage import tables_ledger as tables
from knowledge.storage.database import Database
from knowledge.storage.ledger_adding import Adding
from knowledge.storage.ledger_analyses import MAX_PAYLOAD, decompress

RECORDED = "RunRecorded"
_RUN_COLUMNS = tuple(field.name for field in fields(Run))
_encode = msgspec.msgpack.Encoder().encode
_coverage = msgspec.msgpack.Decoder(Coverage)
_command = msgspec.json.Decoder(tuple[str, ...])
_NEAR = 5
_SHORTEST_PREFIX = 4
_LAST_CHARACTER = "\U0010ffff"


class Runs:
    """The ways to runs in the ledger."""

    def __init__(self, db: Database, adding: Adding) -> None:
        self._db, self._adding = db, adding

    def add(self, run: Run, results: Sequence[TestResult], coverage: Coverage | None) -> None:
        """Add a run with all that belongs to it, all or nothing. Raises InvalidRecordError where the id is taken."""
        with self._db.transaction():
            if not self.add_raw(run, results, None if coverage is None else _encode(coverage)):
                raise InvalidRecordError(f"the run id {run.id!r} is taken; a run is never changed")
            self._adding.events([Event(0, RECORDED, "", run.at, run.author, {"run": run.id, "tree": run.snapshot_key})])

    def add_raw(self, run: Run, results: Sequence[TestResult], payload: bytes | None) -> bool:
        """Add rows; whether they were new. Raises InvalidRecordError where what they cover cannot be read."""
        if self._adding.existing(tables.run, "id", [run.id]):
            return False
        if payload is not None:
            read_coverage(run.id, payload)
        self._db.execute(tables.run.insert(), [_run_row(run)])
        if results:
            self._db.execute(tables.test_result.insert(), [_result_row(replace(result, run_id=run.id)) for result in results])
        if payload is not None:
            self._db.execute(tables.coverage.insert(), [{"run_id": run.id, "payload": zlib.compress(payload)}])
        return True

    def run(self, text: str) -> Run:
        """The run of a whole id or the beginning of one. Raises UnknownRecordError, with near ids as suggestions."""
        table = tables.run
        found = self._db.execute(select(table).where(table.c.id == text)).all()
        if not found and len(text) >= _SHORTEST_PREFIX:
            found = self._db.execute(select(table).where(table.c.id > text, table.c.id < text + _LAST_CHARACTER).limit(_NEAR)).all()
        if len(found) == 1:
            return _run_of(found[0])
        if found:
            raise UnknownRecordError(f"more than one run id begins with {text!r}; give more of it", suggestions=[row.id for row in found])
        known = [row.id for row in self._db.execute(select(table.c.id).order_by(table.c.at.desc()).limit(1_000))]
        raise UnknownRecordError(f"there is no run {text!r}", suggestions=get_close_matches(text, known, _NEAR, 0.6) or known[:_NEAR])

    def has(self, run_id: str) -> bool:
        """Whether there is a run of this whole id."""
        return bool(self._adding.existing(tables.run, "id", [run_id]))

    def runs(self, limit: int = 0) -> list[Run]:
        """The runs, newest first; at most `limit` of them (0: all)."""
        table = tables.run
        query = select(table).order_by(table.c.at.desc(), table.c.id.desc())
        return [_run_of(row) for row in self._db.execute(query.limit(limit) if limit else query)]

    def count(self) -> int:
        """How many runs there are."""
        return int(self._db.execute(select(func.count()).select_from(tables.run)).scalar_one())

    def results(self, run_id: str) -> list[TestResult]:
        """What each test of a run came to, by the test's id."""
        table = tables.test_result
        return [_result_of(row) for row in self._db.execute(select(table).where(table.c.run_id == run_id).order_by(table.c.test))]

    def results_of(self, tests: Iterable[str]) -> dict[str, list[TestResult]]:
        """test → its results in all runs, newest first."""
        table, run = tables.test_result, tables.run
        found: dict[str, list[TestResult]] = {}
        wanted = list(dict.fromkeys(tests))
        for start in range(0, len(wanted), 500):
            query = select(table).join(run, run.c.id == table.c.run_id).where(table.c.test.in_(wanted[start : start + 500]))
            for row in self._db.execute(query.order_by(run.c.at.desc(), run.c.id.desc())):
                found.setdefault(row.test, []).append(_result_of(row))
        return found

    def coverage(self, run_id: str) -> Coverage | None:
        """What the tests of a run covered; None where that was not observed. Raises StoreCorruptError."""
        payload = self.payload(run_id)
        with self._db.unpacking():
            return None if payload is None else _coverage.decode(payload)

    def payload(self, run_id: str) -> bytes | None:
        """What the tests of a run covered, as it is packed."""
        stored = self._db.execute(select(tables.coverage.c.payload).where(tables.coverage.c.run_id == run_id)).scalar()
        with self._db.unpacking():
            return None if stored is None else decompress(stored)


def read_coverage(run_id: str, payload: bytes) -> Coverage:
    """What a payload packs. Raises InvalidRecordError where it is no such thing."""
    if len(payload) > MAX_PAYLOAD:
        raise InvalidRecordError(f"what run {run_id!r} covered is longer than {MAX_PAYLOAD:,} bytes")
    try:
        found = _coverage.decode(payload)
    except msgspec.MsgspecError as error:
        raise InvalidRecordError(f"what run {run_id!r} covered cannot be read: {error}") from error
    most = len(found.symbols)
    if any(not 0 <= position < most for test in (found.at_import, *(t.ran for t in found.tests.values())) for position in test):
        raise InvalidRecordError(f"what run {run_id!r} covered points at symbols that it does not have")
    return found


def _run_row(run: Run) -> dict[str, Any]:
    row = {name: getattr(run, name) for name in _RUN_COLUMNS}
    return row | {
        "command": rows.dump(run.command),
        "environment_detail": rows.dump(run.environment_detail),
        "detail": rows.dump(run.detail),
        "is_local": int(run.is_local),
    }


def _run_of(row: Any) -> Run:
    values = dict(row._mapping)
    return Run(
        **values
        | {
            "command": _command.decode(values["command"]),
            "environment_detail": rows.payload_of(values["environment_detail"]),
            "detail": rows.payload_of(values["detail"]),
            "is_local": bool(values["is_local"]),
        }
    )


def _result_row(result: TestResult) -> dict[str, Any]:
    return {
        "run_id": result.run_id,
        "test": result.test,
        "outcome": result.outcome,
        "seconds": result.seconds,
        "message": result.message,
        "symbol": result.symbol,
        "given": rows.dump(result.given),
        "is_flaky": int(result.is_flaky),
    }


def _result_of(row: Any) -> TestResult:
    return TestResult(row.run_id, row.test, row.outcome, row.seconds, row.message, row.symbol, rows.texts(row.given), bool(row.is_flaky))
