"""Python's scopes and modules: what a name means at a place, and what an import brings in.

Inside the running function, assignments before the use count, the last certain one hiding those before it; from anywhere else all
assignments that hold at the end of the scope do.
"""

from __future__ import annotations

import builtins
import posixpath
from collections.abc import Callable, Sequence

from analyzers.facts import Binding, Import
from knowledge.graph.bindings import END, SILENT, live_bindings
from knowledge.graph.layout import STANDARD_LIBRARY, decode, relative_stem
from knowledge.graph.outline import MODULE_SCOPE, Outline
from knowledge.graph.reads import View
from knowledge.graph.shared import DEEPEST
from knowledge.graph.values import UNKNOWN, External, Flow, Module, Place, Value, one, through, union

_BUILTINS = frozenset(dir(builtins)) | {"reveal_type", "WindowsError"}
_DUNDERS = {"__name__": "str", "__file__": "str", "__doc__": "str", "__package__": "str", "__path__": "list", "__dict__": "dict"}
_INLINE = frozenset({"comprehension", "block", "class"})
"""Scopes that run where they stand, not later."""


class Names:
    """Lookups of one resolution. `follow_binding` says what a binding gives; a binding that needs itself is unknown."""

    def __init__(self, view: View, follow_binding: Callable[[Place, Binding], Flow]) -> None:
        self._view = view
        self._follow_binding = follow_binding
        self._known: dict[tuple[bytes, int, str, int], Flow] = {}
        self._running: set[tuple[bytes, int, str, int]] = set()
        self.is_running = False
        """Whether a binding is being followed: what is found meanwhile may be cut short by it"""
        self._modules: dict[tuple[bytes, int, str], Flow] = {}
        self._module_names: dict[tuple[bytes, str], Flow | None] = {}
        self._searched: set[tuple[bytes, str]] = set()

    # ── scopes ──

    def lookup(self, place: Place, name: str, start: int) -> Flow | None:
        """What `name` may be at byte `start` of `place`; None where no scope, module or built-in has it."""
        outline = self._view.tree.outline(place.path)
        if outline is None:
            return None
        scope, at, is_later = place.scope, start, False
        while scope > MODULE_SCOPE:
            row = outline.scopes[scope]
            bindings = outline.names[scope].get(name)
            if bindings and (row.kind != "class" or scope == place.scope):
                declared = next((binding.kind for binding in bindings if binding.kind in ("global", "nonlocal")), "")
                if declared == "global":
                    is_later = True
                    break
                if not declared:
                    return self.bound(place.path, scope, name, bindings, at, is_later)
            if row.kind not in _INLINE:
                at, is_later = row.start, True
            scope = row.parent
        at = END if is_later else at
        found = self._own_module(place.path, outline, name, at)
        if found is not None:
            return found
        if name in _BUILTINS:
            return one(External("builtins", name), "local")
        return one(External("builtins", _DUNDERS[name]), "local") if name in _DUNDERS else None

    def bound(self, path: bytes, scope: int, name: str, bindings: Sequence[Binding], at: int, is_later: bool = False) -> Flow:
        """What the bindings of one name in one scope give at byte `at`, or at any time from then on."""
        if len(bindings) == 1 and bindings[0].kind not in SILENT:
            return self._binding((path, scope, name, 0), bindings[0])
        flows = [self._binding((path, scope, name, index), bindings[index]) for index in live_bindings(bindings, at, is_later)]
        return flows[0] if len(flows) == 1 else union(flows)

    def _binding(self, key: tuple[bytes, int, str, int], binding: Binding) -> Flow:
        found = self._known.get(key)
        if found is None:
            nesting = self._view.tree.nesting
            if key in self._running or nesting.depth >= DEEPEST:
                nesting.cuts += key not in self._running
                return UNKNOWN
            self._running.add(key)
            self.is_running = True
            nesting.depth += 1
            nesting.deepest = max(nesting.deepest, nesting.depth)
            found = self._known[key] = self._follow_binding(Place(key[0], key[1]), binding)
            nesting.depth -= 1
            self._running.discard(key)
            self.is_running = bool(self._running)
        return found

    def _own_module(self, path: bytes, outline: Outline, name: str, at: int) -> Flow | None:
        """A name of the module that the code using it stands in: `__getattr__` and submodules are for those outside."""
        bindings = outline.names[MODULE_SCOPE].get(name)
        if bindings and at != END and path == self._view.importer:
            return self.bound(path, MODULE_SCOPE, name, bindings, at)
        if bindings or name in outline.globals:
            return self.module_name(path, name)
        if path != self._view.importer:
            # That it is not there, nor may come by a star import, is an answer too.
            self._view.named(path, name)
            self._view.whole(path)
        return self._starred(path, name) if outline.star_imports else None

    # ── modules ──

    def module_name(self, path: bytes, name: str) -> Flow | None:
        """What a module's attribute `name` is once the module has run; None where it has none."""
        key = (path, name)
        if key in self._module_names:
            return self._module_names[key]
        if key in self._searched:
            # Star imports in a circle: whoever began is still looking everywhere else.
            return None
        is_first = not self._searched
        self._searched.add(key)
        found = self._search_module(path, name)
        if is_first:
            self._searched.clear()
        if is_first or found is not None:
            self._module_names[key] = found
        return found

    def _search_module(self, path: bytes, name: str) -> Flow | None:
        if path.endswith(b"/"):
            return self.submodule(path, name)
        outline = self._view.named(path, name)
        if outline is None:
            return UNKNOWN
        bindings = [*outline.names[MODULE_SCOPE].get(name, ()), *outline.globals.get(name, ())]
        bindings = [binding for binding in bindings if binding.kind not in SILENT]
        if bindings:
            found = self.bound(path, MODULE_SCOPE, name, bindings, END)
            if found.values or found.is_certain:
                return found
            # A package that binds its own submodule's name means the submodule.
            return self.submodule(path, name) or found
        starred = self._starred(path, name)
        if starred is not None:
            return starred
        nested = self.submodule(path, name)
        if nested is not None:
            return nested
        whole = self._view.whole(path)
        return UNKNOWN if whole is not None and "__getattr__" in whole.names[MODULE_SCOPE] else None

    def _starred(self, path: bytes, name: str) -> Flow | None:
        outline = self._view.whole(path)
        for found in reversed(outline.star_imports if outline is not None else ()):
            for value in self.module(path, found.level, found.module).values:
                if isinstance(value, Module) and self._offers(value.path, name):
                    flow = self.module_name(value.path, name)
                    if flow is not None:
                        return through(flow, "import")
        return None

    def _offers(self, path: bytes, name: str) -> bool:
        """Whether `from path import *` may bring in `name`."""
        outline = None if path.endswith(b"/") else self._view.whole(path)
        if outline is None:
            return False
        return name in outline.all_names if outline.all_names is not None else not name.startswith("_")

    def submodule(self, path: bytes, name: str) -> Flow | None:
        """The module `name` inside a package or namespace directory."""
        directory, base = posixpath.split(path)
        if base and not base.startswith(b"__init__."):
            return None
        stem = posixpath.join(directory, name.encode("utf-8", "surrogateescape"))
        found = self._view.module("python:" + decode(stem))
        return one(Module(found[0]), "import") if found and found[0] != path else None

    def module(self, importer: bytes, level: int, module: str) -> Flow:
        """The module that an import names."""
        key = (importer, level, module)
        if key not in self._modules:
            self._modules[key] = self._find_module(importer, level, module)
        return self._modules[key]

    def _find_module(self, importer: bytes, level: int, module: str) -> Flow:
        if level:
            stem = relative_stem(importer, level, module)
            found = self._view.module("python:" + decode(stem)) if stem is not None else ()
            return one(Module(found[0]), "import") if found else UNKNOWN
        first, _, rest = module.partition(".")
        if first in STANDARD_LIBRARY:
            return one(External(first, rest), "import")
        candidates = self._view.module("python-top:" + first)
        chosen = None
        if candidates:
            self._view.note_python_layout(importer)
            chosen = self._view.tree.layout.choose_root(importer, candidates, self._own_directory(importer))
        if chosen is None:
            return one(External(first, rest), "import")
        root, is_certain = chosen
        found = self._view.module("python:" + decode(posixpath.join(root, module.replace(".", "/").encode("utf-8", "surrogateescape"))))
        return Flow((Module(found[0]),), is_certain, "import") if found else UNKNOWN

    def _own_directory(self, path: bytes) -> bytes:
        """The directory that holds the top-level package of a file: what Python has on its path when the file's tests or scripts run."""
        directory = posixpath.dirname(path)
        while directory:
            found = self._view.module("python:" + decode(directory))
            if not found or not found[0].endswith((b"/__init__.py", b"/__init__.pyi")):
                break
            directory = posixpath.dirname(directory)
        return directory

    def imported(self, importer: bytes, found: Import) -> Flow:
        """What an import statement binds its name to."""
        if not found.name:
            if found.alias:
                return self.module(importer, found.level, found.module)
            return self.module(importer, found.level, found.module.partition(".")[0])
        return union([self._member(importer, module, found) for module in self.module(importer, found.level, found.module).values] or [UNKNOWN])

    def _member(self, importer: bytes, module: Value, found: Import) -> Flow:
        certain = self.module(importer, found.level, found.module).is_certain
        if isinstance(module, External):
            return one(External(module.package, f"{module.name}.{found.name}" if module.name else found.name), "import")
        if not isinstance(module, Module):
            return UNKNOWN
        if module.path == importer:
            # `from . import x` inside the package itself: the submodule, for the package has no `x` yet.
            return self.submodule(module.path, found.name) or UNKNOWN
        flow = self.module_name(module.path, found.name)
        return through(flow, "import", certain) if flow is not None else UNKNOWN
