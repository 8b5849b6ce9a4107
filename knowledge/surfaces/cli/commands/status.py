"""`knowledge status`, as click sees it; `main` answers it without click wherever it can."""

from __future__ import annotations

import click

from knowledge.surfaces.cli import status_view
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb


@click.command("status", cls=Verb)
@click.pass_obj
def status_command(settings: Settings) -> int:
    """The state of the store for this worktree, at a glance.

    Nothing is computed: the counts are the ones of the last reconciliation, and it says so where git has moved on since.
    """
    return status_view.run(settings)
