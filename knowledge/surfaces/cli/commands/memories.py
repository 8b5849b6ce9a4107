"""`knowledge memories read`."""

from __future__ import annotations

from pathlib import Path

import click

from knowledge.operations.memories import read
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, author_of, author_options


@click.command("read", cls=Verb)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@author_options
@click.pass_obj
def read_command(settings: Settings, paths: tuple[Path, ...], agent: str, session: str) -> None:
    """Take in what is already remembered, and say how much of it still holds.

    PATH is a Markdown memory, AGENTS.md, CLAUDE.md, a decision record, a JSON export of Hindsight, or a folder of them; without any, what is
    usual in a repository. Nothing is trusted for having been written down: what the analyzers can decide is decided, all the rest is up for
    review. Reading the same again adds nothing.
    """
    with opened(settings, author_of(agent, session), makes_bank=True) as project:
        answer = read(project, [settings.here / path for path in paths])
    show(answer, settings)
