"""Decisions in commit messages, held by messages that a person can read (tests/cases/decisions)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from knowledge.claims.decision_messages import KEYS, LONGEST, read_decisions, split_reason

CASES = Path(__file__).parent.parent / "cases" / "decisions" / "messages.md"


def _cases() -> list[tuple[str, str, list[list[str]]]]:
    """(title, message, rows of the table) of each case."""
    # A message may have headings of its own, so cases are told apart by their blocks.
    found = re.findall(r"^## ([^\n]+)\n(?:(?!^```|^## ).)*?^```message\n(.*?)^```$(.*?)(?=^## |\Z)", CASES.read_text(encoding="utf-8"), re.M | re.S)
    return [
        (title, message, [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in rest.splitlines() if line.startswith("| ")][2:])
        for title, message, rest in found
    ]


def _told(message: str) -> list[list[str]]:
    rows = []
    for told in read_decisions(message):
        rows.append(["decision", told.statement])
        rows += [["constraint", text] for text in told.constraints]
        rows += [["rejected", f"{alternative} — {reason}".strip()] for alternative, reason in told.rejected]
    return rows


@pytest.mark.parametrize(("title", "message", "rows"), _cases(), ids=[case[0] for case in _cases()])
def test_a_message_tells_what_its_table_says(title: str, message: str, rows: list[list[str]]) -> None:
    """Each message of the case file tells just that."""
    assert _told(message) == rows


def test_all_cases_are_found() -> None:
    """No case is lost by the way the file is read."""
    assert len(_cases()) == len(re.findall(r"^```message$", CASES.read_text(encoding="utf-8"), re.M)) == 12


@pytest.mark.parametrize("name", [name for names in KEYS.values() for name in names])
def test_every_name_of_a_key_is_understood(name: str) -> None:
    """Small and capital letters alike, and with a hyphen for the blank as trailers have it."""
    for spelled in (name, name.capitalize(), name.upper(), name.replace(" ", "-")):
        assert read_decisions(f"Subject\n\n{spelled}: some text\n"), spelled


REASONS = [
    ("cookies | too large - 4 KB", ("cookies", "too large - 4 KB")),
    ("a well-known way: it is slow", ("a well-known way", "it is slow")),
    ("쿠키 (너무 크다)", ("쿠키", "너무 크다")),
    ("pygit2.Repository", ("pygit2.Repository", "")),
    ("threads, because the GIL is held", ("threads", "the GIL is held")),
    (" - nothing before the mark", ("- nothing before the mark", "")),
]


@pytest.mark.parametrize(("text", "expected"), REASONS)
def test_the_reason_is_told_apart_by_the_clearest_mark(text: str, expected: tuple[str, str]) -> None:
    """A mark inside of a word is none, and one without anything before it neither."""
    assert split_reason(text) == expected


def test_the_lines_that_tell_it_are_known() -> None:
    """So that they can be kept as evidence: from the first key to the end of what it says."""
    told = read_decisions("Subject\n\nprose\n\nDecision: a\nConstraints:\n- b\n- c\n\nmore prose\n")[0]
    assert told.lines == (4, 7)


def test_a_message_of_any_length_is_read_in_a_moment() -> None:
    """Only the beginning of a message is looked at, and no message makes the patterns go astray."""
    assert read_decisions("s\n\n" + "x " * LONGEST + "\nDecision: too late\n") == ()
    for hostile in (
        "-" * 20_000,
        "* " * 20_000,
        "Decision" * 5_000,
        "Rejected: " + "(" * 20_000,
        "기각: " + "a, " * 10_000,
        " " * 30_000 + "Decision: x",
    ):
        read_decisions(f"s\n\n{hostile}\n")
