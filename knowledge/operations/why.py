"""Why a claim has the status it has in a tree: its verdict, each anchor then and now, the commit that changed it, and what there is to check."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from knowledge.claims.anchors import compare
from knowledge.claims.lifecycle import REVIEWED_KINDS
from knowledge.claims.predicates import decide
from knowledge.invalidation.propagate import Held
from knowledge.operations.changes_shown import Sides, change_line
from knowledge.operations.history import files_at, known_places
from knowledge.operations.lines import anchor_text, author_text, claim_line, commit_line, predicate_text, verdict_lines
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.turning_point import TurningPoint, TurningPoints
from knowledge.records.answers import ClaimLine
from knowledge.records.claims import Anchor, AnchorReading, Cause, ClaimStatus, Verdict
from knowledge.records.events import FALLING_TYPES, RESTORED, STANDING_TYPES, Event
from knowledge.records.identifiers import read_symbol
from knowledge.records.invalidations import AnchorChange, AnchorState, WhyAnswer
from knowledge.records.trees import Commit

_AT_LINE = re.compile(r":\d+\Z")
_WORD = re.compile(r"[^\s;,]+")


def why(project: Project, claim_id: str, *, at: str | None = None) -> WhyAnswer:
    """The status of a claim in a tree, explained. Raises UnknownRecordError, UnknownRevisionError."""
    reading = Reading(project)
    reconcile(project, reading)
    claim_id = project.ledger.resolve_claim(claim_id)
    view = reading.trees.at(at)
    held = reading.held([claim_id])[claim_id]
    status = reading.statuses(view, [claim_id])[claim_id]
    verdict = next(v for v in held.verdicts if v.id == status.verdict_id)
    asked = _Asked(reading, view, held, status, verdict, project.ledger.events(claim_id=claim_id))
    lines = verdict_lines(held.verdicts, status)
    return WhyAnswer(
        tree=project.tree_name(view.tree.snapshot),
        claim=claim_line(held, status, view),
        because=_because(asked),
        measured_against=lines[held.verdicts.index(verdict)],
        anchors=_anchors(asked),
        premise_path=_premise_path(asked),
        to_verify=_to_verify(asked),
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One claim in one tree, with all that was said of it."""

    reading: Reading
    view: IndexedTree
    held: Held
    status: ClaimStatus
    verdict: Verdict
    events: Sequence[Event]

    def cause_of(self, anchor: Anchor) -> Cause | None:
        """The cause that is about an anchor."""
        return next((c for c in self.status.causes if c.anchor == anchor.digest), None)

    @property
    def counter_evidence(self) -> Cause | None:
        """What the analysis of the predicate found, where no anchor says the same."""
        found = (c for c in self.status.causes if c.reason == "counter_evidence" and not c.anchor and not c.claim_path)
        return next(found, None) if self.held.claim.predicate is not None else None


# ── the rule ──


def _because(asked: _Asked) -> str:
    held, status, verdict = asked.held, asked.status, asked.verdict
    if held.standing is not None:
        event = next((e for e in reversed(asked.events) if e.type in STANDING_TYPES), None)
        by = f" by {event.author} at {event.at}" if event is not None else ""
        return f"it was said of the claim itself{by}, and counts on every tree until it is taken back"
    if not status.causes:
        where = "wherever that is now" if status.is_relocated else "here"
        looked = {"recorded": "recorded", "verified": "verified", "undecided": "looked at and not decided"}[verdict.kind]
        return f"it was {looked}, and all that it stands on reads {where} as it did then"
    changed = sum(bool(c.anchor) for c in status.causes)
    parts = [f"{changed} of the {len(held.anchors)} anchors it stands on read{'s' * (changed == 1)} otherwise than in its verdict"] if changed else []
    parts += ["the analysis decides its predicate, and it does not hold here"] if asked.counter_evidence is not None else []
    reasons = {c.reason for c in status.causes if not c.anchor}
    parts += ["a premise does not stand"] if "premise" in reasons else []
    parts += ["its time is up"] if "expired" in reasons else []
    parts += ["a claim that contradicts it stands"] if any(c.reason == "counter_evidence" and c.claim_path for c in status.causes) else []
    if held.claim.kind in REVIEWED_KINDS:
        parts.append(f"a {held.claim.kind} is not made false by that, but put up for review")
    elif status.status == "needs_review":
        parts.append("that cannot be judged by machine")
    return "; ".join(parts) or "; ".join(c.detail or c.reason for c in status.causes)


# ── anchors ──


