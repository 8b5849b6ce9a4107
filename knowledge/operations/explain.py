"""The joined story of a symbol (G6): route → handler → path → type check → test → trace, how each step is known, and what nothing shows.

A step is never made up from its neighbours: a proved chain of calls does not show that a request took it, a passed test shows no other input.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from knowledge.errors import AmbiguousSymbolError, UnknownSymbolError
from knowledge.graph.queries import PARTS, Answer, Member, tests_of
from knowledge.operations.exercised import OBSERVER, observed_tests
from knowledge.operations.graph_tree import GraphTree
from knowledge.operations.outside import OutsideTree
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.retests import Retests
from knowledge.operations.specs import file_or_symbol
from knowledge.operations.type_checking import Checks
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, show_path
from knowledge.records.run_answers import StoryAnswer, StoryGap, StoryStep

_FARTHEST, _MOST_SYMBOLS = 12, 4_000
"""Calls and symbols that are gone through from the symbol up to a handler."""
_MOST_SHOWN = 8
"""Of callers, callees, tests and traced calls: more are counted."""
_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "ANY", "ALL", "USE"})
_STRENGTH = {"resolved": 0, "observed": 1, "inferred": 2}


@dataclass(slots=True)
class _Story:
    """What is told so far. left_out: what there is more of, in words."""

    steps: list[StoryStep] = field(default_factory=list)
    missing: list[StoryGap] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def explain(project: Project, text: str, *, at: str | None = None) -> StoryAnswer:
    """Walk from the route to the trace. `text` is a symbol, a file, or a route (`POST /login`).

    Raises UnknownSymbolError, UnknownPathError, AmbiguousSymbolError.
    """
    view = Reading(project).trees.at(at)
    graph = GraphTree(view, OutsideTree(view, project.ledger.analyses))
    routes = _routes_named(text, graph)
    story = _Story()
    if routes:
        subject, handlers = routes[0].subject, routes
        chain: list[Edge] = []
    else:
        subject = file_or_symbol(text, view)
        chain, handlers = _way_up(subject, graph, story)
    handler = handlers[0].object if handlers else None
    _tell_routes(handlers, story)
    focus = handler if routes and handler is not None else subject
    on_the_way = _tell_path(focus, handler, chain, graph, story)
    _tell_type_checks([focus, *on_the_way], Checks(project, view), story)
    retests = Retests(project, view)
    _tell_tests(focus, handler, graph, retests, story)
    _tell_traces([focus, *on_the_way], graph, story)
    limits = {f"{x.code}: {x.detail}".rstrip(": "): None for x in graph.limitations(focus.path)}
    return StoryAnswer(
        project.tree_name(view.tree.snapshot), str(subject), tuple(story.steps), tuple(story.missing), tuple(story.left_out), tuple(limits)
    )


def _routes_named(text: str, graph: GraphTree) -> list[Edge]:
    """The edges of a route that is written as its method and path, perhaps behind the file.

    Raises UnknownSymbolError, AmbiguousSymbolError.
    """
    path, _, name = text.rpartition("::")
    method, _, target = name.partition(" ")
    if method.upper() not in _VERBS or not target.startswith("/"):
        return []
    graph.view.resolve_all()
    every = [edge for edge in graph.view.all_edges() if edge.predicate == "handles"]
    wanted = f"{method.upper()} {target}"
    found = [e for e in every if e.subject.qualified_name == wanted and (not path or show_path(e.subject.path) == path)]
    if not found:
        near = sorted(
            {e.subject.qualified_name for e in every if target.split("/")[1] in e.subject.qualified_name} or {str(e.subject) for e in every}
        )
        raise UnknownSymbolError(f"no route {wanted!r} is known in {graph.view.tree.snapshot.label}", suggestions=near[:_MOST_SHOWN])
    subjects = sorted({str(e.subject) for e in found})
    if len(subjects) > 1:
        raise AmbiguousSymbolError(f"{len(subjects)} files have a route {wanted!r}; say which, as path::{wanted}", suggestions=subjects[:_MOST_SHOWN])
    return sorted(found, key=lambda edge: (_STRENGTH[edge.confidence_kind], str(edge.object)))


def _way_up(subject: SymbolId, graph: GraphTree, story: _Story) -> tuple[list[Edge], list[Edge]]:
    """The calls from the nearest handler down to the symbol, and the routes of that handler; both empty where there is none."""
    starts = [subject, *graph.parts(subject)[:PARTS]]
    came: dict[SymbolId, Edge | None] = dict.fromkeys(starts)
    front = deque((symbol, 0) for symbol in starts)
    others: dict[SymbolId, None] = {}
    nearest: SymbolId | None = None
    while front:
        symbol, distance = front.popleft()
        if graph.in_edges(symbol, "handles"):
            nearest, others = (symbol, others) if nearest is None else (nearest, others | {symbol: None})
        if distance >= _FARTHEST or len(came) >= _MOST_SYMBOLS:
            continue
        for edge in sorted(_calls_into(symbol, graph), key=lambda e: (_STRENGTH[e.confidence_kind], str(e.subject))):
            if edge.subject not in came and not graph.is_test(edge.subject):
                came[edge.subject] = edge
                front.append((edge.subject, distance + 1))
    if len(came) >= _MOST_SYMBOLS:
        story.left_out.append(f"more than {_MOST_SYMBOLS:,} symbols lead here: farther handlers were not looked for")
    if nearest is None:
        return [], []
    chain: list[Edge] = []
    step = came[nearest]
    while step is not None:
        chain.append(step)
        step = came.get(step.object)
    if others:
        names = ", ".join(str(symbol) for symbol in list(others)[:3])
        story.left_out.append(f"{len(others)} other handlers lead here, the nearest: {names}")
    return chain, sorted(graph.in_edges(nearest, "handles"), key=lambda edge: str(edge.subject))


def _calls_into(symbol: SymbolId, graph: GraphTree) -> list[Edge]:
    found = [*graph.in_edges(symbol, "calls")]
    for above in graph.out_edges(symbol, "overrides"):
        found += [edge for edge in graph.in_edges(above.object, "calls") if edge.confidence_kind != "observed"]
    return found


def _tell_routes(handlers: list[Edge], story: _Story) -> None:
    for edge in handlers[:_MOST_SHOWN]:
        story.steps.append(StoryStep("route", edge.subject.qualified_name, edge.confidence_kind, _place(edge), _how(edge)))
    if not handlers:
        story.missing.append(StoryGap("route", "no route is known whose handler is it, or leads to it"))
        story.missing.append(StoryGap("handler", "no function that a route leads to calls it, as far as the code shows"))
        return
    for target in dict.fromkeys(edge.object for edge in handlers[:_MOST_SHOWN]):
        kind = min((edge for edge in handlers if edge.object == target), key=lambda e: _STRENGTH[e.confidence_kind]).confidence_kind
        story.steps.append(StoryStep("handler", str(target), kind, show_path(target.path), "what the route calls"))


def _tell_path(focus: SymbolId, handler: SymbolId | None, chain: list[Edge], graph: GraphTree, story: _Story) -> list[SymbolId]:
    """The calls from the handler to the symbol; where it is the handler what it calls, and without any handler what calls it. Who is on the way."""
    if chain:
        for edge in chain:
            story.steps.append(_call_step(edge, graph))
        return [chain[0].subject, *(edge.object for edge in chain)]
    around = graph.out_edges(focus, "calls") if handler is not None else [e for e in _calls_into(focus, graph) if not graph.is_test(e.subject)]
    direct: dict[tuple[SymbolId, SymbolId], Edge] = {}
    for edge in sorted(around, key=lambda e: (_STRENGTH[e.confidence_kind], e.start)):
        if not edge.object.is_external:
            direct.setdefault((edge.subject, edge.object), edge)
    for edge in list(direct.values())[:_MOST_SHOWN]:
        story.steps.append(_call_step(edge, graph))
    if not direct:
        what = "what it calls in the repository" if handler is not None else "what calls it, tests aside"
        story.missing.append(StoryGap("path", f"{what} is not known"))
    if len(direct) > _MOST_SHOWN:
        asked = "callees" if handler is not None else "callers"
        story.left_out.append(f"{len(direct) - _MOST_SHOWN} more calls: knowledge {asked} {focus}")
    return [edge.object if handler is not None else edge.subject for edge in list(direct.values())[:_MOST_SHOWN]]


def _call_step(edge: Edge, graph: GraphTree) -> StoryStep:
    """One call, with all the ways in which it is known."""
    same = [e for e in graph.out_edges(edge.subject, "calls") if e.object == edge.object]
    kinds = sorted({e.confidence_kind for e in same} | {edge.confidence_kind}, key=lambda kind: _STRENGTH[kind])
    seen = sorted({e.said_by for e in same if e.confidence_kind == "observed"})
    detail = "; ".join([_how(edge), *([f"taken in a run ({', '.join(seen)})"] if seen and edge.confidence_kind != "observed" else [])])
    return StoryStep("path", f"{edge.subject} → {edge.object}", " + ".join(kinds), _place(edge), detail)


def _tell_type_checks(symbols: Iterable[SymbolId], checks: Checks, story: _Story) -> None:
    """What checkers said of the files on the way, as far as it holds; a check of other content shows nothing."""
    bare = []
    for path in dict.fromkeys(show_path(symbol.path) for symbol in symbols):
        found = [check for (checked, _), check in sorted(checks.known.items()) if checked == path]
        for check in found:
            if not check.reasons:
                said = f"{check.errors} errors" if check.errors else "no error"
                story.steps.append(StoryStep("type-check", path, "checked", check.run.id, f"{said}, by {check.said_by}"))
        if all(check.reasons for check in found):
            bare.append(f"{path} ({found[0].reasons[0]} since {found[0].run.id})" if found else path)
    if bare:
        story.missing.append(StoryGap("type-check", f"no type check is recorded of {', '.join(bare)}"))


def _tell_tests(focus: SymbolId, handler: SymbolId | None, graph: GraphTree, retests: Retests, story: _Story) -> None:
    """Tests that ran it, those first that ran the handler too; then those that only the code says reach it."""
    ran, past = observed_tests(focus, graph.parts(focus), retests)
    through = {e.object for e in observed_tests(handler, (), retests)[0]} if handler is not None and handler != focus else set()
    ran.sort(key=lambda e: (e.object not in through, str(e.object)))
    results = {known.result.symbol: (test, known) for test, known in retests.known.items()}
    for edge in ran[:_MOST_SHOWN]:
        test, known = results[str(edge.object)]
        state = "of the very content" if not retests.reasons(known.run, test) else "what else it rests on has changed since"
        also = ", through the handler" if edge.object in through else ""
        story.steps.append(StoryStep("test", str(edge.object), "observed", known.run.id, f"ran it{also}; {known.result.outcome}, {state}"))
    static: Answer = tests_of(graph, focus)
    known_already = {edge.object for edge in ran}
    further: list[Member] = [member for member in static.members if member.symbol not in known_already]
    room = max(0, _MOST_SHOWN - len(ran))
    for member in further[:room]:
        story.steps.append(
            StoryStep("test", str(member.symbol), member.confidence_kind, show_path(member.symbol.path), f"by the code: {member.reason}")
        )
    more = max(0, len(ran) - _MOST_SHOWN) + len(further[room:])
    if more:
        story.left_out.append(f"{more} more tests: knowledge tests {focus}")
    if not ran:
        why = f"{past} tests ran it when its text was another" if past else "no test was seen to run it; `knowledge run -- pytest` would show that"
        story.missing.append(StoryGap("test", why if further else f"{why}; nor does the code show one"))
    elif handler is not None and handler != focus and not through:
        story.missing.append(StoryGap("test", f"no test was seen to run it through the handler {handler}"))


def _tell_traces(symbols: Iterable[SymbolId], graph: GraphTree, story: _Story) -> None:
    """Traces in which it ran, and calls that something else than a test under observation was seen to take."""
    assert graph.outside is not None
    wanted = frozenset(symbols)
    found = {
        (edge.subject, edge.object): edge
        for path in sorted({symbol.path for symbol in wanted})
        for edge in graph.outside.edges_from(path)
        if edge.confidence_kind == "observed" and edge.analyzer != OBSERVER and edge.predicate != "tested_by" and wanted & {edge.subject, edge.object}
    }
    for edge in list(found.values())[:_MOST_SHOWN]:
        story.steps.append(StoryStep("trace", f"{edge.subject} → {edge.object}", "observed", _place(edge), edge.said_by))
    if not found:
        story.missing.append(StoryGap("trace", "no trace of a running program was taken in that has it"))
    elif len(found) > _MOST_SHOWN:
        story.left_out.append(f"{len(found) - _MOST_SHOWN} more traced calls")


def _how(edge: Edge) -> str:
    return f"{edge.reason}, by {edge.said_by}" + (f"; {edge.rivals} others are as likely" if edge.rivals else "")


def _place(edge: Edge) -> str:
    return f"{show_path(edge.subject.path)}:{edge.row + 1}"
