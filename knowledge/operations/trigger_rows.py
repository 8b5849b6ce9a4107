"""Trigger rows: drafted by anybody, approved by a person, and kept in the ledger as events, so that nothing is lost and an export carries them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from knowledge.errors import InvalidRecordError, LifecycleError, UnknownRecordError
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.persons import Proof, require_person
from knowledge.operations.project import Project
from knowledge.push.argument_names import refuse_argument
from knowledge.push.merging import widened
from knowledge.push.triggers import Trigger, matches, read_trigger
from knowledge.records.events import Event
from knowledge.records.triggers import BY_HAND, STATES, WAITING, TriggerCause, TriggerCausesAnswer, TriggerLine, TriggersAnswer, TriggerStep

_MOST_EXAMPLES = 200
_ENOUGH = 5
"""Decided drafts of a cause from which on their share says anything."""
_ANALYZER = "analyzer:knowledge"
"""Who drafts what nobody wrote."""


def show(project: Project, trigger_id: str = "") -> TriggersAnswer:
    """All rows, or one. Raises UnknownRecordError with suggestions."""
    return TriggersAnswer((row_of(project, trigger_id),) if trigger_id else tuple(rows_of(project).values()))


def rows_of(project: Project) -> dict[str, TriggerLine]:
    """Trigger id → the row as it stands, in the order in which they were drafted."""
    found: dict[str, TriggerLine] = {}
    for event in project.ledger.events("", types=tuple(STATES)):
        name = str(event.payload.get("trigger", ""))
        step = TriggerStep(event.type, event.at, event.author, str(event.payload.get("reason", "")))
        if event.type == "TriggerDrafted":
            found[name] = _drafted(name, event, step, found.get(name))
        elif name in found:
            line = found[name]
            row = dict(line.row) | dict(event.payload.get("row") or {})
            found[name] = replace(line, state=STATES[event.type], row=row, steps=(*line.steps, step))
    return found


def _drafted(name: str, event: Event, step: TriggerStep, before: TriggerLine | None) -> TriggerLine:
    """A row as its draft has it. A draft that waits and is drafted without a row has one more cause, with its evidence."""
    cause, evidence = str(event.payload.get("cause", BY_HAND)), event.payload.get("evidence") or {}
    steps = (*(before.steps if before is not None else ()), step)
    if before is not None and "row" not in event.payload:
        claims = list(dict.fromkeys([*before.evidence.get("claims", ()), *evidence.get("claims", ())]))
        both = {**before.evidence, cause: evidence} | ({"claims": claims} if claims else {})
        return replace(before, steps=steps, causes=(*before.causes, cause), evidence=both)
    return TriggerLine(name, "draft", dict(event.payload.get("row") or {}), steps, (cause,), evidence)


def strengthen(project: Project, line: TriggerLine, cause: str, evidence: Mapping[str, Any]) -> None:
    """Give a draft that waits one more cause."""
    refuse_off_record(project)
    payload = {"trigger": line.id, "cause": cause, "evidence": dict(evidence)}
    project.ledger.append([Event(0, "TriggerDrafted", "", project.now(), _ANALYZER, payload)])


def draft(project: Project, row: Mapping[str, Any], *, cause: str = BY_HAND, evidence: Mapping[str, Any] | None = None) -> TriggersAnswer:
    """Keep a row as a draft; it hits nothing before a person approves it. cause: what made it, where nobody wrote it.

    Raises InvalidRecordError for a row that says nothing, has an argument that is no free text, has a taken id, or breaks its own examples.
    """
    refuse_off_record(project)
    trigger = read_trigger(row)
    refuse_argument(trigger)
    if broken := broken_examples(trigger):
        raise InvalidRecordError(f"trigger {trigger.id} breaks its own examples: {'; '.join(broken[:5])}. Nothing was stored.")
    there = rows_of(project).get(trigger.id)
    if there is not None and there.state in (*WAITING, "approved"):
        raise InvalidRecordError(f"there is a trigger {trigger.id!r} ({there.state}); disable or dismiss it first, or give the row another id")
    payload: dict[str, Any] = {"trigger": trigger.id, "row": dict(row), "cause": cause}
    author = project.author_text() if cause == BY_HAND else _ANALYZER
    project.ledger.append([Event(0, "TriggerDrafted", "", project.now(), author, payload | ({"evidence": evidence} if evidence else {}))])
    notes = () if trigger.positive and trigger.negative else ("a row without positive and negative examples is a guess: `replay` it before approval",)
    return TriggersAnswer((rows_of(project)[trigger.id],), notes)


def broken_examples(trigger: Trigger) -> list[str]:
    """What a row does to its own examples that it should not. Each example stands for a call of a tool that it names."""
    found = []
    for text in trigger.positive[:_MOST_EXAMPLES]:
        if not _hits(trigger, text):
            found.append(f"misses {text[:80]!r}")
    for text in trigger.negative[:_MOST_EXAMPLES]:
        if _hits(trigger, text):
            found.append(f"hits {text[:80]!r}")
    return found


def approve(project: Project, trigger_id: str, reason: str, proof: Proof, *, has_hint: bool | None = None) -> TriggersAnswer:
    """A person says that a draft is held against calls from now on. has_hint: with or without its second tier; None as the draft has it.

    Raises NotAPersonError, UnknownRecordError, LifecycleError.
    """
    row = None if has_hint is None else {"has_hint": has_hint}
    return decide(project, trigger_id, "TriggerApproved", reason, proof, row=row)


def decide(project: Project, trigger_id: str, event_type: str, reason: str, proof: Proof, *, row: Mapping[str, Any] | None = None) -> TriggersAnswer:
    """A person's decision about a draft: approved, held, merged or dismissed. row: fields that the decision changes.

    Raises NotAPersonError, UnknownRecordError, LifecycleError, InvalidRecordError for a decision without a reason.
    """
    refuse_off_record(project)
    person = require_person(project, proof, f"{_VERBS[event_type]} a trigger")
    line = row_of(project, trigger_id)
    if line.state not in WAITING:
        raise LifecycleError(f"trigger {trigger_id} is {line.state}; expected a draft")
    if not reason.strip():
        raise InvalidRecordError("a decision about a trigger needs a reason: --reason TEXT")
    changed = dict(row or {})
    if changed:
        refuse_argument(read_trigger(dict(line.row) | changed))
    payload: dict[str, Any] = {"trigger": line.id, "reason": reason} | ({"row": changed} if changed else {})
    project.ledger.append([Event(0, event_type, "", project.now(), person, payload)])
    return show(project, line.id)


def merge(project: Project, trigger_id: str, into: str, reason: str, proof: Proof) -> TriggersAnswer:
    """A person says that a draft is of the same thing as an approved row, which takes over its words and its examples; the draft is merged.

    Raises NotAPersonError, UnknownRecordError, LifecycleError where one of them is in another state, InvalidRecordError where the row would break an
    example then, its own or the draft's.
    """
    person = require_person(project, proof, "merge a trigger")
    line, target = row_of(project, trigger_id), row_of(project, into)
    if line.state not in WAITING or target.state != "approved":
        raise LifecycleError(f"{line.id} is {line.state} and {target.id} is {target.state}; expected a draft and an approved row")
    if not reason.strip():
        raise InvalidRecordError("a decision about a trigger needs a reason: --reason TEXT")
    row = widened(target.row, line.row)
    trigger = read_trigger(row)
    refuse_argument(trigger)
    if broken := broken_examples(trigger):
        raise InvalidRecordError(f"with the words of {line.id}, {target.id} {'; '.join(broken[:5])}. Nothing was stored.")
    told = {"trigger": line.id, "reason": reason, "into": target.id}
    taken = {"trigger": target.id, "reason": f"{reason} (with {line.id})", "row": row}
    events = [Event(0, "TriggerMerged", "", project.now(), person, told), Event(0, "TriggerApproved", "", project.now(), person, taken)]
    project.ledger.append(events)
    return TriggersAnswer((row_of(project, target.id), row_of(project, line.id)))


_VERBS = {"TriggerApproved": "approve", "TriggerHeld": "hold", "TriggerMerged": "merge", "TriggerDismissed": "dismiss"}


def disable(project: Project, trigger_id: str, reason: str) -> TriggersAnswer:
    """Hold a row against no call any more. Anybody may: it only takes away. Raises UnknownRecordError, LifecycleError."""
    refuse_off_record(project)
    line = row_of(project, trigger_id)
    if line.state != "approved":
        raise LifecycleError(f"trigger {trigger_id} is {line.state}; expected an approved one")
    payload = {"trigger": line.id, "reason": reason}
    project.ledger.append([Event(0, "TriggerDisabled", "", project.now(), project.author_text(), payload)])
    return show(project, line.id)


def approved(project: Project) -> tuple[Trigger, ...]:
    """The rows that are held against calls."""
    key = ("approved rows", project.ledger.last_sequence())
    return project.remember(key, lambda: tuple(read_trigger(line.row) for line in rows_of(project).values() if line.state == "approved"))


def waiting_notice(project: Project) -> str:
    """That drafts wait for a person, in a line; "" where none does."""
    count = sum(line.state == "draft" for line in rows_of(project).values())
    return f"{count} trigger draft{'s wait' if count > 1 else ' waits'} for a person: `knowledge trigger list`" if count else ""


def causes(project: Project) -> TriggerCausesAnswer:
    """What persons made of the drafts of each cause, so that the thresholds that make drafts can be judged again."""
    lines = list(rows_of(project).values())
    found = []
    for cause in sorted({cause for line in lines for cause in line.causes}):
        states = Counter(_fate(line) for line in lines if cause in line.causes)
        counts = (states[name] for name in ("draft", "held", "approved", "merged", "dismissed"))
        found.append(TriggerCause(cause, sum(states.values()), *counts))
    notes = [
        f"of {one.cause} {one.dismissed} of {decided} decided drafts were dismissed: what makes such drafts may be too easily met"
        for one in found
        if one.cause != BY_HAND and (decided := one.registered + one.merged + one.dismissed) >= _ENOUGH and one.dismissed * 2 > decided
    ]
    return TriggerCausesAnswer(tuple(found), tuple(notes))


def _fate(line: TriggerLine) -> str:
    """What a person made of a draft: a row that was disabled later had been approved."""
    return "approved" if line.state == "disabled" else line.state


def _hits(trigger: Trigger, text: str) -> bool:
    return any(match.tier == "full" for match in matches([replace(trigger, tool="", tool_is_enough="")], "", text))


def row_of(project: Project, trigger_id: str) -> TriggerLine:
    """One row. Raises UnknownRecordError, with near ids as suggestions."""
    rows = rows_of(project)
    if trigger_id in rows:
        return rows[trigger_id]
    near = get_close_matches(trigger_id, rows, n=3, cutoff=0.4)
    raise UnknownRecordError(f"there is no trigger {trigger_id!r}; `knowledge trigger list` names all", suggestions=near or list(rows)[:3])
