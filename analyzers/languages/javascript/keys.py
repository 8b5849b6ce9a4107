"""Names of properties, methods and fields."""

from __future__ import annotations

from analyzers.languages.javascript.reading import Reader
from analyzers.parsing import Node


def key_name(r: Reader, key: Node) -> str:
    """The name of a property; "" where it is computed. `[Symbol.iterator]` is `@@iterator`."""
    k = r.kinds
    kind = key.kind_id
    if kind == k.property_identifier or kind == k.private_property or kind == k.identifier or kind == k.shorthand:
        return r.text(key)
    if kind == k.string or kind == k.number:
        return r.read(key).text.strip('"')
    if kind == k.computed:
        inner = r.operands(key)
        text = r.text(inner[0]) if inner else ""
        if text.startswith("Symbol.") and text.count(".") == 1:
            return "@@" + text[7:]
        if inner:
            value = r.read(inner[0])
            return value.text.strip('"') if value.kind == "literal" and value.name in ("str", "int", "float") else ""
    return ""


def member_name_node(r: Reader, node: Node) -> Node | None:
    """The token that names a method or field."""
    k = r.kinds
    names = (k.property_identifier, k.private_property, k.string, k.number, k.computed)
    return next((child for child in node.children if child.kind_id in names), None)


def method_name(r: Reader, node: Node) -> str:
    """The name of a method, "" where it is computed."""
    found = member_name_node(r, node)
    return key_name(r, found) if found is not None else ""
