"""Which overload a call means, and what its arguments say about type parameters."""

from __future__ import annotations

from analyzers.facts import Definition, Expression, Parameter
from knowledge.graph.annotations import read_annotation
from knowledge.graph.python_classes import Classes, PythonFollowing
from knowledge.graph.reads import Tree
from knowledge.graph.values import (
    UNKNOWN,
    Callable,
    Class,
    External,
    Flow,
    Foreign,
    Function,
    Instance,
    Lambda,
    Place,
    TypeVariable,
    one,
    through,
    union,
)


class Arguments:
    """Arguments of calls, held against parameters."""

    def __init__(self, tree: Tree, classes: Classes, follow: PythonFollowing) -> None:
        self._tree = tree
        self._classes = classes
        self._follow = follow

    def chosen_overload(self, function: Function, definition: Definition, place: Place, call: Expression) -> int:
        overloads = self._overloads(function, definition) if definition.ordinal else []
        for index in overloads:
            candidate = self._classes.definition(function.path, index)
            if candidate is not None and self._accepts(function, candidate, place, call):
                return index
        return function.index

    def overload_for_function(self, function: Function, definition: Definition) -> int:
        """The overload that takes a function as its only argument."""
        for index in self._overloads(function, definition) if definition.ordinal else ():
            candidate = self._classes.definition(function.path, index)
            parameters = [p for p in candidate.parameters if p.name not in ("self", "cls")] if candidate is not None else []
            if parameters and not any(p.kind == "keyword_only" and not p.default for p in parameters):
                wanted = self._follow.annotation(Place(function.path, definition.scope), parameters[0].annotation)
                if not any(isinstance(value, Foreign) for value in wanted.values):
                    return index
        return function.index

    def _overloads(self, function: Function, definition: Definition) -> list[int]:
        outline = self._tree.outline(function.path)
        if outline is None:
            return []
        same = outline.defined(definition.qualified_name)
        return [index for index in same if "overload" in outline.definitions[index].flags]

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
        if not wanted.is_certain or (not wanted.values and read_annotation(annotation).kind != "none"):
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

    def declared_for(self, function: Function, call: Expression, scope: int) -> Flow:
        """The declared type of the parameter to which a call passes the lambda with this scope."""
        definition = self._classes.definition(function.path, function.index)
        if definition is None:
            return UNKNOWN
        for parameter, argument in self.pairs(definition, function, call):
            if argument.kind == "lambda" and argument.scope == scope and parameter.annotation:
                return self._follow.annotation(Place(function.path, definition.scope), parameter.annotation)
        return UNKNOWN

    def pairs(self, definition: Definition, function: Function, call: Expression) -> list[tuple[Parameter, Expression]]:
        """Which parameter gets which argument, by position and keyword."""
        parameters = [p for p in definition.parameters if p.kind != "type"]
        if function.receiver is not None:
            parameters = parameters[1:]
        count = len(call.parts) - 1 - len(call.keywords)
        positional = [p for p in parameters if p.kind in ("positional", "positional_only")]
        pairs = list(zip(positional, call.parts[1 : 1 + count], strict=False))
        return pairs + [(p, call.parts[1 + count + i]) for i, name in enumerate(call.keywords) for p in parameters if p.name == name]

    def known_arguments(self, function: Function, place: Place, call: Expression) -> dict[tuple[bytes, str], Flow]:
        """What a call's arguments say about the type parameters of the function."""
        definition = self._classes.definition(function.path, function.index)
        if definition is None:
            return {}
        known: dict[tuple[bytes, str], Flow] = {}
        for parameter, argument in self.pairs(definition, function, call):
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
                        known.setdefault((inner.path, inner.name), self.result_when_called(self._follow.expression(place, argument)))
            elif isinstance(value, Foreign) and value.arguments:
                for inner in value.arguments[-1].values:
                    if isinstance(inner, TypeVariable):
                        known.setdefault((inner.path, inner.name), self._follow.elements(self._follow.expression(place, argument)))

    def result_when_called(self, flow: Flow) -> Flow:
        results = []
        for value in flow.values:
            if isinstance(value, Class):
                results.append(one(Instance(value.path, value.index, value.arguments), "constructor"))
            elif isinstance(value, Function):
                results.append(self._follow.result_of_function(value))
            elif isinstance(value, Lambda):
                results.append(self._follow.result_of_lambda(value))
            elif isinstance(value, External):
                results.append(one(Foreign(value.package, value.name), "constructor"))
            elif isinstance(value, Callable):
                results.append(value.result)
            else:
                results.append(UNKNOWN)
        return through(union(results or [UNKNOWN]), flow.reason, flow.is_certain)
