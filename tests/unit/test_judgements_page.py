"""The examples of docs/judgements.md are what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from knowledge.claims.decision_messages import read_decisions
from knowledge.claims.review_conditions import FIGURES, read_condition
from knowledge.operations import conflicts

PAGE = (Path(__file__).parents[2] / "docs" / "judgements.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[tuple[str, str]]:
    """The rows of the table whose first column has this heading."""
    table = PAGE.partition(f"| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in table]
    return [(first.strip().strip("`").replace("\\|", "|"), second.strip()) for first, second in cells]


@pytest.mark.parametrize(("line", "told"), rows("line"))
def test_a_line_of_a_message_tells_what_the_page_says(line: str, told: str) -> None:
    """Each example alone below a subject."""
    (found,) = read_decisions(f"Subject\n\n{line}\n")
    kind, _, text = told.partition(": ")
    expected = {
        "decision": [found.statement],
        "constraint": list(found.constraints),
        "rejected": [", ".join(rejected) for rejected in found.rejected],
    }
    assert expected[kind] == [text]


@pytest.mark.parametrize(("condition", "meant"), rows("condition"))
def test_a_condition_means_what_the_page_says(condition: str, meant: str) -> None:
    """Each example reads as the condition beside it."""
    assert str(read_condition(condition)) == meant


def test_every_figure_and_difference_is_on_the_page() -> None:
    """The page names all of them, and nothing else."""
    figures = [name for cell, _ in rows("figure") for name in cell.split(", ")]
    assert sorted(figures) == sorted([*FIGURES, "event TYPE"])
    assert [name for name, _ in rows("difference")] == [conflicts.CODE_CHANGED, conflicts.ANALYSIS_INCOMPLETE, conflicts.NOT_COMPUTABLE]
