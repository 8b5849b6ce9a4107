"""Choosing a target by name and context where resolution cannot prove one. Every guess says why it was made and what else was as likely."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from knowledge.graph.reads import Candidate, View
from knowledge.graph.resolution import RIVALS, Target
from knowledge.records.identifiers import SymbolId

_COMMON = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float, type(iter("")), type(len))
    for name in dir(kind)
    if not name.startswith("_")
) | frozenset({
    "read", "write", "close", "open", "flush", "seek", "readline", "readlines", "send", "throw", "next", "put", "run", "start", "stop", "wait",
    "push", "map", "filter", "reduce", "forEach", "then", "catch", "finally", "slice", "splice", "concat", "indexOf", "includes", "some", "every",
    "find", "toString", "has", "delete", "test", "exec", "match", "trim", "call", "apply", "bind", "on", "emit", "log", "error", "info", "debug",
    "warning", "exception", "set", "add", "group", "groups", "search", "sub", "findall", "finditer", "fullmatch", "connect", "execute", "commit",
    "fetchone", "fetchall", "is_dir", "exists", "mkdir", "as_posix", "resolve", "keys", "values", "items", "submit", "result", "acquire", "release",
})  # fmt: skip
"""Names that objects outside the repository bear so often that a guess by name alone would be wrong."""


class Guesses:
    """Guesses for one file."""

    def __init__(self, view: View) -> None:
        self._view = view

    def method(self, name: str, receiver: str) -> tuple[list[Target], str]:
        """Targets of `receiver.name()`, and the code of a limitation where there are too many."""
        if name.startswith("__"):
            return [], ""
        found = self._view.candidates(name)
        if found is None:
            return [], "too-many-candidates"
        methods = self._worth([candidate for candidate in found if candidate.kind == "method" and not candidate.is_overload])
        if not methods:
            return [], ""
        hinted = [candidate for candidate in methods if _resembles(receiver, candidate.qualified_name.split(".")[-2])] if receiver else []
        if hinted and len(hinted) <= RIVALS:
            return self._targets(hinted, "receiver-name"), ""
        if name in _COMMON:
            return [], "common-name"
        if len(methods) > RIVALS:
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

    def _worth(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Candidates that the file can mean: of a project in sight, with a body, and tests only from tests."""
        layout = self._view.tree.layout
        importer = self._view.importer
        suffixes = (b".py", b".pyi") if importer.endswith((b".py", b".pyi")) else layout.javascript.SUFFIXES
        visible = None
        kept = []
        for candidate in candidates:
            if not candidate.path.endswith(suffixes) or candidate.path.endswith((b".pyi", b".d.ts")):
                continue
            if candidate.path != importer:
                if visible is None:
                    self._view.note_python_layout(importer)
                    visible = layout.visible_projects(layout.project_of(importer))
                if layout.project_of(candidate.path) not in visible or self._view.tree.is_test(candidate.path):
                    continue
            kept.append(candidate)
        return kept

    def _targets(self, candidates: Iterable[Candidate], reason: str) -> list[Target]:
        symbols = [SymbolId(c.path, c.qualified_name, c.ordinal) for c in candidates]
        return [Target(symbol, "inferred", reason, len(symbols) - 1) for symbol in symbols]


def _resembles(receiver: str, class_name: str) -> bool:
    """Whether a variable is called after a class: `session` for Session or SecureSession."""
    word, name = receiver.replace("_", "").lower(), class_name.replace("_", "").lower()
    return len(word) > 2 and (word == name or name.endswith(word) or (len(name) > 3 and word.endswith(name)))
