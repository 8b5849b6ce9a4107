"""JavaScript's and TypeScript's scopes and modules: what a name means at a place, what a module exports, what an import brings in.

A name may be a type and a value at once (an interface and a constant of one name): who asks says which is meant. An exported name has a
**home**: the module that declares it and its name there, found through re-exports and barrels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from analyzers.facts import Binding, Export, Import
from knowledge.graph.bindings import END, SILENT, live_bindings
from knowledge.graph.javascript_memory import Memory
from knowledge.graph.javascript_values import RUNTIME
from knowledge.graph.layout import decode
from knowledge.graph.outline import MODULE_SCOPE, Outline
from knowledge.graph.reads import Tree
from knowledge.graph.values import UNKNOWN, External, Flow, Module, Place, Value, one, through, union

WHOLE = "export="
"""The name under which `module.exports = …` and `export = …` stand among the exports."""
GLOBALS = frozenset({
    "Array", "ArrayBuffer", "Atomics", "BigInt", "BigInt64Array", "BigUint64Array", "Boolean", "Buffer", "DataView", "Date", "Error", "EvalError",
    "FinalizationRegistry", "Float32Array", "Float64Array", "Function", "Infinity", "Int16Array", "Int32Array", "Int8Array", "Intl", "Iterator",
    "JSON", "Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError", "ReferenceError", "Reflect", "RegExp", "Set", "String",
    "Symbol", "SyntaxError", "TypeError", "URIError", "AggregateError", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap",
    "WeakRef", "WeakSet", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "eval", "globalThis", "isFinite", "isNaN",
    "parseFloat", "parseInt", "undefined", "unescape", "console", "document", "window", "self", "global", "process", "setTimeout", "setInterval",
    "setImmediate", "clearTimeout", "clearInterval", "clearImmediate", "queueMicrotask", "fetch", "require", "module", "exports", "URL",
    "URLSearchParams", "TextEncoder", "TextDecoder", "AbortController", "AbortSignal", "Event", "EventTarget", "CustomEvent", "File", "FileReader",
    "FileList", "Blob", "FormData", "Headers", "Request", "Response", "ReadableStream", "WebSocket", "Worker", "XMLHttpRequest", "localStorage",
    "sessionStorage", "location", "navigator", "history", "performance", "crypto", "structuredClone", "alert", "confirm", "prompt", "atob", "btoa",
    "requestAnimationFrame", "cancelAnimationFrame", "HTMLElement", "Element", "Node", "import", "import.meta", "arguments", "describe", "it",
    "test", "expect", "beforeEach", "afterEach", "beforeAll", "afterAll", "jest", "vi", "suite", "context", "before", "after", "Bun", "Deno",
})  # fmt: skip
"""Names that need no declaration: of the language, of browsers and Node, of test runners."""
_RESERVED = frozenset({
    "any", "unknown", "never", "string", "number", "boolean", "bigint", "symbol", "object", "undefined", "null", "void", "this", "true", "false",
})  # fmt: skip
"""Names of types that no file can declare."""
_TYPES = frozenset({"class", "interface", "type", "enum", "namespace"})
_VALUES_TOO = frozenset({"class", "enum", "namespace"})
_INLINE = frozenset({"block", "comprehension", "class"})
_PACKAGE = re.compile(r"(?:@[^/]+/)?[^/]+")

FollowBinding = Callable[[Place, Binding, bool], Flow]


class Home(NamedTuple):
    """Where a name is declared: module and local name there; or what it is by itself (a module, something outside)."""

    path: bytes
    name: str
    value: Value | None = None


class _Found(NamedTuple):
    """The bindings of a name in the innermost scope that has it. after: where the function begins that uses it later (-1: no function between)."""

    scope: int
    bindings: tuple[Binding, ...]
    after: int


class Names:
    """Lookups of one tree. `follow_binding` says what a binding gives."""

    def __init__(self, tree: Tree, memory: Memory, follow_binding: FollowBinding) -> None:
        self._tree = tree
        self._memory = memory
        self._follow_binding = follow_binding
        self._found: dict[tuple[bytes, int, str, bool], _Found | None] = {}
        self._keys: dict[tuple[bytes, str], str] = {}
        self._settled: dict[tuple[int, str], Flow] = {}
        """In the file that is being resolved: names that mean the same wherever they stand in a scope."""

    def forget(self) -> None:
        """Look up names of the file that is being resolved anew."""
        self._settled = {}

    # ── files ──

    def named(self, path: bytes, name: str) -> Outline | None:
        """The outline of a file, to look at its module-level `name` and what stands below it."""
        place = (path, name)
        key = self._keys.get(place)
        if key is None:
            key = self._keys[place] = f"{decode(path)}::{name}"
        self._memory.note("interface", key)
        return self._tree.outline(path)

    # ── scopes ──

    def find(self, place: Place, name: str, is_type: bool) -> _Found | None:
        """Where the scopes around a place declare a name."""
        key = (place.path, place.scope, name, is_type)
        if key not in self._found:
            self._found[key] = self._find(place, name, is_type)
        return self._found[key]

    def _find(self, place: Place, name: str, is_type: bool) -> _Found | None:
        outline = self._tree.outline(place.path)
        if outline is None:
            return None
        scope, after = place.scope, -1
        while scope >= MODULE_SCOPE:
            row = outline.scopes[scope]
            bindings = outline.names[scope].get(name)
            if bindings and (row.kind != "class" or outline.definitions[row.definition].name == name):
                fitting = _of_kind(outline, bindings, is_type)
                if fitting:
                    return _Found(scope, fitting, after)
            if row.kind not in _INLINE:
                after = row.start
            scope = row.parent
        return None

    def lookup(self, place: Place, name: str, start: int, is_type: bool = False) -> Flow | None:
        """What `name` may be at byte `start` of `place`; None where nothing declares it."""
        is_here = self._memory.is_own and place.path == self._memory.path and not is_type
        if is_here and (known := self._settled.get((place.scope, name))) is not None:
            return known
        found = self.find(place, name, is_type)
        if found is None:
            if place.path != self._memory.path and name not in _RESERVED:
                # That a file does not declare a name may change.
                self.named(place.path, name)
            return one(External(RUNTIME, name), "local") if name in GLOBALS and not is_type else None
        if found.scope == MODULE_SCOPE and (found.after >= 0 or place.path != self._memory.path):
            flow = self.module_name(place.path, name, is_type)
        else:
            flow = self._bound(Place(place.path, found.scope), found, start, is_type)
        if is_here and len(found.bindings) == 1 and self._memory.is_idle:
            self._settled[place.scope, name] = flow
        return flow

    def module_name(self, path: bytes, name: str, is_type: bool = False) -> Flow:
        """What a name of a module is once the module has run."""
        return self._memory.remember(path, ("name", path, name, is_type), UNKNOWN, self._module_name, path, name, is_type)

    def _module_name(self, path: bytes, name: str, is_type: bool) -> Flow:
        self.named(path, name)
        found = self.find(Place(path, MODULE_SCOPE), name, is_type)
        return self._bound(Place(path, MODULE_SCOPE), found, END, is_type) if found is not None else UNKNOWN

    def _bound(self, place: Place, found: _Found, start: int, is_type: bool) -> Flow:
        """What the bindings of one name in one scope give at a byte offset, or at any time after a function between begins."""
        bindings = found.bindings
        if len(bindings) == 1:
            return self.binding(place, bindings[0], is_type)
        declared = [binding for binding in bindings if binding.kind in ("definition", "import")]
        if len(declared) == len(bindings):
            # Declarations are hoisted; of several (overloads, merged declarations) the last has the body.
            return union([self.binding(place, binding, is_type) for binding in declared]) if is_type else self.binding(place, declared[-1], False)
        live = live_bindings(bindings, start if found.after < 0 else found.after, found.after >= 0)
        return union([self.binding(place, bindings[index], is_type) for index in live])

    def binding(self, place: Place, binding: Binding, is_type: bool = False) -> Flow:
        """What one binding gives; unknown where it needs itself."""
        key = ("binding", place.path, place.scope, binding.name, binding.start, is_type)
        return self._memory.remember(place.path, key, UNKNOWN, self._follow_binding, place, binding, is_type)

    def is_settled(self, scope: int, name: str) -> bool:
        """Whether a name of the file that is being resolved means the same wherever it stands in a scope."""
        return (scope, name) in self._settled

    # ── homes ──

    def home_at(self, place: Place, name: str, is_type: bool = False) -> Home | None:
        """The home of a name that a module declares or imports; None for names of functions and blocks, and undeclared ones."""
        found = self.find(place, name, is_type)
        if found is None:
            return None
        last = found.bindings[-1]
        if last.kind == "import":
            outline = self._tree.outline(place.path)
            return self.imported(place.path, outline.imports[last.target], is_type) if outline is not None else None
        return Home(place.path, name) if found.scope == MODULE_SCOPE else None

    def value(self, home: Home, is_type: bool = False) -> Flow:
        """What stands at a home."""
        return one(home.value, "import") if home.value is not None else self.module_name(home.path, home.name, is_type)

    def exported(self, path: bytes, name: str, is_type: bool = False) -> Home | None:
        """The home of what a module exports under a name; None where it exports no such thing."""
        return self._memory.remember(path, ("export", path, name, is_type), None, self._exported, path, name, is_type)

    def _exported(self, path: bytes, name: str, is_type: bool) -> Home | None:
        outline = self.named(path, name)
        if outline is None:
            return None
        for export in outline.exports:
            if export.name == name and name != "*" and (found := self._home_of(path, export, is_type)) is not None:
                return found
        whole = self.named(path, "*")
        for export in whole.exports if whole is not None and name != "default" else ():
            if export.name == "*" and export.module and (found := self._starred(path, export.module, name, is_type)) is not None:
                return found
        return None

    def _starred(self, path: bytes, specifier: str, name: str, is_type: bool) -> Home | None:
        """Of a star export of a package it is not known what it brings."""
        for value in self.module(path, specifier).values:
            if isinstance(value, Module):
                return self.exported(value.path, name, is_type)
        return None

    def _home_of(self, path: bytes, export: Export, is_type: bool) -> Home | None:
        if export.module:
            return self._reexported(path, export.module, export.local, is_type)
        self.named(path, export.local)
        return self.home_at(Place(path, MODULE_SCOPE), export.local, is_type)

    def _reexported(self, path: bytes, specifier: str, name: str, is_type: bool) -> Home | None:
        for value in self.module(path, specifier).values:
            if name == "*":
                return Home(b"", "", value)
            if isinstance(value, Module):
                return self.exported(value.path, name, is_type)
            if isinstance(value, External):
                return Home(b"", "", External(value.package, f"{value.name}.{name}" if value.name else name))
        return None

    def imported(self, importer: bytes, found: Import, is_type: bool = False) -> Home | None:
        """The home of what an import brings in."""
        key = ("import", importer, found.module, found.name, is_type)
        return self._memory.remember(importer, key, None, self._imported, importer, found, is_type)

    def _imported(self, importer: bytes, found: Import, is_type: bool) -> Home | None:
        for value in self.module(importer, found.module).values:
            if isinstance(value, External):
                names = (value.name, found.name if found.name != "*" else "")
                return Home(b"", "", External(value.package, ".".join(name for name in names if name)))
            if isinstance(value, Module):
                return self._member(value, found.name, is_type)
        return None

    def _member(self, module: Module, name: str, is_type: bool) -> Home | None:
        if name == "*":
            whole = self.exported(module.path, WHOLE, is_type)
            return whole if whole is not None and not self._is_object(whole) else Home(b"", "", module)
        found = self.exported(module.path, name, is_type)
        if found is None and name == "default":
            # A CommonJS module is its own default.
            return self.exported(module.path, WHOLE, is_type) or Home(b"", "", module)
        return found

    def imported_flow(self, importer: bytes, found: Import, is_type: bool = False) -> Flow:
        """What an import binds its name to."""
        home = self.imported(importer, found, is_type)
        return through(self.value(home, is_type), "import") if home is not None else UNKNOWN

    def _is_object(self, home: Home) -> bool:
        """Whether an object literal stands at a home: `module.exports = { … }` exports each of its members."""
        found = self.find(Place(home.path, MODULE_SCOPE), home.name, False) if home.value is None else None
        value = found.bindings[-1].value if found is not None else None
        return value is not None and value.kind == "collection" and value.name == "dict"

    # ── modules ──

    def module(self, importer: bytes, specifier: str) -> Flow:
        """The module that a specifier means in a file."""
        return self._memory.remember(importer, ("module", importer, specifier), UNKNOWN, self._module, importer, specifier)

    def _module(self, importer: bytes, specifier: str) -> Flow:
        layout = self._tree.layout.javascript
        is_relative = specifier.startswith(("./", "../")) or specifier in (".", "..")
        if not is_relative:
            self._memory.note("layout", "javascript:" + decode(importer.rpartition(b"/")[0]))
        for stem in layout.stems_for(importer, specifier):
            key = "javascript:" + decode(stem)
            self._memory.note("module", key)
            found = self._tree.layout.answer(key)
            if found:
                return one(Module(found[0]), "import")
        if is_relative:
            return UNKNOWN
        bare = specifier.removeprefix("node:")
        package = _PACKAGE.match(bare)
        name = package[0] if package is not None else bare
        return one(External(name, bare[len(name) + 1 :].replace("/", ".")), "import")

    def has_outside(self, path: bytes) -> bool:
        """Whether a module passes on everything of a package that is outside."""
        outline = self.named(path, "*")
        for export in outline.exports if outline is not None else ():
            if export.name == "*" and export.module and any(isinstance(v, External) for v in self.module(path, export.module).values):
                return True
        return False


def _of_kind(outline: Outline, bindings: Sequence[Binding], is_type: bool) -> tuple[Binding, ...]:
    """The bindings that make a type, or those that make a value."""
    found = []
    for binding in bindings:
        if binding.kind in SILENT:
            continue
        kind = outline.definitions[binding.target].kind if binding.kind == "definition" else ""
        if binding.kind == "import" or (kind in _TYPES if is_type else kind not in _TYPES or kind in _VALUES_TOO):
            found.append(binding)
    return tuple(found)
