"""What bears on a goal: a first context pack. What could overturn the conclusion is filled first and never dropped without a count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from knowledge.claims.lifecycle import KEPT, worst_first
from knowledge.claims.locating import definition_of
from knowledge.claims.proposals import meant
from knowledge.claims.spelling import signature_text
from knowledge.claims.statements import mentions
from knowledge.invalidation.propagate import Held
from knowledge.operations.graph_tree import candidates
from knowledge.operations.lines import claim_line, edge_line
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.specs import file_or_symbol
from knowledge.operations.tree_view import IndexedTree
from knowledge.recall.tokens import estimate_tokens
from knowledge.records.answers import ClaimLine, ContextAnswer, SymbolLine
from knowledge.records.claims import ClaimStatus
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, show_path

Line = TypeVar("Line")

_AROUND = ("calls", "implements", "reads", "writes", "imports")
_SYMBOLS, _EDGES, _CLAIMS = 20, 30, 20
"""How many of each a pack holds at most; what is left out is counted."""
_WORD = re.compile(r"[A-Za-z][a-z0-9]+|[A-Z]{2,}(?![a-z])|[가-힣]{2,}")
_COMMON = frozenset((
    "the", "a", "an", "and", "or", "of", "to", "in", "on", "for", "from", "is", "are", "be", "with", "when", "that", "this", "not", "only", "into",
    "add", "fix", "make", "use", "how", "why", "what",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A goal, what is in focus (symbols or paths), and how many tokens the answer may have (0: no bound)."""

    goal: str
    focus: tuple[str, ...] = ()
    budget_tokens: int = 2_000


def context(project: Project, asked: Asked, *, at: str | None = None) -> ContextAnswer:
    """Claims, symbols and edges that bear on the goal in a tree. Raises UnknownSymbolError for a focus that is not there."""
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    focus = [file_or_symbol(text, view) for text in asked.focus]
    symbols = _symbols(asked.goal, focus, view)
    edges, edges_left = _edges(symbols, view)
    statuses = reading.statuses(view)
    held = reading.held(statuses)
    scored = _bearing(asked.goal, symbols, edges, held, statuses)
    in_conflict = {c for c, one in held.items() if any(x.resolution is None for x in one.contradictions)}
    fallen = [s for s in scored if (s.status not in KEPT or s.claim_id in in_conflict) and s.status not in ("withdrawn", "superseded")]
    kept = [s for s in scored if s.status in KEPT and s.claim_id not in in_conflict]
    decisions = [s for s in kept if held[s.claim_id].claim.kind == "decision"]
    others = [s for s in kept if held[s.claim_id].claim.kind != "decision"]
    budget = _Budget(asked.budget_tokens)
    lines = [
        budget.take([claim_line(held[s.claim_id], s, view) for s in group], limit)
        for group, limit in ((fallen, _CLAIMS), (decisions, _CLAIMS), (others, _CLAIMS))
    ]
    shown_symbols = budget.take([_symbol_line(s, why, view) for s, why in symbols], _SYMBOLS)
    shown_edges = budget.take([edge_line(e) for e in edges], _EDGES)
    left_out = {
        "stale_or_conflicting_claims": len(fallen) - len(lines[0]),
        "active_decisions": len(decisions) - len(lines[1]),
        "relevant_claims": len(others) - len(lines[2]),
        "relevant_symbols": len(symbols) - len(shown_symbols),
        "edges": len(edges) - len(shown_edges) + edges_left,
    }
    return ContextAnswer(
        tree=project.tree_name(view.tree.snapshot),
        goal=asked.goal,
        stale_or_conflicting_claims=lines[0],
        verification_required=tuple(_verification(line) for line in lines[0]),
        relevant_claims=lines[2],
        active_decisions=lines[1],
        relevant_symbols=shown_symbols,
        edges=shown_edges,
        limitations=view.limitations_of({s.path for s, _ in symbols}),
        left_out={name: count for name, count in left_out.items() if count},
    )


class _Budget:
    """Takes lines while there are tokens left. The first group is filled first."""

    def __init__(self, tokens: int) -> None:
        self._left = float(tokens) if tokens else float("inf")

    def take(self, lines: Sequence[Line], limit: int) -> tuple[Line, ...]:
        """The first lines, as many as fit."""
        taken = []
        for line in lines[:limit]:
            cost = estimate_tokens(str(line)) * 0.6
            if cost > self._left:
                break
            self._left -= cost
            taken.append(line)
        return tuple(taken)


