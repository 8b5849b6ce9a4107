"""The ledger: claims, what they stand on, what was said of them, and every event, in one SQLite file that is only added to.

Statements are written in SQLAlchemy's expression language. Ids are the callers'; the store gives the order: events have a gapless
`sequence`, verdicts one that follows the time they were said at.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Column, Select, func, or_, select, union

from knowledge.errors import UnknownRecordError
from knowledge.records.claims import Anchor, Claim, Verdict
from knowledge.records.events import Event
from knowledge.records.evidence import Evidence
from knowledge.records.identifiers import show_path
from knowledge.records.stored import ClaimFilter, Imported, NewClaim, Redaction, Relation
from knowledge.storage import ledger_rows as rows
from knowledge.storage import tables_ledger as tables
from knowledge.storage.bulk import collection_paused
from knowledge.storage.database import Database, open_database
from knowledge.storage.files import LEDGER
from knowledge.storage.ledger_adding import Adding
from knowledge.storage.ledger_analyses import Analyses
from knowledge.storage.ledger_export import export_rows, import_rows
from knowledge.storage.ledger_redaction import redact
from knowledge.storage.ledger_runs import Runs

_CHUNK = 500
_MOST_CHUNKS = 8
_SHORTEST_PREFIX = 4
_NEAR = 5
_MOST_COMPARED = 20_000
_LAST_CHARACTER = "\U0010ffff"


class Ledger:
    """An open ledger. It belongs to one thread."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self._adding = Adding(db)
        self.analyses = Analyses(db, self._adding)
        self.runs = Runs(db, self._adding)
        """What other programs said of the code."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.db.close()

    @property
    def path(self) -> Path:
        return self.db.path

    @property
    def is_read_only(self) -> bool:
        """Whether the folder cannot be written: reads work, writes raise StoreReadOnlyError."""
        return self.db.is_read_only

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; nests. See `Database.transaction`."""
        with self.db.transaction():
            yield

    # Adding

    def record_claim(
        self,
        claim: Claim,
        anchors: Sequence[Anchor] = (),
        evidence: Sequence[Evidence] = (),
        verdict: Verdict | None = None,
        events: Sequence[Event] = (),
    ) -> list[Event]:
        """Record one claim with all that belongs to it; the events as stored, with their sequence.

        Raises InvalidRecordError where an id is taken by something else.
        """
        return self.record_claims([NewClaim(claim, tuple(anchors), tuple(evidence), verdict, tuple(events))])

    def record_claims(self, many: Iterable[NewClaim], blobs: Mapping[str, bytes] | None = None) -> list[Event]:
        """Record many claims, all or none of them, and keep the uncommitted files they were said on."""
        many = list(many)
        with self.db.transaction():
            self._adding.blobs(blobs or {})
            self._adding.claims([(new.claim, new.anchors) for new in many])
            self._adding.evidence([item for new in many for item in new.evidence])
            self._adding.verdicts([new.verdict for new in many if new.verdict is not None])
            return self._adding.events([item for new in many for item in new.events])

    def append(
        self,
        events: Sequence[Event] = (),
        verdicts: Sequence[Verdict] = (),
        relations: Sequence[Relation] = (),
        evidence: Sequence[Evidence] = (),
        blobs: Mapping[str, bytes] | None = None,
    ) -> list[Event]:
        """Add to the ledger, all or nothing; the events as stored, with their sequence.

        An event whose payload has the texts `old_fingerprint` and `new_fingerprint` is a transition of its claim: one that is known is left out.
        Evidence, relations and blobs that are there already are left as they are.
        Raises InvalidRecordError where an id is taken by something else, or a verdict is of no claim.
        """
        with self.db.transaction():
            self._adding.evidence(evidence)
            self._adding.verdicts(verdicts)
            self._adding.relations(relations)
            self._adding.blobs(blobs or {})
            return self._adding.events(events)

    def redact(self, claim_id: str, reason: str, *, at: str, author: str) -> None:
        """Erase what the claim says, everywhere it is kept; its id, the hash of its statement, its anchors and its events stay.

        Raises UnknownRecordError, and InvalidRecordError where it is redacted already.
        """
        redact(self.db, self._adding, Event(0, "ClaimRedacted", claim_id, at, author, {"reason": reason}))

    # Reading

    def claim(self, claim_id: str) -> Claim:
        """Raises UnknownRecordError, with near ids as suggestions."""
        row = self.db.execute(select(tables.claim).where(tables.claim.c.id == claim_id)).first()
        if row is None:
            raise UnknownRecordError(f"there is no claim {claim_id!r}", suggestions=self.near_ids(claim_id))
        return self._as_tagged([rows.claim_of(row)])[0]

    def _as_tagged(self, claims: list[Claim]) -> list[Claim]:
        """The claims with the tags that they were given last."""
        table = tables.retagging
        if self.db.execute(select(table.c.clock).limit(1)).first() is None:
            return claims
        query = select(table.c.claim_id, table.c.tags).order_by(table.c.clock, table.c.tags)
        latest = dict(self._by(query, table.c.claim_id, [claim.id for claim in claims]))
        return [replace(claim, tags=tuple(json.loads(latest[claim.id]))) if claim.id in latest else claim for claim in claims]

    def claims(self, wanted: ClaimFilter | None = None, ids: Iterable[str] | None = None) -> list[Claim]:
        """The claims that the filter lets through, in the order they were recorded; with `ids`, only those among them (unknown ids are left out)."""
        query = select(tables.claim).where(*_conditions(wanted or ClaimFilter()))
        with collection_paused():
            found = self._as_tagged([rows.claim_of(row) for row in self._by(query, tables.claim.c.id, ids)])
        return sorted(found, key=lambda claim: (claim.recorded_at, claim.id))

    def claim_ids(self) -> list[str]:
        """The ids of all claims, in the order they were recorded."""
        return self.find_claims(ClaimFilter())

    def find_claims(self, wanted: ClaimFilter) -> list[str]:
        """The ids of the claims that the filter lets through, in the order they were recorded."""
        table = tables.claim
        query = select(table.c.id).where(*_conditions(wanted)).order_by(table.c.recorded_at, table.c.id)
        return [row.id for row in self.db.execute(query)]

    def claim_count(self) -> int:
        return int(self.db.execute(select(func.count()).select_from(tables.claim)).scalar_one())

    def claims_with_time(self) -> set[str]:
        """The claims whose status may change with the date alone."""
        claim, link, anchor = tables.claim, tables.claim_anchor, tables.anchor
        on_time = select(link.c.claim_id).join(anchor, anchor.c.digest == link.c.anchor_digest).where(anchor.c.kind == "time")
        return {row.id for row in self.db.execute(union(select(claim.c.id).where(claim.c.freshness_policy != "{}"), on_time))}

    def claims_under_review_condition(self) -> set[str]:
        """The claims that have an anchor with a review condition."""
        link, anchor = tables.claim_anchor, tables.anchor
        query = select(link.c.claim_id).join(anchor, anchor.c.digest == link.c.anchor_digest)
        return {row.claim_id for row in self.db.execute(query.where(anchor.c.kind == "time", anchor.c.target.contains('"review_when"')))}

    def tags(self) -> dict[str, int]:
        """Every tag in use → how many claims bear it."""
        tag = tables.current_tag.c.tag
        return {row.tag: row.bearers for row in self.db.execute(select(tag, func.count().label("bearers")).group_by(tag).order_by(tag))}

    def resolve_claim(self, text: str) -> str:
        """The claim id that is meant by a whole id or by the beginning of one. Raises UnknownRecordError where none fits, or more than one."""
        return self._resolve(tables.claim.c.id, "claim", text)

    def resolve_evidence(self, text: str) -> str:
        """The evidence id that is meant, as `resolve_claim`."""
        return self._resolve(tables.evidence.c.id, "evidence", text)

    def _resolve(self, column: Column[str], name: str, text: str) -> str:
        if self.db.execute(select(column).where(column == text)).first() is not None:
            return text
        longer = select(column).where(column > text, column < text + _LAST_CHARACTER).order_by(column).limit(_NEAR + 1)
        fitting = [row.id for row in self.db.execute(longer)] if len(text) >= _SHORTEST_PREFIX else []
        if len(fitting) == 1:
            return str(fitting[0])
        if fitting:
            raise UnknownRecordError(f"more than one {name} id begins with {text!r}; give more of it", suggestions=fitting[:_NEAR])
        raise UnknownRecordError(f"there is no {name} {text!r}", suggestions=self.near_ids(text))

    def near_ids(self, text: str) -> list[str]:
        """Ids of claims and evidence that look like this one, best first."""
        for column in (tables.claim.c.id, tables.evidence.c.id):
            known = [row.id for row in self.db.execute(select(column).order_by(column.desc()).limit(_MOST_COMPARED))]
            if found := get_close_matches(text, known, _NEAR, cutoff=0.75):
                return found
        return []

    def anchors_of(self, claim_ids: Iterable[str] | None = None) -> dict[str, tuple[Anchor, ...]]:
        """claim id → its anchors in the order they were given; for all claims or for these. Claims without anchors are left out."""
        link, anchor = tables.claim_anchor, tables.anchor
        ids = None if claim_ids is None else set(claim_ids)
        query = select(link.c.claim_id, link.c.anchor_digest, link.c.role).order_by(link.c.claim_id, link.c.position)
        with collection_paused():
            links = self._by(query, link.c.claim_id, ids)
            digests = None if ids is None else {row.anchor_digest for row in links}
            targets = {digest: (kind, target) for digest, kind, target in self._by(select(anchor), anchor.c.digest, digests)}
            equal: dict[tuple[str, str], Anchor] = {}
            found: dict[str, tuple[Anchor, ...]] = {}
            for claim_id, digest, role in links:
                one = equal.get((digest, role))
                if one is None:
                    kind, target = targets[digest]
                    one = equal[digest, role] = Anchor(digest, kind, rows.payload_of(target), role)
                found[claim_id] = (*found.get(claim_id, ()), one)
        return found

    def claims_on(self, anchor_digests: Iterable[str]) -> dict[str, set[str]]:
        """anchor digest → the claims that stand on it; anchors without claims are left out."""
        link = tables.claim_anchor
        found: dict[str, set[str]] = {}
        for claim_id, digest in self._by(select(link.c.claim_id, link.c.anchor_digest), link.c.anchor_digest, set(anchor_digests)):
            found.setdefault(digest, set()).add(claim_id)
        return found

    def claims_derived_from(self, claim_ids: Iterable[str]) -> dict[str, set[str]]:
        """premise → the claims that are derived from it or anchored to it; claims that are no premise are left out."""
        table = tables.premise
        found: dict[str, set[str]] = {}
        for claim_id, premise_id in self._by(select(table.c.claim_id, table.c.premise_id), table.c.premise_id, set(claim_ids)):
            found.setdefault(premise_id, set()).add(claim_id)
        return found

    def verdicts(self, claim_ids: Iterable[str] | None = None) -> dict[str, list[Verdict]]:
        """claim id → its verdicts, oldest first; for all claims or for these. Claims without any are left out."""
        table = tables.verdict
        found: dict[str, list[Verdict]] = {}
        with collection_paused():
            for row in self._by(select(table), table.c.claim_id, None if claim_ids is None else set(claim_ids)):
                verdict = rows.verdict_of(row)
                found.setdefault(verdict.claim_id, []).append(verdict)
        # Sorting each claim's few verdicts is quicker than having all rows looked up through an index.
        for verdicts in found.values():
            verdicts.sort(key=lambda verdict: (verdict.sequence, verdict.id))
        return found

    def events(self, claim_id: str | None = None, after: int = 0, types: Collection[str] | None = None, limit: int | None = None) -> list[Event]:
        """Events with a sequence greater than `after`, in that order, at most `limit`; those of one claim in the order of their times."""
        table = tables.event
        query = select(table).where(table.c.sequence > after).limit(limit)
        if types is not None:
            query = query.where(table.c.type.in_(list(types)))
        if claim_id is None:
            query = query.order_by(table.c.sequence)
        else:
            query = query.where(table.c.claim_id == claim_id).order_by(table.c.clock, table.c.id)
        return [rows.event_of(row) for row in self.db.execute(query)]

    def events_of(self, claim_ids: Iterable[str], types: Collection[str]) -> dict[str, list[Event]]:
        """claim id → its events of these types, oldest first. Claims without any are left out."""
        table = tables.event
        query = select(table).where(table.c.type.in_(list(types))).order_by(table.c.clock, table.c.id)
        found: dict[str, list[Event]] = {}
        for row in self._by(query, table.c.claim_id, claim_ids):
            found.setdefault(row.claim_id, []).append(rows.event_of(row))
        return found

    def last_sequence(self) -> int:
        """The sequence of the newest event; 0 without any."""
        return int(self.db.execute(select(func.coalesce(func.max(tables.event.c.sequence), 0))).scalar_one())

    def evidence(self, evidence_id: str) -> Evidence:
        """Raises UnknownRecordError, with near ids as suggestions."""
        row = self.db.execute(select(tables.evidence).where(tables.evidence.c.id == evidence_id)).first()
        if row is None:
            raise UnknownRecordError(f"there is no evidence {evidence_id!r}", suggestions=self.near_ids(evidence_id))
        return rows.evidence_of_row(row)

    def evidence_of(self, claim_id: str) -> list[Evidence]:
        """The evidence that the claim or one of its verdicts cites, by id."""
        table, link = tables.evidence, tables.citation
        query = select(table).join(link, link.c.evidence_id == table.c.id).where(link.c.claim_id == claim_id).order_by(table.c.id)
        return [rows.evidence_of_row(row) for row in self.db.execute(query)]

    def evidence_names(self, claim_ids: Iterable[str]) -> dict[str, list[str]]:
        """claim id → the symbols, or files, of the evidence that it or one of its verdicts cites."""
        table, link = tables.evidence, tables.citation
        query = select(link.c.claim_id, table.c.symbol, table.c.file_path).join(table, table.c.id == link.c.evidence_id).order_by(table.c.id)
        found: dict[str, list[str]] = {}
        for claim_id, symbol, path in self._by(query, link.c.claim_id, claim_ids):
            found.setdefault(claim_id, []).append(symbol or show_path(path))
        return found

    def relations(self, claim_id: str | None = None) -> list[Relation]:
        """The relations from or to a claim, or all of them."""
        table = tables.relation
        query = select(table).order_by(table.c.kind, table.c.source, table.c.target, table.c.id)
        if claim_id is not None:
            query = query.where(or_(table.c.source == claim_id, table.c.target == claim_id))
        return [rows.relation_of(row) for row in self.db.execute(query)]

    def relations_of(self, claim_ids: Iterable[str], kinds: Collection[str]) -> dict[str, list[Relation]]:
        """claim id → the relations of these kinds from or to it. Claims without any are left out."""
        table, wanted = tables.relation, set(claim_ids)
        query = select(table).where(table.c.kind.in_(list(kinds))).order_by(table.c.kind, table.c.source, table.c.target, table.c.id)
        seen: dict[str, Relation] = {}
        for end in (table.c.source, table.c.target):
            seen |= {row.id: rows.relation_of(row) for row in self._by(query, end, wanted)}
        found: dict[str, list[Relation]] = {}
        for relation in seen.values():
            for claim_id in {relation.source, relation.target} & wanted:
                found.setdefault(claim_id, []).append(relation)
        return found

    def redaction(self, claim_id: str) -> Redaction | None:
        """What is known of a claim's redaction; None where it was not redacted."""
        table = tables.claim
        query = select(table.c.id, table.c.redacted_at, table.c.statement_hash).where(table.c.id == claim_id, table.c.redacted_at.is_not(None))
        row = self.db.execute(query).first()
        return None if row is None else Redaction(row.id, row.redacted_at, row.statement_hash)

    def transition_known(self, claim_id: str, old_fingerprint: str, new_fingerprint: str) -> bool:
        """Whether the claim's step from one fingerprint to another is written down already."""
        return self._adding.has_step((claim_id, rows.digest_of([old_fingerprint]), rows.digest_of([new_fingerprint])))

    def kept_blob(self, blob_id: str) -> bytes | None:
        """The kept bytes of an uncommitted file; None where the ledger does not have them."""
        packed = self.db.execute(select(tables.kept_blob.c.content).where(tables.kept_blob.c.blob_id == blob_id)).scalar()
        with self.db.unpacking():
            return None if packed is None else zlib.decompress(packed)

    def integrity(self) -> list[str]:
        """What is wrong with the file as SQLite sees it; nothing where it is whole. Reads all of it."""
        return self.db.integrity()

    # Moving

    def export_rows(self) -> Iterator[dict[str, Any]]:
        """The whole ledger at this moment as plain JSON rows, the header first. Format: `ledger_export.py`."""
        return export_rows(self.path)

    def import_rows(self, exported: Iterable[Mapping[str, Any]]) -> Imported:
        """Add what an export has and this ledger lacks, in whatever order its rows come, all or nothing.

        Raises InvalidRecordError, naming the row, where it is no such row or says something else of an id that is here;
        StoreTooNewError where a newer version of the program wrote it.
        """
        return import_rows(self.db, self._adding, self.analyses, self.runs, exported)

    def _by(self, query: Select[Any], column: Column[Any], values: Iterable[str] | None) -> Sequence[Any]:
        """The rows of a query whose column is among the values; all rows where there are too many values to ask for them in parts."""
        if values is None:
            return self.db.execute(query).all()
        wanted = list(dict.fromkeys(values))
        if len(wanted) > _CHUNK * _MOST_CHUNKS:
            kept = set(wanted)
            return [row for row in self.db.execute(query) if row._mapping[column.name] in kept]
        return [row for start in range(0, len(wanted), _CHUNK) for row in self.db.execute(query.where(column.in_(wanted[start : start + _CHUNK])))]


def open_ledger(path: Path) -> Ledger:
    """Open the ledger at `path`, making or upgrading it where needed.

    Raises StoreTooNewError, StoreCorruptError (nothing is written in either case), StoreReadOnlyError, StoreLockedError.
    """
    return Ledger(open_database(path, LEDGER))


def _conditions(wanted: ClaimFilter) -> list[Any]:
    table, tag = tables.claim, tables.current_tag
    found: list[Any] = []
    for column, values in ((table.c.kind, wanted.kinds), (table.c.author_name, wanted.authors), (table.c.author_session, wanted.sessions)):
        if values:
            found.append(column.in_(values))
    if wanted.tags:
        found.append(table.c.id.in_(select(tag.c.claim_id).where(tag.c.tag.in_(wanted.tags))))
    if wanted.text:
        found.append(func.casefold(table.c.statement).contains(wanted.text.casefold(), autoescape=True))
    if wanted.recorded_after:
        found.append(table.c.recorded_at > wanted.recorded_after)
    return found
