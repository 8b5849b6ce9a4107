"""OpenCode: `opencode.json`, a plugin in `.opencode/plugins` that calls our hook, and a block in AGENTS.md. Hooks as version 1.18 has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from knowledge.records.agent_events import AgentEvent, Moment, Reply
from knowledge.surfaces.hosts.advice import advise
from knowledge.surfaces.hosts.claude import read_as
from knowledge.surfaces.hosts.edits import with_json
from knowledge.surfaces.hosts.host import Change, Dialect, Host, Launch, word

_CONFIG = "opencode.json"
_HOOKS = ".opencode/plugins/knowledge.js"
_PLUGIN = Path(__file__).with_name("opencode_plugin.js")
_MOMENTS: dict[str, Moment] = {
    "session.start": "session_start",
    "chat.message": "prompt",
    "tool.execute.before": "before_call",
    "tool.execute.after": "after_call",
}


def _changes(launch: Launch) -> dict[str, Change]:
    return {_CONFIG: partial(_server, launch.server), _HOOKS: partial(_plugin, launch), "AGENTS.md": advise}


def _server(command: list[str], text: str | None, is_wanted: bool) -> str | None:
    value = {"type": "local", "command": command, "enabled": True} if is_wanted else None
    return with_json(text, ("mcp", "knowledge"), value, PurePosixPath(_CONFIG))


def _plugin(launch: Launch, text: str | None, is_wanted: bool) -> str | None:
    words = {event: launch.hook("opencode", moment) for event, moment in _MOMENTS.items()}
    return _PLUGIN.read_text(encoding="utf-8").replace("__WORDS__", json.dumps(words, indent=2)) if is_wanted else None


def _read(payload: Mapping[str, Any]) -> AgentEvent | None:
    moment = _MOMENTS.get(word(payload, "hook_event_name"))
    if moment is None:
        return None
    return read_as("opencode", "after_failure" if moment == "after_call" and word(payload, "error") else moment, payload)


def _write(event: AgentEvent, reply: Reply) -> Mapping[str, Any]:
    if event.moment == "before_call":
        return {"arguments": reply.arguments} if reply.arguments is not None else {}
    return {"context": reply.context} if reply.context else {}


HOST = Host(
    "opencode",
    "OpenCode",
    _changes,
    dialect=Dialect(
        _read,
        _write,
        text_at=frozenset({"session_start", "prompt", "after_call", "after_failure"}),
        can_rewrite=True,
        names_session=False,
        limits=(
            "text before a call is not taken: it is given with the call's result; a rewritten argument comes before",
            "a call that threw is not told, nor the end of a turn before it is over",
            "there is no moment for a sub-agent's beginning",
        ),
    ),
    hooks=_HOOKS,
)
