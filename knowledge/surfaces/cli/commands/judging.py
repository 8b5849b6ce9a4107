"""`knowledge claim check`, `knowledge reverify`, `knowledge diff`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from knowledge.config import LIMITS
from knowledge.operations.branch_diff import difference, with_exported_ledger
from knowledge.operations.check import check
from knowledge.operations.reverify import reverify
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option
from knowledge.views.branch_report import markdown, sarif


@click.command("check", cls=Verb)
@click.argument("predicate")
@at_option
@click.pass_obj
def check_command(settings: Settings, predicate: str, at: str | None) -> int:
    """Whether a predicate holds in a tree; nothing is stored.

    PREDICATE is a claim's id, a statement in English or Korean that says exactly one thing ("f calls g", "f는 g에서만 호출된다"), or JSON.
    Exits with 1 where it does not hold or cannot be decided.
    """
    with opened(settings) as project:
        answer = check(project, predicate, at=at)
    show(answer, settings)
    return 0 if answer.holds else FOUND


@click.command("reverify", cls=Verb)
@click.argument("claims", nargs=-1)
@at_option
@click.option("--run", "is_run", is_flag=True, help="First run again the commands of the recorded runs that these claims cite, and only those.")
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), default=LIMITS.run_seconds, show_default=True, metavar="SECONDS", help="End each after that."
)
@click.pass_obj
def reverify_command(settings: Settings, claims: tuple[str, ...], at: str | None, is_run: bool, timeout: float) -> None:
    """Decide by itself what can be decided, and list what is left to look at.

    Of the claims that are stale or up for review (all of them, or CLAIMS): a predicate that holds is verified by the analyzer, one that
    does not stays stale with its counter-evidence, the rest is written down as looked at and undecided. With --run a test that a claim cites
    verifies it by coming out as before, and refutes it by coming out the other way; runs that were recorded elsewhere are not executed.
    """
    with opened(settings) as project:
        answer = reverify(project, claims, at=at, run_seconds=timeout if is_run else 0)
    show(answer, settings)


@click.command("diff", cls=Verb)
@click.argument("range", metavar="BASE..HEAD")
@click.option("--ledger", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Take the claims from this export instead.")
@click.option("--format", "form", type=click.Choice(("text", "markdown", "sarif")), default="text", show_default=True, help="How to write it.")
@click.option("--check", is_flag=True, help="Exit with 1 where a claim falls.")
@click.pass_obj
def diff_command(settings: Settings, range: str, ledger: Path | None, form: str, check: bool) -> int:
    """What a branch would make of the claims, before it is merged.

    BASE..HEAD compares the two, BASE...HEAD begins at their merge base, BASE alone goes up to the working tree.
    """
    with with_exported_ledger(settings.start, ledger) if ledger else opened(settings) as project:
        answer = difference(project, range)
    if form == "markdown":
        sys.stdout.write(markdown(answer))
    elif form == "sarif":
        sys.stdout.write(json.dumps(sarif(answer), indent=1, ensure_ascii=False) + "\n")
    else:
        show(answer, settings)
    return FOUND if check and answer.fallen else 0
