"""Re-verification that does itself what can be done, and leaves the least set of checks.

Of the claims that are stale or up for review: what a recorded test showed is run again where that is asked for; a predicate that holds is verified
by the analyzer; one that is decided false stays stale with its counter-evidence; the rest is written down as looked at and undecided, once per
fingerprint, with what has to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from knowledge.claims.predicates import decide
from knowledge.errors import UsageError
from knowledge.invalidation.dependencies import with_derived
from knowledge.invalidation.propagate import Held, fingerprint
from knowledge.operations.kept_tree import kept_blobs
from knowledge.operations.lines import anchor_text, claim_line
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project, new_id
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.rerunning import Reran, rerun
from knowledge.operations.transitions import ANALYZER
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.versions import versions
from knowledge.records.answers import Checked, CheckToMake, ReverifyAnswer
from knowledge.records.claims import Author, ClaimStatus, Verdict, VerdictKind
from knowledge.records.events import Event

_ANALYZER = Author("analyzer", "knowledge")


@dataclass(slots=True)
class _Sorted:
    """Claim ids by what came of them, and the verdicts to write down."""

    verified: list[str] = field(default_factory=list)
    refuted: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


def reverify(project: Project, claim_ids: Iterable[str] = (), *, at: str | None = None, run_seconds: float = 0) -> ReverifyAnswer:
    """Decide what can be decided of the fallen claims (of all, or of these) in a tree (None: the working tree as it is).

    run_seconds: first run again the commands recorded with the test observations that these claims cite, each ended after so many seconds; 0: run
    nothing. Raises UsageError where something is to be run for another tree than the files as they are.
    """
    refuse_off_record(project)
    if run_seconds and at is not None:
        raise UsageError("commands run on the files as they are: leave out the revision, or check it out")
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    wanted = [project.ledger.resolve_claim(c) for c in claim_ids]
    statuses = {c: s for c, s in reading.statuses(view, wanted or None).items() if s.status in ("stale", "needs_review")}
    held = reading.held(statuses)
    ran = rerun(project, held, statuses, view, run_seconds) if run_seconds else Reran()
    found = _Sorted(list(ran.verified), list(ran.refuted))
    decided = {*ran.verified, *ran.refuted}
    for claim_id, status in statuses.items():
        if claim_id not in decided:
            _judge(project, reading, held[claim_id], status, view, found)
    if found.verdicts or decided:
        project.ledger.append(found.events, verdicts=found.verdicts, blobs=kept_blobs(view.tree))
        for claim_id in statuses:
            reading.forget(claim_id)
        reconcile(project, reading)
        statuses |= reading.statuses(view, statuses)
        held = reading.held(statuses)
    lines = {c: claim_line(held[c], s, view) for c, s in statuses.items()}
    weight = {c: len(with_derived([c], reading.derived_from)) for c in found.left}
    found.left.sort(key=lambda c: (-weight[c], held[c].claim.recorded_at, c))
    undecided = len(found.left)
    return ReverifyAnswer(
        tree=project.tree_name(view.tree.snapshot),
        verified=tuple(lines[c] for c in found.verified),
        refuted=tuple(lines[c] for c in found.refuted),
        left=tuple(lines[c] for c in found.left),
        checks=_checks(found.left, held, statuses, weight),
        checked=Checked(len(statuses) - undecided, undecided, (f"{undecided} cannot be decided by analysis",) if undecided else ()),
        ran=ran.ran,
        notes=ran.notes,
    )


def _judge(project: Project, reading: Reading, held: Held, status: ClaimStatus, view: IndexedTree, found: _Sorted) -> None:
    claim = held.claim
    decision = decide(claim.predicate, reading.trees.then(held.verdicts[0]), view) if claim.predicate is not None else None
    if decision is not None and decision.holds is False:
        found.refuted.append(claim.id)
        return
    is_decided = decision is not None and bool(decision.holds) and claim.predicate is not None and claim.predicate.covers_statement
    is_bearing = any(c.claim_path or c.reason in ("expired", "review_condition") for c in status.causes)
    kind: VerdictKind = "verified" if is_decided and not is_bearing else "undecided"
    (found.verified if kind == "verified" else found.left).append(claim.id)
    readings = fingerprint(held.anchors, view, status.readings)
    if status.causes and all(c.claim_path for c in status.causes):
        # Nothing that it stands on itself changed: undecided at this fingerprint, it would be so where its premises stand too.
        return
    latest = held.verdicts[-1]
    seen = {d: r for d, r in latest.fingerprint.items() if d in readings}
    if latest.kind == kind and {d: (r.state, r.hash) for d, r in seen.items()} == {d: (r.state, r.hash) for d, r in readings.items()}:
        return
    snapshot = view.tree.snapshot
    reason = decision.detail if decision is not None and kind == "verified" else "; ".join(c.detail or c.reason for c in status.causes)
    found.verdicts.append(
        Verdict(
            id=new_id("v"),
            claim_id=claim.id,
            kind=kind,
            sequence=0,
            fingerprint=readings,
            tree_id=snapshot.tree_id,
            snapshot_key=snapshot.key,
            revision=snapshot.revision,
            author=_ANALYZER,
            reason=reason,
            evidence_refs=(),
            said_at=project.now(),
            analyzer_versions=versions(held.anchors),
        )
    )
    event = "ClaimVerified" if kind == "verified" else "ClaimReviewed"
    found.events.append(Event(0, event, claim.id, project.now(), ANALYZER, {"reason": reason, "revision": snapshot.revision, "tree": snapshot.label}))


def _checks(left: list[str], held: dict[str, Held], statuses: dict[str, ClaimStatus], weight: dict[str, int]) -> tuple[CheckToMake, ...]:
    """One check for each place that has to be looked at, however many claims wait for it."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for claim_id in left:
        anchors = {a.digest: a for a in held[claim_id].anchors}
        for cause in statuses[claim_id].causes[:1]:
            anchor = anchors.get(cause.anchor)
            about = cause.place or (anchor_text(anchor) if anchor is not None else cause.detail)
            grouped.setdefault((about, cause.reason), []).append(claim_id)
        if not statuses[claim_id].causes:
            # Looked at before, and undecided: what it stands on is what has to be read.
            about = ", ".join(r.place for r in statuses[claim_id].readings.values() if r.place) or "nothing in the repository"
            grouped.setdefault((about, "undecided"), []).append(claim_id)
    checks = [CheckToMake(place, why, tuple(claims), sum(weight[c] for c in claims)) for (place, why), claims in grouped.items()]
    return tuple(sorted(checks, key=lambda c: (-c.weight, c.place)))
