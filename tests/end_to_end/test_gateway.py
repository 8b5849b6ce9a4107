"""The gateway in front of a real MCP server: what goes through as it is, what is put before a call, and what no failure may stop."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo

from knowledge.config import AUDIT_FILE
from knowledge.errors import UsageError
from knowledge.operations import attending, trigger_rows
from knowledge.operations.attention import Advice, Attention
from knowledge.operations.persons import AGENT_VARIABLES, TOKEN_VARIABLE, Proof
from knowledge.operations.project import open_project
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.records.claims import Author
from knowledge.storage.audit import Decision, open_audit
from knowledge.surfaces.gateway.upstream import read_upstream

fastmcp = pytest.importorskip("fastmcp", reason="the extra `gateway` is not installed")
from fastmcp import Client  # noqa: E402
from fastmcp.client.transports import StdioTransport  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402

from knowledge.surfaces.gateway.memory import CallMemory  # noqa: E402
from knowledge.surfaces.gateway.server import gateway  # noqa: E402

Behind = Callable[..., tuple[Any, CallMemory]]
SERVER = Path(__file__).parents[1] / "upstream_server.py"
COMMAND = f"{sys.executable} {SERVER}"
MEMORY = "[knowledge, for reference] the cache is purged by the dashboard\n\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A repository with a ledger."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit("Add a")
    with open_project(repo.path, create=True):
        return repo.path


def before_tasks(attention: Attention) -> Advice | None:
    """Put a memory before a task that speaks of a cache."""
    task = str(attention.event.arguments.get("task", ""))
    return Advice(arguments={**attention.event.arguments, "task": MEMORY + task}) if "cache" in task else None


def rows(site: Path) -> list[Decision]:
    """What the audit has of the gateway."""
    with open_audit(site / ".git" / AUDIT_FILE) as audit:
        return [d for d in audit.decisions() if d.host == "gateway" and d.adviser != "before_edit"]


@pytest.fixture
def behind(site: Path) -> Iterator[Behind]:
    """A gateway before the server, and its memory, closed in the end."""
    opened: list[CallMemory] = []

    def make(start: Path = site, deadline: float = 5) -> tuple[Any, CallMemory]:
        proxy, memory = gateway(COMMAND, start, deadline)
        opened.append(memory)
        return proxy, memory

    yield make
    for memory in opened:
        memory.close()


async def told(client: Any, name: str, arguments: dict[str, Any]) -> Any:
    """What comes of a call: the result's parts, or the error of the protocol as it is."""
    try:
        one = await client.call_tool(name, arguments, raise_on_error=False)
    except MCPError as error:
        return [{"text": error.error.message}], error.error.code, True
    return [block.model_dump(mode="json") for block in one.content], one.structured_content, one.is_error


def ask(target: Any, *calls: tuple[str, dict[str, Any]], mode: str = "auto") -> tuple[list[str], list[Any]]:
    """The names of the tools, and the results of some calls, of whatever speaks MCP."""

    async def talk() -> tuple[list[str], list[Any]]:
        async with Client(target, mode=mode) as client:
            names = [tool.name for tool in await client.list_tools()]
            return names, [await told(client, name, arguments) for name, arguments in calls]

    return asyncio.run(talk())


CALLS = (("run", {"task": "clear the cache"}), ("recall", {"query": "퍼지"}), ("fail", {}), ("run", {"task": 3}), ("missing", {}))


def stdio(command: str) -> StdioTransport:
    words = command.split()
    return StdioTransport(words[0], words[1:], env=dict(os.environ))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_names_results_and_errors_go_through_as_they_are(behind: Behind, mode: str) -> None:
    """In both eras of the protocol what comes back is what the server said: nothing encoded twice, no error reworded."""
    proxy, _ = behind()
    names, results = ask(proxy, *CALLS, mode=mode)
    direct_names, direct = ask(stdio(COMMAND), *CALLS, mode=mode)
    assert names == direct_names == ["run", "recall", "fail", "confirm"]
    assert results[:4] == direct[:4], "what the server has no tool for is answered by the gateway itself"
    assert results[1][1] == {"results": [{"id": "m1", "text": 'about "퍼지"'}]}
    assert results[2][2] and "invalid token" in results[2][0][0]["text"]
    assert [one[2] for one in results[3:]] == [True, True]


