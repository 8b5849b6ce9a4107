"""Putting a context pack together within its budget: pure, and the same for the same candidates.

A third of the budget is kept for what could overturn the conclusion: claims that are stale, in conflict or up for review, and what the analysis
cannot show. It is filled first; what does not fit is counted. What it leaves goes to the rest, and what the rest leaves comes back to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from knowledge.recall.tokens import estimate_tokens
from knowledge.records.packs import (
    CallFrame,
    ContextPack,
    PackCheck,
    PackClaim,
    PackEdge,
    PackFile,
    PackGoal,
    PackSymbol,
    PackTest,
    PackTree,
)  # fmt: skip
from knowledge.views.pack_text import (
    TITLES,
    check_text,
    claim_text,
    edge_text,
    file_text,
    goal_text,
    render,
    symbol_text,
    test_text,
)  # fmt: skip

Item = TypeVar("Item")

_OVERTURNING_SHARE = 0.35
"""Of the budget, for what could overturn the conclusion."""
_SHARES = {"active_decisions": 0.12, "relevant_claims": 0.2, "recent_test_observations": 0.08, "resolved_and_inferred_edges": 0.15}
"""Of what is left then, at most; definitions get the rest."""
_MOST_FILES = 10
_FALLEN = frozenset({"stale", "needs_review"})
_OUT = frozenset({"withdrawn", "superseded", "rejected"})
_TITLE_TOKENS = 12.0
"""A part's heading, and the line that says how many were left out."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """All that may go into a pack, each list with what matters most first. limits: what the analysis cannot show around what is listed."""

    claims: Sequence[PackClaim] = ()
    limits: Sequence[str] = ()
    tests: Sequence[PackTest] = ()
    files: Sequence[PackFile] = ()
    symbols: Sequence[PackSymbol] = ()
    edges: Sequence[PackEdge] = ()
    plan_node: PackClaim | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    """What was not even looked at, by the part that it would have been in."""
    notes: tuple[str, ...] = ()


def build(frame: CallFrame, tree: PackTree, candidates: Candidates) -> ContextPack:
    """The pack for a frame. Its compact text has at most `frame.budget_tokens` tokens, its goal and headings aside where those alone have more."""
    goal = PackGoal(frame.goal, frame.constraints, candidates.plan_node)
    purse = _Purse(frame.budget_tokens)
    purse.spend("\n".join(goal_text(goal, tree)), *candidates.notes, also=_TITLE_TOKENS * (len(TITLES) + 2))
    fallen = [c for c in candidates.claims if is_overturning(c)]
    standing = [c for c in candidates.claims if not is_overturning(c) and c.status not in _OUT]
    decisions = [c for c in standing if c.kind == "decision"]
    others = [c for c in standing if c.kind != "decision"]

    share = purse.part(_OVERTURNING_SHARE)
    shown_fallen = share.take(fallen, _claim_and_check)
    limits = share.take(candidates.limits, lambda limit: f"- {limit}")
    purse.settle(share)
    shown: dict[str, Sequence[Any]] = {}
    rest: dict[str, tuple[Sequence[Any], Callable[[Any], str]]] = {
        "active_decisions": (decisions, claim_text),
        "relevant_claims": (others, claim_text),
        "recent_test_observations": (candidates.tests, test_text),
        "resolved_and_inferred_edges": (candidates.edges, edge_text),
    }
    for name, (items, text) in rest.items():
        part = purse.part(_SHARES[name])
        shown[name] = part.take(items, text)
        purse.settle(part)
    rerun = _rerun(candidates.tests)
    shown_rerun = purse.take(rerun, check_text)
    files = purse.take(candidates.files[:_MOST_FILES], file_text)
    symbols = purse.take(candidates.symbols, _symbol_with_file())
    # What the rest did not need comes back to what could overturn the conclusion.
    shown_fallen = (*shown_fallen, *purse.take(fallen[len(shown_fallen) :], _claim_and_check))
    limits = (*limits, *purse.take(candidates.limits[len(limits) :], lambda limit: f"- {limit}"))
    left_out = {
        "stale_or_conflicting_claims": len(fallen) - len(shown_fallen),
        "verification_required_before_return": len(rerun) - len(shown_rerun),
        "analysis_limits": len(candidates.limits) - len(limits),
        **{name: len(items) - len(shown[name]) for name, (items, _) in rest.items()},
        "relevant_files": len(candidates.files) - len(files),
        "relevant_symbols_and_source_ranges": len(candidates.symbols) - len(symbols),
    }
    left_out = {name: count for name in left_out | candidates.left_out if (count := left_out.get(name, 0) + candidates.left_out.get(name, 0))}
    pack = ContextPack(
        tree=tree,
        current_goal_and_constraints=goal,
        stale_or_conflicting_claims=shown_fallen,
        verification_required_before_return=(*checks_of(shown_fallen), *shown_rerun),
        analysis_limits=limits,
        active_decisions=tuple(shown["active_decisions"]),
        relevant_claims=tuple(shown["relevant_claims"]),
        recent_test_observations=tuple(shown["recent_test_observations"]),
        relevant_files=files,
        relevant_symbols_and_source_ranges=by_file(symbols),
        resolved_and_inferred_edges=tuple(shown["resolved_and_inferred_edges"]),
        left_out=left_out,
        notes=candidates.notes,
    )
    return replace(pack, tokens=round(estimate_tokens(render(pack))))


