"""Redaction: erasing what a claim says, wherever the ledger keeps it. What is left proves that it was there, not what it said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import func, select, update

from knowledge.errors import InvalidRecordError, UnknownRecordError
from knowledge.records.claims import Claim
from knowledge.records.events import Event
from knowledge.records.stored import REDACTED
from knowledge.storage import ledger_rows as rows
from knowledge.storage import tables_ledger as tables
from knowledge.storage.database import Database
from knowledge.storage.ledger_adding import Adding

_SHORTEST = 4
"""Shorter texts are not looked for in events: "no" is everywhere."""
_TELLING = frozenset({"statement", "reason", "text", "detail", "note", "tags", "before"})
"""Keys of payloads whose texts people wrote."""


def redact(db: Database, adding: Adding, said: Event) -> None:
    """Erase the texts of `said.claim_id` and add `said`. Raises UnknownRecordError, InvalidRecordError."""
    with db.transaction():
        row = db.execute(select(tables.claim).where(tables.claim.c.id == said.claim_id)).first()
        if row is None:
            raise UnknownRecordError(f"no claim {said.claim_id!r} in {db.path}")
        if row.redacted_at is not None:
            raise InvalidRecordError(f"the claim {said.claim_id!r} was redacted at {row.redacted_at} already")
        erase(db, said.claim_id, said.at)
        adding.events([said])
    # The erased text must not stay readable in the journal either.
    db.rows("PRAGMA wal_checkpoint(TRUNCATE)")


def erase(db: Database, claim_id: str, at: str) -> None:
    """Replace every text of a claim by the marker, inside the caller's transaction."""
    texts = texts_of(rows.claim_of(db.execute(select(tables.claim).where(tables.claim.c.id == claim_id)).one()))
    empty = {"statement": REDACTED, "scope": "{}", "freshness_policy": "{}", "predicate": None, "tags": "[]", "detail": "{}", "redacted_at": at}
    db.execute(update(tables.claim).where(tables.claim.c.id == claim_id).values(empty))
    for table in ("claim_tag", "retagging"):
        db.run(f"DELETE FROM {table} WHERE claim_id = ?", (claim_id,))
    erase_around(db, claim_id, texts)


def erase_around(db: Database, claim_id: str, texts: list[str]) -> None:
    """Erase what verdicts, events, relations and evidence tell of a claim whose own texts were `texts`."""
    event, relation = tables.event, tables.relation
    _erase_verdicts(db, claim_id)
    _erase_excerpts(db, claim_id)
    _erase_json(db, event, "payload", (event.c.claim_id == claim_id) & (event.c.type != "ClaimRedacted"), texts)
    _erase_json(db, relation, "detail", (relation.c.source == claim_id) | (relation.c.target == claim_id), texts)


def texts_of(claim: Claim) -> list[str]:
    """What a claim says, longest first."""
    predicate = (claim.predicate.value, *claim.predicate.members) if claim.predicate else ()
    told = (claim.statement, *claim.scope.conditions, claim.scope.route_tried, *predicate, *_leaves(claim.detail))
    return sorted({text for text in told if len(text) >= _SHORTEST}, key=len, reverse=True)


def without(value: Any, texts: Iterable[str], *, is_told: bool = False) -> Any:
    """JSON with every text that people wrote, or that holds one of `texts`, replaced by the marker."""
    if isinstance(value, dict):
        return {key: without(item, texts, is_told=is_told or key in _TELLING) for key, item in value.items()}
    if isinstance(value, list):
        return [without(item, texts, is_told=is_told) for item in value]
    if isinstance(value, str) and value and (is_told or any(text in value for text in texts)):
        return REDACTED
    return value


def _erase_verdicts(db: Database, claim_id: str) -> None:
    table = tables.verdict
    for row in db.execute(select(table).where(table.c.claim_id == claim_id)).all():
        verdict = rows.verdict_of(row)
        readings = {digest: rows.plain(reading) for digest, reading in verdict.fingerprint.items()}
        for reading in readings.values():
            reading.pop("detail", None)
        values = {"reason": REDACTED if verdict.reason else "", "fingerprint": rows.dump(readings)}
        db.execute(update(table).where(table.c.id == verdict.id).values(values))


def _erase_excerpts(db: Database, claim_id: str) -> None:
    """The excerpts of evidence that no other claim cites."""
    table, link = tables.evidence, tables.citation
    cited = select(link.c.evidence_id).where(link.c.claim_id == claim_id)
    shared = select(link.c.evidence_id).where(link.c.evidence_id.in_(cited)).group_by(link.c.evidence_id).having(func.count() > 1)
    values = {"excerpt": REDACTED, "extracted_relation": REDACTED}
    db.execute(update(table).where(table.c.id.in_(cited), table.c.id.not_in(shared)).values(values))


def _erase_json(db: Database, table: Any, column: str, condition: Any, texts: list[str]) -> None:
    for row in db.execute(select(table).where(condition)).all():
        old = row._mapping[column]
        new = rows.dump(without(rows.payload_of(old), texts))
        if new != old:
            key = next(iter(table.primary_key.columns))
            db.execute(update(table).where(key == row._mapping[key.name]).values({column: new}))


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _leaves(item)]
    if isinstance(value, list):
        return [text for item in value for text in _leaves(item)]
    return [value] if isinstance(value, str) else []
