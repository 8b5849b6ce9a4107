"""The ledger as plain JSON rows, and back: format "knowledge-ledger", version 3.

`row` says what a row is. In whatever order they come:

    header     format, version, rows: how many there are of each other kind
    anchor     digest, kind, target
    claim      claim (all its fields), anchors [[digest, role]], statement_hash, redacted_at
    evidence   evidence (all its fields; file_path as `show_path` writes it)
    verdict    verdict (all its fields; `sequence` orders the verdicts of all ledgers)
    event      id, clock, event (all its fields; `sequence` is the exporting ledger's own)
    relation   relation (kind, source, target, detail)
    blob       blob_id, content (base64)
    analysis   analysis (all its fields), files [[path as `show_path` writes it, blob_id, digest of its edges]]
    edges      digest, payload (base64; `ledger_analyses.py`)
    run        run (all its fields but is_local), results (all their fields), coverage (base64, or null; `ledger_runs.py`)

Importing only adds: what is there is skipped, another content under a taken id is refused, and what either side has redacted stays redacted.
Events that are new get the next sequences here; `clock` puts those of one claim in the same order everywhere.
"""

from __future__ import annotations

import contextlib
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from sqlalchemy import Table, func, select

from knowledge.errors import InvalidRecordError, StoreTooNewError
from knowledge.records.analyses import Analysis
from knowledge.records.claims import Anchor, AnchorKind, Claim, Verdict
from knowledge.records.events import Event
from knowledge.records.evidence import Evidence
from knowledge.records.identifiers import read_path, show_path
from knowledge.records.runs import Run, TestResult
from knowledge.records.stored import DEPENDS_ON, PRIVATE, Imported, Relation
from knowledge.storage import ledger_rows as rows
from knowledge.storage import tables_ledger as tables
from knowledge.storage.database import Database
from knowledge.storage.files import LEDGER, connect_for_reading
from knowledge.storage.ledger_adding import Adding, premises_of
from knowledge.storage.ledger_analyses import Analyses, FileRow
from knowledge.storage.ledger_redaction import erase, erase_around, texts_of
from knowledge.storage.ledger_runs import Runs

FORMAT = "knowledge-ledger"
VERSION = 3
"""2 added what other programs said of the code, 3 runs."""
_CLOCK_BOUND = 1 << 62
"""No clock runs this far; what it would leave above itself has room for as many rows as anybody adds."""


class _Header(msgspec.Struct, tag_field="row", tag="header"):
    format: str
    version: int
    rows: dict[str, int]
    """How many rows of each kind follow: a cut-off file is noticed."""


class _Anchor(msgspec.Struct, tag_field="row", tag="anchor"):
    digest: str
    kind: AnchorKind
    target: dict[str, Any]


class _Claim(msgspec.Struct, tag_field="row", tag="claim"):
    claim: Claim
    anchors: list[tuple[str, str]]
    """(anchor digest, role)"""
    statement_hash: str
    redacted_at: str | None = None


class _Evidence(msgspec.Struct, tag_field="row", tag="evidence"):
    evidence: dict[str, Any]


class _Verdict(msgspec.Struct, tag_field="row", tag="verdict"):
    verdict: Verdict


class _Event(msgspec.Struct, tag_field="row", tag="event"):
    id: str
    clock: Annotated[int, msgspec.Meta(gt=0, lt=_CLOCK_BOUND)]
    event: Event


class _Relation(msgspec.Struct, tag_field="row", tag="relation"):
    relation: Relation


class _Blob(msgspec.Struct, tag_field="row", tag="blob"):
    blob_id: str
    content: bytes


class _Analysis(msgspec.Struct, tag_field="row", tag="analysis"):
    analysis: Analysis
    files: list[tuple[str, str, str]]


class _Edges(msgspec.Struct, tag_field="row", tag="edges"):
    digest: str
    payload: bytes


class _Run(msgspec.Struct, tag_field="row", tag="run"):
    run: Run
    results: list[TestResult]
    coverage: bytes | None = None


