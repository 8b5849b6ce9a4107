"""Where a symbol stands now: following moves as a pure function of two trees.

A new path is followed (file renamed, split, merged; function moved; method pulled up to a base class); a new *name* is not: that is
`gone`, with a hint. Two possible homes are never chosen between, unless exactly one of them has the very content, or is in the file that the
old file has become.
Earlier re-anchoring is history, never input, so step by step and one jump agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from analyzers.facts import Definition, SymbolDigest
from knowledge.claims.view import FactsView, TreeView
from knowledge.records.identifiers import SymbolId

_DEPTH = 40
"""Longest chain of bases that is followed."""


NOT_FOLLOWED = "git has the tree of the verdict no longer, so a move could not be followed"
"""What is said of something gone whose past cannot be read."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a symbol was found. `hint` says what may have become of one that is gone."""

    state: Literal["present", "gone", "two_homes", "unreadable"]
    symbol: SymbolId
    hint: str = ""
    is_moved: bool = False


def indexes_of(view: FactsView, symbol: SymbolId) -> tuple[int, ...]:
    """The definitions of the symbol's qualified name in its file, in order."""
    facts = view.facts(symbol.path)
    if facts is None:
        return ()
    return tuple(i for i, d in enumerate(facts.definitions) if d.qualified_name == symbol.qualified_name)


def definition_of(view: FactsView, symbol: SymbolId) -> Definition | None:
    """The symbol's definition (of its ordinal), or None."""
    facts = view.facts(symbol.path)
    if facts is None:
        return None
    return next((d for d in facts.definitions if d.qualified_name == symbol.qualified_name and d.ordinal == symbol.ordinal), None)


def digests_of(view: FactsView, symbol: SymbolId) -> tuple[SymbolDigest, ...]:
    """The digests of all definitions of the name in the symbol's file."""
    found = view.digests(symbol.path)
    return tuple(found.digests[i] for i in indexes_of(view, symbol)) if found else ()


def locate(symbol: SymbolId, then: FactsView | None, now: TreeView) -> Place:
    """Where `symbol` (as named in the tree `then`; None: that tree cannot be read any more) stands in `now`."""
    if symbol.is_external:
        return Place("present", symbol)
    if not symbol.qualified_name:
        return locate_file(symbol.path, then, now)
    if indexes_of(now, symbol):
        return Place("present", symbol)
    if now.has_path(symbol.path) and _cannot_tell(now, symbol.path):
        return Place("unreadable", symbol, now.skipped(symbol.path) or "does not parse")
    homes = _likeliest(symbol, _new_homes(symbol, then, now), then, now)
    if len(homes) == 1:
        return Place("present", homes[0], is_moved=True)
    if homes:
        return Place("two_homes", symbol, ", ".join(str(h) for h in homes[:4]))
    pulled_up = _pulled_up(symbol, then, now)
    if pulled_up is not None:
        return Place("present", pulled_up, is_moved=True)
    return Place("gone", symbol, _renamed_hint(symbol, then, now) if then is not None else NOT_FOLLOWED)


def locate_file(path: bytes, then: FactsView | None, now: TreeView) -> Place:
    """Where a file stands now: at its path, at the one new path with its bytes, or where its definitions went."""
    here = SymbolId(path, "")
    if now.has_path(path):
        return Place("present", here)
    if then is None:
        return Place("gone", here, NOT_FOLLOWED)
    same = [p for p in now.paths_of_blob(then.blob_id(path)) if not then.has_path(p)]
    if len(same) > 1:
        same = [p for p in same if _basename(p) == _basename(path)] or same
    if len(same) == 1:
        return Place("present", SymbolId(same[0], ""), is_moved=True)
    if same:
        return Place("two_homes", here, f"{len(same)} files with the same bytes")
    heir = _heir(path, then, now)
    return Place("present", SymbolId(heir, ""), is_moved=True) if heir else Place("gone", here)


