"""What the pure part may ask of a tree. Operations implement it over the index; tests over a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from analyzers.facts import FileFacts, SymbolDigests
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId


class FactsView(Protocol):
    """One tree's files: enough to judge what moved."""

    def has_path(self, path: bytes) -> bool: ...

    def blob_id(self, path: bytes) -> str:
        """ "" where the path is not in the tree."""
        ...

    def facts(self, path: bytes) -> FileFacts | None:
        """None where the path is absent, has no analyzer, or was skipped (`skipped` says which)."""
        ...

    def digests(self, path: bytes) -> SymbolDigests | None: ...

    def skipped(self, path: bytes) -> str:
        """A limitation's code where the file is there and has no facts, else ""."""
        ...

    def text(self, path: bytes) -> bytes | None:
        """The file's bytes; None where it is absent or cannot be read."""
        ...


class TreeView(FactsView, Protocol):
    """One tree with its edges."""

    def definitions(self, qualified_name: str) -> Sequence[SymbolId]:
        """Every definition of that qualified name in the tree, by path and ordinal."""
        ...

    def paths_of_blob(self, blob_id: str) -> Sequence[bytes]: ...

    def paths_named(self, name: bytes) -> Sequence[bytes]:
        """Every path whose last component is `name`."""
        ...

    def edges_from(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]: ...

    def edges_into(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]: ...

    def package_of(self, path: bytes) -> str:
        """The package (source root aside) a path belongs to; survives a move of the whole package."""
        ...

    def packages_of(self, path: bytes) -> Sequence[str]:
        """Every package whose sets have members in the file: its own first, then those around it."""
        ...

    def kinds_of(self, path: bytes) -> frozenset[str]:
        """test, generated, vendored, docs, example …"""
        ...

    def unreadable_in(self, package: str) -> Sequence[bytes]:
        """Source files of the package (tests, generated and vendored ones aside) that were skipped or do not parse."""
        ...

    def unresolved_in(self, package: str) -> Sequence[str]:
        """Languages of such files in the package whose names are not resolved: nothing there counts as a proved member."""
        ...
