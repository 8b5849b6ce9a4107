"""A SCIP index held against a tree: its definitions become our symbols, its references our edges.

1. `fitting`: of which files does the index speak as they are here? Ranges must lie in the file and names stand where it says.
2. A definition is ours where its name begins at the same byte. A symbol of which the index holds no definition is outside of it.
3. A reference is an edge where our facts know a use of a name at its place (`places`). All others are counted, by cause.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from analyzers.facts import FileFacts
from knowledge.facts.importers.scip import DEFINITION, UTF8, UTF32, ScipDocument, ScipOccurrence
from knowledge.graph.places import CALLED_KINDS, VALUE_KINDS, Places, Use
from knowledge.graph.rows import Rows, Unit
from knowledge.records.edges import Edge, Predicate
from knowledge.records.identifiers import SymbolId, file_symbol

REASON = "scip"
PREDICATES: tuple[Predicate, ...] = ("calls", "imports", "implements", "overrides", "reads", "writes")
"""What an index is asked for."""
_MOST_MISSED = 0.05
"""A file in which more of the names stand elsewhere than the index says is another content."""
_NAME = re.compile(r"(?P<name>[\w$+\-]+)(?:\(\w*\)\.|[#./!])\Z")
_UNITS: dict[int, Unit] = {UTF8: "bytes", UTF32: "characters"}
"""Position encodings; indexers that do not say which they use are written in languages that count UTF-16 units."""
_IDENTIFIER = re.compile(rb"[^\W\d]\w*\Z")


class Files(Protocol):
    """One tree's files."""

    def text(self, path: bytes) -> bytes | None: ...

    def facts(self, path: bytes) -> FileFacts | None: ...


