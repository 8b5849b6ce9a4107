"""Edges, reads, limitations, definitions and manifests as bytes. MessagePack, with each symbol and text written once."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import get_args

import msgspec

from knowledge.records.definition_rows import DefinitionRow
from knowledge.records.edges import ConfidenceKind, Edge, Limitation, Predicate
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import PastCommit, Read
from knowledge.storage.keys import indexed_name

PREDICATES: tuple[Predicate, ...] = get_args(Predicate)
CONFIDENCE: tuple[ConfidenceKind, ...] = get_args(ConfidenceKind)
PREDICATE_CODES: dict[str, int] = {name: code for code, name in enumerate(PREDICATES)}
_CONFIDENCE_CODES: dict[str, int] = {name: code for code, name in enumerate(CONFIDENCE)}
_MANIFEST_LEVEL = 1

_encode = msgspec.msgpack.Encoder().encode
_edges = msgspec.msgpack.Decoder(tuple[list[tuple[bytes, str, int, str]], list[str], list[list[int]]])
_definitions = msgspec.msgpack.Decoder(list[DefinitionRow])
_reads = msgspec.msgpack.Decoder(list[tuple[str, str, str]])
_limitations = msgspec.msgpack.Decoder(list[tuple[str, str, bytes, int]])
_past_line = msgspec.msgpack.Decoder(list[tuple[list[str], list[bytes]]])
_past_commit = msgspec.msgpack.Decoder(tuple[list[str], list[bytes]])
_manifest = msgspec.msgpack.Decoder(tuple[list[bytes], list[int], list[int], list[bytes]])


def pack_edges(edges: Iterable[Edge]) -> tuple[bytes, dict[SymbolId, int]]:
    """All edges of a file, which `unpack_edges` gives back in order; and each object with its predicates (`predicate_mask`)."""
    symbols: dict[SymbolId, int] = {}
    places: dict[int, int] = {}
    texts: dict[str, int] = {}

    def place(symbol: SymbolId) -> int:
        # Mostly the same objects come again: asking for their identity is quicker than hashing what they hold.
        found = places.get(id(symbol))
        if found is None:
            found = places[id(symbol)] = symbols.setdefault(symbol, len(symbols))
        return found

    text, predicates, confidence = texts.setdefault, PREDICATE_CODES, _CONFIDENCE_CODES
    edges = list(edges)
    rows = [
        (
            place(edge.subject), predicates[edge.predicate], place(edge.object), confidence[edge.confidence_kind],
            text(edge.reason, len(texts)), edge.start, edge.end, edge.row, edge.column, text(edge.name, len(texts)), edge.rivals,
            text(edge.analyzer, len(texts)), text(edge.analyzer_version, len(texts)),
        )
        for edge in edges
    ]  # fmt: skip
    listed = list(symbols)
    masks: dict[SymbolId, int] = {}
    for target, code in {(row[2], row[1]) for row in rows}:
        masks[listed[target]] = masks.get(listed[target], 0) | 1 << code
    return _encode(([(s.path, s.qualified_name, s.ordinal, s.package) for s in listed], list(texts), rows)), masks


def predicate_mask(predicate: str | None) -> int:
    """One predicate as a bit, None as all of them."""
    return (1 << len(PREDICATES)) - 1 if predicate is None else 1 << PREDICATE_CODES[predicate]


def unpack_targets(packed: bytes) -> set[SymbolId]:
    """Every symbol that is the object of one of a file's edges."""
    symbol_rows, _, rows = _edges.decode(packed)
    return {SymbolId(*symbol_rows[target]) for target in {row[2] for row in rows}}


