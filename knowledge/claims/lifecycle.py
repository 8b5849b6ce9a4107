"""The life of a claim: one table of steps, and its status in a tree.

`status_in_tree` is pure: the verdicts, what was said of the claim itself, the readings of its anchors in this tree, its premises and the clock. First
that applies:

1. withdrawn, superseded, rejected: said of the claim itself, on every tree, until reopened.
2. a predicate that is decided false: stale, counter-evidence (unless a person, a recorded run or an analyzer verified it at this very fingerprint).
3. the latest verdict whose fingerprint is the present one: recorded → active, verified → verified, undecided → needs_review.
   A predicate that is decided true excuses the anchors it decides. The fallen premises are part of the fingerprint: who looked while they were
   as they are now has looked at that too.
4. decision or plan; two possible homes; unreadable evidence; a set that differs only in inferred members → needs_review, with what changed.
5. otherwise stale, with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from knowledge.claims.anchors import compare, digest_of
from knowledge.claims.predicates import Decision, twin_kind
from knowledge.claims.review_conditions import DUE
from knowledge.errors import LifecycleError
from knowledge.records.claims import Anchor, AnchorReading, Cause, Claim, ClaimStatus, StaleReason, Status, Verdict
from knowledge.records.events import DEPENDENCE_TYPES, Event
from knowledge.records.stored import DEPENDS_ON

STEPS: dict[str, tuple[frozenset[str], str]] = {
    "verify": (frozenset({"active", "stale", "needs_review", "verified"}), "ClaimVerified"),
    "review": (frozenset({"active", "stale", "needs_review", "verified"}), "ClaimReviewed"),
    "reject": (frozenset({"active", "stale", "needs_review", "verified"}), "ClaimRejected"),
    "supersede": (frozenset({"active", "stale", "needs_review", "verified", "rejected"}), "ClaimSuperseded"),
    "withdraw": (frozenset({"active", "stale", "needs_review", "verified", "rejected"}), "ClaimWithdrawn"),
    "reopen": (frozenset({"rejected", "superseded", "withdrawn"}), "ClaimReopened"),
    "redact": (frozenset({"active", "stale", "needs_review", "verified", "rejected", "superseded", "withdrawn"}), "ClaimRedacted"),
}
"""step → (statuses it may be taken from, the event it leaves). Invalidation is no step: it follows from the tree."""

STANDINGS: dict[str, Status | None] = {
    "ClaimRejected": "rejected",
    "ClaimSuperseded": "superseded",
    "ClaimWithdrawn": "withdrawn",
    "PlanNodeDone": "active",
    "ClaimReopened": None,
}
"""Events that are said of the claim itself, on every tree. A plan node that is done is asked nothing more, whatever changes."""

KEPT: frozenset[Status] = frozenset({"active", "verified"})
"""Statuses at which a claim may be relied on."""

WEAK: frozenset[StaleReason] = frozenset({"two_homes", "unreadable", "inferred_differs", "analyzer_differs", "review_condition"})
"""Causes that cannot tell: they put a claim up for review instead of making it stale."""

REVIEWED_KINDS = frozenset({"decision", "goal", "plan"})
STATUS_OF_VERDICT: dict[str, Status] = {"recorded": "active", "verified": "verified", "undecided": "needs_review"}


def check_step(step: str, status: Status) -> str:
    """The event type of a step from a status. Raises LifecycleError where the lifecycle has no such step."""
    allowed, event = STEPS[step]
    if status not in allowed:
        raise LifecycleError(f"cannot {step} a claim that is {status}; it can be done from {', '.join(sorted(allowed))}")
    return event


def standing_of(events: Sequence[Event]) -> tuple[Status, str] | None:
    """What was last said of the claim itself (rejected, superseded, withdrawn, done) with the reason; None when it stands on its verdicts."""
    said: tuple[Status, str] | None = None
    for event in events:
        if event.type in STANDINGS:
            status = STANDINGS[event.type]
            said = (status, str(event.payload.get("reason", ""))) if status else None
    return said


def dropped_of(events: Sequence[Event]) -> tuple[str, ...]:
    """The premises that a claim was last said not to rest on after all, from its own events."""
    last: dict[str, str] = {}
    for event in events:
        if event.type in DEPENDENCE_TYPES and (event.payload.get("relation"), event.payload.get("source")) == (DEPENDS_ON, event.claim_id):
            last[str(event.payload.get("target"))] = event.type
    return tuple(premise for premise, kind in last.items() if kind == "RelationRemoved")


@dataclass(frozen=True, slots=True)
class Renewed:
    """An anchor of an older verdict, read anew. then: in the verdict's tree (None: that tree is gone); now: in this tree, seen from there."""

    then: AnchorReading | None
    now: AnchorReading


