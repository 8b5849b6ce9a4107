"""An upgrade of the analyzers is not a change of the code: it flags nothing by itself, and hides nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import msgspec
import pytest

from analyzers.facts import SymbolDigests
from knowledge.claims.anchors import make_anchor
from knowledge.invalidation.propagate import Held, Past, evaluate, fingerprint
from knowledge.records.claims import Anchor, Author, Claim, ClaimStatus, FreshnessPolicy, Scope, Verdict
from knowledge.records.edges import Edge
from tests.memory_tree import MemoryTree

FILES = {"app/__init__.py": "", "app/a.py": "def f():\n    return 1\n\n\ndef g():\n    return f()\n"}
BODY = make_anchor("body", symbol="app/a.py::f", strict=False)
CALLERS = make_anchor("set", question="callers", symbol="app/a.py::f", scope={"package": "app"})
PERSON = Author("person", "ann")


class Upgraded(MemoryTree):
    """The same analyzers with other hashes."""

    def digests(self, path: bytes) -> SymbolDigests | None:
        found = super().digests(path)
        if found is None:
            return None
        return msgspec.structs.replace(found, digests=tuple(msgspec.structs.replace(d, body=f"2:{d.body}") for d in found.digests))


class Blind(MemoryTree):
    """An earlier resolver that saw no calls."""

    def edges_of_file(self, path: bytes) -> tuple[Edge, ...]:
        return tuple(e for e in super().edges_of_file(path) if e.predicate != "calls")


def status(anchor: Anchor, before: MemoryTree, now: MemoryTree, then_today: MemoryTree | None) -> ClaimStatus:
    """The status in `now` of a claim that was recorded on `before` with earlier analyzers."""
    claim = Claim("c", "s", "observation", Scope(), (), (), "r", "t", FreshnessPolicy(), None, (), PERSON, "2026-01-01")
    verdict = Verdict("v", "c", "recorded", 1, fingerprint([anchor], before), "t", "t", "r", PERSON, "", (), "2026-01-01")
    verdict = replace(verdict, analyzer_versions={"python": "python 1", "resolver": "1"})
    past = Past(lambda _: then_today, lambda _: then_today, {"python": "python 2", "resolver": "2"})
    return evaluate({"c": Held(claim, (anchor,), (verdict,))}, {}, now, past, date(2026, 1, 1)).statuses[0]


def test_other_hashes_of_the_same_code_flag_nothing() -> None:
    """The expected hash is computed anew in the verdict's tree."""
    found = status(BODY, MemoryTree(FILES), Upgraded(FILES), Upgraded(FILES))
    assert (found.status, found.causes) == ("active", ())


def test_a_real_change_after_an_upgrade_is_still_seen() -> None:
    """Both trees are read by today's analyzers, and they differ."""
    changed = FILES | {"app/a.py": "def f():\n    return 2\n\n\ndef g():\n    return f()\n"}
    assert status(BODY, MemoryTree(FILES), Upgraded(changed), Upgraded(FILES)).status == "stale"


@pytest.mark.parametrize("anchor", [CALLERS, make_anchor("edge", subject="app/a.py::g", predicate="calls", object="app/a.py::f")])
def test_another_answer_on_the_same_tree_means_that_the_earlier_analysis_was_incomplete(anchor: Anchor) -> None:
    """Sets and edges are put up for review, with that reason."""
    found = status(anchor, Blind(FILES), MemoryTree(FILES), MemoryTree(FILES))
    assert (found.status, found.causes[0].reason) == ("needs_review", "analyzer_differs")
    assert "earlier analysis incomplete" in found.causes[0].detail


def test_without_the_verdicts_tree_nobody_can_tell() -> None:
    """Hashes of two analyzers cannot be compared."""
    found = status(BODY, MemoryTree(FILES), Upgraded(FILES), None)
    assert (found.status, found.causes[0].reason) == ("needs_review", "analyzer_differs")
