"""The pieces that all renderings are made of: a line with a margin, and how statuses, trees and checks are put.

Texts that come from claims or from the repository become `rich.text.Text` by `data`, so nothing in them is obeyed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from knowledge.records.answers import CauseLine, Checked, TreeName
from knowledge.surfaces.cli.safe_text import clean

STATUS_STYLES = {
    "stale": "bold red",
    "needs_review": "bold yellow",
    "active": "green",
    "verified": "bold green",
    "rejected": "dim strike",
    "superseded": "dim",
    "withdrawn": "dim",
}
"""In the order in which statuses are told: what needs attention first."""

REASONS = {
    "unexamined": "it changed since",
    "counter_evidence": "counter-evidence",
    "premise": "a premise fell",
    "subject_gone": "it is gone",
    "expired": "its time is up",
    "said": "it was said of it",
    "two_homes": "it could be in two places",
    "unreadable": "it cannot be read",
    "inferred_differs": "only what is inferred differs",
    "analyzer_differs": "the analyzers read it differently now",
    "undecided": "looked at, not decided",
    "review_condition": "its review condition came true",
}
"""Reason codes in words; the code itself is what `--json` has."""

NAME = "cyan"
QUIET = "dim"


@dataclass(frozen=True, slots=True)
class Line:
    """One line before wrapping. `label` stands once in a column of `column` cells; further rows of `text` align after it, or,
    without a label, `hang` cells to the right of the first. Code (`is_whole`) is left for the terminal to break."""

    text: Text
    indent: int = 0
    label: Text | None = None
    column: int = 0
    hang: int = 0
    is_hint: bool = False
    is_whole: bool = False


BLANK = Line(Text())


def data(text: str, style: str = "") -> Text:
    """Text that is shown and never obeyed, on one line."""
    return Text(clean(text), style=style)


def join(*parts: Text | str | None, by: str = "  ") -> Text:
    """The parts that are not empty; a plain string is our own wording."""
    given = [Text(p) if isinstance(p, str) else p for p in parts if p]
    return Text(by).join(given)


def labelled(label: Text | str, text: Text, *, indent: int = 0, column: int = 0) -> Line:
    """A line with a label before it."""
    return Line(text, indent, Text(label) if isinstance(label, str) else label, column)


def said(word: str, text: Text, *, indent: int, style: str = QUIET) -> Line:
    """`word: text`, with further rows a little to the right."""
    return Line(Text.assemble((word, style), ": ", text), indent, hang=2)


def table(rows: Sequence[tuple[Text, Text]], *, indent: int = 2, most: int = 40) -> list[Line]:
    """Labels in one column, as wide as the widest that is no wider than `most`; a wider one has its text on the next line."""
    column = max((w for label, _ in rows if (w := cell_len(label.plain)) <= most), default=0)
    lines = []
    for label, text in rows:
        if cell_len(label.plain) > column:
            lines += [Line(label, indent), Line(text, indent + 4)]
        else:
            lines.append(labelled(label, text, indent=indent, column=column))
    return lines


def heading(title: str) -> Line:
    """What the lines below are about."""
    return Line(Text(title, style="bold"))


def hint(text: str) -> Line:
    """What to do next. It begins with the command as it is typed."""
    return Line(Text(text, style=QUIET), label=Text("next:", style=QUIET), is_hint=True)


def note(text: str) -> Line:
    """Something to bear in mind; a warning says so itself."""
    word, _, rest = text.partition(": ")
    if word == "warning" and rest:
        return labelled(Text("warning:", style="bold yellow"), data(rest))
    return labelled(Text("note:", style=QUIET), data(text))


def status_word(status: str) -> Text:
    """The status in its colour."""
    return Text(status, style=STATUS_STYLES.get(status, ""))


def tree_text(tree: TreeName) -> Text:
    """The tree that an answer speaks of."""
    short = (tree.revision or "")[:8]
    has_more = short and not short.startswith(tree.label[:8])
    return join(data(tree.label, NAME), f"(on {short})" if has_more else None, by=" ")


def counts_text(counts: Mapping[str, int]) -> Text:
    """`2 stale · 1 needs_review · 9 active`, what needs attention first, none left out but zeros."""
    known = [*STATUS_STYLES, *(name for name in counts if name not in STATUS_STYLES)]
    return join(*(Text.assemble(f"{counts[name]} ", status_word(name)) for name in known if counts.get(name)), by=" · ")


def checked_lines(checked: Checked) -> list[Line]:
    """checked N, could not check M, because …"""
    text = Text(f"checked {checked.checked}")
    if not checked.checked:
        text.append(": nothing was checked, so nothing is known to be right", style="yellow")
    if not checked.could_not_check:
        return [Line(text), *because_lines(checked.because)]
    return [Line(text.append(f" · could not check {checked.could_not_check}", style="yellow")), *because_lines(checked.because)]


def because_lines(reasons: Iterable[str]) -> list[Line]:
    """Why something could not be checked, one line a reason."""
    return [said("because", data(reason), indent=2) for reason in reasons]


def cause_lines(causes: Iterable[CauseLine], *, indent: int) -> list[Line]:
    """Why a claim fell: reason in words, where, what, by which commit."""
    lines = []
    for cause in causes:
        commit = Text(f"in {clean(cause.commit)[:10]}", style=QUIET) if cause.commit else None
        text = join(data(cause.detail or cause.anchor), data(cause.place, NAME) if cause.place not in cause.detail else None, commit)
        lines.append(said(REASONS.get(cause.reason, clean(cause.reason)), text, indent=indent, style="red"))
        if cause.premise_path:
            lines.append(said("by way of", data(" → ".join(cause.premise_path)), indent=indent + 2))
    return lines


def plural(count: int, noun: str, plural_form: str = "") -> str:
    """`1 claim`, `2 claims`."""
    return f"{count:,} {noun if count == 1 else plural_form or noun + 's'}"