_Row = _Header | _Anchor | _Claim | _Evidence | _Verdict | _Event | _Relation | _Blob | _Analysis | _Edges | _Run
_Kind = TypeVar("_Kind", bound=msgspec.Struct)
_TABLES: dict[str, Table] = {
    "anchor": tables.anchor, "claim": tables.claim, "evidence": tables.evidence, "verdict": tables.verdict,
    "event": tables.event, "relation": tables.relation, "blob": tables.kept_blob, "analysis": tables.analysis, "edges": tables.outside_edges,
    "run": tables.run,
}  # fmt: skip
_KINDS: dict[str, type[msgspec.Struct]] = {
    "anchor": _Anchor, "claim": _Claim, "evidence": _Evidence, "verdict": _Verdict, "event": _Event, "relation": _Relation, "blob": _Blob,
    "analysis": _Analysis, "edges": _Edges, "run": _Run,
}  # fmt: skip
_CLAIM_ERASABLE = ("statement", "scope", "freshness_policy", "predicate", "tags", "detail", "redacted_at")


def export_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Every row of the ledger at `path`, as it was when the first one was asked for."""
    with contextlib.closing(Database(path, LEDGER, connect_for_reading(path), is_read_only=True)) as db:
        db.run("BEGIN")
        withheld = _private(db)
        counts = {kind: int(db.execute(select(func.count()).select_from(table)).scalar_one()) for kind, table in _TABLES.items()}
        if withheld.claims:
            kinds: Counter[type] = Counter(type(row) for row in _exported(db) if not withheld.has(row))
            counts = {kind: kinds[_KINDS[kind]] for kind in counts}
        yield _builtins(_Header(FORMAT, VERSION, counts))
        for row in _exported(db):
            if not withheld.has(row):
                yield _builtins(row)


class _Withheld:
    """What an export leaves out: private claims and what rests on them, all that is said of these, and anchors and evidence of nothing else."""

    def __init__(self, claims: set[str], anchors: set[str], evidence: set[str]) -> None:
        self.claims, self._anchors, self._evidence = claims, anchors, evidence

    def has(self, row: _Row) -> bool:
        """Whether a row is left out."""
        match row:
            case _Anchor():
                return row.digest in self._anchors
            case _Claim():
                return row.claim.id in self.claims
            case _Evidence():
                return row.evidence["id"] in self._evidence
            case _Verdict():
                return row.verdict.claim_id in self.claims
            case _Event():
                return row.event.claim_id in self.claims
            case _Relation():
                return bool({row.relation.source, row.relation.target} & self.claims)
        return False


def _private(db: Database) -> _Withheld:
    table = tables.claim
    likely = db.execute(select(table.c.id, table.c.detail).where(table.c.detail.contains(f'"{PRIVATE}"')))
    claims = {row.id for row in likely if rows.payload_of(row.detail).get(PRIVATE) is True}
    premise, relation = tables.premise, tables.relation
    rests = [(row.claim_id, row.premise_id) for row in db.execute(select(premise))] if claims else []
    rests += [(row.source, row.target) for row in db.execute(select(relation).where(relation.c.kind == DEPENDS_ON))] if claims else []
    while fresh := {claim_id for claim_id, below in rests if below in claims} - claims:
        claims |= fresh
    return _Withheld(claims, _only_theirs(db, tables.claim_anchor, "anchor_digest", claims), _only_theirs(db, tables.citation, "evidence_id", claims))


def _only_theirs(db: Database, link: Table, column: str, claims: set[str]) -> set[str]:
    """What these claims have and no other one."""
    if not claims:
        return set()
    pairs = [(row.claim_id, row._mapping[column]) for row in db.execute(select(link.c.claim_id, link.c[column]))]
    return {other for claim_id, other in pairs if claim_id in claims} - {other for claim_id, other in pairs if claim_id not in claims}


def _exported(db: Database) -> Iterator[_Row]:
    links: dict[str, list[tuple[str, str]]] = {}
    link = tables.claim_anchor
    for row in db.execute(select(link.c.claim_id, link.c.anchor_digest, link.c.role).order_by(link.c.claim_id, link.c.position)):
        links.setdefault(row.claim_id, []).append((row.anchor_digest, row.role))
    for row in db.execute(select(tables.anchor).order_by(tables.anchor.c.digest)):
        yield _Anchor(row.digest, row.kind, rows.payload_of(row.target))
    for row in db.execute(select(tables.claim).order_by(tables.claim.c.recorded_at, tables.claim.c.id)):
        yield _Claim(rows.claim_of(row), links.get(row.id, []), row.statement_hash, row.redacted_at)
    for row in db.execute(select(tables.evidence).order_by(tables.evidence.c.id)):
        evidence = rows.evidence_of_row(row)
        yield _Evidence(msgspec.to_builtins(evidence) | {"file_path": show_path(evidence.file_path)})
    for row in db.execute(select(tables.verdict).order_by(tables.verdict.c.sequence, tables.verdict.c.id)):
        yield _Verdict(rows.verdict_of(row))
    for row in db.execute(select(tables.event).order_by(tables.event.c.sequence)):
        yield _Event(row.id, row.clock, rows.event_of(row))
    for row in db.execute(select(tables.relation).order_by(tables.relation.c.id)):
        yield _Relation(rows.relation_of(row))
    for row in db.execute(select(tables.kept_blob).order_by(tables.kept_blob.c.blob_id)):
        yield _Blob(row.blob_id, zlib.decompress(row.content))
    analyses = Analyses(db, Adding(db))
    for analysis in analyses.all():
        yield _Analysis(analysis, [(show_path(file.path), file.blob_id, file.edges_digest) for file in analyses.files([analysis.id])])
    for digest, payload in analyses.payloads():
        yield _Edges(digest, payload)
    runs = Runs(db, Adding(db))
    for run in reversed(runs.runs()):
        yield _Run(replace(run, is_local=False), runs.results(run.id), runs.payload(run.id))


def _builtins(row: _Row) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(row)
    return plain


def import_rows(db: Database, adding: Adding, analyses: Analyses, runs: Runs, exported: Iterable[Mapping[str, Any]]) -> Imported:
    """See `Ledger.import_rows`."""
    found = [_read(number, row) for number, row in enumerate(exported, 1)]
    _check_header(found)
    with db.transaction():
        done = _Import(db, adding, found)
        done.run()
        done.add_analyses(analyses)
        done.add_runs(runs)
        return done.counted()


def _read(number: int, row: Mapping[str, Any]) -> _Row:
    try:
        found: _Row = msgspec.convert(row, _Row)
        return found
    except msgspec.ValidationError as error:
        raise InvalidRecordError(f"row {number} of the import is no row of {FORMAT!r} version {VERSION}: {error}") from error


def _check_header(found: Sequence[_Row]) -> None:
    headers = _only(found, _Header)
    if len(headers) != 1 or headers[0].format != FORMAT:
        raise InvalidRecordError(f"the import has {len(headers)} header rows; expected one with format {FORMAT!r}")
    if headers[0].version > VERSION:
        raise StoreTooNewError(f"the import has version {headers[0].version}, this program reads up to {VERSION}. Upgrade the program.")
    for name, kind in _KINDS.items():
        there, told = len(_only(found, kind)), headers[0].rows.get(name, 0)
        if there != told:
            raise InvalidRecordError(f"the import has {there} rows of kind {name!r} where its header says {told}; the file is cut off or was edited")


def _only(found: Sequence[Any], kind: type[_Kind]) -> list[_Kind]:
    return [row for row in found if isinstance(row, kind)]


class _Import:
    """One import: kind by kind, so that what is pointed at is there first."""

    def __init__(self, db: Database, adding: Adding, found: Sequence[_Row]) -> None:
        self._db, self._adding, self._found = db, adding, found
        self._added: Counter[str] = Counter()
        self._present: Counter[str] = Counter()
        self._claims = {row.claim.id: row for row in _only(found, _Claim)}
        self._redacted: set[str] = set()

    def run(self) -> None:
        """Take in all that belongs to claims."""
        adding = self._adding
        anchors = [Anchor(row.digest, row.kind, row.target) for row in _only(self._found, _Anchor)]
        self._count("anchor", len(anchors), adding.anchors(anchors))
        evidence = [_evidence(row) for row in _only(self._found, _Evidence)]
        self._count("evidence", len(evidence), adding.evidence(evidence))
        self._add_claims(anchors)
        self._add_verdicts()
        self._add_events()
        relations = _only(self._found, _Relation)
        self._count("relation", len(relations), adding.relations(row.relation for row in relations))
        blobs = _only(self._found, _Blob)
        self._count("blob", len(blobs), adding.blobs({row.blob_id: row.content for row in blobs}))
        for claim_id in sorted(self._redacted):
            erase_around(self._db, claim_id, texts_of(self._claims[claim_id].claim))

    def add_analyses(self, analyses: Analyses) -> None:
        """Take in what other programs said."""
        edges, found = _only(self._found, _Edges), _only(self._found, _Analysis)
        self._count("edges", len(edges), analyses.add_payloads({row.digest: row.payload for row in edges}))
        files = [FileRow(row.analysis.id, read_path(path), blob_id, digest) for row in found for path, blob_id, digest in row.files]
        self._count("analysis", len(found), analyses.add_rows([row.analysis for row in found], files))

    def add_runs(self, runs: Runs) -> None:
        """Take in what was seen when something was run elsewhere."""
        found = _only(self._found, _Run)
        known = self._adding.existing(tables.run, "id", [row.run.id for row in found])
        for row in found:
            if row.run.id not in known:
                runs.add_raw(replace(row.run, is_local=False), row.results, row.coverage)
            elif replace(runs.run(row.run.id), is_local=False) != replace(row.run, is_local=False):
                raise InvalidRecordError(f"the run {row.run.id!r} is in this ledger with other content; nothing was imported")
        self._count("run", len(found), len(found) - len(known))

    def counted(self) -> Imported:
        """How many rows of each kind were new, and how many were there."""
        return Imported(dict(self._added), dict(self._present))

    def _count(self, kind: str, there: int, added: int) -> None:
        self._added[kind] += added
        self._present[kind] += there - added

    def _add_claims(self, anchors: Sequence[Anchor]) -> None:
        fresh = []
        known = self._adding.existing(tables.claim, "id", self._claims)
        for claim_id, row in self._claims.items():
            made = rows.claim_row(row.claim) | {"statement_hash": row.statement_hash, "redacted_at": row.redacted_at}
            mine = known.get(claim_id)
            if mine is None:
                fresh.append((made, row.claim, row.anchors))
                continue
            is_redacted = bool(mine["redacted_at"] or row.redacted_at)
            _refuse_other("claim", claim_id, mine, made, _CLAIM_ERASABLE if is_redacted else ())
            if row.redacted_at and not mine["redacted_at"]:
                erase(self._db, claim_id, row.redacted_at)
            if is_redacted:
                self._redacted.add(claim_id)
        self._adding.raw_claims(fresh, premises_of(anchors))
        self._count("claim", len(self._claims), len(fresh))

    def _add_verdicts(self) -> None:
        found = sorted((row.verdict for row in _only(self._found, _Verdict)), key=lambda verdict: (verdict.sequence, verdict.id))
        known = self._adding.existing(tables.verdict, "id", [verdict.id for verdict in found])
        fresh = []
        for verdict in found:
            if not 0 < verdict.sequence < _CLOCK_BOUND:
                raise InvalidRecordError(f"the verdict {verdict.id!r} of the import has the sequence {verdict.sequence}, which no ledger gives")
            made = rows.verdict_row(verdict, verdict.sequence)
            if verdict.id in known:
                _refuse_other("verdict", verdict.id, known[verdict.id], made, ("reason", "fingerprint") if verdict.claim_id in self._redacted else ())
            else:
                fresh.append((made, verdict))
        self._adding.raw_verdicts([made for made, _ in fresh], [verdict for _, verdict in fresh])
        self._count("verdict", len(found), len(fresh))

    def _add_events(self) -> None:
        found = sorted(_only(self._found, _Event), key=lambda row: (row.event.sequence, row.id))
        known = self._adding.existing(tables.event, "id", [row.id for row in found])
        fresh = []
        for row in found:
            made = rows.event_row(row.event, 0, row.clock) | {"id": row.id}
            if row.id in known:
                erasable = ("sequence", "payload") if row.event.claim_id in self._redacted else ("sequence",)
                _refuse_other("event", row.id, known[row.id], made, erasable)
            else:
                fresh.append(made)
        self._adding.raw_events(fresh)
        self._count("event", len(found), len(fresh))


def _refuse_other(kind: str, name: str, mine: Mapping[str, Any], made: Mapping[str, Any], erasable: Sequence[str]) -> None:
    differing = [column for column in made if made[column] != mine[column] and column not in erasable]
    if differing:
        raise InvalidRecordError(f"the {kind} {name!r} is in this ledger with another {differing[0]}; nothing was imported")


def _evidence(row: _Evidence) -> Evidence:
    values = dict(row.evidence)
    if not isinstance(values.get("file_path"), str):
        raise InvalidRecordError(f"the evidence {values.get('id')!r} of the import has no file_path")
    path = read_path(values.pop("file_path"))
    try:
        evidence = msgspec.convert(values | {"file_path": b""}, Evidence)
    except msgspec.ValidationError as error:
        raise InvalidRecordError(f"the evidence {values.get('id')!r} of the import is not well formed: {error}") from error
    return replace(evidence, file_path=path)