def unpack_edges(packed: bytes, predicate: str | None = None, wanted: set[SymbolId] | None = None, name: str | None = None) -> list[Edge]:
    """The edges of a file; only those with that predicate, an object among `wanted`, an object that is indexed by `name`."""
    symbol_rows, texts, rows = _edges.decode(packed)
    symbols = [SymbolId(*row) for row in symbol_rows]
    if predicate is not None:
        code = PREDICATE_CODES[predicate]
        rows = [row for row in rows if row[1] == code]
    if wanted is not None:
        places = {place for place, symbol in enumerate(symbols) if symbol in wanted}
        rows = [row for row in rows if row[2] in places]
    if name is not None:
        places = {place for place, symbol in enumerate(symbols) if indexed_name(symbol) == name}
        rows = [row for row in rows if row[2] in places]
    return [
        Edge(
            symbols[subject], PREDICATES[code], symbols[target], CONFIDENCE[confidence], texts[reason],
            start, end, line, column, texts[named], rivals, texts[analyzer], texts[version],
        )
        for subject, code, target, confidence, reason, start, end, line, column, named, rivals, analyzer, version in rows
    ]  # fmt: skip


def pack_reads(reads: Iterable[Read]) -> bytes:
    """What a resolution asked. `unpack_reads` gives it back in order."""
    return _encode([(read.kind, read.key, read.answer) for read in reads])


def unpack_reads(packed: bytes) -> tuple[Read, ...]:
    """What `pack_reads` packed."""
    return tuple(Read(*row) for row in _reads.decode(packed))


def pack_limitations(limitations: Iterable[Limitation]) -> bytes:
    """What a resolution could not show. `unpack_limitations` gives it back in order."""
    return _encode([(it.code, it.detail, it.path, it.row) for it in limitations])


def unpack_limitations(packed: bytes) -> tuple[Limitation, ...]:
    """What `pack_limitations` packed."""
    return tuple(Limitation(*row) for row in _limitations.decode(packed))


def pack_definitions(definitions: Iterable[DefinitionRow]) -> bytes:
    """A file's definitions."""
    return _encode(list(definitions))


def unpack_definitions(packed: bytes) -> list[DefinitionRow]:
    """What `pack_definitions` packed."""
    return _definitions.decode(packed)


def pack_manifest(files: dict[bytes, tuple[int, int]], removed: Iterable[bytes]) -> bytes:
    """A tree's files, or what differs from its base's."""
    columns = (list(files), [fact for fact, _ in files.values()], [resolution for _, resolution in files.values()], sorted(removed))
    return zlib.compress(_encode(columns), _MANIFEST_LEVEL)


def add_to_manifest(packed: bytes, files: dict[bytes, tuple[int, int]]) -> bytes:
    """A manifest that says the same, and this of these files."""
    own: dict[bytes, tuple[int, int]] = {}
    apply_manifest(packed, own)
    removed = _manifest.decode(zlib.decompress(packed))[3]
    return pack_manifest(own | files, [path for path in removed if path not in files])


def apply_manifest(packed: bytes, files: dict[bytes, tuple[int, int]]) -> list[bytes]:
    """Lay a manifest over the files of its base, in place; the paths that it says something of."""
    paths, facts, resolutions, removed = _manifest.decode(zlib.decompress(packed))
    for path in removed:
        files.pop(path, None)
    files.update(zip(paths, zip(facts, resolutions, strict=True), strict=True))
    return paths


def pack_past_commit(commit: PastCommit) -> bytes:
    """What `unpack_past_commit` gives back."""
    return _encode((sorted(commit.terms), list(commit.paths)))


def unpack_past_commit(payload: bytes) -> PastCommit:
    """Raises msgspec.MsgspecError for other bytes."""
    terms, paths = _past_commit.decode(payload)
    return PastCommit(frozenset(terms), tuple(paths))


def pack_past_line(commits: Iterable[PastCommit]) -> bytes:
    """What `unpack_past_line` gives back."""
    return zlib.compress(_encode([(sorted(commit.terms), list(commit.paths)) for commit in commits]), 1)


def unpack_past_line(payload: bytes) -> list[PastCommit]:
    """Raises zlib.error, msgspec.MsgspecError for other bytes."""
    return [PastCommit(frozenset(terms), tuple(paths)) for terms, paths in _past_line.decode(zlib.decompress(payload))]
