"""Adding rows to the ledger: each once, in order, and never another content under an id that is taken. All inside the caller's transaction."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Table, func, insert, select

from knowledge.errors import InvalidRecordError
from knowledge.records.claims import Anchor, Claim, Verdict
from knowledge.records.events import RETAGGED, Event
from knowledge.records.evidence import Evidence
from knowledge.records.stored import REDACTED, Relation
from knowledge.storage import ledger_rows as rows
from knowledge.storage import tables_ledger as tables
from knowledge.storage.database import Database

_CHUNK = 500
OLD, NEW = "old_fingerprint", "new_fingerprint"
"""What the payload of a transition's event has."""


class Adding:
    """The ways into the ledger's tables."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def claims(self, many: Sequence[tuple[Claim, Sequence[Anchor]]]) -> None:
        """Add claims with their anchors. Raises InvalidRecordError where a claim's id is taken."""
        claims = [rows.claim_row(claim) for claim, _ in many]
        taken = self.existing(tables.claim, "id", [claim["id"] for claim in claims])
        if taken or len({claim["id"] for claim in claims}) < len(claims):
            raise InvalidRecordError(f"the claim id {next(iter(taken), 'given twice')!r} is taken; claims are never changed, record a new one")
        self.anchors([anchor for _, anchors in many for anchor in anchors])
        links = [[(anchor.digest, anchor.role) for anchor in anchors] for _, anchors in many]
        premises = premises_of(anchor for _, anchors in many for anchor in anchors)
        self.raw_claims([(row, claim, link) for row, (claim, _), link in zip(claims, many, links, strict=True)], premises)

    def raw_claims(self, many: Sequence[tuple[dict[str, Any], Claim, Sequence[tuple[str, str]]]], premises: Mapping[str, str]) -> None:
        """Add rows of claims that are known to be new, with (anchor digest, role) of each; the anchors are there.

        premises: the digest of an anchor on a claim → that claim.
        """
        self._insert(tables.claim, [row for row, _, _ in many])
        self._insert(
            tables.claim_anchor,
            [
                {"claim_id": claim.id, "position": position, "anchor_digest": digest, "role": role}
                for _, claim, links in many
                for position, (digest, role) in enumerate(links)
            ],
        )
        derived = [(claim.id, (*claim.derived_from, *(premises[digest] for digest, _ in links if digest in premises))) for _, claim, links in many]
        self._insert(tables.premise, [link for claim_id, names in derived for link in rows.links(claim_id, names, "premise_id")])
        self._insert(tables.claim_tag, [link for _, claim, _ in many for link in rows.links(claim.id, claim.tags, "tag")])
        self.cite([(claim.id, claim.evidence_refs) for _, claim, _ in many])

    def anchors(self, anchors: Iterable[Anchor]) -> int:
        """Add the anchors that are not there yet; how many. Raises InvalidRecordError where a digest is taken by another anchor."""
        return self.once(tables.anchor, "digest", [rows.anchor_row(anchor) for anchor in anchors])

    def evidence(self, evidence: Iterable[Evidence]) -> int:
        """Add the evidence that is not there yet; how many."""
        return self.once(tables.evidence, "id", [rows.evidence_row(item) for item in evidence], erasable=("excerpt", "extracted_relation"))

    def relations(self, relations: Iterable[Relation]) -> int:
        """Add the relations that are not there yet; how many."""
        return self.once(tables.relation, "id", [rows.relation_row(relation) for relation in relations], erasable=("detail",))

    def blobs(self, blobs: Mapping[str, bytes]) -> int:
        """Keep the bytes of uncommitted files; how many were new."""
        return self.once(tables.kept_blob, "blob_id", [{"blob_id": name, "content": zlib.compress(content)} for name, content in blobs.items()])

    def verdicts(self, verdicts: Sequence[Verdict]) -> None:
        """Add verdicts; each gets the next sequence. Raises InvalidRecordError where an id is taken or the claim is unknown."""
        if not verdicts:
            return
        taken = self.existing(tables.verdict, "id", [verdict.id for verdict in verdicts])
        if taken:
            raise InvalidRecordError(f"the verdict id {next(iter(taken))!r} is taken; a verdict is never changed, say a new one")
        last = self._last(tables.verdict.c.sequence)
        found = []
        for verdict in verdicts:
            last = rows.clock_after(last, verdict.said_at)
            found.append(rows.verdict_row(verdict, last))
        self.raw_verdicts(found, verdicts)

    def raw_verdicts(self, found: list[dict[str, Any]], verdicts: Sequence[Verdict]) -> None:
        """Add rows of verdicts that are known to be new."""
        self._insert(tables.verdict, found)
        self.cite([(verdict.claim_id, verdict.evidence_refs) for verdict in verdicts])

    def events(self, events: Sequence[Event]) -> list[Event]:
        """Add events at the end; as stored. Transitions that are known are left out."""
        fresh = self._untold(events)
        sequence, clock = self._last(tables.event.c.sequence), self._last(tables.event.c.clock)
        stored, found = [], []
        for event in fresh:
            sequence, clock = sequence + 1, rows.clock_after(clock, event.at)
            stored.append(replace(event, sequence=sequence))
            found.append(rows.event_row(event, sequence, clock))
        self.raw_events(found)
        return stored

    def raw_events(self, found: Sequence[dict[str, Any]]) -> None:
        """Add rows of events that are known to be new, in this order, at the end."""
        first = self._last(tables.event.c.sequence) + 1
        placed = [row | {"sequence": first + place} for place, row in enumerate(found)]
        self._insert(tables.event, placed)
        steps = {step: row["sequence"] for row in reversed(placed) if (step := _step(row["claim_id"], rows.payload_of(row["payload"])))}
        columns = ("claim_id", OLD, NEW, "event_sequence")
        self._insert(tables.retagging, self._retaggings(placed))
        fresh = [(*step, sequence) for step, sequence in steps.items() if not self.has_step(step)]
        self._insert(tables.transition, [dict(zip(columns, row, strict=True)) for row in fresh])

    def _retaggings(self, placed: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Rows of the tags that events give to claims, but for claims whose text was erased."""
        given = [(row, rows.payload_of(row["payload"]).get("tags")) for row in placed if row["type"] == RETAGGED]
        known = self.existing(tables.claim, "id", {row["claim_id"] for row, _ in given})
        found = {
            (row["claim_id"], row["clock"], rows.dump(tags))
            for row, tags in given
            if isinstance(tags, list) and row["claim_id"] in known and known[row["claim_id"]]["redacted_at"] is None
        }
        table = tables.retagging
        for claim_id in {claim_id for claim_id, _, _ in found}:
            found -= {(row.claim_id, row.clock, row.tags) for row in self._db.execute(select(table).where(table.c.claim_id == claim_id))}
        return [{"claim_id": claim_id, "clock": clock, "tags": tags} for claim_id, clock, tags in sorted(found)]

    def has_step(self, step: tuple[str, str, str]) -> bool:
        """Whether a transition is written down: (claim, digest of the old fingerprint, of the new one)."""
        table = tables.transition
        claim_id, old, new = step
        query = select(table.c.event_sequence).where(table.c.claim_id == claim_id, table.c[OLD] == old, table.c[NEW] == new)
        return self._db.execute(query).first() is not None

    def _untold(self, events: Sequence[Event]) -> list[Event]:
        """The events without the transitions that are known, or given twice."""
        fresh, seen = [], set()
        for event in events:
            step = _step(event.claim_id, event.payload)
            if step is None or (step not in seen and not self.has_step(step)):
                fresh.append(event)
            seen.add(step)
        return fresh

    def existing(self, table: Table, key: str, values: Iterable[str]) -> dict[str, Any]:
        """The rows of a table that have one of these keys, by key."""
        wanted = list(dict.fromkeys(values))
        column = table.c[key]
        found: dict[str, Any] = {}
        for start in range(0, len(wanted), _CHUNK):
            query = select(table).where(column.in_(wanted[start : start + _CHUNK]))
            found.update({row._mapping[key]: row._mapping for row in self._db.execute(query)})
        return found

    def once(self, table: Table, key: str, found: list[dict[str, Any]], erasable: Sequence[str] = ()) -> int:
        """Add the rows whose key is new; how many. Raises InvalidRecordError where a key is there with another content.

        Columns that a redaction may erase count as equal where either side was erased.
        """
        known: dict[str, Any] = self.existing(table, key, [row[key] for row in found])
        fresh: dict[str, dict[str, Any]] = {}
        for row in found:
            other = known.get(row[key]) or fresh.get(row[key])
            if other is None:
                fresh[row[key]] = row
            elif differing := [name for name in row if row[name] != other[name] and not (name in erasable and _is_erased(row[name], other[name]))]:
                what = table.name.replace("_", " ")
                raise InvalidRecordError(f"the {what} {row[key]!r} is there with another {differing[0]}; expected the same or a new id")
        self._insert(table, list(fresh.values()))
        return len(fresh)

    def cite(self, many: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Note which claim cites which evidence."""
        pairs = {(claim_id, reference) for claim_id, references in many for reference in references}
        known: set[tuple[str, str]] = set()
        claims = sorted({claim_id for claim_id, _ in pairs})
        table = tables.citation
        for start in range(0, len(claims), _CHUNK):
            query = select(table).where(table.c.claim_id.in_(claims[start : start + _CHUNK]))
            known.update((row.claim_id, row.evidence_id) for row in self._db.execute(query))
        self._insert(table, [{"claim_id": claim_id, "evidence_id": reference} for claim_id, reference in sorted(pairs - known)])

    def _last(self, column: Any) -> int:
        return int(self._db.execute(select(func.coalesce(func.max(column), 0))).scalar_one())

    def _insert(self, table: Table, found: list[dict[str, Any]]) -> None:
        if found:
            self._db.execute(insert(table), found)


def _is_erased(*texts: object) -> bool:
    """Whether one of them is, or holds, what stands where a text was erased."""
    return any(REDACTED in str(text) for text in texts)


def _step(claim_id: str, payload: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """Of a transition's event: its claim, and the digests of the fingerprints it leads from and to."""
    old, new = payload.get(OLD), payload.get(NEW)
    return (claim_id, rows.digest_of([old]), rows.digest_of([new])) if isinstance(old, str) and isinstance(new, str) else None


def premises_of(anchors: Iterable[Anchor]) -> dict[str, str]:
    """The digest of each anchor on a claim → that claim."""
    return {anchor.digest: str(anchor.target.get("claim", "")) for anchor in anchors if anchor.kind == "claim"}
