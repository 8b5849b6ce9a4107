"""Routes of Python's web frameworks to their handlers: by a decorator (Flask, FastAPI and alike), by `add_url_rule`, by class-based views."""

from __future__ import annotations

from functools import cached_property

from analyzers.facts import Call, Expression, FileFacts, Span
from knowledge.graph.python_flow import PythonFlow
from knowledge.graph.reads import View
from knowledge.graph.resolution import EdgeWriter, Target, targets_of
from knowledge.graph.route_prefixes import named, path_text, prefixes
from knowledge.graph.values import Class, Place
from knowledge.records.identifiers import SymbolId

DECORATORS = frozenset({"route", "get", "post", "put", "delete", "patch", "head", "options", "trace", "websocket", "api_route", "websocket_route"})
_OPEN = frozenset({"route", "api_route"})
_VERBS = ("get", "post", "put", "delete", "patch", "head", "options")


class PythonRoutes:
    """The routes of one file."""

    def __init__(self, view: View, facts: FileFacts, flow: PythonFlow, writer: EdgeWriter) -> None:
        self._view, self._facts, self._flow, self._writer = view, facts, flow, writer

    @cached_property
    def _prefixes(self) -> tuple[dict[str, str], frozenset[str]]:
        return prefixes(self._facts, lambda scope, expression: False)

    def decorated(self, symbol: SymbolId, decorator: Expression, span: Span) -> None:
        """`@app.route("/path", methods=[…])` over `symbol`."""
        callee, path = decorator.parts[0], path_text(decorator.parts[1])
        if path:
            methods = _methods(decorator) if callee.name in _OPEN else [callee.name.upper()]
            for method in methods or ["GET"]:
                self._add(method, callee, path, Target(symbol, "resolved", "decorator"), span)

    def added(self, call: Call, place: Place) -> None:
        """`app.add_url_rule("/path", "name", handler)`, and with `View.as_view("name")` the methods of the view."""
        parts = call.expression.parts
        path, handler = path_text(parts[1] if len(parts) > 1 else None), self._handler(call.expression)
        if not path or handler is None:
            return
        methods = _methods(call.expression)
        if handler.kind == "call" and handler.parts[0].kind == "attribute" and handler.parts[0].name == "as_view":
            self._view_class(call, place, path, handler.parts[0].parts[0], methods)
            return
        for target in targets_of(self._flow.expression(place, handler), self._view.tree):
            for method in methods or ["GET"]:
                self._add(method, parts[0], path, Target(target.symbol, target.confidence_kind, "route", target.rivals), call.name_span)

    def _handler(self, call: Expression) -> Expression | None:
        positional = call.parts[1 : len(call.parts) - len(call.keywords)]
        return named(call, "view_func") or (positional[2] if len(positional) > 2 else None)

    def _view_class(self, call: Call, place: Place, path: str, owner: Expression, methods: list[str]) -> None:
        for value in self._flow.expression(place, owner).values:
            outline = self._view.tree.outline(value.path) if isinstance(value, Class) else None
            if outline is None or not isinstance(value, Class):
                continue
            for index, definition in enumerate(outline.definitions):
                if index and definition.parent == value.index:
                    if definition.name in _VERBS:
                        served = [definition.name.upper()]
                    elif definition.name == "dispatch_request":
                        served = methods or ["GET"]
                    else:
                        continue
                    for method in served:
                        target = Target(self._view.tree.symbol(value.path, index), "resolved", "route")
                        self._add(method, call.expression.parts[0], path, target, call.name_span)

    def _add(self, method: str, callee: Expression, path: str, target: Target, span: Span) -> None:
        owner = callee.parts[0] if callee.parts else None
        router = owner.name if owner is not None and owner.kind == "name" else ""
        known, elsewhere = self._prefixes
        if router in elsewhere:
            self._writer.limit("mounted-elsewhere", span.row)
        prefix = known.get(router, "")
        self._writer.add(SymbolId(self._writer.path, f"{method} {prefix}{path}"), "handles", target, span, callee.name)


def _methods(call: Expression) -> list[str]:
    """The HTTP methods that a call lists; ANY where it lists some that are not written there, none where it does not say."""
    listed = named(call, "methods")
    if listed is None:
        return []
    return [part.text.strip("\"'").upper() for part in listed.parts if part.kind == "literal"] or ["ANY"]
