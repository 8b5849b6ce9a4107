"""An indexed tree as the graph's questions and the symbol finder see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from analyzers.registry import LANGUAGES, language_of
from knowledge.errors import AmbiguousSymbolError, UnknownPathError, UnknownSymbolError
from knowledge.graph.agreement import Agreement, compare
from knowledge.graph.resolution import RESOLVER, RESOLVER_VERSION
from knowledge.graph.symbols import find_symbol, find_symbols
from knowledge.operations.outside import OutsideTree
from knowledge.operations.settings import SettingKeys
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.edges import Edge, Limitation, NodeKind
from knowledge.records.identifiers import SymbolId, read_path

_NODE_KINDS: dict[str, NodeKind] = {
    "function": "function",
    "method": "function",
    "class": "type",
    "interface": "type",
    "type": "type",
    "enum": "type",
}

BUILT_IN = f"{RESOLVER} {RESOLVER_VERSION}"
"""The analyzer of this program, as its edges name it."""


class GraphTree:
    """`GraphSource` and `NameSource` over one indexed tree. outside: what other programs say of it; None: only the built-in edges."""

    def __init__(self, view: IndexedTree, outside: OutsideTree | None = None) -> None:
        self.view, self.outside = view, outside

    def out_edges(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]:
        found = self.view.edges_from(symbol, predicate)
        if self.outside is None:
            return found
        told = self.outside.edges_from(symbol.path)
        return [*found, *(e for e in told if e.predicate == predicate and e.subject.qualified_name == symbol.qualified_name)]

    def in_edges(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]:
        found = self._in_edges(symbol, predicate)
        if predicate in ("reads", "writes") and not symbol.is_external:
            return [*found, *self.settings.edges_into(symbol, self._in_edges, predicate)]
        return found

    def _in_edges(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]:
        found = self.view.edges_into(symbol, predicate)
        if self.outside is None:
            return found
        return [*found, *(e for e in self.outside.edges_into(self.view.bearers(symbol)) if e.predicate == predicate)]

    def agreement(self, edge: Edge) -> Agreement | None:
        """Who says the same of the edge's place and who does not; None where only one analyzer looked at it."""
        path = edge.subject.path
        if self.outside is None:
            return None
        around, looking = self.outside.edges_from(path), self.outside.looking_at(path, edge.predicate)
        if not around and not looking:
            return None
        names = [*looking, *([BUILT_IN] if LANGUAGES[language_of(path)].has_resolution else [])]
        found = compare(edge, [*self.view.edges_of_file(path), *around], names)
        return found if len(found.said_by) + len(found.silent) + len(found.instead) > 1 else None

    def paths_named(self, name: bytes) -> Sequence[bytes]:
        return self.view.paths_named(name)

    def is_test(self, symbol: SymbolId) -> bool:
        return "test" in self.view.kinds_of(symbol.path)

    def parts(self, symbol: SymbolId) -> Sequence[SymbolId]:
        facts = self.view.facts(symbol.path) if symbol.path else None
        if facts is None:
            return ()
        name = symbol.qualified_name
        if name and not any(d.qualified_name == name and d.kind in _NODE_KINDS and _NODE_KINDS[d.kind] == "type" for d in facts.definitions):
            return ()
        inside = f"{name}." if name else ""
        return [
            SymbolId(symbol.path, d.qualified_name, d.ordinal) for d in facts.definitions if d.qualified_name.startswith(inside) and d.qualified_name
        ]

    def limitations(self, path: bytes) -> Sequence[Limitation]:
        """What could not be seen in one file; for b"" how many files of the tree could not be read, by cause, or not resolved, by language."""
        if not path:
            gaps = [(code, "", count) for code, count in sorted(self.view.limitation_counts().items())]
            gaps += [("no-resolution", f" in {language}", count) for language, count in sorted(self._unresolved.items())]
            found = [Limitation(code, f"{count} file{'s' if count > 1 else ''} of this tree{what}") for code, what, count in gaps]
            return [*found, *self.outside.limitations()] if self.outside is not None else found
        return self.view.limitations_in(path)

    def askers(self, name: str) -> Sequence[bytes]:
        # Files of the other languages ask for every name that they call: `no-resolution` tells of them all at once.
        return [path for path in self.view.paths_asking(name) if LANGUAGES[language_of(path)].has_resolution]

    def named(self, name: str) -> Sequence[SymbolId]:
        return self.view.symbols_named(name)

    def names(self) -> Iterable[str]:
        return self.view.loader.index.all_definition_names(fact_id for fact_id, _ in self.view.files.values() if fact_id)

    def has_path(self, path: bytes) -> bool:
        return self.view.has_path(path)

    def paths(self) -> Iterable[bytes]:
        return self.view.files

    @cached_property
    def settings(self) -> SettingKeys:
        """The keys of the tree's data files."""
        return SettingKeys(self.view)

    @cached_property
    def _unresolved(self) -> Counter[str]:
        """Language without a resolver → how many files of the tree are in it."""
        specs = (LANGUAGES.get(language_of(path)) for path in self.view.files)
        return Counter(spec.name for spec in specs if spec is not None and spec.kind == "code" and not spec.has_resolution)

    @cached_property
    def node_kinds(self) -> dict[SymbolId, NodeKind]:
        """What every definition of the tree is, as a node."""
        kinds: dict[SymbolId, NodeKind] = {}
        for symbol, kind in self.view.all_symbols_with_kinds():
            kinds[symbol] = "test" if self.is_test(symbol) and kind in ("function", "method") else _NODE_KINDS.get(kind, "symbol")
        return kinds


def find_one(text: str, view: IndexedTree) -> SymbolId:
    """The one symbol or file that a text means. Raises UnknownSymbolError, UnknownPathError, AmbiguousSymbolError with suggestions."""
    return find_symbol(text, GraphTree(view))


def candidates(text: str, view: IndexedTree) -> Sequence[SymbolId]:
    """Everything that a text may mean in the tree; () where it means nothing there."""
    try:
        return find_symbols(text, _Quiet(view))
    except (UnknownSymbolError, UnknownPathError, AmbiguousSymbolError):
        return ()


class _Quiet(GraphTree):
    """Has no names to suggest: prose is looked up word by word, and most words mean nothing."""

    def names(self) -> Iterable[str]:
        return ()

    def paths(self) -> Iterable[bytes]:
        return ()


def path_of(text: str) -> bytes:
    """A path as typed, without a leading `./`."""
    return read_path(text.removeprefix("./"))
