"""Answers about plans, as lines: each goal with its steps in order, a mark before each."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from knowledge.records.answers import ClaimLine, GoalLine, PlanAnswer, StepLine
from knowledge.surfaces.cli.render.lines import (
    BLANK,
    NAME,
    QUIET,
    Line,
    cause_lines,
    data,
    hint,
    join,
    labelled,
    plural,
    said,
    status_word,
    tree_text,
)
from knowledge.surfaces.cli.safe_text import clean

_MARKS = {"done": ("[x]", "green"), "touched": ("[!]", "bold red"), "waiting": ("[-]", QUIET), "ready": ("[ ]", ""), "open": ("[ ]", "")}
"""State of a node → its mark, and how that is coloured. The state is told in words too."""
_COLUMN = 3


def plan_answer(answer: PlanAnswer) -> list[Line]:
    """Goals and steps."""
    lines = [Line(Text.assemble("plan, in ", tree_text(answer.tree)))]
    if not answer.goals:
        return [*lines, Line(Text("there is no goal yet", style="yellow")), hint('knowledge plan add "…", then plan add "…" --goal ID')]
    for goal in answer.goals:
        lines += [BLANK, *_goal(goal)]
    first = next((step for goal in answer.goals for step in goal.steps if step.state in ("touched", "ready")), None)
    if first is None:
        return lines
    name = clean(first.claim.id)
    is_touched = first.state == "touched"
    step = f"knowledge claim show {name}, then claim verify it once looked at" if is_touched else f"knowledge plan done {name} --reason …"
    return [*lines, BLANK, hint(step)]


def _goal(goal: GoalLine) -> list[Line]:
    finished = sum(step.state == "done" for step in goal.steps)
    progress = f"{finished} of {plural(len(goal.steps), 'step')} done" if goal.steps else "no steps yet"
    if goal.claim is None:
        lines = [Line(join(Text("steps without a goal", style="bold"), Text(progress, style=QUIET)))]
    else:
        lines = _node(goal.claim, goal.state, goal.depends_on, indent=0, more=progress)
    for step in goal.steps:
        lines += _step(step)
    return lines


def _step(step: StepLine) -> list[Line]:
    waits = f"waits for {', '.join(step.waits_for)}" if step.waits_for else ""
    return _node(step.claim, step.state, step.depends_on, indent=2, more=waits)


def _node(claim: ClaimLine, state: str, depends_on: Sequence[ClaimLine], *, indent: int, more: str) -> list[Line]:
    mark, style = _MARKS[state]
    text = join(data(claim.statement, "bold" if indent == 0 else ""), data(claim.id, NAME), Text(state, style=style or QUIET), data(more, QUIET))
    lines = [labelled(Text(mark, style=style), text, indent=indent, column=_COLUMN)]
    inner = indent + _COLUMN + 2
    if state == "touched":
        lines += cause_lines(claim.causes, indent=inner)
    for premise in depends_on:
        lines.append(said("depends on", join(status_word(premise.status), data(premise.id, NAME), data(premise.statement)), indent=inner))
    return lines
