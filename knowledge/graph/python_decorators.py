"""What the name of a decorated function stands for."""

from __future__ import annotations

from analyzers.facts import Definition, Expression
from knowledge.graph.python_arguments import Arguments
from knowledge.graph.python_classes import Classes, PythonFollowing
from knowledge.graph.python_types import TYPING, annotation_of
from knowledge.graph.reads import Tree
from knowledge.graph.values import (
    UNKNOWN,
    Callable,
    Class,
    External,
    Flow,
    ForeignMethod,
    Function,
    Instance,
    Lambda,
    Place,
    TypeVariable,
    one,
    substitute,
    through,
    union,
)

_KEEPING = frozenset({
    "staticmethod", "classmethod", "abstractmethod", "abc.abstractmethod", "typing.overload", "typing.final", "typing.override",
    "typing.no_type_check",
    "typing.runtime_checkable", "functools.cache", "functools.lru_cache", "functools.wraps", "functools.singledispatch", "functools.total_ordering",
    "contextlib.contextmanager", "contextlib.asynccontextmanager", "pytest.fixture", "pytest.mark", "dataclasses.dataclass", "builtins.staticmethod",
    "builtins.classmethod", "abc.abstractclassmethod", "abc.abstractstaticmethod", "typing.deprecated", "warnings.deprecated", "unittest.skip",
    "unittest.mock.patch", "atexit.register", "functools.partial",
})  # fmt: skip
"""Decorators outside the repository that leave a function's result as its annotation says."""


class Decorators:
    """Decorators of one resolution; what they make of a function is remembered."""

    def __init__(self, tree: Tree, classes: Classes, arguments: Arguments, follow: PythonFollowing) -> None:
        self._tree = tree
        self._classes = classes
        self._arguments = arguments
        self._follow = follow
        self._decorated: dict[tuple[bytes, int, int], Flow] = {}

    def decorated(self, function: Function, definition: Definition) -> Flow:
        """What the name of a decorated function stands for: the function itself where its decorators are known to keep it."""
        return self.below(function, definition, -1)

    def below(self, function: Function, definition: Definition, number: int) -> Flow:
        """What the decorators after `number` make of a function."""
        path, index = function.path, function.index
        if (path, index, number) in self._decorated:
            return self._decorated[path, index, number]
        # Whoever asks inside, for what decorating gives, is told of the function itself.
        self._decorated[path, index, number] = flow = Flow((function,), True, "local")
        for applied in range(len(definition.decorators) - 1, number, -1):
            known = self._decorated.get((path, index, applied - 1)) if applied - 1 != number else None
            flow = known or self._apply(definition.decorators[applied], Place(path, definition.scope), flow, function)
            self._decorated[path, index, applied - 1] = flow
        return flow

    def _apply(self, decorator: Expression, place: Place, flow: Flow, function: Function) -> Flow:
        callee = _callee(decorator)
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
        index = self._arguments.overload_for_function(decorator, definition)
        result = self._follow.result_of_function(Function(decorator.path, index, decorator.receiver))
        chosen = self._classes.definition(decorator.path, index)
        first = next((p for p in (chosen.parameters if chosen is not None else ()) if p.name not in ("self", "cls")), None)
        if first is not None and first.annotation:
            wanted = self._follow.annotation(Place(decorator.path, definition.scope), first.annotation)
            known = {(v.path, v.name): flow for v in wanted.values if isinstance(v, TypeVariable)}
            result = substitute(result, known)
        if any(isinstance(value, Callable | Lambda | TypeVariable) for value in result.values):
            return Flow((function,), result.is_certain, "return")
        outline = self._tree.outline(decorator.path)
        for value in result.values:
            if outline is None or not isinstance(value, Function) or value.path != decorator.path:
                continue
            inner = outline.definitions[value.index]
            if inner.parent == decorator.index:
                # A wrapper that takes over the function's name and signature is the function for its callers; another one is itself.
                takes_over = any(_callee(d).name in ("wraps", "update_wrapper") for d in inner.decorators)
                return Flow((function,), False, "return") if takes_over else Flow((value,), result.is_certain, "decorator")
        return result if result.values else UNKNOWN

    def _replace_open(self, result: Flow, flow: Flow) -> Flow:
        """A result that is a bare type parameter: a decorator typed to give back what it gets."""
        return flow if any(isinstance(value, TypeVariable) for value in result.values) else result

    def _keeps(self, value: External) -> bool:
        package = "typing" if value.package in TYPING else value.package
        name = f"{package}.{value.name}"
        return name in _KEEPING or name.startswith("pytest.") or value.name in _KEEPING or _is_property_name(name)


def _callee(decorator: Expression) -> Expression:
    """What a decorator names, its arguments aside."""
    return decorator.parts[0] if decorator.kind == "call" and decorator.parts else decorator


def _is_property_name(name: str) -> bool:
    return name.rpartition(".")[2] in ("property", "cached_property")
