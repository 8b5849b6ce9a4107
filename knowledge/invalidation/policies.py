"""What a change of status is called in the ledger, and which transitions are written down at all."""

from __future__ import annotations

from knowledge.claims.anchors import digest_of
from knowledge.claims.lifecycle import KEPT, fingerprint_text
from knowledge.records.claims import ClaimStatus


def transition(before: ClaimStatus, after: ClaimStatus) -> str:
    """The event that leads from one status to another; "" where nothing is to be said. What moved and stands is told once for each place."""
    if before.status != after.status:
        if after.status in KEPT:
            return "ClaimRestored"
        if after.status == "stale":
            return "ClaimMarkedStale"
        if after.status == "needs_review":
            return "ClaimMarkedForReview"
        return ""
    if after.is_relocated and _places(before) != _places(after):
        return "ClaimRelocated"
    return ""


def transition_key(before: ClaimStatus, after: ClaimStatus) -> tuple[str, str]:
    """(old fingerprint, new fingerprint): a transition of a claim is written once for each."""
    return _fingerprint(before), _fingerprint(after)


def _fingerprint(status: ClaimStatus) -> str:
    return digest_of(f"{status.status}|{status.verdict_id}|{fingerprint_text(status.readings)}")


def _places(status: ClaimStatus) -> tuple[str, ...]:
    return tuple(sorted(f"{digest}:{r.place} {' '.join(r.moved)}" for digest, r in status.readings.items() if r.is_moved))
