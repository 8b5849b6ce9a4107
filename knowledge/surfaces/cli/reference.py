"""Writes docs/commands.md and docs/json.md from the commands and the answers: `python -m knowledge.surfaces.cli.reference [docs]`.

A test compares what stands there with what this would write.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter

from knowledge.records import answers as records
from knowledge.records import audits, invalidations, packs, recalls, run_answers, triggers, vocabularies
from knowledge.surfaces.cli import answers as own
from knowledge.surfaces.cli.app import SECTIONS, root
from knowledge.surfaces.cli.verb import Branch, Entry, LazyGroup, shared_options

_MODULES = (records, invalidations, packs, recalls, run_answers, vocabularies, triggers, audits, own)
"""Where answers are."""

_COMMANDS_HEAD = """\
# Commands

Written by `python -m knowledge.surfaces.cli.reference`; do not edit. What `--json` writes is in [json.md](json.md), exit codes are in
[exit-codes.md](exit-codes.md).

Every command works from a folder inside a work tree, from a linked worktree, and with `-C DIR` from anywhere, also on a bare repository.
Ids of claims and evidence may be shortened as long as one thing alone begins so.
"""

_JSON_HEAD = """\
# What `--json` writes

Written by `python -m knowledge.surfaces.cli.reference`; do not edit.

One JSON object on standard output, always valid UTF-8: on one line, or indented where a terminal shows it. Paths that are not UTF-8 have their
odd bytes as `\\xNN`. Every field is always there; fields may be added, and none changes its meaning.

An error is an object too, with nothing else beside it, and the exit code says what sort it is ([exit-codes.md](exit-codes.md)):

```json
{"error": {"code": "unknown-record", "message": "there is no claim c_12", "suggestions": ["c_1234567890ab"]}}
```

`code` is kebab-case and fixed; `message` is for people and may change; `suggestions` are near misses, best first.
"""


def entries() -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Every command as its words, with its entry."""
    for section in SECTIONS.values():
        for name, entry in section.items():
            if isinstance(entry, Branch):
                yield from (((name, inner), leaf) for inner, leaf in entry.entries.items())
            else:
                yield (name,), entry


def answer_names(entry: Entry) -> tuple[str, ...]:
    """The classes that a command may write: for one thing, and for several at once; none for one that speaks another protocol."""
    return tuple(name for name in (entry.answer, entry.of_several) if name)


def answer_class(name: str) -> type:
    """The dataclass of an answer."""
    found: type = next(getattr(module, name) for module in _MODULES if hasattr(module, name))
    return found


def commands_page() -> str:
    """docs/commands.md."""
    context = click.Context(root(), info_name="knowledge")
    parts = [_COMMANDS_HEAD, _options("Options of every command", shared_options(), context)]
    section_of = {words[0]: title for title, section in SECTIONS.items() for words in ((name,) for name in section)}
    last = ""
    for words, entry in entries():
        if section_of[words[0]] != last:
            last = section_of[words[0]]
            parts.append(f"## {last}\n")
        parts.append(_command(words, entry, context))
    return "\n".join(parts)


def json_page() -> str:
    """docs/json.md."""
    parts = [_JSON_HEAD, "| command | answer |", "| --- | --- |"]
    parts += [f"| `knowledge {' '.join(words)}` | {_links(entry, '')} |" for words, entry in entries()]
    for name, about in sorted(_shown_classes().items()):
        parts += ["", f"## {name}", "", cleandoc(about.__doc__ or ""), "", "| field | type |", "| --- | --- |"]
        parts += [f"| `{field.name}` | {_type_text(str(field.type))} |" for field in fields(about)]
    parts += [
        "",
        "## JSON Schema",
        "",
        "Of each answer, under `$defs`.",
        "",
        "```json",
        json.dumps(schema(), indent=1, ensure_ascii=False),
        "```",
        "",
    ]
    return "\n".join(parts)


def schema() -> dict[str, Any]:
    """One JSON Schema that defines all answers."""
    names = sorted({name for _, entry in entries() for name in answer_names(entry)})
    adapters: list[tuple[str, Any, TypeAdapter[Any]]] = [(name, "serialization", TypeAdapter(answer_class(name))) for name in names]
    _, whole = TypeAdapter.json_schemas(adapters)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole}


def _shown_classes() -> dict[str, Any]:
    """The answers and every dataclass inside them."""
    known = {name: value for module in _MODULES for name, value in vars(module).items() if isinstance(value, type) and is_dataclass(value)}
    waiting = sorted({name for _, entry in entries() for name in answer_names(entry)})
    found: dict[str, Any] = {}
    while waiting:
        name = waiting.pop()
        found[name] = known[name]
        waiting += [
            other for field in fields(known[name]) for other in known if other in str(field.type).replace("[", " ").split() and other not in found
        ]
        waiting += [other for field in fields(known[name]) for other in known if f"[{other}" in str(field.type) and other not in found]
    return found


def _links(entry: Entry, page: str) -> str:
    """Links to what a command writes."""
    return ", of several ".join(f"[{name}]({page}#{name.lower()})" for name in answer_names(entry)) or "none"


def _type_text(annotation: str) -> str:
    return f"`{annotation.replace('tuple[', 'list[').replace(', ...]', ']').replace('|', chr(92) + '|')}`"


def _command(words: tuple[str, ...], entry: Entry, context: click.Context) -> str:
    command, inner = _find(words, context)
    shared = {option.name for option in shared_options()}
    options = [p for p in command.get_params(inner) if isinstance(p, click.Option) and p.name not in shared and "--help" not in p.opts]
    pieces = [piece for piece in command.collect_usage_pieces(inner) if piece != "[OPTIONS]"]
    usage = " ".join([inner.command_path, *(["[OPTIONS]"] if options else []), *pieces])
    text = cleandoc(command.help or "").replace("\b\n", "")
    parts = [
        f"### knowledge {' '.join(words)}",
        "",
        "```",
        usage,
        "```",
        "",
        _paragraphs(text),
        "",
        f"JSON: {_links(entry, 'json.md')}",
        "",
    ]
    return "\n".join(parts) + (f"\n{_options('', options, inner)}" if options else "")


def _paragraphs(text: str) -> str:
    """click's help as Markdown: what it keeps as it stands (after \\b) is a code block."""
    return "\n\n".join(f"```\n{block}\n```" if block.startswith(("bash:", " ")) else block for block in text.split("\n\n"))


def _options(title: str, options: list[Any], context: click.Context) -> str:
    records_of = [record for option in options if (record := option.get_help_record(context)) is not None]
    rows = [f"- `{' '.join(names.split())}`: {about}" for names, about in records_of]
    return "\n".join([*([f"## {title}", ""] if title else []), *rows, ""])


def _find(words: tuple[str, ...], context: click.Context) -> tuple[click.Command, click.Context]:
    command: click.Command = context.command
    for word in words:
        assert isinstance(command, LazyGroup)
        found = command.get_command(context, word)
        assert found is not None
        command = found
        context = click.Context(command, parent=context, info_name=word)
    return command, context


def main(folder: Path) -> None:
    """Write both pages into a folder."""
    (folder / "commands.md").write_text(commands_page(), encoding="utf-8")
    (folder / "json.md").write_text(json_page(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
