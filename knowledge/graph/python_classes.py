"""Python's classes: their order of resolution, their members, and what an attribute of an object, class or module is."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, cast

import msgspec

from analyzers.facts import Access, Binding, Definition, Expression
from knowledge.graph.bindings import END
from knowledge.graph.outline import MODULE_SCOPE
from knowledge.graph.python_names import Names
from knowledge.graph.python_types import SELF, annotation_of
from knowledge.graph.reads import View
from knowledge.graph.values import (
    NOTHING,
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
    Lambda,
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

Known = Mapping[tuple[bytes, str], Flow]
"""What type parameters stand for."""

_LONGEST = 200
"""A class with more ancestors than this is not followed further."""
_PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property", "abc.abstractproperty"})
_GENERIC = frozenset({"Generic", "Protocol"})
_SIMPLE_BASES = frozenset({
    ("builtins", "object"), ("abc", "ABC"), ("typing", "Generic"), ("typing", "Protocol"), ("typing_extensions", "Protocol"),
    ("typing_extensions", "Generic"),
})  # fmt: skip
"""Bases outside the repository that bring no members of their own."""
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


class PythonFollowing(Following, Protocol):
    """What Python's parts ask of one another besides."""

    def module(self, importer: bytes, level: int, module: str) -> Flow:
        """The module that an import in the file `importer` names."""
        ...

    def call_method(self, value: Value, name: str) -> Flow:
        """What `value.name()` gives, the arguments aside."""
        ...

    def result_of_function(self, function: Function) -> Flow:
        """What a function returns: what its annotation says, else what its return statements give."""
        ...

    def result_of_lambda(self, function: Lambda) -> Flow:
        """What the expression of an anonymous function gives."""
        ...

    def elements(self, flow: Flow) -> Flow:
        """What iterating gives."""
        ...

    def of_stub(self, path: bytes, owner: int, name: str) -> Flow:
        """What a stub says that a variable of a module (owner 0) or class is."""
        ...

    def decorated_below(self, function: Function, number: int) -> Flow:
        """What a function's name would stand for with only the decorators after `number`: what that one is given."""
        ...

    def assigned(self, place: Place, name: Expression) -> Expression | None:
        """The expression that a local name was assigned, where that is the only one."""
        ...

    def parameter(self, function: Function, call: Expression, scope: int) -> Flow:
        """The declared type of the parameter to which a call passes the lambda with this scope."""
        ...


class Ancestor(msgspec.Struct, frozen=True):
    """One class of an order of resolution. path b"": outside the repository (`external`), or not known at all (`external` None)."""

    path: bytes
    index: int
    arguments: tuple[Flow, ...] = ()
    external: External | None = None


class InheritedMethod(msgspec.Struct, frozen=True, gc=False):
    """A method of a class above. is_certain: no class that cannot be looked into stands between."""

    path: bytes
    index: int
    is_certain: bool


_UNKNOWN_ANCESTOR = Ancestor(b"", -1)


