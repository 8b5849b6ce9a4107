"""`knowledge tests affected`."""

from __future__ import annotations

import click

from knowledge.operations.affected import affected, run_affected
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb


@click.command("affected", cls=Verb)
@click.argument("change", required=False, default="")
@click.option("--command", "is_command", is_flag=True, help="Print only the command line that runs them.")
@click.option("--run", "is_run", is_flag=True, help="Run them as they were run before, under observation.")
@click.option("--limit", default=200, show_default=True, type=click.IntRange(min=0), metavar="N", help="List at most so many; 0 for all.")
@click.option("--check", is_flag=True, help="Exit with 1 where a test must be run.")
@click.pass_obj
def affected_command(settings: Settings, change: str, is_command: bool, is_run: bool, limit: int, check: bool) -> int:
    """Which tests must run again, each with the reason.

    CHANGE is BASE..HEAD, or `dirty` for what is uncommitted; without it the files as they are count against what each test covered when it last
    ran under `knowledge run`. A test is left out only where all that it was seen to rest on is as it was.
    """
    with opened(settings) as project:
        if is_run:
            runs = run_affected(project, settings.start, change)
            for done in runs:
                show(done, settings)
            if runs:
                return next((done.run.exit_code or 0 for done in runs if done.run.exit_code), 0)
        answer = affected(project, change, limit=limit)
    if is_command:
        click.echo("\n".join(filter(None, [answer.command, *answer.others])))
    else:
        show(answer, settings)
    return FOUND if check and answer.tests else 0
