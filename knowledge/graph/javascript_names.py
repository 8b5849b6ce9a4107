"""JavaScript's and TypeScript's scopes and modules: what a name means at a place, what a module exports, what an import brings in.

A name may be a type and a value at once (an interface and a constant of one name): who asks says which is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from analyzers.facts import Binding, Import
from knowledge.graph.bindings import END, SILENT, live_bindings
from knowledge.graph.layout import decode
from knowledge.graph.outline import MODULE_SCOPE, Outline
from knowledge.graph.reads import View
from knowledge.graph.values import UNKNOWN, Class, External, Flow, Foreign, Module, Place, one, through, union

RUNTIME = "javascript"
"""The package of what the language and its hosts bring."""
COMMON = "export="
"""The name under which `module.exports = …` and `export = …` stand among the exports."""
GLOBALS = frozenset({
    "Array", "ArrayBuffer", "Atomics", "BigInt", "Boolean", "Buffer", "DataView", "Date", "Error", "EvalError", "Float32Array", "Float64Array",
    "Function", "Infinity", "Int16Array", "Int32Array", "Int8Array", "Intl", "JSON", "Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy",
    "RangeError", "ReferenceError", "Reflect", "RegExp", "Set", "String", "Symbol", "SyntaxError", "TypeError", "URIError", "Uint16Array",
    "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakRef", "WeakSet", "decodeURI", "decodeURIComponent", "encodeURI",
    "encodeURIComponent", "escape", "eval", "globalThis", "isFinite", "isNaN", "parseFloat", "parseInt", "undefined", "unescape", "console",
    "document", "window", "self", "global", "process", "setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval",
    "clearImmediate", "queueMicrotask", "fetch", "require", "module", "exports", "URL", "URLSearchParams", "TextEncoder", "TextDecoder",
    "AbortController", "Event", "EventTarget", "File", "FileReader", "Blob", "FormData", "Headers", "Request", "Response", "WebSocket", "Worker",
    "XMLHttpRequest", "localStorage", "sessionStorage", "location", "navigator", "history", "performance", "crypto", "structuredClone", "alert",
    "confirm", "prompt", "requestAnimationFrame", "cancelAnimationFrame", "HTMLElement", "Element", "Node", "import", "super", "describe", "it",
    "test", "expect", "beforeEach", "afterEach", "beforeAll", "afterAll", "jest", "vi", "suite", "context", "before", "after",
})  # fmt: skip
_TYPES = frozenset({"class", "interface", "type", "enum", "namespace"})
_VALUES_TOO = frozenset({"class", "enum", "namespace"})
_INLINE = frozenset({"block", "comprehension", "class"})
_PACKAGE = re.compile(r"(?:@[^/]+/)?[^/]+")

Key = tuple[bytes, int, str, int, bool]


class JavaScriptNames:
    """Lookups of one resolution. `follow_binding` says what a binding gives; a binding that needs itself is unknown."""

    def __init__(self, view: View, follow_binding: Callable[[Place, Binding, bool], Flow]) -> None:
        self._view = view
        self._follow_binding = follow_binding
        self._known: dict[Key, Flow] = {}
        self._running: set[Key] = set()
        self._exports: dict[tuple[bytes, str, bool], Flow | None] = {}
        self._searching: set[tuple[bytes, str, bool]] = set()

    # ── scopes ──

    def lookup(self, place: Place, name: str, start: int, is_type: bool = False) -> Flow | None:
        """What `name` may be at byte `start` of `place`; None where nothing declares it."""
        outline = self._view.tree.outline(place.path)
        if outline is None:
            return None
        scope, at, is_later = place.scope, start, False
        while scope > MODULE_SCOPE:
            row = outline.scopes[scope]
            bindings = self._of_kind(outline, outline.names[scope].get(name, ()), is_type)
            if bindings and row.kind != "class":
                return self.bound(Place(place.path, scope), name, bindings, at, is_later, is_type)
            if row.kind not in _INLINE:
                at, is_later = row.start, True
            scope = row.parent
        found = self._own_module(place.path, outline, name, END if is_later else at, is_type)
        if found is None and name in GLOBALS:
            return one(External(RUNTIME, name), "local")
        return found

    def bound(self, place: Place, name: str, bindings: Sequence[Binding], at: int, is_later: bool, is_type: bool) -> Flow:
        """What the bindings of one name in one scope give at byte `at`, or at any time from then on."""
        declared = [index for index, binding in enumerate(bindings) if binding.kind in ("definition", "import")]
        if declared:
            # Declarations are hoisted; of several (overloads, merged declarations) the last has the body.
            flows = [self._binding((place.path, place.scope, name, index, is_type), bindings[index]) for index in declared]
            assigned = [b for b in bindings if b.kind not in ("definition", "import")]
            if not assigned:
                return union(flows) if is_type else flows[-1]
        live = live_bindings(bindings, at, is_later)
        return union(self._binding((place.path, place.scope, name, index, is_type), bindings[index]) for index in live)

    def _of_kind(self, outline: Outline, bindings: Sequence[Binding], is_type: bool) -> list[Binding]:
        """The bindings that make a type, or those that make a value."""
        found = []
        for binding in bindings:
            if binding.kind in SILENT:
                continue
            kind = outline.definitions[binding.target].kind if binding.kind == "definition" else ""
            if binding.kind == "import" or (kind in _TYPES if is_type else kind not in _TYPES or kind in _VALUES_TOO):
                found.append(binding)
        return found

    def _binding(self, key: Key, binding: Binding) -> Flow:
        found = self._known.get(key)
        if found is None:
            if key in self._running:
                return UNKNOWN
            self._running.add(key)
            found = self._known[key] = self._follow_binding(Place(key[0], key[1]), binding, key[4])
            self._running.discard(key)
        return found

    def _own_module(self, path: bytes, outline: Outline, name: str, at: int, is_type: bool) -> Flow | None:
        if path != self._view.importer:
            self._view.named(path, name)
        bindings = self._of_kind(outline, outline.names[MODULE_SCOPE].get(name, ()), is_type)
        return self.bound(Place(path, MODULE_SCOPE), name, bindings, at, False, is_type) if bindings else None

    # ── modules ──

    def exported(self, path: bytes, name: str, is_type: bool = False) -> Flow | None:
        """What a module exports under a name; None where it exports no such thing."""
        key = (path, name, is_type)
        if key in self._exports:
            return self._exports[key]
        if key in self._searching:
            return None
        self._searching.add(key)
        found = self._search(path, name, is_type)
        self._searching.discard(key)
        if found is not None or not self._searching:
            self._exports[key] = found
        return found

    def _search(self, path: bytes, name: str, is_type: bool) -> Flow | None:
        outline = self._view.named(path, name)
        if outline is None:
            return UNKNOWN
        flows = []
        for export in outline.exports:
            if export.name == name:
                found = self._reexported(path, export.module, export.local, is_type) if export.module else self.local(path, export.local, is_type)
                if found is not None:
                    flows.append(found)
        if flows:
            return union(flows)
        whole = self._view.whole(path)
        for export in whole.exports if whole is not None else ():
            if export.name == "*" and export.module and name != "default":
                found = self._reexported(path, export.module, name, is_type)
                if found is not None:
                    return found
        return None

    def local(self, path: bytes, name: str, is_type: bool = False) -> Flow | None:
        """A module-level name of a module, whether it is exported or not."""
        outline = self._view.named(path, name)
        return self._own_module(path, outline, name, END, is_type) if outline is not None else None

    def _reexported(self, path: bytes, specifier: str, name: str, is_type: bool) -> Flow | None:
        flows = []
        for value in self.module(path, specifier).values:
            if name == "*":
                flows.append(one(value, "import"))
            elif isinstance(value, Module):
                found = self.exported(value.path, name, is_type)
                if found is not None:
                    flows.append(through(found, "import"))
            elif isinstance(value, External):
                flows.append(one(External(value.package, name), "import"))
        return union(flows) if flows else None

    def module(self, importer: bytes, specifier: str) -> Flow:
        """The module that a specifier means in a file."""
        layout = self._view.tree.layout.javascript
        if not specifier.startswith("."):
            self._view.note_javascript_layout(importer)
        for stem in layout.stems_for(importer, specifier):
            found = self._view.module("javascript:" + decode(stem))
            if found:
                return one(Module(found[0]), "import")
        if specifier.startswith(("./", "../")) or specifier in (".", ".."):
            return UNKNOWN
        package = _PACKAGE.match(specifier.removeprefix("node:"))
        name = package[0] if package is not None else specifier
        return one(External(name, specifier.removeprefix("node:")[len(name) + 1 :].replace("/", ".")), "import")

    def imported(self, importer: bytes, found: Import, is_type: bool = False) -> Flow:
        """What an import binds its name to."""
        flows = []
        for value in self.module(importer, found.module).values:
            if isinstance(value, External):
                flows.append(one(External(value.package, found.name if found.name != "*" else value.name), "import"))
            elif isinstance(value, Module):
                flows.append(self._member(value, found.name, is_type))
        return union(flows) if flows else UNKNOWN

    def _member(self, module: Module, name: str, is_type: bool) -> Flow:
        if name == "*":
            common = self.exported(module.path, COMMON, is_type)
            return through(common, "import") if common is not None and common.values else one(module, "import")
        found = self.exported(module.path, name, is_type)
        if found is None:
            common = self.exported(module.path, COMMON, is_type)
            if common is None:
                return UNKNOWN
            found = common if name == "default" else _item(common, name)
        return through(found, "import")


def _item(flow: Flow, name: str) -> Flow:
    """A member of what `module.exports` was set to, where that is an object literal."""
    found = [item for value in flow.values if isinstance(value, Foreign) for key, item in value.items if key == name]
    return union(found) if found else UNKNOWN


def is_class(flow: Flow) -> bool:
    """Whether a flow is one class of the repository."""
    return len(flow.values) == 1 and isinstance(flow.values[0], Class)
