"""Selective invalidation, the orchestrator over small parts that do not know each other.

    changed entries ─ changes ─→ watch keys ─ dependencies ─→ claims ─ here ─→ statuses ─ policies ─→ transitions

Motivation: after a commit only the claims that the commit can touch are looked at again, and of these only the ones whose readings really
differ change status. Terms: `docs/glossary.md`. State: none; everything is loaded and saved by the operation `reconcile`. What is recomputed and
equal stops there: its dependents are not looked at because of it.
Tests: tests/cases/invalidation, tests/properties/test_invalidation.py (step by step equals one jump equals from scratch).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from knowledge.claims.anchors import Watched, keys_of_place, read, watch_keys
from knowledge.claims.contradictions import Contradiction, counters
from knowledge.claims.lifecycle import Premise, Present, Renewed, premise_of, status_in_tree
from knowledge.claims.predicates import Decision, decide
from knowledge.claims.view import FactsView, TreeView
from knowledge.errors import InvalidRecordError
from knowledge.invalidation.dependencies import circular, in_order
from knowledge.records.claims import Anchor, AnchorReading, Claim, ClaimStatus, Predicate, Status, Verdict
from knowledge.records.identifiers import read_symbol, show_path

_LINE = re.compile(r"(.+):\d+\Z")

Then = Callable[[Verdict], FactsView | None]
"""The tree that a verdict was said in, as far as it can still be read."""


Review = Callable[[Anchor, Verdict, Mapping[str, ClaimStatus]], AnchorReading]
"""(a review condition's anchor, its claim's last verdict, statuses computed so far) → whether the condition is true."""


@dataclass(frozen=True, slots=True)
class Held:
    """A claim with all that its status follows from, besides the tree."""

    claim: Claim
    anchors: tuple[Anchor, ...]
    verdicts: tuple[Verdict, ...]
    standing: tuple[Status, str] | None = None
    depends_on: tuple[str, ...] = ()
    """premises that were added after it was recorded"""
    contradictions: tuple[Contradiction, ...] = ()
    dropped: tuple[str, ...] = ()
    """premises, recorded or added, that it was said not to rest on after all"""

    @property
    def counters(self) -> tuple[tuple[str, str], ...]:
        """(claim, conflict) of each claim that makes this one stale while it stands itself."""
        return counters(self.claim.id, self.claim.kind, self.contradictions)


@dataclass(frozen=True, slots=True)
class Outcome:
    """New statuses, premises first, and the watch keys of every anchor that was read."""

    statuses: tuple[ClaimStatus, ...]
    watches: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Past:
    """The trees in which verdicts were said, as far as they can still be read. versions: language or `resolver` → today's analyzer."""

    files: Then
    whole: Callable[[Verdict], TreeView | None]
    versions: Mapping[str, str]

    def is_outdated(self, verdict: Verdict) -> bool:
        """Whether the verdict was said with other analyzers than today's."""
        return any(self.versions.get(name, version) != version for name, version in verdict.analyzer_versions.items())


def evaluate(
    held: Mapping[str, Held], known: Mapping[str, ClaimStatus], view: TreeView, past: Past, today: date, review: Review | None = None
) -> Outcome:
    """The statuses of the claims in `held` in the tree of `view`. `known` has the statuses of premises that are not in `held`.

    review: judges review conditions; without it none is true.
    """
    statuses: dict[str, ClaimStatus] = {}
    watches: dict[str, frozenset[str]] = {}
    reader = _Reader(view, past, watches)
    order, circle = _order(held)

    def premise(asking: str, claim_id: str) -> Premise:
        if asking in circle and claim_id in circle:
            return Premise("stale", (asking,), "")
        found = statuses.get(claim_id) or known.get(claim_id)
        return premise_of(found) if found is not None else Premise("withdrawn", (), "")

    def is_settled(asking: str, verdict: Verdict, claim_id: str) -> bool:
        seen = verdict.fingerprint.get(claim_id)
        # An upgrade flags nothing by itself, and hashes of other analyzers cannot be compared: who looked then has looked.
        return seen is not None and (past.is_outdated(verdict) or seen.hash == premise(asking, claim_id).state)

    for claim_id in order:
        one = held[claim_id]

        judged = _judged(one, review, statuses)

        def readings(verdict: Verdict, one: Held = one, judged: dict[str, AnchorReading] = judged) -> Mapping[str, AnchorReading]:
            return reader.readings(one.anchors, verdict) | judged

        decision = reader.decision(one.claim, one.verdicts[0]) if one.standing is None else None
        present = Present(
            readings, decision, reader.renewed, partial(premise, claim_id), partial(is_settled, claim_id), today, premises_of(one), one.counters
        )
        found = status_in_tree(one.claim, one.anchors, one.verdicts, one.standing, present)
        statuses[claim_id] = found
        if one.anchors:
            digest = one.anchors[0].digest
            recorded = past.files(one.verdicts[0]) if decision is not None else None
            watches[digest] = watches.get(digest, frozenset()) | _watched_besides(one.claim.predicate, decision, found, recorded)
    return Outcome(tuple(statuses[c] for c in order), watches)


