"""Answers about the code graph, and context, as lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from knowledge.records.answers import ContextAnswer, EdgeLine, GraphAnswer, SymbolLine
from knowledge.surfaces.cli.render.claims import claim_lines
from knowledge.surfaces.cli.render.lines import BLANK, NAME, QUIET, Line, data, heading, hint, join, labelled, note, plural, table, tree_text

_KNOWN = {
    "resolved": ("resolved", "green", "name resolution proved the target"),
    "observed": ("observed", "green", "seen in a run"),
    "inferred": ("inferred", "yellow", "chosen by name and context, may be wrong"),
}


def graph_answer(answer: GraphAnswer) -> list[Line]:
    """Edges, resolved ones first; then what was left out and what the analysis cannot show."""
    counts = join(f"{answer.resolved:,} resolved", f"{answer.inferred:,} inferred", by=", ")
    lines = [Line(Text.assemble(Text(answer.question, style="bold"), *_about(answer.symbol), " in ", tree_text(answer.tree), ": ", counts))]
    if not answer.edges:
        lines.append(Line(Text("none was found, which does not mean that there is none", style="yellow")))
    for kind, (word, style, meaning) in _KNOWN.items():
        edges = [edge for edge in answer.edges if edge.confidence_kind == kind]
        if edges:
            lines += [BLANK, Line(join(Text(word, style=style), Text(meaning, style=QUIET))), *edge_lines(edges, answer.symbol)]
    if answer.left_out:
        lines += [BLANK, Line(Text(f"{plural(answer.left_out, 'more edge')} not shown; --limit shows more", style="yellow"))]
    return [*lines, *_limitation_lines(answer.limitations), *(note(text) for text in answer.notes)]


def edge_lines(edges: Sequence[EdgeLine], symbol: str = "") -> list[Line]:
    """One line an edge: the end that is not `symbol`, then where it was seen and how it is known."""
    rows = []
    for edge in edges:
        rivals = f"{plural(edge.rivals, 'rival')}" if edge.rivals else ""
        known = join(data(edge.place), data(edge.reason, QUIET), data(rivals, "yellow"))
        rows.append((_end(edge, symbol), known))
    return table(rows)


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
        if title.startswith("stale") and answer.verification_required:
            lines += [BLANK, heading("to verify before relying on it"), *(Line(data(text), 2) for text in answer.verification_required)]
    if answer.relevant_symbols:
        lines += [BLANK, heading("symbols"), *(line for symbol in answer.relevant_symbols for line in _symbol_lines(symbol))]
    if answer.edges:
        lines += [BLANK, heading("relations"), *_relation_lines(answer.edges)]
    if not (answer.relevant_symbols or answer.relevant_claims or answer.stale_or_conflicting_claims):
        lines += [BLANK, Line(Text("nothing here bears on it by name; name a symbol or file with --focus", style="yellow"))]
    left_out = join(*(f"{count:,} {name.replace('_', ' ')}" for name, count in answer.left_out.items() if count), by=", ")
    if left_out:
        lines += [BLANK, Line(Text.assemble("left out to keep it short: ", left_out, style="yellow"))]
    lines += _limitation_lines(answer.limitations)
    if answer.stale_or_conflicting_claims:
        lines.append(hint(f"knowledge claim show {data(answer.stale_or_conflicting_claims[0].id).plain}"))
    return lines


def _about(symbol: str) -> tuple[str | Text, ...]:
    return (" of ", data(symbol, NAME)) if symbol else ()


def _end(edge: EdgeLine, symbol: str) -> Text:
    if symbol and edge.object == symbol:
        return data(edge.subject, NAME)
    if symbol and edge.subject == symbol:
        return data(edge.object, NAME)
    return join(data(edge.subject, NAME), edge.predicate, data(edge.object, NAME), by=" ")


def _relation_lines(edges: Sequence[EdgeLine]) -> list[Line]:
    lines = []
    for edge in edges:
        kind = Text(edge.confidence_kind, style=_KNOWN.get(edge.confidence_kind, ("", "", ""))[1])
        lines.append(labelled(kind, join(_end(edge, ""), data(edge.place, QUIET)), indent=2, column=len("inferred")))
    return lines


def _symbol_lines(symbol: SymbolLine) -> list[Line]:
    lines = [Line(join(data(symbol.symbol, NAME), data(symbol.kind), data(symbol.place), data(symbol.why, QUIET)), 2)]
    return [*lines, Line(data(symbol.signature), 4)] if symbol.signature else lines


def _limitation_lines(limitations: Sequence[str]) -> list[Line]:
    if not limitations:
        return []
    return [BLANK, heading("what the analysis cannot show"), *(Line(data(text, QUIET), 2) for text in limitations)]
