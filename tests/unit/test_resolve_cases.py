"""The case files of the resolver: tests/cases/graph_python/*.md and tests/cases/graph_javascript/*.md.

A heading is a case. A fenced block whose info string is `language path` is a file. A block with the info string `edges predicate …` lists every edge
of those predicates, one a line: `subject predicate object · confidence kind, reason`. Prose says why. With KNOWLEDGE_UPDATE_CASES=1 the
lists are written anew; read the difference before you keep it.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.graph_trees import Incremental, edges_of, resolve_cold, written

CASES = Path(__file__).parents[1] / "cases"
FILES = sorted((*(CASES / "graph_python").glob("*.md"), *(CASES / "graph_javascript").glob("*.md")))
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\S+) ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    file: Path
    name: str
    files: dict[str, str]
    predicates: tuple[str, ...]
    expected: str


def read_cases(file: Path) -> list[Case]:
    text = file.read_text(encoding="utf-8")
    parts = _HEADING.split(text)[1:]
    found = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        blocks = _BLOCK.findall(body)
        files = {path: content for language, path, content in blocks if language != "edges"}
        (predicates, expected), *_ = [(info.split(), content) for language, info, content in blocks if language == "edges"]
        found.append(Case(file, name, files, tuple(predicates), expected))
    return found


ALL = [case for file in FILES for case in read_cases(file)]


def listed(case: Case, edges: list) -> str:
    lines = sorted({written(edge) for edge in edges if edge.predicate in case.predicates})
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file.stem}: {case.name}")
def test_a_case_has_exactly_the_edges_that_it_lists(case: Case) -> None:
    """Every edge of the listed predicates, with its confidence and reason."""
    found = listed(case, edges_of(resolve_cold(case.files)))
    if os.environ.get("KNOWLEDGE_UPDATE_CASES") and found != case.expected:
        text = case.file.read_text(encoding="utf-8")
        start = text.index(f"## {case.name}\n")
        at = text.index("```edges", start)
        head = text.index("\n", at) + 1
        end = text.index("```", head)
        case.file.write_text(text[:head] + found + text[end:], encoding="utf-8")
        return
    assert found == case.expected


@pytest.mark.parametrize("case", [case for case in ALL if len(case.files) > 1], ids=lambda case: f"{case.file.stem}: {case.name}")
def test_a_case_comes_out_the_same_file_by_file(case: Case) -> None:
    """Added one file after the other, in both orders, and with each file taken away and put back."""
    expected = edges_of(resolve_cold(case.files))
    for order in (list(case.files), list(reversed(case.files))):
        steps = Incremental({})
        for count in range(1, len(order) + 1):
            steps.change({path: case.files[path] for path in order[:count]})
        for path in order:
            steps.change({other: text for other, text in case.files.items() if other != path})
            steps.change(case.files)
        assert edges_of(steps.resolutions) == expected


def test_there_are_cases() -> None:
    """The folders are read."""
    assert len(ALL) > 30
