"""Syntax that is right, but that the grammar does not know."""

from __future__ import annotations

import re

from analyzers.parsing import Parsed

_VARIANCE = re.compile(rb"(?:[<,\s])(?:in|out)\s+\Z")
_MODIFIERS = frozenset({b"in", b"out", b"in out"})
_OPENING = (b"<", b",", b"*/")
_LOOK_BEHIND = 16
_NAME = re.compile(rb"\s+[\w$\x80-\xff]")
_IDENTIFIER = re.compile(rb"(?:out\s+)?[\w$\x80-\xff]+\Z")


def true_errors(parsed: Parsed) -> tuple[tuple[int, int], ...]:
    """The syntax errors without those of the grammar: `export type * from`, and `in` and `out` before a type parameter."""
    return tuple(error for error in parsed.errors if not _is_gap(parsed.source, *error))


def _is_gap(source: bytes, start: int, end: int) -> bool:
    text = source[start:end]
    if text == b"type":
        return source[max(0, start - _LOOK_BEHIND) : start].rstrip().endswith(b"export")
    if text in _MODIFIERS and source[max(0, start - _LOOK_BEHIND) : start].rstrip().endswith(_OPENING):
        return bool(_NAME.match(source, end))
    return bool(_IDENTIFIER.match(text) and _VARIANCE.search(source[max(0, start - _LOOK_BEHIND) : start]))
