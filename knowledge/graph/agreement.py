"""Which analyzers say the same of one place in the code, which say something else, and which looked and say nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId

_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})
_IGNORED_ORDINAL = 0


@dataclass(frozen=True, slots=True)
class Agreement:
    """What is said of one relation by each analyzer that speaks of its file.

    said_by: those that know the relation. silent: those that looked at the file for such relations and do not know this one.
    instead: (analyzer, object): those that lead elsewhere from the same place.
    """

    said_by: tuple[str, ...]
    silent: tuple[str, ...]
    instead: tuple[tuple[str, SymbolId], ...]


def compare(edge: Edge, around: Iterable[Edge], looking: Sequence[str]) -> Agreement:
    """around: all edges of the edge's file. looking: who says all it knows of such relations in that file."""
    relation = relation_of(edge)
    said = {edge.said_by}
    elsewhere: dict[tuple[str, SymbolId], None] = {}
    for other in around:
        if other.predicate != edge.predicate:
            continue
        if relation_of(other) == relation:
            said.add(other.said_by)
        elif other.start < edge.end and edge.start < other.end:
            elsewhere[other.said_by, other.object] = None
    # One analyzer may lead to several targets from one place; where it knows this one, the others are its own matter.
    instead = tuple(sorted(pair for pair in elsewhere if pair[0] not in said))
    silent = sorted(set(looking) - said - {name for name, _ in instead})
    return Agreement(tuple(sorted(said)), tuple(silent), instead)


def relation_of(edge: Edge) -> tuple[SymbolId, str, SymbolId]:
    """What an edge says, whoever says it: a constructor counts as its class, definitions repeated under one name as one."""
    return _plain(edge.subject), edge.predicate, _plain(edge.object)


def _plain(symbol: SymbolId) -> SymbolId:
    owner, _, last = symbol.qualified_name.rpartition(".")
    name = owner if owner and last in _CONSTRUCTORS else symbol.qualified_name
    return SymbolId(symbol.path, name, _IGNORED_ORDINAL, symbol.package)
