"""A project that remembers something, and programs beside it that are ended with the test."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from git_fixtures import GitRepo
from programs import Place, Program

from knowledge.operations.persons import AGENT_VARIABLES, TOKEN_VARIABLE
from knowledge.surfaces.cli.main import main

UPSTREAM = Path(__file__).parents[1] / "upstream_server.py"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitRepo]:
    """A small project, ready for claims, as a person sees it, whoever runs the tests."""
    for name in (*AGENT_VARIABLES, TOKEN_VARIABLE, "KNOWLEDGE_SESSION", "CLAUDE_CODE_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KNOWLEDGE_AUTHOR", "ada")
    monkeypatch.setenv("KNOWLEDGE_HOOK_MS", "5000")  # they share their machine with others
    made = GitRepo.create(tmp_path / "project")
    made.write("src/session.py", "def create_session(user):\n    return {'user': user}\n")
    made.write(".gitignore", ".claude/\n.codex/\n.gemini/\n.mcp.json\nAGENTS.md\nGEMINI.md\n")
    made.commit("Add sessions")
    assert main(["-C", str(made.path), "-q", "init"]) == 0
    yield made
    _end_all_in(tmp_path)


@pytest.fixture
def place(repo: GitRepo, tmp_path: Path) -> Place:
    """Where programs run: the project, a home of their own, and a server that does tasks in words."""
    home = tmp_path / "home"
    home.mkdir()
    return Place(repo.path, home, {"aside": [sys.executable, str(UPSTREAM)]})


def set_up(repo: GitRepo, program: Program) -> None:
    """As a person does it."""
    assert main(["-C", str(repo.path), "-q", "setup", program.name, "--yes"]) == 0


def _end_all_in(folder: Path) -> None:
    """Daemons end by themselves when they are idle; tests do not wait for that."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = process.joinpath("cmdline").read_bytes()
            if b"knowledge.surfaces.daemon.server" in words and os.fsencode(str(folder)) in words:
                os.kill(int(process.name), signal.SIGKILL)
