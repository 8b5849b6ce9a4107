"""Gemini CLI: server and hooks in `.gemini/settings.json` in the project, and a block in GEMINI.md. Payloads and answers as version 0.61 has them."""

from __future__ import annotations

import re
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

_CONFIG = ".gemini/settings.json"
_MILLISECONDS = 10_000
_EXIT_CODE = re.compile(r"^Exit Code: (?!0$)-?\d+$(?=(?:\n[A-Z][\w ]*: [^\n]*)*(?:\n</untrusted_context>)?\s*\Z)", re.MULTILINE)
"""As the shell tool tells it after the output, among other lines of its own."""
_WRAPPING = re.compile(r"^\s*<untrusted_context>\n?|\n?</untrusted_context>\s*$")
_SHELL_LINES = re.compile(r"(?:^(?:Exit Code|Process Group PGID|Signal|Background PIDs): [^\n]*\n?)+\Z", re.MULTILINE)
_MOST_OF_THE_END = 2_000
_MOMENTS: dict[str, Moment] = {
    "SessionStart": "session_start",
    "BeforeAgent": "prompt",
    "BeforeTool": "before_call",
    "AfterTool": "after_call",
    "AfterAgent": "stop",
    "PreCompress": "before_compaction",
}
_EVENTS = {moment: event for event, moment in _MOMENTS.items()}


def _changes(launch: Launch) -> dict[str, Change]:
    return {_CONFIG: partial(_settings, launch), "GEMINI.md": advise}


def _settings(launch: Launch, text: str | None, is_wanted: bool) -> str | None:
    path, groups = PurePosixPath(_CONFIG), {}
    value = {"command": launch.server[0], "args": launch.server[1:]} if is_wanted else None
    for event, moment in _MOMENTS.items() if is_wanted else ():
        line = launch.hook_line("gemini", moment)
        groups[event] = {"hooks": [{"type": "command", "name": "knowledge", "command": line, "timeout": _MILLISECONDS}]}
    return with_hooks(with_json(text, ("mcpServers", "knowledge"), value, path), groups, OURS, path)


def _read(payload: Mapping[str, Any]) -> AgentEvent | None:
    moment = _MOMENTS.get(word(payload, "hook_event_name"))
    if moment is None:
        return None
    event = read_as("gemini", moment, payload)
    response = payload.get("tool_response")
    is_failed = moment == "after_call" and isinstance(response, Mapping) and (bool(response.get("error")) or _ended_badly(response))
    # What hooks added before is told again as a part of the prompt; the person did not say it.
    prompt = event.prompt.rpartition("</hook_context>")[2].strip()
    message = word(payload, "prompt_response")
    return replace(event, moment="after_failure" if is_failed else moment, prompt=prompt, message=message, result=_unwrapped(event.result))


def _ended_badly(response: Mapping[str, Any]) -> bool:
    """Whether a shell command ended with a code other than 0, which stands among what the model is told of it."""
    told = response.get("llmContent")
    return isinstance(told, str) and _EXIT_CODE.search(told[-_MOST_OF_THE_END:]) is not None


def _unwrapped(result: str) -> str:
    """What a tool answered, without the words that Gemini puts around it."""
    plain = _WRAPPING.sub("", result)
    return _SHELL_LINES.sub("", plain.removeprefix("Output: ")).strip() if plain != result else result


def _write(event: AgentEvent, reply: Reply) -> Mapping[str, Any]:
    notice = {"systemMessage": reply.notice} if reply.notice else {}
    if event.moment == "stop":
        if reply.context and reply.is_continuing:
            return {"decision": "block", "reason": reply.context}
        return notice or ({"systemMessage": reply.context} if reply.context else {})
    inner: dict[str, Any] = {}
    if event.moment == "before_call":
        # Only what differs: it is merged into the call, and the model is told that a hook changed it.
        changed = reply.arguments or {}
        inner = {"tool_input": {name: value for name, value in changed.items() if event.arguments.get(name) != value}} if changed else {}
    elif reply.context:
        inner = {"additionalContext": reply.context}
    name = _EVENTS["after_call" if event.moment == "after_failure" else event.moment]
    return ({"hookSpecificOutput": {"hookEventName": name, **inner}} if inner else {}) | notice


HOST = Host(
    "gemini",
    "Gemini CLI",
    _changes,
    dialect=Dialect(
        _read,
        _write,
        text_at=frozenset({"session_start", "prompt", "after_call", "after_failure", "stop"}),
        can_rewrite=True,
        names_session=False,
        limits=(
            "text before a call is ignored: it is given with the call's result; a rewritten argument comes before",
            "there is no moment for a sub-agent's beginning",
        ),
    ),
    hooks=_CONFIG,
)
