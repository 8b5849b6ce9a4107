"""What free text stands on, read from a table that a person can check (tests/cases/statements/free_text.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from knowledge.claims.proposals import Proposal, propose
from knowledge.errors import KnowledgeError
from knowledge.graph.symbols import find_symbols
from knowledge.records.identifiers import SymbolId
from tests.memory_tree import MemoryTree

CASE = (Path(__file__).parent.parent / "cases" / "statements" / "free_text.md").read_text(encoding="utf-8")
TREE = MemoryTree(dict(re.findall(r"^```python (\S+)\n(.*?)^```$", CASE, re.MULTILINE | re.DOTALL)))
ROWS = [tuple(cell.strip() for cell in line.strip("|").split(" |")) for line in CASE.splitlines() if line.startswith("| ")][2:]


class Names:
    """The tree as names are looked up in it."""

    def named(self, name: str) -> Sequence[SymbolId]:
        return TREE.symbols_named(name)

    def names(self) -> Sequence[str]:
        return ()

    def has_path(self, path: bytes) -> bool:
        return TREE.has_path(path)

    def paths_named(self, name: bytes) -> Sequence[bytes]:
        return TREE.paths_named(name)

    def paths(self) -> Sequence[bytes]:
        return ()


def proposed(statement: str) -> Proposal:
    """What the product proposes for a sentence about the tree."""

    def lookup(name: str) -> Sequence[SymbolId]:
        try:
            return find_symbols(name, Names())
        except KnowledgeError:
            return ()

    return propose(statement, TREE, lookup)


@pytest.mark.parametrize(("statement", "expected"), ROWS)
def test_free_text_stands_on_what_the_table_says(statement: str, expected: str) -> None:
    """Names are found in prose, prose is not taken for names, and the first name is what the statement is about."""
    anchors = proposed(statement).anchors
    assert [anchor.target["symbol"] for anchor in anchors] == [name for name in expected.split(", ") if name]
    assert [anchor.role for anchor in anchors] == (["primary"] + ["support"] * len(anchors))[: len(anchors)]


def test_prose_that_may_be_a_name_is_told_where_nothing_else_is_stood_on() -> None:
    """An unanchored statement says which of its words a back-tick would make a name."""
    assert any(
        "in back-ticks it is a name" in note and note.endswith("session, request") for note in proposed("the session outlives a request").notes
    )
    assert not any("back-ticks" in note for note in proposed("authenticate reads the session").notes)
