"""The status of a claim in a tree follows from verdicts, readings, premises and the clock, and from nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from knowledge.claims.anchors import make_anchor
from knowledge.claims.lifecycle import STEPS, Premise, Present, check_step, dropped_of, expiry, standing_of, status_in_tree
from knowledge.claims.predicates import Decision
from knowledge.errors import InvalidRecordError, LifecycleError
from knowledge.records.claims import (
    Anchor,
    AnchorReading,
    Author,
    Claim,
    ClaimKind,
    ClaimStatus,
    FreshnessPolicy,
    Predicate,
    Scope,
    Status,
    Verdict,
    VerdictKind,
)
from knowledge.records.events import Event

PERSON = Author("person", "ann")
BODY = make_anchor("body", symbol="a.py::f", strict=False)
CALLERS = make_anchor("set", question="callers", symbol="a.py::f", scope={"package": "a"})
EDGE = make_anchor("edge", subject="a.py::f", predicate="calls", object="a.py::g")
SEEN = {BODY: AnchorReading("present", "h1"), CALLERS: AnchorReading("present", "s1"), EDGE: AnchorReading("present", "resolved")}
TODAY = date(2026, 5, 1)


def claim(kind: ClaimKind = "observation", predicate: Predicate | None = None, **policy: object) -> Claim:
    """A claim with nothing special."""
    freshness = FreshnessPolicy(**policy)  # type: ignore[arg-type]
    return Claim("c_1", "s", kind, Scope(), (), (), "r1", "t1", freshness, predicate, (), PERSON, "2026-04-01T00:00:00Z")


def verdict(kind: VerdictKind, readings: dict[Anchor, AnchorReading], sequence: int = 1) -> Verdict:
    """A verdict at the given readings."""
    fingerprint = {a.digest: r for a, r in readings.items()}
    return Verdict(f"v_{sequence}", "c_1", kind, sequence, fingerprint, "t1", "t1", "r1", PERSON, "", (), "2026-04-01T00:00:00Z")


def status(
    one: Claim, verdicts: list[Verdict], now: dict[Anchor, AnchorReading], decision: Decision | None = None, premises: dict[str, Status] | None = None
) -> ClaimStatus:
    """The status when the tree reads `now`."""
    readings = {a.digest: r for a, r in now.items()}

    def premise(claim_id: str) -> Premise:
        return Premise((premises or {}).get(claim_id, "active"), (), "as it is")

    def is_settled(said: Verdict, claim_id: str) -> bool:
        return claim_id in said.fingerprint and said.fingerprint[claim_id].hash == premise(claim_id).state

    present = Present(lambda _: readings, decision, lambda *_: None, premise, is_settled, TODAY, one.derived_from)
    return status_in_tree(one, tuple(now), verdicts, None, present)


@pytest.mark.parametrize(("kind", "expected"), [("recorded", "active"), ("verified", "verified"), ("undecided", "needs_review")])
def test_the_latest_verdict_at_the_present_fingerprint_decides(kind: VerdictKind, expected: Status) -> None:
    """Recorded is active, verified is verified, looked at and undecided is up for review."""
    assert status(claim(), [verdict("recorded", SEEN), verdict(kind, SEEN, 2)], SEEN).status == expected


CHANGES: list[tuple[str, Anchor, AnchorReading, Status, str]] = [
    ("body changed", BODY, AnchorReading("present", "h2"), "stale", "unexamined"),
    ("symbol gone", BODY, AnchorReading("gone"), "stale", "subject_gone"),
    ("two possible homes", BODY, AnchorReading("two_homes", "x"), "needs_review", "two_homes"),
    ("does not parse", BODY, AnchorReading("unreadable"), "needs_review", "unreadable"),
    ("a second definition", BODY, AnchorReading("present", "h3", count=2), "needs_review", "two_homes"),
    ("moved, equal", BODY, AnchorReading("present", "h1", was="a.py::f", place="b.py::f"), "active", ""),
    ("a new caller", CALLERS, AnchorReading("present", "s2", members=("b.py::g",)), "stale", "counter_evidence"),
    (
        "a caller that is only inferred",
        CALLERS,
        AnchorReading("present", "s1", "i1", inferred_members=("b.py::g",)),
        "needs_review",
        "inferred_differs",
    ),
    ("the edge is gone", EDGE, AnchorReading("present", "absent"), "stale", "counter_evidence"),
    ("the edge is only inferred now", EDGE, AnchorReading("present", "absent", "inferred"), "needs_review", "inferred_differs"),
    ("the edge is inferred besides", EDGE, AnchorReading("present", "resolved", "inferred"), "active", ""),
]


@pytest.mark.parametrize(("name", "anchor", "reading", "expected", "reason"), CHANGES, ids=[c[0] for c in CHANGES])
def test_a_changed_reading_makes_the_status_of_its_kind(name: str, anchor: Anchor, reading: AnchorReading, expected: Status, reason: str) -> None:
    """Every way in which one reading can differ, with the right answer."""
    found = status(claim(), [verdict("recorded", SEEN)], {**SEEN, anchor: reading})
    assert (found.status, found.causes[0].reason if found.causes else "") == (expected, reason)


def test_a_revert_brings_back_the_verdict_that_held_there() -> None:
    """Verified at one fingerprint, undecided at another: each tree has its own verdict."""
    changed = {**SEEN, BODY: AnchorReading("present", "h2")}
    verdicts = [verdict("recorded", SEEN), verdict("verified", SEEN, 2), verdict("undecided", changed, 3)]
    assert status(claim(), verdicts, changed).status == "needs_review"
    assert status(claim(), verdicts, SEEN).status == "verified"


@pytest.mark.parametrize("kind", ["decision", "goal", "plan"])
def test_a_decision_is_never_made_false_by_itself(kind: ClaimKind) -> None:
    """Decisions, goals and plan nodes are put up for review with what changed."""
    found = status(claim(kind), [verdict("recorded", SEEN)], {**SEEN, BODY: AnchorReading("present", "h2")})
    assert (found.status, found.causes[0].new_hash) == ("needs_review", "h2")


def test_a_predicate_decided_false_is_counter_evidence_even_when_nothing_it_stands_on_changed() -> None:
    """A claim that is false when recorded is stale at once."""
    one = claim(predicate=Predicate("calls", "a.py::f", "a.py::g"))
    found = status(one, [verdict("recorded", SEEN)], SEEN, Decision(False, "no such call", "a.py:3"))
    assert (found.status, found.causes[0].reason, found.causes[0].place) == ("stale", "counter_evidence", "a.py:3")


def test_a_predicate_that_holds_excuses_all_anchors_only_where_the_statement_says_no_more() -> None:
    """With more in the statement the other anchors obey their own rule."""
    changed = {**SEEN, BODY: AnchorReading("present", "h2")}
    exact = claim(predicate=Predicate("calls", "a.py::f", "a.py::g"))
    more = claim(predicate=Predicate("calls", "a.py::f", "a.py::g", covers_statement=False))
    assert status(exact, [verdict("recorded", SEEN)], changed, Decision(True)).status == "active"
    assert status(more, [verdict("recorded", SEEN)], changed, Decision(True)).status == "stale"


def test_a_person_who_verified_at_this_very_fingerprint_outranks_the_analysis() -> None:
    """ "Not found" by the analyzer does not unsay what was looked at by somebody."""
    one = claim(predicate=Predicate("calls", "a.py::f", "a.py::g"))
    assert status(one, [verdict("recorded", SEEN), verdict("verified", SEEN, 2)], SEEN, Decision(False)).status == "verified"


def test_a_fallen_premise_makes_the_derived_claim_stale_with_the_path() -> None:
    """Inferences fall with what they rest on."""
    one = replace(claim("inference"), derived_from=("c_0",))
    found = status(one, [verdict("recorded", SEEN)], SEEN, premises={"c_0": "stale"})
    assert (found.status, found.causes[0].reason, found.causes[0].claim_path) == ("stale", "premise", ("c_0",))


@pytest.mark.parametrize("kind", ["inference", "decision", "plan"])
def test_who_looked_while_a_premise_was_fallen_has_looked_at_that_too(kind: ClaimKind) -> None:
    """A verdict settles it as long as the premise is as it was seen; fallen for something else, or seen by nobody, it counts again."""
    one = replace(claim(kind), derived_from=("c_0",))
    seen, other = (AnchorReading("gone", state) for state in ("as it is", "as it was before"))
    recorded, fallen = verdict("recorded", SEEN), {"c_0": "stale"}

    def status_after(*said: Verdict) -> Status:
        return status(one, [recorded, *said], SEEN, premises=fallen).status  # type: ignore[arg-type]

    looked = replace(verdict("verified", SEEN, 2), fingerprint=recorded.fingerprint | {"c_0": seen})
    assert status_after(looked) == "verified"
    assert status_after(looked, replace(looked, kind="undecided", sequence=3)) == "needs_review"
    assert status_after(replace(looked, fingerprint=recorded.fingerprint | {"c_0": other})) == ("stale" if kind == "inference" else "needs_review")
    assert status_after(verdict("verified", SEEN, 2)) == ("stale" if kind == "inference" else "needs_review")
    # Looked at again while the premise stood, which then fell as before: what was said of that still holds.
    assert status_after(looked, verdict("verified", SEEN, 3)) == "verified"


def test_a_premise_is_dropped_and_taken_up_again() -> None:
    """The last of both counts, and what is said of other relations or by the other end does not."""

    def event(kind: str, target: str, relation: str = "depends_on", source: str = "c_1") -> Event:
        return Event(1, kind, "c_1", "", "", {"relation": relation, "source": source, "target": target})

    removed = [event("RelationRemoved", "c_0"), event("RelationRemoved", "c_2")]
    assert dropped_of(removed) == ("c_0", "c_2")
    assert dropped_of([*removed, event("RelationAdded", "c_0")]) == ("c_2",)
    assert dropped_of([event("RelationRemoved", "c_1", source="c_0"), event("RelationRemoved", "c_0", "contradicts")]) == ()


@pytest.mark.parametrize(
    ("policy", "expected"), [({"until": "2026-05-01"}, "stale"), ({"until": "2026-05-02"}, "active"), ({"period_days": 30}, "stale")]
)
def test_a_period_that_ran_out_makes_a_claim_stale(policy: dict[str, object], expected: Status) -> None:
    """The clock is a parameter; a period counts from the last verdict."""
    assert status(claim("assumption", **policy), [verdict("recorded", SEEN)], SEEN).status == expected


def test_the_earlier_of_a_date_and_a_period_counts() -> None:
    """Both may be given."""
    assert expiry("2026-03-01", 10, date(2026, 1, 1)) == date(2026, 1, 11)
    assert expiry("", 0, date(2026, 1, 1)) is None


def test_who_looked_on_the_day_or_later_has_looked() -> None:
    """A verdict said then is good; recording a claim whose day has come already is none."""
    late = replace(verdict("verified", SEEN, 2), said_at="2026-05-01T00:00:00Z")
    assert status(claim("assumption", until="2026-05-01"), [verdict("recorded", SEEN), late], SEEN).status == "verified"
    recorded = replace(verdict("recorded", SEEN), said_at="2026-05-01T00:00:00Z")
    assert status(claim("assumption", until="2026-04-01"), [recorded], SEEN).status == "stale"


def test_a_day_that_cannot_be_read_is_told_and_breaks_nothing() -> None:
    """Another ledger may hold anything: its claim is put before somebody, and a period without end never ends."""
    found = status(claim("assumption", until="soon"), [verdict("recorded", SEEN)], SEEN)
    assert (found.status, found.causes[0].detail) == ("stale", "there is no day 'soon'")
    assert status(claim("assumption", period_days=10**9), [verdict("recorded", SEEN)], SEEN).status == "active"


def test_rejected_holds_on_every_tree_until_reopened() -> None:
    """What is said of the claim itself comes first, and can be taken back."""
    events = [Event(1, "ClaimRejected", "c_1", "", "", {"reason": "never true"})]
    standing = standing_of(events)
    assert standing == ("rejected", "never true")
    present = Present(lambda _: {}, None, lambda *_: None, lambda _: Premise("active", (), ""), lambda *_: False, TODAY)
    assert status_in_tree(claim(), (), [verdict("recorded", {})], standing, present).status == "rejected"
    assert standing_of([*events, Event(2, "ClaimReopened", "c_1", "", "", {"reason": "it was"})]) is None


def test_a_step_the_lifecycle_lacks_is_refused() -> None:
    """Every step names the statuses it may be taken from."""
    assert check_step("verify", "stale") == "ClaimVerified"
    with pytest.raises(LifecycleError):
        check_step("verify", "rejected")
    assert set(STEPS) == {"verify", "review", "reject", "supersede", "withdraw", "reopen", "redact"}


def test_an_anchor_that_lacks_what_its_kind_needs_is_refused() -> None:
    """No half anchors."""
    with pytest.raises(InvalidRecordError):
        make_anchor("body")
    with pytest.raises(InvalidRecordError):
        make_anchor("time")
    assert make_anchor("body", symbol="a.py::f", strict=False).digest == BODY.digest
