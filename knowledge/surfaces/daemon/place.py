"""Where the daemon of a repository and the clients meet. Standard library alone."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from contextlib import AbstractContextManager
from pathlib import Path

from knowledge.errors import KnowledgeError
from knowledge.storage.lock import sole_holder

PROTOCOL = b"knowledge 1 "
_ADDRESS_BYTES = 100
"""A Unix socket's address holds 108 bytes on Linux and 104 on macOS."""


def meeting_file(common_dir: Path) -> Path:
    """Two lines for its owner alone: the socket's path and the token. There while a daemon listens."""
    return common_dir / "knowledge" / "daemon"


def sole_daemon(common_dir: Path) -> AbstractContextManager[bool]:
    """The lock of the common directory's one daemon: whether it is held here. The kernel lets go of it however the process ends."""
    return sole_holder(common_dir / "knowledge" / "daemon.lock")


def socket_path(common_dir: Path) -> Path:
    """A short path of its own for each common directory, in a folder that only its owner can enter.

    Raises KnowledgeError where somebody else has made that folder.
    """
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp")
    name = hashlib.sha256(os.fsencode(common_dir.resolve())).hexdigest()[:24] + ".sock"
    folder = runtime / f"knowledge-{os.getuid()}"
    if len(os.fsencode(folder / name)) > _ADDRESS_BYTES or not os.access(runtime, os.W_OK):
        folder = Path("/tmp") / f"knowledge-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise KnowledgeError(f"{folder} is not a folder that only you can enter; remove it")
    return folder / name


def announce(common_dir: Path, address: Path) -> bytes:
    """Write the meeting file, whole or not at all; the fresh token is returned."""
    token = secrets.token_hex(16).encode()
    part = meeting_file(common_dir).with_name(f"daemon.{os.getpid()}.part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(os.fsencode(address) + b"\n" + token + b"\n")
    part.replace(meeting_file(common_dir))
    return token