def is_overturning(claim: PackClaim) -> bool:
    """Whether a claim cannot be used as it stands: it fell, or a kept claim says otherwise."""
    return claim.status in _FALLEN or (bool(claim.contradicts) and claim.status not in _OUT)


def checks_of(claims: Sequence[PackClaim]) -> tuple[PackCheck, ...]:
    """The least set of checks that these claims wait for: one for each thing to look at, in the order of the claims."""
    waiting: dict[tuple[str, str], list[str]] = {}
    for claim in claims:
        waiting.setdefault(_to_look_at(claim), []).append(claim.id)
    return tuple(PackCheck(what, why, tuple(ids)) for (what, why), ids in waiting.items())


def _rerun(tests: Sequence[PackTest]) -> tuple[PackCheck, ...]:
    """The one check that tests wait for which failed, or whose results are of other content."""
    waiting = sum(test.is_overturning for test in tests)
    why = f"of the tests looked at {waiting} failed or ran on other content"
    return (PackCheck("knowledge tests affected --run", why, ()),) if waiting else ()


def _to_look_at(claim: PackClaim) -> tuple[str, str]:
    if claim.contradicts and claim.status not in _FALLEN:
        return "which of them holds", f"{claim.id} and {', '.join(claim.contradicts)} contradict each other"
    return (claim.rests_on[0] if claim.rests_on else "by asking, for the repository cannot show it"), claim.reason or f"it is {claim.status}"


def by_file(symbols: Sequence[PackSymbol]) -> tuple[PackSymbol, ...]:
    """Symbols that something of their own speaks for as they come; then the others, those of one file together, from top to bottom."""
    own, others = [s for s in symbols if s.why], [s for s in symbols if not s.why]
    order = {path: place for place, path in enumerate(dict.fromkeys(s.path for s in others))}
    return (*own, *sorted(others, key=lambda s: (order[s.path], s.first, s.symbol)))


def _claim_and_check(claim: PackClaim) -> str:
    return claim_text(claim) + "\n" + "\n".join(map(check_text, checks_of([claim])))


def _symbol_with_file() -> Callable[[PackSymbol], str]:
    """What a symbol adds to the text: its line, and its file's where it is the first of it."""
    named: set[str] = set()

    def text(symbol: PackSymbol) -> str:
        if symbol.why:
            return symbol_text(symbol)
        head = "" if symbol.path in named else f"{symbol.path}:\n"
        named.add(symbol.path)
        return head + symbol_text(symbol)

    return text


class _Purse:
    """Tokens that are still to be spent; without a bound where there were none to begin with."""

    def __init__(self, tokens: float) -> None:
        self.has_bound = tokens > 0
        self.left = float(tokens)

    def spend(self, *texts: str, also: float = 0.0) -> None:
        """Pay for what is shown whatever is left."""
        self.left -= sum(estimate_tokens(text) for text in texts) + also

    def part(self, share: float) -> _Purse:
        """A purse with a share of what is left; `settle` takes back what it did not spend."""
        part = _Purse(self.left * share)
        part.has_bound = self.has_bound
        self.left -= part.left
        return part

    def settle(self, part: _Purse) -> None:
        """Take back what a part did not spend."""
        self.left += part.left

    def take(self, items: Sequence[Item], text: Callable[[Item], str]) -> tuple[Item, ...]:
        """The first items whose texts fit, none behind the first that does not: an order is kept."""
        for place, item in enumerate(items):
            cost = estimate_tokens(text(item) + "\n")
            if self.has_bound and cost > self.left:
                return tuple(items[:place])
            self.left -= cost
        return tuple(items)
