"""The short view at the beginning of a session, of a sub-agent, and after a compaction: what an agent would otherwise have to ask for.

Goal, what changed since last time, what is stale among what is being worked on, what to verify first, and that tags are rewritten. What is
private is left out. Reading it changes no claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from knowledge.claims.lifecycle import worst_first
from knowledge.errors import RepositoryReadError, UnknownRevisionError
from knowledge.invalidation.propagate import Held
from knowledge.operations.announcing import vocabulary_notice
from knowledge.operations.context_pack import pack_claim
from knowledge.operations.plan import show as show_plan
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.recall import speaks_of
from knowledge.operations.reconcile import reconcile
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.answers import GoalLine
from knowledge.records.claims import ClaimStatus
from knowledge.records.events import FALLING_TYPES, RESTORED
from knowledge.records.identifiers import show_path
from knowledge.records.packs import PackClaim
from knowledge.records.stored import PRIVATE
from knowledge.records.trees import Commit
from knowledge.views.context_pack import checks_of
from knowledge.views.pack_text import check_text, claim_text, plain

VIEW_CHARACTERS = 8_000
"""Of the whole view; programs cut, or drop, what is longer than ten thousand."""
_STATEMENT = 280
"""Characters of a claim's statement that are shown; the whole is a `knowledge claim show` away."""
_GOALS, _IN_FOCUS, _OTHERS, _CHECKS, _COMMITS = 3, 5, 3, 4, 5
_RECENT = 5
"""Commits whose files are in focus, beside what is uncommitted."""
_MOST_COUNTED = 500
_FALLEN = ("stale", "needs_review")


@dataclass(frozen=True, slots=True)
class LastSeen:
    """Where a session stood when it last was told: the commit, the branch, the ledger's last event."""

    revision: str | None
    branch: str | None
    sequence: int


@dataclass(frozen=True, slots=True)
class Opening:
    """The view, "" where there is nothing to say; where the session stands now; how many claims are shown."""

    text: str
    seen: LastSeen
    shown: tuple[str, ...] = ()


def opening(project: Project, last: LastSeen | None = None, *, is_brief: bool = False) -> Opening:
    """What to say. last: None for a session that was told nothing yet. is_brief: for a sub-agent, who does one thing: no history.

    Raises the errors of the repository and of the store.
    """
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at()
    head = project.repository.head()
    seen = LastSeen(head.revision, head.branch, project.ledger.last_sequence())
    statuses = reading.statuses(view)
    fallen = _fallen(reading, view, statuses)
    goals = [goal for goal in show_plan(project).goals if goal.claim is not None and goal.state != "done"]
    parts = [
        _goals(goals),
        [] if is_brief else _since(project, last, seen),
        fallen.lines(is_brief),
        [] if is_brief else fallen.checks(),
    ]
    notice = vocabulary_notice(project.repository.workdir or project.repository.common_dir)
    if not any(parts) and not notice:
        return Opening("", seen)
    counts = Counter(status.status for status in statuses.values())
    told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items()))
    lines = [f"Remembered claims about this repository at {view.tree.snapshot.label}: {told or 'none'}."]
    for part in parts:
        lines += ["", *part] if part else []
    lines += ["", notice] if notice else []
    return Opening(_within(lines), seen, tuple(fallen.shown(is_brief)))


def _within(lines: Sequence[str]) -> str:
    """As many lines as fit, whole; what is left out is counted."""
    footer = "These are observations of their time, not orders; where the code differs, the code is right. `recall` and `context_pack` tell more."
    room = VIEW_CHARACTERS - len(footer) - 60
    kept: list[str] = []
    for place, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            kept.append(f"({len(lines) - place} more lines left out)")
            break
        kept.append(line)
    return "\n".join([*kept, "", footer])


def _goals(goals: Sequence[GoalLine]) -> list[str]:
    """The open goals, each with the step that can be taken next."""
    lines = []
    for goal in goals[-_GOALS:]:
        if goal.claim is None:
            continue
        marks = f" ({goal.state})" if goal.state == "touched" else ""
        done = sum(step.state == "done" for step in goal.steps)
        steps = f" {done} of {len(goal.steps)} steps done." if goal.steps else ""
        lines.append(f"Goal {goal.claim.id}{marks}: “{plain(goal.claim.statement)[:_STATEMENT]}”{steps}")
        following = next((step for step in goal.steps if step.state in ("touched", "ready")), None)
        if following is not None:
            lines.append(f"- next ({following.state}): {following.claim.id} “{plain(following.claim.statement)[:_STATEMENT]}”")
    return lines + ([f"({len(goals) - _GOALS} more open goals: `knowledge plan`)"] if len(goals) > _GOALS else [])


# ── since last time ──


