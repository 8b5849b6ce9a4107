"""Stored statuses: computed anew where the rules are others now, and left alone where nothing that they follow from has moved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.invalidation import propagate
from knowledge.operations import reading as reading_module
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.records.claims import Author


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A repository with one function."""
    created = GitRepo.create(tmp_path / "repo")
    created.write("a.py", "def f():\n    return 1\n")
    created.commit("Add f")
    return created


@pytest.fixture
def project(repo: GitRepo) -> Iterator[Project]:
    """Its store."""
    with open_project(repo.path, Author("person", "ada"), create=True) as opened:
        yield opened


def status(project: Project, claim_id: str) -> str:
    """What a claim is worth at HEAD."""
    reading = Reading(project)
    return reading.statuses(reading.trees.at("HEAD"), [claim_id])[claim_id].status


def test_what_earlier_rules_said_is_computed_anew_and_flags_nothing(project: Project) -> None:
    """The same tree and the same events: the version of the rules alone makes the difference, and no event tells of it."""
    claim = record(project, Draft("f returns 1", anchors=("body:a.py::f",))).claim.id
    reconcile(project)
    state = project.index.worktree_state(project.repository.worktree_name)
    assert state is not None
    stored = project.index.statuses(state.worktree, [claim])[claim]
    project.index.put_statuses(state.worktree, [replace(stored, is_relocated=True)])
    assert reconcile(project).looked_at == 0
    project.index.put_worktree_state(replace(state, rules="of an earlier version"))
    assert status(project, claim) == "active"
    last = project.ledger.last_sequence()
    assert reconcile(project).looked_at == 1
    assert project.index.worktree_state(state.worktree) == replace(state, event_sequence=last)
    assert (project.ledger.last_sequence(), status(project, claim)) == (last, "active")


def test_claims_under_review_are_looked_at_when_their_condition_turns(project: Project, repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many claims only those are evaluated at a commit whose condition is not what it was."""
    evaluated: set[str] = set()
    seen: list[tuple[str, str]] = []

    def evaluate(held: dict[str, propagate.Held], *rest: object) -> propagate.Outcome:
        evaluated.update(held)
        return propagate.evaluate(held, *rest)  # type: ignore[arg-type]

    two, nine = (record(project, Draft(when, anchors=(UNANCHORED,), review_when=when)).claim.id for when in ("commits >= 2", "commits >= 9"))
    reconcile(project)
    monkeypatch.setattr(reading_module, "evaluate", evaluate)
    for _ in range(3):
        repo.commit()
        reconcile(project)
        seen.append((status(project, two), status(project, nine)))
    assert seen == [("active", "active"), ("needs_review", "active"), ("needs_review", "active")]
    assert evaluated == {two}
