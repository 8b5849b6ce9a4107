"""Ledger events: what happened, in the past tense, in one sequence that is only ever appended to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

EVENT_TYPES = (
    "ClaimRecorded", "ClaimVerified", "ClaimReviewed", "ClaimMarkedStale", "ClaimMarkedForReview", "ClaimRestored", "ClaimRelocated",
    "ClaimRejected", "ClaimSuperseded", "ClaimWithdrawn", "ClaimReopened", "ClaimRedacted", "ClaimRetagged", "RelationAdded", "RelationRemoved",
    "ConflictResolved", "EvidenceRecorded", "PlanNodeDone", "AnalysisImported", "AnalysisWithdrawn", "RunRecorded",
    "TriggerDrafted", "TriggerApproved", "TriggerHeld", "TriggerMerged", "TriggerDismissed", "TriggerDisabled",
)  # fmt: skip

RETAGGED = "ClaimRetagged"
"""That a claim bears other tags from now on: `tags`, and what it bore `before`."""

STANDING_TYPES = ("ClaimRejected", "ClaimSuperseded", "ClaimWithdrawn", "PlanNodeDone", "ClaimReopened")
"""Said of the claim itself, whatever the tree."""

DEPENDENCE_TYPES = ("RelationAdded", "RelationRemoved")
"""That a claim rests on another, or does not after all."""

FALLING_TYPES = ("ClaimMarkedStale", "ClaimMarkedForReview")
"""That a claim must be looked at, by what a moved branch head changed."""

RESTORED = "ClaimRestored"
"""That it stands again, by what a moved branch head changed."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the ledger. `sequence` is given by the store; `payload` is plain JSON; `author` is `kind:name[:session]`."""

    sequence: int
    type: str
    claim_id: str
    at: str
    author: str
    payload: dict[str, Any]
