"""The personal bank beside a repository's own, and what is private."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.operations.banks import PERIOD_DAYS, dated, is_personal, make_personal, opened_personal
from knowledge.operations.claims import show
from knowledge.operations.project import Project, open_project
from knowledge.operations.recall import Asked, recall
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.operations.steps import verify
from knowledge.operations.transfer import export, import_
from knowledge.records.claims import Author

ADA = Author("person", "ada")
LOGIN = "The cloud dashboard asks for a second factor at login"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A repository with one file and no claims."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "def f():\n    return 1\n")
    repo.commit("Add f")
    with open_project(repo.path, ADA, create=True) as opened:
        yield opened


@pytest.fixture
def personal(no_personal_bank: Path) -> Iterator[Project]:
    """The personal bank."""
    make_personal()
    with opened_personal(ADA) as opened:
        assert opened is not None
        yield opened


def test_no_bank_is_made_by_asking(project: Project, no_personal_bank: Path) -> None:
    """Whoever never recorded anything personal has no personal bank."""
    with opened_personal() as opened:
        assert opened is None
    assert recall(project, Asked("login", focus=("a.py",))).outcome == "nothing"
    assert not no_personal_bank.exists()


def test_both_banks_are_asked_and_told_apart(project: Project, personal: Project) -> None:
    """What no repository can show is remembered once for all of them; each line says where it comes from."""
    mine = record(personal, Draft(LOGIN)).claim.id
    own = record(project, Draft("f asks for the login of the cloud dashboard")).claim.id
    answer = recall(project, Asked("cloud dashboard login second factor"), personal=personal)
    assert [(line.bank, line.claim.id) for line in answer.lines] == [("personal", mine), ("repository", own)]
    assert {line.bank for line in recall(personal, Asked("cloud dashboard login"), personal=personal).lines} == {"personal"}
    assert (is_personal(personal), is_personal(project)) == (True, False)


def test_the_bank_is_its_owners_alone(personal: Project, no_personal_bank: Path) -> None:
    """Others may not look into its folder; making it again changes nothing."""
    claim = record(personal, Draft(LOGIN)).claim.id
    make_personal()
    assert no_personal_bank.stat().st_mode & 0o077 == 0
    assert show(personal, claim).claim.statement == LOGIN


def test_a_personal_claim_is_looked_at_again_in_time(personal: Project) -> None:
    """Nothing that changes would make it stale, so the clock does, and a new verdict begins the period anew."""
    claim = record(personal, dated(Draft(LOGIN))).claim.id
    assert show(personal, claim).claim.status == "active"
    begun = personal.clock()
    personal.clock = lambda: begun + timedelta(days=PERIOD_DAYS + 1)
    answer = show(personal, claim)
    assert (answer.claim.status, answer.claim.causes[0].reason) == ("stale", "expired")
    verify(personal, claim, "looked again")
    assert show(personal, claim).claim.status == "verified"
    assert dated(Draft(LOGIN, until="2030-01-01")).period_days == 0


def test_what_is_private_is_recalled_when_asked_for_and_never_pushed(project: Project) -> None:
    """Only whoever asks is shown it."""
    secret = record(project, Draft(LOGIN, is_private=True)).claim.id
    assert [line.claim.id for line in recall(project, Asked("second factor login")).lines] == [secret]
    assert recall(project, Asked("second factor login", is_pushed=True)).outcome == "nothing"
    assert recall(project, Asked(is_pushed=True)).outcome == "nothing"


def test_what_is_private_is_not_exported(project: Project, tmp_path: Path) -> None:
    """Neither the claim nor anything that is said of it or rests on it; what others have too stays, and the export can be read."""
    shared = record(project, Draft("f returns 1", anchors=("body:a.py::f",))).claim.id
    private = record(project, Draft("f returns my lucky number", anchors=("body:a.py::f", "signature:a.py::f"), is_private=True)).claim.id
    resting = record(project, Draft("so it will stay", anchors=(UNANCHORED,), derived_from=(private,))).claim.id
    verify(project, private, "my lucky number is 1")
    answer = export(project, tmp_path / "out.jsonl")
    text = (tmp_path / "out.jsonl").read_text()
    assert not any(word in text for word in ("lucky", private, resting))
    assert answer.rows["claim"] == 1
    kinds = {row["kind"] for row in map(json.loads, text.splitlines()) if row["row"] == "anchor"}
    assert kinds == {"body"}
    clone = GitRepo.create(tmp_path / "clone")
    with open_project(clone.path, ADA, create=True) as other:
        assert import_(other, tmp_path / "out.jsonl").rows["claim"] == 1
        assert other.ledger.claim_ids() == [shared]


def test_an_export_without_private_claims_is_whole(project: Project, tmp_path: Path) -> None:
    """A word in a claim's detail is not taken for the mark."""
    record(project, replace(Draft("f returns 1"), detail={"note": "private"}))
    assert export(project, tmp_path / "out.jsonl").rows["claim"] == 1
