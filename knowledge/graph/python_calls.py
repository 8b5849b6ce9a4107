"""What calls give in Python: results of functions, objects of classes, elements of collections, and the built-ins that pass things through."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.facts import Definition, Expression, Return
from knowledge.graph.annotations import read_annotation
from knowledge.graph.python_classes import Classes
from knowledge.graph.python_names import Names
from knowledge.graph.python_types import TYPING, Types, annotation_of
from knowledge.graph.reads import View
from knowledge.graph.values import (
    NOTHING,
    UNKNOWN,
    Alias,
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

_ELEMENT_METHODS = frozenset({"pop", "popleft", "get", "setdefault", "__getitem__", "popitem"})
_SAME_METHODS = frozenset({"copy", "__enter__", "__iter__", "union", "difference", "intersection"})
_PASSING = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "filter"})
"""Built-ins whose result has the elements of their (last) argument."""
_MAPPINGS = frozenset({"dict", "defaultdict", "OrderedDict", "Mapping", "MutableMapping", "ChainMap", "WeakValueDictionary", "MappingProxyType"})
_SAME = frozenset({("copy", "copy"), ("copy", "deepcopy"), ("typing", "no_type_check"), ("functools", "lru_cache"), ("functools", "cache")})
_KEEPING = frozenset({
    "staticmethod", "classmethod", "abstractmethod", "abc.abstractmethod", "typing.overload", "typing.final", "typing.override",
    "typing.no_type_check",
    "typing.runtime_checkable", "functools.cache", "functools.lru_cache", "functools.wraps", "functools.singledispatch", "functools.total_ordering",
    "contextlib.contextmanager", "contextlib.asynccontextmanager", "pytest.fixture", "pytest.mark", "dataclasses.dataclass", "builtins.staticmethod",
    "builtins.classmethod", "abc.abstractclassmethod", "abc.abstractstaticmethod", "typing.deprecated", "warnings.deprecated", "unittest.skip",
    "unittest.mock.patch", "atexit.register", "functools.partial",
})  # fmt: skip
"""Decorators outside the repository that leave a function's result as its annotation says."""
_RESULTS = 12
"""More return statements than this are not followed."""
_CONTEXT_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})


