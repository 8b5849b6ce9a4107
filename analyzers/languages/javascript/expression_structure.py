"""Literals, expressions, parameters and JSX as pieces: the part of `structure` that declares nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from analyzers.languages.javascript.kinds import Kinds, kinds_of
from analyzers.languages.javascript.texts import spell_number, spell_string, string_value
from analyzers.languages.javascript.types import spell_type
from analyzers.normalise import HIDE, SHOW, Begin, Close, End, Item, Name, Normaliser, Open, Piece
from analyzers.parsing import Node

Items = Iterable[Node | Item]
CLOSE = Piece(b")")
PARAMETERS = Piece(b"(parameters")
_HOLE = Piece(b"hole")
_SPACE = re.compile(r"[ \t\r\n]+")


class ExpressionStructure:
    """The rules for what stands inside of declarations and statements."""

    def __init__(self, language: str) -> None:
        self.kinds: Kinds = kinds_of(language)
        k = self.kinds
        self.types = frozenset({k.type_parameters, k.type_arguments}) | k.annotations
        self.names = frozenset({k.identifier, k.type_identifier, k.shorthand_pattern})
        self.member_names = frozenset({k.property_identifier, k.private_property, k.string, k.number, k.computed})
        self.modifiers = frozenset({k.accessibility, k.override})

    def solid(self, node: Node) -> list[Node]:
        comment = self.kinds.comment
        return [child for child in node.children if child.kind_id != comment]

    # Literals and names

    def _string(self, node: Node, text: Normaliser) -> Items:
        return _string_piece(text.source[node.start_byte : node.end_byte])

    def _number(self, node: Node, text: Normaliser) -> Items:
        return (Piece(spell_number(decode(text, node)).encode()),)

    def _regex(self, node: Node, text: Normaliser) -> Items:
        pattern, _, flags = decode(text, node).rpartition("/")
        return (Piece(f"{pattern}/{''.join(sorted(flags))}".encode()),)

    def _template(self, node: Node, text: Normaliser) -> Items:
        """The text between the nested expressions as it is written."""
        yield Piece(b"(template")
        position = node.start_byte + 1
        for child in node.children:
            if child.kind_id == self.kinds.template_substitution:
                yield Piece(b"`" + text.source[position : child.start_byte])
                yield child
                position = child.end_byte
        yield Piece(b"`" + text.source[position : node.end_byte - 1])
        yield CLOSE

    def _property(self, node: Node, text: Normaliser) -> Items:
        return (Piece(b"." + text.source[node.start_byte : node.end_byte]),)

    def key(self, node: Node, text: Normaliser) -> Items:
        """A key, quoted or not."""
        k = self.kinds
        if node.kind_id == k.string:
            return (Piece(b"key " + string_value(decode(text, node)).encode("utf-8", "replace").replace(b"\0", b"\\0")),)
        if node.kind_id == k.number:
            return (Piece(b"key " + spell_number(decode(text, node)).encode()),)
        if node.kind_id == k.computed:
            return (Piece(b"(computed"), *(child for child in node.children), CLOSE)
        return (Piece(b"key " + text.source[node.start_byte : node.end_byte]),)

    # Expressions

    def _member(self, node: Node, text: Normaliser) -> Items:
        children = self.solid(node)
        if len(children) == 3 and children[1].kind_id != self.kinds.optional_chain:
            return (children[0], children[2])
        return children

    def _parenthesized(self, node: Node, text: Normaliser) -> Items:
        """No piece, except where parentheses end an optional chain: `(a?.b).c` is not `a?.b.c`."""
        parent = node.parent
        if parent is not None and self._is_link(parent.kind_id) and b"?." in text.source[node.start_byte : node.end_byte]:
            return (Piece(b"(chain"), *node.children, CLOSE)
        return node.children

    def _is_link(self, kind: int) -> bool:
        k = self.kinds
        return kind == k.member or kind == k.call or kind == k.subscript or kind == k.non_null

    def _call(self, node: Node, text: Normaliser) -> Items:
        children = node.children
        is_tagged = children[-1].kind_id == self.kinds.template_string
        return (Piece(b"(tagged" if is_tagged else b"(call"), *children, CLOSE)

    def _shorthand(self, node: Node, text: Normaliser) -> Items:
        """`{a}` is `{a: a}`."""
        name = text.source[node.start_byte : node.end_byte]
        return (Piece(b"(pair"), Piece(b"key " + name), Name(name), CLOSE)

    def _shorthand_default(self, node: Node, text: Normaliser) -> Items:
        """`{a = 1}` is `{a: a = 1}`."""
        name, *_, default = self.solid(node)
        raw = text.source[name.start_byte : name.end_byte]
        return (Piece(b"(pair"), Piece(b"key " + raw), Piece(b"(assignment_pattern"), Name(raw), default, CLOSE, CLOSE)

    def _array(self, node: Node, text: Normaliser) -> Items:
        """Holes count."""
        yield Piece(b"(array")
        is_filled = False
        for child in self.solid(node)[1:-1]:
            if child.is_named:
                yield child
                is_filled = True
            else:
                if not is_filled:
                    yield _HOLE
                is_filled = False
        yield CLOSE

    def _binary(self, node: Node, text: Normaliser) -> Items:
        yield Piece(b"(binary")
        for child in node.children:
            yield child if child.is_named else Piece(child.type.encode())
        yield CLOSE

    def _cast(self, node: Node, text: Normaliser) -> Items:
        """The operand; its type is hidden."""
        k = self.kinds
        children = self.solid(node)
        operand = children[-1] if node.kind_id == k.type_assertion else children[0]
        yield operand
        yield HIDE
        for child in children:
            if child != operand:
                yield Piece(b"as " + spell_type(child, text.source))
        yield SHOW

    def hidden_type(self, node: Node, text: Normaliser) -> Items:
        return (HIDE, Piece(b":" + spell_type(node, text.source)), SHOW)

    # Parameters

    def _parameters(self, node: Node, text: Normaliser) -> Items:
        return (PARAMETERS, *node.children, CLOSE)

    def _parameter(self, node: Node, text: Normaliser) -> Items:
        """`readonly a?: T = default`: the pattern, hidden types, the default."""
        k = self.kinds
        pattern, default, hidden, decorators, follows_equals = node, None, list[Node](), list[Node](), False
        for child in self.solid(node):
            if child.kind_id == k.equals_token:
                follows_equals = True
            elif follows_equals:
                default = child
            elif child.kind_id == k.decorator:
                decorators.append(child)
            elif child.is_named and child.kind_id not in self.types and child.kind_id not in self.modifiers:
                pattern = child
            else:
                hidden.append(child)
        yield from decorators
        key = pattern.start_byte if pattern.start_byte in text.keys and pattern.kind_id == k.identifier else None
        if key is not None:
            yield Open(key)
            yield Begin(key, "header")
        if default is not None:
            yield Piece(b"(assignment_pattern")
        yield pattern
        for child in hidden:
            yield from self.hidden_type(child, text)
        if key is not None:
            yield End(key, "header")
        if default is not None:
            yield from self.between(key, default)
            yield CLOSE
        if key is not None:
            yield Close(key)

    def between(self, key: int | None, value: Node) -> Items:
        """A value as body and value of a definition."""
        if key is None:
            return (value,)
        return (Begin(key, "value"), Begin(key, "body"), value, End(key, "body"), End(key, "value"))

    # JSX

    def _jsx(self, node: Node, text: Normaliser) -> Items:
        """Text as it is shown: lines trimmed and joined by one blank; `{" "}` is a blank."""
        k = self.kinds
        yield Piece(b"(jsx")
        position = node.start_byte
        raw = ""
        for child in node.children:
            if child.kind_id == k.jsx_opening:
                yield child
                position = child.end_byte
                continue
            if child.kind_id == k.jsx_text or child.type == "html_character_reference":
                continue
            raw += _shown(text.source[position : child.start_byte].decode("utf-8", "replace"))
            position = child.end_byte
            if child.type == "jsx_expression":
                inside = [part for part in self.solid(child) if part.is_named]
                if not inside:
                    continue
                if len(inside) == 1 and inside[0].kind_id == k.string and not string_value(decode(text, inside[0])).strip():
                    raw += string_value(decode(text, inside[0]))
                    continue
            if shown := _SPACE.sub(" ", raw):
                yield Piece(shown.encode().replace(b"\0", b""))
            raw = ""
            yield child
        yield CLOSE

    def _jsx_attribute(self, node: Node, text: Normaliser) -> Items:
        """`a="x"`, `a={"x"}` and `a='x'` are one."""
        children = self.solid(node)
        yield Piece(b"(attribute")
        yield Piece(spell_type(children[0], text.source))
        if len(children) > 1:
            value = children[-1]
            inside = [part for part in self.solid(value) if part.is_named] if value.type == "jsx_expression" else [value]
            if len(inside) == 1 and inside[0].kind_id == self.kinds.string:
                yield Piece(b"'" + text.source[inside[0].start_byte + 1 : inside[0].end_byte - 1])
            else:
                yield from inside
        yield CLOSE


def _shown(raw: str) -> str:
    """JSX text without the white space around its line breaks."""
    lines = raw.replace("\r", "").split("\n")
    if len(lines) == 1:
        return raw
    trimmed = [lines[0].rstrip(" \t"), *(line.strip(" \t") for line in lines[1:-1]), lines[-1].lstrip(" \t")]
    return " ".join(line for line in trimmed if line)


def decode(text: Normaliser, node: Node) -> str:
    """The text of a node."""
    return text.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


@lru_cache(maxsize=8_192)
def _string_piece(raw: bytes) -> tuple[Piece, ...]:
    return (Piece(spell_string(string_value(raw.decode("utf-8", "replace"))).encode("utf-8", "replace")),)
