"""Files of languages without a resolver of their own: what they declare, and their calls as guesses by name.

A guess stays within the language's family and the project of the file, and is made only where few definitions bear the name. No edge
but `declares` is ever resolved here, and every such file says so (`no-resolution`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from analyzers.facts import Call, FileFacts
from knowledge.graph.guesses import COMMON_NAMES, WORTH_SAYING
from knowledge.graph.manifests import family_of, project_directory
from knowledge.graph.outline import Outline
from knowledge.graph.reads import View
from knowledge.graph.resolution import EdgeWriter, Target
from knowledge.graph.source import Candidate
from knowledge.records.identifiers import SymbolId

_FUNCTIONS = frozenset({"function", "method"})
_CALLED = _FUNCTIONS | {"class"}
_MADE = frozenset({"class", "enum", "type"})


def resolve_tags(view: View, facts: FileFacts, outline: Outline) -> EdgeWriter:
    """The edges of one file."""
    writer = EdgeWriter(view, facts)
    declare(writer, outline)
    guesses = _Guesses(view, facts.language)
    for call in facts.calls:
        targets, gap = guesses.targets(call)
        for target in targets:
            writer.add(writer.owner(call.scope), "calls", target, call.name_span, _name_of(call))
        if gap:
            writer.limit(gap, call.name_span.row)
    writer.limit("no-resolution", detail=f"names of {facts.language} are not resolved, its calls are guessed by name")
    return writer


def declare(writer: EdgeWriter, outline: Outline) -> None:
    """What a file declares: each definition by the one around it."""
    for index, definition in enumerate(outline.definitions):
        if index:
            symbol = writer.symbol(writer.path, index)
            parent = writer.symbol(writer.path, definition.parent)
            writer.add(parent, "declares", Target(symbol, "resolved", "syntax"), definition.name_span, definition.name)


def _name_of(call: Call) -> str:
    return call.expression.parts[0].name


class _Guesses:
    """Which definitions calls of one file may mean."""

    def __init__(self, view: View, language: str) -> None:
        self._view = view
        self._family = family_of(language)
        self._known: dict[tuple[str, bool, bool], tuple[list[Target], str]] = {}
        self._directories: frozenset[bytes] | None = None

    def targets(self, call: Call) -> tuple[list[Target], str]:
        """The targets of a call, and the code of a limitation where there are too many or where the name says too little."""
        has_receiver = call.expression.parts[0].kind == "attribute"
        key = (_name_of(call), has_receiver, "new" in call.flags)
        if key not in self._known:
            self._known[key] = self._guess(*key)
        return self._known[key]

    def _guess(self, name: str, has_receiver: bool, is_new: bool) -> tuple[list[Target], str]:
        found = self._view.candidates(name)
        if found is None:
            return [], "too-many-candidates"
        kinds = _MADE if is_new else _FUNCTIONS if has_receiver else _CALLED
        usable = self._usable([candidate for candidate in found if candidate.kind in kinds and not candidate.is_overload])
        reason = "unique-name" if len(usable) == 1 else "name"
        if not has_receiver and (here := [candidate for candidate in usable if candidate.path == self._view.importer]):
            usable, reason = here, "same-file"
        elif has_receiver and usable and _is_common(name):
            return [], "common-name"
        if len(usable) > WORTH_SAYING:
            return [], "too-many-candidates"
        symbols = [SymbolId(candidate.path, candidate.qualified_name, candidate.ordinal) for candidate in usable]
        return [Target(symbol, "inferred", reason, len(symbols) - 1) for symbol in symbols], ""

    def _usable(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those of this family and project; those of tests only for tests."""
        view, importer = self._view, self._view.importer
        kept = []
        for candidate in candidates:
            if candidate.path != importer:
                if family_of(view.tree.source.language(candidate.path)) != self._family:
                    continue
                if view.tree.is_test(candidate.path) and not view.tree.is_test(importer):
                    continue
                if self._project(candidate.path) != self._project(importer):
                    continue
            kept.append(candidate)
        return kept

    def _project(self, path: bytes) -> bytes:
        if self._directories is None:
            self._directories = frozenset(posixpath.dirname(found) for found in self._view.module(f"manifests:{self._family}"))
        return project_directory(path, self._directories)


def _is_common(name: str) -> bool:
    return name in COMMON_NAMES or name[:1].lower() + name[1:] in COMMON_NAMES
