"""Reading files of a work tree without ever leaving it: no symlink is followed, nothing but regular files is read, and no more than a limit."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from knowledge.errors import RepositoryReadError

_DIRECTORY = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Found:
    """What lies at a path of a work tree.

    kind "absent": nothing, or nothing that git would keep (a pipe, a socket, a device, something behind a symlink).
    content: a file's bytes or a symlink's text; None where it was not read, and `reason` says why. size in bytes; modified in nanoseconds.
    """

    kind: Literal["absent", "file", "symlink", "directory"]
    content: bytes | None = None
    size: int = -1
    modified: int = 0
    is_executable: bool = False
    reason: str = ""


_ABSENT = Found("absent")


def look_at(root: Path, path: bytes, size_limit: int) -> Found:
    """What lies at `path` below `root`. Raises RepositoryReadError where there is no such root."""
    *parents, name = path.split(b"/")
    if not name or any(part in (b"", b".", b"..") for part in (*parents, name)):
        return _ABSENT
    try:
        directory = os.open(root, os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY))
    except OSError as error:
        raise RepositoryReadError(f"the work tree {root} cannot be entered: {error}") from error
    try:
        for parent in parents:
            inner = os.open(parent, _DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = inner
        return _look_in(directory, name, size_limit)
    except PermissionError as error:
        return Found("file", reason=f"it cannot be read: {error.strerror}")
    except OSError:
        return _ABSENT
    finally:
        os.close(directory)


def _look_in(directory: int, name: bytes, size_limit: int) -> Found:
    status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        text = os.readlink(name, dir_fd=directory)
        return Found("symlink", text, len(text), status.st_mtime_ns)
    if stat.S_ISDIR(status.st_mode):
        return Found("directory")
    if not stat.S_ISREG(status.st_mode):
        return _ABSENT
    try:
        descriptor = os.open(name, _FILE, dir_fd=directory)
    except PermissionError as error:
        return _unread(status, f"it cannot be read: {error.strerror}")
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return _ABSENT
        # A file may grow while it is read; one byte beyond the limit is enough to know.
        content = b"" if status.st_size > size_limit else _read_up_to(file.fileno(), size_limit + 1)
    if max(status.st_size, len(content)) > size_limit:
        return _unread(status, f"it has more than the {size_limit} bytes that are read")
    return Found("file", content, len(content), status.st_mtime_ns, _is_executable(status))


def _read_up_to(descriptor: int, size: int) -> bytes:
    parts = []
    while size and (part := os.read(descriptor, min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _unread(status: os.stat_result, reason: str) -> Found:
    return Found("file", None, status.st_size, status.st_mtime_ns, _is_executable(status), reason)


def _is_executable(status: os.stat_result) -> bool:
    return bool(status.st_mode & stat.S_IXUSR)
