"""Recalls that somebody asked for by hand: signs that a memory should have come by itself.

    a recall by hand finds something well → was there a call before it that the same memory answers, and was it not given then? → a missed fire:
    a row of the audit, told of the approved rows that should have hit, and a draft

Each asking is kept in the audit, never in the ledger. A session that names itself is held against its own calls, anybody else against the latest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from knowledge.errors import KnowledgeError
from knowledge.operations.audit import MISSED
from knowledge.operations.drafting import MOST_SENTENCES, Sign, best_sentence, draft_from, row_words, waiting_text
from knowledge.operations.off_record import is_here_off_record, own_sessions
from knowledge.operations.project import Project
from knowledge.operations.recall import REPOSITORY, Asked, recall
from knowledge.operations.trigger_rows import approved
from knowledge.push.own_text import own_text
from knowledge.push.triggers import Trigger, names_subject
from knowledge.recall.chunks import sentences
from knowledge.recall.ranking import read_query
from knowledge.recall.tokens import cut_to_tokens
from knowledge.records.recalls import RecallAnswer, RecallLine
from knowledge.records.stored import PRIVATE
from knowledge.storage.audit import Asking, Call, Decision

ASKED = "asked-by-hand"
FAILED = "recall-log-failed"
"""The counter of recalls by hand that could not be kept or held against anything."""
_MOST_CALLS = 20
_OWN_HOURS, _OTHER_MINUTES = 12, 15
"""How far back a session's own calls count, and anybody's where no session is known."""
_MOST_CLAIMS = 5
_SHARE = 0.5
"""Of a query, how much a call must have said of it."""
_QUERY_TOKENS = 100
_OUT = ("superseded", "rejected", "withdrawn")


def notice_asking(project: Project, text: str, lines: Sequence[RecallLine]) -> tuple[str, ...]:
    """Keep a recall that was asked for by hand, and say where a trigger should have brought what it found. Raises nothing of the store."""
    query = cut_to_tokens(" ".join(text.split()), _QUERY_TOKENS)
    if not query:
        return ()
    try:
        if is_here_off_record(project):
            return ()
        return _noticed(project, query, [line for line in lines if not line.is_weak], own_sessions(project))
    except (KnowledgeError, OSError):
        _count(project)
        return ()


def recall_by_hand(project: Project, asked: Asked, *, personal: Project | None = None, at: str | None = None) -> RecallAnswer:
    """`recall`, for somebody who asks: kept, and held against the calls before. Raises what `recall` raises."""
    answer = recall(project, asked, personal=personal, at=at)
    return replace(answer, notes=(*answer.notes, *notice_asking(project, asked.text, answer.lines)))


def _noticed(project: Project, query: str, lines: Sequence[RecallLine], sessions: tuple[str, ...]) -> tuple[str, ...]:
    audit, session = project.audit, sessions[0] if sessions else ""
    found = tuple(line.claim.id for line in lines[:_MOST_CLAIMS])
    author = project.author
    host = author.name if author.kind == "agent" else ""
    asked = Decision(project.now(), host, "", session, "asked", "", "asked", "match" if found else "miss", claims=found)
    missed = _missed(project, query, lines, sessions)
    if missed is None:
        audit.keep_asking(Asking(project.now(), session, query, found), [asked])
        return ()
    line, call, sentence = missed
    rows = tuple(row.id for row in approved(project) if _should_have_hit(row, sentence, query))
    fire = Decision(project.now(), call.host, "", call.session, "asked", call.tool, MISSED, "miss", MISSED, triggers=rows)
    audit.keep_asking(Asking(project.now(), session, query, found), [asked, fire])
    said = best_sentence(line.claim.statement, sentence)
    tool = "prompt" if call.moment == "prompt" else call.tool
    evidence = {"query": query, "call": {"at": call.at, "tool": tool, "sentence": sentence}} | ({"rows": list(rows)} if rows else {})
    subject, actions = row_words(sentence, said)
    drafted = draft_from(project, Sign(ASKED, subject, actions, query, (line.claim.id,), f"^{re.escape(tool)}$", sentence, evidence))
    if not drafted:
        return ()
    into = f", or belongs to {rows[0]}: `knowledge trigger merge {drafted} {rows[0]}`" if rows else ""
    return (f"{line.claim.id} could have come by itself before a call of {tool} at {call.at}; {waiting_text(drafted)}{into}",)


def _missed(project: Project, query: str, lines: Sequence[RecallLine], sessions: tuple[str, ...]) -> tuple[RecallLine, Call, str] | None:
    """The first memory that a call before now should have brought: the memory, the call and its sentence."""
    audit = project.audit
    given = audit.given_to(sessions)
    wanted = [line for line in lines if line.claim.id not in given and _may_come(project, line)]
    calls = _calls_before(project, sessions) if wanted else []
    # Newest first; a prompt last, for it may be the one that says to ask memory.
    for call in sorted(calls, key=lambda call: call.moment != "prompt")[::-1]:
        for sentence in _sentences_of(call):
            if is_about(sentence, query):
                return wanted[0], call, sentence
    return None


def is_about(sentence: str, query: str) -> bool:
    """Whether a call spoke of what somebody asked for later: it has half of the query, names counting double, and is not of another thing.

    It is of another one where the name that it begins with is not the query's, and a name of the query is not in it.
    """
    said, there = read_query(sentence), read_query(query)
    met = {place for place, idea in enumerate(there.ideas) if idea.terms & said.terms}
    weights = [2 if idea.is_name else 1 for idea in there.ideas]
    if not met or sum(weights[place] for place in met) < _SHARE * sum(weights):
        return False
    names = {place for place, idea in enumerate(there.ideas) if idea.is_name}
    first = next((idea for idea in said.ideas if idea.is_name), None)
    is_other = first is not None and not first.terms & there.terms
    if names:
        return names <= met if is_other else bool(names & met)
    return not is_other


def _may_come(project: Project, line: RecallLine) -> bool:
    """Whether a memory is one that comes without being asked for."""
    is_here = line.bank == REPOSITORY and line.claim.status not in _OUT
    return is_here and not project.ledger.claim(line.claim.id).detail.get(PRIVATE)


def _calls_before(project: Project, sessions: tuple[str, ...]) -> list[Call]:
    """The calls that a recall by hand is held against: the session's own, or the latest of all where it has none."""
    since = (project.clock() - timedelta(hours=_OWN_HOURS)).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = project.audit.calls_of(sessions, since, _MOST_CALLS) if sessions else []
    if own:
        return own
    latest = (project.clock() - timedelta(minutes=_OTHER_MINUTES)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return project.audit.calls_of((), latest, _MOST_CALLS)


def _sentences_of(call: Call) -> list[str]:
    """What a call says itself; a call that asks memory is no call that memory should have come before."""
    if re.search(r"(?:^|_)(?:recall|context_pack|memory_view)$", call.tool):
        return []
    texts = [own_text(value) for value in call.payload.values() if isinstance(value, str)]
    said = [sentence for text in texts for sentence in sentences(text) if "knowledge recall" not in sentence]
    return said[:MOST_SENTENCES]


def _should_have_hit(row: Trigger, sentence: str, query: str) -> bool:
    return names_subject(row, sentence) or names_subject(row, query)


def _count(project: Project) -> None:
    try:
        project.index.count(FAILED)
    except KnowledgeError:
        # Neither the audit nor the index can be written: the answer itself says nothing of it.
        return
