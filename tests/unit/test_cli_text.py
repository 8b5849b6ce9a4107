"""Texts from claims, paths and branches on their way to a terminal or to JSON."""

import json
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors import UnknownRecordError
from knowledge.surfaces.cli.json_text import error_value, json_text, to_plain
from knowledge.surfaces.cli.safe_text import clean, clean_lines, encodable

ANY_TEXT = st.text(st.characters(codec=None))


@dataclass(frozen=True)
class Inner:
    text: str


@dataclass(frozen=True)
class Outer:
    inner: tuple[Inner, ...]
    counts: dict[str, int]
    path: Path
    missing: None = None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("f calls g", "f calls g"),
        ("한국어 문장", "한국어 문장"),
        ("two\n  lines\tand a tab", "two lines and a tab"),
        ("\x1b[31mred\x1b[0m\x07", "\\x1b[31mred\\x1b[0m\\x07"),
        ("a\u202eb\u2066c", "a\\u{202e}b\\u{2066}c"),
        ("tag \U000e0041", "tag \\u{e0041}"),
        ("bad byte \udcff", "bad byte \\xff"),
        ("\x9b31m", "\\x9b31m"),
        ("👩‍🚀", "👩‍🚀"),
        ("", ""),
    ],
)
def test_what_would_be_obeyed_or_not_seen_is_written_out(text: str, shown: str) -> None:
    """Controls, bidi overrides, tags and stray bytes become visible; languages and emoji stay."""
    assert clean(text) == shown


@given(ANY_TEXT)
def test_no_text_steers_a_terminal(text: str) -> None:
    """Whatever a claim says, what is printed is one line without a single control character."""
    assert all(unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") for c in clean(text))
    assert all(unicodedata.category(c) not in ("Cc", "Cs") for line in clean_lines(text) for c in line)


def test_an_excerpt_keeps_its_lines_and_indentation() -> None:
    """Code is shown as it stands, with tabs as spaces."""
    assert clean_lines("def f():\r\n\treturn 1\n\n") == ["def f():", "    return 1", "", ""]


@given(ANY_TEXT)
def test_every_text_becomes_valid_utf_8_json(text: str) -> None:
    """Halves of surrogate pairs never reach the output; everything else comes back as it was."""
    written = json_text({"text": text})
    assert json.loads(written.encode("utf-8")) == {"text": encodable(text)}


def test_an_answer_becomes_plain_json() -> None:
    """Dataclasses are objects, tuples arrays, paths texts; every field is there."""
    value = Outer((Inner("한글 \udcff"),), {"stale": 2}, Path("a/b"))
    assert to_plain(value) == {"inner": [{"text": "한글 \\xff"}], "counts": {"stale": 2}, "path": "a/b", "missing": None}


def test_json_refuses_what_it_does_not_know() -> None:
    """A value that no schema has is an error of ours, not a silent text."""
    with pytest.raises(TypeError, match="bytes has no place in JSON"):
        to_plain({"a": b"x"})


def test_json_for_a_stream_without_unicode_is_ascii() -> None:
    """Where the stream cannot take all characters they are escaped, and the value is the same."""
    written = json_text({"text": "한글"}, is_ascii=True)
    assert written.isascii()
    assert json.loads(written) == {"text": "한글"}


def test_an_error_is_an_object_with_its_suggestions() -> None:
    """What `--json` writes for an error has code, message and suggestions, and nothing else."""
    error = UnknownRecordError("there is no claim c_1", suggestions=("c_12",))
    assert error_value(error) == {"error": {"code": "unknown-record", "message": "there is no claim c_1", "suggestions": ["c_12"]}}
