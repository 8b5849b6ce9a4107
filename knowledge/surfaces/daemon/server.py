"""The process: `python -I -m knowledge.surfaces.daemon.server <git common directory> [pipe]`. The pipe is closed when it listens.

One lock, so there is never a second one; one thread that works, threads that only read what clients send. It ends when nobody asked for
IDLE_SECONDS or its databases are gone, and becomes its own successor when the program was changed. Killed at any time it leaves nothing but a socket
that the next one takes away.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import queue
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import knowledge
from knowledge.storage.unanswered import note
from knowledge.surfaces.daemon.place import PROTOCOL, announce, meeting_file, socket_path, sole_daemon

IDLE_SECONDS = 1_800.0
READING_SECONDS = 1.0
"""How long a client may take to say all it has to say."""
REQUEST_BYTES = 300_000
HANGING_SECONDS = 60
"""A daemon that works on one answer for longer ends itself; the next call starts another."""
_TICK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Request:
    """One client that waits. asker: its process, 0 where this system does not tell."""

    connection: socket.socket
    host: str
    payload: bytes
    asker: int = 0

    def is_awaited(self) -> bool:
        """Whether the client is still there."""
        poll = select.poll()
        poll.register(self.connection, 0)
        return not any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll(0))


@dataclass(slots=True)
class Server:
    """One daemon. idle: seconds without a question after which it ends."""

    common_dir: Path
    idle: float = IDLE_SECONDS
    requests: queue.Queue[Request] = field(default_factory=queue.Queue)
    owed: Counter[tuple[str, str]] = field(default_factory=Counter)
    program: tuple[object, ...] = ()

    def serve(self, listener: socket.socket, token: bytes, desk: Any) -> bool:
        """Answer until there is nothing left to do; whether a new version of the program should take over."""
        self.program = _program()
        threading.Thread(target=self._accept, args=(listener, token), daemon=True).start()
        asked = time.monotonic()
        ledger = self.common_dir / "knowledge" / "ledger.sqlite3"
        served = _identity(ledger)
        while True:
            try:
                request = self.requests.get(timeout=_TICK_SECONDS)
            except queue.Empty:
                self._settle(desk)
                # Another repository in the place of the one that was removed has a daemon of its own.
                if served is None or _identity(ledger) != served or time.monotonic() - asked > self.idle:
                    return False
            else:
                asked = time.monotonic()
                self._answer(request, desk)
            if self.requests.empty() and _program() != self.program:
                return True

    def _accept(self, listener: socket.socket, token: bytes) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._read, args=(connection, token), daemon=True).start()

    def _read(self, connection: socket.socket, token: bytes) -> None:
        """Read one request; one that is not ours is answered with the end of the connection, and counted."""
        connection.settimeout(READING_SECONDS)
        parts, size = [], 0
        try:
            while size <= REQUEST_BYTES and (part := connection.recv(65_536)):
                parts.append(part)
                size += len(part)
        except OSError:
            size = 0
        head, _, payload = b"".join(parts).partition(b"\n")
        words = head.removeprefix(PROTOCOL).decode(errors="replace").split(" ")
        host = words[1] if len(words) == 2 else ""
        cause = ""
        if not 0 < size <= REQUEST_BYTES:
            cause = "request-incomplete" if not size else "payload-too-large"
        elif not head.startswith(PROTOCOL) or len(words) != 2:
            cause = "old-client"
        elif words[0].encode() != token:
            cause = "wrong-token"
        if cause:
            self._count(host if cause == "payload-too-large" else "", cause)
            connection.close()
        else:
            self.requests.put(Request(connection, host, payload, _asker(connection)))

    def _answer(self, request: Request, desk: Any) -> None:
        """Answer one client that is still there. Whatever goes wrong ends here."""
        with contextlib.closing(request.connection):
            if not request.is_awaited():
                return  # it has counted this itself
            faulthandler.dump_traceback_later(HANGING_SECONDS, exit=True)
            try:
                outcome = desk.answer(request.host, request.payload, request.asker)
                if outcome.cause:
                    self._count(request.host, outcome.cause)
                try:
                    request.connection.sendall(outcome.answer + b"\n")
                except OSError:  # the client gave up, and has counted this
                    desk.hold(outcome)
            except Exception as failure:  # the outermost frame: an agent waits, and nobody else is there to be told
                self._count(request.host, type(failure).__name__)
                with contextlib.suppress(OSError):
                    request.connection.sendall(b"\n")
            finally:
                faulthandler.cancel_dump_traceback_later()

    def _count(self, host: str, cause: str) -> None:
        """Count what came to nothing; kept in mind while the disk takes no line."""
        self.owed[(host, cause)] += 1
        with contextlib.suppress(OSError):
            for (owed_host, owed_cause), times in list(self.owed.items()):
                note(self.common_dir, owed_host, owed_cause, times)
                del self.owed[(owed_host, owed_cause)]

    def _settle(self, desk: Any) -> None:
        """What can wait until nobody waits."""
        if self.owed:
            self._count(*self.owed.popitem()[0])
        desk.fold()


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file it is, whatever its name; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _asker(connection: socket.socket) -> int:
    """The process at the other end, as Linux knows it (unix(7), SO_PEERCRED); 0 elsewhere."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return 0
    with contextlib.suppress(OSError):
        return int(struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))[0])
    return 0


def _program() -> tuple[object, ...]:
    """Changes when another version of the program was installed."""
    try:
        there = Path(str(knowledge.__file__)).stat()
    except OSError:
        return ()
    return there.st_mtime_ns, there.st_ino, there.st_size


def run(common_dir: Path, ready: int | None, idle: float = IDLE_SECONDS) -> None:
    """Be the daemon of a repository; at once over where there is one already."""
    with sole_daemon(common_dir) as is_ours:
        if not is_ours:
            return
        # Imported here: a daemon that finds another one at work must be cheap.
        from knowledge.surfaces.daemon.answering import Desk

        desk = Desk(common_dir)
        address = socket_path(common_dir)
        address.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            before = os.umask(0o177)
            listener.bind(str(address))
            os.umask(before)
            listener.listen(128)
            try:
                desk.warm()
                token = announce(common_dir, address)
                if ready is not None:
                    os.close(ready)
                is_replaced = Server(common_dir, idle).serve(listener, token, desk)
            finally:
                meeting_file(common_dir).unlink(missing_ok=True)
                address.unlink(missing_ok=True)
                desk.close()
    if is_replaced:
        os.execv(sys.executable, [sys.executable, "-I", "-m", "knowledge.surfaces.daemon.server", str(common_dir)])


def main() -> None:
    """Run for the command line's common directory."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    ready = int(sys.argv[2]) if len(sys.argv) > 2 else None
    if ready is not None:
        os.set_inheritable(ready, False)
    run(Path(sys.argv[1]), ready)


if __name__ == "__main__":
    main()
