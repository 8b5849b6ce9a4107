"""Trigger rows and the audit, as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from knowledge.records.audits import AuditAnswer, AuditDay, AuditGate, AuditRow, AuditTrigger
from knowledge.records.triggers import TriggerCause, TriggerCausesAnswer, TriggerHit, TriggerLine, TriggersAnswer, TriggerTestAnswer
from knowledge.surfaces.cli.render.lines import BLANK, NAME, QUIET, Line, data, heading, hint, join, labelled, note, plural, said, table

_STATES = {"approved": "green", "draft": "yellow", "held": "yellow", "disabled": "dim", "dismissed": "dim", "merged": "dim"}
_WIDTH = 40
"""Cells of the longest bar of the chart."""


def triggers_answer(answer: TriggersAnswer) -> list[Line]:
    """Rows, each with what it looks for, what it recalls and where it stands."""
    lines: list[Line] = []
    for trigger in answer.triggers:
        lines += [*([BLANK] if lines else []), *_trigger(trigger)]
    if not answer.triggers:
        lines.append(Line(Text("no trigger is drafted or approved: nothing comes by itself before a call", style=QUIET)))
    lines += [note(text) for text in answer.notes]
    waiting = next((trigger for trigger in answer.triggers if trigger.state in ("draft", "held")), None)
    return [*lines, BLANK, hint(f"knowledge trigger replay {waiting.id}, then approve {waiting.id} --reason …")] if waiting is not None else lines


def _trigger(trigger: TriggerLine) -> list[Line]:
    row = trigger.row
    groups = [[str(word) for word in group] for group in (row.get("all") or [row.get("subject") or [], *(row.get("actions") or [])])]
    where = join(data(str(row.get("tool", "")) or "any tool"), data(f"argument {row['argument']}") if row.get("argument") else None)
    lines = [Line(join(data(trigger.id, NAME), Text(trigger.state, style=_STATES[trigger.state]), data(", ".join(trigger.causes), QUIET)))]
    lines.append(said("tool", where, indent=2))
    lines += [said("subject" if not place else "action", data(" | ".join(group)), indent=2) for place, group in enumerate(groups)]
    lines += [said("not with", data(" | ".join(map(str, row["none"]))), indent=2)] if row.get("none") else []
    lines.append(said("recalls", data(str(row.get("recall", ""))), indent=2))
    lines += [said("second tier", Text("one line where only the subject is named"), indent=2)] if row.get("has_hint") else []
    examples = f"{len(row.get('positive') or ())} positive, {len(row.get('negative') or ())} negative"
    lines.append(said("examples", Text(examples), indent=2))
    lines += [said("evidence", data(text, QUIET), indent=2) for text in _evidence(trigger.evidence)]
    steps = [
        (data(step.at[:10]), join(data(step.type.removeprefix("Trigger").lower()), data(step.author), data(step.reason))) for step in trigger.steps
    ]
    return lines + table(steps, indent=2)


def _evidence(found: Mapping[str, Any]) -> list[str]:
    """What a draft was drawn from, a line each: names and values as they are, those of a further cause in turn."""
    told = []
    for name, value in found.items():
        if isinstance(value, Mapping):
            told += [f"{name}: {text}" for text in _evidence(value)]
        elif isinstance(value, list):
            told += [f"{name}: {', '.join(f'{k} {v}' for k, v in one.items()) if isinstance(one, Mapping) else one}"[:300] for one in value]
        else:
            told.append(f"{name}: {value}"[:300])
    return told


def causes_answer(answer: TriggerCausesAnswer) -> list[Line]:
    """What persons made of drafts."""
    if not answer.causes:
        return [Line(Text("nothing was drafted yet", style=QUIET))]
    told = [(data(one.cause), _fates(one)) for one in answer.causes]
    return [*table(told), *(note(text) for text in answer.notes)]


def _fates(one: TriggerCause) -> Text:
    counts = (f"{one.registered} registered", f"{one.merged} merged", f"{one.held} held", f"{one.dismissed} dismissed")
    return join(plural(one.drafts, "draft"), *counts, Text(f"{one.waiting} waiting", style="yellow") if one.waiting else None)


def test_answer(answer: TriggerTestAnswer) -> list[Line]:
    """What rows would do to calls."""
    lines = [Line(Text(f"{plural(len(answer.hits), 'hit')} in {plural(answer.calls, 'call')}", style="green" if answer.hits else QUIET))]
    for hit in answer.hits:
        lines += _hit(hit)
    if answer.context:
        lines += [BLANK, heading("an agent would be given"), *(Line(data(text), 2) for text in answer.context.splitlines())]
    return [*lines, *(note(text) for text in answer.notes)]


def _hit(hit: TriggerHit) -> list[Line]:
    tier = Text("whole" if hit.tier == "full" else "subject only", style="green" if hit.tier == "full" else "yellow")
    return [
        Line(join(data(hit.at[:16]) if hit.at else None, data(hit.trigger, NAME), tier, data(hit.tool), data(f"“{hit.sentence[:160]}”")), 2, hang=2)
    ]


def audit_answer(answer: AuditAnswer) -> list[Line]:
    """Counts by gate and trigger, and a chart of the days."""
    lines = [Line(Text(f"{plural(answer.decisions, 'decision')} since {answer.since[:10]}", style="bold"))]
    lines += [note(f"warning: {text}") for text in answer.warnings]
    if answer.gates:
        lines += [BLANK, heading("gates"), *table([(data(gate.name), _gate(gate)) for gate in answer.gates])]
    if answer.triggers:
        lines += [BLANK, heading("triggers"), *table([(data(trigger.id), _trigger_counts(trigger)) for trigger in answer.triggers])]
    if answer.days:
        lines += [BLANK, heading("days"), *_chart(answer.days)]
    if answer.hosts:
        lines += [BLANK, heading("programs"), *table([(data(name), Text(str(count))) for name, count in answer.hosts.items()])]
    if answer.rows:
        lines += [BLANK, heading("newest"), *(_row(row) for row in answer.rows)]
    return [*lines, *(note(text) for text in answer.notes)]


def _trigger_counts(counts: AuditTrigger) -> Text:
    missed = Text(f"{counts.missed} missed", style="yellow") if counts.missed else None
    return join(f"{counts.match} match", f"{counts.miss} nothing new", missed, data(f"last {counts.last[:10]}", QUIET))


def _gate(gate: AuditGate) -> Text:
    failed = Text(f"{gate.failed} failed", style="bold red") if gate.failed else None
    counts = join(f"{gate.match} match", f"{gate.miss} miss", failed, f"p50 {gate.p50:g} ms", f"p95 {gate.p95:g} ms")
    causes = "; ".join(f"{count} × {cause}" for cause, count in gate.causes.items())
    return join(counts, data(causes[:160], QUIET) if causes else None)


def _chart(days: Sequence[AuditDay]) -> list[Line]:
    """One bar a day: matches, then failures, then misses, to the scale of the fullest day."""
    most = max(day.match + day.miss + day.failed for day in days)
    lines = []
    for day in days:
        bar = Text()
        for count, mark, style in ((day.match, "█", "green"), (day.failed, "▓", "red"), (day.miss, "░", QUIET)):
            bar.append(mark * (max(1, round(_WIDTH * count / most)) if count else 0), style=style)
        lines.append(
            labelled(data(day.day[5:]), join(bar, f"{day.match} match · {day.miss} miss · {day.failed} failed · {day.tokens} tokens"), indent=2)
        )
    return lines


def _row(row: AuditRow) -> Line:
    style = {"match": "green", "failed": "bold red"}.get(row.outcome, QUIET)
    what = join(data(row.moment), data(row.tool), data(row.gate, NAME), Text(row.outcome, style=style), data(row.cause), data(" ".join(row.claims)))
    return Line(join(data(row.at), data(row.host), what, f"{row.milliseconds:g} ms"), 2, hang=2)
