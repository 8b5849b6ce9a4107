"""Gemini CLI: `.gemini/settings.json` in the project, and a block in GEMINI.md."""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath

from knowledge.surfaces.hosts.advice import advise
from knowledge.surfaces.hosts.edits import with_json
from knowledge.surfaces.hosts.host import Change, Host

_CONFIG = ".gemini/settings.json"


def _changes(command: list[str]) -> dict[str, Change]:
    return {_CONFIG: partial(_server, command), "GEMINI.md": advise}


def _server(command: list[str], text: str | None, is_wanted: bool) -> str | None:
    value = {"command": command[0], "args": command[1:]} if is_wanted else None
    return with_json(text, ("mcpServers", "knowledge"), value, PurePosixPath(_CONFIG))


HOST = Host("gemini", "Gemini CLI", _changes)
