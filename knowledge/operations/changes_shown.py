"""What made a claim fall, shown: for each cause the anchor, the place, and a small diff of what changed between two trees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knowledge.errors import RepositoryReadError
from knowledge.operations.lines import anchor_text
from knowledge.operations.small_diff import small_diff, symbol_lines, without_docstring
from knowledge.operations.tree_view import TreeFiles
from knowledge.records.claims import Anchor, Cause
from knowledge.records.identifiers import SymbolId, read_path, read_symbol
from knowledge.records.invalidations import ChangeLine

_WORD = re.compile(r"[^\s;,]+")
_LINE = re.compile(r"(?P<path>.+):(?P<line>\d+)\Z")


@dataclass(frozen=True, slots=True)
class Sides:
    """The trees before and after a change; None where git no longer has one. names: how they are called in messages."""

    old: TreeFiles | None
    new: TreeFiles | None
    names: tuple[str, str]


def change_line(cause: Cause, anchor: Anchor | None, sides: Sides, known: Sequence[str] = ()) -> ChangeLine:
    """A cause with its diff. known: places at which the anchor's subject was seen, so that it is found on both sides of a move."""
    about = anchor_text(anchor) if anchor is not None else ""
    gone = [name for tree, name in zip((sides.old, sides.new), sides.names, strict=True) if tree is None]
    diff: list[str] = []
    if sides.old is not None and sides.new is not None:
        for places in _shown(cause, anchor, known, sides.old, sides.new):
            diff += _diff(places, sides.old, sides.new)
            if diff:
                break
    return ChangeLine(cause.reason, about, cause.place, cause.detail, tuple(diff), f"git no longer has {' and '.join(gone)}" if gone else "")


def _diff(places: Sequence[SymbolId], old: TreeFiles, new: TreeFiles) -> tuple[str, ...]:
    """What became of the thing that stands at one of these places in each tree."""
    before = next((lines for p in places if (lines := symbol_lines(p, old)) is not None), None) or []
    after = next((lines for p in places if (lines := symbol_lines(p, new)) is not None), None) or []
    # Few claims are about what is written for people, and a docstring leaves no room for the rest.
    return small_diff(without_docstring(before), without_docstring(after)) or small_diff(before, after)


def _shown(cause: Cause, anchor: Anchor | None, known: Iterable[str], old: TreeFiles, new: TreeFiles) -> list[list[SymbolId]]:
    """What to show for a cause, the most telling first: each as the places at which it may stand."""
    found: list[list[SymbolId]] = []
    if anchor is None or anchor.kind in ("set", "edge"):
        # Of a set what came or went tells more than its subject, which may not have changed at all.
        found += [[symbol] for symbol in map(read_symbol, _WORD.findall(cause.detail)) if old.has_path(symbol.path) or new.has_path(symbol.path)]
        around = _around(cause.place, new)
        found += [[around]] if around is not None else []
    texts = [cause.place, *known, *([_subject(anchor)] if anchor is not None else [])]
    places = [read_symbol(text) for text in dict.fromkeys(texts) if text and not _LINE.match(text)]
    return [*found, places] if places else found


def _subject(anchor: Anchor) -> str:
    target = anchor.target
    if anchor.kind == "value":
        return f"{target['path']}::{target['key']}"
    return str(target.get("symbol") or target.get("subject") or target.get("path") or "")


def _around(place: str, view: TreeFiles) -> SymbolId | None:
    """The innermost definition around a place that is told as `path:line`; the file where there is none."""
    found = _LINE.match(place)
    if found is None:
        return None
    path, row = read_path(found["path"]), int(found["line"]) - 1
    try:
        facts = view.facts(path)
    except RepositoryReadError:
        return None
    inside = [d for d in facts.definitions if d.qualified_name and d.span.row <= row <= d.span.end_row] if facts is not None else []
    innermost = max(inside, key=lambda d: d.span.row, default=None)
    return SymbolId(path, innermost.qualified_name, innermost.ordinal) if innermost is not None else SymbolId(path, "")
