"""Secrets are masked in whatever is kept or shown of a repository's text."""

from __future__ import annotations

import pytest

from knowledge.claims.anchors import make_anchor, read
from knowledge.claims.masking import MASK, mask, mask_value
from tests.memory_tree import MemoryTree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('api_key = "hunter2hunter2"', f'api_key = "{MASK}"'),
        ("url = https://ada:lovelace@example.org/x", f"url = https://ada:{MASK}@example.org/x"),
        ("DB_PASSWORD=hunter2hunter2", f"DB_PASSWORD={MASK}"),
        ("비밀번호: '비밀비밀비밀'", f"비밀번호: '{MASK}'"),
        ("TTL = 30", "TTL = 30"),
        ("password = read_password()", "password = read_password()"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, expected: str) -> None:
    """The usual shapes are found, code that only speaks of secrets is left alone."""
    assert mask(text) == expected


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("API_KEY", "'hunter2hunter2'", f"'{MASK}'"),
        ("db.password", "'hunter2hunter2'", f"'{MASK}'"),
        ("TTL", "30", "30"),
        ("NAME", "'a = b'", "'a = b'"),
    ],
)
def test_a_value_is_masked_by_its_key(key: str, text: str, expected: str) -> None:
    """A value alone does not say that it is secret; its key does."""
    assert mask_value(key, text) == expected


def test_the_reading_of_a_value_keeps_no_secret() -> None:
    """What an anchor remembers of a value tells that it changed, by its hash, and not what it was."""
    anchor = make_anchor("value", path="keys.py", key="API_KEY")
    before, after = (MemoryTree({"keys.py": f'API_KEY = "{secret}"\n'}) for secret in ("hunter2hunter2", "hunter3hunter3"))
    one, other = read(anchor, before, before), read(anchor, after, after)
    assert one.hash != other.hash
    assert "hunter" not in one.detail + other.detail
