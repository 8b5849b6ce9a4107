"""A tree as the pure parts see it, read from git and the index, each thing once.

`TreeFiles` answers for any tree that git still has (it needs no resolutions: enough to judge moves); `IndexedTree` adds edges.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, Protocol

from analyzers.facts import FileFacts, SymbolDigests
from analyzers.interface import interface_hash
from analyzers.registry import LANGUAGES, language_of
from knowledge.claims.sets import OUT_OF_SCOPE
from knowledge.errors import RepositoryReadError
from knowledge.facts.extraction import FactExtractor, decode_digests, decode_facts, decode_outline
from knowledge.facts.payloads import GENERATED
from knowledge.graph.file_kinds import kinds_in
from knowledge.graph.layout import Layout
from knowledge.graph.source import Candidate
from knowledge.records.edges import Edge, Limitation
from knowledge.records.identifiers import SymbolId, read_path, show_path
from knowledge.records.stored import FactKey
from knowledge.records.trees import EntryChange, FileEntry
from knowledge.repository.interface import Repository, Tree
from knowledge.storage.index import IndexStore

MISSING = "missing-object"
"""The limitation of a file whose bytes git does not have here (a partial clone)."""
_by_place = attrgetter("path", "index")
_by_subject_path = attrgetter("subject.path")
_MOST_LINKS = 8
"""Links that lead to links are followed this far."""


class FactLoader:
    """Facts and digests by blob, out of the index or computed now and put there. Shared by all trees of one operation."""

    def __init__(self, index: IndexStore, extractor: FactExtractor, repository: Repository) -> None:
        self.index, self.repository, self._extractor = index, repository, extractor
        self._ids: dict[FactKey, int] = {}
        self._skipped: dict[int, str] = {}

    def fact_id(self, key: FactKey, tree: Tree) -> int:
        """The id of the blob's facts; they are computed where the index lacks them."""
        found = self._ids.get(key)
        if found is None:
            found = self.index.fact_ids([key]).get(key, 0)
            if not found:
                row = self._extractor.extract_one(key, tree.read(key.blob_id))
                found = self.index.put_facts([row])[key]
            self._ids[key] = found
        return found

    def facts(self, fact_id: int, *, is_kept: bool = True) -> FileFacts | None:
        """The decoded facts; None where the file was skipped. is_kept: whether they are likely to be asked for again."""
        kept = self.index.kept.facts
        if fact_id in kept:
            known: FileFacts | None = kept[fact_id]
            return known
        payload = self.index.payloads([fact_id]).get(fact_id, b"")
        found = decode_facts(payload) if payload else None
        if is_kept:
            kept[fact_id] = found
        return found

    def outline(self, fact_id: int) -> FileFacts | None:
        """The facts as other files see them: a fraction of the memory."""
        kept = self.index.kept.outlines
        if fact_id not in kept:
            payload = self.index.payloads([fact_id]).get(fact_id, b"")
            kept[fact_id] = decode_outline(payload) if payload else None
        found: FileFacts | None = kept[fact_id]
        return found

    def edges(self, resolution_id: int) -> tuple[Edge, ...]:
        """The edges of a file that was resolved."""
        kept = self.index.kept.edges
        if resolution_id not in kept:
            kept[resolution_id] = tuple(edge for _, edge in self.index.edges_from([resolution_id]))
        return kept[resolution_id]

    def read_headers(self, fact_ids: Iterable[int]) -> None:
        """Learn of many facts at once whether they were skipped."""
        missing = [fact_id for fact_id in fact_ids if fact_id not in self._skipped]
        self._skipped.update((fact_id, header[2]) for fact_id, header in self.index.fact_headers(missing).items())

    def skipped(self, fact_id: int) -> str:
        """The code of the limitation for which the file has no facts; "" where it has some."""
        if fact_id not in self._skipped:
            self.read_headers([fact_id])
        return self._skipped.get(fact_id, "")

    def digests(self, fact_id: int, key: FactKey, tree: Tree) -> SymbolDigests | None:
        """The decoded hashes of the blob's definitions; computed and put into the index where it lacks them."""
        kept = self.index.kept.digests
        if fact_id not in kept:
            payload = self.index.digests([fact_id]).get(fact_id, b"")
            if not payload and not self.skipped(fact_id):
                payload = self._extractor.digests_for(key, tree.read(key.blob_id))
                self.index.put_digests(fact_id, payload)
            kept[fact_id] = decode_digests(payload) if payload else None
        found: SymbolDigests | None = kept[fact_id]
        return found


