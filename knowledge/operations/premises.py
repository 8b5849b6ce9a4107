"""Dropping a premise: a claim, a step or a goal does not rest on another claim after all.

A claim is never changed, so this is an event of its own with who said it and why; it counts on every tree. `plan depend` takes it back.
"""

from __future__ import annotations

from knowledge.claims.contradictions import INTENTIONS
from knowledge.claims.lifecycle import KEPT
from knowledge.errors import InvalidRecordError, LifecycleError
from knowledge.invalidation.propagate import premises_of
from knowledge.operations.answers import claim_answer
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.steps import check_reason, is_own
from knowledge.records.answers import ClaimAnswer
from knowledge.records.events import Event
from knowledge.records.stored import DEPENDS_ON


def drop_premise(project: Project, claim_id: str, premise: str, reason: str) -> ClaimAnswer:
    """Say that a claim does not rest on another after all.

    Raises InvalidRecordError where it does not rest on it, LifecycleError where a session would free its own claim of what fell.
    """
    reading = Reading(project)
    reconcile(project, reading)
    claim_id, premise = drop(reading, claim_id, premise, reason)
    return claim_answer(project, reading, claim_id, reading.trees.at(), notes=(f"it rests on {premise} no longer",))


def drop(reading: Reading, claim_id: str, premise: str, reason: str) -> tuple[str, str]:
    """Write it down; the full ids of both."""
    refuse_off_record(reading.project)
    project, ledger = reading.project, reading.project.ledger
    claim_id, premise = ledger.resolve_claim(claim_id), ledger.resolve_claim(premise)
    held = reading.held([claim_id])[claim_id]
    if premise not in premises_of(held):
        near = premises_of(held)
        raise InvalidRecordError(f"{claim_id} does not rest on {premise}, but on {', '.join(near) or 'no claim'}", suggestions=near)
    if is_own(held.claim, project.author) and held.claim.kind not in INTENTIONS:
        view = reading.trees.at()
        if reading.statuses(view, [premise])[premise].status not in KEPT:
            raise LifecycleError("a session cannot free its own claim of a premise that fell; another session or a person can")
    told = {"relation": DEPENDS_ON, "source": claim_id, "target": premise, "reason": check_reason(reason)}
    ledger.append([Event(0, "RelationRemoved", claim_id, project.now(), project.author_text(), told)])
    reading.forget(claim_id)
    reconcile(project, reading)
    return claim_id, premise
