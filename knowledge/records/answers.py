"""What operations answer: plain frozen values, shown by every surface and written as JSON (`docs/json.md` has their schemas).

Every answer names the tree it speaks of; every check says what it checked, what it could not, and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TreeName:
    """Which tree an answer speaks of. label: short commit id, `HEAD+dirty` …; backend: which git reader was used."""

    label: str
    revision: str | None
    key: str
    is_dirty: bool
    backend: str


@dataclass(frozen=True, slots=True)
class Checked:
    """checked N, could not check M, because …; checked nothing is never clean."""

    checked: int
    could_not_check: int = 0
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CauseLine:
    """Why a claim is not active: reason code, what it is about, where, and in words; `commit` where the history is known."""

    reason: str
    anchor: str = ""
    place: str = ""
    detail: str = ""
    old_hash: str = ""
    new_hash: str = ""
    premise_path: tuple[str, ...] = ()
    commit: str = ""


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """A claim in one line. open_conflicts: ids of conflicts that nobody has resolved yet."""

    id: str
    kind: str
    status: str
    statement: str
    causes: tuple[CauseLine, ...]
    valid_at_revision: str | None
    revision_match: bool
    tags: tuple[str, ...]
    said_by: str
    is_relocated: bool = False
    is_unanchored: bool = False
    open_conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnchorLine:
    """An anchor of a claim, where it was found in the tree, and what it cannot notice."""

    kind: str
    role: str
    about: str
    state: str
    place: str
    was: str
    cannot_notice: str
    digest: str


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """A piece of evidence; excerpt is data, capped and masked."""

    id: str
    kind: str
    revision: str | None
    path: str
    lines: str
    language: str
    parser_version: str
    node_type: str
    symbol: str
    relation: str
    content_hash: str
    shows: str
    does_not_show: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """Who said what of the claim, on which revision."""

    kind: str
    by: str
    at: str
    revision: str | None
    reason: str
    holds_here: bool


@dataclass(frozen=True, slots=True)
class WriteGateWarning:
    """A sentence of a claim that may contradict one that is remembered, side by side. how: cannot, number, switch, denied, taken-back, value.

    evidence: what the precedent rests on.
    """

    precedent: str
    how: str
    sentence: str
    remembered: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteGateAnswer:
    """What became of holding a claim against what is remembered. has_run False: it could not be done, and `note` says why.

    compared: how many claims it was held against.
    """

    has_run: bool
    note: str = ""
    compared: int = 0
    warnings: tuple[WriteGateWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """One claim with all it stands on (`claim show`, and the answer of recording and of every step).

    could_rest_on: anchors that recording offered and did not take, as one writes them. gate: what it may contradict, where it was just recorded.
    """

    tree: TreeName
    claim: ClaimLine
    predicate: str
    scope: dict[str, Any]
    freshness: dict[str, Any]
    detail: dict[str, Any]
    derived_from: tuple[str, ...]
    anchors: tuple[AnchorLine, ...]
    evidence: tuple[EvidenceLine, ...]
    verdicts: tuple[VerdictLine, ...]
    relations: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    could_rest_on: tuple[str, ...] = ()
    gate: WriteGateAnswer | None = None


@dataclass(frozen=True, slots=True)
class ClaimsAnswer:
    """A list of claims in one tree. counts: status → how many; left_out: how many fit and are not listed."""

    tree: TreeName
    claims: tuple[ClaimLine, ...]
    counts: dict[str, int]
    checked: Checked
    left_out: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TouchedLine:
    """A goal or a step of a plan that is open and does not stand as it was recorded. goal: whose step it is.

    by: the claims it depends on that fell, or the places that changed.
    """

    id: str
    kind: str
    statement: str
    goal: str
    goal_statement: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecheckAnswer:
    """Whether a piece of evidence is still to be found: same, moved, changed, gone, or not to be told."""

    tree: TreeName
    evidence: EvidenceLine
    outcome: str
    place: str
    detail: str


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """What indexing did. skipped: limitation code → paths (the first few). unresolved: files whose names are resolved when a question needs it."""

    tree: TreeName
    files: int
    analyzed: int
    facts_reused: int
    resolved: int
    resolutions_reused: int
    edges: int
    unresolved: int
    skipped: dict[str, tuple[str, ...]]
    skipped_count: int
    seconds: float
    was_rebuilt: bool = False


@dataclass(frozen=True, slots=True)
class ReconcileAnswer:
    """What a reconciliation found: the claims looked at and the ones whose status changed. touched: the open goals and steps that fell."""

    tree: TreeName
    looked_at: int
    held: int
    changed: tuple[ClaimLine, ...]
    events: int
    touched: tuple[TouchedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """An edge for people: confidence kind and reason, and where it was seen.

    agreed_by: the analyzers that know this relation, silent: those that looked at the file and do not, instead: `analyzer: symbol` where one
    leads elsewhere from the same place. All empty where a single analyzer looked.
    """

    subject: str
    predicate: str
    object: str
    confidence_kind: str
    reason: str
    place: str
    rivals: int
    analyzer: str
    agreed_by: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """The answer of a graph question: edges, what was left out, and the limitations that bear on it. Never a bare "none"."""

    tree: TreeName
    question: str
    symbol: str
    edges: tuple[EdgeLine, ...]
    resolved: int
    inferred: int
    left_out: int
    limitations: tuple[str, ...]
    notes: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    """Where the answer is symbols, not edges (unreferenced)."""
    observed: int = 0


@dataclass(frozen=True, slots=True)
class AnalysisLine:
    """What another program said, once: who, of which tree, and how many of the files it looked at have that content in the tree asked about."""

    id: str
    format: str
    analyzer: str
    revision: str | None
    tree_key: str
    reference: str
    origin: str
    at: str
    author: str
    files: int
    present: int
    edges: int


@dataclass(frozen=True, slots=True)
class AnalysesAnswer:
    """What was taken in from other programs. notes: what was not taken, and why."""

    tree: TreeName
    analyses: tuple[AnalysisLine, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """The state of the store for one worktree, read without computing anything. is_current: statuses belong to HEAD.

    news: what fell since somebody last looked, in one line, "" where nothing did. files: of the tree; resolved_files: in how many of them the
    names are resolved so far; is_resolved: in all that have any.
    """

    branch: str | None
    head: str | None
    indexed_revision: str | None
    is_current: bool
    claims_by_status: dict[str, int]
    claims_by_kind: dict[str, int]
    failures: dict[str, int]
    ledger_bytes: int
    index_bytes: int
    notes: tuple[str, ...] = ()
    news: str = ""
    files: int = 0
    resolved_files: int = 0
    is_resolved: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One check of `doctor`: level ok, warning or error; code is kebab-case; fix says what to do."""

    level: str
    code: str
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class DoctorAnswer:
    """Everything that was checked, and everything that is not as it should be."""

    findings: tuple[Finding, ...]
    checked: Checked


