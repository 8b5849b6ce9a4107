"""`knowledge evidence show` and `recheck`."""

from __future__ import annotations

import click

from knowledge.operations import evidence
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("show", cls=Verb)
@click.argument("piece", metavar="EVIDENCE")
@click.pass_obj
def show_command(settings: Settings, piece: str) -> None:
    """A piece of evidence, and what it can and cannot show.

    EVIDENCE is its id, or the beginning of it. It comes from the ledger, so it is there after a rebase, a gc or a lost index.
    """
    with opened(settings) as project:
        answer = evidence.show(project, piece)
    show(answer, settings)


@click.command("recheck", cls=Verb)
@click.argument("piece", metavar="EVIDENCE")
@at_option
@click.option("--check", is_flag=True, help="Exit with 1 unless the same text is found.")
@click.pass_obj
def recheck_command(settings: Settings, piece: str, at: str | None, check: bool) -> int:
    """Whether a piece of evidence is still to be found.

    Also after lines, files or definitions moved: same, moved, changed, gone, or not to be told.
    """
    with opened(settings) as project:
        answer = evidence.recheck(project, piece, at)
    show(answer, settings)
    return FOUND if check and answer.outcome not in ("same", "moved") else 0
