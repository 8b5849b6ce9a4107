"""Claude Code: `.mcp.json` in the project, and a skill."""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath

from knowledge.surfaces.hosts.advice import SKILL
from knowledge.surfaces.hosts.edits import with_json
from knowledge.surfaces.hosts.host import Change, Host

_CONFIG = ".mcp.json"


def _changes(command: list[str]) -> dict[str, Change]:
    return {_CONFIG: partial(_server, command), ".claude/skills/knowledge/SKILL.md": _skill}


def _server(command: list[str], text: str | None, is_wanted: bool) -> str | None:
    value = {"type": "stdio", "command": command[0], "args": command[1:]} if is_wanted else None
    return with_json(text, ("mcpServers", "knowledge"), value, PurePosixPath(_CONFIG))


def _skill(text: str | None, is_wanted: bool) -> str | None:
    return SKILL if is_wanted else None


HOST = Host(
    "claude", "Claude Code", _changes, after="Start claude in this folder and approve the server `knowledge`; allow its tools as mcp__knowledge__*."
)
