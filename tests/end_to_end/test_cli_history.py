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


def test_a_diff_shows_whichever_definition_of_a_name_changed(teller: Teller) -> None:
    """A name that is defined again (overloads, branches): the last one changed."""
    twice = "from typing import overload\n\n\n@overload\ndef pair(a: int) -> int: ...\n\n\n@overload\ndef pair(a: str) -> str: ...\n\n\n"
    teller.commit("Add pair", app__pair=twice + "def pair(a):\n    return a\n")
    claim = teller.record("it gives back what it is given", "--anchor", "body:app/pair.py::pair")
    teller.commit("Change", app__pair=twice + "def pair(a):\n    return a, a\n")
    (change,) = teller.json("claim", "history", claim)["history"][-1]["changes"]
    assert change["diff"][-2:] == ["-     return a", "+     return a, a"]


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


# ── claim why ──


BODY = ("--anchor", "body:app/sessions.py::create_session")


def changed_by(teller: Teller, claim: str, *words: str) -> tuple[str | None, str]:
    """The commit that `claim why` names for the one anchor, and how it was found."""
    (anchor,) = teller.json("claim", "why", claim, *words)["anchors"]
    return (anchor["commit"]["revision"] if anchor["commit"] else None), anchor["how"]


@pytest.mark.parametrize("statement", ["it pairs user and time", "사용자와 시간을 짝짓는다"])
def test_why_names_the_commit_its_author_and_the_lines(teller: Teller, statement: str) -> None:
    """The verdict, the anchor then and now, who changed it, what changed, and what there is to check."""
    claim = teller.record(statement, *BODY)
    revision = teller.commit("Say nothing of the time", app__sessions=SESSIONS.replace("user, TTL", "user"))
    answer = teller.json("claim", "why", claim)
    assert (answer["claim"]["status"], answer["measured_against"]["kind"]) == ("stale", "recorded")
    (anchor,) = answer["anchors"]
    assert anchor["then"]["hash"] != anchor["now"]["hash"]
    assert (anchor["commit"]["revision"], anchor["commit"]["subject"], anchor["reason"]) == (revision, "Say nothing of the time", "unexamined")
    assert anchor["commit"]["author"].startswith(AUTHOR)
    assert anchor["diff"] == ["  def create_session(user):", "-     return user, TTL", "+     return user"]
    assert answer["to_verify"] == ["read app/sessions.py::create_session again and say whether the statement still holds"]
    told = teller.run("claim", "why", claim)[1]
    for part in (statement, "measured against: recorded by person:Grace", revision[:8], AUTHOR, "+     return user", "- read app/sessions.py"):
        assert part in told


def test_why_finds_the_commit_among_others_that_touched_the_file(teller: Teller) -> None:
    """Nobody looked for a while: of many commits to one file the one that changed the function is named, not the last."""
    claim = teller.record("it pairs user and time", *BODY)
    for number in range(3):
        teller.repo.write("app/sessions.py", SESSIONS + f"\n\nA{number} = 1\n")
        teller.repo.commit(f"Before {number}")
    changed = SESSIONS.replace("user, TTL", "user")
    teller.repo.write("app/sessions.py", changed)
    revision = teller.repo.commit("Change")
    for number in range(40):
        teller.repo.write("app/sessions.py", changed + f"\n\nB{number} = 1\n")
        teller.repo.commit(f"After {number}")
    assert changed_by(teller, claim) == (revision, "by comparing readings, by halves")


def test_why_finds_a_new_caller_in_the_branch_that_was_merged(teller: Teller) -> None:
    """A set is read in whole trees; the merge is found along first parents, and in its branch the commit that did it."""
    claim = teller.record("create_session is only called from authenticate")
    teller.repo.checkout("topic", "-b")
    teller.repo.write("app/other.py", "Y = 1\n")
    teller.repo.commit("Before")
    teller.repo.write("app/refresh.py", REFRESH)
    brought = teller.repo.commit("Refresh")
    teller.repo.write("app/other.py", "Y = 2\n")
    teller.repo.commit("After")
    teller.repo.checkout("main")
    teller.repo.write("app/unlike.py", "X = 1\n")
    teller.repo.commit("Another")
    merge = teller.repo.merge("topic")
    teller.repo.write("app/unlike.py", "X = 2\n")
    teller.repo.commit("Later")
    assert changed_by(teller, claim) == (brought, f"by comparing readings, in the branch that {merge[:8]} merged")
    (anchor,) = teller.json("claim", "why", claim)["anchors"]
    assert (anchor["then"]["says"], anchor["now"]["says"]) == ("1 member", "2 members")
    assert "+ def refresh(token):" in anchor["diff"]


