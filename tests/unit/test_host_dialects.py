"""What hosts tell of their moments and how they take answers, on payloads that they really sent."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from knowledge.errors import InvalidRecordError
from knowledge.records.agent_events import AgentEvent, Reply
from knowledge.surfaces.hosts.edits import with_hooks
from knowledge.surfaces.hosts.host import OURS, Dialect, Launch
from knowledge.surfaces.hosts.table import HOSTS

CAPTURED = [json.loads(line) for line in (Path(__file__).parents[1] / "cases" / "hosts" / "captured_payloads.jsonl").read_text().splitlines()]
TOLD = [name for name, host in HOSTS.items() if host.dialect is not None]
GRANTING = {"permissionDecision", "permission", "allow", "permissionDecisionReason"}


def dialect(host: str) -> Dialect:
    """The dialect of a host that has one."""
    found = HOSTS[host].dialect
    assert found is not None
    return found


def said(host: str, event: AgentEvent, reply: Reply) -> str:
    """What goes back, as JSON; "" for nothing."""
    written = dialect(host).write(event, reply)
    return json.dumps(written) if written else ""


@pytest.mark.parametrize("line", CAPTURED, ids=lambda line: f"{line['host']}-{line['payload']['hook_event_name']}")
def test_captured_payloads_are_understood(line: dict[str, Any]) -> None:
    """Every moment that we register for is read with its session, its folder and its own words."""
    payload = line["payload"]
    event = dialect(line["host"]).read(payload)
    if payload["hook_event_name"] == "SessionEnd":
        assert event is None
        return
    assert event is not None
    assert (event.host, event.session, event.folder) == (line["host"], payload["session_id"], "/project")
    assert event.tool == payload.get("tool_name", "")
    assert event.arguments == payload.get("tool_input", {})
    assert event.agent == payload.get("agent_id", "")


def test_gemini_does_not_take_what_hooks_added_for_the_persons_words() -> None:
    """A prompt comes with the text of earlier hooks around it, and the tool's answer in a wrapping of its own."""
    payloads = [
        line["payload"] for line in CAPTURED if line["host"] == "gemini" and line["payload"].get("tool_name", "mcp_mem_").startswith("mcp_mem_")
    ]
    events = {payload["hook_event_name"]: dialect("gemini").read(payload) for payload in payloads}
    prompt, answer, end = events["BeforeAgent"], events["AfterTool"], events["AfterAgent"]
    assert prompt is not None and prompt.prompt == "hello prompt"
    assert answer is not None and "recalled for: [mem] q1" in answer.result
    assert end is not None and (end.moment, end.message) == ("stop", "done")


def test_gemini_tells_a_command_that_failed_only_by_its_exit_code() -> None:
    """So it is read there; a tool that failed says so. What a command wrote about exit codes is no exit code."""
    answers = [(line["payload"], dialect("gemini").read(line["payload"])) for line in CAPTURED if line["payload"]["hook_event_name"] == "AfterTool"]
    told = {(payload["tool_name"], json.dumps(payload["tool_input"])[:40]): event.moment for payload, event in answers if event is not None}
    assert set(told.values()) == {"after_call", "after_failure"}
    assert {name for (name, _), moment in told.items() if moment == "after_failure"} == {"run_shell_command", "mcp_aside_fail", "replace"}
    payload = next(payload for payload, event in answers if event and event.tool == "run_shell_command" and event.moment == "after_failure")
    read = dialect("gemini").read(payload)
    assert read is not None and read.result == "error: cloudflare zone purge needs 2FA login"
    for text in ("Output: Exit Code: 1\nProcess Group PGID: 1", "Output: a\nExit Code: 0\nPGID: 1", "Output: Exit Code: 3\nthat was it\nPGID: 1"):
        response = {"llmContent": f"<untrusted_context>\n{text}\n</untrusted_context>"}
        event = dialect("gemini").read({**payload, "tool_response": response})
        assert event is not None and event.moment == "after_call", text


@pytest.mark.parametrize(("code", "moment"), [(1, "after_failure"), (0, "after_call"), (None, "after_call")])
def test_codex_tells_a_command_that_failed_only_in_its_transcript(code: int | None, moment: str, tmp_path: Path) -> None:
    """Its hook is told what the command wrote; the line of the transcript is as Codex writes it just before. The answer goes back to PostToolUse."""
    payload = next(line["payload"] for line in CAPTURED if line["host"] == "codex" and line["payload"]["hook_event_name"] == "PostToolUse")
    transcript = tmp_path / "rollout.jsonl"
    lines = [{"type": "event_msg", "payload": {"type": "item_completed", "item": {"type": "CommandExecution", "id": "another", "exit_code": 1}}}]
    if code is not None:
        item = {"type": "CommandExecution", "id": payload["tool_use_id"], "status": "failed" if code else "completed", "exit_code": code}
        lines.append({"type": "event_msg", "payload": {"type": "item_completed", "item": item}})
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"half a line', encoding="utf-8")
    event = dialect("codex").read({**payload, "transcript_path": str(transcript)})
    assert event is not None and event.moment == moment
    written = dialect("codex").write(event, Reply("remembered"))
    assert written == {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "remembered"}}


