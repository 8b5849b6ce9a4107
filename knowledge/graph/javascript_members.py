"""What a member of a value is: of an object, a class, a module, a literal, a type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from analyzers.facts import Expression
from knowledge.graph.javascript_calls import Calls, Inferred
from knowledge.graph.javascript_classes import Classes, Found, Member
from knowledge.graph.javascript_names import WHOLE, Names
from knowledge.graph.javascript_outside import FUNCTION_MEMBERS
from knowledge.graph.javascript_types import Types
from knowledge.graph.javascript_values import RUNTIME, Described, Environment, Parameter, Prototype, Typed, Written, environment_of
from knowledge.graph.outline import MODULE_SCOPE
from knowledge.graph.reads import Tree
from knowledge.graph.values import (
    UNKNOWN,
    Class,
    External,
    Flow,
    Foreign,
    ForeignMethod,
    Function,
    Instance,
    Lambda,
    Module,
    Place,
    Super,
    Value,
    one,
    through,
)


class MemberFollowing(Protocol):
    """What members ask of the rest."""

    def expression(self, place: Place, expression: Expression) -> Flow:
        """What an expression may be."""
        ...

    def attributes(self, owner: Flow, name: str) -> Flow:
        """What `name` of any of these values is."""
        ...


class Members:
    """See the module's docstring."""

    def __init__(self, tree: Tree, names: Names, types: Types, classes: Classes, calls: Calls, follow: MemberFollowing) -> None:
        self._tree = tree
        self._names = names
        self._types = types
        self._classes = classes
        self._calls = calls
        self._declarations = types.declarations
        self._follow = follow

    def of(self, value: Value, name: str) -> Flow | None:
        """What `value.name` is; None where the value is known not to have it."""
        if isinstance(value, Instance):
            return self._of_instance(value, name)
        follow = _MEMBERS.get(type(value))
        return follow(self, value, name) if follow is not None else UNKNOWN

    def _of_instance(self, value: Instance, name: str) -> Flow | None:
        return self._of_found(value, self._classes.find(value.path, value.index, name, False), value, environment_of(value))

    def _of_found(self, value: Instance | Class | Super, found: Found | None, receiver: Value, outermost: Environment | None) -> Flow | None:
        if found is None:
            return None
        order = self._classes.order(value.path, value.index)
        if found.member is None:
            outside = order[found.row].external if found.is_certain else None
            return one(ForeignMethod(Foreign(outside.package, outside.name), ""), "attribute") if outside is not None else UNKNOWN
        environment = self._classes.environment(order, found.row, receiver, outermost)
        made = self._made_with(found.member, outermost)
        flow = made if made is not None else self._classes.value(found.member, receiver, environment)
        return flow if found.is_certain or not flow.values else Flow(flow.values, False, flow.reason)

    def _made_with(self, member: Member, outermost: Environment | None) -> Flow | None:
        """What the call that made the object passed for a member that its constructor only hands on."""
        if member.bindings or member.added or not isinstance(outermost, Inferred) or len(member.writes) != 1:
            return None
        write = member.writes[0]
        if write.value is None or write.value.kind != "name" or write.annotation:
            return None
        found = self._calls.argument(outermost, member.path, write.scope, write.value.name)
        # Another function may be put there later; of which class an object is, its users rely on.
        return _unless_function(found, "argument") if found is not None else None

    def _of_class(self, value: Class, name: str) -> Flow | None:
        outline = self._tree.outline(value.path)
        definition = self._declarations.get(value.path, value.index)
        if outline is None or definition is None:
            return UNKNOWN
        if definition.kind == "namespace":
            return self._of_namespace(value.path, value.index, name)
        if definition.kind == "enum":
            return one(Typed(value.path, value.index), "class")
        if name == "prototype":
            return one(Prototype(value.path, value.index), "class")
        found = self._of_found(value, self._classes.find(value.path, value.index, name, True), value, None)
        return found if found is not None else self._of_siblings(value.path, value.index, name)

    def _of_siblings(self, path: bytes, index: int, name: str) -> Flow | None:
        """A member that a namespace of the same name adds."""
        outline = self._tree.outline(path)
        definition = outline.definitions[index] if outline is not None else None
        for sibling in self._declarations.named(path, definition.parent, definition.name) if definition is not None else ():
            if outline is not None and outline.definitions[sibling].kind == "namespace":
                found = self._of_namespace(path, sibling, name)
                if found is not None:
                    return found
        return None

    def _of_namespace(self, path: bytes, index: int, name: str) -> Flow | None:
        outline = self._tree.outline(path)
        for sibling in self._declarations.siblings(path, index):
            scope = outline.bodies.get(sibling, -1) if outline is not None else -1
            if scope > MODULE_SCOPE and outline is not None and name in outline.names[scope]:
                return self._names.lookup(Place(path, scope), name, 1 << 60)
        return None

    def _of_module(self, value: Module, name: str) -> Flow | None:
        home = self._names.exported(value.path, name)
        if home is not None:
            return through(self._names.value(home), "module")
        whole = self._names.exported(value.path, WHOLE)
        if whole is not None:
            return self._follow.attributes(self._names.value(whole), name)
        return UNKNOWN if self._names.has_outside(value.path) else None

    def _of_external(self, value: External, name: str) -> Flow | None:
        return one(External(value.package, f"{value.name}.{name}" if value.name else name), "module")

    def _of_super(self, value: Super, name: str) -> Flow | None:
        is_static = isinstance(value.receiver, Class)
        found = self._classes.find(value.path, value.index, name, is_static, 1)
        return self._of_found(value, found, value.receiver, None)

    def _of_function(self, value: Function, name: str) -> Flow | None:
        if name == "prototype":
            return one(Prototype(value.path, value.index), "class")
        outline = self._tree.outline(value.path)
        added = outline.added.get(value.index, {}).get(name, ()) if outline is not None else ()
        fitting = [i for i in added if outline is not None and "static" in outline.definitions[i].flags]
        if fitting and self._declarations.get(value.path, value.index) is not None:
            return one(Function(value.path, fitting[-1]), "class")
        found = self._of_siblings(value.path, value.index, name)
        return found if found is not None else self._of_callable(value, name)

    def _of_callable(self, value: Value, name: str) -> Flow | None:
        if name in FUNCTION_MEMBERS:
            return one(ForeignMethod(Foreign(RUNTIME, "Function", (), (("", one(value, "flow")),)), name), "attribute")
        return UNKNOWN

    def _of_written(self, value: Written, name: str) -> Flow | None:
        expression = value.expression
        if value.name == "Array":
            return self._of_array(value, name)
        for key, part in reversed(tuple(zip(expression.keywords, expression.parts, strict=False))):
            if key == name:
                return self._item(value, part)
            if part.kind == "spread" and part.parts:
                found = self._follow.attributes(self._follow.expression(value.place, part.parts[0]), name)
                if found.values:
                    return through(found, "container")
        return UNKNOWN if "" in expression.keywords else None

    def _item(self, value: Written, part: Expression) -> Flow:
        found = self._follow.expression(value.place, part)
        if part.kind == "definition":
            bound = tuple(Function(v.path, v.index, value) if isinstance(v, Function) else v for v in found.values)
            return Flow(bound, found.is_certain, "local")
        return _unless_function(found, "container")

    def _of_array(self, value: Written, name: str) -> Flow | None:
        parts = value.expression.parts
        if not name.isdigit():
            return one(ForeignMethod(value, name), "attribute")
        if any(part.kind == "spread" for part in parts):
            return self._calls.outside.elements(one(value, "container"))
        return _unless_function(self._follow.expression(value.place, parts[int(name)]), "container") if int(name) < len(parts) else UNKNOWN

    def _of_described(self, value: Described, name: str) -> Flow | None:
        if value.name in ("Object", "intersection") and value.package == RUNTIME:
            return self._types.member(value, name)
        if value.name == "Function":
            return self._of_callable(value, name)
        return self._of_foreign(value, name)

    def _of_foreign(self, value: Foreign, name: str) -> Flow | None:
        if value.items or name.isdigit():
            found = self._calls.outside.item(value, name)
            if found.values:
                return found
        return one(ForeignMethod(value, name), "attribute")

    def _of_foreign_method(self, value: ForeignMethod, name: str) -> Flow | None:
        return one(ForeignMethod(value.owner, ""), "attribute")

    def _of_parameter(self, value: Parameter, name: str) -> Flow | None:
        return self._follow.attributes(self._types.bound(value), name)


def _unless_function(flow: Flow, reason: str) -> Flow:
    """A flow through something that may be given other functions later; of which class its objects are is as good as declared."""
    return through(flow, reason, not any(isinstance(value, Function | Lambda) for value in flow.values))


_MEMBERS: dict[type, Callable[..., Flow | None]] = {
    Class: Members._of_class, Module: Members._of_module, External: Members._of_external, Super: Members._of_super,
    Function: Members._of_function, Lambda: Members._of_callable, Written: Members._of_written,
    Described: Members._of_described, Foreign: Members._of_foreign, ForeignMethod: Members._of_foreign_method,
    Parameter: Members._of_parameter,
}  # fmt: skip
