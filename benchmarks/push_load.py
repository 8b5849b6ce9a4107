"""What hooks cost: the client's own CPU a call, and how long the daemon takes while eight agents call at once. Real processes, a real daemon."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mirrors import ROOT, git

sys.path.insert(0, str(ROOT))

from knowledge.operations.project import open_project
from knowledge.operations.reading import Reading
from knowledge.operations.record import Draft, store_many
from knowledge.operations.trigger_rows import draft
from knowledge.records.events import Event
from knowledge.records.triggers import TriggersAnswer
from knowledge.storage.audit import open_audit
from knowledge.surfaces.daemon import client

AGENTS = 8
_HOOKS = 40
_WAIT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Bench:
    """A repository with claims and approved rows, and the folder of its daemon's socket."""

    home: Path
    runtime: Path

    @property
    def common_dir(self) -> Path:
        return self.home / ".git"

    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.runtime),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "KNOWLEDGE_PERSONAL": str(self.runtime / "none"),
        }

    def payload(self, session: str, number: int, tool: str, text: str, event: str = "PreToolUse") -> bytes:
        told = {"session_id": session, "cwd": str(self.home), "hook_event_name": event, "tool_name": tool, "tool_input": {"task": f"{text} {number}"}}
        return json.dumps(told | ({"source": "startup"} if event == "SessionStart" else {})).encode()

    def hook(self, payload: bytes, wait: str = "") -> bytes:
        """The client as a host runs it."""
        words = [sys.executable, "-I", "-S", client.__file__, "claude", str(self.common_dir), *([wait] if wait else [])]
        return subprocess.run(words, input=payload, capture_output=True, check=True, env=self.environment(), timeout=_WAIT_SECONDS).stdout


@contextlib.contextmanager
def bench(claims: list[str], rows: list[dict[str, Any]]) -> Iterator[Bench]:
    """A fresh repository with these memories and rows, its daemon running."""
    folder = Path(tempfile.mkdtemp(prefix="push-"))
    made = Bench(folder / "project", folder / "run")
    made.runtime.mkdir()
    git(folder, "init", "--quiet", str(made.home))
    git(made.home, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "--allow-empty", "-m", "Begin")
    try:
        with open_project(made.home, create=True) as project:
            store_many(project, Reading(project), [Draft(statement, anchors=("none",)) for statement in claims])
            for row in rows:
                answer: TriggersAnswer = draft(project, row)
                # A person approves rows; here nobody is asked, for nobody is served.
                approved = {"trigger": answer.triggers[0].id, "reason": "benchmark"}
                project.ledger.append([Event(0, "TriggerApproved", "", project.now(), "person:benchmark", approved)])
        made.hook(made.payload("warm", 0, "", "", "SessionStart"), "start")
        yield made
    finally:
        _stop(made)
        shutil.rmtree(folder, ignore_errors=True)


def hook_cpu(made: Bench) -> float:
    """Median CPU milliseconds (user and system) of the client for one tool call."""
    took = []
    for number in range(_HOOKS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        made.hook(made.payload("cpu", number, "Bash", "ls -la"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(1_000 * statistics.median(took), 1)


def load(made: Bench, calls: list[tuple[str, str]], count: int) -> dict[str, Any]:
    """So many calls by eight agents at once: milliseconds from question to answer at the socket, answers without one, and rows that are missing."""
    with open_audit(made.common_dir / "knowledge" / "audit.sqlite3") as audit:
        before = sum(d.adviser == "triggered" for d in audit.decisions())
    each = count // AGENTS
    with ProcessPoolExecutor(AGENTS) as pool:
        agents = [pool.submit(_agent, made, f"agent-{number}", calls, each) for number in range(AGENTS)]
        found = [agent.result() for agent in agents]
    took = sorted(ms for times, _ in found for ms in times)
    with open_audit(made.common_dir / "knowledge" / "audit.sqlite3") as audit:
        decided = [d for d in audit.decisions() if d.adviser == "triggered"]
    lost = before + each * AGENTS - len(decided)
    failed = sum(d.outcome == "failed" for d in decided) + sum(failures for _, failures in found)
    return {"daemon_p50_ms": _at(took, 0.5), "daemon_p95_ms": _at(took, 0.95), "calls": len(took), "lost_rows": lost, "failed": failed}


def _agent(made: Bench, session: str, calls: list[tuple[str, str]], count: int) -> tuple[list[float], int]:
    """One agent that calls and waits for the answer, in turn."""
    took, failures = [], 0
    for number in range(count):
        tool, text = calls[number % len(calls)]
        payload = made.payload(session, number, tool, text)
        began = time.perf_counter()
        try:
            client.ask(str(made.common_dir / "knowledge"), "claude", payload)
        except (client.Unanswered, OSError):
            failures += 1
        took.append(1_000 * (time.perf_counter() - began))
    return took, failures


def _at(ordered: list[float], share: float) -> float:
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1)


def _stop(made: Bench) -> None:
    """End the daemon of this repository, and no other."""
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (place / "cmdline").read_bytes().split(b"\0") if place.name.isdigit() else []
            if b"knowledge.surfaces.daemon.server" in words and os.fsencode(made.common_dir) in words:
                os.kill(int(place.name), signal.SIGTERM)
