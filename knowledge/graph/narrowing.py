"""What is left of a flow where `isinstance` (or `instanceof`) was asked around it."""

from __future__ import annotations

from collections.abc import Callable

from analyzers.facts import Expression, Narrowing
from knowledge.graph.outline import Outline
from knowledge.graph.values import UNKNOWN, Class, External, Flow, Foreign, Instance, Place, Value, one, union

IsSubclass = Callable[[bytes, int, tuple[bytes, int]], bool]
_LONGEST = 24


class Narrowings:
    """The narrowings of the file that is being resolved."""

    def __init__(self, path: bytes, outline: Outline | None, expression: Callable[[Place, Expression], Flow], is_subclass: IsSubclass) -> None:
        self._path = path
        self._outline = outline
        self._expression = expression
        self._is_subclass = is_subclass
        self._rows: dict[int, list[tuple[str, Narrowing]]] = {}
        for scope, rows in (outline.narrowings if outline is not None else {}).items():
            self._rows.setdefault(frame_of(outline, scope) if outline is not None else scope, []).extend((dotted(row.target), row) for row in rows)

    def narrow(self, place: Place, expression: Expression, flow: Flow) -> Flow:
        """The flow of a name or attribute of this file where it stands."""
        if not self._rows or place.path != self._path or self._outline is None:
            return flow
        for target, row in self._rows.get(frame_of(self._outline, place.scope), ()):
            if not row.start <= expression.start < row.end or not target.endswith(expression.name) or target != dotted(expression):
                continue
            if "." not in target and self._is_rebound(self._outline, place.scope, target, row.start, expression.start):
                continue
            types = self.types_of(Place(place.path, row.scope), row.type)
            flow = self._without(flow, types) if row.is_negated else self._within(flow, types)
        return flow

    def types_of(self, place: Place, expression: Expression) -> Flow:
        """Objects of the class, or of one of the classes, that an expression names."""
        flows = []
        for part in expression.parts if expression.kind == "collection" else (expression,):
            classes = self._expression(place, part)
            for value in classes.values:
                if isinstance(value, Class):
                    flows.append(one(Instance(value.path, value.index), "narrowed"))
                elif isinstance(value, External):
                    flows.append(one(Foreign(value.package, value.name), "narrowed"))
                else:
                    flows.append(UNKNOWN)
            if not classes.values:
                flows.append(UNKNOWN)
        return union(flows)

    def _is_rebound(self, outline: Outline, scope: int, name: str, after: int, before: int) -> bool:
        while scope >= 0:
            if name in outline.names[scope]:
                return any(after <= binding.start < before for binding in outline.names[scope][name])
            scope = outline.scopes[scope].parent
        return False

    def _within(self, flow: Flow, types: Flow) -> Flow:
        if not types.values or not types.is_certain:
            return flow
        kept = [value for value in flow.values if any(self._is_a(value, of) for of in types.values)]
        return Flow(tuple(kept), True, flow.reason) if kept else types

    def _without(self, flow: Flow, types: Flow) -> Flow:
        kept = [value for value in flow.values if not any(self._is_a(value, of) for of in types.values)]
        return Flow(tuple(kept), flow.is_certain, flow.reason) if kept else flow

    def _is_a(self, value: Value, of: Value) -> bool:
        if isinstance(value, Instance) and isinstance(of, Instance):
            return self._is_subclass(value.path, value.index, (of.path, of.index))
        return isinstance(value, Foreign) and isinstance(of, Foreign) and (value.package, value.name) == (of.package, of.name)


def frame_of(outline: Outline, scope: int) -> int:
    """The scope of the running function around `scope`."""
    while outline.scopes[scope].kind in ("comprehension", "block") and outline.scopes[scope].parent >= 0:
        scope = outline.scopes[scope].parent
    return scope


def dotted(expression: Expression) -> str:
    """`a.b.c` for a chain of names; "" for anything else."""
    names: list[str] = []
    while expression.kind == "attribute" and len(names) < _LONGEST:
        names.append(expression.name)
        expression = expression.parts[0]
    if expression.kind != "name":
        return ""
    return ".".join([expression.name, *reversed(names)])
