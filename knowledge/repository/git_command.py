"""Running the `git` command so that it reads, and does nothing else.

Nothing of the repository is executed and nothing is fetched: hooks, file system monitors, filters, transports, pagers, prompts and
optional writes to the index are all off, whatever its configuration says. No command may take longer than a limit.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from knowledge.errors import NotARepositoryError, RepositoryReadError
from knowledge.repository.locate import Location

SECONDS_ALLOWED = 60.0
_KEPT = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})
_ADDED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # A list of transports that are allowed; unlike protocol.allow, the repository's configuration cannot override it.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
}
_OPTIONS = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.pager=cat"),
    *("-c", "status.submoduleSummary=false"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said. code: its exit code, 0 where all went well."""

    code: int
    output: bytes
    error: str


class GitCommand:
    """The `git` command for one repository. Raises NotARepositoryError where there is no such command on this machine."""

    def __init__(self, location: Location) -> None:
        self.location = location
        self._executable = _find_git(os.environ.get("PATH", os.defpath))
        if not self._executable:
            raise NotARepositoryError("the `git` command is needed here and is not on the PATH; install git")

    def ask(self, *args: str | bytes, stdin: bytes = b"", in_workdir: bool = False) -> Answer:
        """Run one command to its end. Raises RepositoryReadError where it takes too long.

        in_workdir: in the worktree's first directory, for commands that read files there; otherwise in the git directory.
        """
        workdir = self.location.workdir if in_workdir else None
        return _finish(self._start([*self._place(), *args], workdir or self.location.git_dir), args, stdin)

    def run(self, *args: str | bytes, stdin: bytes = b"", in_workdir: bool = False) -> bytes:
        """The output of one command. Raises RepositoryReadError with what git said where it fails."""
        answer = self.ask(*args, stdin=stdin, in_workdir=in_workdir)
        if answer.code:
            raise RepositoryReadError(f"`git {_show(args)}` failed: {answer.error}")
        return answer.output

    def discover(self, *args: str) -> Answer:
        """Run a command that finds the repository by itself, so that git's own checks of who owns it are made."""
        workdir, git_dir = self.location.workdir, self.location.git_dir
        start = workdir if workdir is not None and (workdir / ".git").exists() else git_dir
        return _finish(self._start(args, start), args, b"")

    def converse(self, *args: str, objects_seen_from: Path | None = None) -> Conversation:
        """A command that answers request after request.

        objects_seen_from: another, empty git directory; then nothing but the objects of this repository is seen from there.
        """
        if objects_seen_from is None:
            return Conversation(self._start([*self._place(), *args], self.location.git_dir, stderr=subprocess.DEVNULL))
        objects = {"GIT_OBJECT_DIRECTORY": os.fspath(self.location.common_dir / "objects")}
        arguments = [f"--git-dir={objects_seen_from}", *args]
        return Conversation(self._start(arguments, objects_seen_from, stderr=subprocess.DEVNULL, variables=objects))

    def _place(self) -> list[str]:
        workdir = self.location.workdir
        return [f"--git-dir={self.location.git_dir}", *([f"--work-tree={workdir}"] if workdir else [])]

    def _start(
        self, args: Sequence[str | bytes], directory: Path, *, stderr: int = subprocess.PIPE, variables: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [self._executable, *_OPTIONS, *args],
                cwd=directory,
                env={**_environment(), **(variables or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                process_group=0,
            )
        except (OSError, ValueError) as error:
            raise RepositoryReadError(f"`git` cannot be run in {directory}: {error}") from error


class Conversation:
    """A running command that answers request after request; it ends with the last reference to it."""

    def __init__(self, command: subprocess.Popen[bytes]) -> None:
        assert command.stdin is not None and command.stdout is not None
        self.requests = command.stdin
        self.answers = command.stdout
        self.end = weakref.finalize(self, _stop, command, os.getpid())


@lru_cache(maxsize=1)
def _find_git(search_path: str) -> str:
    """The command's full path, "" where there is none. Relative entries of PATH could name a program of the repository."""
    entries = [entry for entry in search_path.split(os.pathsep) if Path(entry).is_absolute()]
    return shutil.which("git", path=os.pathsep.join(entries)) or ""


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    return kept | _ADDED


def _finish(command: subprocess.Popen[bytes], args: Sequence[str | bytes], stdin: bytes) -> Answer:
    try:
        output, error = command.communicate(stdin, timeout=SECONDS_ALLOWED)
    except subprocess.TimeoutExpired as expired:
        raise RepositoryReadError(f"`git {_show(args)}` took longer than {SECONDS_ALLOWED:.0f} seconds and was stopped") from expired
    finally:
        _stop(command, os.getpid())
    return Answer(command.returncode, output, error.decode("utf-8", "replace").strip())


def _stop(command: subprocess.Popen[bytes], owner: int) -> None:
    """End a command and whatever it started, and close its pipes; a forked child leaves alone what its parent started."""
    if os.getpid() == owner and command.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(command.pid, signal.SIGKILL)
        command.wait()
    for pipe in (command.stdin, command.stdout, command.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _show(args: Sequence[str | bytes]) -> str:
    return " ".join(arg.decode("utf-8", "backslashreplace") if isinstance(arg, bytes) else arg for arg in args[:4])
