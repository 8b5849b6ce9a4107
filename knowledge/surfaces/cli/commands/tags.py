"""`knowledge tags list`, `migrate`."""

from __future__ import annotations

from pathlib import Path

import click

from knowledge.errors import UsageError
from knowledge.operations import tag_migration
from knowledge.operations.tag_listing import listing
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb


@click.command("list", cls=Verb)
@click.pass_obj
def list_command(settings: Settings) -> None:
    """Tags in use, and where the vocabulary drifts apart.

    How many claims bear each; which ones may say the same (spelled alike, under two prefixes, borne by the same claims); what the vocabulary
    declares and nobody uses; which tags it would not take today. A vocabulary is declared in `knowledge/vocabulary.toml` below the git
    directory; docs/operations.md says how.
    """
    with opened(settings) as project:
        answer = listing(project)
    show(answer, settings)


@click.command("migrate", cls=Verb)
@click.option("--dry-run", is_flag=True, help="Write the plan; change nothing.")
@click.option(
    "--apply", "manifest", metavar="MANIFEST", type=click.Path(dir_okay=False, path_type=Path), help="Do what this plan says, nothing else."
)
@click.option(
    "--out", metavar="FILE", default="tag-migration.json", show_default=True, type=click.Path(dir_okay=False, path_type=Path), help="The plan."
)
@click.option("--withdraw", multiple=True, metavar="TAG", help="Withdraw the claims with this tag; may be given more than once.")
@click.option("--fill", default="", metavar="TAG", help="The tag for claims that have none.")
@click.option(
    "--failure-cap", default=5, show_default=True, type=click.IntRange(min=1), metavar="N", help="Stop when so many claims of a run were refused."
)
@click.pass_obj
def migrate_command(
    settings: Settings, dry_run: bool, manifest: Path | None, out: Path, withdraw: tuple[str, ...], fill: str, failure_cap: int
) -> int:
    """Bring the tags of claims to the vocabulary: first a plan, then what the plan says.

    Stale, rejected, superseded and withdrawn claims keep their tags by design. A run that was interrupted goes on when it is called again.
    Exit code 1: it stopped, or the tags are not the expected ones.
    """
    if dry_run == (manifest is not None):
        raise UsageError("give either --dry-run, which writes a plan, or --apply MANIFEST, which follows one")
    with opened(settings) as project:
        if manifest is None:
            answer = tag_migration.plan(project, settings.here / out, withdraw=withdraw, fill=fill)
        else:
            answer = tag_migration.apply(project, settings.here / manifest, failure_cap=failure_cap)
    show(answer, settings)
    return 1 if answer.stage == "stopped" or answer.differing else 0
