"""Answers about runs, tests to run again, and the completion gate, as lines."""

from __future__ import annotations

from rich.text import Text

from knowledge.records.run_answers import AffectedAnswer, GateAnswer, RunAnswer, RunLine, RunsAnswer, StoryAnswer, TestLine
from knowledge.surfaces.cli.render.lines import (
    BLANK,
    NAME,
    QUIET,
    Line,
    checked_lines,
    data,
    heading,
    hint,
    join,
    note,
    plural,
    table,
    tree_text,
)
from knowledge.surfaces.cli.safe_text import clean

_OUTCOMES = {"passed": "green", "xfailed": "green", "skipped": "yellow", "xpassed": "yellow"}
_BAD = "bold red"
_VERDICTS = {"pass": "bold green", "warn": "bold yellow"}
_PARTS = ("route", "handler", "path", "type-check", "test", "trace")
_KINDS = {"inferred": "yellow"}
_STATES = {"changed": "yellow", "unknown": "yellow", "new": "yellow", "equal": "green", "exact": "green"}


def run_answer(answer: RunAnswer) -> list[Line]:
    """A run, its environment, and the tests that are worth a look."""
    run = answer.run
    lines = [*_run_lines(run), *_environment_lines(answer)]
    if answer.tests:
        lines += [BLANK, *(line for test in answer.tests for line in _test_lines(test))]
    if answer.left_out:
        lines.append(Line(Text(f"{answer.left_out:,} more in `knowledge runs show {run.id}`", style="yellow"), 2))
    if answer.output:
        lines += [BLANK, heading("output"), *(Line(data(row), 2, is_whole=True) for row in answer.output.splitlines())]
    return [*lines, *([BLANK] if answer.notes else []), *(note(text) for text in answer.notes)]


def runs_answer(answer: RunsAnswer) -> list[Line]:
    """Runs, newest first."""
    lines = [line for run in answer.runs for line in _run_lines(run)]
    if not answer.runs:
        return [Line(Text("nothing was run here yet", style="yellow")), hint("knowledge run -- pytest")]
    return [*lines, *([Line(Text(f"{answer.left_out:,} older ones not shown", style="yellow"))] if answer.left_out else [])]


def affected_answer(answer: AffectedAnswer) -> list[Line]:
    """Tests to run again, each with its reasons."""
    states = join(*(Text(f"{count:,} {state}", style=_STATES.get(state, "")) for state, count in answer.states.items()))
    lines = [Line(join(Text(answer.compared), Text.assemble("in ", tree_text(answer.tree))), hang=2), Line(states, 2)]
    if answer.tests:
        lines += [BLANK, heading(f"to run: {len(answer.tests) + answer.left_out:,}"), *(line for test in answer.tests for line in _test_lines(test))]
    elif answer.checked.checked:
        lines += [BLANK, Line(Text("no test must run again", style="green"))]
    if answer.left_out:
        lines.append(Line(Text(f"{answer.left_out:,} more not shown; --limit shows more", style="yellow"), 2))
    lines += [BLANK, *checked_lines(answer.checked), *(note(text) for text in answer.notes)]
    return [*lines, hint("knowledge tests affected --run")] if answer.tests else lines


def gate_answer(answer: GateAnswer) -> list[Line]:
    """The verdict, and what can be acted on, line by line."""
    verdict = Text(answer.verdict, style=_VERDICTS.get(answer.verdict, ""))
    lines = [Line(join(verdict, data(answer.since), Text.assemble("in ", tree_text(answer.tree))), hang=2)]
    kind = ""
    for item in answer.items:
        if item.kind != kind:
            kind = item.kind
            lines += [BLANK, heading(f"{kind}: {answer.counts[kind]:,}")]
        lines.append(Line(join(data(item.about, NAME), data(item.detail)), 2, hang=2))
        if item.act:
            lines.append(Line(data(item.act, QUIET), 4, is_whole=True))
    if answer.left_out:
        lines += [BLANK, Line(Text(f"{answer.left_out:,} more of the same kinds", style="yellow"))]
    return [*lines, BLANK, *checked_lines(answer.checked), *(note(text) for text in answer.notes)]


def story_answer(answer: StoryAnswer) -> list[Line]:
    """The steps from the route to the trace, those that nothing shows in their place."""
    lines = [Line(join(data(answer.symbol, NAME), Text.assemble("in ", tree_text(answer.tree))), hang=2)]
    for part in _PARTS:
        lines += [BLANK, heading(part)]
        for step in answer.steps:
            if step.part == part:
                lines.append(Line(join(Text(step.kind, style=_KINDS.get(step.kind, "green")), data(step.about), data(step.place, NAME)), 2, hang=4))
                lines.append(Line(data(step.detail, QUIET), 6, hang=2))
        lines += [Line(join(Text("nothing shows:", style="yellow"), data(gap.why)), 2, hang=4) for gap in answer.missing if gap.part == part]
    told = [*answer.left_out, *(f"limit: {limit}" for limit in answer.limitations)]
    return [*lines, *([BLANK] if told else []), *(note(text) for text in told)]


def _run_lines(run: RunLine) -> list[Line]:
    ended = Text(_ending(run), style="green" if run.ending == "exited" and run.exit_code == 0 else _BAD)
    of = Text.assemble("at ", (clean((run.revision or "no commit")[:8]), NAME), "+dirty" if run.is_dirty else "")
    lines = [Line(join(Text(run.id, style="bold"), ended, data(run.command), of, f"{run.seconds:.1f} s", data(run.at, QUIET)), hang=2)]
    if run.results:
        lines.append(Line(join(*(Text(f"{count:,} {name}", style=_OUTCOMES.get(name, _BAD)) for name, count in run.results.items())), 2))
    return lines


def _ending(run: RunLine) -> str:
    if run.ending in ("exited", "imported"):
        return f"exit {run.exit_code}" if run.exit_code is not None else run.ending
    return run.ending if run.exit_code is None else f"{run.ending} ({run.exit_code})"


def _environment_lines(answer: RunAnswer) -> list[Line]:
    environment = answer.environment
    rows = [("environment", answer.run.environment), ("interpreter", str(environment.get("interpreter") or environment.get("program") or ""))]
    rows += [("platform", str(environment.get("platform", ""))), ("observed by", answer.run.tool)]
    if environment.get("distributions"):
        rows.append(("installed", plural(len(environment["distributions"]), "distribution")))
    if environment.get("lock_files"):
        rows.append(("lock files", ", ".join(environment["lock_files"])))
    if answer.run.tests_seen:
        rows.append(("covered", f"{plural(answer.run.tests_seen, 'test')} told what they rest on"))
    return table([(Text(key, style=QUIET), data(value)) for key, value in rows if value])


def _test_lines(test: TestLine) -> list[Line]:
    outcome = test.outcome or test.state
    flaky = Text("flaky", style="bold yellow") if test.is_flaky else None
    state = Text(test.state, style=_STATES.get(test.state, QUIET)) if test.state and test.state != outcome else None
    style = _OUTCOMES.get(outcome, _BAD if test.outcome else "yellow")
    lines = [Line(join(Text(outcome, style=style), state, flaky, data(test.test, NAME)), 2, hang=4)]
    lines += [Line(data(reason, QUIET), 6, hang=2) for reason in test.reasons]
    if test.message and not test.reasons:
        lines.append(Line(data(test.message.strip().splitlines()[0] if test.message.strip() else "", QUIET), 6, hang=2))
    return lines
