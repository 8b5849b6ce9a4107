"""Resolving one JavaScript or TypeScript file: its facts and what the rest of the tree says of the names in it → edges."""

from __future__ import annotations

from analyzers.facts import Access, Call, Definition, Export, Expression, FileFacts, Import, Span
from knowledge.graph.guesses import Guesses
from knowledge.graph.javascript_flow import JavaScriptFlow
from knowledge.graph.javascript_names import RUNTIME
from knowledge.graph.outline import CLASS_KINDS, Outline
from knowledge.graph.reads import View
from knowledge.graph.resolution import EdgeWriter, Target, targets_of
from knowledge.graph.values import Callable, Class, External, Flow, Foreign, ForeignMethod, Function, Instance, Lambda, Module, Place, Super, Value
from knowledge.records.edges import ConfidenceKind
from knowledge.records.identifiers import SymbolId, external_symbol, file_symbol

ENVIRONMENT = "environment"
_ROUTES = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "all"})


class JavaScriptResolver:
    """Writes the edges of one file; see `resolve_javascript`."""

    def __init__(self, view: View, facts: FileFacts, outline: Outline) -> None:
        self._view = view
        self._facts = facts
        self._outline = outline
        self._flow = JavaScriptFlow(view, facts)
        self._guesses = Guesses(view, self._flow.classes.is_subclass)
        self.writer = EdgeWriter(view, facts)
        self._path = view.importer
        self._is_test = view.tree.is_test(self._path)
        self._call_spans = {call.name_span.start: call.name_span for call in facts.calls}

    def run(self) -> None:
        for index, definition in enumerate(self._outline.definitions):
            if index:
                self._declare(index, definition)
        for found in self._outline.imports:
            self._import(found)
        for call in self._facts.calls:
            self._call(call)
        for access in self._facts.accesses:
            self._access(access)
        if self._flow.is_cut:
            self.writer.limit("too-deep-to-follow")

    # ── definitions ──

    def _declare(self, index: int, definition: Definition) -> None:
        symbol = self.writer.symbol(self._path, index)
        parent = self.writer.symbol(self._path, definition.parent)
        self.writer.add(parent, "declares", Target(symbol, "resolved", "syntax"), definition.name_span, definition.name)
        if definition.kind in CLASS_KINDS:
            self._bases(symbol, definition)
        elif definition.kind == "method" and definition.parent > 0 and self._outline.definitions[definition.parent].kind in CLASS_KINDS:
            self._overrides(symbol, definition)
        for decorator in definition.decorators:
            self._decorator(symbol, definition, decorator)

    def _bases(self, symbol: SymbolId, definition: Definition) -> None:
        place = Place(self._path, definition.scope)
        for base, span in zip(definition.bases, definition.base_spans, strict=False):
            is_type = base.kind == "operator" or definition.kind == "interface"
            named = base.parts[0] if base.kind == "operator" and base.parts else base
            flow = self._flow.classes.type_named(place, named) if is_type else self._flow.expression(place, named)
            targets = targets_of(flow, self._view.tree)
            if not targets:
                self.writer.limit("unresolved-base", span.row)
            for target in targets:
                self.writer.add(symbol, "implements", target, span, named.name)

    def _overrides(self, symbol: SymbolId, definition: Definition) -> None:
        if definition.name == "constructor":
            return
        for above in self._flow.classes.order(self._path, definition.parent)[1:]:
            flow = self._flow.attribute(above, definition.name) if isinstance(above, Instance) else None
            if flow is None or not isinstance(above, Instance):
                continue
            functions = Flow(tuple(v for v in flow.values if isinstance(v, Function)), flow.is_certain, "class")
            for target in targets_of(functions, self._view.tree):
                self.writer.add(symbol, "overrides", target, definition.name_span, definition.name)
            return

    def _decorator(self, symbol: SymbolId, definition: Definition, decorator: Expression) -> None:
        callee = decorator.parts[0] if decorator.kind == "call" and decorator.parts else decorator
        span = self._call_spans.get(callee.start, definition.name_span)
        for target in targets_of(self._flow.expression(Place(self._path, definition.scope), callee), self._view.tree):
            self.writer.add(target.symbol, "decorates", Target(symbol, target.confidence_kind, target.reason, target.rivals), span, callee.name)

    # ── imports ──

    def _import(self, found: Import) -> None:
        subject = file_symbol(self._path)
        modules = self._flow.names.module(self._path, found.module)
        span = found.module_span or found.span
        if not modules.values:
            self.writer.limit("unresolved-import", span.row)
        for value in modules.values:
            target = self._module_target(value)
            if target is not None:
                self.writer.add(subject, "imports", target, span, found.module.rpartition("/")[2])
        if found.name in ("", "*"):
            return
        flow = self._flow.names.imported(self._path, found)
        types = self._flow.names.imported(self._path, found, True)
        named = tuple(dict.fromkeys(v for one in (flow, types) for v in one.values if isinstance(v, Function | Class | External)))
        if named:
            for target in targets_of(Flow(named[:1], flow.is_certain or types.is_certain, "import"), self._view.tree):
                self.writer.add(subject, "imports", target, found.span, found.name)
            return
        for value in modules.values:
            symbol = self._exported_symbol(value.path, found.name) if isinstance(value, Module) else None
            if symbol is not None:
                self.writer.add(subject, "imports", Target(symbol, "resolved", "import"), found.span, found.name)

    def _module_target(self, value: Value) -> Target | None:
        if isinstance(value, Module):
            return Target(file_symbol(value.path), "resolved", "import")
        return Target(external_symbol(value.package), "resolved", "import") if isinstance(value, External) else None

    def _exported_symbol(self, path: bytes, name: str, depth: int = 0) -> SymbolId | None:
        """The variable, constant or type that a module exports under a name, followed through re-exports."""
        outline = self._view.named(path, name)
        if outline is None or depth > 8:
            return None
        for export in outline.exports:
            if export.name == name:
                return self._export_target(outline, export, depth)
        whole = self._view.whole(path)
        for export in whole.exports if whole is not None else ():
            if export.name == "*" and export.module:
                for value in self._flow.names.module(path, export.module).values:
                    found = self._exported_symbol(value.path, name, depth + 1) if isinstance(value, Module) else None
                    if found is not None:
                        return found
        return None

    def _export_target(self, outline: Outline, export: Export, depth: int) -> SymbolId | None:
        if export.module:
            for value in self._flow.names.module(outline.path, export.module).values:
                if isinstance(value, Module):
                    return file_symbol(value.path) if export.local == "*" else self._exported_symbol(value.path, export.local, depth + 1)
            return None
        defined = outline.defined(export.local)
        return self._view.tree.symbol(outline.path, defined[0]) if defined else None

    # ── calls ──

    def _call(self, call: Call) -> None:
        place = Place(self._path, call.scope)
        if call.expression.kind == "jsx":
            self._element(call, place)
            return
        if not call.expression.parts:
            return
        callee = call.expression.parts[0]
        flow = self._flow.expression(place, callee)
        subject = self.writer.owner(call.scope)
        for target in self._targets(call, place, callee, flow):
            self.writer.add(subject, "calls", target, call.name_span, callee.name)
            if self._is_test:
                self._tested(call.scope, target, call.name_span)
        if callee.kind == "attribute" and callee.name in _ROUTES and len(call.expression.parts) > 2:
            self._route(call, place, callee)

    def _targets(self, call: Call, place: Place, callee: Expression, flow: Flow) -> list[Target]:
        targets = self._call_targets(flow, call.expression.kind == "new")
        if "implicit" in call.flags:
            return [Target(t.symbol, t.confidence_kind, "implicit", t.rivals) for t in targets if t.symbol.path]
        if targets or flow.is_certain or any(isinstance(v, External | Foreign | ForeignMethod | Lambda) for v in flow.values):
            return targets
        return self._guess(place, callee, call)

    def _call_targets(self, flow: Flow, is_new: bool) -> list[Target]:
        values: list[Value] = []
        is_certain = flow.is_certain
        for value in flow.values:
            if isinstance(value, Callable) and value.function is not None:
                values += value.function.values
            elif isinstance(value, Super):
                # `super(…)`: the constructor of the class above.
                above = self._flow.classes.order(value.path, value.index)[1:2]
                values += [Class(base.path, base.index) for base in above if isinstance(base, Instance)]
            elif isinstance(value, External) and value.package == RUNTIME:
                continue
            elif isinstance(value, Instance | Module):
                is_certain = False
            else:
                values.append(value)
        return targets_of(Flow(tuple(values), is_certain, flow.reason), self._view.tree)

    def _element(self, call: Call, place: Place) -> None:
        """A JSX element calls its component."""
        head, *rest = call.expression.name.split(".")
        if not rest and head[:1].islower():
            return
        flow = self._flow.lookup(place, head, call.name_span.start)
        for name in rest:
            flow = self._flow.attributes(flow, name) if flow is not None else None
        for target in targets_of(flow, self._view.tree) if flow is not None else ():
            self.writer.add(self.writer.owner(call.scope), "calls", target, call.name_span, (rest or [head])[-1])

    def _guess(self, place: Place, callee: Expression, call: Call) -> list[Target]:
        row = call.name_span.row
        if callee.kind == "attribute":
            owner = self._flow.expression(place, callee.parts[0])
            if owner.values and all(isinstance(value, External | Foreign | ForeignMethod | Module) for value in owner.values):
                self.writer.limit("unknown-member", row)
                return []
            targets, code = self._guesses.method(callee.name, callee.parts[0].name)
            self.writer.limit(code or "unknown-receiver", row)
            return targets
        if callee.kind == "name":
            is_declared = self._flow.lookup(place, callee.name, callee.start) is not None
            self.writer.limit("unknown-callee" if is_declared else "undeclared-name", row)
            # A script without imports shares its names with the other scripts of its page.
            return [] if is_declared or self._outline.imports or self._outline.exports else self._guesses.function(callee.name)
        self.writer.limit("computed-callee", row)
        return []

    def _tested(self, scope: int, target: Target, span: Span) -> None:
        """A call made in a file of tests: the tests have no names of their own, so the file stands for them."""
        if not target.symbol.path or target.symbol.path == self._path:
            return
        index = self._facts.scopes[scope].definition
        while index > 0 and "test" not in self._outline.definitions[index].flags:
            index = self._outline.definitions[index].parent
        tested = Target(self.writer.symbol(self._path, max(index, 0)), target.confidence_kind, target.reason, target.rivals)
        self.writer.add(target.symbol, "tested_by", tested, span)

    def _route(self, call: Call, place: Place, callee: Expression) -> None:
        """`app.get("/path", …, handler)`."""
        first, *_, last = call.expression.parts[1:]
        if first.kind != "literal" or not first.text.strip("\"'`").startswith("/"):
            return
        route = SymbolId(self._path, f"{callee.name.upper()} {first.text.strip(chr(34) + chr(39) + chr(96))}")
        for target in targets_of(self._flow.expression(place, last), self._view.tree):
            self.writer.add(route, "handles", target, call.name_span, callee.name)

    # ── reads and writes ──

    def _access(self, access: Access) -> None:
        target = self._accessed(Place(self._path, access.scope), access.target)
        if target is not None:
            name = access.target.name or target.symbol.name
            self.writer.add(self.writer.owner(access.scope), "writes" if access.is_write else "reads", target, access.span, name)

    def _accessed(self, place: Place, target: Expression) -> Target | None:
        """The attribute, constant or environment variable that is read or written."""
        if target.kind == "name":
            return self._name_target(place, target.name)
        if target.kind not in ("attribute", "subscript") or not target.parts:
            return None
        owner = self._flow.expression(place, target.parts[0])
        if len(owner.values) != 1:
            return None
        key = target.name or (target.parts[1].text.strip("\"'`") if len(target.parts) > 1 and target.parts[1].kind == "literal" else "")
        value = owner.values[0]
        if isinstance(value, External) and value.package == RUNTIME and value.name in ("process.env", "import.meta.env") and key:
            return Target(external_symbol(ENVIRONMENT, key), "resolved", "environment")
        return self._attribute_target(owner, value, key) if target.kind == "attribute" else None

    def _attribute_target(self, owner: Flow, value: Value, name: str) -> Target | None:
        kind: ConfidenceKind = "resolved" if owner.is_certain else "inferred"
        if isinstance(value, Module):
            symbol = self._exported_symbol(value.path, name)
            return Target(symbol, kind, "module") if symbol is not None and symbol.qualified_name else None
        if not isinstance(value, Instance | Class):
            return None
        for above in self._flow.classes.order(value.path, value.index):
            if not isinstance(above, Instance):
                return None
            outline = self._view.tree.outline(above.path)
            if outline is None or self._flow.classes.definition(above.path, above.index) is None:
                continue
            bindings = outline.members(above.index).get(name)
            if bindings and bindings[-1].kind == "definition" and "property" not in outline.definitions[bindings[-1].target].flags:
                return None
            if bindings or name in outline.attributes.get(above.index, {}):
                symbol = self._view.tree.symbol(above.path, above.index)
                return Target(SymbolId(above.path, f"{symbol.qualified_name}.{name}"), kind, owner.reason or "attribute")
        return None

    def _name_target(self, place: Place, name: str) -> Target | None:
        """A constant or variable of this module, or one that was imported."""
        scope = place.scope
        while scope > 0:
            if name in self._outline.names[scope]:
                return None
            scope = self._outline.scopes[scope].parent
        bindings = self._outline.names[0].get(name)
        if not bindings:
            return None
        if bindings[-1].kind == "import":
            found = self._outline.imports[bindings[-1].target]
            for value in self._flow.names.module(self._path, found.module).values:
                symbol = self._exported_symbol(value.path, found.name) if isinstance(value, Module) and found.name not in ("", "*") else None
                if symbol is not None and self._is_variable(symbol):
                    return Target(symbol, "resolved", "import")
            return None
        symbol = SymbolId(self._path, name)
        return Target(symbol, "resolved", "local") if self._is_variable(symbol) else None

    def _is_variable(self, symbol: SymbolId) -> bool:
        outline = self._view.tree.outline(symbol.path)
        defined = outline.defined(symbol.qualified_name) if outline is not None else ()
        return bool(defined) and outline is not None and outline.definitions[defined[0]].kind in ("constant", "variable")
