"""`knowledge callers` and the other questions about the code graph: one command a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, Unpack

import click

from knowledge.operations.questions import ask
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.commands.paths import from_here
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb, at_option

_LIMITS = """What is resolved was proved by name resolution; what is inferred was chosen by name and may be wrong. What the analysis cannot
show is said with the answer: "not found" never means "does not exist"."""
_SYMBOL = "SYMBOL is a name, Class.method, or path::name where several bear the name."

_Arguments = Callable[[Callable[..., None]], Callable[..., None]]


class QuestionOptions(TypedDict, total=False):
    """What a question is told; `path` has two symbols, `unreferenced` none."""

    symbol: str
    other: str
    at: str | None
    limit: int


def _question(
    question: str, summary: str, arguments: Callable[[Callable[..., None]], Callable[..., None]], about: str, name: str = ""
) -> click.Command:
    def run(settings: Settings, **options: Unpack[QuestionOptions]) -> None:
        with opened(settings) as project:
            symbol, other = from_here((options.get("symbol", ""), options.get("other", "")), project, settings)
            answer = ask(project, question, symbol, other=other, at=options["at"], limit=options["limit"])
        show(answer, settings)

    limited = click.option("--limit", default=200, show_default=True, type=click.IntRange(min=0), metavar="N", help="At most so many; 0 for all.")
    command = click.command(name or question, cls=Verb, help=f"{summary}.\n\n{about}\n\n{_LIMITS}")
    return command(arguments(at_option(limited(click.pass_obj(run)))))


_one = click.argument("symbol")
callers_command = _question("callers", "What calls a symbol", _one, _SYMBOL)
callees_command = _question("callees", "What a symbol calls", _one, _SYMBOL)
subclasses_command = _question("subclasses", "What inherits from a class or implements an interface", _one, _SYMBOL)
implementers_command = _question("implementers", "What implements a type, or overrides a method", _one, _SYMBOL)
importers_command = _question("importers", "What imports a file or module", _one, "SYMBOL is a path, or the name of a module from outside.")
imports_command = _question("imports", "What a file or module imports", _one, "SYMBOL is a path.")
readers_command = _question("readers", "What reads a constant, attribute or configuration key", _one, _SYMBOL)
writers_command = _question("writers", "What writes a constant, attribute or configuration key", _one, _SYMBOL)
of_command = _question(
    "tests",
    "Which tests exercise a symbol, or the path from it to OTHER",
    lambda run: _one(click.argument("other", required=False, default="")(run)),
    f"{_SYMBOL} With OTHER: the tests that ran every step of the shortest chain of calls to it, and those that by the code reach its beginning.",
    "of",
)
impact_command = _question("impact", "Whom to check when a symbol changes", _one, _SYMBOL)
path_command = _question("path", "How one symbol reaches another", lambda run: _one(click.argument("other")(run)), _SYMBOL.replace("SYMBOL", "Each"))
unreferenced_command = _question(
    "unreferenced", "Definitions that nothing was found to use", click.argument("symbol", required=False, default=""), "SYMBOL narrows it to a file."
)
unseen_command = _question(
    "unseen", "Calls that the code shows and that no run took", click.argument("symbol", required=False, default=""), "SYMBOL narrows it to a path."
)
unfound_command = _question(
    "unfound",
    "Calls that a run took and that reading the code does not show",
    click.argument("symbol", required=False, default=""),
    "SYMBOL narrows it to a path.",
)
