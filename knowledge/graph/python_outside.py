"""Calls that lead outside the repository: built-ins that pass things through, collections and their elements, context managers."""

from __future__ import annotations

from analyzers.facts import Expression
from knowledge.graph.python_arguments import Arguments
from knowledge.graph.python_classes import Classes, PythonFollowing
from knowledge.graph.python_types import TYPING, Types, annotation_of
from knowledge.graph.values import (
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
    TypeVariable,
    Value,
    one,
    through,
    union,
)

_ELEMENT_METHODS = frozenset({"pop", "popleft", "get", "setdefault", "__getitem__", "popitem"})
_SAME_METHODS = frozenset({"copy", "__enter__", "__iter__", "union", "difference", "intersection"})
_PASSING = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "filter"})
"""Built-ins whose result has the elements of their (last) argument."""
_HOLDING = TYPING | {
    "builtins",
    "collections",
    "itertools",
    "functools",
    "queue",
    "weakref",
    "contextlib",
    "asyncio",
    "multiprocessing",
    "concurrent",
}
"""Packages whose objects hold what they are given: their elements may be anything."""
_MAPPINGS = frozenset({"dict", "defaultdict", "OrderedDict", "Mapping", "MutableMapping", "ChainMap", "WeakValueDictionary", "MappingProxyType"})
_CASES = {"lower": str.lower, "upper": str.upper}
_SAME_BEGINNING = frozenset({"format", "rstrip"})
"""Methods of texts that leave the beginning of a text as it is."""
_IMPORTING = frozenset({("importlib", "import_module"), ("builtins", "__import__")})
_SAME = frozenset({("copy", "copy"), ("copy", "deepcopy"), ("typing", "no_type_check"), ("functools", "lru_cache"), ("functools", "cache")})


