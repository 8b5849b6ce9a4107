"""Which claims contradict each other, where they are looked for, and what a contradiction does to a status."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from knowledge.claims.anchors import make_anchor
from knowledge.claims.contradictions import (
    Contradiction,
    Resolution,
    conflict_id,
    counters,
    exclusion,
    overlaps,
    placed,
    probes,
    resolutions,
    slots,
)
from knowledge.claims.proposals import anchors_of, propose
from knowledge.invalidation.dependencies import circular
from knowledge.invalidation.propagate import Held, Past, evaluate, fingerprint
from knowledge.records.claims import Author, Claim, ClaimKind, ClaimStatus, FreshnessPolicy, Predicate, Scope, Verdict
from knowledge.records.events import Event
from knowledge.records.identifiers import SymbolId, read_symbol
from tests.memory_tree import MemoryTree

CASES = Path(__file__).parent.parent / "cases" / "contradictions" / "predicates.md"
_BLOCK = re.compile(r"^```\w+ ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANN = Author("person", "ann")


@cache
def tree() -> MemoryTree:
    """The files of the case file."""
    return MemoryTree({m[1].strip(): m[2] for m in _BLOCK.finditer(CASES.read_text(encoding="utf-8"))})


def _rows() -> list[tuple[str, str, str]]:
    lines = [line.strip().strip("|").split("|") for line in CASES.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rows = [(cells[0].strip(), cells[1].strip(), cells[2].strip()) for cells in lines]
    return [row for row in rows if row[0] not in ("one", "---")]


def _lookup(text: str) -> list[SymbolId]:
    if "::" in text or tree().has_path(text.encode()):
        return [read_symbol(text)]
    return [s for s in tree().symbols_named(text.rpartition(".")[2]) if s.qualified_name.endswith(text)]


def said(statement: str) -> Predicate:
    """What a statement says in the tree of the case file."""
    predicate = propose(statement, tree(), _lookup).predicate
    assert predicate is not None, f"{statement!r} says no predicate"
    return predicate


@pytest.mark.parametrize(("one", "other", "expected"), _rows())
def test_statements_contradict_as_the_table_says(one: str, other: str, expected: str) -> None:
    """Each row holds in either order, and contradicting predicates meet both in the search and at one another's anchors."""
    mine, yours = said(one), said(other)
    found = exclusion(mine, yours, tree())
    assert bool(found) == bool(exclusion(yours, mine, tree())) == (expected == "yes"), found
    if found:
        assert set(slots(mine, tree())) & set(slots(yours, tree()))
        assert probes(mine, tree()) & {a.digest for a in anchors_of(yours, tree())}
        assert probes(yours, tree()) & {a.digest for a in anchors_of(mine, tree())}


def test_values_that_cannot_be_compared_contradict_nothing() -> None:
    """A summary of a list is not held against another spelling of it."""
    one = Predicate("value", "app/sessions.py::NAMES", value="[1, 2]")
    assert exclusion(one, replace(one, value="ALL_NAMES"), tree()) == ""


def test_a_predicate_and_its_negation_contradict_whatever_the_relation() -> None:
    """Also relations that the table of phrasings cannot negate."""
    one = Predicate("raises", "app/sessions.py::close", "KeyError")
    assert "denies" in exclusion(one, replace(one, is_negated=True), tree())
    assert exclusion(replace(one, is_negated=True), replace(one, object="ValueError", is_negated=True), tree()) == ""


SCOPES = [
    (Scope(), Scope(service="auth"), True),
    (Scope(service="auth"), Scope(service="billing"), False),
    (Scope(environment="production"), Scope(environment="test"), False),
    (Scope(conditions=("on Linux",)), Scope(conditions=("on Windows",)), False),
    (Scope(paths=("app",)), Scope(paths=("app/sessions.py",)), True),
    (Scope(paths=("app",)), Scope(paths=("apple",)), False),
    (Scope(symbols=("a.py::f",)), Scope(symbols=("a.py::g",)), False),
]


@pytest.mark.parametrize(("one", "other", "expected"), SCOPES)
def test_only_claims_that_can_speak_of_the_same_thing_contradict(one: Scope, other: Scope, expected: bool) -> None:
    """Another service, environment, condition or place is another matter; what is left open is spoken of too."""
    assert overlaps(one, other) == overlaps(other, one) == expected


def test_a_claim_is_held_against_others_where_its_symbols_are_now() -> None:
    """A predicate about a function that moved is compared under the function's present name."""
    then = MemoryTree({"old.py": "TTL = 30\n\n\ndef f():\n    return g()\n\n\ndef g():\n    return TTL\n"})
    now = MemoryTree({"new.py": "TTL = 30\n\n\ndef f():\n    return g()\n\n\ndef g():\n    return TTL\n"})
    moved = placed(Predicate("calls", "old.py::f", "old.py::g"), then, now)
    assert (moved.subject, moved.object) == ("new.py::f", "new.py::g")


