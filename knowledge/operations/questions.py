"""Graph questions about one tree, and the graph as a file. Never a bare "none": limitations that bear on the answer come with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from knowledge.errors import AmbiguousSymbolError, UnknownPathError, UnknownSymbolError, UsageError
from knowledge.graph import queries
from knowledge.graph.network import ExportHeader, to_graphml, to_json, whole_graph
from knowledge.operations.exercised import found_and_not_seen, observed_tests, seen_and_not_found
from knowledge.operations.graph_tree import GraphTree, candidates, find_one
from knowledge.operations.lines import edge_line
from knowledge.operations.outside import OutsideTree
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.retests import Retests
from knowledge.operations.specs import file_or_symbol
from knowledge.records.answers import GraphAnswer, TransferAnswer
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, file_symbol, show_path

_ONE: dict[str, Callable[[GraphTree, SymbolId], queries.Answer]] = {
    "callers": queries.callers,
    "callees": queries.callees,
    "subclasses": queries.subclasses,
    "implementers": queries.implementers,
    "importers": queries.importers,
    "imports": queries.imports_of,
    "readers": queries.readers,
    "writers": queries.writers,
    "tests": queries.tests_of,
}
_OF_SETTINGS = ("readers", "writers", "impact")
_MOST_KEYS = 10
"""Of keys that a bare name may mean; more must be told apart."""
QUESTIONS = (*_ONE, "impact", "path", "unreferenced", "unseen", "unfound")
"""Every question that may be asked."""


def ask(project: Project, question: str, symbol_text: str = "", *, other: str = "", at: str | None = None, limit: int = 200) -> GraphAnswer:
    """Answer one of QUESTIONS. `path` leads from the symbol to `other`, `tests` with `other` means those of that path; `unreferenced`,
    `unseen` (calls that no run took) and `unfound` (calls that a run took and reading the code does not show) may be bounded by a path prefix
    given as the symbol.

    Raises UsageError, UnknownSymbolError, UnknownPathError, AmbiguousSymbolError.
    """
    if question not in QUESTIONS:
        raise UsageError(f"there is no question {question!r}", suggestions=QUESTIONS)
    view = Reading(project).trees.at(at)
    graph = GraphTree(view, OutsideTree(view, project.ledger.analyses))
    if question == "unreferenced":
        return _unreferenced(project, graph, symbol_text, limit)
    if question in ("unseen", "unfound"):
        return _differing(project, graph, question, symbol_text, limit)
    subjects = _subjects(question, symbol_text, graph)
    if question == "impact":
        sections: Sequence[queries.Answer] = [section for symbol in subjects for section in queries.impact(graph, symbol).sections()]
    elif question == "path":
        sections = [queries.path(graph, subjects[0], find_one(other, view))]
    elif question == "tests":
        return _tests_of_path(project, graph, subjects[0], find_one(other, view), limit) if other else _tests(project, graph, subjects[0], limit)
    else:
        sections = [_ONE[question](graph, symbol) for symbol in subjects]
    if question in _OF_SETTINGS:
        sections = [replace(s, limitations=(*s.limitations, *graph.settings.limitations(s.subject))) for s in sections]
    return _answer(project, question, str(subjects[0]) if len(subjects) == 1 else symbol_text, sections, graph, limit)


def _subjects(question: str, text: str, graph: GraphTree) -> list[SymbolId]:
    """What a text means: a definition or file; for questions about settings also the keys of data files, and the names that code asks for.

    Raises UnknownSymbolError, UnknownPathError, AmbiguousSymbolError.
    """
    if question not in _OF_SETTINGS:
        symbol = file_or_symbol(text, graph.view, is_outside_allowed=question == "importers")
        if symbol.is_external and not graph.in_edges(symbol, "imports"):
            raise UnknownSymbolError(f"nothing called {text!r} is defined or imported in {graph.view.tree.snapshot.label}")
        return [symbol]
    keys = graph.settings.find(text)
    if len(keys) > _MOST_KEYS:
        raise AmbiguousSymbolError(f"{text!r} fits {len(keys)} keys; say which, as path::key", suggestions=[str(key) for key in keys[:_MOST_KEYS]])
    asked = [symbol for symbol in graph.settings.asked_by_name(text) if any(graph.in_edges(symbol, predicate) for predicate in ("reads", "writes"))]
    try:
        defined = [file_or_symbol(text, graph.view)]
    except (UnknownSymbolError, UnknownPathError) as unknown:
        defined = _assigned(text, graph) or ([] if keys or asked or "::" in text or isinstance(unknown, UnknownPathError) else _outside(text, graph))
        if not (defined or keys or asked):
            label = graph.view.tree.snapshot.label
            near = list(dict.fromkeys([*graph.settings.near(text), *unknown.suggestions]))
            raise UnknownSymbolError(f"nothing called {text!r} is defined, held in a data file or read in {label}", suggestions=near) from unknown
    return list(dict.fromkeys([*defined, *keys, *asked]))


def _outside(text: str, graph: GraphTree) -> list[SymbolId]:
    """What a text means outside of the tree, where the tree has anything to do with it."""
    found = file_or_symbol(text, graph.view, is_outside_allowed=True)
    return [found] if any(graph.in_edges(found, predicate) for predicate in ("imports", "reads", "writes")) else []


def _assigned(text: str, graph: GraphTree) -> list[SymbolId]:
    """The attribute `Class.name` that no class declares and methods only assign or read: of that class, or of the nearest one above."""
    owner_text, _, name = text.rpartition(".")
    found: dict[SymbolId, None] = {}
    for owner in candidates(owner_text, graph.view) if owner_text else ():
        level, seen = [owner], {owner}
        while level:
            attributes = [SymbolId(above.path, f"{above.qualified_name}.{name}") for above in level if above.qualified_name]
            if used := [symbol for symbol in attributes if graph.in_edges(symbol, "writes") or graph.in_edges(symbol, "reads")]:
                found.update(dict.fromkeys(used))
                break
            level = [edge.object for below in level for edge in graph.out_edges(below, "implements") if edge.object.path and edge.object not in seen]
            seen.update(level)
    if len(found) > 1:
        raise AmbiguousSymbolError(f"{text!r} fits {len(found)} attributes; say which, as path::name", suggestions=[str(symbol) for symbol in found])
    return list(found)


def _answer(project: Project, question: str, symbol: str, sections: Sequence[queries.Answer], graph: GraphTree, limit: int) -> GraphAnswer:
    edges: dict[Edge, None] = {}
    for section in sections:
        for member in section.members:
            edges.update(dict.fromkeys(_as_known(member)))
    shown = list(edges)[:limit] if limit else list(edges)
    several = len({section.subject for section in sections}) > 1
    members = [member for section in sections for member in section.members]
    limitations = {
        f"{x.code}: {x.detail}".rstrip(": ") + (f" ({show_path(x.path)})" if x.path else ""): None for s in sections for x in s.limitations
    }
    return GraphAnswer(
        tree=project.tree_name(graph.view.tree.snapshot),
        question=question,
        symbol=symbol,
        edges=tuple(edge_line(edge, graph.agreement(edge)) for edge in shown),
        resolved=sum(member.confidence_kind == "resolved" for member in members),
        inferred=sum(member.confidence_kind == "inferred" for member in members),
        observed=sum(member.confidence_kind == "observed" for member in members),
        left_out=sum(s.left_out for s in sections) + len(edges) - len(shown),
        limitations=tuple(limitations),
        notes=tuple(f"{s.question}{f' of {s.subject}' if several else ''}: {len(s.members)}" for s in sections) if len(sections) > 1 else (),
    )


def _as_known(member: queries.Member) -> Iterator[Edge]:
    """A member's edges as far as they tell of the membership: that a call is proved does not prove that a test far behind it gets there."""
    for edge in member.edges:
        yield replace(edge, confidence_kind=member.confidence_kind, reason=member.reason) if member.is_weaker else edge


