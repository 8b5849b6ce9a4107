"""`knowledge hooks install`, `remove`, `status`."""

from __future__ import annotations

import click

from knowledge.surfaces.cli import hook_lines
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb

_SHARED = click.option(
    "--shared",
    is_flag=True,
    help="Also write where git would track it or other repositories would see it; otherwise you are told what to paste there.",
)


@click.command("install", cls=Verb)
@_SHARED
@click.pass_obj
def install_command(settings: Settings, shared: bool) -> None:
    """Install the git hooks beside whatever is there.

    husky, lefthook, pre-commit and core.hooksPath are respected. A hook never fails or delays a commit, and answers are right
    without hooks too: they only make the index early. Doing it again changes nothing.
    """
    show(hook_lines.install(settings.start, allow_shared=shared), settings)


@click.command("remove", cls=Verb)
@_SHARED
@click.pass_obj
def remove_command(settings: Settings, shared: bool) -> None:
    """Take the git hooks out again.

    What stood there before stands there again, byte for byte.
    """
    show(hook_lines.remove(settings.start, allow_shared=shared), settings)


@click.command("status", cls=Verb)
@click.option("--check", is_flag=True, help="Exit with 1 where a hook is not run or has failed.")
@click.pass_obj
def status_command(settings: Settings, check: bool) -> int:
    """Whether the hooks are there, run, and succeed."""
    answer = hook_lines.inspected(settings.start)
    show(answer, settings)
    return FOUND if check and (answer.failures or any(hook.state != "installed" for hook in answer.hooks)) else 0
