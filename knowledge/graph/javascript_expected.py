"""What the parameters of a function are by the type that is expected where the function stands: as an argument, as what is assigned to a declared
variable or member, as a method of an object literal.
"""

from __future__ import annotations

from typing import Protocol

from analyzers.facts import Definition, Expression
from knowledge.graph.javascript_calls import Calls, Inferred
from knowledge.graph.javascript_classes import Classes
from knowledge.graph.javascript_context import Context, Passing
from knowledge.graph.javascript_outside import Outside
from knowledge.graph.javascript_signatures import CALLED
from knowledge.graph.javascript_types import Types
from knowledge.graph.javascript_values import Described, Environment, Typed
from knowledge.graph.outline import FUNCTION_KINDS, Outline
from knowledge.graph.values import UNKNOWN, Class, Flow, Foreign, ForeignMethod, Function, Place, Value, one, union

_DEPTH = 6
"""Functions that return functions are followed this far."""


class ExpectedFollowing(Protocol):
    """What this asks of the rest."""

    @property
    def context(self) -> Context:
        """What the file that is being resolved knows by itself."""
        ...

    def is_here(self, place: Place) -> bool:
        """Whether a place is in the file that is being resolved, and what is computed is for it alone."""
        ...

    def expression(self, place: Place, expression: Expression) -> Flow:
        """What an expression may be."""
        ...

    def attributes(self, owner: Flow, name: str) -> Flow:
        """What `name` of any of these values is."""
        ...


