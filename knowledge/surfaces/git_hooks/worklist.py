"""The queue, the lock and the log that hook client and worker share, all below `<git common dir>/knowledge/`.

    queue/<nanoseconds>.<pid>.<hook>   one request; its content is the worktree's path
    hooks.lock                         held by the one worker
    hooks.log                          one line a round of work: time, done or failed, hooks, seconds, what went wrong

Client and worker are processes that do not wait for each other; files are all they share.
"""

from __future__ import annotations

import contextlib
import os
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from knowledge.storage.lock import sole_holder

REQUEST_SECONDS = 900
"""A request older than this has had its chance: dropped unworked, so that one which kills its worker is not tried for ever."""
LOG_BYTES = 64 * 1024
"""The log is cut to its newer half when it has grown beyond this."""


@dataclass(frozen=True, slots=True, order=True)
class Request:
    """A hook ran in a worktree. `at` in seconds since the epoch."""

    at: float
    hook: str
    worktree: Path
    path: Path


@dataclass(frozen=True, slots=True)
class Round:
    """One line of the log: a round of work over all requests that waited. `at` is ISO 8601, `error` is "" where it went well."""

    at: str
    hooks: tuple[str, ...]
    seconds: float
    error: str


def waiting(common_dir: Path) -> list[Request]:
    """The requests in the queue, oldest first. Half-written and foreign files are passed over."""
    found = []
    for path in (common_dir / "knowledge" / "queue").glob("*.*.post-*"):
        nanoseconds, _, hook = path.name.split(".", 2)
        if nanoseconds.isdigit() and not hook.endswith(".part"):
            with contextlib.suppress(FileNotFoundError):  # another worker took it
                found.append(Request(int(nanoseconds) / 1e9, hook, Path(os.fsdecode(path.read_bytes())), path))
    return sorted(found)


def drop_expired(requests: list[Request], now: float) -> list[Request]:
    """Remove requests older than REQUEST_SECONDS from the queue; the others are returned."""
    for request in requests:
        if now - request.at > REQUEST_SECONDS:
            request.path.unlink(missing_ok=True)
    return [request for request in requests if now - request.at <= REQUEST_SECONDS]


def sole_worker(common_dir: Path) -> AbstractContextManager[bool]:
    """The lock of the common directory's one worker: whether it is held here."""
    return sole_holder(common_dir / "knowledge" / "hooks.lock")


def log_path(common_dir: Path) -> Path:
    """Where the worker writes what it did."""
    return common_dir / "knowledge" / "hooks.log"


def write_log(common_dir: Path, requests: list[Request], seconds: float, error: str) -> None:
    """Add a line for one round of work, and keep the log within LOG_BYTES."""
    path = log_path(common_dir)
    hooks = ",".join(sorted({request.hook for request in requests}))
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with path.open("a", encoding="utf-8") as file:
        file.write("\t".join((at, "failed" if error else "done", hooks, f"{seconds:.2f}", " ".join(error.split()))) + "\n")
    if path.stat().st_size > LOG_BYTES:
        newer = path.read_bytes()[-LOG_BYTES // 2 :].partition(b"\n")[2]
        part = path.with_name(path.name + ".part")
        part.write_bytes(newer)
        part.replace(path)


def read_log(common_dir: Path) -> list[Round]:
    """The rounds still in the log, oldest first. Lines that are not ours (a traceback after a time-out) are passed over."""
    try:
        text = log_path(common_dir).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    rounds = []
    for line in text.splitlines():
        at, *rest = line.split("\t")
        if len(rest) == 4 and rest[0] in ("done", "failed"):
            rounds.append(Round(at, tuple(rest[1].split(",")), float(rest[2]), rest[3] or ("unknown" if rest[0] == "failed" else "")))
    return rounds
