"""The memory that stands in the way of a call: an approved row hits, and what it asks for is recalled at that moment.

call → the texts that the row may read → match → live recall → one or two memories, quoted, in front of the named free-text argument or beside
the call; nothing, 0 bytes, where no row hits or nothing that stands is remembered
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from knowledge.operations.attention import Advice, Attention
from knowledge.operations.project import Project
from knowledge.operations.recall import Asked, recall
from knowledge.operations.trigger_rows import approved
from knowledge.push.argument_names import is_free_text
from knowledge.push.quoting import quote, quote_count
from knowledge.push.triggers import Match, Trigger, matches
from knowledge.recall.ranking import PUSH_SCORE
from knowledge.records.agent_events import AgentEvent
from knowledge.records.recalls import RecallLine

PROMPT = "prompt"
"""The name under which rows see what a person said: a row whose tool pattern fits it is held against prompts, too."""
MOST_MEMORIES = 2
_BUDGET = 2_000
"""Tokens of the recall; what is given has a budget of its own."""
_OUT = ("superseded", "rejected", "withdrawn")
_MOST_TEXT = 20_000
_DEPTH = 6


def advise(attention: Attention) -> Advice | None:
    """What the first row that hits brings; None where none does. A row that hits and finds nothing new is told as a miss with its cause."""
    event = attention.event
    hits = list(matched(approved(attention.project), event))
    empty: list[str] = []
    for match in sorted(hits, key=lambda one: one.tier != "full"):
        advice = _whole(attention, match) if match.tier == "full" else _counted(attention, match)
        if advice is not None:
            return advice
        empty.append(match.trigger.id)
    return Advice(triggers=tuple(dict.fromkeys(empty)), cause="nothing-new") if empty else None


def memories_of(project: Project, query: str, *, personal: Project | None = None) -> tuple[RecallLine, ...]:
    """What is recalled for a row: what stands, is not private, and passes the threshold of what nobody asked for. Raises what `recall` raises."""
    head = project.repository.head().revision
    asked = Asked(query, least=PUSH_SCORE, is_pushed=True, budget_tokens=_BUDGET)

    def recalled() -> tuple[RecallLine, ...]:
        found = recall(project, asked, personal=personal, at="HEAD" if head is not None else None)
        return tuple(line for line in found.lines if line.claim.status not in _OUT)

    if head is None:
        return recalled()
    # The same commit, the same records and the same minute have the same answer.
    banks = [bank.ledger.last_sequence() for bank in (project, personal) if bank is not None]
    return project.remember(("recalled", query, head, *banks, project.now()[:16]), recalled)


def texts_of(trigger: Trigger, event: AgentEvent) -> list[str]:
    """The texts of a call that a row may read: its named argument, or all of them."""
    if event.moment == "prompt":
        return [event.prompt] if event.prompt else []
    if trigger.argument:
        value = event.arguments.get(trigger.argument)
        return [value] if isinstance(value, str) and value else []
    return list(_strings(event.arguments, _DEPTH))


def matched(triggers: Iterable[Trigger], event: AgentEvent) -> Iterator[Match]:
    """The hits of rows on a call or a prompt, each row on the texts that it may read."""
    tool = PROMPT if event.moment == "prompt" else event.tool
    for trigger in triggers:
        texts = texts_of(trigger, event)
        if texts:
            yield from matches([trigger], tool, "\n".join(texts)[:_MOST_TEXT])


def _whole(attention: Attention, match: Match) -> Advice | None:
    trigger, event = match.trigger, attention.event
    lines = [
        line for line in memories_of(attention.project, trigger.query, personal=attention.personal) if line.claim.id not in attention.memory.given
    ]
    text, claims = quote(lines[:MOST_MEMORIES])
    if not text:
        return None
    task = event.arguments.get(trigger.argument) if trigger.argument and event.moment == "before_call" else None
    if attention.can_rewrite and isinstance(task, str) and is_free_text(event.tool, trigger.argument):
        told = f"`knowledge` put {len(claims)} remembered record(s) before `{trigger.argument}` of this call: {', '.join(claims)}."
        return Advice(told, claims, dict(event.arguments) | {trigger.argument: f"{text}\n\n{task}"}, triggers=(trigger.id,))
    return Advice(text, claims, triggers=(trigger.id,))


def _counted(attention: Attention, match: Match) -> Advice | None:
    """The second tier: one line, once a session and row."""
    mark = f"hint:{match.trigger.id}"
    if mark in attention.memory.told:
        return None
    lines = memories_of(attention.project, match.trigger.query, personal=attention.personal)
    if not lines:
        return None
    attention.memory.told.append(mark)
    return Advice(quote_count(lines, match.trigger.subject[0], match.trigger.query), triggers=(match.trigger.id,))


def _strings(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif depth and isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner, depth - 1)
    elif depth and isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner, depth - 1)
