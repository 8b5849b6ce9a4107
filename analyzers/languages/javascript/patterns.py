"""What stands on the left: names, attributes and patterns that are declared or assigned, and parameters."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers.facts import BindingKind, Expression, Parameter
from analyzers.key_paths import TEXT_CHARACTERS
from analyzers.languages.javascript.keys import key_name
from analyzers.languages.javascript.reading import Bound, Reader
from analyzers.languages.javascript.values import HIDDEN, add_values, canonical
from analyzers.parsing import Node

TYPE_CHARACTERS = 6_000
"""Of a type."""
PATTERN_CHARACTERS = 80
"""Of a pattern that stands as a parameter's name."""


class Leaf(msgspec.Struct, frozen=True, gc=False):
    """One thing that a pattern takes out: its place, the path to it, and whether it is a name (else an attribute or subscript)."""

    node: Node
    path: tuple[str, ...]
    is_name: bool


def leaves(r: Reader, pattern: Node, *, is_read: bool = True) -> Iterator[Leaf]:
    """What a pattern takes out, in order. is_read: defaults are read on the way."""
    k = r.kinds
    todo: list[tuple[Node, tuple[str, ...]]] = [(pattern, ())]
    while todo:
        node, path = todo.pop()
        kind = node.kind_id
        if kind == k.identifier or kind == k.shorthand_pattern:
            yield Leaf(node, (*path, r.text(node)) if kind == k.shorthand_pattern else path, True)
        elif kind == k.object_pattern:
            todo.extend(reversed([(child, path) for child in r.solid(node)]))
        elif kind == k.array_pattern:
            todo.extend(reversed(_items(r, node, path)))
        elif kind == k.assignment_pattern or kind == k.object_assignment_pattern:
            left, *_, default = r.solid(node)
            if is_read:
                r.read(default)
            todo.append((left, path))
        elif kind == k.pair_pattern:
            key, *_, value = r.solid(node)
            todo.append((value, (*path, key_name(r, key) or "*")))
        elif kind == k.rest_pattern or kind == k.spread:
            todo.extend((child, (*path, "*")) for child in r.solid(node)[1:])
        elif kind == k.parenthesized or kind == k.non_null:
            todo.extend((child, path) for child in r.operands(node)[:1])
        elif kind == k.member or kind == k.subscript:
            yield Leaf(node, path, False)


def _items(r: Reader, node: Node, path: tuple[str, ...]) -> list[tuple[Node, tuple[str, ...]]]:
    """The items of an array pattern; `[, a]` skips one."""
    items: list[tuple[Node, tuple[str, ...]]] = []
    index = 0
    for child in r.solid(node)[1:-1]:
        if child.is_named:
            items.append((child, path if child.kind_id == r.kinds.rest_pattern else (*path, str(index))))
        else:
            index += 1
    return items


def declare(r: Reader, pattern: Node, kind: BindingKind, scope: int, value: Expression | None, annotation: str = "") -> list[Leaf]:
    """Declare the names of a pattern in a scope. Returns what it takes out."""
    if pattern.kind_id == r.kinds.identifier:
        r.bind(kind, r.text(pattern), pattern.start_byte, Bound(scope=scope, value=value, annotation=annotation))
        return [Leaf(pattern, (), True)]
    found = list(leaves(r, pattern))
    for leaf in found:
        if leaf.is_name:
            r.bind(kind, r.text(leaf.node), leaf.node.start_byte, Bound(scope=scope, value=value, path=leaf.path))
    _read_properties(r, found, value)
    return found


def assign(r: Reader, target: Node, kind: BindingKind, value: Expression | None) -> None:
    """Assign to what stands on the left of `=`, before `of`, or beside `++`."""
    k = r.kinds
    if target.kind_id == k.identifier:
        r.assign(kind, r.text(target), target.start_byte, value)
        return
    found = list(leaves(r, target))
    for leaf in found:
        if leaf.is_name:
            r.assign(kind, r.text(leaf.node), leaf.node.start_byte, value, leaf.path)
        else:
            write(r, leaf.node, value if not leaf.path else None)
    _read_properties(r, found, value)


def write(r: Reader, target: Node, value: Expression | None) -> None:
    """Note a write to an attribute or to a subscript with a constant key."""
    owner_node, *_, last = [child for child in r.solid(target) if child.is_named] or [target]
    owner = r.read(owner_node)
    if target.kind_id == r.kinds.member:
        start, end = last.start_byte, last.end_byte
        r.write(Expression("attribute", r.cut(start, end), (owner,), (), "", -1, start), start, end, value)
        return
    index = r.read(last)
    if index.kind == "literal":
        start, end = target.start_byte, target.end_byte
        r.write(Expression("subscript", "", (owner, index), (), "", -1, start), start, end, value)


def _read_properties(r: Reader, found: list[Leaf], value: Expression | None) -> None:
    """`const { A } = process.env` reads `process.env.A`."""
    if value is None or value.kind not in ("name", "attribute"):
        return
    for leaf in found:
        if len(leaf.path) == 1 and leaf.path[0] != "*":
            start, end = leaf.node.start_byte, leaf.node.end_byte
            r.read_once(f"{value.start}.{leaf.path[0]}", Expression("attribute", leaf.path[0], (value,), (), "", -1, start), start, end)


# Parameters


def parameters(r: Reader, node: Node, scope: int, owner: int, class_scope: int = -1) -> list[Parameter]:
    """The parameters of a function, declared in its scope. class_scope: where parameter properties of a constructor go."""
    is_bare = node.kind_id == r.kinds.identifier
    children = [node] if is_bare else [child for child in r.solid(node) if child.is_named]
    outer, r.scope = r.scope, scope
    found: list[Parameter] = []
    for child in children:
        parameter = _parameter(r, child, len(found), owner, class_scope)
        if parameter is not None:
            found.append(parameter)
    r.scope = outer
    return found


