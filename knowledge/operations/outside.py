"""The edges from outside that are present in one tree: those whose two files have the content that they were computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from knowledge.operations.tree_view import IndexedTree
from knowledge.records.analyses import Analysis
from knowledge.records.edges import Edge, Limitation
from knowledge.records.identifiers import SymbolId
from knowledge.storage.ledger_analyses import Analyses

PREDICATES = "predicates"
"""In an analysis's detail: the predicates of which it says all it knows. Of others its silence means nothing."""


class OutsideTree:
    """Analyses as one tree sees them. Without any, every question costs one look at the ledger."""

    def __init__(self, view: IndexedTree, analyses: Analyses) -> None:
        self._view, self._analyses = view, analyses
        self._unpacked: dict[tuple[str, bytes], tuple[Edge, ...]] = {}
        self._found: dict[SymbolId, tuple[Edge, ...]] = {}

    def edges_from(self, path: bytes) -> Sequence[Edge]:
        """All edges going out of a file, of every analyzer."""
        return [edge for analysis, digest in self._present.get(path, ()) for edge in self._edges(analysis, path, digest)]

    def edges_into(self, symbols: Iterable[SymbolId]) -> Sequence[Edge]:
        """All edges that lead to one of these symbols."""
        return [edge for symbol in symbols for edge in self._into(symbol)] if self._present else []

    def all_edges(self) -> Iterator[Edge]:
        """Every edge that is present in the tree."""
        for path in sorted(self._present):
            yield from self.edges_from(path)

    def looking_at(self, path: bytes, predicate: str) -> Sequence[str]:
        """Who says all it knows of such relations in this file as it is here."""
        found = (analysis for analysis, _ in self._present.get(path, ()) if analysis.is_whole and predicate in analysis.detail.get(PREDICATES, ()))
        return [said_by(analysis) for analysis in found]

    def limitations(self) -> Sequence[Limitation]:
        """For each analyzer from outside what it did not see of this tree: files that have changed since, and that it looked at another tree."""
        return self._gaps

    def present_files(self) -> Counter[str]:
        """Analysis id → in how many files it answers in this tree."""
        return Counter(analysis.id for several in self._present.values() for analysis, _ in several)

    def _into(self, symbol: SymbolId) -> tuple[Edge, ...]:
        if symbol not in self._found:
            found = [
                edge
                for digest in sorted(self._analyses.leading_to([symbol]))
                for analysis, path in self._holders.get(digest, ())
                for edge in self._edges(analysis, path, digest)
                if edge.object == symbol
            ]
            self._found[symbol] = tuple(found)
        return self._found[symbol]

    def _edges(self, analysis: Analysis, path: bytes, digest: str) -> tuple[Edge, ...]:
        """The edges of one file by one analysis, without those that lead into a file of another content."""
        if (analysis.id, path) not in self._unpacked:
            packed, blob_of = self._analyses.edges(digest), self._view.blob_id
            is_pinned = {other: blob_of(other) == blob_id for other, blob_id in packed.pins.items()}
            self._unpacked[analysis.id, path] = tuple(
                replace(edge, analyzer=analysis.tool, analyzer_version=analysis.version, configuration=analysis.configuration)
                for edge in packed.edges
                if edge.object.path in (b"", path) or is_pinned.get(edge.object.path, False)
            )
        return self._unpacked[analysis.id, path]

    @cached_property
    def _standing(self) -> list[Analysis]:
        return self._analyses.standing()

    @cached_property
    def _looked_at(self) -> dict[str, list[tuple[bytes, str, str]]]:
        """Analysis id → the files of this tree that it looked at: path, blob id, digest of the edges."""
        found: dict[str, list[tuple[bytes, str, str]]] = {analysis.id: [] for analysis in self._standing}
        if found:
            for row in self._analyses.files(found):
                if self._view.has_path(row.path):
                    found[row.analysis_id].append((row.path, row.blob_id, row.edges_digest))
        return found

    @cached_property
    def _present(self) -> dict[bytes, list[tuple[Analysis, str]]]:
        """Path → the analyses that looked at its present content, with the digest of what they say. Of whole ones by one analyzer the fittest."""
        key = self._view.tree.snapshot.key
        found: dict[bytes, dict[tuple[str, ...], tuple[Analysis, str]]] = {}
        # The one made of this very tree comes last, and the newest last among the others.
        for analysis in sorted(self._standing, key=lambda analysis: analysis.snapshot_key == key):
            slot = analysis.analyzer if analysis.is_whole else (analysis.id,)
            for path, blob_id, digest in self._looked_at[analysis.id]:
                if self._view.blob_id(path) == blob_id:
                    found.setdefault(path, {})[slot] = (analysis, digest)
        return {path: list(slots.values()) for path, slots in found.items()}

    @cached_property
    def _holders(self) -> dict[str, list[tuple[Analysis, bytes]]]:
        """Digest of packed edges → the analyses and files that they are present for."""
        found: dict[str, list[tuple[Analysis, bytes]]] = {}
        for path, several in self._present.items():
            for analysis, digest in several:
                found.setdefault(digest, []).append((analysis, path))
        return found

    @cached_property
    def _gaps(self) -> list[Limitation]:
        """One limitation for each analyzer whose files have changed, and one for each that looked at another tree."""
        looked: dict[str, set[bytes]] = {}
        here: dict[str, set[bytes]] = {}
        for analysis in self._standing:
            looked.setdefault(said_by(analysis), set()).update(path for path, _, _ in self._looked_at[analysis.id])
        for path, several in self._present.items():
            for analysis, _ in several:
                here.setdefault(said_by(analysis), set()).add(path)
        trees = Counter(said_by(a) for a in self._standing if a.snapshot_key == self._view.tree.snapshot.key)
        gaps = []
        for name, paths in sorted(looked.items()):
            past = len(paths - here.get(name, set()))
            if past:
                detail = f"{past} of {len(paths)} files that {name} looked at have another content here; what it said of them is left out"
                gaps.append(Limitation("outside-past", detail))
            if not trees[name] and here.get(name):
                detail = f"{name} looked at another tree; a file that differs may have changed what names mean in those that do not"
                gaps.append(Limitation("outside-tree", detail))
        return gaps


def said_by(analysis: Analysis) -> str:
    """Whose edges they are, as an edge names it."""
    name = f"{analysis.tool} {analysis.version}".strip()
    return f"{name} ({analysis.configuration})" if analysis.configuration else name
