"""Questions to the graph (knowledge/graph/queries.py, network.py): members, confidence, evidence, bounds, and what could not be seen."""

import json
from collections.abc import Sequence
from dataclasses import replace

import networkx as nx
import pytest

from knowledge.graph import network, queries
from knowledge.records.edges import Edge, Limitation
from knowledge.records.identifiers import SymbolId, external_symbol, file_symbol


def symbol(text: str) -> SymbolId:
    path, _, name = text.partition("::")
    return SymbolId(path.encode(), name)


def edge(subject: str, predicate: str, object_: str, kind: str = "resolved", reason: str = "import", start: int = 0) -> Edge:
    return Edge(symbol(subject), predicate, symbol(object_), kind, reason, start, start + 1, start, 0)  # type: ignore[arg-type]


class Edges:
    """Edges in memory."""

    def __init__(self, edges: Sequence[Edge], askers: dict[str, list[bytes]] | None = None) -> None:
        self.edges = edges
        self._askers = askers or {}
        self.asked = 0

    def out_edges(self, symbol: SymbolId, predicate: str) -> list[Edge]:
        self.asked += 1
        return [edge for edge in self.edges if edge.subject == symbol and edge.predicate == predicate]

    def in_edges(self, symbol: SymbolId, predicate: str) -> list[Edge]:
        self.asked += 1
        return [edge for edge in self.edges if edge.object == symbol and edge.predicate == predicate]

    def is_test(self, symbol: SymbolId) -> bool:
        return symbol.path.startswith(b"tests/")

    def limitations(self, path: bytes) -> list[Limitation]:
        return [Limitation("dynamic-call", "eval", path)] if path == b"a.py" else []

    def parts(self, symbol: SymbolId) -> list[SymbolId]:
        inside = f"{symbol.qualified_name}." if symbol.qualified_name else ""
        found = {end for edge in self.edges for end in (edge.subject, edge.object)} - {symbol}
        return sorted(end for end in found if end.path == symbol.path and end.qualified_name.startswith(inside))

    def askers(self, name: str) -> list[bytes]:
        return self._askers.get(name, [])


def names(answer: queries.Answer) -> list[str]:
    return [f"{member.symbol} {member.confidence_kind}" for member in answer.members]


def test_callers_are_sorted_by_how_well_they_are_known() -> None:
    """Proven callers first; two places of one caller are one member with both as evidence."""
    source = Edges([
        edge("b.py::guess", "calls", "a.py::f", "inferred", "unique-name"),
        edge("z.py::run", "calls", "a.py::f", start=5), edge("z.py::run", "calls", "a.py::f", start=9),
        edge("c.py::seen", "calls", "a.py::f", "observed", "trace"),
    ])  # fmt: skip
    answer = queries.callers(source, symbol("a.py::f"))
    assert names(answer) == ["z.py::run resolved", "c.py::seen observed", "b.py::guess inferred"]
    assert [e.start for e in answer.members[0].edges] == [5, 9]
    assert answer.counts() == {"resolved": 1, "observed": 1, "inferred": 1}


def test_an_empty_answer_says_what_might_hide_members() -> None:
    """No callers found: the file's own gaps and the files that use the name without resolution are told."""
    answer = queries.callers(Edges([], {"f": [b"x.py", b"y.py"]}), symbol("a.py::f"))
    assert answer.members == ()
    assert [limitation.code for limitation in answer.limitations] == ["dynamic-call", "unresolved-use", "unresolved-use"]
    assert "x.py" in answer.limitations[1].detail


def test_callers_of_a_constructor_make_objects_of_its_class() -> None:
    """Calling the class is calling its `__init__`."""
    answer = queries.callers(Edges([edge("b.py::make", "calls", "a.py::C")]), symbol("a.py::C.__init__"))
    assert names(answer) == ["b.py::make resolved"]


def test_callers_of_the_overridden_method_may_call_the_overriding_one() -> None:
    """A call through the base class is an inferred caller of the override."""
    source = Edges([edge("a.py::Sub.run", "overrides", "a.py::Base.run"), edge("b.py::go", "calls", "a.py::Base.run")])
    answer = queries.callers(source, symbol("a.py::Sub.run"))
    assert [(str(m.symbol), m.confidence_kind, m.reason) for m in answer.members] == [("b.py::go", "inferred", "override")]


