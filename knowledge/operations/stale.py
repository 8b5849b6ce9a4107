"""What must be looked at again, grouped by what made it fall, the most depended upon first."""

from __future__ import annotations

from collections import Counter

from knowledge.invalidation.dependencies import with_derived
from knowledge.operations.claims import checked
from knowledge.operations.lines import anchor_text, claim_line
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.touched import touched
from knowledge.records.answers import StaleAnswer, StaleGroup
from knowledge.records.claims import ClaimStatus


def stale(project: Project, *, at: str | None = None) -> StaleAnswer:
    """Claims that are stale or up for review in a tree (None: the working tree as it is)."""
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    statuses = reading.statuses(view)
    fallen = [s for s in statuses.values() if s.status in ("stale", "needs_review")]
    held = reading.held(statuses)
    groups: dict[str, list[ClaimStatus]] = {}
    for status in fallen:
        groups.setdefault(_cause(reading, status), []).append(status)
    weight = {s.claim_id: len(with_derived([s.claim_id], reading.derived_from)) for s in fallen}
    ordered = sorted(groups.items(), key=lambda g: (-sum(weight[s.claim_id] for s in g[1]), g[0]))
    return StaleAnswer(
        tree=project.tree_name(view.tree.snapshot),
        groups=tuple(
            StaleGroup(
                cause,
                tuple(
                    claim_line(held[s.claim_id], s, view)
                    for s in sorted(members, key=lambda s: (-weight[s.claim_id], held[s.claim_id].claim.recorded_at))
                ),
            )
            for cause, members in ordered
        ),
        counts=dict(sorted(Counter(s.status for s in statuses.values()).items())),
        checked=checked(held, statuses.values()),
        touched=touched(reading, fallen),
    )


def _cause(reading: Reading, status: ClaimStatus) -> str:
    """What the first cause is about, in words: one symbol, one set, one premise."""
    if not status.causes:
        return "looked at and undecided"
    cause = status.causes[0]
    if cause.claim_path:
        return f"{'contradicted by' if cause.reason == 'counter_evidence' else 'premise'} {cause.claim_path[-1]}"
    anchor = next((a for a in reading.held([status.claim_id])[status.claim_id].anchors if a.digest == cause.anchor), None)
    return anchor_text(anchor) if anchor is not None else cause.place or cause.reason
