"""`knowledge claim record`, `propose`, `correct`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypedDict, Unpack, cast

import click

from knowledge.errors import UsageError
from knowledge.operations.banks import dated
from knowledge.operations.project import Project
from knowledge.operations.record import Draft, propose_only, record
from knowledge.operations.steps import correct
from knowledge.records.claims import ClaimKind, Scope
from knowledge.surfaces.cli.commands.choices import KINDS
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.commands.paths import from_here
from knowledge.surfaces.cli.render.claims import proposal
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option, author_of, author_options


class DraftOptions(TypedDict):
    """What can be said of a new claim."""

    statement: str
    kind: str | None
    tags: tuple[str, ...]
    anchors: tuple[str, ...]
    evidence: tuple[str, ...]
    derived_from: tuple[str, ...]
    predicate: str | None
    until: str
    period_days: int
    review_when: str
    scope_paths: tuple[str, ...]
    scope_symbols: tuple[str, ...]
    service: str
    environment: str
    conditions: tuple[str, ...]
    route_tried: str
    constraints: tuple[str, ...]
    rejected: tuple[str, ...]
    complete: bool
    is_private: bool
    at: str | None
    agent: str
    session: str


class CorrectOptions(DraftOptions):
    """What `claim correct` is told."""

    claim: str
    reason: str


_DRAFT_OPTIONS = (
    click.option("--kind", type=click.Choice(KINDS), help="What sort of claim it is. Default: observation."),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be given more than once."),
    click.option(
        "--anchor",
        "anchors",
        multiple=True,
        metavar="SPEC",
        help="What it stands on, instead of what the statement's names propose: body:a.py::f, strict:a.py::f, signature:a.py::f, location:a.py::f, "
        "callers:a.py::f (or callees, subclasses, importers, readers, tests …), value:pyproject.toml::project.name, "
        '"edge:a.py::f calls b.py::g", source:a.py:10-20, claim:ID, until:2027-01-31, days:30, or none. '
        "@support at the end: what it merely rests on.",
    ),
    click.option("--evidence", multiple=True, metavar="SPEC", help="Text to keep with it: a.py::f, a.py:10-20 or a.py."),
    click.option("--derived-from", multiple=True, metavar="CLAIM", help="A premise: where it falls, this falls."),
    click.option(
        "--predicate",
        metavar="JSON",
        help='What the analyzers can decide, e.g. {"relation": "called_only_by", "subject": "a.py::f", "members": ["a.py::g"]}.',
    ),
    click.option("--until", default="", metavar="DATE", help="To be looked at again from this day on (2027-01-31)."),
    click.option(
        "--period", "period_days", default=0, type=click.IntRange(min=0), metavar="DAYS", help="To be looked at again so long after each verdict."
    ),
    click.option(
        "--review-when",
        default="",
        metavar="CONDITION",
        help='To be looked at again when this comes true: "tags > 100", "stale over 10", "commits >= 50", "event ClaimRejected >= 2", a day; '
        'joined by "or", "and". In Korean too: "태그 100개 초과".',
    ),
    click.option("--scope-path", "scope_paths", multiple=True, metavar="PATH", help="It speaks of this file or folder only."),
    click.option("--scope-symbol", "scope_symbols", multiple=True, metavar="SYMBOL", help="It speaks of this symbol only."),
    click.option("--service", default="", metavar="NAME", help="It speaks of this service only."),
    click.option("--environment", default="", metavar="NAME", help="It speaks of this environment only."),
    click.option("--condition", "conditions", multiple=True, metavar="TEXT", help="It holds under this condition."),
    click.option("--route-tried", default="", metavar="TEXT", help="For “cannot”: which way was tried."),
    click.option("--constraint", "constraints", multiple=True, metavar="TEXT", help="For a decision: what bound it."),
    click.option(
        "--complete", is_flag=True, help="Stand also on what the cited bodies call and the constants they read: a change of those makes it stale."
    ),
    click.option("--private", "is_private", is_flag=True, help="Never push it to anybody who did not ask, and never export it."),
    click.option("--rejected", multiple=True, metavar='"OTHER: REASON"', help="For a decision: an alternative that was not taken, and why."),
)


def draft_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The statement and everything that can be said of it."""
    for option in reversed((*_DRAFT_OPTIONS, at_option, author_options)):
        command = option(command)
    return command


def draft_of(options: DraftOptions, project: Project, settings: Settings) -> Draft:
    """The options as a draft. Raises UsageError for a rejected alternative without a reason."""

    def rooted(texts: Iterable[str]) -> tuple[str, ...]:
        return from_here(texts, project, settings)

    draft = Draft(
        statement=options["statement"],
        kind=cast(ClaimKind, options["kind"] or "observation"),
        tags=options["tags"],
        scope=Scope(
            paths=from_here(options["scope_paths"], project, settings, has_folders=True),
            symbols=rooted(options["scope_symbols"]),
            service=options["service"],
            environment=options["environment"],
            conditions=options["conditions"],
            route_tried=options["route_tried"],
        ),
        anchors=rooted(options["anchors"]),
        evidence=rooted(options["evidence"]),
        derived_from=options["derived_from"],
        until=options["until"],
        period_days=options["period_days"],
        review_when=options["review_when"],
        predicate=options["predicate"],
        at=options["at"],
        constraints=options["constraints"],
        rejected=tuple(_read_rejected(text) for text in options["rejected"]),
        complete=options["complete"],
        is_private=options["is_private"],
    )
    return dated(draft) if settings.is_personal else draft


def _read_rejected(text: str) -> tuple[str, str]:
    alternative, colon, reason = text.partition(":")
    if not colon or not alternative.strip() or not reason.strip():
        raise UsageError(f'--rejected {text!r}: expected the alternative, a colon and the reason, as in "threads: the GIL is held"')
    return alternative.strip(), reason.strip()


@click.command("record", cls=Verb)
@click.argument("statement")
@draft_options
@click.pass_obj
def record_command(settings: Settings, **options: Unpack[DraftOptions]) -> None:
    """Record a claim, with the anchors it stands on.

    STATEMENT is one sentence, English or Korean. Its names are looked up and anchors proposed for them; the answer says which were
    taken, what they cannot notice, and whether the analysis agrees. A claim is never refused for being wrong.
    """
    with opened(settings, author_of(options["agent"], options["session"]), makes_bank=True) as project:
        answer = record(project, draft_of(options, project, settings))
    show(answer, settings)


@click.command("propose", cls=Verb)
@click.argument("statement")
@draft_options
@click.pass_obj
def propose_command(settings: Settings, **options: Unpack[DraftOptions]) -> None:
    """Show what a statement would stand on; nothing is stored.

    Takes the options of `claim record`, and answers as it would.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = propose_only(project, draft_of(options, project, settings))
    show(replace(answer, notes=("nothing was stored", *answer.notes)), settings, proposal)


@click.command("correct", cls=Verb)
@click.argument("claim")
@click.argument("statement")
@click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays in both claims' histories.")
@draft_options
@click.pass_obj
def correct_command(settings: Settings, **options: Unpack[CorrectOptions]) -> None:
    """Put a better claim in its place.

    Records STATEMENT as `claim record` does and supersedes CLAIM by it. CLAIM stays, with its history.
    """
    with opened(settings, author_of(options["agent"], options["session"])) as project:
        answer = correct(project, options["claim"], draft_of(options, project, settings), options["reason"])
    show(answer, settings)
