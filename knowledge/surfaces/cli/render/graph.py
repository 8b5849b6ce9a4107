"""Answers about the code graph, and context, as lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from knowledge.records.answers import ContextAnswer, EdgeLine, GraphAnswer, SymbolLine
from knowledge.surfaces.cli.render.claims import claim_lines
from knowledge.surfaces.cli.render.lines import BLANK, NAME, QUIET, Line, data, heading, hint, join, note, plural, table, tree_text
from knowledge.surfaces.cli.safe_text import clean

_KNOWN = {
    "resolved": ("green", "name resolution proved the target"),
    "observed": ("green", "seen in a run"),
    "inferred": ("yellow", "chosen by name and context, may be wrong"),
}
"""How an edge is known: its colour, and what it means."""
_SHORT_NOTE = 24


def graph_answer(answer: GraphAnswer) -> list[Line]:
    """Edges, resolved ones first; then what was left out and what the analysis cannot show."""
    counts = f"{answer.resolved:,} resolved, {answer.inferred:,} inferred"
    about = Text.assemble(" of ", data(answer.symbol, NAME)) if answer.symbol else Text()
    lines = [Line(Text.assemble((answer.question, "bold"), about, " in ", tree_text(answer.tree), ": ", counts), hang=2)]
    if not answer.edges and answer.symbol:
        lines.append(Line(Text("none was found, which does not mean that there is none", style="yellow")))
    lines += edge_lines(answer.edges, answer.symbol)
    lines += [Line(data(symbol), 2) for symbol in answer.symbols]
    if answer.left_out:
        lines += [BLANK, Line(Text(f"{answer.left_out:,} more not shown; --limit shows more", style="yellow"))]
    return [*lines, *_limitation_lines(answer.limitations), *_note_lines(answer)]


def edge_lines(edges: Iterable[EdgeLine], symbol: str = "") -> list[Line]:
    """Under how they are known, one line for the edges between the same two ends: where they were seen, and the end that is not `symbol`."""
    lines: list[Line] = []
    for kind, (style, meaning) in _KNOWN.items():
        groups: dict[tuple[str, str, str, str, int], list[str]] = {}
        for edge in edges:
            if edge.confidence_kind == kind:
                groups.setdefault((edge.subject, edge.predicate, edge.object, edge.reason, edge.rivals), []).append(edge.place)
        if groups:
            lines += [BLANK, Line(join(Text(kind, style=style), Text(meaning, style=QUIET)))]
            lines += table([_row(group, places, symbol) for group, places in groups.items()])
    return lines


def context_answer(answer: ContextAnswer) -> list[Line]:
    """What bears on a goal; what could overturn the conclusion comes first."""
    lines = [Line(Text.assemble(data(answer.goal, "bold"), "  in ", tree_text(answer.tree)))]
    for title, claims in (
        ("stale or conflicting claims", answer.stale_or_conflicting_claims),
        ("claims that stand", answer.relevant_claims),
        ("decisions in force", answer.active_decisions),
    ):
        if claims:
            lines += [BLANK, heading(title), *(line for claim in claims for line in claim_lines(claim, indent=2))]
        if claims is answer.stale_or_conflicting_claims and answer.verification_required:
            lines += [BLANK, heading("to verify before relying on it"), *(Line(data(text), 2, hang=2) for text in answer.verification_required)]
    if answer.relevant_symbols:
        lines += [BLANK, heading("symbols"), *table([_symbol_row(symbol) for symbol in answer.relevant_symbols])]
    lines += edge_lines(answer.edges)
    if not (answer.relevant_symbols or answer.relevant_claims or answer.stale_or_conflicting_claims):
        lines += [BLANK, Line(Text("nothing here bears on it by name; name a symbol or file with --focus", style="yellow"))]
    left_out = ", ".join(f"{count:,} {clean(name.replace('_', ' '))}" for name, count in answer.left_out.items() if count)
    if left_out:
        lines += [BLANK, Line(Text(f"left out to keep it short: {left_out}", style="yellow"))]
    lines += _limitation_lines(answer.limitations)
    if answer.stale_or_conflicting_claims:
        lines += [BLANK, hint(f"knowledge claim show {clean(answer.stale_or_conflicting_claims[0].id)}")]
    return lines


def _row(group: tuple[str, str, str, str, int], places: Sequence[str], symbol: str) -> tuple[Text, Text]:
    subject, predicate, target, reason, rivals = group
    where = data(_joined(places), NAME)
    known = data(" ".join(part for part in (reason, plural(rivals, "rival") if rivals else "") if part), QUIET)
    if symbol and subject == symbol:
        return where, join(data(target), known)
    own = data(_within(subject, places[0]))
    if symbol and target == symbol:
        return where, join(own, known)
    return where, join(Text(" ").join([part for part in (own, Text(predicate, style=QUIET), data(target)) if part.plain]), known)


def _joined(places: Sequence[str]) -> str:
    """`a.py:3, 9`: the path once, and every line of it."""
    path = places[0].rpartition(":")[0]
    rows = [place.removeprefix(f"{path}:") for place in dict.fromkeys(places)]
    return f"{path}:{', '.join(rows)}" if path else ", ".join(rows)


def _within(symbol: str, place: str) -> str:
    """A symbol without the path, which its place says already."""
    return symbol.removeprefix(place.rpartition(":")[0]).removeprefix("::")


def _symbol_row(symbol: SymbolLine) -> tuple[Text, Text]:
    named = Text.assemble(data(_within(symbol.symbol, symbol.place)), data(symbol.signature))
    return data(symbol.place, NAME), join(named, data(f"{symbol.kind}, {symbol.why}", QUIET))


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
