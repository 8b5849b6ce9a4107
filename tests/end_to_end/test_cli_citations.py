"""Completion of citations on a real repository: what is offered, what is taken, and what that changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo

from knowledge.surfaces.cli.main import main

SESSIONS = "TTL = 30\n\n\ndef normalise(user):\n    return user.lower()\n\n\ndef create_session(user):\n    return normalise(user), TTL\n"
OFFERED = ["body:app/sessions.py::normalise@support", "value:app/sessions.py::TTL@support"]


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A function that calls another one and reads a constant."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("app/sessions.py", SESSIONS)
    repo.commit("Open sessions")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    return repo


def answer(repo: GitRepo, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """What a command answers as JSON."""
    capsys.readouterr()
    assert main(["-C", str(repo.path), *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("statement", ["create_session keeps users apart", "create_session은 사용자를 구별한다"])
@pytest.mark.parametrize("step", ["record", "propose"])
def test_what_a_body_rests_on_is_offered_and_not_taken(repo: GitRepo, capsys: pytest.CaptureFixture[str], statement: str, step: str) -> None:
    """By itself a claim stands on what it cites; the rest is shown as it would be written."""
    found = answer(repo, capsys, "claim", step, statement)
    assert [anchor["about"] for anchor in found["anchors"]] == ["body:app/sessions.py::create_session"]
    assert found["could_rest_on"] == OFFERED
    assert main(["-C", str(repo.path), "claim", step, statement]) == 0
    assert OFFERED[0] in capsys.readouterr().out


def test_complete_takes_the_offer(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """With --complete a changed callee makes the claim stale; without it the claim stands."""
    narrow = answer(repo, capsys, "claim", "record", "it keeps users apart", "--evidence", "app/sessions.py::create_session")
    wide = answer(repo, capsys, "claim", "record", "create_session keeps users apart", "--complete")
    assert [(anchor["about"], anchor["role"]) for anchor in wide["anchors"]] == [
        ("body:app/sessions.py::create_session", "primary"),
        ("body:app/sessions.py::normalise", "support"),
        ("value:app/sessions.py::TTL", "support"),
    ]
    assert (narrow["could_rest_on"], wide["could_rest_on"]) == (OFFERED, [])
    repo.write("app/sessions.py", SESSIONS.replace("user.lower()", "user"))
    repo.commit("Tell Ada from ada")
    statuses = {claim["id"]: claim["status"] for claim in answer(repo, capsys, "claim", "list")["claims"]}
    assert statuses == {narrow["claim"]["id"]: "active", wide["claim"]["id"]: "stale"}


def test_an_offer_can_be_taken_in_part(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """Each offered anchor can be given back as it was shown."""
    given = ["--anchor", "body:app/sessions.py::create_session", "--anchor", OFFERED[1]]
    found = answer(repo, capsys, "claim", "record", "sessions end", *given)
    assert [anchor["about"] for anchor in found["anchors"]] == ["body:app/sessions.py::create_session", "value:app/sessions.py::TTL"]
    assert found["could_rest_on"] == OFFERED[:1]


def test_a_predicate_needs_no_completion(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """What the analyzers decide rests on nothing else, and asking for more is told to be in vain."""
    assert answer(repo, capsys, "claim", "propose", "create_session calls normalise")["could_rest_on"] == []
    assert any("nothing was added" in note for note in answer(repo, capsys, "claim", "propose", "TTL is 30", "--complete")["notes"])
