"""Everything that happened to a claim: each transition with its commit, the commit's author, the anchor, and a small diff of what changed.

The diffs are computed from git when somebody looks. Where git no longer has a tree there is none, and the rest of the history stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from knowledge.errors import RepositoryReadError, UnknownRevisionError
from knowledge.invalidation.propagate import Held
from knowledge.operations.changes_shown import Sides, change_line
from knowledge.operations.lines import history_line
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import TreeFiles
from knowledge.records.claims import Cause
from knowledge.records.events import Event
from knowledge.records.invalidations import ChangeLine, HistoryAnswer

_MOVED = " → "


def history(project: Project, claim_id: str) -> HistoryAnswer:
    """Every event of a claim, oldest first: who, when, at which commit, why. Raises UnknownRecordError with near ids."""
    claim_id = project.ledger.resolve_claim(claim_id)
    reading = Reading(project)
    held = reading.held([claim_id])[claim_id]
    events = project.ledger.events(claim_id=claim_id)
    known = known_places(held, events)
    return HistoryAnswer(claim_id, held.claim.statement, tuple(history_line(e, _changes(reading, held, e, known)) for e in events))


def known_places(held: Held, events: Sequence[Event]) -> dict[str, tuple[str, ...]]:
    """Anchor digest → every place at which its subject was ever seen, the newest first."""
    places: dict[str, dict[str, None]] = {}
    for anchor in held.anchors:
        subject = str(anchor.target.get("symbol") or anchor.target.get("subject") or "")
        places[anchor.digest] = dict.fromkeys(
            [subject, *(v.fingerprint[anchor.digest].place for v in held.verdicts if anchor.digest in v.fingerprint)]
        )
    for event in events:
        pairs = [str(pair).partition(_MOVED)[::2] for pair in event.payload.get("places", ())]
        for seen in places.values():
            seen.update(dict.fromkeys(now for was, now in pairs if was in seen))
        for cause in _causes(event):
            if cause.anchor in places:
                places[cause.anchor][cause.place] = None
    return {digest: tuple(place for place in reversed(seen) if place) for digest, seen in places.items()}


def _causes(event: Event) -> list[Cause]:
    """The causes that a transition's event keeps."""
    kept: list[Mapping[str, Any]] = event.payload.get("causes", [])
    return [Cause(c["reason"], c.get("anchor", ""), c.get("old", ""), c.get("new", ""), c.get("place", ""), c.get("detail", "")) for c in kept]


def _changes(reading: Reading, held: Held, event: Event, known: Mapping[str, tuple[str, ...]]) -> tuple[ChangeLine, ...]:
    causes = _causes(event)
    if not causes:
        return ()
    revision, before = str(event.payload.get("revision") or ""), str(event.payload.get("from_revision") or "")
    # Without a tree before, the claim was new here: what was said of it is what it is measured against.
    said = next((v for v in reversed(held.verdicts) if v.said_at <= event.at), held.verdicts[0])
    old = files_at(reading, before) if before else reading.trees.then(said)
    names = (before[:8] or f"the tree of the verdict ({(said.revision or 'uncommitted')[:8]})", revision[:8])
    sides = Sides(old, files_at(reading, revision), names)
    anchors = {a.digest: a for a in held.anchors}
    found: list[ChangeLine] = []
    for cause in causes:
        one = change_line(cause, anchors.get(cause.anchor), sides, known.get(cause.anchor, ()))
        # Several anchors may stand on the same lines: these are shown once.
        found.append(replace(one, diff=()) if any(one.diff == other.diff for other in found) else one)
    return tuple(found)


def files_at(reading: Reading, revision: str) -> TreeFiles | None:
    """The tree of a revision; None where git no longer has it."""
    repository = reading.project.repository
    try:
        return reading.trees.then_of_tree(repository.tree(revision).snapshot.tree_id) if repository.has_object(revision) else None
    except (UnknownRevisionError, RepositoryReadError):
        return None