@dataclass(frozen=True, slots=True)
class Premise:
    """A claim that another rests on, in one tree. path: the claims that made it fall. state: what it fell for, equal where nothing more changed."""

    status: Status
    path: tuple[str, ...]
    state: str


@dataclass(frozen=True, slots=True)
class Present:
    """What one tree says about a claim. `readings` is asked per verdict, for moves are followed from the verdict's tree."""

    readings: Callable[[Verdict], Mapping[str, AnchorReading]]
    decision: Decision | None
    renewed: Callable[[Verdict, Anchor], Renewed | None]
    """What today's analyzers read where the verdict was said; None where the verdict was said with today's analyzers."""
    premises: Callable[[str], Premise]
    is_settled: Callable[[Verdict, str], bool]
    """Whether a verdict was said by somebody who saw this premise fallen as it is now."""
    today: date
    rests_on: tuple[str, ...] = ()
    """its premises: as recorded, as added later, without those that were dropped"""
    counters: tuple[tuple[str, str], ...] = ()
    """(claim, conflict) of each claim that makes this one stale while it stands itself"""


def status_in_tree(
    claim: Claim, anchors: Sequence[Anchor], verdicts: Sequence[Verdict], standing: tuple[Status, str] | None, present: Present
) -> ClaimStatus:
    """The claim's status in the tree of `present` (see the module's text). `verdicts` are oldest first and not empty."""
    latest = verdicts[-1]
    if standing is not None:
        is_told = bool(standing[1]) and standing[0] not in KEPT
        return ClaimStatus(claim.id, standing[0], (Cause("said", detail=standing[1]),) if is_told else (), latest.id, {})
    besides, decision = _besides(claim, anchors, present, verdicts), present.decision
    explained: tuple[Verdict, Mapping[str, AnchorReading], tuple[Cause, ...]] | None = None
    for verdict in reversed(verdicts):
        readings = present.readings(verdict)
        changed = _changed(anchors, verdict, readings, present)
        if verdict.kind == "undecided" and any(p in verdict.fingerprint and not present.is_settled(verdict, p) for p in present.rests_on):
            # Who could not decide while a premise was fallen has said nothing of when it stands, or is fallen otherwise.
            continue
        bearing = (*_fallen_premises(verdict, present), *besides)
        if decision is not None and decision.holds is False and not (verdict.kind == "verified" and not changed):
            causes = (*_with_decision(claim, anchors, decision, changed), *bearing)
            fallen: Status = "needs_review" if claim.kind in REVIEWED_KINDS else "stale"
            return _with(claim, verdict, readings, fallen, causes)
        if decision is not None and decision.holds and claim.predicate is not None:
            changed = tuple(c for c in changed if not _is_excused(claim, anchors, c))
        if not changed and not bearing:
            return _with(claim, verdict, readings, STATUS_OF_VERDICT[verdict.kind], ())
        if explained is None or (not changed and explained[2]):
            explained = (verdict, readings, changed)
        if besides and not changed:
            break
    assert explained is not None
    verdict, readings, changed = explained
    causes = (*changed, *_fallen_premises(verdict, present), *besides)
    return _with(claim, verdict, readings, _fallen(claim, causes), causes)


