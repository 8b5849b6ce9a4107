"""Questions to the code graph. Every answer says how each member is known, where, what was left out, and what could not be seen.

An empty answer means "not found", never "does not exist": it carries the limitations that bear on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import networkx as nx

from knowledge.graph.network import EdgeSource, neighbourhood
from knowledge.records.edges import ConfidenceKind, Edge, Limitation
from knowledge.records.grades import rank_of
from knowledge.records.identifiers import SymbolId, file_symbol, show_path

MEMBERS = 200
"""Members of one answer; the rest is counted."""
REACH = 6
"""How many calls a test may be away from what it is said to reach."""
PARTS = 400
"""Definitions inside of a file or a class whose tests are looked for."""
PATH = 12
"""The longest path that is looked for."""
_NAMED_LIMITATIONS = 10
RANK: dict[ConfidenceKind, int] = {"resolved": 0, "observed": 1, "inferred": 2}
"""Better known first."""
_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})
_REFERRING = ("calls", "imports", "reads", "implements", "decorates", "handles", "overrides")


class GraphSource(EdgeSource, Protocol):
    """One tree's graph, and what is known of its gaps."""

    def is_test(self, symbol: SymbolId) -> bool:
        """Whether the symbol is a test (or a file of tests)."""
        ...

    def parts(self, symbol: SymbolId) -> Sequence[SymbolId]:
        """The definitions inside of a file or of a class; () of anything else."""
        ...

    def limitations(self, path: bytes) -> Sequence[Limitation]:
        """What could not be seen in one file; for b"" what holds for the whole tree (files skipped, languages without resolution)."""
        ...

    def askers(self, name: str) -> Sequence[bytes]:
        """Files that use this short name in a way that could only be answered by name: they noted the read ("name", name)."""
        ...


@dataclass(frozen=True, slots=True)
class Member:
    """One thing that an answer found. edges: the evidence. distance: how many steps away. analyzers: who says so."""

    symbol: SymbolId
    confidence_kind: ConfidenceKind
    reason: str
    edges: tuple[Edge, ...]
    distance: int = 1

    @property
    def analyzers(self) -> tuple[str, ...]:
        return tuple(sorted({edge.said_by for edge in self.edges}))

    @property
    def is_weaker(self) -> bool:
        """Whether less is known of the membership than of the edges that it rests on: reached through others, or by what it overrides."""
        return all(RANK[edge.confidence_kind] < RANK[self.confidence_kind] for edge in self.edges)


@dataclass(frozen=True, slots=True)
class Answer:
    """members: best known first. left_out: members or edges beyond the bounds. limitations: what might hide further members."""

    question: str
    subject: SymbolId
    members: tuple[Member, ...]
    left_out: int
    limitations: tuple[Limitation, ...]

    def counts(self) -> dict[str, int]:
        """Members by confidence kind."""
        kinds: tuple[ConfidenceKind, ...] = ("resolved", "observed", "inferred")
        return {kind: sum(member.confidence_kind == kind for member in self.members) for kind in kinds}


@dataclass(frozen=True, slots=True)
class Impact:
    """Whom to check when a signature changes."""

    callers: Answer
    overriders: Answer
    overridden: Answer
    subclasses: Answer
    importers: Answer
    readers: Answer
    routes: Answer
    tests: Answer

    def sections(self) -> tuple[Answer, ...]:
        return (self.callers, self.overriders, self.overridden, self.subclasses, self.importers, self.readers, self.routes, self.tests)


def callers(source: GraphSource, symbol: SymbolId) -> Answer:
    """Who calls it: directly, by making an object of its class (for a constructor), or perhaps through a method that it overrides."""
    found = [_incoming(edge) for edge in source.in_edges(symbol, "calls")]
    owner, _, name = symbol.qualified_name.rpartition(".")
    if name in _CONSTRUCTORS and owner:
        found += [_incoming(edge) for edge in source.in_edges(SymbolId(symbol.path, owner), "calls")]
    for above in source.out_edges(symbol, "overrides"):
        found += [_incoming(edge, "inferred", "override") for edge in source.in_edges(above.object, "calls")]
    return _answer("callers", source, symbol, found, symbol.name)


def callees(source: GraphSource, symbol: SymbolId) -> Answer:
    """What it calls, and perhaps what overrides that."""
    found = [_outgoing(edge) for edge in source.out_edges(symbol, "calls")]
    return _answer("callees", source, symbol, found)


