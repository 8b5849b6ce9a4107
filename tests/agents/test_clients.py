"""Claude Code, Codex CLI and Gemini CLI as they really are, with our server: they list its tools, call them, and leave nothing behind."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from conftest import set_up
from git_fixtures import GitRepo
from model_api import Call, Say
from programs import ALL, CLAUDE, Place, Program

from knowledge.surfaces.cli.main import main

pytestmark = pytest.mark.skipif(not all(one.needs.exists() for one in ALL), reason="the agents' programs are not in tests/agents: make test-agents")

EVERY = pytest.mark.parametrize("program", ALL, ids=lambda one: one.name)
MEMORY = "세션은 메모리에만 둔다"


def ours(tool: str, **arguments: object) -> Call:
    """A call of a tool of our server."""
    return Call(tool, arguments, "knowledge")


def claims(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    """All claims of the project."""
    capsys.readouterr()
    assert main(["-C", str(repo.path), "--json", "claim", "list"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["claims"]
    return found


@pytest.fixture
def remembering(repo: GitRepo) -> GitRepo:
    """The project with one claim, in Korean, on a function."""
    assert main(["-C", str(repo.path), "-q", "claim", "record", MEMORY, "--anchor", "body:src/session.py::create_session"]) == 0
    return repo


@EVERY
def test_tools_are_listed_and_called(program: Program, remembering: GitRepo, place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """A pack, a recall, a record, a question with a wrong name: each answer is in front of the model at its next turn, and errors are told."""
    set_up(remembering, program)
    ran = place.run(
        program,
        "Where are sessions kept?",
        [program.shell("sleep 2")],
        [ours("context_pack", goal="change `create_session`")],
        [ours("recall", query="세션은 어디에 두나")],
        [ours("record_claim", claim={"statement": "`create_session` is never called"})],
        [ours("graph", question="callers", symbol="create_sesion")],
        [Say("done")],
    )
    assert ran.code == 0, ran.errors
    names = [program.offered("knowledge", tool) for tool in ("context_pack", "recall", "record_claim", "completion_gate", "graph")]
    assert all(name in ran.model.offered() or f"\\n{name}\\n" in ran.model.seen(-1) for name in names)  # offered, or listed as to be searched
    assert MEMORY in ran.model.new(2) and "src/session.py" in ran.model.new(2)
    assert MEMORY in ran.model.new(3)
    recorded = next(one for one in claims(remembering, capsys) if one["statement"] == "`create_session` is never called")
    assert str(recorded["id"]) in ran.model.new(4)
    assert "create_session" in ran.model.new(5).replace("create_sesion", "")
    assert servers_of(remembering.path) == []


@EVERY
def test_a_session_cannot_verify_what_it_recorded(program: Program, repo: GitRepo, place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """The refusal is told to the model, and the claim is not verified."""
    set_up(repo, program)

    def judge(seen: str) -> list[Call]:
        (claim,) = set(re.findall(r"\bc_[0-9a-f]{12}\b", seen))
        return [ours("judge_claim", claim_id=claim, verdict="verify", reason="I looked at it")]

    ran = place.run(
        program,
        "note it",
        [program.shell("sleep 2")],
        [ours("record_claim", claim={"statement": "`create_session` is only called after login"})],
        judge,
        [Say("done")],
    )
    assert ran.code == 0, ran.errors
    (recorded,) = claims(repo, capsys)
    assert recorded["status"] == "active"
    assert "session" in ran.model.new(3).partition("judge_claim")[2]


@EVERY
def test_the_advice_is_in_front_of_the_model(program: Program, repo: GitRepo, place: Place) -> None:
    """The file that `setup` writes is one that the program reads."""
    set_up(repo, program)
    ran = place.run(program, "hello", [Say("done")])
    assert ran.code == 0, ran.errors
    advice = "after learning something worth remembering" if program is CLAUDE else "holds claims that know when they are no longer true"
    assert advice in ran.model.seen(0)


def test_the_pack_is_loaded_where_other_tools_wait_for_a_search(remembering: GitRepo, place: Place) -> None:
    """Claude Code defers tools; the one that matters is marked, and the server's instructions are there."""
    set_up(remembering, CLAUDE)
    ran = place.run(CLAUDE, "hello", [CLAUDE.shell("sleep 1")], [Say("done")])
    offered = {name for name in ran.model.offered() if name.startswith("mcp__knowledge__")}
    assert offered == {"mcp__knowledge__context_pack"}
    assert "mcp__knowledge__recall" in ran.model.seen(-1)


def servers_of(folder: Path) -> list[str]:
    """The command lines of our servers that still run in a folder, some time after their client went."""
    for _ in range(100):
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = process.joinpath("cmdline").read_bytes().split(b"\0")
                if b"mcp" in words and process.joinpath("cwd").resolve() == folder.resolve():
                    found.append(b" ".join(words).decode())
            except OSError:
                continue
        if not found:
            break
        time.sleep(0.1)
    return found
