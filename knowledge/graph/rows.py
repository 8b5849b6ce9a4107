"""Places of a text as other programs count them, turned into bytes."""

from __future__ import annotations

from typing import Literal

Unit = Literal["bytes", "utf-16", "characters"]


class Rows:
    """The rows of one text."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._lines = text.split(b"\n")
        self._offsets = [0]
        for line in self._lines:
            self._offsets.append(self._offsets[-1] + len(line) + 1)

    def byte_at(self, row: int, column: int, unit: Unit) -> int:
        """The byte at a row and column, both from 0; -1 where the text has no such place."""
        if row >= len(self._lines):
            return -1
        line, start = self._lines[row], self._offsets[row]
        if unit == "bytes" or line.isascii():
            return start + column if column <= len(line) else -1
        text = line.decode("utf-8", "replace")
        if unit == "characters":
            return start + len(text[:column].encode()) if column <= len(text) else -1
        units = text.encode("utf-16-le")
        return start + len(units[: 2 * column].decode("utf-16-le", "replace").encode()) if 2 * column <= len(units) else -1
