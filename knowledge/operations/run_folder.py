"""A run under way: a folder of the store with all that it takes to record it, so that nothing is lost with the process that records it.

    run.json       what is known when the command begins (`Begun`)
    overlay/       uncommitted content that it runs on, where there is some
    *.jsonl        what the observer in the tests' processes writes
    output         the beginning of what the command printed, masked only when it is recorded
    recorder.lock  held by the process that records
    command.lock   held by the command and all that it starts: the kernel frees it with the last of them

The folder goes when the run is recorded. One that is left, and that nobody holds, belongs to a recorder that was killed.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from knowledge.config import LIMITS, RUNS_FOLDER
from knowledge.errors import StoreReadOnlyError
from knowledge.storage.lock import inheritable_lock, sole_holder

_BEGUN, _OUTPUT, _OVERLAY = "run.json", "output", "overlay"
_RECORDER, _COMMAND = "recorder.lock", "command.lock"
_UNHELD = ".new"
_GRACE_SECONDS = 60.0
"""Beyond the bound on a command's time, until what still runs of it is waited for no longer."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What is known of a run when its command begins.

    command: masked. directory, reports: below the work tree, as shown. begun: seconds since 1970. search_path: where the
    command's program was looked for. environment: as far as it is known from outside.
    """

    id: str
    at: str
    begun: float
    command: tuple[str, ...]
    directory: str
    how: str
    seconds: float
    variables: tuple[str, ...]
    reports: tuple[str, ...]
    search_path: str | None
    environment: dict[str, Any]
    revision: str | None
    tree_id: str
    snapshot_key: str
    author: str


class RunFolder:
    """The folder of one run. command_lock: a descriptor that the command is to inherit."""

    def __init__(self, path: Path, command_lock: int | None = None) -> None:
        self.path, self.command_lock = path, command_lock

    def begin(self, begun: Begun, overlay: Mapping[str, bytes]) -> None:
        """Write down what is known, before the command begins."""
        if overlay:
            (self.path / _OVERLAY).mkdir()
            for name, content in overlay.items():
                (self.path / _OVERLAY / name).write_bytes(content)
        # Whole or not at all: a folder without it has nothing to be recorded of.
        partly = self.path / f"{_BEGUN}.part"
        partly.write_bytes(msgspec.json.encode(begun))
        partly.replace(self.path / _BEGUN)

    @contextmanager
    def keeping(self, pass_on: Callable[[bytes], None]) -> Iterator[Callable[[bytes], None]]:
        """The same as `pass_on`, with as much of the beginning of the output kept as a run keeps of it."""
        left = LIMITS.output_bytes // 2
        with (self.path / _OUTPUT).open("ab", buffering=0) as file:

            def both(chunk: bytes) -> None:
                nonlocal left
                if left > 0:
                    # On a full disk the output that is held in memory is still recorded.
                    with contextlib.suppress(OSError):
                        file.write(chunk[:left])
                    left -= len(chunk)
                pass_on(chunk)

            yield both

    def begun(self) -> Begun | None:
        """What was written down; None where the recorder did not come so far."""
        try:
            return msgspec.json.decode((self.path / _BEGUN).read_bytes(), type=Begun)
        except (OSError, msgspec.MsgspecError):
            return None

    def overlay(self) -> dict[str, bytes]:
        """Uncommitted content, by the names under which the ledger keeps it."""
        folder = self.path / _OVERLAY
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())} if folder.is_dir() else {}

    def output(self) -> bytes:
        """The beginning of what the command printed."""
        path = self.path / _OUTPUT
        return path.read_bytes() if path.exists() else b""

    def last_sign(self) -> float:
        """When anything of the run was last written, in seconds since 1970."""
        return max((path.stat().st_mtime for path in self.path.iterdir() if path.suffix == ".jsonl" or path.name == _OUTPUT), default=0.0)


@contextmanager
def run_folder(home: Path, run_id: str) -> Iterator[RunFolder]:
    """A new folder for a run, held, and removed at the end; what was written stays where this process is killed. Raises StoreReadOnlyError."""
    path = home / RUNS_FOLDER / run_id
    unheld = path.with_suffix(_UNHELD)
    try:
        unheld.mkdir(parents=True)
    except OSError as error:
        raise StoreReadOnlyError(f"{path} cannot be written ({error.strerror}). Check the permissions of its folder.") from error
    with sole_holder(unheld / _RECORDER), inheritable_lock(unheld / _COMMAND) as command_lock:
        try:
            # Under this name it is held from the beginning, so that nobody takes it for one that is left behind.
            unheld.rename(path)
            yield RunFolder(path, command_lock)
        finally:
            shutil.rmtree(path, ignore_errors=True)


def left_behind(home: Path) -> Iterator[RunFolder]:
    """Folders of runs whose recorder is gone, one after the other, each held meanwhile and removed after.

    A command that still goes on is waited for, by looking again another time, until its time ran out.
    """
    folder = home / RUNS_FOLDER
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix == _UNHELD:
            _drop_if_old(path)
            continue
        # Another that looks at the same time may have removed it.
        with contextlib.suppress(FileNotFoundError), sole_holder(path / _RECORDER) as is_ours:
            found = RunFolder(path)
            begun = found.begun() if is_ours else None
            if is_ours and (begun is None or _is_over(path, begun)):
                yield found
                shutil.rmtree(path, ignore_errors=True)


def _drop_if_old(path: Path) -> None:
    """Remove what a recorder left that was killed before it held the folder."""
    with contextlib.suppress(FileNotFoundError):
        if time.time() > path.stat().st_mtime + _GRACE_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def _is_over(path: Path, begun: Begun) -> bool:
    with sole_holder(path / _COMMAND) as is_free:
        return is_free or time.time() > begun.begun + begun.seconds + _GRACE_SECONDS
