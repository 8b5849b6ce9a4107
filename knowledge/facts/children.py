"""A child process that analyzes files, seen from the parent."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

import knowledge
from knowledge.config import Limits
from knowledge.errors import AnalyzerStartError
from knowledge.facts.payloads import Row
from knowledge.facts.worker import LENGTH, Job, frame

MEMORY_BYTES = 1_500_000_000
"""Of address space for a child: a file that needs more is hostile."""
WALL_FACTOR = 10
"""The child ends itself by processor time; one that waits for ever instead is killed after this many times as much."""

_ANSWER = msgspec.msgpack.Decoder(tuple[int, Row])
_READY = msgspec.msgpack.Decoder(tuple[int, tuple[()]])
_PACKAGE_ROOT = str(Path(knowledge.__file__).resolve().parents[1])


class ChildFailure(Exception):
    """The child died. code: `parse-timeout` or `analyzer-crashed`."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class Child:
    """One running worker. Raises AnalyzerStartError where it cannot be started."""

    def __init__(self, limits: Limits) -> None:
        self._patience = limits.parse_seconds * WALL_FACTOR
        self._seconds = limits.parse_seconds
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the child)
        # -P: the current directory, which may be the repository, is not searched for modules.
        command = [sys.executable, "-P", "-m", "knowledge.facts.worker", str(limits.parse_seconds), str(MEMORY_BYTES)]
        environment = os.environ | {"PYTHONPATH": _PACKAGE_ROOT}
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints, env=environment, bufsize=0)
        self._selector = selectors.DefaultSelector()
        assert self._child.stdin is not None and self._child.stdout is not None
        self._stdin, self._stdout = self._child.stdin, self._child.stdout
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._buffer = bytearray()
        self._is_ready = False

    def send(self, jobs: Sequence[Job]) -> None:
        """Hand over jobs. The child must have answered all earlier ones, else both could wait for each other."""
        message = memoryview(frame(jobs))
        try:
            while message:
                message = message[self._stdin.write(message) :]
        except BrokenPipeError:
            pass  # It died: reading its answers says of what.

    def answers(self, count: int) -> Iterator[Row]:
        """The rows of the jobs sent, in order. Raises ChildFailure at the job that the child did not survive."""
        if not self._is_ready:
            try:
                _READY.decode(self._frame())
            except ChildFailure as failure:
                raise AnalyzerStartError(f"the process that parses files does not start: {failure.detail}") from failure
            self._is_ready = True
        for _ in range(count):
            yield _ANSWER.decode(self._frame())[1]

    def close(self) -> None:
        """End the child: at once where it is idle, by force where it is not. May be called again."""
        if self._stdin.closed:
            return
        self._stdin.close()
        try:
            self._child.wait(timeout=0.5 if self._is_ready else 0)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._stdout.close()
        self._selector.close()
        self._complaints.close()

    def _frame(self) -> bytes:
        head = self._take(LENGTH.size)
        return self._take(LENGTH.unpack(head)[0])

    def _take(self, size: int) -> bytes:
        deadline = time.monotonic() + self._patience
        while len(self._buffer) < size:
            if not self._selector.select(max(0.0, deadline - time.monotonic())):
                self._child.kill()
                self._child.wait()
                raise ChildFailure("parse-timeout", f"no answer within {self._patience:.0f} s")
            received = os.read(self._stdout.fileno(), 1 << 20)
            if not received:
                raise self._death()
            self._buffer += received
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _death(self) -> ChildFailure:
        code = self._child.wait()
        if code == -getattr(signal, "SIGPROF", 0):
            return ChildFailure("parse-timeout", f"more than {self._seconds:g} s of processor time")
        self._complaints.seek(0)
        last_line = self._complaints.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
        return ChildFailure("analyzer-crashed", last_line[:300] or f"exit code {code}")
