"""A diff that fits on a screen: what became of one definition, value or file between two trees, computed when somebody looks.

Nothing of it is stored: where git no longer has one of the trees there is no diff, and that is said.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from knowledge.claims.masking import mask
from knowledge.errors import RepositoryReadError
from knowledge.operations.tree_view import TreeFiles
from knowledge.records.identifiers import SymbolId

MOST_LINES = 12
"""Lines of a diff, the one that says how many more there are included."""
_MOST_COMPARED = 400
"""Differing lines of one side: beyond that lines are not paired, for that costs their square."""
_LINE_WIDTH = 160
_GAP = "…"
_PYTHON = re.compile(r"(?:async\s+def|def|class)\s|@")
_QUOTES = re.compile(r"""\s*[rRuUbB]?(\"{3}|'{3})""")


def small_diff(old: Sequence[str], new: Sequence[str], most: int = MOST_LINES) -> tuple[str, ...]:
    """The lines that differ, with `-`, `+` or a blank before them and one line around each change, at most `most`; () where nothing differs."""
    if list(old) == list(new):
        return ()
    first = _shared(old, new)
    last = min(_shared(old[::-1], new[::-1]), len(old) - first, len(new) - first)
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    changed = _paired(before, after) if max(len(before), len(after)) <= _MOST_COMPARED else _replaced(before, after)
    around = [[f"  {line}" for line in lines if line] for lines in (old[max(0, first - 1) : first], old[len(old) - last :][:1])]
    lines = [*around[0], *changed, *around[1]]
    if len(lines) > most:
        lines = [line for line in lines if not line.startswith("  ")]
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{_GAP} {len(lines) - most + 1} more lines"]
    return tuple(line[:_LINE_WIDTH] + (_GAP if len(line) > _LINE_WIDTH else "") for line in lines)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _paired(old: Sequence[str], new: Sequence[str]) -> list[str]:
    found: list[str] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        found += [f"  {_GAP}"] if found else []
        for tag, a, b, c, d in group:
            found += [f"  {line}" for line in old[a:b]] if tag == "equal" else _replaced(old[a:b], new[c:d])
    return found


def _replaced(old: Iterable[str], new: Iterable[str]) -> list[str]:
    return [*(f"- {line}" for line in old), *(f"+ {line}" for line in new)]


def symbol_lines(symbol: SymbolId, view: TreeFiles) -> list[str] | None:
    """The lines of a definition, of the value at a key path, or of a whole file, secrets masked; None where the tree has no such thing or bytes.

    Of a name that is defined more than once (overloads, branches) all definitions, one after the other.
    """
    try:
        content = view.text(symbol.path) if symbol.path else None
        rows = _rows(symbol, view) if content is not None else ()
    except RepositoryReadError:
        return None
    if content is None or not rows:
        return None
    lines = content.split(b"\n")
    text = mask(b"\n".join(line for first, end in rows for line in lines[first:end]).decode("utf-8", "replace")).replace("\r", "")
    return [line.rstrip() for line in textwrap.dedent(text).split("\n")] if text.strip() else []


def _rows(symbol: SymbolId, view: TreeFiles) -> Sequence[tuple[int, int | None]]:
    """First row, and the one after the last (None: to the end), of each part."""
    if not symbol.qualified_name:
        return [(0, None)]
    facts = view.facts(symbol.path)
    if facts is None:
        return []
    named = [d for d in facts.definitions if d.qualified_name == symbol.qualified_name]
    if symbol.ordinal:
        named = [d for d in named if d.ordinal == symbol.ordinal]
    if named:
        return [(d.span.row, d.span.end_row + 1) for d in named]
    return [(v.span.row, v.span.end_row + 1) for v in facts.values if v.key == symbol.qualified_name][:1]


def without_docstring(lines: Sequence[str]) -> list[str]:
    """The lines of a Python definition without its docstring; anything else as it is."""
    header = next((i for i, line in enumerate(lines) if line.endswith(":")), None)
    if header is None or not _PYTHON.match(lines[0]):
        return list(lines)
    first = next((i for i in range(header + 1, len(lines)) if lines[i]), len(lines))
    opened = _QUOTES.match(lines[first]) if first < len(lines) else None
    if opened is None:
        return list(lines)
    rest = [lines[first][opened.end() :], *lines[first + 1 :]]
    length = next((i + 1 for i, line in enumerate(rest) if opened[1] in line), len(rest))
    return [*lines[: header + 1], *lines[first + length :]]