@dataclass(slots=True)
class ScipEdges:
    """edges: path → the edges going out of it, for every file that fits. unfit: path → why nothing was taken from it. left_out: cause → how many."""

    edges: dict[bytes, list[Edge]] = field(default_factory=dict)
    unfit: dict[bytes, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _File:
    """A document that fits the file it speaks of. starts: for each occurrence the byte at which it begins."""

    path: bytes
    document: ScipDocument
    places: Places
    starts: tuple[int, ...]


def scip_edges(documents: Iterable[tuple[bytes, ScipDocument]], files: Files) -> ScipEdges:
    """documents: each with the path of its file in the tree."""
    found = ScipEdges()
    fitting = [file for path, document in documents if (file := _fitting(path, document, files, found)) is not None]
    targets = _definitions(fitting, found)
    kinds = _kinds(fitting)
    for file in fitting:
        edges = {(e.start, e.predicate, e.object): e for e in _references(file, targets, kinds, found)}
        said = {(e.subject, e.predicate, e.object) for e in edges.values()}
        told = [e for e in _implementations(file, targets, kinds) if (e.subject, e.predicate, e.object) not in said]
        found.edges[file.path] = [*edges.values(), *told]
    return found


def _fitting(path: bytes, document: ScipDocument, files: Files, found: ScipEdges) -> _File | None:
    """The document, if it speaks of the file as it is in the tree."""
    text, facts = files.text(path), files.facts(path)
    if text is None or facts is None:
        found.unfit[path] = "no such file" if text is None else "not read by this program"
        return None
    if document.text and document.text.encode() != text:
        found.unfit[path] = "other content"
        return None
    rows, unit = Rows(text), _UNITS.get(document.encoding, "utf-16")
    starts: list[int] = []
    ends: list[int] = []
    for occurrence in document.occurrences:
        place = occurrence.range
        starts.append(rows.byte_at(place.row, place.character, unit))
        ends.append(rows.byte_at(place.end_row, place.end_character, unit))
    if -1 in starts or -1 in ends:
        found.unfit[path] = "other content"
        return None
    checked = [text[s:e] == name for o, s, e in zip(document.occurrences, starts, ends, strict=True) if (name := _told_name(o, text[s:e]))]
    if checked.count(False) > _MOST_MISSED * len(checked):
        found.unfit[path] = "other content"
        return None
    return _File(path, document, Places(path, facts), tuple(starts))


def _told_name(occurrence: ScipOccurrence, there: bytes) -> bytes:
    """The name that should stand where a symbol is defined; b"" where that cannot be said."""
    name = _NAME.search(occurrence.symbol) if occurrence.roles & DEFINITION else None
    return name["name"].encode() if name is not None and _IDENTIFIER.match(there) and not name["name"].startswith("__") else b""


def _definitions(files: Sequence[_File], found: ScipEdges) -> dict[str, list[SymbolId]]:
    """Symbol of the index → our definitions of it. Local symbols are told apart by their file."""
    targets: dict[str, list[SymbolId]] = {}
    for file in files:
        for occurrence, start in zip(file.document.occurrences, file.starts, strict=True):
            if not occurrence.roles & DEFINITION:
                continue
            index = file.places.definitions.get(start)
            if index is not None:
                symbol = file.places.meant(index)
            elif start == 0 and occurrence.symbol.endswith(("/", ":")):
                symbol = file_symbol(file.path)
            else:
                found.left_out["definitions that are none here"] += 1
                continue
            known = targets.setdefault(_key(file, occurrence.symbol), [])
            if symbol not in known:
                known.append(symbol)
    return targets


def _key(file: _File, symbol: str) -> str:
    return f"{file.document.path}\0{symbol}" if symbol.startswith("local ") else symbol


def _kinds(files: Sequence[_File]) -> dict[SymbolId, str]:
    return {file.places.symbol(i): file.places.definition(i).kind for file in files for i in file.places.definitions.values()}


def _references(file: _File, targets: Mapping[str, list[SymbolId]], kinds: Mapping[SymbolId, str], found: ScipEdges) -> Iterator[Edge]:
    for occurrence, start in zip(file.document.occurrences, file.starts, strict=True):
        if occurrence.roles & DEFINITION:
            continue
        known, use = targets.get(_key(file, occurrence.symbol)), file.places.uses.get(start)
        if known is None:
            found.left_out["references to what the index does not define"] += 1
        elif use is None:
            found.left_out["references that are no call, import, base, read or write here"] += 1
        else:
            for symbol in known:
                predicate = _predicate(use, kinds.get(symbol, "module"))
                # A function may call itself; that a thing reads itself is only its own declaration.
                if predicate is not None and (symbol != use.owner or predicate == "calls"):
                    yield _edge(use.owner, predicate, symbol, use)


def _predicate(use: Use, kind: str) -> Predicate | None:
    """What a use of a thing of that kind is; None for what the graph does not hold."""
    match use.predicate:
        case "calls":
            return "calls" if kind in CALLED_KINDS else "reads" if kind in VALUE_KINDS else None
        case "reads" | "writes":
            return use.predicate if kind in VALUE_KINDS else None
        case "implements":
            return "implements" if kind not in VALUE_KINDS and kind != "module" else None
        case _:
            return use.predicate


def _implementations(file: _File, targets: Mapping[str, list[SymbolId]], kinds: Mapping[SymbolId, str]) -> Iterator[Edge]:
    """What the index says that a class implements, and which methods a method overrides."""
    own = {file.places.symbol(index): file.places.definition(index) for index in file.places.definitions.values()}
    for symbol, other in file.document.implementations:
        for subject in own.keys() & targets.get(symbol, ()):
            span, name = own[subject].name_span, own[subject].name
            for target in targets.get(other, ()):
                is_type = kinds.get(subject) not in ("function", "method", *VALUE_KINDS)
                predicate: Predicate = "implements" if is_type else "overrides"
                yield _edge(subject, predicate, target, Use(subject, predicate, span, name))


def _edge(subject: SymbolId, predicate: Predicate, target: SymbolId, use: Use) -> Edge:
    span = use.span
    return Edge(subject, predicate, target, "resolved", REASON, span.start, span.end, span.row, span.column, use.name)
