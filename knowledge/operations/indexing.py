"""Indexing a tree: facts of blobs that are new, resolutions of files that must be resolved anew, and the tree as a difference from another.

    base tree + changed entries → facts (once per content) → plan (graph.build) → resolutions (stored ones that hold, else new) → tree rows

Nothing is done twice for the same content: facts are shared by all trees, a resolution by all trees that answer its reads alike.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from analyzers.registry import LANGUAGES, classify, language_of
from knowledge.config import LIMITS
from knowledge.facts.extraction import FactExtractor
from knowledge.facts.payloads import GENERATED
from knowledge.graph.build import plan
from knowledge.graph.reads import Tree as ResolverTree
from knowledge.graph.resolution import RESOLVER_VERSION
from knowledge.operations.project import WORKING_TREE, Project
from knowledge.operations.resolving import OnDemand, Resolved, Resolver, unresolved
from knowledge.operations.tree_view import MISSING, FactLoader, IndexedTree, ResolvedTree
from knowledge.records.answers import IndexAnswer
from knowledge.records.identifiers import show_path
from knowledge.records.stored import FactKey, StoredFacts, TreeFile
from knowledge.records.trees import EntryChange, FileEntry
from knowledge.repository.interface import Tree
from knowledge.storage.bulk import collect_young, collection_paused
from knowledge.storage.lock import writer_lock

_BATCH = 256
MAX_TREES, MAX_BYTES = 400, 2_000_000_000
"""Bounds of the index: least recently used trees beyond them are collected."""
_SPARE_TREES = 50
"""So many more than that before they are."""
_SHOWN_SKIPPED = 5


@dataclass(frozen=True, slots=True)
class IndexRun:
    """A tree to be indexed, and what it is indexed with."""

    project: Project
    loader: FactLoader
    extractor: FactExtractor
    tree: Tree


@dataclass(slots=True)
class Indexed:
    """An indexed tree, and what it cost. is_known: it was indexed before."""

    view: IndexedTree
    is_known: bool = False
    analyzed: int = 0
    facts_reused: int = 0
    work: Resolved = field(default_factory=Resolved)


@dataclass(slots=True)
class _Work:
    """One tree while it is being indexed. files, unreadable and links begin as the base's and end as the tree's."""

    run: IndexRun
    base: ResolvedTree | None
    changes: list[EntryChange]
    files: dict[bytes, tuple[int, int]]
    unreadable: dict[str, str]
    links: set[str]
    analyzed: int = 0
    facts_reused: int = 0
    resolved: Resolved = field(default_factory=Resolved)
    touched: set[bytes] = field(default_factory=set)


def index(project: Project, revision: str | None = None, *, is_full: bool = False) -> IndexAnswer:
    """Index the tree of a revision (None: the working tree as it is). is_full: resolve all its names now, not when a question needs them.

    Raises UnknownRevisionError.
    """
    started = time.perf_counter()
    with FactExtractor() as extractor:
        loader = FactLoader(project.index, extractor, project.repository)
        name = revision or (WORKING_TREE if project.repository.workdir is not None else "HEAD")
        done = index_tree(IndexRun(project, loader, extractor, project.repository.tree(name)))
        if is_full:
            done.view.resolve_all()
    collect(project)
    skipped: dict[str, list[str]] = {}
    for path, code in sorted(done.view.meta.get("unreadable", {}).items()):
        skipped.setdefault(code, []).append(path)
    return IndexAnswer(
        tree=project.tree_name(done.view.tree.snapshot),
        files=len(done.view.files),
        analyzed=done.analyzed,
        facts_reused=done.facts_reused,
        resolved=done.work.resolved,
        resolutions_reused=done.work.reused,
        edges=done.work.edges,
        unresolved=0 if done.view.is_resolved else len(unresolved(done.view)),
        skipped={code: tuple(paths[:_SHOWN_SKIPPED]) for code, paths in skipped.items()},
        skipped_count=sum(len(p) for p in skipped.values()),
        seconds=round(time.perf_counter() - started, 3),
        was_rebuilt=project.index.was_rebuilt,
    )


def index_tree(run: IndexRun) -> Indexed:
    """The tree as a view, indexed now if it is not yet. One process at a time indexes a repository; a second waits and finds it done.

    Raises StoreLockedError where the other one takes too long.
    """
    known = _known(run)
    if known is not None:
        return known
    if run.project.index.is_temporary:
        return _index_now(run)
    with writer_lock(run.project.home, LIMITS.indexing_seconds):
        done = _known(run) or _index_now(run)
    # What the resolvers held is free only now that their frames are gone.
    collect_young(is_last=True)
    return done


def _known(run: IndexRun) -> Indexed | None:
    rows = run.project.index.tree(run.tree.snapshot.key)
    if rows is None or rows.meta.get("resolver") != RESOLVER_VERSION:
        return None
    work = Resolved()
    return Indexed(IndexedTree(run.tree, run.loader, rows.files, rows.meta, OnDemand(run.project, work)), is_known=True, work=work)


def _index_now(run: IndexRun) -> Indexed:
    """Facts and resolutions are written in batches as they come (they are good whatever becomes of this run), the tree last."""
    work = _begin(run, _base(run))
    # Everything made here is kept until the end: looking for garbage in it costs more than the work itself.
    with collection_paused():
        _read_facts(work)
        _resolve(work)
        meta = {
            "unreadable": work.unreadable,
            "links": sorted(work.links),
            "resolver": RESOLVER_VERSION,
            "is_resolved": work.base is not None and work.base.is_resolved,
            "files": len(work.files),
            "resolved": sum(1 for _, resolution in work.files.values() if resolution),
        }
        _store_tree(work, meta)
    return Indexed(
        # The rows were filled in while the resolver looked at them: a fresh view remembers nothing of the time before.
        IndexedTree(run.tree, run.loader, work.files, meta, OnDemand(run.project, work.resolved)),
        analyzed=work.analyzed,
        facts_reused=work.facts_reused,
        work=work.resolved,
    )


def _base(run: IndexRun) -> ResolvedTree | None:
    """The indexed tree that this one is likely to differ least from: the worktree's own, else the one used last."""
    store, repository = run.project.index, run.project.repository
    state = store.worktree_state(repository.worktree_name)
    for key in dict.fromkeys(k for k in (state.tree_key if state else None, store.latest_tree()) if k):
        rows = store.tree(key) if "+" not in key and repository.has_object(key) else None
        if rows is not None and rows.meta.get("resolver") == RESOLVER_VERSION:
            return ResolvedTree(repository.tree(key), run.loader, rows.files, rows.meta)
    return None


