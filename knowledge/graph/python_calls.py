"""What calls give in Python: results of functions, objects of classes, `super()`."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.facts import Definition, Expression, Return
from knowledge.graph.python_arguments import Arguments
from knowledge.graph.python_classes import Classes, PythonFollowing
from knowledge.graph.python_decorators import Decorators
from knowledge.graph.python_outside import Outside
from knowledge.graph.python_stubs import Stubs
from knowledge.graph.python_types import Types, annotation_of
from knowledge.graph.reads import Tree
from knowledge.graph.values import (
    NOTHING,
    UNKNOWN,
    Alias,
    Callable,
    Class,
    External,
    Flow,
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
_CONTEXT_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})


class Calls:
    """Calls of one resolution; results of functions without annotations are remembered."""

    def __init__(self, tree: Tree, classes: Classes, types: Types, stubs: Stubs, follow: PythonFollowing) -> None:
        self._tree = tree
        self.stubs = stubs
        self._classes = classes
        self._types = types
        self._follow = follow
        self.arguments = Arguments(tree, classes, follow)
        self.decorators = Decorators(tree, classes, self.arguments, follow)
        self.outside = Outside(classes, types, self.arguments, follow)
        self._results: dict[tuple[bytes, int], Flow] = {}

    def result(self, place: Place, call: Expression) -> Flow:
        """What a call expression gives."""
        callee = call.parts[0] if call.parts else None
        if callee is None:
            return UNKNOWN
        if callee.kind == "name" and callee.name == "super":
            found = self._super(place, call)
            if found is not None:
                return found
        flow = self._follow.expression(place, callee)
        results = [self.call(value, place, call) for value in flow.values]
        if not results:
            return UNKNOWN
        found = results[0] if len(results) == 1 else union(results)
        return through(found, flow.reason, flow.is_certain)

    def call(self, value: Value, place: Place, call: Expression) -> Flow:
        """What calling one value gives."""
        if isinstance(value, Function):
            return self._call_function(value, place, call)
        if isinstance(value, Class):
            return one(Instance(value.path, value.index, value.arguments), "constructor")
        if isinstance(value, Instance):
            return self.call_method(value, "__call__")
        if isinstance(value, External):
            return self.outside.call(value, place, call)
        if isinstance(value, ForeignMethod):
            return self.outside.call_member(value, place, call)
        if isinstance(value, Callable):
            return value.result
        if isinstance(value, Lambda):
            return self.results_in(value.path, value.scope)
        if isinstance(value, Alias):
            return self._types.flow(value.place, value.annotation)
        return UNKNOWN

    def call_method(self, value: Value, name: str) -> Flow:
        """What `value.name()` gives, the arguments aside."""
        found = self._follow.attribute(value, name)
        results = [self.result_of_function(f) if isinstance(f, Function) else UNKNOWN for f in found.values] if found is not None else []
        return union(results or [UNKNOWN])

    def _call_function(self, function: Function, place: Place, call: Expression) -> Flow:
        definition = self._classes.definition(function.path, function.index)
        if definition is None:
            return UNKNOWN
        if definition.decorators:
            decorated = self.decorators.decorated(function, definition)
            if function not in decorated.values:
                return union([self.call(value, place, call) for value in decorated.values] or [UNKNOWN])
        described = self.stubs.function(function) if not definition.returns else None
        if described is not None and (stub := self._classes.definition(described.path, described.index)) is not None and stub.returns:
            return self.stubs.to_source(self._declared_call(described, stub, place, call))
        return self._declared_call(function, definition, place, call)

    def _declared_call(self, function: Function, definition: Definition, place: Place, call: Expression) -> Flow:
        index = self.arguments.chosen_overload(function, definition, place, call)
        chosen = Function(function.path, index, function.receiver)
        if not definition.returns:
            passed = self._passed_through(chosen, place, call)
            if passed.values:
                return passed
        flow = self.result_of_function(chosen)
        if any(isinstance(value, TypeVariable | Callable | Foreign | Instance | Class) for value in flow.values):
            flow = substitute(flow, self.arguments.known_arguments(chosen, place, call))
        return flow

    def result_of_function(self, function: Function) -> Flow:
        """What a function returns: what its annotation says, else what its return statements give."""
        definition = self._classes.definition(function.path, function.index)
        if definition is None:
            return UNKNOWN
        if definition.returns:
            flow = self._classes.declared_result(function)
            if self._is_context_manager(definition):
                return one(Foreign("contextlib", "AbstractContextManager", (self.outside.elements(flow),)), "return")
            return flow
        described = self.stubs.function(function)
        if described is not None and (stub := self._classes.definition(described.path, described.index)) is not None and stub.returns:
            return self.stubs.to_source(self.result_of_function(described))
        key = (function.path, function.index)
        if key not in self._results:
            # A function that returns its own result adds nothing to it.
            self._results[key] = UNKNOWN
            self._results[key] = self._inferred_result(function, definition)
        return self._classes.fill(self._results[key], function)

    def _inferred_result(self, function: Function, definition: Definition) -> Flow:
        outline = self._tree.outline(function.path)
        body = outline.bodies.get(function.index) if outline is not None else None
        if body is None or "declaration" in definition.flags or "abstract" in definition.flags:
            return UNKNOWN
        flow = self.results_in(function.path, body)
        if "generator" in definition.flags:
            iterator = one(Foreign("typing", "Iterator", (flow,)), "return")
            return one(Foreign("contextlib", "AbstractContextManager", (flow,)), "return") if self._is_context_manager(definition) else iterator
        return flow

    def results_in(self, path: bytes, body: int) -> Flow:
        """Everything that the return (or yield) statements of a scope give."""
        outline = self._tree.outline(path)
        rows: Sequence[Return] = outline.returns.get(body, ()) if outline is not None else ()
        kind = "yield" if any(row.kind == "yield" for row in rows) else "return"
        wanted = [row for row in rows if row.kind == kind]
        if len(wanted) > _RESULTS:
            return UNKNOWN
        if not wanted:
            return UNKNOWN if any(row.kind == "raise" for row in rows) else NOTHING
        place = Place(path, body)
        return through(union(self._follow.expression(place, row.value) if row.value is not None else NOTHING for row in wanted), "return")

    def _is_context_manager(self, definition: Definition) -> bool:
        return any(annotation_of(d).name.rpartition(".")[2] in _CONTEXT_MANAGERS for d in definition.decorators)

    def _passed_through(self, function: Function, place: Place, call: Expression) -> Flow:
        """A function without annotations that returns one of its parameters gives what it is given."""
        definition = self._classes.definition(function.path, function.index)
        outline = self._tree.outline(function.path)
        body = outline.bodies.get(function.index) if outline is not None else None
        if definition is None or outline is None or body is None or definition.returns or "generator" in definition.flags:
            return UNKNOWN
        parameters = [p.name for p in definition.parameters if p.kind in ("positional", "positional_only")]
        if function.receiver is not None:
            parameters = parameters[1:]
        results = []
        for row in outline.returns.get(body, ()):
            if row.kind != "return" or row.value is None or row.value.kind != "name" or row.value.name not in parameters:
                return UNKNOWN
            bindings = outline.names[body].get(row.value.name, ())
            position = parameters.index(row.value.name)
            if len(bindings) != 1 or position >= len(call.parts) - 1 - len(call.keywords):
                return UNKNOWN
            results.append(self._follow.expression(place, call.parts[1 + position]))
        return through(union(results or [UNKNOWN]), "argument")

    def _super(self, place: Place, call: Expression) -> Flow | None:
        outline = self._tree.outline(place.path)
        if outline is None:
            return None
        if len(call.parts) >= 2:
            flow = self._follow.expression(place, call.parts[1])
            index = next((v.index for v in flow.values if isinstance(v, Class) and v.path == place.path), -1)
        else:
            index = outline.class_around(place.scope)
        if index < 0:
            return None
        method = outline.scopes[place.scope].definition
        while method > 0 and outline.definitions[method].parent != index:
            method = outline.definitions[method].parent
        definition = outline.definitions[method]
        is_class = "class" in definition.flags or definition.name in ("__new__", "__init_subclass__", "__class_getitem__")
        receiver: Value = Class(place.path, index) if is_class else Instance(place.path, index)
        return one(Super(place.path, index, receiver), "super")
