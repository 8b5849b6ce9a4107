"""The same trap stored again: a sign that the memory of it did not come when it was needed. Makes a draft of a trigger, which a person decides.

A trap is a claim that is tagged or labelled as one, or that says that something cannot be done. Two are of one thing where each answers the other
well, and they share a name.
"""

from __future__ import annotations

import contextlib
import re

from knowledge.errors import KnowledgeError
from knowledge.operations.drafting import MOST_SENTENCES, Sign, best_sentence, draft_from, shared_words, waiting_text
from knowledge.operations.late_corrections import FAILED
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.push.blocked import blocked_sentence
from knowledge.recall.chunks import sentences
from knowledge.recall.ranking import read_query
from knowledge.records.claims import Claim
from knowledge.records.stored import PRIVATE

CAUSE = "trap-again"
SAME = 0.45
"""Least score of each of two traps for the other. Of the pairs at hand that say the same 3 of 5 have it, of those that do not 2 of 21; few of the
latter are two traps."""
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
        said, before = best_sentence(claim.statement, earlier.statement), best_sentence(earlier.statement, claim.statement)
        subject, actions = shared_words(said, before)
        if not subject or search(project, read_query(before)).get(claim_id, 0.0) < SAME:
            continue
        evidence = {"sentences": [before, said]}
        drafted = draft_from(project, Sign(CAUSE, subject, actions, said, claims=(earlier.id, claim_id), evidence=evidence))
        return (f"{earlier.id} told of this trap before; {waiting_text(drafted)}",) if drafted else ()
    return ()


def _near(project: Project, claim: Claim) -> list[str]:
    """Earlier claims that answer a sentence of this one well, best first."""
    found: dict[str, float] = {}
    for sentence in sentences(claim.statement)[:MOST_SENTENCES]:
        for other, score in search(project, read_query(sentence)).items():
            if other != claim.id and score >= SAME:
                found[other] = max(found.get(other, 0.0), score)
    return sorted(found, key=lambda other: (-found[other], other))[:MOST_SENTENCES]
