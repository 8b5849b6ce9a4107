"""The search index of one project's claims: kept up to the ledger's last event, and asked.

It is a part of the index, a cache. Nothing is written to the ledger, and being found says nothing of a claim's freshness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from knowledge.operations.project import Project
from knowledge.recall.pieces import pieces_of
from knowledge.recall.ranking import LEAST_SCORE, Query, Statistics, score, weights
from knowledge.recall.terms import TERMS_VERSION
from knowledge.records.events import RETAGGED

_SEARCHED_EVENTS = ("ClaimRecorded", "ClaimRedacted", RETAGGED)
"""What changes a claim's text or names."""
_BATCH = 500
"""Events that are read in one transaction: others may write in between."""
_CANDIDATES = 300
"""Pieces that are compared exactly; SQLite's bm25() chooses them."""


def bring_up_to_date(project: Project) -> None:
    """Read what the ledger has and the search index has not. A run that is killed goes on where it was."""
    ledger = project.ledger
    done = _read_so_far(project)
    if done == ledger.last_sequence():
        return
    count = ledger.last_sequence() - (done or 0)
    if count > _BATCH:
        project.progress.start("making claims searchable", count)
    while (read := _read_batch(project)) is not None:
        if count > _BATCH:
            project.progress.advance(read)
    if count > _BATCH:
        project.progress.finish()


def _read_batch(project: Project) -> int | None:
    """How many events were passed; None where there are no more."""
    index, ledger = project.index, project.ledger
    with index.transaction():
        last, after = ledger.last_sequence(), _read_so_far(project)
        if after is None or after > last:
            # Other terms, or a ledger that was put back from an older copy.
            index.clear_recall()
            after = 0
        elif after == last:
            return None
        events = ledger.events(after=after, types=_SEARCHED_EVENTS, limit=_BATCH)
        until = events[-1].sequence if len(events) == _BATCH else last
        index.put_recall_state(TERMS_VERSION, until)
        known = {event.claim_id for event in events if event.type != "ClaimRecorded"}
        _put(project, {event.claim_id for event in events}, known)
        return until - after


def _read_so_far(project: Project) -> int | None:
    state = project.index.recall_state()
    return state.event_sequence if state is not None and state.version == TERMS_VERSION else None


def _put(project: Project, claim_ids: Iterable[str], known: Collection[str]) -> None:
    """Make claims searchable. known: those that may have pieces already."""
    ids = sorted(claim_ids)
    ledger = project.ledger
    claims, anchors, evidence = ledger.claims(ids=ids), ledger.anchors_of(ids), ledger.evidence_names(ids)
    pieces = {c.id: list(pieces_of(c, anchors.get(c.id, ()), evidence.get(c.id, ()))) for c in claims}
    project.index.put_pieces(pieces, known)


def search(project: Project, query: Query, least: float = LEAST_SCORE) -> dict[str, float]:
    """claim id → how well its best piece answers the query (0..1), for the claims that have something of it. least: what scores less is left out."""
    index = project.index
    state, holding = index.recall_state(), index.holding(query.terms)
    if state is None or not state.pieces:
        return {}
    statistics = Statistics(state.pieces, state.terms / state.pieces, holding)
    weighed = weights(query, statistics)
    found: dict[str, float] = {}
    for claim_id, terms in index.search(holding, _CANDIDATES):
        reached = score(query, weighed, Counter(terms.split(" ")), statistics)
        if reached >= least and reached > found.get(claim_id, 0.0):
            found[claim_id] = reached
    return found
