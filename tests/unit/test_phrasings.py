"""Other ways to put what a predicate says, in English and Korean: tables that a person can check (tests/cases/statements/phrasings_*.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from knowledge.claims.proposals import propose
from knowledge.errors import KnowledgeError
from knowledge.graph.symbols import find_symbols
from knowledge.records.claims import Predicate
from knowledge.records.identifiers import SymbolId
from tests.memory_tree import MemoryTree

CASES = Path(__file__).parent.parent / "cases" / "statements"
_TREE = (CASES / "phrasings_tree.md").read_text(encoding="utf-8")
TREE = MemoryTree(dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```$", _TREE, re.MULTILINE | re.DOTALL)))


def rows() -> list[tuple[str, ...]]:
    """The rows of both languages."""
    lines = [line for name in ("english", "korean") for line in (CASES / f"phrasings_{name}.md").read_text(encoding="utf-8").splitlines()]
    cells = [re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in lines if line.startswith("| ")]
    found = [tuple(cell.strip().replace("\\|", "|") for cell in row) for row in cells]
    return [row for row in found if row[0] not in ("statement", "---")]


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


def lookup(name: str) -> Sequence[SymbolId]:
    """The definitions and files that a name means in the tree."""
    try:
        return find_symbols(name, Names())
    except KnowledgeError:
        return ()


def told(predicate: Predicate) -> tuple[str, str, str]:
    """As in the tables."""
    target = ", ".join(_short(m) for m in predicate.members) or _short(predicate.object) or predicate.value
    if predicate.relation == "default":
        target = f"{predicate.object} = {predicate.value}"
    return ("not " if predicate.is_negated else "") + predicate.relation, _short(predicate.subject), target


def _short(name: str) -> str:
    return name.removeprefix("external:").rpartition("::")[2]


@pytest.mark.parametrize(("statement", "relation", "subject", "rest"), rows())
def test_a_sentence_is_understood_or_left_as_free_text(statement: str, relation: str, subject: str, rest: str) -> None:
    """Nothing is read into a sentence that it does not say."""
    predicate = propose(statement, TREE, lookup).predicate
    expected = None if relation == "-" else (relation, subject.rpartition("::")[2], rest.rpartition("::")[2] if "->" not in rest else rest)
    assert (told(predicate) if predicate else None) == expected


def test_there_are_ten_for_each_class_in_each_language() -> None:
    """As many ways as people have are tried for everything that a predicate can say."""
    for name in ("english", "korean"):
        sections = (CASES / f"phrasings_{name}.md").read_text(encoding="utf-8").split("\n## ")[1:]
        assert [s.partition("\n")[0] for s in sections if s.count("\n| ") < 12] == []
