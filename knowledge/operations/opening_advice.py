"""The adviser of beginnings: the short view, once for each state of things."""

from __future__ import annotations

from knowledge.operations.attention import Advice, Attention
from knowledge.operations.opening import opening


def advise(attention: Attention) -> Advice | None:
    """At a session's start, after a compaction, and for a sub-agent: what it would otherwise have to ask for."""
    memory = attention.memory
    found = opening(attention.project, memory.seen, is_brief=attention.event.moment == "subagent_start")
    memory.seen = found.seen
    return Advice(found.text) if found.text else None
