"""`stale` by cause, owner and over time, and one reason for many claims, on a real repository."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo

from knowledge.surfaces.cli.main import main

SESSIONS = "TTL = 30\n\n\ndef create_session(user):\n    return user, TTL\n\n\ndef end_session(user):\n    return None\n"
LOGIN = "from app.sessions import create_session\n\n\ndef authenticate(name):\n    return create_session(name)\n"
CREATE, END, AUTHENTICATE = "app/sessions.py::create_session", "app/sessions.py::end_session", "app/login.py::authenticate"


class Teller:
    """A repository, and what `knowledge` says in it."""

    def __init__(self, repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
        self.repo, self.capsys = repo, capsys
        self.names: dict[str, str] = {}

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit code, output and errors of a command line; `@name` is the id of the claim of that name."""
        self.capsys.readouterr()
        code = main(["-C", str(self.repo.path), *(self.names.get(word, word) for word in words)])
        return code, *self.capsys.readouterr()

    def json(self, *words: str) -> dict[str, Any]:
        """The answer of a command, whatever its exit code."""
        found: dict[str, Any] = json.loads(self.run(*words, "--json")[1])
        return found

    def record(self, name: str, *words: str) -> None:
        """A claim of that name; the statement is its name too."""
        code, out, err = self.run("claim", "record", f"It is so: {name}", *words, "--quiet")
        assert code == 0, err
        self.names[f"@{name}"] = out.strip()

    def commit(self, message: str, **files: str) -> str:
        """A commit of these files (`app__login` is app/login.py), and the statuses brought up to it."""
        for name, text in files.items():
            self.repo.write(name.replace("__", "/") + ".py", text)
        revision = self.repo.commit(message)
        assert self.run("reconcile")[0] == 0
        return revision

    def groups(self, *words: str) -> list[tuple[str, list[str]]]:
        """(key, sorted names of the claims) of each group of `stale`, in order."""
        back = {identifier: name for name, identifier in self.names.items()}
        return [(group["key"], sorted(back[claim["id"]] for claim in group["claims"])) for group in self.json("stale", *words)["groups"]]

    def status(self, name: str) -> str:
        """The status of a claim here."""
        return str(self.json("claim", "show", name)["claim"]["status"])


@pytest.fixture
def teller(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Teller:
    """Claims about three functions, of two owners; one rests on another."""
    monkeypatch.setenv("KNOWLEDGE_AUTHOR", "Grace")
    teller = Teller(GitRepo.create(tmp_path / "repo"), capsys)
    teller.repo.write("app/sessions.py", SESSIONS)
    teller.repo.write("app/login.py", LOGIN)
    teller.repo.commit("Let people log in")
    assert teller.run("init", "--no-hooks")[0] == 0
    teller.record("pairs", "--anchor", f"body:{CREATE}")
    teller.record("takes a user", "--anchor", f"signature:{CREATE}", "--anchor", f"body:{CREATE}", "--agent", "bot", "--session", "s1")
    teller.record("ends", "--anchor", f"body:{END}", "--agent", "bot", "--session", "s1")
    teller.record("asks", "--anchor", f"body:{AUTHENTICATE}")
    teller.record("safe", "--kind", "inference", "--anchor", "none", "--derived-from", teller.names["@asks"])
    return teller


@pytest.fixture
def fallen(teller: Teller) -> tuple[Teller, str, str]:
    """One commit that changed both session functions, and one that changed the login."""
    first = teller.commit("Change sessions", app__sessions=SESSIONS.replace("user, TTL", "user").replace("None", "user"))
    second = teller.commit("Change the login", app__login=LOGIN.replace("name)\n", "name.lower())\n"))
    return teller, first, second


def test_what_fell_together_is_told_together(fallen: tuple[Teller, str, str]) -> None:
    """By premise, else by commit: the most depended upon first."""
    teller, first, second = fallen
    assert teller.groups() == [(second, ["@asks"]), (first, ["@ends", "@pairs", "@takes a user"]), (teller.names["@asks"], ["@safe"])]
    group = teller.json("stale")["groups"][1]
    assert (group["kind"], group["commit"]["subject"], group["dependents"], group["oldest_days"]) == ("commit", "Change sessions", 0, 0)
    told = teller.run("stale")[1]
    for part in (f"{first[:8]} “Change sessions” of Ada Lovelace", "premise", "of agent:bot:s1", "since today", "1 other claim rests on it"):
        assert part in told


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("symbol", [(AUTHENTICATE, ["@asks"]), (CREATE, ["@pairs", "@takes a user"]), (END, ["@ends"]), ("premise", ["@safe"])]),
        ("premise", [("no-premise", ["@asks", "@ends", "@pairs", "@takes a user"]), ("@asks", ["@safe"])]),
        ("owner", [("person:Grace", ["@asks", "@pairs", "@safe"]), ("agent:bot:s1", ["@ends", "@takes a user"])]),
    ],
)
def test_claims_are_grouped_as_asked(fallen: tuple[Teller, str, str], by: str, expected: list[tuple[str, list[str]]]) -> None:
    """By symbol, by premise, by owner; what has none of these is a group of its own."""
    teller = fallen[0]
    assert sorted(teller.groups("--by", by)) == sorted((teller.names.get(key, key), names) for key, names in expected)


