"""`knowledge recall`."""

from __future__ import annotations

from typing import TypedDict, Unpack

import click

from knowledge.operations.banks import opened_personal
from knowledge.operations.late_recalls import recall_by_hand
from knowledge.operations.recall import Asked
from knowledge.surfaces.cli.commands.choices import KINDS
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.commands.paths import from_here
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


class RecallOptions(TypedDict):
    """The options of `recall`."""

    query: str
    focus: tuple[str, ...]
    tags: tuple[str, ...]
    kinds: tuple[str, ...]
    budget: int
    semantic: bool
    at: str | None


@click.command("recall", cls=Verb)
@click.argument("query", default="")
@click.option(
    "--focus", multiple=True, metavar="SYMBOL", help="A symbol or file that it is about; claims about it come first. May be given more than once."
)
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only claims with this tag; may be given more than once.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only claims of this kind; may be given more than once.")
@click.option("--budget", default=1_200, show_default=True, type=click.IntRange(min=50), metavar="TOKENS", help="About how long the answer may be.")
@click.option("--semantic", is_flag=True, help="Compare what texts mean, too: needs the extra of that name, and about a second more.")
@at_option
@click.pass_obj
def recall_command(settings: Settings, **options: Unpack[RecallOptions]) -> None:
    """What is remembered that bears on a text.

    QUERY is a sentence, a question, a command or a name, English or Korean. Claims of this repository and of your personal bank, best
    first, each with its status here. What answers badly is marked as a weak match; that nothing is known is said. Without QUERY: what is
    in focus, or what needs attention.
    """
    with opened(settings) as project, opened_personal() as personal:
        focus = from_here(options["focus"], project, settings)
        asked = Asked(options["query"], focus, options["tags"], options["kinds"], options["budget"], by_meaning=options["semantic"])
        answer = recall_by_hand(project, asked, personal=personal, at=options["at"])
    show(answer, settings)
