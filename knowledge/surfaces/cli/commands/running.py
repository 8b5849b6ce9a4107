"""`knowledge run`, `runs` and `gate`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from knowledge.config import LIMITS
from knowledge.operations import observing
from knowledge.operations.gate import gate
from knowledge.operations.seen_elsewhere import import_seen
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb

TIMED_OUT = 124
"""As timeout(1) says it."""


@click.command("run", cls=Verb, context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--observe", "how", type=click.Choice(observing.HOWS), default="edges", show_default=True, help="How much pytest is made to tell.")
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), default=LIMITS.run_seconds, show_default=True, metavar="SECONDS", help="End it after that."
)
@click.option("--env", "variables", multiple=True, metavar="NAME", help="An environment variable that the result depends on; a hash of it is kept.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FILE",
    help="Results that the command writes: JUnit XML, JSON of jest or vitest, or a static checker's.",
)
@click.pass_obj
def run_command(settings: Settings, command: tuple[str, ...], how: str, timeout: float, variables: tuple[str, ...], reports: tuple[str, ...]) -> int:
    """Run a command and record what was seen.

    That is: on which content it ran, in which environment, how it ended, and what each test came to. COMMAND stands after `--`, as in
    `knowledge run -- pytest tests`. Where it runs pytest, each test tells its result and what it covers; nothing need be installed beside it. Its
    exit code is ours; 124 where its time ran out. What mypy, pyright, ty and pyrefly print as JSON or
    SARIF is read, file by file.
    """
    start = settings.start
    asked = observing.ToRun(command, start, how, timeout, variables, reports=tuple(start / report for report in reports))
    stream = sys.stderr.buffer if settings.is_json else sys.stdout.buffer

    def pass_on(chunk: bytes) -> None:
        if not settings.is_quiet:
            stream.write(chunk)
            stream.flush()

    with opened(settings) as project, _ending_with_the_command():
        answer = observing.observe(project, asked, pass_on)
    show(answer, settings)
    if answer.run.ending == "timed-out":
        return TIMED_OUT
    code = answer.run.exit_code or 0
    return code if code >= 0 else 128 - code


@contextmanager
def _ending_with_the_command() -> Iterator[None]:
    """To be asked to end is an interruption: the command is ended, too, and what was seen of it is recorded."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    # nohup(1) has a program ignore the second.
    wanted = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in wanted}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@click.command("list", cls=Verb)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(min=0), metavar="N", help="At most so many; 0 for all.")
@click.pass_obj
def list_command(settings: Settings, limit: int) -> None:
    """Runs that were recorded, newest first."""
    with opened(settings) as project:
        answer = observing.list_runs(project, limit)
    show(answer, settings)


@click.command("show", cls=Verb)
@click.argument("run")
@click.option("--output", "has_output", is_flag=True, help="Also what it printed, with secrets masked.")
@click.pass_obj
def show_command(settings: Settings, run: str, has_output: bool) -> None:
    """A run with its environment, and the tests of it that are worth a look.

    RUN is its id, or the beginning of it.
    """
    with opened(settings) as project:
        answer = observing.show_run(project, run, has_output=has_output)
    show(answer, settings)


@click.command("import", cls=Verb)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--at", default=None, metavar="REV", help="The revision that ran.")
@click.pass_obj
def import_command(settings: Settings, file: Path, at: str | None) -> None:
    """Take in what was seen of a run elsewhere: coverage, traces, reports of tests and of static checkers.

    FILE is data of coverage.py (`.coverage`, or `coverage json --show-contexts`), OpenTelemetry traces as JSON, JUnit XML, the JSON of jest or
    vitest, SARIF of any tool, or JSON of mypy, pyright or pyrefly. Coverage counts for the files that were not changed
    since, a trace or SARIF for the revision that it names; otherwise say --at, or it is kept as of no known revision.
    """
    with opened(settings) as project:
        answer = import_seen(project, settings.start / file, at=at)
    show(answer, settings)


@click.command("gate", cls=Verb)
@click.option("--goal", default="", metavar="ID", help="The work towards this goal: since it was recorded, with all that it depends on.")
@click.option("--since", default="", metavar="REV", help="The work since this revision.")
@click.option("--check", is_flag=True, help="Exit with 1 unless the verdict is pass.")
@click.pass_obj
def gate_command(settings: Settings, goal: str, since: str, check: bool) -> int:
    """Before work is called done: what stands against it, line by line.

    Claims that fell, decisions to review, tests to run, relations that vanished, claims recorded on nothing. Without an option: the work of this
    branch, or on the main branch what is uncommitted. What was not checked is never a pass.
    """
    with opened(settings) as project:
        answer = gate(project, goal, since=since)
    show(answer, settings)
    return FOUND if check and answer.verdict != "pass" else 0
