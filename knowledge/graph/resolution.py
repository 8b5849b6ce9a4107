"""What resolving one file gives: edges, the questions that they rest on, and what could not be seen. Shared by all languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from analyzers.facts import FileFacts, Span
from knowledge.graph.reads import Tree, View
from knowledge.graph.values import Class, External, Flow, Function, Lambda, Value
from knowledge.records.edges import ConfidenceKind, Edge, Limitation, Predicate
from knowledge.records.identifiers import SymbolId, external_symbol, file_symbol
from knowledge.records.stored import Read

RESOLVER = "knowledge"
RESOLVER_VERSION = "6"
"""Raise it whenever edges come out otherwise for the same facts."""
RIVALS = 8
"""A guess between more targets than this is no guess: it is told as a limitation."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The edges found in one file, good in every tree that answers `reads` alike."""

    path: bytes
    reads: tuple[Read, ...]
    edges: tuple[Edge, ...]
    limitations: tuple[Limitation, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """One end of an edge and how it was found."""

    symbol: SymbolId
    confidence_kind: ConfidenceKind
    reason: str
    rivals: int = 0


class EdgeWriter:
    """Collects the edges and limitations of one file."""

    def __init__(self, view: View, facts: FileFacts) -> None:
        self._view = view
        self._facts = facts
        self._edges: dict[tuple[int, str, str, bytes, int, str], Edge] = {}
        self._limitations: Counter[str] = Counter()
        self._rows: dict[str, int] = {}
        self._details: dict[str, str] = {}
        self.path = view.importer

    def symbol(self, path: bytes, index: int) -> SymbolId:
        return self._view.tree.symbol(path, index) if index > 0 else file_symbol(path)

    def owner(self, scope: int) -> SymbolId:
        """The definition in whose body a scope stands."""
        return self.symbol(self.path, self._facts.scopes[scope].definition)

    def add(self, subject: SymbolId, predicate: Predicate, target: Target, span: Span, name: str = "") -> None:
        """Adds an edge; of two between the same ends at the same place the first stays."""
        symbol = target.symbol
        key = (span.start, predicate, symbol.qualified_name, symbol.path, symbol.ordinal, subject.qualified_name)
        if key not in self._edges:
            self._edges[key] = Edge(
                subject, predicate, symbol, target.confidence_kind, target.reason, span.start, span.end, span.row, span.column,
                name, target.rivals, RESOLVER, RESOLVER_VERSION,
            )  # fmt: skip

    def edges(self) -> Collection[Edge]:
        """What was added so far."""
        return self._edges.values()

    def limit(self, code: str, row: int = -1, detail: str = "") -> None:
        """Notes that something could not be seen; equal notes of a file are counted together, where nothing is said in detail."""
        self._limitations[code] += 1
        self._details.setdefault(code, detail)
        self._rows.setdefault(code, row)

    def resolution(self) -> Resolution:
        limitations = [
            Limitation(code, self._details[code] or (f"{count} in this file" if count > 1 else ""), self.path, self._rows[code])
            for code, count in sorted(self._limitations.items())
        ]
        limitations += [Limitation(found.code, found.detail, self.path, found.row) for found in self._facts.limitations]
        return Resolution(self.path, self._view.reads(), tuple(self._edges.values()), tuple(limitations))


def targets_of(flow: Flow, tree: Tree) -> list[Target]:
    """What a flow's definitions are as targets: resolved where there is one and it is certain, else each inferred with its rivals."""
    symbols = list(dict.fromkeys(symbol for value in flow.values if (symbol := symbol_of(value, tree)) is not None))
    if flow.is_certain and len({(symbol.path, symbol.package, symbol.qualified_name) for symbol in symbols}) == 1:
        # One name that is defined in several branches: whichever runs, it is that name.
        return [Target(symbol, "resolved", (flow.reason or "local") if len(symbols) == 1 else "branch") for symbol in symbols]
    reason = "branch" if flow.is_certain else flow.reason or "flow"
    return [Target(symbol, "inferred", reason, len(symbols) - 1) for symbol in symbols]


def symbol_of(value: Value, tree: Tree) -> SymbolId | None:
    """The symbol that a value is, if it is a definition, a lambda, or something outside by name."""
    if isinstance(value, Function | Class):
        return tree.symbol(value.path, value.index)
    if isinstance(value, Lambda):
        return tree.lambda_symbol(value.path, value.scope)
    if isinstance(value, External) and value.package != "builtins":
        return external_symbol(value.package, value.name)
    return None


def is_known_outside(values: Iterable[Value]) -> bool:
    """Whether none of these values is anything of the repository."""
    return not any(isinstance(value, Function | Class) for value in values)