@dataclass(frozen=True, slots=True)
class InitAnswer:
    """What `init` set up."""

    index: IndexAnswer | None
    ledger: str
    hooks: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TransferAnswer:
    """Rows written to or read from an export. skipped: already there."""

    path: str
    rows: dict[str, int]
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """Whether a predicate holds in a tree. holds None: it cannot be decided there, and `detail` says why."""

    tree: TreeName
    predicate: str
    holds: bool | None
    detail: str
    place: str
    cannot_notice: str = ""


@dataclass(frozen=True, slots=True)
class CheckToMake:
    """One thing to look at, and the claims that wait for it. weight: how many claims rest on those."""

    place: str
    why: str
    claims: tuple[str, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class ReverifyAnswer:
    """What could be decided by itself, and the least set of checks that is left, the most depended upon first.

    ran: a line for each command that was run for it. notes: what was not run or not decided, and why.
    """

    tree: TreeName
    verified: tuple[ClaimLine, ...]
    refuted: tuple[ClaimLine, ...]
    left: tuple[ClaimLine, ...]
    checks: tuple[CheckToMake, ...]
    checked: Checked
    ran: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DifferenceAnswer:
    """What a branch makes of the claims: fallen (kept at the base, not at the head), restored (the other way round), still fallen."""

    base: TreeName
    head: TreeName
    fallen: tuple[ClaimLine, ...]
    restored: tuple[ClaimLine, ...]
    still_fallen: int
    checked: Checked
    touched: tuple[TouchedLine, ...] = ()
    """the goals and steps of plans among the fallen"""


@dataclass(frozen=True, slots=True)
class ConflictLine:
    """Two kept claims that contradict each other, with their statuses in the tree of the answer, the newer one first.

    reason: why both cannot be so. how: `predicates` that exclude each other, or a `report`. held_in: revisions in which both were held
    (active or verified), `+dirty` for uncommitted files. stale: which one a resolution calls stale, "" for neither. difference: why they
    differ, computed: code-changed, earlier-analysis-incomplete, not-computable.
    """

    id: str
    newer: ClaimLine
    older: ClaimLine
    reason: str
    how: str
    found_by: str
    found_at: str
    held_in: tuple[str, ...]
    is_open: bool
    stale: str = ""
    difference: str = ""
    difference_detail: str = ""
    resolution: str = ""
    resolved_by: str = ""
    resolved_at: str = ""


@dataclass(frozen=True, slots=True)
class ConflictsAnswer:
    """Conflicts, open ones first. counts: open, resolved. checked: how many claims were held against each other, where that was asked for."""

    tree: TreeName
    conflicts: tuple[ConflictLine, ...]
    counts: dict[str, int]
    checked: Checked
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """An alternative that a decision did not take; reason "" where none was given."""

    alternative: str
    reason: str


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """A decision with what bound it and what it rejected. commit: whose message tells it, "" where somebody recorded it by hand."""

    claim: ClaimLine
    commit: str
    constraints: tuple[str, ...]
    rejected: tuple[RejectedLine, ...]
    anchors: tuple[AnchorLine, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionsAnswer:
    """Decisions: newly recorded ones (`read`), or those in play. commits: how many messages were read. known: told there, recorded before."""

    tree: TreeName
    decisions: tuple[DecisionLine, ...]
    commits: int = 0
    known: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step of a plan. state: done; touched (it, or what it depends on, changed); waiting (for `waits_for`); ready.

    after: the steps it comes after. depends_on: the claims it rests on, with their statuses in the tree of the answer.
    """

    claim: ClaimLine
    state: str
    after: tuple[str, ...]
    waits_for: tuple[str, ...]
    depends_on: tuple[ClaimLine, ...]


@dataclass(frozen=True, slots=True)
class GoalLine:
    """A goal and its steps, in the order in which they can be taken. claim None: steps that belong to no goal. state: open, done, touched."""

    claim: ClaimLine | None
    state: str
    steps: tuple[StepLine, ...]
    depends_on: tuple[ClaimLine, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """Goals with their steps. A goal or step is a claim: its status says whether it still stands as it was recorded."""

    tree: TreeName
    goals: tuple[GoalLine, ...]
