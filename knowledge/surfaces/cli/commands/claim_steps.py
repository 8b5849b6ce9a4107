"""`knowledge claim verify`, `review`, `reject`, `supersede`, `reopen`, `withdraw`, `redact`: each is said with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, Unpack

import click

from knowledge.operations import steps
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option, author_of, author_options


class StepOptions(TypedDict):
    """What every step is told."""

    claim: str
    reason: str
    agent: str
    session: str


class JudgeOptions(StepOptions):
    """What a step that speaks of one tree is told."""

    at: str | None


class SupersedeOptions(StepOptions):
    """What `claim supersede` is told."""

    by: str


def step_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The claim, the reason, and who says it."""
    reason = click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays in the claim's history.")
    return click.argument("claim")(reason(author_options(command)))


@click.command("verify", cls=Verb)
@step_options
@at_option
@click.pass_obj
def verify_command(settings: Settings, **options: Unpack[JudgeOptions]) -> None:
    """You looked: the claim holds here.

    It is verified wherever its anchors are as they are in this tree. An agent's session cannot verify its own claim by saying so.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = steps.verify(project, options["claim"], options["reason"], at=options["at"])
    show(answer, settings)


@click.command("review", cls=Verb)
@step_options
@at_option
@click.pass_obj
def review_command(settings: Settings, **options: Unpack[JudgeOptions]) -> None:
    """You looked and cannot say.

    The claim needs review wherever its anchors are as they are in this tree, until somebody verifies, corrects or rejects it.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = steps.review(project, options["claim"], options["reason"], at=options["at"])
    show(answer, settings)


@click.command("reject", cls=Verb)
@step_options
@click.pass_obj
def reject_command(settings: Settings, **options: Unpack[StepOptions]) -> None:
    """The claim is false, on every tree.

    A claim that is false here and true on another branch is not rejected: it is stale here by itself.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = steps.reject(project, options["claim"], options["reason"])
    show(answer, settings)


@click.command("withdraw", cls=Verb)
@step_options
@click.pass_obj
def withdraw_command(settings: Settings, **options: Unpack[StepOptions]) -> None:
    """It should not have been claimed.

    The claim counts for nothing on any tree; it and its history stay, and `claim reopen` takes it back.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = steps.withdraw(project, options["claim"], options["reason"])
    show(answer, settings)


@click.command("reopen", cls=Verb)
@step_options
@click.pass_obj
def reopen_command(settings: Settings, **options: Unpack[StepOptions]) -> None:
    """Take back a rejection, a withdrawal, a replacement.

    The claim stands on its verdicts again.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = steps.reopen(project, options["claim"], options["reason"])
    show(answer, settings)


@click.command("supersede", cls=Verb)
@step_options
@click.option("--by", required=True, metavar="CLAIM", help="The claim that takes its place; it must be recorded already.")
@click.pass_obj
def supersede_command(settings: Settings, **options: Unpack[SupersedeOptions]) -> None:
    """Another claim takes its place.

    `claim correct` records the better claim and does this in one step.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = steps.supersede(project, options["claim"], options["by"], options["reason"])
    show(answer, settings)


@click.command("redact", cls=Verb)
@step_options
@click.pass_obj
def redact_command(settings: Settings, **options: Unpack[StepOptions]) -> None:
    """Erase the text for good; id and history stay.

    For secrets and personal matters. It cannot be undone: only a hash of the statement is kept.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = steps.redact(project, options["claim"], options["reason"])
    show(answer, settings)
