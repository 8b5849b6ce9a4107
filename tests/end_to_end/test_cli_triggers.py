"""Trigger rows and the audit by the real command: an agent drafts, a person approves, a call gets its memory, and the audit counts it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.operations.attending import attend
from knowledge.operations.persons import AGENT_VARIABLES, TOKEN_VARIABLE
from knowledge.operations.project import open_project
from knowledge.records.agent_events import AgentEvent
from knowledge.records.claims import Author

ROW = {
    "id": "cf",
    "tool": "^aside$",
    "argument": "task",
    "subject": ["cloudflare"],
    "actions": [["로그인", "login"]],
    "recall": "Cloudflare 로그인 절차",
    "positive": ["Cloudflare에 로그인해라"],
    "negative": ["GitHub에 로그인해라"],
}


def environment(**more: str) -> dict[str, str]:
    """That of a person, whoever runs the tests."""
    return {name: value for name, value in os.environ.items() if name not in (*AGENT_VARIABLES, TOKEN_VARIABLE)} | more


def run(repo: GitRepo, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The command without a terminal, as an agent has it."""
    command = [sys.executable, "-m", "knowledge", "--json", *words]
    return subprocess.run(command, cwd=repo.path, env=environment(**more), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def run_at_terminal(repo: GitRepo, *words: str) -> str:
    """The command at a terminal; what it wrote."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "knowledge", *words]
    process = subprocess.Popen(command, cwd=repo.path, env=environment(), stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    written = b""
    try:
        while chunk := os.read(ours, 4_096):
            written += chunk
    except OSError:
        # How a terminal tells that the other side is gone.
        pass
    os.close(ours)
    assert process.wait() == 0, written.decode()
    return written.decode()


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    made = GitRepo.create(tmp_path / "repo")
    made.write("a.py", "x = 1\n")
    made.commit("Add a")
    assert run(made, "init").returncode == 0
    assert run(made, "claim", "record", "Cloudflare 로그인 절차: 6자리 코드만 aside에 넘긴다", "--anchor", "none").returncode == 0
    (tmp_path / "row.json").write_text(json.dumps(ROW), encoding="utf-8")
    assert run(made, "trigger", "add", str(tmp_path / "row.json"), "--agent", "claude", "--session", "s1").returncode == 0
    return made


def test_an_agent_drafts_and_a_person_approves(repo: GitRepo) -> None:
    """Without a terminal, and with an agent's session around it, the approval is refused; at a terminal it holds."""
    for more in ({}, {"CLAUDECODE": "1"}, {TOKEN_VARIABLE: "guess"}):
        refused = run(repo, "trigger", "approve", "cf", "-m", "me", **more)
        assert refused.returncode == 2 and json.loads(refused.stdout)["error"]["code"] == "not-a-person"
    assert "approved" in run_at_terminal(repo, "trigger", "approve", "cf", "-m", "seen in replay")
    line = json.loads(run(repo, "trigger", "show", "cf").stdout)["triggers"][0]
    assert line["state"] == "approved" and [step["author"].partition(":")[0] for step in line["steps"]] == ["agent", "person"]


def test_a_token_of_a_person_and_the_whole_way_of_a_call(repo: GitRepo) -> None:
    """The call's task gets the memory, the audit counts it, a replay finds the call."""
    token = run_at_terminal(repo, "trigger", "token").strip()
    assert run(repo, "trigger", "approve", "cf", "-m", "ci", **{TOKEN_VARIABLE: token}).returncode == 0
    tried = json.loads(run(repo, "trigger", "test", "aside", "Cloudflare에 로그인해서 확인해").stdout)
    assert tried["hits"][0]["tier"] == "full" and "6자리" in tried["context"]
    with open_project(repo.path, Author("agent", "claude", "s1")) as project:
        event = AgentEvent("claude", "before_call", "s1", tool="aside", arguments={"task": "Cloudflare에 로그인해서 확인해"})
        reply = attend(project, event)
    assert reply.arguments is not None and "6자리" in str(reply.arguments["task"])
    told = json.loads(run(repo, "audit", "--rows", "5").stdout)
    assert [(t["id"], t["match"]) for t in told["triggers"]] == [("cf", 1)] and {gate["name"] for gate in told["gates"]} >= {
        "triggered",
        "write_gate",
    }
    assert len(json.loads(run(repo, "trigger", "replay", "cf").stdout)["hits"]) == 1
    assert "match" in run_at_terminal(repo, "audit", "--rows", "2")
    assert run(repo, "trigger", "disable", "cf", "-m", "enough").returncode == 0


def test_a_recall_by_hand_becomes_a_draft_that_a_person_merges(repo: GitRepo) -> None:
    """The call was missed by the row; the notice, the evidence, the refusal of an agent, the merged row and the figures, all by the command."""
    run_at_terminal(repo, "trigger", "approve", "cf", "-m", "seen")
    task = "Cloudflare 대시보드에 6자리 코드를 넣어라"
    with open_project(repo.path, Author("agent", "claude", "s1")) as project:
        assert attend(project, AgentEvent("claude", "before_call", "s1", tool="aside", arguments={"task": task})).arguments is None
    asked = run(repo, "recall", "Cloudflare 6자리 코드", KNOWLEDGE_AGENT="claude", KNOWLEDGE_SESSION="s1")
    (note,) = json.loads(asked.stdout)["notes"]
    draft = json.loads(run(repo, "trigger", "list").stdout)["triggers"][1]
    assert draft["causes"] == ["asked-by-hand"] and f"knowledge trigger merge {draft['id']} cf" in note
    assert task in run_at_terminal(repo, "trigger", "show", draft["id"]).replace("\r\n    ", " ").replace("\r\n", " ")
    assert run(repo, "trigger", "merge", draft["id"], "cf", "-m", "same").returncode == 2
    assert run(repo, "trigger", "merge", draft["id"], "cf", "-m", "same", KNOWLEDGE_AGENT="claude").returncode == 2
    run_at_terminal(repo, "trigger", "merge", draft["id"], "cf", "-m", "same")
    assert json.loads(run(repo, "trigger", "test", "aside", task).stdout)["hits"][0]["tier"] == "full"
    told = {one["cause"]: one for one in json.loads(run(repo, "trigger", "causes").stdout)["causes"]}
    assert (told["asked-by-hand"]["merged"], told["by-hand"]["registered"]) == (1, 1)
    assert "1 merged" in run_at_terminal(repo, "trigger", "causes")


def test_what_is_no_row_is_refused(repo: GitRepo, tmp_path: Path) -> None:
    """Neither JSON, nor a row, nor a known trigger; several rows are taken all or none."""
    file = tmp_path / "bad.json"
    for text in ("{", "[1]", "[]", json.dumps([ROW | {"id": "good"}, ROW | {"id": "bad", "argument": "command"}])):
        file.write_text(text, encoding="utf-8")
        assert run(repo, "trigger", "add", str(file)).returncode == 2
    assert [t["id"] for t in json.loads(run(repo, "trigger", "list").stdout)["triggers"]] == ["cf"]
    assert json.loads(run(repo, "trigger", "replay", "cff").stdout)["error"]["suggestions"] == ["cf"]
