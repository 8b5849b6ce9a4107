"""Cursor: `.cursor/mcp.json`, hooks in `.cursor/hooks.json`, and a rule in the project. Payloads and answers as its documentation has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from knowledge.records.agent_events import AgentEvent, Moment, Reply
from knowledge.surfaces.hosts.advice import ADVICE
from knowledge.surfaces.hosts.edits import with_hooks, with_json
from knowledge.surfaces.hosts.host import OURS, Change, Dialect, Host, Launch, named, text_of, word

_CONFIG = ".cursor/mcp.json"
_HOOKS = ".cursor/hooks.json"
_SECONDS = 10
_NEW = '{\n  "version": 1\n}\n'
_RULE = f"---\ndescription: When to ask for what is remembered about this repository, and when to record.\nalwaysApply: true\n---\n\n{ADVICE}"
_MOMENTS: dict[str, Moment] = {
    "sessionStart": "session_start",
    "beforeSubmitPrompt": "prompt",
    "preToolUse": "before_call",
    "postToolUse": "after_call",
    "postToolUseFailure": "after_failure",
    "stop": "stop",
}
"""An event that Cursor does not know would void the whole file."""


def _changes(launch: Launch) -> dict[str, Change]:
    return {_CONFIG: partial(_server, launch.server), _HOOKS: partial(_hooks, launch), ".cursor/rules/knowledge.mdc": _rule}


def _server(command: list[str], text: str | None, is_wanted: bool) -> str | None:
    value = {"command": command[0], "args": command[1:]} if is_wanted else None
    return with_json(text, ("mcpServers", "knowledge"), value, PurePosixPath(_CONFIG))


def _hooks(launch: Launch, text: str | None, is_wanted: bool) -> str | None:
    path, groups = PurePosixPath(_HOOKS), {}
    for event, moment in _MOMENTS.items() if is_wanted else ():
        groups[event] = {"command": _never_blocking(launch.hook_line("cursor", moment), moment), "timeout": _SECONDS}
    found = with_hooks(text if text and text.strip() else (_NEW if is_wanted else text), groups, OURS, path)
    return None if not is_wanted and found is not None and found.split() == _NEW.split() else found


def _never_blocking(line: str, moment: Moment) -> str:
    """A hook that may decide on a permission blocks the call where its answer is no JSON: there nothing is said by an empty object."""
    return f"said=$({line}); [ -n \"$said\" ] || said='{{}}'; printf '%s\\n' \"$said\"" if moment in ("before_call", "prompt") else line


def _rule(text: str | None, is_wanted: bool) -> str | None:
    return _RULE if is_wanted else None


def _read(payload: Mapping[str, Any]) -> AgentEvent | None:
    moment = _MOMENTS.get(word(payload, "hook_event_name"))
    if moment is None:
        return None
    roots = payload.get("workspace_roots")
    folder = next((root for root in roots if isinstance(root, str)), "") if isinstance(roots, list) else ""
    loops = payload.get("loop_count")
    return AgentEvent(
        host="cursor",
        moment=moment,
        session=word(payload, "conversation_id") or word(payload, "session_id"),
        source="startup" if moment == "session_start" else "",
        tool=word(payload, "tool_name"),
        call=word(payload, "tool_use_id"),
        arguments=named(payload, "tool_input"),
        result=word(payload, "error_message") or text_of(_parsed(payload.get("tool_output"))),
        prompt=word(payload, "prompt"),
        is_continued=isinstance(loops, int) and loops > 0,
        folder=word(payload, "cwd") or folder,
        version=word(payload, "cursor_version"),
    )


def _parsed(output: Any) -> Any:
    """What a tool answered; Cursor tells it as JSON within a string."""
    if not isinstance(output, str) or output[:1] not in ("{", "["):
        return output
    try:
        return json.loads(output)
    except ValueError:
        return output


def _write(event: AgentEvent, reply: Reply) -> Mapping[str, Any]:
    if event.moment == "stop":
        return {"followup_message": reply.context} if reply.context and reply.is_continuing else {}
    if event.moment == "before_call":
        return {"updated_input": reply.arguments} if reply.arguments is not None else {}
    return {"additional_context": reply.context} if reply.context and event.moment != "prompt" else {}


HOST = Host(
    "cursor",
    "Cursor",
    _changes,
    after="Cursor runs project hooks in a trusted workspace only: open this folder in it, trust it, and allow the server under Settings > MCP.",
    dialect=Dialect(
        _read,
        _write,
        text_at=frozenset({"session_start", "after_call", "after_failure", "stop"}),
        can_rewrite=True,
        limits=(
            "text before a call does not reach the model: it is given with the call's result; a rewritten argument comes before",
            "what is said at a prompt does not reach the model by any documented way: it is given with the next call's result",
            "what the agent said last is not told at a stop, and a stop does not fire without a window (-p)",
            "there is no moment for a sub-agent's beginning at which text is taken, nor a line for the person",
        ),
    ),
    hooks=_HOOKS,
)
