"""The ledger's analyses: what other programs said of the code, packed once for each content, found by the object of an edge."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from sqlalchemy import select

from knowledge.errors import InvalidRecordError
from knowledge.records.analyses import AnalysedFile, Analysis
from knowledge.records.edges import Edge
from knowledge.records.events import Event
from knowledge.records.identifiers import SymbolId
from knowledge.storage import ledger_rows as rows
from knowledge.storage import tables_ledger as tables
from knowledge.storage.database import Database
from knowledge.storage.keys import symbol_key
from knowledge.storage.ledger_adding import Adding
from knowledge.storage.packing import pack_edges, unpack_edges

IMPORTED, WITHDRAWN = "AnalysisImported", "AnalysisWithdrawn"
MAX_PAYLOAD = 256 << 20
"""Bytes of one file's edges when unpacked; more is refused, for a small payload can unpack to a large one."""

_encode = msgspec.msgpack.Encoder().encode
_payload = msgspec.msgpack.Decoder(tuple[bytes, list[tuple[bytes, str]]])


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file of an analysis: whose, of what content, and where its edges are."""

    analysis_id: str
    path: bytes
    blob_id: str
    edges_digest: str


@dataclass(frozen=True, slots=True)
class OutsideEdges:
    """Unpacked edges of one file. pins: the content of the other files that they lead to."""

    edges: tuple[Edge, ...]
    pins: Mapping[bytes, str]


def analysis_id(analysis: Analysis, files: Iterable[FileRow]) -> str:
    """The identity of what was said, by whom and of which tree: who took it in, when and from where does not matter."""
    said = sorted((row.path.hex(), row.blob_id, row.edges_digest) for row in files)
    parts = (analysis.format, *analysis.analyzer, str(analysis.is_whole), analysis.snapshot_key, analysis.reference)
    return "a_" + rows.digest_of([*parts, *(":".join(row) for row in said)])[:12]


class Analyses:
    """The ways to analyses in the ledger."""

    def __init__(self, db: Database, adding: Adding) -> None:
        self._db, self._adding = db, adding

    def add(self, analysis: Analysis, files: Iterable[AnalysedFile]) -> tuple[Analysis, bool]:
        """Take in an analysis, all or nothing: as stored, with the id that follows from it, and whether it is new or was withdrawn before.

        `analysis.id` is not looked at.
        """
        packed = [(file, pack_outside(file)) for file in files]
        found = [FileRow("", file.path, file.blob_id, digest_of(payload)) for file, payload in packed]
        analysis = replace(analysis, id=analysis_id(analysis, found))
        with self._db.transaction():
            if any(known.id == analysis.id for known in self.standing()):
                return analysis, False
            if not self._adding.existing(tables.analysis, "id", [analysis.id]):
                self.add_payloads({row.edges_digest: payload for row, (_, payload) in zip(found, packed, strict=True)})
                self.add_rows([analysis], [replace(row, analysis_id=analysis.id) for row in found])
            self._adding.events([Event(0, IMPORTED, "", analysis.at, analysis.author, {"analysis": analysis.id, "tool": analysis.tool})])
        return analysis, True

    def withdraw(self, name: str, reason: str, *, at: str, author: str) -> None:
        """Let an analysis answer no more; its rows stay. The caller knows that it stands."""
        self._adding.events([Event(0, WITHDRAWN, "", at, author, {"analysis": name, "reason": reason})])

    def standing(self) -> list[Analysis]:
        """The analyses that were not withdrawn, oldest first."""
        event = tables.event
        query = select(event).where(event.c.type.in_((IMPORTED, WITHDRAWN))).order_by(event.c.clock, event.c.id)
        said = {(told := rows.event_of(row)).payload.get("analysis"): told.type for row in self._db.execute(query)}
        gone = {name for name, kind in said.items() if kind == WITHDRAWN}
        return [found for found in self.all() if found.id not in gone]

    def all(self) -> list[Analysis]:
        """Every analysis, oldest first."""
        table = tables.analysis
        return [rows.analysis_of(row) for row in self._db.execute(select(table).order_by(table.c.at, table.c.id))]

    def files(self, analysis_ids: Iterable[str] | None = None) -> list[FileRow]:
        """The files that these analyses, or all, looked at, by analysis and path."""
        table = tables.analysed_file
        query = select(table).order_by(table.c.analysis_id, table.c.path)
        if analysis_ids is not None:
            query = query.where(table.c.analysis_id.in_(list(analysis_ids)))
        return [FileRow(row.analysis_id, row.path, row.blob_id, row.edges_digest) for row in self._db.execute(query)]

    def edges(self, digest: str) -> OutsideEdges:
        """The edges of one file as packed: with no analyzer. Raises StoreCorruptError."""
        table = tables.outside_edges
        payload = self._db.execute(select(table.c.payload).where(table.c.digest == digest)).scalar_one()
        with self._db.unpacking():
            return unpack_outside(decompress(payload))

    def leading_to(self, symbols: Iterable[SymbolId]) -> set[str]:
        """Digests of the packed edges of which one leads to one of these symbols. One in 2^64 may be named that does not."""
        table = tables.outside_target
        query = select(table.c.digest).where(table.c.key.in_([symbol_key(symbol) for symbol in symbols]))
        return {row.digest for row in self._db.execute(query)}

    # Rows as an export brings them

    def payloads(self) -> list[tuple[str, bytes]]:
        """Every packed row of edges: (digest, payload)."""
        table = tables.outside_edges
        with self._db.unpacking():
            return [(row.digest, decompress(row.payload)) for row in self._db.execute(select(table).order_by(table.c.digest))]

    def add_payloads(self, payloads: Mapping[str, bytes]) -> int:
        """Add packed edges that are new; how many. Raises InvalidRecordError where a payload is not what its digest says, or no such thing."""
        for digest, payload in payloads.items():
            if digest_of(payload) != digest:
                raise InvalidRecordError(f"the edges {digest!r} have another content than their digest says")
        known = self._adding.existing(tables.outside_edges, "digest", payloads)
        fresh = {digest: payload for digest, payload in payloads.items() if digest not in known}
        self._db.many(
            "INSERT INTO outside_edges (digest, payload) VALUES (?, ?)", [(digest, zlib.compress(payload)) for digest, payload in fresh.items()]
        )
        targets = sorted({(symbol_key(symbol), digest) for digest, payload in fresh.items() for symbol in _targets(digest, payload)})
        self._db.many("INSERT INTO outside_target (key, digest) VALUES (?, ?)", targets)
        return len(fresh)

    def add_rows(self, analyses: Sequence[Analysis], files: Sequence[FileRow]) -> int:
        """Add analyses that are new, each with its files; how many. Raises InvalidRecordError where an id does not follow from the files."""
        known = self._adding.existing(tables.analysis, "id", [analysis.id for analysis in analyses])
        of_each: dict[str, list[FileRow]] = {analysis.id: [] for analysis in analyses}
        for row in files:
            of_each.setdefault(row.analysis_id, []).append(row)
        for analysis in analyses:
            if analysis_id(analysis, of_each[analysis.id]) != analysis.id:
                raise InvalidRecordError(f"the analysis {analysis.id!r} has other files than its id says")
        there = self._adding.existing(tables.outside_edges, "digest", [row.edges_digest for row in files])
        if missing := {row.edges_digest for row in files} - there.keys():
            raise InvalidRecordError(f"the edges {min(missing)!r} of an analysis are not there")
        fresh = {analysis.id: analysis for analysis in analyses if analysis.id not in known}
        self._insert(tables.analysis, [rows.analysis_row(analysis) for analysis in fresh.values()])
        columns = ("analysis_id", "path", "blob_id", "edges_digest")
        added = [(row.analysis_id, row.path, row.blob_id, row.edges_digest) for name in fresh for row in of_each[name]]
        self._insert(tables.analysed_file, [dict(zip(columns, row, strict=True)) for row in added])
        return len(fresh)

    def _insert(self, table: Any, found: list[dict[str, Any]]) -> None:
        if found:
            self._db.execute(table.insert(), found)


def pack_outside(file: AnalysedFile) -> bytes:
    """What was said of one file, without who said it; equal edges are equal bytes."""
    plain = sorted(file.edges, key=lambda edge: (edge.start, edge.predicate, str(edge.subject), str(edge.object), edge.confidence_kind, edge.reason))
    edges, _ = pack_edges(replace(edge, analyzer="", analyzer_version="", configuration="") for edge in plain)
    return _encode((edges, sorted(file.pins.items())))


def unpack_outside(payload: bytes) -> OutsideEdges:
    """What `pack_outside` packed. Raises msgspec's errors and IndexError."""
    edges, pins = _payload.decode(payload)
    return OutsideEdges(tuple(unpack_edges(edges)), dict(pins))


def digest_of(payload: bytes) -> str:
    """What a payload is kept under."""
    return hashlib.sha256(payload).hexdigest()[:24]


def decompress(stored: bytes) -> bytes:
    """A payload as stored, to its bound. Raises zlib.error and ValueError."""
    unpacking = zlib.decompressobj()
    payload = unpacking.decompress(stored, MAX_PAYLOAD)
    if not unpacking.eof:
        raise ValueError(f"longer than {MAX_PAYLOAD:,} bytes, or cut off")
    return payload


def _targets(digest: str, payload: bytes) -> set[SymbolId]:
    """The objects of packed edges, each of which is read, so that later readers can."""
    try:
        return {edge.object for edge in unpack_outside(payload).edges}
    except (msgspec.MsgspecError, IndexError, TypeError) as error:
        raise InvalidRecordError(f"the edges {digest!r} cannot be read: {error}") from error
