"""Answers of check, reverify and diff, as lines."""

from __future__ import annotations

from rich.text import Text

from knowledge.records.answers import CheckAnswer, DifferenceAnswer, ReverifyAnswer
from knowledge.surfaces.cli.render.claims import claim_lines, touched_lines
from knowledge.surfaces.cli.render.lines import BLANK, NAME, QUIET, Line, checked_lines, data, heading, hint, join, labelled, plural, tree_text
from knowledge.surfaces.cli.safe_text import clean

_HOLDS = {True: Text("holds", style="bold green"), False: Text("does not hold", style="bold red"), None: Text("cannot be decided", style="yellow")}


def check_answer(answer: CheckAnswer) -> list[Line]:
    """Whether a predicate holds, why, and what that cannot show."""
    lines = [Line(join(_HOLDS[answer.holds], data(answer.predicate), Text.assemble("in ", tree_text(answer.tree))), hang=2)]
    lines.append(Line(join(data(answer.detail), data(answer.place, NAME) if answer.place not in answer.detail else None), 2, hang=2))
    if answer.cannot_notice:
        lines.append(labelled(Text("cannot notice:", style=QUIET), data(answer.cannot_notice), indent=2))
    return lines


def reverify_answer(answer: ReverifyAnswer) -> list[Line]:
    """What was decided, and what is left to look at, the most depended upon first."""
    lines = [Line(tree_text(answer.tree))]
    lines += [labelled(Text("ran:", style=QUIET), data(ran), indent=2) for ran in answer.ran]
    lines += [labelled(Text("note:", style=QUIET), data(note), indent=2) for note in answer.notes]
    for title, claims in (("verified", answer.verified), ("counter-evidence", answer.refuted)):
        if claims:
            lines += [BLANK, heading(title), *(line for claim in claims for line in claim_lines(claim, indent=2))]
    if answer.checks:
        lines += [BLANK, heading("to look at")]
        for check in answer.checks:
            waiting = f"{plural(len(check.claims), 'claim')}: {', '.join(clean(c) for c in check.claims[:6])}"
            lines.append(Line(join(data(check.place, NAME), data(check.why.replace("_", " ")), data(waiting, QUIET)), 2, hang=4))
    if not (answer.verified or answer.refuted or answer.left):
        lines.append(Line(Text("nothing had to be looked at again", style="green")))
    lines += [BLANK, *checked_lines(answer.checked)]
    if answer.left:
        lines.append(hint(f"knowledge claim show {clean(answer.left[0].id)}, then claim verify, correct or reject it with --reason"))
    return lines


def difference_answer(answer: DifferenceAnswer) -> list[Line]:
    """What falls and what is restored between two trees."""
    lines = [Line(Text.assemble(tree_text(answer.base), " → ", tree_text(answer.head)))]
    for title, claims in (("would have to be looked at again", answer.fallen), ("would stand again", answer.restored)):
        if claims:
            lines += [BLANK, heading(title), *(line for claim in claims for line in claim_lines(claim, indent=2))]
    if not answer.fallen:
        calm = Text("no claim falls", style="green") if answer.checked.checked else Text("no claim was checked", style="yellow")
        lines.append(Line(calm))
    lines += touched_lines(answer.touched)
    if answer.still_fallen:
        lines += [BLANK, Line(Text(f"{plural(answer.still_fallen, 'claim')} had fallen before", style=QUIET))]
    return [*lines, BLANK, *checked_lines(answer.checked)]
