"""Running a command within bounds: its output is passed on and kept to a size, its time is limited, and nothing of it outlives it."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge.records.runs import Ending

_GRACE_SECONDS = 5.0
"""Between asking a command to end and ending it."""
_DRAIN_SECONDS = 1.0
"""How long output is waited for that a process left behind holds open."""
_CHUNK = 65_536
NOT_FOUND, NOT_RUNNABLE = 127, 126
"""Exit codes as a shell gives them."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. exit_code: negative for a signal; None where there is none. output: its beginning and its end; dropped: bytes between."""

    ending: Ending
    exit_code: int | None
    seconds: float
    output: bytes
    dropped: int


class _Kept:
    """The beginning and the end of a stream, each half of what may be kept."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size, self.dropped = 0, 0

    def add(self, chunk: bytes) -> None:
        room = self._half - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        self._tail.append(chunk)
        self._tail_size += len(chunk)
        while self._tail_size - len(self._tail[0]) >= self._half:
            gone = self._tail.popleft()
            self._tail_size -= len(gone)
            self.dropped += len(gone)

    def text(self) -> bytes:
        tail = b"".join(self._tail)
        self.dropped += max(0, len(tail) - self._half)
        tail = tail[-self._half :] if self._half else b""
        mark = f"\n[{self.dropped:,} bytes left out]\n".encode() if self.dropped else b""
        return bytes(self._head) + mark + tail


@dataclass(frozen=True, slots=True)
class Bounds:
    """seconds: how long the command may take. output_bytes: how much of its output is kept. inherits: a descriptor of ours that it gets, too."""

    seconds: float
    output_bytes: int
    inherits: int | None = None


def run_command(
    command: Sequence[str], directory: Path, environment: Mapping[str, str], bounds: Bounds, pass_on: Callable[[bytes], None] = lambda chunk: None
) -> Finished:
    """Run a command with both its outputs joined, to its end, the bound on its time, or an interruption of ours.

    It gets a process group of its own, all of which is ended with it. A command that cannot be started has the exit code that a shell gives.
    """
    begun = time.monotonic()
    try:
        child = subprocess.Popen(
            list(command), cwd=directory, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, pass_fds=() if bounds.inherits is None else (bounds.inherits,),
        )  # fmt: skip
    except OSError as error:
        code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE
        return Finished("not-started", code, 0.0, f"{command[0]}: {error.strerror}\n".encode(), 0)
    kept = _Kept(bounds.output_bytes)
    ending: Ending = "exited"
    try:
        if not _watch(child, kept, begun + bounds.seconds, pass_on):
            ending = "timed-out"
    except KeyboardInterrupt:
        ending = "interrupted"
    finally:
        _end(child, is_asked=ending == "interrupted")
    code = child.returncode
    if ending == "exited" and code is not None and code < 0:
        ending = "killed"
    output = kept.text()
    return Finished(ending, code, time.monotonic() - begun, output, kept.dropped)


def _watch(child: subprocess.Popen[bytes], kept: _Kept, until: float, pass_on: Callable[[bytes], None]) -> bool:
    """Read until the child ended and its output with it; False where the time ran out first."""
    assert child.stdout is not None
    stream = child.stdout.fileno()
    ended_at: float | None = None
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            for _ in selector.select(0.2):
                chunk = os.read(stream, _CHUNK)
                if not chunk:
                    return _wait(child, until)
                kept.add(chunk)
                pass_on(chunk)
            now = time.monotonic()
            if ended_at is None and child.poll() is not None:
                ended_at = now
            if ended_at is not None and now - ended_at > _DRAIN_SECONDS:
                return True
            if now > until and ended_at is None:
                return False


def _wait(child: subprocess.Popen[bytes], until: float) -> bool:
    try:
        child.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(child: subprocess.Popen[bytes], *, is_asked: bool) -> None:
    """End the child's process group, gently first; what was left behind by one that ended goes, too."""
    gentle = (signal.SIGINT if is_asked else signal.SIGTERM) if child.poll() is None else None
    if gentle is not None:
        _signal(child, gentle)
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            child.wait(_GRACE_SECONDS)
    _signal(child, signal.SIGKILL)
    child.wait()
    if child.stdout is not None:
        child.stdout.close()


def _signal(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        return