def _tests(project: Project, graph: GraphTree, symbol: SymbolId, limit: int) -> GraphAnswer:
    """Tests that ran the symbol beside those that call or reach it."""
    ran, past = observed_tests(symbol, graph.parts(symbol), Retests(project, graph.view))
    static = queries.tests_of(graph, symbol)
    seen = queries.Answer("tests", symbol, tuple(queries.Member(e.object, "observed", e.reason, (e,)) for e in ran), 0, ())
    answer = _answer(project, "tests", str(symbol), [seen, static], graph, limit)
    note = (f"past: {past} tests ran it when its text was another",) if past else ()
    return replace(answer, notes=(f"observed: {len(ran)}", f"by the code: {len(static.members)}", *note))


def _tests_of_path(project: Project, graph: GraphTree, start: SymbolId, end: SymbolId, limit: int) -> GraphAnswer:
    """Tests that ran every symbol of the shortest chain of calls between two; beside them those that by the code reach its beginning."""
    chain = queries.path(graph, start, end)
    on_it = [start, *(member.symbol for member in chain.members)]
    if not chain.members and start != end:
        answer = _answer(project, "tests", f"{start} → {end}", [replace(chain, question="tests")], graph, limit)
        return replace(answer, notes=(f"no chain of calls from {start} to {end} is known",))
    retests = Retests(project, graph.view)
    ran = [{edge.object: edge for edge in observed_tests(symbol, graph.parts(symbol), retests)[0]} for symbol in on_it]
    through = [edge for test, edge in ran[-1].items() if all(test in found for found in ran)]
    seen = queries.Answer("tests", end, tuple(queries.Member(e.object, "observed", e.reason, (e,)) for e in through), 0, ())
    reached = queries.tests_of(graph, start)
    weak = tuple(replace(member, confidence_kind="inferred", reason="reached") for member in reached.members)
    answer = _answer(project, "tests", f"{start} → {end}", [seen, replace(reached, members=weak)], graph, limit)
    way = " → ".join(f"{symbol}" for symbol in on_it)
    return replace(answer, notes=(f"path: {way}", f"observed: {len(through)} ran all of it", f"by the code: {len(weak)} reach its beginning"))


