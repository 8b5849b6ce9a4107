"""Review conditions: read strictly in both languages, judged purely, and due once when they came true since somebody looked."""

from __future__ import annotations

from datetime import date

import pytest

from knowledge.claims.anchors import make_anchor
from knowledge.claims.review_conditions import DUE, FIGURES, Figure, judge, read_condition
from knowledge.errors import InvalidRecordError
from knowledge.invalidation.propagate import Held, Past, evaluate, fingerprint
from knowledge.records.claims import Anchor, AnchorReading, Author, Claim, ClaimKind, ClaimStatus, FreshnessPolicy, Scope, Verdict, VerdictKind
from tests.memory_tree import MemoryTree

ANN = Author("person", "ann")
TREE = MemoryTree({"a.py": "def f():\n    return 1\n"})
TODAY = date(2026, 5, 1)

READ = [
    ("tags > 100", "tags > 100"),
    ("tags>=100", "tags >= 100"),
    ("more than 100 tags", "tags > 100"),
    ("claims at least 1,000", "claims >= 1000"),
    ("stale == 3", "stale = 3"),
    ("Needs Review over 5", "needs_review > 5"),
    ("files fewer than 10", "files < 10"),
    ("태그 100개 초과", "tags > 100"),
    ("태그가 100개를 넘으면", "tags > 100"),
    ("오래된 주장 10건 이상", "stale >= 10"),
    ("검토 필요 > 5", "needs_review > 5"),
    ("심볼이 5000개 이하이면", "symbols <= 5000"),
    ("event ClaimRejected >= 2", "event ClaimRejected >= 2"),
    ("at least 2 event ClaimRejected", "event ClaimRejected >= 2"),
    ("사건 ClaimRejected 2건 이상", "event ClaimRejected >= 2"),
    ("commits >= 50", "commits >= 50"),
    ("커밋 50개 미만", "commits < 50"),
    ("2027-01-31", "2027-01-31"),
    ("from 2027-01-31", "2027-01-31"),
    ("2027-01-31부터", "2027-01-31"),
    ("tags > 100 or stale > 10 and files > 3", "tags > 100 or stale > 10 and files > 3"),
    ("태그 > 100 또는 2027-01-31 그리고 충돌 > 0", "tags > 100 or 2027-01-31 and conflicts > 0"),
]


@pytest.mark.parametrize(("text", "meant"), READ)
def test_a_condition_is_read_in_either_language(text: str, meant: str) -> None:
    """Each way of writing it means the same condition, and that reads back as itself."""
    assert str(read_condition(text)) == meant
    assert read_condition(meant) == read_condition(text)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_a_korean_name(name: str) -> None:
    """What can be asked in English can be asked in Korean."""
    korean = [other for other in FIGURES[name] if not other.isascii()]
    assert korean
    assert all(str(read_condition(f"{other} > 1")) == f"{name} > 1" for other in FIGURES[name])


REFUSED = [
    ("tgas > 100", "tags"),
    ("태크 > 100", "태그"),
    ("event Rejected > 2", "ClaimRejected"),
    ("2027-02-30", ""),
    ("when it rains", "tags > 100"),
    ("tags > 100 or", ""),
    ("tags >", ""),
    ("", ""),
    ("tags > 1 and " * 100, ""),
]


@pytest.mark.parametrize(("text", "suggestion"), REFUSED)
def test_what_cannot_be_meant_is_refused_with_what_may_be(text: str, suggestion: str) -> None:
    """Nothing is guessed: an unknown figure, event, day or shape is an error with near misses."""
    with pytest.raises(InvalidRecordError) as refused:
        read_condition(text)
    assert not suggestion or suggestion in refused.value.suggestions


TAGS, STALE = Figure("tags"), Figure("stale")
JUDGED = [
    ("tags > 100", {TAGS: 101}, True),
    ("tags > 100", {TAGS: 100}, False),
    ("tags >= 100", {TAGS: 100}, True),
    ("tags != 3", {TAGS: 3}, False),
    ("2026-05-01", {}, True),
    ("2026-05-02", {}, False),
    ("tags > 100 and stale > 10", {TAGS: 101, STALE: 10}, False),
    ("tags > 100 or stale > 10", {TAGS: 1, STALE: 11}, True),
]


