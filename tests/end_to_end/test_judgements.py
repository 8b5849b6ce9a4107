"""Conflicts, decisions, review conditions and plans on a real repository: what a person types, in English and Korean, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo
from status_fixtures import Kept, plain

from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.record import Draft, record_many
from knowledge.surfaces.cli.main import main

SESSIONS = "TTL = 30\n\n\ndef create_session(user, ttl=TTL):\n    return (user, ttl)\n"
LOGIN = "from app.sessions import create_session\n\n\ndef authenticate(user):\n    return create_session(user)\n"
REFRESH = "from app.sessions import create_session\n\n\ndef refresh(token):\n    return create_session(token)\n"

Run = Callable[..., str]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """One commit; the person at the keyboard is Ada."""
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
    """Run a command line in the repository, initialized; what it prints. `code` is what it has to end with."""

    def run(*words: str, code: int = 0) -> str:
        capsys.readouterr()
        ended = main(["-C", str(repo.path), *words])
        out, err = capsys.readouterr()
        assert ended == code, (words, out, err)
        return out + err

    run("init", "--no-hooks")
    return run


def record(knowledge: Run, statement: str, *options: str) -> str:
    """The id of a new claim."""
    return knowledge("claim", "record", statement, *options, "--quiet").strip()


def status(knowledge: Run, claim: str, *options: str) -> tuple[str, list[str]]:
    """A claim's status and the reasons of it."""
    found = json.loads(knowledge("claim", "show", claim, *options, "--json"))["claim"]
    return found["status"], [cause["reason"] for cause in found["causes"]]


def conflicts(knowledge: Run, *options: str) -> list[dict[str, Any]]:
    """The conflicts as JSON."""
    found: list[dict[str, Any]] = json.loads(knowledge("conflicts", *options, "--json"))["conflicts"]
    return found


# ── conflicts ──


def test_a_claim_is_recorded_with_a_warning_about_what_it_contradicts(repo: GitRepo, knowledge: Run) -> None:
    """Both stay, the relation says in which revisions both were held, and the resolution that the code changed between them."""
    old = record(knowledge, "create_session is only called from authenticate")
    repo.write("app/refresh.py", REFRESH)
    repo.commit("Add a refresh route")
    answer = json.loads(knowledge("claim", "record", "refresh는 create_session을 호출한다", "--json"))
    new = answer["claim"]["id"]
    assert any(note.startswith(f"warning: contradicts {old}, which is stale here") for note in answer["notes"])
    (found,) = conflicts(knowledge)
    assert (found["newer"]["id"], found["older"]["id"], found["how"], found["held_in"]) == (new, old, "predicates", [])
    knowledge("conflicts", "--check", code=1)
    knowledge("conflicts", "resolve", found["id"], "--stale", old, "-m", "refresh came later")
    assert conflicts(knowledge) == []
    (resolved,) = conflicts(knowledge, "--all")
    assert (resolved["stale"], resolved["difference"], resolved["resolved_by"]) == (old, "code-changed", "person:Ada")
    history = json.loads(knowledge("claim", "history", old, "--json"))["history"]
    assert [event["type"] for event in history] == ["ClaimRecorded", "ClaimMarkedStale", "RelationAdded", "ConflictResolved"]
    assert history[-1]["reason"] == "refresh came later"


def test_a_proposal_tells_what_it_would_contradict(repo: GitRepo, knowledge: Run) -> None:
    """As recording would, and nothing is written."""
    old = record(knowledge, "TTL is 30")
    before = knowledge("claim", "history", old, "--json")
    answer = json.loads(knowledge("claim", "propose", "TTL은 60이다", "--json"))
    assert [n for n in answer["notes"] if f"would contradict {old}, which is active here" in n]
    assert (conflicts(knowledge), knowledge("claim", "history", old, "--json")) == ([], before)
    assert not [n for n in json.loads(knowledge("claim", "propose", "TTL is 30", "--json"))["notes"] if "contradict" in n]


