"""Cursor, Copilot CLI, VS Code and OpenCode: payloads as Copilot and OpenCode sent them, and as the other two document them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.records.agent_events import AgentEvent, Moment, Reply
from knowledge.surfaces.hosts.host import CLIENT, OURS, Dialect, Launch
from knowledge.surfaces.hosts.table import HOSTS

TOLD = [json.loads(line) for line in (Path(__file__).parents[1] / "cases" / "hosts" / "further_payloads.jsonl").read_text().splitlines()]
FURTHER = sorted({line["host"] for line in TOLD})
GRANTING = {"permissionDecision", "permission", "allow", "behavior", "continue", "approve"}
REPLIES = st.builds(
    Reply, st.sampled_from(["", "a way is known"]), st.none() | st.just({"text": "changed"}), st.booleans(), st.sampled_from(["", "!"])
)


def dialect(host: str) -> Dialect:
    """The dialect of a host that has one."""
    found = HOSTS[host].dialect
    assert found is not None
    return found


def written(host: str, moment: Any, reply: Reply) -> dict[str, Any]:
    """What goes back at a moment."""
    return dict(dialect(host).write(AgentEvent(host, moment, "s", tool="Bash", arguments={"text": "as it was"}), reply))


@pytest.mark.parametrize("line", TOLD, ids=lambda line: f"{line['host']}-{line['moment']}")
def test_each_payload_is_understood(line: dict[str, Any]) -> None:
    """Every moment is read with its session, its folder and its call."""
    event = dialect(line["host"]).read(line["payload"])
    assert event is not None
    assert (event.host, event.moment, event.folder) == (line["host"], line["moment"], "/project") and event.session
    if "call" in line["moment"] or line["moment"] == "after_failure":
        assert event.tool and event.arguments
    if line["moment"] in ("after_call", "after_failure"):
        assert event.result
    if line["moment"] == "session_start":
        assert event.source == "startup"


@given(st.sampled_from(sorted(HOSTS)), st.sampled_from(get_args(Moment)), REPLIES)
def test_no_answer_of_any_host_speaks_of_a_permission(host: str, moment: Any, reply: Reply) -> None:
    """Whatever is replied at whatever moment that the host has."""
    one = dialect(host)
    if moment in one.text_at or moment in ("prompt", "before_call"):
        assert not GRANTING & set(json.dumps(one.write(AgentEvent(host, moment, "s"), reply)).replace('"', " ").split())


@given(st.sampled_from(sorted(HOSTS)), st.sampled_from(get_args(Moment)))
def test_an_empty_reply_is_no_byte(host: str, moment: Any) -> None:
    """Nothing to say is nothing said."""
    if moment in dialect(host).text_at:
        assert written(host, moment, Reply()) == {}


def test_each_is_answered_in_its_own_words() -> None:
    """The same reply, as the four take it."""
    reply = Reply("seen before", {"text": "as it was; seen before"})
    assert written("cursor", "before_call", reply) == {"updated_input": reply.arguments}
    assert written("copilot", "before_call", reply) == {"modifiedArgs": reply.arguments}
    assert written("opencode", "before_call", reply) == {"arguments": reply.arguments}
    assert written("vscode", "before_call", reply)["hookSpecificOutput"]["updatedInput"] == reply.arguments
    assert written("cursor", "after_call", reply) == {"additional_context": "seen before"}
    assert written("copilot", "after_failure", reply) == {"additionalContext": "seen before"}
    assert written("opencode", "prompt", reply) == {"context": "seen before"}
    going_on = Reply("a way is known", is_continuing=True)
    assert written("cursor", "stop", going_on) == {"followup_message": "a way is known"}
    assert written("copilot", "stop", going_on) == {"decision": "block", "reason": "a way is known"}
    assert written("vscode", "stop", going_on)["hookSpecificOutput"] == {"hookEventName": "Stop", "decision": "block", "reason": "a way is known"}
    for host in ("cursor", "copilot", "vscode"):
        assert "decision" not in json.dumps(written(host, "stop", Reply("two claims are stale"))) and "followup" not in json.dumps(
            written(host, "stop", Reply("two claims are stale"))
        )


@pytest.mark.parametrize("host", FURTHER)
def test_what_one_of_them_tells_is_nobody_elses(host: str) -> None:
    """Several of them run each other's hooks, too: only its own answers."""
    for line in TOLD:
        if line["host"] == host:
            assert [name for name in sorted(HOSTS) if name in ("claude", *FURTHER) and dialect(name).read(line["payload"]) is not None] == [host]


