"""Resolving one JavaScript or TypeScript file: its facts and what the rest of the tree says of the names in it → edges."""

from __future__ import annotations

from analyzers.facts import Access, Call, Definition, Expression, FileFacts, Import, Span
from knowledge.graph.javascript_context import Target as Called
from knowledge.graph.javascript_flow import JavaScriptFlow
from knowledge.graph.javascript_routes import JavaScriptRoutes
from knowledge.graph.javascript_targets import Declared, Targets
from knowledge.graph.javascript_values import RUNTIME
from knowledge.graph.outline import CLASS_KINDS, FUNCTION_KINDS, Outline
from knowledge.graph.reads import Tree, View
from knowledge.graph.resolution import EdgeWriter, Target, targets_of
from knowledge.graph.values import Class, External, Flow, Function, Instance, Lambda, Module, Place, Value
from knowledge.records.edges import ConfidenceKind
from knowledge.records.identifiers import SymbolId, external_symbol, file_symbol

ENVIRONMENT = "environment"
"""The package under which environment variables stand as symbols."""
_ENVIRONMENTS = frozenset({"process.env", "import.meta.env", "Bun.env", "Deno.env"})
_ROUNDS = 3
"""What calls pass is followed through this many functions."""


class JavaScriptResolver:
    """Writes the edges of one file; see `resolve_javascript`."""

    def __init__(self, view: View, facts: FileFacts, outline: Outline, flow: JavaScriptFlow) -> None:
        self._view = view
        self._facts = facts
        self._outline = outline
        self._flow = flow
        self._path = view.importer
        self.writer = EdgeWriter(view, facts)
        self._targets = Targets(flow, view, self.writer, outline)
        self._routes = JavaScriptRoutes(view, facts, flow, self.writer, self._symbols)
        self._is_test = view.tree.is_test(self._path)
        self._tested: set[tuple[SymbolId, ConfidenceKind]] = set()
        self._call_spans = {call.name_span.start: call.name_span for call in facts.calls}

    def run(self) -> None:
        self._flow.begin(self._path, self._facts, self._outline)
        self._follow_arguments()
        for index, definition in enumerate(self._outline.definitions):
            self._flow.memory.next_question()
            if index:
                self._declare(index, definition)
        for found in self._outline.imports:
            self._import(found)
        for call in self._facts.calls:
            self._flow.memory.next_question()
            self._call(call)
        for access in self._facts.accesses:
            self._flow.memory.next_question()
            self._access(access)
        if self._flow.memory.is_cut:
            self.writer.limit("too-deep-to-follow")
        self._view.note(self._flow.memory.reads())

    def _follow_arguments(self) -> None:
        """Finds out what the calls of this file pass to its own functions; what is passed may be called, and pass something on."""
        context = self._flow.context
        for _ in range(_ROUNDS if context.has_open_parameters else 0):
            found = self._known_calls()
            if found == context.known:
                return
            context.known = found
            self._flow.forget()

    def _known_calls(self) -> dict[Called, list[tuple[int, Expression]]]:
        found: dict[Called, list[tuple[int, Expression]]] = {}
        for call in self._facts.calls:
            if call.expression.kind not in ("call", "new"):
                continue
            self._flow.memory.next_question()
            flow = self._flow.expression(Place(self._path, call.scope), call.expression.parts[0])
            for value in flow.values:
                target = self._target_of(value)
                if target is not None:
                    found.setdefault(target, []).append((call.scope, call.expression))
        return found

    def _target_of(self, value: Value) -> Called | None:
        if isinstance(value, Class):
            row = self._flow.classes.find(value.path, value.index, "constructor", False)
            member = row.member if row is not None else None
            return ("definition", member.definition) if member is not None and member.path == self._path and member.definition > 0 else None
        if isinstance(value, Function) and value.path == self._path:
            return "definition", value.index
        return ("lambda", value.scope) if isinstance(value, Lambda) and value.path == self._path else None

    # ── definitions ──

    def _declare(self, index: int, definition: Definition) -> None:
        symbol = self.writer.symbol(self._path, index)
        parent = self.writer.symbol(self._path, definition.parent)
        self.writer.add(parent, "declares", Target(symbol, "resolved", "syntax"), definition.name_span, definition.name)
        if definition.kind in CLASS_KINDS:
            self._bases(symbol, definition)
        elif definition.parent > 0 and self._outline.definitions[definition.parent].kind in CLASS_KINDS and definition.name != "constructor":
            self._overrides(symbol, definition)
        for target in self._targets.behind(definition):
            self.writer.add(symbol, "calls", target, definition.name_span, definition.name)
        for decorator in definition.decorators:
            self._decorator(symbol, definition, decorator)

    def _bases(self, symbol: SymbolId, definition: Definition) -> None:
        place = Place(self._path, definition.scope)
        for base, span in zip(definition.bases, definition.base_spans, strict=False):
            named, targets = self._base(place, definition, base)
            if not targets:
                self.writer.limit("unresolved-base", span.row)
            for target in targets:
                self.writer.add(symbol, "implements", target, span, named.name)

    def _base(self, place: Place, definition: Definition, base: Expression) -> tuple[Expression, list[Target]]:
        is_type = base.kind == "operator" or definition.kind == "interface"
        named = base.parts[0] if base.kind == "operator" and base.parts else base
        flow = self._flow.classes.declaration_named(place, named) if is_type else self._flow.expression(place, named)
        return named, self._symbols(flow, place, named)

    def _symbols(self, flow: Flow, place: Place, named: Expression) -> list[Target]:
        """The classes, types and functions of a flow as targets; a constant by its declaration."""
        values = tuple(v for v in flow.values if isinstance(v, Function | Class | External))
        targets = targets_of(Flow(values, flow.is_certain, flow.reason), self._view.tree)
        if targets:
            return targets
        return [_as_target(row, self.writer) for row in self._targets.declared(place, named)]

    def _overrides(self, symbol: SymbolId, definition: Definition) -> None:
        is_static = "static" in definition.flags
        for path, index in self._above(definition.parent):
            row = self._flow.classes.find(path, index, definition.name, is_static)
            member = row.member if row is not None else None
            if row is None or member is None or member.definition < 0 or (member.path, member.owner) == (self._path, definition.parent):
                continue
            kind: ConfidenceKind = "resolved" if row.is_certain else "inferred"
            self.writer.add(
                symbol, "overrides", Target(self.writer.symbol(member.path, member.definition), kind, "class"), definition.name_span, definition.name
            )

    def _above(self, index: int) -> list[tuple[bytes, int]]:
        """What a class extends and implements, directly."""
        found = []
        definition = self._outline.definitions[index]
        place = Place(self._path, definition.scope)
        for base in definition.bases:
            is_type = base.kind == "operator" or definition.kind == "interface"
            named = base.parts[0] if base.kind == "operator" and base.parts else base
            flow = self._flow.classes.type_named(place, named) if is_type else self._flow.expression(place, named)
            found += [(v.path, v.index) for v in flow.values[:1] if isinstance(v, Class | Instance)]
        return found

    def _decorator(self, symbol: SymbolId, definition: Definition, decorator: Expression) -> None:
        callee = decorator.parts[0] if decorator.kind == "call" and decorator.parts else decorator
        span = self._call_spans.get(callee.start, definition.name_span)
        for target in self._symbols(self._flow.expression(Place(self._path, definition.scope), callee), Place(self._path, definition.scope), callee):
            self.writer.add(target.symbol, "decorates", Target(symbol, target.confidence_kind, target.reason, target.rivals), span, callee.name)

    # ── imports ──

    def _import(self, found: Import) -> None:
        subject = file_symbol(self._path)
        modules = self._flow.names.module(self._path, found.module)
        span = found.module_span or found.span
        is_type = "type_only" in found.flags
        if not modules.values:
            self.writer.limit("unresolved-import", span.row)
        for value in modules.values:
            target = _module_target(value, is_type)
            if target is not None:
                self.writer.add(subject, "imports", target, span, found.module.rpartition("/")[2])
        if found.name in ("", "*"):
            return
        symbol = self._imported(found)
        if symbol is not None:
            self.writer.add(subject, "imports", Target(symbol, "resolved", "type-only" if is_type else "import"), found.span, found.name)

    def _imported(self, found: Import) -> SymbolId | None:
        """What an import brings in. A module that another one passes on (`export * as name`) is none of its own: it is not what is imported here."""
        for is_type in (False, True):
            home = self._flow.names.imported(self._path, found, is_type)
            if home is None:
                continue
            if isinstance(home.value, Module):
                return None
            if isinstance(home.value, External):
                return external_symbol(home.value.package, home.value.name)
            row = self._targets.of_home(home, "import")
            if row is not None:
                return self.writer.symbol(row.path, row.definition)
        return None

    # ── calls ──

    def _call(self, call: Call) -> None:
        place = Place(self._path, call.scope)
        subject = self.writer.owner(call.scope)
        if call.expression.kind == "jsx":
            for target in self._targets.of_element(call, place):
                self._add_call(subject, target, call.name_span, call.expression.name.rpartition(".")[2])
            return
        if not call.expression.parts:
            return
        callee = call.expression.parts[0]
        span = call.name_span if callee.name or callee.kind == "subscript" else _after(call.name_span)
        targets = self._targets.of_call(call, place, callee)
        name = callee.name
        if targets and name in ("call", "apply") and not any(target.symbol.name == name for target in targets):
            # `open.call(…)` calls what stands before it.
            name, span = callee.parts[0].name, _before(span, callee.parts[0])
        for target in targets:
            self._add_call(subject, target, span, name)
        for argument, symbol in self._targets.callbacks(call, place, callee):
            self.writer.add(subject, "calls", Target(symbol, "inferred", "callback"), _argument_span(call, argument), argument.name)
        if callee.kind == "attribute":
            self._routes.add(call, place, callee)
            if callee.name == "get" and len(call.expression.parts) > 1:
                self._environment_call(subject, call, place, callee)

    def _add_call(self, subject: SymbolId, target: Target, span: Span, name: str) -> None:
        self.writer.add(subject, "calls", target, span, name)
        if not self._is_test or not target.symbol.path or target.symbol.path == self._path:
            return
        # The tests of a file have no names of their own, so the file stands for them.
        key = (target.symbol, target.confidence_kind)
        if key not in self._tested:
            self._tested.add(key)
            tested = Target(file_symbol(self._path), target.confidence_kind, target.reason, target.rivals)
            self.writer.add(target.symbol, "tested_by", tested, span)

    def _environment_call(self, subject: SymbolId, call: Call, place: Place, callee: Expression) -> None:
        """`Deno.env.get("KEY")`."""
        key = call.expression.parts[1]
        owner = self._flow.expression(place, callee.parts[0])
        if key.kind == "literal" and any(isinstance(v, External) and (v.package, v.name) == (RUNTIME, "Deno.env") for v in owner.values):
            name = key.text.strip("\"'`")
            self.writer.add(subject, "reads", Target(external_symbol(ENVIRONMENT, name), "resolved", "environment"), call.name_span, name)

    # ── reads and writes ──

    def _access(self, access: Access) -> None:
        target = self._accessed(Place(self._path, access.scope), access.target)
        if target is not None:
            name = access.target.name or target.symbol.name
            self.writer.add(self.writer.owner(access.scope), "writes" if access.is_write else "reads", target, access.span, name)

    def _accessed(self, place: Place, target: Expression) -> Target | None:
        """The attribute, constant or environment variable that is read or written."""
        if target.kind == "name":
            rows = self._targets.declared(place, target)
            return self._variable(rows[0]) if rows else None
        if target.kind not in ("attribute", "subscript") or not target.parts:
            return None
        owner = self._flow.expression(place, target.parts[0])
        if len(owner.values) != 1:
            return None
        value = owner.values[0]
        key = target.name or (target.parts[1].text.strip("\"'`") if len(target.parts) > 1 and target.parts[1].kind == "literal" else "")
        if not key:
            return None
        if isinstance(value, External):
            is_environment = value.package == RUNTIME and value.name in _ENVIRONMENTS
            return Target(external_symbol(ENVIRONMENT, key), "resolved", "environment") if is_environment else None
        row = self._targets.member_of(value, key, owner)
        if row is not None:
            return self._variable(row)
        return self._assigned_attribute(value, key, owner)

    def _variable(self, row: Declared) -> Target | None:
        outline = self._view.tree.outline(row.path)
        definition = outline.definitions[row.definition] if outline is not None else None
        if definition is None or (definition.kind in FUNCTION_KINDS and "property" not in definition.flags):
            return None
        if definition.kind in CLASS_KINDS or definition.kind in ("type", "namespace"):
            return None
        return _as_target(row, self.writer)

    def _assigned_attribute(self, value: Value, name: str, owner: Flow) -> Target | None:
        """An attribute that no declaration names, but methods of the class assign."""
        if not isinstance(value, Instance):
            return None
        row = self._flow.classes.find(value.path, value.index, name, False)
        member = row.member if row is not None else None
        if row is None or member is None or member.definition >= 0:
            return None
        kind: ConfidenceKind = "resolved" if owner.is_certain and row.is_certain else "inferred"
        symbol = self.writer.symbol(member.path, member.owner)
        return Target(SymbolId(member.path, f"{symbol.qualified_name}.{name}"), kind, owner.reason or "attribute")


