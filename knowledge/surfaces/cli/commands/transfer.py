"""`knowledge export` and `import`."""

from __future__ import annotations

from pathlib import Path

import click

from knowledge.operations import transfer
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb


@click.command("export", cls=Verb)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def export_command(settings: Settings, file: Path) -> None:
    """Write all claims, evidence and history as JSON lines.

    FILE is written whole or not at all. `knowledge import` in a clone of the same history gives the same statuses.
    """
    with opened(settings) as project:
        answer = transfer.export(project, settings.here / file)
    show(answer, settings)


@click.command("import", cls=Verb)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def import_command(settings: Settings, file: Path) -> None:
    """Take in what `export` wrote; what is there already stays.

    Importing a FILE again changes nothing.
    """
    with opened(settings) as project:
        answer = transfer.import_(project, settings.here / file)
    show(answer, settings)
