"""`knowledge trigger`: rows that put a memory in the way of a call; and `knowledge audit`, what came of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from knowledge.config import AUDIT_FILE
from knowledge.errors import InvalidRecordError
from knowledge.operations import persons, trigger_rows, trigger_trying
from knowledge.operations.audit import audit
from knowledge.operations.banks import opened_personal
from knowledge.operations.persons import Proof
from knowledge.records.triggers import TriggersAnswer
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, author_of, author_options

_TOKEN = click.option("--token", default="", metavar="TOKEN", help="The token that a person made, where there is no terminal.")
_REASON = click.option("-m", "--reason", required=True, metavar="TEXT", help="Why; it stays with the row.")


def _proof(token: str) -> Proof:
    return Proof(sys.stdin.isatty() and sys.stdout.isatty(), token)


@click.command("list", cls=Verb)
@click.pass_obj
def list_command(settings: Settings) -> None:
    """Rows that put a memory in the way of a call, and those that wait for a person.

    A row names a tool, words and what is recalled, never an answer; only what a person approved is held against calls.
    """
    with opened(settings) as project:
        answer = trigger_rows.show(project)
    show(answer, settings)


@click.command("show", cls=Verb)
@click.argument("trigger")
@click.pass_obj
def show_command(settings: Settings, trigger: str) -> None:
    """A row, its examples, and what became of it."""
    with opened(settings) as project:
        answer = trigger_rows.show(project, trigger)
    show(answer, settings)


@click.command("add", cls=Verb)
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@author_options
@click.pass_obj
def add_command(settings: Settings, file: Path, agent: str, session: str) -> None:
    """Draft rows from a JSON file; a person approves them.

    FILE holds one row or a list of them (`-`: standard input): id, tool (a pattern of tool names; `prompt` is what a person said), argument (the
    free-text argument that may be read and written before), subject, actions, none, recall, positive, negative. A row that breaks its own
    examples is refused.
    """
    text = sys.stdin.read() if str(file) == "-" else (settings.here / file).read_text(encoding="utf-8")
    rows = _rows(text)
    with opened(settings, author_of(agent, session)) as project, project.ledger.transaction():
        answers = [trigger_rows.draft(project, row) for row in rows]
    notes = tuple(dict.fromkeys(note for answer in answers for note in answer.notes))
    show(TriggersAnswer(tuple(line for answer in answers for line in answer.triggers), notes), settings)


def _rows(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidRecordError(f"the file is no JSON ({error}); expected a trigger row or a list of rows") from error
    rows = found if isinstance(found, list) else [found]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise InvalidRecordError("expected a trigger row (an object) or a list of rows")
    return rows


@click.command("test", cls=Verb)
@click.argument("tool")
@click.argument("text")
@click.option("--trigger", default="", metavar="ID", help="This row, whatever its state. Default: all approved ones.")
@click.pass_obj
def test_command(settings: Settings, tool: str, text: str, trigger: str) -> None:
    """Which rows a call would hit, and what an agent would be given.

    TOOL is the tool's name as the agent's program has it, TEXT what its call says. Nothing is stored.
    """
    with opened(settings) as project, opened_personal() as personal:
        answer = trigger_trying.test(project, tool, text, trigger, personal=personal)
    show(answer, settings)


@click.command("replay", cls=Verb)
@click.argument("trigger")
@click.option("--since", default="", metavar="TIME", help="Only calls since then (ISO 8601).")
@click.pass_obj
def replay_command(settings: Settings, trigger: str, since: str) -> None:
    """What a row would have hit among the calls that were logged.

    Before a row is approved this shows what it would do in real work. The log holds calls reduced and with secrets masked.
    """
    with opened(settings) as project:
        answer = trigger_trying.replay(project, trigger, since)
    show(answer, settings)


@click.command("approve", cls=Verb)
@click.argument("trigger")
@click.option("--with-hint/--without-hint", "hint", default=None, help="Also one line where only the subject is named. Default: as the row says.")
@_REASON
@_TOKEN
@click.pass_obj
def approve_command(settings: Settings, trigger: str, hint: bool | None, reason: str, token: str) -> None:
    """A person says that a row is held against calls from now on.

    It needs a terminal, or a token that a person made with `knowledge trigger token`; an agent's approval is refused.
    """
    with opened(settings) as project:
        answer = trigger_rows.approve(project, trigger, reason, _proof(token), has_hint=hint)
    show(answer, settings)


@click.command("hold", cls=Verb)
@click.argument("trigger")
@_REASON
@_TOKEN
@click.pass_obj
def hold_command(settings: Settings, trigger: str, reason: str, token: str) -> None:
    """A person says that a draft waits."""
    with opened(settings) as project:
        answer = trigger_rows.decide(project, trigger, "TriggerHeld", reason, _proof(token))
    show(answer, settings)


@click.command("dismiss", cls=Verb)
@click.argument("trigger")
@_REASON
@_TOKEN
@click.pass_obj
def dismiss_command(settings: Settings, trigger: str, reason: str, token: str) -> None:
    """A person says that a draft becomes no row."""
    with opened(settings) as project:
        answer = trigger_rows.decide(project, trigger, "TriggerDismissed", reason, _proof(token))
    show(answer, settings)


@click.command("merge", cls=Verb)
@click.argument("trigger")
@click.argument("into")
@_REASON
@_TOKEN
@click.pass_obj
def merge_command(settings: Settings, trigger: str, into: str, reason: str, token: str) -> None:
    """A person says that a draft is of the same thing as an approved row.

    The row INTO looks for the draft's words, too, and keeps its examples; what it recalls stays. Both are shown.
    """
    with opened(settings) as project:
        answer = trigger_rows.merge(project, trigger, into, reason, _proof(token))
    show(answer, settings)


@click.command("causes", cls=Verb)
@click.pass_obj
def causes_command(settings: Settings) -> None:
    """What persons made of the drafts of each cause.

    How many were registered, held, merged and dismissed, so that the thresholds that make drafts can be judged again.
    """
    with opened(settings) as project:
        answer = trigger_rows.causes(project)
    show(answer, settings)


@click.command("disable", cls=Verb)
@click.argument("trigger")
@_REASON
@author_options
@click.pass_obj
def disable_command(settings: Settings, trigger: str, reason: str, agent: str, session: str) -> None:
    """Hold a row against no call any more."""
    with opened(settings, author_of(agent, session)) as project:
        answer = trigger_rows.disable(project, trigger, reason)
    show(answer, settings)


@click.command("token", cls=Verb)
@click.pass_obj
def token_command(settings: Settings) -> None:
    """Make a token with which a person decides where there is no terminal.

    It is shown once; the one before is void. Whoever has it decides as a person: give it to no agent.
    """
    with opened(settings) as project:
        token = persons.make_token(project, _proof(""))
    click.echo(token)


@click.command("audit", cls=Verb)
@click.option("--days", default=30, show_default=True, type=click.IntRange(1, 3_650), metavar="N", help="How far back.")
@click.option("--rows", default=0, show_default=True, type=click.IntRange(0, 1_000), metavar="N", help="Also the newest N decisions.")
@click.pass_obj
def audit_command(settings: Settings, days: int, rows: int) -> None:
    """What came of every moment at which memory could have come by itself.

    Matches, misses and failures by day, gate and trigger, how long they took, how many tokens were given; gates that have gone quiet or fail.
    """
    with opened(settings) as project:
        answer = audit(project.home / AUDIT_FILE, project.clock(), days=days, rows=rows)
    show(answer, settings)
