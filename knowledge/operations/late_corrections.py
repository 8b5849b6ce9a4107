"""A correction after a recall that came late: what is corrected had been said before anybody asked memory. Makes a draft of a trigger.

A correction is a claim in another one's place, or one that says so of itself. The recall is one that was asked for by hand in the same session (or
by somebody of whom no session is known) within the last hours, which found something, and which the correction answers.
"""

from __future__ import annotations

import contextlib
import re
from datetime import timedelta

from knowledge.config import AUDIT_FILE
from knowledge.errors import KnowledgeError
from knowledge.operations.drafting import Sign, best_sentence, draft_from, row_words, waiting_text
from knowledge.operations.off_record import own_sessions
from knowledge.operations.project import Project
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.recall.ranking import PUSH_SCORE, read_query
from knowledge.records.claims import Claim
from knowledge.records.stored import PRIVATE

CORRECTED = "corrected-late"
FAILED = "recurrence-failed"
"""The counter of claims that could not be held against what happened before."""
_CORRECTED_HOURS = 12
_CORRECTION = re.compile(
    r"^\s*\[[^\]]*(?:정정|수정|correction|corrected|erratum)[^\]]*\]|정정|틀렸|오판|오진|\b(?:correction|was wrong|were wrong|is wrong|mistaken)\b",
    re.IGNORECASE,
)


def notice_correction(project: Project, claim_id: str, corrected: str = "") -> tuple[str, ...]:
    """Say where a claim corrects something after a recall that came late. corrected: the claim in whose place it stands.

    Raises nothing of the store.
    """
    try:
        claim = project.ledger.claim(claim_id)
        is_correction = bool(corrected) or _CORRECTION.search(claim.statement) is not None
        if not is_correction or claim.detail.get(PRIVATE) or not (project.home / AUDIT_FILE).exists():
            return ()
        return _corrected(project, claim, corrected)
    except (KnowledgeError, OSError):
        with contextlib.suppress(KnowledgeError):
            project.index.count(FAILED)
        return ()


def _corrected(project: Project, claim: Claim, corrected: str) -> tuple[str, ...]:
    since = (project.clock() - timedelta(hours=_CORRECTED_HOURS)).strftime("%Y-%m-%dT%H:%M:%SZ")
    sessions = own_sessions(project)
    askings = [one for one in project.audit.askings(since) if one.claims and (not sessions or not one.session or one.session in sessions)]
    before = project.ledger.claim(corrected) if corrected else None
    bring_up_to_date(project)
    for asking in reversed(askings):
        # Late: what is corrected had been said before anybody asked.
        if (before is not None and before.recorded_at > asking.at) or search(project, read_query(asking.query)).get(claim.id, 0.0) < PUSH_SCORE:
            continue
        said = best_sentence(claim.statement, asking.query)
        subject, actions = row_words(asking.query, said)
        claims = (*([before.id] if before is not None else []), claim.id, *asking.claims)
        evidence = {"query": asking.query, "asked_at": asking.at, "sentence": said}
        drafted = draft_from(project, Sign(CORRECTED, subject, actions, asking.query, claims, evidence=evidence))
        return (f"it corrects something after a recall that came late; {waiting_text(drafted)}",) if drafted else ()
    return ()
