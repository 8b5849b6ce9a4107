"""Resolving one Python file: its facts and what the rest of the tree says of the names in it → edges."""

from __future__ import annotations

from functools import cached_property

from analyzers.facts import Access, Call, Definition, Expression, FileFacts, Import, Span
from knowledge.graph.guesses import Guesses
from knowledge.graph.outline import CLASS_KINDS, FUNCTION_KINDS, Outline
from knowledge.graph.python_callbacks import Callbacks
from knowledge.graph.python_flow import PythonFlow
from knowledge.graph.python_routes import DECORATORS, PythonRoutes
from knowledge.graph.reads import View
from knowledge.graph.resolution import RIVALS, EdgeWriter, Target, targets_of
from knowledge.graph.source import Candidate
from knowledge.graph.values import Callable, Class, External, Flow, Foreign, ForeignMethod, Function, Instance, Lambda, Module, Place, Value
from knowledge.records.edges import ConfidenceKind
from knowledge.records.identifiers import SymbolId, external_symbol, file_symbol

ENVIRONMENT = "environment"
"""The package under which environment variables stand as symbols."""
_ASKING = {
    "str": ("__str__", "__repr__"), "repr": ("__repr__",), "len": ("__len__",), "bool": ("__bool__", "__len__"), "iter": ("__iter__",),
    "next": ("__next__",), "hash": ("__hash__",), "int": ("__int__",), "float": ("__float__",), "abs": ("__abs__",), "round": ("__round__",),
    "bytes": ("__bytes__",), "format": ("__format__",), "print": ("__str__", "__repr__"), "list": ("__iter__",), "tuple": ("__iter__",),
    "set": ("__iter__",), "sorted": ("__iter__",), "reversed": ("__reversed__",), "dir": ("__dir__",),
}  # fmt: skip
"""Built-in → the methods of its first argument of which it asks the first that there is."""
_CALLING = frozenset({"map", "filter", "sorted", "min", "max", "sum", "any", "all", "reduce"})
"""Built-ins that call what they are given."""
_ENVIRONMENT_CALLS = frozenset({("os", "getenv"), ("os", "environ.get"), ("os", "environ.setdefault"), ("os", "environ.pop"), ("os", "putenv")})


