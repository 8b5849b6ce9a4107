"""What the language and its hosts do with values: arrays, promises, maps, functions' own methods, `Object.assign` and the like.

Types that are declared win; this is for what was written without them.
"""

from __future__ import annotations

from typing import Protocol

from analyzers.facts import Expression
from knowledge.graph.javascript_memory import Memory
from knowledge.graph.javascript_types import Types
from knowledge.graph.javascript_values import RUNTIME, Described, Typed, Written, primitive
from knowledge.graph.values import NOTHING, UNKNOWN, External, Flow, Foreign, ForeignMethod, Function, Lambda, Place, Value, one, through, union

_SAME_ARRAY = frozenset({"filter", "slice", "concat", "reverse", "sort", "splice", "toSorted", "toReversed", "with", "fill", "copyWithin"})
_ELEMENT = frozenset({"find", "findLast", "at", "pop", "shift"})
_TEXT = frozenset({"join", "toString", "toLocaleString"})
_NUMBER = frozenset({"indexOf", "lastIndexOf", "findIndex", "push", "unshift", "charCodeAt", "codePointAt", "search", "localeCompare"})
_BOOLEAN = frozenset({"includes", "some", "every", "startsWith", "endsWith", "has", "test", "isArray", "hasOwnProperty", "delete"})
_STRING_METHODS = frozenset({
    "charAt", "concat", "normalize", "padEnd", "padStart", "repeat", "replace", "replaceAll", "slice", "substring", "substr", "toLowerCase",
    "toUpperCase", "toLocaleLowerCase", "toLocaleUpperCase", "trim", "trimStart", "trimEnd", "at", "toString", "valueOf", "toFixed", "toISOString",
})  # fmt: skip
_PASSED_THROUGH = frozenset({
    "Object.freeze", "Object.seal", "Object.preventExtensions", "Object.defineProperty", "Object.defineProperties", "structuredClone",
})  # fmt: skip
_COLLECTIONS = frozenset({
    "Array", "Set", "ReadonlySet", "Iterable", "Iterator", "IterableIterator", "Generator", "AsyncGenerator", "AsyncIterable",
    "AsyncIterableIterator", "ArrayLike", "Promise",
})  # fmt: skip
_CALLBACK_OF_ELEMENT = frozenset({
    "map", "filter", "forEach", "find", "findLast", "findIndex", "findLastIndex", "some", "every", "flatMap", "sort",
})  # fmt: skip
MEMBERS: dict[str, frozenset[str]] = {
    "string": frozenset({
        *_STRING_METHODS, "split", "match", "matchAll", "indexOf", "lastIndexOf", "includes", "startsWith", "endsWith", "length", "search",
        "charCodeAt", "codePointAt", "localeCompare",
    }),
    "number": frozenset({"toFixed", "toString", "toPrecision", "valueOf", "toLocaleString", "toExponential"}),
    "boolean": frozenset({"toString", "valueOf"}),
    "bigint": frozenset({"toString", "valueOf", "toLocaleString"}),
    "symbol": frozenset({"toString", "valueOf", "description"}),
    "null": frozenset(), "undefined": frozenset(),
}  # fmt: skip
"""What primitive values have: where a value may be one or an object, a member that it lacks tells that it is the object."""
FUNCTION_MEMBERS = frozenset({"call", "apply", "bind"})


class OutsideFollowing(Protocol):
    """What this asks of the rest."""

    def expression(self, place: Place, expression: Expression) -> Flow:
        """What an expression may be."""
        ...

    def attributes(self, owner: Flow, name: str) -> Flow:
        """What `name` of any of these values is."""
        ...

    def called(self, value: Value) -> Flow:
        """What calling a value gives, the arguments aside."""
        ...


def has_member(value: Value, name: str) -> bool:
    """Whether a value may have a member: False only for primitives that lack it."""
    return not isinstance(value, Foreign) or value.package != RUNTIME or value.name not in MEMBERS or name in MEMBERS[value.name]


