"""`knowledge init`, `index`, `reconcile`, `doctor`, `uninit`."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from knowledge.errors import UsageError
from knowledge.operations.doctor import doctor
from knowledge.operations.indexing import index
from knowledge.operations.initialize import initialize
from knowledge.operations.reconcile import reconcile
from knowledge.operations.uninit import uninit
from knowledge.surfaces.cli import hook_lines, push_lines
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.render.store import uninit_answer
from knowledge.surfaces.cli.screen import show, terminal_progress
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option


@click.command("init", cls=Verb)
@at_option
@click.option("--no-hooks", is_flag=True, help="Install no git hooks.")
@click.option("--shared-hooks", is_flag=True, help="Write hooks also where git would track them or other repositories would see them.")
@click.pass_obj
def init_command(settings: Settings, at: str | None, no_hooks: bool, shared_hooks: bool) -> None:
    """Set up here: read the repository, make the ledger, install git hooks.

    Everything is kept below the git directory (.git/knowledge); no tracked file is touched and nothing of the repository is run.
    Doing it again changes nothing that is there.
    """
    progress = terminal_progress(settings)
    try:
        answer = initialize(settings.start, revision=at, progress=progress)
    finally:
        if progress is not None:
            progress.finish()
    if not no_hooks:
        hooks = hook_lines.install(settings.start, allow_shared=shared_hooks)
        notes = answer.notes
        if any(hook.state == "proposed" for hook in hooks.hooks):
            notes = (*notes, "some hooks are yours to paste: `knowledge hooks install` shows what and where")
        answer = replace(answer, hooks=hook_lines.summary(hooks), notes=notes)
    show(answer, settings)


@click.command("index", cls=Verb)
@at_option
@click.option("--full", is_flag=True, help="Resolve all names now, not when a question needs them.")
@click.pass_obj
def index_command(settings: Settings, at: str | None, full: bool) -> None:
    """Read a revision or the files as they are into the index.

    Every other command does this by itself; here it can be done early. What was read once is never read again, in any revision. What the names
    in a file mean is found out when a question needs it: for callees in the file that is asked about, for callers in all files at once.
    """
    with opened(settings) as project:
        answer = index(project, at, is_full=full)
    show(answer, settings)


@click.command("reconcile", cls=Verb)
@click.pass_obj
def reconcile_command(settings: Settings) -> None:
    """Bring all statuses up to date with git, and say what changed.

    Every read does this by itself; the git hooks do it early.
    """
    with opened(settings) as project:
        answer = reconcile(project)
    show(answer, settings)


@click.command("doctor", cls=Verb)
@click.option("--check", is_flag=True, help="Exit with 1 where something is an error.")
@click.pass_obj
def doctor_command(settings: Settings, check: bool) -> int:
    """Check everything that may be wrong with the store, git and the hooks.

    Changes nothing, but for the daemon that a probe of agents' hooks starts, and the probe's own rows in the audit.
    Every warning and error says what to do about it.
    """
    of_hooks = (*hook_lines.findings(settings.start), *push_lines.findings(settings.start))
    answer = doctor(settings.start, of_hooks)
    show(answer, settings)
    return FOUND if check and any(finding.level == "error" for finding in answer.findings) else 0


@click.command("uninit", cls=Verb)
@click.option("--delete-claims", is_flag=True, help="Delete the ledger too: all claims, evidence and history. Asks first.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--shared-hooks", is_flag=True, help="Take hooks out also where git tracks them or other repositories see them.")
@click.pass_obj
def uninit_command(settings: Settings, delete_claims: bool, yes: bool, shared_hooks: bool) -> None:
    """Remove hooks and index, and on request the claims.

    Without --delete-claims the ledger stays, and `knowledge init` brings everything back.
    """
    if delete_claims and not yes:
        _ask()
    answer = uninit(settings.start, with_ledger=delete_claims)
    hook_lines.remove(settings.start, allow_shared=shared_hooks)
    show(answer, settings, uninit_answer)


def _ask() -> None:
    """Raises UsageError where nobody can answer, and click.Abort where the answer is no."""
    if not sys.stdin.isatty():
        raise UsageError("--delete-claims cannot be undone: add --yes, or run it in a terminal. `knowledge export FILE` keeps a copy")
    click.confirm("Delete all claims, evidence and history of this repository? `knowledge export FILE` would keep a copy", abort=True, err=True)
