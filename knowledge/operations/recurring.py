"""The same trap stored again: a sign that the memory of it did not come when it was needed. Makes a draft of a trigger, which a person decides.

A trap is a claim that is tagged or labelled as one, or that says that something cannot be done. Two are of one thing where each answers the other
well, and they share a name.
"""

from __future__ import annotations

import contextlib
import re

from knowledge.errors import KnowledgeError
from knowledge.gates.saying import read_saying
from knowledge.operations.drafting import Sign, draft_from, shared_words, telling_sentences, waiting_text
from knowledge.operations.late_corrections import FAILED
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.push.blocked import blocked_sentence
from knowledge.recall.ranking import Idea, read_query
from knowledge.records.claims import Claim
from knowledge.records.stored import PRIVATE

CAUSE = "trap-again"
SAME = 0.45
"""Least score of each of two traps for the other. Of the pairs at hand that say the same 3 of 5 have it, of those that do not 2 of 21; few of the
latter are two traps."""
_MOST_NEAR = 12
_TAGS = re.compile(r"(?:^|:)(?:gotchas?|pitfalls?|traps?|caveats?|blocked|blockers?)$", re.IGNORECASE)
_LABEL = re.compile(r"^\s*\[[^\]]*(?:gotcha|pitfall|trap|blocked|함정|주의|막힘|불가)[^\]]*\]", re.IGNORECASE)


def notice_recurrence(project: Project, claim_id: str) -> tuple[str, ...]:
    """What to say of a claim that was just recorded: that it is a trap known before, and which draft waits. Raises nothing of the store."""
    try:
        return _noticed(project, claim_id)
    except KnowledgeError:
        with contextlib.suppress(KnowledgeError):
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
        said, before = _traps(claim.statement, earlier.statement)
        subject, actions = shared_words(said, before)
        if not subject or _is_other_service(said, before) or search(project, read_query(before)).get(claim_id, 0.0) < SAME:
            continue
        evidence = {"sentences": [before, said]}
        drafted = draft_from(project, Sign(CAUSE, subject, actions, said, claims=(earlier.id, claim_id), evidence=evidence))
        return (f"{earlier.id} told of this trap before; {waiting_text(drafted)}",) if drafted else ()
    return ()


def _traps(text: str, earlier: str) -> tuple[str, str]:
    """The sentences of two records that have most in common, among those that say that something cannot be where a record has any.

    What surrounds a trap in a long record is often the same from one record to the next.
    """
    ours, theirs = ([(sentence, read_query(sentence).terms) for sentence in _trap_sentences(one)] for one in (text, earlier))
    best = max(((len(a & b), said, before) for said, a in ours for before, b in theirs), key=lambda pair: pair[0])
    return best[1], best[2]


def _trap_sentences(text: str) -> list[str]:
    told = telling_sentences(text)
    return [sentence for sentence in told if read_saying(sentence).is_cannot] or told


def _is_other_service(said: str, before: str) -> bool:
    """Whether each sentence names something that the other does not: the same words of another service are another trap."""
    one, other = ({idea.said.lower(): idea for idea in read_query(text).ideas if _is_service(idea)} for text in (said, before))
    terms = [{term for idea in named.values() for term in idea.terms} for named in (one, other)]
    return any(not idea.terms & terms[1] for idea in one.values()) and any(not idea.terms & terms[0] for idea in other.values())


def _is_service(idea: Idea) -> bool:
    """A name that may be a service's: none of code, no file, no number."""
    return idea.is_name and not idea.whole and idea.said.isalpha()


def _near(project: Project, claim: Claim) -> list[str]:
    """Earlier claims that answer a sentence of this one well, best first."""
    found: dict[str, float] = {}
    for sentence in telling_sentences(claim.statement):
        for other, score in search(project, read_query(sentence)).items():
            if other != claim.id and score >= SAME:
                found[other] = max(found.get(other, 0.0), score)
    return sorted(found, key=lambda other: (-found[other], other))[:_MOST_NEAR]
