"""Names in prose, on a real repository: what a claim stands on and what a goal brings up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo

from knowledge.surfaces.cli.main import main

WEB = "session = {}\n\n\ndef dispatch_request(request):\n    return request\n\n\ndef jsonify(value):\n    return str(value)\n"
TESTS = "from app.web import jsonify\n\na = 1\nthe = 2\n\n\ndef test_routing():\n    assert jsonify(a)\n"


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """Definitions that bear the names of everyday words, in the code and in a test."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("app/web.py", WEB)
    repo.write("tests/test_web.py", TESTS)
    repo.commit("Answer requests")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    return repo


def answer(repo: GitRepo, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """What a command answers as JSON."""
    capsys.readouterr()
    assert main(["-C", str(repo.path), *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    ("statement", "about"),
    [
        ("the routing exception is a session that dispatch_request returns", ["body:app/web.py::dispatch_request"]),
        ("dispatch_request는 jsonify에서만 부르는 것이 아니라 세션을 돌려준다", ["body:app/web.py::dispatch_request", "body:app/web.py::jsonify"]),
        ("a session is kept", []),
        ("`session` is kept", ["body:app/web.py::session"]),
    ],
)
def test_a_claim_stands_on_names_and_not_on_words(repo: GitRepo, capsys: pytest.CaptureFixture[str], statement: str, about: list[str]) -> None:
    """Everyday words are no names, though definitions bear them; particles are cut off whole names only."""
    found = answer(repo, capsys, "claim", "propose", statement)
    assert [anchor["about"] for anchor in found["anchors"]] == about
    assert not any("not found" in note for note in found["notes"])


@pytest.mark.parametrize("goal", ["Make the routing of a session faster in dispatch_request", "dispatch_request가 더 빨라야 한다"])
def test_a_goal_brings_up_the_names_in_it(repo: GitRepo, capsys: pytest.CaptureFixture[str], goal: str) -> None:
    """`context` takes the same words for names."""
    found = answer(repo, capsys, "context", goal)
    named = [symbol["symbol"] for symbol in found["relevant_symbols_and_source_ranges"] if symbol["why"] == "named in the goal"]
    assert named == ["app/web.py::dispatch_request"]
