"""`knowledge conflicts list`, `report`, `resolve`, and `knowledge claim relate`."""

from __future__ import annotations

import click

from knowledge.operations import claims, conflicts
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option, author_of, author_options


@click.command("list", cls=Verb)
@click.option("--find", is_flag=True, help="First hold all claims that say something decidable against each other, and note what excludes what.")
@click.option("--all", "is_all", is_flag=True, help="Those that are resolved too.")
@click.option("--check", is_flag=True, help="Exit with 1 where a conflict is open.")
@at_option
@click.pass_obj
def list_command(settings: Settings, find: bool, is_all: bool, check: bool, at: str | None) -> int:
    """Conflicts that are open: both claims, their statuses here, and why.

    `knowledge conflicts` alone is the same. A claim is held against those about the same things when it is recorded; `--find` follows moves
    too. Both claims stay, with the revisions in which both were held.
    """
    with opened(settings) as project:
        answer = conflicts.listing(project, find=find, resolved=is_all, at=at)
    show(answer, settings)
    return FOUND if check and answer.counts["open"] else 0


@click.command("report", cls=Verb)
@click.argument("one", metavar="CLAIM")
@click.argument("other", metavar="OTHER")
@click.option("-m", "--reason", required=True, metavar="TEXT", help="Why both cannot be so; it stays with the conflict.")
@author_options
@at_option
@click.pass_obj
def report_command(settings: Settings, one: str, other: str, reason: str, agent: str, session: str, at: str | None) -> None:
    """You saw it: these two claims cannot both be so.

    An observation that stands makes an assumption stale that it contradicts; of other claims nothing changes until the conflict is resolved.
    """
    with opened(settings, author_of(agent, session)) as project:
        answer = conflicts.report(project, one, other, reason, at=at)
    show(answer, settings)


@click.command("resolve", cls=Verb)
@click.argument("conflict")
@click.option("--stale", required=True, metavar="CLAIM", help="The one that is stale, or none where both are right.")
@click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays in both claims' histories.")
@author_options
@at_option
@click.pass_obj
def resolve_command(settings: Settings, conflict: str, stale: str, reason: str, agent: str, session: str, at: str | None) -> None:
    """Say which of the two is stale, and learn why they differ.

    It is stale wherever the other one stands, and only there. Whether the code changed between their revisions or the earlier analysis was
    incomplete is computed, where the stale claim says something decidable. Another resolution may follow; the last one counts.
    """
    with opened(settings, author_of(agent, session)) as project:
        answer = conflicts.resolve(project, conflict, stale, reason, at=at)
    show(answer, settings)


@click.command("relate", cls=Verb)
@click.argument("claim")
@click.argument("relation", type=click.Choice(("supports",)))
@click.argument("other")
@click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays with the relation.")
@author_options
@click.pass_obj
def relate_command(settings: Settings, claim: str, relation: str, other: str, reason: str, agent: str, session: str) -> None:
    """Say that one claim supports another.

    It is shown with both, and makes neither of them truer. Contradictions are told with `conflicts report`, successors with `claim supersede`.
    """
    with opened(settings, author_of(agent, session)) as project:
        related = conflicts.support(project, claim, other, reason)
        answer = claims.show(project, related.source)
    show(answer, settings)
