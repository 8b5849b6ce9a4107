"""A whole tree in memory: `TreeView` and `FactSource` over a dictionary of files, analysed and resolved for real, each content once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache, cached_property

from analyzers.analysis import analyze, digest
from analyzers.facts import FileFacts, SymbolDigests
from analyzers.interface import interface_hash
from analyzers.registry import LANGUAGES, language_of
from knowledge.claims.sets import OUT_OF_SCOPE
from knowledge.graph.file_kinds import kinds_in
from knowledge.graph.layout import Layout
from knowledge.graph.reads import Tree as ResolverTree
from knowledge.graph.resolve import resolve_file
from knowledge.graph.source import Candidate, candidate
from knowledge.invalidation.changes import FileChange, FileSide, keys_of_edges, keys_of_file
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId


@cache
def _facts(content: bytes, language: str) -> FileFacts | str:
    found = analyze(content, language)
    return found if isinstance(found, FileFacts) else found.limitation.code


@cache
def _digests(content: bytes, language: str) -> SymbolDigests | None:
    found = digest(content, language)
    return found if isinstance(found, SymbolDigests) else None


class MemoryTree:
    """One tree. files: path → text or bytes."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self.files = {p.encode(): c if isinstance(c, bytes) else c.encode() for p, c in files.items()}
        self._edges: dict[bytes, tuple[Edge, ...]] = {}

    def paths(self) -> Mapping[bytes, bytes]:
        return self.files

    def language(self, path: bytes) -> str:
        return language_of(path)

    def has_path(self, path: bytes) -> bool:
        return path in self.files

    def text(self, path: bytes) -> bytes | None:
        return self.files.get(path)

    def blob_id(self, path: bytes) -> str:
        content = self.files.get(path)
        return hashlib.sha1(content).hexdigest() if content is not None else ""

    def facts(self, path: bytes) -> FileFacts | None:
        found = self._read(path)
        return found if isinstance(found, FileFacts) else None

    def outline(self, path: bytes) -> FileFacts | None:
        return self.facts(path)

    def skipped(self, path: bytes) -> str:
        found = self._read(path)
        return found if isinstance(found, str) else ""

    def digests(self, path: bytes) -> SymbolDigests | None:
        content, language = self.files.get(path), language_of(path)
        return _digests(content, language) if content is not None and language else None

    def interface(self, path: bytes) -> str:
        facts = self.facts(path)
        return interface_hash(facts) if facts is not None else ""

    def definers(self, name: str) -> Sequence[Candidate]:
        return self._definers.get(name, ())

    def definitions(self, qualified_name: str) -> Sequence[SymbolId]:
        return self._definitions.get(qualified_name, ())

    def paths_of_blob(self, blob_id: str) -> Sequence[bytes]:
        return [p for p in sorted(self.files) if self.blob_id(p) == blob_id]

    def paths_named(self, name: bytes) -> Sequence[bytes]:
        return [p for p in sorted(self.files) if p.rpartition(b"/")[2] == name]

    def edges_of_file(self, path: bytes) -> tuple[Edge, ...]:
        if path not in self._edges:
            found = resolve_file(path, self._resolver) if path in self.files and language_of(path) else None
            self._edges[path] = found.edges if found is not None else ()
        return self._edges[path]

    def edges_from(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]:
        return [e for e in self.edges_of_file(symbol.path) if e.predicate == predicate and e.subject.qualified_name == symbol.qualified_name]

    def edges_into(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]:
        wanted = (symbol.path, symbol.qualified_name, symbol.package)
        return [
            e
            for path in sorted(self.files)
            for e in self.edges_of_file(path)
            if e.predicate == predicate and (e.object.path, e.object.qualified_name, e.object.package) == wanted
        ]

    def package_of(self, path: bytes) -> str:
        return self._resolver.layout.package_of(path)

    def kinds_of(self, path: bytes) -> frozenset[str]:
        return kinds_in(path, self)

    def packages_of(self, path: bytes) -> tuple[str, ...]:
        return self._resolver.layout.packages_of(path)

    def unreadable_in(self, package: str) -> Sequence[bytes]:
        return [p for p in sorted(self.files) if self._is_unreadable(p) and not self.kinds_of(p) & OUT_OF_SCOPE and package in self.packages_of(p)]

    def unresolved_in(self, package: str) -> Sequence[str]:
        found = {language_of(p) for p in self.files if language_of(p) and not self.kinds_of(p) & OUT_OF_SCOPE and package in self.packages_of(p)}
        return sorted(name for name in found if LANGUAGES[name].kind == "code" and not LANGUAGES[name].has_resolution)

    def symbols_named(self, name: str) -> Sequence[SymbolId]:
        return sorted(s for symbols in self._definitions.values() for s in symbols if s.name == name)

    def _is_unreadable(self, path: bytes) -> bool:
        found = self._read(path)
        return LANGUAGES[language_of(path)].has_resolution and (isinstance(found, str) or found.has_error) if found is not None else False

    def _read(self, path: bytes) -> FileFacts | str | None:
        content, language = self.files.get(path), language_of(path)
        return _facts(content, language) if content is not None and language else None

    @cached_property
    def _resolver(self) -> ResolverTree:
        return ResolverTree(self, Layout(self))

    @cached_property
    def _definers(self) -> dict[str, tuple[Candidate, ...]]:
        found: dict[str, list[Candidate]] = {}
        for path in sorted(self.files):
            facts = self.facts(path)
            for index, definition in enumerate(facts.definitions if facts is not None else ()):
                if index:
                    found.setdefault(definition.name, []).append(candidate(path, index, definition))
        return {name: tuple(rows) for name, rows in found.items()}

    @cached_property
    def _definitions(self) -> dict[str, tuple[SymbolId, ...]]:
        found: dict[str, list[SymbolId]] = {}
        for path in sorted(self.files):
            facts = self.facts(path)
            for definition in facts.definitions[1:] if facts is not None else ():
                found.setdefault(definition.qualified_name, []).append(SymbolId(path, definition.qualified_name, definition.ordinal))
        return {name: tuple(sorted(symbols)) for name, symbols in found.items()}


def changed_keys(old: MemoryTree, new: MemoryTree) -> set[str]:
    """The watch keys that differ between two trees."""
    keys: set[str] = set()
    for path in old.files.keys() | new.files.keys():
        if old.files.get(path) != new.files.get(path):
            keys |= keys_of_file(FileChange(path, _side(path, old), _side(path, new)))
        keys |= keys_of_edges(old.edges_of_file(path), new.edges_of_file(path))
    return keys


def _side(path: bytes, tree: MemoryTree) -> FileSide:
    if not tree.has_path(path):
        return FileSide()
    return FileSide(tree.blob_id(path), tree.facts(path), tree.digests(path), tree.skipped(path), tree.packages_of(path))
