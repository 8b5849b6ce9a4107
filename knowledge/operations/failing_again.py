"""A failure of one cause, met a second time: a sign that what is known of it did not come. Makes a draft of a trigger, which a person decides.

Two failures are of one cause where operation and telling line agree once paths, numbers, ids and addresses are out (`push/failures.py`). Tests,
checks and searches that answer no are no failures. The agent is not disturbed: the notice is for the person, when the agent has done its turn.
"""

from __future__ import annotations

import re

from knowledge.claims.masking import mask
from knowledge.operations.attention import Advice, Attention
from knowledge.operations.drafting import Sign, draft_from, waiting_text
from knowledge.operations.project import Project
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.push.asking_for import about_call
from knowledge.push.failures import failure_line, failure_signature
from knowledge.push.stuck import is_shell, read_attempt, shell_text
from knowledge.recall.ranking import PUSH_SCORE, read_query
from knowledge.records.agent_events import AgentEvent
from knowledge.records.stored import PRIVATE
from knowledge.storage.audit import Failure

CAUSE = "failure-again"
_DRAFTED = "draft:"
"""Among what a session was told: a draft of which the person is still to be told."""
_MOST_CLAIMS = 3
_MOST_TEXT = 400
_MOST_WORDS = 4
_MACHINE = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}")


def advise(attention: Attention) -> Advice | None:
    """Where a failure was met before: keep which draft was made of it. Nothing is said in the middle of the work."""
    event, project = attention.event, attention.project
    attempt = read_attempt(event.tool, event.arguments, event.result, event.moment == "after_failure")
    signature = mask(failure_signature(attempt.operation, event.result)) if attempt.outcome == "failed" else ""
    if not signature:
        return None
    line, text = mask(failure_line(event.result)), mask(_text(event))
    before = project.audit.keep_failure(signature, Failure(project.now(), event.host, event.session, event.tool, line))
    if before is None:
        return None
    query, claims = _asked(project, about_call(attempt.operation, text, line))
    subject, actions = _named(event.tool, attempt.operation, text)
    evidence = {
        "signature": signature,
        "failures": [{"at": before.at, "session": before.session}, {"at": project.now(), "session": event.session}],
        "sentences": [before.text, line],
    }
    sign = Sign(CAUSE, subject, actions, query, claims, f"^{re.escape(event.tool)}$", text[:_MOST_TEXT], evidence)
    drafted = draft_from(project, sign) if query else ""
    if not drafted:
        return None
    attention.memory.told.append(_DRAFTED + drafted)
    return Advice()


def advise_at_stop(attention: Attention) -> Advice | None:
    """Tell the person, once, which drafts were made of the turn's failures."""
    told = attention.memory.told
    fresh = [mark.removeprefix(_DRAFTED) for mark in told if mark.startswith(_DRAFTED)]
    told[:] = [mark for mark in told if not mark.startswith(_DRAFTED)]
    return Advice(notice=" ".join(f"The same failure was met before; {waiting_text(draft)}." for draft in fresh)) if fresh else None


def _text(event: AgentEvent) -> str:
    return shell_text(event.arguments) or " ".join(value for value in event.arguments.values() if isinstance(value, str))


def _asked(project: Project, queries: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The query that is answered best, and the memories that answer it well; the first query where nothing does."""
    bring_up_to_date(project)
    scores = {query: search(project, read_query(query)) for query in queries}
    best = max(scores, key=lambda query: max(scores[query].values(), default=0.0), default="")
    found = {c: score for c, score in scores.get(best, {}).items() if score >= PUSH_SCORE}
    private = {claim.id for claim in project.ledger.claims(ids=found) if claim.detail.get(PRIVATE)} if found else set()
    return best, tuple(c for c in sorted(found, key=lambda c: (-found[c], c)) if c not in private)[:_MOST_CLAIMS]


def _named(tool: str, operation: str, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a row looks for: the machine, or the program and what it is told to do; of a task in words its names, or else its first word."""
    first, *rest = operation.lower().split() or [""]
    if rest and _MACHINE.fullmatch(rest[0]):
        return (rest[0],), ()
    if is_shell(tool):
        return (first,), tuple(rest[:1])
    ideas = [idea for idea in read_query(text[:_MOST_TEXT]).ideas if len(idea.said) > 1]
    names = tuple(dict.fromkeys(idea.said.lower() for idea in ideas if idea.is_name))[:_MOST_WORDS]
    return (names or tuple(idea.said.lower() for idea in ideas[:1])), ()
