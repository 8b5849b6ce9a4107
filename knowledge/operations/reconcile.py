"""Bringing the stored statuses of a worktree to its HEAD: what every read does first, and what git hooks only make early.

    stored state (tree, last event) → HEAD's tree → what differs → claims looked at → statuses, watch keys, transitions

The ledger commits first (transitions), then the index (statuses and the last event it has applied); a crash between the two is made good by the
next run, for a transition is written once per (claim, old fingerprint, new fingerprint).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from knowledge.claims.lifecycle import KEPT
from knowledge.config import QUEUE
from knowledge.invalidation.policies import transition, transition_key
from knowledge.invalidation.propagate import Outcome, rests_on
from knowledge.operations.indexing import collect
from knowledge.operations.lines import claim_line
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.answers import ReconcileAnswer
from knowledge.records.claims import ClaimStatus
from knowledge.records.events import Event
from knowledge.records.stored import WorktreeState

ANALYZER = "analyzer:knowledge"


def reconcile(project: Project, reading: Reading | None = None) -> ReconcileAnswer:
    """Bring the stored statuses to HEAD and log what changed. Does nothing where they are there already."""
    reading = reading or Reading(project)
    worktree = project.repository.worktree_name
    view = reading.trees.at("HEAD")
    state = project.index.worktree_state(worktree)
    day = reading.today().isoformat()
    last = project.ledger.last_sequence()
    asked = view.tree.snapshot.key, project.repository.head().revision, last, day
    if state is not None and (state.tree_key, state.revision, state.event_sequence, state.day) == asked:
        return ReconcileAnswer(project.tree_name(view.tree.snapshot), 0, project.ledger.claim_count(), (), 0)
    difference = reading.difference(state, view)
    touched = project.ledger.claim_ids() if difference.claims is None else difference.claims
    stored = project.index.statuses(worktree, None if difference.claims is None else _with_premises(reading, touched)) if state is not None else {}
    outcome = reading.evaluate(touched, {} if difference.claims is None else stored, view, difference)
    changed = [s for s in outcome.statuses if s.claim_id not in stored or _differs(stored[s.claim_id], s)]
    events = _transitions(project, view, stored, changed, state)
    written = len(project.ledger.append(events)) if events else 0
    _save(project, view, outcome, changed, day)
    return ReconcileAnswer(
        project.tree_name(view.tree.snapshot),
        len(outcome.statuses),
        project.ledger.claim_count(),
        tuple(claim_line(reading.held([s.claim_id])[s.claim_id], s, view) for s in changed if _is_told(stored.get(s.claim_id), s)),
        written,
    )


def _with_premises(reading: Reading, claim_ids: Iterable[str]) -> list[str]:
    held = reading.held(claim_ids)
    return sorted({*held, *(p for h in held.values() for p in rests_on(h))})


def _differs(before: ClaimStatus, after: ClaimStatus) -> bool:
    return (before.status, before.causes, before.verdict_id, before.readings) != (after.status, after.causes, after.verdict_id, after.readings)


def _is_told(before: ClaimStatus | None, after: ClaimStatus) -> bool:
    return (before.status != after.status) if before is not None else after.status not in KEPT


def _transitions(
    project: Project, view: IndexedTree, stored: Mapping[str, ClaimStatus], changed: Iterable[ClaimStatus], state: WorktreeState | None
) -> list[Event]:
    """What a moved branch head made of the claims. A detached HEAD (a bisect, a rebase under way) writes nothing."""
    head = project.repository.head()
    if head.branch is None or head.revision is None:
        return []
    commit = project.repository.commit(head.revision)
    found = []
    for status in changed:
        before = stored.get(status.claim_id)
        kind = transition(before, status)
        if not kind:
            continue
        payload = {
            "from": before.status if before is not None else "active",
            "to": status.status,
            "revision": commit.revision,
            "from_revision": state.revision if state is not None else None,
            "commit_author": commit.author,
            "subject": commit.subject,
            "branch": head.branch,
            "causes": [
                {"reason": c.reason, "anchor": c.anchor, "old": c.old_hash, "new": c.new_hash, "place": c.place, "detail": c.detail}
                for c in status.causes
            ],
            "places": sorted({f"{r.was} → {r.place}" for r in status.readings.values() if r.was}),
        }
        payload["old_fingerprint"], payload["new_fingerprint"] = transition_key(before, status)
        found.append(Event(0, kind, status.claim_id, project.now(), ANALYZER, payload))
    return found


def _save(project: Project, view: IndexedTree, outcome: Outcome, changed: list[ClaimStatus], day: str) -> None:
    worktree, head = project.repository.worktree_name, project.repository.head()
    with project.index.transaction():
        project.index.watch_many(outcome.watches.items())
        project.index.put_statuses(worktree, changed)
        state = WorktreeState(worktree, view.tree.snapshot.key, head.revision, head.branch, project.ledger.last_sequence(), day)
        project.index.put_worktree_state(state)


def reconcile_queue(common_dir: Path) -> None:
    """What the git hooks' worker does: reconcile every worktree that asked, one after another, and keep the index within bounds.

    A request is a file in the queue that holds the worktree's path; who asked from a worktree that is gone is passed over.
    """
    asked = dict.fromkeys(Path(os.fsdecode(request.read_bytes())) for request in sorted((common_dir / QUEUE).glob("*.post-*")))
    for worktree in asked or (common_dir,):
        if not worktree.exists():
            continue
        with open_project(worktree) as project:
            reconcile(project)
            collect(project)
