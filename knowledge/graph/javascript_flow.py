"""Following values through JavaScript's and TypeScript's expressions, bindings and members, as far as they are certain and a little beyond.

One for a tree: what it finds out about a file is kept for all others (see `javascript_memory`); `begin` turns it to the file to resolve.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers.facts import Access, Binding, Definition, Expression, FileFacts
from knowledge.graph.annotations import UNKNOWN_TYPE
from knowledge.graph.javascript_calls import Calls
from knowledge.graph.javascript_classes import Classes
from knowledge.graph.javascript_context import Context
from knowledge.graph.javascript_declarations import Declarations
from knowledge.graph.javascript_expected import Expected
from knowledge.graph.javascript_members import Members
from knowledge.graph.javascript_memory import Memory
from knowledge.graph.javascript_names import Names
from knowledge.graph.javascript_outside import Outside, has_member
from knowledge.graph.javascript_types import Types
from knowledge.graph.javascript_values import (
    RUNTIME,
    Described,
    Environment,
    NamedType,
    This,
    Typed,
    Written,
    primitive,
)
from knowledge.graph.narrowing import Narrowings
from knowledge.graph.outline import FUNCTION_KINDS, MODULE_SCOPE, Outline
from knowledge.graph.reads import Tree
from knowledge.graph.values import (
    NOTHING,
    UNKNOWN,
    Class,
    External,
    Flow,
    Foreign,
    Function,
    Lambda,
    Module,
    Place,
    Super,
    Value,
    one,
    through,
    union,
)

_ITEMS = 64
"""A longer literal is not looked into."""


class JavaScriptFlow:
    """See the module's docstring."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.memory = Memory()
        self.names = Names(tree, self.memory, self._binding)
        self.declarations = Declarations(tree, self.names)
        self.types = Types(self.memory, self.names, self.declarations, self)
        self.classes = Classes(self.memory, self.declarations, self.types, self)
        self.calls = Calls(self.memory, self.names, self.types, self.classes, self)
        self.outside = self.calls.outside = Outside(self.memory, self.types, self)
        self.members = Members(tree, self.names, self.types, self.classes, self.calls, self)
        self._expected = Expected(self.types, self.classes, self.calls, self.outside, self)
        self.context: Context
        """What the file that is being resolved knows by itself."""
        self._narrowings: Narrowings
        self._attributes: dict[int, Flow] = {}
        self._results: dict[int, Flow] = {}

    def begin(self, path: bytes, facts: FileFacts, outline: Outline) -> None:
        """Turn to the file `path`."""
        self.memory.begin(path)
        self.context = Context(facts, outline)
        self._narrowings = Narrowings(path, outline, self.expression, self.classes.is_subclass)
        self.forget()

    def forget(self) -> None:
        """Follow everything in this file anew: more is known of what its calls pass."""
        self.memory.forget_own()
        self.names.forget()
        self._attributes, self._results = {}, {}

    # ── what the parts ask of one another ──

    def called(self, value: Value) -> Flow:
        return self.calls.called(value)

    def constructed(self, value: Value) -> Flow:
        return self.calls.constructed(value)

    def returned(self, function: Function, environment: Environment | None) -> Flow:
        return self.calls.returned(function, environment)

    def elements(self, flow: Flow) -> Flow:
        return self.outside.elements(flow)

    def awaited(self, flow: Flow) -> Flow:
        return self.outside.awaited(flow)

    def binding(self, place: Place, binding: Binding) -> Flow:
        return self.names.binding(place, binding)

    # ── expressions ──

    def expression(self, place: Place, expression: Expression) -> Flow:
        """What an expression may be."""
        follow = _KINDS.get(expression.kind)
        if follow is None or not self.memory.enter():
            return UNKNOWN
        found = follow(self, place, expression)
        self.memory.depth -= 1
        return found

    def is_here(self, place: Place) -> bool:
        """Whether a place is in the file that is being resolved, and what is computed is for it alone."""
        return self.memory.is_own and place.path == self.memory.path

    def _name(self, place: Place, expression: Expression) -> Flow:
        name = expression.name
        if name in ("this", "super"):
            return self._this(place) if name == "this" else self._super(place)
        flow = self.names.lookup(place, name, expression.start)
        if flow is None:
            return UNKNOWN
        return self._narrowings.narrow(place, expression, flow) if self.is_here(place) else flow

    def _this(self, place: Place) -> Flow:
        """The object that the method around a place runs on."""
        outline = self.tree.outline(place.path)
        index = outline.scopes[place.scope].definition if outline is not None else 0
        while outline is not None and index > 0:
            definition = outline.definitions[index]
            declared = next((p.annotation for p in definition.parameters if p.name == "this"), "")
            if declared:
                return self.types.annotation(Place(place.path, outline.bodies.get(index, definition.scope)), declared)
            parent = outline.definitions[definition.parent]
            if definition.kind == "class":
                is_static = outline.scopes[place.scope].kind == "block"
                return one(Class(place.path, index) if is_static else This(place.path, index), "self")
            if parent.kind == "class" and definition.parent > 0:
                is_static = "static" in definition.flags
                return one(Class(place.path, definition.parent) if is_static else This(place.path, definition.parent), "self")
            if definition.kind == "method" and definition.parent > 0:
                return self._object_around(place.path, outline, definition)
            if definition.kind == "function" and index in outline.attributes:
                return one(This(place.path, index), "self")
            if parent.kind == "function" and self._is_assigned(outline, index):
                return one(This(place.path, definition.parent), "self")
            index = definition.parent
        return UNKNOWN

    def _object_around(self, path: bytes, outline: Outline, method: Definition) -> Flow:
        """The object literal in which a method stands, as it is declared or else as it is written."""
        declared = self._expected.receiver(path, outline, method)
        if declared.values:
            return through(declared, "self")
        parent = outline.definitions[method.parent]
        if parent.value is not None:
            return through(self.expression(Place(path, parent.scope), parent.value), "self")
        return through(self.calls.called(Function(path, method.parent)), "self") if parent.kind in FUNCTION_KINDS else UNKNOWN

    def _is_assigned(self, outline: Outline, index: int) -> bool:
        definition = outline.definitions[index]
        return index in outline.added.get(definition.parent, {}).get(definition.name, ()) and "static" not in definition.flags

    def _super(self, place: Place) -> Flow:
        index = self.declarations.class_around(place.path, place.scope)
        if index <= 0:
            return UNKNOWN
        receiver = self._this(place).values
        return one(Super(place.path, index, receiver[0] if receiver else This(place.path, index)), "super")

    def _attribute(self, place: Place, expression: Expression) -> Flow:
        is_here = self.is_here(place)
        if is_here and (known := self._attributes.get(expression.start)) is not None:
            return known
        owner = self.expression(place, expression.parts[0])
        found = self.attributes(owner, expression.name)
        if is_here:
            found = self._assigned(place, expression, owner, found)
            found = self._narrowings.narrow(place, expression, found)
            if expression.start >= 0:
                self._attributes[expression.start] = found
        return found

    def attributes(self, owner: Flow, name: str) -> Flow:
        """What `name` of any of these values is."""
        values = owner.values
        if not values or not self.memory.enter():
            return UNKNOWN
        if len(values) == 1:
            found = self.members.of(values[0], name)
            self.memory.depth -= 1
            return through(found, owner.reason, owner.is_certain) if found is not None else UNKNOWN
        flows = []
        for value in values:
            if has_member(value, name):
                flow = self.members.of(value, name)
                flows.append(flow if flow is not None else UNKNOWN)
        self.memory.depth -= 1
        return through(union(flows), owner.reason, owner.is_certain) if flows else UNKNOWN

    def _assigned(self, place: Place, expression: Expression, owner: Flow, found: Flow) -> Flow:
        """What was assigned to a member of a variable, where its declaration does not say what it is."""
        if found.values and any(self._declares(value, expression.name) for value in owner.values):
            return found
        writes = self.context.writes_to(place.scope, expression)
        if not writes:
            return found
        frame = self.context.frame_of(place.scope)
        before = [w for w in writes if w.span.start < expression.start and self.context.frame_of(w.scope) == frame]
        if before:
            writes = before[-1:]
        flow = union([self._written(w) for w in writes])
        return Flow(flow.values, False, "assigned") if flow.values else found

    def _written(self, access: Access) -> Flow:
        return self.expression(Place(self.memory.path, access.scope), access.value) if access.value is not None else UNKNOWN

    def _declares(self, value: Value, name: str) -> bool:
        """Whether a declaration says that a value has a member."""
        if isinstance(value, Typed | This | Class):
            found = self.classes.find(value.path, value.index, name, isinstance(value, Class))
            return found is not None and found.member is not None and bool(found.member.bindings or found.member.added)
        if isinstance(value, Function):
            outline = self.tree.outline(value.path)
            return outline is not None and name in outline.added.get(value.index, {})
        return isinstance(value, Module | External | Described)

    def _call(self, place: Place, expression: Expression) -> Flow:
        is_here = self.is_here(place)
        start = expression.parts[0].start if expression.parts and expression.parts[0].kind in ("name", "attribute") else -1
        if is_here and start >= 0:
            known = self._results.get(start)
            if known is None:
                known = self._results[start] = self.calls.result(place, self.context.calls.get(start, expression))
            return known
        return self.calls.result(place, expression)

    def _new(self, place: Place, expression: Expression) -> Flow:
        return self.calls.made(place, expression) if expression.parts else UNKNOWN

    def _literal(self, place: Place, expression: Expression) -> Flow:
        return _LITERALS.get(expression.name, UNKNOWN)

    def _collection(self, place: Place, expression: Expression) -> Flow:
        if len(expression.parts) > _ITEMS:
            return one(Foreign(RUNTIME, "Array" if expression.name == "list" else "Object"), "local")
        return one(Written(RUNTIME, "Array" if expression.name == "list" else "Object", (), (), place, expression), "local")

    def _subscript(self, place: Place, expression: Expression) -> Flow:
        owner_part, index = expression.parts[0], expression.parts[1] if len(expression.parts) > 1 else None
        owner = self.expression(place, owner_part)
        keys = self._keys_of(place, index) if index is not None else ()
        if not keys:
            return through(union([self._any_item(value) for value in owner.values] or [UNKNOWN]), "container", False)
        flows = [through(self.attributes(owner, key), "container") for key in keys]
        found = union(flows) if flows else UNKNOWN
        return self._assigned(place, expression, owner, found) if self.is_here(place) else found

    def _keys_of(self, place: Place, index: Expression) -> tuple[str, ...]:
        """The constant keys that an index may be."""
        if index.kind == "literal":
            return (index.text.strip("\"'`"),)
        if index.kind != "name":
            return ()
        home = self.names.home_at(place, index.name)
        if home is None or home.value is not None:
            return self._passed_keys(place, index)
        found = self.names.find(Place(home.path, MODULE_SCOPE), home.name, False)
        value = found.bindings[0].value if found is not None and len(found.bindings) == 1 else None
        self.names.named(home.path, home.name)
        return (value.text.strip("\"'`"),) if value is not None and value.kind == "literal" else ()

    def _passed_keys(self, place: Place, index: Expression) -> tuple[str, ...]:
        """The constants that calls in this file pass to a parameter."""
        found = self.names.find(place, index.name, False) if self.is_here(place) else None
        binding = found.bindings[0] if found is not None and len(found.bindings) == 1 else None
        outline = self.tree.outline(place.path)
        if found is None or binding is None or binding.kind != "parameter" or outline is None:
            return ()
        keys = []
        for argument, _ in self._arguments_for(outline, found.scope, binding):
            if argument.kind != "literal":
                return ()
            keys.append(argument.text.strip("\"'`"))
        return tuple(dict.fromkeys(keys))

    def _any_item(self, value: Value) -> Flow:
        if isinstance(value, Written):
            return self.outside.elements(one(value, "container")) if value.name == "Array" else self._any_of(value)
        if isinstance(value, Described) and value.annotation.kind == "object":
            found = self.types.member(value, "")
            return found if found is not None else UNKNOWN
        return self.outside.elements(one(value, "container")) if isinstance(value, Foreign) else UNKNOWN

    def _any_of(self, value: Written) -> Flow:
        return union([self.expression(value.place, part) for part in value.expression.parts] or [UNKNOWN])

    def _lambda(self, place: Place, expression: Expression) -> Flow:
        return one(Lambda(place.path, expression.scope), "local")

    def _definition(self, place: Place, expression: Expression) -> Flow:
        outline = self.tree.outline(place.path)
        if outline is None or expression.scope < 0:
            return UNKNOWN
        index = outline.scopes[expression.scope].definition
        return one(Class(place.path, index) if outline.definitions[index].kind == "class" else Function(place.path, index), "local")

    def _conditional(self, place: Place, expression: Expression) -> Flow:
        if expression.name == "and":
            return self.expression(place, expression.parts[-1])
        return union([self.expression(place, part) for part in expression.parts])

    def _await(self, place: Place, expression: Expression) -> Flow:
        return self.outside.awaited(self.expression(place, expression.parts[0])) if expression.parts else UNKNOWN

    def _operand(self, place: Place, expression: Expression) -> Flow:
        return self.expression(place, expression.parts[0]) if expression.parts else UNKNOWN

    def _iterate(self, place: Place, expression: Expression) -> Flow:
        if expression.name == "in":
            return one(primitive("string"), "iteration")
        return self.outside.elements(self.expression(place, expression.parts[0])) if expression.parts else UNKNOWN

    def _cast(self, place: Place, expression: Expression) -> Flow:
        """What something is said to be; what it is by itself is no more than evidence."""
        declared = self.types.annotation(place, expression.text)
        if declared.values:
            return declared
        found = self.expression(place, expression.parts[0])
        return Flow(found.values, False, "flow") if found.values else UNKNOWN

    def _operator(self, place: Place, expression: Expression) -> Flow:
        return one(primitive("boolean" if expression.name in _TRUTHS else "number"), "local")

    def _element(self, place: Place, expression: Expression) -> Flow:
        return one(Foreign(RUNTIME, "Element"), "local")

    # ── bindings ──

    def _binding(self, place: Place, binding: Binding, is_type: bool) -> Flow:
        """What one binding gives its name."""
        outline = self.tree.outline(place.path)
        if outline is None:
            return UNKNOWN
        if binding.kind == "definition":
            return self._defined(place, outline.definitions[binding.target], binding.target)
        if binding.kind == "import":
            return self.names.imported_flow(place.path, outline.imports[binding.target], is_type)
        if binding.kind == "parameter":
            return self._unpacked(self._parameter(place, outline, binding), binding.path)
        if not binding.annotation:
            if binding.value is None:
                return NOTHING if binding.kind == "assignment" else UNKNOWN
            return self._unpacked(self.expression(place, binding.value), binding.path)
        declared = self.types.annotation(place, binding.annotation)
        if declared.values or binding.value is None:
            return declared
        # `any`, or a type that cannot be followed: what is assigned is no more than evidence.
        found = self._unpacked(self.expression(place, binding.value), binding.path)
        return Flow(found.values, False, "flow") if found.values else UNKNOWN

    def _unpacked(self, flow: Flow, path: tuple[str, ...]) -> Flow:
        for step in path:
            if step == "*":
                flow = Flow(flow.values, False, flow.reason) if any(v.name == "Array" for v in flow.values if isinstance(v, Foreign)) else UNKNOWN
            else:
                flow = self.attributes(flow, step)
        return flow

    def _defined(self, place: Place, definition: Definition, index: int) -> Flow:
        if definition.kind in ("class", "interface", "enum", "namespace"):
            return one(Class(place.path, index), "local")
        if definition.kind == "type":
            return one(NamedType(Place(place.path, definition.scope), UNKNOWN_TYPE, index), "local")
        if definition.kind in ("constant", "variable"):
            if definition.value is not None:
                return self.expression(place, definition.value)
            # An object inside of another: known by its functions.
            outline = self.tree.outline(place.path)
            return one(Typed(place.path, index), "local") if outline is not None and index in outline.added else UNKNOWN
        return one(Function(place.path, index), "local")

    def _parameter(self, place: Place, outline: Outline, binding: Binding) -> Flow:
        scope = outline.scopes[place.scope]
        owner = scope.definition if outline.bodies.get(scope.definition) == place.scope else -1
        parameters = outline.definitions[owner].parameters if owner >= 0 else ()
        annotation = binding.annotation or (parameters[binding.target].annotation if 0 <= binding.target < len(parameters) else "")
        if annotation:
            return self.types.annotation(place, annotation)
        wanted = self._expected.parameter(place, outline, owner, binding.target)
        if wanted.values:
            return wanted
        default = self.expression(place, binding.value) if binding.value is not None else UNKNOWN
        if not self.is_here(place):
            return Flow(default.values, False, "argument") if default.values else UNKNOWN
        given = [self.expression(at, argument) for argument, at in self._arguments_for(outline, place.scope, binding)]
        found = union([flow for flow in given if flow.values] or [default])
        if found is default and outline.language != "javascript":
            return default
        return Flow(found.values, False, "argument") if found.values else UNKNOWN

    def _arguments_for(self, outline: Outline, scope: int, binding: Binding) -> list[tuple[Expression, Place]]:
        """What calls in this file pass to a parameter, its default where one passes nothing."""
        owner = outline.scopes[scope].definition if outline.scopes[scope].kind != "lambda" else -1
        target = ("definition", owner) if owner >= 0 else ("lambda", scope)
        found = []
        for at, call in self.context.calls_of(target):
            parts = call.parts[1:]
            if any(part.kind == "spread" for part in parts[: binding.target + 1]):
                continue
            if binding.target < len(parts):
                found.append((parts[binding.target], Place(self.memory.path, at)))
            elif binding.value is not None:
                found.append((binding.value, Place(self.memory.path, scope)))
        return found


_TRUTHS = frozenset({"!", "==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof", "delete"})
_LITERALS = {
    "str": one(primitive("string"), "local"), "template": one(primitive("string"), "local"), "int": one(primitive("number"), "local"),
    "float": one(primitive("number"), "local"), "bool": one(primitive("boolean"), "local"), "none": NOTHING,
    "regexp": one(Foreign(RUNTIME, "RegExp"), "local"),
}  # fmt: skip
_KINDS: dict[str, Callable[[JavaScriptFlow, Place, Expression], Flow]] = {
    "name": JavaScriptFlow._name, "attribute": JavaScriptFlow._attribute, "call": JavaScriptFlow._call, "new": JavaScriptFlow._new,
    "literal": JavaScriptFlow._literal, "collection": JavaScriptFlow._collection, "subscript": JavaScriptFlow._subscript,
    "lambda": JavaScriptFlow._lambda, "definition": JavaScriptFlow._definition, "conditional": JavaScriptFlow._conditional,
    "await": JavaScriptFlow._await, "spread": JavaScriptFlow._operand, "iterate": JavaScriptFlow._iterate, "operator": JavaScriptFlow._operator,
    "jsx": JavaScriptFlow._element, "cast": JavaScriptFlow._cast,
}  # fmt: skip
