"""Drafts of trigger rows that nobody wrote: made from a sign that a memory did not come when it was needed, with the evidence of it.

A draft hits nothing. What several signs show of one thing is one draft with several causes; what a person has decided about is not drafted again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from knowledge.claims.anchors import digest_of
from knowledge.gates.saying import read_saying
from knowledge.operations.project import Project
from knowledge.operations.trigger_rows import broken_examples, draft, rows_of, strengthen
from knowledge.push.triggers import read_trigger
from knowledge.recall.chunks import sentences
from knowledge.recall.ranking import Idea, read_query
from knowledge.records.triggers import WAITING, TriggerLine

MOST_SENTENCES = 60
"""Of a record or a call, those first that say that something cannot be: no length silences what is said last."""
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Sign:
    """What shows that a memory should have come. cause: which kind of sign. subject, actions: words that the row would look for, any of each.

    query: what the row would recall. claims: the memories and records that show it. tool: of the call at which it should have come, "" for any.
    example: what that call said, "" where none is known.
    """

    cause: str
    subject: tuple[str, ...]
    actions: tuple[str, ...]
    query: str
    claims: tuple[str, ...] = ()
    tool: str = ""
    example: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)


def draft_from(project: Project, sign: Sign) -> str:
    """The id of the draft that the sign made or strengthened; "" where it names nothing or a person has decided about the same before."""
    if not sign.subject:
        return ""
    name = f"{sign.cause}-{digest_of(' '.join(sorted(sign.subject)))[:8]}"
    rows = rows_of(project)
    evidence = sign.evidence | ({"claims": list(sign.claims)} if sign.claims else {})
    if name in rows:
        return ""
    like = next((line for line in rows.values() if line.state in WAITING and _is_alike(line, sign)), None)
    if like is not None:
        if sign.cause in like.causes:
            return ""
        strengthen(project, like, sign.cause, evidence)
        return like.id
    draft(project, _row(name, sign), cause=sign.cause, evidence=evidence)
    return name


def waiting_text(draft_id: str) -> str:
    """What a notice says of a draft."""
    return f"a trigger is drafted, and a person decides it: `knowledge trigger show {draft_id}`"


def telling_sentences(text: str) -> list[str]:
    """The sentences of a text that are looked at."""
    return sorted(dict.fromkeys(sentences(text)), key=lambda sentence: not read_saying(sentence).is_cannot)[:MOST_SENTENCES]


def best_sentence(text: str, other: str) -> str:
    """The sentence of a text that has most in common with another text."""
    terms = read_query(other).terms
    said = telling_sentences(text)
    return max(said, key=lambda sentence: len(read_query(sentence).terms & terms)) if said else ""


def shared_words(one: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of one sentence that the other has, too, in some form: names, and all the others."""
    there = read_query(other).terms
    met = [idea for idea in read_query(one).ideas if idea.terms & there]
    return _said(idea for idea in met if idea.is_name), _said(idea for idea in met if not idea.is_name)


def row_words(sentence: str, said: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The subject and the actions of a row: what a sentence shares with a memory, names first; without a name the first of the words."""
    names, others = shared_words(sentence, said)
    return (names, others) if names else (others[:1], others[1:])


def _said(ideas: Iterable[Idea]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(idea.said.lower() for idea in ideas if len(idea.said) > 1))[:_MOST_WORDS]


def _is_alike(line: TriggerLine, sign: Sign) -> bool:
    """Whether a draft that waits is of the same memories and speaks of the same things."""
    claims = set(map(str, line.evidence.get("claims", ())))
    words = {str(word).lower() for word in line.row.get("subject") or ()}
    return bool(claims & set(sign.claims)) and bool(words & set(sign.subject))


def _row(name: str, sign: Sign) -> dict[str, Any]:
    """The row, with the call as its example; without actions where only so it hits the call that it was made for."""
    row: dict[str, Any] = {"id": name, "tool": sign.tool, "subject": list(sign.subject), "recall": sign.query, "has_hint": False}
    with_actions = row | {"actions": [list(sign.actions)] if sign.actions else []}
    if sign.example:
        for one in (with_actions, row | {"actions": []}):
            tried = one | {"positive": [sign.example]}
            if not broken_examples(read_trigger(tried)):
                return tried
    return with_actions