class Outside:
    """What calls and elements of foreign things give."""

    def __init__(self, classes: Classes, types: Types, arguments: Arguments, follow: PythonFollowing) -> None:
        self._classes = classes
        self._types = types
        self._arguments = arguments
        self._follow = follow

    def call(self, value: External, place: Place, call: Expression) -> Flow:
        name = value.name.rpartition(".")[2]
        arguments = call.parts[1:]
        if (value.package, name) in _IMPORTING and arguments:
            return self._imported(place, arguments, name == "__import__")
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
            return one(Callable(self._arguments.result_when_called(function), function), "flow")
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
        if name == "map":
            given = [self._follow.expression(place, argument) for argument in arguments]
            functions = tuple(value for flow in given for value in flow.values if isinstance(value, Function | Lambda | Class))
            return one(Foreign("builtins", "map", (self._arguments.result_when_called(Flow(functions, False, "callback")),)), "local")
        if name in ("dict", "vars", "eval", "exec", "getattr", "globals", "locals", "__import__", "next", "sum", "object"):
            return UNKNOWN if name != "dict" else one(Foreign("builtins", name, (UNKNOWN,)), "local")
        return one(Foreign("builtins", name), "local")

    def _imported(self, place: Place, arguments: tuple[Expression, ...], is_top: bool) -> Flow:
        """The module that is imported by a constant name: `__import__("a.b")` gives `a`, `import_module` the module itself."""
        if arguments[0].kind != "literal" or arguments[0].name != "str":
            return UNKNOWN
        text = arguments[0].text.strip("\"'")
        module = text.lstrip(".")
        return self._follow.module(place.path, len(text) - len(module), module.partition(".")[0] if is_top else module)

    def _getattr(self, place: Place, arguments: tuple[Expression, ...]) -> Flow:
        owner = self._follow.expression(place, arguments[0])
        if arguments[1].kind != "literal" or arguments[1].name != "str":
            return self._by_prefix(owner, place, arguments)
        name = arguments[1].text.strip("\"'")
        found = [self._follow.attribute(value, name) or UNKNOWN for value in owner.values]
        flow = through(union(found or [UNKNOWN]), "flow", owner.is_certain)
        return Flow(flow.values, False, flow.reason) if len(arguments) > 2 else flow

    def _by_prefix(self, owner: Flow, place: Place, arguments: tuple[Expression, ...]) -> Flow:
        """`getattr(self, "visit_" + name)`: any member that is called so, or the default."""
        prefix = self._prefix(place, arguments[1])
        found = [member for value in owner.values if isinstance(value, Instance) for member in self._classes.members_beginning(value, prefix)]
        if len(arguments) > 2:
            found.append(self._follow.expression(place, arguments[2]))
        flow = union(found) if found and len(prefix) > 2 else UNKNOWN
        return Flow(flow.values, False, "prefix") if flow.values else UNKNOWN

    def _prefix(self, place: Place, expression: Expression, depth: int = 0) -> str:
        """The text with which a computed string is known to begin."""
        if expression.kind == "literal" and expression.name in ("str", "template"):
            text = expression.text.lstrip("fFrRbBtT").strip("\"'")
            return text.partition("{")[0].partition("%")[0]
        if expression.kind == "operator" and expression.parts:
            return self._prefix(place, expression.parts[0], depth)
        if expression.kind == "call" and expression.parts and expression.parts[0].kind == "attribute":
            text = self._prefix(place, expression.parts[0].parts[0], depth)
            method = expression.parts[0].name
            return _CASES[method](text) if method in _CASES else text if method in _SAME_BEGINNING else ""
        if expression.kind == "name" and depth == 0:
            value = self._follow.assigned(place, expression)
            return self._prefix(place, value, 1) if value is not None else ""
        return ""

    def _type_variable(self, place: Place, call: Expression) -> Flow:
        if len(call.parts) < 2 or call.parts[1].kind != "literal":
            return UNKNOWN
        name = call.parts[1].text.strip("\"'")
        first = len(call.parts) - len(call.keywords)
        bound = next((call.parts[first + i] for i, key in enumerate(call.keywords) if key == "bound"), None)
        flow = self._types.flow(place, annotation_of(bound)) if bound is not None else None
        return one(TypeVariable(place.path, name, flow), "local")

    def _made_of(self, place: Place, call: Expression) -> Flow:
        """What a function that is given a class most likely gives back: an object of it (`context.find_object(Repo)`)."""
        if len(call.parts) < 2 or call.parts[1].kind not in ("name", "attribute"):
            return UNKNOWN
        given = self._follow.expression(place, call.parts[1])
        made = tuple(Instance(value.path, value.index) for value in given.values if isinstance(value, Class))
        return Flow(made, False, "argument")

    def call_member(self, method: ForeignMethod, place: Place, call: Expression) -> Flow:
        """What calling a member of a foreign thing gives."""
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
        made = self._made_of(place, call)
        return made if made.values else one(Foreign(owner.package, f"{owner.name}.{name}()"), "return")

    def elements(self, flow: Flow) -> Flow:
        """What iterating gives."""
        found = [self._elements_of(value) for value in flow.values]
        return through(union(found or [UNKNOWN]), "iteration", flow.is_certain)

    def _elements_of(self, value: Value) -> Flow:
        if isinstance(value, Foreign):
            if value.name.rpartition(".")[2] == "str":
                return one(value, "iteration")
            if not value.arguments:
                return UNKNOWN if value.package in _HOLDING else one(Foreign(value.package, f"{value.name}[]"), "iteration")
            if value.name == "tuple":
                return union(value.arguments)
            return value.arguments[0]
        if isinstance(value, Instance):
            if self._classes.is_enum(value.path, value.index):
                return UNKNOWN
            iterator = self._follow.call_method(value, "__iter__")
            found = []
            for one_iterator in iterator.values:
                if isinstance(one_iterator, Foreign):
                    found.append(self._elements_of(one_iterator))
                elif isinstance(one_iterator, Instance):
                    found.append(self._follow.call_method(one_iterator, "__next__"))
            return union(found or [UNKNOWN])
        if isinstance(value, Class) and self._classes.is_enum(value.path, value.index):
            return one(Instance(value.path, value.index), "iteration")
        return UNKNOWN

    def item_of(self, value: Foreign, index: Expression | None, is_closed: bool = False) -> Flow:
        """What `value[index]` gives. is_closed: nobody can have changed it since it was written down."""
        if index is not None and index.kind == "operator" and index.name == "slice":
            return one(Foreign(value.package, value.name, value.arguments[-1:]), "container") if value.name in ("list", "tuple") else UNKNOWN
        key = index.text.strip("\"'") if index is not None and index.kind == "literal" else None
        if key is not None and value.items:
            found = [flow for item, flow in value.items if item == key]
            if found:
                return Flow(found[-1].values, found[-1].is_certain and is_closed, "container")
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
                entered = self._follow.call_method(value, "__enter__")
                found.append(entered if entered.values else self._follow.call_method(value, "__aenter__"))
            elif isinstance(value, Foreign) and value.name in ("AbstractContextManager", "nullcontext", "closing") and value.arguments:
                found.append(value.arguments[0])
            elif isinstance(value, Foreign):
                found.append(one(Foreign(value.package, value.name), "enter"))
            else:
                found.append(UNKNOWN)
        return through(union(found or [UNKNOWN]), "enter", flow.is_certain)
