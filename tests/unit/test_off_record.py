"""When a person takes a session off the record: what is a wish, and what only speaks of one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.push.off_record import off_record_sentence

TEXT = (Path(__file__).parents[1] / "cases" / "off_record" / "wishes.md").read_text(encoding="utf-8")


def _lines(name: str) -> list[str]:
    blocks = re.findall(rf"^```{name}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    return [line.replace("\\n", "\n") for block in blocks for line in block.splitlines() if line.strip()]


@pytest.mark.parametrize("prompt", _lines("wishes"))
def test_wish(prompt: str) -> None:
    """Each line that is a wish is read as one, in both languages."""
    assert off_record_sentence(prompt)


@pytest.mark.parametrize("prompt", _lines("others"))
def test_no_wish(prompt: str) -> None:
    """What is quoted, asked, pasted or said of others takes no session off the record."""
    assert not off_record_sentence(prompt)


@pytest.mark.parametrize("prompt", _lines("wishes"))
@pytest.mark.parametrize("marks", ['""', "``", "“”", "「」"])
def test_a_wish_in_quotation_marks_is_none(prompt: str, marks: str) -> None:
    """The same words between quotation marks are spoken about."""
    if "\n" not in prompt and not set(marks) & set(prompt):
        assert not off_record_sentence(f"{marks[0]}{prompt}{marks[1]} 라는 문구를 번역해줘")


@given(st.text(st.sampled_from("기억하지 마 세션 이\n\"'`don't remember this session off the record.,?"), max_size=200))
def test_any_text_is_read(text: str) -> None:
    """No text breaks it, and what is found is a part of what was said."""
    assert len(off_record_sentence(text)) <= max(0, len(text) * 2)


def test_a_long_text_costs_little() -> None:
    """Of a huge prompt only the beginning is read."""
    assert not off_record_sentence("이 " * 200_000)
