"""What came too late for its moment, or at one at which the host takes no text, is said at the next one, once, to the same listener."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.config import PROCESS_MARK
from knowledge.operations.off_record import put_on_record
from knowledge.operations.project import open_project
from knowledge.operations.record import Draft, record
from knowledge.records.claims import Author
from knowledge.repository.processes import program_of
from knowledge.surfaces.daemon.answering import Desk


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """A repository with a claim that fell."""
    monkeypatch.setenv("KNOWLEDGE_PERSONAL", str(tmp_path / "none"))
    made = GitRepo.create(tmp_path / "repo")
    made.write("a.py", "def f():\n    return 1\n")
    made.commit("Add a")
    with open_project(made.path, Author("person", "ada"), create=True) as project:
        record(project, Draft("`f` returns 1"))
    made.write("a.py", "def f():\n    return 2\n")
    return made


@pytest.fixture
def desk(repo: GitRepo) -> Iterator[Desk]:
    opened = Desk(repo.path / ".git")
    yield opened
    opened.close()


def payload(repo: GitRepo, name: str, session: str = "s1", **fields: object) -> bytes:
    return json.dumps({"session_id": session, "cwd": str(repo.path), "hook_event_name": name, **fields}).encode()


def call(repo: GitRepo, session: str = "s1", number: int = 0) -> bytes:
    return payload(repo, "PreToolUse", session, tool_name="Bash", tool_input={"command": f"echo {number}"})


def test_a_late_answer_is_said_at_the_next_moment_once(repo: GitRepo, desk: Desk) -> None:
    """Not at the next but one, and not to another session or sub-agent."""
    late = desk.answer("claude", payload(repo, "SessionStart", source="startup"))
    assert "`f` returns 1" in late.context
    desk.hold(late)
    assert desk.answer("claude", call(repo, "s2")).answer == b""
    sub_agents = payload(repo, "PreToolUse", tool_name="Bash", tool_input={"command": "x"}, agent_id="a1")
    assert desk.answer("claude", sub_agents).answer == b""
    assert b"`f` returns 1" in desk.answer("claude", call(repo, number=1)).answer
    assert desk.answer("claude", call(repo, number=2)).answer == b""


def test_an_answer_with_nothing_to_say_holds_nothing(repo: GitRepo, desk: Desk) -> None:
    """A late nothing is a nothing."""
    desk.hold(desk.answer("claude", call(repo)))
    assert desk.answer("claude", call(repo, number=1)).answer == b""


def test_what_a_host_cannot_take_before_a_call_is_said_after_it(repo: GitRepo, desk: Desk) -> None:
    """Gemini ignores text before a call; it gets it with the result."""
    edit = {"tool_name": "replace", "tool_input": {"file_path": "a.py", "old_string": "    return 2", "new_string": "    return 3"}}
    assert desk.answer("gemini", payload(repo, "BeforeTool", **edit)).answer == b""
    after = desk.answer("gemini", payload(repo, "AfterTool", **edit, tool_response={"llmContent": "done"}))
    assert b"`f` returns 1" in after.answer


HOOK = "import os, sys; open(sys.argv[1] + '.part', 'w').write(str(os.getpid())); os.rename(sys.argv[1] + '.part', sys.argv[1]); sys.stdin.read()"
PROGRAM = """
import subprocess, sys
hook = subprocess.Popen(["sh", "-c", sys.argv[1] + "; true"], stdin=subprocess.PIPE)
sys.stdin.read()
hook.communicate()
print(subprocess.run(["sh", "-c", sys.argv[2] + "; true"], capture_output=True, text=True))
"""
"""An agent's program: it runs a hook in a shell, and then a command in another one."""


def test_a_program_that_names_no_session_is_known_by_its_process(repo: GitRepo, desk: Desk) -> None:
    """What it starts is off the record with it, through shells in between; what another program starts is not, and one step takes it back."""
    named = repo.path.parent / "hook"
    recording = f"{shlex.quote(sys.executable)} -m knowledge claim record '`f` is called by nobody'"
    words = [sys.executable, "-c", PROGRAM, shlex.join([sys.executable, "-c", HOOK, str(named)]), recording]
    with subprocess.Popen(words, cwd=repo.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        while not named.exists():
            time.sleep(0.01)
        mark = program_of(int(named.read_text()))
        assert mark.startswith(f"{PROCESS_MARK}{program.pid}:")
        answer = desk.answer("gemini", payload(repo, "BeforeAgent", prompt="이 세션은 기억하지 마"), int(named.read_text())).answer
        told = program.communicate()[0]
    assert b"off the record" in answer
    assert "off-record" in told or "off the record" in told
    with open_project(repo.path, Author("agent", "gemini")) as project:
        assert [claim.statement for claim in project.ledger.claims()] == ["`f` returns 1"]
        record(project, Draft("`f` is called by nobody"))
        assert project.audit.is_off_record(["s1"]) and project.audit.is_off_record([mark])
        put_on_record(project, "s1")
        assert not project.audit.is_off_record(["s1", mark])