def test_edges_of_two_analyzers_stand_side_by_side() -> None:
    """One member, said by both."""
    own = edge("b.py::g", "calls", "a.py::f")
    source = Edges([own, replace(own, analyzer="pyrefly")])
    (member,) = queries.callers(source, symbol("a.py::f")).members
    assert member.analyzers == ("knowledge", "pyrefly")


def test_tests_that_call_it_are_known_and_those_that_reach_it_are_inferred() -> None:
    """Static reach: a test of a caller of it."""
    source = Edges([
        edge("a.py::f", "tested_by", "tests/t.py::test_f"), edge("tests/t.py::test_f", "calls", "a.py::f"),
        edge("a.py::g", "calls", "a.py::f"), edge("tests/t.py::test_g", "calls", "a.py::g"),
        edge("a.py::h", "calls", "a.py::unrelated"), edge("tests/t.py::test_h", "calls", "a.py::h"),
    ])  # fmt: skip
    answer = queries.tests_of(source, symbol("a.py::f"))
    assert [(str(m.symbol), m.confidence_kind, m.distance) for m in answer.members] == [
        ("tests/t.py::test_f", "resolved", 1), ("tests/t.py::test_g", "inferred", 2),
    ]  # fmt: skip


def test_a_path_takes_proven_calls_before_guesses() -> None:
    """The longer proven chain is preferred to a shorter one with a guess in it; without one the guess is shown as such."""
    proven = [edge("a.py::a", "calls", "a.py::b"), edge("a.py::b", "calls", "a.py::c")]
    guess = edge("a.py::a", "calls", "a.py::c", "inferred", "name")
    assert names(queries.path(Edges([*proven, guess]), symbol("a.py::a"), symbol("a.py::c"))) == ["a.py::b resolved", "a.py::c resolved"]
    assert names(queries.path(Edges([guess]), symbol("a.py::a"), symbol("a.py::c"))) == ["a.py::c inferred"]
    assert queries.path(Edges(proven), symbol("a.py::c"), symbol("a.py::a")).members == ()


def test_cycles_end() -> None:
    """Classes that derive from one another, functions that call one another."""
    source = Edges([edge("a.py::A", "implements", "a.py::B"), edge("a.py::B", "implements", "a.py::A"), edge("a.py::f", "calls", "a.py::f")])
    assert names(queries.subclasses(source, symbol("a.py::A"))) == ["a.py::B resolved"]
    assert queries.tests_of(source, symbol("a.py::f")).members == ()


def test_impact_has_a_section_for_everyone_concerned() -> None:
    """Callers, overriders, importers, routes and tests of a changed signature."""
    source = Edges([
        edge("b.py::caller", "calls", "a.py::C.m"), edge("b.py::D.m", "overrides", "a.py::C.m"), edge("b.py", "imports", "a.py::C.m"),
        edge("b.py::GET /x", "handles", "a.py::C.m"), edge("a.py::C.m", "tested_by", "tests/t.py::test_m"), edge("b.py::r", "reads", "a.py::C.m"),
    ])  # fmt: skip
    found = {answer.question: names(answer) for answer in queries.impact(source, symbol("a.py::C.m")).sections() if answer.members}
    assert found == {
        "callers": ["b.py::caller resolved"], "overriders": ["b.py::D.m resolved"], "importers": ["b.py resolved"],
        "routes": ["b.py::GET /x resolved"], "tests": ["tests/t.py::test_m resolved"], "readers": ["b.py::r resolved"],
    }  # fmt: skip


def test_unreferenced_leaves_alive_what_is_alive_by_what_it_is() -> None:
    """Constructors, special methods, tests, overriding methods, and names that are used somewhere without resolution are no candidates."""
    source = Edges([edge("a.py::S.m", "overrides", "a.py::B.m"), edge("b.py::x", "calls", "a.py::used")], {"maybe": [b"z.py"]})
    asked = ["a.py::used", "a.py::dead", "a.py::C.__init__", "a.py::C.__len__", "tests/t.py::test", "a.py::S.m", "a.py::maybe"]
    assert queries.unreferenced(source, map(symbol, asked)) == [symbol("a.py::dead")]


