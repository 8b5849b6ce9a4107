"""`knowledge stale`."""

from __future__ import annotations

import click

from knowledge.operations.stale import stale
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("stale", cls=Verb)
@at_option
@click.option("--check", is_flag=True, help="Exit with 1 where a claim must be looked at.")
@click.pass_obj
def stale_command(settings: Settings, at: str | None, check: bool) -> int:
    """Claims that must be looked at again, grouped by cause.

    Stale does not mean false: it means that what the claim stands on is not what it was when somebody last looked.
    """
    with opened(settings) as project:
        answer = stale(project, at=at)
    show(answer, settings)
    return FOUND if check and answer.groups else 0
