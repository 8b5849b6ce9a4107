"""Answers about decisions, as lines: each with its constraints, and what it rejected with the reasons."""

from __future__ import annotations

from rich.text import Text

from knowledge.records.answers import DecisionLine, DecisionsAnswer
from knowledge.surfaces.cli.render.claims import STATUS_COLUMN, claim_lines
from knowledge.surfaces.cli.render.lines import BLANK, QUIET, Line, data, hint, join, note, plural, said, tree_text
from knowledge.surfaces.cli.safe_text import clean


def decisions_answer(answer: DecisionsAnswer) -> list[Line]:
    """Decisions, and how many messages told them."""
    counts = [plural(len(answer.decisions), "decision")]
    if answer.commits:
        counts = [f"{plural(len(answer.decisions), 'decision')} recorded from {plural(answer.commits, 'commit')}"]
        counts += [f"{answer.known:,} known already"] if answer.known else []
    lines = [Line(join(tree_text(answer.tree), ", ".join(counts), by=": "))]
    for decision in answer.decisions:
        lines += [BLANK, *_decision(decision)]
    lines += [note(text) for text in answer.notes]
    if answer.decisions:
        return [*lines, BLANK, hint(f"knowledge claim show {clean(answer.decisions[0].claim.id)}")]
    return [*lines, hint("knowledge decisions read, or claim record … --kind decision --constraint … --rejected …")]


def _decision(decision: DecisionLine) -> list[Line]:
    inner = STATUS_COLUMN + 2
    lines = claim_lines(decision.claim)
    lines += [said("bound by", data(text), indent=inner) for text in decision.constraints]
    for rejected in decision.rejected:
        reason = data(rejected.reason) if rejected.reason else Text("no reason given", style="yellow")
        lines.append(said("rejected", join(data(rejected.alternative), reason, by=" — "), indent=inner))
    stands_on = ", ".join(anchor.about for anchor in decision.anchors)
    lines.append(said("stands on", data(stands_on) if stands_on else Text("nothing in the repository", style="yellow"), indent=inner))
    if decision.commit:
        lines.append(Line(data(f"told by {decision.commit[:12]}, {decision.claim.said_by.removeprefix('recorded ')}", QUIET), inner))
    return lines + [Line(note(text).text, inner, note(text).label) for text in decision.notes if text.startswith("warning:")]
