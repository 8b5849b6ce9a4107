"""`knowledge decisions list`, `read`."""

from __future__ import annotations

import click

from knowledge.operations import decisions
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("list", cls=Verb)
@at_option
@click.pass_obj
def list_command(settings: Settings, at: str | None) -> None:
    """Decisions in play: what bound them, what was rejected and why.

    `knowledge decisions` alone is the same.
    """
    with opened(settings) as project:
        answer = decisions.listing(project, at=at)
    show(answer, settings)


@click.command("read", cls=Verb)
@click.argument("revision", required=False, default="", metavar="[REVISION | OLD..NEW]")
@click.pass_obj
def read_command(settings: Settings, revision: str) -> None:
    """Record the decisions that commit messages tell.

    Of one commit, of a range, or of all that HEAD reaches. A message tells one with lines such as these, or a list below the key:

    \b
        Decision: sessions live in Redis            결정: 세션은 Redis에 둔다
        Constraint: no new service this year        제약: 올해는 새 서비스를 두지 않는다
        Rejected: cookies - too large               기각: 쿠키 - 너무 크다

    Each is recorded at its commit and said by the commit's author. It stands on what it names, else on the functions that the commit
    changes, if these are few. What was recorded before is not recorded again.
    """
    with opened(settings) as project:
        answer = decisions.read(project, revision)
    show(answer, settings)
