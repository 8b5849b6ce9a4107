"""Codex CLI: `.codex/config.toml` in the project, and a block in AGENTS.md."""

from __future__ import annotations

import json
from functools import partial

from knowledge.surfaces.hosts.advice import advise
from knowledge.surfaces.hosts.edits import with_block
from knowledge.surfaces.hosts.host import Change, Host

_TOML_MARKS = ("# >>> knowledge", "# <<< knowledge")


def _changes(command: list[str]) -> dict[str, Change]:
    return {".codex/config.toml": partial(_server, command), "AGENTS.md": advise}


def _server(command: list[str], text: str | None, is_wanted: bool) -> str | None:
    # JSON's strings and lists of strings are TOML's too.
    lines = ["[mcp_servers.knowledge]", f"command = {json.dumps(command[0])}", f"args = {json.dumps(command[1:])}", "startup_timeout_sec = 30"]
    return with_block(text, "\n".join(lines) if is_wanted else "", _TOML_MARKS)


HOST = Host("codex", "Codex CLI", _changes, after="Codex reads project configuration only in a trusted project: start codex here and trust it.")
