"""An agent that is stuck is given what is remembered of its task, where something is remembered that fits.

What is asked is short and several: the command or task, what it answered, the names in an address; or the sentence in which the agent gives up and
its clauses. Only what passes the threshold of what nobody asked for is given, and never what is out of force.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from knowledge.operations.attention import Advice, Attention
from knowledge.operations.project import Project
from knowledge.operations.recall import Asked, recall
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.push.asking_for import about_call, about_saying
from knowledge.push.blocked import blocked_sentence
from knowledge.push.failures import failure_line
from knowledge.push.quoting import quote
from knowledge.push.stuck import is_stuck, read_attempt, shell_text
from knowledge.recall.ranking import PUSH_SCORE, read_query
from knowledge.records.agent_events import AgentEvent
from knowledge.records.recalls import RecallLine

MOST_MEMORIES = 2
_BUDGET = 2_000
"""Tokens of the recall; what is given has a budget of its own."""
_CONTINUED = "continued"
"""Among what a session was told: that it went on once because of a memory."""
_RECORDING = re.compile(r"(?:^|_)(?:record_claim|correct_claim)$")
_RECORD_COMMAND = re.compile(r"\bknowledge\s+claim\s+(?:record|correct)\b[^'\"]*(['\"].+)", re.DOTALL)
_OUT = ("superseded", "rejected", "withdrawn")


def remembered(project: Project, queries: Iterable[str], given: Collection[str] = (), *, personal: Project | None = None) -> tuple[RecallLine, ...]:
    """The memories that answer the query that is answered best, without those that were given already. Raises what `recall` raises."""
    banks = [project] if personal is None else [project, personal]
    for bank in banks:
        bring_up_to_date(bank)
    # Comparing is cheap; what is said of the claims found is read once, for one query.
    reached = {query: max((max(search(bank, read_query(query)).values(), default=0.0) for bank in banks), default=0.0) for query in queries}
    best = max(reached, key=lambda query: reached[query], default="")
    if not best or reached[best] < PUSH_SCORE:
        return ()
    lines = recall(project, Asked(best, least=PUSH_SCORE, is_pushed=True, budget_tokens=_BUDGET), personal=personal).lines
    return tuple(line for line in lines if line.claim.id not in given and line.claim.status not in _OUT)[:MOST_MEMORIES]


def advise_after_call(attention: Attention) -> Advice | None:
    """After a call: keep what was tried; where it failed a second time with nothing changed in between, what is remembered of it.

    A claim recorded by the call that says that something cannot be done brings it, too.
    """
    event, memory = attention.event, attention.memory
    attempt = read_attempt(event.tool, event.arguments, event.result, event.moment == "after_failure")
    earlier = memory.attempts.get(event.agent, [])
    memory.tried(event.agent, attempt)
    if is_stuck(earlier, attempt):
        text = shell_text(event.arguments) or " ".join(value for value in event.arguments.values() if isinstance(value, str))
        return _advice(attention, about_call(attempt.operation, text, failure_line(event.result)), "The same thing failed twice.")
    if event.moment == "after_call" and (sentence := blocked_sentence(_recorded(event))):
        return _advice(attention, about_saying(sentence), "What was recorded says that something cannot be done.")
    return None


def advise_at_stop(attention: Attention) -> Advice | None:
    """Where the last message says that something cannot be done: go on once with what is remembered of it."""
    event = attention.event
    sentence = "" if event.is_continued else blocked_sentence(event.message)
    if not sentence or _CONTINUED in attention.memory.told:
        return None
    advice = _advice(attention, about_saying(sentence), "The last message says that something cannot be done.")
    if advice is None:
        return None
    attention.memory.told.append(_CONTINUED)
    return replace(advice, is_continuing=True)


def _advice(attention: Attention, queries: Iterable[str], why: str) -> Advice | None:
    lines = remembered(attention.project, queries, attention.memory.given, personal=attention.personal)
    text, ids = quote(lines, f"{why} This is remembered, and may be about it:")
    return Advice(text, ids) if text else None


def _recorded(event: AgentEvent) -> str:
    """The statement that a call has recorded; "" for any other call."""
    if _RECORDING.search(event.tool):
        claim = event.arguments.get("claim")
        statement = claim.get("statement") if isinstance(claim, Mapping) else event.arguments.get("statement")
        return statement if isinstance(statement, str) else ""
    command = shell_text(event.arguments)
    found = _RECORD_COMMAND.search(command)
    return found[1] if found else ""
