"""Which files have to be resolved anew when a tree changes, and no others.

    terms     changed    paths whose facts differ between the two trees (added and removed ones among them)
              key        a question that resolutions note, as (kind, key): see `reads`
              reader     a file whose resolution noted a key

    steps     1. `changed_keys`: the keys whose answers differ, found from the changed paths alone: module questions that an added or
                 removed path may answer; what project files say, where those changed; the interface of every name of a changed
                 file; every short name that a changed file defines in another way than before. `_route_keys`: the facts of a
                 changed file whose routers others mount.
              2. `plan`: resolve the changed files that have facts, and the readers of changed keys.
              3. For each of them a resolution that was stored before may hold (a branch switched back): `holds` says so.

Because a resolution depends on nothing but the file's facts and its reads, no reader of a reader has to be looked at.
A tree resolved step by step equals one resolved from scratch: `tests/properties/test_graph_incremental.py`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from knowledge.graph.layout import decode
from knowledge.graph.outline import MODULE_SCOPE, Outline
from knowledge.graph.project_files import JAVASCRIPT_FILES, PYTHON_FILES
from knowledge.graph.reads import Tree
from knowledge.graph.resolution import Resolution
from knowledge.graph.resolve import resolve_file
from knowledge.records.stored import Read

Key = tuple[str, str]
Readers = Callable[[Iterable[Key]], Iterable[bytes]]
"""Keys → the paths whose resolutions in the old tree noted one of them."""


@dataclass(frozen=True, slots=True)
class Plan:
    """resolve: paths to resolve anew, sorted. keys: the questions that are answered in another way than before."""

    resolve: tuple[bytes, ...]
    keys: frozenset[Key]


def plan(old: Tree, new: Tree, changed: Iterable[bytes], readers: Readers) -> Plan:
    """What to resolve so that all resolutions hold in `new`, given that all held in `old`."""
    paths = set(changed)
    keys = changed_keys(old, new, paths) | _route_keys(old, new, paths, readers)
    wanted = {path for path in (*paths, *readers(keys)) if path in new.layout.paths and new.outline(path) is not None}
    return Plan(tuple(sorted(wanted)), keys)


def resolve_all(tree: Tree, paths: Iterable[bytes]) -> Iterator[Resolution]:
    """The resolutions of these files, in order; files without facts are left out."""
    for path in paths:
        found = resolve_file(path, tree)
        if found is not None:
            yield found


def holds(reads: Iterable[Read], tree: Tree) -> bool:
    """Whether a resolution that noted these answers holds in `tree` (for the same path and facts)."""
    return all(tree.answer(read.kind, read.key) == read.answer for read in reads)


def changed_keys(old: Tree, new: Tree, changed: Iterable[bytes]) -> frozenset[Key]:
    """The questions that are answered in another way in `new` than in `old`."""
    asked: set[Key] = set()
    moved = False
    project_files = False
    for path in changed:
        if (path in old.layout.paths) != (path in new.layout.paths):
            moved = True
            asked.update(("module", key) for layout in (old.layout, new.layout) for key in layout.module_keys(path))
        project_files = project_files or posixpath.basename(path) in PYTHON_FILES + JAVASCRIPT_FILES
        asked.update(_interface_keys(path, old, new))
        asked.update(_name_keys(path, old, new))
    if moved or project_files:
        asked.update(_layout_keys(old, new))
    return frozenset(key for key in asked if old.answer(*key) != new.answer(*key))


def _route_keys(old: Tree, new: Tree, paths: set[bytes], readers: Readers) -> frozenset[Key]:
    """The files whose routes others mount. All facts of a file are hashed for it, so it is asked first whether anybody does."""
    asked = [("routes", decode(path)) for path in sorted(paths)]
    if not any(True for _ in readers(asked)):
        return frozenset()
    return frozenset(key for key in asked if old.answer(*key) != new.answer(*key))


def _interface_keys(path: bytes, old: Tree, new: Tree) -> Iterator[Key]:
    before, after = old.source.interface(path), new.source.interface(path)
    if before and before == after:
        return
    names = {"*"}
    for outline in (old.outline(path), new.outline(path)):
        if outline is not None:
            names.update(outline.names[MODULE_SCOPE], outline.globals, (export.name for export in outline.exports))
    for name in names:
        yield "interface", f"{decode(path)}::{name}"


def _name_keys(path: bytes, old: Tree, new: Tree) -> Iterator[Key]:
    before, after = _definitions(old.outline(path)), _definitions(new.outline(path))
    for name in {row[0] for row in before ^ after}:
        yield "name", name


def _definitions(outline: Outline | None) -> set[tuple[str, str, int, str, bool]]:
    if outline is None:
        return set()
    return {(d.name, d.qualified_name, d.ordinal, d.kind, "overload" in d.flags) for d in outline.definitions[1:]}


def _layout_keys(old: Tree, new: Tree) -> Iterator[Key]:
    """Every directory with code in it: which project it belongs to, and what that can see."""
    for directory in {posixpath.dirname(path) for tree in (old, new) for path in tree.layout.paths}:
        yield "layout", "python:" + decode(directory)
        yield "layout", "javascript:" + decode(directory)
