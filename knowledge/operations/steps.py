"""Steps of a claim's life that somebody takes, each with a reason: verify, review, reject, correct, supersede, reopen, withdraw, redact.

Self-report is not evidence: a session cannot verify its own claim by saying so; an analyzer (a predicate that holds), a recorded run, another
session or a person can, and the ledger keeps which it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge.claims.lifecycle import KEPT, check_step, premise_of
from knowledge.claims.predicates import decide
from knowledge.errors import InvalidRecordError, LifecycleError
from knowledge.invalidation.propagate import Held, fingerprint, premises_of
from knowledge.operations.answers import claim_answer
from knowledge.operations.kept_tree import kept_blobs
from knowledge.operations.late_corrections import notice_correction
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project, new_id
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.record import Draft, record
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.versions import versions
from knowledge.records.answers import ClaimAnswer
from knowledge.records.claims import AnchorReading, Author, Claim, ClaimStatus, Status, Verdict, VerdictKind
from knowledge.records.events import Event
from knowledge.records.stored import Relation


def verify(project: Project, claim_id: str, reason: str, *, at: str | None = None) -> ClaimAnswer:
    """Say that the claim holds in the tree. Raises LifecycleError where a session would verify its own claim by saying so."""
    return _judge(project, claim_id, "verify", reason, at)


def review(project: Project, claim_id: str, reason: str, *, at: str | None = None) -> ClaimAnswer:
    """Say that the claim was looked at and could not be decided in the tree."""
    return _judge(project, claim_id, "review", reason, at)


@dataclass(frozen=True, slots=True)
class Said:
    """What a step says of a claim, not written down yet: its event, its verdict where the step is about one tree, and what is to be noted."""

    event: Event
    verdict: Verdict | None = None
    notes: tuple[str, ...] = ()


def said_of(reading: Reading, view: IndexedTree, status: ClaimStatus, step: str, reason: str) -> Said:
    """A step of a claim that has this status in the tree. Raises LifecycleError where it has no such step, or this caller may not say it."""
    project, claim_id = reading.project, status.claim_id
    event_type = check_step(step, status.status)
    if step not in ("verify", "review"):
        return Said(_event(project, event_type, claim_id, check_reason(reason)))
    held = reading.held([claim_id])[claim_id]
    author, why = project.author, check_reason(reason)
    notes: tuple[str, ...] = ()
    if step == "verify":
        author, why, notes = _verifier(project, held, reading, view, why)
    seen = _fallen_premises(reading, view, held)
    notes += tuple(f"{premise} does not stand here; seen so, it counts again only when it changes further" for premise in seen)
    snapshot = view.tree.snapshot
    kind: VerdictKind = "verified" if step == "verify" else "undecided"
    verdict = Verdict(
        id=new_id("v"),
        claim_id=claim_id,
        kind=kind,
        sequence=0,
        fingerprint=fingerprint(held.anchors, view, status.readings) | seen,
        tree_id=snapshot.tree_id,
        snapshot_key=snapshot.key,
        revision=snapshot.revision,
        author=author,
        reason=why,
        evidence_refs=(),
        said_at=project.now(),
        analyzer_versions=versions(a for h in [held, *reading.below(seen).values()] for a in h.anchors),
    )
    return Said(_event(project, event_type, claim_id, why, revision=snapshot.revision, tree=snapshot.label), verdict, notes)


def _fallen_premises(reading: Reading, view: IndexedTree, held: Held) -> dict[str, AnchorReading]:
    """The premises that do not stand in the tree, each as it is seen: whoever says something of the claim now has that before their eyes."""
    statuses = reading.statuses(view, premises_of(held))
    return {c: AnchorReading("gone", premise_of(s).state) for c, s in statuses.items() if s.status not in KEPT}


def _judge(project: Project, claim_id: str, step: str, reason: str, at: str | None) -> ClaimAnswer:
    refuse_off_record(project)
    reading = Reading(project)
    reconcile(project, reading)
    claim_id = project.ledger.resolve_claim(claim_id)
    view = reading.trees.at(at)
    said = said_of(reading, view, reading.statuses(view, [claim_id])[claim_id], step, reason)
    verdicts = [said.verdict] if said.verdict is not None else []
    project.ledger.append([said.event], verdicts=verdicts, blobs=kept_blobs(view.tree) if verdicts else {})
    return _answer(project, reading, claim_id, at, said.notes)


def _verifier(project: Project, held: Held, reading: Reading, view: IndexedTree, reason: str) -> tuple[Author, str, tuple[str, ...]]:
    """Who may say that the claim is verified: the analyzer, where its predicate holds; else the caller, if not the session that recorded it."""
    claim, author = held.claim, project.author
    if claim.predicate is not None:
        decision = decide(claim.predicate, reading.trees.then(held.verdicts[0]), view)
        if decision.holds and claim.predicate.covers_statement:
            return Author("analyzer", "knowledge"), f"{reason} (decided: {decision.detail})", ()
        if decision.holds is False:
            return author, reason, (f"warning: the analysis says otherwise: {decision.detail} {decision.place}".rstrip(),)
    if is_own(claim, author):
        raise LifecycleError(
            "a session cannot verify its own claim by saying so. An analyzer (give the claim a predicate), a recorded run, another session"
            " or a person can."
        )
    return author, reason, ()


def is_own(claim: Claim, author: Author) -> bool:
    """Whether an agent's session speaks of what it recorded itself."""
    own = claim.author
    is_same = author.session == own.session if author.session or own.session else author.name == own.name
    return author.kind == own.kind == "agent" and is_same


