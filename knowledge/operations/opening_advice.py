"""The adviser of beginnings: the short view, once for each state of things."""

from __future__ import annotations

from knowledge.operations.attention import Advice, Attention
from knowledge.operations.opening import opening
from knowledge.operations.trigger_rows import waiting_notice


def advise(attention: Attention) -> Advice | None:
    """At a session's start, after a compaction, and for a sub-agent: what it would otherwise have to ask for; to the person which drafts wait."""
    memory, event = attention.memory, attention.event
    found = opening(attention.project, memory.seen, is_brief=event.moment == "subagent_start")
    memory.seen = found.seen
    notice = waiting_notice(attention.project) if event.moment == "session_start" and event.source != "compact" else ""
    return Advice(found.text, notice=notice) if found.text or notice else None
