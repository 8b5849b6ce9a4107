"""Answers about conflicts, as lines: both statements one below the other, so that what differs stands in one column."""

from __future__ import annotations

from rich.text import Text

from knowledge.records.answers import ConflictLine, ConflictsAnswer
from knowledge.surfaces.cli.render.claims import claim_lines
from knowledge.surfaces.cli.render.lines import BLANK, NAME, QUIET, Line, checked_lines, data, hint, join, note, said, tree_text
from knowledge.surfaces.cli.safe_text import clean

_DIFFERENCES = {
    "code-changed": "the code changed between the revisions",
    "earlier-analysis-incomplete": "the earlier analysis was incomplete",
    "not-computable": "cannot be computed",
}


def conflicts_answer(answer: ConflictsAnswer) -> list[Line]:
    """Conflicts, and how many there are."""
    counts = join(*(f"{count} {word}" for word, count in answer.counts.items() if count), by=" · ")
    lines = [Line(join(tree_text(answer.tree), counts if counts.plain else Text("no conflict is known", style="green"), by=": "))]
    for conflict in answer.conflicts:
        lines += [BLANK, *_conflict(conflict)]
    if answer.checked.checked or answer.checked.could_not_check:
        lines += [BLANK, *checked_lines(answer.checked)]
    lines += [note(text) for text in answer.notes]
    waiting = next((c for c in answer.conflicts if c.is_open), None)
    if waiting is not None:
        return [*lines, BLANK, hint(f"knowledge conflicts resolve {clean(waiting.id)} --stale {clean(_likely(waiting))} --reason …")]
    return lines


def _conflict(conflict: ConflictLine) -> list[Line]:
    state = Text("open", style="bold yellow") if conflict.is_open else Text("resolved", style="green")
    found = f"found by {conflict.found_by}" if conflict.how == "predicates" else f"reported by {conflict.found_by}"
    lines = [Line(join(data(conflict.id, NAME), state, data(f"{found} {conflict.found_at}", QUIET)))]
    lines += [*claim_lines(conflict.newer, indent=2), *claim_lines(conflict.older, indent=2)]
    recorded = " · ".join(f"{c.id} {(c.valid_at_revision or 'uncommitted')[:8]}" for c in (conflict.newer, conflict.older))
    held = ", ".join(revision[:8] + ("+dirty" if revision.endswith("+dirty") else "") for revision in conflict.held_in)
    lines.append(said("why", data(conflict.reason), indent=4))
    lines.append(said("recorded at", data(recorded), indent=4))
    lines.append(said("both held in", data(held) if held else Text("no revision that was looked at"), indent=4))
    if conflict.is_open:
        return lines
    verdict = Text.assemble((clean(conflict.stale), NAME), " is stale") if conflict.stale else Text("both are right")
    by = data(f"by {conflict.resolved_by} {conflict.resolved_at}", QUIET)
    lines.append(said("resolved", join(verdict, data(f"“{conflict.resolution}”"), by), indent=4))
    if conflict.difference:
        text = conflict.difference_detail or _DIFFERENCES.get(conflict.difference, conflict.difference)
        lines.append(said("why they differ", data(text), indent=4))
    return lines


def _likely(conflict: ConflictLine) -> str:
    """The one that is no longer held here, where just one is."""
    fallen = [c.id for c in (conflict.newer, conflict.older) if c.status not in ("active", "verified")]
    return fallen[0] if len(fallen) == 1 else "ID"
