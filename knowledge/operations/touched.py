"""The goals and steps of a plan that a change touches: what an invalidation has to name."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.claims.contradictions import INTENTIONS
from knowledge.operations.reading import Reading
from knowledge.records.answers import TouchedLine
from knowledge.records.claims import Claim, ClaimStatus

NO_GOAL = ""


def goal_of(claim: Claim) -> str:
    """The goal that a step belongs to."""
    return str(claim.detail.get("goal") or NO_GOAL)


def touched(reading: Reading, statuses: Iterable[ClaimStatus]) -> tuple[TouchedLine, ...]:
    """The open goals and steps among these statuses that do not stand as they were recorded, each with its goal and what touched it."""
    fallen = [s for s in statuses if s.status in ("stale", "needs_review")]
    held = reading.held(s.claim_id for s in fallen)
    nodes = [(held[s.claim_id].claim, s) for s in fallen if held[s.claim_id].claim.kind in INTENTIONS]
    goals = {c.id: c for c in reading.project.ledger.claims(ids={goal_of(claim) for claim, _ in nodes})}
    return tuple(
        TouchedLine(
            id=claim.id,
            kind=claim.kind,
            statement=claim.statement,
            goal=goal_of(claim),
            goal_statement=goals[goal_of(claim)].statement if goal_of(claim) in goals else "",
            by=tuple(dict.fromkeys(cause.claim_path[0] if cause.claim_path else cause.place or cause.detail for cause in status.causes)),
        )
        for claim, status in sorted(nodes, key=lambda n: (n[0].recorded_at, n[0].id))
    )
