"""Three reports that a memory which comes by itself "works" were overturned elsewhere, each because the samples did not look like real work.

    first   results encoded twice, so that the log had no ids; tests' own rows in the log; the body of an error put before a task
    second  the same words of another service; time-outs in a row
    third   records of real length, at which the gates were silent

Here these samples go the real way: a real server and client, the real hook and daemon, records as long as real ones.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo, isolated_environment
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from test_daemon import Daemon, daemon, decisions, until

from knowledge.config import AUDIT_FILE
from knowledge.operations import trigger_rows
from knowledge.operations.attending import attend
from knowledge.operations.persons import AGENT_VARIABLES, TOKEN_VARIABLE, Proof
from knowledge.operations.project import Project, open_project
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.records.agent_events import AgentEvent
from knowledge.records.claims import Author
from knowledge.storage.audit import open_audit
from knowledge.surfaces.daemon.place import meeting_file

__all__ = ["daemon"]

WAY = "Cloudflare 대시보드 2FA 로그인: Claude Code만 2FA 시드를 읽고, 계산한 6자리 코드만 aside에 넘긴다."
PURGED = "Cloudflare 캐시 퍼지는 aside로 대시보드에 로그인해서 파일 하나만 한다. 성공했다."
CANNOT = "토큰에 zone 권한이 없어서 Cloudflare 캐시 퍼지는 할 수 없다."
PADDING = "배포 스크립트가 {} 번째 정적 파일을 올리고 응답 헤더를 눈으로 확인했다. 로그에는 다른 경고가 없었고 다음 단계로 넘어갔다. "
ROW: dict[str, Any] = {
    "id": "cf",
    "tool": "^(aside|prompt)$",
    "subject": ["cloudflare", "클라우드플레어"],
    "actions": [["로그인", "login", "2fa"]],
    "recall": "Cloudflare 대시보드 2FA 로그인",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A repository that remembers two ways, with a row that a person approved."""
    for name in (*AGENT_VARIABLES, TOKEN_VARIABLE, "KNOWLEDGE_SESSION", "CLAUDE_CODE_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit("Add a")
    with open_project(repo.path, Author("person", "ada"), create=True) as opened:
        for statement in (WAY, PURGED):
            record(opened, Draft(statement, anchors=(UNANCHORED,)))
        trigger_rows.draft(opened, ROW)
        trigger_rows.approve(opened, "cf", "seen in replay", Proof(has_terminal=True))
        yield opened


def long_record(sentence: str, number: int = 0) -> str:
    """A record of production length, the sentence amid it."""
    parts = [PADDING.format(number * 100 + place) for place in range(40)]
    return "[완료] " + "".join(parts[:25]) + sentence + " " + "".join(parts[25:])


# ── first ──


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_recall_over_mcp_is_encoded_once_and_logged_with_its_ids(project: Project, mode: str) -> None:
    """The text is the structure's JSON, not a JSON string in it, and the audit's row of the asking names what was found."""
    environment = isolated_environment() | {"KNOWLEDGE_SESSION": "one"}
    server = StdioServerParameters(command=sys.executable, args=["-m", "knowledge", "mcp"], cwd=str(project.home.parent), env=environment)

    async def ask() -> Any:
        async with Client(server, mode=mode) as client:
            return await client.call_tool("recall", {"query": "Cloudflare 2FA 로그인"})

    answer = asyncio.run(ask())
    found = answer.structured_content["answer"]["relevant_claims"]
    assert found[0]["statement"] == WAY and json.loads(answer.content[0].text) == answer.structured_content
    with open_audit(project.home / AUDIT_FILE) as audit:
        rows = [d for d in audit.decisions() if d.adviser == "asked"]
    assert [(row.session, row.claims[0]) for row in rows] == [("one", found[0]["id"])]


def test_the_body_of_an_error_is_put_before_no_task(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recall that fails, whatever it says, adds nothing and is a failure with its cause."""
    monkeypatch.setattr("knowledge.operations.triggered.recall", _refused)
    event = AgentEvent("claude", "before_call", "s1", tool="aside", arguments={"task": "Cloudflare에 로그인해라"})
    assert attend(project, event).context == "" and attend(project, event).arguments is None
    with open_audit(project.home / AUDIT_FILE) as audit:
        failed = [d for d in audit.decisions() if d.outcome == "failed"]
    assert {(d.adviser, d.claims, d.tokens) for d in failed} == {("triggered", (), 0)} and "invalid token" in failed[0].cause


def _refused(*_: object, **__: object) -> None:
    raise OSError('{"error": "invalid token", "code": 9109}')


def test_an_invalid_token_at_the_daemon_is_answered_with_nothing(daemon: Daemon) -> None:
    """And counted; neither the token nor what was asked is kept."""
    daemon.remember()
    daemon.begin("s1")
    address, _ = meeting_file(daemon.folder.parent).read_text().split()
    right = meeting_file(daemon.folder.parent).read_text()
    meeting_file(daemon.folder.parent).write_text(f"{address}\n{'0' * 32}\n")
    assert daemon.begin("s2") == b""
    meeting_file(daemon.folder.parent).write_text(right)
    until(lambda: "wrong-token" in daemon.causes())
    assert daemon.begin("s3")


# ── second ──


@pytest.mark.parametrize(
    "text",
    [
        "같은 방식으로 GitHub 2FA 코드를 넣어 로그인해라. 6자리 코드만 넘긴다.",
        "Log in to Vercel with 2FA and hand over the 6-digit code only",
        "AWS 콘솔에 2FA로 로그인하고, 시드는 읽지 마라",
    ],
)
def test_the_same_words_of_another_service_bring_nothing(project: Project, text: str) -> None:
    """Neither before a call nor at a prompt; 0 bytes."""
    call = AgentEvent("claude", "before_call", "s1", tool="aside", arguments={"task": text})
    assert (attend(project, call).context, attend(project, AgentEvent("claude", "prompt", "s1", prompt=text)).context) == ("", "")


def test_another_service_is_neither_contradicted_nor_the_same_trap(project: Project) -> None:
    """The gate and the recurrence look for the service, too."""
    record(project, Draft(f"[gotcha] {CANNOT}", anchors=(UNANCHORED,)))
    answer = record(project, Draft("[gotcha] 토큰에 zone 권한이 없어서 Fastly 캐시 퍼지는 할 수 없다.", anchors=(UNANCHORED,)))
    assert answer.gate is not None and answer.gate.has_run and not answer.gate.warnings
    assert [line.id for line in trigger_rows.rows_of(project).values()] == ["cf"]


def test_time_outs_do_not_add_up(daemon: Daemon) -> None:
    """Calls that were given up while the daemon hung are not worked off one after another when it comes back: the next one is answered at once."""
    daemon.remember()
    daemon.begin("warm")
    pid = daemon.pid()
    os.kill(pid, signal.SIGSTOP)
    for number in range(6):
        given_up = daemon.event("SessionStart", f"gone-{number}", source="startup")
        assert daemon.hook(given_up, "claude", str(daemon.folder.parent), environment={"KNOWLEDGE_HOOK_MS": "40"}) == b""
    os.kill(pid, signal.SIGCONT)
    assert daemon.begin("next") and daemon.pid() == pid
    assert not [row for row in decisions(daemon) if row.session.startswith("gone")]
    assert "deadline" in daemon.causes()


# ── third ──


def test_records_of_real_length_go_through_the_gates(project: Project) -> None:
    """Twelve records of more than 2,000 characters: the gate ran for each, and found the precedent amid the length."""
    answers = [record(project, Draft(long_record(CANNOT, number), anchors=(UNANCHORED,))) for number in range(11)]
    plain = record(project, Draft(long_record("파일 목록을 적어 두었다.", 99), anchors=(UNANCHORED,)))
    assert all(len(answer.claim.statement) > 2_000 for answer in answers)
    assert all(answer.gate is not None and answer.gate.has_run for answer in answers)
    # What several records say alike is no news any more.
    assert all(answer.gate is not None and answer.gate.warnings for answer in answers[:3])
    assert answers[0].gate is not None and answers[0].gate.warnings[0].remembered in PURGED
    assert plain.gate is not None and plain.gate.has_run and not plain.gate.warnings
    with open_audit(project.home / AUDIT_FILE) as audit:
        assert {d.outcome for d in audit.decisions() if d.adviser == "write_gate"} == {"match", "miss"}


def test_a_trap_of_real_length_recurs(project: Project) -> None:
    """The detection reads sentences, so the length of the records around them does not silence it."""
    record(project, Draft(long_record(CANNOT), tags=("kind:gotcha",), anchors=(UNANCHORED,)))
    text = long_record("Cloudflare 토큰에 zone 권한이 없어 캐시 퍼지가 불가하다.", 5)
    again = record(project, Draft(text, tags=("kind:gotcha",), anchors=(UNANCHORED,)))
    assert any("told of this trap before" in note for note in again.notes)


def test_a_message_and_a_task_of_real_length_bring_the_memory(project: Project) -> None:
    """The last message of a turn, and a task, of thousands of characters."""
    stop = attend(project, AgentEvent("claude", "stop", "s1", message=long_record(f"그래서 {CANNOT}")))
    assert stop.is_continuing and "파일 하나만" in stop.context
    task = long_record("Cloudflare 대시보드에 2FA로 로그인해라.")
    assert "6자리 코드만" in attend(project, AgentEvent("claude", "before_call", "s2", tool="aside", arguments={"task": task})).context
