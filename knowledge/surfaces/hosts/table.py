"""All hosts by name, and what is pasted into the configuration of any other."""

from __future__ import annotations

import json

from knowledge.surfaces.hosts import claude, codex, copilot, cursor, gemini, opencode, probe, vscode
from knowledge.surfaces.hosts.advice import ADVICE
from knowledge.surfaces.hosts.host import Dialect, Host

_ALL = (claude.HOST, codex.HOST, gemini.HOST, cursor.HOST, copilot.HOST, vscode.HOST, opencode.HOST)
HOSTS: dict[str, Host] = {host.name: host for host in _ALL}
DIALECTS: dict[str, Dialect] = {name: host.dialect for name, host in HOSTS.items() if host.dialect is not None} | {probe.NAME: probe.DIALECT}
"""All that hooks may speak for, by the name that they are called with."""


def to_paste(command: list[str]) -> str:
    """For a host without a file of its own: its MCP configuration as most take it, and the advice for its instructions."""
    config = {"mcpServers": {"knowledge": {"command": command[0], "args": command[1:]}}}
    return f"MCP configuration:\n\n{json.dumps(config, indent=2)}\n\nFor its instructions (AGENTS.md, rules):\n\n{ADVICE}"
