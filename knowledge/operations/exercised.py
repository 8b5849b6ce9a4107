"""Which tests ran a symbol, as they were observed; and where what was seen and what was found by reading the code differ."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.operations.graph_tree import GraphTree
from knowledge.operations.retests import Retests
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, read_symbol, show_path

OBSERVER = "knowledge-observer"
FIXTURE = "fixture"
"""The reason of the edge from a test to its fixture."""
RAN = "ran"
"""The reason of a tested_by edge: the test ran the symbol, however it came to that."""


def observed_tests(symbol: SymbolId, parts: Iterable[SymbolId], retests: Retests) -> tuple[list[Edge], int]:
    """The tests that ran the symbol, or one of its parts, with the text that it has here, as edges; and how many ran it with another text: past."""
    wanted, found, past = {str(symbol), *map(str, parts)}, {}, set()
    definition = _definition(symbol, retests)
    for test, known in retests.known.items():
        coverage = retests.coverage(known.run)
        assert coverage is not None
        ran = [p for p in coverage.tests[test].ran if coverage.symbols[p].symbol in wanted]
        if not ran or not known.result.symbol or known.result.outcome == "skipped":
            continue
        target = read_symbol(known.result.symbol)
        if any(retests.is_as_it_ran(known.run, p) for p in ran):
            start, end, row, column = definition
            found[target] = Edge(symbol, "tested_by", target, "observed", RAN, start, end, row, column, symbol.name, 0, OBSERVER, known.run.id)
        else:
            past.add(target)
    return list(found.values()), len(past - found.keys())


def _definition(symbol: SymbolId, retests: Retests) -> tuple[int, int, int, int]:
    facts = retests.view.facts(symbol.path)
    spans = [d.name_span for d in facts.definitions if d.qualified_name == symbol.qualified_name] if facts is not None else []
    return (spans[0].start, spans[0].end, spans[0].row, spans[0].column) if spans else (0, 0, 0, 0)


def seen_and_not_found(graph: GraphTree, prefix: str) -> list[Edge]:
    """Calls that a run took and that reading the code does not show, in files below a path."""
    assert graph.outside is not None
    found = {}
    for path in sorted(p for p in graph.view.files if show_path(p).startswith(prefix)):
        static = {(e.subject, e.object) for e in graph.view.edges_of_file(path) if e.predicate == "calls"}
        static |= {(subject, SymbolId(o.path, f"{o.qualified_name}.{name}")) for subject, o in static for name in ("__init__", "__new__")}
        for edge in graph.outside.edges_from(path):
            if edge.confidence_kind == "observed" and edge.predicate == "calls" and not _is_among((edge.subject, edge.object), static):
                found[edge.subject, edge.object, edge.start] = edge
    return list(found.values())


def found_and_not_seen(graph: GraphTree, prefix: str, retests: Retests) -> list[Edge]:
    """Calls that reading the code shows, of functions that ran with the text that they have here, and that no run took."""
    assert graph.outside is not None
    ran = retests.ran_here
    found = []
    for path in sorted(p for p in graph.view.files if show_path(p).startswith(prefix)):
        seen = [e for e in graph.outside.edges_from(path) if e.confidence_kind == "observed" and e.predicate == "calls"]
        taken = {(e.subject, _callable(e.object)) for e in seen}
        for edge in graph.view.edges_of_file(path):
            if edge.predicate != "calls" or edge.object.is_external or str(edge.subject) not in ran or not _can_be_seen(edge.object, graph):
                continue
            # A fixture is called by pytest on behalf of the test: what ran of it was seen.
            is_seen = _is_among((edge.subject, edge.object), taken) or (edge.reason == FIXTURE and str(edge.object) in ran)
            if not is_seen:
                found.append(edge)
    return found


def _is_among(pair: tuple[SymbolId, SymbolId], pairs: Iterable[tuple[SymbolId, SymbolId]]) -> bool:
    subject, target = pair
    return pair in pairs or (subject, _callable(target)) in pairs


def _callable(target: SymbolId) -> SymbolId:
    """The class, where a constructor is called."""
    owner, _, name = target.qualified_name.rpartition(".")
    return SymbolId(target.path, owner, 0) if name in ("__init__", "__new__") and owner else target


def _can_be_seen(target: SymbolId, graph: GraphTree) -> bool:
    """Whether a call of it runs a function of the repository: a class without a constructor of its own runs none."""
    facts = graph.view.facts(target.path)
    if facts is None:
        return False
    names = {d.qualified_name: d.kind for d in facts.definitions}
    kind = names.get(target.qualified_name, "")
    return kind in ("function", "method", "property") or (kind == "class" and f"{target.qualified_name}.__init__" in names)