@pytest.mark.parametrize(("text", "figures", "expected"), JUDGED)
def test_a_condition_is_judged_by_figures_and_the_clock(text: str, figures: dict[Figure, int], expected: bool) -> None:
    """Both are given as values; what was asked for is known beforehand."""
    condition = read_condition(text)
    assert set(condition.figures()) == set(figures)
    assert judge(condition, figures, TODAY).is_true == expected


def test_the_bound_that_decided_is_told_whatever_the_figure() -> None:
    """A status that was stored yesterday says what one that is computed today says."""
    condition = read_condition("tags > 100 or 2100-01-01")
    assert {judge(condition, {TAGS: count}, TODAY).detail for count in (101, 102)} == {"tags > 100"}
    assert judge(condition, {TAGS: 100}, TODAY).detail == ""


# ── on a claim ──

CONDITION = make_anchor("time", review_when="claims > 1")
BODY = make_anchor("body", symbol="a.py::f", strict=False)


def held(name: str, kind: ClaimKind = "observation", *anchors: Anchor, verdicts: tuple[tuple[VerdictKind, str], ...] = (("recorded", ""),)) -> Held:
    """A claim whose verdicts each saw its condition in one way ("" or due)."""
    claim = Claim(name, name, kind, Scope(), (), (), "r", "t", FreshnessPolicy(), None, (), ANN, "2026-01-01")
    seen = [
        Verdict(f"v_{name}{n}", name, said, n, fingerprint(anchors, TREE, _seen(anchors, due)), "t", "t", "r", ANN, "", (), "2026-01-01")
        for n, (said, due) in enumerate(verdicts)
    ]
    return Held(claim, anchors, tuple(seen))


def _seen(anchors: tuple[Anchor, ...], due: str) -> dict[str, AnchorReading]:
    return {a.digest: AnchorReading("present", due) for a in anchors if a.kind == "time"}


def status(one: Held, *, due: bool, now: MemoryTree = TREE) -> ClaimStatus:
    """The status where its condition is true or not."""
    past = Past(lambda _: TREE, lambda _: TREE, {})
    reading = AnchorReading("present", DUE if due else "", detail="claims > 1")
    return evaluate({one.claim.id: one}, {}, now, past, TODAY, lambda *_: reading).statuses[0]


def test_a_condition_that_came_true_puts_a_claim_up_for_review() -> None:
    """With the cause and the figure's value; before, it stands."""
    one = held("c_1", "observation", BODY, CONDITION)
    assert status(one, due=False).status == "active"
    found = status(one, due=True)
    assert (found.status, found.causes[0].reason, found.causes[0].detail) == ("needs_review", "review_condition", "claims > 1")


def test_who_looked_while_it_was_true_has_looked() -> None:
    """It is due again only after it was false where somebody looked."""
    assert status(held("c_1", "decision", CONDITION, verdicts=(("recorded", ""), ("verified", DUE))), due=True).status == "verified"
    assert status(held("c_1", "decision", CONDITION, verdicts=(("verified", DUE), ("verified", ""))), due=True).status == "needs_review"


def test_a_condition_takes_nothing_away_from_a_change() -> None:
    """A claim that is stale by what changed stays stale when its condition comes true besides."""
    changed = MemoryTree({"a.py": "def f():\n    return 2\n"})
    found = status(held("c_1", "observation", BODY, CONDITION), due=True, now=changed)
    assert (found.status, {c.reason for c in found.causes}) == ("stale", {"unexamined", "review_condition"})


def test_claims_with_conditions_are_judged_after_all_others() -> None:
    """What they count by status is there then, and does not depend on themselves or on what rests on them."""
    last = held("c_0", "decision", make_anchor("time", review_when="active > 1"))
    leaning = held("c_1")
    leaning = Held(leaning.claim, leaning.anchors, leaning.verdicts, None, ("c_0",))
    told: list[set[str]] = []

    def review(anchor: Anchor, latest: Verdict, statuses: object) -> AnchorReading:
        assert isinstance(statuses, dict)
        told.append(set(statuses))
        return AnchorReading("present")

    many = {h.claim.id: h for h in (last, leaning, held("c_2"), held("c_3"))}
    outcome = evaluate(many, {}, TREE, Past(lambda _: TREE, lambda _: TREE, {}), TODAY, review)
    assert told == [{"c_2", "c_3"}]
    assert [s.claim_id for s in outcome.statuses][-2:] == ["c_0", "c_1"]