def _basename(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


def _heir(path: bytes, then: FactsView, now: TreeView) -> bytes | None:
    """The one new file that took over what a file that is gone defined: a third of its rows, twice as many as the next. Without any, its namesake."""
    facts = then.facts(path)
    rows = {d.qualified_name: d.span.end_row - d.span.row + 1 for d in facts.definitions if d.parent == 0} if facts is not None else {}
    taken: dict[bytes, int] = {}
    for name in sorted(rows):
        for home in now.definitions(name):
            if not then.has_path(home.path) and home.ordinal == 0:
                taken[home.path] = taken.get(home.path, 0) + rows[name]
    best = sorted(taken.items(), key=lambda found: (-found[1], found[0]))
    if best and best[0][1] * 3 > sum(rows.values()) and (len(best) == 1 or best[0][1] >= 2 * best[1][1]):
        return best[0][0]
    named = [p for p in now.paths_named(_basename(path)) if not then.has_path(p)]
    return named[0] if len(named) == 1 and not rows else None


def _cannot_tell(view: FactsView, path: bytes) -> bool:
    facts = view.facts(path)
    return bool(view.skipped(path)) if facts is None else facts.has_error


def _new_homes(symbol: SymbolId, then: FactsView | None, now: TreeView) -> list[SymbolId]:
    """Files that define the name now and did not in `then`, tests and copies aside unless it was there already."""
    own = now.kinds_of(symbol.path)
    homes = []
    for home in now.definitions(symbol.qualified_name):
        if home.path == symbol.path or home.ordinal:
            continue
        if then is not None and indexes_of(then, SymbolId(home.path, symbol.qualified_name)):
            continue
        if now.kinds_of(home.path) - own:
            continue
        homes.append(SymbolId(home.path, symbol.qualified_name, symbol.ordinal))
    return homes


def _likeliest(symbol: SymbolId, homes: Sequence[SymbolId], then: FactsView | None, now: TreeView) -> Sequence[SymbolId]:
    """Of several new homes the one that has the very content, else the one in the file that the symbol's file has become; all where neither tells."""
    if then is None or len(homes) < 2:
        return homes
    wanted = [d.body_strict for d in digests_of(then, symbol)]
    equal = [h for h in homes if [d.body_strict for d in digests_of(now, h)] == wanted]
    if len(equal) == 1:
        return equal
    heir = locate_file(symbol.path, then, now)
    return [h for h in homes if heir.state == "present" and h.path == heir.symbol.path] or homes


def _pulled_up(symbol: SymbolId, then: FactsView | None, now: TreeView) -> SymbolId | None:
    """The method of the nearest base class that took the symbol's place, where that base did not have it in `then`."""
    owner_name, _, method = symbol.qualified_name.rpartition(".")
    if not owner_name or then is None:
        return None
    owner = locate(SymbolId(symbol.path, owner_name), then, now)
    if owner.state != "present":
        return None
    seen, level = {owner.symbol}, [owner.symbol]
    for _ in range(_DEPTH):
        bases = [e.object for c in level for e in now.edges_from(c, "implements") if e.confidence_kind == "resolved" and not e.object.is_external]
        level = [b for b in dict.fromkeys(bases) if b not in seen]
        seen.update(level)
        homes = [SymbolId(b.path, f"{b.qualified_name}.{method}") for b in level]
        found = [h for h in homes if indexes_of(now, h)]
        if found:
            return found[0] if len(found) == 1 and not indexes_of(then, found[0]) else None
        if not level:
            return None
    return None


def _renamed_hint(symbol: SymbolId, then: FactsView | None, now: TreeView) -> str:
    heir = renamed_to(symbol, then, now)
    return f"the same body is now called {heir}" if heir else ""


def renamed_to(symbol: SymbolId, then: FactsView | None, now: TreeView) -> SymbolId | None:
    """The one definition of the symbol's file that has its body under a name which was not there in `then`."""
    facts, digests = now.facts(symbol.path), now.digests(symbol.path)
    if then is None or facts is None or digests is None:
        return None
    wanted = {d.body for d in digests_of(then, symbol) if d.body}
    old = then.facts(symbol.path)
    known = {d.qualified_name for d in old.definitions} if old else set()
    same = [
        SymbolId(symbol.path, d.qualified_name, d.ordinal)
        for d, digest in zip(facts.definitions, digests.digests, strict=True)
        if digest.body in wanted and d.qualified_name not in known
    ]
    return same[0] if len(same) == 1 else None
