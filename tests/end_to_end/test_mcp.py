"""Agents ask and record over MCP: the real command, a real client, both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo, isolated_environment
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from knowledge.surfaces.cli.main import main

COMMAND = ("-m", "knowledge", "mcp")
SOURCES = {
    "src/session.py": "def create_session(user):\n    return {'user': user}\n",
    "src/login.py": "from src.session import create_session\n\n\ndef login(user):\n    return create_session(user)\n",
}
Talk = Callable[[Client], Awaitable[None]]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """A small project in which claims are kept."""
    made = GitRepo.create(tmp_path / "project")
    for path, text in SOURCES.items():
        made.write(path, text)
    made.commit("Add sessions")
    monkeypatch.setenv("KNOWLEDGE_AUTHOR", "ada")
    assert main(["-C", str(made.path), "-q", "init"]) == 0
    return made


def _talk(repo: GitRepo, talk: Talk, mode: str = "auto") -> None:
    environment = isolated_environment() | {"KNOWLEDGE_SESSION": "one"}
    server = StdioServerParameters(command=sys.executable, args=list(COMMAND), cwd=str(repo.path), env=environment)

    async def run() -> None:
        async with Client(server, mode=mode) as client:
            await talk(client)

    asyncio.run(run())


async def _call(client: Client, tool: str, **values: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, values)
    assert not answer.is_error, answer.content
    assert isinstance(answer.structured_content, dict)
    return answer.structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_records_and_another_one_is_warned(repo: GitRepo, mode: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A claim recorded over MCP goes stale with new code elsewhere, and the pack for a goal says so before anything else."""

    async def records(client: Client) -> None:
        answer = (await _call(client, "record_claim", claim={"statement": "`create_session` is only called from `login`"}))["answer"]
        assert answer["claim"]["status"] == "active"
        assert answer["claim"]["said_by"].startswith("recorded by agent:")

    async def asks(client: Client) -> None:
        memory = (await _call(client, "recall", query="세션은 어디에서 만드나"))["answer"]
        assert [c["status"] for c in memory["stale_or_conflicting_claims"]] == ["stale"]
        assert memory["required_reverification"][0]["claims"] == [memory["stale_or_conflicting_claims"][0]["id"]]
        assert memory["match"] in ("good", "weak")
        assert memory["supporting_evidence"]
        pack = await _call(client, "context_pack", goal="로그인 없이 세션을 만든다", focus=["src/session.py"])
        assert len(pack["stale_or_conflicting"]) == 1
        shown = pack["markdown"].index("Not to be relied on")
        assert shown < pack["markdown"].index("## Files")
        assert "src/admin.py" in pack["markdown"]
        stale = await _call(client, "stale")
        assert stale["answer"]["groups"][0]["claims"][0]["id"] == pack["stale_or_conflicting"][0]

    _talk(repo, records, mode)
    repo.write("src/admin.py", "from src.session import create_session\n\n\ndef impersonate(user):\n    return create_session(user)\n")
    repo.commit("Let the administrator impersonate")
    _talk(repo, asks, mode)
    assert capfd.readouterr().out == ""


def test_what_cannot_be_answered_is_told_to_the_model(repo: GitRepo) -> None:
    """An unknown symbol, an empty goal and a claim verified by its own session are errors with words that help."""

    async def talk(client: Client) -> None:
        for tool, values, said in (
            ("graph", {"question": "callers", "symbol": "create_sesion"}, "create_session"),
            ("context_pack", {"goal": "  "}, "needs a goal"),
            ("claim", {"claim_id": "c_nothing"}, "no claim"),
        ):
            answer = await client.call_tool(tool, values)
            assert answer.is_error
            assert said in str(answer.content)
        own = (
            await _call(client, "record_claim", claim={"statement": "세션은 메모리에만 둔다", "anchors": ["body:src/session.py::create_session"]})
        )["answer"]
        answer = await client.call_tool("judge_claim", {"claim_id": own["claim"]["id"], "verdict": "verify", "reason": "I think so"})
        assert answer.is_error
        assert "session" in str(answer.content)

    _talk(repo, talk)


def test_tools_say_what_they_do(repo: GitRepo) -> None:
    """Every tool has a description, a schema of its answer and annotations; only the pack is always loaded; resources and prompts are there."""

    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [t.name for t in tools if (t.meta or {}).get("anthropic/alwaysLoad")] == ["context_pack"]
        for tool in tools:
            assert tool.description
            assert tool.output_schema
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is not None
            assert not tool.annotations.destructive_hint
        assert {p.name for p in (await client.list_prompts()).prompts} == {"before_a_change", "after_a_task"}
        assert {t.uri_template for t in (await client.list_resource_templates()).resource_templates} == {
            "knowledge://claim/{claim_id}",
            "knowledge://pack/{goal}",
        }

    _talk(repo, talk)


