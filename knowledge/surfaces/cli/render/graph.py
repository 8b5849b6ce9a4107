"""Answers about the code graph, and context, as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from knowledge.records.answers import AnalysesAnswer, EdgeLine, GraphAnswer
from knowledge.surfaces.cli.render.lines import BLANK, NAME, QUIET, Line, data, heading, join, labelled, note, plural, table, tree_text

_KNOWN = {
    "resolved": ("green", "name resolution proved the target"),
    "observed": ("green", "seen in a run"),
    "inferred": ("yellow", "chosen by name and context, may be wrong"),
}
"""How an edge is known: its colour, and what it means."""
_SHORT_NOTE = 24


def graph_answer(answer: GraphAnswer) -> list[Line]:
    """Edges, resolved ones first; then what was left out and what the analysis cannot show."""
    seen = f", {answer.observed:,} observed" if answer.observed else ""
    counts = f"{answer.resolved:,} resolved{seen}, {answer.inferred:,} inferred"
    about = Text.assemble(" of ", data(answer.symbol, NAME)) if answer.symbol else Text()
    lines = [Line(Text.assemble((answer.question, "bold"), about, " in ", tree_text(answer.tree), ": ", counts), hang=2)]
    if not answer.edges and not answer.symbols and answer.symbol:
        lines.append(Line(Text("none was found, which does not mean that there is none", style="yellow")))
    lines += edge_lines(answer.edges, answer.symbol)
    lines += [Line(data(symbol), 2) for symbol in answer.symbols]
    if answer.left_out:
        lines += [BLANK, Line(Text(f"{answer.left_out:,} more not shown; --limit shows more", style="yellow"))]
    return [*lines, *_limitation_lines(answer.limitations), *_note_lines(answer)]


def edge_lines(edges: Iterable[EdgeLine], symbol: str = "") -> list[Line]:
    """Under how they are best known, one line for the edges between the same two ends: where they were seen, the end that is not `symbol`, how each
    analyzer knows them, and who says otherwise."""
    relations: dict[tuple[str, str, str], list[EdgeLine]] = {}
    for edge in edges:
        relations.setdefault((edge.subject, edge.predicate, edge.object), []).append(edge)
    lines: list[Line] = []
    for kind, (style, meaning) in _KNOWN.items():
        groups = [group for group in _groups(relations.values()) if _best(group) == kind]
        if groups:
            lines += [BLANK, Line(join(Text(kind, style=style), Text(meaning, style=QUIET)))]
            lines += table([_row(group, symbol) for group in groups])
    return lines


def _groups(relations: Iterable[list[EdgeLine]]) -> Iterator[list[EdgeLine]]:
    """What is said of a relation on one line: all of it where several analyzers look, else what is known in the same way."""
    for several in relations:
        if any(edge.agreed_by for edge in several):
            yield several
            continue
        alike: dict[tuple[str, str, int], list[EdgeLine]] = {}
        for edge in several:
            alike.setdefault((edge.confidence_kind, edge.reason, edge.rivals), []).append(edge)
        yield from alike.values()


def _best(group: Sequence[EdgeLine]) -> str:
    kinds = {edge.confidence_kind for edge in group}
    return next(kind for kind in _KNOWN if kind in kinds)


def _row(group: Sequence[EdgeLine], symbol: str) -> tuple[Text, Text]:
    first = group[0]
    places = list(dict.fromkeys(edge.place for edge in group))
    where = data(_joined(places), NAME)
    known = data(_how_known(group), QUIET)
    if symbol and first.subject == symbol:
        return where, join(data(first.object), known)
    own = data(_within(first.subject, places[0]))
    if symbol and first.object == symbol:
        return where, join(own, known)
    return where, join(Text(" ").join([part for part in (own, Text(first.predicate, style=QUIET), data(first.object)) if part.plain]), known)


def _how_known(group: Sequence[EdgeLine]) -> str:
    """`import, 1 rival`; where several analyzers look, who says so and how, who does not, and who leads elsewhere."""
    if not any(edge.agreed_by for edge in group):
        return " ".join(part for part in (group[0].reason, plural(group[0].rivals, "rival") if group[0].rivals else "") if part)
    hows: dict[str, dict[str, None]] = {}
    for edge in group:
        hows.setdefault(edge.analyzer, {})[" ".join(dict.fromkeys((edge.confidence_kind, edge.reason)))] = None
    said = ", ".join(f"{analyzer} ({', '.join(how)})" for analyzer, how in hows.items())
    instead = list(dict.fromkeys(other for edge in group for other in edge.instead))
    silent = [name for name in dict.fromkeys(name for edge in group for name in edge.silent) if name not in hows]
    parts = [f"{'agreed by' if len(hows) > 1 else 'only'} {said}"]
    parts += [f"differs: {'; '.join(instead)}"] if instead else []
    parts += [f"not known to {', '.join(silent)}"] if silent else []
    return " · ".join(parts)


def _joined(places: Sequence[str]) -> str:
    """`a.py:3, 9`: the path once, and every line of it."""
    path = places[0].rpartition(":")[0]
    rows = [place.removeprefix(f"{path}:") for place in dict.fromkeys(places)]
    return f"{path}:{', '.join(rows)}" if path else ", ".join(rows)


def _within(symbol: str, place: str) -> str:
    """A symbol without the path, which its place says already."""
    return symbol.removeprefix(place.rpartition(":")[0]).removeprefix("::")


def analyses_answer(answer: AnalysesAnswer) -> list[Line]:
    """What other programs said, one row each, and what was not taken."""
    lines = [Line(Text.assemble("from other programs, in ", tree_text(answer.tree)))]
    if not answer.analyses:
        lines.append(Line(Text("nothing is taken in; `knowledge analysis scip FILE` takes in an index"), 2))
    for one in answer.analyses:
        of = one.revision[:12] if one.revision else "an uncommitted tree"
        counts = f"{one.present:,} of {plural(one.files, 'file')} as it saw them · {plural(one.edges, 'edge')}"
        lines.append(
            labelled(data(one.id, NAME), join(data(one.analyzer, "bold"), Text(counts), data(f"{one.format} of {of}, {one.at}", QUIET)), indent=2)
        )
    return [*lines, *(note(text) for text in answer.notes)]


def _limitation_lines(limitations: Sequence[str]) -> list[Line]:
    if not limitations:
        return []
    return [BLANK, heading("what the analysis cannot show"), *(Line(data(text, QUIET), 2, hang=2) for text in limitations)]


def _note_lines(answer: GraphAnswer) -> list[Line]:
    """Figures on one line; where the notes are the answer, they are listed."""
    if not answer.symbol:
        return [BLANK, *(Line(data(text), 2 if number else 0, hang=2) for number, text in enumerate(answer.notes))]
    figures = [text for text in answer.notes if len(text) <= _SHORT_NOTE]
    lines = [Line(join(*(data(text) for text in figures), by=" · "), hang=2)] if figures else []
    lines += [note(text) for text in answer.notes if text not in figures]
    return [BLANK, *lines] if lines else []
