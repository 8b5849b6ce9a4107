"""A pyrefly report held against the tree that it was made of: its calls, bases and overrides as edges.

A call of the report is a stretch of text: of our calls that begin where it does, it is the one whose name stands last in it. What may run in place of
its target (`Overrides`) makes the edge inferred: the declared method is known, what runs is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from analyzers.facts import FileFacts, Span
from knowledge.facts.importers.pyrefly import Defined, PyreflyCall, PyreflyReport
from knowledge.graph.places import Places, Use
from knowledge.graph.rows import Rows
from knowledge.records.edges import ConfidenceKind, Edge, Predicate
from knowledge.records.identifiers import SymbolId, file_symbol

PREDICATES: tuple[Predicate, ...] = ("calls", "implements", "overrides")
"""What the report speaks of."""
DECLARED, OVERRIDES, IMPLICIT = "type", "overrides", "implicit"
"""Reasons: the type checker found the one target · what overrides it may run instead · nothing is written there that names it."""


class Files(Protocol):
    """One tree's files."""

    def text(self, path: bytes) -> bytes | None: ...

    def facts(self, path: bytes) -> FileFacts | None: ...


@dataclass(slots=True)
class PyreflyEdges:
    """edges: path → the edges going out of it, for every file that the report speaks of. left_out: cause → how many."""

    edges: dict[bytes, list[Edge]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def pyrefly_edges(report: PyreflyReport, files: Files) -> PyreflyEdges:
    """The edges of a report."""
    return _Edges(report, files).found


class _Edges:
    def __init__(self, report: PyreflyReport, files: Files) -> None:
        self.found = PyreflyEdges()
        self._files = files
        self._places: dict[bytes, tuple[Places, Rows]] = {}
        for path in report.paths:
            self._open(path)
        edges: dict[bytes, dict[tuple[object, ...], Edge]] = {path: {} for path in self._places}
        for edge in (*self._calls(report), *self._related(report.bases, "implements"), *self._related(report.overrides, "overrides")):
            edges[edge.subject.path].setdefault((edge.start, edge.predicate, edge.subject, edge.object), edge)
        self.found.edges = {path: list(several.values()) for path, several in edges.items()}

    def _open(self, path: bytes) -> None:
        text, facts = self._files.text(path), self._files.facts(path)
        if text is None or facts is None:
            self.found.left_out["files that this program does not read"] += 1
        else:
            self._places[path] = Places(path, facts), Rows(text)

    def _calls(self, report: PyreflyReport) -> Iterator[Edge]:
        for call in report.calls:
            target = self._symbol(call.target)
            if call.path not in self._places or target is None:
                self.found.left_out["calls between definitions that are none here"] += 1
                continue
            use = self._use(call)
            if use is None:
                self.found.left_out["calls that are none here"] += 1
                continue
            kind: ConfidenceKind = "inferred" if call.has_overrides else "resolved"
            reason = OVERRIDES if call.has_overrides else DECLARED if use.name else IMPLICIT
            yield _edge(use, "calls", target, kind, reason)

    def _use(self, call: PyreflyCall) -> Use | None:
        """Where the call's name stands, and who calls; for what is only implied the place that implies it, without a name."""
        places, rows = self._places[call.path]
        start = rows.byte_at(call.place.row, call.place.column, "bytes")
        end = rows.byte_at(call.place.end_row, call.place.end_column, "bytes")
        if start < 0 or end < start:
            return None
        if not call.place.kind and (named := [use for use in places.calls.get(start, ()) if use.span.end <= end]):
            return max(named, key=lambda use: use.span.start)
        owner = self._symbol(call.caller) if call.caller is not None else file_symbol(call.path)
        span = Span(start, end, call.place.row, start - rows.byte_at(call.place.row, 0, "bytes"), call.place.end_row, 0)
        return Use(owner, "calls", span, "") if owner is not None else None

    def _related(self, pairs: tuple[tuple[Defined, Defined], ...], predicate: Predicate) -> Iterator[Edge]:
        for one, other in pairs:
            subject, target = self._symbol(one), self._symbol(other)
            if subject is None or target is None:
                self.found.left_out["relations of definitions that are none here"] += 1
                continue
            places, _ = self._places[one.path]
            named = places.definition(places.index_of(subject))
            # Where the base is written under its own name; else where the class is named.
            written = (span for base, span in zip(named.bases, named.base_spans, strict=False) if base.name == target.name)
            span = next(written, named.name_span) if predicate == "implements" else named.name_span
            yield _edge(Use(subject, predicate, span, target.name), predicate, target, "resolved", DECLARED)

    def _symbol(self, defined: Defined) -> SymbolId | None:
        if defined.path not in self._places:
            return None
        places, rows = self._places[defined.path]
        index = places.definitions.get(rows.byte_at(defined.place.row, defined.place.column, "bytes"))
        return places.meant(index) if index is not None else None


def _edge(use: Use, predicate: Predicate, target: SymbolId, kind: ConfidenceKind, reason: str) -> Edge:
    span = use.span
    return Edge(use.owner, predicate, target, kind, reason, span.start, span.end, span.row, span.column, use.name)
