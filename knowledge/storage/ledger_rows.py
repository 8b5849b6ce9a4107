"""Records as rows of the ledger and back. JSON columns leave out what is empty, so that they stay small and a later field has its default."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache, wraps
from typing import Any, TypeVar

import msgspec

from knowledge.errors import StoreCorruptError
from knowledge.records.analyses import Analysis
from knowledge.records.claims import Anchor, AnchorReading, Author, Claim, FreshnessPolicy, Predicate, Scope, Verdict
from knowledge.records.events import Event
from knowledge.records.evidence import Evidence, SourceRange
from knowledge.records.stored import Relation
from knowledge.storage.files import LEDGER

_Record = TypeVar("_Record")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_encoder = msgspec.json.Encoder(order="sorted")
_predicate = msgspec.json.Decoder(Predicate)
_range = msgspec.json.Decoder(SourceRange)
_fingerprint = msgspec.json.Decoder(dict[str, AnchorReading])
_json = msgspec.json.Decoder(dict[str, Any])

# What many rows have alike is decoded once. Only values that cannot be changed are shared.
_CACHED = 4096
_scope_of = lru_cache(_CACHED)(msgspec.json.Decoder(Scope).decode)
_policy_of = lru_cache(_CACHED)(msgspec.json.Decoder(FreshnessPolicy).decode)
texts = lru_cache(_CACHED)(msgspec.json.Decoder(tuple[str, ...]).decode)
_analyzers = lru_cache(_CACHED)(msgspec.json.Decoder(dict[str, str]).decode)
_author = lru_cache(_CACHED)(Author)


def dump(value: Any) -> str:
    """JSON with sorted keys: equal values are equal texts."""
    return _encoder.encode(value).decode()


def plain(value: Any) -> dict[str, Any]:
    """A record as a dictionary without the fields that have their default."""
    kind: Any = type(value)
    return {name: item for name, default in _defaults(kind) if (item := getattr(value, name)) != default}


@cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.default) for field in fields(kind))


_EVIDENCE_COLUMNS = tuple(field.name for field in fields(Evidence))
_ANALYSIS_COLUMNS = tuple(field.name for field in fields(Analysis))


def statement_hash(statement: str) -> str:
    """sha256 of a statement: what is left of it when it is redacted."""
    return hashlib.sha256(statement.encode("utf-8", "surrogatepass")).hexdigest()


def _intact(read: Callable[[Any], _Record]) -> Callable[[Any], _Record]:
    """Say of a row whose JSON cannot be read that it is damaged."""

    @wraps(read)
    def told(row: Any) -> _Record:
        try:
            return read(row)
        except msgspec.MsgspecError as error:
            raise StoreCorruptError(f"a row of the ledger is damaged ({row[0]!r}: {error}). {LEDGER.way_out}") from error

    return told


def claim_row(claim: Claim) -> dict[str, Any]:
    """The row of a claim that was not redacted."""
    return {
        "id": claim.id,
        "statement": claim.statement,
        "statement_hash": statement_hash(claim.statement),
        "kind": claim.kind,
        "scope": dump(plain(claim.scope)),
        "evidence_refs": dump(claim.evidence_refs),
        "derived_from": dump(claim.derived_from),
        "valid_at_revision": claim.valid_at_revision,
        "valid_at_tree": claim.valid_at_tree,
        "freshness_policy": dump(plain(claim.freshness_policy)),
        "predicate": None if claim.predicate is None else dump(claim.predicate),
        "tags": dump(claim.tags),
        "author_kind": claim.author.kind,
        "author_name": claim.author.name,
        "author_session": claim.author.session,
        "recorded_at": claim.recorded_at,
        "detail": dump(claim.detail),
        "redacted_at": None,
    }


@_intact
def claim_of(row: Any) -> Claim:
    """The claim of a row: all columns, in order."""
    (
        number, statement, _, kind, scope, evidence_refs, derived_from, valid_at_revision, valid_at_tree, freshness_policy, predicate, tags,
        author_kind, author_name, author_session, recorded_at, detail, _,
    ) = row  # fmt: skip
    return Claim(
        number, statement, kind, _scope_of(scope), texts(evidence_refs), texts(derived_from), valid_at_revision, valid_at_tree,
        _policy_of(freshness_policy), None if predicate is None else _predicate.decode(predicate), texts(tags),
        _author(author_kind, author_name, author_session), recorded_at, _json.decode(detail),
    )  # fmt: skip


def anchor_row(anchor: Anchor) -> dict[str, Any]:
    """The row that equal anchors share; their roles are not in it."""
    return {"digest": anchor.digest, "kind": anchor.kind, "target": dump(anchor.target)}


def payload_of(text: str) -> dict[str, Any]:
    """A JSON column that holds a dictionary of whatever."""
    return _json.decode(text)


def evidence_row(evidence: Evidence) -> dict[str, Any]:
    """The row of evidence."""
    row = {name: getattr(evidence, name) for name in _EVIDENCE_COLUMNS}
    return row | {"source_range": dump(evidence.source_range), "is_dirty": int(evidence.is_dirty)}


@_intact
def evidence_of_row(row: Any) -> Evidence:
    """The evidence of a row."""
    values = {name: getattr(row, name) for name in _EVIDENCE_COLUMNS}
    return Evidence(**(values | {"source_range": _range.decode(row.source_range), "is_dirty": bool(row.is_dirty)}))


def verdict_row(verdict: Verdict, sequence: int) -> dict[str, Any]:
    """The row of a verdict, with the sequence that the store gives it."""
    return {
        "id": verdict.id,
        "claim_id": verdict.claim_id,
        "kind": verdict.kind,
        "sequence": sequence,
        "fingerprint": dump({digest: plain(reading) for digest, reading in verdict.fingerprint.items()}),
        "tree_id": verdict.tree_id,
        "snapshot_key": verdict.snapshot_key,
        "revision": verdict.revision,
        "author_kind": verdict.author.kind,
        "author_name": verdict.author.name,
        "author_session": verdict.author.session,
        "reason": verdict.reason,
        "evidence_refs": dump(verdict.evidence_refs),
        "said_at": verdict.said_at,
        "analyzer_versions": dump(verdict.analyzer_versions),
    }


@_intact
def verdict_of(row: Any) -> Verdict:
    """The verdict of a row: all columns, in order."""
    (
        number, claim_id, kind, sequence, fingerprint, tree_id, snapshot_key, revision, author_kind, author_name, author_session,
        reason, evidence_refs, said_at, analyzer_versions,
    ) = row  # fmt: skip
    return Verdict(
        number, claim_id, kind, sequence, _fingerprint.decode(fingerprint), tree_id, snapshot_key, revision,
        _author(author_kind, author_name, author_session), reason, texts(evidence_refs), said_at, dict(_analyzers(analyzer_versions)),
    )  # fmt: skip


def event_row(event: Event, sequence: int, clock: int) -> dict[str, Any]:
    """The row of an event, with the sequence and the clock that the store gives it; its id follows from its content and clock."""
    payload = dump(event.payload)
    return {
        "sequence": sequence,
        "id": digest_of((event.type, event.claim_id, event.at, event.author, payload, str(clock))),
        "clock": clock,
        "type": event.type,
        "claim_id": event.claim_id,
        "at": event.at,
        "author": event.author,
        "payload": payload,
    }


@_intact
def event_of(row: Any) -> Event:
    """The event of a row."""
    return Event(row.sequence, row.type, row.claim_id, row.at, row.author, _json.decode(row.payload))


def relation_row(relation: Relation) -> dict[str, Any]:
    """The row of a relation; its id follows from its content."""
    detail = dump(relation.detail)
    return {
        "id": digest_of((relation.kind, relation.source, relation.target, detail)),
        "kind": relation.kind,
        "source": relation.source,
        "target": relation.target,
        "detail": detail,
    }


@_intact
def relation_of(row: Any) -> Relation:
    """The relation of a row."""
    return Relation(row.kind, row.source, row.target, _json.decode(row.detail))


def analysis_row(analysis: Analysis) -> dict[str, Any]:
    """The row of an analysis."""
    row = {name: getattr(analysis, name) for name in _ANALYSIS_COLUMNS}
    return row | {"is_whole": int(analysis.is_whole), "detail": dump(analysis.detail)}


@_intact
def analysis_of(row: Any) -> Analysis:
    """The analysis of a row."""
    values = {name: getattr(row, name) for name in _ANALYSIS_COLUMNS}
    return Analysis(**(values | {"is_whole": bool(row.is_whole), "detail": _json.decode(row.detail)}))


def digest_of(parts: Sequence[str]) -> str:
    """The identity of a row that callers give no id."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def clock_after(last: int, at: str) -> int:
    """The next value of a clock that never goes back: microseconds since the epoch at `at`, or one more than `last`.

    Rows that two ledgers made apart keep their clocks when one imports the other, so both come to the same order.
    """
    try:
        moment = datetime.fromisoformat(at)
        passed = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    except (ValueError, OverflowError):
        return last + 1
    return max(last + 1, passed // timedelta(microseconds=1))


def links(claim_id: str, names: Iterable[str], column: str) -> list[dict[str, str]]:
    """Rows of a thin table: the claim and each name, once."""
    return [{"claim_id": claim_id, column: name} for name in dict.fromkeys(names)]
