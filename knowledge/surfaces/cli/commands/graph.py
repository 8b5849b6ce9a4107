"""`knowledge graph export`."""

from __future__ import annotations

from pathlib import Path

import click

from knowledge.operations.questions import export_graph
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("export", cls=Verb)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--format", "form", type=click.Choice(["graphml", "json"]), help="Default: by FILE's ending, else json.")
@at_option
@click.pass_obj
def export_command(settings: Settings, file: Path, form: str | None, at: str | None) -> None:
    """Write the code graph to a file.

    GraphML for Gephi, yEd and networkx; JSON as networkx's node-link form. Edges keep predicate, analyzer and how they are known.
    """
    chosen = form or ("graphml" if file.suffix.lower() in (".graphml", ".xml") else "json")
    with opened(settings) as project:
        answer = export_graph(project, settings.here / file, chosen, at=at)
    show(answer, settings)