class TreeFiles:
    """`FactsView` over one git tree. A symbolic link is read as the file of the tree that it leads to."""

    follows_links = True

    def __init__(self, tree: Tree, loader: FactLoader) -> None:
        self.tree, self.loader = tree, loader
        self._keys: dict[bytes, tuple[FactKey, int] | None] = {}
        self._missing: set[bytes] = set()

    def has_path(self, path: bytes) -> bool:
        return self.tree.entry(path) is not None

    def blob_id(self, path: bytes) -> str:
        entry = self.tree.entry(path)
        return entry.blob_id if entry is not None else ""

    def facts(self, path: bytes) -> FileFacts | None:
        found = self._key(path)
        return self.loader.facts(found[1]) if found else None

    def digests(self, path: bytes) -> SymbolDigests | None:
        found = self._key(path)
        return self.loader.digests(found[1], found[0], self.tree) if found else None

    def skipped(self, path: bytes) -> str:
        found = self._key(path)
        if found is None:
            return MISSING if path in self._missing else ""
        return self.loader.skipped(found[1])

    def text(self, path: bytes) -> bytes | None:
        entry = self.entry_behind(path)
        try:
            return self.tree.read(entry.blob_id) if entry is not None else None
        except RepositoryReadError:
            return None

    def entry_behind(self, path: bytes) -> FileEntry | None:
        """The file at a path, or the one that a link leads to; None for anything else, and for a link out of the tree."""
        entry = self.tree.entry(path)
        for _ in range(_MOST_LINKS):
            if entry is None or entry.kind != "symlink" or not self.follows_links:
                break
            target = self._target(entry)
            entry = self.tree.entry(target) if target else None
        return entry if entry is not None and entry.kind in ("file", "executable") else None

    def _target(self, link: FileEntry) -> bytes:
        """Where a link leads, as a path of the tree; b"" where that is outside of it."""
        try:
            written = self.tree.read(link.blob_id)
        except RepositoryReadError:
            return b""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(link.path), written))
        return b"" if target.startswith((b"/", b"../")) else target

    def _key(self, path: bytes) -> tuple[FactKey, int] | None:
        if path not in self._keys:
            entry = self.entry_behind(path)
            language = language_of(entry.path) if entry is not None else ""
            self._keys[path] = None
            if entry is not None and language:
                key = FactKey(entry.blob_id, language)
                try:
                    self._keys[path] = (key, self._fact_id(path, key))
                except RepositoryReadError:
                    self._missing.add(path)
        return self._keys[path]

    def _fact_id(self, path: bytes, key: FactKey) -> int:
        return self.loader.fact_id(key, self.tree)


class Resolves(Protocol):
    """Resolves names in files of an indexed tree: its `files` and `meta` tell of it afterwards, and so does the index."""

    def resolve(self, view: IndexedTree, paths: Sequence[bytes]) -> None: ...

    def resolve_all(self, view: IndexedTree) -> None: ...


