"""Claims, the anchors they stand on, and the verdicts said of them (C1, C2; `docs/architecture.md`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

ClaimKind = Literal["observation", "inference", "assumption", "decision", "goal", "plan"]
Status = Literal["active", "stale", "needs_review", "verified", "rejected", "superseded", "withdrawn"]
AnchorKind = Literal["source", "body", "signature", "location", "edge", "set", "value", "claim", "time", "tests", "environment"]
VerdictKind = Literal["recorded", "verified", "undecided"]
StaleReason = Literal[
    "unexamined", "counter_evidence", "premise", "subject_gone", "expired",
    "said", "two_homes", "unreadable", "inferred_differs", "analyzer_differs", "undecided", "review_condition",
]  # fmt: skip
AuthorKind = Literal["analyzer", "run", "agent", "person"]


@dataclass(frozen=True, slots=True)
class Author:
    """Who said something: an analyzer, a recorded run, an agent in a session, a person."""

    kind: AuthorKind
    name: str
    session: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a claim speaks of. It bounds sets and contradictions. Empty tuples: the whole repository."""

    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    service: str = ""
    environment: str = ""
    conditions: tuple[str, ...] = ()
    route_tried: str = ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The address of something whose content has a hash. Equal anchors (same digest) are one row.

    target, by kind (all values are plain JSON):
      source     path, start_row, end_row (the exact text is found again by content, so lines may move), digest
      body       symbol, strict: bool
      signature  symbol
      location   symbol
      edge       subject, predicate, object
      set        question (callers | callees | subclasses | importers | imports | readers | writers | tests), symbol, scope
      value      path, key
      claim      claim (id)
      time       until (ISO date) | period_days + since (ISO date) | review_when (a review condition)
    role: primary (the claim is about it) or support (it rests on it).
    """

    digest: str
    kind: AnchorKind
    target: dict[str, Any] = field(hash=False)
    role: Literal["primary", "support"] = "primary"


@dataclass(frozen=True, slots=True)
class Predicate:
    """A decidable statement: subject relation object, or its negation. See `knowledge/claims/predicates.py` for the relations.

    relation: calls · called_only_by · signature · value · default · inherits · subclasses_exactly · imports · imported_only_by ·
    defined_in · tests · raises · returns_type · never_returns_value
    covers: whether the statement says no more than the predicate (parsed from the statement, or said by the recorder).
    """

    relation: str
    subject: str
    object: str = ""
    members: tuple[str, ...] = ()
    value: str = ""
    is_negated: bool = False
    covers_statement: bool = True


@dataclass(frozen=True, slots=True)
class FreshnessPolicy:
    """When a claim is put up for review by itself: a date, a period, a figure passing a bound, an event (C11)."""

    until: str = ""
    period_days: int = 0
    review_when: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody holds to be so. Never changed: a correction is a new claim that supersedes this one."""

    id: str
    statement: str
    kind: ClaimKind
    scope: Scope
    evidence_refs: tuple[str, ...]
    derived_from: tuple[str, ...]
    valid_at_revision: str | None
    valid_at_tree: str
    freshness_policy: FreshnessPolicy
    predicate: Predicate | None
    tags: tuple[str, ...]
    author: Author
    recorded_at: str
    detail: dict[str, Any] = field(default_factory=dict)
    """For a decision: `constraints` and `rejected` [{alternative, reason}]; for a goal or plan node what it needs."""


@dataclass(frozen=True, slots=True)
class AnchorReading:
    """What an anchor says in a tree, seen from the tree of a verdict.

    state: present · gone · two_homes · unreadable · unsupported. `inferred_hash` only for sets and edges.
    place: where it was found (`path::name`, `path::key`, `path`), after following moves; `was` the place it was recorded at, where that differs.
    """

    state: Literal["present", "gone", "two_homes", "unreadable", "unsupported"]
    hash: str = ""
    inferred_hash: str = ""
    place: str = ""
    was: str = ""
    detail: str = ""
    members: tuple[str, ...] = ()
    """Of a set: its resolved members as they are called in this tree."""
    inferred_members: tuple[str, ...] = ()
    count: int = 1
    """Of a symbol: how many definitions bear the name (overloads, if/else)."""
    moved: tuple[str, ...] = ()
    """Of an edge or set: its ends or members that stand elsewhere now, as `old → new`."""

    @property
    def is_moved(self) -> bool:
        return bool(self.was or self.moved)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Said of a claim at a fingerprint: the readings of its anchors in one tree. Never of a claim as such."""

    id: str
    claim_id: str
    kind: VerdictKind
    sequence: int
    fingerprint: dict[str, AnchorReading]
    """anchor digest → reading at that tree; also premise's id → the state in which somebody saw it fallen, as the reading's hash"""
    tree_id: str
    snapshot_key: str
    revision: str | None
    author: Author
    reason: str
    evidence_refs: tuple[str, ...]
    said_at: str
    analyzer_versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a claim is not active in a tree: one changed anchor, premise or counter-evidence."""

    reason: StaleReason
    anchor: str = ""
    old_hash: str = ""
    new_hash: str = ""
    """the anchor's hash here; of a premise the state in which it fell"""
    place: str = ""
    detail: str = ""
    claim_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimStatus:
    """The status of one claim in one tree, computed (see `knowledge/claims/lifecycle.py`)."""

    claim_id: str
    status: Status
    causes: tuple[Cause, ...]
    verdict_id: str
    readings: dict[str, AnchorReading]
    is_relocated: bool = False
