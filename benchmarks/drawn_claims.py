"""Claims about a real tree, of every kind of anchor and in both languages, drawn with a fixed seed: what the replays keep while history goes by."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from knowledge.claims.sets import QUESTIONS
from knowledge.operations.record import Draft
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.identifiers import SymbolId, show_path

Maker = Callable[[SymbolId, IndexedTree], Draft | None]


def drafts_of(view: IndexedTree, count: int, seed: int = 7) -> list[Draft]:
    """Claims of all classes about symbols of a tree, at most `count`; each seed begins with another class."""
    chance = random.Random(seed)
    symbols = sorted(s for s in view.all_symbols() if not view.kinds_of(s.path) and s.ordinal == 0)
    chance.shuffle(symbols)
    configured = list(_configured(view))
    chance.shuffle(configured)
    makers = (*_ABOUT_SYMBOLS, *(_question(name) for name in QUESTIONS))
    found = configured[: max(1, count // 10)]
    for turn, symbol in enumerate(symbols * 3):
        if len(found) >= count:
            break
        draft = makers[(turn + seed * count) % len(makers)](symbol, view)
        if draft is not None:
            found.append(draft)
    return found[:count]


def _question(name: str) -> Maker:
    of_files = QUESTIONS[name].of_files or name == "imports"

    def make(symbol: SymbolId, view: IndexedTree) -> Draft:
        about = show_path(symbol.path) if of_files else str(symbol)
        return Draft(f"the {name} of {about} are all known", anchors=(f"{name}:{about}",))

    return make


def _edge(symbol: SymbolId, view: IndexedTree) -> Draft | None:
    edges = [e for e in view.edges_from(symbol, "calls") if e.object.path and "<" not in e.object.qualified_name]
    return Draft(f"{symbol} calls {edges[0].object}", anchors=(f"edge:{symbol} calls {edges[0].object}",)) if edges else None


def _value(symbol: SymbolId, view: IndexedTree) -> Draft | None:
    facts = view.facts(symbol.path)
    if facts is None or not facts.values:
        return None
    return Draft(f"the value of {facts.values[0].key}", anchors=(f"value:{show_path(symbol.path)}::{facts.values[0].key}",))


def _quote(symbol: SymbolId, view: IndexedTree) -> Draft | None:
    facts = view.facts(symbol.path)
    found = next((d for d in facts.definitions if d.qualified_name == symbol.qualified_name), None) if facts is not None else None
    return Draft(f"quoted from {symbol}", anchors=(f"source:{show_path(symbol.path)}:{found.span.row + 1}",)) if found else None


def _configured(view: IndexedTree) -> Iterator[Draft]:
    """One value of each configuration file."""
    for path in sorted(view.paths()):
        facts = view.facts(path) if path.endswith((b".toml", b".yaml", b".yml", b".json", b".ini", b".cfg", b".env")) else None
        if facts is not None and facts.values:
            value = facts.values[len(facts.values) // 2]
            yield Draft(f"{show_path(path)} says what {value.key} is", anchors=(f"value:{show_path(path)}::{value.key}",))


_ABOUT_SYMBOLS: tuple[Maker, ...] = (
    lambda s, _: Draft(f"behaviour of {s}", anchors=(f"body:{s}",)),
    lambda s, _: Draft(f"{s}의 동작 (엄격)", anchors=(f"strict:{s}",)),
    lambda s, _: Draft(f"what {s} takes", anchors=(f"signature:{s}",)),
    lambda s, _: Draft(f"{s.qualified_name} is defined in {show_path(s.path)}", anchors=(f"location:{s}",)),
    lambda s, _: Draft(f"keep {s} as it is", kind="decision", anchors=(f"body:{s}",)),
    lambda s, _: Draft(f"{s} does all that is asked of it", anchors=(f"body:{s}",), complete=True),
    lambda s, _: Draft(f"{s}는 매달 다시 본다", anchors=(f"body:{s}@support", "days:30"), review_when="commits >= 50"),
    lambda s, _: Draft(f"nothing in the package calls {s}"),
    lambda s, _: Draft(f"{s}은 값을 반환하지 않는다"),
    _edge,
    _value,
    _quote,
)
