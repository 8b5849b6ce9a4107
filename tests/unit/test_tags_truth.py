"""How good guesses by name are, in languages without a resolver: small projects whose calls were told by hand, in tests/cases/tags_truth.

A heading is a project: its files, and the block `truth`, one `caller callee` a line. What is measured stands in docs/languages.md; this holds
that the page says it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from knowledge.records.edges import Edge
from tests.graph_trees import edges_of, resolve_cold

ROOT = Path(__file__).parents[2]
CASES = sorted((ROOT / "tests" / "cases" / "tags_truth").glob("*.md"))
PAGE = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```(\S+) ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
LEAST = 0.95
"""Precision below this is no guess that may be told as the only one."""


def measured(file: Path) -> tuple[set[tuple[str, str]], list[Edge]]:
    """The calls that are so, and the edges that were guessed."""
    blocks = _BLOCK.findall(file.read_text(encoding="utf-8"))
    files = {path: text for kind, path, text in blocks if kind != "truth"}
    (truth,) = [text for kind, _, text in blocks if kind == "truth"]
    wanted = {(caller, callee) for caller, callee in (line.split() for line in truth.splitlines())}
    return wanted, [edge for edge in edges_of(resolve_cold(files)) if edge.predicate == "calls"]


def ends(edges: list[Edge]) -> set[tuple[str, str]]:
    return {(str(edge.subject), str(edge.object)) for edge in edges}


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_guesses_are_as_good_as_the_page_says(file: Path) -> None:
    """Guesses without rivals are right but for few; with rivals one of them is; precision and recall are those of the page, and none is resolved."""
    wanted, edges = measured(file)
    assert {edge.confidence_kind for edge in edges} == {"inferred"}
    alone, rivals = ends([edge for edge in edges if not edge.rivals]), ends([edge for edge in edges if edge.rivals])
    precision, recall = len(alone & wanted) / len(alone), len((alone | rivals) & wanted) / len(wanted)
    assert precision >= LEAST, sorted(alone - wanted)
    title = file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    several = f"{len(rivals & wanted)} of {len(rivals)}" if rivals else "–"
    assert f"| {title} | {len(alone)} | {precision:.2f} | {several} | {recall:.2f} |" in PAGE, (several, sorted(wanted - alone - rivals))
