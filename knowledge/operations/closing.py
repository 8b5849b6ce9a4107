"""At the end of an agent's turn: the completion gate as a warning, in a few lines. It warns; it keeps nobody from ending."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.claims.anchors import digest_of
from knowledge.operations.attention import Advice, Attention
from knowledge.operations.gate import gate
from knowledge.operations.project import Project
from knowledge.views.pack_text import plain

MOST_ITEMS = 6
_CHARACTERS = 260
"""Of an item."""
CLOSED = "closed"
"""Among what a session was told: that it was made to look again."""
WEIGHTY = frozenset({"test-failing", "stale-claim", "conflict", "decision-to-review", "plan-touched", "edge-vanished"})
"""Kinds of items for which an agent is asked to look again: what the work made false. The others are told when these are."""


@dataclass(frozen=True, slots=True)
class Closing:
    """What stands against calling the work done. text: "" for nothing worth a word. digest: equal for equal items, whatever the time."""

    text: str = ""
    digest: str = ""
    count: int = 0


def closing(project: Project) -> Closing:
    """The gate's items, if any of them weighs. Raises what `gate` raises."""
    answer = gate(project)
    if not any(item.kind in WEIGHTY for item in answer.items):
        return Closing()
    lines = [
        f"- {item.kind}: {plain(item.about)[:_CHARACTERS]} ({plain(item.detail)[:_CHARACTERS]}) → {plain(item.act)}"
        for item in answer.items[:MOST_ITEMS]
    ]
    total = sum(answer.counts.values())
    head = f"Before this is called done ({answer.since}): {total} point{'s' * (total != 1)} not settled. A warning, told once; ending is allowed."
    rest = [f"({total - MOST_ITEMS} more: `knowledge gate`)"] if total > MOST_ITEMS else []
    digest = digest_of("\n".join(sorted(f"{item.kind} {item.about}" for item in answer.items)))
    return Closing("\n".join([head, *lines, *rest]), digest, total)


def advise(attention: Attention) -> Advice | None:
    """The warning, once for what it says; it has the agent look again at most once a session."""
    event, told = attention.event, attention.memory.told
    if event.is_continued or event.agent:
        return None
    found = closing(attention.project)
    if not found.text or found.digest in told:
        return None
    is_first = CLOSED not in told
    told += [found.digest, *([CLOSED] if is_first else [])]
    return Advice(found.text, is_continuing=is_first)