class Calls:
    """Calls of one resolution; results of functions without annotations are remembered."""

    def __init__(self, view: View, names: Names, classes: Classes, types: Types, follow: Following) -> None:
        self._view = view
        self._names = names
        self._classes = classes
        self._types = types
        self._follow = follow
        self._results: dict[tuple[bytes, int], Flow] = {}
        self._decorated: dict[tuple[bytes, int], Flow] = {}
        classes.result_of_property = self.result_of_function  # type: ignore[method-assign]

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
            return self._call_external(value, place, call)
        if isinstance(value, ForeignMethod):
            return self._call_foreign(value)
        if isinstance(value, Callable):
            return value.result
        if isinstance(value, Lambda):
            return self._results_in(value.path, value.scope)
        if isinstance(value, Alias):
            return self._types.flow(value.place, value.annotation)
        return UNKNOWN

    def call_method(self, value: Value, name: str) -> Flow:
        """What `value.name()` gives, the arguments aside."""
        found = self._follow.attribute(value, name)
        results = [self.result_of_function(f) if isinstance(f, Function) else UNKNOWN for f in found.values] if found is not None else []
        return union(results or [UNKNOWN])

    # ── functions ──

    def _call_function(self, function: Function, place: Place, call: Expression) -> Flow:
        definition = self._classes.definition(function.path, function.index)
        if definition is None:
            return UNKNOWN
        if definition.decorators:
            decorated = self.decorated(function, definition)
            if function not in decorated.values:
                return union([self.call(value, place, call) for value in decorated.values] or [UNKNOWN])
        index = self._chosen_overload(function, definition, place, call)
        chosen = Function(function.path, index, function.receiver)
        flow = self.result_of_function(chosen)
        if any(isinstance(value, TypeVariable | Callable | Foreign | Instance | Class) for value in flow.values):
            flow = substitute(flow, self._known_arguments(chosen, place, call))
        if not flow.values and not flow.is_certain:
            return self._passed_through(chosen, place, call)
        return flow

    def result_of_function(self, function: Function) -> Flow:
        """What a function returns: what its annotation says, else what its return statements give."""
        definition = self._classes.definition(function.path, function.index)
        if definition is None:
            return UNKNOWN
        if definition.returns:
            flow = self._classes.declared_result(function)
            if self._is_context_manager(definition):
                return one(Foreign("contextlib", "AbstractContextManager", (self.elements(flow),)), "return")
            return flow
        key = (function.path, function.index)
        if key not in self._results:
            # A function that returns its own result adds nothing to it.
            self._results[key] = UNKNOWN
            self._results[key] = self._inferred_result(function, definition)
        return self._classes.fill_self(self._results[key], function.receiver)

    def _inferred_result(self, function: Function, definition: Definition) -> Flow:
        outline = self._view.tree.outline(function.path)
        body = outline.bodies.get(function.index) if outline is not None else None
        if body is None or "declaration" in definition.flags or "abstract" in definition.flags:
            return UNKNOWN
        flow = self._results_in(function.path, body)
        if "generator" in definition.flags:
            iterator = one(Foreign("typing", "Iterator", (flow,)), "return")
            return one(Foreign("contextlib", "AbstractContextManager", (flow,)), "return") if self._is_context_manager(definition) else iterator
        return flow

    def _results_in(self, path: bytes, body: int) -> Flow:
        """Everything that the return (or yield) statements of a scope give."""
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

    def _is_context_manager(self, definition: Definition) -> bool:
        return any(annotation_of(d).name.rpartition(".")[2] in _CONTEXT_MANAGERS for d in definition.decorators)

    def decorated(self, function: Function, definition: Definition) -> Flow:
        """What the name of a decorated function stands for: the function itself where its decorators are known to keep it."""
        key = (function.path, function.index)
        if key not in self._decorated:
            plain = Flow((function,), True, "local")
            self._decorated[key] = plain
            flow = plain
            place = Place(function.path, definition.scope)
            for decorator in reversed(definition.decorators):
                flow = self._apply(decorator, place, flow, function)
            self._decorated[key] = flow
        return self._decorated[key]

    def _apply(self, decorator: Expression, place: Place, flow: Flow, function: Function) -> Flow:
        callee = decorator.parts[0] if decorator.kind == "call" and decorator.parts else decorator
        found = self._follow.expression(place, callee)
        for value in found.values:
            if isinstance(value, External) and self._keeps(value):
                return flow
            if isinstance(value, ForeignMethod) and value.name in ("setter", "getter", "deleter", "register"):
                return flow
        if not found.values and annotation_of(callee).name.rpartition(".")[2] in ("setter", "getter", "deleter", "overload"):
            return flow
        applied = self._follow.expression(place, decorator)
        results = []
        for value in applied.values:
            if isinstance(value, Function):
                results.append(self._apply_function(value, flow, function))
            elif isinstance(value, Callable):
                results.append(self._replace_open(value.result, flow))
            elif isinstance(value, Class):
                results.append(one(Instance(value.path, value.index), "constructor"))
            else:
                results.append(UNKNOWN)
        return through(union(results or [UNKNOWN]), "return", applied.is_certain)

    def _apply_function(self, decorator: Function, flow: Flow, function: Function) -> Flow:
        """A decorator of the repository: its declared result, the function itself where it gives its argument (or a wrapper of it) back."""
        definition = self._classes.definition(decorator.path, decorator.index)
        if definition is None:
            return UNKNOWN
        index = self._overload_for_function(decorator, definition)
        result = self.result_of_function(Function(decorator.path, index, decorator.receiver))
        chosen = self._classes.definition(decorator.path, index)
        first = next((p for p in (chosen.parameters if chosen is not None else ()) if p.name not in ("self", "cls")), None)
        if first is not None and first.annotation:
            wanted = self._follow.annotation(Place(decorator.path, definition.scope), first.annotation)
            known = {(v.path, v.name): flow for v in wanted.values if isinstance(v, TypeVariable)}
            result = substitute(result, known)
        if any(isinstance(value, Callable | Lambda | TypeVariable) for value in result.values):
            return Flow((function,), result.is_certain, "return")
        outline = self._view.tree.outline(decorator.path)
        for value in result.values:
            if outline is None or not isinstance(value, Function) or value.path != decorator.path:
                continue
            if outline.definitions[value.index].parent == decorator.index:
                # A wrapper defined inside: for callers it is the function.
                return Flow((function,), False, "return")
        return result if result.values else UNKNOWN

    def _replace_open(self, result: Flow, flow: Flow) -> Flow:
        """A result that is a bare type parameter: a decorator typed to give back what it gets."""
        return flow if any(isinstance(value, TypeVariable) for value in result.values) else result

    def _keeps(self, value: External) -> bool:
        package = "typing" if value.package in TYPING else value.package
        name = f"{package}.{value.name}"
        return name in _KEEPING or name.startswith("pytest.") or value.name in _KEEPING or _is_property_name(name)

    # ── overloads and arguments ──

    def _overloads(self, function: Function, definition: Definition) -> list[int]:
        outline = self._view.tree.outline(function.path)
        if outline is None:
            return []
        same = outline.defined(definition.qualified_name)
        return [index for index in same if "overload" in outline.definitions[index].flags]

    def _chosen_overload(self, function: Function, definition: Definition, place: Place, call: Expression) -> int:
        overloads = self._overloads(function, definition) if definition.ordinal else []
        for index in overloads:
            candidate = self._classes.definition(function.path, index)
            if candidate is not None and self._accepts(function, candidate, place, call):
                return index
        return function.index

    def _overload_for_function(self, function: Function, definition: Definition) -> int:
        """The overload that takes a function as its only argument."""
        for index in self._overloads(function, definition) if definition.ordinal else ():
            candidate = self._classes.definition(function.path, index)
            parameters = [p for p in candidate.parameters if p.name not in ("self", "cls")] if candidate is not None else []
            if parameters and not any(p.kind == "keyword_only" and not p.default for p in parameters):
                wanted = self._follow.annotation(Place(function.path, definition.scope), parameters[0].annotation)
                if not any(isinstance(value, Foreign) for value in wanted.values):
                    return index
        return function.index

    def _accepts(self, function: Function, definition: Definition, place: Place, call: Expression) -> bool:
        """Whether the arguments fit an overload by number, keywords and the kinds of literals."""
        parameters = [p for p in definition.parameters if p.kind != "type"]
        if function.receiver is not None and parameters:
            parameters = parameters[1:]
        arguments = call.parts[1:]
        count = len(arguments) - len(call.keywords)
        if any(argument.kind == "spread" for argument in arguments):
            return True
        positional = [p for p in parameters if p.kind in ("positional", "positional_only")]
        names = {p.name for p in parameters if p.kind in ("positional", "keyword_only")}
        is_variadic = any(p.kind == "variadic" for p in parameters)
        takes_any = any(p.kind == "keyword_variadic" for p in parameters)
        if count > len(positional) and not is_variadic:
            return False
        if any(name not in names for name in call.keywords if name) and not takes_any:
            return False
        given = {p.name for p in positional[:count]} | set(call.keywords)
        if any(not p.default and p.name not in given for p in parameters if p.kind in ("positional", "positional_only", "keyword_only")):
            return False
        scope = Place(function.path, definition.scope)
        pairs = list(zip(positional, arguments[:count], strict=False))
        pairs += [(p, arguments[count + i]) for i, name in enumerate(call.keywords) for p in parameters if p.name == name]
        return all(self._fits(scope, p.annotation, place, argument) for p, argument in pairs if p.annotation)

    def _fits(self, scope: Place, annotation: str, place: Place, argument: Expression) -> bool:
        """False only where a literal, a function or a class is given for something that it can not be."""
        wanted = self._follow.annotation(scope, annotation)
        if not wanted.is_certain or (not wanted.values and read_annotation(annotation, "python").kind != "none"):
            return True
        if argument.kind == "literal":
            if argument.name == "none":
                return "None" in annotation or "Optional" in annotation
            if not wanted.values:
                return False
            names = (argument.name, "object", "float")
            return any(not isinstance(v, Foreign) or v.name in names for v in wanted.values if not isinstance(v, Callable))
        given = self._follow.expression(place, argument)
        if given.is_certain and given.values and all(isinstance(value, Function | Lambda) for value in given.values):
            return any(isinstance(value, Callable | TypeVariable) for value in wanted.values)
        if given.is_certain and given.values and all(isinstance(value, Foreign) for value in given.values):
            return any(not isinstance(value, Callable) for value in wanted.values)
        return True

    def _known_arguments(self, function: Function, place: Place, call: Expression) -> dict[tuple[bytes, str], Flow]:
        """What a call's arguments say about the type parameters of the function."""
        definition = self._classes.definition(function.path, function.index)
        if definition is None:
            return {}
        parameters = [p for p in definition.parameters if p.kind != "type"]
        if function.receiver is not None:
            parameters = parameters[1:]
        count = len(call.parts) - 1 - len(call.keywords)
        positional = [p for p in parameters if p.kind in ("positional", "positional_only")]
        pairs = list(zip(positional, call.parts[1 : 1 + count], strict=False))
        pairs += [(p, call.parts[1 + count + i]) for i, name in enumerate(call.keywords) for p in parameters if p.name == name]
        known: dict[tuple[bytes, str], Flow] = {}
        for parameter, argument in pairs:
            if parameter.annotation:
                wanted = self._follow.annotation(Place(function.path, definition.scope), parameter.annotation)
                self._match(wanted, place, argument, known)
        return known

    def _match(self, wanted: Flow, place: Place, argument: Expression, known: dict[tuple[bytes, str], Flow]) -> None:
        for value in wanted.values:
            if isinstance(value, TypeVariable):
                known.setdefault((value.path, value.name), self._follow.expression(place, argument))
            elif isinstance(value, Callable):
                for inner in value.result.values:
                    if isinstance(inner, TypeVariable):
                        known.setdefault((inner.path, inner.name), self._result_when_called(self._follow.expression(place, argument)))
            elif isinstance(value, Foreign) and value.arguments:
                for inner in value.arguments[-1].values:
                    if isinstance(inner, TypeVariable):
                        known.setdefault((inner.path, inner.name), self.elements(self._follow.expression(place, argument)))

    def _result_when_called(self, flow: Flow) -> Flow:
        results = []
        for value in flow.values:
            if isinstance(value, Class):
                results.append(one(Instance(value.path, value.index, value.arguments), "constructor"))
            elif isinstance(value, Function):
                results.append(self.result_of_function(value))
            elif isinstance(value, External):
                results.append(one(Foreign(value.package, value.name), "constructor"))
            elif isinstance(value, Callable):
                results.append(value.result)
            else:
                results.append(UNKNOWN)
        return through(union(results or [UNKNOWN]), flow.reason, flow.is_certain)

    def _passed_through(self, function: Function, place: Place, call: Expression) -> Flow:
        """A function without annotations that returns one of its parameters gives what it is given."""
        definition = self._classes.definition(function.path, function.index)
        outline = self._view.tree.outline(function.path)
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

    # ── what is outside ──

    def _super(self, place: Place, call: Expression) -> Flow | None:
        outline = self._view.tree.outline(place.path)
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

    def _call_external(self, value: External, place: Place, call: Expression) -> Flow:
        name = value.name.rpartition(".")[2]
        arguments = call.parts[1:]
        if value.package == "builtins":
            return self._call_builtin(name, place, arguments)
        if value.package in TYPING and name == "TypeVar":
            return self._type_variable(place, call)
        if value.package in TYPING and name in ("cast", "assert_type") and arguments:
            annotation = annotation_of(arguments[0])
            return self._types.flow(place, annotation)
        if value.package in TYPING and name == "NewType" and len(arguments) == 2:
            return one(Alias(place, annotation_of(arguments[1])), "local")
        if (value.package, name) in (("weakref", "ref"), ("weakref", "proxy")) and arguments:
            referred = self._follow.expression(place, arguments[0])
            return one(Callable(referred), "flow") if name == "ref" else referred
        if (value.package, name) in _SAME and arguments:
            return self._follow.expression(place, arguments[0])
        if value.package == "functools" and name in ("partial", "partialmethod") and arguments:
            function = self._follow.expression(place, arguments[0])
            return one(Callable(self._result_when_called(function), function), "flow")
        if value.package == "contextlib" and name in ("nullcontext", "closing") and arguments:
            return one(Foreign("contextlib", name, (self._follow.expression(place, arguments[0]),)), "flow")
        if value.package in ("collections", "itertools") and arguments:
            return one(Foreign(value.package, value.name, (UNKNOWN,)), "constructor")
        return one(Foreign(value.package, value.name), "constructor")

    def _call_builtin(self, name: str, place: Place, arguments: tuple[Expression, ...]) -> Flow:
        if name in _PASSING and arguments:
            return one(Foreign("builtins", name, (self.elements(self._follow.expression(place, arguments[-1 if name == "filter" else 0])),)), "local")
        if name == "enumerate" and arguments:
            number = one(Foreign("builtins", "int"), "local")
            pair = Foreign("builtins", "tuple", (number, self.elements(self._follow.expression(place, arguments[0]))))
            return one(Foreign("builtins", "enumerate", (one(pair, "iteration"),)), "local")
        if name == "zip":
            items = tuple(self.elements(self._follow.expression(place, argument)) for argument in arguments)
            return one(Foreign("builtins", "zip", (one(Foreign("builtins", "tuple", items), "iteration"),)), "local")
        if name in ("next", "min", "max") and arguments:
            return self.elements(self._follow.expression(place, arguments[0]))
        if name == "type" and len(arguments) == 1:
            return self._types.classes(self._follow.expression(place, arguments[0]))
        if name == "getattr" and len(arguments) >= 2:
            return self._getattr(place, arguments)
        if name in ("dict", "map", "vars", "eval", "exec", "getattr", "globals", "locals", "__import__", "next", "sum", "object"):
            return UNKNOWN if name not in ("dict", "map") else one(Foreign("builtins", name, (UNKNOWN,)), "local")
        return one(Foreign("builtins", name), "local")

    def _getattr(self, place: Place, arguments: tuple[Expression, ...]) -> Flow:
        if arguments[1].kind != "literal" or arguments[1].name != "str":
            return UNKNOWN
        owner = self._follow.expression(place, arguments[0])
        name = arguments[1].text.strip("\"'")
        found = [self._follow.attribute(value, name) or UNKNOWN for value in owner.values]
        flow = through(union(found or [UNKNOWN]), "flow", owner.is_certain)
        return Flow(flow.values, False, flow.reason) if len(arguments) > 2 else flow

    def _type_variable(self, place: Place, call: Expression) -> Flow:
        if len(call.parts) < 2 or call.parts[1].kind != "literal":
            return UNKNOWN
        name = call.parts[1].text.strip("\"'")
        first = len(call.parts) - len(call.keywords)
        bound = next((call.parts[first + i] for i, key in enumerate(call.keywords) if key == "bound"), None)
        flow = self._types.flow(place, annotation_of(bound)) if bound is not None else None
        return one(TypeVariable(place.path, name, flow), "local")

    def _call_foreign(self, method: ForeignMethod) -> Flow:
        owner, name = method.owner, method.name
        is_mapping = owner.name.rpartition(".")[2] in _MAPPINGS
        if owner.arguments:
            if name in _ELEMENT_METHODS:
                return through(owner.arguments[-1], "container")
            if name in _SAME_METHODS:
                return one(owner, "container")
            if is_mapping and name in ("values", "items", "keys"):
                pair = one(Foreign("builtins", "tuple", owner.arguments[:2]), "container")
                element = pair if name == "items" else owner.arguments[0 if name == "keys" else -1]
                return one(Foreign("builtins", "list", (element,)), "container")
        if owner.package == "builtins" and owner.name in ("str", "bytes", "int", "float", "bool", "template", "regexp"):
            return one(Foreign("builtins", "list" if "split" in name else "str", (one(Foreign("builtins", "str"), "local"),)), "local")
        if name in _ELEMENT_METHODS or name in _SAME_METHODS:
            return UNKNOWN
        return one(Foreign(owner.package, f"{owner.name}.{name}()"), "return")

    # ── elements ──

    def elements(self, flow: Flow) -> Flow:
        """What iterating gives."""
        found = [self._elements_of(value) for value in flow.values]
        return through(union(found or [UNKNOWN]), "iteration", flow.is_certain)

    def _elements_of(self, value: Value) -> Flow:
        if isinstance(value, Foreign):
            if value.name.rpartition(".")[2] == "str":
                return one(value, "iteration")
            if not value.arguments:
                return UNKNOWN
            if value.name == "tuple":
                return union(value.arguments)
            return value.arguments[0]
        if isinstance(value, Instance):
            if self._classes.is_enum(value.path, value.index):
                return UNKNOWN
            iterator = self.call_method(value, "__iter__")
            found = []
            for one_iterator in iterator.values:
                if isinstance(one_iterator, Foreign):
                    found.append(self._elements_of(one_iterator))
                elif isinstance(one_iterator, Instance):
                    found.append(self.call_method(one_iterator, "__next__"))
            return union(found or [UNKNOWN])
        if isinstance(value, Class) and self._classes.is_enum(value.path, value.index):
            return one(Instance(value.path, value.index), "iteration")
        return UNKNOWN

    def item_of(self, value: Foreign, index: Expression | None) -> Flow:
        """What `value[index]` gives."""
        key = index.text.strip("\"'") if index is not None and index.kind == "literal" else None
        if key is not None and value.items:
            found = [flow for item, flow in value.items if item == key]
            if found:
                return Flow(found[-1].values, False, "container")
        if value.name == "tuple" and key is not None and key.isdigit() and int(key) < len(value.arguments):
            return through(value.arguments[int(key)], "container")
        if not value.arguments:
            return UNKNOWN if value.name in ("dict", "list", "tuple") else one(Foreign(value.package, f"{value.name}[]"), "container")
        if value.name == "tuple":
            return through(union(value.arguments), "container")
        return through(value.arguments[-1], "container")

    def unpacked(self, flow: Flow, step: str) -> Flow:
        """What item `step` of an unpacked value is."""
        found = []
        for value in flow.values:
            if isinstance(value, Foreign) and value.name == "tuple" and step.isdigit() and int(step) < len(value.arguments):
                found.append(value.arguments[int(step)])
            else:
                found.append(self._elements_of(value))
        return through(union(found or [UNKNOWN]), "iteration", flow.is_certain and step != "*")

    def entered(self, flow: Flow) -> Flow:
        """What `with value as x` gives x."""
        found = []
        for value in flow.values:
            if isinstance(value, Instance):
                entered = self.call_method(value, "__enter__")
                found.append(entered if entered.values else self.call_method(value, "__aenter__"))
            elif isinstance(value, Foreign) and value.name in ("AbstractContextManager", "nullcontext", "closing") and value.arguments:
                found.append(value.arguments[0])
            elif isinstance(value, Foreign):
                found.append(one(Foreign(value.package, value.name), "enter"))
            else:
                found.append(UNKNOWN)
        return through(union(found or [UNKNOWN]), "enter", flow.is_certain)


def _is_property_name(name: str) -> bool:
    return name.rpartition(".")[2] in ("property", "cached_property")