def test_a_proposal_tells_whether_the_analysis_agrees(repo: GitRepo, knowledge: Run) -> None:
    """As recording would, of uncommitted work too."""
    told = {text: json.loads(knowledge("claim", "propose", text, "--json")) for text in ("TTL is 60", "TTL is 30")}
    assert [(t["claim"]["status"], any("does not agree" in note for note in t["notes"])) for t in told.values()] == [
        ("stale", True),
        ("active", False),
    ]
    repo.write("app/sessions.py", SESSIONS.replace("30", "60"))
    assert json.loads(knowledge("claim", "propose", "TTL is 60", "--json"))["claim"]["status"] == "active"


def test_a_value_is_named_by_a_key_that_is_there(knowledge: Run) -> None:
    """A key that the file does not have is an error with near ones; its evidence is the line on which it stands."""
    refused = knowledge("claim", "record", "x", "--anchor", "value:app/sessions.py::TTLS", code=2)
    assert "has no value at 'TTLS'" in refused and "app/sessions.py::TTL" in refused
    knowledge("claim", "record", "x", "--anchor", "value:app/sessions.py", code=2)
    (evidence,) = json.loads(knowledge("claim", "record", "x", "--anchor", "value:app/sessions.py::TTL", "--json"))["evidence"]
    assert (evidence["path"], evidence["lines"]) == ("app/sessions.py", "1")


def test_what_was_said_of_a_claim_is_told_as_said(knowledge: Run) -> None:
    """A rejected claim was not left undecided: its reason is what somebody said."""
    claim = record(knowledge, "TTL is 60")
    knowledge("claim", "reject", claim, "-m", "처음부터 틀렸다")
    assert status(knowledge, claim) == ("rejected", ["said"])
    assert "it was said of it: 처음부터 틀렸다" in knowledge("claim", "show", claim)


def test_claims_that_are_recorded_together_contradict_each_other_too(repo: GitRepo, knowledge: Run) -> None:
    """The later one of the batch is the newer one, and is warned about."""
    with Kept(repo).project() as project:
        first, second = record_many(project, [Draft("TTL is 30"), Draft("TTL는 60이다")])
    assert [note for note in first.notes if "contradicts" in note] == []
    assert [note.split()[2].rstrip(",") for note in second.notes if "contradicts" in note] == [first.claim.id]
    (found,) = conflicts(knowledge)
    assert (found["newer"]["id"], found["older"]["id"]) == (second.claim.id, first.claim.id)


def test_an_earlier_analysis_that_was_incomplete_is_told_from_a_change_of_the_code(repo: GitRepo, knowledge: Run) -> None:
    """A claim that did not hold where it was recorded was never right, whatever the code did since."""
    wrong = record(knowledge, "TTL의 값은 60이다")
    record(knowledge, "TTL is 30")
    (found,) = conflicts(knowledge)
    knowledge("conflicts", "resolve", found["id"], "--stale", wrong, "-m", "잘못 읽었다")
    assert conflicts(knowledge, "--all")[0]["difference"] == "earlier-analysis-incomplete"


def test_free_text_is_contradicted_by_report_and_falls_by_resolution_alone(knowledge: Run) -> None:
    """Nothing changes until somebody says which one is stale, and the last one who says it counts."""
    one, other = record(knowledge, "create_session puts sessions into Redis"), record(knowledge, "create_session은 세션을 메모리에 둔다")
    knowledge("conflicts", "report", one, other, "-m", "둘 다일 수 없다")
    (found,) = conflicts(knowledge)
    assert len(found["held_in"]) == 1
    assert (status(knowledge, one), status(knowledge, other)) == (("active", []), ("active", []))
    assert f"in conflict {found['id']}" in knowledge("claim", "list")
    context = json.loads(knowledge("context", "create_session Redis", "--json"))
    assert {claim["id"] for claim in context["stale_or_conflicting_claims"]} == {one, other}
    knowledge("conflicts", "resolve", found["id"], "--stale", one[:8], "-m", "there is no Redis")
    assert status(knowledge, one) == ("stale", ["counter_evidence"])
    assert conflicts(knowledge, "--all")[0]["difference"] == "not-computable"
    knowledge("conflicts", "resolve", found["id"], "--stale", "none", "-m", "both, by setting")
    assert status(knowledge, one) == ("active", [])
    assert "known already" in knowledge("conflicts", "report", other, one, "-m", "again", code=2)
    assert "there is no command" in knowledge("conflicts", "reslove", code=2)


