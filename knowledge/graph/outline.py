"""One file's facts, arranged for looking things up: names of a scope, members of a class, attributes that methods assign.

An outline keeps what resolving *another* file may look at and drops the rest (calls, reads), so that many fit into memory.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from analyzers.facts import Access, Binding, Definition, Export, FileFacts, Import, Narrowing, ParameterCall, Return, Scope

CLASS_KINDS = frozenset({"class", "interface", "enum"})
FUNCTION_KINDS = frozenset({"function", "method", "property"})
_BODIES = frozenset({"module", "class", "function"})
MODULE_SCOPE = 0


class Outline:
    """See the module's docstring. Definition 0 and scope 0 are the module itself."""

    __slots__ = (
        "added", "all_names", "attributes", "bodies", "definitions", "exports", "globals", "imports", "lambdas", "language", "names", "narrowings",
        "parameter_calls", "path", "returns", "scopes", "star_imports",
    )  # fmt: skip

    def __init__(self, path: bytes, facts: FileFacts) -> None:
        self.path = path
        self.language = facts.language
        self.definitions: tuple[Definition, ...] = facts.definitions
        self.scopes: tuple[Scope, ...] = facts.scopes
        self.imports: tuple[Import, ...] = facts.imports
        self.exports: tuple[Export, ...] = facts.exports
        self.all_names: tuple[str, ...] | None = facts.all_names
        self.names: list[dict[str, list[Binding]]] = [{} for _ in facts.scopes]
        """scope → name → its bindings, in the order of the source"""
        declared_global: set[tuple[int, str]] = set()
        for binding in facts.bindings:
            self.names[binding.scope].setdefault(binding.name, []).append(binding)
            if binding.kind == "global":
                declared_global.add((binding.scope, binding.name))
        self.globals: dict[str, list[Binding]] = {}
        """name → what functions assign to it through `global`"""
        for scope, name in sorted(declared_global):
            self.globals.setdefault(name, []).extend(b for b in self.names[scope][name] if b.kind != "global")
        self.star_imports = tuple(found for found in facts.imports if "star" in found.flags and found.scope == MODULE_SCOPE)
        self.bodies: dict[int, int] = {}
        """definition → the scope of its body"""
        self.lambdas: dict[int, int] = {}
        """scope of an anonymous function → its place, from 1, among those of the definition that it stands in"""
        counts: Counter[int] = Counter()
        for index, scope_row in enumerate(facts.scopes):
            if scope_row.kind in _BODIES:
                self.bodies.setdefault(scope_row.definition, index)
            elif scope_row.kind == "lambda":
                counts[scope_row.definition] += 1
                self.lambdas[index] = counts[scope_row.definition]
        self.returns: dict[int, list[Return]] = defaultdict(list)
        for found in facts.returns:
            self.returns[found.scope].append(found)
        self.added: dict[int, dict[str, list[int]]] = {}
        """class, function or object → name → members that nothing binds in its body (`Class.prototype.name = …`, an object literal's functions)"""
        if facts.language != "python":
            self._find_added(facts)
        self.attributes: dict[int, dict[str, list[Access]]] = {}
        """class (or constructor function) → attribute → what methods write to it through self or this"""
        for access in facts.accesses:
            if access.is_write:
                self._add_attribute(access)
        self.parameter_calls: dict[int, list[ParameterCall]] = defaultdict(list)
        """function → its parameters that are called, and where"""
        for row in facts.parameter_calls:
            self.parameter_calls[row.definition].append(row)
        self.narrowings: dict[int, list[Narrowing]] = defaultdict(list)
        for narrowing in facts.narrowings:
            self.narrowings[narrowing.scope].append(narrowing)

    def _find_added(self, facts: FileFacts) -> None:
        bound = {binding.target for binding in facts.bindings if binding.kind == "definition"}
        for index, definition in enumerate(facts.definitions):
            if definition.parent > 0 and index not in bound and (definition.kind in FUNCTION_KINDS or definition.kind == "class"):
                self.added.setdefault(definition.parent, {}).setdefault(definition.name, []).append(index)

    def _add_attribute(self, access: Access) -> None:
        target = access.target
        if target.kind != "attribute" or target.parts[0].kind != "name":
            return
        owner = self.owner_of_self(access.scope, target.parts[0].name)
        if owner > 0:
            self.attributes.setdefault(owner, {}).setdefault(target.name, []).append(access)

    def owner_of_self(self, scope: int, name: str) -> int:
        """The class whose instance `name` is in `scope`, because it is the first parameter of a method around it (or `this`); -1: none.

        In JavaScript it may be a function that constructs: one with a capital, whose methods are assigned to it.
        """
        index = self.scopes[scope].definition
        while index > 0:
            definition = self.definitions[index]
            parent = definition.parent
            if parent > 0 and self.definitions[parent].kind in CLASS_KINDS:
                if name == "this" and self.language != "python":
                    return parent
                is_first = bool(definition.parameters) and definition.parameters[0].name == name
                return parent if is_first and "static" not in definition.flags and definition.kind in FUNCTION_KINDS else -1
            if name == "this" and definition.kind == "function" and self.language != "python":
                if index in self.added.get(parent, {}).get(definition.name, ()) and self.definitions[parent].kind == "function":
                    return parent if "static" not in definition.flags else -1
                if definition.name[:1].isupper():
                    return index
            index = parent
        return -1

    def class_around(self, scope: int) -> int:
        """The innermost class whose method's (or own) body holds `scope`; -1: none."""
        index = self.scopes[scope].definition
        while index > 0 and self.definitions[index].kind not in CLASS_KINDS:
            index = self.definitions[index].parent
        return index if index > 0 else -1

    def is_abstract(self, index: int) -> bool:
        """Whether a function is only there to be overridden: declared so, or all it does is raise NotImplementedError."""
        if "abstract" in self.definitions[index].flags:
            return True
        rows = self.returns.get(self.bodies.get(index, -1), ())
        raised = [row.value for row in rows if row.kind == "raise" and row.value is not None]
        names = {value.parts[0].name if value.kind == "call" and value.parts else value.name for value in raised}
        return "NotImplementedError" in names and not any(row.kind != "raise" and row.value is not None for row in rows)

    def members(self, class_index: int) -> dict[str, list[Binding]]:
        """The names of a class body."""
        body = self.bodies.get(class_index)
        return self.names[body] if body is not None else {}

    def top_of(self, index: int) -> str:
        """The module-level name under which a definition stands."""
        return self.definitions[index].qualified_name.partition(".")[0]

    def defined(self, name: str) -> Sequence[int]:
        """Indexes of the definitions with this qualified name, in order."""
        return [index for index, found in enumerate(self.definitions) if found.qualified_name == name]
