"""Imports and exports, of both module systems."""

from __future__ import annotations

from analyzers.facts import Export, Expression, Import
from analyzers.languages.javascript.functions import define_class, define_function, dotted_name
from analyzers.languages.javascript.keys import key_name
from analyzers.languages.javascript.objects import object_literal
from analyzers.languages.javascript.patterns import TYPE_CHARACTERS
from analyzers.languages.javascript.reading import Bound, Declared, Header, Reader
from analyzers.languages.javascript.texts import string_value
from analyzers.languages.javascript.values import add_values
from analyzers.parsing import Node

_NO_TYPES = frozenset({"const", "any", "unknown", "never"})
WHOLE_EXPORT = "export="
"""The name under which `module.exports = x` and `export = x` export: TypeScript's own."""


def import_statement(r: Reader, node: Node) -> None:
    """`import …` of any form."""
    k = r.kinds
    source = _source(r, node)
    flags: tuple[str, ...] = ()
    clause: Node | None = None
    for child in node.children:
        if child.kind_id == k.type_token or child.kind_id == k.typeof_token:
            flags = ("type_only",)
        elif child.kind_id == k.import_clause:
            clause = child
        elif child.kind_id == k.import_require:
            _import_require(r, child, flags)
            return
    if source is None:
        return
    if clause is None or not r.text(clause).strip("{} \t\r\n"):
        _add_import(r, source, "", None, None, (*flags, "side_effect"))
        return
    for child in clause.children:
        kind = child.kind_id
        if kind == k.identifier:
            _add_import(r, source, "default", child, child, flags)
        elif kind == k.namespace_import:
            _add_import(r, source, "*", child.children[0], child.children[-1], flags)
        elif kind == k.named_imports:
            for specifier in child.children:
                if specifier.kind_id == k.import_specifier:
                    name, alias, is_type = _specifier(r, specifier)
                    _add_import(r, source, _module_name(r, name), name, alias, ("type_only",) if is_type else flags)


def _source(r: Reader, node: Node) -> Node | None:
    return next((child for child in reversed(node.children) if child.kind_id == r.kinds.string), None)


def _specifier(r: Reader, node: Node) -> tuple[Node, Node, bool]:
    """Name, alias and whether it is `type` only, of a part of an import or export clause."""
    k = r.kinds
    names = [child for child in r.solid(node) if child.kind_id in (k.identifier, k.string) or child.kind_id == k.default_token]
    is_type = any(child.kind_id == k.type_token or child.kind_id == k.typeof_token for child in node.children)
    if not names:
        return node, node, is_type
    return names[0], names[-1], is_type


def _module_name(r: Reader, node: Node) -> str:
    text = r.text(node)
    return string_value(text) if node.kind_id == r.kinds.string else text


def _add_import(r: Reader, source: Node, name: str, name_node: Node | None, alias: Node | None, flags: tuple[str, ...]) -> int:
    module = string_value(r.text(source))
    inside = r.span(source.start_byte + 1, source.end_byte - 1)
    span = r.span(name_node.start_byte, name_node.end_byte) if name_node is not None else inside
    r.imports.append(Import(r.scope, module, name, r.text(alias) if alias is not None else "", 0, span, flags, inside))
    if alias is not None:
        r.bind("import", r.text(alias), alias.start_byte, Bound(target=len(r.imports) - 1))
    return len(r.imports) - 1


def _import_require(r: Reader, node: Node, flags: tuple[str, ...]) -> None:
    """`import x = require("y")`"""
    source = _source(r, node)
    name = next((child for child in node.children if child.kind_id == r.kinds.identifier), None)
    if source is not None and name is not None:
        _add_import(r, source, "*", name, name, flags)


def import_alias(r: Reader, node: Node) -> None:
    """`import x = A.B`"""
    k = r.kinds
    names = [child for child in node.children if child.kind_id in (k.identifier, k.nested_identifier)]
    if len(names) == 2:
        r.bind("assignment", r.text(names[0]), names[0].start_byte, Bound(value=dotted_name(r, names[1])))


def required(r: Reader, node: Node) -> tuple[Node, str] | None:
    """The specifier and the property in `require("x")`, `require("x").y`, `await import("x")`; None for anything else."""
    k = r.kinds
    name = ""
    while True:
        kind = node.kind_id
        if kind in k.wrappers or kind == k.await_expression:
            operands = r.operands(node)
            if not operands:
                return None
            node = operands[0]
        elif kind == k.member and not name and len(node.children) == 3:
            node, name = node.children[0], r.text(node.children[2])
        elif kind == k.call and len(node.children) == 2:
            callee, arguments = node.children
            is_import = callee.kind_id == k.import_keyword
            if not is_import and not (callee.kind_id == k.identifier and r.text(callee) == "require"):
                return None
            inside = r.operands(arguments)
            return (inside[0], name) if len(inside) == 1 and inside[0].kind_id == k.string else None
        else:
            return None