def _with(claim: Claim, verdict: Verdict, readings: Mapping[str, AnchorReading], status: Status, causes: tuple[Cause, ...]) -> ClaimStatus:
    is_relocated = status in KEPT and any(r.is_moved for r in readings.values())
    return ClaimStatus(claim.id, status, causes, verdict.id, dict(readings), is_relocated)


def _changed(anchors: Sequence[Anchor], verdict: Verdict, readings: Mapping[str, AnchorReading], present: Present) -> tuple[Cause, ...]:
    causes = []
    for anchor in anchors:
        old = verdict.fingerprint.get(anchor.digest)
        cause = compare(anchor, old, readings[anchor.digest]) if old is not None else None
        if cause is not None:
            renewed = present.renewed(verdict, anchor)
            cause = _after_upgrade(anchor, cause, renewed) if renewed is not None else cause
        if cause is not None:
            causes.append(cause)
    return tuple(causes)


def _after_upgrade(anchor: Anchor, cause: Cause, renewed: Renewed) -> Cause | None:
    """An upgrade of the analyzers is not a change of the code: what differs must differ by today's analyzers on both trees.

    A hash that differs only by the analyzer says nothing. A set or an edge that today's analyzers see otherwise on the very tree of the
    verdict means that the earlier analysis was incomplete.
    """
    if renewed.then is None:
        return replace(cause, reason="analyzer_differs", detail="said with an earlier analyzer, on a tree that is gone")
    again = compare(anchor, renewed.then, renewed.now)
    if again is not None:
        return again
    if anchor.kind in ("set", "edge"):
        return replace(cause, reason="analyzer_differs", detail=f"earlier analysis incomplete: {cause.detail}")
    return None


def _with_decision(claim: Claim, anchors: Sequence[Anchor], decision: Decision, changed: tuple[Cause, ...]) -> tuple[Cause, ...]:
    """The counter-evidence of a predicate, told once: where its own anchor says the same, that cause gains the place."""
    assert claim.predicate is not None
    twin = twin_kind(claim.predicate)
    kinds = {a.digest: a.kind for a in anchors}
    same = next((c for c in changed if c.reason == "counter_evidence" and kinds.get(c.anchor) == twin), None)
    if same is None:
        return (Cause("counter_evidence", place=decision.place, detail=decision.detail), *changed)
    return (replace(same, place=decision.place or same.place, detail=decision.detail or same.detail), *(c for c in changed if c is not same))


def _is_excused(claim: Claim, anchors: Sequence[Anchor], cause: Cause) -> bool:
    """Whether a predicate that holds decides the anchor: all of them where the statement says no more, else only its twin."""
    assert claim.predicate is not None
    anchor = next(a for a in anchors if a.digest == cause.anchor)
    if claim.predicate.covers_statement:
        return True
    return anchor.kind == twin_kind(claim.predicate) and claim.predicate.subject in anchor.target.values()


def _fallen(claim: Claim, causes: Sequence[Cause]) -> Status:
    reasons = {c.reason for c in causes}
    if claim.kind in REVIEWED_KINDS and "expired" not in reasons:
        return "needs_review"
    # A condition that came true asks for a look; it takes nothing away from what else was found.
    return "needs_review" if (reasons - {"review_condition"} or reasons) & WEAK else "stale"


def premise_of(status: ClaimStatus) -> Premise:
    """A claim's status as one that rests on it sees it. What was said of it in words, and by whom, is no part of its state."""
    path = next((c.claim_path for c in status.causes if c.claim_path), ())
    said = status.status if status.status in STANDINGS.values() and status.status not in KEPT else ""
    besides = sorted(f"{c.reason} {c.new_hash}" for c in status.causes if c.claim_path or c.reason in ("expired", "review_condition"))
    return Premise(status.status, path, digest_of(f"{said}|{fingerprint_text(status.readings)}|{besides}"))


