"""What other files can see of a module-level name, as a hash: its interface.

A name's shape covers everything below it that resolving *another* file may look at: bindings, signatures, bases, decorators, members,
attributes that methods assign, which parameters are called, and what functions without a declared result return. Positions count only
by their order, so that code may move within its file; bodies count only as far as results and attributes follow from them.
"""

from __future__ import annotations

from hashlib import blake2b

from analyzers.facts import Binding, Expression
from knowledge.graph.outline import CLASS_KINDS, FUNCTION_KINDS, MODULE_SCOPE, Outline
from knowledge.graph.pytest_marks import renamed_fixtures

EXPRESSION_DEPTH = 40
"""Deeper expressions are neither hashed nor followed."""
ABSENT = ""
_WITH_MEMBERS = CLASS_KINDS | {"namespace", "type", "constant", "variable"}
_FLAGS = frozenset({"conditional", "exported", "error", "test"})
"""Flags of a definition that no other file's resolution looks at (`conditional` is in its binding)."""


def name_shape(outline: Outline, name: str) -> str:
    """The hash of what `name` is in this module; ABSENT where the module does not have it."""
    shape = _Shape(outline)
    for export in outline.exports:
        if export.name == name:
            shape.add("export", export.local, export.module)
    shape.bindings(MODULE_SCOPE, name)
    for binding in outline.globals.get(name, ()):
        shape.binding(binding)
    return shape.digest()


def module_shape(outline: Outline) -> str:
    """The hash of what decides about names that the module does not have itself: star imports and exports, `__all__`, `__getattr__`, and what
    pytest knows by another name."""
    shape = _Shape(outline)
    for found in outline.star_imports:
        shape.add("star", found.module, str(found.level))
    for export in outline.exports:
        if export.local == "*" and export.module:
            shape.add("export", export.name, export.module)
    if outline.language == "python":
        for name, index in renamed_fixtures(outline).items():
            shape.add("fixture", name, outline.definitions[index].name)
    shape.add(repr(outline.all_names), "__getattr__" if "__getattr__" in outline.names[MODULE_SCOPE] else "")
    return shape.digest()


class _Shape:
    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._parts: list[str | int] = []
        self._seen: set[object] = set()

    def add(self, *parts: str) -> None:
        self._parts += parts

    def digest(self) -> str:
        if not self._parts:
            return ABSENT
        offsets = sorted({part for part in self._parts if isinstance(part, int)})
        rank = {offset: f"@{index}" for index, offset in enumerate(offsets)}
        text = "\x00".join([rank[part] if isinstance(part, int) else part for part in self._parts])
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()

    def bindings(self, scope: int, name: str) -> None:
        if (scope, name) in self._seen:
            return
        self._seen.add((scope, name))
        for binding in self._outline.names[scope].get(name, ()):
            self.binding(binding)

    def binding(self, binding: Binding) -> None:
        self._parts += (binding.kind, binding.name, binding.annotation, "/".join(binding.path), binding.start, binding.until)
        if binding.value is not None:
            self.expression(binding.value, binding.scope)
        if binding.target < 0:
            return
        if binding.kind == "assignment":
            self._parts.append("static" if "static" in self._outline.definitions[binding.target].flags else "")
        if binding.kind == "definition":
            self.definition(binding.target)
        elif binding.kind == "import":
            found = self._outline.imports[binding.target]
            self._parts += (found.module, found.name, found.alias, str(found.level), "/".join(found.flags))
        elif binding.kind == "parameter":
            owner = self._outline.definitions[self._outline.scopes[binding.scope].definition]
            if binding.target < len(owner.parameters):
                parameter = owner.parameters[binding.target]
                self._parts += (parameter.name, parameter.kind, parameter.annotation)

    def definition(self, index: int) -> None:
        if index in self._seen:
            return
        self._seen.add(index)
        found = self._outline.definitions[index]
        self._parts += (found.kind, found.qualified_name, str(found.ordinal), found.returns, *(f for f in found.flags if f not in _FLAGS))
        for expression in (*found.bases, *found.decorators):
            self.expression(expression, found.scope)
        for parameter in found.parameters:
            self._parts += (parameter.name, parameter.kind, parameter.annotation, parameter.default if parameter.kind == "type" else "")
        if found.kind in _WITH_MEMBERS:
            self._body(index)
        elif found.kind in FUNCTION_KINDS:
            self._parts.append("abstract" if self._outline.is_abstract(index) else "")
            for row in self._outline.parameter_calls.get(index, ()):
                caller = self._outline.definitions[row.caller]
                self._parts += ("calls", str(row.parameter), caller.qualified_name, str(caller.ordinal))
            if not found.returns:
                self._results(index)
        self._assigned(index)

    def _body(self, index: int) -> None:
        body = self._outline.bodies.get(index)
        if body is not None:
            for name in self._outline.names[body]:
                self.bindings(body, name)

    def _assigned(self, index: int) -> None:
        """What is added to a class, function or object outside of its body, and by its methods."""
        for indexes in self._outline.added.get(index, {}).values():
            for added in indexes:
                self.definition(added)
        for name, accesses in self._outline.attributes.get(index, {}).items():
            for access in accesses:
                self._parts += ("self", name, access.annotation, access.span.start)
                if access.value is not None:
                    self.expression(access.value, access.scope)

    def _results(self, index: int) -> None:
        body = self._outline.bodies.get(index)
        if body is not None:
            self._returned(body)

    def _returned(self, scope: int) -> None:
        for row in self._outline.returns.get(scope, ()):
            self._parts += (row.kind, row.span.start)
            if row.value is not None and row.kind != "raise":
                self.expression(row.value, scope)

    def expression(self, expression: Expression, scope: int, depth: int = 0) -> None:
        if depth > EXPRESSION_DEPTH:
            self._parts.append("deep")
            return
        self._parts += (expression.kind, expression.name, expression.text)
        if expression.keywords:
            self._parts += expression.keywords
        if expression.kind == "name":
            self._parts.append(expression.start)
            self._local(expression.name, scope)
        elif expression.kind == "definition" and expression.scope >= 0:
            self.definition(self._outline.scopes[expression.scope].definition)
        elif expression.kind == "lambda" and expression.scope >= 0 and ("lambda", expression.scope) not in self._seen:
            self._seen.add(("lambda", expression.scope))
            self._parts.append(str(self._outline.lambdas.get(expression.scope, "")))
            self._returned(expression.scope)
        for part in expression.parts:
            self.expression(part, scope, depth + 1)
        self._parts.append(")")

    def _local(self, name: str, scope: int) -> None:
        """What a name inside a function means there, as long as that is not a name of the module (which is asked for by itself)."""
        while scope > MODULE_SCOPE:
            if name in self._outline.names[scope]:
                self.bindings(scope, name)
                return
            scope = self._outline.scopes[scope].parent