def _parameter(r: Reader, node: Node, index: int, owner: int, class_scope: int) -> Parameter | None:
    k = r.kinds
    kind = node.kind_id
    pattern, annotation, default, is_property = node, "", None, False
    if kind == k.required_parameter or kind == k.optional_parameter:
        pattern, annotation, default, is_property = _typed_parameter(r, node)
    elif kind == k.assignment_pattern:
        pattern, *_, default = r.solid(node)
    elif kind not in (k.identifier, k.object_pattern, k.array_pattern, k.rest_pattern):
        return None
    value = r.read(default) if default is not None else None
    name = r.text(pattern)
    shape = "positional"
    if pattern.kind_id == k.this:
        return Parameter(name, "type", "", annotation)
    if pattern.kind_id == k.rest_pattern:
        shape, pattern = "variadic", r.solid(pattern)[-1]
        name = r.text(pattern)
    if pattern.kind_id in (k.object_pattern, k.array_pattern):
        shape = "destructured" if shape == "positional" else shape
        name = _pattern_name(r, pattern)
    _bind_parameter(r, pattern, index, value, annotation)
    if owner >= 0 and pattern.kind_id == k.object_pattern:
        _default_values(r, pattern, r.definitions[owner].qualified_name)
    if is_property and class_scope >= 0:
        _property(r, pattern, name, value, annotation, class_scope)
    if default is None:
        return Parameter(name, shape, "", annotation)
    if owner >= 0:
        add_values(r, f"{r.definitions[owner].qualified_name}({name})", default.start_byte, default)
    text = canonical(r, default).replace(HIDDEN, "…")[:TEXT_CHARACTERS]
    return Parameter(name, shape, text, annotation, r.span(default.start_byte, default.end_byte))


def _pattern_name(r: Reader, pattern: Node) -> str:
    """A pattern by the names that it takes out: `{a, b}`."""
    names = ", ".join(r.text(leaf.node) for leaf in leaves(r, pattern, is_read=False))
    brackets = "{}" if pattern.kind_id == r.kinds.object_pattern else "[]"
    return f"{brackets[0]}{names[:PATTERN_CHARACTERS]}{brackets[1]}"


def _default_values(r: Reader, pattern: Node, function: str) -> None:
    """`{ retries = 3 }` as a parameter: the default of `retries`."""
    k = r.kinds
    for child in pattern.children:
        if child.kind_id == k.object_assignment_pattern:
            name, *_, default = r.solid(child)
            add_values(r, f"{function}({r.text(name)})", default.start_byte, default)


def _typed_parameter(r: Reader, node: Node) -> tuple[Node, str, Node | None, bool]:
    """Pattern, annotation, default, and whether it is a property of the class too."""
    k = r.kinds
    pattern, annotation, default, is_property, follows_equals = node, "", None, False, False
    for child in r.solid(node):
        kind = child.kind_id
        if kind == k.accessibility or kind == k.override or kind == k.readonly_token:
            is_property = True
        elif kind == k.decorator:
            r.read(child)
        elif kind == k.type_annotation:
            annotation = annotation_text(r, child)
        elif kind == k.equals_token:
            follows_equals = True
        elif follows_equals:
            default = child
        elif child.is_named:
            pattern = child
    return pattern, annotation, default, is_property


def _bind_parameter(r: Reader, pattern: Node, index: int, value: Expression | None, annotation: str) -> None:
    if pattern.kind_id == r.kinds.identifier:
        r.bind("parameter", r.text(pattern), pattern.start_byte, Bound(target=index, value=value, annotation=annotation))
        return
    for leaf in leaves(r, pattern):
        if leaf.is_name:
            r.bind("parameter", r.text(leaf.node), leaf.node.start_byte, Bound(target=index, path=leaf.path))


def _property(r: Reader, pattern: Node, name: str, value: Expression | None, annotation: str, class_scope: int) -> None:
    """`constructor(private a: T)` declares the field `a` too."""
    index = r.define(name, "variable", pattern, pattern, parent=r.scopes[class_scope].definition, scope=class_scope)
    r.bind("assignment", name, pattern.start_byte, Bound(scope=class_scope, target=index, value=value, annotation=annotation))


def annotation_text(r: Reader, node: Node) -> str:
    """The type of a type annotation, without its colon."""
    return r.squeezed(node).removeprefix(":").strip()


def type_parameters(r: Reader, node: Node) -> list[Parameter]:
    """`<T extends U = V>`: parameters of kind `type`."""
    found = []
    for child in node.children:
        if child.kind_id == r.kinds.type_parameter:
            name, bound, default = "", "", ""
            for part in child.children:
                if part.kind_id == r.kinds.type_identifier or part.kind_id == r.kinds.error:
                    name = r.text(part).rpartition(" ")[2]
                elif part.type == "constraint":
                    bound = r.squeezed(part).removeprefix("extends").strip()
                elif part.type == "default_type":
                    default = r.squeezed(part).removeprefix("=").strip()
            found.append(Parameter(name, "type", default, bound))
        elif child.kind_id == r.kinds.error and found and found[-1].name in ("in", "out"):
            # `in T`, `out T`: the grammar takes the modifier for the name.
            found[-1] = Parameter(r.text(child).rpartition(" ")[2], "type", found[-1].default, found[-1].annotation)
    return found