def _anchors(asked: _Asked) -> tuple[AnchorChange, ...]:
    points, known = TurningPoints(asked.reading, asked.verdict, asked.view), known_places(asked.held, asked.events)
    found = []
    for anchor in asked.held.anchors:
        then, now = asked.verdict.fingerprint.get(anchor.digest), asked.status.readings.get(anchor.digest)
        cause = asked.cause_of(anchor)
        if cause is None or then is None or anchor.kind in ("claim", "time"):
            found.append(_unchanged(anchor, then, now, cause))
            continue
        point = _refined(_noted(asked, cause), partial(points.of_anchor, anchor, _paths(asked, cause, (then, now), anchor)))
        found.append(_changed(asked, anchor, cause, point, known.get(anchor.digest, ())))
    evidence = asked.counter_evidence
    if evidence is not None and asked.held.claim.predicate is not None:
        predicate = asked.held.claim.predicate
        search = partial(points.of_predicate, predicate, asked.held.verdicts[0], _paths(asked, evidence, (), None))
        point = _refined(_noted(asked, evidence), search)
        one = _changed(asked, None, evidence, point, ())
        # Where its anchor stands on the same lines these are shown once.
        found.append(replace(one, diff=()) if any(one.diff == other.diff for other in found) else one)
    return tuple(found)


def _unchanged(anchor: Anchor, then: AnchorReading | None, now: AnchorReading | None, cause: Cause | None) -> AnchorChange:
    """An anchor that has no bearing on the status, or one that no tree answers for."""
    differs = then is not None and now is not None and compare(anchor, then, now) is not None
    detail = cause.detail if cause is not None else "differs, but the predicate that holds decides it" if differs else ""
    return AnchorChange(
        anchor_text(anchor), anchor.role, _state(anchor, then), _state(anchor, now), cause.reason if cause is not None else "", detail, None, ""
    )


def _changed(asked: _Asked, anchor: Anchor | None, cause: Cause, point: TurningPoint, known: Sequence[str]) -> AnchorChange:
    then = asked.verdict.fingerprint.get(cause.anchor)
    sides = _sides(asked, point.commit) if point.is_change else Sides(asked.view, asked.view, ("", ""))
    shown = change_line(cause, anchor, sides, known)
    return AnchorChange(
        about=anchor_text(anchor) if anchor is not None else predicate_text(asked.held.claim.predicate),
        role=anchor.role if anchor is not None else "predicate",
        then=_state(anchor, then)
        if anchor is not None
        else AnchorState("", "", "", "held, or could not be decided" if point.is_change else "did not hold"),
        now=_state(anchor, asked.status.readings.get(cause.anchor)) if anchor is not None else AnchorState("", "", cause.place, "does not hold"),
        reason=cause.reason,
        detail=cause.detail,
        commit=commit_line(point.commit) if point.commit is not None else None,
        how=point.how,
        diff=shown.diff,
        no_diff=shown.no_diff,
    )


def _sides(asked: _Asked, commit: Commit | None) -> Sides:
    """The trees before and after the commit; without one the verdict's and this one."""
    if commit is None:
        return Sides(asked.reading.trees.then(asked.verdict), asked.view, ("the tree of the verdict", asked.view.tree.snapshot.label))
    parent = commit.parents[0] if commit.parents else ""
    return Sides(files_at(asked.reading, parent), files_at(asked.reading, commit.revision), (parent[:8] or "a parent", commit.revision[:8]))


def _state(anchor: Anchor, reading: AnchorReading | None) -> AnchorState:
    if reading is None:
        return AnchorState("", "", "", "")
    says = ""
    if reading.state == "present":
        if anchor.kind == "value":
            says = reading.detail
        elif anchor.kind == "edge":
            says = "only inferred" if reading.hash == "absent" and reading.inferred_hash else reading.hash
        elif anchor.kind == "set":
            count, more = len(reading.members), len(reading.inferred_members)
            says = f"{count} member{'s' * (count != 1)}" + (f", {more} more inferred" if more else "")
    return AnchorState(reading.state, reading.hash, reading.place, says)


def _refined(noted: TurningPoint | None, search: Callable[[], TurningPoint]) -> TurningPoint:
    """What was noted, unless that is a merge: then the commit of the branch that it brought is looked for."""
    if noted is not None and noted.commit is not None and len(noted.commit.parents) < 2:
        return noted
    found = search()
    return noted if noted is not None and found.commit is None else found


