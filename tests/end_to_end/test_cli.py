"""The command line on real repositories: what a person types, and what comes back."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo
from pydantic import TypeAdapter
from scip_fixtures import ScipWriter

from knowledge.config import APPROVAL_FILE
from knowledge.operations.persons import AGENT_VARIABLES, TOKEN_VARIABLE
from knowledge.surfaces.cli.json_text import to_plain
from knowledge.surfaces.cli.main import main
from knowledge.surfaces.cli.reference import answer_class, entries

SESSIONS = 'STORE = {}\nTTL = 30\n\n\ndef create_session(user):\n    """Open a session."""\n    STORE[user] = TTL\n    return user\n'
LOGIN = (
    "from app.sessions import create_session\n\n\ndef authenticate(name, password):\n"
    "    if not password:\n        return None\n    return create_session(name)\n"
)
REFRESH = "from app.sessions import create_session\n\n\ndef refresh(token):\n    return create_session(token)\n"
ONLY = "create_session is only called from authenticate"


@dataclass(frozen=True)
class Ended:
    """What a command line came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


Run = Callable[..., Ended]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """One commit of the auth flow; the person at the keyboard is Ada."""
    monkeypatch.setenv("KNOWLEDGE_AUTHOR", "Ada")
    monkeypatch.delenv("KNOWLEDGE_AGENT", raising=False)
    created = GitRepo.create(tmp_path / "repo")
    created.write("app/__init__.py", "")
    created.write("app/sessions.py", SESSIONS)
    created.write("app/login.py", LOGIN)
    created.commit("Let people log in")
    return created


