"""What an agent's program runs for a hook: hand the payload to the daemon, print its answer. Whatever goes wrong, nothing is printed and it exits 0.

Run as `python -I -S client.py <host> <git common directory> [turn|start]` by an absolute interpreter. It stands in the way of every tool call of an
agent, so it imports nothing but what is built into the interpreter. A timer of the kernel bounds all of it, reading and writing included. A call
that comes to nothing leaves a line in `<git common directory>/knowledge/hooks-unanswered`, where there is room for one.

Only DEADLINE_SECONDS are waited where a tool call stands still. With `turn` (once in a turn: a prompt, an end) it may take TURN_SECONDS, and with
`start` (a session begins) START_SECONDS, in which a daemon that is not there is started and waited for; else it is only started.
"""

import _signal  # type: ignore[import-not-found]  # built into every interpreter; `signal` would import enum
import _socket
import os
import sys

DEADLINE_SECONDS = 0.04
TURN_SECONDS = 1.5
START_SECONDS = 8.0
INPUT_SECONDS = 1.0
"""How long a host may take to write its payload."""
PAYLOAD_BYTES = 262_144
LOG_BYTES = 65_536
RESTART_SECONDS = 10
"""A daemon that does not come up is not tried again within this time."""
SERVER = "knowledge.surfaces.daemon.server"
KEPT_VARIABLES = (
    "PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "KNOWLEDGE_PERSONAL",
    "KNOWLEDGE_TESTS_BELOW",
)  # fmt: skip
"""All that the daemon gets of an agent's environment, which may hold its keys."""


class Unanswered(Exception):
    """Why a call came to nothing, in a word."""


def main(host: str, common_dir: str, wait: str = "") -> None:
    """Answer one hook."""
    if is_strangers_test(common_dir):
        return
    folder = os.path.join(common_dir, "knowledge")
    _signal.signal(_signal.SIGALRM, give_up)
    try:
        _signal.setitimer(_signal.ITIMER_REAL, INPUT_SECONDS)
        payload = read_payload()
        if os.environ.get("KNOWLEDGE_PUSH", "").lower() in ("0", "off", "no", "false"):
            raise Unanswered("silenced")
        _signal.setitimer(_signal.ITIMER_REAL, deadline(wait))
        if os.path.exists(os.path.join(folder, "push-off")):
            return
        answer = ask_or_start(folder, host, payload, is_patient=wait == "start")
        _signal.setitimer(_signal.ITIMER_REAL, 0)
    except (Unanswered, OSError) as failure:
        _signal.setitimer(_signal.ITIMER_REAL, DEADLINE_SECONDS)  # a disk that hangs must not hold the agent either
        note(folder, host, str(failure) if isinstance(failure, Unanswered) else type(failure).__name__)
        return
    if answer:
        os.write(1, answer)


def is_strangers_test(common_dir: str) -> bool:
    """Whether a test runs this for a repository that is not its own: what tests do never mixes with what is kept of real work."""
    if "PYTEST_CURRENT_TEST" not in os.environ:
        return False
    below = os.environ.get("KNOWLEDGE_TESTS_BELOW", "")
    return not below or not os.path.realpath(common_dir).startswith(os.path.join(os.path.realpath(below), ""))


def deadline(wait: str) -> float:
    """How long the moment may take; for a call on a slow machine also KNOWLEDGE_HOOK_MS, at most 5,000."""
    if wait in ("turn", "start"):
        return TURN_SECONDS if wait == "turn" else START_SECONDS
    given = os.environ.get("KNOWLEDGE_HOOK_MS", "")
    return min(max(int(given), 1), 5000) / 1000 if given.isdecimal() else DEADLINE_SECONDS


def give_up(number: int, frame: object) -> None:
    """The kernel's timer rang. Raises Unanswered wherever we are."""
    raise Unanswered("deadline")


def read_payload() -> bytes:
    """All of standard input. Raises Unanswered where it is too long; it is read to its end all the same, as the host waits for that."""
    parts, size = [], 0
    while part := os.read(0, 65_536):
        size += len(part)
        if size <= PAYLOAD_BYTES:
            parts.append(part)
    if size > PAYLOAD_BYTES:
        raise Unanswered("payload-too-large")
    return b"".join(parts)


def ask_or_start(folder: str, host: str, payload: bytes, is_patient: bool) -> bytes:
    """The daemon's answer; where there is none it is started, for the next call or, patiently, for this one."""
    try:
        return ask(folder, host, payload)
    except (FileNotFoundError, ConnectionRefusedError):
        if not os.path.exists(os.path.join(folder, "ledger.sqlite3")):
            raise Unanswered("not-initialized") from None
    if is_patient:
        os.read(start(folder), 1)
        return ask(folder, host, payload)
    note(folder, host, "daemon-gone")
    if may_start(folder):
        start(folder)
    return b""


def ask(folder: str, host: str, payload: bytes) -> bytes:
    """Send `knowledge 1 <token> <host>` and the payload, read the answer to its end; its last byte says that it is whole."""
    file = os.open(os.path.join(folder, "daemon"), os.O_RDONLY)
    address, _, token = os.read(file, 4096).strip().partition(b"\n")
    os.close(file)
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(address)
    connection.sendall(b"knowledge 1 %b %b\n" % (token, host.encode()) + payload)
    connection.shutdown(_socket.SHUT_WR)
    parts = []
    while part := connection.recv(65_536):
        parts.append(part)
    answer = b"".join(parts)
    if not answer.endswith(b"\n"):
        raise Unanswered("answer-cut-off")
    return answer[:-1]


def may_start(folder: str) -> bool:
    """Whether the last start is long enough ago. The log was written just now, so its time is the time."""
    try:
        last = os.stat(os.path.join(folder, "daemon-started")).st_mtime
    except FileNotFoundError:
        return True
    return abs(os.stat(os.path.join(folder, "hooks-unanswered")).st_mtime - last) > RESTART_SECONDS


def start(folder: str) -> int:
    """Start the daemon in a session of its own. The pipe that is returned ends when the daemon listens, or has ended itself."""
    os.close(os.open(os.path.join(folder, "daemon-started"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    ready, listening = os.pipe()
    if os.fork() == 0:
        try:
            _signal.setitimer(_signal.ITIMER_REAL, 0)
            os.setsid()
            os.dup2(listening, 3)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            os.closerange(4, 65536)
            os.chdir("/")
            kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
            os.execve(sys.executable, [sys.executable, "-I", "-m", SERVER, os.path.dirname(folder), "3"], kept)
        finally:
            os._exit(1)
    os.close(listening)
    return ready


def note(folder: str, host: str, cause: str) -> None:
    """Add a line to the log of calls that came to nothing, as long as that is short."""
    file = os.open(os.path.join(folder, "hooks-unanswered"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if os.fstat(file).st_size < LOG_BYTES:
        os.write(file, f"{cause} {host}\n".encode())
    os.close(file)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    finally:
        os._exit(0)  # before anything is told of a failure, and without the interpreter's tidying up