def test_a_conflict_has_one_name_whoever_finds_it() -> None:
    """The name follows from the two claims alone."""
    assert conflict_id("c_1", "c_2") == conflict_id("c_2", "c_1") != conflict_id("c_1", "c_3")


def resolution(stale: str) -> Resolution:
    """A resolution against one of two claims."""
    return Resolution(stale, "", "", "", "", "", "")


COUNTED: list[tuple[ClaimKind, ClaimKind, str | None, bool]] = [
    ("assumption", "observation", None, True),
    ("assumption", "inference", None, False),
    ("observation", "observation", None, False),
    ("observation", "assumption", None, False),
    ("assumption", "observation", "", False),
    ("assumption", "observation", "c_2", False),
    ("observation", "inference", "c_1", True),
]


@pytest.mark.parametrize(("kind", "other", "stale", "expected"), COUNTED)
def test_what_counts_against_a_claim(kind: ClaimKind, other: ClaimKind, stale: str | None, expected: bool) -> None:
    """An observation counts against an assumption by itself; everything else waits for a resolution, and a resolution decides."""
    found = [Contradiction("x_1", "c_2", other, resolution(stale) if stale is not None else None)]
    assert counters("c_1", kind, found) == ((("c_2", "x_1"),) if expected else ())


def test_the_last_resolution_counts() -> None:
    """A later one takes the place of an earlier one, and texts may stand in either event of one resolution."""
    first = {"conflict": "x_1", "stale": "c_1", "reason": "seen"}
    events = [
        Event(3, "ConflictResolved", "c_2", "2026-01-02", "person:bob", {"conflict": "x_1", "stale": ""}),
        Event(1, "ConflictResolved", "c_1", "2026-01-01", "person:ann", first),
        Event(4, "ConflictResolved", "c_1", "2026-01-02", "person:bob", {"conflict": "x_1", "stale": "", "reason": "both"}),
    ]
    found = resolutions(events)["x_1"]
    assert (found.stale, found.reason, found.by) == ("", "both", "person:bob")


# ── what it does to a status ──


def held(name: str, kind: ClaimKind = "observation", *against: Contradiction, rests_on: tuple[str, ...] = (), body: str = "") -> Held:
    """A claim with contradictions and premises; `body` is a function it stands on."""
    anchors = (make_anchor("body", symbol=body, strict=False),) if body else ()
    claim = Claim(name, name, kind, Scope(), (), (), "r", "t", FreshnessPolicy(), None, (), ANN, "2026-01-01")
    verdict = Verdict(f"v_{name}", name, "recorded", 1, fingerprint(anchors, tree()), "t", "t", "r", ANN, "", (), "2026-01-01")
    return Held(claim, anchors, (verdict,), None, rests_on, against)


def statuses(*many: Held, now: MemoryTree | None = None) -> dict[str, ClaimStatus]:
    """The statuses in a tree."""
    past = Past(lambda _: tree(), lambda _: tree(), {})
    return {s.claim_id: s for s in evaluate({h.claim.id: h for h in many}, {}, now or tree(), past, date(2026, 1, 2)).statuses}


def test_an_observation_makes_an_assumption_stale_while_it_stands() -> None:
    """The cause names the observation; where the observation fell itself, the assumption stands again."""
    assumption = held("c_1", "assumption", Contradiction("x_1", "c_2", "observation"))
    observation = held("c_2", body="app/sessions.py::close")
    found = statuses(assumption, observation)["c_1"]
    assert (found.status, found.causes[0].reason, found.causes[0].claim_path) == ("stale", "counter_evidence", ("c_2",))
    assert "c_2" in found.causes[0].detail
    changed = {p.decode(): c.decode().replace("raise KeyError(session)", "return session") for p, c in tree().files.items()}
    later = statuses(assumption, observation, now=MemoryTree(changed))
    assert (later["c_2"].status, later["c_1"].status) == ("stale", "active")


def test_what_rests_on_the_assumption_falls_with_it() -> None:
    """The path leads by way of the assumption to the observation."""
    assumption = held("c_1", "assumption", Contradiction("x_1", "c_2", "observation"))
    found = statuses(assumption, held("c_2"), held("c_3", "plan", rests_on=("c_1",)))["c_3"]
    assert (found.status, found.causes[0].claim_path) == ("needs_review", ("c_1", "c_2"))


def test_claims_that_rest_on_each_other_are_told_and_stop_nothing() -> None:
    """Two ledgers can close a circle that neither had; it makes its claims fall, whatever order they come in, and nobody else."""
    found = statuses(held("c_1", rests_on=("c_2",)), held("c_2", rests_on=("c_1",)), held("c_3"), held("c_4", rests_on=("c_3",)))
    assert {c: s.status for c, s in found.items()} == {"c_1": "stale", "c_2": "stale", "c_3": "active", "c_4": "active"}
    assert found["c_1"].causes[0].claim_path == ("c_2", "c_1")


def test_circles_are_found_and_their_neighbours_are_not() -> None:
    """What hangs on a circle, or carries one, is no part of it."""
    links = {"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"], "e": []}
    assert circular(links, lambda c: links[c]) == {"b", "c"}
