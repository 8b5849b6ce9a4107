"""One moment of an agent's program: whom is it told to, what do they say, what is kept of it.

    event → off the record? switched off? → the moment's advisers, one after the other → one reply within its budget → one audit row an adviser

An adviser that fails is a row, never an error: the agent goes on as if nobody had been asked.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import replace

from knowledge.errors import KnowledgeError
from knowledge.operations import before_edit, closing, failing_again, opening_advice, stuck, triggered, wishing
from knowledge.operations.attention import Advice, Adviser, Attention, read_memory
from knowledge.operations.project import Project
from knowledge.push.payloads import kept_payload
from knowledge.recall.tokens import estimate_tokens
from knowledge.records.agent_events import REPLY_CHARACTERS, AgentEvent, Moment, Reply
from knowledge.storage.audit import AuditStore, Call, Decision
from knowledge.storage.unanswered import SILENCED

SWITCH = "KNOWLEDGE_PUSH"
"""The environment variable that switches it all off with 0, off, no or false."""
FAILED = "push-failed"
"""The counter of moments at which the audit could not be opened or written."""
_OFF = ("0", "off", "no", "false")
_ADVISERS: dict[Moment, tuple[Adviser, ...]] = {
    "session_start": (opening_advice.advise,),
    "subagent_start": (opening_advice.advise,),
    "prompt": (wishing.advise, triggered.advise),
    "before_call": (triggered.advise, before_edit.advise),
    "after_call": (stuck.advise_after_call, failing_again.advise),
    "after_failure": (stuck.advise_after_call, failing_again.advise),
    "stop": (stuck.advise_at_stop, closing.advise, failing_again.advise_at_stop),
    "subagent_stop": (stuck.advise_at_stop,),
}


def attend(project: Project, event: AgentEvent, *, personal: Project | None = None, can_rewrite: bool = True) -> Reply:
    """What to answer. can_rewrite: whether the one who asks can change an argument of the call.

    Raises nothing that the store, the repository or an adviser may raise: then nothing is said, and that is counted.
    """
    if os.environ.get(SWITCH, "").lower() in _OFF:
        with contextlib.suppress(KnowledgeError):
            project.index.count(f"hook-{SILENCED}")
        return Reply()
    try:
        return _attend(project, event, project.audit, personal, can_rewrite)
    except KnowledgeError:
        # Without an audit there is no saying what a session was given; saying nothing is right more often than saying it again.
        with contextlib.suppress(KnowledgeError):
            project.index.count(FAILED)
        return Reply()


def _attend(project: Project, event: AgentEvent, audit: AuditStore, personal: Project | None, can_rewrite: bool) -> Reply:
    if audit.is_off_record([one for one in (event.session, event.agent) if one]):
        if event.agent:
            audit.take_off_record([event.agent], project.now())
        return Reply()
    memory = read_memory(audit.state(event.host, event.session))
    if event.agent and event.agent not in memory.agents:
        memory.agents.append(event.agent)
    attention = Attention(project, event, memory, personal, can_rewrite)
    advices: list[Advice] = []
    decisions: list[Decision] = []
    for adviser in _ADVISERS.get(event.moment, ()):
        advice, decision = _asked(adviser, attention)
        decisions.append(decision)
        if advice is None:
            continue
        if advice.is_off_record:
            audit.take_off_record([event.session, *memory.agents, event.program], project.now())
            return Reply(notice=advice.notice)
        memory.given += advice.claims
        advices.append(advice)
    meanwhile = audit.close_moment(event.host, event.session, memory.stored(), decisions, _kept(project, event))
    return _joined([advice for advice in advices if not meanwhile & set(advice.claims)], event)


def _asked(adviser: Adviser, attention: Attention) -> tuple[Advice | None, Decision]:
    """What an adviser says, and the row that is kept of it."""
    event, project = attention.event, attention.project
    name = adviser.__module__.rpartition(".")[2]
    blank = Decision(project.now(), event.host, event.version, event.session, event.moment, event.tool, name, "miss")
    began = time.perf_counter()
    try:
        advice = adviser(attention)
    except (KnowledgeError, OSError) as failure:
        cause = f"{failure.code}: {failure.message}" if isinstance(failure, KnowledgeError) else f"file: {failure}"
        return None, replace(blank, outcome="failed", cause=cause[:300], milliseconds=_since(began))
    if advice is None:
        return None, replace(blank, milliseconds=_since(began))
    if advice.cause:
        return None, replace(blank, cause=advice.cause, triggers=advice.triggers, milliseconds=_since(began))
    tokens = round(estimate_tokens(advice.context + _added(event, advice)))
    found = replace(blank, outcome="match", claims=advice.claims, tokens=tokens, milliseconds=_since(began), triggers=advice.triggers)
    return advice, found


def _added(event: AgentEvent, advice: Advice) -> str:
    """What an advice puts in front of an argument."""
    if advice.arguments is None:
        return ""
    return "".join(
        str(value).removesuffix(str(event.arguments.get(key, ""))) for key, value in advice.arguments.items() if event.arguments.get(key) != value
    )


def _kept(project: Project, event: AgentEvent) -> Call | None:
    """The call as it is kept, for rows that are tried later; None for a moment that no row is held against."""
    if event.moment not in ("before_call", "prompt"):
        return None
    return Call(project.now(), event.host, event.session, event.moment, event.tool, kept_payload(event))


def _since(began: float) -> float:
    return round(1_000 * (time.perf_counter() - began), 1)


def _joined(advices: Sequence[Advice], event: AgentEvent) -> Reply:
    """All that was said as one reply, whole pieces within the budget. A stop that an earlier one continued is never continued again."""
    kept: list[str] = []
    room = REPLY_CHARACTERS
    for advice in advices:
        if advice.context and len(advice.context) + 2 <= room:
            kept.append(advice.context)
            room -= len(advice.context) + 2
    context = "\n\n".join(kept)
    is_continuing = bool(context) and not event.is_continued and any(advice.is_continuing for advice in advices)
    arguments = next((advice.arguments for advice in advices if advice.arguments is not None), None)
    return Reply(context, arguments, is_continuing, " ".join(advice.notice for advice in advices if advice.notice))
