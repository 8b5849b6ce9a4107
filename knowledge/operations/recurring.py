"""The same trap stored again: a sign that the memory of it did not come when it was needed. Makes a draft of a trigger, which a person decides.

A trap is a claim that is tagged or labelled as one, or that says that something cannot be done. Two are of one thing where each answers the other
well, and they share a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from knowledge.claims.anchors import digest_of
from knowledge.errors import KnowledgeError
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.operations.trigger_rows import draft, rows_of
from knowledge.push.blocked import blocked_sentence
from knowledge.recall.chunks import sentences
from knowledge.recall.ranking import Idea, read_query
from knowledge.records.claims import Claim
from knowledge.records.stored import PRIVATE

CAUSE = "trap-again"
FAILED = "recurrence-failed"
"""The counter of claims that could not be held against earlier traps."""
SAME = 0.45
"""Least score of each of two traps for the other. Of the pairs at hand that say the same 3 of 5 have it, of those that do not 2 of 21; few of the
latter are two traps."""
_TAGS = re.compile(r"(?:^|:)(?:gotchas?|pitfalls?|traps?|caveats?|blocked|blockers?)$", re.IGNORECASE)
_LABEL = re.compile(r"^\s*\[[^\]]*(?:gotcha|pitfall|trap|blocked|함정|주의|막힘|불가)[^\]]*\]", re.IGNORECASE)
_MOST_SENTENCES, _MOST_WORDS = 12, 4


def notice_recurrence(project: Project, claim_id: str) -> tuple[str, ...]:
    """What to say of a claim that was just recorded: that it is a trap known before, and which draft waits. Raises nothing of the store."""
    try:
        return _noticed(project, claim_id)
    except KnowledgeError:
        project.index.count(FAILED)
        return ()


def is_trap(claim: Claim) -> bool:
    """Whether a claim tells of a trap: by its tags, its label, or because it says that something cannot be done."""
    return any(_TAGS.search(tag) for tag in claim.tags) or bool(_LABEL.match(claim.statement)) or bool(blocked_sentence(claim.statement))


def _noticed(project: Project, claim_id: str) -> tuple[str, ...]:
    claim = project.ledger.claim(claim_id)
    if not is_trap(claim) or claim.detail.get(PRIVATE):
        return ()
    bring_up_to_date(project)
    held = Reading(project).held(_near(project, claim))
    for earlier in (one.claim for one in held.values() if is_trap(one.claim) and not one.claim.detail.get(PRIVATE)):
        said, before = _best(claim.statement, earlier.statement), _best(earlier.statement, claim.statement)
        subject = _shared(said, before, are_names=True)
        if not subject or search(project, read_query(before)).get(claim_id, 0.0) < SAME:
            continue
        name = f"again-{digest_of(' '.join(sorted(subject)))[:8]}"
        if name in rows_of(project):
            return ()
        actions = _shared(said, before, are_names=False)
        row = {"id": name, "tool": "", "subject": subject, "actions": [actions] if actions else [], "recall": said, "has_hint": False}
        evidence = {"claims": [earlier.id, claim_id], "sentences": [before, said]}
        draft(project, row, cause=CAUSE, evidence=evidence)
        return (f"{earlier.id} told of this trap before; a trigger is drafted, and a person decides it: `knowledge trigger show {name}`",)
    return ()


def _near(project: Project, claim: Claim) -> list[str]:
    """Earlier claims that answer a sentence of this one well, best first."""
    found: dict[str, float] = {}
    for sentence in sentences(claim.statement)[:_MOST_SENTENCES]:
        for other, score in search(project, read_query(sentence)).items():
            if other != claim.id and score >= SAME:
                found[other] = max(found.get(other, 0.0), score)
    return sorted(found, key=lambda other: (-found[other], other))[:_MOST_SENTENCES]


def _best(text: str, other: str) -> str:
    """The sentence of a text that has most in common with another text."""
    terms = read_query(other).terms
    return max(sentences(text)[:_MOST_SENTENCES], key=lambda sentence: len(read_query(sentence).terms & terms))


def _shared(one: str, other: str, *, are_names: bool) -> list[str]:
    """The words of one sentence that the other has, too, in some form: names, or all the others."""
    there = read_query(other).terms
    return _said(idea for idea in read_query(one).ideas if idea.is_name == are_names and idea.terms & there)


def _said(ideas: Iterable[Idea]) -> list[str]:
    return list(dict.fromkeys(idea.said.lower() for idea in ideas if len(idea.said) > 1))[:_MOST_WORDS]
