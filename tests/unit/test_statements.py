"""Statements in English and Korean, read from a table that a person can check (tests/cases/statements)."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.claims.everyday_words import is_common
from knowledge.claims.statements import clean, mentions, names_in, says_order, understand

CASES = Path(__file__).parent.parent / "cases" / "statements"


def _rows(name: str) -> list[tuple[str, ...]]:
    """The rows of a case file's table, its heading aside."""
    lines = [line.strip() for line in (CASES / name).read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rows = [tuple(cell.strip() for cell in line.removeprefix("|").removesuffix("|").split(" |")) for line in lines]
    return [row for row in rows[1:] if not row[0].startswith("---")]


@pytest.mark.parametrize(("statement", "relation", "subject", "rest"), _rows("statements.md"))
def test_statement_is_understood_as_the_table_says(statement: str, relation: str, subject: str, rest: str) -> None:
    """Each sentence of the table says just what its row says."""
    said = understand(statement)
    if relation == "-":
        assert said is None or not said.is_sure
        return
    assert said is not None
    assert said.is_sure
    assert ("not " if said.is_negated else "") + said.relation == relation
    assert said.subject == subject
    found = f"{said.object} = {said.value}" if said.relation == "default" else ", ".join(said.members) or said.object or said.value
    assert found == rest


@pytest.mark.parametrize(("statement", "expected"), _rows("mentions.md"))
def test_names_are_told_from_prose_as_the_table_says(statement: str, expected: str) -> None:
    """Each sentence of the table has the names that its row has; a `?` marks one that counts only where it means one thing alone."""
    found = [f"{mention.name}{'?' if mention.is_plain else ''}" for mention in mentions(statement)]
    assert found == [name for name in expected.split(", ") if name]


def test_everyday_english_is_known_in_its_usual_forms() -> None:
    """Plurals, past tenses and the like are as common as the word itself; names of code are not."""
    assert all(is_common(word) for word in ("the", "calls", "queries", "stopped", "caching", "raised", "written"))
    assert not any(is_common(word) for word in ("jsonify", "authenticate", "dispatcher", "wsgi"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("{a, b}", ("a", "b")), ("a and b", ("a", "b")), ("a와 b", ("a", "b")), ("a, b 그리고 c", ("a", "b", "c")), ("when it rains!", ())],
)
def test_a_list_of_names_is_split(text: str, expected: tuple[str, ...]) -> None:
    """Names are told apart in both languages; prose between them makes it no list."""
    assert names_in(text) == expected


def test_a_particle_is_cut_off_latin_letters_only() -> None:
    """`createSession은` loses its particle, a Korean word keeps its last syllable."""
    assert clean("createSession은") == "createSession"
    assert clean("사은") == "사은"


def test_an_order_in_time_is_recognised() -> None:
    """What no graph of calls can show is seen in the words, in both languages."""
    assert says_order("only called after login")
    assert says_order("로그인 뒤에만 호출된다")
    assert not says_order("createSession calls put")