def subclasses(source: GraphSource, symbol: SymbolId) -> Answer:
    """Classes that derive from it, at any distance."""
    return _transitive("subclasses", source, symbol, "implements")


def implementers(source: GraphSource, symbol: SymbolId) -> Answer:
    """What implements it: subclasses of a class, overriding methods of a method."""
    found = _transitive("implementers", source, symbol, "implements")
    return found if found.members else _transitive("implementers", source, symbol, "overrides")


def importers(source: GraphSource, symbol: SymbolId) -> Answer:
    """Files that import it."""
    return _answer("importers", source, symbol, [_incoming(edge) for edge in source.in_edges(symbol, "imports")])


def imports_of(source: GraphSource, symbol: SymbolId) -> Answer:
    """What a file imports."""
    subject = file_symbol(symbol.path)
    return _answer("imports", source, subject, [_outgoing(edge) for edge in source.out_edges(subject, "imports")])


def readers(source: GraphSource, symbol: SymbolId) -> Answer:
    """What reads an attribute, constant, environment variable or configuration key."""
    return _answer("readers", source, symbol, [_incoming(edge) for edge in source.in_edges(symbol, "reads")])


def writers(source: GraphSource, symbol: SymbolId) -> Answer:
    """What writes it."""
    return _answer("writers", source, symbol, [_incoming(edge) for edge in source.in_edges(symbol, "writes")])


def tests_of(source: GraphSource, symbol: SymbolId) -> Answer:
    """Tests that exercise it: known as their call is where they call it, inferred where they only reach it through other calls.

    Of a file or a class: tests that exercise any part of it.
    """
    parts = source.parts(symbol)
    subjects = [symbol, *parts[:PARTS]]
    owner, _, name = symbol.qualified_name.rpartition(".")
    asked = [*subjects, SymbolId(symbol.path, owner)] if name in _CONSTRUCTORS and owner else subjects
    direct = [_outgoing(edge) for subject in asked for edge in source.out_edges(subject, "tested_by")]
    known = {*subjects, *(member.symbol for member in direct)}
    around = neighbourhood(source, subjects, ("calls",), direction="in", depth=REACH)
    distances = nx.multi_source_dijkstra_path_length(around.graph.reverse(copy=False), set(subjects), weight=None)
    reached = []
    for other, distance in distances.items():
        if other not in known and source.is_test(other):
            onwards = (data["edge"] for _, _, data in around.graph.out_edges(other, data=True))
            edges = sorted((edge for edge in onwards if distances.get(edge.object) == distance - 1), key=_order)
            if distance == 1:
                reached += [Member(other, edge.confidence_kind, "call", (edge,)) for edge in edges]
            else:
                reached.append(Member(other, "inferred", "reached", tuple(edges[:1]), int(distance)))
    left_out = sum(around.left_out.values()) + max(0, len(parts) - PARTS)
    return _answer("tests", source, symbol, [*direct, *reached], symbol.name, left_out)


def impact(source: GraphSource, symbol: SymbolId) -> Impact:
    """Whom to check when the signature of `symbol` changes."""
    return Impact(
        callers(source, symbol),
        _transitive("overriders", source, symbol, "overrides"),
        _answer("overridden", source, symbol, [_outgoing(edge) for edge in source.out_edges(symbol, "overrides")]),
        subclasses(source, symbol),
        importers(source, symbol),
        readers(source, symbol),
        _answer("routes", source, symbol, [_incoming(edge) for edge in source.in_edges(symbol, "handles")]),
        tests_of(source, symbol),
    )


def path(source: GraphSource, start: SymbolId, end: SymbolId) -> Answer:
    """A shortest chain of calls from one symbol to another, through proven calls if there is one; its members are the steps."""
    around = neighbourhood(source, [start], ("calls", "handles"), direction="out", depth=PATH)
    for allowed in (("resolved", "observed"), ("resolved", "observed", "inferred")):
        steps = _shortest(around.graph, start, end, allowed)
        if steps:
            return Answer("path", start, tuple(steps), sum(around.left_out.values()), tuple(_bearing(source, start, steps, "")))
    return _answer("path", source, start, [], end.name, sum(around.left_out.values()))


def unreferenced(source: GraphSource, symbols: Iterable[SymbolId]) -> list[SymbolId]:
    """Those of the symbols that no edge refers to: candidates only, for what runs them may not be visible.

    Constructors, special methods, tests and overriding methods are alive by what they are.
    """
    return [symbol for symbol in symbols if not _is_alive(source, symbol)]


