"""What recorded runs say of the code that a goal is about: the latest result of each test that ran it, and whether that still holds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from knowledge.operations.project import Project
from knowledge.operations.retests import Known, Retests
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.identifiers import SymbolId, show_path
from knowledge.records.packs import PackTest, TestState
from knowledge.records.runs import BAD, CoveredTest

_RUNS = 5
"""What older runs say is not recent."""
_MOST = 24
"""Tests that are held against the tree; the others that ran the code are counted."""
_BY_IMPORTS = 0.2
"""What a file in focus counts that a test only imports, beside a function that it ran."""


def tests_around(project: Project, view: IndexedTree, symbols: Sequence[SymbolId]) -> tuple[list[PackTest], int]:
    """The tests that bear on these definitions or files, what matters most first, and how many more there are.

    First those that failed or do not hold here, then those that ran most of the definitions and little besides. What a report alone tells of a
    test is there where it failed on this very content: nothing says what it ran.
    """
    retests = Retests(project, view, most_runs=_RUNS)
    weights = {str(symbol): 1 / (1 + place) for place, symbol in reversed(list(enumerate(symbols)))}
    paths = {show_path(symbol.path) for symbol in symbols}
    near = {}
    positions: dict[str, dict[int, float]] = {}
    for test, known in retests.known.items():
        coverage = retests.coverage(known.run)
        if coverage is not None:
            if known.run.id not in positions:
                positions[known.run.id] = {place: weights[s.symbol] for place, s in enumerate(coverage.symbols) if s.symbol in weights}
            if weight := _weight(coverage.tests[test], positions[known.run.id], paths) + weights.get(known.result.symbol, 0.0):
                near[test] = weight
    chosen = sorted(near, key=lambda test: (retests.known[test].result.outcome not in BAD, -near[test], test))[:_MOST]
    found = [_line(test, retests.known[test], retests) for test in chosen]
    told = [
        PackTest(result.test, result.outcome, "exact", retests.at(result.run_id))
        for result in retests.reported()
        if result.outcome in BAD and result.test not in near
    ]
    found = [*told[:_MOST], *found]
    return sorted(found, key=lambda line: not line.is_overturning), len(near) - len(chosen) + max(0, len(told) - _MOST)


def _weight(covered: CoveredTest, weights: dict[int, float], paths: set[str]) -> float:
    """How much a test bears on definitions, by their positions in its run's coverage: by those that it ran, less the more it ran besides."""
    ran = sum(weights[position] for position in weights.keys() & covered.ran)
    imported = _BY_IMPORTS * len(paths & covered.rests_on.keys())
    return ran / math.sqrt(1 + len(covered.ran)) + imported / math.sqrt(1 + len(covered.rests_on))


def _line(test: str, known: Known, retests: Retests) -> PackTest:
    reasons = retests.reasons(known.run, test)
    is_exact = known.run.snapshot_key == retests.view.tree.snapshot.key
    state: TestState = "changed" if reasons else "exact" if is_exact else "equal"
    return PackTest(test, known.result.outcome, state, known.run.at, "; ".join(reasons[:2]))
