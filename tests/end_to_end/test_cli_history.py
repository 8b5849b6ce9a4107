"""`claim history` and `claim why` on a real repository: commits, authors, anchors and small diffs, and what is said where git forgot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import AUTHOR, GitRepo

from knowledge.surfaces.cli.main import main

SESSIONS = "TTL = 30\n\n\ndef create_session(user):\n    return user, TTL\n"
LOGIN = "from app.sessions import create_session\n\n\ndef authenticate(name):\n    return create_session(name)\n"
REFRESH = "from app.sessions import create_session\n\n\ndef refresh(token):\n    return create_session(token)\n"


class Teller:
    """A repository, and what `knowledge` says in it."""

    def __init__(self, repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
        self.repo, self.capsys = repo, capsys

    def run(self, *words: str) -> tuple[int, str]:
        """Exit code and output of a command line."""
        self.capsys.readouterr()
        code = main(["-C", str(self.repo.path), *words])
        return code, self.capsys.readouterr().out

    def json(self, *words: str) -> dict[str, Any]:
        """The answer of a command."""
        code, out = self.run(*words, "--json")
        assert code == 0, out
        found: dict[str, Any] = json.loads(out)
        return found

    def record(self, *words: str) -> str:
        """The id of a new claim."""
        return str(self.json("claim", "record", *words)["claim"]["id"])

    def commit(self, message: str, **files: str | None) -> str:
        """A commit of these files (`app_login` is app/login.py; None deletes), and the statuses brought up to it."""
        for name, text in files.items():
            path = name.replace("__", "/") + ".py"
            if text is None:
                self.repo.delete(path)
            else:
                self.repo.write(path, text)
        revision = self.repo.commit(message)
        self.run("reconcile")
        return revision


@pytest.fixture
def teller(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Teller:
    """The auth flow at its first commit."""
    monkeypatch.setenv("KNOWLEDGE_AUTHOR", "Grace")
    teller = Teller(GitRepo.create(tmp_path / "repo"), capsys)
    teller.commit("Let people log in", app__sessions=SESSIONS, app__login=LOGIN)
    assert teller.run("init", "--no-hooks")[0] == 0
    return teller


def test_each_transition_has_its_commit_author_anchor_and_diff(teller: Teller) -> None:
    """What a person reads: who changed what, in which commit, and the lines."""
    claim = teller.record("it pairs user and time", "--anchor", "body:app/sessions.py::create_session")
    revision = teller.commit("Say nothing of the time", app__sessions=SESSIONS.replace("user, TTL", "user"))
    event = teller.json("claim", "history", claim)["history"][-1]
    assert (event["type"], event["revision"], event["subject"]) == ("ClaimMarkedStale", revision, "Say nothing of the time")
    assert event["commit_author"].startswith(AUTHOR)
    (change,) = event["changes"]
    assert change["anchor"] == "body:app/sessions.py::create_session"
    assert change["diff"] == ["  def create_session(user):", "-     return user, TTL", "+     return user"]
    told = teller.run("claim", "history", claim)[1]
    for part in ("stale", revision[:8], "“Say nothing of the time”", AUTHOR, "body:app/sessions.py::create_session", "-     return user, TTL"):
        assert part in told


@pytest.mark.parametrize(
    ("statement", "anchors", "shown"),
    [
        ("create_session is only called from authenticate", [], "+ def refresh(token):"),
        ("TTL is 30", [], "- TTL = 30"),
        ("it lasts half a minute", ["--anchor", "value:app/sessions.py::TTL"], "+ TTL = 60"),
        ("the first line counts", ["--anchor", "source:app/sessions.py:1"], "+ TTL = 60"),
        ("nobody else imports it", ["--anchor", "importers:app/sessions.py"], "+ from app.sessions import create_session"),
    ],
)
def test_every_kind_of_anchor_shows_what_changed(teller: Teller, statement: str, anchors: list[str], shown: str) -> None:
    """Of a set what came, of a value its line, of a quote the file's lines."""
    claim = teller.record(statement, *anchors)
    teller.commit("Change", app__refresh=REFRESH, app__sessions=SESSIONS.replace("30", "60"))
    changes = teller.json("claim", "history", claim)["history"][-1]["changes"]
    assert [change for change in changes if shown in change["diff"]] == changes[:1]


def test_a_diff_follows_a_move(teller: Teller) -> None:
    """A function that moved and later changed is shown as it was and is, wherever it stands."""
    claim = teller.record("it pairs user and time", "--anchor", "body:app/sessions.py::create_session")
    moved = SESSIONS.replace("return user, TTL", "return (user, TTL)")
    teller.commit("Move", app__sessions=None, app__tokens=moved, app__login=LOGIN.replace("sessions", "tokens"))
    assert [e["type"] for e in teller.json("claim", "history", claim)["history"]] == ["ClaimRecorded", "ClaimRelocated"]
    teller.commit("Change", app__tokens=SESSIONS.replace("user, TTL", "TTL, user"))
    (change,) = teller.json("claim", "history", claim)["history"][-1]["changes"]
    assert change["diff"] == ["  def create_session(user):", "-     return (user, TTL)", "+     return TTL, user"]
    assert "app/sessions.py::create_session → app/tokens.py::create_session" in teller.run("claim", "history", claim)[1]


def test_a_move_with_a_change_in_one_commit_is_one_diff(teller: Teller) -> None:
    """Only what differs is shown, not a file that went and one that came."""
    claim = teller.record("it pairs user and time", "--anchor", "body:app/sessions.py::create_session")
    teller.commit("Move and change", app__sessions=None, app__tokens=SESSIONS.replace("user, TTL", "TTL"))
    (change,) = teller.json("claim", "history", claim)["history"][-1]["changes"]
    assert change["diff"] == ["  def create_session(user):", "-     return user, TTL", "+     return TTL"]


def test_a_tree_that_git_forgot_is_told(teller: Teller) -> None:
    """After a rewrite and a collection the history stands; only the lines are gone."""
    claim = teller.record("it pairs user and time", "--anchor", "body:app/sessions.py::create_session")
    gone = teller.commit("Change", app__sessions=SESSIONS.replace("user, TTL", "user"))
    teller.repo.write("app/sessions.py", SESSIONS.replace("user, TTL", "TTL"))
    teller.repo.amend("Change otherwise")
    teller.repo.forget_unreachable()
    event = next(e for e in teller.json("claim", "history", claim)["history"] if e["revision"] == gone)
    (change,) = event["changes"]
    assert (change["diff"], change["no_diff"]) == ([], f"git no longer has {gone[:8]}")
    assert f"no diff: git no longer has {gone[:8]}" in teller.run("claim", "history", claim)[1]


def test_a_secret_in_a_diff_is_masked(teller: Teller) -> None:
    """What looks like a secret is not printed, on either side."""
    keys = 'def connect():\n    api_key = "hunter2hunter2"\n    return open_it(api_key, 1)\n'
    teller.commit("Keep a key", app__keys=keys)
    claim = teller.record("it connects once", "--anchor", "body:app/keys.py::connect")
    teller.commit("Turn the key", app__keys=keys.replace("hunter2", "hunter3").replace("1", "2"))
    told = teller.run("claim", "history", claim)[1]
    assert "+     return open_it(api_key, 2)" in told
    assert "hunter" not in told
