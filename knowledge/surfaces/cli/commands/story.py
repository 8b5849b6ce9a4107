"""`knowledge explain`."""

from __future__ import annotations

import click

from knowledge.operations.explain import explain
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.commands.paths import from_here
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("explain", cls=Verb)
@click.argument("symbol")
@at_option
@click.pass_obj
def explain_command(settings: Settings, symbol: str, at: str | None) -> None:
    """The story of a symbol from route to trace, each step with how it is known.

    Route, handler, path, type check, test, trace. SYMBOL is a name, Class.method, path::name, or a route as "POST /login". The steps that nothing
    shows are named too: a chain of calls that the code shows is no run, and a passed test shows no other input.
    """
    with opened(settings) as project:
        (asked,) = from_here((symbol,), project, settings)
        answer = explain(project, asked, at=at)
    show(answer, settings)
