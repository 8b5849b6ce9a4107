"""One writer at a time: an advisory lock on a file, freed by the kernel when its holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knowledge.config import LIMITS, LOCK_FILE
from knowledge.errors import StoreLockedError, StoreReadOnlyError

_PAUSE_SECONDS = 0.02


@contextmanager
def writer_lock(common_dir: Path, seconds: float = LIMITS.lock_seconds) -> Iterator[None]:
    """Hold the repository's writer lock; waits up to `seconds` (0: not at all). Not to be taken twice by one thread of work.

    Raises StoreLockedError, which names the process that holds it, and StoreReadOnlyError.
    """
    with file_lock(common_dir / LOCK_FILE, seconds):
        yield


@contextmanager
def file_lock(path: Path, seconds: float) -> Iterator[None]:
    """Hold an exclusive lock on the file at `path`, which is made if need be and never removed. Raises as `writer_lock` does."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreReadOnlyError(f"{path} cannot be written ({error.strerror}). Check the permissions of its folder.") from error
    try:
        _wait(descriptor, path, seconds)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def sole_holder(path: Path) -> Iterator[bool]:
    """Hold the lock of work that one process at a time does; False at once where another holds it. The folder has to be there."""
    with path.open("ab") as file:
        yield _is_taken(file.fileno())


@contextmanager
def inheritable_lock(path: Path) -> Iterator[int]:
    """Hold a new lock; the descriptor that holds it, for a child to inherit: it is free when this process and all such children closed it."""
    with path.open("ab") as file:
        _is_taken(file.fileno())
        yield file.fileno()


def _is_taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait(descriptor: int, path: Path, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
                raise StoreLockedError(
                    f"Another knowledge process (pid {holder}) is writing ({path}); waited {seconds:g} s. Try again when it is done."
                ) from None
        time.sleep(_PAUSE_SECONDS)