def words_of(text: str) -> set[str]:
    """Lower-case words of a text, identifiers split at capitals and underscores, common words aside."""
    return {w for w in (m[0].lower() for m in _WORD.finditer(text.replace("_", " "))) if w not in _COMMON and len(w) > 1}


def _symbols(goal: str, focus: Sequence[SymbolId], view: IndexedTree) -> list[tuple[SymbolId, str]]:
    """Symbols in focus, named in the goal, and those whose names share the goal's words; each with why."""
    found: dict[SymbolId, str] = {s: "in focus" for s in focus if s.qualified_name}
    for path in [s.path for s in focus if not s.qualified_name]:
        facts = view.facts(path)
        for definition in facts.definitions if facts is not None else ():
            if definition.qualified_name and "." not in definition.qualified_name:
                found.setdefault(SymbolId(path, definition.qualified_name, definition.ordinal), "in a file in focus")
    for mention in mentions(goal):
        for symbol in meant(mention, view, lambda name: candidates(name, view))[:3]:
            if symbol.qualified_name:
                found.setdefault(symbol, "named in the goal")
    wanted = words_of(goal)
    ranked = sorted(
        ((len(wanted & words_of(s.qualified_name)), s) for s in view.all_symbols()),
        key=lambda r: (-r[0], view.kinds_of(r[1].path) != frozenset(), str(r[1])),
    )
    for score, symbol in ranked[:_SYMBOLS]:
        if score:
            found.setdefault(symbol, f"shares {score} word{'s' if score > 1 else ''} with the goal")
    return list(found.items())


def _symbol_line(symbol: SymbolId, why: str, view: IndexedTree) -> SymbolLine:
    definition = definition_of(view, symbol)
    if definition is None:
        return SymbolLine(str(symbol), "file", show_path(symbol.path), "", why)
    signature = signature_text(definition) if definition.kind in ("function", "method") else ""
    return SymbolLine(
        str(symbol), definition.kind, f"{show_path(symbol.path)}:{definition.span.row + 1}-{definition.span.end_row + 1}", signature, why
    )


def _edges(symbols: Sequence[tuple[SymbolId, str]], view: IndexedTree) -> tuple[list[Edge], int]:
    found: dict[Edge, None] = {}
    for symbol, _ in symbols[:_SYMBOLS]:
        for predicate in _AROUND:
            found.update(dict.fromkeys((*view.edges_into(symbol, predicate), *view.edges_from(symbol, predicate))))
    order = sorted(found, key=lambda e: (e.confidence_kind != "resolved", e.object.is_external, str(e.subject), e.start))
    return order[: _EDGES * 4], max(0, len(order) - _EDGES * 4)


def _bearing(
    goal: str, symbols: Iterable[tuple[SymbolId, str]], edges: Iterable[Edge], held: dict[str, Held], statuses: dict[str, ClaimStatus]
) -> list[ClaimStatus]:
    """Claims that stand on what is shown, or speak of the goal's words; what needs attention first."""
    names = {str(s) for s, _ in symbols} | {str(e.subject) for e in edges} | {str(e.object) for e in edges}
    wanted = words_of(goal)
    found = []
    for claim_id, status in statuses.items():
        one = held[claim_id]
        about = {str(v) for a in one.anchors for v in a.target.values()} | {r.place for r in status.readings.values()}
        overlap = len(wanted & words_of(one.claim.statement))
        if about & names or overlap >= min(2, len(wanted)):
            found.append((-overlap - 3 * bool(about & names), worst_first(status), status))
    return [status for _, _, status in sorted(found, key=lambda f: (f[1][0], f[0], f[1][1]))]


def _verification(line: ClaimLine) -> str:
    why = next((c.detail or c.reason for c in line.causes), "")
    if not why:
        why = f"in conflict: {', '.join(line.open_conflicts)}" if line.open_conflicts else "looked at and undecided"
    place = next((c.place for c in line.causes if c.place), "")
    return f"{line.id}: check again before relying on it ({why}{f' at {place}' if place else ''})"
