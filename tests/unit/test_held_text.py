"""What came too late for its moment, or at one at which the host takes no text, is said at the next one, once, to the same listener."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.operations.project import open_project
from knowledge.operations.record import Draft, record
from knowledge.records.claims import Author
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
