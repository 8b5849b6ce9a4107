"""Statements in English and Korean, read from a table that a person can check (tests/cases/statements)."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.claims.statements import clean, mentions, names_in, says_only_called, says_order, understand

CASES = Path(__file__).parent.parent / "cases" / "statements" / "statements.md"


def _rows() -> list[tuple[str, str, str, str]]:
    rows = [line.strip().strip("|").split(" |") for line in CASES.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [(c[0].strip(), c[1].strip(), c[2].strip(), c[3].strip()) for c in rows[1:] if not c[0].strip().startswith("---")]


@pytest.mark.parametrize(("statement", "relation", "subject", "rest"), _rows())
def test_statement_is_understood_as_the_table_says(statement: str, relation: str, subject: str, rest: str) -> None:
    """Each sentence of the table says just what its row says."""
    said = understand(statement)
    if relation == "-":
        assert said is None
        return
    assert said is not None
    assert ("not " if said.is_negated else "") + said.relation == relation
    assert said.subject == subject
    found = f"{said.object} = {said.value}" if said.relation == "default" else ", ".join(said.members) or said.object or said.value
    assert found == rest


def test_mentions_finds_identifiers_between_korean_particles() -> None:
    """Identifiers and paths are found with the particle behind them cut off, Korean words both ways."""
    found = mentions("createSession은 src/auth.py의 `Store.put`을 부르고 세션을 Redis에 저장한다")
    assert ["createSession", "src/auth.py", "Store.put", "Redis"] == [name for name in found if name.isascii()]
    assert "세션" in found


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
    assert says_only_called("로그인 후에만 호출된다")
    assert not says_order("createSession calls put")