def _noted(asked: _Asked, cause: Cause) -> TurningPoint | None:
    """What the ledger noted when it happened, where that was one commit of this line after another."""
    repository, head = asked.reading.project.repository, asked.view.tree.snapshot.revision
    for event in reversed(asked.events):
        revision = str(event.payload.get("revision") or "")
        is_told = event.type in (*FALLING_TYPES, RESTORED)
        if not is_told or head is None or not revision or not (repository.has_object(revision) and repository.is_ancestor(revision, head)):
            continue
        if event.type == RESTORED:
            # To fall as it fell before is not noted a second time.
            return None
        if any((c.get("anchor", ""), c.get("new", "")) == (cause.anchor, cause.new_hash) for c in event.payload.get("causes", ())):
            commit = repository.commit(revision)
            is_one_step = commit.parents[:1] == (event.payload.get("from_revision"),)
            return TurningPoint(commit, "as noted when it happened") if is_one_step else None
    return None


def _paths(asked: _Asked, cause: Cause, readings: Iterable[AnchorReading | None], anchor: Anchor | None) -> list[bytes]:
    """The files in which the change is likely to have happened."""
    texts = [r.place for r in readings if r is not None]
    if anchor is not None:
        texts.append(str(anchor.target.get("symbol") or anchor.target.get("subject") or anchor.target.get("path") or ""))
    named = [word for word in _WORD.findall(cause.detail) if "::" in word or asked.view.has_path(read_symbol(word).path)]
    paths = (read_symbol(_AT_LINE.sub("", text)).path for text in (*texts, cause.place, *named) if text)
    return [path for path in dict.fromkeys(paths) if path]


# ── premises and what there is to do ──


def _premise_path(asked: _Asked) -> tuple[ClaimLine, ...]:
    """From the claim's fallen premise down to the one that made it fall."""
    path = next((c.claim_path for c in asked.status.causes if c.claim_path), ())
    statuses, held = asked.reading.statuses(asked.view, path), asked.reading.held(path)
    return tuple(claim_line(held[c], statuses[c], asked.view) for c in path)


def _to_verify(asked: _Asked) -> tuple[str, ...]:
    """What would have to be looked at before the claim can be verified here."""
    held, status = asked.held, asked.status
    if held.standing is not None:
        return (f"nothing: reopen it first, if it should count again (knowledge claim reopen {held.claim.id})",)
    if status.status == "verified":
        return ("nothing: it is verified here",)
    predicate, evidence = held.claim.predicate, asked.counter_evidence
    anchors = {a.digest: a for a in held.anchors}
    # What the analysis found of the whole statement leaves nothing to find out by reading.
    is_decided = evidence is not None and predicate is not None and predicate.covers_statement
    steps = [_check(cause, anchors) for cause in status.causes if not (is_decided and cause.reason == "unexamined")]
    if predicate is not None and predicate.covers_statement:
        decision = decide(predicate, asked.reading.trees.then(held.verdicts[0]), asked.view)
        if decision.holds:
            steps.append(f"nothing else: the analyzer decides it ({decision.detail}); knowledge reverify {held.claim.id} writes that down")
    if not steps:
        places = ", ".join(dict.fromkeys(r.place for r in status.readings.values() if r.place))
        steps.append(f"read {places} and say whether it holds" if places else "say whether it holds, and how that is known: no file shows it")
    own = held.claim.author
    if own.kind == "agent":
        steps.append(f"by somebody else than {author_text(own)}, who recorded it: an analyzer, a recorded run, another session or a person")
    return tuple(dict.fromkeys(steps))


def _check(cause: Cause, anchors: Mapping[str, Anchor]) -> str:
    """The one thing to look at because of a cause."""
    anchor = anchors.get(cause.anchor)
    about = cause.place or (anchor_text(anchor) if anchor is not None else "")
    if cause.claim_path and cause.reason == "premise":
        return f"check {cause.claim_path[-1]} first: it rests on that"
    if cause.claim_path:
        return f"find out which of the two holds, this one or {cause.claim_path[-1]} (knowledge conflicts)"
    match cause.reason:
        case "counter_evidence":
            look = f"look at {about}, and " if about else ""
            return f"the analysis says otherwise ({cause.detail}): {look}correct or reject the claim if that is so"
        case "subject_gone":
            return f"find what became of {about}" + (f" ({cause.detail})" if cause.detail else "") + ", and correct the claim"
        case "two_homes":
            return f"say which of these is meant, and correct the claim: {cause.detail or about}"
        case "unreadable":
            return f"make {about} readable ({cause.detail or 'it cannot be read'}), or read it yourself"
        case "expired" | "review_condition":
            return f"say again whether it holds: {cause.detail}"
        case "inferred_differs":
            return f"look whether what is only inferred is so: {cause.detail or about}"
        case _:
            return f"read {about} again and say whether the statement still holds"