def test_a_merge_that_was_noted_is_looked_into(teller: Teller) -> None:
    """Branches of branches, and one that took in the main line before it changed anything, are walked to the commit that did it."""
    claim = teller.record("it pairs user and time", *BODY)
    teller.repo.checkout("topic", "-b")
    teller.repo.checkout("deeper", "-b")
    teller.repo.write("app/sessions.py", SESSIONS.replace("user, TTL", "user"))
    brought = teller.repo.commit("Return the user alone")
    teller.repo.checkout("topic")
    teller.repo.write("app/other.py", "X = 1\n")
    teller.repo.commit("Another")
    inner = teller.repo.merge("deeper")
    teller.repo.checkout("main")
    teller.commit("On the main line", app__unlike="X = 1\n")
    teller.repo.checkout("topic")
    teller.repo.merge("main")
    teller.repo.write("app/other.py", "X = 2\n")
    teller.repo.commit("Go on")
    teller.repo.checkout("main")
    teller.run("reconcile")
    outer = teller.repo.merge("topic", "--no-ff")
    teller.run("reconcile")
    found, how = changed_by(teller, claim)
    assert (found, inner[:8] in how, outer[:8] in how) == (brought, True, True)


def test_a_merge_that_made_the_change_by_itself_is_the_one(teller: Teller) -> None:
    """Neither side had it so: there is no commit of a branch to name."""
    claim = teller.record("it pairs user and time", *BODY)
    teller.repo.checkout("topic", "-b")
    teller.commit("Another", app__other="X = 1\n")
    teller.repo.checkout("main")
    teller.commit("On the main line", app__unlike="X = 1\n")
    teller.repo.git("merge", "--no-commit", "--no-ff", "topic")
    teller.repo.write("app/sessions.py", SESSIONS.replace("user, TTL", "user"))
    evil = teller.commit("Merge, and more")
    assert changed_by(teller, claim) == (evil, "by comparing readings")


def test_a_change_that_was_taken_back_is_not_the_one(teller: Teller) -> None:
    """Changed, reverted, changed again: it is stale because of the last."""
    claim = teller.record("it pairs user and time", *BODY)
    for body in ("user", "user, TTL", "TTL"):
        teller.repo.write("app/sessions.py", SESSIONS.replace("user, TTL", body))
        last = teller.repo.commit(f"Return {body}")
    assert changed_by(teller, claim) == (last, "by comparing readings")


def test_a_change_that_came_again_is_not_blamed_on_the_first(teller: Teller) -> None:
    """It fell, stood again, and fell for the same: that is written down once, so the commit is looked for and the age is not made up."""
    claim = teller.record("it pairs user and time", *BODY)
    teller.commit("Return the user alone", app__sessions=SESSIONS.replace("user, TTL", "user"))
    assert teller.json("stale")["groups"][0]["claims"][0]["since"]
    teller.commit("Take it back", app__sessions=SESSIONS)
    again = teller.commit("And yet", app__sessions=SESSIONS.replace("user, TTL", "user"))
    assert changed_by(teller, claim) == (again, "by comparing readings")
    (group,) = teller.json("stale")["groups"]
    assert (group["commit"], group["claims"][0]["since"], group["claims"][0]["age_days"]) == (None, "", None)


def test_why_knows_uncommitted_work_and_other_revisions(teller: Teller) -> None:
    """What is not committed has no commit; with --at the question is about that tree."""
    claim = teller.record("it pairs user and time", *BODY)
    teller.repo.write("app/sessions.py", SESSIONS.replace("user, TTL", "user"))
    assert changed_by(teller, claim) == (None, "in uncommitted files")
    assert "+     return user" in teller.run("claim", "why", claim)[1]
    here = teller.json("claim", "why", claim, "--at", "HEAD")
    assert (here["claim"]["status"], here["anchors"][0]["reason"]) == ("active", "")
    assert here["because"] == "it was recorded, and all that it stands on reads here as it did then"
    revision = teller.repo.commit("Change")
    assert changed_by(teller, claim, "--at", revision) == (revision, "as noted when it happened")


def test_a_rewritten_history_is_looked_through(teller: Teller) -> None:
    """The verdict's commit is not in this line any more: the commit with the same content takes its place, or it is said that there is none."""
    teller.commit("Count", app__sessions=SESSIONS + "\n\ndef count():\n    return 1\n")
    claim = teller.record("it counts to one", "--anchor", "body:app/sessions.py::count")
    teller.repo.amend("Count, said better")
    teller.repo.write("app/sessions.py", SESSIONS + "\n\ndef count():\n    return 2\n")
    revision = teller.repo.commit("Count further")
    assert changed_by(teller, claim) == (revision, "by comparing readings")
    teller.repo.git("reset", "--quiet", "--hard", "HEAD~2")
    teller.repo.write("app/sessions.py", SESSIONS + "\n\ndef count():\n    return 3\n")
    teller.repo.commit("Count otherwise")
    commit, how = changed_by(teller, claim)
    assert commit is None
    assert "never read as it did" in how
    teller.repo.forget_unreachable()
    commit, how = changed_by(teller, claim)
    assert commit is None
    assert "git no longer has the revision of the verdict" in how


