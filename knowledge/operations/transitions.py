"""Which changes of status are told in the ledger: those that a moved branch head made.

Told once per (claim, old fingerprint, new fingerprint). Reading another revision, a dirty tree or a detached HEAD tells nothing, and neither does
another branch that is checked out: its head did not move. What somebody said of a claim is an event already and is not told again.
"""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.claims.lifecycle import STATUS_OF_VERDICT
from knowledge.invalidation.policies import transition, transition_key
from knowledge.invalidation.propagate import Held
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.records.claims import ClaimStatus
from knowledge.records.events import FALLING_TYPES, Event
from knowledge.records.stored import WorktreeState
from knowledge.repository.interface import Repository

ANALYZER = "analyzer:knowledge"


def transitions(
    project: Project, reading: Reading, state: WorktreeState | None, now: WorktreeState, changed: Sequence[tuple[ClaimStatus | None, ClaimStatus]]
) -> list[Event]:
    """The events of the changed statuses (before, after) that lead from the stored state to the present one."""
    if now.branch is None or now.revision is None:
        return []
    found = []
    goes_on = _goes_on(project.repository, state, now)
    said = _just_said(project, state, now)
    held = reading.held(after.claim_id for _, after in changed)
    for stored, after in changed:
        claim_id = after.claim_id
        before = stored if stored is not None else _as_said(project.repository, held[claim_id], now)
        if before is None or (stored is not None and (not goes_on or claim_id in said)):
            continue
        kind = transition(before, after)
        if kind and not (kind == "ClaimRestored" and not project.ledger.events(claim_id=claim_id, types=FALLING_TYPES)):
            found.append(_event(project, state, now, before, after))
    return found


def _goes_on(repository: Repository, state: WorktreeState | None, now: WorktreeState) -> bool:
    """Whether the branch went on from where the statuses stood. Else another one was checked out, and nothing happened to it."""
    if state is None or state.branch is None:
        return False
    return state.branch == now.branch or state.revision is None or _has_in_history(repository, now.revision, state.revision)


def _has_in_history(repository: Repository, revision: str | None, earlier: str) -> bool:
    if revision is None or not repository.has_object(earlier):
        return False
    return repository.is_ancestor(earlier, revision)


def _just_said(project: Project, state: WorktreeState | None, now: WorktreeState) -> set[str]:
    """Claims whose status changed because something was said of them, the tree being the same."""
    if state is None or state.tree_key != now.tree_key:
        return set()
    return {event.claim_id for event in project.ledger.events(after=state.event_sequence)}


def _as_said(repository: Repository, held: Held, now: WorktreeState) -> ClaimStatus | None:
    """What a claim that was never looked at in this worktree was worth where it was said, if that lies in the branch's history.

    Uncommitted work is no part of it: what was said of that comes true when it is committed.
    """
    verdict = held.verdicts[-1]
    is_uncommitted = verdict.snapshot_key != verdict.tree_id and verdict.revision == now.revision
    if is_uncommitted or verdict.revision is None or not _has_in_history(repository, now.revision, verdict.revision):
        return None
    readings = {a.digest: verdict.fingerprint[a.digest] for a in held.anchors if a.digest in verdict.fingerprint}
    return ClaimStatus(held.claim.id, STATUS_OF_VERDICT[verdict.kind], (), verdict.id, readings)


def _event(project: Project, state: WorktreeState | None, now: WorktreeState, before: ClaimStatus, after: ClaimStatus) -> Event:
    assert now.revision is not None
    commit = project.repository.commit(now.revision)
    old, new = transition_key(before, after)
    payload = {
        "from": before.status,
        "to": after.status,
        "revision": commit.revision,
        "from_revision": state.revision if state is not None else None,
        "commit_author": commit.author,
        "subject": commit.subject,
        "branch": now.branch,
        "causes": [
            {"reason": c.reason, "anchor": c.anchor, "old": c.old_hash, "new": c.new_hash, "place": c.place, "detail": c.detail} for c in after.causes
        ],
        "places": sorted({text for r in after.readings.values() for text in (*((f"{r.was} → {r.place}",) if r.was else ()), *r.moved)}),
        "old_fingerprint": old,
        "new_fingerprint": new,
    }
    return Event(0, transition(before, after), after.claim_id, project.now(), ANALYZER, payload)
