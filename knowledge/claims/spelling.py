"""Texts that people write for code, compared with the code: values, types, parameter lists. Pure; knows no tree.

Two texts are the same when they differ only in blanks, in the kind of quotes, or in how a language spells a literal (`null` and `None`). Where a text
cannot be held against the code at all (a summary, another notation), the answer is None, and the anchors decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from analyzers.facts import Definition, Expression, Parameter

_STRING = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)")
_PLAIN = re.compile(r"-?\d[\w.]*|true|false|none|null|undefined|'(?:[^'\\]|\\.)*'|\[\]|\{\}|\(\)", re.IGNORECASE)
_SAME_WORDS = {"null": "None", "undefined": "None", "true": "True", "false": "False", "none": "None"}
_OPENING, _CLOSING = "([{<", ")]}>"
_QUOTED_TYPE = re.compile(r"'([^']*)'")
_RECEIVERS = ("self", "cls")
_PATTERN_CHARACTERS = 80
"""Of a pattern that the facts keep."""


def squeeze(text: str) -> str:
    """Without blanks outside of strings and with one kind of quotes."""
    pieces = _STRING.split(text.strip())
    return "".join(f"'{_requoted(p[1:-1])}'" if i % 2 else re.sub(r"\s+", "", p) for i, p in enumerate(pieces))


def _requoted(content: str) -> str:
    return re.sub(r"\\([\"'`])", r"\1", content)


def is_plain(text: str) -> bool:
    """Whether a text is a literal whose value can be seen: a number, one string, a truth value, nothing, an empty collection."""
    return bool(_PLAIN.fullmatch(squeeze(text)))


def is_same_value(said: str, found: str) -> bool:
    """Whether two spellings are of one value."""
    one, other = _value(said), _value(found)
    return one == other or one == f"'{other}'" or (other == f"'{one}'" and not is_plain(said))


def _value(text: str) -> str:
    squeezed = squeeze(text)
    if _SAME_WORDS.get(squeezed):
        return _SAME_WORDS[squeezed]
    return re.sub(r"(?<=\d)_(?=\d)", "", squeezed) if re.fullmatch(r"-?[\d_.]+", squeezed) else squeezed


def is_same_type(said: str, found: str, *, as_written: bool = False) -> bool:
    """Whether two annotations are the same; unless `as_written` quotes around names do not matter."""
    return squeeze(said) == squeeze(found) if as_written else _type(said) == _type(found)


def _type(text: str) -> str:
    return _QUOTED_TYPE.sub(r"\1", squeeze(text)) if "Literal" not in text else squeeze(text)


def spell(expression: Expression) -> str:
    """A dotted name as written (`a.b`), `a[b]`; "…" where the expression is neither."""
    if expression.kind == "name":
        return expression.name
    if expression.kind == "attribute" and expression.parts:
        return f"{spell(expression.parts[0])}.{expression.name}"
    if expression.kind == "subscript" and expression.parts:
        return f"{spell(expression.parts[0])}[{', '.join(spell(p) for p in expression.parts[1:])}]"
    if expression.kind == "call" and expression.parts:
        return f"{spell(expression.parts[0])}(…)"
    return expression.text or "…"


def names_the_same(said: str, expression: Expression) -> bool:
    """Whether a name that somebody wrote (`Group`, `click.Group`, `Base[T]`) means what stands there: whole, or by its last parts."""
    if said == spell(expression):
        return True
    head = expression.parts[0] if expression.kind in ("subscript", "call", "new") and expression.parts else expression
    written, wanted = spell(head).split("."), said.partition("[")[0].partition("(")[0].strip().split(".")
    shorter = min(len(written), len(wanted))
    return "[" not in said and written[-shorter:] == wanted[-shorter:]


@dataclass(frozen=True, slots=True)
class Part:
    """One parameter as written; None: not said. name has its stars."""

    name: str
    annotation: str | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """A parameter list and what is returned; returns None: not said."""

    parts: tuple[Part, ...]
    returns: str | None = None

    @property
    def has_types(self) -> bool:
        return self.returns is not None or any(p.annotation is not None for p in self.parts)


def read_signature(text: str) -> Signature | None:
    """`(self, a: int = 1, *rest) -> str`, `(a: string, b = 2): Promise<void>`, `a, b => …`; None where it is no parameter list."""
    text = text.strip()
    if not text.startswith("("):
        return None
    end = _closing(text)
    if end < 0:
        return None
    rest = text[end + 1 :].strip()
    found = re.fullmatch(r"(?:->|=>|:)\s*(.+)", rest, re.DOTALL)
    if rest and found is None:
        return None
    parts = [_read_part(piece) for piece in split_top(text[1:end]) if piece.strip()]
    return Signature(tuple(parts), found[1].strip() if found else None)


def _read_part(text: str) -> Part:
    head, _, default = _cut(text, "=")
    name, colon, annotation = _cut(head, ":")
    return Part(_part_name(name), annotation.strip() if colon else None, default.strip() or None)


def _part_name(text: str) -> str:
    """A parameter's name with its stars; of a pattern the names that it takes out, as far as they are kept."""
    name = squeeze(text).replace("...", "*").rstrip("?")
    if name[:1] not in ("{", "["):
        return name
    return f"{name[0]}{', '.join(_taken(name))[:_PATTERN_CHARACTERS]}{name[-1]}"