def _differing(project: Project, graph: GraphTree, question: str, prefix: str, limit: int) -> GraphAnswer:
    """Where what was seen and what reading the code shows differ."""
    retests = Retests(project, graph.view)
    ran = len(retests.ran_here)
    edges = found_and_not_seen(graph, prefix, retests) if question == "unseen" else seen_and_not_found(graph, prefix)
    members = tuple(queries.Member(edge.object, edge.confidence_kind, edge.reason, (edge,)) for edge in edges)
    answer = _answer(project, question, prefix, [queries.Answer(question, file_symbol(b""), members, 0, tuple(graph.limitations(b"")))], graph, limit)
    told = f"{ran} functions ran under observation with the text that they have here; of all others nothing is said"
    return replace(answer, notes=(told if ran else "no run was observed here: `knowledge run -- pytest`",))


def _unreferenced(project: Project, graph: GraphTree, prefix: str, limit: int) -> GraphAnswer:
    """Candidates only: what runs them may not be visible."""
    view = graph.view
    symbols = sorted(s for s in view.all_symbols() if show_path(s.path).startswith(prefix) and not view.kinds_of(s.path))
    found = queries.unreferenced(graph, symbols)
    shown = found[:limit] if limit else found
    return GraphAnswer(
        tree=project.tree_name(view.tree.snapshot),
        question="unreferenced",
        symbol=prefix,
        edges=(),
        symbols=tuple(str(s) for s in shown),
        resolved=0,
        inferred=0,
        left_out=len(found) - len(shown),
        limitations=tuple(f"{x.code}: {x.detail}" for x in graph.limitations(b"")),
        notes=(f"{len(found)} of {len(symbols)} definitions: no edge leads to them; entry points and dynamic uses are not seen",),
    )


def export_graph(project: Project, out: Path, form: str, *, at: str | None = None) -> TransferAnswer:
    """Write the whole graph of a tree as `graphml` or `json`. Raises UsageError for another form."""
    writers = {"graphml": to_graphml, "json": to_json}
    if form not in writers:
        raise UsageError(f"there is no graph format {form!r}; expected graphml or json", suggestions=tuple(writers))
    view = Reading(project).trees.at(at)
    source = GraphTree(view, outside := OutsideTree(view, project.ledger.analyses))
    view.resolve_all()
    limits = tuple(x for path in view.files for x in source.limitations(path)) + tuple(source.limitations(b""))
    graph = whole_graph(chain(view.all_edges(), outside.all_edges()), source.node_kinds, ExportHeader(view.tree.snapshot.label, limits))
    out.write_bytes(writers[form](graph))
    return TransferAnswer(str(out), {"nodes": graph.number_of_nodes(), "edges": graph.number_of_edges()})
