"""What calls give: results of functions, objects of classes, and what the arguments of a call say about type parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

from analyzers.facts import Definition, Expression
from analyzers.facts import Parameter as Declared
from knowledge.graph.annotations import Annotation
from knowledge.graph.javascript_annotations import read_type
from knowledge.graph.javascript_classes import Classes
from knowledge.graph.javascript_declarations import Declarations
from knowledge.graph.javascript_memory import Memory
from knowledge.graph.javascript_names import Names
from knowledge.graph.javascript_outside import Outside
from knowledge.graph.javascript_signatures import CALLED, CONSTRUCTED, NO_FUNCTION, Signatures, has_spread, takes_literal
from knowledge.graph.javascript_types import Arguments, Types
from knowledge.graph.javascript_values import RUNTIME, Described, Environment, Parameter, This, Typed, environment_of
from knowledge.graph.outline import Outline
from knowledge.graph.values import (
    NOTHING,
    UNKNOWN,
    Class,
    External,
    Flow,
    Foreign,
    ForeignMethod,
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

_RESULTS = 16
"""More return statements than this are not followed."""


class CallFollowing(Protocol):
    """What calls ask of the rest."""

    def expression(self, place: Place, expression: Expression) -> Flow:
        """What an expression may be."""
        ...

    def attributes(self, owner: Flow, name: str) -> Flow:
        """What `name` of any of these values is."""
        ...


class Inferred(Environment):
    """The type parameters of a function as the arguments of one call tell. expected: the declared type of what the call is assigned to."""

    __slots__ = ("call", "calls", "expected", "function", "given", "index", "place", "running")

    def __init__(self, calls: Calls, function: Function, index: int, place: Place, call: Expression) -> None:
        super().__init__(function.receiver, calls.around(function))
        self.calls = calls
        self.function = function
        self.index = index
        """The declaration whose parameters are inferred: the function, or the class that it constructs."""
        self.place = place
        self.call = call
        self.expected: tuple[Place, str] | None = None
        self.given = calls.type_arguments(function.path, index, place, call)
        """Type arguments that the call writes out."""
        self.running: set[str] = set()

    def own(self, path: bytes, owner: int, name: str) -> Flow | None:
        if path != self.function.path or (owner != self.index and owner not in self.calls.declarations.siblings(path, self.index)):
            return None
        if self.given is not None and (written := self.given.own(path, owner, name)) is not None:
            return written
        if name in self.running:
            return None
        self.running.add(name)
        found = self.calls.infer(self, name)
        if found is None:
            found = self.calls.default(self, owner, name)
        self.running.discard(name)
        return found


class Calls:
    """Calls of one tree."""

    def __init__(self, memory: Memory, names: Names, types: Types, classes: Classes, follow: CallFollowing) -> None:
        self.declarations: Declarations = types.declarations
        self._memory = memory
        self._names = names
        self._types = types
        self._classes = classes
        self._follow = follow
        self.signatures = Signatures(memory, types, classes)
        self.outside: Outside

    # ── calls ──

    def result(self, place: Place, call: Expression) -> Flow:
        """What a call expression gives."""
        callee = call.parts[0] if call.parts else None
        if callee is None:
            return UNKNOWN
        if callee.kind == "name" and callee.name in ("require", "import"):
            found = self._required(place, call, callee.name)
            if found is not None:
                return found
        flow = self._follow.expression(place, callee)
        if len(flow.values) == 1:
            return through(self.call(flow.values[0], place, call), flow.reason, flow.is_certain)
        results = [self.call(value, place, call) for value in flow.values]
        return through(union(results), flow.reason, flow.is_certain) if results else UNKNOWN

    def _required(self, place: Place, call: Expression, callee: str) -> Flow | None:
        first = call.parts[1] if len(call.parts) > 1 else None
        if first is None or first.kind != "literal" or first.name != "str":
            return None
        found = self._names.module(place.path, first.text.strip("\"'`"))
        if callee == "import":
            return one(Foreign(RUNTIME, "Promise", (found,)), "import")
        flows = []
        for value in found.values:
            home = self._names.exported(value.path, "export=") if isinstance(value, Module) else None
            flows.append(self._names.value(home) if home is not None else one(value, "import"))
        return union(flows) if flows else UNKNOWN

    def call(self, value: Value, place: Place, call: Expression) -> Flow:
        """What calling one value gives."""
        if isinstance(value, Function):
            return self._call_function(value, place, call)
        if isinstance(value, Lambda):
            return self._call_lambda(value, place, call)
        if isinstance(value, ForeignMethod):
            return self._call_method(value, place, call)
        if isinstance(value, External):
            return self.outside.function(value, place, call)
        if isinstance(value, Typed | Described):
            chosen = self.signatures.of(value, CALLED, call)
            return through(self._types.result(chosen), "return") if chosen is not None else UNKNOWN
        return self.called(value)

    def called(self, value: Value) -> Flow:
        """What calling a value gives, the arguments aside."""
        if isinstance(value, Function):
            return self.returned(value, Environment(value.receiver, self.around(value)))
        if isinstance(value, Lambda):
            return self._returns(value.path, value.scope)
        if isinstance(value, Typed | Described):
            chosen = self.signatures.of(value, CALLED)
            return through(self._types.result(chosen), "return") if chosen is not None else UNKNOWN
        if isinstance(value, External):
            return one(Foreign(value.package, value.name), "return") if value.package != RUNTIME else UNKNOWN
        return NOTHING if isinstance(value, Super) else UNKNOWN

    def _call_function(self, function: Function, place: Place, call: Expression) -> Flow:
        index = self.signature(function, place, call)
        chosen = Function(function.path, index, function.receiver) if index != function.index else function
        definition = self.declarations.get(function.path, index)
        if definition is None:
            return UNKNOWN
        if not definition.returns and (passed := self._passed_through(chosen, definition, place, call)) is not None:
            return passed
        return self.returned(chosen, Inferred(self, chosen, index, place, call))

    def _call_lambda(self, value: Lambda, place: Place, call: Expression) -> Flow:
        outline = self.declarations.outline(value.path)
        rows = outline.returns.get(value.scope, ()) if outline is not None else ()
        if outline is not None and len(rows) == 1 and rows[0].value is not None and rows[0].value.kind == "name":
            found = self._argument_of(outline, value.scope, rows[0].value.name, place, call)
            if found is not None:
                return found
        return self._returns(value.path, value.scope)

    def _call_method(self, method: ForeignMethod, place: Place, call: Expression) -> Flow:
        bound = method.owner.items[0][1] if method.owner.name == "Function" and method.owner.items else None
        if bound is None:
            return self.outside.method(method, place, call)
        # call, apply and bind of a function of the repository.
        if method.name == "bind":
            return bound
        return union([self.called(value) for value in bound.values] or [UNKNOWN])

    # ── results ──

    def around(self, function: Function) -> Environment | None:
        """What the type parameters of the class stand for in which a method was found."""
        receiver = function.receiver
        if not isinstance(receiver, Typed | This):
            return None
        definition = self.declarations.get(function.path, function.index)
        order = self._classes.order(receiver.path, receiver.index)
        if definition is None:
            return None
        for row, above in enumerate(order):
            if above.path == function.path and definition.parent in self.declarations.siblings(above.path, above.definition):
                return self._classes.environment(order, row, receiver, environment_of(receiver))
        return None

    def returned(self, function: Function, environment: Environment | None) -> Flow:
        """What a function gives: what it declares, else what its return statements say."""
        definition = self.declarations.get(function.path, function.index)
        outline = self.declarations.outline(function.path)
        if definition is None or outline is None:
            return UNKNOWN
        scope = outline.bodies.get(function.index, definition.scope)
        if definition.returns:
            flow = through(self._types.annotation(Place(function.path, scope), definition.returns, environment), "return")
            return self._classes.filled(flow, function.receiver)
        if definition.kind not in ("function", "method", "property") or "declaration" in definition.flags:
            return UNKNOWN
        found = self._returns(function.path, scope)
        if environment is not None and any(isinstance(value, Parameter) for value in found.values):
            found = self._filled(found, environment)
        found = self._classes.filled(found, function.receiver)
        return one(Foreign(RUNTIME, "Promise", (self.outside.awaited(found),)), "return") if "async" in definition.flags else found

    def _filled(self, flow: Flow, environment: Environment) -> Flow:
        flows = []
        for value in flow.values:
            known = environment.find(value.path, value.owner, value.name) if isinstance(value, Parameter) else None
            flows.append(known if known is not None else Flow((value,), True, flow.reason))
        found = union(flows)
        return Flow(found.values, found.is_certain and flow.is_certain, found.reason)

    def _returns(self, path: bytes, scope: int) -> Flow:
        return self._memory.remember(path, ("returns", path, scope), UNKNOWN, self._union_of_returns, path, scope)

    def _union_of_returns(self, path: bytes, scope: int) -> Flow:
        outline = self.declarations.outline(path)
        rows = [row for row in outline.returns.get(scope, ()) if row.kind != "raise"] if outline is not None else []
        if not rows:
            return NOTHING
        if len(rows) > _RESULTS:
            return UNKNOWN
        yields = [self._follow.expression(Place(path, scope), row.value) for row in rows if row.kind == "yield" and row.value is not None]
        if yields:
            return one(Foreign(RUNTIME, "Generator", (union(yields),)), "return")
        given = [self._follow.expression(Place(path, scope), row.value) for row in rows if row.value is not None]
        return through(union(given), "return") if given else NOTHING

    # ── arguments ──

    def _passed_through(self, function: Function, definition: Definition, place: Place, call: Expression) -> Flow | None:
        """What a function gives that only returns one of its parameters."""
        outline = self.declarations.outline(function.path)
        scope = outline.bodies.get(function.index, -1) if outline is not None else -1
        rows = outline.returns.get(scope, ()) if outline is not None else ()
        if outline is None or len(rows) != 1 or rows[0].value is None or rows[0].value.kind != "name" or "async" in definition.flags:
            return None
        return self._argument_of(outline, scope, rows[0].value.name, place, call)

    def _argument_of(self, outline: Outline, scope: int, name: str, place: Place, call: Expression) -> Flow | None:
        bindings = outline.names[scope].get(name, ())
        if len(bindings) != 1 or bindings[0].kind != "parameter" or bindings[0].path or bindings[0].annotation:
            return None
        argument = argument_at(call, bindings[0].target)
        return through(self._follow.expression(place, argument), "argument") if argument is not None else None

    def argument(self, environment: Environment | None, path: bytes, scope: int, name: str) -> Flow | None:
        """What the call that made an object passed to a parameter of its constructor."""
        outline = self.declarations.outline(path)
        if outline is None or not isinstance(environment, Inferred) or environment.function.path != path:
            return None
        if outline.bodies.get(environment.function.index) != scope:
            return None
        bindings = outline.names[scope].get(name, ())
        if len(bindings) != 1 or bindings[0].kind != "parameter" or bindings[0].path:
            return None
        argument = argument_at(environment.call, bindings[0].target)
        if argument is not None:
            return through(self._follow.expression(environment.place, argument), "argument")
        return self._follow.expression(Place(path, scope), bindings[0].value) if bindings[0].value is not None else None

    def signature(self, function: Function, place: Place, call: Expression) -> int:
        """Which of a function's signatures a call means: the first that its arguments fit."""
        outline = self.declarations.outline(function.path)
        same = self.declarations.siblings(function.path, function.index)
        if outline is None or len(same) == 1:
            return function.index
        declared = [i for i in same if {"overload", "declaration"} & set(outline.definitions[i].flags)] or list(same)
        count = len(call.parts) - 1
        fitting = []
        for index in declared:
            parameters = [p for p in outline.definitions[index].parameters if p.kind != "type"]
            is_variadic = any(p.kind == "variadic" for p in parameters)
            if (count <= len(parameters) or is_variadic or has_spread(call)) and self._fits(function.path, parameters, call):
                fitting.append((index, len(parameters)))
        exact = [index for index, length in fitting if length == count]
        return exact[0] if exact else fitting[0][0] if fitting else declared[0]

    def _fits(self, path: bytes, parameters: list[Declared], call: Expression) -> bool:
        """False only where a literal or a function is given for something that it can not be."""
        for parameter, argument in zip(parameters, call.parts[1:], strict=False):
            wanted = read_type(parameter.annotation) if parameter.annotation else None
            if wanted is None or argument.kind == "spread":
                continue
            if argument.kind == "literal" and not takes_literal(wanted, argument):
                return False
            if argument.kind in ("lambda", "definition") and wanted.kind == "name" and wanted.name in NO_FUNCTION:
                return False
            if argument.kind == "collection" and wanted.kind in ("name", "function") and (wanted.kind == "function" or wanted.name in NO_FUNCTION):
                return False
        return True

    def type_arguments(self, path: bytes, index: int, place: Place, call: Expression) -> Arguments | None:
        """What the type arguments that a call writes out stand for."""
        if not call.text:
            return None
        return Arguments(self._types, path, index, Annotation("name", "", read_type("X" + call.text).arguments), place, None)

    # ── new ──

    def made(self, place: Place, call: Expression) -> Flow:
        """What `new X(…)` gives."""
        callee = call.parts[0]
        flow = self._follow.expression(place, callee)
        flows = [self._made_of(value, place, call) for value in flow.values]
        found = union(flows) if flows else UNKNOWN
        if not found.values and callee.kind in ("name", "attribute"):
            # A constant that constructs, and a type of the same name that says what.
            named = self._classes.type_named(place, callee)
            return through(union([self._of_type(value, place) for value in named.values] or [UNKNOWN]), "constructor")
        return through(found, flow.reason, flow.is_certain)

    def _of_type(self, value: Value, place: Place) -> Flow:
        if isinstance(value, Class):
            return one(self._types.typed(value.path, value.index, Annotation("name"), place, None), "constructor")
        return one(value, "constructor") if isinstance(value, Typed | Described) else UNKNOWN

    def _made_of(self, value: Value, place: Place, call: Expression) -> Flow:
        if isinstance(value, External) and value.package == RUNTIME and call.text:
            return through(self._types.annotation(place, value.name + call.text), "constructor")
        if isinstance(value, Typed | Described):
            chosen = self.signatures.of(value, CONSTRUCTED, call)
            return through(self._types.result(chosen), "constructor") if chosen is not None else UNKNOWN
        if not isinstance(value, Class):
            return self.constructed(value)
        given = self.type_arguments(value.path, value.index, place, call)
        constructor = self._classes.find(value.path, value.index, "constructor", False)
        if constructor is None or constructor.member is None or constructor.member.definition < 0:
            return one(Typed(value.path, value.index, (), given), "constructor")
        member = constructor.member
        function = Function(member.path, member.definition)
        index = self.signature(function, place, call)
        environment = Inferred(self, Function(member.path, index), member.owner, place, call)
        environment.given = given
        return one(Typed(value.path, value.index, (), environment), "constructor")

    def constructed(self, value: Value) -> Flow:
        """What `new` gives, the arguments aside."""
        if isinstance(value, Class | Function):
            return one(Typed(value.path, value.index), "constructor")
        if isinstance(value, External):
            return one(Foreign(value.package, value.name), "constructor")
        if isinstance(value, Typed | Described):
            chosen = self.signatures.of(value, CONSTRUCTED)
            return through(self._types.result(chosen), "constructor") if chosen is not None else UNKNOWN
        return UNKNOWN

    # ── type parameters ──

    def infer(self, environment: Inferred, name: str) -> Flow | None:
        """What the arguments of a call say about a type parameter; None where they say nothing."""
        path, index = environment.function.path, environment.function.index
        definition = self.declarations.get(path, index)
        outline = self.declarations.outline(path)
        if definition is None or outline is None or not self._memory.enter():
            return None
        place = Place(path, outline.bodies.get(index, definition.scope))
        try:
            for parameter, argument in _pairs(definition, environment.call):
                if parameter.annotation and _mentions(parameter.annotation, name):
                    tree = read_type(parameter.annotation)
                    if parameter.kind == "variadic" and tree.kind == "array":
                        tree = tree.arguments[0]
                    found = self._match(tree, name, place, self._follow.expression(environment.place, argument))
                    if found is not None and (found.values or found.is_certain):
                        return through(found, "argument")
            return self._from_expected(environment, definition, name)
        finally:
            self._memory.depth -= 1

    def default(self, environment: Inferred, owner: int, name: str) -> Flow | None:
        """What a type parameter is where nothing says so; None without a default."""
        definition = self.declarations.get(environment.function.path, owner)
        text = next((p.default for p in definition.parameters if p.kind == "type" and p.name == name), "") if definition is not None else ""
        return self._types.within(environment.function.path, owner, text, environment) if text else None

    def _from_expected(self, environment: Inferred, definition: Definition, name: str) -> Flow | None:
        if environment.expected is None or not definition.returns:
            return None
        place, text = environment.expected
        declared, wanted = read_type(definition.returns), read_type(text)
        if declared.kind != "name" or wanted.kind != "name" or declared.name.rpartition(".")[2] != wanted.name.rpartition(".")[2]:
            return None
        for own, given in zip(declared.arguments, wanted.arguments, strict=False):
            if own.kind == "name" and own.name == name:
                return self._types.flow(place, given)
        return None

    def _match(self, tree: Annotation, name: str, place: Place, flow: Flow) -> Flow | None:
        """What `name` must be so that a value of the type `tree` is what was passed."""
        if tree.kind == "name":
            if tree.name == name and not tree.arguments:
                return flow
            return self._match_arguments(tree, name, place, flow) if tree.arguments else None
        if tree.kind in ("array", "rest"):
            return self._match(tree.arguments[0], name, place, self.outside.elements(flow))
        if tree.kind in ("function", "constructor"):
            follow = self.called if tree.kind == "function" else self.constructed
            if not flow.values or not _names(tree.arguments[0], name):
                return None
            return self._match(tree.arguments[0], name, place, union([follow(value) for value in flow.values]))
        if tree.kind in ("union", "intersection", "tuple"):
            members = [m for m in tree.arguments if _names(m, name)]
            for member in sorted(members, key=lambda m: m.kind == "name" and m.name == name):
                found = self._match(member, name, place, flow if tree.kind != "tuple" else self.outside.elements(flow))
                if found is not None and found.values:
                    return found
            return None
        if tree.kind == "object":
            for row in tree.arguments:
                if row.kind == "member" and _names(row, name):
                    return self._match(row.arguments[0], name, place, self._follow.attributes(flow, row.name))
        return None

    def _match_arguments(self, tree: Annotation, name: str, place: Place, flow: Flow) -> Flow | None:
        if tree.name in ("Promise", "PromiseLike", "Awaited"):
            return self._match(tree.arguments[0], name, place, self.outside.awaited(flow))
        if tree.name in ("Array", "ReadonlyArray", "Iterable", "Set", "ReadonlySet", "ArrayLike"):
            return self._match(tree.arguments[0], name, place, self.outside.elements(flow))
        named = self._types.type_named(place, tree.name)
        target = named.values[0] if len(named.values) == 1 else None
        if not isinstance(target, Class):
            return None
        parameters = self.declarations.parameters(target.path, target.index)
        for value in flow.values:
            if not isinstance(value, Typed):
                continue
            order = self._classes.order(value.path, value.index)
            for row, above in enumerate(order):
                if (above.path, above.definition) != (target.path, target.index):
                    continue
                environment = self._classes.environment(order, row, None, value.environment)
                for parameter, argument in zip(parameters, tree.arguments, strict=False):
                    known = environment.find(above.path, above.definition, parameter) if _names(argument, name) else None
                    if known is not None:
                        return self._match(argument, name, place, known)
        return None


def argument_at(call: Expression, position: int) -> Expression | None:
    """The argument at a position; None where there is none or arguments are spread before it."""
    if not 0 <= position < len(call.parts) - 1 or any(part.kind == "spread" for part in call.parts[1 : position + 2]):
        return None
    return call.parts[position + 1]


def _pairs(definition: Definition, call: Expression) -> Iterator[tuple[Declared, Expression]]:
    """Which parameter gets which argument."""
    parameters = [p for p in definition.parameters if p.kind != "type"]
    for position, argument in enumerate(call.parts[1:]):
        if argument.kind == "spread":
            return
        if position < len(parameters):
            yield parameters[position], argument
        elif parameters and parameters[-1].kind == "variadic":
            yield parameters[-1], argument


@lru_cache(maxsize=4_096)
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


def _mentions(text: str, name: str) -> bool:
    return _word(name).search(text) is not None


def _names(tree: Annotation, name: str) -> bool:
    return (tree.kind == "name" and tree.name == name) or any(_names(part, name) for part in tree.arguments)
