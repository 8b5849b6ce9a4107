"""`knowledge plan show`, `add`, `depend`, `drop`, `done`, `reopen`."""

from __future__ import annotations

from typing import TypedDict, Unpack

import click

from knowledge.operations import plan
from knowledge.operations.record import Draft
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.commands.paths import from_here
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import AuthorOptions, Verb, at_option, author_of, author_options


class AddOptions(AuthorOptions):
    """What `plan add` is told."""

    text: str
    goal: str
    after: tuple[str, ...]
    depends_on: tuple[str, ...]
    anchors: tuple[str, ...]
    tags: tuple[str, ...]
    review_when: str


class DependOptions(AuthorOptions):
    """What `plan depend` and `plan drop` are told."""

    node: str
    claim: str
    reason: str


class SayOptions(AuthorOptions):
    """What `plan done` and `plan reopen` are told."""

    node: str
    reason: str


class ShowOptions(TypedDict):
    """What `plan show` is told."""

    node: str
    at: str | None


@click.command("show", cls=Verb)
@click.argument("node", required=False, default="")
@at_option
@click.pass_obj
def show_command(settings: Settings, **options: Unpack[ShowOptions]) -> None:
    """Goals and their steps: what is done, can be begun, waits, or was touched by a change.

    NODE is a goal, or a step whose goal is meant; without it all are shown. `knowledge plan` alone is the same.
    """
    with opened(settings) as project:
        answer = plan.show(project, options["node"], at=options["at"])
    show(answer, settings)


@click.command("add", cls=Verb)
@click.argument("text")
@click.option("--goal", default="", metavar="GOAL", help="The goal that it is a step of. Without --goal and --after it is a goal itself.")
@click.option("--after", multiple=True, metavar="STEP", help="It comes after this step; may be given more than once.")
@click.option("--depends-on", multiple=True, metavar="CLAIM", help="Where this falls, the step is touched; may be given more than once.")
@click.option("--anchor", "anchors", multiple=True, metavar="SPEC", help="What it stands on, as for `claim record`, or none.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be given more than once.")
@click.option("--review-when", default="", metavar="CONDITION", help="To be looked at again when this comes true, as for `claim record`.")
@author_options
@click.pass_obj
def add_command(settings: Settings, **options: Unpack[AddOptions]) -> None:
    """Add a goal, or a step towards one.

    TEXT is one sentence, English or Korean. Its names are looked up as for `claim record`, so that a change of them touches the step.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        anchors = from_here(options["anchors"], project, settings)
        draft = Draft(options["text"], tags=options["tags"], anchors=anchors, review_when=options["review_when"])
        answer = plan.add(project, draft, plan.Step(options["goal"], options["after"], options["depends_on"]))
    show(answer, settings)


@click.command("depend", cls=Verb)
@click.argument("node")
@click.argument("claim")
@click.option("-m", "--reason", default="", metavar="TEXT", help="Why; it stays with the relation.")
@author_options
@click.pass_obj
def depend_command(settings: Settings, **options: Unpack[DependOptions]) -> None:
    """Say that a goal or step depends on a claim.

    From now on NODE is touched where CLAIM falls. Neither of the two is changed: it is a relation between them.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = plan.depend(project, options["node"], options["claim"], options["reason"])
    show(answer, settings)


@click.command("drop", cls=Verb)
@click.argument("node")
@click.argument("claim")
@click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays in the history.")
@author_options
@click.pass_obj
def drop_command(settings: Settings, **options: Unpack[DependOptions]) -> None:
    """Say that a goal or step does not depend on a claim after all.

    Whatever CLAIM is worth from now on, it touches NODE no more. `plan depend` takes it back.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = plan.drop(project, options["node"], options["claim"], options["reason"])
    show(answer, settings)


@click.command("done", cls=Verb)
@click.argument("node")
@click.option("-m", "--reason", required=True, metavar="TEXT", help="What shows it; it stays in the history.")
@author_options
@click.pass_obj
def done_command(settings: Settings, **options: Unpack[SayOptions]) -> None:
    """Say that a step is done, or a goal reached.

    What changes afterwards touches it no more. `plan reopen` takes it back.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = plan.done(project, options["node"], options["reason"])
    show(answer, settings)


@click.command("reopen", cls=Verb)
@click.argument("node")
@click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays in the history.")
@author_options
@click.pass_obj
def reopen_command(settings: Settings, **options: Unpack[SayOptions]) -> None:
    """Say that it is not done after all.

    Takes back `plan done`, and a rejection or a withdrawal too.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = plan.reopen(project, options["node"], options["reason"])
    show(answer, settings)
