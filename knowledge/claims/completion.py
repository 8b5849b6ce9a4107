"""Completion of citations: what a claim about behaviour also rests on, when only the definition itself was cited.

One level down: what it calls, and the constants of a module that it reads, as far as name resolution proved them and tests aside. They are
offered, never taken by themselves: with them a change of a callee makes the claim stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from knowledge.claims.anchors import make_anchor
from knowledge.claims.locating import definition_of
from knowledge.claims.view import TreeView
from knowledge.records.claims import Anchor
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, read_symbol, show_path

_CONSTRUCTORS = ("__init__", "constructor")
MOST = 24
"""Anchors that are offered for one claim: beyond that nobody reads them."""


def rests_on(anchors: Iterable[Anchor], view: TreeView) -> tuple[Anchor, ...]:
    """Support anchors for what the bodies among `anchors` call and read, in the order of the code; those that are given already left out."""
    given = list(anchors)
    known = {a.digest for a in given} | {make_anchor("body", symbol=a.target["symbol"], strict=False).digest for a in given if a.kind == "body"}
    below = (one for a in given if a.kind == "body" for one in _below(read_symbol(a.target["symbol"]), view))
    return tuple(islice(_fresh(below, known), MOST))


def _fresh(anchors: Iterable[Anchor], known: set[str]) -> Iterator[Anchor]:
    """Each anchor once, the known ones aside."""
    for anchor in anchors:
        if anchor.digest not in known:
            known.add(anchor.digest)
            yield anchor


def _below(symbol: SymbolId, view: TreeView) -> Iterator[Anchor]:
    """The anchors for one definition, whatever is defined inside of it aside."""
    for edge in _edges(symbol, view):
        target = edge.object
        is_own = target.path == symbol.path and _is_inside(target.qualified_name, symbol.qualified_name)
        if edge.confidence_kind != "resolved" or target.is_external or is_own or "test" in view.kinds_of(target.path):
            continue
        anchor = _callee(target, view) if edge.predicate == "calls" else _constant(target, view)
        if anchor is not None:
            yield anchor


def _edges(symbol: SymbolId, view: TreeView) -> list[Edge]:
    """What goes out of the definition and of everything inside of it, in the order of the code."""
    facts = view.facts(symbol.path)
    names = [d.qualified_name for d in facts.definitions if _is_inside(d.qualified_name, symbol.qualified_name)] if facts is not None else []
    edges = [e for name in dict.fromkeys(names) for p in ("calls", "reads") for e in view.edges_from(SymbolId(symbol.path, name), p)]
    return sorted(edges, key=lambda e: e.start)


def _is_inside(name: str, owner: str) -> bool:
    return name == owner or name.startswith(owner + ".")


def _callee(target: SymbolId, view: TreeView) -> Anchor | None:
    """The body of what is called; of a class its constructor's."""
    definition = definition_of(view, target)
    if definition is not None and definition.kind == "class":
        made_by = (SymbolId(target.path, f"{target.qualified_name}.{name}") for name in _CONSTRUCTORS)
        found = next((symbol for symbol in made_by if definition_of(view, symbol) is not None), None)
        return make_anchor("body", "support", symbol=str(found), strict=False) if found is not None else None
    return make_anchor("body", "support", symbol=str(target), strict=False) if definition is not None else None


def _constant(target: SymbolId, view: TreeView) -> Anchor | None:
    """The value of a name of a module; attributes and names without a plain value are none."""
    facts = view.facts(target.path)
    if facts is None or "." in target.qualified_name or not any(v.key == target.qualified_name for v in facts.values):
        return None
    return make_anchor("value", "support", path=show_path(target.path), key=target.qualified_name)
