"""Since which point things are not as they were: any history of readings, few or many marks, and how many readings that takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knowledge.operations.turning_point import turning_point


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[bool], list[int]]:
    """Readings (as it was, or not), the last one not; and marks at some of the points, or at all that turn."""
    readings = [*draw(st.lists(st.booleans(), max_size=40)), False]
    turns = [i for i in range(len(readings)) if readings[i] != ([True, *readings][i])]
    extra = draw(st.lists(st.integers(0, len(readings) - 1), max_size=10))
    return readings, sorted({*(turns if draw(st.booleans()) else []), *extra})


@given(histories(), st.integers(0, 50))
def test_what_is_found_is_a_turn(history: tuple[list[bool], list[int]], few: int) -> None:
    """Before the point that is found it was as it was, and at it it is not."""
    readings, marks = history
    found = turning_point(len(readings), marks, lambda point: readings[point], few)
    assert not readings[found]
    assert found == 0 or readings[found - 1] or not any(readings[:found])


@given(st.lists(st.integers(0, 300), unique=True, min_size=1, max_size=12))
def test_with_few_marks_the_last_turn_is_found(turns: list[int]) -> None:
    """Changed, taken back, changed again: the change that counts is the last."""
    readings, state = [], True
    for point in range(301):
        state ^= point in turns
        readings.append(state)
    if readings[-1]:
        return
    last = max(i for i in range(301) if not readings[i] and (i == 0 or readings[i - 1]))
    assert turning_point(301, turns, lambda point: readings[point], 24) == last


@given(st.integers(0, 999))
def test_among_many_marks_it_is_looked_for_by_halves(turn: int) -> None:
    """A thousand marks take a dozen readings, and none outside the history."""
    asked: list[int] = []

    def is_same(point: int) -> bool:
        asked.append(point)
        return point < turn

    assert turning_point(1_000, range(1_000), is_same, 24) == turn
    assert len(asked) <= 12
    assert all(0 <= point < 1_000 for point in asked)
