"""What an agent is given for a goal: the frame it asks from, the pack it gets, and the view of what is remembered.

Every line says what it rests on and whether it can be used now. The fields are a contract: `docs/json.md` has their JSON Schema.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from pydantic.dataclasses import dataclass

from knowledge.records.runs import BAD, Outcome

PACK_VERSION = "1"
"""Raised when a field changes its meaning or goes; new fields do not raise it."""
MatchKind = Literal["good", "weak", "nothing"]
TestState = Literal["exact", "equal", "changed"]
"""Of an earlier result of a test: it is of this very content; what it rests on is as it was; that has changed."""


@dataclass(frozen=True, slots=True)
class CallFrame:
    """Where an agent stands when it asks.

    goal: what is to be done, in Korean or English. constraints: what must hold whatever is done. focus: files and symbols at hand, as one writes
    them (`src/a.py`, `src/a.py::f`, `f`). plan_node: the id of the goal or step of a plan that this is part of, "" for none.
    budget_tokens: the most that the compact text of the answer may have; 0: no bound.
    """

    goal: str
    constraints: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    plan_node: str = ""
    budget_tokens: int = 2_000


@dataclass(frozen=True, slots=True)
class PackTree:
    """The tree that every line speaks of."""

    label: str
    revision: str | None
    is_dirty: bool


@dataclass(frozen=True, slots=True)
class PackClaim:
    """A claim, what it is worth in this tree, and on whose word.

    reason: why it has its status, "" where it simply stands. revision_match: its last verdict was said of this very tree. evidence_kinds: what it
    rests on; none: on nothing in the repository. said_by: the last verdict and who said it. contradicts: claims that say otherwise, unresolved.
    rests_on: the symbols and places that its anchors name.
    """

    id: str
    kind: str
    status: str
    statement: str
    reason: str = ""
    revision_match: bool = False
    valid_at_revision: str | None = None
    evidence_kinds: tuple[str, ...] = ()
    said_by: str = ""
    tags: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PackCheck:
    """What has to be looked at before the work is called done, why, and the claims that wait for it: none where it is for tests."""

    what: str
    why: str
    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PackGoal:
    """The goal as asked, with what binds it."""

    goal: str
    constraints: tuple[str, ...] = ()
    plan_node: PackClaim | None = None


@dataclass(frozen=True, slots=True)
class PackFile:
    """A file that the goal seems to be about, and what speaks for it, the strongest first."""

    path: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PackSymbol:
    """A definition and where it stands: `path`, and the lines `first`-`last`, counted from 1."""

    symbol: str
    kind: str
    path: str
    first: int
    last: int
    signature: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class PackEdge:
    """A relation in the code. confidence_kind: resolved, inferred or observed. place: `path:line`."""

    subject: str
    predicate: str
    object: str
    confidence_kind: str
    place: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PackTest:
    """The latest recorded result of a test, and whether what it rests on is still the same. reason: why the result does not hold here."""

    test: str
    outcome: Outcome
    state: TestState
    observed_at: str
    reason: str = ""

    @property
    def is_overturning(self) -> bool:
        """Whether it shows a fault, or shows nothing of this tree any more."""
        return self.outcome in BAD or self.state == "changed"


@dataclass(frozen=True, slots=True)
class ContextPack:
    """What bears on a goal in one tree. What could overturn the conclusion is filled first; what does not fit is counted in `left_out`.

    left_out: the name of a field → how many of its lines did not fit. tokens: about how many the compact text has.
    """

    tree: PackTree
    current_goal_and_constraints: PackGoal
    stale_or_conflicting_claims: tuple[PackClaim, ...] = ()
    verification_required_before_return: tuple[PackCheck, ...] = ()
    analysis_limits: tuple[str, ...] = ()
    active_decisions: tuple[PackClaim, ...] = ()
    relevant_claims: tuple[PackClaim, ...] = ()
    recent_test_observations: tuple[PackTest, ...] = ()
    relevant_files: tuple[PackFile, ...] = ()
    relevant_symbols_and_source_ranges: tuple[PackSymbol, ...] = ()
    resolved_and_inferred_edges: tuple[PackEdge, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    tokens: int = 0
    version: str = PACK_VERSION


@dataclass(frozen=True, slots=True)
class MemoryView:
    """What is remembered about a query: what can be used now, what cannot, and what to check before relying on it.

    repository_revision_match: every claim shown was last looked at in this very tree.
    """

    tree: PackTree
    query: str
    match: MatchKind
    repository_revision_match: bool
    relevant_claims: tuple[PackClaim, ...] = ()
    supporting_evidence: tuple[str, ...] = ()
    stale_or_conflicting_claims: tuple[PackClaim, ...] = ()
    required_reverification: tuple[PackCheck, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    version: str = PACK_VERSION
