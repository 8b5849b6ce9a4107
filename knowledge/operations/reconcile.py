"""Bringing the stored statuses of a worktree to its HEAD: what every read does first, and what git hooks only make early.

    stored state (tree, last event) → HEAD's tree → what differs → claims looked at → statuses, watch keys, transitions

The ledger commits first (transitions), then the index (statuses and the last event it has applied); a crash between the two is made good by the
next run, for a transition is written once per (claim, old fingerprint, new fingerprint).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from knowledge.claims.lifecycle import KEPT
from knowledge.claims.review_conditions import DUE
from knowledge.config import QUEUE
from knowledge.invalidation.propagate import has_review_condition, rests_on
from knowledge.operations.indexing import collect
from knowledge.operations.lines import claim_line
from knowledge.operations.news import drop_news, leave_news
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.touched import touched as touched_nodes
from knowledge.operations.transitions import transitions
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.versions import RULES
from knowledge.records.answers import ReconcileAnswer
from knowledge.records.claims import ClaimStatus
from knowledge.records.events import FALLING_TYPES, Event
from knowledge.records.stored import ReviewGroup, WorktreeState

_UNDER_WAY = ("rebase-merge", "rebase-apply", "BISECT_LOG")
"""What git keeps in its directory meanwhile."""


def reconcile(project: Project, reading: Reading | None = None) -> ReconcileAnswer:
    """Bring the stored statuses to HEAD and log what changed. Does nothing where they are there already, and nothing amid a rebase or a bisect."""
    reading = reading or Reading(project)
    last = project.ledger.last_sequence()
    view = reading.trees.at("HEAD")
    now = _state_to_be(project, reading, view, last)
    state = project.index.worktree_state(now.worktree)
    if _is_under_way(project) or state == now:
        return _nothing(project, view)
    difference = reading.difference(state, view)
    if state is not None and replace(state, revision=now.revision, branch=now.branch) == now and difference.claims == frozenset():
        # Another commit or branch with the same tree: nothing differs.
        project.index.put_worktree_state(now)
        return _nothing(project, view)
    touched = project.ledger.claim_ids() if difference.claims is None else difference.claims
    wanted = None if difference.claims is None else _with_premises(reading, touched)
    stored = project.index.statuses(now.worktree, wanted) if state is not None else {}
    outcome = reading.evaluate(touched, {} if difference.claims is None else stored, view, difference)
    changed = [s for s in outcome.statuses if s.claim_id not in stored or _differs(stored[s.claim_id], s)]
    events = project.ledger.append(transitions(project, reading, state, now, [(stored.get(s.claim_id), s) for s in changed]))
    reviews = _reviews(reading, outcome.statuses)
    if events and events[0].sequence == last + 1 and not reviews and not project.index.review_groups(now.worktree):
        # What others said meanwhile comes after `last` and is looked at next time; so are our own events where a review condition may count them.
        now = replace(now, event_sequence=last + len(events))
    with project.index.transaction():
        project.index.watch_many(outcome.watches.items())
        project.index.put_statuses(now.worktree, changed)
        project.index.put_reviews(now.worktree, [s.claim_id for s in outcome.statuses], reviews)
        project.index.put_worktree_state(now)
    _leave_news(project, state, now, events, changed)
    if state is None or state.tree_key != now.tree_key:
        collect(project)
    return ReconcileAnswer(
        project.tree_name(view.tree.snapshot),
        len(outcome.statuses),
        project.ledger.claim_count(),
        tuple(claim_line(reading.held([s.claim_id])[s.claim_id], s, view) for s in changed if _is_told(stored.get(s.claim_id), s)),
        len(events),
        touched_nodes(reading, [s for s in changed if _is_told(stored.get(s.claim_id), s)]),
    )


def _leave_news(project: Project, state: WorktreeState | None, now: WorktreeState, events: Iterable[Event], changed: Iterable[ClaimStatus]) -> None:
    """What a commit made fall, for whoever comes next to a terminal. What is so on another branch that was checked out is no news."""
    if state is None or state.revision is None:
        return
    if state.branch != now.branch:
        drop_news(project.home, now.worktree)
    is_moved = state.revision != now.revision
    fallen = {event.claim_id: str(event.payload["to"]) for event in events if is_moved and event.type in FALLING_TYPES}
    leave_news(project.home, now.worktree, state.revision, fallen, [s.claim_id for s in changed if s.status not in ("stale", "needs_review")])


def _state_to_be(project: Project, reading: Reading, view: IndexedTree, last: int) -> WorktreeState:
    repository, snapshot = project.repository, view.tree.snapshot
    branch, day = repository.head().branch, reading.today().isoformat()
    return WorktreeState(repository.worktree_name, snapshot.key, snapshot.revision, branch, last, day, RULES)


def _is_under_way(project: Project) -> bool:
    """Whether git is amid a rebase or a bisect: HEAD is not where the person is, and will be back. Reads look at it as at any other tree."""
    return any((project.repository.git_dir / name).exists() for name in _UNDER_WAY)


def _nothing(project: Project, view: IndexedTree) -> ReconcileAnswer:
    return ReconcileAnswer(project.tree_name(view.tree.snapshot), 0, project.ledger.claim_count(), (), 0)


def _with_premises(reading: Reading, claim_ids: Iterable[str]) -> list[str]:
    held = reading.held(claim_ids)
    return sorted({*held, *(p for h in held.values() for p in rests_on(h))})


def _reviews(reading: Reading, statuses: Iterable[ClaimStatus]) -> list[tuple[str, ReviewGroup]]:
    """The review conditions that these claims are under, and whether they are true."""
    found = []
    for status in statuses:
        held = reading.held([status.claim_id])[status.claim_id]
        for anchor in filter(has_review_condition, held.anchors if held.standing is None else ()):
            latest, now = held.verdicts[-1], status.readings.get(anchor.digest)
            is_due = now is not None and now.hash == DUE
            found.append((status.claim_id, ReviewGroup(str(anchor.target["review_when"]), latest.revision, latest.said_at, is_due)))
    return found


def _differs(before: ClaimStatus, after: ClaimStatus) -> bool:
    return (before.status, before.causes, before.verdict_id, before.readings) != (after.status, after.causes, after.verdict_id, after.readings)


def _is_told(before: ClaimStatus | None, after: ClaimStatus) -> bool:
    return (before.status != after.status) if before is not None else after.status not in KEPT


def reconcile_queue(common_dir: Path) -> None:
    """What the git hooks' worker does: reconcile every worktree that asked, one after another, and keep the index within bounds.

    A request is a file in the queue that holds the worktree's path; who asked from a worktree that is gone is passed over.
    """
    asked = dict.fromkeys(Path(os.fsdecode(request.read_bytes())) for request in sorted((common_dir / QUEUE).glob("*.post-*")))
    for worktree in asked or (common_dir,):
        if not worktree.exists():
            continue
        with open_project(worktree) as project:
            reading = Reading(project)
            reconcile(project, reading)
            # The statuses are there; now is the time for what the next question would have to wait for.
            reading.trees.at("HEAD").resolve_all()
            collect(project)