def test_hubs_are_capped_and_counted() -> None:
    """A symbol with more edges than may be loaded says how many were left out, and answers stay bounded."""
    many = [edge(f"m{i}.py::f", "calls", "a.py::hub") for i in range(network.HUB + 25)]
    found = network.neighbourhood(Edges(many), [symbol("a.py::hub")], ("calls",), direction="in", depth=1)
    assert found.graph.number_of_edges() == network.HUB
    assert found.left_out == {symbol("a.py::hub"): 25}
    answer = queries.callers(Edges(many), symbol("a.py::hub"))
    assert len(answer.members) == queries.MEMBERS
    assert answer.left_out == len(many) - queries.MEMBERS


def test_a_neighbourhood_is_loaded_no_further_than_asked() -> None:
    """Depth bounds how many symbols are asked at all."""
    chain = [edge(f"a.py::f{i}", "calls", f"a.py::f{i + 1}") for i in range(100)]
    source = Edges(chain)
    found = network.neighbourhood(source, [symbol("a.py::f0")], ("calls",), direction="out", depth=3)
    assert set(found.graph) == {symbol(f"a.py::f{i}") for i in range(4)}
    assert source.asked == 3


@pytest.fixture
def exported() -> nx.MultiDiGraph:
    edges = [
        edge("a.py::f", "calls", "b.py::g", start=3), edge("a.py::f", "calls", "b.py::g", start=7),
        edge("a.py::f", "calls", "b.py::g", "inferred", "name"),
        Edge(file_symbol(b"a.py"), "reads", external_symbol("environment", "HOME"), "resolved", "environment", 0, 1, 0, 0),
    ]  # fmt: skip
    header = network.ExportHeader("abc123", (Limitation("too-large", "", b"a.py"),))
    return network.whole_graph(edges, {symbol("a.py::f"): "function"}, header)


def test_the_whole_graph_keeps_kinds_and_confidence_apart(exported: nx.MultiDiGraph) -> None:
    """An edge is keyed by predicate, analyzer and confidence kind; its places add up; nodes have kinds."""
    assert sorted(exported.edges(keys=True)) == [
        ("a.py", "external:environment::HOME", "reads knowledge resolved"),
        ("a.py::f", "b.py::g", "calls knowledge inferred"), ("a.py::f", "b.py::g", "calls knowledge resolved"),
    ]  # fmt: skip
    resolved = exported.edges["a.py::f", "b.py::g", "calls knowledge resolved"]
    assert (resolved["places"], resolved["limitations"], resolved["revision"]) == ("4:0 8:0", "too-large", "abc123")
    assert dict(exported.nodes(data="kind")) == {
        "a.py::f": "function", "b.py::g": "symbol", "a.py": "file", "external:environment::HOME": "config_key",
    }  # fmt: skip


def test_exports_can_be_read_back(exported: nx.MultiDiGraph) -> None:
    """GraphML by networkx, JSON by anything."""
    graph = nx.parse_graphml(network.to_graphml(exported).decode(), force_multigraph=True)
    assert set(graph.nodes) == set(exported.nodes)
    assert graph.number_of_edges() == 3
    document = json.loads(network.to_json(exported))
    assert {node["id"] for node in document["nodes"]} == set(exported.nodes)
    assert {edge["confidence_kind"] for edge in document["edges"]} == {"resolved", "inferred"}


def test_tests_of_a_file_or_a_class_are_those_of_its_parts() -> None:
    """A method's test is its class's and its file's; each test once, by its best evidence, and a constructor's call counts for its class."""
    source = Edges([
        edge("tests/t.py::test_m", "calls", "a.py::C.m"), edge("tests/t.py::test_m", "calls", "a.py::f"), edge("a.py::C.n", "calls", "a.py::C.m"),
        edge("tests/t.py::test_n", "calls", "b.py::g"), edge("b.py::g", "calls", "a.py::C.n"), edge("tests/t.py::test_h", "calls", "b.py::h"),
    ])  # fmt: skip
    assert names(queries.tests_of(source, symbol("a.py::C"))) == ["tests/t.py::test_m resolved", "tests/t.py::test_n inferred"]
    assert names(queries.tests_of(source, symbol("a.py"))) == ["tests/t.py::test_m resolved", "tests/t.py::test_n inferred"]
    assert names(queries.tests_of(source, symbol("b.py::h"))) == ["tests/t.py::test_h resolved"]
