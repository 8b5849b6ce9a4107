"""What differs between two trees, as watch keys.

A key names something whose change can change the reading of an anchor (`docs/architecture.md`). Hashes are compared, never lines: a file that
was touched and says the same gives no key for its symbols.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analyzers.facts import FileFacts, SymbolDigests
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, show_path


@dataclass(frozen=True, slots=True)
class FileSide:
    """One side of a changed path. blob_id "": the file is not there. `packages` are set where unreadable files count."""

    blob_id: str = ""
    facts: FileFacts | None = None
    digests: SymbolDigests | None = None
    skipped: str = ""
    packages: tuple[str, ...] = ()

    @property
    def is_unreadable(self) -> bool:
        return bool(self.skipped) or (self.facts is not None and self.facts.has_error)


@dataclass(frozen=True, slots=True)
class FileChange:
    """A path that differs between two trees."""

    path: bytes
    old: FileSide
    new: FileSide


def keys_of_file(change: FileChange) -> set[str]:
    """The keys that one changed path touches, edges aside."""
    old, new = change.old, change.new
    path = show_path(change.path)
    keys = {f"path:{path}"}
    if not old.blob_id or not new.blob_id:
        keys.add(f"basename:{path.rpartition('/')[2]}")
        keys |= {f"blob:{side.blob_id}" for side in (old, new) if side.blob_id}
    before, after = _symbols(old), _symbols(new)
    keys |= {f"symbol:{name}" for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    values_before, values_after = _values(old), _values(new)
    keys |= {f"value:{key}" for key in values_before.keys() | values_after.keys() if values_before.get(key) != values_after.get(key)}
    if old.is_unreadable != new.is_unreadable:
        keys |= {f"unreadable:{package}" for side in (old, new) if side.is_unreadable for package in side.packages}
    return keys


def _symbols(side: FileSide) -> dict[str, tuple[object, ...]]:
    """Qualified name → everything about its definitions that an anchor may read."""
    found: dict[str, tuple[object, ...]] = {}
    if side.facts is None:
        return found
    digests = side.digests.digests if side.digests is not None else ()
    for index, definition in enumerate(side.facts.definitions):
        if definition.qualified_name:
            row = (digests[index] if index < len(digests) else None, "error" in definition.flags, side.facts.has_error)
            found[definition.qualified_name] = (*found.get(definition.qualified_name, ()), row)
    return found


def _values(side: FileSide) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for value in side.facts.values if side.facts is not None else ():
        found[value.key] = (*found.get(value.key, ()), value.digest)
    return found


def keys_of_edges(old: Iterable[Edge], new: Iterable[Edge]) -> set[str]:
    """The keys of edges that are on one side only (positions aside)."""
    before, after = {_edge(e) for e in old}, {_edge(e) for e in new}
    keys = set()
    for subject, predicate, target, *_ in before ^ after:
        keys.add(f"from:{predicate}:{end_name(subject)}")
        keys.add(f"into:{predicate}:{end_name(target)}")
    return keys


def _edge(edge: Edge) -> tuple[SymbolId, str, SymbolId, str, str, str]:
    return edge.subject, edge.predicate, edge.object, edge.confidence_kind, edge.name, edge.reason


def end_name(symbol: SymbolId) -> str:
    """How an edge's end is written in a key: by name, so that a move is followed; a file by its path, an outside module by its name."""
    return symbol.qualified_name or show_path(symbol.path) or symbol.package
