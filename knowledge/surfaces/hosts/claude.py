"""Claude Code: `.mcp.json`, hooks in `.claude/settings.local.json`, and a skill in the project. Payloads and answers as version 2.1 has them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from knowledge.records.agent_events import AgentEvent, Moment, Reply
from knowledge.surfaces.hosts.advice import SKILL
from knowledge.surfaces.hosts.edits import with_hooks, with_json
from knowledge.surfaces.hosts.host import OURS, Change, Dialect, Host, Launch, named, text_of, word

_CONFIG = ".mcp.json"
_HOOKS = ".claude/settings.local.json"
"""A person's own settings: the hooks name an interpreter of this machine."""
_SECONDS = 10
_MOMENTS: dict[str, Moment] = {
    "SessionStart": "session_start",
    "SubagentStart": "subagent_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_call",
    "PostToolUse": "after_call",
    "PostToolUseFailure": "after_failure",
    "PostToolBatch": "after_batch",
    "Stop": "stop",
    "SubagentStop": "subagent_stop",
    "PreCompact": "before_compaction",
}
_EVENTS = {moment: event for event, moment in _MOMENTS.items()}


def _changes(launch: Launch) -> dict[str, Change]:
    return {_CONFIG: partial(_server, launch.server), _HOOKS: partial(_hooks, launch), ".claude/skills/knowledge/SKILL.md": _skill}


def _server(command: list[str], text: str | None, is_wanted: bool) -> str | None:
    value = {"type": "stdio", "command": command[0], "args": command[1:]} if is_wanted else None
    return with_json(text, ("mcpServers", "knowledge"), value, PurePosixPath(_CONFIG))


def _hooks(launch: Launch, text: str | None, is_wanted: bool) -> str | None:
    groups = {}
    for event, moment in _MOMENTS.items() if is_wanted else ():
        words = launch.hook("claude", moment)
        groups[event] = {"hooks": [{"type": "command", "command": words[0], "args": words[1:], "timeout": _SECONDS}]}
    return with_hooks(text, groups, OURS, PurePosixPath(_HOOKS))


def _skill(text: str | None, is_wanted: bool) -> str | None:
    return SKILL if is_wanted else None


def _read(payload: Mapping[str, Any]) -> AgentEvent | None:
    moment = _MOMENTS.get(word(payload, "hook_event_name"))
    # Cursor, VS Code and Copilot CLI run Claude Code's hooks, too, besides their own; they tell the time, or their version.
    if moment is None or "cursor_version" in payload or "timestamp" in payload:
        return None
    return read_as("claude", moment, payload)


def read_as(host: str, moment: Moment, payload: Mapping[str, Any]) -> AgentEvent:
    """A payload in the words that Claude Code has coined and others took over."""
    batch = payload.get("tool_calls")
    failed = word(payload, "error")
    return AgentEvent(
        host=host,
        moment=moment,
        session=word(payload, "session_id"),
        agent=word(payload, "agent_id"),
        source=word(payload, "source"),
        tool=word(payload, "tool_name"),
        call=word(payload, "tool_use_id"),
        arguments=named(payload, "tool_input"),
        result=failed or text_of(payload.get("tool_response")),
        prompt=word(payload, "prompt"),
        message=word(payload, "last_assistant_message"),
        is_continued=payload.get("stop_hook_active") is True,
        folder=word(payload, "cwd"),
        calls=tuple(read_as(host, "after_call", {**payload, "tool_calls": None, **one}) for one in batch if isinstance(one, Mapping))
        if isinstance(batch, list)
        else (),
    )


def _write(event: AgentEvent, reply: Reply) -> Mapping[str, Any]:
    """At a stop any text makes the agent go on, so it is only given where that is meant; else a person sees it."""
    is_stop = event.moment in ("stop", "subagent_stop")
    inner: dict[str, Any] = {}
    if reply.context and (reply.is_continuing or not is_stop):
        inner["additionalContext"] = reply.context
    if reply.arguments is not None and event.moment == "before_call":
        inner["updatedInput"] = reply.arguments
    said: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": _EVENTS[event.moment], **inner}} if inner else {}
    notice = reply.notice or (reply.context if is_stop and not inner else "")
    return said | ({"systemMessage": notice} if notice else {})


HOST = Host(
    "claude",
    "Claude Code",
    _changes,
    after="Start claude in this folder and approve the server `knowledge`; allow its tools as mcp__knowledge__*.",
    dialect=Dialect(
        _read,
        _write,
        text_at=frozenset(_EVENTS) - {"before_compaction"},
        can_rewrite=True,
        limits=(
            "text before a call reaches the model with the call's result; only a rewritten argument comes before",
            "nothing can be said before a compaction; it is said again after it",
        ),
    ),
    hooks=_HOOKS,
)
