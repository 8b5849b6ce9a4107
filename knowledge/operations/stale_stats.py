"""Counts over time: how many claims had which status at the end of each day, week …, as the ledger's events tell; ages; owners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from knowledge.claims.lifecycle import KEPT, STANDINGS
from knowledge.invalidation.propagate import Held
from knowledge.operations.fallen import FallenClaim
from knowledge.operations.lines import author_text
from knowledge.records.claims import ClaimStatus
from knowledge.records.events import Event
from knowledge.records.invalidations import OwnerCounts, StaleStats, StatusCounts

ROWS = 12
"""Points in time at most."""
_STEPS = (1, 7, 30, 91, 365)
"""Days between them: the first of these with which all of the history fits."""
_AGES = ((0, "today"), (7, "up to a week"), (30, "up to a month"), (91, "up to a quarter"), (365, "up to a year"))
_OLDER, _UNKNOWN = "more than a year", "not noted"
_SAYS = {"ClaimRecorded": "active", "ClaimVerified": "verified", "ClaimReviewed": "needs_review"}


def stats(
    events: Iterable[Event], held: Mapping[str, Held], statuses: Mapping[str, ClaimStatus], fallen: Iterable[FallenClaim], today: date
) -> StaleStats:
    """All counts. `statuses` are of every claim in the tree that is looked at, `events` the whole ledger's in their order."""
    ages = {one.held.claim.id: one.age(today) for one in fallen}
    return StaleStats(tuple(over_time(events, today)), _histogram(ages.values()), _owners(held, statuses, ages))


def over_time(events: Iterable[Event], today: date) -> list[StatusCounts]:
    """How many claims had which status at the end of at most ROWS days, evenly spaced and the last one today. Nothing before the first event."""
    told = [(date.fromisoformat(event.at[:10]), event) for event in events]
    if not told:
        return []
    span = max(0, (today - min(day for day, _ in told)).days)
    step = next((s for s in _STEPS if span < s * ROWS), span // (ROWS - 1) + 1)
    ends = [today - timedelta(days=step * back) for back in range(min(ROWS, span // step + 1) - 1, -1, -1)]
    replayed, found, waiting = _Replay(), [], iter(sorted(told, key=lambda pair: (pair[0], pair[1].sequence)))
    following = next(waiting, None)
    for end in ends:
        while following is not None and following[0] <= end:
            replayed.apply(following[1])
            following = next(waiting, None)
        found.append(StatusCounts(end.isoformat(), replayed.counts()))
    return found


class _Replay:
    """The statuses of all claims, event by event."""

    def __init__(self) -> None:
        self._by_tree: dict[str, str] = {}
        self._standing: dict[str, str] = {}

    def apply(self, event: Event) -> None:
        """What an event makes of its claim. What is said of the claim itself counts over what follows from trees, until it is taken back."""
        if event.type in STANDINGS:
            status = STANDINGS[event.type]
            if status is None:
                self._standing.pop(event.claim_id, None)
            else:
                self._standing[event.claim_id] = status
        elif event.type in _SAYS:
            self._by_tree[event.claim_id] = _SAYS[event.type]
        elif event.payload.get("to"):
            self._by_tree[event.claim_id] = str(event.payload["to"])

    def counts(self) -> dict[str, int]:
        """Status → how many claims have it."""
        return dict(sorted(Counter((self._by_tree | self._standing).values()).items()))


def _histogram(ages: Iterable[int | None]) -> dict[str, int]:
    found = dict.fromkeys([*(name for _, name in _AGES), _OLDER, _UNKNOWN], 0)
    for age in ages:
        found[_UNKNOWN if age is None else next((name for most, name in _AGES if age <= most), _OLDER)] += 1
    return {name: count for name, count in found.items() if count}


def _owners(held: Mapping[str, Held], statuses: Mapping[str, ClaimStatus], ages: Mapping[str, int | None]) -> tuple[OwnerCounts, ...]:
    claims: dict[str, list[str]] = {}
    for claim_id, one in held.items():
        claims.setdefault(author_text(one.claim.author), []).append(claim_id)
    found = []
    for owner, several in claims.items():
        counts = Counter(statuses[c].status for c in several)
        oldest = max((age for c in several if (age := ages.get(c)) is not None), default=None)
        found.append(OwnerCounts(owner, sum(counts[s] for s in KEPT), counts["stale"], counts["needs_review"], oldest))
    return tuple(sorted(found, key=lambda o: (-o.stale - o.needs_review, -o.kept, o.owner)))
