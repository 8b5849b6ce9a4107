"""What all hosts have in common: a name, and the files of a project that have to be changed for it."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from knowledge.records.agent_events import AgentEvent, Moment, Reply
from knowledge.surfaces.hosts.edits import Edit

Change = Callable[[str | None, bool], str | None]
"""The text of a file (None: it is not there) and whether we come or go → the text that it should have."""


CLIENT = Path(__file__).parents[1] / "daemon" / "client.py"
"""What a hook runs. Whatever configuration names this file's last parts is ours."""
_PATIENCE: dict[Moment, tuple[str]] = {
    "session_start": ("start",),
    "subagent_start": ("turn",),
    "prompt": ("turn",),
    "stop": ("turn",),
    "subagent_stop": ("turn",),
}
_TAIL_BYTES = 262_144
"""Of a session's transcript, in whose end something is looked for."""
OURS = "surfaces/daemon/client.py"
_GUARD = "import os,sys;del sys.argv[0];f=sys.argv[0];os.path.exists(f) and exec(compile(open(f).read(),f,'exec'))"
"""Runs the file where it is there. An interpreter that is given a file which was removed ends with 2, by which hosts understand: block the call."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a host starts what is ours. server: the MCP server. common_dir: whose memory its hooks ask for."""

    server: list[str]
    common_dir: Path

    def hook(self, host: str, moment: Moment) -> list[str]:
        """The words of a hook's command, and how much patience the moment has."""
        return [sys.executable, "-I", "-S", "-c", _GUARD, str(CLIENT), host, str(self.common_dir), *_PATIENCE.get(moment, ())]

    def hook_line(self, host: str, moment: Moment) -> str:
        """The same as one line for a shell."""
        return shlex.join(self.hook(host, moment))


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a host tells of its moments and takes answers.

    read: a hook's payload → the moment, None for one that is not ours. write: what goes back as the host takes it; empty: nothing.
    text_at: the moments at which text reaches the agent; what is said at others is held back until the next of them.
    can_rewrite: an argument can be changed without granting a permission. limits: what the host does not allow, for `doctor`.
    names_session: MCP servers and commands that it starts are told the session; where they are not, its process stands for it.
    """

    read: Callable[[Mapping[str, Any]], AgentEvent | None]
    write: Callable[[AgentEvent, Reply], Mapping[str, Any]]
    text_at: frozenset[Moment]
    can_rewrite: bool
    limits: tuple[str, ...] = ()
    names_session: bool = True


@dataclass(frozen=True, slots=True)
class Host:
    """An agent's program. changes: project file → how it is changed. after: what a person has to do besides, "" for nothing.

    dialect: None where nothing can be told to it by itself. hooks: the project file that holds its hooks, "" where there is none.
    is_trusted: whether a person has trusted the hooks of a project, for a host that runs no others; only read, never written.
    """

    name: str
    title: str
    changes: Callable[[Launch], dict[str, Change]]
    after: str = ""
    dialect: Dialect | None = None
    hooks: str = ""
    is_trusted: Callable[[Path], bool] | None = None

    def edits(self, root: Path, launch: Launch, *, is_removal: bool) -> list[Edit]:
        """The changes that are needed in the project at `root`, in the order of the files."""
        found = []
        for name, change in self.changes(launch).items():
            file = root / name
            before = file.read_text(encoding="utf-8") if file.is_file() else None
            found.append(Edit(PurePosixPath(name), before, change(before, not is_removal)))
        return [edit for edit in found if edit.is_needed]


def server_command() -> list[str]:
    """How the server is started: by its plain name where that is on PATH (so that the file can be shared), else by this interpreter."""
    found = shutil.which("knowledge")
    if found is not None and Path(found).resolve().parent == Path(sys.executable).parent.resolve():
        return ["knowledge", "mcp"]
    return [sys.executable, "-m", "knowledge", "mcp"]


def text_of(value: Any) -> str:
    """What a tool answered as text, however a host wraps it: strings, MCP's content, lists of both; anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for key in ("llmContent", "content", "text", "stdout", "error", "output"):
            if value.get(key):
                rest = value.get("stderr")
                return text_of(value[key]) + (f"\n{rest}" if isinstance(rest, str) and rest else "")
        if isinstance(value.get("stderr"), str):
            return str(value["stderr"])
    if isinstance(value, list):
        return "\n".join(text_of(one) for one in value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def transcript_backwards(path: str, holding: str) -> Iterator[Mapping[str, Any]]:
    """The objects in the end of a session's transcript (JSON lines) that hold a text, the newest first; none where it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return
    try:
        status = os.fstat(descriptor)
        tail = os.pread(descriptor, _TAIL_BYTES, max(0, status.st_size - _TAIL_BYTES)) if stat.S_ISREG(status.st_mode) else b""
    except OSError:
        return
    finally:
        os.close(descriptor)
    for line in reversed(tail.splitlines()):
        if holding.encode() in line:
            with contextlib.suppress(ValueError, RecursionError):
                told = json.loads(line)
                if isinstance(told, Mapping):
                    yield told


def word(payload: Mapping[str, Any], key: str) -> str:
    """A string of a payload, "" for anything else."""
    found = payload.get(key)
    return found if isinstance(found, str) else ""


def named(payload: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object of a payload, empty for anything else."""
    found = payload.get(key)
    return found if isinstance(found, Mapping) else {}