def reject(project: Project, claim_id: str, reason: str) -> ClaimAnswer:
    """Say that the claim is false, on every tree, until reopened."""
    return _judge(project, claim_id, "reject", reason, None)


def withdraw(project: Project, claim_id: str, reason: str) -> ClaimAnswer:
    """Take the claim back: it should not have been recorded."""
    return _judge(project, claim_id, "withdraw", reason, None)


def reopen(project: Project, claim_id: str, reason: str) -> ClaimAnswer:
    """Take back a rejection, supersession or withdrawal; the claim stands on its verdicts again."""
    return _judge(project, claim_id, "reopen", reason, None)


def supersede(project: Project, claim_id: str, by: str, reason: str) -> ClaimAnswer:
    """Say that another kept claim takes this one's place. Raises InvalidRecordError for a claim that would supersede itself."""
    refuse_off_record(project)
    ledger = project.ledger
    claim_id, by = ledger.resolve_claim(claim_id), ledger.resolve_claim(by)
    if claim_id == by:
        raise InvalidRecordError("a claim cannot supersede itself")
    reading = Reading(project)
    reconcile(project, reading)
    event_type = check_step("supersede", _status_now(reading, claim_id))
    ledger.append(
        [_event(project, event_type, claim_id, check_reason(reason), by=by)],
        relations=[Relation("supersedes", by, claim_id, {"reason": reason.strip()})],
    )
    return _answer(project, reading, claim_id, None, notice_correction(project, by, claim_id))


def correct(project: Project, claim_id: str, draft: Draft, reason: str) -> ClaimAnswer:
    """Record a new claim in the place of this one, which is kept as superseded. Answers with the new claim."""
    claim_id = project.ledger.resolve_claim(claim_id)
    old = project.ledger.claim(claim_id)
    check_reason(reason)
    merged = replace(draft, kind=draft.kind or old.kind, tags=draft.tags or old.tags)
    answer = record(project, merged)
    replaced = supersede(project, claim_id, answer.claim.id, reason)
    return replace(answer, notes=(*answer.notes, *replaced.notes), relations=(*answer.relations, f"{answer.claim.id} supersedes {claim_id}"))


def redact(project: Project, claim_id: str, reason: str) -> ClaimAnswer:
    """Erase the claim's text for good; its id, hash and events stay."""
    refuse_off_record(project)
    reading = Reading(project)
    claim_id = project.ledger.resolve_claim(claim_id)
    project.ledger.redact(claim_id, check_reason(reason), at=project.now(), author=project.author_text())
    return _answer(project, reading, claim_id, None, ())


def _status_now(reading: Reading, claim_id: str) -> Status:
    return reading.statuses(reading.trees.at(), [claim_id])[claim_id].status


def check_reason(reason: str) -> str:
    """The reason without white space around it. Raises InvalidRecordError where there is none."""
    if not reason.strip():
        raise InvalidRecordError("say why: every step of a claim's life keeps its reason")
    return reason.strip()


def _event(project: Project, event_type: str, claim_id: str, reason: str, **payload: str | None) -> Event:
    return Event(0, event_type, claim_id, project.now(), project.author_text(), {"reason": reason, **payload})


def _answer(project: Project, reading: Reading, claim_id: str, at: str | None, notes: tuple[str, ...]) -> ClaimAnswer:
    reading.forget(claim_id)
    reconcile(project, reading)
    return claim_answer(project, reading, claim_id, reading.trees.at(at), notes=notes)
