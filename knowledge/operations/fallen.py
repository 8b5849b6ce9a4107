"""The claims that fell: since when, by which commit, who recorded them, what rests on them; and groups of those that fell together.

The commit is the one that the ledger noted when a branch head moved by one commit. Nothing is searched for here (`claim why` does that), so that
a thousand claims are as quick as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property
from typing import Any

from knowledge.claims.lifecycle import KEPT
from knowledge.errors import RepositoryReadError, UnknownRevisionError, UsageError
from knowledge.invalidation.propagate import Held
from knowledge.operations.lines import anchor_text, author_text, claim_line, commit_line
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.claims import Anchor, Cause, ClaimStatus
from knowledge.records.events import FALLING_TYPES, RESTORED, Event
from knowledge.records.invalidations import StaleGroup, StaleLine
from knowledge.records.trees import Commit

FALLEN = ("stale", "needs_review")
GROUPINGS = ("commit", "symbol", "premise", "owner")
_WITHOUT_SYMBOL = {"undecided": "looked at and undecided", "expired": "its time is up", "review_condition": "its review condition came true"}
_NEAR = 5
_SHORTEST_REVISION = 4


@dataclass(frozen=True, slots=True)
class FallenClaim:
    """One claim that must be looked at. since: "" where nothing was noted. commit: the one that did it, where one alone did."""

    held: Held
    status: ClaimStatus
    since: str
    span: str
    commit: Commit | None
    dependents: frozenset[str]

    @property
    def cause(self) -> Cause | None:
        """The first cause; None where it was looked at and not decided."""
        return self.status.causes[0] if self.status.causes else None

    @property
    def owner(self) -> str:
        """Who recorded it."""
        return author_text(self.held.claim.author)

    def anchor(self, cause: Cause) -> Anchor | None:
        """The anchor that a cause is about."""
        return next((a for a in self.held.anchors if a.digest == cause.anchor), None)

    def age(self, today: date) -> int | None:
        """Days since it fell, as far as that was noted."""
        return max(0, (today - date.fromisoformat(self.since[:10])).days) if self.since else None


@dataclass(frozen=True, slots=True)
class Group:
    """What several claims fell for. kind: one of GROUPINGS, or "" for none."""

    kind: str
    key: str
    text: str
    commit: Commit | None = None


class Fallen:
    """All fallen claims of one tree."""

    def __init__(self, reading: Reading, view: IndexedTree, statuses: Mapping[str, ClaimStatus]) -> None:
        self._reading, self._view = reading, view
        self._statuses = {c: s for c, s in statuses.items() if s.status in FALLEN}
        self._is_here: dict[str, bool] = {}
        self._commits: dict[str, Commit] = {}

    @cached_property
    def claims(self) -> tuple[FallenClaim, ...]:
        """The fallen claims, in the order they were recorded."""
        held = self._reading.held(self._statuses)
        told = self._reading.project.ledger.events_of(self._statuses, (*FALLING_TYPES, RESTORED))
        dependents, only_here = self._dependents(), self._only_here()
        found = []
        for claim_id, status in self._statuses.items():
            event = None if claim_id in only_here else self._told(told.get(claim_id, ()), status)
            since, span, commit = self._noted(event) if event is not None else ("", "", None)
            found.append(FallenClaim(held[claim_id], status, since, span, commit, dependents[claim_id]))
        return tuple(sorted(found, key=lambda f: (f.held.claim.recorded_at, f.held.claim.id)))

    def _only_here(self) -> set[str]:
        """The claims that stand at HEAD, and fell by uncommitted work."""
        if not self._view.tree.snapshot.is_dirty:
            return set()
        project = self._reading.project
        stored = project.index.statuses(project.repository.worktree_name, sorted(self._statuses))
        return {claim_id for claim_id, status in stored.items() if status.status in KEPT}

    def _told(self, events: Iterable[Event], status: ClaimStatus) -> Event | None:
        """The last transition to where the claim is, on the line of this tree; where none is, the last one at all.

        None where it stood again since: to fall as it fell before is not noted a second time.
        """
        fitting = [e for e in events if e.type == RESTORED or e.payload.get("to") == status.status]
        here = next((e for e in reversed(fitting) if self._is_on_this_line(str(e.payload.get("revision") or ""))), None)
        told = here or next((e for e in reversed(fitting) if e.type != RESTORED), None)
        return told if told is not None and told.type != RESTORED else None

    def _is_on_this_line(self, revision: str) -> bool:
        if revision not in self._is_here:
            head, repository = self._view.tree.snapshot.revision, self._reading.project.repository
            self._is_here[revision] = bool(revision and head) and repository.has_object(revision) and repository.is_ancestor(revision, head or "")
        return self._is_here[revision]

    def _noted(self, event: Event) -> tuple[str, str, Commit | None]:
        """Since when, between which revisions, and the one commit that did it."""
        revision, before = str(event.payload.get("revision") or ""), str(event.payload.get("from_revision") or "")
        if not self._is_on_this_line(revision):
            return event.at, "", None
        try:
            commit = self._commits.get(revision) or self._reading.project.repository.commit(revision)
        except (UnknownRevisionError, RepositoryReadError):
            return event.at, "", None
        self._commits[revision] = commit
        is_one_step = commit.parents[:1] == (before,)
        return event.at, f"{before[:8]}..{revision[:8]}", commit if is_one_step else None

    def _dependents(self) -> dict[str, frozenset[str]]:
        """claim id → the claims that rest on it, however far. The ledger is asked once a level, not once a claim."""
        above: dict[str, set[str]] = {}
        front = set(self._statuses)
        while front:
            found = self._reading.derived_from_each(front)
            above |= {claim_id: found.get(claim_id, set()) for claim_id in front}
            front = set().union(*found.values()) - above.keys() if found else set()
        return {claim_id: frozenset(_reached(claim_id, above)) for claim_id in self._statuses}

    # ── groups ──

    def grouped(self, by: str = "") -> dict[Group, list[FallenClaim]]:
        """The claims by what they fell for: by one of GROUPINGS, or, without, by premise, else by commit, else by symbol."""
        ways: dict[str, Callable[[FallenClaim], Group | None]] = {
            "commit": self._by_commit, "symbol": _by_symbol, "premise": self._by_premise, "owner": lambda one: Group("owner", one.owner, one.owner),
        }  # fmt: skip
        found: dict[Group, list[FallenClaim]] = {}
        for one in self.claims:
            group = ways[by](one) if by else self._by_premise(one) or self._by_commit(one) or _by_symbol(one)
            found.setdefault(group or self._by_none(one, by), []).append(one)
        return found

    def _by_commit(self, one: FallenClaim) -> Group | None:
        if one.commit is None:
            return None
        author = one.commit.author.partition(" <")[0]
        return Group("commit", one.commit.revision, f"{one.commit.revision[:8]} “{one.commit.subject}” of {author}", one.commit)

    def _by_premise(self, one: FallenClaim) -> Group | None:
        if one.cause is None or not one.cause.claim_path:
            return None
        last = one.cause.claim_path[-1]
        word = "contradicted by" if one.cause.reason == "counter_evidence" else "premise"
        return Group("premise", last, f"{word} {last}" + (f" “{self._premises[last]}”" if last in self._premises else ""))

    @cached_property
    def _premises(self) -> dict[str, str]:
        """Claim → statement, of those that made others fall. One may have stayed behind in another ledger."""
        wanted = {one.cause.claim_path[-1] for one in self.claims if one.cause is not None and one.cause.claim_path}
        return {claim.id: claim.statement for claim in self._reading.project.ledger.claims(ids=wanted)}

    def _by_none(self, one: FallenClaim, by: str) -> Group:
        if by == "commit" and one.span:
            return Group("", one.span, f"somewhere in {one.span}: `knowledge claim why` looks for the commit")
        if by == "commit" and self._view.tree.snapshot.is_dirty and not one.since:
            return Group("", "uncommitted", "uncommitted files")
        if by in ("commit", "premise"):
            return Group("", f"no-{by}", "no commit was noted" if by == "commit" else "by no premise")
        reason = one.cause.reason if one.cause is not None else "undecided"
        return Group("", reason, _WITHOUT_SYMBOL.get(reason) or (one.cause.detail if one.cause is not None else "") or reason)

    def lines(self, by: str = "") -> tuple[StaleGroup, ...]:
        """The groups for answers: the most depended upon first, then the oldest; so are the claims in each."""
        found = [self._line(group, members) for group, members in self.grouped(by).items()]
        return tuple(sorted(found, key=lambda g: (-g.dependents, -(g.oldest_days or 0), -len(g.claims), g.cause)))

    def _line(self, group: Group, members: list[FallenClaim]) -> StaleGroup:
        today, inside = self._reading.today(), {m.held.claim.id for m in members}
        ages = [age for m in members if (age := m.age(today)) is not None]
        ordered = sorted(members, key=lambda m: (-len(m.dependents), -(m.age(today) or 0), m.held.claim.recorded_at))
        return StaleGroup(
            cause=group.text,
            claims=tuple(self._claim_line(m, today) for m in ordered),
            kind=group.kind,
            key=group.key,
            commit=commit_line(group.commit) if group.commit is not None else None,
            oldest_days=max(ages, default=None),
            dependents=len(set().union(*(m.dependents for m in members)) - inside),
        )

    def _claim_line(self, one: FallenClaim, today: date) -> StaleLine:
        commits = {c.anchor: one.commit.revision for c in one.status.causes} if one.commit is not None else {}
        line = claim_line(one.held, one.status, self._view, commits)
        told: dict[str, Any] = {f.name: getattr(line, f.name) for f in fields(line)}
        return StaleLine(**told, since=one.since, age_days=one.age(today), owner=one.owner, dependents=len(one.dependents))

    # ── choosing ──

    def chosen(self, cause: str, group: str) -> list[str]:
        """The claims of one group (its key, or the beginning of a commit's id), or those whose cause mentions a text; both: those of both.

        Raises UsageError where no claim fell for that.
        """
        keys = {g.key: None for by in ("", *GROUPINGS) for g in self.grouped(by)} if group else {}
        wanted = {m.held.claim.id for by in ("", *GROUPINGS) for g, several in self.grouped(by).items() if _is_meant(g, group) for m in several}
        if group and not wanted:
            raise UsageError(f"no claim fell for {group!r}; --all-of takes what `knowledge stale --json` has as key", suggestions=tuple(keys)[:_NEAR])
        mentioned = [m.held.claim.id for m in self.claims if cause.casefold() in self._told_text(m).casefold()]
        found = [claim_id for claim_id in mentioned if not group or claim_id in wanted]
        if not found:
            raise UsageError(f"no claim fell for a cause that mentions {cause!r}", suggestions=tuple(g.text for g in self.grouped())[:_NEAR])
        return found

    def _told_text(self, one: FallenClaim) -> str:
        """All that is told of why a claim fell."""
        parts = [g.text for g in (self._by_premise(one), self._by_commit(one), _by_symbol(one)) if g is not None]
        for cause in one.status.causes:
            anchor = one.anchor(cause)
            parts += [cause.reason, cause.detail, cause.place, *cause.claim_path, anchor_text(anchor) if anchor is not None else ""]
        return "\n".join(parts)


def _reached(start: str, above: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    front = list(above.get(start, ()))
    while front:
        claim_id = front.pop()
        if claim_id not in found:
            found.add(claim_id)
            front += above.get(claim_id, ())
    return found - {start}


def _by_symbol(one: FallenClaim) -> Group | None:
    """What the first cause is about: the anchor's subject as it is called in this tree."""
    if one.cause is None:
        return None
    anchor, predicate = one.anchor(one.cause), one.held.claim.predicate
    if anchor is not None and anchor.kind not in ("claim", "time"):
        reading = one.status.readings.get(anchor.digest)
        target = anchor.target
        subject = str(target.get("symbol") or target.get("subject") or target.get("path"))
        own = f"{subject}::{target['key']}" if anchor.kind == "value" else subject
        symbol = reading.place if reading is not None and reading.place else own
    elif anchor is None and predicate is not None and one.cause.reason == "counter_evidence" and not one.cause.claim_path:
        symbol = predicate.subject
    else:
        symbol = ""
    return Group("symbol", symbol, symbol) if symbol else None


def _is_meant(group: Group, text: str) -> bool:
    if group.kind == "commit":
        return len(text) >= _SHORTEST_REVISION and group.key.startswith(text)
    return bool(text) and group.key == text