def test_answers_keep_to_their_budget(repo: GitRepo) -> None:
    """However many claims there are, a list has at most the tokens that were asked for, and says how many it left out."""
    for number in range(40):
        assert main(["-C", str(repo.path), "-q", "claim", "record", f"note {number}: " + "long " * 40, "--anchor", "none"]) == 0

    async def talk(client: Client) -> None:
        answer = await client.call_tool("claims", {"budget_tokens": 1_000})
        assert isinstance(answer.structured_content, dict)
        assert len(str(answer.structured_content)) < 1_000 * 4.2
        shown = len(answer.structured_content["answer"]["claims"])
        assert shown + answer.structured_content["left_out"]["claims"] == 40

    _talk(repo, talk)


def test_runs_are_asked_about(repo: GitRepo) -> None:
    """The gate, affected tests, the tests of a path and the story of a symbol answer, and say what nothing shows."""

    async def talk(client: Client) -> None:
        found = {}
        for name, words in {
            "completion_gate": {},
            "affected_tests": {},
            "explain": {"symbol": "login"},
            "tests_of_path": {"symbol": "login", "other": "create_session"},
        }.items():
            answer = await client.call_tool(name, words)
            assert not answer.is_error and isinstance(answer.structured_content, dict), (name, answer)
            found[name] = answer.structured_content["answer"]
        assert found["completion_gate"]["verdict"] == "warn" and found["completion_gate"]["items"][0]["act"]
        assert "no run" in found["affected_tests"]["checked"]["because"][0]
        assert {"type-check", "trace", "test"} <= {gap["part"] for gap in found["explain"]["missing"]}
        assert "path: " in found["tests_of_path"]["notes"][0]
        assert (await client.call_tool("explain", {"symbol": "nowhere_at_all"})).is_error

    _talk(repo, talk)


def test_the_server_ends_with_its_client(repo: GitRepo) -> None:
    """Standard input closed: the process is gone, with nothing on standard output."""
    process = subprocess.Popen(
        [sys.executable, *COMMAND], cwd=repo.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=isolated_environment()
    )
    out, _ = process.communicate(b"", timeout=60)
    assert process.returncode == 0
    assert out == b""


def test_http_needs_the_token_and_a_local_origin(repo: GitRepo) -> None:
    """Without the token nothing is answered; a page from elsewhere is refused even with it; with it the tools are there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = isolated_environment() | {"KNOWLEDGE_MCP_TOKEN": "secret-for-tests"}
    process = subprocess.Popen([sys.executable, *COMMAND, "--http", str(port)], cwd=repo.path, env=environment, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        assert _status(port, {}) == 401
        assert _status(port, {"Authorization": "Bearer wrong"}) == 401
        assert _status(port, {"Authorization": "Bearer secret-for-tests", "Origin": "https://evil.example"}) == 403
        assert _status(port, {"Authorization": "Bearer secret-for-tests"}) == 200
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server did not come up")


def _status(port: int, headers: dict[str, str]) -> int:
    asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}).encode()
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"} | headers
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", data=body, headers=sent)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


def test_a_host_is_set_up_and_left_without_a_trace(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """The change is shown, written on request, done only once, and taken out again."""
    repo.write(".mcp.json", '{\n    "mcpServers": {\n        "other": {"command": "x"}\n    }\n}\n')
    before = {path: path.read_bytes() for path in repo.path.iterdir() if path.is_file()}
    start = ["-C", str(repo.path)]
    assert main([*start, "setup", "claude", "--dry-run"]) == 0
    assert '+        "knowledge": {' in capsys.readouterr().out
    assert {path: path.read_bytes() for path in repo.path.iterdir() if path.is_file()} == before
    for host in ("claude", "codex", "gemini"):
        assert main([*start, "setup", host, "--yes"]) == 0
        capsys.readouterr()
        assert main([*start, "setup", host, "--dry-run"]) == 0
        assert "would write" not in capsys.readouterr().out
    assert len((repo.path / "AGENTS.md").read_bytes()) < 1_024
    for host in ("claude", "codex", "gemini"):
        assert main([*start, "setup", host, "--yes", "--remove"]) == 0
    assert sorted(path.name for path in repo.path.iterdir()) == [".git", ".mcp.json", "src"]
    assert (repo.path / ".mcp.json").read_text().count("knowledge") == 0


def test_nothing_is_written_through_a_link_out_of_the_project(repo: GitRepo, tmp_path: Path) -> None:
    """A folder that leads elsewhere is not followed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.path / ".codex").symlink_to(outside)
    assert main(["-C", str(repo.path), "setup", "codex", "--yes"]) != 0
    assert list(outside.iterdir()) == []
