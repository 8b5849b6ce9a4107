"""What an expression may stand for, as far as name resolution can follow it.

A **flow** is the set of values an expression may have, whether these are all of them, and the weakest step that led there. Only a
certain flow with one target makes a resolved edge. Nothing here depends on a language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeAlias

import msgspec

from analyzers.facts import Expression
from knowledge.graph.annotations import Annotation


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where an expression stands: its file and scope."""

    path: bytes
    scope: int


class Module(msgspec.Struct, frozen=True, gc=False):
    """A module of the repository. A path with "/" at its end is a namespace directory."""

    path: bytes


class Function(msgspec.Struct, frozen=True):
    """A function definition. `receiver`: what it is bound to, for a method that was got from something."""

    path: bytes
    index: int
    receiver: Value | None = None


class Class(msgspec.Struct, frozen=True):
    """A class definition, with the flows that its type parameters stand for where that is known."""

    path: bytes
    index: int
    arguments: tuple[Flow, ...] = ()


class Instance(msgspec.Struct, frozen=True):
    """An object of a class (or of a subclass: a call through it is one that the class declares)."""

    path: bytes
    index: int
    arguments: tuple[Flow, ...] = ()


class External(msgspec.Struct, frozen=True, gc=False):
    """Something of an outside package by its dotted name there; name "" is the package's own top module."""

    package: str
    name: str


class Foreign(msgspec.Struct, frozen=True):
    """An object whose type is outside the repository. `arguments` are the flows of its elements (a mapping's: keys, values).

    items: for a literal, what stands at each constant key.
    """

    package: str
    name: str
    arguments: tuple[Flow, ...] = ()
    items: tuple[tuple[str, Flow], ...] = ()


class ForeignMethod(msgspec.Struct, frozen=True):
    """A member of a foreign object."""

    owner: Foreign
    name: str


class Lambda(msgspec.Struct, frozen=True, gc=False):
    """An anonymous function: its body's scope."""

    path: bytes
    scope: int


class Super(msgspec.Struct, frozen=True):
    """What `super()` gives inside a class: its members after the class itself in the order of resolution."""

    path: bytes
    index: int
    receiver: Value


class Callable(msgspec.Struct, frozen=True):
    """Something that gives `result` when called with `parameters`, and perhaps calls `function` then (a partial)."""

    result: Flow
    function: Flow | None = None
    parameters: tuple[Flow, ...] = ()


class TypeVariable(msgspec.Struct, frozen=True):
    """A type parameter, by the file and name that declare it; `bound`: what it is at least."""

    path: bytes
    name: str
    bound: Flow | None = None


class Alias(msgspec.Struct, frozen=True):
    """A type that is not a plain class: what it says, and where its names are looked up."""

    place: Place
    annotation: Annotation


Value: TypeAlias = (
    Module | Function | Class | Instance | External | Foreign | ForeignMethod | Lambda | Super | Callable | TypeVariable | Alias
)  # fmt: skip


class Flow(msgspec.Struct, frozen=True):
    """values: what it may be. is_certain: nothing else is possible, as far as types and assignments tell. reason: the weakest step."""

    values: tuple[Value, ...]
    is_certain: bool
    reason: str = ""


UNKNOWN = Flow((), False)
NOTHING = Flow((), True)
"""None, undefined, or a function that returns nothing: no call goes through it."""

STRENGTH = (
    "local", "import", "self", "super", "module", "class", "constructor", "annotation", "narrowed", "return", "attribute", "enter", "iteration",
    "flow", "decorator", "callback", "container", "argument", "assigned", "prefix", "fixture",
)  # fmt: skip
"""Steps from strong to weak: a flow is called by the weakest that it took."""
_RANK = {reason: rank for rank, reason in enumerate(STRENGTH)}
WIDTH = 16
"""What may be more than this is unknown: to name some of them would be arbitrary."""
_SUBSTITUTION_DEPTH = 6


class Following(Protocol):
    """What the parts of a language's resolver ask of one another."""

    def expression(self, place: Place, expression: Expression) -> Flow:
        """What an expression may be."""
        ...

    def annotation(self, place: Place, text: str) -> Flow:
        """What something may be that is declared with this type."""
        ...

    def type_arguments(self, place: Place, subscript: Expression) -> tuple[Flow, ...]:
        """What the types in the brackets of `X[A, B]` describe."""
        ...

    def result(self, value: Value) -> Flow:
        """What calling a value gives, the arguments aside."""
        ...

    def attribute(self, value: Value, name: str) -> Flow | None:
        """What `value.name` may be; None where the value is known not to have it as far as can be seen."""
        ...

    def lookup(self, place: Place, name: str, start: int) -> Flow | None:
        """What a name may be at a byte offset of its file; None where nothing declares it."""
        ...


def one(value: Value, reason: str) -> Flow:
    """Exactly this value."""
    return Flow((value,), True, reason)


def weaker(one_reason: str, other: str) -> str:
    """The weaker of two steps."""
    return one_reason if _RANK.get(one_reason, -1) >= _RANK.get(other, -1) else other


def through(flow: Flow, reason: str, is_certain: bool = True) -> Flow:
    """The flow after one more step."""
    if not flow.values:
        return flow if flow.is_certain and is_certain else UNKNOWN
    return Flow(flow.values, flow.is_certain and is_certain, weaker(flow.reason, reason))


def union(flows: Iterable[Flow]) -> Flow:
    """Any of these flows: certain only if all of them are. Nothing at all is unknown."""
    values: list[Value] = []
    is_certain, is_empty, reason = True, True, ""
    for flow in flows:
        is_empty = False
        is_certain = is_certain and flow.is_certain
        if flow.values:
            reason = weaker(reason, flow.reason) if reason else flow.reason
            values += [value for value in flow.values if value not in values]
    if is_empty:
        return UNKNOWN
    return Flow(tuple(values), is_certain, reason) if len(values) <= WIDTH else UNKNOWN


def substitute(flow: Flow, known: Mapping[tuple[bytes, str], Flow], depth: int = 0) -> Flow:
    """The flow with type parameters replaced by what they are known to stand for."""
    if not known or depth > _SUBSTITUTION_DEPTH or not any(isinstance(v, OPEN) for v in flow.values):
        return flow
    flows = []
    for value in flow.values:
        if isinstance(value, TypeVariable):
            found = known.get((value.path, value.name))
            flows.append(through(found, flow.reason) if found is not None else Flow((value,), True, flow.reason))
        elif isinstance(value, Class | Instance | Foreign) and value.arguments:
            arguments = tuple(substitute(argument, known, depth + 1) for argument in value.arguments)
            flows.append(Flow((msgspec.structs.replace(value, arguments=arguments),), True, flow.reason))
        elif isinstance(value, Callable):
            flows.append(Flow((msgspec.structs.replace(value, result=substitute(value.result, known, depth + 1)),), True, flow.reason))
        else:
            flows.append(Flow((value,), True, flow.reason))
    found = union(flows)
    return Flow(found.values, found.is_certain and flow.is_certain, found.reason)


OPEN = (TypeVariable, Class, Instance, Foreign, Callable)
"""Values in which a type parameter may stand."""