def test_a_memory_stands_before_the_named_argument_alone(site: Path, behind: Behind, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text changes where something is remembered, all else is as it was sent, and each call is a row."""
    monkeypatch.setitem(attending._ADVISERS, "before_call", (before_tasks,))
    proxy, memory = behind()
    _, results = ask(proxy, ("run", {"task": "clear the cache", "url": "u"}), ("run", {"task": "write a poem", "url": "u"}))
    assert [one[0][0]["text"] for one in results] == [f"did: {MEMORY}clear the cache u", "did: write a poem u"]
    assert [d.outcome for d in rows(site)] == ["match", "miss"]
    assert memory.unanswered == {}


def test_a_memory_that_hangs_holds_up_one_call_for_its_deadline(behind: Behind, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call goes on unchanged; while the memory is still busy the next ones do not even wait. All of it is counted."""
    over = threading.Event()

    def hanging(attention: Attention) -> Advice | None:
        over.wait(20)
        return None

    monkeypatch.setitem(attending._ADVISERS, "before_call", (hanging,))
    proxy, memory = behind(deadline=0.3)
    _, results = ask(proxy, *[("run", {"task": "clear the cache"})] * 3)
    over.set()
    assert [one[0][0]["text"] for one in results] == ["did: clear the cache"] * 3
    assert memory.unanswered == {"deadline": 1, "busy": 2}


def test_a_memory_that_fails_is_a_cause_and_no_error(behind: Behind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even by a fault of our own."""

    def faulty(attention: Attention) -> Advice | None:
        raise ZeroDivisionError

    monkeypatch.setitem(attending._ADVISERS, "before_call", (faulty,))
    proxy, memory = behind()
    assert ask(proxy, ("run", {"task": "clear the cache"}))[1][0][0][0]["text"] == "did: clear the cache"
    assert memory.unanswered == {"ZeroDivisionError": 1}


def test_without_a_ledger_calls_go_through(tmp_path: Path, behind: Behind) -> None:
    """A folder of which nothing is known is no reason to fail."""
    proxy, memory = behind(tmp_path)
    assert ask(proxy, ("run", {"task": "x"}))[1][0][0][0]["text"] == "did: x"
    assert sum(memory.unanswered.values()) == 1


def listening(port: int) -> None:
    """Wait until somebody listens."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)


@pytest.fixture
def address() -> Iterator[str]:
    """The upstream over HTTP."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with subprocess.Popen([sys.executable, str(SERVER), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        listening(port)
        yield f"http://127.0.0.1:{port}/mcp"
        process.terminate()


def test_the_command_before_a_server_over_http(site: Path, address: str) -> None:
    """The real program on standard input and output, a server behind it over HTTP."""
    names, results = ask(stdio(f"{sys.executable} -m knowledge -C {site} gateway --upstream {address}"), *CALLS[:3])
    assert names == ["run", "recall", "fail", "confirm"]
    assert results == ask(address, *CALLS[:3])[1]


ROW = {
    "id": "purge",
    "tool": "(^|_)run$",
    "argument": "task",
    "subject": ["cloudflare"],
    "actions": [["퍼지", "purge"]],
    "recall": "Cloudflare 캐시 퍼지",
}
WAY = "Cloudflare 캐시 퍼지는 aside로 대시보드에 로그인해서 파일 하나만 한다."
PURGE = "Cloudflare에서 product.css를 퍼지해라"


@pytest.fixture
def approved(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that remembers a way, with a row that a person approved."""
    for name in (*AGENT_VARIABLES, TOKEN_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    with open_project(site, Author("person", "ada")) as project:
        record(project, Draft(WAY, anchors=(UNANCHORED,)))
        trigger_rows.draft(project, ROW)
        trigger_rows.approve(project, "purge", "seen in replay", Proof(has_terminal=True))
    return site


def text(result: Any) -> str:
    return str(result[0][0]["text"])


def test_an_approved_row_puts_the_memory_before_the_named_argument(approved: Path, behind: Behind) -> None:
    """What is remembered is recalled at that moment, once a session, and a miss adds no byte."""
    proxy, _ = behind()
    _, results = ask(proxy, ("run", {"task": PURGE, "url": "u"}), ("run", {"task": PURGE}), ("run", {"task": "GitHub 캐시를 퍼지해라"}))
    assert WAY in text(results[0]) and text(results[0]).startswith("did: [knowledge, for reference") and text(results[0]).endswith(f"{PURGE} u")
    assert [text(one) for one in results[1:]] == [f"did: {PURGE}", "did: GitHub 캐시를 퍼지해라"]
    assert [(d.outcome, d.triggers) for d in rows(approved)] == [("match", ("purge",)), ("miss", ("purge",)), ("miss", ())]


def test_several_servers_keep_their_names_behind_the_gateway(approved: Path) -> None:
    """Each name begins with its server's; the row hits whichever it names."""
    servers = {"mcpServers": {name: {"command": sys.executable, "args": [str(SERVER)]} for name in ("web", "own")}}
    proxy, memory = gateway(json.dumps(servers), approved, 5)
    try:
        names, results = ask(proxy, ("web_run", {"task": PURGE}), ("own_recall", {"query": PURGE}), ("own_fail", {}))
    finally:
        memory.close()
    assert set(names) == {f"{server}_{tool}" for server in ("web", "own") for tool in ("run", "recall", "fail", "confirm")}
    assert WAY in text(results[0])
    assert results[1][1] == {"results": [{"id": "m1", "text": f'about "{PURGE}"'}]} and "invalid token" in text(results[2])


def test_a_server_asks_the_person_through_the_gateway(approved: Path, behind: Behind) -> None:
    """Its question and the answer pass; a client that cannot be asked gets the server's own failure."""
    proxy, _ = behind()
    asked: list[str] = []

    async def answer(message: str, *_: Any) -> dict[str, bool]:
        asked.append(message)
        return {"sure": True}

    async def talk() -> Any:
        async with Client(proxy, mode="legacy", elicitation_handler=answer) as client:
            return await client.call_tool("confirm", {"task": "purge"}, raise_on_error=False)

    result = asyncio.run(talk())
    assert asked == ["Do it? purge"] and result.content[0].text == "accept: True"
    _, (refused,) = ask(proxy, ("confirm", {"task": "purge"}), mode="legacy")
    _, (direct,) = ask(stdio(COMMAND), ("confirm", {"task": "purge"}), mode="legacy")
    assert (refused[0], refused[2]) == (direct[0], direct[2]) and refused[2]


def test_the_command_in_front_over_http(approved: Path) -> None:
    """The real program answers clients over HTTP, with the memory before the call."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "knowledge", "-C", str(approved), "gateway", "--upstream", COMMAND, "--http", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            listening(port)
            _, results = ask(f"http://127.0.0.1:{port}/mcp", ("run", {"task": PURGE}), ("fail", {}))
        finally:
            process.terminate()
    assert WAY in text(results[0]) and "invalid token" in text(results[1])


def test_what_an_upstream_may_be(tmp_path: Path) -> None:
    """A command, an address, a JSON text or file; anything else is an error that says so."""
    assert read_upstream("http://127.0.0.1:1/mcp") == "http://127.0.0.1:1/mcp"
    one = read_upstream("node server.js --flag 'a b'")
    assert isinstance(one, dict) and one["mcpServers"]["upstream"]["args"] == ["server.js", "--flag", "a b"]
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"web": {"url": "http://x/mcp"}, "own": {"command": "x", "env": {"A": "1"}}}}', encoding="utf-8")
    several = read_upstream(str(file))
    assert isinstance(several, dict) and several["mcpServers"]["web"] == {"url": "http://x/mcp"} and several["mcpServers"]["own"]["env"]["A"] == "1"
    for wrong in ("{", '{"mcpServers": {}}', '{"mcpServers": {"a": {}}}', "'"):
        with pytest.raises(UsageError):
            read_upstream(wrong)
