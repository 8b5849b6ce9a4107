"""What is passed to the parameters of a file's own functions: by calls in the same file, by decorating, and to lambdas.

Only the file itself is looked at: others may pass other things. So all of this is evidence, never certain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from analyzers.facts import Binding, Call, Definition, Expression, FileFacts
from knowledge.graph.outline import Outline
from knowledge.graph.python_classes import PythonFollowing
from knowledge.graph.values import UNKNOWN, Callable, Class, Flow, Function, Instance, Place, Value, one, through, union

_CALLS = 24
"""More calls of one name than this are not looked through."""


class Passed:
    """Arguments in one file, by the name that is called."""

    def __init__(self, path: bytes, facts: FileFacts, follow: PythonFollowing) -> None:
        self._path = path
        self._facts = facts
        self._follow = follow

    def to_function(self, index: int, definition: Definition, position: int) -> Flow:
        """What the parameter at `position` of a function of this file is given in this file."""
        flows = [*self._by_calls(index, definition, position), *self._by_decorating(index, definition, position)]
        found = union(flows) if flows else UNKNOWN
        return Flow(found.values, False, "argument") if found.values else UNKNOWN

    def to_lambda(self, place: Place, outline: Outline, binding: Binding) -> Flow:
        """What a lambda's parameter is, as the function that the lambda is passed to declares it."""
        call = self._lambdas.get(place.scope)
        if call is None:
            return UNKNOWN
        names = [name for name, bindings in outline.names[place.scope].items() if bindings[0].kind == "parameter"]
        at = names.index(binding.name)
        where = Place(place.path, call.scope)
        flows = []
        for value in self._follow.expression(where, call.expression.parts[0]).values:
            for wanted in self._declared(value, call.expression, place.scope).values:
                if isinstance(wanted, Callable) and at < len(wanted.parameters):
                    flows.append(through(wanted.parameters[at], "annotation"))
        return union(flows) if flows else UNKNOWN

    # ── what calls pass ──

    def _by_calls(self, index: int, definition: Definition, position: int) -> Iterator[Flow]:
        calls = self._calls.get(definition.name, ())
        for call in calls if len(calls) <= _CALLS else ():
            place = Place(self._path, call.scope)
            for value in self._follow.expression(place, call.expression.parts[0]).values:
                if isinstance(value, Function) and (value.path, value.index) == (self._path, index):
                    argument = _argument(call.expression, definition, position, value.receiver is not None)
                    if argument is not None:
                        yield self._follow.expression(place, argument)

    def _by_decorating(self, index: int, definition: Definition, position: int) -> Iterator[Flow]:
        if position > 1 or (position == 1 and definition.kind != "method"):
            return
        outer = self._facts.definitions[definition.parent].name
        for name in (definition.name, outer):
            for decorated, decorator in self._decorated.get(name, ())[:_CALLS]:
                place = Place(self._path, self._facts.definitions[decorated].scope)
                for value in self._follow.expression(place, decorator).values:
                    if isinstance(value, Function) and (value.path, value.index) == (self._path, index):
                        yield one(Function(self._path, decorated), "argument")

    @cached_property
    def _calls(self) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = defaultdict(list)
        for call in self._facts.calls:
            if call.expression.parts and len(call.expression.parts) > 1 and "implicit" not in call.flags:
                found[call.expression.parts[0].name].append(call)
        return found

    @cached_property
    def _decorated(self) -> dict[str, list[tuple[int, Expression]]]:
        found: dict[str, list[tuple[int, Expression]]] = defaultdict(list)
        for index, definition in enumerate(self._facts.definitions):
            for decorator in definition.decorators:
                head = decorator.parts[0] if decorator.kind == "call" and decorator.parts else decorator
                found[head.name].append((index, decorator))
        return found

    # ── what lambdas are passed to ──

    @cached_property
    def _lambdas(self) -> dict[int, Call]:
        return {
            part.scope: call
            for call in self._facts.calls
            for part in call.expression.parts[1:]
            if part.kind == "lambda"
        }  # fmt: skip

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
