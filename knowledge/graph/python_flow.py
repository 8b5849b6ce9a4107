"""Following values through Python's expressions, bindings and calls, as far as they are certain and a little beyond."""

from __future__ import annotations

from analyzers.facts import Binding, Definition, Expression, FileFacts
from knowledge.graph.narrowing import Narrowings
from knowledge.graph.outline import CLASS_KINDS, MODULE_SCOPE, Outline
from knowledge.graph.python_calls import Calls
from knowledge.graph.python_classes import Classes
from knowledge.graph.python_containers import Containers
from knowledge.graph.python_fixtures import Fixtures
from knowledge.graph.python_names import Names
from knowledge.graph.python_passed import Passed
from knowledge.graph.python_stubs import Stubs
from knowledge.graph.python_types import Types, annotation_of
from knowledge.graph.reads import View
from knowledge.graph.shared import DEEPEST
from knowledge.graph.values import (
    NOTHING,
    UNKNOWN,
    Alias,
    Class,
    External,
    Flow,
    Foreign,
    Function,
    Instance,
    Lambda,
    Place,
    TypeVariable,
    Value,
    one,
    through,
    union,
)

_ITEMS = 64
"""A longer literal collection is not looked into."""
_BOOLEAN = frozenset({
    "not", "in", "is", "==", "!=", "<", ">", "<=", ">=", "not in", "is not",
    "__contains__", "__eq__", "__ne__", "__lt__", "__gt__", "__le__", "__ge__",
})  # fmt: skip