class Outside:
    """See the module's docstring."""

    def __init__(self, memory: Memory, types: Types, follow: OutsideFollowing) -> None:
        self._memory = memory
        self._types = types
        self._follow = follow

    # ── parts ──

    def part(self, value: Value, position: int) -> Flow:
        """What a type argument of an outside type stands for."""
        if isinstance(value, Described):
            return self._types.argument(value, position)
        if isinstance(value, Foreign) and -len(value.arguments) <= position < len(value.arguments):
            return value.arguments[position]
        return UNKNOWN

    def elements(self, flow: Flow) -> Flow:
        """What iterating gives. A list may be spread into itself, so this goes no deeper than questions may."""
        if not flow.values or not self._memory.enter():
            return UNKNOWN
        found = through(union([self._elements(value) for value in flow.values]), "iteration", flow.is_certain)
        self._memory.depth -= 1
        return found

    def _elements(self, value: Value) -> Flow:
        if isinstance(value, Written):
            return self._items(value)
        if isinstance(value, Described) and value.annotation.kind == "tuple":
            members = value.annotation.arguments
            return union([self._member_of_tuple(value, at) for at in range(len(members))]) if members else UNKNOWN
        if isinstance(value, Foreign):
            if value.name in ("string", "Map", "ReadonlyMap"):
                return one(primitive("string"), "iteration") if value.name == "string" else self._entries(value)
            return self.part(value, 0) if value.name in _COLLECTIONS else UNKNOWN
        if isinstance(value, Typed):
            made = self._follow.attributes(one(value, "iteration"), "@@iterator")
            given = [self._follow.called(method) for method in made.values]
            return union([self.part(v, 0) for flow in given for v in flow.values] or [UNKNOWN])
        return UNKNOWN

    def _member_of_tuple(self, value: Described, position: int) -> Flow:
        member = value.annotation.arguments[position]
        if member.kind == "rest":
            return self.elements(self._types.flow(value.place, member.arguments[0], value.environment))
        return self._types.flow(value.place, member, value.environment)

    def _items(self, value: Written) -> Flow:
        flows = []
        for part in value.expression.parts:
            if part.kind == "spread":
                inner = self._follow.expression(value.place, part.parts[0]) if part.parts else UNKNOWN
                flows.append(self.elements(inner))
            else:
                flows.append(self._follow.expression(value.place, part))
        found = union(flows) if flows else UNKNOWN
        # A list may be given other functions later; of which class its items are is as good as declared.
        return through(found, "container", not any(isinstance(v, Function | Lambda) for v in found.values))

    def _entries(self, value: Foreign) -> Flow:
        pair = (self.part(value, 0), self.part(value, 1))
        return one(Foreign(RUNTIME, "Array", (union(pair),), (("0", pair[0]), ("1", pair[1]))), "iteration")

    def awaited(self, flow: Flow) -> Flow:
        """What waiting for it gives."""
        flows = []
        for value in flow.values:
            is_promise = isinstance(value, Foreign) and value.package == RUNTIME and value.name in ("Promise", "PromiseLike")
            flows.append(self.part(value, 0) if is_promise else Flow((value,), True, flow.reason))
        return through(union(flows), flow.reason or "return", flow.is_certain) if flows else flow

    def item(self, value: Value, key: str) -> Flow:
        """What stands at a constant key of an array or object of outside."""
        if isinstance(value, Foreign):
            found = [flow for name, flow in value.items if name == key]
            if found:
                return found[-1]
            if isinstance(value, Described) and value.annotation.kind == "tuple" and key.isdigit():
                return self._member_of_tuple(value, int(key)) if int(key) < len(value.annotation.arguments) else UNKNOWN
            if value.name == "Array" and key.isdigit():
                return self._elements(value)
        return UNKNOWN

    # ── calls ──

    def method(self, method: ForeignMethod, place: Place, call: Expression) -> Flow:
        """What calling a method of an outside object gives."""
        owner, name = method.owner, method.name
        if owner.package != RUNTIME:
            return one(Foreign(owner.package, owner.name), "return")
        if owner.name in MEMBERS:
            return self._of_primitive(name)
        first = call.parts[1] if len(call.parts) > 1 else None
        if owner.name == "Array":
            return self._of_array(owner, name, place, first)
        if owner.name in ("Promise", "PromiseLike"):
            return self._of_promise(owner, name, place, call)
        if owner.name in ("Map", "ReadonlyMap", "WeakMap"):
            if name == "get":
                return self.part(owner, 1)
            return self._listed(self.part(owner, 1 if name == "values" else 0)) if name in ("values", "keys") else UNKNOWN
        if owner.name in ("Set", "ReadonlySet") and name in ("values", "keys", "add"):
            return one(owner, "return") if name == "add" else self._listed(self.part(owner, 0))
        return UNKNOWN

    def _of_primitive(self, name: str) -> Flow:
        if name in _STRING_METHODS:
            return one(primitive("string"), "return")
        if name in ("split", "match"):
            return self._listed(one(primitive("string"), "return"))
        return one(primitive("boolean" if name in _BOOLEAN else "number"), "return")

    def _of_array(self, owner: Foreign, name: str, place: Place, first: Expression | None) -> Flow:
        if name in _SAME_ARRAY:
            return self._listed(self._elements(owner))
        if name in _ELEMENT:
            return through(self._elements(owner), "container")
        if name in ("map", "flatMap") and first is not None:
            given = self._results(place, first)
            return self._listed(self.elements(given) if name == "flatMap" else given)
        if name in ("values", "flat"):
            return self._listed(self._elements(owner) if name == "values" else self.elements(self._elements(owner)))
        if name == "keys":
            return self._listed(one(primitive("number"), "return"))
        if name in _TEXT:
            return one(primitive("string"), "return")
        if name in _BOOLEAN or name in _NUMBER:
            return one(primitive("boolean" if name in _BOOLEAN else "number"), "return")
        return NOTHING if name == "forEach" else UNKNOWN

    def _of_promise(self, owner: Foreign, name: str, place: Place, call: Expression) -> Flow:
        if name == "then" and len(call.parts) > 1:
            return self._promised(self.awaited(self._results(place, call.parts[1])))
        return one(owner, "return") if name in ("catch", "finally") else UNKNOWN

    def function(self, value: External, place: Place, call: Expression) -> Flow:
        """What calling a function of outside gives."""
        if value.package != RUNTIME:
            return one(Foreign(value.package, value.name), "return")
        arguments = [self._follow.expression(place, part) for part in call.parts[1:] if part.kind != "spread"]
        if value.name in _PASSED_THROUGH or value.name in ("Object.assign", "Object.create"):
            return through(arguments[0], "return", value.name != "Object.create") if arguments else UNKNOWN
        if value.name == "Array.from" and arguments:
            return self._listed(self._results(place, call.parts[2]) if len(call.parts) > 2 else self.elements(arguments[0]))
        if value.name == "Array.of":
            return self._listed(union(arguments) if arguments else UNKNOWN)
        if value.name == "Object.values" and arguments:
            return self._listed(self._values_of(arguments[0]))
        if value.name == "Object.entries" and arguments:
            key, found = one(primitive("string"), "return"), self._values_of(arguments[0])
            return self._listed(one(Foreign(RUNTIME, "Array", (union((key, found)),), (("0", key), ("1", found))), "return"))
        if value.name in ("Object.keys", "Object.getOwnPropertyNames"):
            return self._listed(one(primitive("string"), "return"))
        if value.name == "Promise.resolve" and arguments:
            return self._promised(self.awaited(arguments[0]))
        if value.name in ("Promise.all", "Promise.allSettled", "Promise.race") and arguments:
            found = self.awaited(self.elements(arguments[0]))
            return self._promised(found if value.name == "Promise.race" else self._listed(found))
        if value.name in ("String", "Number", "Boolean", "BigInt", "Symbol"):
            return one(primitive(value.name.lower()), "return")
        return self._listed(UNKNOWN) if value.name == "Array" else UNKNOWN

    def _values_of(self, flow: Flow) -> Flow:
        flows = []
        for value in flow.values:
            if isinstance(value, Written):
                flows.append(self._items(value))
            elif isinstance(value, Described):
                found = self._types.member(value, "")
                flows.append(found if found is not None else UNKNOWN)
            else:
                flows.append(UNKNOWN)
        return union(flows or [UNKNOWN])

    def _results(self, place: Place, callback: Expression) -> Flow:
        """What a function that is passed gives."""
        flow = self._follow.expression(place, callback)
        return union([self._follow.called(value) for value in flow.values] or [UNKNOWN])

    def _listed(self, elements: Flow) -> Flow:
        return one(Foreign(RUNTIME, "Array", (elements,)), "return")

    def _promised(self, flow: Flow) -> Flow:
        return one(Foreign(RUNTIME, "Promise", (flow,)), "return")

    # ── callbacks ──

    def callback_parameter(self, method: ForeignMethod, position: int) -> Flow:
        """What a method of the runtime passes to a function that it is given."""
        owner, name = method.owner, method.name
        if owner.package != RUNTIME:
            return UNKNOWN
        if owner.name == "Array":
            if name in _CALLBACK_OF_ELEMENT and (position == 0 or (name == "sort" and position == 1)):
                return self._elements(owner)
            return self._elements(owner) if name in ("reduce", "reduceRight") and position == 1 else UNKNOWN
        if owner.name in ("Promise", "PromiseLike") and name == "then" and position == 0:
            return self.part(owner, 0)
        if owner.name in ("Map", "ReadonlyMap") and name == "forEach" and position < 2:
            return self.part(owner, 1 - position)
        return self.part(owner, 0) if owner.name in ("Set", "ReadonlySet") and name == "forEach" and position == 0 else UNKNOWN