class Classes:
    """Classes of one resolution; orders of resolution are remembered."""

    def __init__(self, view: View, names: Names, follow: PythonFollowing, prefers_assigned: bool, outsider: Callable[[View], Classes]) -> None:
        """outsider: makes the classes of a view that belongs to no file."""
        self._prefers_assigned = prefers_assigned
        self._view = view
        self._names = names
        self._follow = follow
        self._outsider = outsider
        self._definitions: dict[tuple[bytes, int], Definition] = {}
        self._orders: dict[tuple[bytes, int], tuple[Ancestor, ...]] = {}
        self._parameters: dict[tuple[bytes, int], list[TypeVariable]] = {}
        self._members: dict[tuple[bytes, int, str, bool], Flow | None] = {}

    def definition(self, path: bytes, index: int) -> Definition | None:
        """A definition that a value names; noted, for it may stand in another file."""
        key = (path, index)
        found = self._definitions.get(key)
        if found is None:
            outline = self._view.tree.outline(path)
            if outline is None:
                return None
            self._view.named(path, outline.top_of(index))
            found = self._definitions[key] = outline.definitions[index]
        return found

    # ── order of resolution ──

    def order(self, path: bytes, index: int) -> tuple[Ancestor, ...]:
        """The class and its ancestors in the order in which Python looks for members (C3; as written where that has no answer)."""
        key = (path, index)
        found = self._orders.get(key)
        if found is None:
            answer = self._view.tree.orders.ask(key, lambda: self._from_outside(path, index))
            if answer is None:
                return (Ancestor(path, index), _UNKNOWN_ANCESTOR)
            self._view.note(answer.noted)
            found = self._orders[key] = cast("tuple[Ancestor, ...]", answer.value)
        return found

    def _from_outside(self, path: bytes, index: int) -> tuple[object, frozenset[tuple[str, str]]]:
        """The order as any other file sees it, and what it rests on."""
        view = View(self._view.tree, b"")
        return self._outsider(view).linearize(path, index), view.noted()

    def linearize(self, path: bytes, index: int) -> tuple[Ancestor, ...]:
        """The order of a class out of those of its bases."""
        bases = list(self.bases(path, index))
        if not bases:
            return (Ancestor(path, index),)
        orders = []
        for base in bases:
            if not base.path:
                orders.append([base])
                continue
            known = self._parameters_of(base)
            orders.append([base, *(_fill(ancestor, known) for ancestor in self.order(base.path, base.index)[1:])])
        merged = orders[0] if len(bases) == 1 else _merge([*orders, bases])
        return (Ancestor(path, index), *merged[:_LONGEST])

    def bases(self, path: bytes, index: int) -> Iterator[Ancestor]:
        """The direct bases as written. A base that cannot be followed is an ancestor that is not known."""
        definition = self.definition(path, index)
        for expression in definition.bases if definition is not None else ():
            place = Place(path, definition.scope if definition is not None else MODULE_SCOPE)
            arguments: tuple[Flow, ...] = ()
            if expression.kind == "subscript":
                arguments = self._follow.type_arguments(place, expression)
                expression = expression.parts[0]
            flow = self._follow.expression(place, expression)
            value = flow.values[0] if len(flow.values) == 1 else None
            if isinstance(value, Class):
                yield Ancestor(value.path, value.index, arguments or value.arguments)
            elif isinstance(value, External):
                if (value.package, value.name) not in _SIMPLE_BASES:
                    yield Ancestor(b"", -1, (), value)
            elif flow.values or not flow.is_certain:
                yield _UNKNOWN_ANCESTOR

    def parameters(self, path: bytes, index: int) -> list[TypeVariable]:
        """The type parameters of a class, in order: those of Generic or Protocol, else as they first appear in its bases."""
        key = (path, index)
        if key not in self._parameters:
            self._parameters[key] = self._find_parameters(path, index)
        return self._parameters[key]

    def _find_parameters(self, path: bytes, index: int) -> list[TypeVariable]:
        definition = self.definition(path, index)
        if definition is None:
            return []
        found: dict[str, TypeVariable] = {p.name: TypeVariable(path, p.name) for p in definition.parameters if p.kind == "type"}
        place = Place(path, definition.scope)
        for expression in definition.bases:
            annotation = annotation_of(expression)
            if not annotation.arguments:
                continue
            for argument in annotation.arguments:
                flow = self._names.lookup(place, argument.name, END) if argument.kind == "name" and "." not in argument.name else None
                for value in flow.values if flow is not None else ():
                    if isinstance(value, TypeVariable):
                        found.setdefault(value.name, value)
            if annotation.name.rpartition(".")[2] in _GENERIC:
                break
        return list(found.values())

    def _parameters_of(self, ancestor: Ancestor) -> dict[tuple[bytes, str], Flow]:
        if not ancestor.arguments:
            return {}
        parameters = self.parameters(ancestor.path, ancestor.index)
        return {(p.path, p.name): argument for p, argument in zip(parameters, ancestor.arguments, strict=False)}

    def is_enum(self, path: bytes, index: int) -> bool:
        return any(a.external is not None and a.external.name.rpartition(".")[2] in _ENUMS for a in self.order(path, index))

    def is_subclass(self, path: bytes, index: int, of: tuple[bytes, int]) -> bool:
        wanted, number = of
        for ancestor in self.order(path, index):  # noqa: SIM110 (a generator costs three times as much, and this is asked all the time)
            if ancestor.index == number and ancestor.path == wanted:
                return True
        return False

    # ── attributes ──

    def attribute(self, value: Value, name: str) -> Flow | None:
        """What `value.name` is; None where nothing that can be seen has it."""
        if name == "__class__" and isinstance(value, Instance):
            return one(Class(value.path, value.index, value.arguments), "class")
        if isinstance(value, Module):
            return self._names.module_name(value.path, name)
        if isinstance(value, External):
            return one(External(value.package, f"{value.name}.{name}" if value.name else name), "module")
        if isinstance(value, Instance):
            return self.member(self.order(value.path, value.index), name, value, value.arguments)
        if isinstance(value, Class):
            return self.member(self.order(value.path, value.index), name, value, value.arguments)
        if isinstance(value, Super):
            return self.member(self.order(value.path, value.index)[1:], name, value.receiver, ())
        if isinstance(value, Foreign):
            return one(ForeignMethod(value, name), "attribute")
        if isinstance(value, ForeignMethod):
            return UNKNOWN
        if isinstance(value, TypeVariable) and value.bound is not None:
            return union([self.attribute(bound, name) or UNKNOWN for bound in value.bound.values] or [UNKNOWN])
        return UNKNOWN

    def constructor(self, value: Class, name: str) -> Function | None:
        """The method `name` (`__init__`, `__new__`) that making an object of a class runs."""
        made = self.attribute(Instance(value.path, value.index), name)
        return next((found for found in made.values if isinstance(found, Function)), None) if made is not None else None

    def inherited_method(self, path: bytes, index: int, name: str) -> InheritedMethod | None:
        """The nearest method of that name above a class."""
        is_certain = True
        for ancestor in self.order(path, index)[1:]:
            if not ancestor.path:
                is_certain = False
                continue
            outline = self._view.tree.outline(ancestor.path)
            bindings = outline.members(ancestor.index).get(name) if outline is not None else None
            if not bindings or outline is None or self.definition(ancestor.path, ancestor.index) is None:
                continue
            last = bindings[-1]
            if last.kind != "definition" or outline.definitions[last.target].kind != "method":
                return None
            return InheritedMethod(ancestor.path, last.target, is_certain)
        return None

    def members_beginning(self, value: Instance, prefix: str) -> Iterator[Flow]:
        """The methods of an object whose names begin so."""
        for ancestor in self.order(value.path, value.index):
            outline = self._view.tree.outline(ancestor.path) if ancestor.path else None
            for name in outline.members(ancestor.index) if outline is not None and prefix else ():
                if name.startswith(prefix) and (found := self.attribute(value, name)) is not None:
                    yield found

    def member(self, order: tuple[Ancestor, ...], name: str, receiver: Value, arguments: tuple[Flow, ...]) -> Flow | None:
        """The first class of an order that has `name`, and what it is got through `receiver`."""
        is_certain = True
        for position, ancestor in enumerate(order):
            if not ancestor.path:
                # What stands behind a class that cannot be looked into may be hidden by it.
                is_certain = False
                if ancestor.external is not None and not self._stands_behind(order[position + 1 :], name):
                    return one(ForeignMethod(Foreign(ancestor.external.package, ancestor.external.name), name), "attribute")
                continue
            flow = self._own_member(ancestor, name, isinstance(receiver, Class))
            if flow is not None:
                known = dict(self._parameters_of(ancestor))
                if position == 0 and arguments:
                    known = dict(self._parameters_of(msgspec.structs.replace(ancestor, arguments=arguments)))
                flow = self._bind(flow, receiver, known)
                return Flow(flow.values, flow.is_certain and is_certain, flow.reason) if flow.values else flow
        return None if is_certain else UNKNOWN

    def _stands_behind(self, order: tuple[Ancestor, ...], name: str) -> bool:
        return any(ancestor.path and self._own_member(ancestor, name, False) is not None for ancestor in order)

    def _own_member(self, ancestor: Ancestor, name: str, through_class: bool) -> Flow | None:
        key = (ancestor.path, ancestor.index, name, through_class)
        if key not in self._members:
            # An attribute whose value needs the attribute itself is unknown inside.
            self._members[key] = UNKNOWN
            self._members[key] = self._find_member(ancestor, name, through_class)
        return self._members[key]

    def _find_member(self, ancestor: Ancestor, name: str, through_class: bool) -> Flow | None:
        """What the class itself says of the attribute: its declared type, else everything assigned to it."""
        outline = self._view.tree.outline(ancestor.path)
        if outline is None or self.definition(ancestor.path, ancestor.index) is None:
            return None
        bindings = [b for b in outline.members(ancestor.index).get(name, ()) if b.kind not in ("delete", "global", "nonlocal")]
        writes = outline.attributes.get(ancestor.index, {}).get(name, ())
        if not bindings and not writes:
            return None
        body = outline.bodies.get(ancestor.index, MODULE_SCOPE)
        declared = self._declared(ancestor.path, body, bindings, writes)
        if declared is not None and not self._prefers_assigned:
            return through(declared, "attribute")
        if bindings and not writes and all(b.kind == "definition" for b in bindings):
            return self._names.bound(ancestor.path, body, name, bindings, END)
        if bindings and bindings[-1].kind == "assignment" and through_class and self.is_enum(ancestor.path, ancestor.index):
            return one(Instance(ancestor.path, ancestor.index), "class")
        assigned = self._assigned(Place(ancestor.path, body), name, bindings, writes)
        if declared is None and not assigned.values and not assigned.is_certain:
            assigned = self._follow.of_stub(ancestor.path, ancestor.index, name)
        if declared is not None:
            # Of what is assigned only what can be followed is more than the declaration says.
            return Flow(assigned.values, False, "assigned") if assigned.values else through(declared, "attribute")
        return through(assigned, "attribute")

    def _declared(self, path: bytes, body: int, bindings: Sequence[Binding], writes: Sequence[Access]) -> Flow | None:
        declared = next((b.annotation for b in bindings if b.annotation), "")
        if declared and not self._is_plain(declared):
            return self._follow.annotation(Place(path, body), declared)
        written = next((write for write in writes if write.annotation), None)
        return self._follow.annotation(Place(path, written.scope), written.annotation) if written is not None else None

    def _assigned(self, place: Place, name: str, bindings: Sequence[Binding], writes: Sequence[Access]) -> Flow:
        flows = []
        if bindings:
            flows.append(self._described(union(self._value_of(place, name, bindings))))
        for write in writes:
            flows.append(self._follow.expression(Place(place.path, write.scope), write.value) if write.value is not None else UNKNOWN)
        return union(flows)

    def _value_of(self, place: Place, name: str, bindings: Sequence[Binding]) -> Iterator[Flow]:
        """What a class body gives an attribute; a mere declaration gives nothing."""
        if not self._prefers_assigned or not any(b.annotation for b in bindings):
            yield self._names.bound(place.path, place.scope, name, bindings, END)
            return
        for binding in bindings:
            yield self._follow.expression(place, binding.value) if binding.value is not None else NOTHING

    def _is_plain(self, annotation: str) -> bool:
        """`x: Final = …` and `x: ClassVar = …` declare no type."""
        return annotation.rpartition(".")[2] in ("Final", "ClassVar")

    def _described(self, flow: Flow) -> Flow:
        """What a descriptor in a class body gives when it is read through an object."""
        if not any(isinstance(value, Instance) for value in flow.values):
            return flow
        flows = []
        for value in flow.values:
            getter = self.attribute(value, "__get__") if isinstance(value, Instance) else None
            flows.append(self._follow_call(getter) if getter is not None and getter.values else Flow((value,), True, flow.reason))
        return union(flows)

    def _follow_call(self, flow: Flow) -> Flow:
        found = [self.declared_result(value) for value in flow.values if isinstance(value, Function)]
        return union(found or [UNKNOWN])

    def declared_result(self, function: Function) -> Flow:
        """What a function's annotation says that it returns; unknown without one."""
        definition = self.definition(function.path, function.index)
        if definition is None or not definition.returns:
            return UNKNOWN
        flow = self._follow.annotation(Place(function.path, definition.scope), definition.returns)
        return through(self.fill(flow, function), "return")

    def fill(self, flow: Flow, function: Function) -> Flow:
        """A result seen through what the method was got from: `Self`, and the type parameters of the class."""
        receiver = function.receiver
        if isinstance(receiver, Class):
            receiver = Instance(receiver.path, receiver.index, receiver.arguments)
        if not isinstance(receiver, Instance) or not any(isinstance(value, OPEN) for value in flow.values):
            return flow
        known = {(SELF.path, SELF.name): one(receiver, "self")}
        definition = self.definition(function.path, function.index)
        own = self._parameters_of(Ancestor(receiver.path, receiver.index, receiver.arguments))
        for ancestor in self.order(receiver.path, receiver.index):
            if definition is not None and (ancestor.path, ancestor.index) == (function.path, definition.parent):
                known |= own if (ancestor.path, ancestor.index) == (receiver.path, receiver.index) else self._parameters_of(_fill(ancestor, own))
        return substitute(flow, known)

    def _bind(self, flow: Flow, receiver: Value, known: Known) -> Flow:
        """Binds functions to what they are got from, runs properties, and fills in type parameters."""
        flows = []
        for value in flow.values:
            if isinstance(value, Function) and value.receiver is None:
                flows.append(self._bind_function(value, receiver, known, flow.reason))
            else:
                flows.append(substitute(Flow((value,), True, flow.reason), known))
        if not flows:
            return flow
        found = union(flows)
        return Flow(found.values, found.is_certain and flow.is_certain, found.reason)

    def _bind_function(self, value: Function, receiver: Value, known: Known, reason: str) -> Flow:
        definition = self.definition(value.path, value.index)
        if definition is None:
            return UNKNOWN
        if not definition.flags and not definition.decorators:
            return one(value if isinstance(receiver, Class) else Function(value.path, value.index, receiver), reason)
        is_property = "property" in definition.flags or _is_property(annotation_of(decorator).name for decorator in definition.decorators)
        if isinstance(receiver, Instance | Super) and is_property:
            bound = Function(value.path, value.index, receiver)
            return substitute(through(self._follow.result_of_function(bound), "attribute"), known)
        if "static" in definition.flags:
            return one(value, reason)
        if "class" in definition.flags and isinstance(receiver, Instance):
            receiver = Class(receiver.path, receiver.index, receiver.arguments)
        if isinstance(receiver, Class) and "class" not in definition.flags:
            return one(value, reason)
        return one(Function(value.path, value.index, receiver), reason)


