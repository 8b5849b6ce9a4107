"""`knowledge stale`."""

from __future__ import annotations

import click

from knowledge.operations.fallen import GROUPINGS
from knowledge.operations.stale import stale
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("stale", cls=Verb)
@at_option
@click.option(
    "--by", type=click.Choice(GROUPINGS), help="Group by this alone. Default: by premise, else by commit where it is known, else by symbol."
)
@click.option("--stats", is_flag=True, help="Also counts by status over time, how long claims have been waiting, and by who recorded them.")
@click.option("--check", is_flag=True, help="Exit with 1 where a claim must be looked at.")
@click.pass_obj
def stale_command(settings: Settings, at: str | None, by: str | None, stats: bool, check: bool) -> int:
    """Claims that must be looked at again, grouped by cause.

    Stale does not mean false: it means that what the claim stands on is not what it was when somebody last looked.
    What most claims rest on comes first, then what has been waiting longest; each with its age and who recorded it.
    """
    with opened(settings) as project:
        answer = stale(project, at=at, by=by or "", has_stats=stats)
    show(answer, settings)
    return FOUND if check and answer.groups else 0