def test_an_observation_makes_an_assumption_stale_on_the_branch_where_it_stands(repo: GitRepo, knowledge: Run) -> None:
    """The cause names the observation; where that one does not stand, the assumption does."""
    assumption = record(knowledge, "sessions are never logged", "--kind", "assumption", "--anchor", "none")
    repo.checkout("topic", "-b")
    repo.write("app/sessions.py", SESSIONS.replace("    return", "    print(user)\n    return"))
    repo.commit("Log sessions")
    observation = record(knowledge, "create_session prints the user")
    knowledge("conflicts", "report", assumption, observation, "-m", "the log has them")
    found = json.loads(knowledge("claim", "show", assumption, "--json"))["claim"]
    assert (found["status"], found["causes"][0]["premise_path"]) == ("stale", [observation])
    repo.checkout("main")
    assert status(knowledge, observation)[0] == "stale"
    assert status(knowledge, assumption) == ("active", [])


def test_a_search_finds_what_moved_before_it_was_contradicted(repo: GitRepo, knowledge: Run) -> None:
    """Recording looks only at the same anchors; the search follows a moved function, and says what it could not look at."""
    old = record(knowledge, "authenticate calls create_session")
    record(knowledge, "the weather is fine", "--anchor", "none")
    repo.rename("app/login.py", "app/entry.py")
    repo.write("app/entry.py", LOGIN.replace("create_session(user)", "user").replace("from app.sessions import create_session\n\n\n", ""))
    repo.commit("Move the login, and create no session")
    new = record(knowledge, "authenticate does not call create_session")
    assert conflicts(knowledge) == []
    answer = json.loads(knowledge("conflicts", "--find", "--json"))
    assert [(c["newer"]["id"], c["older"]["id"]) for c in answer["conflicts"]] == [(new, old)]
    assert (answer["checked"]["checked"], answer["checked"]["could_not_check"]) == (2, 1)


def test_redaction_takes_a_claims_words_out_of_its_conflicts_too(knowledge: Run) -> None:
    """What the other claim keeps of it has no texts; that they contradict each other stays known."""
    secret, other = (
        record(knowledge, "the pass phrase is swordfish-9", "--anchor", "none"),
        record(knowledge, "there is no pass phrase", "--anchor", "none"),
    )
    knowledge("conflicts", "report", secret, other, "-m", "one names swordfish-9")
    (found,) = conflicts(knowledge)
    knowledge("conflicts", "resolve", found["id"], "--stale", secret, "-m", "swordfish-9 was removed")
    knowledge("claim", "redact", secret, "-m", "a secret")
    everything = (
        knowledge("conflicts", "--all", "--json") + knowledge("claim", "history", other, "--json") + knowledge("claim", "show", other, "--json")
    )
    assert "swordfish" not in everything
    assert conflicts(knowledge, "--all")[0]["stale"] == secret


def test_one_claim_supports_another(knowledge: Run) -> None:
    """The relation is shown with both, and is said once."""
    one, other = record(knowledge, "TTL is 30"), record(knowledge, "create_session returns a pair")
    assert f"{one} supports {other}" in knowledge("claim", "relate", one, "supports", other, "-m", "seen together")
    assert f"{one} supports {other}" in knowledge("claim", "show", other)
    knowledge("claim", "relate", one, "supports", other, "-m", "again", code=2)


# ── decisions ──