class Expected:
    """See the module's docstring."""

    def __init__(self, types: Types, classes: Classes, calls: Calls, outside: Outside, follow: ExpectedFollowing) -> None:
        self._types = types
        self._classes = classes
        self._calls = calls
        self._outside = outside
        self._follow = follow

    def parameter(self, place: Place, outline: Outline, owner: int, position: int) -> Flow:
        """What a parameter is. owner: the definition of its function; -1: it has no name."""
        wanted = self._wanted(place, outline, owner, 0)
        return self._declared_parameter(wanted, position) if wanted.values else UNKNOWN

    def _wanted(self, place: Place, outline: Outline, owner: int, depth: int) -> Flow:
        """The type that is expected of the function whose body is at a place."""
        if owner > 0:
            definition = outline.definitions[owner]
            bindings = outline.names[definition.scope].get(definition.name, ())
            text = next((b.annotation for b in bindings if b.target == owner and b.kind == "definition" and b.annotation), "")
            if text:
                return self._types.annotation(Place(place.path, definition.scope), text)
            if definition.kind == "method" and definition.parent > 0 and (around := self._object_around(place.path, outline, definition)).values:
                return self._follow.attributes(around, definition.name)
        passing = self._follow.context.passings.get(place.scope) if self._follow.is_here(place) else None
        if passing is None:
            return UNKNOWN
        if passing.call is None and passing.target is None:
            return self._wanted_of_result(Place(place.path, passing.scope), outline, depth) if depth < _DEPTH else UNKNOWN
        return self._passed(place.path, passing)

    def _wanted_of_result(self, place: Place, outline: Outline, depth: int) -> Flow:
        """The type that is expected of what the function of a scope returns."""
        owner = outline.scopes[place.scope].definition if outline.scopes[place.scope].kind == "function" else -1
        declared = outline.definitions[owner].returns if owner > 0 else ""
        if declared:
            return self._outside.awaited(self._types.annotation(place, declared))
        wanted = self._wanted(place, outline, owner, depth + 1)
        found = [chosen for value in wanted.values if (chosen := self._calls.signatures.of(value, CALLED)) is not None]
        return union([self._types.result(chosen) for chosen in found] or [UNKNOWN])

    def _object_around(self, path: bytes, outline: Outline, method: Definition) -> Flow:
        """The declared type of the object literal that a method stands in."""
        parent = outline.definitions[method.parent]
        if not parent.returns:
            return UNKNOWN
        if parent.kind in FUNCTION_KINDS:
            return self._outside.awaited(self._types.annotation(Place(path, outline.bodies.get(method.parent, parent.scope)), parent.returns))
        return self._types.annotation(Place(path, parent.scope), parent.returns) if parent.kind in ("constant", "variable") else UNKNOWN

    def receiver(self, path: bytes, outline: Outline, method: Definition) -> Flow:
        """What `this` is in a method of an object literal, by the type that is declared for the object."""
        around = self._object_around(path, outline, method)
        wanted = self._follow.attributes(around, method.name) if around.values else UNKNOWN
        found = [flow for value in wanted.values if isinstance(value, Described) and (flow := self._types.receiver(value)).values]
        return union(found) if found else around

    def _declared_parameter(self, flow: Flow, position: int) -> Flow:
        flows = []
        for value in flow.values:
            if isinstance(value, Described | Typed):
                chosen = self._calls.signatures.of(value, CALLED)
                flows.append(self._types.parameter(chosen, position) if chosen is not None else UNKNOWN)
            elif isinstance(value, ForeignMethod):
                flows.append(self._outside.callback_parameter(value, position))
            elif isinstance(value, Function):
                flows.append(self._parameter_of(value, position))
            elif not isinstance(value, Foreign):
                flows.append(UNKNOWN)
        return union([f for f in flows if f.values] or [UNKNOWN])

    def _parameter_of(self, function: Function, position: int, environment: Environment | None = None) -> Flow:
        """What a function declares for one of its parameters."""
        definition = self._types.declarations.get(function.path, function.index)
        outline = self._types.declarations.outline(function.path)
        rows = [p for p in definition.parameters if p.kind != "type"] if definition is not None else []
        row = rows[position] if position < len(rows) else rows[-1] if rows and rows[-1].kind == "variadic" else None
        if row is None or outline is None or definition is None or not row.annotation:
            return UNKNOWN
        place = Place(function.path, outline.bodies.get(function.index, definition.scope))
        environment = environment if environment is not None else Environment(function.receiver, self._calls.around(function))
        flow = self._types.annotation(place, row.annotation, environment)
        return self._outside.elements(flow) if row.kind == "variadic" else flow

    def _passed(self, path: bytes, passing: Passing) -> Flow:
        """The type that is expected of a function that is passed or assigned."""
        place = Place(path, passing.scope)
        if passing.target is not None:
            return self._follow.expression(place, passing.target)
        if passing.call is None:
            return UNKNOWN
        callee = self._follow.expression(place, passing.call.parts[0])
        flows = [self._passed_to(value, place, passing, passing.call) for value in callee.values]
        found = union([flow for flow in flows if flow.values] or [UNKNOWN])
        return Flow(found.values, found.is_certain and callee.is_certain, found.reason)

    def _passed_to(self, value: Value, place: Place, passing: Passing, call: Expression) -> Flow:
        if isinstance(value, ForeignMethod):
            return one(value, "argument") if passing.position == 0 and not passing.keys else UNKNOWN
        if isinstance(value, Class):
            found = self._classes.find(value.path, value.index, "constructor", False)
            member = found.member if found is not None else None
            if member is None or member.definition < 0:
                return UNKNOWN
            value = Function(member.path, member.definition)
        if isinstance(value, Function):
            index = self._calls.signature(value, place, call)
            chosen = Function(value.path, index, value.receiver)
            environment = Inferred(self._calls, chosen, index, place, call)
            if (expected := self._follow.context.expected.get(call.parts[0].start)) is not None:
                environment.expected = (Place(place.path, expected[0]), expected[1])
            wanted = self._parameter_of(chosen, passing.position, environment)
        elif (signature := self._calls.signatures.of(value, CALLED, call)) is not None:
            wanted = self._types.parameter(signature, passing.position)
        else:
            return UNKNOWN
        for key in passing.keys:
            wanted = self._follow.attributes(wanted, key)
        return wanted
