"""TypeScript types as text in one spelling: structure instead of layout.

Parentheses, separators, a leading `|` and quotes do not show; what belongs together does, because every part with parts is in brackets.
"""

from __future__ import annotations

from analyzers.languages.javascript.texts import spell_number, spell_string, string_value
from analyzers.parsing import Node

_SILENT = frozenset(b"( ) [ ] { } , ; : | & < > => . =".split())
_ASSOCIATIVE = frozenset({"union_type", "intersection_type"})
_CLOSE = b")"


def spell_type(node: Node, source: bytes) -> bytes:
    """A type, or anything in a declaration that has no body."""
    out: list[bytes] = []
    todo: list[Node | bytes] = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, bytes):
            out.append(item)
            continue
        name = item.type
        children = item.children
        if name == "comment":
            continue
        if not item.is_named:
            text = source[item.start_byte : item.end_byte]
            if text not in _SILENT:
                out.append(text)
        elif name == "string":
            out.append(spell_string(string_value(_text(item, source))).encode("utf-8", "replace"))
        elif name == "number":
            out.append(spell_number(_text(item, source)).encode())
        elif name == "property_identifier":
            out.append(spell_string(_text(item, source)).encode("utf-8", "replace"))
        elif name == "template_literal_type":
            todo += reversed(_template(item, source))
        elif not children:
            out.append(_leaf(source[item.start_byte : item.end_byte]))
        elif name == "parenthesized_type" or name == "parenthesized_expression":
            todo.extend(reversed(children))
        elif name in _ASSOCIATIVE:
            operands = _operands(item)
            if len(operands) == 1:
                todo.append(operands[0])
            else:
                todo += (_CLOSE, *reversed(operands), b"(" + name.encode())
        else:
            todo += (_CLOSE, *reversed(children), b"(" + name.encode())
    return b" ".join(out).replace(b"\0", b"\\0")


def _leaf(text: bytes) -> bytes:
    """A name; an imported type stands as one where the grammar could not read it."""
    if not text.startswith(b"import("):
        return text
    specifier = text[len(b"import(") : -1].strip().decode("utf-8", "replace")
    return f"import({spell_string(string_value(specifier))})".encode("utf-8", "replace")


def _template(node: Node, source: bytes) -> list[Node | bytes]:
    """`a${T}b`: its text as written, the types in it by structure."""
    found: list[Node | bytes] = []
    position = node.start_byte
    for child in node.children:
        if child.type == "template_type":
            found += (source[position : child.start_byte], child)
            position = child.end_byte
    return [*found, source[position : node.end_byte]]


def _operands(node: Node) -> list[Node]:
    """`A | B | C` as one row."""
    found: list[Node] = []
    todo = [node]
    while todo:
        item = todo.pop()
        if item.type == node.type:
            todo.extend(child for child in reversed(item.children) if child.is_named and child.type != "comment")
        elif item.type == "parenthesized_type":
            inner = [child for child in item.children if child.is_named and child.type != "comment"]
            if inner and inner[0].type == node.type:
                todo.append(inner[0])
            else:
                found.append(item)
        else:
            found.append(item)
    return found


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
