"""Trigger rows as the ledger keeps them, and what is answered about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

TriggerState = Literal["draft", "held", "approved", "merged", "dismissed", "disabled"]
STATES: dict[str, TriggerState] = {
    "TriggerDrafted": "draft",
    "TriggerHeld": "held",
    "TriggerApproved": "approved",
    "TriggerMerged": "merged",
    "TriggerDismissed": "dismissed",
    "TriggerDisabled": "disabled",
}
"""Ledger event → the state that it puts a row into. Only an approved row is ever held against a call."""
WAITING: tuple[TriggerState, ...] = ("draft", "held")
"""States that wait for a person."""
BY_HAND = "by-hand"
"""The cause of a draft that somebody wrote."""


@dataclass(frozen=True, slots=True)
class TriggerStep:
    """One step of a row: its event, when, who, and why."""

    type: str
    at: str
    author: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TriggerLine:
    """A row and where it stands. row: as a policy file has it. evidence: of a draft that was not written by hand, what it was drawn from.

    causes: what made the draft; "by-hand" where somebody wrote it.
    """

    id: str
    state: TriggerState
    row: Mapping[str, Any]
    steps: tuple[TriggerStep, ...]
    causes: tuple[str, ...] = (BY_HAND,)
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TriggersAnswer:
    """Rows in the order in which they were drafted. notes: what a person should know besides."""

    triggers: tuple[TriggerLine, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TriggerHit:
    """A call that a row hits. tier: `full` or `hint`. sentence: by which. claims: the memories that would come. at: of a logged call, when."""

    trigger: str
    tool: str
    tier: str
    sentence: str
    claims: tuple[str, ...] = ()
    at: str = ""


@dataclass(frozen=True, slots=True)
class TriggerTestAnswer:
    """What rows would do to calls. calls: how many were looked at. context: what an agent would be given, "" for nothing."""

    hits: tuple[TriggerHit, ...]
    calls: int
    context: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TriggerCause:
    """What became of the drafts of one cause. A draft of several causes counts for each. waiting: nobody has decided yet; held: a person waits.

    registered: approved by itself, whatever came later; merged: its words went into an approved row; dismissed: it became none.
    """

    cause: str
    drafts: int
    waiting: int
    held: int
    registered: int
    merged: int
    dismissed: int


@dataclass(frozen=True, slots=True)
class TriggerCausesAnswer:
    """Causes in the order of their names, and what speaks for looking at a threshold again."""

    causes: tuple[TriggerCause, ...]
    notes: tuple[str, ...] = ()