def _is_alive(source: GraphSource, symbol: SymbolId) -> bool:
    name = symbol.name
    if name in _CONSTRUCTORS or (name.startswith("__") and name.endswith("__")) or source.is_test(symbol):
        return True
    if any(source.in_edges(symbol, predicate) for predicate in _REFERRING):
        return True
    return bool(source.out_edges(symbol, "overrides")) or bool(source.askers(name))


def _shortest(graph: nx.MultiDiGraph, start: SymbolId, end: SymbolId, allowed: Collection[str]) -> list[Member]:
    usable = [(a, b) for a, b, key in graph.edges(keys=True) if key[2] in allowed]
    plain = nx.DiGraph(usable)
    if start not in plain or end not in plain or not nx.has_path(plain, start, end):
        return []
    nodes = nx.shortest_path(plain, start, end)
    found = []
    for distance, (one, other) in enumerate(pairwise(nodes), 1):
        edges = sorted((data["edge"] for data in graph[one][other].values() if data["edge"].confidence_kind in allowed), key=_order)
        found.append(Member(other, edges[0].confidence_kind, edges[0].reason, tuple(edges), distance))
    return found


def _transitive(question: str, source: GraphSource, symbol: SymbolId, predicate: str) -> Answer:
    """Everything from which edges of one kind lead to the symbol, at any distance."""
    found: list[Member] = []
    seen = {symbol}
    level, distance = [symbol], 1
    while level and len(found) <= MEMBERS:
        edges = [edge for below in level for edge in source.in_edges(below, predicate) if edge.subject not in seen]
        found += [Member(edge.subject, edge.confidence_kind, edge.reason, (edge,), distance) for edge in edges]
        level = list(dict.fromkeys(edge.subject for edge in edges))
        seen.update(level)
        distance += 1
    return _answer(question, source, symbol, found)


def _incoming(edge: Edge, kind: ConfidenceKind | None = None, reason: str = "") -> Member:
    return Member(edge.subject, kind or edge.confidence_kind, reason or edge.reason, (edge,))


def _outgoing(edge: Edge) -> Member:
    return Member(edge.object, edge.confidence_kind, edge.reason, (edge,))


def _order(edge: Edge) -> tuple[int, int]:
    return rank_of(edge.confidence_kind, edge.reason), edge.start


def _rank(member: Member) -> int:
    return rank_of(member.confidence_kind, member.reason)


def _merge(found: Iterable[Member]) -> list[Member]:
    """One member for each symbol, called by its best evidence, with all of it."""
    merged: dict[SymbolId, Member] = {}
    for member in found:
        other = merged.get(member.symbol)
        if other is None:
            merged[member.symbol] = member
            continue
        best, rest = (member, other) if _rank(member) < _rank(other) else (other, member)
        edges = (*best.edges, *(edge for edge in rest.edges if edge not in best.edges))
        merged[member.symbol] = Member(best.symbol, best.confidence_kind, best.reason, edges, min(best.distance, rest.distance))
    return list(merged.values())


def _answer(question: str, source: GraphSource, subject: SymbolId, found: Iterable[Member], asked_name: str = "", left_out: int = 0) -> Answer:
    members = sorted(_merge(found), key=lambda member: (_rank(member), member.distance, member.symbol))
    bearing = tuple(_bearing(source, subject, members, asked_name))
    return Answer(question, subject, tuple(members[:MEMBERS]), left_out + max(0, len(members) - MEMBERS), bearing)


def _bearing(source: GraphSource, subject: SymbolId, members: Sequence[Member], asked_name: str) -> Iterator[Limitation]:
    """What might hide further members: gaps of the tree, of the subject's own file, and uses of the name that could not be resolved."""
    yield from source.limitations(b"")
    if subject.path:
        yield from source.limitations(subject.path)
    if asked_name:
        seen = {edge.subject.path for member in members for edge in member.edges}
        hidden = [path for path in source.askers(asked_name) if path not in seen]
        for path in hidden[:_NAMED_LIMITATIONS]:
            yield Limitation("unresolved-use", f"a use of the name {asked_name} in {show_path(path)} could not be resolved", path)
        if len(hidden) > _NAMED_LIMITATIONS:
            yield Limitation("unresolved-use", f"and {len(hidden) - _NAMED_LIMITATIONS} files more use the name {asked_name}")
