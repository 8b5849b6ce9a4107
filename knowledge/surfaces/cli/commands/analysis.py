"""`knowledge analysis list`, `scip`, `pyrefly`, `withdraw`."""

from __future__ import annotations

from pathlib import Path

import click

from knowledge.operations import analyses
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("list", cls=Verb)
@at_option
@click.pass_obj
def list_command(settings: Settings, at: str | None) -> None:
    """What other programs said of the code, and how much of it is present.

    `knowledge analysis` alone is the same. An edge from outside is present where both files that it joins have the content that it was computed
    from; otherwise it is past, and left out of answers.
    """
    with opened(settings) as project:
        answer = analyses.list_analyses(project, at)
    show(answer, settings)


@click.command("scip", cls=Verb)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--below", metavar="DIR", help="Directory that the index's paths are relative to. Default: as the index says, else the top.")
@at_option
@click.pass_obj
def scip_command(settings: Settings, file: Path, below: str | None, at: str | None) -> None:
    """Take in a SCIP index, as scip-python, scip-typescript and others write it.

    FILE holds no revision: say with --at of which tree it was made; by default it is the working tree as it is. Files that are not there as the
    index says are left out and named. Its edges are resolved, stand beside all others, and are kept with the claims.
    """
    with opened(settings) as project:
        answer = analyses.import_scip(project, settings.start / file, at=at, below=below)
    show(answer, settings)


@click.command("pyrefly", cls=Verb)
@at_option
@click.pass_obj
def pyrefly_command(settings: Settings, at: str | None) -> None:
    """Run the type checker pyrefly over the Python files, and take in what it says.

    It is an extra: pip install "knowledge-runtime[pyrefly]". It runs over a copy of the files with a configuration of ours, asks no interpreter, and
    runs nothing of the repository. Targets that it knows are resolved; where something that overrides the target may run they are inferred.
    """
    with opened(settings) as project:
        answer = analyses.analyze_pyrefly(project, at=at)
    show(answer, settings)


@click.command("withdraw", cls=Verb)
@click.argument("analysis")
@click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays in the history.")
@click.pass_obj
def withdraw_command(settings: Settings, analysis: str, reason: str) -> None:
    """Let an analysis answer no more.

    It stays in the record; taking the same in again brings it back. ANALYSIS is an id as `knowledge analysis` lists it, or its beginning.
    """
    with opened(settings) as project:
        answer = analyses.withdraw_analysis(project, analysis, reason)
    show(answer, settings)
