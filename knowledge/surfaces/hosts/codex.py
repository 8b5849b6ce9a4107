"""Codex CLI: `.codex/config.toml` and hooks in `.codex/hooks.json` in the project, a block in AGENTS.md. Payloads and answers as in version 0.171."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from knowledge.records.agent_events import AgentEvent, Moment, Reply
from knowledge.surfaces.hosts.advice import advise
from knowledge.surfaces.hosts.claude import read_as
from knowledge.surfaces.hosts.edits import with_block, with_hooks
from knowledge.surfaces.hosts.host import OURS, Change, Dialect, Host, Launch, named, transcript_backwards, word

_TOML_MARKS = ("# >>> knowledge", "# <<< knowledge")
_HOOKS = ".codex/hooks.json"
_SECONDS = 10
_MOMENTS: dict[str, Moment] = {
    "SessionStart": "session_start",
    "SubagentStart": "subagent_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_call",
    "PostToolUse": "after_call",
    "SubagentStop": "subagent_stop",
    "Stop": "stop",
}
_EVENTS = {moment: event for event, moment in _MOMENTS.items()}


def _changes(launch: Launch) -> dict[str, Change]:
    return {".codex/config.toml": partial(_server, launch.server), _HOOKS: partial(_hooks, launch), "AGENTS.md": advise}


def _server(command: list[str], text: str | None, is_wanted: bool) -> str | None:
    # JSON's strings and lists of strings are TOML's too.
    lines = ["[mcp_servers.knowledge]", f"command = {json.dumps(command[0])}", f"args = {json.dumps(command[1:])}", "startup_timeout_sec = 30"]
    return with_block(text, "\n".join(lines) if is_wanted else "", _TOML_MARKS)


def _hooks(launch: Launch, text: str | None, is_wanted: bool) -> str | None:
    groups = {}
    for event, moment in _MOMENTS.items() if is_wanted else ():
        line = launch.hook_line("codex", moment)
        groups[event] = {"hooks": [{"type": "command", "command": line, "timeout": _SECONDS}]}
    return with_hooks(text, groups, OURS, PurePosixPath(_HOOKS))


def _read(payload: Mapping[str, Any]) -> AgentEvent | None:
    moment = _MOMENTS.get(word(payload, "hook_event_name"))
    if moment is None:
        return None
    return read_as("codex", "after_failure" if moment == "after_call" and _is_failed(payload) else moment, payload)


def _is_failed(payload: Mapping[str, Any]) -> bool:
    """Whether a command failed: its hook is told what it wrote, and the session's transcript, written just before, the code that it ended with."""
    call = word(payload, "tool_use_id")
    for told in transcript_backwards(word(payload, "transcript_path"), call) if call else ():
        item = named(named(told, "payload"), "item")
        if item.get("id") == call and isinstance(item.get("exit_code"), int):
            return bool(item["exit_code"])
    return False


def _write(event: AgentEvent, reply: Reply) -> Mapping[str, Any]:
    """Codex drops an answer that has one field too many."""
    if event.moment in ("stop", "subagent_stop"):
        if reply.context and reply.is_continuing:
            return {"decision": "block", "reason": reply.context}
        notice = reply.notice or reply.context
        return {"systemMessage": notice} if notice else {}
    if reply.context:
        name = _EVENTS["after_call" if event.moment == "after_failure" else event.moment]
        return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": reply.context}}
    return {"systemMessage": reply.notice} if reply.notice else {}


def _is_trusted(root: Path) -> bool:
    """Whether Codex has noted a trusted hash for each of the project's hooks that are ours; which content it is of, only Codex can say."""
    home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    try:
        state = tomllib.loads((home / "config.toml").read_text(encoding="utf-8")).get("hooks", {}).get("state", {})
    except (OSError, ValueError, AttributeError):
        return False
    file = str((root / _HOOKS).resolve())
    trusted: list[str] = (
        [key for key, value in state.items() if isinstance(value, dict) and value.get("trusted_hash")] if isinstance(state, dict) else []
    )
    return sum(key.startswith(f"{file}:") for key in trusted) >= len(_MOMENTS)


HOST = Host(
    "codex",
    "Codex CLI",
    _changes,
    after="Codex reads project configuration only in a trusted project: start codex here and trust it, then trust the hooks with /hooks. "
    "Until then it silently runs none of them.",
    dialect=Dialect(
        _read,
        _write,
        text_at=frozenset(_EVENTS) | {"after_failure"},
        can_rewrite=False,
        limits=(
            "an argument can only be rewritten by granting the call's permission, which a hook of ours never does: text alone is given",
            "hooks run only after a person has trusted them with /hooks, and again after every change of their command",
            "that a call of an MCP server failed is not told; that a command failed is read from the session's transcript",
        ),
    ),
    hooks=_HOOKS,
    is_trusted=_is_trusted,
)
