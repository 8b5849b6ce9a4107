"""What a change of status is called in the ledger, and which transitions are written down at all."""

from __future__ import annotations

from knowledge.claims.lifecycle import KEPT, fingerprint_text
from knowledge.records.claims import ClaimStatus


def transition(before: ClaimStatus | None, after: ClaimStatus) -> str:
    """The event that leads from one status to another; "" where nothing is to be said.

    A claim seen for the first time in a worktree and standing says nothing; one that moved and stands is told once as relocated.
    """
    was = before.status if before is not None else "active"
    if was != after.status:
        if after.status in KEPT:
            return "ClaimRestored"
        if after.status == "stale":
            return "ClaimMarkedStale"
        if after.status == "needs_review":
            return "ClaimMarkedForReview"
        return ""
    if after.is_relocated and (before is None or _places(before) != _places(after)):
        return "ClaimRelocated"
    return ""


def transition_key(before: ClaimStatus | None, after: ClaimStatus) -> tuple[str, str, str]:
    """(claim, old fingerprint, new fingerprint): a transition is written once for each."""
    old = f"{before.status}|{fingerprint_text(before.readings)}" if before is not None else ""
    return after.claim_id, old, f"{after.status}|{fingerprint_text(after.readings)}"


def _places(status: ClaimStatus) -> tuple[str, ...]:
    return tuple(sorted(f"{digest}:{r.place}" for digest, r in status.readings.items() if r.was))