def bind_required(r: Reader, target: Node, value: Node) -> bool:
    """`const x = require("y")` and `const {a, b: c} = require("y")` as imports. False where it is something else."""
    k = r.kinds
    found = required(r, value)
    if found is None or target.kind_id not in (k.identifier, k.object_pattern):
        return False
    source, name = found
    flags = ("dynamic",) if b"import" in r.source[value.start_byte : source.start_byte] else ()
    if target.kind_id == k.identifier:
        _add_import(r, source, name or "*", target, target, flags)
        return True
    children = [child for child in r.solid(target) if child.is_named]
    if name or any(child.kind_id not in (k.shorthand_pattern, k.pair_pattern) for child in children):
        return False
    pairs = [(child, child) if child.kind_id == k.shorthand_pattern else (child.children[0], child.children[-1]) for child in children]
    if any(alias.kind_id not in (k.identifier, k.shorthand_pattern) or not key_name(r, key) for key, alias in pairs if key is not alias):
        return False
    for key, alias in pairs:
        _add_import(r, source, r.text(key) if key is alias else key_name(r, key), key, alias, flags)
    return True


# Exports


def export_statement(r: Reader, node: Node) -> None:
    """`export …` of any form. Inside of a namespace it exports from that, not from the file."""
    before = len(r.exports)
    _export(r, node)
    if r.scope:
        del r.exports[before:]


def _export(r: Reader, node: Node) -> None:
    k = r.kinds
    decorators: list[Node] = []
    is_type, source = False, None
    children = node.children
    for child in children:
        kind = child.kind_id
        if kind == k.decorator:
            decorators.append(child)
        elif kind == k.type_token or (kind == k.error and r.text(child) == "type"):
            is_type = True
        elif kind == k.from_token:
            source = _source(r, node)
    for child in children:
        kind = child.kind_id
        if kind == k.export_clause:
            for specifier in child.children:
                if specifier.kind_id == k.export_specifier:
                    _export_specifier(r, specifier, source, is_type)
        elif kind == k.namespace_export and source is not None:
            _reexport(r, source, child.children[-1], "*", child, is_type)
        elif kind == k.star_token and source is not None:
            _reexport(r, source, child, "*", child, is_type)
        elif kind == k.default_token:
            _export_default(r, node, child, decorators)
            return
        elif kind == k.equals_token:
            value = r.solid(node)[2]
            _export_value(r, WHOLE_EXPORT, child, value)
            return
        elif r.statements[kind] is not None and kind != k.decorator and kind != k.comment:
            _export_declaration(r, child, decorators)


def _export_specifier(r: Reader, node: Node, source: Node | None, is_type: bool) -> None:
    local, name, is_own_type = _specifier(r, node)
    is_type = is_type or is_own_type
    if source is not None:
        _reexport(r, source, name, _module_name(r, local), local, is_type)
    else:
        r.exports.append(Export(_module_name(r, name), _module_name(r, local), "", r.span(name.start_byte, name.end_byte), is_type))


def _reexport(r: Reader, source: Node, name: Node, local: str, local_node: Node, is_type: bool) -> None:
    flags = ("reexport", "type_only") if is_type else ("reexport",)
    _add_import(r, source, local, local_node, None, flags)
    module = string_value(r.text(source))
    r.exports.append(Export(_module_name(r, name), local, module, r.span(name.start_byte, name.end_byte), is_type))


def _export_declaration(r: Reader, node: Node, decorators: list[Node]) -> None:
    """`export const a = 1, {b} = c`, `export class …`: everything that the declaration declares in this scope."""
    r.decorators += decorators
    before = len(r.bindings)
    reader = r.statements[node.kind_id]
    if reader is not None:
        reader(r, node)
    r.decorators.clear()
    seen: set[str] = set()
    for binding in r.bindings[before:]:
        if binding.scope == r.scope and binding.kind != "parameter" and binding.name not in seen:
            seen.add(binding.name)
            start = binding.start
            r.exports.append(Export(binding.name, binding.name, "", r.span(start, start + len(binding.name.encode()))))


def _export_default(r: Reader, node: Node, token: Node, decorators: list[Node]) -> None:
    value = next((child for child in reversed(r.solid(node)) if child.is_named), None)
    if value is None:
        return
    if r.statements[value.kind_id] is not None and r.expressions[value.kind_id] is None:
        before = len(r.bindings)
        r.decorators += decorators
        reader = r.statements[value.kind_id]
        if reader is not None:
            reader(r, value)
        r.decorators.clear()
        local = next((found.name for found in r.bindings[before:] if found.scope == r.scope and found.kind == "definition"), "")
        r.exports.append(Export("default", local, "", r.span(token.start_byte, token.end_byte)))
        return
    _export_value(r, "default", token, value)


def _export_value(r: Reader, name: str, token: Node, value: Node) -> None:
    """A value that is exported under a name: a local name, or a definition of its own called after the export."""
    k = r.kinds
    span = r.span(token.start_byte, token.end_byte)
    if value.kind_id == k.identifier:
        r.read(value)
        r.exports.append(Export(name, r.text(value), "", span))
        return
    define_value(r, "default" if name == WHOLE_EXPORT else name, value, token)
    r.exports.append(Export(name, "default" if name == WHOLE_EXPORT else name, "", span))