def _begin(run: IndexRun, base: ResolvedTree | None) -> _Work:
    if base is None:
        return _Work(run, None, [EntryChange(path, None, entry) for path, entry in run.tree.entries().items()], {}, {}, set())
    changes = run.project.repository.diff(base.tree, run.tree)
    return _Work(run, base, changes, dict(base.files), dict(base.meta.get("unreadable", {})), set(base.meta.get("links", ())))


# ── facts ──


def _read_facts(work: _Work) -> None:
    """Facts of every changed blob, out of the index where it has them."""
    wanted: dict[bytes, FactKey] = {}
    for change in work.changes:
        work.files.pop(change.path, None)
        work.unreadable.pop(show_path(change.path), None)
        work.links.discard(show_path(change.path))
        if change.new is not None:
            work.files[change.path] = (0, 0)
            if change.new.kind == "symlink":
                work.links.add(show_path(change.path))
            key = _key_of(change.new)
            if key is not None:
                wanted[change.path] = key
    store = work.run.project.index
    known = store.fact_ids(set(wanted.values()))
    missing = [key for key in dict.fromkeys(wanted.values()) if key not in known]
    work.facts_reused = len(known)
    work.run.project.progress.start("reading files", len(missing))
    for batch in _extracted(work, missing):
        known |= store.put_facts(batch)
        work.analyzed += len(batch)
        work.run.project.progress.advance(len(batch))
    work.run.project.progress.finish()
    headers = store.fact_headers({known[k] for k in wanted.values() if k in known})
    for path, key in wanted.items():
        work.files[path] = (known.get(key, 0), 0)
        _, remark, skipped = headers[known[key]] if key in known else (key, "", MISSING)
        if LANGUAGES[key.language].kind == "code":
            skipped = skipped or remark or (GENERATED if GENERATED in classify(path) else "")
        if skipped:
            work.unreadable[show_path(path)] = skipped


