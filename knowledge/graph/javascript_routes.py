"""Routes of JavaScript's web frameworks to their handlers, also those of a router that another file declares and this one mounts.

A route stands in the file that declares it, under the path that this file says. Where a file mounts a router that it imports
(`app.use("/api", router)`), the router's routes stand there once more, under the whole path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from analyzers.facts import Call, Expression, FileFacts, Import
from knowledge.graph.javascript_flow import JavaScriptFlow
from knowledge.graph.javascript_names import Home
from knowledge.graph.outline import MODULE_SCOPE
from knowledge.graph.reads import View
from knowledge.graph.resolution import EdgeWriter, Target
from knowledge.graph.route_prefixes import made, mounts, path_text, prefixes, required
from knowledge.graph.values import Flow, Function, Lambda, Module, Place
from knowledge.records.edges import ConfidenceKind
from knowledge.records.identifiers import SymbolId, file_symbol

_VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "all"})
_SERVERS = frozenset({"express", "fastify", "koa", "koa-router", "@koa/router", "hono", "restify", "polka", "find-my-way", "router"})
_SERVER_NAMES = frozenset({"app", "router", "server", "api", "routes", "fastify"})
_NESTED = 8
"""Routers mounted in one another are followed through this many files."""


class _Route(NamedTuple):
    """A route as a file declares it: its method, the path below its router, and where the call stands that does it."""

    method: str
    path: str
    router: Expression
    handler: Expression
    place: Place


class JavaScriptRoutes:
    """The routes of one file. `symbols`: a flow's definitions as targets."""

    def __init__(
        self, view: View, facts: FileFacts, flow: JavaScriptFlow, writer: EdgeWriter, symbols: Callable[[Flow, Place, Expression], list[Target]]
    ) -> None:
        self._view, self._facts, self._flow, self._writer, self._symbols = view, facts, flow, writer, symbols
        self._makers: dict[bytes, Mapping[str, str]] = {}

    def add(self, call: Call, place: Place, callee: Expression) -> None:
        """The routes that a call of a member declares or mounts, if it does."""
        if callee.name == "use":
            self._mount(call, place, callee)
        elif (route := _declared(call, place)) is not None:
            known, elsewhere = self._prefixes
            name = route.router.name if route.router.kind == "name" else ""
            if self._write(call, route, known.get(name, ""), "resolved") and name in elsewhere:
                self._writer.limit("mounted-elsewhere", call.name_span.row)

    def _write(self, call: Call, route: _Route, prefix: str, mounted: ConfidenceKind) -> bool:
        """Writes a route with its handlers; False where what declares it is no router."""
        confidence = self._server(route.place, route.router)
        if confidence is None:
            return False
        subject = SymbolId(self._writer.path, f"{route.method} {prefix}{route.path}")
        flow = self._flow.expression(route.place, route.handler)
        targets = self._symbols(flow, route.place, route.handler)
        if not targets and any(isinstance(value, Lambda) for value in flow.values):
            targets = [Target(self._owner(route.place), "resolved", "route")]
        for target in targets:
            kind: ConfidenceKind = "resolved" if confidence == mounted == target.confidence_kind == "resolved" else "inferred"
            self._writer.add(subject, "handles", Target(target.symbol, kind, "route", target.rivals), call.name_span, call.expression.parts[0].name)
        return True

    def _owner(self, place: Place) -> SymbolId:
        """The definition in whose body a handler without a name stands."""
        outline = self._view.tree.outline(place.path)
        index = outline.scopes[place.scope].definition if outline is not None else 0
        return self._view.tree.symbol(place.path, index) if index > 0 else file_symbol(place.path)

    def _server(self, place: Place, owner: Expression) -> ConfidenceKind | None:
        """Whether a route may be declared on a receiver: it comes from a framework, or is made or called like a router or server."""
        flow = self._flow.expression(place, owner)
        packages = {getattr(value, "package", "") for value in flow.values}
        if packages & _SERVERS:
            return "resolved"
        name = owner.name or (owner.parts[0].name if owner.parts else "")
        is_called = name in _SERVER_NAMES or name.lower().endswith(("router", "app"))
        return "inferred" if is_called or (owner.kind == "name" and name in self._made(place.path)) else None

    def _made(self, path: bytes) -> Mapping[str, str]:
        """The routers that a file makes: this one, or one whose routers it mounts."""
        if path not in self._makers:
            facts = self._facts if path == self._writer.path else self._view.routes(path)
            self._makers[path] = made(facts) if facts is not None else {}
        return self._makers[path]

    @cached_property
    def _prefixes(self) -> tuple[dict[str, str], frozenset[str]]:
        return prefixes(self._facts, self._is_handler)

    def _is_handler(self, scope: int, expression: Expression) -> bool:
        return self._is_function(Place(self._writer.path, scope), expression)

    def _is_function(self, place: Place, expression: Expression) -> bool:
        flow = self._flow.expression(place, expression)
        return bool(flow.values) and all(isinstance(v, Function | Lambda) or getattr(v, "package", "") in _SERVERS for v in flow.values)

    # ── routers of other files ──

    def _mount(self, call: Call, place: Place, callee: Expression) -> None:
        """`app.use("/api", router)`: the routes of a router that another file declares, and of what is mounted on it there."""
        confidence = self._server(place, callee.parts[0])
        if confidence is None:
            return
        known, elsewhere = self._prefixes
        name = callee.parts[0].name if callee.parts[0].kind == "name" else ""
        for router, prefix in mounts(call, {}, self._is_handler):
            home = self._home(place, router)
            if home is None or home.path == self._writer.path:
                continue
            is_written = False
            for route, path in self._below(home, ()):
                is_written = self._write(call, route, known.get(name, "") + prefix + path, confidence) or is_written
            if is_written and name in elsewhere:
                self._writer.limit("mounted-elsewhere", call.name_span.row)

    def _home(self, place: Place, router: Expression) -> Home | None:
        """The file and variable of a router; None where no file of the tree declares it by a name."""
        names = self._flow.names
        if module := required(router):
            found = next((i for i in self._imports(place.path) if i.module == module and i.name == "*"), None)
            home = names.imported(place.path, found) if found is not None else None
        elif router.kind == "attribute":
            owner = names.home_at(place, router.parts[0].name)
            home = names.exported(owner.value.path, router.name) if owner is not None and isinstance(owner.value, Module) else None
        else:
            home = names.home_at(place, router.name)
        return home if home is not None and home.value is None and home.path else None

    def _below(self, home: Home, around: tuple[Home, ...]) -> Iterator[tuple[_Route, str]]:
        """The routes of a router, each with the path that stands before it there."""
        facts = self._view.routes(home.path) if home not in around and len(around) < _NESTED else None
        if facts is None:
            return
        own = self._made(home.path).get(home.name, "")
        for call in facts.calls:
            place = Place(home.path, call.scope)
            callee = call.expression.parts[0] if call.expression.parts else None
            if callee is None or callee.kind != "attribute":
                continue
            if callee.name == "use" and self._is_router(place, callee.parts[0], home):
                for router, prefix in mounts(call, {}, lambda scope, part: self._is_function(Place(home.path, scope), part)):
                    if (below := self._home(place, router)) is not None:
                        yield from ((route, own + prefix + path) for route, path in self._below(below, (*around, home)))
            elif (route := _declared(call, place)) is not None and self._is_router(place, route.router, home):
                yield route, own

    def _is_router(self, place: Place, owner: Expression, home: Home) -> bool:
        found = self._flow.names.find(place, owner.name, False) if owner.kind == "name" and owner.name == home.name else None
        return found is not None and found.scope == MODULE_SCOPE

    def _imports(self, path: bytes) -> tuple[Import, ...]:
        outline = self._view.tree.outline(path)
        return outline.imports if outline is not None else ()


def _declared(call: Call, place: Place) -> _Route | None:
    """`app.get("/path", …, handler)`, and each link of `app.route("/path").get(handler).post(other)`."""
    parts = call.expression.parts
    callee = parts[0]
    if callee.name not in _VERBS or len(parts) < 2:
        return None
    router, first, link = callee.parts[0], parts[1] if len(parts) > 2 else None, callee.parts[0]
    while link.kind == "call" and link.parts[0].kind == "attribute" and link.parts[0].parts:
        before = link.parts[0]
        if before.name == "route" and len(link.parts) == 2:
            router, first = before.parts[0], link.parts[1]
            break
        if before.name not in _VERBS:
            break
        link = before.parts[0]
    path = path_text(first)
    return _Route(callee.name.upper(), path, router, parts[-1], place) if path else None
