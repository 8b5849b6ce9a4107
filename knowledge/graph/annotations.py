"""Reading annotations: the text of a type, as Python and TypeScript write it, into a small tree. Pure, bounded in depth and length.

Only what name resolution needs is kept: names with their arguments, unions, arrays, tuples and functions' results. Everything else is `unknown`.
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
def read_annotation(text: str, language: str) -> Annotation:
    """The tree of an annotation; `language` is "python" or anything else for TypeScript."""
    if len(text) > _LENGTH:
        return UNKNOWN_TYPE
    tokens = [next((group for group in found.groups() if group), "") for found in _TOKEN.finditer(text)]
    reader = _PythonReader(tokens) if language == "python" else _TypeScriptReader(tokens)
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
        raise NotImplementedError


class _PythonReader(_Reader):
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
            return read_annotation(token[1:-1], "python") if depth < _DEPTH else UNKNOWN_TYPE
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


class _TypeScriptReader(_Reader):
    def union(self, depth: int) -> Annotation:
        if depth > _DEPTH:
            return UNKNOWN_TYPE
        self.take("|", "&")
        members, kind = [self.suffixed(depth)], "union"
        while self.peek() in ("|", "&") and self.peek():
            kind = "intersection" if self.peek() == "&" and kind != "mixed" else kind
            self.at += 1
            members.append(self.suffixed(depth))
        if self.peek() in ("extends", "is"):
            self.at = len(self.tokens)
            return UNKNOWN_TYPE
        return members[0] if len(members) == 1 else Annotation(kind, "", tuple(members))

    def suffixed(self, depth: int) -> Annotation:
        found = self.single(depth)
        while self.take("["):
            if self.take("]"):
                found = Annotation("array", "", (found,))
            else:
                self.sequence("]", depth)
                found = UNKNOWN_TYPE
        return found

    def single(self, depth: int) -> Annotation:
        token = self.peek()
        if depth > _DEPTH or not token:
            return UNKNOWN_TYPE
        if token in ("readonly", "unique", "asserts", "abstract"):
            self.at += 1
            return self.suffixed(depth + 1)
        if token in ("keyof", "infer"):
            self.at += 1
            self.suffixed(depth + 1)
            return UNKNOWN_TYPE
        if token in ("typeof", "new") and self.peek(1) != "":
            self.at += 1
            inner = self.suffixed(depth + 1)
            return Annotation("typeof", inner.name) if token == "typeof" and inner.kind == "name" else UNKNOWN_TYPE
        if token in ("(", "<"):
            return self.parenthesized(depth)
        if self.take("["):
            return Annotation("tuple", "", self.sequence("]", depth))
        if token == "{":
            self.skip_braces()
            return UNKNOWN_TYPE
        self.at += 1
        if token[0] in "\"'`":
            return Annotation("string")
        if not (token[0].isalpha() or token[0] in "_$"):
            return UNKNOWN_TYPE
        name = re.sub(r"\s+", "", token)
        if name in ("null", "undefined", "void", "never"):
            return NO_TYPE
        return Annotation("name", name, self.sequence(">", depth) if self.take("<") else ())

    def parenthesized(self, depth: int) -> Annotation:
        """A function type, or a type in parentheses."""
        start = self.at
        if self.take("<"):
            self.skip_until(">")
        parameters = self.parameters(depth) if self.take("(") else ()
        if self.take("=>"):
            return Annotation("function", "", (self.union(depth + 1), *parameters))
        self.at = start
        if not self.take("("):
            return UNKNOWN_TYPE
        inner = self.union(depth + 1)
        return inner if self.take(")") else UNKNOWN_TYPE

    def parameters(self, depth: int) -> tuple[Annotation, ...]:
        """The types of `a: A, b?: B)`, up to the closing bracket."""
        found = []
        while self.peek() and not self.take(")"):
            self.take("...")
            if self.peek() in ("{", "["):
                opening = self.peek()
                self.at += 1
                self.skip_until("}" if opening == "{" else "]")
            else:
                self.at += 1
            self.take("?")
            found.append(self.union(depth + 1) if self.take(":") else UNKNOWN_TYPE)
            if not self.take(",") and self.peek() != ")":
                self.skip_until(")")
                break
        return tuple(found)

    def skip_until(self, close: str) -> None:
        """Past the bracket that closes the one just taken."""
        pairs, level = {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}, 1
        while self.peek() and level:
            level += pairs.get(self.peek(), 0)
            self.at += 1

    def skip_braces(self) -> None:
        self.at += 1
        self.skip_until("}")
