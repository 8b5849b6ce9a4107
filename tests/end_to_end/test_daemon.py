"""Hook client and daemon as they really run: what comes back, and that whatever is wrong the agent's call goes on with nothing said."""

import contextlib
import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.operations.initialize import initialize
from knowledge.operations.project import open_project
from knowledge.operations.record import Draft, record
from knowledge.operations.status import status
from knowledge.storage.audit import Decision, open_audit
from knowledge.storage.unanswered import read
from knowledge.surfaces.cli import push_lines
from knowledge.surfaces.daemon import client
from knowledge.surfaces.daemon.place import meeting_file, sole_daemon
from knowledge.surfaces.hosts.host import Launch
from knowledge.surfaces.hosts.table import HOSTS

CLIENT = Path(client.__file__)
SLOW = {"KNOWLEDGE_HOOK_MS": "5000"}
"""Tests share their machine with others."""


class Daemon:
    """A repository, and calls of its hook."""

    def __init__(self, repo: GitRepo, runtime: Path) -> None:
        self.repo, self.folder, self.runtime = repo, repo.path / ".git" / "knowledge", runtime

    def hook(self, payload: bytes, *words: str, **options: object) -> bytes:
        """Run the client as a host would; what it printed. It must say nothing else and exit with 0."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.runtime), "XDG_RUNTIME_DIR": str(self.runtime), **SLOW}
        environment |= {"KNOWLEDGE_TESTS_BELOW": str(self.repo.path.parent), "KNOWLEDGE_PERSONAL": str(self.runtime / "none")}
        environment |= options.pop("environment", {})  # type: ignore[arg-type]
        command = [sys.executable, "-I", "-S", str(CLIENT), *(words or ("claude", str(self.repo.path / ".git"), "start"))]
        done = subprocess.run(command, input=payload, capture_output=True, check=False, timeout=30, env=environment, **options)  # type: ignore[call-overload]
        assert (done.returncode, done.stderr) == (0, b"")
        return bytes(done.stdout)

    def event(self, name: str, session: str, **fields: object) -> bytes:
        """A payload of Claude Code."""
        return json.dumps({"session_id": session, "cwd": str(self.repo.path), "hook_event_name": name, **fields}).encode()

    def begin(self, session: str) -> bytes:
        """What a session is told when it begins."""
        return self.hook(self.event("SessionStart", session, source="startup"))

    def call(self, payload: bytes, **options: object) -> bytes:
        """A hook in the way of a call, which waits for nothing."""
        return self.hook(payload, "claude", str(self.repo.path / ".git"), **options)

    def causes(self) -> set[str]:
        """What came to nothing and why, as far as `status` would tell it."""
        return {note.partition(" × hook-")[2].partition(",")[0] for note in status(self.repo.path).notes if " × hook-" in note}

    def remember(self) -> None:
        """A claim that falls with the next change, and the change."""
        with open_project(self.repo.path) as project:
            record(project, Draft("`f` returns 1"))
        self.repo.write("a.py", "def f():\n    return 2\n")

    def pid(self) -> int:
        """The one daemon's process."""
        found = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and str(self.folder.parent).encode() in _words(p)]
        assert len(found) == 1, found
        return found[0]

    def stop(self) -> None:
        """End it, if it runs."""
        for place in Path("/proc").iterdir():
            if place.name.isdigit() and str(self.folder.parent).encode() in _words(place):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(place.name), signal.SIGCONT)
                    os.kill(int(place.name), signal.SIGKILL)


def _words(process: Path) -> list[bytes]:
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []
    return words if b"knowledge.surfaces.daemon.server" in words else []


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that is about to happen."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A repository with a claim in it; no daemon yet."""
    repo = GitRepo.create(tmp_path / "저장소 with 'quotes'")
    repo.write("a.py", "def f():\n    return 1\n")
    repo.commit("Add a")
    initialize(repo.path)
    runtime = tmp_path / "run"
    runtime.mkdir()
    found = Daemon(repo, runtime)
    yield found
    found.stop()


