"""What claims say of one another gives the same statuses however they are had: conflicts and their resolutions, later premises, review conditions.

The histories of `test_invalidation_histories.py`, in which people also report and resolve conflicts, let plans depend on claims, finish steps,
and record claims that are put up for review by figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given
from status_fixtures import Kept, differences, plain
from test_invalidation_histories import SLOW, Act, History, acts, history

from knowledge.errors import InvalidRecordError, LifecycleError
from knowledge.invalidation.propagate import premises_of
from knowledge.operations import conflicts, plan, steps
from knowledge.operations.premises import drop_premise
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.record import Draft, record
from knowledge.operations.transfer import export, import_
from knowledge.records.stored import ClaimFilter

WRITING = ["commit", "commit", "delete", "dirty"]
MOVING = ["switch", "branch", "merge", "reset", "revert"]
RELATING = [
    "report",
    "report",
    "resolve",
    "assume",
    "depend",
    "depend",
    "done",
    "condition",
    "condition",
    "verify",
    "reject",
    "reopen",
    "look",
    "look",
    "drop",
]
CONDITIONS = [
    "stale > 1", "needs_review >= 1", "active < 30", "verified > 0", "commits >= 2", "event ClaimRejected >= 1", "claims > 40", "conflicts > 0",
    "files > 5", "symbols > 9 and tags < 1", "2026-01-01",
]  # fmt: skip
OWN_CONDITIONS = [*CONDITIONS, "event ClaimMarkedStale >= 2", "event ClaimMarkedForReview >= 1"]
"""With those that count what a ledger was told in its own worktrees: another one may have been told more, or less."""


class Related(History):
    """A history with relations between claims; what is refused does not happen."""

    conditions = CONDITIONS

    def act(self, act: Act) -> None:
        try:
            super().act(act)
        except (InvalidRecordError, LifecycleError):
            return

    def _two(self, project: Project, act: Act) -> tuple[str, str]:
        ids = project.ledger.claim_ids()
        return ids[act.one % len(ids)], ids[(act.one * 7 + act.other) % len(ids)]

    def _report(self, act: Act) -> None:
        with self.kept.project() as project:
            conflicts.report(project, *self._two(project, act), "seen")

    def _resolve(self, act: Act) -> None:
        with self.kept.project() as project:
            known = conflicts.listing(project, resolved=True).conflicts
            if known:
                chosen = known[act.one % len(known)]
                stale = ("none", chosen.newer.id, chosen.older.id)[act.other % 3]
                conflicts.resolve(project, chosen.id, stale, "looked at")

    def _assume(self, act: Act) -> None:
        with self.kept.project() as project:
            observation, _ = self._two(project, act)
            premises = (observation,) if act.other % 2 else ()
            assumed = record(project, Draft("assumed", "assumption", anchors=("none",), derived_from=premises))
            record(project, Draft("rests on what was assumed", "inference", anchors=("none",), derived_from=(assumed.claim.id,)))
            conflicts.report(project, assumed.claim.id, observation, "seen otherwise")

    def _depend(self, act: Act) -> None:
        with self.kept.project() as project:
            nodes = project.ledger.find_claims(ClaimFilter(kinds=("goal", "plan")))
            if len(nodes) < 3:
                goal = nodes[0] if nodes else ""
                nodes.append(plan.add(project, Draft("a node", anchors=("none",)), plan.Step(goal)).claim.id)
            plan.depend(project, nodes[act.other % len(nodes)], self._two(project, act)[1])

    def _derived(self, project: Project) -> list[tuple[str, str]]:
        """(claim, premise) of all that rests on another."""
        reading = Reading(project)
        held = reading.held(project.ledger.claim_ids())
        return sorted((c, premise) for c, h in held.items() for premise in premises_of(h))

    def _look(self, act: Act) -> None:
        with self.kept.project() as project:
            if derived := self._derived(project):
                step = steps.verify if act.other % 3 else steps.review
                step(project, derived[act.one % len(derived)][0], "looked at, with what it rests on")

    def _drop(self, act: Act) -> None:
        with self.kept.project() as project:
            if derived := self._derived(project):
                drop_premise(project, *derived[act.one % len(derived)], "not after all")

    def _done(self, act: Act) -> None:
        with self.kept.project() as project:
            nodes = project.ledger.find_claims(ClaimFilter(kinds=("goal", "plan")))
            if nodes:
                plan.done(project, nodes[act.one % len(nodes)], "seen")

    def _condition(self, act: Act) -> None:
        with self.kept.project() as project:
            premise = self._two(project, act)[1:] if act.other % 2 else ()
            asked = self.conditions[act.one % len(self.conditions)]
            record(project, Draft("to be looked at", "inference", anchors=("none",), derived_from=premise, review_when=asked))


@contextmanager
def related() -> Iterator[tuple[Related, Path]]:
    """A fresh history, and a folder beside it."""
    with history() as (past, folder):
        yield Related(past.kept), folder


def settle(kept: Kept) -> None:
    """Look until nothing is told any more: an event that a condition counts is looked at the next time."""
    before = -1
    while before != kept.last_event():
        before = kept.last_event()
        kept.step()


@SLOW
@given(acts(WRITING, MOVING, RELATING, RELATING))
def test_what_was_related_is_rebuilt_from_the_ledger(done: list[Act]) -> None:
    """The stored statuses, those of the working tree and those computed without any index are the same."""
    with related() as (past, _):
        past.conditions = OWN_CONDITIONS
        for act in done:
            past.act(act)
        settle(past.kept)
        found = past.kept.step()
        assert differences(past.kept.cold(), found) == []
        assert differences(past.kept.cold("HEAD"), past.kept.stored()) == []


@SLOW
@given(acts(WRITING, RELATING, RELATING))
def test_a_clone_with_the_relations_says_the_same(done: list[Act]) -> None:
    """Exported and imported, conflicts, resolutions, premises and conditions bear on the same claims."""
    with related() as (past, folder):
        for act in done:
            past.act(act)
        past.repo.git("stash", "push", "--quiet", "--include-untracked")
        settle(past.kept)
        with past.kept.project() as project:
            export(project, folder / "claims.jsonl")
        copy = Kept(past.repo.clone(folder / "copy", "--template="))
        with copy.project(create=True) as project:
            import_(project, folder / "claims.jsonl")
            has = project.repository.has_object
            known = {c for c, said in project.ledger.verdicts().items() if all(has(v.tree_id) for v in said)}
        if len(known) == len(past.kept.stored()):
            assert plain(copy.step()) == plain(past.kept.step())
