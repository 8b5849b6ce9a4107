"""Choosing a target by name and context where resolution cannot prove one. Every guess says why it was made and what else was as likely."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from knowledge.graph.reads import View
from knowledge.graph.resolution import RIVALS, Target
from knowledge.graph.source import Candidate
from knowledge.records.identifiers import SymbolId

_BUILT_IN = frozenset(
    name for kind in (str, bytes, list, dict, set, tuple, int, float, type(iter("")), type(len)) for name in dir(kind) if not name.startswith("_")
)
_USUAL = frozenset({
    "acquire", "addEventListener", "addListener", "appendChild", "apply", "arrayBuffer", "as_posix", "at", "bind", "blob", "call", "catch",
    "charAt", "charCodeAt", "clear", "close", "codePointAt", "commit", "concat", "connect", "debug", "delete", "description", "destroy",
    "dispatchEvent", "emit", "endsWith", "entries", "error", "every", "exception", "exec", "execute", "exists", "fetchall", "fetchone", "fill",
    "filter", "finally", "find", "findIndex", "findLast", "findall", "finditer", "flat", "flatMap", "flush", "forEach", "formData", "fullmatch",
    "getAttribute", "getDate", "getDay", "getFullYear", "getHours", "getItem", "getMinutes", "getMonth", "getReader", "getSeconds", "getTime",
    "getWriter", "group", "groups", "has", "hasOwnProperty", "includes", "info", "isPrototypeOf", "is_dir", "json", "keys", "lastIndexOf",
    "length", "localeCompare", "log", "map", "match", "matchAll", "message", "mkdir", "next", "normalize", "off", "on", "once", "open", "padEnd",
    "padStart", "pause", "pipe", "postMessage", "push", "put", "querySelector", "querySelectorAll", "read", "readline", "readlines", "reduce",
    "reduceRight", "release", "removeEventListener", "removeItem", "removeListener", "repeat", "replaceAll", "resolve", "result", "resume",
    "reverse", "run", "search", "seek", "send", "set", "setAttribute", "setDate", "setItem", "shift", "size", "slice", "some", "sort", "source",
    "splice", "start", "startsWith", "stop", "sub", "submit", "substr", "substring", "supports", "test", "text", "then", "throw", "toFixed",
    "toISOString", "toJSON", "toLocaleLowerCase", "toLocaleString", "toLowerCase", "toSorted", "toString", "toUpperCase", "trim", "trimEnd",
    "trimStart", "unshift", "valueOf", "values", "wait", "warn", "warning", "write",
})  # fmt: skip
COMMON_NAMES = _BUILT_IN | _USUAL
"""Names that objects outside the repository bear so often that a guess by name alone would be wrong."""

_PYTHON = (b".py", b".pyi")
_DECLARATIONS = (b".pyi", b".d.ts", b".d.mts", b".d.cts")
WORTH_SAYING = 3
"""With more targets than this most of them would be wrong: it is told instead that there are too many."""
_COMPARED = 12
"""So many candidates are held against one another."""
IsSubclass = Callable[[bytes, int, tuple[bytes, int]], bool]


def is_own_method(candidate: Candidate) -> bool:
    """Whether a definition is a method as it stands, not a signature of one."""
    return candidate.kind == "method" and not candidate.is_overload


class Guesses:
    """Guesses for one file.

    is_subclass: (path, class, (path, class above)) → whether it derives from it. is_method: what may be called on an object.
    """

    def __init__(self, view: View, is_subclass: IsSubclass, is_method: Callable[[Candidate], bool] = is_own_method) -> None:
        self._view = view
        self._is_subclass = is_subclass
        self._is_method = is_method
        self._methods: dict[str, list[Candidate]] = {}
        self._visible: tuple[bytes, ...] | None = None

    def method(self, name: str, receiver: str) -> tuple[list[Target], str]:
        """Targets of `receiver.name()`, and the code of a limitation where there are too many."""
        if name.startswith("__"):
            return [], ""
        found = self._view.candidates(name)
        if found is None:
            return [], "too-many-candidates"
        if name not in self._methods:
            kept = [candidate for candidate in self._worth(found) if self._is_method(candidate)]
            self._methods[name] = self._highest(kept)
        methods = self._methods[name]
        if not methods:
            return [], ""
        hinted = [candidate for candidate in methods if _resembles(receiver, candidate.qualified_name.split(".")[-2])] if receiver else []
        if hinted and len(hinted) <= WORTH_SAYING:
            return self._targets(hinted, "receiver-name"), ""
        if name in COMMON_NAMES:
            return [], "common-name"
        if len(methods) > WORTH_SAYING:
            return [], "too-many-candidates"
        return self._targets(methods, "unique-name" if len(methods) == 1 else "name"), ""

    def overriding(self, name: str, overrides: Callable[[Candidate], bool]) -> list[Target]:
        """The methods that override an abstract one: what runs instead of it."""
        found = self._view.candidates(name)
        methods = self._worth([c for c in found or () if c.kind == "method" and not c.is_overload and overrides(c)])
        return self._targets(methods, "override") if len(methods) <= RIVALS else []

    def function(self, name: str) -> list[Target]:
        """Targets of a bare name that nothing in sight declares."""
        found = self._worth([c for c in self._view.candidates(name) or () if c.kind in ("function", "class") and "." not in c.qualified_name])
        return self._targets(found, "unique-name") if len(found) == 1 else []

    def _highest(self, candidates: list[Candidate]) -> list[Candidate]:
        """Without methods that override another candidate: a call through the class above is a call of all of them."""
        if not 2 <= len(candidates) <= _COMPARED:
            return candidates
        owners = [(candidate.path, self._owner(candidate)) for candidate in candidates]
        return [
            candidate
            for candidate, (path, owner) in zip(candidates, owners, strict=True)
            if not any(other != (path, owner) and self._is_subclass(path, owner, other) for other in owners)
        ]

    def _owner(self, candidate: Candidate) -> int:
        outline = self._view.tree.outline(candidate.path)
        return outline.definitions[candidate.index].parent if outline is not None else 0

    def _worth(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Candidates that the file can mean: of a project in sight, with a body, and tests only from tests."""
        layout = self._view.tree.layout
        importer = self._view.importer
        suffixes = _PYTHON if importer.endswith(_PYTHON) else layout.javascript.SUFFIXES
        kept = []
        for candidate in candidates:
            if not candidate.path.endswith(suffixes) or candidate.path.endswith(_DECLARATIONS):
                continue
            if candidate.path == importer or (self._sees(candidate.path) and not self._view.tree.is_test(candidate.path)):
                kept.append(candidate)
        return kept

    def _sees(self, path: bytes) -> bool:
        """Whether a file belongs to the importer's project, or to one that encloses it or that it declares."""
        layout, importer = self._view.tree.layout, self._view.importer
        if not importer.endswith(_PYTHON):
            self._view.note_javascript_layout(importer)
            return layout.javascript.sees(importer, path)
        if self._visible is None:
            self._view.note_python_layout(importer)
            self._visible = layout.visible_projects(layout.project_of(importer))
        return layout.project_of(path) in self._visible

    def _targets(self, candidates: Iterable[Candidate], reason: str) -> list[Target]:
        symbols = [SymbolId(c.path, c.qualified_name, c.ordinal) for c in candidates]
        return [Target(symbol, "inferred", reason, len(symbols) - 1) for symbol in symbols]


def _resembles(receiver: str, class_name: str) -> bool:
    """Whether a variable is called after a class: `session` for Session or SecureSession."""
    word, name = receiver.replace("_", "").lower(), class_name.replace("_", "").lower()
    return len(word) > 2 and (word == name or name.endswith(word) or (len(name) > 3 and word.endswith(name)))
