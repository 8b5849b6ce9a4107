"""GitHub Copilot CLI: `.github/mcp.json`, hooks in `.github/copilot/settings.local.json`, a block in AGENTS.md. As its hooks reference has them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from knowledge.records.agent_events import AgentEvent, Moment, Reply
from knowledge.surfaces.hosts.advice import advise
from knowledge.surfaces.hosts.edits import with_hooks, with_json
from knowledge.surfaces.hosts.host import OURS, Change, Dialect, Host, Launch, named, text_of, transcript_backwards, word

_CONFIG = ".github/mcp.json"
_HOOKS = ".github/copilot/settings.local.json"
"""A person's own settings: the hooks name an interpreter of this machine."""
_SECONDS = 10
_FAILED = re.compile(r"<shellId: \S+ completed with exit code (?!0>)-?\d+>\s*\Z")
"""The end of what a shell command came to that failed: for Copilot the tool did not."""
_WRITTEN = "sleep 0.4; "
"""At a stop: the transcript is written a moment later than its hook is called."""
_MOMENTS: dict[str, Moment] = {
    "sessionStart": "session_start",
    "subagentStart": "subagent_start",
    "userPromptSubmitted": "prompt",
    "preToolUse": "before_call",
    "postToolUse": "after_call",
    "postToolUseFailure": "after_failure",
    "agentStop": "stop",
    "subagentStop": "subagent_stop",
    "preCompact": "before_compaction",
}


def _changes(launch: Launch) -> dict[str, Change]:
    return {_CONFIG: partial(_server, launch.server), _HOOKS: partial(_hooks, launch), "AGENTS.md": advise}


def _server(command: list[str], text: str | None, is_wanted: bool) -> str | None:
    value = {"type": "stdio", "command": command[0], "args": command[1:], "tools": ["*"]} if is_wanted else None
    return with_json(text, ("mcpServers", "knowledge"), value, PurePosixPath(_CONFIG))


def _hooks(launch: Launch, text: str | None, is_wanted: bool) -> str | None:
    groups = {}
    for event, moment in _MOMENTS.items() if is_wanted else ():
        # Before a call any exit code but 0 refuses the call, also that of a shell which finds no interpreter.
        line = f"{launch.hook_line('copilot', moment)} || true"
        groups[event] = {"type": "command", "bash": _WRITTEN + line if moment == "stop" else line, "timeoutSec": _SECONDS}
    return with_hooks(text, groups, OURS, PurePosixPath(_HOOKS))


def _moment(payload: Mapping[str, Any]) -> Moment | None:
    """Which moment it is. The payload does not name its event: each is told apart by the fields that it alone has."""
    if "toolName" in payload:
        return "after_call" if "toolResult" in payload else "after_failure" if "error" in payload else "before_call"
    if "stopReason" in payload:
        return "subagent_stop" if "agentName" in payload or "agentId" in payload else "stop"
    if "agentName" in payload:
        return "subagent_start"
    if "trigger" in payload:
        return "before_compaction"
    return "session_start" if "source" in payload else "prompt" if "prompt" in payload else None


def _read(payload: Mapping[str, Any]) -> AgentEvent | None:
    moment = _moment(payload) if not {"hook_event_name", "hookEventName"} & payload.keys() else None
    if moment is None or "sessionId" not in payload:
        return None
    source, answer = word(payload, "source"), word(payload, "error") or text_of(named(payload, "toolResult").get("textResultForLlm"))
    if moment == "after_call" and _FAILED.search(answer):
        moment = "after_failure"
    return AgentEvent(
        host="copilot",
        moment=moment,
        session=word(payload, "sessionId"),
        agent=word(payload, "agentId"),
        source="startup" if source == "new" else source,
        tool=word(payload, "toolName"),
        arguments=_arguments(payload),
        result=answer,
        prompt=word(payload, "prompt"),
        message=word(payload, "response") or (_last_message(word(payload, "transcriptPath")) if moment == "stop" else ""),
        is_continued=payload.get("stop_hook_active") is True,
        folder=word(payload, "cwd"),
    )


def _last_message(path: str) -> str:
    """What the agent said last, by the session's transcript; "" where that cannot be read."""
    for told in transcript_backwards(path, "assistant.message"):
        if told.get("type") == "assistant.message":
            return word(named(told, "data"), "content")
    return ""


def _arguments(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The call's arguments, which some versions tell as JSON within a string."""
    given = payload.get("toolArgs")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {}
    return given if isinstance(given, Mapping) else {}


def _write(event: AgentEvent, reply: Reply) -> Mapping[str, Any]:
    if event.moment in ("stop", "subagent_stop"):
        return {"decision": "block", "reason": reply.context} if reply.context and reply.is_continuing else {}
    if event.moment == "before_call":
        return {"modifiedArgs": reply.arguments} if reply.arguments is not None else {}
    return {"additionalContext": reply.context} if reply.context and event.moment in _TEXT_AT else {}


_TEXT_AT: frozenset[Moment] = frozenset({"session_start", "subagent_start", "after_call", "after_failure", "stop", "subagent_stop"})
HOST = Host(
    "copilot",
    "GitHub Copilot CLI",
    _changes,
    after="Copilot reads project settings only in a trusted folder: start copilot here and trust it.",
    dialect=Dialect(
        _read,
        _write,
        text_at=_TEXT_AT,
        can_rewrite=True,
        names_session=False,
        limits=(
            "text before a call is not taken: it is given with the call's result; a rewritten argument comes before",
            "what is said at a prompt is dropped: it is given with the next call's result",
            "what the agent said last is read from its transcript at a stop, and not known where that has another form",
            "nothing comes in the cloud agent, whose machine does not have this repository's memory",
        ),
    ),
    hooks=_HOOKS,
)
