"""Triggers: which calls they hit, which rows are refused, and that no text can hang them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors import InvalidRecordError
from knowledge.push.own_text import own_text
from knowledge.push.triggers import Trigger, matches, read_trigger

CASES = Path(__file__).parents[1] / "cases" / "triggers" / "rows.md"
TEXT = CASES.read_text(encoding="utf-8")
ROWS = [read_trigger(row) for row in json.loads(re.findall(r"```rows\n(.*?)```", TEXT, re.DOTALL)[0])]


def _calls() -> list[Any]:
    found = []
    for heading, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE):
        for block in re.findall(r"^```calls\n(.*?)^```$", body, re.DOTALL | re.MULTILINE):
            for line in block.strip().splitlines():
                rows, tool, text = (part.strip() for part in line.split("|", 2))
                found.append(pytest.param(rows, tool, text.replace("\\n", "\n"), id=f"{heading}: {text[:40]}"))
    return found


@pytest.mark.parametrize(("rows", "tool", "text"), _calls())
def test_call(rows: str, tool: str, text: str) -> None:
    """Each line of the case file."""
    hit = [match.trigger.id + ("?" if match.tier == "hint" else "") for match in matches(ROWS, tool, text)]
    assert hit == ([] if rows == "-" else rows.split())


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "x", "tool": "(", "all": [["a"]], "recall": "a"}, "no pattern"),
        ({"id": "x", "tool": "a", "all": [["a"], []], "recall": "a"}, "at least one word"),
        ({"id": "x", "tool": "a", "all": [["a"]]}, "a query to recall"),
        ({"id": "x", "tool": "a", "all": [["a"]], "recall": "a", "answer": "do it so"}, "no field 'answer'"),
    ],
)
def test_rows_that_are_refused(row: dict[str, Any], said: str) -> None:
    """A row that could never hit, or that would carry an answer of its own, is refused with what is wrong."""
    with pytest.raises(InvalidRecordError, match=said):
        read_trigger(row)


@given(st.text(st.sampled_from("main push 푸시 cf\n-`>말고않[]():;.지"), max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    """Any text is read, and the same text hits the same rows."""
    assert matches(ROWS, "Bash", text) == matches(ROWS, "Bash", text)


def test_a_huge_text_costs_little() -> None:
    """Of a huge call only the beginning is read."""
    assert matches(ROWS, "Bash", "x " * 500_000 + "git push origin main") == []


@given(st.text(max_size=200))
def test_own_text_only_leaves_out(text: str) -> None:
    """What is kept are lines of the text, in their order."""
    lines = iter(text.replace("\r\n", "\n").split("\n"))
    assert all(line in lines for line in own_text(text).split("\n") if line)


def test_a_row_says_all_that_it_does() -> None:
    """Every field of a row can be written in a policy file."""
    row = {"id": "x", "tool": "^T$", "subject": ["a"], "actions": [["b"]], "none": ["c"], "recall": "q", "argument": "task", "has_hint": True}
    assert read_trigger(row) == Trigger("x", "^T$", ("a",), (("b",),), "q", ("c",), "task", has_hint=True)