def _taken(pattern: str) -> Iterator[str]:
    """`{a, b: c, d = 1, ...e}` takes out a, c, d and e."""
    for piece in split_top(pattern[1:-1]):
        key, colon, target = _cut(_cut(piece, "=")[0], ":")
        name = (target if colon else key).strip().lstrip(".*")
        if name[:1] in ("{", "["):
            yield from _taken(name)
        elif name:
            yield name


def split_top(text: str, mark: str = ",") -> list[str]:
    """The pieces between marks that stand in no bracket and no string."""
    pieces, start = [], 0
    for place, depth in _scan(text):
        if depth == 0 and text[place] == mark:
            pieces.append(text[start:place])
            start = place + 1
    return [*pieces, text[start:]]


def _cut(text: str, mark: str) -> tuple[str, str, str]:
    for place, depth in _scan(text):
        if depth == 0 and text[place] == mark and text[place + 1 : place + 2] not in ("=", ">"):
            return text[:place], mark, text[place + 1 :]
    return text, "", ""


def _closing(text: str) -> int:
    """Where the bracket that opens the text is closed; -1: nowhere."""
    return next((place for place, depth in _scan(text) if place and depth == 0), -1)


def _scan(text: str) -> Iterator[tuple[int, int]]:
    """The places of a text that stand in no string, each with the number of brackets around it; a closing bracket stands outside of its own."""
    place = depth = angles = 0
    while place < len(text):
        mark = text[place]
        if mark in "\"'`" and (found := _STRING.match(text, place)):
            place = found.end()
            continue
        is_angle = mark == "<" and text[place - 1 : place].isalnum() and text[place + 1 : place + 2].strip("=<") != ""
        if mark in ")]}" or (mark == ">" and angles and text[place - 1] not in "-="):
            depth -= 1
            angles -= mark == ">"
        yield place, depth
        if mark in "([{" or is_angle:
            depth += 1
            angles += is_angle
        place += 1


# ── held against a definition ──


def signature_text(definition: Definition) -> str:
    """The parameters of a definition as in `(self, obj: T, type=None) -> R`."""
    parts = (p.name + (f": {p.annotation}" if p.annotation else "") + (f"={p.default}" if p.default else "") for p in signature_of(definition).parts)
    return f"({', '.join(parts)})" + (f" -> {definition.returns}" if definition.returns else "")


def signature_of(definition: Definition) -> Signature:
    """The parameters of a definition with the marks between them (`*`, `/`)."""
    parts: list[Part] = []
    listed = [p for p in definition.parameters if p.kind != "type"]
    for index, parameter in enumerate(listed):
        before = listed[:index]
        if parameter.kind == "keyword_only" and not any(p.kind in ("keyword_only", "variadic") for p in before):
            parts.append(Part("*"))
        parts.append(_part_of(parameter))
        if parameter.kind == "positional_only" and not any(p.kind == "positional_only" for p in listed[index + 1 :]):
            parts.append(Part("/"))
    return Signature(tuple(parts), definition.returns or None)


def _part_of(parameter: Parameter) -> Part:
    star = {"variadic": "*", "keyword_variadic": "**"}.get(parameter.kind, "")
    return Part(star + _part_name(parameter.name), parameter.annotation or None, parameter.default or None)


Strictness = Literal["as_written", "types", "names"]
"""What must be equal: annotations with their quotes, annotations, or names and defaults only."""
STRICTNESS: tuple[Strictness, ...] = ("as_written", "types", "names")


def compare_signature(said: Signature, found: Signature, strictness: Strictness) -> bool | None:
    """Whether a parameter list that somebody wrote is the one found. None: the same parameters, but told in a way that cannot be compared."""
    parts = found.parts
    if parts and parts[0].name in _RECEIVERS and not (said.parts and said.parts[0].name == parts[0].name):
        parts = parts[1:]
    # A TypeScript function may declare what `this` is: that is no parameter.
    told = tuple(p for p in said.parts if p.name != "this")
    if [p.name for p in told] != [p.name for p in parts]:
        return False
    for one, other in zip(told, parts, strict=True):
        if (one.default is None) != (other.default is None):
            return False
        if one.default is not None and other.default is not None and not is_same_value(one.default, other.default):
            return False if is_plain(one.default) and is_plain(other.default) else None
    if strictness == "names":
        return True
    types = [*zip((p.annotation for p in told), (p.annotation for p in parts), strict=True), (said.returns, found.returns)]
    return all(
        one == other or (one is not None and other is not None and is_same_type(one, other, as_written=strictness == "as_written"))
        for one, other in types
    )
