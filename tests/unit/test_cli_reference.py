"""The pages that are written from the commands and the answers."""

import re
from pathlib import Path

import click
import pytest

from knowledge.surfaces.cli.app import root
from knowledge.surfaces.cli.reference import answer_class, answer_names, commands_page, entries, json_page, schema
from knowledge.surfaces.cli.verb import Entry

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("name", "page"), [("commands.md", commands_page), ("json.md", json_page)])
def test_the_pages_are_up_to_date(name: str, page: object) -> None:
    """What stands in docs/ is what `python -m knowledge.surfaces.cli.reference` would write."""
    assert callable(page)
    assert (DOCS / name).read_text(encoding="utf-8") == page()


@pytest.mark.parametrize(("words", "entry"), list(entries()), ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_a_command_says_first_what_the_list_says(words: tuple[str, ...], entry: Entry) -> None:
    """The summary in `knowledge --help` is the first sentence of the command's own help, so that one cannot drift from the other."""
    command: click.Command | None = root()
    for word in words:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    assert (command.help or "").partition("\n\n")[0].strip().rstrip(".") == entry.summary


def test_no_command_or_option_is_without_help() -> None:
    """Every option says what it does."""
    context = click.Context(root())
    for words, _ in entries():
        command: click.Command | None = root()
        for word in words:
            assert isinstance(command, click.Group)
            command = command.get_command(context, word)
        assert command is not None
        assert [option.name for option in command.params if isinstance(option, click.Option) and not option.help] == [], words


def test_the_schema_defines_every_answer() -> None:
    """Each class that a command names is in the schema, and each of its fields is required or has a default."""
    defined = schema()["$defs"]
    for _, entry in entries():
        for name in answer_names(entry):
            assert set(defined[name]["properties"]) == set(answer_class(name).__dataclass_fields__)


def test_every_link_inside_the_pages_leads_somewhere() -> None:
    """The answers that the pages point at have a heading in json.md."""
    headings = {heading.lower() for heading in re.findall(r"^## (\w+)$", json_page(), re.MULTILINE)}
    targets = set(re.findall(r"\(json\.md#(\w+)\)", commands_page())) | set(re.findall(r"\]\(#(\w+)\)", json_page()))
    assert targets <= headings