def _as_target(row: Declared, writer: EdgeWriter) -> Target:
    return Target(writer.symbol(row.path, row.definition), "resolved" if row.is_certain else "inferred", row.reason)


def _module_target(value: Value, is_type: bool) -> Target | None:
    reason = "type-only" if is_type else "import"
    if isinstance(value, Module):
        return Target(file_symbol(value.path), "resolved", reason)
    return Target(external_symbol(value.package), "resolved", reason) if isinstance(value, External) else None


def _after(span: Span) -> Span:
    """Where the arguments begin of a callee without a name, which may begin as a call inside of it does."""
    return Span(span.end, span.end, span.end_row, span.end_column, span.end_row, span.end_column)


def _before(span: Span, owner: Expression) -> Span:
    """The place of the name before a member, on whose line it is taken to be."""
    back, length = span.start - owner.start, len(owner.name.encode())
    if not length or owner.start < 0 or span.column < back:
        return span
    column = span.column - back
    return Span(owner.start, owner.start + length, span.row, column, span.row, column + length)


def _argument_span(call: Call, argument: Expression) -> Span:
    """The place of an argument; its row is not known, so it stands where the arguments begin."""
    length, place = len(argument.name.encode()), _after(call.name_span)
    return Span(argument.start, argument.start + length, place.row, place.column, place.end_row, place.end_column)


_KEPT = "javascript"


def flow_of(tree: Tree) -> JavaScriptFlow:
    """What is known of the JavaScript of a tree."""
    found = tree.kept.get(_KEPT)
    if not isinstance(found, JavaScriptFlow):
        found = tree.kept[_KEPT] = JavaScriptFlow(tree)
    return found