class PythonResolver:
    """Writes the edges of one file; see `resolve_python`."""

    def __init__(self, view: View, facts: FileFacts, outline: Outline) -> None:
        self._view = view
        self._facts = facts
        self._outline = outline
        self._flow = PythonFlow(view, facts)
        self._assigned = PythonFlow(view, facts, prefers_assigned=True)
        self._guesses = Guesses(view, self._flow.classes.is_subclass)
        self._callbacks = Callbacks(view, self._flow)
        self.writer = EdgeWriter(view, facts)
        self._routes = PythonRoutes(view, facts, self._flow, self.writer)
        self._path = view.importer
        self._is_test = view.tree.is_test(self._path)
        self._attributes: dict[tuple[bytes, int, str], SymbolId | None] = {}
        self._tests: dict[int, int] = {}
        self._tested_by: set[tuple[int, bytes, str, str]] = set()
        self._call_spans = {call.name_span.start: call.name_span for call in facts.calls}

    def run(self) -> None:
        cuts = self._view.tree.nesting.cuts
        for index, definition in enumerate(self._outline.definitions):
            if index:
                self._declare(index, definition)
        for found in self._outline.imports:
            self._import(found)
        for call in self._facts.calls:
            self._call(call)
        for access in self._facts.accesses:
            self._access(access)
        self._raises()
        if self._view.tree.nesting.cuts != cuts:
            self.writer.limit("too-deep-to-follow")

    # ── definitions ──

    def _declare(self, index: int, definition: Definition) -> None:
        symbol = self.writer.symbol(self._path, index)
        parent = self.writer.symbol(self._path, definition.parent)
        self.writer.add(parent, "declares", Target(symbol, "resolved", "syntax"), definition.name_span, definition.name)
        if definition.kind in CLASS_KINDS:
            self._bases(symbol, definition)
        elif definition.parent > 0 and self._outline.definitions[definition.parent].kind in CLASS_KINDS and "overload" not in definition.flags:
            self._overrides(symbol, definition)
        if definition.kind in FUNCTION_KINDS:
            for fixture in self._flow.fixtures.asked_by(Function(self._path, index), definition):
                asked = Target(self._view.tree.symbol(fixture.path, fixture.index), "inferred", "fixture")
                self.writer.add(symbol, "calls", asked, definition.name_span)
        for number, decorator in enumerate(definition.decorators):
            self._decorator(symbol, definition, decorator)
            decorators = self._flow.expression(Place(self._path, definition.scope), decorator)
            for caller, target in self._callbacks.of_decorating(decorators, Function(self._path, index), number):
                self.writer.add(caller, "calls", target, definition.name_span)

    def _bases(self, symbol: SymbolId, definition: Definition) -> None:
        place = Place(self._path, definition.scope)
        for base, span in zip(definition.bases, definition.base_spans, strict=True):
            head = base.parts[0] if base.kind == "subscript" else base
            flow = self._flow.expression(place, head)
            targets = targets_of(flow, self._view.tree)
            if not targets and not flow.is_certain:
                self.writer.limit("unresolved-base", definition.name_span.row)
            for target in targets:
                self.writer.add(symbol, "implements", target, span, head.name)

    def _overrides(self, symbol: SymbolId, definition: Definition) -> None:
        if definition.name.startswith("__") and definition.name.endswith("__") and definition.name != "__init__":
            return
        found = self._flow.classes.inherited_method(self._path, definition.parent, definition.name)
        if found is not None:
            target = Target(self._view.tree.symbol(found.path, found.index), "resolved" if found.is_certain else "inferred", "class")
            self.writer.add(symbol, "overrides", target, definition.name_span, definition.name)

    def _decorator(self, symbol: SymbolId, definition: Definition, decorator: Expression) -> None:
        callee = decorator.parts[0] if decorator.kind == "call" and decorator.parts else decorator
        place = Place(self._path, definition.scope)
        span = self._call_spans.get(callee.start, definition.name_span)
        for target in targets_of(self._flow.expression(place, callee), self._view.tree):
            self.writer.add(target.symbol, "decorates", Target(symbol, target.confidence_kind, target.reason, target.rivals), span, callee.name)
        if callee is not decorator:
            result = self._flow.expression(place, decorator)
            applied = tuple(value for value in result.values if isinstance(value, Function))
            for target in targets_of(Flow(applied, result.is_certain, "implicit"), self._view.tree):
                called = Target(target.symbol, target.confidence_kind, "implicit", target.rivals)
                self.writer.add(self.writer.owner(definition.scope), "calls", called, definition.name_span)
        if callee is not decorator and callee.kind == "attribute" and callee.name in DECORATORS and len(decorator.parts) > 1:
            self._routes.decorated(symbol, decorator, span)

    # ── imports ──

    def _import(self, found: Import) -> None:
        subject = file_symbol(self._path)
        names = self._flow.names
        modules = names.module(self._path, found.level, found.module)
        if not modules.values:
            self.writer.limit("unresolved-import", found.span.row)
        for value in modules.values:
            target = self._module_target(value, modules)
            if target is None:
                continue
            span = found.module_span
            if span is not None:
                self.writer.add(subject, "imports", target, span, found.module.rpartition(".")[2])
            elif not found.name or not isinstance(value, Module) or not self._is_submodule(found):
                self.writer.add(subject, "imports", target, found.span, found.name)
        if found.name and "star" not in found.flags:
            self._imported_name(subject, found)

    def _is_submodule(self, found: Import) -> bool:
        """Whether `from . import b` means the file b, and not a name that the package's own file has."""
        return any(isinstance(value, Module) for value in self._flow.names.imported(self._path, found).values)

    def _imported_name(self, subject: SymbolId, found: Import) -> None:
        flow = self._flow.names.imported(self._path, found)
        for value in flow.values:
            if isinstance(value, Module):
                target = self._module_target(value, flow)
                if target is not None:
                    self.writer.add(subject, "imports", target, found.span, found.name)
        symbols = Flow(tuple(value for value in flow.values if isinstance(value, Function | Class | External)), flow.is_certain, "import")
        for target in targets_of(symbols, self._view.tree):
            if target.symbol.path or target.symbol.qualified_name:
                self.writer.add(subject, "imports", target, found.span, found.name)
        if not symbols.values:
            self._imported_variable(subject, found)

    def _imported_variable(self, subject: SymbolId, found: Import) -> None:
        """An imported constant or variable: a symbol, though its value may be anything."""
        modules = self._flow.names.module(self._path, found.level, found.module)
        for value in modules.values:
            if isinstance(value, Module):
                symbol = self._variable(value.path, found.name)
                if symbol is not None:
                    kind: ConfidenceKind = "resolved" if modules.is_certain else "inferred"
                    self.writer.add(subject, "imports", Target(symbol, kind, "import"), found.span, found.name)

    def _module_target(self, value: Value, flow: Flow) -> Target | None:
        kind: ConfidenceKind = "resolved" if flow.is_certain and len(flow.values) == 1 else "inferred"
        if isinstance(value, Module):
            return None if value.path.endswith(b"/") else Target(file_symbol(value.path), kind, "import", len(flow.values) - 1)
        return Target(external_symbol(value.package), kind, "import") if isinstance(value, External) else None

    # ── calls ──

    def _call(self, call: Call) -> None:
        if not call.expression.parts:
            return
        callee = call.expression.parts[0]
        place = Place(self._path, call.scope)
        if "implicit" in call.flags:
            owner = self._flow.expression(place, callee.parts[0])
            if not any(isinstance(value, Instance | Class) for value in owner.values):
                return
        flow = self._flow.expression(place, callee)
        subject = self.writer.owner(call.scope)
        span = _name_span(call)
        name = callee.parts[0].name if callee.kind == "subscript" else callee.name
        for target in self._targets(call, place, callee, flow):
            self.writer.add(subject, "calls", target, span, name)
            if self._is_test:
                self._tested(call.scope, target, call.name_span)
        if "implicit" not in call.flags:
            for caller, target in self._callbacks.of_call(flow, place, call.expression):
                self.writer.add(caller, "calls", target, _arguments_span(span))
        self._environment_call(subject, call, flow)
        if name == "add_url_rule":
            self._routes.added(call, place)
        self._what_else_is_called(subject, call, place, flow)

    def _what_else_is_called(self, subject: SymbolId, call: Call, place: Place, flow: Flow) -> None:
        """Functions that a built-in calls with what it is given, what an iterator is asked for, and what a decorator's result is applied to."""
        expression = call.expression
        for value in flow.values:
            if isinstance(value, External) and value.package == "builtins" and value.name in _CALLING:
                given = [*expression.parts[1:3], *(expression.parts[-1:] if "key" in expression.keywords else ())]
                self._given_to_built_in(subject, place, call, given)
            if isinstance(value, External) and value.package == "builtins" and value.name in _ASKING and len(expression.parts) > 1:
                self._asked(subject, place, call, _ASKING[value.name])
            elif isinstance(value, Function) and "implicit" in call.flags and expression.parts[0].name == "__iter__":
                for iterator in self._flow.result(value).values:
                    step = self._flow.attribute(iterator, "__next__") if isinstance(iterator, Instance) else None
                    for target in targets_of(step, self._view.tree) if step is not None else ():
                        self.writer.add(subject, "calls", Target(target.symbol, target.confidence_kind, "implicit", target.rivals), call.name_span)

    def _asked(self, subject: SymbolId, place: Place, call: Call, names: tuple[str, ...]) -> None:
        """The method of an object that a built-in asks: `str(x)` asks `__str__`, or else `__repr__`."""
        owner = self._flow.expression(place, call.expression.parts[1])
        for value in owner.values:
            order = self._flow.classes.order(value.path, value.index) if isinstance(value, Instance) else ()
            if any(not ancestor.path for ancestor in order):
                continue
            methods = [found for name in names if (found := self._flow.attribute(value, name)) is not None and found.values]
            for target in targets_of(Flow(methods[0].values, False, "asked"), self._view.tree) if methods else ():
                self.writer.add(subject, "calls", target, call.name_span)

    def _given_to_built_in(self, subject: SymbolId, place: Place, call: Call, given: list[Expression]) -> None:
        for argument in given:
            flow = self._flow.expression(place, argument)
            functions = tuple(value for value in flow.values if isinstance(value, Function | Lambda))
            for target in targets_of(Flow(functions, flow.is_certain, "callback"), self._view.tree):
                self.writer.add(subject, "calls", Target(target.symbol, "inferred", "callback", target.rivals), call.name_span)

    def _raises(self) -> None:
        """`raise Error` without arguments makes an object of the class."""
        for row in self._facts.returns:
            if row.kind == "raise" and row.value is not None and row.value.kind in ("name", "attribute"):
                flow = self._flow.expression(Place(self._path, row.scope), row.value)
                classes = tuple(value for value in flow.values if isinstance(value, Class))
                for target in targets_of(Flow(classes, flow.is_certain, "implicit"), self._view.tree):
                    raised = Target(target.symbol, target.confidence_kind, "implicit", target.rivals)
                    self.writer.add(self.writer.owner(row.scope), "calls", raised, row.span)

    def _targets(self, call: Call, place: Place, callee: Expression, flow: Flow) -> list[Target]:
        targets = self._call_targets(flow)
        if "implicit" in call.flags:
            # Operators, loops and with statements: only what the repository defines; they are never guessed.
            return [Target(t.symbol, t.confidence_kind, "implicit", t.rivals) for t in targets if t.symbol.path]
        if len(targets) == 1 and callee.kind == "attribute":
            return targets + self._what_runs(place, callee, flow, targets[0])
        if len(targets) == 1 and callee.kind == "name" and targets[0].confidence_kind == "resolved":
            return self._through_decorators(targets, flow)
        if targets or flow.is_certain or any(isinstance(value, External | Foreign | ForeignMethod) for value in flow.values):
            return targets
        return self._guess(place, callee, call)

    def _through_decorators(self, targets: list[Target], flow: Flow) -> list[Target]:
        """A call of a function whose decorator puts another one in its place calls that; and the function too, if that one calls it."""
        value = flow.values[0]
        definition = self._flow.classes.definition(value.path, value.index) if isinstance(value, Function) else None
        if definition is None or not definition.decorators or not isinstance(value, Function):
            return targets
        decorated = self._flow.calls.decorators.decorated(value, definition)
        wrappers = Flow(tuple(v for v in decorated.values if isinstance(v, Function) and v.index != value.index), decorated.is_certain, "decorator")
        found = targets_of(wrappers, self._view.tree)
        if len(found) != 1 or any(not isinstance(v, Function) for v in decorated.values):
            return targets
        wrapper = wrappers.values[0]
        if isinstance(wrapper, Function) and wrapper.path == self._path and not self._calls_what_it_is_given(wrapper):
            return found
        return [*targets, Target(found[0].symbol, "inferred", "decorator")]

    def _calls_what_it_is_given(self, wrapper: Function) -> bool:
        """Whether a function inside of a decorator calls one of the decorator's parameters."""
        decorator = self._outline.definitions[self._outline.definitions[wrapper.index].parent]
        given = {parameter.name for parameter in decorator.parameters}
        calls = (call for call in self._facts.calls if self._facts.scopes[call.scope].definition == wrapper.index and call.expression.parts)
        return any(part.kind == "name" and part.name in given for call in calls for part in call.expression.parts)

    @cached_property
    def _has_unknown_star(self) -> bool:
        """Whether names may come from a star import that cannot be followed."""
        found = [self._flow.names.module(self._path, star.level, star.module).values for star in self._outline.star_imports]
        return any(not values or isinstance(values[0], External) for values in found)

    def _call_targets(self, flow: Flow) -> list[Target]:
        if len(flow.values) == 1 and flow.is_certain and isinstance(flow.values[0], Function | Class):
            only = flow.values[0]
            return [Target(self._view.tree.symbol(only.path, only.index), "resolved", flow.reason or "local")]
        values: list[Value] = []
        is_certain, reason = flow.is_certain, flow.reason
        for value in flow.values:
            if isinstance(value, Callable) and value.function is not None:
                values += value.function.values
                is_certain = is_certain and value.function.is_certain
            elif isinstance(value, Instance):
                called = self._flow.attribute(value, "__call__")
                if called is not None:
                    values += called.values
                    is_certain, reason = False, "object"
            else:
                values.append(value)
        return targets_of(Flow(tuple(values), is_certain, reason), self._view.tree)

    def _what_runs(self, place: Place, callee: Expression, flow: Flow, declared: Target) -> list[Target]:
        """What may run instead of the declared target: a method of the class that is really assigned, or what overrides an abstract one."""
        value = flow.values[0] if flow.values else None
        if not isinstance(value, Function | Class) or declared.confidence_kind != "resolved":
            return []
        if flow.reason == "attribute":
            assigned = self._assigned.expression(place, callee)
            found = [t.symbol for t in targets_of(assigned, self._view.tree) if t.symbol.path and t.symbol != declared.symbol]
            if found:
                return [Target(symbol, "inferred", "assigned", len(found) - 1) for symbol in found]
        outline = self._view.tree.outline(value.path)
        if isinstance(value, Class) or outline is None or not outline.is_abstract(value.index):
            return []
        owner = (value.path, outline.definitions[value.index].parent)
        return self._guesses.overriding(callee.name, lambda candidate: self._overrides_in(candidate, owner))

    def _overrides_in(self, candidate: Candidate, owner: tuple[bytes, int]) -> bool:
        outline = self._view.tree.outline(candidate.path)
        parent = outline.definitions[candidate.index].parent if outline is not None else 0
        return (candidate.path, parent) != owner and self._flow.classes.is_subclass(candidate.path, parent, owner)

    def _in_subclasses(self, owner: Flow, name: str) -> list[Target]:
        """What only the classes below have, in this file, of a class that leaves it to them."""
        functions: dict[Value, None] = {}
        for value in owner.values:
            if isinstance(value, Instance):
                for below in self._subclasses(value):
                    found = self._flow.attribute(below, name)
                    functions.update((v, None) for v in (found.values if found is not None else ()) if isinstance(v, Function))
        targets = targets_of(Flow(tuple(functions), False, "override"), self._view.tree)
        return targets if len(targets) <= RIVALS else []

    def _subclasses(self, value: Instance) -> list[Instance]:
        """Objects of the classes of this file that derive from the class of an object."""
        above, classes = (value.path, value.index), self._flow.classes
        indexes = (index for index, definition in enumerate(self._outline.definitions) if definition.kind == "class")
        return [Instance(self._path, index) for index in indexes if (self._path, index) != above and classes.is_subclass(self._path, index, above)]

    def _is_told_apart(self, value: Value) -> bool:
        """Whether a value is known to be nothing of which the repository's classes could tell a member: a guess by name would be wrong."""
        if not isinstance(value, Function):
            return isinstance(value, External | Foreign | ForeignMethod | Module | Lambda)
        definition = self._flow.classes.definition(value.path, value.index)
        for decorator in definition.decorators if definition is not None else ():
            head = decorator.parts[0] if decorator.kind == "call" and decorator.parts else decorator
            found = self._flow.expression(Place(value.path, definition.scope if definition is not None else 0), head).values
            if not found or not all(isinstance(one, External | ForeignMethod | Foreign) for one in found):
                return False
        return True

    def _guess(self, place: Place, callee: Expression, call: Call) -> list[Target]:
        if callee.kind == "attribute":
            owner = callee.parts[0]
            flow = self._flow.expression(place, owner)
            if flow.values and all(self._is_told_apart(value) for value in flow.values):
                self.writer.limit("unknown-member", call.name_span.row)
                return []
            below = self._in_subclasses(flow, callee.name)
            if below:
                return below
            targets, code = self._guesses.method(callee.name, owner.name)
            self.writer.limit(code or "unknown-receiver", call.name_span.row)
            return targets
        if callee.kind == "name":
            if self._flow.lookup(place, callee.name, callee.start) is None:
                self.writer.limit("undeclared-name", call.name_span.row)
                return self._guesses.function(callee.name) if self._has_unknown_star else []
            self.writer.limit("unknown-callee", call.name_span.row)
            return []
        self.writer.limit("computed-callee", call.name_span.row)
        return []

    def _tested(self, scope: int, target: Target, span: Span) -> None:
        """A call made in a test's body: the symbol is tested by that test, which is said once."""
        symbol = target.symbol
        if not symbol.path or symbol.path == self._path:
            return
        index = self._facts.scopes[scope].definition
        if index not in self._tests:
            self._tests[index] = self._test_around(index)
        test = self._tests[index]
        key = (test, symbol.path, symbol.qualified_name, target.confidence_kind)
        if test and key not in self._tested_by:
            self._tested_by.add(key)
            tested = Target(self.writer.symbol(self._path, test), target.confidence_kind, target.reason, target.rivals)
            self.writer.add(symbol, "tested_by", tested, span)

    def _test_around(self, index: int) -> int:
        """The outermost test that a definition stands in, or is; 0: none."""
        test = 0
        while index > 0:
            definition = self._outline.definitions[index]
            if "test" in definition.flags and definition.kind in FUNCTION_KINDS:
                test = index
            index = definition.parent
        return test

    # ── reads and writes ──

    def _environment_call(self, subject: SymbolId, call: Call, flow: Flow) -> None:
        if len(call.expression.parts) < 2 or not any(isinstance(v, External) and (v.package, v.name) in _ENVIRONMENT_CALLS for v in flow.values):
            return
        key = call.expression.parts[1]
        if key.kind == "literal" and key.name == "str":
            target = Target(external_symbol(ENVIRONMENT, key.text.strip("\"'")), "resolved", "environment")
            self.writer.add(subject, "reads", target, call.name_span, key.text.strip("\"'"))

    def _access(self, access: Access) -> None:
        target = self._accessed(Place(self._path, access.scope), access.target)
        if target is not None:
            subject, name = self.writer.owner(access.scope), access.target.name or target.symbol.name
            self.writer.add(subject, "writes" if access.is_write else "reads", target, access.span, name)

    def _accessed(self, place: Place, target: Expression) -> Target | None:
        """The attribute, constant, environment variable or configuration key that is read or written."""
        if target.kind == "subscript":
            return self._key(place, target)
        if target.kind == "attribute":
            owner = self._flow.expression(place, target.parts[0])
            return self._attribute_target(owner, target.name) if len(owner.values) == 1 else None
        if target.kind == "name":
            return self._name_target(place, target.name)
        return None

    def _key(self, place: Place, target: Expression) -> Target | None:
        key = target.parts[1] if len(target.parts) > 1 else None
        if key is None or key.kind != "literal" or key.name != "str":
            return None
        owner = self._flow.expression(place, target.parts[0])
        name = key.text.strip("\"'")
        if any(isinstance(value, External) and (value.package, value.name) == ("os", "environ") for value in owner.values):
            return Target(external_symbol(ENVIRONMENT, name), "resolved", "environment")
        return None

    def _attribute_target(self, owner: Flow, name: str) -> Target | None:
        value = owner.values[0]
        kind: ConfidenceKind = "resolved" if owner.is_certain else "inferred"
        if isinstance(value, Module):
            symbol = self._variable(value.path, name)
            return Target(symbol, kind, "module") if symbol is not None else None
        if not isinstance(value, Instance | Class):
            return None
        key = (value.path, value.index, name)
        if key not in self._attributes:
            self._attributes[key] = self._attribute_symbol(value, name)
        symbol = self._attributes[key]
        return Target(symbol, kind, owner.reason or "attribute") if symbol is not None else None

    def _attribute_symbol(self, value: Instance | Class, name: str) -> SymbolId | None:
        """The attribute as a member of the class that declares it; None for methods and for what is not known."""
        for ancestor in self._flow.classes.order(value.path, value.index):
            if not ancestor.path:
                return None
            outline = self._view.tree.outline(ancestor.path)
            if outline is None or self._flow.classes.definition(ancestor.path, ancestor.index) is None:
                continue
            bindings = outline.members(ancestor.index).get(name)
            if not bindings and not any(write.value is not None for write in outline.attributes.get(ancestor.index, {}).get(name, ())):
                # Not declared here; `self.x += 1` alone only changes what an ancestor has.
                continue
            first = outline.definitions[bindings[0].target] if bindings and bindings[0].kind == "definition" else None
            if first is not None and (first.kind == "property" or "property" in first.flags):
                return self._view.tree.symbol(ancestor.path, bindings[0].target if bindings else 0)
            if first is not None and first.kind == "method":
                return None
            return SymbolId(ancestor.path, f"{self._view.tree.symbol(ancestor.path, ancestor.index).qualified_name}.{name}")
        return None

    def _name_target(self, place: Place, name: str) -> Target | None:
        """A constant or variable of this module, or one that was imported."""
        scope = place.scope
        while scope > 0:
            if name in self._outline.names[scope] and self._outline.names[scope][name][0].kind != "global":
                return None
            scope = self._outline.scopes[scope].parent
        bindings = self._outline.names[0].get(name)
        if not bindings:
            return None
        if bindings[-1].kind == "import":
            return self._imported_constant(self._outline.imports[bindings[-1].target])
        symbol = self._variable(self._path, name)
        return Target(symbol, "resolved", "local") if symbol is not None else None

    def _imported_constant(self, found: Import) -> Target | None:
        if not found.name:
            return None
        modules = self._flow.names.module(self._path, found.level, found.module)
        value = modules.values[0] if len(modules.values) == 1 else None
        symbol = self._variable(value.path, found.name) if isinstance(value, Module) else None
        return Target(symbol, "resolved" if modules.is_certain else "inferred", "import") if symbol is not None else None

    def _variable(self, path: bytes, name: str, depth: int = 0) -> SymbolId | None:
        """The module-level variable `name` of a module, followed through the imports that pass it on."""
        if path.endswith(b"/") or depth > 8:
            return None
        outline = self._view.named(path, name)
        bindings = outline.names[0].get(name) if outline is not None else None
        if outline is None or not bindings:
            return None
        last = bindings[-1]
        if last.kind == "import":
            found = outline.imports[last.target]
            modules = self._flow.names.module(path, found.level, found.module) if found.name else None
            value = modules.values[0] if modules is not None and len(modules.values) == 1 else None
            return self._variable(value.path, found.name, depth + 1) if isinstance(value, Module) and value.path != path else None
        if last.kind == "definition" and outline.definitions[last.target].kind not in ("constant", "variable"):
            return None
        return SymbolId(path, name)


def _name_span(call: Call) -> Span:
    """Where the callee's name stands; for `Class[int]()` that of the class."""
    callee = call.expression.parts[0]
    if callee.kind != "subscript" or not callee.parts[0].name:
        return call.name_span
    head = callee.parts[0]
    shift = head.start - call.name_span.start
    length, span = len(head.name.encode()), call.name_span
    return Span(head.start, head.start + length, span.row, span.column + shift, span.row, span.column + shift + length)


def _arguments_span(name: Span) -> Span:
    """Where the arguments of a call begin, for what is known by them."""
    return Span(name.end, name.end + 1, name.end_row, name.end_column, name.end_row, name.end_column + 1)