def _fallen_premises(verdict: Verdict, present: Present) -> tuple[Cause, ...]:
    """The premises that do not stand, but for those that whoever gave the verdict saw fallen as they are."""
    causes = []
    for claim_id in present.rests_on:
        premise = present.premises(claim_id)
        if premise.status not in KEPT and not present.is_settled(verdict, claim_id):
            detail = f"{claim_id} is {premise.status}"
            causes.append(Cause("premise", new_hash=premise.state, detail=detail, claim_path=(claim_id, *premise.path)))
    return tuple(causes)


def _besides(claim: Claim, anchors: Sequence[Anchor], present: Present, verdicts: Sequence[Verdict]) -> tuple[Cause, ...]:
    """Causes that come from neither the tree's content nor the premises: standing contradictions, periods that ran out."""
    causes = []
    for other, conflict in present.counters:
        if present.premises(other).status in KEPT:
            causes.append(Cause("counter_evidence", detail=f"{other} says otherwise, and stands ({conflict})", claim_path=(other,)))
    return (*causes, *_expired(claim, anchors, present, verdicts[-1]), *_conditions_met(anchors, present, verdicts[-1]))


def _expired(claim: Claim, anchors: Sequence[Anchor], present: Present, latest: Verdict) -> tuple[Cause, ...]:
    """A day or a period that ran out since somebody last looked."""
    said = _day(latest.said_at)
    policy = claim.freshness_policy
    limits = [(policy.until, policy.period_days)]
    limits += [(str(a.target.get("until", "")), int(a.target.get("period_days", 0))) for a in anchors if a.kind == "time"]
    for until, period in limits:
        # Who looked on the day or later has looked; recording is no look at what was due already.
        is_met = bool(until) and latest.kind != "recorded" and said >= _day(until)
        end = expiry("" if is_met else until, period, said)
        if end is not None and present.today >= end:
            return (Cause("expired", detail=f"to be checked again since {end.isoformat()}" if end > date.min else f"there is no day {until!r}"),)
    return ()


def _conditions_met(anchors: Sequence[Anchor], present: Present, latest: Verdict) -> tuple[Cause, ...]:
    """Review conditions that are true now and were not where somebody last looked."""
    causes = []
    for anchor in anchors:
        if anchor.kind == "time" and "review_when" in anchor.target:
            now, seen = present.readings(latest)[anchor.digest], latest.fingerprint.get(anchor.digest)
            if now.hash == DUE and (seen is None or seen.hash != DUE):
                causes.append(Cause("review_condition", anchor.digest, detail=now.detail))
    return tuple(causes)


def expiry(until: str, period_days: int, said: date) -> date | None:
    """The first day on which the claim must be checked again: a date, or days after the last verdict; the earlier of the two."""
    ends = [_day(until)] if until else []
    if period_days:
        is_ever = period_days < (date.max - said).days
        ends.append(said + timedelta(days=period_days) if is_ever else date.max)
    return min(ends) if ends else None


def _day(text: str) -> date:
    """The day of an ISO date or time; what cannot be read (another ledger's) counts as long past, so that somebody looks."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return date.min


def worst_first(status: ClaimStatus) -> tuple[int, str]:
    """Sort key: what needs attention first."""
    order: tuple[Status, ...] = ("stale", "needs_review", "active", "verified", "rejected", "superseded", "withdrawn")
    return order.index(status.status), status.claim_id


def fingerprint_text(readings: Mapping[str, AnchorReading]) -> str:
    """A fingerprint as one comparable text: what makes two transitions the same."""
    return ";".join(f"{d}={r.state}:{r.hash}:{r.inferred_hash}" for d, r in sorted(readings.items()))


def redacted(claim: Claim) -> Claim:
    """The claim without its text."""
    return replace(claim, statement="[redacted]", detail={})