def test_a_session_is_told_what_is_remembered(daemon: Daemon) -> None:
    """The first hook starts the daemon and is answered; a moment with nothing to say brings no byte."""
    daemon.remember()
    answer = daemon.begin("s1")
    assert "`f` returns 1" in json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    first = daemon.pid()
    assert daemon.call(daemon.event("PreToolUse", "s1", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t1")) == b""
    assert daemon.pid() == first
    assert not daemon.causes()
    assert meeting_file(daemon.folder.parent).stat().st_mode & 0o777 == 0o600


def test_the_same_hook_twice_speaks_once(daemon: Daemon) -> None:
    """Registered in two places a hook runs twice with the same payload; one is answered."""
    daemon.remember()
    daemon.begin("warm")
    assert [bool(daemon.begin("s1")) for _ in range(2)] == [True, False]


def test_without_a_daemon_a_call_goes_on_and_one_is_started(daemon: Daemon) -> None:
    """The call is not answered, is counted, and the next one finds a daemon."""
    payload = daemon.event("PreToolUse", "s", tool_name="Bash", tool_input={})
    assert daemon.call(payload) == b""
    assert daemon.causes() == {"daemon-gone"}
    until(meeting_file(daemon.folder.parent).exists)
    assert daemon.pid()


def test_never_two(daemon: Daemon) -> None:
    """Many hooks at once, with no daemon there, make one."""
    threads = [threading.Thread(target=daemon.begin, args=(f"s{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    daemon.begin("last")
    until(lambda: bool(daemon.pid()))
    with sole_daemon(daemon.folder.parent) as is_ours:
        assert not is_ours


def test_killed_it_is_followed_by_another(daemon: Daemon) -> None:
    """A daemon that was killed leaves a stale socket: the call goes on, and the next session has a new daemon."""
    daemon.begin("s1")
    first = daemon.pid()
    os.kill(first, signal.SIGKILL)
    until(lambda: not _words(Path(f"/proc/{first}")))
    assert daemon.call(daemon.event("PreToolUse", "s1", tool_name="Bash", tool_input={})) == b""
    assert daemon.causes() == {"daemon-gone"}
    daemon.begin("s2")
    assert daemon.pid() != first


def test_a_hung_daemon_holds_nobody(daemon: Daemon) -> None:
    """One that does not answer is given up after the deadline, which is counted."""
    daemon.begin("s1")
    os.kill(daemon.pid(), signal.SIGSTOP)
    assert daemon.call(daemon.event("PreToolUse", "s1", tool_name="Bash", tool_input={}), environment={"KNOWLEDGE_HOOK_MS": "40"}) == b""
    assert daemon.causes() == {"deadline"}


@pytest.mark.parametrize("answer", [b"", b'{"hookSpecificOutput": {"hookEv'], ids=["before", "amid"])
def test_killed_while_it_answers(daemon: Daemon, answer: bytes) -> None:
    """Half an answer is none."""
    address = daemon.runtime / "half.sock"
    meeting_file(daemon.folder.parent).write_text(f"{address}\ntoken\n")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen()

        def take() -> None:
            connection, _ = listener.accept()
            while connection.recv(65_536):
                pass
            connection.sendall(answer)
            connection.close()

        thread = threading.Thread(target=take)
        thread.start()
        assert daemon.call(b"{}") == b""
        thread.join()
    assert daemon.causes() == {"answer-cut-off"}


@pytest.mark.parametrize(
    ("payload", "cause"),
    [
        (b"{nonsense", "invalid-json"),
        (b"[1]", "invalid-json"),
        (b"\xff\xfe", "invalid-json"),
        (b'{"x": "' + b"y" * 300_000 + b'"}', "payload-too-large"),
    ],
    ids=["broken", "a-list", "no-text", "300-kB"],
)
def test_payloads_that_are_none(daemon: Daemon, payload: bytes, cause: str) -> None:
    """What cannot be read, or is too long, is answered with nothing, and the daemon goes on."""
    daemon.begin("s1")
    assert daemon.call(payload) == b""
    until(lambda: daemon.causes() == {cause})
    assert daemon.pid()


def test_a_client_of_another_version(daemon: Daemon) -> None:
    """One that speaks another protocol, or has another token, is answered with the end of the connection."""
    daemon.begin("s1")
    address = meeting_file(daemon.folder.parent).read_text().splitlines()[0]
    for head in (b"knowledge 0 x claude\n{}", b"knowledge 1 wrong claude\n{}", b"GET / HTTP/1.1\r\n\r\n"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(address)
            connection.sendall(head)
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(10) == b""
    until(lambda: daemon.causes() == {"old-client", "wrong-token"})


def test_a_locked_database(daemon: Daemon) -> None:
    """While somebody holds the audit, calls go on unanswered and are counted."""
    daemon.begin("s1")
    with contextlib.closing(sqlite3.connect(daemon.folder / "audit.sqlite3")) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert daemon.call(daemon.event("PreToolUse", "s1", tool_name="Bash", tool_input={}), environment={"KNOWLEDGE_HOOK_MS": "40"}) == b""
        assert "deadline" in daemon.causes()
        other.rollback()


def test_a_full_disk(daemon: Daemon) -> None:
    """Where nothing can be written, nothing is said, and the call goes on."""

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    assert daemon.call(daemon.event("PreToolUse", "s", tool_name="Bash", tool_input={}), preexec_fn=no_room) == b""


def test_switched_off(daemon: Daemon) -> None:
    """A file or an environment variable switches it all off: no daemon is asked or started; what the variable silenced is counted."""
    payload = daemon.event("SessionStart", "s1", source="startup")
    (daemon.folder / "push-off").touch()
    assert daemon.begin("s1") == b"" and not read(daemon.folder.parent)
    (daemon.folder / "push-off").unlink()
    assert daemon.hook(payload, environment={"KNOWLEDGE_PUSH": "0"}) == b""
    assert not meeting_file(daemon.folder.parent).exists()
    assert daemon.causes() == {"silenced"}
    daemon.begin("s1")
    until(lambda: not read(daemon.folder.parent))
    assert daemon.causes() == {"silenced"}
    with open_audit(daemon.folder / "audit.sqlite3") as audit:
        assert [(d.outcome, d.cause) for d in audit.decisions() if d.adviser == "hook"] == [("miss", "silenced")]


def test_a_strangers_tests_leave_no_trace(daemon: Daemon) -> None:
    """A test suite in which an agent's hook runs for a repository that is not its own: no byte, no daemon, no row, no line."""
    before = sorted(path.name for path in daemon.folder.iterdir())
    payload = daemon.event("SessionStart", "s1", source="startup")
    for below in ("", str(daemon.runtime)):
        assert daemon.hook(payload, environment={"PYTEST_CURRENT_TEST": "test_x (call)", "KNOWLEDGE_TESTS_BELOW": below}) == b""
    assert sorted(path.name for path in daemon.folder.iterdir()) == before
    daemon.begin("real")
    rows = len(decisions(daemon))
    assert daemon.hook(payload, environment={"PYTEST_CURRENT_TEST": "test_x (call)", "KNOWLEDGE_TESTS_BELOW": ""}) == b""
    assert len(decisions(daemon)) == rows


def decisions(daemon: Daemon) -> list[Decision]:
    """The rows of the audit."""
    with open_audit(daemon.folder / "audit.sqlite3") as audit:
        return audit.decisions()


def test_doctor_tries_the_whole_way(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an agent's hooks are there, doctor sends a probe through them, says what the agent does not allow, and whether Codex trusts them."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(daemon.runtime))
    monkeypatch.setenv("CODEX_HOME", str(daemon.runtime / "codex"))
    assert [finding.code for finding in push_lines.findings(daemon.repo.path)] == ["push"]
    launch = Launch(["knowledge", "mcp"], daemon.folder.parent)
    for host in HOSTS.values():
        for edit in host.edits(daemon.repo.path, launch, is_removal=False):
            daemon.repo.write(str(edit.path), edit.after or "")
    found = {finding.code: finding for finding in push_lines.findings(daemon.repo.path)}
    assert found["push-probe"].level == "ok", found["push-probe"].message
    assert "permission" in HOSTS["codex"].dialect.limits[0]  # type: ignore[union-attr]
    assert found["push-codex-untrusted"].level == "warning"
    assert "ignored" in found["push-gemini"].message
    (daemon.runtime / "codex").mkdir()
    hooks = (daemon.repo.path / ".codex" / "hooks.json").resolve()
    states = "".join(f"[hooks.state.{json.dumps(f'{hooks}:event{n}:0:0')}]\ntrusted_hash = 'sha256:0'\n" for n in range(7))
    (daemon.runtime / "codex" / "config.toml").write_text(states)
    assert "push-codex" in {finding.code for finding in push_lines.findings(daemon.repo.path)}


def test_it_ends_with_its_databases(daemon: Daemon) -> None:
    """A repository that forgets everything has no daemon left."""
    daemon.begin("s1")
    (daemon.folder / "ledger.sqlite3").unlink()
    until(lambda: not meeting_file(daemon.folder.parent).exists())


def test_the_client_imports_nothing_that_is_not_built_in() -> None:
    """Every module beyond what a bare interpreter has costs each tool call of each agent."""
    probe = f"import os, sys; before = set(sys.modules); sys.path.insert(0, {str(CLIENT.parent)!r}); import client; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", probe], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"client", "_socket", "_signal"}
