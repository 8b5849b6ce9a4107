"""Text from claims, paths and branches is data: it may not steer the terminal, nor hide what it says. Standard library only."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"
"""Zero-width joiners: emoji, Persian and Indic scripts need them, and they hide nothing."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of what would be obeyed or not be seen: controls, formats (bidi overrides, tags), surrogates, line separators."""


def clean(text: str) -> str:
    """One line for people: runs of white space are one space, and whatever would be obeyed or not be seen is written out."""
    return show_hidden(" ".join(text.split()))


def clean_lines(text: str) -> list[str]:
    """Text of several lines, as it stands, each line made harmless; tabs are four spaces."""
    return [show_hidden(line.expandtabs(4)) for line in text.replace("\r\n", "\n").split("\n")]


def show_hidden(text: str) -> str:
    """Control, format and surrogate characters as `\\xNN` or `\\u{NNNN}`; all else as it is."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_written(c) if c not in _JOINERS and unicodedata.category(c) in _HIDDEN else c for c in text)


def encodable(text: str) -> str:
    """Text that UTF-8 can hold: bytes that were not UTF-8 as `\\xNN`, other halves of characters as U+FFFD."""
    if not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return "".join(_written(c) if "\udc80" <= c <= "\udcff" else ("\ufffd" if "\ud800" <= c <= "\udfff" else c) for c in text)


def _written(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:04x}}}"
