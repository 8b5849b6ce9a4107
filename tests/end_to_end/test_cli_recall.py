"""`knowledge recall`: what a person types, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from git_fixtures import GitRepo

from knowledge.surfaces.cli.main import main


class Ended(NamedTuple):
    """What a command line came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ended]


@pytest.fixture
def knowledge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in a repository with one file."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("app/sessions.py", "def create_session(user):\n    return user\n")
    repo.commit("Add sessions")

    def run(*words: str) -> Ended:
        capsys.readouterr()
        code = main(["-C", str(repo.path), *words])
        return Ended(code, *capsys.readouterr())

    assert run("init", "--no-hooks").code == 0
    return run


@pytest.fixture
def claim(knowledge: Run) -> str:
    """The id of the one claim."""
    return knowledge("claim", "record", "create_session is only called from authenticate", "--quiet").out.strip()


def test_a_claim_is_recalled_in_words_and_in_json(knowledge: Run, claim: str) -> None:
    """A question in either language finds it; `--quiet` leaves the id, `--json` the answer with its tree."""
    said = knowledge("recall", "who calls createSession")
    assert (said.code, claim in said.out, "active" in said.out) == (0, True, True)
    assert knowledge("recall", "create_session을 부르는 곳", "--quiet").out.split() == [claim]
    answer = knowledge("recall", "createSession", "--json").json
    assert (answer["outcome"], answer["lines"][0]["bank"], answer["lines"][0]["claim"]["id"]) == ("found", "repository", claim)


def test_what_is_not_known_is_said(knowledge: Run, claim: str) -> None:
    """Nothing, weak matches and unknown names are told apart."""
    assert "nothing is remembered" in knowledge("recall", "점심 메뉴").out
    unknown = knowledge("recall", "create_sesion")
    assert (unknown.code, "did you mean: app/sessions.py::create_session" in unknown.err) == (2, True)
    assert "weak matches only" in knowledge("recall", "is it only on Kubernetes").out


def test_without_a_query_what_needs_attention_is_shown(knowledge: Run, claim: str) -> None:
    """No argument is needed; the answer is bounded all the same."""
    assert claim in knowledge("recall").out


def test_the_personal_bank_is_reached_from_everywhere(knowledge: Run, claim: str) -> None:
    """It is made by the first claim recorded there; every command works in it, and recall asks it too."""
    missing = knowledge("claim", "list", "--personal")
    assert (missing.code, "there is no personal bank" in missing.err) == (2, True)
    mine = knowledge("claim", "record", "The dashboard asks for a second factor", "--personal", "--quiet").out.strip()
    assert knowledge("claim", "list", "--personal", "--quiet").out.split() == [mine]
    assert knowledge("--personal", "status").out.startswith("on ")
    assert knowledge("claim", "show", mine, "--personal", "--json").json["freshness"] == {"period_days": 180}
    found = knowledge("recall", "second factor of the dashboard")
    assert (mine in found.out, "personal" in found.out, f"claim show {mine} --personal" in found.out) == (True, True, True)


def test_tags_are_listed_and_migrated(knowledge: Run, tmp_path: Path) -> None:
    """A plan and a run, from the command line; without either, or with both, it is a usage error."""
    knowledge("claim", "record", "nothing in particular", "--tag", "kind:done")
    assert knowledge("tags", "--json").json["tags"][0]["tag"] == "kind:done"
    (tmp_path / "repo/.git/knowledge/vocabulary.toml").write_text('prefixes = ["kind"]\n[aliases]\n"kind:done" = "kind:completion"\n')
    assert "kept as kind:completion today" in knowledge("tags", "list").out
    assert knowledge("tags", "migrate").code == 2
    plan = tmp_path / "plan.json"
    assert "nothing was changed" in knowledge("tags", "migrate", "--dry-run", "--out", str(plan)).out
    done = knowledge("tags", "migrate", "--apply", str(plan))
    assert (done.code, "1 retag" in done.out) == (0, True)
    assert [line["tag"] for line in knowledge("tags", "--json").json["tags"]] == ["kind:completion"]