def _is_property(decorators: Iterable[str]) -> bool:
    return any(name in _PROPERTIES or name.rpartition(".")[2] in ("property", "cached_property") for name in decorators)


def _fill(ancestor: Ancestor, known: Known) -> Ancestor:
    if not known or not ancestor.arguments:
        return ancestor
    return msgspec.structs.replace(ancestor, arguments=tuple(substitute(argument, known) for argument in ancestor.arguments))


def _merge(orders: list[list[Ancestor]]) -> list[Ancestor]:
    """C3: the first head that stands in no other tail, again and again; where there is none, the first head. Of what is not known the first stays."""
    rest = [deque(_known_once(order)) for order in orders if order]
    # What is not known waits for nothing: it may be any class, so that all behind it is uncertain.
    tails = Counter(_identity(other) for order in rest for other in list(order)[1:] if _is_known(other))
    merged: list[Ancestor] = []
    while rest and len(merged) < _LONGEST:
        head = next((order[0] for order in rest if not tails[_identity(order[0])]), rest[0][0])
        merged.append(head)
        for order in rest:
            if _identity(order[0]) == _identity(head):
                order.popleft()
                if order and _is_known(order[0]):
                    tails[_identity(order[0])] -= 1
            elif tails[_identity(head)] and (again := next((other for other in order if _identity(other) == _identity(head)), None)) is not None:
                order.remove(again)
                tails[_identity(head)] -= 1
        rest = [order for order in rest if order]
    return list(_known_once(merged))


def _known_once(order: Iterable[Ancestor]) -> Iterator[Ancestor]:
    """Without what is not known, but for the first of it: a lattice of unknown classes would have more of them at each level."""
    is_first = True
    for ancestor in order:
        if _is_known(ancestor):
            yield ancestor
        elif is_first:
            is_first = False
            yield ancestor


def _is_known(ancestor: Ancestor) -> bool:
    return bool(ancestor.path) or ancestor.external is not None


def _identity(ancestor: Ancestor) -> tuple[bytes, int, External | None]:
    return ancestor.path, ancestor.index, ancestor.external
