"""SCIP indexes written for tests, with ranges in either encoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knowledge.facts.importers.scip import DEFINITION, _messages

TYPED, LISTED = "typed", "listed"
"""The two encodings of a range."""


class ScipWriter:
    """Makes an index of small sources: names are found in the text, so that a test says what, not where."""

    def __init__(self, tool: str = "scip-test", version: str = "1.0", *, ranges: str = TYPED, project_root: str = "", encoding: int = 1) -> None:
        self._ranges, self._encoding = ranges, encoding
        self._metadata = _messages()["Metadata"]()
        self._metadata.tool_info.name, self._metadata.tool_info.version = tool, version
        self._metadata.project_root = project_root
        self._documents: list[Any] = []

    def document(self, path: str, text: str, names: Sequence[tuple[str, int, str, int]], implements: Sequence[tuple[str, str]] = ()) -> None:
        """names: (name, which of its occurrences in the text from 0, symbol, roles)."""
        document = _messages()["Document"](relative_path=path, position_encoding=self._encoding)
        for name, number, symbol, roles in names:
            place = -1
            for _ in range(number + 1):
                place = text.index(name, place + 1)
            row, column = text.count("\n", 0, place), place - (text.rfind("\n", 0, place) + 1)
            line = text.split("\n")[row]
            first, last = self._column(line, column), self._column(line, column + len(name))
            occurrence = document.occurrences.add(symbol=symbol, symbol_roles=roles)
            if self._ranges == TYPED:
                occurrence.single_line_range.line = row
                occurrence.single_line_range.start_character, occurrence.single_line_range.end_character = first, last
            else:
                occurrence.range.extend([row, first, last])
        for symbol, other in implements:
            document.symbols.add(symbol=symbol).relationships.add(symbol=other, is_implementation=True)
        self._documents.append(document)

    def _column(self, line: str, column: int) -> int:
        head = line[:column]
        return {1: len(head.encode()), 2: len(head.encode("utf-16-le")) // 2, 3: len(head)}[self._encoding or 2]

    def content(self) -> bytes:
        """The index as bytes."""
        return b"".join(
            field(number, message.SerializeToString()) for number, message in [(1, self._metadata), *((2, document) for document in self._documents)]
        )


def field(number: int, content: bytes) -> bytes:
    """One length-delimited field of a protobuf message."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    """A number as protobuf writes it."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


A_PY = "def helper(given):\n    return given\n\n\nclass Base:\n    def compose(self):\n        return '한글', helper(1)\n"
B_PY = (
    "from a import Base, helper\n\n\nclass Child(Base):\n    def compose(self):\n        return helper(2)\n"
    "\n\ndef main(thing):\n    return thing.compose()\n"
)
SOURCES = {"a.py": A_PY, "b.py": B_PY}
HELPER, BASE, RUN = "t . p 1 a/helper().", "t . p 1 a/Base#", "t . p 1 a/Base#compose()."
CHILD, CHILD_RUN, MAIN = "t . p 1 b/Child#", "t . p 1 b/Child#compose().", "t . p 1 b/main()."


def small_index(ranges: str = TYPED, encoding: int = 1, called: str = RUN, **changes: Any) -> bytes:
    """An index of SOURCES that knows what name resolution cannot: what `thing.compose()` calls."""
    writer = ScipWriter(ranges=ranges, encoding=encoding, **changes)
    writer.document(
        "a.py", A_PY, [("helper", 0, HELPER, DEFINITION), ("Base", 0, BASE, DEFINITION), ("compose", 0, RUN, DEFINITION), ("helper", 1, HELPER, 0)]
    )
    names = [
        ("Base", 0, BASE, 2), ("helper", 0, HELPER, 2), ("Child", 0, CHILD, DEFINITION), ("Base", 1, BASE, 0), ("compose", 0, CHILD_RUN, DEFINITION),
        ("helper", 1, HELPER, 0), ("main", 0, MAIN, DEFINITION), ("compose", 1, called, 0),
        ("thing", 0, "local 1", DEFINITION), ("thing", 1, "local 1", 0),
    ]  # fmt: skip
    writer.document("b.py", B_PY, names, [(CHILD_RUN, RUN)])
    return writer.content()
