"""`knowledge context`."""

from __future__ import annotations

import click

from knowledge.operations.context_pack import context_pack
from knowledge.records.packs import CallFrame, ContextPack
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.commands.paths import from_here
from knowledge.surfaces.cli.render.pack import pack_answer
from knowledge.surfaces.cli.render.table import CLAIM_IDS, RENDERINGS
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option

RENDERINGS[ContextPack] = pack_answer
CLAIM_IDS[ContextPack] = lambda pack: [claim.id for claim in pack.stale_or_conflicting_claims]


@click.command("context", cls=Verb)
@click.argument("goal")
@click.option("--focus", multiple=True, metavar="SYMBOL", help="A symbol or file at hand; may be given more than once.")
@click.option("--constraint", multiple=True, metavar="TEXT", help="What must hold whatever is done; may be given more than once.")
@click.option("--plan-node", default="", metavar="ID", help="The goal or step of a plan that this is part of.")
@click.option(
    "--budget", default=2_000, show_default=True, type=click.IntRange(min=0), metavar="TOKENS", help="The most tokens of the answer; 0: no bound."
)
@at_option
@click.pass_obj
def context_command(
    settings: Settings, goal: str, focus: tuple[str, ...], constraint: tuple[str, ...], plan_node: str, budget: int, at: str | None
) -> None:
    """What bears on a goal: what not to rely on, what to verify, what is known, files, symbols.

    GOAL is a sentence, English or Korean. What could overturn a conclusion comes first; what is left out is counted.
    """
    with opened(settings) as project:
        frame = CallFrame(goal, constraint, from_here(focus, project, settings), plan_node, budget)
        pack = context_pack(project, frame, at=at)
    show(pack, settings)
