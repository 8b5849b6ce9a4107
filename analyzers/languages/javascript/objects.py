"""Object literals: their functions are definitions where the object has a name (`config.handler`)."""

from __future__ import annotations

from analyzers.facts import Expression
from analyzers.languages.javascript.functions import define_class, define_function, inline_function
from analyzers.languages.javascript.keys import key_name, member_name_node, method_name
from analyzers.languages.javascript.reading import MAX_NESTING, UNKNOWN, Declared, Reader, shortened
from analyzers.parsing import Node

MAX_LITERALS = 16
"""A collection of more literals, and nothing else, is recorded without its items."""


def object_literal(r: Reader, node: Node, depth: int, owner: int = -1) -> Expression:
    """owner: the definition whose value the object is; -1: it has no name."""
    if depth > MAX_NESTING:
        r.later((node,), r.scope)
        return UNKNOWN
    k = r.kinds
    keys: list[str] = []
    parts: list[Expression] = []
    for child in node.children:
        kind = child.kind_id
        if kind == k.pair:
            inside = child.children
            if len(inside) != 3:
                inside = r.solid(child)
            key, value = inside[0], inside[-1]
            name = r.text(key) if key.kind_id == k.property_identifier else key_name(r, key)
            keys.append(name)
            found = r.read(value, depth + 1) if owner < 0 else _value(r, key, name, value, owner, depth)
            parts.append(shortened(found) if found.kind == "call" or found.kind == "new" else found)
        elif kind == k.shorthand:
            keys.append(r.text(child))
            parts.append(r.read(child, depth))
        elif kind == k.method:
            keys.append(method_name(r, child))
            parts.append(_method(r, child, keys[-1], owner))
        elif kind == k.spread:
            keys.append("")
            parts.append(r.read(child, depth + 1))
    if len(parts) > MAX_LITERALS and all(part.kind == "literal" for part in parts):
        keys, parts = [], []
    return Expression("collection", "dict", tuple(parts), tuple(keys), "", -1, node.start_byte)


def _value(r: Reader, key: Node, name: str, value: Node, owner: int, depth: int) -> Expression:
    k = r.kinds
    kind = value.kind_id
    if not name:
        return r.read(value, depth + 1)
    if kind in k.functions:
        _, inner = define_function(r, value, Declared(name, key, kind="method", parent=owner))
        return Expression("definition", "", (), (), "", inner, value.start_byte)
    if kind == k.class_expression:
        _, inner = define_class(r, value, Declared(name, key, parent=owner))
        return Expression("definition", "", (), (), "", inner, value.start_byte)
    if kind == k.object and _has_functions(r, value):
        index = r.define(name, "variable", value, key, parent=owner)
        return object_literal(r, value, depth + 1, index)
    return r.read(value, depth + 1)


def _has_functions(r: Reader, node: Node) -> bool:
    """Whether an object holds functions itself: only then is it worth a definition."""
    k = r.kinds
    return any(child.kind_id == k.method or (child.kind_id == k.pair and child.children[-1].kind_id in k.functions) for child in node.children)


def _method(r: Reader, node: Node, name: str, owner: int) -> Expression:
    if owner < 0 or not name:
        return inline_function(r, node, 0)
    _, inner = define_function(r, node, Declared(name, member_name_node(r, node), kind="method", parent=owner, flags=_accessor(r, node)))
    return Expression("definition", "", (), (), "", inner, node.start_byte)


def _accessor(r: Reader, node: Node) -> tuple[str, ...]:
    k = r.kinds
    for child in node.children:
        if child.kind_id == k.get_token:
            return ("property",)
        if child.kind_id == k.set_token:
            return ("setter",)
    return ()
