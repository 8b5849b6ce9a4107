"""JavaScript's classes, interfaces and objects: what they inherit, and what an attribute of a value is.

Declarations of one name in one file (an interface and a class, an interface said twice) are one thing; so are a class and what is assigned to
its prototype.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.facts import Binding, Definition, Expression
from knowledge.graph.bindings import END
from knowledge.graph.javascript_names import COMMON, RUNTIME, JavaScriptNames
from knowledge.graph.javascript_types import SELF, JavaScriptTypes
from knowledge.graph.outline import CLASS_KINDS, MODULE_SCOPE, Outline
from knowledge.graph.reads import View
from knowledge.graph.values import (
    OPEN,
    UNKNOWN,
    Class,
    External,
    Flow,
    Following,
    Foreign,
    ForeignMethod,
    Function,
    Instance,
    Module,
    Place,
    Super,
    TypeVariable,
    Value,
    one,
    substitute,
    through,
    union,
)

_LONGEST = 60
_OF_FUNCTIONS = frozenset({"call", "apply", "bind", "name", "length", "toString"})


class JavaScriptClasses:
    """Classes of one resolution."""

    def __init__(self, view: View, names: JavaScriptNames, types: JavaScriptTypes, follow: Following) -> None:
        self._view = view
        self._names = names
        self._types = types
        self._follow = follow
        self._orders: dict[tuple[bytes, int], tuple[Value | None, ...]] = {}
        self._running: set[tuple[bytes, int]] = set()
        self._members: dict[tuple[bytes, int, str, bool], Flow | None] = {}

    def definition(self, path: bytes, index: int) -> Definition | None:
        """A definition that a value names; noted, for it may stand in another file."""
        outline = self._view.tree.outline(path)
        if outline is None:
            return None
        if path != self._view.importer:
            self._view.named(path, outline.top_of(index))
        return outline.definitions[index]

    def order(self, path: bytes, index: int) -> tuple[Value | None, ...]:
        """The class, then what it inherits from: Instances with their arguments, External things, None for what is not known."""
        key = (path, index)
        if key not in self._orders:
            if key in self._running or len(self._running) >= _LONGEST:
                return (None,)
            self._running.add(key)
            found: list[Value | None] = [Instance(path, index)]
            for base in self.bases(path, index):
                inherited = self.order(base.path, base.index) if isinstance(base, Instance) else (base,)
                if isinstance(base, Instance):
                    known = self._known(base)
                    inherited = (base, *(_fill(value, known) for value in inherited[1:]))
                found += [value for value in inherited if value is None or value not in found]
            self._orders[key] = tuple(found[: 4 * _LONGEST])
            self._running.discard(key)
        return self._orders[key]

    def bases(self, path: bytes, index: int) -> Iterator[Value | None]:
        """What the declarations of the class extend (interfaces that a class implements have no members for it)."""
        for sibling in self.siblings(path, index):
            definition = self.definition(path, sibling)
            for base in definition.bases if definition is not None else ():
                if base.kind != "operator":
                    yield self._base(Place(path, definition.scope if definition is not None else MODULE_SCOPE), base, definition)

    def _base(self, place: Place, base: Expression, definition: Definition | None) -> Value | None:
        flow = self._follow.expression(place, base)
        if definition is not None and definition.kind == "interface":
            flow = self.type_named(place, base)
        value = flow.values[0] if len(flow.values) == 1 else None
        if isinstance(value, Class):
            return Instance(value.path, value.index, value.arguments)
        return value if isinstance(value, Instance | External) else None

    def type_named(self, place: Place, expression: Expression) -> Flow:
        """What an expression names as a type: a name, or a member of a namespace or module."""
        if expression.kind == "name":
            return self._names.lookup(place, expression.name, END, True) or UNKNOWN
        if expression.kind == "attribute":
            owner = self._follow.expression(place, expression.parts[0])
            return union([self._member_type(value, expression.name) for value in owner.values] or [UNKNOWN])
        return UNKNOWN

    def _member_type(self, value: Value, name: str) -> Flow:
        found = self._names.exported(value.path, name, True) if isinstance(value, Module) else self.attribute(value, name)
        return found if found is not None else UNKNOWN

    def siblings(self, path: bytes, index: int) -> Sequence[int]:
        """The declarations that make up one class or interface."""
        outline = self._view.tree.outline(path)
        if outline is None:
            return ()
        definition = outline.definitions[index]
        if definition.kind not in CLASS_KINDS:
            return (index,)
        rows = [(i, outline.definitions[i]) for i in outline.defined(definition.qualified_name)]
        return [i for i, row in rows if row.kind in CLASS_KINDS and row.scope == definition.scope]

    def is_subclass(self, path: bytes, index: int, of: tuple[bytes, int]) -> bool:
        return any(isinstance(value, Instance) and (value.path, value.index) == of for value in self.order(path, index))

    # ── attributes ──

    def attribute(self, value: Value, name: str) -> Flow | None:
        """What `value.name` is; None where nothing that can be seen has it."""
        if isinstance(value, Module):
            found = self._names.exported(value.path, name)
            if found is None and (common := self._names.exported(value.path, COMMON)) is not None:
                return union([self.attribute(inner, name) or UNKNOWN for inner in common.values] or [UNKNOWN])
            return found
        if isinstance(value, External):
            return one(External(value.package, f"{value.name}.{name}" if value.name else name), "module")
        if isinstance(value, Instance | Class):
            return self._inherited(self.order(value.path, value.index), name, value)
        if isinstance(value, Super):
            return self._inherited(self.order(value.path, value.index)[1:], name, value.receiver)
        if isinstance(value, Foreign):
            return self._of_foreign(value, name)
        if isinstance(value, Function):
            return self._of_function(value, name)
        if isinstance(value, TypeVariable) and value.bound is not None:
            return union([self.attribute(bound, name) or UNKNOWN for bound in value.bound.values] or [UNKNOWN])
        return UNKNOWN

    def _of_foreign(self, value: Foreign, name: str) -> Flow:
        """A key of an object literal, else of what is spread into it, else a member of something outside."""
        items = [flow for key, flow in value.items if key == name]
        if items:
            return items[-1]
        for flow in reversed(value.arguments if value.name == "object" else ()):
            known = [spread for spread in flow.values if not isinstance(spread, Foreign | External)]
            found = [inner for spread in known if (inner := self.attribute(spread, name)) is not None]
            if found:
                return through(union(found), "attribute")
        return one(ForeignMethod(value, name), "attribute")

    def _of_function(self, value: Function, name: str) -> Flow | None:
        """What was assigned to a function: `make.of = …`, `Make.prototype.of = …`."""
        if name == "prototype":
            return one(Instance(value.path, value.index), "class")
        outline = self._view.tree.outline(value.path)
        added = outline.added.get(value.index, {}).get(name) if outline is not None else None
        if added and self.definition(value.path, value.index) is not None:
            return one(Function(value.path, added[-1]), "class")
        return one(External(RUNTIME, f"Function.{name}"), "module") if name in _OF_FUNCTIONS else UNKNOWN

    def _inherited(self, order: Sequence[Value | None], name: str, receiver: Value) -> Flow | None:
        is_certain = True
        for owner in order:
            if isinstance(owner, External):
                return one(ForeignMethod(Foreign(owner.package, owner.name), name), "attribute") if is_certain else UNKNOWN
            if not isinstance(owner, Instance):
                is_certain = False
                continue
            found = self._own(owner.path, owner.index, name, isinstance(receiver, Class))
            if found is not None:
                arguments = receiver.arguments if isinstance(receiver, Instance) and owner is order[0] else owner.arguments
                bound = self._bind(found, receiver, Instance(owner.path, owner.index, arguments))
                return Flow(bound.values, bound.is_certain and is_certain, bound.reason) if bound.values else bound
        return None if is_certain else UNKNOWN

    def _own(self, path: bytes, index: int, name: str, is_static: bool) -> Flow | None:
        key = (path, index, name, is_static)
        if key not in self._members:
            self._members[key] = UNKNOWN
            flows = [found for sibling in self.siblings(path, index) if (found := self._find(path, sibling, name, is_static)) is not None]
            self._members[key] = union(flows) if flows else None
        return self._members[key]

    def _find(self, path: bytes, index: int, name: str, is_static: bool) -> Flow | None:
        outline = self._view.tree.outline(path)
        if outline is None or self.definition(path, index) is None:
            return None
        definition = outline.definitions[index]
        body = outline.bodies.get(index, MODULE_SCOPE)
        bindings = outline.names[body].get(name, ()) if body != MODULE_SCOPE else ()
        if definition.kind == "enum":
            return one(Instance(path, index), "class") if bindings else None
        is_open = definition.kind in ("namespace", "interface")
        bindings = [b for b in bindings if is_open or self._is_static(outline, b) == is_static]
        if bindings:
            return self._declared(outline, Place(path, body), name, bindings)
        added = outline.added.get(index, {}).get(name)
        if added:
            return one(Function(path, added[-1]), "class")
        writes = outline.attributes.get(index, {}).get(name, ())
        flows = [self._follow.expression(Place(path, w.scope), w.value) if w.value is not None else UNKNOWN for w in writes]
        return through(union(flows), "attribute") if flows else None

    def _declared(self, outline: Outline, place: Place, name: str, bindings: Sequence[Binding]) -> Flow:
        last = bindings[-1]
        if last.annotation:
            return through(self._types.annotation(place, last.annotation), "attribute")
        flow = self._names.bound(place, name, bindings, END, False, False)
        owner = outline.scopes[place.scope].definition
        writes = outline.attributes.get(owner, {}).get(name, ())
        if last.kind == "definition":
            return flow
        flows = [self._follow.expression(Place(place.path, w.scope), w.value) if w.value is not None else UNKNOWN for w in writes]
        return through(union([flow, *flows] if last.value is not None else flows or [UNKNOWN]), "attribute")

    def _is_static(self, outline: Outline, binding: Binding) -> bool:
        return binding.target >= 0 and binding.kind in ("definition", "assignment") and "static" in outline.definitions[binding.target].flags

    def _bind(self, flow: Flow, receiver: Value, owner: Instance) -> Flow:
        """Binds methods to what they are got from, runs getters, and fills in type parameters."""
        known = self._known(owner)
        flows = []
        for value in flow.values:
            if isinstance(value, Function) and value.receiver is None:
                definition = self.definition(value.path, value.index)
                bound = Function(value.path, value.index, receiver)
                is_getter = definition is not None and "property" in definition.flags and "setter" not in definition.flags
                flows.append(substitute(through(self._follow.result(bound), "attribute"), known) if is_getter else one(bound, flow.reason))
            else:
                flows.append(substitute(Flow((value,), True, flow.reason), known))
        if not flows:
            return flow
        found = union(flows)
        return Flow(found.values, found.is_certain and flow.is_certain, found.reason)

    def fill(self, flow: Flow, function: Function) -> Flow:
        """A result seen through what the method was got from: `this`, and the type parameters of the class."""
        receiver = function.receiver
        if isinstance(receiver, Class):
            receiver = Instance(receiver.path, receiver.index, receiver.arguments)
        if not isinstance(receiver, Instance) or not any(isinstance(value, OPEN) for value in flow.values):
            return flow
        known = {(SELF.path, SELF.name): one(receiver, "self")}
        definition = self.definition(function.path, function.index)
        own = self._known(receiver)
        for value in self.order(receiver.path, receiver.index):
            if definition is not None and isinstance(value, Instance) and (value.path, value.index) == (function.path, definition.parent):
                known |= own if (value.path, value.index) == (receiver.path, receiver.index) else self._known(_fill(value, own))
        return substitute(flow, known)

    def _known(self, instance: Value | None) -> dict[tuple[bytes, str], Flow]:
        if not isinstance(instance, Instance) or not instance.arguments:
            return {}
        return dict(zip(self._types.parameters(instance.path, instance.index), instance.arguments, strict=False))


def _fill(value: Value | None, known: dict[tuple[bytes, str], Flow]) -> Value | None:
    if not known or not isinstance(value, Instance) or not value.arguments:
        return value
    return Instance(value.path, value.index, tuple(substitute(argument, known) for argument in value.arguments))