class IndexedTree(TreeFiles):
    """`TreeView` over a tree whose facts and resolutions are in the index.

    files: path → (fact id, resolution id; 0: the file's names are not resolved yet). meta: what the indexer kept with the tree (`unreadable`:
    shown path → limitation code; `links`: shown paths of the symbolic links; `is_resolved`: whether the names of all files are resolved).

    What asks for the edges out of a file has its names resolved first, what asks for edges into something the names of the whole tree: which
    files these edges come from is known only then. So an answer never depends on what was asked before.
    """

    def __init__(
        self, tree: Tree, loader: FactLoader, files: dict[bytes, tuple[int, int]], meta: dict[str, Any], resolver: Resolves | None = None
    ) -> None:
        super().__init__(tree, loader)
        self.files, self.meta = files, meta
        self._resolver = resolver
        self._definitions: dict[str, tuple[SymbolId, ...]] = {}
        self._definers: dict[str, list[Candidate]] = {}

    # ── FactSource ──

    def outline(self, path: bytes) -> FileFacts | None:
        found = self._key(path)
        return self.loader.outline(found[1]) if found else None

    def paths(self) -> set[bytes] | dict[bytes, tuple[int, int]]:
        return self.files

    def language(self, path: bytes) -> str:
        return language_of(path)

    def interface(self, path: bytes) -> str:
        facts = self.facts(path)
        return interface_hash(facts) if facts is not None else ""

    def definers(self, name: str) -> Sequence[Candidate]:
        """Every definition with the short name, by path and place."""
        if name not in self._definers:
            found = [
                # The definitions of a fact are stored without the first, the module itself.
                Candidate(path, place + 1, *definition[1:])
                for fact_id, place, definition in self.loader.index.definitions_named([name])
                for path in self._paths_of_fact.get(fact_id, ())
            ]
            self._definers[name] = sorted(found, key=_by_place)
        return self._definers[name]

    def symbols_named(self, name: str) -> tuple[SymbolId, ...]:
        """Every definition with that short name, sorted."""
        if name not in self._definitions:
            self._definitions[name] = tuple(sorted(SymbolId(it.path, it.qualified_name, it.ordinal) for it in self.definers(name)))
        return self._definitions[name]

    def preload(self) -> None:
        """Read every file's names at once: for questions about the whole tree."""
        names: dict[str, list[Candidate]] = defaultdict(list)
        for fact_id, definitions in self.loader.index.definitions_of(self._paths_of_fact).items():
            for path in self._paths_of_fact[fact_id]:
                for place, definition in enumerate(definitions, 1):
                    names[definition[0]].append(Candidate(path, place, *definition[1:]))
        for found in names.values():
            found.sort(key=_by_place)
        self._definers = names

    # ── resolution ──

    @property
    def is_resolved(self) -> bool:
        """Whether the names of all files are resolved."""
        return bool(self.meta.get("is_resolved"))

    def resolve(self, paths: Iterable[bytes]) -> None:
        """See that the names in these files are resolved."""
        if self._resolver is not None and not self.is_resolved:
            missing = [path for path in paths if (row := self.files.get(path)) and row[0] and not row[1]]
            if missing:
                self._resolver.resolve(self, missing)
                self.__dict__.pop("_resolutions", None)

    def resolve_all(self) -> None:
        """See that the names of all files are resolved."""
        if self._resolver is not None and not self.is_resolved:
            self._resolver.resolve_all(self)
            self.__dict__.pop("_resolutions", None)

    def names_in(self, folder: bytes) -> Sequence[str]:
        """The names of the files and folders in a folder, sorted; b"" is the root."""
        return self._folders.get(folder, ())

    # ── TreeView ──

    def definitions(self, qualified_name: str) -> Sequence[SymbolId]:
        return [s for s in self.symbols_named(qualified_name.rpartition(".")[2]) if s.qualified_name == qualified_name]

    def paths_of_blob(self, blob_id: str) -> Sequence[bytes]:
        return self._by_blob.get(blob_id, ())

    def paths_named(self, name: bytes) -> Sequence[bytes]:
        return self._by_basename.get(name, ())

    def edges_from(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]:
        return [
            e
            for e in self.edges_of_file(symbol.path)
            if e.predicate == predicate and e.subject.path == symbol.path and e.subject.qualified_name == symbol.qualified_name
        ]

    def edges_into(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]:
        self.resolve_all()
        mine = self._resolutions
        # The index has them in the order in which files were resolved, which says nothing of the tree.
        return sorted((e for _, e in self.loader.index.edges_into(self.bearers(symbol), predicate, mine)), key=_by_subject_path)

    def bearers(self, symbol: SymbolId) -> list[SymbolId]:
        """The definitions of its file that bear the symbol's name: an edge may lead to any of them."""
        facts = self.facts(symbol.path) if symbol.path and symbol.qualified_name else None
        count = max(1, sum(d.qualified_name == symbol.qualified_name for d in facts.definitions)) if facts is not None else 1
        return [SymbolId(symbol.path, symbol.qualified_name, n, symbol.package) for n in range(count)]

    def edges_of_file(self, path: bytes) -> tuple[Edge, ...]:
        """Every edge that goes out of a file."""
        self.resolve([path])
        resolution = self.files.get(path, (0, 0))[1]
        return self.loader.edges(resolution) if resolution else ()

    def all_edges(self) -> Iterator[Edge]:
        """Every edge of the tree."""
        self.resolve_all()
        for _, edge in self.loader.index.edges_from(sorted(self._resolutions)):
            yield edge

    def all_symbols(self) -> Iterator[SymbolId]:
        """Every definition of the tree, files aside."""
        return (symbol for symbol, _ in self.all_symbols_with_kinds())

    def all_symbols_with_kinds(self) -> Iterator[tuple[SymbolId, str]]:
        """Every definition of the tree with its kind."""
        for fact_id, definitions in self.loader.index.definitions_of(self._paths_of_fact).items():
            for path in self._paths_of_fact[fact_id]:
                for _, qualified_name, ordinal, kind, _ in definitions:
                    yield SymbolId(path, qualified_name, ordinal), kind

    def differences(self, old: IndexedTree) -> list[EntryChange]:
        """The entries that differ from another tree."""
        return self.loader.repository.diff(old.tree, self.tree)

    def limitations_of(self, paths: Iterable[bytes]) -> tuple[str, ...]:
        """What the analysis of these files cannot show, each code with the places it was met at."""
        paths = list(paths)
        self.resolve(paths)
        found: dict[str, list[str]] = {}
        owners = {self.files[p][1]: p for p in paths if self.files.get(p, (0, 0))[1]}
        for resolution, limitations in self.loader.index.limitations(owners).items():
            for one in limitations:
                found.setdefault(one.code, []).append(
                    f"{show_path(owners[resolution])}:{one.row + 1}" if one.row >= 0 else show_path(owners[resolution])
                )
        for path in paths:
            if code := self.skipped(path):
                found.setdefault(code, []).append(show_path(path))
        return tuple(
            f"{code}: {', '.join(sorted(set(places))[:5])}" + (f" and {len(set(places)) - 5} more" if len(set(places)) > 5 else "")
            for code, places in sorted(found.items())
        )

    def limitations_in(self, path: bytes) -> list[Limitation]:
        """What the analysis of one file cannot show."""
        self.resolve([path])
        resolution = self.files.get(path, (0, 0))[1]
        found = list(self.loader.index.limitations([resolution]).get(resolution, ())) if resolution else []
        if code := self.meta.get("unreadable", {}).get(show_path(path)):
            found.append(Limitation(code, "", path))
        return found

    def paths_asking(self, name: str) -> list[bytes]:
        """The files with a use of a short name that could only be answered by name, sorted."""
        self.resolve_all()
        found = self.loader.index.resolutions_reading([("name", name)])
        return sorted(path for path, (_, resolution) in self.files.items() if resolution in found) if found else []

    def limitation_counts(self) -> Counter[str]:
        """Limitation code → how many files of the tree it keeps from being read whole."""
        return Counter(self.meta.get("unreadable", {}).values())

    def package_of(self, path: bytes) -> str:
        return self.layout.package_of(path)

    def kinds_of(self, path: bytes) -> frozenset[str]:
        is_generated = self.meta.get("unreadable", {}).get(show_path(path)) == GENERATED
        return kinds_in(path, self) | ({GENERATED} if is_generated else frozenset())

    def packages_of(self, path: bytes) -> tuple[str, ...]:
        return self.layout.packages_of(path)

    def unreadable_in(self, package: str) -> Sequence[bytes]:
        return self._unreadable.get(package, ())

    def changed_links(self, old: IndexedTree) -> set[bytes]:
        """The symbolic links of either tree behind which there is another file, or another content, than in `old`."""
        links = {read_path(shown) for view in (self, old) for shown in view.meta.get("links", ())}
        return {link for link in links if self.entry_behind(link) != old.entry_behind(link)}

    def unresolved_in(self, package: str) -> Sequence[str]:
        return self._unresolved.get(package, ())

    # ── computed once ──

    @cached_property
    def _unresolved(self) -> dict[str, tuple[str, ...]]:
        """Package → languages in it whose names are not resolved."""
        found: dict[str, set[str]] = {}
        for path in self.files:
            spec = LANGUAGES.get(language_of(path))
            if spec is not None and spec.kind == "code" and not spec.has_resolution and not self.kinds_of(path) & OUT_OF_SCOPE:
                for package in self.packages_of(path):
                    found.setdefault(package, set()).add(spec.name)
        return {package: tuple(sorted(names)) for package, names in found.items()}

    @cached_property
    def layout(self) -> Layout:
        """The tree's module table."""
        return Layout(self)

    @cached_property
    def _resolutions(self) -> frozenset[int]:
        return frozenset(r for _, r in self.files.values() if r)

    @cached_property
    def _paths_of_fact(self) -> dict[int, list[bytes]]:
        found: dict[int, list[bytes]] = {}
        for path, (fact_id, _) in self.files.items():
            if fact_id:
                found.setdefault(fact_id, []).append(path)
        return found

    @cached_property
    def _by_blob(self) -> dict[str, list[bytes]]:
        found: dict[str, list[bytes]] = {}
        for path, entry in self.tree.entries().items():
            found.setdefault(entry.blob_id, []).append(path)
        return found

    @cached_property
    def _folders(self) -> dict[bytes, list[str]]:
        found: dict[bytes, set[str]] = {}
        for path in self.files:
            while path:
                path, _, name = path.rpartition(b"/")
                found.setdefault(path, set()).add(show_path(name))
        return {folder: sorted(names) for folder, names in found.items()}

    @cached_property
    def _by_basename(self) -> dict[bytes, list[bytes]]:
        found: dict[bytes, list[bytes]] = {}
        for path in self.files:
            found.setdefault(path.rpartition(b"/")[2], []).append(path)
        return found

    @cached_property
    def _unreadable(self) -> dict[str, tuple[bytes, ...]]:
        """Package → source files that say nothing, or not all, of what they hold."""
        found: dict[str, list[bytes]] = {}
        for shown in self.meta.get("unreadable", {}):
            path = read_path(shown)
            # A file that could never prove a member hides none when it does not parse: `unresolved_in` tells of it.
            if LANGUAGES[language_of(path)].has_resolution and not self.kinds_of(path) & OUT_OF_SCOPE:
                for package in self.packages_of(path):
                    found.setdefault(package, []).append(path)
        return {package: tuple(sorted(paths)) for package, paths in found.items()}

    def _fact_id(self, path: bytes, key: FactKey) -> int:
        return self.files.get(path, (0, 0))[0] or super()._fact_id(path, key)


class ResolvedTree(IndexedTree):
    """`FactSource` over an indexed tree: what the resolver sees. A symbolic link has no code of its own there, so a file counts once."""

    follows_links = False
    keeps_facts = True
    """False while very many files are resolved: each is asked for its whole facts once."""

    def facts(self, path: bytes) -> FileFacts | None:
        found = self._key(path)
        return self.loader.facts(found[1], is_kept=self.keeps_facts) if found else None
