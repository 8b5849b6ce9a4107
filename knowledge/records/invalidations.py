"""What operations answer about claims that fell: by what and since when, what changed, and what was said of several of them.

Plain frozen values, as in `answers`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from knowledge.records.answers import Checked, ClaimLine, TouchedLine, TreeName, VerdictLine


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """What a commit did to one thing that a claim stands on. diff: at most twelve lines; () where there is none, and then no_diff may say why."""

    reason: str
    anchor: str
    place: str
    detail: str
    diff: tuple[str, ...] = ()
    no_diff: str = ""


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One event of a claim's history. changes: what made the status change, computed anew from git when one looks."""

    sequence: int
    type: str
    at: str
    by: str
    revision: str
    subject: str
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)
    commit_author: str = ""
    changes: tuple[ChangeLine, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitLine:
    """A commit in one line. at: when it was committed, ISO 8601."""

    revision: str
    subject: str
    author: str
    at: str


@dataclass(frozen=True, slots=True)
class AnchorState:
    """What an anchor said in one tree, and in words where that is more than a hash: a value, an edge, how many members."""

    state: str
    hash: str
    place: str
    says: str


@dataclass(frozen=True, slots=True)
class AnchorChange:
    """An anchor as the verdict saw it and as it is here. reason: why that bears on the status, "" where it does not.

    commit: the one since which it reads otherwise; how: how it was found, or why not. diff: what that commit changed, or, without one, all that
    changed since the verdict.
    """

    about: str
    role: str
    then: AnchorState
    now: AnchorState
    reason: str
    detail: str
    commit: CommitLine | None
    how: str
    diff: tuple[str, ...] = ()
    no_diff: str = ""


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Why a claim has its status in a tree. because: which rule gives the status, in words. to_verify: what would have to be looked at."""

    tree: TreeName
    claim: ClaimLine
    because: str
    measured_against: VerdictLine
    anchors: tuple[AnchorChange, ...]
    premise_path: tuple[ClaimLine, ...]
    to_verify: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StaleLine(ClaimLine):
    """A claim that fell. since: when that was noted, "" where it never was (uncommitted work, another revision); age_days: since then.

    owner: who recorded it. dependents: how many claims rest on it, however far.
    """

    since: str = ""
    age_days: int | None = None
    owner: str = ""
    dependents: int = 0


@dataclass(frozen=True, slots=True)
class StaleGroup:
    """Claims that fell for one cause. kind: commit, symbol, premise, owner, or "" for none of these; key: what `--all-of` takes.

    commit: the one that did it, where the group is of one. dependents: how many claims outside of the group rest on it.
    """

    cause: str
    claims: tuple[StaleLine, ...]
    kind: str = ""
    key: str = ""
    commit: CommitLine | None = None
    oldest_days: int | None = None
    dependents: int = 0


@dataclass(frozen=True, slots=True)
class StatusCounts:
    """How many claims had which status at the end of a day (ISO date)."""

    day: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class OwnerCounts:
    """What became of the claims that somebody recorded."""

    owner: str
    kept: int
    stale: int
    needs_review: int
    oldest_days: int | None


@dataclass(frozen=True, slots=True)
class StaleStats:
    """Counts by status over time, as the ledger noted them on whatever branch moved; ages of the fallen claims; and by owner."""

    over_time: tuple[StatusCounts, ...]
    ages: dict[str, int]
    owners: tuple[OwnerCounts, ...]


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """Claims that must be looked at, by cause: the most depended upon first, then the oldest. touched: the open goals and steps among them."""

    tree: TreeName
    groups: tuple[StaleGroup, ...]
    counts: dict[str, int]
    checked: Checked
    touched: tuple[TouchedLine, ...] = ()
    stats: StaleStats | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A claim of which something could not be said, and why. code as in errors."""

    id: str
    statement: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class StepsAnswer:
    """A step that was taken for several claims, each by its own rules. claims: as they are then."""

    tree: TreeName
    step: str
    claims: tuple[ClaimLine, ...]
    refused: tuple[Refusal, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """The whole history of a claim."""

    claim_id: str
    statement: str
    history: tuple[HistoryLine, ...]
