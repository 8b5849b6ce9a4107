"""A diff that fits on a screen, whatever it is fed with."""

from __future__ import annotations

import pytest

from knowledge.operations.small_diff import MOST_LINES, small_diff, without_docstring


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a b c", "a b c", ()),
        ("a b c", "a x c", ("  a", "- b", "+ x", "  c")),
        ("", "a b", ("+ a", "+ b")),
        ("a b", "", ("- a", "- b")),
        ("a", "a b", ("  a", "+ b")),
        ("x a a", "x a", ("  a", "- a")),
        ("a 1 b c d 2 e", "a 3 b c d 4 e", ("  a", "- 1", "+ 3", "  b", "  …", "  d", "- 2", "+ 4", "  e")),
    ],
)
def test_what_differs_is_shown_with_a_line_around_it(old: str, new: str, expected: tuple[str, ...]) -> None:
    """Lines that are gone and lines that came, in their place."""
    assert small_diff(old.split(), new.split()) == expected


def test_a_long_diff_is_cut_and_says_by_how_much() -> None:
    """The lines around go first; what is left out is counted."""
    lines = small_diff([f"old {n}" for n in range(30)], ["head", *(f"new {n}" for n in range(30))])
    assert len(lines) == MOST_LINES
    assert lines[-1] == "… 50 more lines"
    assert all(line.startswith("- old") for line in lines[:-1])


def test_a_huge_or_endless_line_costs_nothing() -> None:
    """Lines are not paired where there are thousands, and a line of a million characters is cut."""
    assert len(small_diff([str(n * 7 % 1009) for n in range(50_000)], [str(n * 11 % 1013) for n in range(50_000)])) == MOST_LINES
    assert max(map(len, small_diff(["x" * 1_000_000], ["y" * 1_000_000]))) < 200


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('def f(x):\n    """Says\n    a lot."""\n    return x', "def f(x):\n    return x"),
        ('@a(\n    1)\nclass A:\n    """One line."""\n\n    x = 1', "@a(\n    1)\nclass A:\n\n    x = 1"),
        ("def f(\n    x,\n):\n    r'''Raw'''\n    return x", "def f(\n    x,\n):\n    return x"),
        ('def f():\n    """never closed\n    return x', "def f():"),
        ('def f():\n    x = """no docstring"""', 'def f():\n    x = """no docstring"""'),
        ("function f() {\n  return 1;\n}", "function f() {\n  return 1;\n}"),
        ("def f(): return 1", "def f(): return 1"),
        ("", ""),
    ],
)
def test_a_docstring_leaves_room_for_the_code(text: str, expected: str) -> None:
    """What is written for people is left out of a Python definition, and nothing else."""
    assert without_docstring(text.split("\n")) == expected.split("\n")
