"""How a daemon ends, is followed by its successor, and does without room on the disk: the real server, with one thing about it changed."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_daemon import Daemon, _words, daemon, decisions, until

from knowledge.config import AUDIT_FILE
from knowledge.operations.initialize import initialize
from knowledge.surfaces.daemon.place import meeting_file

__all__ = ["daemon"]

OTHER_VERSION = """
server._program = lambda: (Path(sys.argv[3]).exists(),)
"""
IMPATIENT = """
whole = server.run
server.run = lambda common_dir, ready: whole(common_dir, ready, idle=0.5)
"""
NO_ROOM = """
import resource, threading, time
def watch():
    while True:
        full = Path(sys.argv[3]).exists()
        resource.setrlimit(resource.RLIMIT_FSIZE, (0 if full else resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        time.sleep(0.01)
threading.Thread(target=watch, daemon=True).start()
"""
HEAD = """
import sys
from pathlib import Path
from knowledge.surfaces.daemon import server
"""


@contextlib.contextmanager
def running(daemon: Daemon, change: str, mark: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon of which one thing is changed; `mark` is a file that it looks at."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(daemon.runtime), "XDG_RUNTIME_DIR": str(daemon.runtime)}
    environment |= {"KNOWLEDGE_TESTS_BELOW": str(daemon.repo.path.parent), "KNOWLEDGE_PERSONAL": str(daemon.runtime / "none")}
    code = HEAD + change + "\ncommon_dir = Path(sys.argv[1])\nsys.argv[2:] = []\nserver.main()\n"
    code = code.replace("sys.argv[3]", repr(str(mark)))
    words = [sys.executable, "-c", code, str(daemon.folder.parent), "knowledge.surfaces.daemon.server"]
    with subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until(meeting_file(daemon.folder.parent).exists)
            yield process
        finally:
            process.kill()


def test_another_version_of_the_program_takes_over(daemon: Daemon, tmp_path: Path) -> None:
    """When the program was changed the daemon becomes its own successor: the same process, a new token, and the next session is answered."""
    daemon.remember()
    mark = tmp_path / "changed"
    with running(daemon, OTHER_VERSION, mark) as process:
        assert daemon.begin("s1")
        before = meeting_file(daemon.folder.parent).read_text()
        mark.touch()
        until(lambda: b"-I" in _words(Path(f"/proc/{process.pid}")))
        until(lambda: meeting_file(daemon.folder.parent).exists() and meeting_file(daemon.folder.parent).read_text() != before)
        assert daemon.begin("s2") and daemon.pid() == process.pid


def test_another_repository_in_its_place_has_a_daemon_of_its_own(daemon: Daemon) -> None:
    """The first one's daemon ends though a ledger of that name is there again."""
    daemon.remember()
    assert daemon.begin("s1")
    first = daemon.pid()
    shutil.rmtree(daemon.folder.parent)
    daemon.repo.git("init", "--quiet")
    daemon.repo.commit("Begin anew")
    initialize(daemon.repo.path)
    until(lambda: not Path(f"/proc/{first}").exists())
    assert daemon.begin("s2") == b""  # nothing is remembered here
    assert daemon.pid() != first


def test_it_ends_when_nobody_asks(daemon: Daemon, tmp_path: Path) -> None:
    """Without a trace but the lock's empty file; the next session starts another."""
    with running(daemon, IMPATIENT, tmp_path / "none") as process:
        assert process.wait(timeout=30) == 0
    assert not meeting_file(daemon.folder.parent).exists() and not list(daemon.runtime.glob("knowledge-*/*.sock"))
    assert daemon.call(daemon.event("PreToolUse", "s1", tool_name="Bash", tool_input={})) == b"" and daemon.causes() == {"daemon-gone"}


def test_a_full_disk_under_the_daemon(daemon: Daemon, tmp_path: Path) -> None:
    """Nothing can be kept, so nothing is said; calls go on, and when there is room again what came to nothing is told."""
    daemon.remember()
    full = tmp_path / "full"
    with running(daemon, NO_ROOM, full):
        full.touch()
        time.sleep(0.1)
        for number in range(3):
            payload = {
                "session_id": "s1",
                "cwd": str(daemon.repo.path),
                "hook_event_name": "PreToolUse",
                "tool_name": "Bash",
                "tool_input": {"n": number},
            }
            assert daemon.call(json.dumps(payload).encode()) == b""
        assert daemon.call(b"{broken") == b""
        full.unlink()
        until(lambda: "invalid-json" in daemon.causes())
        assert daemon.begin("s2"), "with room again it answers"
        until(lambda: bool(decisions(daemon)))
    assert (daemon.folder.parent / AUDIT_FILE).exists()


@pytest.mark.parametrize("name", ["ledger.sqlite3", "index.sqlite3", "audit.sqlite3"])
def test_whichever_database_is_locked(daemon: Daemon, name: str) -> None:
    """The call goes on with nothing said, and the daemon is well afterwards."""
    daemon.remember()
    daemon.begin("s1")
    with contextlib.closing(sqlite3.connect(daemon.folder / name, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        payload = daemon.event("PreToolUse", "s1", tool_name="Bash", tool_input={"command": "ls"})
        assert daemon.call(payload, environment={"KNOWLEDGE_HOOK_MS": "40"}) == b""
        assert daemon.causes() <= {"deadline"}
        holder.execute("ROLLBACK")
    assert daemon.begin("s2")