DECIDED = """\
저장소를 따로 둔다

결정: create_session은 세션을 직접 저장하지 않는다
제약: app/login.py does not import app/store.py
기각: 쿠키 | 너무 크다
Rejected: memory — it is lost at a restart
"""


def test_decisions_come_out_of_commit_messages_once(repo: GitRepo, knowledge: Run) -> None:
    """With author, constraints, reasons and evidence; again, amended or redacted, nothing is recorded a second time."""
    repo.write("app/store.py", "def save(key):\n    return key\n")
    first = repo.commit(DECIDED)
    answer = json.loads(knowledge("decisions", "read", "HEAD", "--json"))
    (found,) = answer["decisions"]
    assert found["commit"] == first
    assert found["constraints"] == ["app/login.py does not import app/store.py"]
    assert [(r["alternative"], r["reason"]) for r in found["rejected"]] == [("쿠키", "너무 크다"), ("memory", "it is lost at a restart")]
    assert [a["about"] for a in found["anchors"]] == ["body:app/sessions.py::create_session", "edge:app/login.py imports app/store.py"]
    shown = json.loads(knowledge("claim", "show", found["claim"]["id"], "--json"))
    assert shown["claim"]["said_by"] == "recorded by person:Ada Lovelace"
    (document,) = [e for e in shown["evidence"] if e["kind"] == "document"]
    assert "기각: 쿠키 | 너무 크다" in document["excerpt"]
    assert json.loads(knowledge("evidence", "recheck", document["id"], "--json"))["outcome"] == "same"
    repo.amend()
    for asked in ((), ("HEAD",), ("HEAD~1..HEAD",), (first,)):
        again = json.loads(knowledge("decisions", "read", *asked, "--json"))
        assert (again["decisions"], again["known"]) == ([], 1), asked
    knowledge("claim", "redact", found["claim"]["id"], "-m", "names a customer")
    assert json.loads(knowledge("decisions", "read", "--json"))["decisions"] == []


def test_a_decision_is_up_for_review_when_the_code_breaks_its_constraint(repo: GitRepo, knowledge: Run) -> None:
    """What the constraint names is watched too, with what changed as the reason."""
    repo.write("app/store.py", "def save(key):\n    return key\n")
    repo.commit(DECIDED)
    decision = knowledge("decisions", "read", "--quiet").strip()
    assert status(knowledge, decision) == ("active", [])
    repo.write("app/login.py", "import app.store\n" + LOGIN)
    repo.commit("Save at the login")
    assert status(knowledge, decision) == ("needs_review", ["counter_evidence"])
    assert "bound by: app/login.py does not import app/store.py" in knowledge("decisions")


