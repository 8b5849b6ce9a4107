"""Trying trigger rows: on one text, and on the calls that were logged. A row is seen at work before a person approves it."""

from __future__ import annotations

from knowledge.config import AUDIT_FILE
from knowledge.operations.project import Project
from knowledge.operations.trigger_rows import approved, row_of
from knowledge.operations.triggered import PROMPT, matched, memories_of
from knowledge.push.quoting import quote
from knowledge.push.triggers import matches, read_trigger
from knowledge.records.agent_events import AgentEvent
from knowledge.records.triggers import TriggerHit, TriggerTestAnswer
from knowledge.storage.audit import open_audit

_MOST_REPLAYED = 20_000
_SHOWN = 50


def test(project: Project, tool: str, text: str, trigger_id: str = "", *, personal: Project | None = None) -> TriggerTestAnswer:
    """What the approved rows, or one row whatever its state, do to a call of `tool` with this text, and what an agent would be given."""
    rows = approved(project) if not trigger_id else (read_trigger(row_of(project, trigger_id).row),)
    hits, context = [], ""
    for match in matches(rows, tool, text):
        lines = memories_of(project, match.trigger.query, personal=personal)
        hits.append(TriggerHit(match.trigger.id, tool, match.tier, match.sentence, tuple(line.claim.id for line in lines)))
        if match.tier == "full" and not context:
            context = quote(lines)[0]
    notes = () if rows else ("no trigger is approved: name one to try it",)
    return TriggerTestAnswer(tuple(hits), 1, context, notes)


def replay(project: Project, trigger_id: str, after: str = "") -> TriggerTestAnswer:
    """What a row, whatever its state, would have hit among the calls that were logged since `after` (ISO 8601). Nothing is recalled or changed."""
    trigger = read_trigger(row_of(project, trigger_id).row)
    with open_audit(project.home / AUDIT_FILE) as audit:
        calls = audit.calls(after, _MOST_REPLAYED)
    hits: list[TriggerHit] = []
    for call in calls:
        is_prompt = call.moment == "prompt"
        prompt, arguments = (str(call.payload.get("prompt", "")), {}) if is_prompt else ("", call.payload)
        event = AgentEvent(call.host, "prompt" if is_prompt else "before_call", call.session, tool=call.tool, prompt=prompt, arguments=arguments)
        hits += [TriggerHit(trigger.id, event.tool or PROMPT, m.tier, m.sentence[:300], at=call.at) for m in matched([trigger], event)]
    notes = ["no call has been logged yet: a replay over nothing says nothing"] if not calls else []
    notes += [f"only the last {_SHOWN} of {len(hits)} hits are shown"] if len(hits) > _SHOWN else []
    return TriggerTestAnswer(tuple(hits[-_SHOWN:]), len(calls), "", tuple(notes))
