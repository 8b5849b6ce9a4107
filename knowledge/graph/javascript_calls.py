"""What calls give in JavaScript and TypeScript: results of functions, objects of classes, elements of collections, awaited values."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.facts import Call, Definition, Expression, FileFacts, Parameter, Return
from knowledge.graph.javascript_classes import JavaScriptClasses
from knowledge.graph.javascript_names import RUNTIME
from knowledge.graph.javascript_types import JavaScriptTypes
from knowledge.graph.outline import Outline
from knowledge.graph.reads import View
from knowledge.graph.values import (
    NOTHING,
    UNKNOWN,
    Callable,
    Class,
    External,
    Flow,
    Following,
    Foreign,
    ForeignMethod,
    Function,
    Instance,
    Lambda,
    Place,
    Super,
    TypeVariable,
    Value,
    one,
    substitute,
    through,
    union,
)

_RESULTS = 12
"""More return statements than this are not followed."""
_ELEMENT = frozenset({"pop", "shift", "at", "find", "findLast", "get", "next"})
_SAME = frozenset({"filter", "slice", "concat", "reverse", "sort", "splice", "toSorted", "toReversed", "values", "fill", "add", "set", "flat"})
_CALLBACKS = frozenset({"forEach", "map", "filter", "find", "findIndex", "findLast", "some", "every", "flatMap", "sort", "then"})
_COLLECTIONS = frozenset({
    "Array", "Set", "Iterable", "Iterator", "IterableIterator", "Generator", "ReadonlySet", "tuple", "AsyncGenerator", "AsyncIterable",
})  # fmt: skip
_MAPS = frozenset({"Map", "WeakMap", "ReadonlyMap"})


class JavaScriptCalls:
    """Calls of one resolution; results of functions without annotations are remembered."""

    def __init__(self, view: View, classes: JavaScriptClasses, types: JavaScriptTypes, facts: FileFacts, follow: Following) -> None:
        self._view = view
        self._classes = classes
        self._types = types
        self._follow = follow
        self._results: dict[tuple[bytes, int], Flow] = {}
        self._lambdas = {part.scope: call for call in facts.calls for part in call.expression.parts[1:] if part.kind == "lambda"}

    def result_of(self, place: Place, call: Expression) -> Flow:
        """What a call or `new` expression gives."""
        callee = call.parts[0] if call.parts else None
        if callee is None:
            return UNKNOWN
        flow = self._follow.expression(place, callee)
        results = [self._call(value, place, call) for value in flow.values]
        if not results:
            return UNKNOWN
        found = results[0] if len(results) == 1 else union(results)
        return through(found, flow.reason, flow.is_certain)

    def _call(self, value: Value, place: Place, call: Expression) -> Flow:
        if call.kind == "new":
            return self._made(value)
        if isinstance(value, Function):
            return self._call_function(value, place, call)
        if isinstance(value, ForeignMethod):
            return self._call_member(value, place, call)
        if isinstance(value, External) and value.name in ("Object.assign", "Object.freeze", "Object.seal") and len(call.parts) > 1:
            return self._follow.expression(place, call.parts[1])
        return self.result(value)

    def _made(self, value: Value) -> Flow:
        if isinstance(value, Class | Function):
            return one(Instance(value.path, value.index), "constructor")
        if isinstance(value, Instance):
            # `new this()` and constructors that are passed as values of an interface are not followed.
            return UNKNOWN
        if isinstance(value, External):
            return one(Foreign(value.package, value.name), "constructor")
        if isinstance(value, Callable):
            return value.result
        return UNKNOWN

    def result(self, value: Value) -> Flow:
        """What calling a value gives, the arguments aside."""
        if isinstance(value, Function):
            return self.result_of_function(value)
        if isinstance(value, Class | Instance):
            return one(Instance(value.path, value.index), "constructor") if isinstance(value, Class) else UNKNOWN
        if isinstance(value, Callable):
            return value.result
        if isinstance(value, Lambda):
            return self._results_in(value.path, value.scope)
        if isinstance(value, External):
            return one(Foreign(value.package, value.name), "return")
        return UNKNOWN

    def _call_function(self, function: Function, place: Place, call: Expression) -> Flow:
        definition = self._classes.definition(function.path, function.index)
        if definition is None:
            return UNKNOWN
        chosen = Function(function.path, self._overload(function, definition, call), function.receiver)
        flow = self.result_of_function(chosen)
        return substitute(flow, self._known_arguments(chosen, place, call)) if flow.values else flow

    def _overload(self, function: Function, definition: Definition, call: Expression) -> int:
        """The first overload that takes as many arguments."""
        outline = self._view.tree.outline(function.path)
        count = len(call.parts) - 1
        for index in outline.defined(definition.qualified_name) if outline is not None and definition.ordinal else ():
            candidate = outline.definitions[index] if outline is not None else definition
            parameters = [p for p in candidate.parameters if p.kind != "type"]
            required = sum(not p.default and p.kind == "positional" and not p.name.endswith("?") for p in parameters)
            is_open = any(p.kind == "variadic" for p in parameters)
            if "overload" in candidate.flags and count <= (len(parameters) if not is_open else count) and count >= min(required, count):
                return index
        return function.index

    def result_of_function(self, function: Function) -> Flow:
        """What a function returns: what its annotation says, else what its return statements give."""
        definition = self._classes.definition(function.path, function.index)
        outline = self._view.tree.outline(function.path)
        if definition is None or outline is None:
            return UNKNOWN
        body = outline.bodies.get(function.index, definition.scope)
        if definition.returns:
            flow = self._types.annotation(Place(function.path, body), definition.returns)
            return through(self._classes.fill(flow, function), "return")
        key = (function.path, function.index)
        if key not in self._results:
            self._results[key] = UNKNOWN
            self._results[key] = self._inferred(function.path, outline, definition, body)
        return self._classes.fill(self._results[key], function)

    def _inferred(self, path: bytes, outline: Outline, definition: Definition, body: int) -> Flow:
        if "declaration" in definition.flags or "abstract" in definition.flags:
            return UNKNOWN
        flow = self._results_in(path, body)
        if "generator" in definition.flags:
            return one(Foreign(RUNTIME, "Generator", (flow,)), "return")
        return one(Foreign(RUNTIME, "Promise", (flow,)), "return") if "async" in definition.flags else flow

    def _results_in(self, path: bytes, body: int) -> Flow:
        outline = self._view.tree.outline(path)
        rows: Sequence[Return] = outline.returns.get(body, ()) if outline is not None else ()
        kind = "yield" if any(row.kind == "yield" for row in rows) else "return"
        wanted = [row for row in rows if row.kind == kind]
        if len(wanted) > _RESULTS:
            return UNKNOWN
        if not wanted:
            return UNKNOWN if any(row.kind == "raise" for row in rows) else NOTHING
        place = Place(path, body)
        return through(union(self._follow.expression(place, row.value) if row.value is not None else NOTHING for row in wanted), "return")

    def _known_arguments(self, function: Function, place: Place, call: Expression) -> dict[tuple[bytes, str], Flow]:
        """What a call's arguments say about the type parameters of the function."""
        definition = self._classes.definition(function.path, function.index)
        outline = self._view.tree.outline(function.path)
        if definition is None or outline is None or not any(p.kind == "type" and p.name != "this" for p in definition.parameters):
            return {}
        body = Place(function.path, outline.bodies.get(function.index, definition.scope))
        known: dict[tuple[bytes, str], Flow] = {}
        parameters = [p for p in definition.parameters if p.kind not in ("type",)]
        for parameter, argument in zip(parameters, call.parts[1:], strict=False):
            for value in self._types.annotation(body, parameter.annotation).values if parameter.annotation else ():
                self._match(value, place, argument, known)
        return known

    def _match(self, wanted: Value, place: Place, argument: Expression, known: dict[tuple[bytes, str], Flow]) -> None:
        if isinstance(wanted, TypeVariable):
            known.setdefault((wanted.path, wanted.name), self._follow.expression(place, argument))
        elif isinstance(wanted, Foreign) and wanted.arguments:
            for inner in wanted.arguments[-1].values:
                if isinstance(inner, TypeVariable):
                    known.setdefault((inner.path, inner.name), self.elements(self._follow.expression(place, argument)))
        elif isinstance(wanted, Callable):
            for inner in wanted.result.values:
                if isinstance(inner, TypeVariable):
                    results = [self.result(value) for value in self._follow.expression(place, argument).values]
                    known.setdefault((inner.path, inner.name), union(results or [UNKNOWN]))

    # ── collections and promises ──

    def _call_member(self, method: ForeignMethod, place: Place, call: Expression) -> Flow:
        owner, name = method.owner, method.name
        if owner.package != RUNTIME:
            return one(Foreign(owner.package, f"{owner.name}.{name}()"), "return")
        if owner.name in _MAPS and owner.arguments and name in ("get", "values"):
            return owner.arguments[-1] if name == "get" else one(Foreign(RUNTIME, "Iterable", (owner.arguments[-1],)), "container")
        if owner.arguments and owner.name in _COLLECTIONS:
            if name in _ELEMENT:
                return through(owner.arguments[0], "container")
            if name in _SAME:
                return one(owner, "container")
            if name in ("map", "flatMap") and len(call.parts) > 1:
                results = [self.result(value) for value in self._follow.expression(place, call.parts[1]).values]
                return one(Foreign(RUNTIME, "Array", (union(results or [UNKNOWN]),)), "container")
        if owner.name == "Promise" and name in ("then", "catch", "finally"):
            return UNKNOWN
        return UNKNOWN if name in _ELEMENT | _SAME else one(Foreign(RUNTIME, f"{owner.name}.{name}()"), "return")

    def elements(self, flow: Flow) -> Flow:
        """What iterating gives."""
        found = []
        for value in flow.values:
            if isinstance(value, Foreign) and value.arguments and value.name != "object":
                if value.name in _MAPS:
                    found.append(one(Foreign(RUNTIME, "tuple", value.arguments), "iteration"))
                else:
                    found.append(union(value.arguments) if value.name == "tuple" else value.arguments[0])
            else:
                found.append(UNKNOWN)
        return through(union(found or [UNKNOWN]), "iteration", flow.is_certain)

    def awaited(self, flow: Flow) -> Flow:
        """What `await` gives."""
        found = []
        for value in flow.values:
            is_promise = isinstance(value, Foreign) and value.name in ("Promise", "PromiseLike") and value.arguments
            found.append(value.arguments[0] if is_promise and isinstance(value, Foreign) else Flow((value,), True, flow.reason))
        return through(union(found or [UNKNOWN]), flow.reason or "return", flow.is_certain)

    def item_of(self, value: Value, index: Expression | None) -> Flow:
        """What `value[index]` gives."""
        key = index.text.strip("\"'`") if index is not None and index.kind == "literal" else None
        if not isinstance(value, Foreign):
            return (self._follow.attribute(value, key) or UNKNOWN) if key is not None else UNKNOWN
        if key is not None and (found := [flow for item, flow in value.items if item == key]):
            return Flow(found[-1].values, False, "container")
        if value.name == "tuple" and key is not None and key.isdigit() and int(key) < len(value.arguments):
            return through(value.arguments[int(key)], "container")
        if value.name == "object":
            return (self._follow.attribute(value, key) or UNKNOWN) if key is not None else UNKNOWN
        if value.arguments:
            return through(value.arguments[-1] if value.name in _MAPS else union(value.arguments), "container")
        return UNKNOWN

    # ── what lambdas are passed to ──

    def lambda_parameter(self, place: Place, outline: Outline, name: str) -> Flow:
        """What a lambda's parameter is, as what the lambda is passed to declares it."""
        call = self._lambdas.get(place.scope)
        names = [n for n, bindings in outline.names[place.scope].items() if bindings[0].kind == "parameter"]
        if call is None or name not in names:
            return UNKNOWN
        flows = []
        for value in self._follow.expression(Place(place.path, call.scope), call.expression.parts[0]).values:
            flows.append(self._given(value, call, place.scope, names.index(name)))
        return union(flows) if flows else UNKNOWN

    def _given(self, value: Value, call: Call, scope: int, position: int) -> Flow:
        if isinstance(value, ForeignMethod):
            owner = value.owner
            if owner.package == RUNTIME and owner.arguments and value.name in _CALLBACKS:
                first = owner.arguments[-1] if owner.name in _MAPS else owner.arguments[0]
                return through(first, "iteration") if position == 0 or (value.name == "sort" and position == 1) else UNKNOWN
            return UNKNOWN
        if not isinstance(value, Function):
            return UNKNOWN
        definition = self._classes.definition(value.path, value.index)
        outline = self._view.tree.outline(value.path)
        if definition is None or outline is None:
            return UNKNOWN
        parameters: list[Parameter] = [p for p in definition.parameters if p.kind != "type"]
        body = Place(value.path, outline.bodies.get(value.index, definition.scope))
        for parameter, argument in zip(parameters, call.expression.parts[1:], strict=False):
            if argument.kind == "lambda" and argument.scope == scope and parameter.annotation:
                wanted = self._classes.fill(self._types.annotation(body, parameter.annotation), value)
                found = [w.parameters[position] for w in wanted.values if isinstance(w, Callable) and position < len(w.parameters)]
                return through(union(found), "annotation") if found else UNKNOWN
        return UNKNOWN

    def super_of(self, place: Place) -> Flow:
        """`super` inside a class."""
        outline = self._view.tree.outline(place.path)
        index = outline.class_around(place.scope) if outline is not None else -1
        return one(Super(place.path, index, Instance(place.path, index)), "super") if index > 0 else UNKNOWN
