"""Labels of edges: every one that a resolver may give has a grade, is documented, and stands in answers where its grade says."""

import ast
import re
from pathlib import Path

import pytest

from knowledge.graph import queries
from knowledge.records.grades import GRADES, rank_of
from tests.graph_trees import edges_of, resolve_cold
from tests.unit.test_graph_queries import Edges, edge, symbol
from tests.unit.test_resolve_cases import ALL, Case

ROOT = Path(__file__).parents[2]
REASON_AT = {"Target": 2, "one": 1, "through": 1, "Flow": 2, "_targets": 1}
"""What the resolvers make with a reason → which of its arguments that is."""
LABELS = {(grade.confidence_kind, reason) for grade in GRADES for reason in grade.reasons}


def reasons_in(source: Path) -> set[str]:
    """The reasons that a module of the graph writes out."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        name = (node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
        at = REASON_AT.get(name)
        if isinstance(node, ast.Call) and at is not None and len(node.args) > at:
            found |= {part.value for part in ast.walk(node.args[at]) if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    return {reason for reason in found if re.fullmatch(r"[a-z][a-z-]*", reason)}


@pytest.mark.parametrize("source", sorted((ROOT / "knowledge" / "graph").glob("*.py")), ids=lambda source: source.stem)
def test_every_reason_has_a_grade(source: Path) -> None:
    """Nothing that the resolvers write as a reason is missing among the labels."""
    assert reasons_in(source) <= {reason for _, reason in LABELS}


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file.stem}: {case.name}")
def test_every_label_of_the_cases_has_a_grade(case: Case) -> None:
    """The labels that resolving really gives, with their confidence kind."""
    assert {(found.confidence_kind, found.reason) for found in edges_of(resolve_cold(case.files))} <= LABELS


def test_every_label_is_documented_in_order() -> None:
    """docs/confidence.md has one row for each label, grade by grade, as the code orders them, with the same meaning."""
    text = (ROOT / "docs" / "confidence.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(resolved|observed|inferred) ([a-z-]+)` \| ([^|]+) \|", text, re.MULTILINE)
    assert rows == [(grade.confidence_kind, reason, meaning) for grade in GRADES for reason, meaning in grade.reasons.items()]
    headings = re.findall(r"^### (\w+)$", text, re.MULTILINE)
    assert headings == [grade.name for grade in GRADES]


def test_answers_list_what_they_found_grade_by_grade() -> None:
    """Rivals and other members stand in the order of their grades, however far away they are."""
    found = [(grade, reason) for grade in GRADES for reason in grade.reasons]
    edges = [
        edge(f"{number:03}.py::f", "calls", "a.py::g", grade.confidence_kind, reason)
        for number, (grade, reason) in enumerate(reversed(found))
    ]  # fmt: skip
    members = queries.callers(Edges(edges), symbol("a.py::g")).members
    ranks = [rank_of(member.confidence_kind, member.reason) for member in members]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(GRADES) - 1  # the grade of what was observed has no reasons of ours


def test_what_other_tools_say_has_the_place_of_its_kind() -> None:
    """A label that is not ours: proved before seen before chosen."""
    assert [rank_of(kind, "of-another-tool") for kind in ("resolved", "observed", "inferred")] == [0, 1, 2]


LEAST_JUDGED = 10
"""Edges that a benchmark has to judge of a grade for its figure to say something."""


def measured() -> list[list[tuple[float, int]]]:
    """What docs/confidence.md states of whole grades: a list for each benchmark, strongest grade first, of (precision, judged edges)."""
    text = (ROOT / "docs" / "confidence.md").read_text(encoding="utf-8")
    names = [grade.name for grade in GRADES]
    found = []
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        head = rows[0]
        if head[0] == "grade":
            found += [[figure(row[at]) for row in rows[2:]] for at in range(1, len(head))]
        elif head[1:] == [name for name in names if name != "observed"]:
            found += [[figure(cell) for cell in row[1:]] for row in rows[2:]]
    return found


def figure(cell: str) -> tuple[float, int]:
    """`0.968 of 63` as numbers; `–` is nothing judged."""
    share, _, total = cell.partition(" of ")
    return (float(share), int(total)) if total else (0.0, 0)


def test_no_grade_measured_better_than_a_stronger_one() -> None:
    """On every benchmark that the documents state, of grades with enough judged edges; sixteen benchmarks are stated."""
    benchmarks = measured()
    assert len(benchmarks) == 16
    for grades in benchmarks:
        shares = [share for share, total in grades if total >= LEAST_JUDGED]
        assert shares == sorted(shares, reverse=True), grades
