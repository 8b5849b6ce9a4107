"""`knowledge claim show`, `list`, `history`, `why`."""

from __future__ import annotations

from typing import TypedDict, Unpack

import click

from knowledge.operations import claims
from knowledge.operations.history import history
from knowledge.operations.why import why
from knowledge.surfaces.cli.commands.choices import KINDS, STATUSES
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.commands.paths import from_here
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("show", cls=Verb)
@click.argument("claim")
@at_option
@click.pass_obj
def show_command(settings: Settings, claim: str, at: str | None) -> None:
    """A claim with all it stands on.

    CLAIM is its id, or the beginning of it where no other id begins so. Shows its status in the tree and why, its anchors and what
    they cannot notice, the evidence kept for it, and who said what of it.
    """
    with opened(settings) as project:
        answer = claims.show(project, claim, at=at)
    show(answer, settings)


class ListOptions(TypedDict):
    """The options of `claim list`."""

    statuses: tuple[str, ...]
    kinds: tuple[str, ...]
    tags: tuple[str, ...]
    path: str
    symbol: str
    text: str
    limit: int
    at: str | None


@click.command("list", cls=Verb)
@click.option("--status", "statuses", multiple=True, type=click.Choice(STATUSES), help="Only claims of this status; may be given more than once.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only claims of this kind; may be given more than once.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only claims with this tag; may be given more than once.")
@click.option("--path", default="", metavar="PATH", help="Only claims about this file or folder.")
@click.option("--symbol", default="", metavar="SYMBOL", help="Only claims about this symbol (path::name).")
@click.option("--text", default="", metavar="TEXT", help="Only claims whose statement holds this text.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(min=0), metavar="N", help="At most so many; 0 for all.")
@at_option
@click.pass_obj
def list_command(settings: Settings, **options: Unpack[ListOptions]) -> None:
    """Claims and their statuses.

    What needs attention comes first. Several values of one option mean any of them; different options must all fit.
    """
    with opened(settings) as project:
        (path,) = from_here([options["path"]], project, settings, has_folders=True)
        (symbol,) = from_here([options["symbol"]], project, settings)
        wanted = claims.Filter(options["statuses"], options["kinds"], options["tags"], path, symbol, options["text"], options["limit"])
        answer = claims.listing(project, wanted, at=options["at"])
    show(answer, settings)


@click.command("history", cls=Verb)
@click.argument("claim")
@click.pass_obj
def history_command(settings: Settings, claim: str) -> None:
    """Everything that happened to a claim.

    Oldest first: who, when, at which commit of whom, and why, with a small diff of what changed, as far as git still has both trees.
    Nothing is ever taken out of it.
    """
    with opened(settings) as project:
        answer = history(project, claim)
    show(answer, settings)


@click.command("why", cls=Verb)
@click.argument("claim")
@at_option
@click.pass_obj
def why_command(settings: Settings, claim: str, at: str | None) -> None:
    """Why a claim has the status it has, and what would have to be checked.

    The verdict it is measured against, each anchor then and now, the commit since which it reads otherwise and its author with a small
    diff, the path of premises, and what there is to look at before the claim can be verified.
    """
    with opened(settings) as project:
        answer = why(project, claim, at=at)
    show(answer, settings)