def _key_of(entry: FileEntry) -> FactKey | None:
    """Submodules are boundaries and a symbolic link has no code of its own; neither has facts."""
    language = language_of(entry.path) if entry.kind in ("file", "executable") else ""
    return FactKey(entry.blob_id, language) if language else None


def _extracted(work: _Work, missing: list[FactKey]) -> Iterator[list[StoredFacts]]:
    """The facts of the blobs, in batches. A blob that cannot be had (a partial clone) is left out, one that is too large to be read is skipped."""
    languages: dict[str, list[FactKey]] = {}
    for key in missing:
        languages.setdefault(key.blob_id, []).append(key)

    too_large: list[StoredFacts] = []

    def blobs() -> Iterator[tuple[FactKey, bytes]]:
        for blob_id, content in work.run.tree.read_many(languages):
            if content is not None:
                for key in languages[blob_id]:
                    yield key, content
            elif (size := work.run.tree.size(blob_id)) is not None:
                too_large.extend(work.run.extractor.unread(key, "file-too-large", f"{size} bytes") for key in languages[blob_id])

    rows = work.run.extractor.extract(blobs())
    while batch := list(islice(rows, _BATCH)):
        yield batch
    if too_large:
        yield too_large


# ── resolutions ──


def _resolve(work: _Work) -> None:
    """Resolve anew what the base had resolved and what may be resolved otherwise now. The rest waits until something asks for it."""
    base = work.base
    if base is None or not (base.is_resolved or any(resolution for _, resolution in base.files.values())):
        return
    source = ResolvedTree(work.run.tree, work.run.loader, work.files, {})
    resolver = Resolver(work.run.project, source, work.files, work.resolved)
    paths = _to_resolve(work, resolver.tree)
    resolver.run(paths)
    work.touched.update(paths)


def _to_resolve(work: _Work, new: ResolverTree) -> list[bytes]:
    """What has to be resolved so that whatever was resolved in the base is resolved in the tree: changed files and the readers of what changed."""
    base, index = work.base, work.run.project.index
    assert base is not None
    changed = [c.path for c in work.changes]
    if len(changed) * 2 > len(work.files):
        wanted: Iterable[bytes] = work.files
    else:

        def readers(keys: Iterable[tuple[str, str]]) -> list[bytes]:
            found = index.resolutions_reading(keys)
            return [path for path, (_, resolution) in base.files.items() if resolution in found] if found else []

        wanted = plan(ResolverTree(base), new, changed, readers).resolve
    code = (path for path in wanted if work.files[path][0] and LANGUAGES[language_of(path)].kind == "code")
    return sorted(path for path in code if base.is_resolved or base.files.get(path, (0, 0))[1])


def _store_tree(work: _Work, meta: dict[str, Any]) -> None:
    base, index = work.base, work.run.project.index
    with index.transaction():
        key = base.tree.snapshot.key if base is not None else ""
        if base is None or index.tree_meta(key) != base.meta:
            # Where another process said more of the base meanwhile, that need not be so here.
            index.put_tree(work.run.tree.snapshot.key, None, (TreeFile(path, *row) for path, row in work.files.items()), (), meta)
            return
        changed = {c.path for c in work.changes} | work.touched
        rows = [TreeFile(path, *work.files[path]) for path in changed if path in work.files]
        index.put_tree(work.run.tree.snapshot.key, key, rows, [c.path for c in work.changes if c.new is None], meta)


def collect(project: Project) -> None:
    """Keep the index within its bounds: trees that no worktree shows and nobody used for long go first.

    Some at once: to look what is still needed takes long.
    """
    index = project.index
    if index.tree_count() <= MAX_TREES + _SPARE_TREES and index.size() <= MAX_BYTES:
        return
    keep = {state.tree_key for state in project.index.worktree_states()}
    project.index.collect(keep, MAX_TREES, MAX_BYTES)
    project.index.sweep_texts()
