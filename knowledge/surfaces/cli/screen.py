"""Writes answers to standard output: as JSON, as ids, or as lines for people; shows how long work goes on on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from knowledge.surfaces.cli.failures import takes_unicode
from knowledge.surfaces.cli.json_text import json_text
from knowledge.surfaces.cli.news_line import program
from knowledge.surfaces.cli.render.lines import Line
from knowledge.surfaces.cli.render.table import CLAIM_IDS, RENDERINGS
from knowledge.surfaces.cli.settings import Settings, wants_colour

PATIENCE_SECONDS = 0.5
"""Nobody needs a bar for less."""
_NARROWEST = 24
"""Columns that a text keeps beside its margin; with fewer it is not wrapped by us."""


def show(answer: object, settings: Settings, rendering: Callable[[Any], list[Line]] | None = None) -> None:
    """Write an answer the way the settings ask for; `rendering` says how people see it where that is not as usual for its class."""
    if settings.is_json:
        sys.stdout.write(json_text(answer, is_indented=sys.stdout.isatty(), is_ascii=not takes_unicode(sys.stdout)))
    elif rendering is not None:
        write_lines(rendering(answer), settings)
    elif settings.is_quiet and type(answer) in CLAIM_IDS:
        sys.stdout.write("".join(f"{identifier}\n" for identifier in CLAIM_IDS[type(answer)](answer)))
    else:
        write_lines(RENDERINGS[type(answer)](answer), settings)


def write_lines(lines: Iterable[Line], settings: Settings) -> None:
    """Lines for people: wrapped to a terminal's width behind their margin, whole where the output goes elsewhere."""
    console = _console(settings)
    shown = (lay_out(line, console, program(settings)) for line in lines if not (line.is_hint and settings.is_quiet))
    if console.is_terminal:
        for text in shown:
            console.print(text, soft_wrap=True)
    else:
        # Without a terminal there is nothing to render, and a thousand claims are written at once.
        sys.stdout.write("".join(f"{text.plain}\n" for text in shown))


def lay_out(line: Line, console: Console, program: str = "") -> Text:
    """The rows of a line as one text. `program` replaces the word `knowledge` in a hint, so that it can be pasted."""
    text = line.text
    if line.is_hint and program:
        text = Text(text.plain.replace("knowledge ", f"{program} "), style=text.style)
    label = line.label or Text()
    margin = line.indent + (max(line.column, cell_len(label.plain)) + 2 if line.label is not None else 0)
    first = Text.assemble(" " * line.indent, label)
    first.pad_right(margin - cell_len(first.plain))
    following = Text(" " * (margin + line.hang))
    room = console.width - margin - line.hang
    is_wrapped = console.is_terminal and room >= _NARROWEST and bool(text.plain) and not line.is_whole
    rows = list(text.wrap(console, room, overflow="fold")) if is_wrapped else [text]
    whole = [Text.assemble(following if number else first, row) for number, row in enumerate(rows)]
    for row in whole:
        row.rstrip()
    return Text("\n").join(whole)


class _Terminal(Console):
    """A reader that goes away is the program's business, not rich's."""

    def on_broken_pipe(self) -> None:
        raise


def _console(settings: Settings) -> Console:
    has_colour = wants_colour(sys.stdout, settings)
    return _Terminal(file=sys.stdout, no_color=not has_colour, highlight=False, markup=False, emoji=False)


class TerminalProgress:
    """A bar on standard error for work that takes a while (the operations' Progress protocol); work that is soon done shows none."""

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True)
        self._task: TaskID | None = None
        self._begun = time.monotonic()

    def start(self, title: str, total: int) -> None:
        """Begin a piece of work of `total` steps; the one before it, if any, is done."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(title, total=total or None)

    def advance(self, count: int) -> None:
        """So many steps more are done."""
        if self._task is None:
            return
        self._progress.advance(self._task, count)
        if not self._progress.live.is_started and time.monotonic() - self._begun > PATIENCE_SECONDS:
            self._progress.start()

    def finish(self) -> None:
        """The work is done; the bar goes."""
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        self._progress.stop()


def terminal_progress(settings: Settings) -> TerminalProgress | None:
    """A bar where somebody watches; None for pipes, JSON and --quiet."""
    if settings.is_json or settings.is_quiet or not sys.stderr.isatty():
        return None
    return TerminalProgress(Console(file=sys.stderr, no_color=not wants_colour(sys.stderr, settings)))
