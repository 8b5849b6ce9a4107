"""The completion gate (C8): before work is called done, what has not been checked?

Pure: what was found comes in, items that can be acted on one by one and a verdict go out. Nothing found and nothing checked is no pass.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.records.answers import Checked, ClaimLine
from knowledge.records.edges import Edge
from knowledge.records.run_answers import GateItem, TestLine

PASS, WARN = "pass", "warn"
ORDER = (
    "nothing-checked", "test-failing", "stale-claim", "conflict", "decision-to-review", "claim-to-review", "plan-touched", "test-to-run",
    "tests-unknown", "test-flaky", "type-check-stale", "type-errors", "edge-vanished", "not-exercised", "claim-without-evidence",
)  # fmt: skip
"""Kinds of items, what weighs most first (docs/runs.md)."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the work did, and what is known of it.

    claims: fallen ones that the work touched or rests on. bare: recorded during the work without evidence. tests: to run again, or bad.
    is_observed: some run told what tests cover. is_changed: there is a difference at all. unexercised: changed functions that no test ran.
    reported: tests that failed on this very content, of which only a report tells.
    type_checks: (kind of item, about, detail, what to do). checked: how many claims, tests and edges were looked at.
    """

    claims: Sequence[ClaimLine]
    bare: Sequence[ClaimLine]
    tests: Sequence[TestLine]
    command: str
    is_observed: bool
    is_changed: bool
    vanished: Sequence[Edge]
    unexercised: Sequence[str]
    type_checks: Sequence[GateItem]
    checked: int
    reported: Sequence[TestLine] = ()


def judge(work: Work) -> tuple[str, tuple[GateItem, ...], Checked]:
    """The verdict, the items by weight, and what was checked."""
    items = [_claim_item(claim) for claim in work.claims]
    items += [
        GateItem("conflict", f"{claim.id}: {claim.statement}", f"an open contradiction: {conflict}", f"knowledge conflicts resolve {conflict}")
        for claim in (*work.claims, *work.bare)
        for conflict in claim.open_conflicts
    ]
    items += [_test_item(test) for test in work.tests]
    items += [GateItem("test-failing", t.test, f"it {t.outcome} in {t.run}", f"knowledge runs show {t.run}") for t in work.reported]
    if work.is_changed and not work.is_observed:
        items.append(GateItem("tests-unknown", "tests", "no observed run says which tests the change concerns", "knowledge run -- pytest"))
    items += work.type_checks
    items += [
        GateItem(
            "edge-vanished", f"{edge.subject} {edge.predicate} {edge.object}", "it was there when the work began, and both ends still are",
            f"knowledge path {edge.subject} {edge.object}",
        )
        for edge in work.vanished
    ]  # fmt: skip
    untested, bare = "it changed, and no observed test runs it", "it stands on nothing"
    items += [GateItem("not-exercised", symbol, untested, f"knowledge tests {symbol}") for symbol in work.unexercised]
    items += [GateItem("claim-without-evidence", f"{c.id}: {c.statement}", bare, f"knowledge claim show {c.id}") for c in work.bare]
    if not work.checked:
        items.append(GateItem("nothing-checked", "the work", "no claim, test or edge could be held against it", "knowledge run -- pytest"))
    items.sort(key=lambda item: (ORDER.index(item.kind), item.about))
    because = ("nothing was checked",) if not work.checked else ()
    return (WARN if items else PASS), tuple(items), Checked(work.checked, 0, because)


def _claim_item(claim: ClaimLine) -> GateItem:
    kind = "decision-to-review" if claim.kind == "decision" else "plan-touched" if claim.kind in ("goal", "plan") else None
    kind = kind or ("stale-claim" if claim.status == "stale" else "claim-to-review")
    detail = "; ".join(dict.fromkeys(cause.detail or cause.place or cause.reason.replace("_", " ") for cause in claim.causes)) or claim.status
    return GateItem(kind, f"{claim.id}: {claim.statement}", detail, f"knowledge claim why {claim.id}")


def _test_item(test: TestLine) -> GateItem:
    reason, act = "; ".join(test.reasons[:2]), test.act or f"knowledge run -- {shlex.join(['pytest', test.told_from_the_top])}"
    if test.is_flaky:
        return GateItem("test-flaky", test.test, reason or "it came to different results at the same fingerprint", act)
    is_failing = test.outcome in ("failed", "error", "crashed", "unfinished") and test.state in ("exact", "equal")
    return GateItem("test-failing" if is_failing else "test-to-run", test.test, reason, act)
