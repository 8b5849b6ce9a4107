"""Counts over time, replayed from events alone."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.operations.stale_stats import ROWS, over_time
from knowledge.records.events import EVENT_TYPES, Event

TODAY = date(2026, 3, 31)


def event(number: int, kind: str, claim: str = "c_1", *, days_ago: int = 0, to: str = "") -> Event:
    """An event of a claim so many days ago."""
    return Event(number, kind, claim, f"{TODAY - timedelta(days=days_ago)}T12:00:00Z", "person:ann", {"to": to} if to else {})


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        (["ClaimRecorded"], "active"),
        (["ClaimRecorded", "ClaimMarkedStale>stale"], "stale"),
        (["ClaimRecorded", "ClaimMarkedStale>stale", "ClaimVerified"], "verified"),
        (["ClaimRecorded", "ClaimMarkedForReview>needs_review", "ClaimRestored>active"], "active"),
        (["ClaimRecorded", "ClaimMarkedStale>stale", "ClaimRejected"], "rejected"),
        (["ClaimRecorded", "ClaimMarkedStale>stale", "ClaimRejected", "ClaimReopened"], "stale"),
        (["ClaimRecorded", "ClaimRejected", "ClaimMarkedStale>stale"], "rejected"),
        (["ClaimRecorded", "RelationAdded", "ClaimReviewed"], "needs_review"),
    ],
)
def test_the_last_thing_that_counts_is_the_status(kinds: list[str], status: str) -> None:
    """What was said of the claim itself counts over what follows from trees, until it is taken back."""
    events = [event(n, *kind.partition(">")[:1], to=kind.partition(">")[2]) for n, kind in enumerate(kinds, 1)]
    assert over_time(events, TODAY)[-1].counts == {status: 1}


def test_every_point_counts_what_was_known_by_then() -> None:
    """A claim counts from the day it was recorded; days without events repeat the last counts."""
    events = [
        event(1, "ClaimRecorded", days_ago=4),
        event(2, "ClaimRecorded", "c_2", days_ago=3),
        event(3, "ClaimMarkedStale", days_ago=1, to="stale"),
    ]
    assert [(row.day, row.counts) for row in over_time(events, TODAY)] == [
        ("2026-03-27", {"active": 1}),
        ("2026-03-28", {"active": 2}),
        ("2026-03-29", {"active": 2}),
        ("2026-03-30", {"active": 1, "stale": 1}),
        ("2026-03-31", {"active": 1, "stale": 1}),
    ]


@given(st.lists(st.tuples(st.integers(0, 5_000), st.sampled_from(EVENT_TYPES), st.integers(0, 5)), max_size=30))
def test_any_history_fits_on_a_screen(told: list[tuple[int, str, int]]) -> None:
    """Few rows, in order, the last one today, and no event is lost in it, however long the history and whatever its events."""
    events = [event(n, kind, f"c_{claim}", days_ago=ago, to="stale") for n, (ago, kind, claim) in enumerate(told, 1)]
    rows = over_time(events, TODAY)
    assert len(rows) <= ROWS
    assert [row.day for row in rows] == sorted(row.day for row in rows)
    if events:
        assert rows[-1].day == TODAY.isoformat()
        at_once = [event(n, e.type, e.claim_id, to="stale") for n, e in enumerate(sorted(events, key=lambda e: e.at), 1)]
        assert rows[-1].counts == over_time(at_once, TODAY)[-1].counts
    else:
        assert rows == []