def _since(project: Project, last: LastSeen | None, now: LastSeen) -> list[str]:
    """What changed since the session was last told: branch, commits, claims that fell or stand again."""
    if last is None or last == now:
        return []
    lines = []
    if last.branch != now.branch:
        lines.append(f"- the branch was {last.branch or 'detached'} and is {now.branch or 'detached'}")
    lines += _commits(project, last.revision, now.revision)
    events = project.ledger.events(after=last.sequence, types=(*FALLING_TYPES, RESTORED, "ClaimRecorded"))
    latest = {event.claim_id: event.type for event in events}
    counts = Counter("fell" if kind in FALLING_TYPES else "stand again" if kind == RESTORED else "are new" for kind in latest.values())
    lines += [f"- {count} claim{'s' * (count != 1)} {word}" for word, count in sorted(counts.items())]
    return ["Since you were last told:", *lines] if lines else []


def _commits(project: Project, old: str | None, new: str | None) -> Iterator[str]:
    repository = project.repository
    if old == new or new is None:
        return
    if old is None or not repository.has_object(old):
        yield f"- HEAD is {new[:10]}; where it was is not known any more"
        return
    try:
        base = repository.merge_base(old, new)
        if base is None:
            yield f"- HEAD moved from {old[:10]} to {new[:10]}, which have no history in common"
            return
        subjects = list(_between(project, base, new))
        gone = repository.count_between(base, old)
    except (RepositoryReadError, UnknownRevisionError):
        yield f"- HEAD moved from {old[:10]} to {new[:10]}"
        return
    count = f"{len(subjects)}{'+' * (len(subjects) == _MOST_COUNTED)} new commit{'s' * (len(subjects) != 1)}"
    back = f"; {gone} commit{'s' * (gone != 1)} of before are not below HEAD any more" if gone else ""
    yield f"- {count} up to {new[:10]}{back}"
    yield from (f"  - {commit.revision[:10]} “{plain(commit.subject)[:120]}”" for commit in subjects[:_COMMITS])


def _between(project: Project, base: str, new: str) -> Iterator[Commit]:
    """The commits that came, newest first, up to a bound."""
    if base == new:
        return
    count = min(project.repository.count_between(base, new), _MOST_COUNTED)
    for place, commit in enumerate(project.repository.walk(new)):
        if place == count:
            return
        yield commit


# ── what does not stand ──


@dataclass(frozen=True, slots=True)
class _Fallen:
    """Claims that must be looked at, those about what is being worked on first."""

    in_focus: tuple[str, ...]
    others: tuple[str, ...]
    held: Mapping[str, Held]
    statuses: Mapping[str, ClaimStatus]
    view: IndexedTree

    def shown(self, is_brief: bool) -> list[str]:
        """The claims that are named."""
        return [*self.in_focus[:_IN_FOCUS], *(() if is_brief else self.others[: max(0, _OTHERS - len(self.in_focus))])]

    def lines(self, is_brief: bool) -> list[str]:
        """The claims not to be relied on, and how many more there are."""
        shown = self.shown(is_brief)
        left = len(self.in_focus) + len(self.others) - len(shown)
        lines = [claim_text(self._packed(c)) for c in shown]
        if left:
            lines.append(f"({left} more: `knowledge stale`)")
        title = "Not to be relied on, about what is being worked on:" if self.in_focus else "Not to be relied on:"
        return [title, *lines] if shown or (left and not is_brief) else []

    def checks(self) -> list[str]:
        """What to look at first, each with the claims that wait for it."""
        checks = checks_of([self._packed(c) for c in self.shown(False)])[:_CHECKS]
        return ["To verify before relying on them (`knowledge reverify` decides what can be decided):", *map(check_text, checks)] if checks else []

    def _packed(self, claim_id: str) -> PackClaim:
        return cut_statement(pack_claim(self.held[claim_id], self.statuses[claim_id], self.view))


def cut_statement(packed: PackClaim) -> PackClaim:
    """The claim with the beginning of its statement, where that is long."""
    return packed if len(packed.statement) <= _STATEMENT else replace(packed, statement=f"{packed.statement[:_STATEMENT]}…")


def _fallen(reading: Reading, view: IndexedTree, statuses: Mapping[str, ClaimStatus]) -> _Fallen:
    down = [status.claim_id for status in sorted(statuses.values(), key=worst_first) if status.status in _FALLEN]
    held = {c: one for c, one in reading.held(down).items() if not one.claim.detail.get(PRIVATE)}
    focus = _focus(reading.project, view)
    in_focus = [c for c in down if c in held and any(speaks_of(held[c], statuses[c], path) for path in focus)]
    known = set(in_focus)
    return _Fallen(tuple(in_focus), tuple(c for c in down if c in held and c not in known), held, statuses, view)


def _focus(project: Project, view: IndexedTree) -> list[str]:
    """What is being worked on: uncommitted files, and those of the last commits."""
    paths = dict.fromkeys(view.tree.uncommitted())
    revision = view.tree.snapshot.revision
    try:
        for commit in project.repository.walk(revision, limit=_RECENT) if revision is not None else ():
            paths |= dict.fromkeys(project.repository.changed_paths(commit))
    except RepositoryReadError:
        # A shallow or partial clone: what is at hand is enough.
        pass
    return [show_path(path) for path in paths]
