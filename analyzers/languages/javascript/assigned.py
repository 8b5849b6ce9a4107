"""What is assigned: functions get the name of what they are assigned to (`Foo.prototype.bar`, `this.bar`, `exports.bar`)."""

from __future__ import annotations

from analyzers.facts import Expression
from analyzers.languages.javascript.functions import define_class, define_function
from analyzers.languages.javascript.modules import export_assignment, exported_name
from analyzers.languages.javascript.reading import Declared, Reader
from analyzers.parsing import Node

_CLASSES = frozenset({"class", "function", "constant", "variable"})


def assigned_value(r: Reader, target: Node, value: Node, depth: int) -> Expression:
    """The expression at the right of `target = value`."""
    k = r.kinds
    if r.scopes[r.scope].kind == "module" and (name := exported_name(r, target)):
        return export_assignment(r, name, target, value)
    kind = value.kind_id
    is_function = kind in k.functions
    if not (is_function or kind == k.class_expression):
        return r.read(value, depth + 1)
    name_node, parent, flags = _place(r, target)
    if name_node is None:
        return r.read(value, depth + 1)
    define = define_function if is_function else define_class
    _, inner = define(r, value, Declared(r.text(name_node), name_node, parent=parent, whole=target.parent, flags=flags))
    return Expression("definition", "", (), (), "", inner, value.start_byte)


def _place(r: Reader, target: Node) -> tuple[Node | None, int, tuple[str, ...]]:
    """The token that names what is assigned, the definition to which it belongs, and flags."""
    k = r.kinds
    if target.kind_id == k.identifier:
        return (target, -1, ()) if r.scopes[r.scope].kind == "module" else (None, -1, ())
    if target.kind_id != k.member or len(target.children) != 3:
        return None, -1, ()
    owner, _, token = target.children
    if owner.kind_id == k.this:
        parent = _constructed(r)
        return (token, parent, ()) if parent > 0 else (None, -1, ())
    path = r.text(owner).split(".")
    is_method = path[-1] == "prototype" and len(path) > 1
    if is_method:
        path.pop()
    if len(path) != 1:
        return None, -1, ()
    parent = next((index for index in range(len(r.definitions) - 1, 0, -1) if _is_owner(r, index, path[0])), -1)
    return (token, parent, () if is_method else ("static",)) if parent > 0 else (None, -1, ())


def _is_owner(r: Reader, index: int, name: str) -> bool:
    found = r.definitions[index]
    return found.qualified_name == name and found.kind in _CLASSES


def _constructed(r: Reader) -> int:
    """The class, or the constructor function, whose instance `this` is at the present place; -1: none that is known."""
    scope = r.scope
    while scope > 0 and r.scopes[scope].kind in ("block", "lambda"):
        scope = r.scopes[scope].parent
    if scope <= 0 or r.scopes[scope].kind != "function":
        return -1
    index = r.scopes[scope].definition
    found = r.definitions[index]
    parent = r.definitions[found.parent]
    if parent.kind == "class":
        return found.parent
    return index if found.kind == "function" and found.name[:1].isupper() else -1
