"""The figures that review conditions ask for: counted in the ledger, in the tree that is looked at, and since the last verdict.

Claims that have a review condition, and all that rests on them, are left out where claims are counted by status: else a condition could make itself
true or false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property

from knowledge.claims.contradictions import conflict_id, resolutions
from knowledge.claims.review_conditions import DUE, STATUS_FIGURES, Figure, judge, read_condition
from knowledge.errors import InvalidRecordError, RepositoryReadError, UnknownRevisionError
from knowledge.invalidation.propagate import has_review_condition
from knowledge.operations.project import Project
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.claims import Anchor, AnchorReading, ClaimStatus, Verdict
from knowledge.records.stored import CONTRADICTS, ReviewGroup

VERDICT_EVENTS = ("ClaimRecorded", "ClaimVerified", "ClaimReviewed")
"""Events that come with a verdict."""


def counts_statuses(anchor: Anchor) -> bool:
    """Whether the anchor is a review condition that counts claims by their status."""
    if not has_review_condition(anchor):
        return False
    try:
        return any(figure.name in STATUS_FIGURES for figure in read_condition(str(anchor.target["review_when"])).figures())
    except InvalidRecordError:
        return False


class Figures:
    """Counts for one tree, each thing once.

    is_stored: whether the worktree's stored statuses hold for claims that are not looked at now. apart: claims not to be counted by status.
    """

    def __init__(self, project: Project, view: IndexedTree, *, is_stored: bool, apart: Callable[[], frozenset[str]]) -> None:
        self._project, self._view, self._is_stored, self._find_apart = project, view, is_stored, apart
        self._counted: dict[str, int] = {}
        self._commits_since: dict[tuple[str | None, str], int] = {}
        self._between: dict[str, int] = {}

    def reading_of(self, anchor: Anchor, latest: Verdict, statuses: Mapping[str, ClaimStatus]) -> AnchorReading:
        """What a condition's anchor says. latest: the last verdict of its claim; statuses: what was computed for this tree so far."""
        try:
            condition = read_condition(str(anchor.target["review_when"]))
        except InvalidRecordError as error:
            # Written by another version of this program: told, and no reason for the rest to fail.
            return AnchorReading("unsupported", detail=error.message)
        values = {figure: self._value(figure, latest, statuses) for figure in condition.figures()}
        judged = judge(condition, values, self._project.clock().date())
        return AnchorReading("present", DUE if judged.is_true else "", detail=judged.detail)

    def is_as_stored(self, group: ReviewGroup) -> bool:
        """Whether a condition is for a group of claims what it was when their statuses were stored; False where only looking at each can tell."""
        try:
            condition = read_condition(group.condition)
        except InvalidRecordError:
            return False
        found = {}
        for figure in condition.figures():
            if figure.name in STATUS_FIGURES or figure.event:
                return False
            is_since_verdict = figure.name == "commits"
            found[figure] = self._commits(group.revision, group.said_at) if is_since_verdict else self._of_tree(figure.name)
        return judge(condition, found, self._project.clock().date()).is_true == group.is_due

    def _value(self, figure: Figure, latest: Verdict, statuses: Mapping[str, ClaimStatus]) -> int:
        if figure.name in STATUS_FIGURES:
            return self._by_status(statuses)[figure.name]
        if figure.event:
            return self._events(figure.event, latest)
        return self._commits(latest.revision, latest.said_at) if figure.name == "commits" else self._of_tree(figure.name)

    def _of_tree(self, name: str) -> int:
        """What is the same for every verdict."""
        if name not in self._counted:
            self._counted[name] = self._count(name)
        return self._counted[name]

    def _count(self, name: str) -> int:
        match name:
            case "claims":
                return self._project.ledger.claim_count()
            case "tags":
                return len(self._project.ledger.tags())
            case "files":
                return len(self._view.tree.entries())
            case "symbols":
                return sum(1 for _ in self._view.all_symbols())
        return self._conflicts()

    @cached_property
    def _apart(self) -> frozenset[str]:
        return self._find_apart()

    def _by_status(self, statuses: Mapping[str, ClaimStatus]) -> Counter[str]:
        fresh = {c: s.status for c, s in statuses.items() if c not in self._apart}
        found = Counter[str](fresh.values())
        if self._is_stored:
            others = self._project.index.status_counts(self._project.repository.worktree_name, {*fresh, *self._apart})
            found.update(others)
        return found

    def _events(self, kind: str, latest: Verdict) -> int:
        ledger = self._project.ledger
        own = [e.sequence for e in ledger.events(claim_id=latest.claim_id) if e.type in VERDICT_EVENTS]
        return len(ledger.events(after=max(own, default=0), types=(kind,)))

    def _commits(self, since: str | None, said_at: str) -> int:
        asked = since, said_at
        if asked not in self._commits_since:
            self._commits_since[asked] = self._count_commits(*asked)
        return self._commits_since[asked]

    def _count_commits(self, since: str | None, said_at: str) -> int:
        repository, revision = self._project.repository, self._view.tree.snapshot.revision
        if revision is None:
            return 0
        if since is None:
            return sum(1 for _ in repository.walk(revision))
        try:
            if since not in self._between:
                self._between[since] = repository.count_between(since, revision)
            return self._between[since]
        except (UnknownRevisionError, RepositoryReadError):
            # The commit that the verdict was said at is gone (a rebase, garbage collection): count by the clock.
            said = datetime.fromisoformat(said_at).timestamp()
            return sum(1 for commit in repository.walk(revision) if commit.committed_at > said)

    def _conflicts(self) -> int:
        ledger = self._project.ledger
        found = {conflict_id(r.source, r.target) for r in ledger.relations() if r.kind == CONTRADICTS}
        return len(found - resolutions(ledger.events(types=("ConflictResolved",))).keys())
