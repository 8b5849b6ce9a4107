"""Following values through JavaScript's expressions, bindings and calls, as far as they are certain and a little beyond."""

from __future__ import annotations

from analyzers.facts import Binding, Expression, FileFacts
from knowledge.graph.annotations import read_annotation
from knowledge.graph.javascript_calls import JavaScriptCalls
from knowledge.graph.javascript_classes import JavaScriptClasses
from knowledge.graph.javascript_names import RUNTIME, JavaScriptNames
from knowledge.graph.javascript_types import JavaScriptTypes
from knowledge.graph.narrowing import Narrowings
from knowledge.graph.outline import CLASS_KINDS, FUNCTION_KINDS, Outline
from knowledge.graph.reads import View
from knowledge.graph.values import (
    NOTHING,
    UNKNOWN,
    Alias,
    Class,
    Flow,
    Foreign,
    Function,
    Instance,
    Lambda,
    Module,
    Place,
    Value,
    one,
    through,
    union,
)

EXPRESSION_DEPTH = 40
_ITEMS = 64
_BOOLEAN = frozenset({"!", "==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof", "delete"})
_TEXT = frozenset({"typeof", "+"})


class JavaScriptFlow:
    """The resolver's knowledge while it works on one file; every part is remembered for that file only."""

    def __init__(self, view: View, facts: FileFacts) -> None:
        self.view = view
        self.names = JavaScriptNames(view, self.binding)
        self.types = JavaScriptTypes(view, self.names, self)
        self.classes = JavaScriptClasses(view, self.names, self.types, self)
        self.calls = JavaScriptCalls(view, self.classes, self.types, facts, self)
        self.narrowings = Narrowings(view.importer, view.tree.outline(view.importer), self.expression, self.classes.is_subclass)
        self.is_cut = False
        """Whether something was too deep to be followed."""
        self._depth = 0

    # ── Following ──

    def lookup(self, place: Place, name: str, start: int) -> Flow | None:
        return self.names.lookup(place, name, start)

    def annotation(self, place: Place, text: str) -> Flow:
        return self.types.annotation(place, text)

    def attribute(self, value: Value, name: str) -> Flow | None:
        return self.classes.attribute(value, name)

    def result(self, value: Value) -> Flow:
        return self.calls.result(value)

    def type_arguments(self, place: Place, subscript: Expression) -> tuple[Flow, ...]:
        return ()

    def expression(self, place: Place, expression: Expression) -> Flow:
        if self._depth >= EXPRESSION_DEPTH:
            self.is_cut = True
            return UNKNOWN
        self._depth += 1
        try:
            follow = _KINDS.get(expression.kind)
            return follow(self, place, expression) if follow is not None else UNKNOWN
        finally:
            self._depth -= 1

    # ── expressions ──

    def _name(self, place: Place, expression: Expression) -> Flow:
        if expression.name == "this":
            return self._this(place)
        if expression.name == "super":
            return self.calls.super_of(place)
        found = self.names.lookup(place, expression.name, expression.start)
        return self.narrowings.narrow(place, expression, found if found is not None else UNKNOWN)

    def _this(self, place: Place) -> Flow:
        outline = self.view.tree.outline(place.path)
        if outline is None:
            return UNKNOWN
        owner = outline.owner_of_self(place.scope, "this")
        if owner > 0:
            is_static = "static" in outline.definitions[self._method_of(outline, place.scope, owner)].flags
            return one(Class(place.path, owner) if is_static else Instance(place.path, owner), "self")
        return self._this_of_object(outline, place)

    def _method_of(self, outline: Outline, scope: int, owner: int) -> int:
        index = outline.scopes[scope].definition
        while outline.definitions[index].parent != owner and index > 0:
            index = outline.definitions[index].parent
        return index

    def _this_of_object(self, outline: Outline, place: Place) -> Flow:
        """`this` in a method of an object literal, or in a function that is given members or made with `new`."""
        index = outline.scopes[place.scope].definition
        while index > 0:
            definition = outline.definitions[index]
            parent = outline.definitions[definition.parent]
            if definition.kind == "method" and parent.kind in ("constant", "variable"):
                found = self.names.lookup(Place(place.path, definition.scope), parent.name, 1 << 60)
                return through(found, "self") if found is not None else UNKNOWN
            if definition.kind == "function" and parent.kind in FUNCTION_KINDS and definition.scope != outline.bodies.get(definition.parent):
                return one(Instance(place.path, definition.parent), "self")
            if definition.kind == "function" and outline.added.get(index):
                return one(Instance(place.path, index), "self")
            index = definition.parent
        return UNKNOWN

    def _attribute(self, place: Place, expression: Expression) -> Flow:
        owner = self.expression(place, expression.parts[0])
        flow = self.attributes(owner, expression.name)
        return self.narrowings.narrow(place, expression, flow)

    def attributes(self, owner: Flow, name: str) -> Flow:
        """What `name` of any of these values is."""
        if not owner.values:
            return UNKNOWN
        flows = [self.attribute(value, name) or UNKNOWN for value in owner.values]
        return through(flows[0] if len(flows) == 1 else union(flows), owner.reason, owner.is_certain)

    def _call(self, place: Place, expression: Expression) -> Flow:
        return self.calls.result_of(place, expression)

    def _literal(self, place: Place, expression: Expression) -> Flow:
        if expression.name == "none":
            return NOTHING
        return one(Foreign(RUNTIME, {"str": "string", "template": "string"}.get(expression.name, expression.name)), "local")

    def _collection(self, place: Place, expression: Expression) -> Flow:
        is_object = expression.name == "dict"
        if len(expression.parts) > _ITEMS:
            return one(Foreign(RUNTIME, "object" if is_object else "Array"), "local")
        flows = [self.expression(place, part) for part in expression.parts]
        if is_object:
            items = tuple((key.strip("\"'"), flow) for key, flow in zip(expression.keywords, flows, strict=False) if key)
            spread = tuple(self.expression(place, part.parts[0]) for part in expression.parts if part.kind == "spread" and part.parts)
            return one(Foreign(RUNTIME, "object", spread, items), "local")
        elements = through(union(flows), "container", False) if flows else UNKNOWN
        return one(Foreign(RUNTIME, "Array", (elements,), tuple((str(index), flow) for index, flow in enumerate(flows))), "local")

    def _subscript(self, place: Place, expression: Expression) -> Flow:
        owner = self.expression(place, expression.parts[0])
        index = expression.parts[1] if len(expression.parts) > 1 else None
        flows = [self.calls.item_of(value, index) for value in owner.values]
        return through(union(flows or [UNKNOWN]), owner.reason, owner.is_certain)

    def _definition(self, place: Place, expression: Expression) -> Flow:
        outline = self.view.tree.outline(place.path)
        index = outline.scopes[expression.scope].definition if outline is not None and expression.scope >= 0 else 0
        if outline is None or index <= 0:
            return UNKNOWN
        is_class = outline.definitions[index].kind in CLASS_KINDS
        return one(Class(place.path, index) if is_class else Function(place.path, index), "local")

    def _lambda(self, place: Place, expression: Expression) -> Flow:
        return one(Lambda(place.path, expression.scope), "local")

    def _conditional(self, place: Place, expression: Expression) -> Flow:
        return union(self.expression(place, part) for part in expression.parts)

    def _await(self, place: Place, expression: Expression) -> Flow:
        return self.calls.awaited(self.expression(place, expression.parts[0])) if expression.parts else UNKNOWN

    def _iterate(self, place: Place, expression: Expression) -> Flow:
        return self.calls.elements(self.expression(place, expression.parts[0])) if expression.parts else UNKNOWN

    def _operator(self, place: Place, expression: Expression) -> Flow:
        name = "boolean" if expression.name in _BOOLEAN else "string" if expression.name in _TEXT else "number"
        return one(Foreign(RUNTIME, name), "local")

    # ── bindings ──

    def binding(self, place: Place, binding: Binding, is_type: bool) -> Flow:
        """What one binding gives its name, as a type or as a value."""
        outline = self.view.tree.outline(place.path)
        if outline is None:
            return UNKNOWN
        if binding.kind == "definition":
            return self._defined(place, outline, binding.target)
        if binding.kind == "import":
            return self.names.imported(place.path, outline.imports[binding.target], is_type)
        if self._depth >= EXPRESSION_DEPTH:
            self.is_cut = True
            return UNKNOWN
        if binding.kind == "parameter":
            return self._parameter(place, outline, binding)
        if binding.annotation and not binding.path:
            declared = self.annotation(place, binding.annotation)
            if declared.values or declared.is_certain:
                return declared
        value = self.expression(place, binding.value) if binding.value is not None else UNKNOWN
        return self._unpacked(value, binding.path)

    def _unpacked(self, value: Flow, path: tuple[str, ...]) -> Flow:
        for step in path:
            if step.isdigit():
                key = Expression("literal", "int", (), (), step)
                value = through(union([self.calls.item_of(v, key) for v in value.values] or [UNKNOWN]), value.reason, value.is_certain)
            else:
                value = self.attributes(value, step) if step != "*" else UNKNOWN
        return value

    def _defined(self, place: Place, outline: Outline, index: int) -> Flow:
        definition = outline.definitions[index]
        if definition.kind in CLASS_KINDS or definition.kind == "namespace":
            return one(Class(place.path, index), "local")
        if definition.kind == "type":
            scope = outline.bodies.get(index, place.scope)
            return one(Alias(Place(place.path, scope), read_annotation(definition.returns, "typescript")), "local")
        return one(Function(place.path, index), "local") if definition.kind in FUNCTION_KINDS else UNKNOWN

    def _parameter(self, place: Place, outline: Outline, binding: Binding) -> Flow:
        if binding.annotation and not binding.path:
            return self.annotation(place, binding.annotation)
        owner = outline.scopes[place.scope].definition
        definition = outline.definitions[owner]
        if outline.scopes[place.scope].kind == "function" and 0 <= binding.target < len(definition.parameters):
            annotation = definition.parameters[binding.target].annotation
            return self._unpacked(self.annotation(place, annotation), binding.path) if annotation else UNKNOWN
        if outline.scopes[place.scope].kind == "lambda" and place.path == self.view.importer:
            return self._unpacked(self.calls.lambda_parameter(place, outline, binding.name), binding.path)
        return UNKNOWN

    def module_of(self, flow: Flow) -> Module | None:
        """The module that a flow is, if it is one."""
        return flow.values[0] if len(flow.values) == 1 and isinstance(flow.values[0], Module) else None


_KINDS = {
    "name": JavaScriptFlow._name,
    "attribute": JavaScriptFlow._attribute,
    "call": JavaScriptFlow._call,
    "new": JavaScriptFlow._call,
    "literal": JavaScriptFlow._literal,
    "collection": JavaScriptFlow._collection,
    "subscript": JavaScriptFlow._subscript,
    "definition": JavaScriptFlow._definition,
    "lambda": JavaScriptFlow._lambda,
    "conditional": JavaScriptFlow._conditional,
    "await": JavaScriptFlow._await,
    "iterate": JavaScriptFlow._iterate,
    "operator": JavaScriptFlow._operator,
}
