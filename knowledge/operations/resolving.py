"""Resolving the names in files of a tree: ahead, for what a commit moved in files that were resolved, and when a question needs their edges.

    files to resolve → resolutions that were stored before and hold, else new ones → the tree's rows

A tree in which nothing was asked for edges has no resolution at all; `IndexedTree` says what it needs. What was resolved once is kept with the tree,
and stays resolved in the trees that are indexed as differences from it (`indexing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice

from analyzers.registry import LANGUAGES, language_of
from knowledge.config import LIMITS
from knowledge.graph.build import holds
from knowledge.graph.reads import Tree as ResolverTree
from knowledge.graph.reads import inputs_of
from knowledge.graph.resolution import RESOLVER_VERSION, Resolution
from knowledge.graph.resolve import resolve_file
from knowledge.operations.project import Project
from knowledge.operations.tree_view import IndexedTree, ResolvedTree
from knowledge.records.stored import StoredResolution, TreeFile
from knowledge.storage.bulk import collect_young, collection_paused
from knowledge.storage.lock import writer_lock

_BATCH = 64
_YOUNG = 8
"""After so many files what their resolvers left behind is freed."""
_VERSION = f"{RESOLVER_VERSION}:"
_MANY = 40
"""With so many files to resolve, all names of the tree are read at once."""


@dataclass(slots=True)
class Resolved:
    """What resolving cost. reused: resolutions that were there already. edges: of the new ones."""

    resolved: int = 0
    reused: int = 0
    edges: int = 0


@dataclass(slots=True)
class Resolver:
    """Resolves files of one tree. files: path → (fact id, resolution id), filled in as it goes."""

    project: Project
    source: ResolvedTree
    files: dict[bytes, tuple[int, int]]
    work: Resolved
    tree: ResolverTree = field(init=False)

    def __post_init__(self) -> None:
        self.tree = ResolverTree(self.source)

    def run(self, paths: Sequence[bytes]) -> None:
        """Resolve these files: with a resolution that the index holds where one is good in this tree. New ones are written in batches."""
        progress = self.project.progress
        is_long = len(paths) >= _MANY
        self.source.keeps_facts = not is_long
        if is_long:
            self.source.preload()
            progress.start("resolving names", len(paths))
        waiting = iter(paths)
        # Everything made here is kept until the batch is written: looking for garbage in it costs more than the work itself.
        with collection_paused():
            while batch := list(islice(waiting, _BATCH)):
                self._batch(batch)
                if is_long:
                    progress.advance(len(batch))
        if is_long:
            progress.finish()

    def _batch(self, paths: Sequence[bytes]) -> None:
        store = self.project.index
        fact_ids = {path: self.files[path][0] for path in paths}
        known: dict[bytes, list[StoredResolution]] = {}
        for one in store.find_resolutions(fact_ids.items()):
            known.setdefault(one.path, []).append(one)
        fresh: list[StoredResolution] = []
        for number, path in enumerate(paths):
            if number % _YOUNG == 0:
                collect_young()
            held = next((r for r in known.get(path, ()) if r.inputs.startswith(_VERSION) and holds(r.reads, self.tree)), None)
            if held is not None:
                self.files[path] = (fact_ids[path], held.id)
                self.work.reused += 1
            elif (found := resolve_file(path, self.tree)) is not None:
                fresh.append(_stored(found, fact_ids[path]))
        for row, number in zip(fresh, store.put_resolutions(fresh), strict=True):
            self.files[row.path] = (row.fact_id, number)
            self.work.edges += len(row.edges)
        self.work.resolved += len(fresh)


def _stored(found: Resolution, fact_id: int) -> StoredResolution:
    return StoredResolution(found.path, fact_id, _VERSION + inputs_of(found.reads), found.reads, found.edges, found.limitations)


class OnDemand:
    """`Resolves` for one indexed tree: files are resolved when they are asked for, and the index is told."""

    def __init__(self, project: Project, work: Resolved) -> None:
        self._project, self._work = project, work
        self._resolver: Resolver | None = None

    def resolve(self, view: IndexedTree, paths: Sequence[bytes]) -> None:
        """Resolve these files of a tree and write down that they are."""
        wanted = [path for path in paths if has_names(path, view)]
        if wanted:
            self._run(view, wanted)

    def resolve_all(self, view: IndexedTree) -> None:
        """Resolve what is not yet resolved of a tree. One process at a time does so for a repository; a second waits and finds it done.

        Raises StoreLockedError where the other one takes too long.
        """
        index = self._project.index
        with nullcontext() if index.is_temporary else writer_lock(self._project.home, LIMITS.indexing_seconds):
            rows = index.tree(view.tree.snapshot.key)
            if rows is not None and rows.meta.get("resolver") == RESOLVER_VERSION:
                view.files.update((path, row) for path, row in rows.files.items() if row[1] and path in view.files)
            left = unresolved(view)
            view.meta["is_resolved"] = True
            self._run(view, left)
        # What the resolver held is free only now that nothing leads to it.
        self._resolver = None
        collect_young(is_last=True)

    def _run(self, view: IndexedTree, paths: list[bytes]) -> None:
        if self._resolver is None:
            self._resolver = Resolver(self._project, ResolvedTree(view.tree, view.loader, view.files, {}), view.files, self._work)
        self._resolver.run(paths)
        rows = [TreeFile(path, *view.files[path]) for path in paths]
        index, key = self._project.index, view.tree.snapshot.key
        with index.transaction():
            # Another process may have said more of the tree meanwhile: the count goes up with each.
            stored = index.tree_meta(key) or view.meta
            view.meta["resolved"] = stored["resolved"] + len(rows)
            view.meta["is_resolved"] |= stored["is_resolved"]
            index.add_to_tree(key, rows, view.meta, view.files)


def has_names(path: bytes, view: IndexedTree) -> bool:
    """Whether there is anything to resolve in a file: code that could be read."""
    return LANGUAGES[language_of(path)].kind == "code" and not view.loader.skipped(view.files[path][0])


def unresolved(view: IndexedTree) -> list[bytes]:
    """The files of a tree whose names are not resolved yet, sorted."""
    view.loader.read_headers(fact_id for fact_id, resolution in view.files.values() if fact_id and not resolution)
    return sorted(path for path, (fact_id, resolution) in view.files.items() if fact_id and not resolution and has_names(path, view))
