"""Syntax that is right, but that the grammar does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from analyzers.parsing import Parsed

_VARIANCE = re.compile(rb"(?:[<,\s])(?:in|out)\s+\Z")
_MODIFIERS = frozenset({b"in", b"out", b"in out"})
_OPENING = (b"<", b",", b"*/")
_LOOK_BEHIND = 16
_NAME = re.compile(rb"\s+[\w$\x80-\xff]")
_IDENTIFIER = re.compile(rb"(?:out\s+)?[\w$\x80-\xff]+\Z")

_ATTRIBUTE = re.compile(rb"""(?<=\s)(?:class|default|for|in|new|switch|var)(?==["'{])""")
"""An attribute of an element that is called like a keyword: the grammar of plain JavaScript takes it for one."""
_NEXT_MEMBER = re.compile(rb"\n[ \t]*(?:(?=<)|(?=(?:in|instanceof)\??[ \t]*[:(]))")
"""The end of a member without a semicolon, where the grammar takes the next line for its continuation."""
_IMPORTED_TYPE = re.compile(rb"""\bimport\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*\)""")
_WITH_ARGUMENTS = re.compile(rb"(?:\.[\w$]+)+<")
_BRACKETS = re.compile(rb"=>|[<>(){}\[\];]")
_SIGNATURE = re.compile(rb"\s*\(")
_LINE_COMMENT = re.compile(rb"((?:[^/'\"`]|/(?!/))*)//")
_NO_END = frozenset({b"", b"{", b"(", b"<", b"[", b",", b";", b"|", b"&", b"=", b":", b"?"})
"""A member does not end behind one of these."""
_LONGEST = 2_000
"""Bytes of type parameters that are looked through."""
_MOST, _LINES, _COMMENT = 2_000, 200, 20_000
"""Members of a file, lines before one and bytes of a comment that are looked at."""


def mend(parsed: Parsed) -> None:
    """Read a file again in which the grammar met what it does not know, with that written so that it knows it."""
    if not parsed.errors:
        return
    text = bytearray(parsed.source)
    for start, end, by in _unknown(parsed):
        text[start:end] = by * (end - start)
    if text != parsed.source:
        parsed.mend(bytes(text))


def _unknown(parsed: Parsed) -> Iterator[tuple[int, int, bytes]]:
    """Places that the grammar cannot read, and the byte that they are to be filled with."""
    source = parsed.source
    if parsed.language != "javascript":
        for found in islice(_NEXT_MEMBER.finditer(source), _MOST):
            if source[found.end()] != ord("<") or _begins_signature(source, found.end()):
                end = _end_of_code(source, found.start())
                if source[max(0, end - 1) : end] not in _NO_END:
                    yield end, end + 1, b";"
        for found in _IMPORTED_TYPE.finditer(source):
            if _is_type(source, found.start(), found.end()):
                yield found.start(), found.end(), b"_"
    else:
        for found in _ATTRIBUTE.finditer(source):
            yield found.start(), found.end(), b"_"
    for start, end in parsed.errors:
        # `&` by itself in an attribute's text.
        if source[start : start + 1] == b"&" and end - start < _LONGEST and not source[start:end].split()[1:]:
            yield start, start + 1, b"_"


def _end_of_code(source: bytes, end: int) -> int:
    """Where the code before the line break at `end` ends: in front of comments and white space. 0: too far away."""
    for _ in range(_LINES):
        start = source.rfind(b"\n", 0, end) + 1
        line = source[start:end].rstrip()
        if line.endswith(b"*/"):
            end = max(0, source.rfind(b"/*", max(0, end - _COMMENT), start + len(line)))
        elif (comment := _LINE_COMMENT.match(line)) is not None:
            line = line[: comment.end(1)]
            end = start - 1 if not line.strip() else start + len(line.rstrip())
        elif line or start == 0:
            return start + len(line)
        else:
            end = start - 1
    return 0


def _begins_signature(source: bytes, start: int) -> bool:
    """Whether `<…>` and a parameter list begin here."""
    level = 0
    for found in _BRACKETS.finditer(source, start, start + _LONGEST):
        bracket = found[0]
        if bracket in b"<({[":
            level += 1
        elif bracket in b">)}]":
            level -= 1
            if level == 0:
                return _SIGNATURE.match(source, found.end()) is not None
        elif bracket == b";" and level == 1:
            return False
    return False


def _is_type(source: bytes, start: int, end: int) -> bool:
    """Whether `import("x")` stands in type arguments that the grammar cannot read: after `typeof`, or with arguments of its own."""
    if source[max(0, start - _LOOK_BEHIND) : start].rstrip().endswith(b"typeof"):
        return True
    return _WITH_ARGUMENTS.match(source, end) is not None


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