@pytest.mark.parametrize("path", ["", "/nowhere/at all", "/dev/zero", "/", "\0"])
def test_a_transcript_that_cannot_be_read_tells_nothing(path: str) -> None:
    """No file of another kind is waited for."""
    payload = next(line["payload"] for line in CAPTURED if line["host"] == "codex" and line["payload"]["hook_event_name"] == "PostToolUse")
    event = dialect("codex").read({**payload, "transcript_path": path})
    assert event is not None and event.moment == "after_call"


@pytest.mark.parametrize("host", TOLD)
def test_an_answer_never_grants_a_permission(host: str) -> None:
    """Whatever is replied at whatever moment, no word of the answer speaks of a permission."""
    one = dialect(host)
    for line in CAPTURED:
        event = one.read(line["payload"]) if line["host"] == host else None
        if event is None:
            continue
        for reply in (Reply("text"), Reply("text", {"command": "changed"}, True, "notice"), Reply(notice="notice")):
            assert not GRANTING & set(json.dumps(one.write(event, reply)).replace('"', " ").split())


@pytest.mark.parametrize("host", TOLD)
def test_an_empty_reply_says_nothing(host: str) -> None:
    """Nothing to say is no byte, not an empty object."""
    for line in CAPTURED:
        event = dialect(host).read(line["payload"]) if line["host"] == host else None
        assert event is None or said(host, event, Reply()) == ""


def event_of(host: str, moment: Any) -> AgentEvent:
    """A moment with a call in it."""
    return AgentEvent(host, moment, "s", tool="Bash", arguments={"command": "ls", "description": "list"})


def test_each_host_is_answered_in_its_own_words() -> None:
    """The same reply, as the three take it."""
    reply = Reply("seen before", {"command": "ls", "description": "list; seen before"})
    assert dialect("claude").write(event_of("claude", "before_call"), reply) == {
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "seen before", "updatedInput": reply.arguments}
    }
    assert dialect("codex").write(event_of("codex", "before_call"), reply) == {
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "seen before"}
    }
    assert dialect("gemini").write(event_of("gemini", "before_call"), reply) == {
        "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {"description": "list; seen before"}}
    }


@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_a_stop_goes_on_only_where_that_is_meant(host: str) -> None:
    """Text at a stop is shown to a person unless the reply says to go on."""
    event = event_of(host, "stop")
    assert dialect(host).write(event, Reply("two claims are stale")) == {"systemMessage": "two claims are stale"}
    assert "systemMessage" not in dialect(host).write(event, Reply("a way is known", is_continuing=True))


def test_a_batch_is_read_with_its_calls() -> None:
    """What Claude Code tells after several calls at once holds each of them."""
    payload = {"session_id": "s", "cwd": "/p", "hook_event_name": "PostToolBatch", "tool_calls": [{"tool_name": "Read", "tool_use_id": "t1"}]}
    event = dialect("claude").read(payload)
    assert event is not None
    assert [(call.tool, call.call, call.session) for call in event.calls] == [("Read", "t1", "s")]


def test_cursor_running_claudes_hooks_is_left_to_its_own() -> None:
    """Cursor runs the hooks of Claude Code too; they say nothing there."""
    assert dialect("claude").read({"hook_event_name": "SessionStart", "session_id": "s", "cursor_version": "3"}) is None


def test_wrong_types_in_a_payload_are_no_failure() -> None:
    """A payload whose fields are of other types than ever seen is read as far as it goes."""
    event = dialect("claude").read({"hook_event_name": "PreToolUse", "session_id": 5, "tool_input": "x", "tool_calls": 3, "cwd": None})
    assert event == replace(AgentEvent("claude", "before_call", ""))


LAUNCH = Launch(["knowledge", "mcp"], Path("/project/.git"))


@pytest.mark.parametrize("host", [name for name in TOLD if HOSTS[name].hooks.endswith(".json")])
def test_hooks_come_and_go_without_a_trace(host: str, tmp_path: Path) -> None:
    """Writing twice changes nothing the second time; taking out leaves the file as it was before, other hooks in it untouched."""
    file = tmp_path / HOSTS[host].hooks
    file.parent.mkdir(parents=True)
    theirs = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}, indent=2) + "\n"
    file.write_text(theirs)

    def change(*, is_removal: bool) -> int:
        edits = [edit for edit in HOSTS[host].edits(tmp_path, LAUNCH, is_removal=is_removal) if str(edit.path) == HOSTS[host].hooks]
        for edit in edits:
            file.write_text(edit.after or "")
        return len(edits)

    assert change(is_removal=False) == 1
    assert OURS in file.read_text() and "theirs" in file.read_text()
    assert change(is_removal=False) == 0
    assert change(is_removal=True) == 1
    assert file.read_text() == theirs


def test_hooks_that_cannot_be_read_are_left_alone() -> None:
    """A settings file that is no JSON, or has something else where hooks stand, is not touched."""
    for text in ("{", '{"hooks": []}', '{"hooks": {"Stop": 1}}', "[]"):
        with pytest.raises(InvalidRecordError):
            with_hooks(text, {}, OURS, Path("settings.json"))  # type: ignore[arg-type]
