"""`claim check`, `reverify` and `diff` on a real repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.surfaces.cli.main import main

SESSIONS = "TTL = 30\n\n\ndef create_session(user):\n    return user\n"
LOGIN = "from app.sessions import create_session\n\n\ndef authenticate(name):\n    return create_session(name)\n"
REFRESH = "from app.sessions import create_session\n\n\ndef refresh(token):\n    return create_session(token)\n"


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """The auth flow with three claims recorded at its first commit."""
    repo = GitRepo.create(tmp_path / "repo")
    for path, text in (("app/__init__.py", ""), ("app/sessions.py", SESSIONS), ("app/login.py", LOGIN)):
        repo.write(path, text)
    repo.commit("Let people log in")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    for words in (
        ["create_session is only called from authenticate"],
        ["TTL is 30"],
        ["sessions are fine", "--anchor", "body:app/sessions.py::create_session"],
    ):
        assert main(["-C", str(repo.path), "claim", "record", *words]) == 0
    return repo


def run(repo: GitRepo, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit code and output of a command line."""
    capsys.readouterr()
    code = main(["-C", str(repo.path), *words])
    return code, capsys.readouterr().out


@pytest.mark.parametrize(
    ("statement", "code", "word"),
    [
        ("TTL is 30", 0, "holds"),
        ("TTL의 값은 31이다", 1, "does not hold"),
        ("authenticate calls create_session", 0, "holds"),
        ("create_session은 authenticate에서만 호출된다", 0, "holds"),
        ('{"relation": "calls", "subject": "app/sessions.py::create_session", "object": "app/login.py::authenticate"}', 1, "does not hold"),
    ],
)
def test_a_predicate_is_decided_without_being_stored(repo: GitRepo, capsys: pytest.CaptureFixture[str], statement: str, code: int, word: str) -> None:
    """In English, in Korean and as JSON; the exit code says it too."""
    before = run(repo, capsys, "claim", "list", "--json")
    found = run(repo, capsys, "claim", "check", statement)
    assert (found[0], word in found[1]) == (code, True)
    assert run(repo, capsys, "claim", "list", "--json") == before


def test_what_is_no_predicate_is_an_error(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """Prose is not decided, and a name that is not there is not guessed."""
    assert run(repo, capsys, "claim", "check", "sessions are wonderful")[0] == 2
    assert run(repo, capsys, "claim", "check", "nobody_here calls create_session")[0] == 2
    code, told = run(repo, capsys, "claim", "check", "create_sesion calls nobody_here", "--json")
    error = json.loads(told)["error"]
    assert (code, error["code"], "app/sessions.py::create_session" in error["suggestions"]) == (2, "unknown-symbol", True)


def test_reverify_decides_the_decidable_and_lists_the_rest_once(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """A predicate that is false stays stale; free text is looked at, undecided, and not written down twice."""
    repo.write("app/refresh.py", REFRESH)
    repo.write("app/sessions.py", SESSIONS.replace("return user", "return user.lower()"))
    repo.commit("Refresh")
    answer = json.loads(run(repo, capsys, "reverify", "--json")[1])
    assert [c["statement"] for c in answer["refuted"]] == ["create_session is only called from authenticate"]
    assert [(c["statement"], c["status"]) for c in answer["left"]] == [("sessions are fine", "needs_review")]
    assert answer["checks"][0]["place"] == "app/sessions.py::create_session"
    history = run(repo, capsys, "claim", "history", answer["left"][0]["id"], "--json")
    run(repo, capsys, "reverify")
    assert run(repo, capsys, "claim", "history", answer["left"][0]["id"], "--json") == history


def test_diff_says_what_a_branch_would_make_of_the_claims(repo: GitRepo, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Before the merge, from an export too, as Markdown and SARIF, with an exit code."""
    repo.git("checkout", "-q", "-b", "feature")
    repo.write("app/refresh.py", REFRESH)
    repo.commit("Refresh")
    repo.git("checkout", "-q", "main")
    assert run(repo, capsys, "diff", "main..feature", "--check")[0] == 1
    assert "app/refresh.py::refresh" in run(repo, capsys, "diff", "main...feature", "--format", "markdown")[1]
    exported = tmp_path / "claims.jsonl"
    assert run(repo, capsys, "export", str(exported))[0] == 0
    assert run(repo, capsys, "uninit", "--delete-claims", "--yes")[0] == 0
    found = json.loads(run(repo, capsys, "diff", "main..feature", "--ledger", str(exported), "--format", "sarif")[1])
    assert [r["ruleId"] for r in found["runs"][0]["results"]] == ["claim-counter-evidence"]
    assert found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "app/refresh.py"
    assert not (repo.path / ".git" / "knowledge").exists()