def define_value(r: Reader, name: str, value: Node, name_node: Node, *, whole: Node | None = None) -> Expression:
    """A definition for a value that no declaration names (`export default () => {}`, `exports.f = function () {}`)."""
    k = r.kinds
    kind = value.kind_id
    start = value.start_byte
    flags = ("default_export",) if name == "default" else ()
    if kind in k.functions:
        index, inner = define_function(r, value, Declared(name, name_node, whole=whole, flags=flags))
        found = Expression("definition", "", (), (), "", inner, start)
    elif kind == k.class_expression:
        index, inner = define_class(r, value, Declared(name, name_node, whole=whole, flags=flags))
        found = Expression("definition", "", (), (), "", inner, start)
    else:
        index = r.define(name, "constant", whole or value, name_node)
        outer, r.owner = r.owner, index
        inner_value = unwrapped(r, value)
        found = object_literal(r, inner_value, 0, index) if inner_value.kind_id == k.object else r.read(value)
        r.owner = outer
        add_values(r, name, name_node.start_byte, inner_value)
        r.complete(index, Header(value=found, flags=flags))
        r.bind("assignment", name, name_node.start_byte, Bound(target=index, value=found))
        return found
    r.bind("definition", name, name_node.start_byte, Bound(target=index))
    return found


def unwrapped(r: Reader, node: Node) -> Node:
    """The node inside of parentheses, `as T`, `satisfies T`, `!` and `Object.freeze()`."""
    k = r.kinds
    while True:
        if node.kind_id in k.wrappers and (operands := r.operands(node)):
            node = operands[0]
        elif node.kind_id == k.call and len(node.children) == 2 and r.text(node.children[0]) == "Object.freeze" and (
            inside := r.operands(node.children[1])
        ):  # fmt: skip
            node = inside[0]
        else:
            return node


def cast_text(r: Reader, node: Node) -> str:
    """The type that a value is said to be of, `x as T` or `<T>x`; "" where that says nothing."""
    k = r.kinds
    if node.kind_id != k.as_expression and node.kind_id != k.type_assertion:
        return ""
    is_before = node.kind_id == k.type_assertion
    children = r.solid(node)
    text = r.squeezed(children[0])[1:-1].strip() if is_before else r.squeezed(children[-1])
    return text if text not in _NO_TYPES and len(text) <= TYPE_CHARACTERS else ""


# CommonJS


def exported_name(r: Reader, target: Node) -> str:
    """What an assignment to `target` exports: a name, WHOLE_EXPORT, or "" for nothing."""
    text = r.text(target) if target.kind_id == r.kinds.member else ""
    if text == "module.exports":
        return WHOLE_EXPORT
    for prefix in ("exports.", "module.exports."):
        if text.startswith(prefix) and "." not in text[len(prefix) :]:
            return text[len(prefix) :]
    return ""


def export_assignment(r: Reader, name: str, target: Node, value: Node) -> Expression:
    """`module.exports = …`, `exports.name = …`"""
    k = r.kinds
    token = target.children[-1]
    span = r.span(token.start_byte, token.end_byte)
    if value.kind_id == k.identifier:
        found = r.read(value)
        r.exports.append(Export(name, r.text(value), "", span))
        return found
    if name != WHOLE_EXPORT:
        if value.kind_id == k.assignment or value.type in ("undefined", "unary_expression"):
            # `exports.a = exports.b = f` and the `exports.a = void 0` of compilers: the value is told by another assignment.
            return r.read(value)
        r.exports.append(Export(name, name, "", span))
        return define_value(r, name, value, token, whole=target.parent)
    source = required(r, value)
    if source is not None and not source[1]:
        r.exports.append(Export("*", "*", string_value(r.text(source[0])), span))
        return r.read(value)
    if value.kind_id == k.object:
        return _export_object(r, value, token)
    r.exports.append(Export(name, "default", "", span))
    return define_value(r, "default", value, token, whole=target.parent)


def _export_object(r: Reader, node: Node, token: Node) -> Expression:
    """`module.exports = { a, b: c, d() {} }` exports each of them."""
    k = r.kinds
    first = len(r.definitions)
    found = define_value(r, "default", node, token, whole=token.parent and token.parent.parent)
    r.exports.append(Export(WHOLE_EXPORT, "default", "", r.span(token.start_byte, token.end_byte)))
    for child in node.children:
        span = r.span(child.start_byte, child.end_byte)
        if child.kind_id == k.shorthand:
            r.exports.append(Export(r.text(child), r.text(child), "", span))
        elif child.kind_id == k.pair and child.children[-1].kind_id == k.identifier and (name := key_name(r, child.children[0])):
            r.exports.append(Export(name, r.text(child.children[-1]), "", span))
    for index in range(first + 1, len(r.definitions)):
        method = r.definitions[index]
        if method.parent == first and method.name not in r.declared[r.scope]:
            r.bind("definition", method.name, method.name_span.start, Bound(target=index))
            r.exports.append(Export(method.name, method.name, "", method.name_span))
    return found