class PythonFlow:
    """The resolver's knowledge while it works on one file; every part is remembered for that file only."""

    def __init__(self, view: View, facts: FileFacts, prefers_assigned: bool = False) -> None:
        """prefers_assigned: an attribute is what is assigned to it, as far as that can be followed, not what it is declared to be."""
        self.view = view
        self.names = Names(view, self.binding)
        self.types = Types(self)
        self.stubs = Stubs(view)
        self.classes = Classes(view, self.names, self, prefers_assigned, _classes_from_outside)
        self.calls = Calls(view.tree, self.classes, self.types, self.stubs, self)
        self.fixtures = Fixtures(view, self.names, self.classes)
        self.passed = Passed(view.importer, facts, self)
        self.containers = Containers(view, facts, self.names, self)
        self._nesting = view.tree.nesting
        self._known: dict[int, Flow] = {}
        """What expressions of the file itself are, by their identity: the file's facts outlive the resolver"""
        self._facts = facts
        self._passing: dict[int, tuple[Expression, Flow]] = {}
        """What expressions are while a binding is followed, or in another file: kept until the question at hand is answered"""
        self.narrowings = Narrowings(view.importer, view.tree.outline(view.importer), self.expression, self.classes.is_subclass)

    # ── Following ──

    def lookup(self, place: Place, name: str, start: int) -> Flow | None:
        return self.names.lookup(place, name, start)

    def annotation(self, place: Place, text: str) -> Flow:
        return self.types.annotation(place, text)

    def attribute(self, value: Value, name: str) -> Flow | None:
        if isinstance(value, Function):
            return self._attribute_of_function(value, name)
        return self.classes.attribute(value, name)

    def result(self, value: Value) -> Flow:
        return self.calls.arguments.result_when_called(one(value, ""))

    def module(self, importer: bytes, level: int, module: str) -> Flow:
        return self.names.module(importer, level, module)

    def call_method(self, value: Value, name: str) -> Flow:
        return self.calls.call_method(value, name)

    def result_of_function(self, function: Function) -> Flow:
        return self.calls.result_of_function(function)

    def result_of_lambda(self, function: Lambda) -> Flow:
        return self.calls.results_in(function.path, function.scope)

    def elements(self, flow: Flow) -> Flow:
        return self.calls.outside.elements(flow)

    def decorated_below(self, function: Function, number: int) -> Flow:
        definition = self.classes.definition(function.path, function.index)
        return self.calls.decorators.below(function, definition, number) if definition is not None else UNKNOWN

    def assigned(self, place: Place, name: Expression) -> Expression | None:
        outline = self.view.tree.outline(place.path)
        bindings = outline.names[place.scope].get(name.name, ()) if outline is not None else ()
        return bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assignment" else None

    def parameter(self, function: Function, call: Expression, scope: int) -> Flow:
        return self.calls.arguments.declared_for(function, call, scope)

    def type_arguments(self, place: Place, subscript: Expression) -> tuple[Flow, ...]:
        annotation = annotation_of(subscript)
        return tuple(self.types.flow(place, argument) for argument in annotation.arguments)

    def expression(self, place: Place, expression: Expression) -> Flow:
        is_kept = not self.names.is_running and place.path == self.view.importer
        if is_kept:
            if (known := self._known.get(id(expression))) is not None:
                return known
        elif (passing := self._passing.get(id(expression))) is not None:
            return passing[1]
        follow = _KINDS.get(expression.kind)
        if follow is None:
            return UNKNOWN
        nesting = self._nesting
        if nesting.depth >= DEEPEST:
            nesting.cuts += 1
            return UNKNOWN
        nesting.depth += 1
        if nesting.depth > nesting.deepest:
            nesting.deepest = nesting.depth
        flow = follow(self, place, expression)
        nesting.depth -= 1
        if is_kept:
            self._known[id(expression)] = flow
        else:
            self._passing[id(expression)] = (expression, flow)
        if not nesting.depth:
            self._passing.clear()
        return flow

    # ── expressions ──

    def _name(self, place: Place, expression: Expression) -> Flow:
        found = self.names.lookup(place, expression.name, expression.start)
        flow = found if found is not None else UNKNOWN
        return self.narrowings.narrow(place, expression, flow)

    def _attribute(self, place: Place, expression: Expression) -> Flow:
        owner = self.expression(place, expression.parts[0])
        flow = self.attributes(owner, expression.name)
        return self.narrowings.narrow(place, expression, flow)

    def attributes(self, owner: Flow, name: str) -> Flow:
        """What `name` of any of these values is."""
        if not owner.values:
            return UNKNOWN
        flows = [self.attribute(value, name) or UNKNOWN for value in owner.values]
        found = flows[0] if len(flows) == 1 else union(flows)
        return through(found, owner.reason, owner.is_certain)

    def _attribute_of_function(self, value: Function, name: str) -> Flow | None:
        definition = self.classes.definition(value.path, value.index)
        if definition is None or not definition.decorators:
            return UNKNOWN
        decorated = self.calls.decorators.decorated(value, definition)
        if value in decorated.values:
            return UNKNOWN
        return self.attributes(decorated, name)

    def _call(self, place: Place, expression: Expression) -> Flow:
        return self.calls.result(place, expression)

    def _literal(self, place: Place, expression: Expression) -> Flow:
        return NOTHING if expression.name == "none" else one(Foreign("builtins", expression.name), "local")

    def _collection(self, place: Place, expression: Expression) -> Flow:
        if len(expression.parts) > _ITEMS:
            return one(Foreign("builtins", expression.name), "local")
        flows = [through(self.expression(place, part), "container") for part in expression.parts]
        if expression.name == "tuple":
            return one(Foreign("builtins", "tuple", tuple(flows)), "local")
        elements = union(flows) if flows else UNKNOWN
        if expression.name == "dict":
            items = tuple((key, flow) for key, flow in zip(expression.keywords, flows, strict=False) if key)
            return one(Foreign("builtins", "dict", (UNKNOWN, _open(elements)), items), "local")
        items = tuple((str(index), flow) for index, flow in enumerate(flows))
        return one(Foreign("builtins", expression.name, (_open(elements),), items), "local")

    def _subscript(self, place: Place, expression: Expression) -> Flow:
        known = self.containers.item(place, expression)
        if known is not None:
            return known
        owner = self.expression(place, expression.parts[0])
        is_closed = owner.is_certain and owner.reason == "container"
        flows = [self._item(value, place, expression, is_closed) for value in owner.values]
        return through(union(flows or [UNKNOWN]), owner.reason, owner.is_certain)

    def _item(self, value: Value, place: Place, expression: Expression, is_closed: bool) -> Flow:
        if isinstance(value, Class):
            return one(Class(value.path, value.index, self.type_arguments(place, expression)), "local")
        if isinstance(value, External | Alias):
            return one(Alias(place, annotation_of(expression)), "local")
        if isinstance(value, Foreign):
            return self.calls.outside.item_of(value, expression.parts[1] if len(expression.parts) > 1 else None, is_closed)
        if isinstance(value, Instance):
            return self.calls.call_method(value, "__getitem__")
        return UNKNOWN

    def _lambda(self, place: Place, expression: Expression) -> Flow:
        return one(Lambda(place.path, expression.scope), "local")

    def _conditional(self, place: Place, expression: Expression) -> Flow:
        return union(self.expression(place, part) for part in expression.parts)

    def _operand(self, place: Place, expression: Expression) -> Flow:
        return self.expression(place, expression.parts[0]) if expression.parts else UNKNOWN

    def _iterate(self, place: Place, expression: Expression) -> Flow:
        if not expression.parts:
            return UNKNOWN
        found = self.elements(self.expression(place, expression.parts[0]))
        added = self.containers.added(place, expression.parts[0]) if not found.values or not found.is_certain else None
        return union([found, added]) if added is not None else found

    def _operator(self, place: Place, expression: Expression) -> Flow:
        if expression.name in _BOOLEAN:
            return one(Foreign("builtins", "bool"), "local")
        flow = self.expression(place, expression.parts[0]) if expression.parts else UNKNOWN
        if expression.name in ("|", "__or__") and flow.values and all(self.types.is_type(value) for value in flow.values):
            return one(Alias(place, annotation_of(expression)), "local")
        if all(isinstance(value, Foreign) for value in flow.values):
            return flow
        found = [self.calls.call_method(value, expression.name) for value in flow.values if isinstance(value, Instance)]
        return union(found or [UNKNOWN])

    def _comprehension(self, place: Place, expression: Expression) -> Flow:
        inner = Place(place.path, expression.scope) if expression.scope >= 0 else place
        element = self.expression(inner, expression.parts[0]) if expression.parts else UNKNOWN
        arguments = (UNKNOWN, element) if expression.name == "dict" else (element,)
        return one(Foreign("builtins", expression.name, arguments), "local")

    # ── bindings ──

    def binding(self, place: Place, binding: Binding) -> Flow:
        """What one binding gives its name."""
        outline = self.view.tree.outline(place.path)
        if outline is None:
            return UNKNOWN
        if binding.kind == "definition":
            return self._defined(place, outline.definitions[binding.target], binding.target)
        if binding.kind == "import":
            return self.names.imported(place.path, outline.imports[binding.target])
        if binding.kind == "parameter":
            return self._parameter(place, outline, binding)
        if binding.kind == "except":
            return self.narrowings.types_of(place, binding.value) if binding.value is not None else UNKNOWN
        value = self.expression(place, binding.value) if binding.value is not None else UNKNOWN
        if binding.kind == "with":
            value = self.calls.outside.entered(value)
        for step in binding.path:
            value = self.calls.outside.unpacked(value, step)
        return self._declared(place, binding, value)

    def of_stub(self, path: bytes, owner: int, name: str) -> Flow:
        """What a stub says that a variable of a module or class is."""
        found = self.stubs.variable(path, owner, name)
        return self.stubs.to_source(self.annotation(*found)) if found is not None else UNKNOWN

    def _declared(self, place: Place, binding: Binding, value: Flow) -> Flow:
        """A declared type says what a name is unless what is assigned says it more narrowly."""
        if not binding.annotation:
            return value if value.values or value.is_certain or place.scope != MODULE_SCOPE else self.of_stub(place.path, 0, binding.name)
        if binding.annotation.endswith("TypeAlias"):
            return one(Alias(place, annotation_of(binding.value)), "local") if binding.value is not None else UNKNOWN
        if value.values and value.is_certain and all(isinstance(found, Instance | Class) for found in value.values):
            return value
        declared = self.annotation(place, binding.annotation)
        return declared if declared.values or declared.is_certain else value

    def _defined(self, place: Place, definition: Definition, index: int) -> Flow:
        if definition.kind in CLASS_KINDS:
            return one(Class(place.path, index), "local")
        if definition.kind == "type":
            return one(Alias(place, annotation_of(definition.value)), "local") if definition.value is not None else UNKNOWN
        return one(Function(place.path, index), "local")

    def _parameter(self, place: Place, outline: Outline, binding: Binding) -> Flow:
        if outline.scopes[place.scope].kind == "lambda":
            return self.passed.to_lambda(place, outline, binding) if place.path == self.view.importer else UNKNOWN
        owner = outline.scopes[place.scope].definition
        definition = outline.definitions[owner]
        if outline.bodies.get(owner) != place.scope or not 0 <= binding.target < len(definition.parameters):
            return UNKNOWN
        parameter = definition.parameters[binding.target]
        if parameter.kind == "type":
            bound = self.annotation(place, parameter.annotation) if parameter.annotation else None
            return one(TypeVariable(place.path, parameter.name, bound), "local")
        if binding.target == 0 and outline.owner_of_self(place.scope, parameter.name) == definition.parent:
            return self._self(place.path, definition)
        declared = self.annotation(Place(place.path, definition.scope), parameter.annotation) if parameter.annotation else UNKNOWN
        if parameter.kind == "variadic":
            return one(Foreign("builtins", "tuple", (declared,)), "annotation")
        if parameter.kind == "keyword_variadic":
            return one(Foreign("builtins", "dict", (one(Foreign("builtins", "str"), "annotation"), declared)), "annotation")
        if not parameter.annotation and place.path == self.view.importer:
            stub = self.stubs.parameter(place.path, owner, parameter.name)
            if stub is not None:
                return self.stubs.to_source(self.annotation(*stub))
        if not parameter.annotation:
            fixture = self.fixtures.of(Function(place.path, owner), definition, parameter.name)
            if fixture is not None:
                return self._given_by(fixture)
            if place.path == self.view.importer:
                return self.passed.to_function(owner, binding)
        return declared

    def _given_by(self, fixture: Function) -> Flow:
        """What a fixture gives: what it returns, or yields."""
        definition = self.classes.definition(fixture.path, fixture.index)
        flow = self.calls.result_of_function(fixture)
        if definition is not None and "generator" in definition.flags:
            flow = self.elements(flow)
        return Flow(flow.values, False, "fixture")

    def _self(self, path: bytes, definition: Definition) -> Flow:
        is_class = "class" in definition.flags or definition.name in ("__new__", "__init_subclass__", "__class_getitem__")
        return one(Class(path, definition.parent) if is_class else Instance(path, definition.parent), "self")


def _open(elements: Flow) -> Flow:
    """Elements of a collection that may grow: never all of them."""
    return Flow(elements.values, False, elements.reason)


def _classes_from_outside(view: View) -> Classes:
    return PythonFlow(view, _NO_FACTS).classes


_NO_FACTS = FileFacts("python", "", "", 0, False)
_KINDS = {
    "name": PythonFlow._name,
    "attribute": PythonFlow._attribute,
    "call": PythonFlow._call,
    "literal": PythonFlow._literal,
    "collection": PythonFlow._collection,
    "subscript": PythonFlow._subscript,
    "lambda": PythonFlow._lambda,
    "conditional": PythonFlow._conditional,
    "await": PythonFlow._operand,
    "iterate": PythonFlow._iterate,
    "operator": PythonFlow._operator,
    "comprehension": PythonFlow._comprehension,
}
