"""Signs that a memory did not come when it was needed: each makes a draft with its evidence and a notice, and a person decides about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.config import AUDIT_FILE
from knowledge.errors import InvalidRecordError, LifecycleError, NotAPersonError, StoreError
from knowledge.operations import late_recalls, trigger_rows
from knowledge.operations.attending import attend
from knowledge.operations.audit import audit
from knowledge.operations.doctor import doctor
from knowledge.operations.late_recalls import recall_by_hand
from knowledge.operations.off_record import take_off_record
from knowledge.operations.persons import AGENT_VARIABLES, TOKEN_VARIABLE, Proof
from knowledge.operations.project import Project, open_project
from knowledge.operations.recall import Asked
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.operations.steps import correct
from knowledge.records.agent_events import AgentEvent, Moment, Reply
from knowledge.records.answers import ClaimAnswer
from knowledge.records.claims import Author
from knowledge.records.recalls import RecallAnswer
from knowledge.records.triggers import TriggerLine
from knowledge.storage.audit import Decision, open_audit

WAY = "Cloudflare 대시보드 2FA 로그인: Claude Code만 2FA 시드를 읽고, 계산한 6자리 코드만 aside에 넘긴다."
TASK = "Cloudflare 대시보드에 2FA 로그인해서 product.css 캐시를 지워라"
CANNOT = "[완료+gotcha] 배포 완료. Cloudflare 토큰에 zone이 0개라 캐시 퍼지는 불가하다."
FAILURE = "Error: zone 4f1c9a77 not found at /opt/x/purge.js:12\ncode 9109"
AGAIN = "Error: zone 88aa10b3 not found at /srv/ci/purge.js:44\ncode 9109"
PERSON = Proof(has_terminal=True)


@dataclass
class Scene:
    """A repository with a remembered way, an agent's program that tells of moments, and agents that record and ask."""

    project: Project
    way: str

    def of(self, session: str) -> Project:
        return replace(self.project, given_author=Author("agent", "claude", session) if session else Author("person", "ada"))

    def tell(self, moment: Moment, session: str = "s1", **more: object) -> Reply:
        return attend(self.project, AgentEvent("claude", moment, session, **more))  # type: ignore[arg-type]

    def call(self, text: str = TASK, session: str = "s1") -> Reply:
        return self.tell("before_call", session, tool="aside", arguments={"task": text})

    def fail(self, result: str, session: str = "s1", command: str = "wrangler purge --zone x") -> Reply:
        return self.tell("after_failure", session, tool="Bash", arguments={"command": command}, result=result)

    def ask(self, text: str = "Cloudflare 2FA 로그인", session: str = "s1") -> RecallAnswer:
        return recall_by_hand(self.of(session), Asked(text))

    def record(self, statement: str, session: str = "s1", *tags: str) -> ClaimAnswer:
        return record(self.of(session), Draft(statement, tags=tags, anchors=(UNANCHORED,)))

    def drafts(self) -> list[TriggerLine]:
        return list(trigger_rows.rows_of(self.project).values())

    def decisions(self, gate: str) -> list[Decision]:
        with open_audit(self.project.home / AUDIT_FILE) as store:
            return [d for d in store.decisions() if d.adviser == gate]


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    for name in (*AGENT_VARIABLES, TOKEN_VARIABLE, "KNOWLEDGE_SESSION", "CLAUDE_CODE_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit("Add a")
    with open_project(repo.path, Author("person", "ada"), create=True) as project:
        yield Scene(project, record(project, Draft(WAY, anchors=(UNANCHORED,))).claim.id)


# ── a recall asked by hand that a trigger should have brought ──


def test_a_recall_by_hand_after_a_call_that_it_answers_is_a_missed_fire(scene: Scene) -> None:
    """A draft for that call's tool, with the call as its example and its evidence; a notice; the asking and the miss are rows of the audit."""
    scene.call()
    notes = scene.ask().notes
    (line,) = scene.drafts()
    assert line.causes == ("asked-by-hand",) and line.row["tool"] == "^aside$" and line.row["positive"] == [TASK]
    assert line.evidence["claims"] == [scene.way] and line.evidence["call"]["sentence"] == TASK
    assert any(f"`knowledge trigger show {line.id}`" in note for note in notes)
    assert [d.outcome for d in scene.decisions("asked")] == ["match"] and [d.cause for d in scene.decisions("missed-fire")] == ["missed-fire"]
    trigger_rows.approve(scene.project, line.id, "seen", PERSON)
    assert scene.way in scene.call(session="s2").context


def test_a_recall_of_something_else_or_with_nothing_before_is_none(scene: Scene) -> None:
    """Without a call, after a call of another subject, and where nothing is found."""
    assert not scene.ask().notes
    scene.call("README의 오타를 고쳐라")
    assert not scene.ask().notes
    scene.call()
    assert not scene.ask("쿠버네티스 노드 교체 절차").notes
    assert scene.drafts() == [] and [d.outcome for d in scene.decisions("asked")] == ["match", "match", "miss"]


@pytest.mark.parametrize(
    ("said", "query", "is_meant"),
    [
        (TASK, "Cloudflare 2FA 로그인", True),
        ("Cloudflare에 로그인해서 product.css를 지워라", "Cloudflare 2FA 로그인", True),
        ("Log in to the Cloudflare dashboard and purge product.css", "Cloudflare login", True),
        ("클라우드플레어 로그인", "Cloudflare login", True),
        ("GitHub에 2FA로 로그인해라", "Cloudflare 2FA 로그인", False),
        ("Cloudflare 요금을 알려라", "Cloudflare 2FA 로그인 6자리 코드", False),
        ("배포 서버를 다시 띄워라", "배포 서버 재시작", True),
        ("npm install", "Cloudflare 2FA 로그인", False),
    ],
)
def test_a_call_is_about_what_was_asked(said: str, query: str, *, is_meant: bool) -> None:
    """By half of the query's words, names counting double; the same words of another service are not meant."""
    assert late_recalls.is_about(said, query) == is_meant


def test_what_came_by_itself_is_not_missed(scene: Scene) -> None:
    """A row brought it before; asking again is no sign."""
    row = {"id": "cf", "tool": "aside", "subject": ["cloudflare"], "recall": "Cloudflare 2FA 로그인"}
    trigger_rows.draft(scene.project, row)
    trigger_rows.approve(scene.project, "cf", "seen", PERSON)
    assert scene.way in scene.call().context
    assert not scene.ask().notes and len(scene.drafts()) == 1


def test_a_miss_is_told_of_the_row_that_should_have_hit(scene: Scene) -> None:
    """The notice names it, and the audit counts it for that row."""
    row = {"id": "cf", "tool": "aside", "subject": ["cloudflare"], "actions": [["재부팅"]], "recall": "Cloudflare 2FA 로그인"}
    trigger_rows.draft(scene.project, row)
    trigger_rows.approve(scene.project, "cf", "seen", PERSON)
    scene.call()
    assert any("knowledge trigger merge" in note and note.endswith("cf`") for note in scene.ask().notes)
    told = audit(scene.project.home / AUDIT_FILE, scene.project.clock())
    assert [(t.id, t.match, t.missed) for t in told.triggers] == [("cf", 0, 1)]


def test_somebody_without_a_session_is_held_against_the_latest_calls(scene: Scene) -> None:
    """A person asks in another window, or a host tells its server of no session."""
    scene.call()
    assert scene.ask(session="").notes and scene.ask("Cloudflare 2FA 로그인", "mcp-other").notes == ()


def test_a_private_memory_is_not_missed(scene: Scene) -> None:
    """It never comes by itself, so no row should have brought it."""
    private = Draft("Vercel 대시보드 로그인은 회사 SSO로만 한다.", anchors=(UNANCHORED,), is_private=True)
    record(scene.project, private)
    scene.call("Vercel 대시보드에 SSO로 로그인해라")
    answer = scene.ask("Vercel 대시보드 SSO 로그인")
    assert answer.lines and not answer.notes and scene.drafts() == []


def test_an_asking_off_the_record_leaves_nothing(scene: Scene) -> None:
    """Neither a row nor a draft; and what was kept of it before is gone."""
    scene.ask()
    scene.call()
    take_off_record(scene.project, "claude", "s1")
    assert scene.ask().lines and scene.drafts() == []
    with open_audit(scene.project.home / AUDIT_FILE) as store:
        assert store.askings() == [] and [d for d in store.decisions() if d.session == "s1"] == []


def test_an_asking_that_cannot_be_kept_is_answered_and_counted(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is what was asked for; the log is not."""

    def failing(*_: object) -> None:
        raise StoreError("the audit is gone")

    monkeypatch.setattr(late_recalls, "_noticed", failing)
    assert scene.ask().lines
    assert scene.project.index.counts()[late_recalls.FAILED] == 1


# ── a correction after a late recall ──


def test_the_story_ends_with_a_draft(scene: Scene) -> None:
    """The judgement is stored, somebody asks by hand, the judgement is corrected: one draft, whose evidence has all three."""
    wrong = scene.record(CANNOT).claim.id
    scene.ask("Cloudflare 캐시 퍼지")
    fixed = Draft("정정: 직전의 Cloudflare 캐시 퍼지 불가 판정은 틀렸다. aside로 대시보드에서 퍼지했다.", anchors=(UNANCHORED,))
    answer = correct(scene.of("s1"), wrong, fixed, "the recall had it")
    (line,) = scene.drafts()
    assert line.causes == ("corrected-late",) and line.row["recall"] == "Cloudflare 캐시 퍼지" and "cloudflare" in line.row["subject"]
    assert {wrong, answer.claim.id} <= set(line.evidence["claims"]) and any("came late" in note for note in answer.notes)


def test_a_correction_that_names_no_record_is_known_by_its_words(scene: Scene) -> None:
    """Stored as a record of its own, with a mark of correcting."""
    scene.ask()
    assert not any("came late" in note for note in scene.record("Cloudflare 2FA 로그인은 오늘 되었다.").notes)
    assert any("came late" in note for note in scene.record("[정정] Cloudflare 2FA 로그인 화면은 입력창 하나다. 6칸이라던 기록은 틀렸다.").notes)


def test_a_correction_without_a_recall_or_before_it_is_none(scene: Scene) -> None:
    """Nothing was late; and a recall of another subject is no reason."""
    wrong = scene.record(CANNOT).claim.id
    scene.ask("쿠버네티스")
    correct(scene.of("s1"), wrong, Draft("정정: Cloudflare 캐시 퍼지는 된다.", anchors=(UNANCHORED,)), "it works")
    assert [line for line in scene.drafts() if "corrected-late" in line.causes] == []


def test_two_signs_of_one_thing_are_one_draft(scene: Scene) -> None:
    """The missed call and the correction after it: two causes, both counted, the evidence of both."""
    wrong = scene.record("Cloudflare 2FA 로그인은 aside로 할 수 없다.").claim.id
    scene.call()
    scene.ask()
    correct(scene.of("s1"), wrong, Draft("정정: Cloudflare 2FA 로그인은 6자리 코드만 aside에 넘기면 된다.", anchors=(UNANCHORED,)), "recalled")
    (line,) = scene.drafts()
    assert line.causes == ("asked-by-hand", "corrected-late") and line.evidence["corrected-late"]["query"] == "Cloudflare 2FA 로그인"
    assert [(one.cause, one.drafts, one.waiting) for one in trigger_rows.causes(scene.project).causes] == [
        ("asked-by-hand", 1, 1),
        ("corrected-late", 1, 1),
    ]


# ── the same failure twice ──


def test_the_same_failure_in_another_session_is_drafted_once(scene: Scene) -> None:
    """Paths, numbers and ids differ; the agent is told nothing, the person at the end of the turn; a third time adds nothing."""
    assert scene.fail(FAILURE) == Reply()
    assert scene.fail(AGAIN, "s2") == Reply()
    (line,) = scene.drafts()
    reply, again = scene.tell("stop", "s2", message="done"), scene.tell("stop", "s2", message="done")
    assert reply.context == "" and line.id in reply.notice and again == Reply()
    assert line.causes == ("failure-again",) and line.row["tool"] == "^Bash$" and line.row["subject"] == ["wrangler"]
    assert [one["session"] for one in line.evidence["failures"]] == ["s1", "s2"] and "<id>" in line.evidence["signature"]
    assert scene.fail(FAILURE, "s3") == Reply() and len(scene.drafts()) == 1


@pytest.mark.parametrize(
    ("command", "first", "second"),
    [
        ("pytest -x", "1 failed: AssertionError", "1 failed: AssertionError"),
        ("grep -r foo src", "", ""),
        ("wrangler purge", "Error: token expired", "Error: zone not found"),
    ],
    ids=["a test that says no", "a search that finds nothing", "another cause"],
)
def test_no_recurrence(scene: Scene, command: str, first: str, second: str) -> None:
    """Answers are no failures, and two causes are two."""
    assert scene.fail(first, "s1", command) == scene.fail(second, "s2", command) == Reply()
    assert scene.drafts() == []


def test_a_failure_keeps_no_secret(scene: Scene) -> None:
    """Neither in the audit nor in the draft."""
    secret = "ghp_" + "a1B2" * 9
    for session in ("s1", "s2"):
        scene.fail(f"Error: remote: token {secret} denied", session, f"deployer push --token {secret}")
    assert len(scene.drafts()) == 1
    assert secret not in str(scene.drafts())
    assert secret.encode() not in (scene.project.home / AUDIT_FILE).read_bytes()


# ── what a person does with drafts ──


def test_a_draft_is_merged_into_a_row_that_then_hits_its_call(scene: Scene) -> None:
    """The row keeps what it recalls and gains words and example; the draft is merged, with who and why."""
    row = {"id": "cf", "tool": "^other$", "all": [["cloudflare"], ["재부팅"]], "recall": "Cloudflare 2FA 로그인", "positive": ["Cloudflare 재부팅"]}
    trigger_rows.draft(scene.project, row)
    trigger_rows.approve(scene.project, "cf", "seen", PERSON)
    scene.call()
    scene.ask()
    draft = scene.drafts()[1]
    target, merged = trigger_rows.merge(scene.project, draft.id, "cf", "the same login", PERSON).triggers
    assert (target.state, merged.state, merged.steps[-1].reason) == ("approved", "merged", "the same login")
    assert target.row["recall"] == "Cloudflare 2FA 로그인" and target.row["positive"] == ["Cloudflare 재부팅", TASK]
    assert target.steps[-1].author == "person:ada" and draft.id in target.steps[-1].reason
    assert scene.way in scene.call(session="s2").context
    assert {(one.cause, one.registered, one.merged) for one in trigger_rows.causes(scene.project).causes} == {
        ("by-hand", 1, 0),
        ("asked-by-hand", 0, 1),
    }


def test_a_merge_that_breaks_an_example_or_is_no_persons_is_refused(scene: Scene) -> None:
    """Nothing is stored then; neither is anything for a row in another state."""
    row = {"id": "cf", "tool": "aside", "subject": ["cloudflare"], "actions": [["재부팅"]], "recall": "x y", "negative": [TASK]}
    trigger_rows.draft(scene.project, row)
    scene.call()
    scene.ask()
    draft = scene.drafts()[1]
    with pytest.raises(LifecycleError, match="an approved row"):
        trigger_rows.merge(scene.project, draft.id, "cf", "same", PERSON)
    trigger_rows.approve(scene.project, "cf", "seen", PERSON)
    with pytest.raises(InvalidRecordError, match="Nothing was stored"):
        trigger_rows.merge(scene.project, draft.id, "cf", "same", PERSON)
    for project, proof in ((scene.of("s1"), PERSON), (scene.project, Proof()), (scene.project, Proof(token="guess"))):
        with pytest.raises(NotAPersonError):
            trigger_rows.merge(project, draft.id, "cf", "same", proof)
    assert [line.state for line in scene.drafts()] == ["approved", "draft"]


def test_what_was_dismissed_is_not_drafted_again_and_is_counted(scene: Scene) -> None:
    """A person's no holds; what became of drafts is told by cause, and where most are dismissed, that is told."""
    for number in range(5):
        command = f"tool{'abcde'[number]} run"
        scene.fail("Error: quota", "s1", command)
        scene.fail("Error: quota", "s2", command)
    for line in scene.drafts():
        trigger_rows.decide(scene.project, line.id, "TriggerDismissed", "noise", PERSON)
    scene.fail("Error: quota", "s3", "toola run")
    told = trigger_rows.causes(scene.project)
    assert [(one.cause, one.drafts, one.dismissed, one.waiting) for one in told.causes] == [("failure-again", 5, 5, 0)]
    assert "5 of 5 decided drafts were dismissed" in told.notes[0]


def test_waiting_drafts_are_told_to_the_person(scene: Scene) -> None:
    """When a session begins, and by doctor."""
    assert scene.tell("session_start", "s9", source="startup").notice == ""
    scene.call()
    scene.ask()
    assert "1 trigger draft waits" in scene.tell("session_start", "s10", source="startup").notice
    assert any(finding.code == "trigger-drafts" for finding in doctor(scene.project.home).findings)