def test_copilots_hooks_in_the_words_of_vs_code_are_left_to_its_own() -> None:
    """Copilot CLI reads the files of VS Code's hooks as well."""
    common = {"session_id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/project"}
    for told in (
        {"hook_event_name": "SessionStart", "source": "new"},
        {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}},
        {"hook_event_name": "Stop", "transcript_path": "/t", "stop_reason": "end_turn", "stop_hook_active": False},
    ):
        assert dialect("vscode").read(common | told) is None and dialect("claude").read(common | told) is None


def test_what_copilots_agent_said_last_is_in_its_transcript(tmp_path: Path) -> None:
    """The last message of all, however long the file; nothing where it cannot be read, is no file, or says none."""
    stop = next(line["payload"] for line in TOLD if line["host"] == "copilot" and line["moment"] == "stop")

    def message(path: str) -> str:
        event = dialect("copilot").read({**stop, "transcriptPath": path})
        assert event is not None
        return event.message

    transcript = tmp_path / "events.jsonl"
    rows = [{"type": "assistant.message", "data": {"content": text}} for text in ("first", "막혔다: 길이 없다")]
    rows += [{"type": "session.note", "data": {"text": '"assistant.message"'}}]
    transcript.write_text("x" * 400_000 + "\n" + "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    assert message(str(transcript)) == "막혔다: 길이 없다"
    os.mkfifo(tmp_path / "pipe")
    assert [message(str(path)) for path in (tmp_path, tmp_path / "none", tmp_path / "pipe", "\0")] == [""] * 4


@pytest.mark.parametrize("host", FURTHER)
def test_what_is_written_goes_without_a_trace(host: str, tmp_path: Path) -> None:
    """Twice is once, other people's settings stay, and taking out leaves nothing behind."""
    launch = Launch(["knowledge", "mcp"], Path("/project/.git"))
    for edit in HOSTS[host].edits(tmp_path, launch, is_removal=False):
        (tmp_path / edit.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / edit.path).write_text(edit.after or "", encoding="utf-8")
    hooks = (tmp_path / HOSTS[host].hooks).read_text(encoding="utf-8")
    assert OURS in hooks and str(CLIENT) in hooks
    assert HOSTS[host].edits(tmp_path, launch, is_removal=False) == []
    assert {edit.after for edit in HOSTS[host].edits(tmp_path, launch, is_removal=True)} == {None}


def test_a_hook_of_a_removed_installation_blocks_nothing(tmp_path: Path) -> None:
    """An interpreter that is asked for a file that is gone ends with 2, which hosts take for a refusal: ours ends with 0 and says nothing."""
    words = Launch(["knowledge", "mcp"], tmp_path).hook("claude", "before_call")
    gone = [str(tmp_path / "gone.py") if word == str(CLIENT) else word for word in words]
    done = subprocess.run(gone, input=b"{}", capture_output=True, check=False, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    line = " ".join(f"'{word}'" for word in [sys.executable, "-c", "print()"])
    assert subprocess.run(["sh", "-c", f"{line} || true"], check=False, timeout=30).returncode == 0


def test_cursors_deciding_hooks_always_answer_json(tmp_path: Path) -> None:
    """Nothing to say is an empty object there, for a hook that may decide must not answer with something else."""
    edits = {str(edit.path): edit.after for edit in HOSTS["cursor"].edits(tmp_path, Launch(["knowledge"], tmp_path), is_removal=False)}
    hooks = json.loads(edits[".cursor/hooks.json"] or "")
    assert hooks["version"] == 1
    for event in ("preToolUse", "beforeSubmitPrompt"):
        done = subprocess.run(["sh", "-c", hooks["hooks"][event][0]["command"]], input=b"{", capture_output=True, check=False, timeout=30)
        assert (done.returncode, json.loads(done.stdout)) == (0, {})
