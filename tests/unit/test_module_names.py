"""Files by the names that people and import statements use."""

from __future__ import annotations

import pytest

from knowledge.graph.module_names import files_meant

PATHS = (
    b"src/shop/__init__.py", b"src/shop/prices.py", b"src/shop/prices.pyi", b"src/shop/data/__init__.py", b"tests/shop/prices.py", b"tools.py",
    b"web/prices.ts", b"docs/conf.py",
)  # fmt: skip


def meant(text: str, *, is_top_level: bool = False) -> list[str]:
    """What a text means among the paths."""
    return [path.decode() for path in files_meant(text, lambda name: [p for p in PATHS if p.rpartition(b"/")[2] == name], is_top_level=is_top_level)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("shop.prices", ["src/shop/prices.py"]),
        ("shop.data", ["src/shop/data/__init__.py"]),
        ("prices.py", ["src/shop/prices.py", "tests/shop/prices.py"]),
        ("shop/prices.py", ["src/shop/prices.py", "tests/shop/prices.py"]),
        ("./prices.ts", ["web/prices.ts"]),
        ("shop", []),
        ("prices", []),
        ("os.path", []),
        ("none.py", []),
        ("3.11", []),
        ("a b.py", []),
    ],
)
def test_what_a_text_means(text: str, expected: list[str]) -> None:
    """A dotted module by where imports begin, a file by the end of its path; a plain word and an outside module mean no file."""
    assert meant(text) == expected


def test_a_plain_word_is_a_module_where_one_is_asked_for() -> None:
    """Only one that lies where imports begin: not each file of that name."""
    assert meant("shop", is_top_level=True) == ["src/shop/__init__.py"] and meant("tools", is_top_level=True) == ["tools.py"]
    assert meant("prices", is_top_level=True) == [] and meant("data", is_top_level=True) == [] and meant("json", is_top_level=True) == []
