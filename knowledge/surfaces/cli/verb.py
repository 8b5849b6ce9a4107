"""What all commands share: the options that are allowed everywhere, groups that load their commands when called, authors."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypedDict

import click
from click.shell_completion import CompletionItem

from knowledge.errors import UsageError
from knowledge.records.claims import Author
from knowledge.surfaces.cli.settings import Settings

SHARED = "Options of every command"
COMPLETION = "_KNOWLEDGE_COMPLETE"
"""The environment variable by which a shell asks for completions."""


def _remember(field: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def store(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        if value:
            settings = context.ensure_object(Settings)
            setattr(settings, field, settings.directories + value if field == "directories" else value)

    return store


def shared_options() -> list[click.Parameter]:
    """The options that stand before or after the command's name alike."""
    return [
        click.Option(["--json"], is_flag=True, expose_value=False, callback=_remember("is_json"), help="Write the answer as JSON (docs/json.md)."),
        click.Option(
            ["-C", "directory"],
            metavar="DIR",
            multiple=True,
            type=click.Path(),
            expose_value=False,
            callback=_remember("directories"),
            help="Work as if started in DIR: a work tree, a folder in it, or a bare repository.",
        ),
        click.Option(
            ["--personal"],
            is_flag=True,
            expose_value=False,
            callback=_remember("is_personal"),
            help="In your personal bank: claims across repositories, of what none of them can show.",
        ),
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_remember("is_quiet"),
            help="No progress, no hints; of claims only their ids.",
        ),
        click.Option(
            ["--no-color", "no_color"], is_flag=True, expose_value=False, callback=_remember("is_plain"), help="No colour; NO_COLOR does the same."
        ),
    ]


class Verb(click.Command):
    """A command that takes the shared options too, and lists them apart in its help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(shared_options())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_options(self, ctx, formatter)


def write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """The command's own options first, then the shared ones under a heading of their own."""
    shared = {option.name for option in shared_options()}
    own: list[tuple[str, str]] = []
    common: list[tuple[str, str]] = []
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
        if record is not None:
            (common if parameter.name in shared else own).append(record)
    for title, rows in (("Options", own), (SHARED, common)):
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)


@dataclass(frozen=True, slots=True)
class Entry:
    """A command and where it lives: `module` below `commands`, attribute `<name>_command`. answer: the class that `--json` writes, "" for none.

    of_several: the class that it writes where it was called for several things at once, "" where it cannot be.
    """

    summary: str
    module: str
    answer: str
    of_several: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """A command that has commands of its own. default: the one that is meant where none is named; has_argument: also before an argument."""

    summary: str
    entries: dict[str, Entry]
    default: str = ""
    has_argument: bool = False


class LazyGroup(click.Group):
    """A group that knows its commands' names and summaries, and imports a command only when it is called for."""

    def __init__(self, name: str, sections: dict[str, dict[str, Entry | Branch]], summary: str, branch: Branch | None = None) -> None:
        super().__init__(name, help=summary, params=shared_options(), context_settings={"help_option_names": ["-h", "--help"]})
        self.sections = sections
        self.default, self._has_argument = (branch.default, branch.has_argument) if branch is not None else ("", False)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # Options of the default command may stand alone: `knowledge conflicts --find`.
        is_default = self.default and not any(word in self.entries or word in ("-h", "--help") for word in args)
        is_before = all(word.startswith("-") for word in args[:1]) if not self._has_argument else bool(args)
        return super().parse_args(ctx, [self.default, *args] if is_default and is_before else args)

    @property
    def entries(self) -> dict[str, Entry | Branch]:
        """All commands, in the order of the sections."""
        return {name: entry for entries in self.sections.values() for name, entry in entries.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        if isinstance(entry, Branch):
            return LazyGroup(cmd_name, {"Commands": dict(entry.entries)}, entry.summary, entry)
        command: click.Command = getattr(import_module(f"knowledge.surfaces.cli.commands.{entry.module}"), f"{cmd_name.replace('-', '_')}_command")
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.entries and not name.startswith("-"):
            near = difflib.get_close_matches(name, self.entries, n=3, cutoff=0.5)
            raise UsageError(f"there is no command {ctx.command_path} {name}; see `{ctx.command_path} --help`", suggestions=near)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, entries in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.summary) for name, entry in entries.items()])
        write_options(self, ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        named = [CompletionItem(name, help=entry.summary) for name, entry in self.entries.items() if name.startswith(incomplete)]
        return named + click.Command.shell_complete(self, ctx, incomplete)


def at_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--at`: the tree that the answer is about."""
    return click.option(
        "--at",
        metavar="REV",
        help="Answer for this revision (any git expression, or HEAD+dirty). Default: the files as they are now, in a bare repository HEAD.",
    )(command)


def author_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--agent` and `--session`: who says it, where it is not the person at the keyboard."""
    session = click.option("--session", metavar="ID", default="", help="The session that the agent speaks in.")
    agent = click.option(
        "--agent", metavar="NAME", default="", help="An agent says this, not you (also KNOWLEDGE_AGENT and KNOWLEDGE_SESSION). Needs --session."
    )
    return agent(session(command))


class AuthorOptions(TypedDict):
    """What `author_options` gives to a command."""

    agent: str
    session: str


def author_of(agent: str, session: str) -> Author | None:
    """The agent that speaks; None for whoever the environment and git's configuration name. Raises UsageError for half of it."""
    if bool(agent) != bool(session):
        raise UsageError("an agent speaks in a session: give both --agent NAME and --session ID")
    return Author("agent", agent, session) if agent else None
