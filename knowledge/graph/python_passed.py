"""What is passed to the parameters of a file's own functions: by calls in the same file, by decorating, by default, and to lambdas.

Only the file itself is looked at: others may pass other things. So all of this is evidence, never certain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from analyzers.facts import Binding, Call, Definition, Expression, FileFacts
from knowledge.graph.outline import Outline
from knowledge.graph.python_classes import PythonFollowing
from knowledge.graph.values import UNKNOWN, Callable, Class, Flow, Function, Instance, Lambda, Place, Value, through, union

_CALLS = 24
"""More calls of one name than this are not looked through."""
_CONSTRUCTORS = ("__init__", "__new__")


class Passed:
    """Arguments in one file, by what is called."""

    def __init__(self, path: bytes, facts: FileFacts, follow: PythonFollowing) -> None:
        self._path = path
        self._facts = facts
        self._follow = follow

    def to_function(self, index: int, binding: Binding) -> Flow:
        """What a parameter of a function of this file is given in this file."""
        definition = self._facts.definitions[index]
        place = Place(self._path, definition.scope)
        given = [*self._by_calls(index, definition, binding.target)]
        flows = [flow for flow in given if flow is not None] + [*self._by_decorating(index, definition, binding.target)]
        if binding.value is not None and (None in given or not flows or not self._without_arguments.isdisjoint(self._names_of(definition))):
            flows.append(self._follow.expression(place, binding.value))
        found = union(flows) if flows else UNKNOWN
        return Flow(found.values, False, "argument") if found.values else UNKNOWN

    def to_lambda(self, place: Place, outline: Outline, binding: Binding) -> Flow:
        """What a lambda's parameter is: as the function that the lambda is passed to declares it, else as the lambda is called here."""
        names = [name for name, bindings in outline.names[place.scope].items() if bindings[0].kind == "parameter"]
        at = names.index(binding.name)
        call = self._lambdas.get(place.scope)
        flows = []
        for value in self._follow.expression(Place(place.path, call.scope), call.expression.parts[0]).values if call is not None else ():
            for wanted in self._declared(value, call.expression, place.scope).values if call is not None else ():
                if isinstance(wanted, Callable) and at < len(wanted.parameters):
                    flows.append(through(wanted.parameters[at], "annotation"))
        if flows:
            return union(flows)
        given = union([*self._to_named_lambda(place.scope, at)] or [UNKNOWN])
        return Flow(given.values, False, "argument") if given.values else UNKNOWN

    # ── what calls pass ──

    def _by_calls(self, index: int, definition: Definition, position: int) -> Iterator[Flow | None]:
        """What each call of the function in the file gives; None where it leaves the parameter to its default."""
        for call in self._calls_of(self._names_of(definition)):
            place = Place(self._path, call.scope)
            for value in self._follow.expression(place, call.expression.parts[0]).values:
                if isinstance(value, Class) and definition.name in _CONSTRUCTORS:
                    made = self._follow.attribute(Instance(value.path, value.index), definition.name)
                    value = next((found for found in made.values if isinstance(found, Function)), value) if made is not None else value
                if isinstance(value, Function) and (value.path, value.index) == (self._path, index):
                    argument = _argument(call.expression, definition, position, value.receiver is not None)
                    yield self._follow.expression(place, argument) if argument is not None else None

    def _to_named_lambda(self, scope: int, at: int) -> Iterator[Flow]:
        names = [b.name for b in self._facts.bindings if b.value is not None and b.value.kind == "lambda" and b.value.scope == scope]
        for call in self._calls_of(names):
            place = Place(self._path, call.scope)
            for value in self._follow.expression(place, call.expression.parts[0]).values:
                if isinstance(value, Lambda) and value.scope == scope and at < len(call.expression.parts) - 1 - len(call.expression.keywords):
                    yield self._follow.expression(place, call.expression.parts[1 + at])

    def _names_of(self, definition: Definition) -> list[str]:
        """The names under which a function may be called in this file: its own, its class's, and those it is assigned to."""
        own = self._facts.definitions[definition.parent].name if definition.name in _CONSTRUCTORS else definition.name
        return [own, *self._aliases.get(own, ())]

    def _calls_of(self, names: Sequence[str]) -> Iterator[Call]:
        """Calls of these names, and calls of parameters, which may be anything."""
        found = [call for name in names for call in self._calls.get(name, ())]
        found += [call for call in self._calls_of_parameters if call.expression.parts[0].name not in names]
        if len(found) <= _CALLS:
            yield from found

    @cached_property
    def _aliases(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for binding in self._facts.bindings:
            if binding.kind == "assignment" and binding.value is not None and binding.value.kind in ("name", "attribute"):
                found[binding.value.name].append(binding.name)
        return found

    @cached_property
    def _calls(self) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = defaultdict(list)
        for call in self._facts.calls:
            if len(call.expression.parts) > 1 and "implicit" not in call.flags:
                found[call.expression.parts[0].name].append(call)
        return found

    @cached_property
    def _without_arguments(self) -> frozenset[str]:
        """Names that are called with nothing: what is called so leaves all to its defaults."""
        bare = (call.expression.parts[0].name for call in self._facts.calls if len(call.expression.parts) == 1)
        return frozenset(name for name in bare if name)

    @cached_property
    def _calls_of_parameters(self) -> list[Call]:
        parameters = {(binding.scope, binding.name) for binding in self._facts.bindings if binding.kind == "parameter"}
        return [call for calls in self._calls.values() for call in calls if (call.scope, call.expression.parts[0].name) in parameters]

    # ── what decorating passes ──

    def _by_decorating(self, index: int, definition: Definition, position: int) -> Iterator[Flow]:
        if position > 1 or (position == 1 and definition.kind != "method"):
            return
        outer = self._facts.definitions[definition.parent].name
        for name in (definition.name, outer):
            for decorated, number in self._decorated.get(name, ())[:_CALLS]:
                below = self._facts.definitions[decorated]
                place = Place(self._path, below.scope)
                for value in self._follow.expression(place, below.decorators[number]).values:
                    if isinstance(value, Function) and (value.path, value.index) == (self._path, index):
                        yield self._follow.decorated_below(Function(self._path, decorated), number)

    @cached_property
    def _decorated(self) -> dict[str, list[tuple[int, int]]]:
        """name of a decorator → (definition, which of its decorators)"""
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for index, definition in enumerate(self._facts.definitions):
            for number, decorator in enumerate(definition.decorators):
                head = decorator.parts[0] if decorator.kind == "call" and decorator.parts else decorator
                found[head.name].append((index, number))
        return found

    # ── what lambdas are passed to ──

    @cached_property
    def _lambdas(self) -> dict[int, Call]:
        return {part.scope: call for call in self._facts.calls for part in call.expression.parts[1:] if part.kind == "lambda"}

    def _declared(self, value: Value, call: Expression, scope: int) -> Flow:
        """The declared type of the parameter to which a call passes the lambda with this scope."""
        if isinstance(value, Class):
            made = self._follow.attribute(Instance(value.path, value.index), "__init__")
            functions = [found for found in made.values if isinstance(found, Function)] if made is not None else []
        else:
            functions = [value] if isinstance(value, Function) else []
        flows = [self._follow.parameter(function, call, scope) for function in functions]
        return union(flows) if flows else UNKNOWN


def _argument(call: Expression, definition: Definition, position: int, is_bound: bool) -> Expression | None:
    """The argument that a call gives to a parameter; None where it leaves it to its default or spreads arguments."""
    parameter = definition.parameters[position]
    count = len(call.parts) - 1 - len(call.keywords)
    for offset, keyword in enumerate(call.keywords):
        if keyword == parameter.name:
            return call.parts[1 + count + offset]
    at = position - (1 if is_bound else 0)
    if parameter.kind not in ("positional", "positional_only") or not 0 <= at < count:
        return None
    if any(part.kind == "spread" for part in call.parts[1 : at + 2]):
        return None
    return call.parts[1 + at]
