"""The code graph as a networkx MultiDiGraph: a bounded neighbourhood for questions, the whole for export.

Nodes are symbols with a `kind`; an edge's key is (predicate, analyzer, confidence kind), so that edges of different analyzers or
confidence stand side by side and never replace one another.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Literal, Protocol

import networkx as nx

from knowledge.records.edges import Edge, Limitation, NodeKind
from knowledge.records.identifiers import SymbolId

Direction = Literal["out", "in", "both"]

HUB = 500
"""Edges of one kind at one symbol beyond this are counted, not loaded."""
EDGES = 5_000
"""Edges of one neighbourhood."""


class EdgeSource(Protocol):
    """One tree's edges, by either end."""

    def out_edges(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]: ...

    def in_edges(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]: ...


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """What a whole graph was derived from."""

    revision: str
    limitations: tuple[Limitation, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A part of the graph. left_out: symbol → how many of its edges were not loaded."""

    graph: nx.MultiDiGraph
    left_out: dict[SymbolId, int]


def neighbourhood(
    source: EdgeSource, seeds: Iterable[SymbolId], predicates: Collection[str], *, direction: Direction = "both", depth: int = 2
) -> Neighbourhood:
    """Everything within `depth` edges of the seeds, nearest first; hubs and the whole are capped, and what was left out is counted."""
    graph = nx.MultiDiGraph()
    left_out: dict[SymbolId, int] = {}
    queue = deque((seed, 0) for seed in seeds)
    seen = {seed for seed, _ in queue}
    graph.add_nodes_from(seen)
    while queue:
        symbol, distance = queue.popleft()
        if distance >= depth:
            continue
        for edge in _around(source, symbol, predicates, direction, left_out):
            if graph.number_of_edges() >= EDGES:
                left_out[symbol] = left_out.get(symbol, 0) + 1
                continue
            add_edge(graph, edge)
            for other in (edge.subject, edge.object):
                if other not in seen:
                    seen.add(other)
                    queue.append((other, distance + 1))
    return Neighbourhood(graph, left_out)


def _around(source: EdgeSource, symbol: SymbolId, predicates: Collection[str], direction: Direction, left_out: dict[SymbolId, int]) -> Iterator[Edge]:
    for predicate in predicates:
        for is_wanted, ask in ((direction != "in", source.out_edges), (direction != "out", source.in_edges)):
            found = ask(symbol, predicate) if is_wanted else ()
            if len(found) > HUB:
                left_out[symbol] = left_out.get(symbol, 0) + len(found) - HUB
            yield from found[:HUB]


def add_edge(graph: nx.MultiDiGraph, edge: Edge) -> None:
    """Adds an edge under its key; another place of the same relation is added to `places`."""
    key = (edge.predicate, edge.said_by, edge.confidence_kind)
    if graph.has_edge(edge.subject, edge.object, key):
        graph.edges[edge.subject, edge.object, key]["places"].append((edge.row, edge.column))
        return
    graph.add_edge(edge.subject, edge.object, key, edge=edge, places=[(edge.row, edge.column)])


def whole_graph(edges: Iterable[Edge], kinds: dict[SymbolId, NodeKind], header: ExportHeader) -> nx.MultiDiGraph:
    """All edges of a tree with plain attributes, ready for export."""
    graph = nx.MultiDiGraph(revision=header.revision)
    limits = _limitations_by_path(header.limitations)
    for edge in edges:
        for symbol in (edge.subject, edge.object):
            name = str(symbol)
            if name not in graph:
                graph.add_node(name, kind=kind_of(symbol, kinds), scip=symbol.scip())
        key = f"{edge.predicate} {edge.said_by} {edge.confidence_kind}"
        attributes = {
            "predicate": edge.predicate, "confidence_kind": edge.confidence_kind, "reason": edge.reason, "rivals": edge.rivals,
            "analyzer": edge.analyzer, "analyzer_version": edge.analyzer_version, "configuration": edge.configuration, "revision": header.revision,
            "places": f"{edge.row + 1}:{edge.column}", "limitations": limits.get(edge.subject.path, ""),
        }  # fmt: skip
        if graph.has_edge(str(edge.subject), str(edge.object), key):
            graph.edges[str(edge.subject), str(edge.object), key]["places"] += f" {edge.row + 1}:{edge.column}"
        else:
            graph.add_edge(str(edge.subject), str(edge.object), key, **attributes)
    return graph


def kind_of(symbol: SymbolId, kinds: dict[SymbolId, NodeKind]) -> NodeKind:
    """What a node is; symbols that are not in `kinds` are told by their identity."""
    if symbol in kinds:
        return kinds[symbol]
    if symbol.is_external:
        return "config_key" if symbol.package.partition(":")[0] in ("environment", "configuration") else "external"
    if not symbol.qualified_name:
        return "file"
    return "route" if " /" in symbol.qualified_name else "symbol"


def to_graphml(graph: nx.MultiDiGraph) -> bytes:
    """The graph as GraphML."""
    out = BytesIO()
    nx.write_graphml(graph, out)
    return out.getvalue()


def to_json(graph: nx.MultiDiGraph) -> bytes:
    """The graph in networkx's node-link form: {"nodes": [...], "edges": [...]}."""
    document: dict[str, Any] = nx.node_link_data(graph, edges="edges")
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def _limitations_by_path(limitations: Iterable[Limitation]) -> dict[bytes, str]:
    found: dict[bytes, list[str]] = {}
    for limitation in limitations:
        found.setdefault(limitation.path, []).append(limitation.code)
    return {path: " ".join(sorted(set(codes))) for path, codes in found.items()}