def test_the_walk_is_bounded(teller: Teller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond so many commits it is not looked for, and that is said."""
    claim = teller.record("it pairs user and time", *BODY)
    teller.repo.write("app/sessions.py", SESSIONS.replace("user, TTL", "user"))
    teller.repo.commit("Change")
    for number in range(4):
        teller.repo.write("app/other.py", f"X = {number}\n")
        teller.repo.commit(f"Other {number}")
    monkeypatch.setattr("knowledge.operations.turning_point.MOST_COMMITS", 3)
    assert changed_by(teller, claim) == (None, "not within the last 3 commits")


def test_why_follows_premises(teller: Teller) -> None:
    """The path leads from the claim to the premise that made it fall."""
    first = teller.record("it pairs user and time", *BODY)
    second = teller.record("so sessions end", "--kind", "inference", "--anchor", "none", "--derived-from", first)
    third = teller.record("so nobody stays", "--kind", "inference", "--anchor", "none", "--derived-from", second)
    teller.commit("Change", app__sessions=SESSIONS.replace("user, TTL", "user"))
    answer = teller.json("claim", "why", third)
    assert [line["id"] for line in answer["premise_path"]] == [second, first]
    assert answer["to_verify"] == [f"check {first} first: it rests on that"]
    assert answer["because"] == "a premise does not stand"


def test_why_says_who_may_verify_and_what_was_said_of_the_claim_itself(teller: Teller) -> None:
    """An agent's own word is not enough; a rejection counts whatever the tree; a decision is only put up for review."""
    own = teller.record("it pairs user and time", *BODY, "--agent", "bot", "--session", "s1")
    decision = teller.record("users stay paired", "--kind", "decision", *BODY)
    teller.commit("Change", app__sessions=SESSIONS.replace("user, TTL", "user"))
    assert "somebody else than agent:bot:s1" in teller.json("claim", "why", own)["to_verify"][-1]
    review = teller.json("claim", "why", decision)
    assert (review["claim"]["status"], "put up for review" in review["because"]) == ("needs_review", True)
    teller.run("claim", "reject", own, "-m", "it never did")
    rejected = teller.json("claim", "why", own)
    assert "said of the claim itself by person:Grace" in rejected["because"]
    assert "reopen it first" in rejected["to_verify"][0]


def test_what_a_predicate_decides_is_explained_by_it(teller: Teller) -> None:
    """Counter-evidence names the place and the commit, and leaves nothing to read besides."""
    claim = teller.record("TTL is 30")
    revision = teller.commit("Stay longer", app__sessions=SESSIONS.replace("30", "60"))
    answer = teller.json("claim", "why", claim)
    by_reason = {anchor["reason"]: anchor for anchor in answer["anchors"]}
    assert by_reason["counter_evidence"]["commit"]["revision"] == revision
    assert (by_reason["unexamined"]["then"]["says"], by_reason["unexamined"]["now"]["says"]) == ("30", "60")
    assert answer["to_verify"] == [
        "the analysis says otherwise (TTL is 60): look at app/sessions.py:1, and correct or reject the claim if that is so"
    ]


def test_a_claim_that_was_never_true_blames_no_commit(teller: Teller) -> None:
    """Stored all the same; it was so already where it was recorded, however many commits came since."""
    claim = teller.record("TTL is 31")
    teller.commit("Another", app__other="X = 1\n")
    by_reason = {anchor["reason"]: anchor for anchor in teller.json("claim", "why", claim)["anchors"]}
    assert by_reason["counter_evidence"]["commit"] is None
    assert by_reason["counter_evidence"]["how"] == "it was so already where it was recorded"
    assert by_reason["counter_evidence"]["diff"] == []


def test_the_code_is_shown_before_what_is_written_about_it(teller: Teller) -> None:
    """A long docstring that changed too does not push the code out of the diff."""
    documented = SESSIONS.replace("    return", '    """' + "\n".join(f"    Line {n}." for n in range(20)) + '\n    """\n    return')
    claim = teller.record("it pairs user and time", *BODY)
    teller.commit("Write about it, and change it", app__sessions=documented.replace("user, TTL", "user"))
    (anchor,) = teller.json("claim", "why", claim)["anchors"]
    assert anchor["diff"] == ["  def create_session(user):", "-     return user, TTL", "+     return user"]
