"""`knowledge claim verify`, `review`, `reject`, `supersede`, `reopen`, `withdraw`, `drop-premise`, `redact`: each is said with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, Unpack

import click

from knowledge.errors import UsageError
from knowledge.operations import steps
from knowledge.operations.premises import drop_premise
from knowledge.operations.project import Project
from knowledge.operations.steps_in_bulk import Chosen, step_in_bulk
from knowledge.records.answers import ClaimAnswer
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.failures import FOUND
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option, author_of, author_options


class ManyOptions(TypedDict):
    """What a step that may be taken for several claims is told."""

    claims: tuple[str, ...]
    cause: str
    group: str
    reason: str
    agent: str
    session: str


class JudgeOptions(ManyOptions):
    """What such a step is told that speaks of one tree."""

    at: str | None


class StepOptions(TypedDict):
    """What every other step is told."""

    claim: str
    reason: str
    agent: str
    session: str


class SupersedeOptions(StepOptions):
    """What `claim supersede` is told."""

    by: str


class DropOptions(StepOptions):
    """What `claim drop-premise` is told."""

    premise: str


def step_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The claim, the reason, and who says it."""
    reason = click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays in the claim's history.")
    return click.argument("claim")(reason(author_options(command)))


def many_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """One claim or several, by id or by what they fell for; the reason, and who says it."""
    command = click.option(
        "--all-of",
        "group",
        default="",
        metavar="GROUP",
        help="All claims of one group of `knowledge stale`: a commit, a symbol, a premise, an owner.",
    )(command)
    command = click.option("--cause", default="", metavar="TEXT", help="All fallen claims whose cause mentions this text.")(command)
    return click.argument("claims", metavar="[CLAIM]...", nargs=-1)(_reason(author_options(command)))


_reason = click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays in the history of every claim.")
_ONE = {"verify": steps.verify, "review": steps.review}


def _take(settings: Settings, step: str, options: ManyOptions, at: str | None) -> int:
    """Take a step for one claim, or for all that are chosen; the exit code says whether any was refused."""
    chosen = Chosen(options["claims"], options["cause"], options["group"])
    if not (chosen.claim_ids or chosen.cause or chosen.group):
        raise UsageError(f"which claim? Give its id, or --all-of or --cause; see `knowledge claim {step} --help`")
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        if chosen.is_one:
            answer = _take_one(project, step, chosen.claim_ids[0], options["reason"], at)
            show(answer, settings)
            return 0
        several = step_in_bulk(project, step, chosen, options["reason"], at=at)
    show(several, settings)
    return FOUND if several.refused else 0


def _take_one(project: Project, step: str, claim: str, reason: str, at: str | None) -> ClaimAnswer:
    if step in _ONE:
        return _ONE[step](project, claim, reason, at=at)
    return steps.reject(project, claim, reason) if step == "reject" else steps.withdraw(project, claim, reason)


@click.command("verify", cls=Verb)
@many_options
@at_option
@click.pass_obj
def verify_command(settings: Settings, **options: Unpack[JudgeOptions]) -> int:
    """You looked: the claim holds here.

    It is verified wherever its anchors are as they are in this tree. An agent's session cannot verify its own claim by saying so.
    Of several claims each is judged by itself; those that were refused are listed, and the exit code is 1.
    """
    return _take(settings, "verify", options, options["at"])


@click.command("review", cls=Verb)
@many_options
@at_option
@click.pass_obj
def review_command(settings: Settings, **options: Unpack[JudgeOptions]) -> int:
    """You looked and cannot say.

    The claim needs review wherever its anchors are as they are in this tree, until somebody verifies, corrects or rejects it.
    Of several claims each is judged by itself; those that were refused are listed, and the exit code is 1.
    """
    return _take(settings, "review", options, options["at"])


@click.command("reject", cls=Verb)
@many_options
@click.pass_obj
def reject_command(settings: Settings, **options: Unpack[ManyOptions]) -> int:
    """The claim is false, on every tree.

    A claim that is false here and true on another branch is not rejected: it is stale here by itself.
    Of several claims each is judged by itself; those that were refused are listed, and the exit code is 1.
    """
    return _take(settings, "reject", options, None)


@click.command("withdraw", cls=Verb)
@many_options
@click.pass_obj
def withdraw_command(settings: Settings, **options: Unpack[ManyOptions]) -> int:
    """It should not have been claimed.

    The claim counts for nothing on any tree; it and its history stay, and `claim reopen` takes it back.
    Of several claims each is judged by itself; those that were refused are listed, and the exit code is 1.
    """
    return _take(settings, "withdraw", options, None)


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


@click.command("drop-premise", cls=Verb)
@step_options
@click.argument("premise")
@click.pass_obj
def drop_premise_command(settings: Settings, **options: Unpack[DropOptions]) -> None:
    """It does not rest on that claim after all.

    Whatever PREMISE is worth from now on bears on CLAIM no more. It is said on every tree, with who said it and why.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = drop_premise(project, options["claim"], options["premise"], options["reason"])
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
