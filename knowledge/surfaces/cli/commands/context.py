"""`knowledge context`."""

from __future__ import annotations

import click

from knowledge.operations.context import Asked, context
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.commands.paths import from_here
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("context", cls=Verb)
@click.argument("goal")
@click.option("--focus", multiple=True, metavar="SYMBOL", help="A symbol or file that it is about; may be given more than once.")
@click.option(
    "--budget", default=2_000, show_default=True, type=click.IntRange(min=0), metavar="TOKENS", help="About how long the answer may be; 0 for all."
)
@at_option
@click.pass_obj
def context_command(settings: Settings, goal: str, focus: tuple[str, ...], budget: int, at: str | None) -> None:
    """What bears on a goal: claims, symbols, relations, what to verify first.

    GOAL is a sentence, English or Korean. Claims that could overturn a conclusion come first; what is left out is counted.
    """
    with opened(settings) as project:
        answer = context(project, Asked(goal, from_here(focus, project, settings), budget), at=at)
    show(answer, settings)
