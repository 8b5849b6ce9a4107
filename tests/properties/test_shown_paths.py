"""Paths as people read them."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from knowledge.records.identifiers import read_path, show_path


@given(st.binary(max_size=40))
@example(b"a\\x00b")
@example("값/가.py".encode())
def test_a_path_comes_back(path: bytes) -> None:
    """Whatever bytes it has."""
    assert read_path(show_path(path)) == path


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@example("b'\\x00\\xff\\x7f'")
def test_any_text_is_some_path(text: str) -> None:
    """What a person or an agent wrote, with what `show_path` never writes in it, is a path that may be there or not."""
    assert isinstance(read_path(text), bytes)