def _watched_besides(predicate: Predicate | None, decision: Decision | None, found: ClaimStatus, then: FactsView | None) -> frozenset[str]:
    """What a status depends on that no anchor of it watches."""
    # A place is told with its line, so it is looked for again when its file changes at all.
    keys = {f"path:{p[1]}" for c in found.causes if (p := _LINE.match(c.place))}
    if predicate is not None and decision is not None:
        if decision.holds is not True:
            # "Not there" and "cannot be told" may rest on anything in the subject's file: a name that is mentioned, a line that does not parse.
            keys |= {f"path:{show_path(read_symbol(r.place).path)}" for r in found.readings.values() if r.place}
            keys = keys.union(*(keys_of_place(read_symbol(text), then) for text in (predicate.object, *predicate.members) if text))
        if predicate.relation == "inherits":
            # The signature spells the bases; what they mean is in the edges.
            places = (read_symbol(text) for text in (predicate.subject, *(r.place for r in found.readings.values() if r.place)))
            keys |= {f"from:implements:{symbol.qualified_name}" for symbol in places}
    return frozenset(keys)


def _order(held: Mapping[str, Held]) -> tuple[list[str], frozenset[str]]:
    """The claims, what they rest on first, and the ones that rest on themselves: two ledgers may have closed a circle that neither had."""

    def below(claim_id: str) -> Iterable[str]:
        return (c for c in rests_on(held[claim_id]) if c in held)

    circle: frozenset[str] = frozenset()
    try:
        order = in_order(held, below)
    except InvalidRecordError:
        circle = circular(held, below)
        order = in_order(held, lambda c: [p for p in below(c) if not (c in circle and p in circle)])
    # Review conditions may count the other claims by status, so they and what rests on them come last.
    last: set[str] = set()
    for claim_id in order:
        if any(map(has_review_condition, held[claim_id].anchors)) or any(c in last for c in below(claim_id)):
            last.add(claim_id)
    return sorted(order, key=last.__contains__), circle


def has_review_condition(anchor: Anchor) -> bool:
    """Whether the anchor is a review condition."""
    return anchor.kind == "time" and "review_when" in anchor.target


def _judged(held: Held, review: Review | None, statuses: Mapping[str, ClaimStatus]) -> dict[str, AnchorReading]:
    """The readings of a claim's review conditions: they count from its last verdict, whichever one is looked at."""
    if review is None or held.standing is not None:
        return {}
    return {a.digest: review(a, held.verdicts[-1], statuses) for a in held.anchors if has_review_condition(a)}


def premises_of(held: Held) -> tuple[str, ...]:
    """The claims that a claim rests on: as recorded, and as added later, without those that were dropped."""
    named = (*held.claim.derived_from, *(str(a.target["claim"]) for a in held.anchors if a.kind == "claim"), *held.depends_on)
    return tuple(premise for premise in dict.fromkeys(named) if premise not in held.dropped)


def rests_on(held: Held) -> tuple[str, ...]:
    """The claims whose statuses bear on this one's: its premises, and what contradicts it."""
    return (*premises_of(held), *(other for other, _ in held.counters))


def fingerprint(anchors: Iterable[Anchor], view: TreeView, seen: Mapping[str, AnchorReading] | None = None) -> dict[str, AnchorReading]:
    """The readings of anchors in the tree in which a verdict is being said, in that tree's own names.

    `seen`: the present readings as an earlier verdict sees them (moves followed); without them the anchors say where things are.
    """
    before = seen or {}
    own = {d: replace(r, was="") for d, r in before.items()}
    # What a review condition said is not in the tree: it is taken over as it was seen.
    return {a.digest: own[a.digest] if has_review_condition(a) and a.digest in own else read(a, view, view, own.get(a.digest)) for a in anchors}


class _Reader:
    """Reads each anchor once per (anchor, verdict's tree, old reading), and notes its watch keys."""

    def __init__(self, view: TreeView, past: Past, watches: dict[str, frozenset[str]]) -> None:
        self._view, self._past, self._watches = view, past, watches
        self._then = past.files
        self._known: dict[tuple[str, str, str], AnchorReading] = {}

    def readings(self, anchors: Sequence[Anchor], verdict: Verdict) -> dict[str, AnchorReading]:
        then = self._then(verdict)
        found = {}
        for anchor in anchors:
            old = verdict.fingerprint.get(anchor.digest)
            key = (anchor.digest, verdict.snapshot_key, f"{old.place} {old.hash} {old.inferred_hash}" if old else "")
            reading = self._known.get(key)
            if reading is None:
                reading = self._known[key] = read(anchor, then, self._view, old)
                self._watches[anchor.digest] = self._watches.get(anchor.digest, frozenset()) | watch_keys(anchor, Watched(reading, then, old))
            found[anchor.digest] = reading
        return found

    def decision(self, claim: Claim, recorded: Verdict) -> Decision | None:
        """A predicate names things as they were called where the claim was recorded."""
        return decide(claim.predicate, self._then(recorded), self._view) if claim.predicate is not None else None

    def renewed(self, verdict: Verdict, anchor: Anchor) -> Renewed | None:
        """The anchor by today's analyzers in the verdict's tree and in this one; None where the verdict was said with these."""
        if not self._past.is_outdated(verdict):
            return None
        own = replace(verdict.fingerprint[anchor.digest], was="")
        whole = self._past.whole(verdict)
        if whole is None:
            return Renewed(None, own)
        then = read(anchor, whole, whole, own)
        return Renewed(then, read(anchor, whole, self._view, then))