def test_a_decision_that_names_nothing_stands_on_the_few_functions_of_its_commit(repo: GitRepo, knowledge: Run) -> None:
    """The innermost ones that the commit changes; of many functions none in particular, and it says that it stands on nothing."""
    repo.write("app/sessions.py", SESSIONS + "\n\ndef drop(user):\n    return None\n")
    repo.write("tests/test_drop.py", "def test_drop():\n    assert True\n")
    repo.commit("Drop sessions at midnight\n\nConstraint: nothing is kept longer than a day\n")
    (found,) = json.loads(knowledge("decisions", "read", "--json"))["decisions"]
    assert [a["about"] for a in found["anchors"]] == ["body:app/sessions.py::drop"]
    repo.write("app/many.py", "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(9)))
    repo.commit("Add many\n\nRejected: fewer of them — too few\n")
    (found,) = json.loads(knowledge("decisions", "read", "HEAD", "--json"))["decisions"]
    assert found["claim"]["is_unanchored"]


def test_decisions_of_a_range_are_those_of_its_commits(repo: GitRepo, knowledge: Run) -> None:
    """OLD..NEW reads what NEW reaches and OLD does not, across a merge; three dots are no range."""
    repo.commit("Begin\n\nDecision: begin here\n")
    repo.checkout("side", "-b")
    repo.commit("On the side\n\nDecision: decided on the side\n")
    repo.checkout("main")
    repo.commit("Go on\n\nDecision: decided on main\n")
    repo.merge("side")
    answer = json.loads(knowledge("decisions", "read", "HEAD~2..", "--json"))
    assert {d["claim"]["statement"] for d in answer["decisions"]} == {"decided on the side", "decided on main"}
    assert answer["commits"] == 3
    knowledge("decisions", "read", "HEAD~1...HEAD", code=2)
    knowledge("decisions", "read", "nowhere", code=2)


# ── review conditions ──


def test_a_figure_that_passes_its_bound_puts_a_claim_up_for_review_once(repo: GitRepo, knowledge: Run) -> None:
    """With the figure's value; who verifies it then has looked, until the condition comes true anew."""
    decision = record(knowledge, "세션은 메모리에 둔다", "--kind", "decision", "--anchor", "none", "--review-when", "태그 2개 초과")
    assert status(knowledge, decision) == ("active", [])
    record(knowledge, "TTL is 30", "--tag", "a", "--tag", "b", "--tag", "c")
    found = json.loads(knowledge("claim", "show", decision, "--json"))
    assert found["claim"]["status"] == "needs_review"
    assert found["claim"]["causes"][0]["detail"] == "tags > 2"
    assert found["freshness"] == {"review_when": "태그 2개 초과"}
    knowledge("claim", "verify", decision, "-m", "looked at the tags")
    assert status(knowledge, decision) == ("verified", [])
    record(knowledge, "create_session returns a pair", "--tag", "d")
    assert status(knowledge, decision) == ("verified", [])


def test_commits_and_events_count_from_the_last_verdict(repo: GitRepo, knowledge: Run) -> None:
    """Also empty commits, whose tree is the same; a verdict begins the count anew."""
    plan = record(knowledge, "we do without a cache", "--kind", "decision", "--anchor", "none", "--review-when", "commits >= 2")
    other = record(knowledge, "제안은 받지 않는다", "--kind", "decision", "--anchor", "none", "--review-when", "사건 ClaimRejected 1건 이상")
    repo.commit("One")
    assert (status(knowledge, plan)[0], status(knowledge, other)[0]) == ("active", "active")
    repo.commit("Two")
    assert status(knowledge, plan) == ("needs_review", ["review_condition"])
    knowledge("claim", "verify", plan, "-m", "still without")
    repo.commit("Three")
    assert status(knowledge, plan) == ("verified", [])
    knowledge("claim", "reject", record(knowledge, "create_session is slow"), "-m", "it is not")
    assert status(knowledge, other) == ("needs_review", ["review_condition"])


def test_a_condition_that_counts_stale_claims_does_not_count_itself(repo: GitRepo, knowledge: Run) -> None:
    """Stored and computed from nothing agree, and so does one asked about another tree."""
    record(knowledge, "TTL is 30")
    watcher = record(knowledge, "the time-outs are under control", "--anchor", "none", "--review-when", "stale > 0")
    leaning = record(knowledge, "nobody is logged out early", "--kind", "inference", "--anchor", "none", "--derived-from", watcher)
    repo.write("app/sessions.py", SESSIONS.replace("30", "60"))
    repo.commit("Wait longer")
    assert (status(knowledge, watcher)[0], status(knowledge, leaning)[0]) == ("needs_review", "stale")
    assert status(knowledge, watcher, "--at", "HEAD~1")[0] == "active"
    kept = Kept(repo)
    assert plain(kept.stored()) == plain(kept.cold())
    repo.git("revert", "--no-edit", "HEAD")
    assert (status(knowledge, watcher)[0], status(knowledge, leaning)[0]) == ("active", "active")


def test_a_day_is_taken_from_the_clock(repo: GitRepo, knowledge: Run) -> None:
    """A reconciliation of another day puts the claim up for review."""
    record(knowledge, "the vendor supports this version", "--kind", "assumption", "--anchor", "none", "--review-when", "2999-01-01부터")
    with Kept(repo).project() as project:
        assert reconcile(project).changed == ()
        later = Project(project.repository, project.ledger, project.index, clock=lambda: datetime(2999, 1, 1, tzinfo=UTC))
        (changed,) = reconcile(later, Reading(later)).changed
    assert [cause.detail for cause in changed.causes] == ["from 2999-01-01"]


def test_a_condition_that_cannot_be_meant_is_refused(knowledge: Run) -> None:
    """Nothing is stored, and what may have been meant is suggested."""
    for words in (("--until", "soon"), ("--anchor", "until:2027-02-30"), ("--anchor", "days:many"), ("--until", "20270131")):
        assert "expected" in knowledge("claim", "record", "TTL is 30", *words, code=2)
    refused = knowledge("claim", "record", "TTL is 30", "--review-when", "tgas > 3", code=2)
    assert "did you mean: tags" in refused
    already = knowledge("claim", "record", "TTL is 30", "--review-when", "claims < 5")
    assert "its review condition is true already" in already
    assert json.loads(knowledge("claim", "list", "--json"))["counts"] == {"needs_review": 1}


# ── plans ──


def test_an_invalidation_names_the_steps_it_touches(repo: GitRepo, knowledge: Run) -> None:
    """Goals and steps depend on claims, as recorded and as added later; a step that is done is asked nothing more."""
    only, ttl = record(knowledge, "create_session is only called from authenticate"), record(knowledge, "TTL is 30", "--kind", "assumption")
    goal = knowledge("plan", "add", "세션을 Redis로 옮긴다", "--quiet").strip()
    first = knowledge("plan", "add", "write to the store in one place", "--goal", goal, "--depends-on", only, "--anchor", "none", "--quiet").strip()
    second = knowledge("plan", "add", "수명을 설정에서 읽는다", "--after", first, "--anchor", "none", "--quiet").strip()
    knowledge("plan", "depend", second, ttl, "-m", "설정의 기본값이 된다")
    (shown,) = json.loads(knowledge("plan", "--json"))["goals"]
    assert [(s["claim"]["id"], s["state"], s["waits_for"]) for s in shown["steps"]] == [(first, "ready", []), (second, "waiting", [first])]
    assert shown["steps"][1]["depends_on"][0]["id"] == ttl
    repo.write("app/refresh.py", REFRESH)
    repo.commit("Add a refresh route")
    touched = json.loads(knowledge("reconcile", "--json"))["touched"]
    assert [(t["id"], t["goal"], t["by"]) for t in touched] == [(first, goal, [only])]
    assert "plans that this touches" in knowledge("stale")
    assert [t["id"] for t in json.loads(knowledge("stale", "--json"))["touched"]] == [first]
    knowledge("plan", "done", first, "-m", "one place, and the refresh route uses it")
    assert json.loads(knowledge("stale", "--json"))["touched"] == []
    (shown,) = json.loads(knowledge("plan", "show", second, "--json"))["goals"]
    assert [s["state"] for s in shown["steps"]] == ["done", "ready"]
    knowledge("plan", "reopen", first, "-m", "아직 아니다")
    assert status(knowledge, first) == ("needs_review", ["premise"])
    assert "depends on: stale" in knowledge("plan")


def test_who_looks_at_a_step_whose_premise_fell_settles_it(repo: GitRepo, knowledge: Run) -> None:
    """Verified as things are, it stands until the premise changes further; coming back to the state that was looked at restores it."""
    ttl = record(knowledge, "TTL is 30")
    goal = knowledge("plan", "add", "수명을 설정에서 읽는다", "--anchor", "none", "--depends-on", ttl, "--quiet").strip()
    derived = record(knowledge, "a session is short", "--kind", "inference", "--anchor", "none", "--derived-from", ttl)
    decision = record(knowledge, "keep sessions short", "--kind", "decision", "--anchor", "none", "--derived-from", derived)
    repo.write("app/sessions.py", SESSIONS.replace("30", "60"))
    repo.commit("Twice as long")
    assert [status(knowledge, c) for c in (goal, derived, decision)] == [(s, ["premise"]) for s in ("needs_review", "stale", "needs_review")]
    assert f"{ttl} does not stand here" in knowledge("claim", "verify", goal, "-m", "어느 값이든 같다")
    knowledge("claim", "verify", decision, "-m", "60 is short too")
    assert [status(knowledge, c) for c in (goal, derived, decision)] == [("verified", []), ("stale", ["premise"]), ("verified", [])]
    knowledge("reverify")
    assert status(knowledge, goal) == ("verified", []), "what a machine looked at is no other state"
    repo.write("app/sessions.py", SESSIONS.replace("30", "9000"))
    repo.commit("Much longer")
    assert [status(knowledge, c) for c in (goal, decision)] == [("needs_review", ["premise"])] * 2
    repo.git("checkout", "--quiet", "HEAD~1")
    assert [status(knowledge, c) for c in (goal, decision)] == [("verified", [])] * 2
    repo.git("checkout", "--quiet", "HEAD~1")
    assert [status(knowledge, c) for c in (ttl, goal, derived, decision)] == [(s, []) for s in ("active", "verified", "active", "verified")]


def test_a_dependency_is_dropped_with_a_reason(repo: GitRepo, knowledge: Run) -> None:
    """As recorded or as added later; it counts on every tree, stays in the history, and is taken up again by saying so."""
    ttl, place = record(knowledge, "TTL is 30"), record(knowledge, "create_session은 app/sessions.py에 정의되어 있다")
    goal = knowledge("plan", "add", "one store", "--anchor", "none", "--depends-on", ttl, "--quiet").strip()
    knowledge("plan", "depend", goal, place)
    derived = record(knowledge, "a session is short", "--kind", "inference", "--anchor", "none", "--derived-from", ttl)
    repo.write("app/sessions.py", SESSIONS.replace("30", "60"))
    repo.commit("Twice as long")
    assert status(knowledge, goal) == ("needs_review", ["premise"])
    assert "depends on: stale" not in knowledge("plan", "drop", goal, ttl, "-m", "저장소는 수명과 무관하다")
    knowledge("claim", "drop-premise", derived, ttl, "-m", "short is meant otherwise")
    assert [status(knowledge, c) for c in (goal, derived)] == [("active", [])] * 2
    (last,) = [e for e in json.loads(knowledge("claim", "history", goal, "--json"))["history"] if e["type"] == "RelationRemoved"]
    assert last["reason"] == "저장소는 수명과 무관하다"
    assert f"{derived} depends_on {ttl} (dropped)" in knowledge("claim", "show", derived)
    assert "does not rest on" in knowledge("plan", "drop", goal, ttl, "-m", "x", code=2)
    assert "does not rest on" in knowledge("claim", "drop-premise", place, ttl, "-m", "x", code=2)
    knowledge("plan", "depend", goal, ttl, "-m", "it does after all")
    assert status(knowledge, goal) == ("needs_review", ["premise"])


def test_a_session_cannot_free_its_own_claim_of_what_fell(repo: GitRepo, knowledge: Run) -> None:
    """What it said rests on something does; another session may say otherwise."""
    ttl = record(knowledge, "TTL is 30")
    derived = record(
        knowledge, "short", "--kind", "inference", "--anchor", "none", "--derived-from", ttl, "--agent", "helper", "--session", "one"
    )  # fmt: skip
    repo.write("app/sessions.py", SESSIONS.replace("30", "60"))
    repo.commit("Twice as long")
    words = ("claim", "drop-premise", derived, ttl, "-m", "x", "--agent", "helper", "--session")
    assert "cannot free its own claim" in knowledge(*words, "one", code=2)
    knowledge(*words, "two")
    assert status(knowledge, derived) == ("active", [])


def test_a_branch_tells_the_steps_it_would_touch(repo: GitRepo, knowledge: Run) -> None:
    """Before it is merged, in text, JSON and Markdown."""
    only = record(knowledge, "create_session is only called from authenticate")
    goal = knowledge("plan", "add", "한 곳에서 쓴다", "--anchor", "none", "--quiet").strip()
    step = knowledge("plan", "add", "write | once", "--goal", goal, "--depends-on", only, "--anchor", "none", "--quiet").strip()
    repo.checkout("HEAD", "-b", "refresh")
    repo.write("app/refresh.py", REFRESH)
    repo.commit("Add a refresh route")
    assert [(t["id"], t["goal"], t["by"]) for t in json.loads(knowledge("diff", "main..refresh", "--json"))["touched"]] == [(step, goal, [only])]
    assert "plans that this touches" in knowledge("diff", "main..refresh")
    assert f"- `{step}` write \\| once (of “한 곳에서 쓴다”)" in knowledge("diff", "main..refresh", "--format", "markdown")
    assert json.loads(knowledge("diff", "main..main", "--json"))["touched"] == []


def test_no_step_comes_to_rest_on_itself(knowledge: Run) -> None:
    """Circles, strangers and repeats are refused with what was expected."""
    goal = knowledge("plan", "add", "a goal", "--anchor", "none", "--quiet").strip()
    step = knowledge("plan", "add", "a step", "--goal", goal, "--anchor", "none", "--quiet").strip()
    claim = record(knowledge, "a conclusion", "--kind", "inference", "--anchor", "none", "--derived-from", step)
    assert "circle" in knowledge("plan", "depend", step, claim, code=2)
    assert "circle" in knowledge("plan", "depend", step, step, code=2)
    knowledge("plan", "depend", goal, step)
    assert "depends on" in knowledge("plan", "depend", goal, step, code=2)
    assert "no goal and no step" in knowledge("plan", "depend", claim, goal, code=2)
    assert "is no goal" in knowledge("plan", "add", "x", "--goal", step, code=2)
    assert "no step" in knowledge("plan", "add", "x", "--after", goal, code=2)
    assert "open already" in knowledge("plan", "reopen", step, "-m", "x", code=2)


def test_what_is_wanted_decides_and_contradicts_nothing(knowledge: Run) -> None:
    """A goal may say what is not so yet; it is no claim against what is."""
    record(knowledge, "TTL is 30")
    goal = knowledge("plan", "add", "TTL is 60", "--quiet").strip()
    assert status(knowledge, goal) == ("active", [])
    assert conflicts(knowledge, "--find") == []


def test_relations_travel_with_an_export(repo: GitRepo, knowledge: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a clone that imports the claims the same ones are stale, with the same conflicts and plans."""
    one, other = record(knowledge, "sessions live in Redis", "--anchor", "none"), record(knowledge, "sessions live in memory", "--anchor", "none")
    goal = knowledge("plan", "add", "one store", "--anchor", "none", "--quiet").strip()
    knowledge("plan", "depend", goal, one)
    knowledge("conflicts", "report", one, other, "-m", "x")
    knowledge("conflicts", "resolve", conflicts(knowledge)[0]["id"], "--stale", one, "-m", "y")
    before = json.loads(knowledge("claim", "list", "--json"))["claims"]
    knowledge("export", str(tmp_path / "claims.jsonl"))
    there = repo.clone(tmp_path / "clone")
    for words in (("init", "--no-hooks"), ("import", str(tmp_path / "claims.jsonl")), ("claim", "list", "--json")):
        capsys.readouterr()
        assert main(["-C", str(there.path), *words]) == 0
    after = json.loads(capsys.readouterr().out)["claims"]
    assert {(c["id"], c["status"]) for c in after} == {(c["id"], c["status"]) for c in before}
    assert ("needs_review" in {c["status"] for c in after}) and (goal in {c["id"] for c in after})