def test_several_commits_at_once_are_told_as_a_span(teller: Teller) -> None:
    """Where nobody looked in between, no commit is blamed; uncommitted work is no commit either."""
    start = teller.repo.head()
    teller.repo.write("app/sessions.py", SESSIONS.replace("user, TTL", "user"))
    teller.repo.commit("One")
    teller.repo.write("app/other.py", "X = 1\n")
    last = teller.repo.commit("Two")
    span = f"{start[:8]}..{last[:8]}"
    assert teller.groups("--by", "commit") == [(span, ["@pairs", "@takes a user"])]
    assert teller.groups() == [(CREATE, ["@pairs", "@takes a user"])]
    teller.repo.write("app/login.py", LOGIN.replace("name)\n", "name.lower())\n"))
    assert ("uncommitted", ["@asks", "@safe"]) in teller.groups("--by", "commit")
    (here,) = (c for g in teller.json("stale")["groups"] for c in g["claims"] if c["id"] == teller.names["@asks"])
    assert (here["since"], here["age_days"]) == ("", None)


def test_a_revert_and_another_branch_change_the_blame(fallen: tuple[Teller, str, str]) -> None:
    """What stands again is in no group, and a commit of another line is not blamed here."""
    teller, first, second = fallen
    teller.repo.git("revert", "--no-edit", second)
    assert teller.groups() == [(first, ["@ends", "@pairs", "@takes a user"])]
    teller.repo.checkout(f"{first}~1", "--detach")
    assert teller.groups() == []


def test_counts_over_time_ages_and_owners_are_drawn(fallen: tuple[Teller, str, str]) -> None:
    """Bars with numbers, on a pipe too, and the same figures as JSON."""
    teller = fallen[0]
    stats = teller.json("stale", "--stats")["stats"]
    assert stats["over_time"][-1]["counts"] == {"stale": 5}
    assert stats["ages"] == {"today": 5}
    assert [(o["owner"], o["stale"], o["kept"]) for o in stats["owners"]] == [("person:Grace", 3, 0), ("agent:bot:s1", 2, 0)]
    told = teller.run("stale", "--stats")[1]
    assert re.search(r"█{40}  5 stale", told)
    assert "today  █" in told
    assert "agent:bot:s1  2 stale · 0 kept · the oldest since today" in told
    assert teller.json("stale")["stats"] is None


def test_many_claims_are_verified_with_one_reason(fallen: tuple[Teller, str, str]) -> None:
    """By id, by group or by a word of the cause; each keeps the reason in its history."""
    teller, first, _ = fallen
    assert teller.run("claim", "verify", "@pairs", "@ends", "-m", "read both")[0] == 0
    assert [teller.status(name) for name in ("@pairs", "@ends", "@takes a user")] == ["verified", "verified", "stale"]
    answer = teller.json("claim", "review", "--all-of", first[:10], "-m", "cannot say")
    assert [claim["id"] for claim in answer["claims"]] == [teller.names["@takes a user"]]
    assert teller.run("claim", "reject", "--cause", "LOGIN.PY", "-m", "not so")[0] == 0
    assert teller.status("@asks") == "rejected"
    assert "read both" in teller.run("claim", "history", "@ends")[1]
    assert teller.run("claim", "withdraw", "@ends", "@pairs", "--quiet", "-m", "no")[1].split() == [teller.names["@ends"], teller.names["@pairs"]]


@pytest.mark.parametrize("group", [CREATE, "agent:bot:s1"])
def test_a_group_of_any_kind_can_be_chosen(fallen: tuple[Teller, str, str], group: str) -> None:
    """A symbol or an owner, as `stale --by` names it."""
    teller = fallen[0]
    wanted = {names[0]: names for key, names in [*teller.groups("--by", "symbol"), *teller.groups("--by", "owner")] if key == group}
    answer = teller.json("claim", "verify", "--all-of", group, "-m", "read")
    assert {claim["id"] for claim in answer["claims"]} == {teller.names[name] for names in wanted.values() for name in names}


def test_what_is_refused_is_listed_and_the_rest_is_done(fallen: tuple[Teller, str, str]) -> None:
    """A session cannot verify its own claims in bulk either; an unknown id or a wrong status stops nobody else. The exit code is 1."""
    teller = fallen[0]
    says = ("--agent", "bot", "--session", "s1")
    teller.run("claim", "withdraw", "@asks", "-m", "no")
    code, told, _ = teller.run("claim", "verify", "@pairs", "@ends", "@asks", "c_nowhere", "-m", "I am sure", *says)
    assert code == 1
    for part in ("verify: 1 claim", "refused: 3 claims", "cannot verify its own claim", "cannot verify a claim that is withdrawn", "c_nowhere"):
        assert part in told
    assert [teller.status(name) for name in ("@pairs", "@ends", "@asks")] == ["verified", "stale", "withdrawn"]
    refused = teller.json("claim", "verify", "@ends", "@asks", "-m", "I am sure", *says)["refused"]
    assert [one["code"] for one in refused] == ["lifecycle", "lifecycle"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-m", "x"), "which claim?"),
        (("--all-of", "nothing.py::f", "-m", "x"), "no claim fell for 'nothing.py::f'"),
        (("--cause", "weather", "-m", "x"), "mentions 'weather'"),
        (("@pairs", "@ends", "-m", " "), "say why"),
    ],
)
def test_what_chooses_nothing_is_an_error(fallen: tuple[Teller, str, str], words: tuple[str, ...], said: str) -> None:
    """Nothing is done where nothing was meant, and that is told."""
    code, _, err = fallen[0].run("claim", "verify", *words)
    assert (code, said in err) == (2, True), err


def test_one_claim_is_answered_as_ever(fallen: tuple[Teller, str, str]) -> None:
    """A single id gives the claim itself, and a refusal is an error."""
    teller = fallen[0]
    assert teller.json("claim", "verify", "@pairs", "-m", "read")["claim"]["status"] == "verified"
    assert teller.run("claim", "verify", "@ends", "-m", "sure", "--agent", "bot", "--session", "s1")[0] == 2
