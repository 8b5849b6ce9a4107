"""Functions that a file gives to functions of other files, which call them there: by arguments and by decorating.

What a file's own functions are given in the file itself follows from their parameters (`python_passed`). Others may be given other things:
these edges are evidence, never certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzers.facts import Definition, Expression, ParameterCall
from knowledge.graph.outline import Outline
from knowledge.graph.python_flow import PythonFlow
from knowledge.graph.reads import View
from knowledge.graph.resolution import Target, targets_of
from knowledge.graph.values import Class, Flow, Function, Lambda, Place, Value
from knowledge.records.identifiers import SymbolId, file_symbol

CalledThere = tuple[SymbolId, Target]
"""Who calls, elsewhere, and what it calls of this file's giving."""
_CONSTRUCTORS = ("__init__", "__new__")


class Callbacks:
    """Callbacks of one file."""

    def __init__(self, view: View, flow: PythonFlow) -> None:
        self._view = view
        self._flow = flow

    def of_call(self, callee: Flow, place: Place, call: Expression) -> Iterator[CalledThere]:
        """What functions of other files call of the arguments that they are given."""
        if len(call.parts) < 2:
            return
        for function in self._functions(callee.values):
            outline = self._outline(function)
            definition = outline.definitions[function.index] if outline is not None else None
            if outline is None or definition is None:
                continue
            given = {parameter.name: argument for parameter, argument in self._flow.calls.arguments.pairs(definition, function, call)}
            for row in outline.parameter_calls[function.index]:
                argument = given.get(definition.parameters[row.parameter].name)
                if argument is not None:
                    yield from self._called(outline, row, self._flow.expression(place, argument))

    def of_decorating(self, decorators: Flow, function: Function, number: int) -> Iterator[CalledThere]:
        """What decorators of other files call of the function that they are put on."""
        for decorator in self._functions(decorators.values):
            outline = self._outline(decorator)
            first = 1 if decorator.receiver is not None else 0
            for row in outline.parameter_calls[decorator.index] if outline is not None else ():
                if outline is not None and row.parameter == first:
                    yield from self._called(outline, row, self._flow.decorated_below(function, number))

    def _functions(self, values: Iterable[Value]) -> Iterator[Function]:
        """The functions of other files among these values; those that make the objects, of classes."""
        for value in values:
            if isinstance(value, Function) and value.path != self._view.importer:
                yield value
            elif isinstance(value, Class):
                made = [self._flow.classes.constructor(value, name) for name in _CONSTRUCTORS]
                yield from (found for found in made if found is not None and found.path != self._view.importer)

    def _outline(self, function: Function) -> Outline | None:
        """The outline of a function of another file that calls a parameter."""
        definition: Definition | None = self._flow.classes.definition(function.path, function.index)
        outline = self._view.tree.outline(function.path)
        return outline if definition is not None and outline is not None and function.index in outline.parameter_calls else None

    def _called(self, outline: Outline, row: ParameterCall, given: Flow) -> Iterator[CalledThere]:
        functions = tuple(value for value in given.values if isinstance(value, Function | Lambda | Class))
        caller = self._view.tree.symbol(outline.path, row.caller) if row.caller else file_symbol(outline.path)
        for target in targets_of(Flow(functions, False, "argument"), self._view.tree):
            yield caller, target
