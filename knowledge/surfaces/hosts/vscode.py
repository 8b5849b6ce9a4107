"""VS Code's agent: `.vscode/mcp.json`, hooks in `.github/hooks/knowledge-vscode.json`, a block in AGENTS.md. As its hooks reference has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from knowledge.records.agent_events import AgentEvent, Moment, Reply
from knowledge.surfaces.hosts.advice import advise
from knowledge.surfaces.hosts.claude import read_as
from knowledge.surfaces.hosts.edits import with_hooks, with_json
from knowledge.surfaces.hosts.host import OURS, Change, Dialect, Host, Launch, word

_CONFIG = ".vscode/mcp.json"
_HOOKS = ".github/hooks/knowledge-vscode.json"
_SECONDS = 10
_MOMENTS: dict[str, Moment] = {
    "SessionStart": "session_start",
    "SubagentStart": "subagent_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_call",
    "PostToolUse": "after_call",
    "Stop": "stop",
    "SubagentStop": "subagent_stop",
    "PreCompact": "before_compaction",
}
_EVENTS = {moment: event for event, moment in _MOMENTS.items()}
_COPILOTS = frozenset({"stop_reason", "custom_instructions", "tool_result", "initial_prompt"})
"""Fields of the same events as Copilot CLI tells them, which reads the files of this folder, too."""


def _changes(launch: Launch) -> dict[str, Change]:
    return {_CONFIG: partial(_server, launch.server), _HOOKS: partial(_hooks, launch), "AGENTS.md": advise}


def _server(command: list[str], text: str | None, is_wanted: bool) -> str | None:
    value = {"type": "stdio", "command": command[0], "args": command[1:]} if is_wanted else None
    return with_json(text, ("servers", "knowledge"), value, PurePosixPath(_CONFIG))


def _hooks(launch: Launch, text: str | None, is_wanted: bool) -> str | None:
    groups = {}
    for event, moment in _MOMENTS.items() if is_wanted else ():
        groups[event] = {"type": "command", "command": launch.hook_line("vscode", moment), "timeout": _SECONDS}
    return with_hooks(text, groups, OURS, PurePosixPath(_HOOKS))


def _read(payload: Mapping[str, Any]) -> AgentEvent | None:
    """Its documentation writes the common fields as `hookEventName` and `sessionId`; they are taken in both spellings."""
    moment = _MOMENTS.get(word(payload, "hookEventName") or word(payload, "hook_event_name"))
    if moment is None or "transcript_path" not in payload or _COPILOTS & payload.keys():
        return None
    event = read_as("vscode", moment, payload)
    source = "startup" if event.source == "new" else event.source
    return replace(event, session=event.session or word(payload, "sessionId"), source=source)


def _write(event: AgentEvent, reply: Reply) -> Mapping[str, Any]:
    name, notice = _EVENTS[event.moment], {"systemMessage": reply.notice} if reply.notice else {}
    if event.moment in ("stop", "subagent_stop"):
        if not (reply.context and reply.is_continuing):
            return notice or ({"systemMessage": reply.context} if reply.context else {})
        block = {"decision": "block", "reason": reply.context}
        return {"hookSpecificOutput": {"hookEventName": name, **block}} if event.moment == "stop" else block
    inner: dict[str, Any] = {"additionalContext": reply.context} if reply.context and event.moment in _TEXT_AT else {}
    if reply.arguments is not None and event.moment == "before_call":
        inner["updatedInput"] = reply.arguments
    return ({"hookSpecificOutput": {"hookEventName": name, **inner}} if inner else {}) | notice


_TEXT_AT: frozenset[Moment] = frozenset({"session_start", "subagent_start", "before_call", "after_call", "stop", "subagent_stop"})
HOST = Host(
    "vscode",
    "VS Code",
    _changes,
    after="Trust this workspace and start the server in .vscode/mcp.json. "
    f"{_HOOKS} names an interpreter of this machine: keep it out of git (.git/info/exclude).",
    dialect=Dialect(
        _read,
        _write,
        text_at=_TEXT_AT,
        can_rewrite=True,
        limits=(
            "hooks are a preview, which an organisation may have switched off",
            "what is said at a prompt does not reach the model: it is given with the next call",
            "a failed call is not told, nor what the agent said last at a stop",
            "nothing can be said before a compaction",
        ),
    ),
    hooks=_HOOKS,
)
