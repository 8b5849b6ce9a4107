"""What every context pack keeps to, whatever is known and however small the budget."""

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from knowledge.recall.tokens import estimate_tokens
from knowledge.records.packs import CallFrame, ContextPack, PackClaim, PackEdge, PackFile, PackSymbol, PackTest, PackTree
from knowledge.views.context_pack import Candidates, build, is_overturning
from knowledge.views.pack_text import TITLES, render

TREE = PackTree("main", "a" * 40, is_dirty=False)
STATUSES = ("active", "verified", "stale", "needs_review", "rejected", "superseded", "withdrawn")
OUTCOMES = st.sampled_from(("passed", "failed", "skipped"))
STATES = st.sampled_from(("exact", "equal", "changed"))
TEXT = st.text(st.sampled_from("ab 세션<>`\n\u202e"), min_size=1, max_size=60)


@st.composite
def claims(draw: st.DrawFn) -> list[PackClaim]:
    """Claims of all kinds and statuses, some in conflict."""
    count = draw(st.integers(0, 12))
    return [
        PackClaim(
            f"c_{n:012d}",
            draw(st.sampled_from(("observation", "decision", "assumption"))),
            draw(st.sampled_from(STATUSES)),
            draw(TEXT),
            reason=draw(st.sampled_from(("", "it changed"))),
            contradicts=("c_other",) if draw(st.booleans()) else (),
            rests_on=(f"body:src/a.py::f{n % 3}",) if draw(st.booleans()) else (),
        )
        for n in range(count)
    ]


@st.composite
def candidates(draw: st.DrawFn) -> Candidates:
    """What may go into a pack."""
    sizes = [draw(st.integers(0, 15)) for _ in range(5)]
    return Candidates(
        claims=draw(claims()),
        limits=[f"dynamic-call: src/a{n}.py:1" for n in range(sizes[0])],
        tests=[PackTest(f"tests/t.py::t{n}", draw(OUTCOMES), draw(STATES), "2026-01-01", "it changed") for n in range(sizes[1])],
        files=[PackFile(f"src/a{n}.py", ("speaks of it",)) for n in range(sizes[2])],
        symbols=[
            PackSymbol(f"src/a{n % 4}.py::f{n}", "function", f"src/a{n % 4}.py", n + 1, n + 2, why="" if n % 3 else "x") for n in range(sizes[3])
        ],
        edges=[PackEdge(f"src/a.py::f{n}", "calls", "src/b.py::g", "resolved", f"src/a.py:{n}") for n in range(sizes[4])],
    )


FRAMES = st.builds(CallFrame, TEXT.filter(str.strip), st.just(()), st.just(()), st.just(""), st.sampled_from((0, 1, 150, 400, 1_000, 4_000)))


@given(FRAMES, candidates())
def test_what_could_overturn_the_conclusion_is_shown_or_counted(frame: CallFrame, found: Candidates) -> None:
    """No pack lacks a stale or conflicting claim without counting it, and each one shown has a check that waits for it."""
    pack = build(frame, TREE, found)
    fallen = {c.id for c in found.claims if is_overturning(c)}
    shown = {c.id for c in pack.stale_or_conflicting_claims}
    assert shown <= fallen
    assert len(fallen) - len(shown) == pack.left_out.get("stale_or_conflicting_claims", 0)
    assert {claim for check in pack.verification_required_before_return for claim in check.claims} == shown
    assert not fallen & {c.id for c in (*pack.active_decisions, *pack.relevant_claims)}
    owed = [check for check in pack.verification_required_before_return if not check.claims]
    assert len(owed) + pack.left_out.get("verification_required_before_return", 0) == any(test.is_overturning for test in found.tests)


@given(FRAMES, candidates())
def test_nothing_is_dropped_without_a_count(frame: CallFrame, found: Candidates) -> None:
    """Of every part, what is shown and what is counted is all there was; what was taken back is in no part."""
    pack = build(frame, TREE, found)
    kept = [c for c in found.claims if not is_overturning(c) and c.status not in ("rejected", "superseded", "withdrawn")]
    whole = {
        "active_decisions": sum(c.kind == "decision" for c in kept),
        "relevant_claims": sum(c.kind != "decision" for c in kept),
        "recent_test_observations": len(found.tests),
        "relevant_files": len(found.files),
        "relevant_symbols_and_source_ranges": len(found.symbols),
        "resolved_and_inferred_edges": len(found.edges),
        "analysis_limits": len(found.limits),
    }
    for name, count in whole.items():
        assert len(getattr(pack, name)) + pack.left_out.get(name, 0) == count


@given(FRAMES, candidates())
def test_the_budget_holds(frame: CallFrame, found: Candidates) -> None:
    """The text has no more tokens than were given, the goal and the headings aside; without a bound nothing is left out but further files."""
    pack = build(frame, TREE, found)
    bare = build(CallFrame(frame.goal, budget_tokens=1), TREE, found)
    headings = sum(estimate_tokens(f"\n## {title}\n(100 more left out)\n") for title in TITLES.values())
    if frame.budget_tokens:
        assert pack.tokens <= max(frame.budget_tokens, bare.tokens + headings) + len(TITLES)
    else:
        assert set(pack.left_out) <= {"relevant_files"}


@given(FRAMES, candidates())
def test_the_same_candidates_give_the_same_pack(frame: CallFrame, found: Candidates) -> None:
    """Nothing depends on chance or on the hour."""
    assert build(frame, TREE, found) == build(frame, TREE, found)


@given(FRAMES, candidates())
def test_texts_of_claims_cannot_steer(frame: CallFrame, found: Candidates) -> None:
    """A statement stands on one line, without mark-up or characters that hide or turn text."""
    text = render(build(frame, TREE, found))
    assert not set(text) & set("<>\u202e\r\x00")
    for claim in found.claims:
        assert all(line.startswith("- ") for line in text.splitlines() if f"{claim.id} [" in line)


def test_every_field_of_a_pack_is_shown() -> None:
    """A part that is added to the record is added to the text too."""
    parts = {f.name for f in fields(ContextPack)} - {"tree", "current_goal_and_constraints", "left_out", "notes", "tokens", "version"}
    assert parts == set(TITLES)
