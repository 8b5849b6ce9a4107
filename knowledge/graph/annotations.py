"""Trees of types, for all languages, and reading Python's annotations into them (TypeScript's: `javascript_annotations`).

Pure, bounded in depth and length. Only what name resolution needs is kept: names with their arguments, unions and tuples. Everything else is
`unknown`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(
    r"""\s*(?:([A-Za-z_$][\w$]*(?:\s*\.\s*[A-Za-z_$][\w$]*)*)|("[^"]*"|'[^']*'|`[^`]*`)"""
    r"""|(=>|\.\.\.|[\[\](){}<>|&,?:;*])|([^\s\w]|\d[\w.]*))"""
)
_DEPTH = 40
_LENGTH = 2_000


class Annotation(NamedTuple):
    """kind: name or typeof (arguments: type arguments), union, intersection, tuple, array, function (arguments: result, then parameters), string,
    none, unknown."""

    kind: str
    name: str = ""
    arguments: tuple[Annotation, ...] = ()


UNKNOWN_TYPE = Annotation("unknown")
NO_TYPE = Annotation("none")


@lru_cache(maxsize=20_000)
def read_annotation(text: str) -> Annotation:
    """The tree of one of Python's annotations."""
    if len(text) > _LENGTH:
        return UNKNOWN_TYPE
    tokens = [next((group for group in found.groups() if group), "") for found in _TOKEN.finditer(text)]
    reader = _Reader(tokens)
    found = reader.union(0)
    return found if reader.at == len(tokens) else UNKNOWN_TYPE


class _Reader:
    """Recursive descent over tokens; anything unexpected gives `unknown` and stays where it is, so that the whole is unknown."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, *wanted: str) -> bool:
        if self.peek() in wanted and self.peek():
            self.at += 1
            return True
        return False

    def sequence(self, close: str, depth: int) -> tuple[Annotation, ...]:
        """Types between an opening bracket (already taken) and `close`."""
        found = []
        while self.peek() and self.peek() != close:
            before = self.at
            found.append(self.union(depth + 1))
            if not self.take(",") and self.peek() != close:
                break
            if self.at == before:
                break
        self.take(close)
        return tuple(found)

    def union(self, depth: int) -> Annotation:
        members = [self.single(depth)]
        while self.take("|"):
            members.append(self.single(depth))
        return members[0] if len(members) == 1 else Annotation("union", "", tuple(members))

    def single(self, depth: int) -> Annotation:
        if depth > _DEPTH:
            return UNKNOWN_TYPE
        token = self.peek()
        if self.take("..."):
            return Annotation("unknown", "...")
        if self.take("["):
            return Annotation("tuple", "", self.sequence("]", depth))
        if self.take("("):
            inner = self.sequence(")", depth)
            return inner[0] if len(inner) == 1 else Annotation("tuple", "", inner)
        if token[:1] in "\"'" and token:
            self.at += 1
            return read_annotation(token[1:-1]) if depth < _DEPTH else UNKNOWN_TYPE
        if self.take("*"):
            return self.single(depth + 1)
        if not token or not (token[0].isalpha() or token[0] == "_"):
            self.at += 1
            return UNKNOWN_TYPE
        self.at += 1
        name = re.sub(r"\s+", "", token)
        if name == "None":
            return NO_TYPE
        if self.take("["):
            return Annotation("name", name, self.sequence("]", depth))
        return Annotation("name", name)
