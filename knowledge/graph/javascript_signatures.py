"""What a value can be called or constructed as: the function type that is meant of the signatures of an interface, an object or an intersection."""

from __future__ import annotations

from analyzers.facts import Expression
from knowledge.graph.annotations import Annotation
from knowledge.graph.javascript_annotations import read_type
from knowledge.graph.javascript_classes import Classes
from knowledge.graph.javascript_memory import Memory
from knowledge.graph.javascript_types import Types
from knowledge.graph.javascript_values import RUNTIME, Described, Environment, Typed, environment_of
from knowledge.graph.values import Place, Value

CALLED, CONSTRUCTED = "()", "new ()"
"""Members that stand for what an object of a type can be called as, and constructed as."""
_LITERALS = {"str": "string", "template": "string", "int": "number", "float": "number", "bool": "boolean", "regexp": "RegExp"}
NO_FUNCTION = frozenset({"string", "number", "boolean", "bigint", "symbol"})


class Signatures:
    """Function types of values of one tree."""

    def __init__(self, memory: Memory, types: Types, classes: Classes) -> None:
        self._memory = memory
        self._types = types
        self._classes = classes
        self._rows: dict[tuple[bytes, int, str], list[Annotation]] = {}

    def of(self, value: Value, name: str, call: Expression | None = None) -> Described | None:
        """The function type as which a value may be called (`name` CALLED) or constructed (CONSTRUCTED); of several the first that the arguments fit.

        None where it can be neither.
        """
        if isinstance(value, Typed):
            return self._of_typed(value, name, call)
        if not isinstance(value, Described):
            return None
        annotation = value.annotation
        if annotation.kind in ("function", "constructor"):
            return value if (annotation.kind == "function") == (name == CALLED) else None
        if annotation.kind == "object":
            kind = "call" if name == CALLED else "construct"
            rows = [row.arguments[0] for row in annotation.arguments if row.kind == kind and row.arguments]
            return _chosen(rows, value.place, value.environment, call)
        return self._of_intersection(value, name, call) if annotation.kind == "intersection" else None

    def _of_intersection(self, value: Described, name: str, call: Expression | None) -> Described | None:
        if not self._memory.enter():
            return None
        found = None
        for part in value.annotation.arguments:
            for inner in self._types.flow(value.place, part, value.environment).values:
                found = found or self.of(inner, name, call)
        self._memory.depth -= 1
        return found

    def _of_typed(self, value: Typed, name: str, call: Expression | None) -> Described | None:
        found = self._classes.find(value.path, value.index, name, False)
        member = found.member if found is not None else None
        if found is None or member is None:
            return None
        order = self._classes.order(value.path, value.index)
        environment = self._classes.environment(order, found.row, value, environment_of(value))
        key = (member.path, member.scope, name)
        rows = self._rows.get(key)
        if rows is None:
            rows = [row.arguments[0] for b in member.bindings for row in read_type(b.annotation).arguments if row.arguments]
            self._rows[key] = rows
        return _chosen(rows, Place(member.path, member.scope), environment, call)


def _chosen(rows: list[Annotation], place: Place, environment: Environment | None, call: Expression | None) -> Described | None:
    """The first of several function types that the arguments fit."""
    functions = [row for row in rows if row.kind == "function"]
    if not functions:
        return None
    chosen = functions[0] if call is None else next((row for row in functions if _fits(row, call)), functions[0])
    return Described(RUNTIME, "Function", (), (), place, chosen, environment)


def _fits(function: Annotation, call: Expression) -> bool:
    rows = [row for row in function.arguments[1:] if row.kind in ("parameter", "rest")]
    given = call.parts[1:]
    last = rows[-1] if rows and rows[-1].kind == "rest" else None
    if last is not None and last.arguments[0].kind == "tuple":
        rows = rows[:-1] + [Annotation("parameter", "", (part,)) for part in last.arguments[0].arguments]
        last = None
    if not has_spread(call) and len(given) > len(rows) and last is None:
        return False
    for row, argument in zip(rows, given, strict=False):
        if argument.kind == "literal" and not takes_literal(row.arguments[0], argument):
            return False
        if argument.kind in ("lambda", "definition") and row.arguments[0].kind == "name" and row.arguments[0].name in NO_FUNCTION:
            return False
    return True


def has_spread(call: Expression) -> bool:
    """Whether an argument is spread, so that positions say little."""
    return any(part.kind == "spread" for part in call.parts[1:])


def takes_literal(wanted: Annotation, argument: Expression) -> bool:
    """Whether a literal may be given for a type."""
    if wanted.kind == "literal":
        return wanted.name == _LITERALS.get(argument.name) and (not wanted.arguments or wanted.arguments[0].name == argument.text.strip("\"'`"))
    if wanted.kind == "name" and wanted.name in NO_FUNCTION:
        return wanted.name == _LITERALS.get(argument.name)
    if wanted.kind == "union":
        return any(takes_literal(member, argument) for member in wanted.arguments)
    return wanted.kind not in ("function", "array", "tuple", "constructor") and not (wanted.kind == "object" and wanted.arguments)