@pytest.fixture
def knowledge(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in the repository (or, with `there`, elsewhere)."""

    def run(*words: str, there: Path | None = None) -> Ended:
        capsys.readouterr()
        code = main(["-C", str(there or repo.path), *words])
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return run


@pytest.fixture
def claim(knowledge: Run) -> str:
    """The id of the one claim, recorded after `init`."""
    assert knowledge("init", "--no-hooks").code == 0
    recorded = knowledge("claim", "record", ONLY, "--quiet")
    assert recorded.code == 0, recorded.err
    return recorded.out.strip()


def test_a_claim_goes_stale_and_stands_again(repo: GitRepo, knowledge: Run, claim: str) -> None:
    """The whole way: record, a new caller, stale with reason and place, revert, active again, and the history of it."""
    assert knowledge("claim", "show", claim, "--json").json["claim"]["status"] == "active"
    repo.write("app/refresh.py", REFRESH)
    repo.commit("Add a refresh route")
    stale = knowledge("stale", "--check")
    assert stale.code == 1
    for part in ("1 stale", ONLY, "app/refresh.py", "refresh", f"next:  knowledge -C {repo.path} claim why {claim}"):
        assert part in stale.out
    repo.git("revert", "--no-edit", "HEAD")
    calm = knowledge("stale", "--check")
    assert (calm.code, "nothing must be looked at again" in calm.out) == (0, True)
    history = knowledge("claim", "history", claim)
    for part in ("ClaimRecorded", "ClaimMarkedStale", "Add a refresh route", "ClaimRestored"):
        assert part in history.out


def test_recording_shows_what_was_taken_and_what_it_cannot_notice(knowledge: Run) -> None:
    """The answer names the anchors taken for the names in the statement, with their blind spots."""
    knowledge("init", "--no-hooks")
    answer = knowledge("claim", "record", ONLY)
    assert "callers:app/sessions.py::create_session" in answer.out
    assert "cannot notice: dynamic calls" in answer.out
    false = knowledge("claim", "record", "create_session is only called from refresh_token")
    assert false.code == 0
    unanchored = knowledge("claim", "record", "The weather is fine", "--kind", "assumption")
    assert "unanchored" in unanchored.out
    ways = ("create_session cannot be called twice", "캐시 퍼지는 못 합니다", "토큰으로 퍼지할 방법이 없다", "There is no way to purge the cache")
    for statement in ways:
        cannot = knowledge("claim", "record", statement)
        assert "warning:" in cannot.out and "which route was tried" in cannot.out, statement
    assert "which route was tried" not in knowledge("claim", "record", "The purge of the cache has no limit").out


def test_a_claim_that_is_false_when_recorded_is_stored_with_a_warning(repo: GitRepo, knowledge: Run) -> None:
    """No record is refused for being wrong: it is stored, stale, and says so."""
    repo.write("app/refresh.py", REFRESH)
    repo.commit("Add a refresh route")
    knowledge("init", "--no-hooks")
    answer = knowledge("claim", "record", ONLY)
    assert answer.code == 0
    assert "warning:" in answer.out
    assert answer.out.startswith("stale")


def test_everything_that_can_be_said_of_a_claim_is_kept(knowledge: Run, claim: str) -> None:
    """Every option of `claim record` comes back in `claim show --json`."""
    options = [
        "--kind", "decision", "--tag", "auth", "--tag", "db", "--anchor", "body:app/sessions.py::create_session", "--evidence", "app/login.py:4-7",
        "--scope-path", "app", "--service", "web", "--environment", "production", "--condition", "cached", "--until", "2099-01-31", "--period", "30",
        "--constraint", "fast", "--rejected", "redis: one more thing to run", "--derived-from", claim[:6], "--agent", "bot", "--session", "s1",
    ]  # fmt: skip
    recorded = knowledge("claim", "record", "Sessions stay in memory", *options, "--json")
    assert recorded.code == 0, recorded.err
    shown = knowledge("claim", "show", recorded.json["claim"]["id"], "--json").json
    assert shown["claim"]["kind"] == "decision"
    assert shown["claim"]["tags"] == ["auth", "db"]
    assert shown["claim"]["said_by"] == "recorded by agent:bot:s1"
    assert [anchor["about"] for anchor in shown["anchors"]] == ["body:app/sessions.py::create_session"]
    assert "app/login.py" in [piece["path"] for piece in shown["evidence"]]
    assert shown["scope"] == {"paths": ["app"], "service": "web", "environment": "production", "conditions": ["cached"]}
    assert shown["freshness"] == {"until": "2099-01-31", "period_days": 30}
    assert shown["detail"] == {"constraints": ["fast"], "rejected": [{"alternative": "redis", "reason": "one more thing to run"}]}
    assert shown["derived_from"] == [claim]


def test_a_claim_is_listed_by_what_it_is_about(knowledge: Run, claim: str) -> None:
    """The filters of `claim list` find it by status, kind, path, symbol and text, and tell when nothing fits."""
    for words in (
        ["--status", "active"],
        ["--kind", "observation"],
        ["--path", "app"],
        ["--text", "ONLY CALLED"],
        ["--symbol", "app/sessions.py::create_session"],
    ):
        assert knowledge("claim", "list", "--quiet", *words).out.split() == [claim], words
    nothing = knowledge("claim", "list", "--status", "rejected")
    assert (nothing.code, "no claim fits" in nothing.out) == (0, True)
    unknown = knowledge("claim", "list", "--tag", "nowhere")
    assert (unknown.code, "no claim bears the tag 'nowhere'" in unknown.err) == (2, True)


def test_every_step_of_a_claims_life_needs_a_reason_and_shows_its_effect(knowledge: Run, claim: str) -> None:
    """verify, review, reject, reopen, withdraw, correct, supersede and redact answer with the claim as it is then."""
    assert knowledge("claim", "verify", claim).code == 2
    life = [("verify", "verified"), ("review", "needs_review"), ("reject", "rejected"), ("reopen", "needs_review"), ("withdraw", "withdrawn")]
    for step, status in life:
        answer = knowledge("claim", step, claim, "--reason", f"because of {step}", "--json")
        assert answer.json["claim"]["status"] == status, step
    wrong = knowledge("claim", "verify", claim, "-m", "again")
    assert (wrong.code, "cannot verify a claim that is withdrawn" in wrong.err) == (2, True)
    knowledge("claim", "reopen", claim, "-m", "it is worth keeping")
    better = knowledge("claim", "correct", claim, "authenticate calls create_session", "-m", "says what matters", "--json").json["claim"]["id"]
    assert knowledge("claim", "show", claim, "--json").json["claim"]["status"] == "superseded"
    third = knowledge("claim", "record", "create_session writes STORE", "--quiet").out.strip()
    assert knowledge("claim", "supersede", better, "--by", third, "-m", "more exact", "--json").json["claim"]["status"] == "superseded"
    erased = knowledge("claim", "redact", third, "-m", "a secret")
    assert "create_session writes STORE" not in erased.out + knowledge("claim", "show", third).out
    assert "because of reject" in knowledge("claim", "history", claim).out


def test_an_agents_session_cannot_verify_its_own_claim(knowledge: Run) -> None:
    """Who says it is taken from --agent and --session, which belong together."""
    knowledge("init", "--no-hooks")
    says = ("--agent", "bot", "--session", "s1")
    own = knowledge("claim", "record", "authenticate checks the password first", *says, "--quiet").out.strip()
    refused = knowledge("claim", "verify", own, "-m", "I am sure", *says)
    assert (refused.code, "cannot verify its own claim" in refused.err) == (2, True)
    assert knowledge("claim", "verify", own, "-m", "I read it", "--agent", "bot", "--session", "s2").code == 0
    assert "both --agent NAME and --session ID" in knowledge("claim", "verify", own, "-m", "x", "--agent", "bot").err


def test_ids_may_be_shortened_and_wrong_ones_are_told_with_near_ones(knowledge: Run, claim: str) -> None:
    """The only beginning of an id will do; an unknown id is an error with suggestions, in JSON too."""
    assert claim in knowledge("claim", "show", claim[:5]).out
    near = claim[:-1] + ("0" if claim[-1] != "0" else "1")
    wrong = knowledge("claim", "show", near)
    assert (wrong.code, wrong.out) == (2, "")
    assert f"did you mean: {claim}" in wrong.err
    error = knowledge("claim", "show", near, "--json")
    assert (error.code, error.err) == (2, "")
    assert error.json["error"]["code"] == "unknown-record"
    assert claim in error.json["error"]["suggestions"]


@pytest.mark.parametrize(
    ("words", "code", "error", "said"),
    [
        (("stale", "--at", "no-such-branch"), 2, "unknown-revision", "no-such-branch"),
        (("callers", "create_sesion"), 2, "unknown-symbol", "create_session"),
        (("claim", "record", "x", "--anchor", "body:nowhere.py::f"), 2, "unknown-path", "nowhere.py"),
        (("claim", "record", "x", "--anchor", "shape:a"), 2, "invalid-record", "body"),
        (("claim", "record", " "), 2, "invalid-record", "statement"),
        (("claim", "record", "x", "--rejected", "no reason"), 2, "usage", "--rejected"),
        (("evidence", "show", "e_none"), 2, "unknown-record", "e_none"),
        (("import", "nowhere.jsonl"), 2, "unknown-path", "nowhere.jsonl"),
        (("export", "no/such/folder/out.jsonl"), 74, "file", "no/such/folder"),
    ],
)
def test_what_cannot_be_meant_is_told(words: tuple[str, ...], code: int, error: str, said: str, knowledge: Run, claim: str) -> None:
    """Each wrong question has its exit code, its error code, and a message that names what was given and what was meant."""
    ended = knowledge(*words, "--json")
    assert (ended.code, ended.json["error"]["code"]) == (code, error)
    assert said in ended.out


def test_a_place_without_repository_or_claims_is_told(tmp_path: Path, knowledge: Run) -> None:
    """Exit 3 for a folder outside git and for a repository where `init` was never run, from status and from every other command."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for words in (["status"], ["stale"], ["claim", "list"], ["callers", "f"]):
        assert knowledge(*words, "--json", there=outside).json["error"]["code"] == "not-a-repository"
        fresh = knowledge(*words)
        assert (fresh.code, "knowledge init" in fresh.err) == (3, True), words


def test_status_is_the_same_the_cheap_way_and_the_full_way(repo: GitRepo, knowledge: Run, claim: str) -> None:
    """`status` answers without click and with it alike, and says when git has moved on."""
    cheap, full = knowledge("status"), knowledge("claim", "list")
    assert "1 active" in cheap.out
    assert "1 active" in full.out
    assert knowledge("--json", "status").json == knowledge("status", "--json").json
    assert knowledge("status", "--json").json["is_current"] is True
    repo.write("app/login.py", LOGIN + "\n\nX = 1\n")
    repo.commit("Move on")
    assert f"statuses are for {repo.revision('HEAD~1')[:8]}" in knowledge("status").out
    knowledge("reconcile")
    assert knowledge("status", "--json").json["is_current"] is True


def test_status_imports_nothing_heavy(repo: GitRepo, knowledge: Run, claim: str) -> None:
    """The whole process of `knowledge status` knows these modules of ours, no module from outside, and none of the slow ones of Python."""
    script = (
        "import sys, json; from knowledge.surfaces.cli.main import main; code = main(['status']); json.dump([code, sorted(sys.modules)], sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=repo.path / "app", capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stderr)
    assert code == 0
    assert "1 active" in done.stdout
    ours = {name for name in modules if name.startswith(("knowledge", "analyzers"))}
    assert ours <= {
        "knowledge", "knowledge.config", "knowledge.errors", "knowledge.operations", "knowledge.operations.status", "knowledge.records",
        "knowledge.records.answers", "knowledge.records.trees", "knowledge.repository", "knowledge.repository.locate", "knowledge.storage",
        "knowledge.storage.failures", "knowledge.storage.files", "knowledge.storage.hot", "knowledge.surfaces", "knowledge.surfaces.cli",
        "knowledge.surfaces.cli.failures", "knowledge.surfaces.cli.json_text", "knowledge.surfaces.cli.main", "knowledge.surfaces.cli.safe_text",
        "knowledge.operations.audit", "knowledge.records.audits", "knowledge.storage.audit", "knowledge.storage.unanswered",
        "knowledge.operations.news", "knowledge.surfaces.cli.news_line", "knowledge.surfaces.cli.settings", "knowledge.surfaces.cli.status_view",
    }  # fmt: skip
    outside = {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names) - {"knowledge", "analyzers", "__main__"}
    assert {name for name in outside if not name.startswith(("_", "sitecustomize"))} == set()
    assert {"asyncio", "argparse", "email", "http", "logging", "multiprocessing", "socket", "ssl", "subprocess", "unittest"} & set(modules) == set()


def test_it_works_from_everywhere_in_a_repository(tmp_path: Path, repo: GitRepo, knowledge: Run, claim: str) -> None:
    """Folders, linked worktrees, bare repositories beside and a detached HEAD answer for the same claims."""
    assert "1 active" in knowledge("stale", there=repo.path / "app").out
    other = repo.worktree_add(tmp_path / "other", "-b", "topic")
    other.write("app/refresh.py", REFRESH)
    other.commit("Add a refresh route")
    assert "1 stale" in knowledge("stale", there=other.path).out
    assert "1 active" in knowledge("stale").out
    assert "1 stale" in knowledge("stale", "--at", "topic").out
    repo.checkout("topic~1", "--detach")
    assert "1 active" in knowledge("stale").out
    assert "detached" in knowledge("status").out
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    assert knowledge("init", "--no-hooks", there=bare.path).code == 0
    assert knowledge("claim", "record", ONLY, "--quiet", there=bare.path).code == 0
    assert "no" not in knowledge("callers", "create_session", there=bare.path).out.partition(":")[0]
    assert knowledge("status", "--json", there=bare.path).json["claims_by_status"] == {"active": 1}


def test_paths_are_meant_from_where_one_stands(repo: GitRepo, knowledge: Run) -> None:
    """In a folder of the work tree its files are named as they are there; names from the top still work."""
    knowledge("init", "--no-hooks")
    inside = repo.path / "app"
    for path in ("sessions.py", "../app/sessions.py", "app/sessions.py"):
        assert "app/login.py:1" in knowledge("importers", path, there=inside).out, path
    anchors = ["body:login.py::authenticate", "edge:login.py::authenticate calls sessions.py::create_session", "source:sessions.py:1-2"]
    given = [word for anchor in anchors for word in ("--anchor", anchor)]
    recorded = knowledge("claim", "record", "It is so", *given, "--evidence", "login.py:4-5", "--scope-path", ".", "--json", there=inside).json
    about = [anchor["about"].partition(": ")[0] for anchor in recorded["anchors"]]
    assert about == [
        "body:app/login.py::authenticate",
        "edge:app/login.py::authenticate calls app/sessions.py::create_session",
        "source:app/sessions.py",
    ]
    assert recorded["scope"]["paths"] == ["app"]
    assert knowledge("claim", "list", "--path", "login.py", "--quiet", there=inside).out.strip() == recorded["claim"]["id"]


def test_uncommitted_work_counts(repo: GitRepo, knowledge: Run, claim: str) -> None:
    """An edit that was not committed makes the claim stale, and the answer says which tree it speaks of."""
    repo.write("app/refresh.py", REFRESH)
    answer = knowledge("stale")
    assert "HEAD+dirty" in answer.out
    assert "1 stale" in answer.out
    assert "1 active" in knowledge("stale", "--at", "HEAD").out


def test_the_graph_is_asked_by_name(repo: GitRepo, knowledge: Run) -> None:
    """Callers, callees, importers, readers and impact answer with places; quiet and JSON agree with what people see."""
    knowledge("init", "--no-hooks")
    callers = knowledge("callers", "create_session")
    assert "app/login.py:7  authenticate" in callers.out
    assert "app/sessions.py::create_session" in knowledge("callees", "authenticate").out
    assert "app/login.py" in knowledge("importers", "app/sessions.py").out
    assert "create_session" in knowledge("readers", "app/sessions.py::TTL").out
    assert "authenticate" in knowledge("impact", "create_session").out
    assert "create_session" in knowledge("path", "authenticate", "create_session").out
    edges = knowledge("callers", "create_session", "--json").json["edges"]
    assert [edge["subject"] for edge in edges] == ["app/login.py::authenticate"]
    assert knowledge("unreferenced").code == 0


def test_evidence_outlives_the_index(repo: GitRepo, knowledge: Run, claim: str) -> None:
    """What a claim cites can be shown and found again when the index is gone and the lines have moved."""
    piece = knowledge("claim", "show", claim, "--json").json["evidence"][0]["id"]
    shown = knowledge("evidence", "show", piece)
    assert "def create_session(user):" in shown.out
    assert "does not show" in shown.out
    assert knowledge("uninit").code == 0
    repo.write("app/sessions.py", "import os\n\n" + SESSIONS)
    repo.commit("Move some lines")
    assert knowledge("evidence", "recheck", piece, "--check", "--json").json["outcome"] in ("same", "moved")
    repo.write("app/sessions.py", SESSIONS.replace("STORE[user]", "STORE[str(user)]"))
    assert knowledge("evidence", "recheck", piece, "--check").code == 1


def test_an_export_gives_the_same_statuses_in_a_clone(tmp_path: Path, repo: GitRepo, knowledge: Run, claim: str) -> None:
    """Export, clone, import: the same claim with the same status; importing again adds nothing."""
    out = repo.path / "claims.jsonl"
    assert knowledge("export", out.name).code == 0, "a relative path is meant from the directory that -C names"
    copy = repo.clone(tmp_path / "copy")
    knowledge("init", "--no-hooks", there=copy.path)
    assert knowledge("import", str(out), there=copy.path).code == 0
    assert knowledge("claim", "show", claim, "--json", there=copy.path).json["claim"]["status"] == "active"
    again = knowledge("import", str(out), "--json", there=copy.path).json
    assert sum(again["rows"].values()) == 0
    assert again["skipped"] > 0


def test_hooks_come_and_go(repo: GitRepo, knowledge: Run) -> None:
    """`init` installs the hooks, `hooks status` and `doctor` say how they stand, `uninit` takes them out; claims stay unless asked."""
    assert "written: " in knowledge("init").out
    hook = repo.path / ".git/hooks/post-commit"
    assert hook.exists()
    assert knowledge("hooks", "status", "--check").code == 0
    assert "ok       hooks" in knowledge("doctor", "--check").out
    assert knowledge("hooks", "remove").code == 0
    assert not hook.exists()
    assert knowledge("hooks", "status", "--check").code == 1
    assert knowledge("hooks", "install").code == 0
    knowledge("claim", "record", ONLY)
    assert "the claims stay" in knowledge("uninit").out
    assert not hook.exists()
    assert "1 active" in knowledge("stale").out


def test_deleting_claims_must_be_meant(repo: GitRepo, knowledge: Run, claim: str) -> None:
    """Without a terminal to ask on, --delete-claims needs --yes."""
    refused = knowledge("uninit", "--delete-claims")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert "1 active" in knowledge("stale").out
    assert "all claims are removed" in knowledge("uninit", "--delete-claims", "--yes").out
    assert knowledge("stale").code == 3
    assert not (repo.path / ".git/knowledge").exists()


def test_paths_that_are_not_utf_8_are_shown_and_written(repo: GitRepo, knowledge: Run) -> None:
    """A Latin-1 file name is readable text and valid JSON, and can be typed back."""
    repo.write(b"app/caf\xe9.py", "from app.sessions import create_session\n\n\ndef brew():\n    return create_session('x')\n")
    repo.commit("Brew")
    knowledge("init", "--no-hooks")
    assert "app/caf\\xe9.py:5  brew" in knowledge("callers", "create_session").out
    assert "app/caf\\xe9.py::brew" in [edge["subject"] for edge in knowledge("callers", "create_session", "--json").json["edges"]]
    assert "create_session" in knowledge("callees", "app/caf\\xe9.py::brew").out


def test_a_korean_claim_is_taken_and_shown(knowledge: Run) -> None:
    """Korean statements get anchors and come back unharmed."""
    knowledge("init", "--no-hooks")
    recorded = knowledge("claim", "record", "create_session은 authenticate에서만 호출된다", "--json").json
    assert recorded["claim"]["status"] == "active"
    assert recorded["anchors"]
    assert "create_session은 authenticate에서만 호출된다" in knowledge("claim", "list").out


def test_a_repository_without_commits_is_no_trouble(tmp_path: Path, knowledge: Run) -> None:
    """Before the first commit the working tree is what there is."""
    young = GitRepo.create(tmp_path / "young")
    young.write("a.py", "def f():\n    return 1\n")
    assert knowledge("init", "--no-hooks", there=young.path).code == 0
    assert knowledge("status", there=young.path).code == 0
    assert knowledge("claim", "record", "f returns 1", there=young.path).code == 0


def test_a_proposal_is_not_stored(knowledge: Run) -> None:
    """`claim propose` shows the anchors that recording would take, and leaves nothing behind."""
    knowledge("init", "--no-hooks")
    answer = knowledge("claim", "propose", ONLY)
    assert answer.out.startswith("not recorded")
    assert "callers:app/sessions.py::create_session" in answer.out
    assert knowledge("claim", "propose", ONLY, "--json").json["notes"][0] == "nothing was stored"
    assert knowledge("claim", "list", "--json").json["claims"] == []


ASKED: dict[tuple[str, ...], tuple[str, ...]] = {
    ("hooks", "install"): (), ("hooks", "status"): (), ("hooks", "remove"): (), ("completion",): ("bash",), ("claim", "record"): ("f calls g",),
    ("claim", "propose"): ("f calls g",), ("claim", "show"): ("CLAIM",), ("claim", "history"): ("CLAIM",), ("claim", "why"): ("CLAIM",),
    ("claim", "verify"): ("CLAIM", "-m", "x"), ("claim", "review"): ("CLAIM", "-m", "x"), ("claim", "reject"): ("CLAIM", "-m", "x"),
    ("claim", "reopen"): ("CLAIM", "-m", "x"), ("claim", "correct"): ("CLAIM", "f calls g", "-m", "x"), ("claim", "withdraw"): ("OTHER", "-m", "x"),
    ("setup",): ("claude", "--yes"),
    ("claim", "redact"): ("OTHER", "-m", "x"), ("claim", "supersede"): ("THIRD", "--by", "OTHER", "-m", "x"), ("evidence", "show"): ("EVIDENCE",),
    ("evidence", "recheck"): ("EVIDENCE",), ("context",): ("log people in",), ("path",): ("authenticate", "create_session"), ("unreferenced",): (),
    ("importers",): ("app/sessions.py",), ("imports",): ("app/login.py",), ("graph", "export"): ("graph.json",), ("export",): ("claims.jsonl",),
    ("import",): ("claims.jsonl",), ("claim", "check"): ("CLAIM",), ("diff",): ("HEAD",),
    ("tags", "list"): (), ("memories", "read"): (), ("tags", "migrate"): ("--dry-run",), ("recall",): ("who calls it",),
    ("plan", "show"): (), ("plan", "add"): ("Log people in faster",), ("plan", "depend"): ("GOAL", "THIRD"),
    ("plan", "drop"): ("GOAL", "THIRD", "-m", "x"), ("claim", "drop-premise"): ("GOAL", "OTHER", "-m", "x"),
    ("plan", "done"): ("GOAL", "-m", "x"), ("plan", "reopen"): ("GOAL", "-m", "x"),
    ("claim", "relate"): ("CLAIM", "supports", "OTHER", "-m", "x"), ("conflicts", "list"): (),
    ("run",): ("--json", "true"), ("runs", "show"): ("RUN",), ("tests", "affected"): (), ("unseen",): (), ("unfound",): (),
    ("analysis", "list"): (), ("analysis", "scip"): ("SCIP",), ("analysis", "pyrefly"): (), ("analysis", "withdraw"): ("a_", "-m", "x"),
    ("explain",): ("create_session",), ("runs", "import"): ("REPORT", "--at", "HEAD"), ("session", "off-record"): ("--session", "s9"),
    ("session", "on-record"): ("--session", "s9"), ("trigger", "add"): ("ROWS",), ("trigger", "show"): ("one",),
    ("trigger", "test"): ("Bash", "restart the relay"), ("trigger", "replay"): ("one",), ("trigger", "approve"): ("one", "-m", "x"),
    ("trigger", "merge"): ("four", "one", "-m", "x"), ("trigger", "causes"): (), ("trigger", "disable"): ("one", "-m", "x"),
    ("trigger", "hold"): ("two", "-m", "x"), ("trigger", "dismiss"): ("two", "-m", "x"),
    ("conflicts", "report"): ("CLAIM", "OTHER", "-m", "x"), ("conflicts", "resolve"): ("CONFLICT", "--stale", "none", "-m", "x"),
}  # fmt: skip
"""What each command is given below, where it needs something other than a symbol."""
SYMBOL_QUESTIONS = {"callers", "callees", "subclasses", "implementers", "readers", "writers", "tests", "impact"}
ORDER = ["reopen", "correct", "supersede", "redact", "remove", "import", "scip", "withdraw", "pyrefly", "migrate", "uninit"]


def test_every_command_writes_json_that_fits_its_schema(
    repo: GitRepo, knowledge: Run, claim: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With --json each command writes one object that the class named in docs/json.md reads back whole."""
    monkeypatch.chdir(tmp_path)
    names = {"CLAIM": claim}
    for name in ("OTHER", "THIRD"):
        names[name] = knowledge("claim", "record", "authenticate calls create_session", "--quiet").out.strip()
    names["EVIDENCE"] = knowledge("claim", "show", claim, "--json").json["evidence"][0]["id"]
    names["GOAL"] = knowledge("plan", "add", "Keep sessions", "--depends-on", names["OTHER"], "--quiet").out.strip()
    names["CONFLICT"] = knowledge("conflicts", "report", claim, names["THIRD"], "-m", "x", "--quiet").out.strip()
    names["RUN"] = knowledge("run", "--json", "--", "true").json["run"]["id"]
    writer = ScipWriter()
    source = "app/sessions.py"
    writer.document(source, (repo.path / source).read_text(), [("create_session", 0, "t . p 1 create_session().", 1)])
    for name in AGENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(TOKEN_VARIABLE, "given by a person")
    (repo.path / ".git" / APPROVAL_FILE).write_text(hashlib.sha256(b"given by a person").hexdigest(), encoding="ascii")
    for file, rows in (("drafts.json", ("one", "two", "four")), ("rows.json", ("three",))):
        drafts = [{"id": row, "tool": "Bash", "subject": ["relay"], "actions": [["restart"]], "recall": "how the relay is restarted"} for row in rows]
        (tmp_path / file).write_text(json.dumps(drafts), encoding="utf-8")
    assert knowledge("trigger", "add", str(tmp_path / "drafts.json")).code == 0
    (tmp_path / "junit.xml").write_text('<testsuite><testcase classname="t" name="a"/></testsuite>', encoding="utf-8")
    names |= {"ROWS": str(tmp_path / "rows.json"), "REPORT": str(tmp_path / "junit.xml")}
    names["SCIP"] = str(tmp_path / "index.scip")
    (tmp_path / "index.scip").write_bytes(writer.content())
    todo = sorted(entries(), key=lambda item: ORDER.index(item[0][-1]) if item[0][-1] in ORDER else -1)
    for words, entry in todo:
        if not entry.answer:
            continue
        if words[-1] == "migrate":
            (repo.path / ".git/knowledge/vocabulary.toml").write_text('prefixes = ["kind"]\n')
        given = ASKED.get(words, ("create_session",) if words[0] in SYMBOL_QUESTIONS else ())
        ended = knowledge(*words, *(names.get(word, word) for word in given), "--json")
        assert ended.code == 0, (words, ended.out)
        assert ended.err == "", words
        answer = TypeAdapter(answer_class(entry.answer)).validate_json(ended.out)
        assert to_plain(answer) == ended.json, words


def test_the_installed_program_runs(repo: GitRepo, claim: str) -> None:
    """The console script answers with the exit code of `main`."""
    program = Path(sys.executable).with_name("knowledge")
    done = subprocess.run([program, "stale"], cwd=repo.path / "app", capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"})
    assert (done.returncode, "1 active" in done.stdout, done.stderr) == (0, True, "")
    assert subprocess.run([program, "stael"], capture_output=True, check=False).returncode == 2
