"""Conflicts: claims that contradict one another, both kept, each with the revisions in which both were held, and what was said of them since.

Found where predicates exclude each other (as a claim is recorded, or in a search over all of them), or reported by whoever sees it. Nothing is
overwritten: a resolution says which claim is stale and why they differ, and a later resolution counts instead of an earlier one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from knowledge.claims.contradictions import INTENTIONS, INTO, Resolution, conflict_id, exclusion, overlaps, placed, probes, resolutions, slots
from knowledge.claims.lifecycle import KEPT
from knowledge.claims.predicates import decide
from knowledge.errors import InvalidRecordError, RepositoryReadError, UnknownRecordError, UnknownRevisionError
from knowledge.invalidation.propagate import Held
from knowledge.operations.lines import claim_line
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.transitions import ANALYZER
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.answers import Checked, ConflictLine, ConflictsAnswer
from knowledge.records.claims import Predicate, Verdict
from knowledge.records.events import Event
from knowledge.records.stored import CONTRADICTS, SUPPORTS, Relation

NEITHER = "none"
CODE_CHANGED, ANALYSIS_INCOMPLETE, NOT_COMPUTABLE = "code-changed", "earlier-analysis-incomplete", "not-computable"
_DIFFERENCES = {CODE_CHANGED: "the code changed between the revisions", ANALYSIS_INCOMPLETE: "the earlier analysis was incomplete"}
_SHORTEST, _NEAR = 4, 5


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two claims that contradict each other, the newer one first, and what was found of them."""

    newer: str
    older: str
    reason: str

    @property
    def name(self) -> str:
        return conflict_id(self.newer, self.older)


def listing(project: Project, *, find: bool = False, resolved: bool = False, at: str | None = None) -> ConflictsAnswer:
    """The open conflicts, with `resolved` all of them. find: hold all predicates against each other first, and note what excludes what."""
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    if not find:
        return _answer(reading, view, has_resolved=resolved)
    found, checked = _search(reading, view)
    fresh = _keep(reading, view, found, by=ANALYZER, how="predicates")
    note = f"{len(fresh)} found that {'was' if len(fresh) == 1 else 'were'} not known"
    return replace(_answer(reading, view, has_resolved=resolved), checked=checked, notes=(note,))


def report(project: Project, one: str, other: str, reason: str, *, at: str | None = None) -> ConflictsAnswer:
    """Say that two claims contradict each other. Raises InvalidRecordError without a reason, for one claim, and where it is known already."""
    refuse_off_record(project)
    ledger = project.ledger
    one, other = ledger.resolve_claim(one), ledger.resolve_claim(other)
    if one == other:
        raise InvalidRecordError("a claim cannot contradict itself")
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    older, newer = sorted((one, other), key=lambda c: reading.held([c])[c].verdicts[0].sequence)
    pair = _Pair(newer, older, _reason(reason))
    if not _keep(reading, view, [pair], by=project.author_text(), how="report"):
        raise InvalidRecordError(f"the conflict of {one} and {other} is known already: {pair.name}")
    return _answer(reading, view, only=pair.name)


def resolve(project: Project, conflict: str, stale: str, reason: str, *, at: str | None = None) -> ConflictsAnswer:
    """Say which claim of a conflict is stale (`none`: neither), and compute why they differ. The claims stay as they are.

    Raises UnknownRecordError for an unknown conflict, InvalidRecordError for a claim that has no part in it.
    """
    refuse_off_record(project)
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    name, sides = _find(project, conflict)
    chosen = "" if stale == NEITHER else next((c for c in sides if len(stale) >= _SHORTEST and c.startswith(stale)), None)
    if chosen is None:
        raise InvalidRecordError(f"{stale!r} has no part in {name}; expected {sides[0]}, {sides[1]} or {NEITHER}", suggestions=(*sides, NEITHER))
    difference, detail = _difference(reading, reading.held(sides)[chosen], view) if chosen else ("", "")
    revision = view.tree.snapshot.revision
    told: dict[str, object] = {"conflict": name, "stale": chosen, "between": list(sides), "difference": difference, "revision": revision}
    # The texts stand with the claim that is stale alone: redacting that one takes them out.
    side = chosen or sides[0]
    texts: dict[str, object] = {"reason": _reason(reason), "detail": detail}
    payloads = {c: told | texts if c == side else told for c in sorted(sides, key=lambda c: c == side)}
    project.ledger.append([Event(0, "ConflictResolved", c, project.now(), project.author_text(), payload) for c, payload in payloads.items()])
    _look_again(reading, sides)
    return _answer(reading, view, only=name)


def support(project: Project, one: str, other: str, reason: str) -> Relation:
    """Say that one claim supports another. It makes neither of them truer; it is shown with both. Raises InvalidRecordError."""
    refuse_off_record(project)
    ledger = project.ledger
    one, other = ledger.resolve_claim(one), ledger.resolve_claim(other)
    if one == other:
        raise InvalidRecordError("a claim cannot support itself")
    if any((r.source, r.target) == (one, other) for r in ledger.relations_of([one], (SUPPORTS,)).get(one, ())):
        raise InvalidRecordError(f"{one} supports {other} already")
    relation = Relation(SUPPORTS, one, other, {"reason": _reason(reason), "by": project.author_text(), "at": project.now()})
    ledger.append(_added(project, relation, project.author_text()), relations=[relation])
    return relation


def notice(project: Project, reading: Reading, recorded: Mapping[str, IndexedTree]) -> dict[str, tuple[str, ...]]:
    """Claims just recorded (each with its tree) against what is kept on the same anchors: warnings for each, the conflicts noted.

    Cheap: only claims that stand on an anchor which a contradicting predicate would have are looked at.
    """
    pairs = _contradicted(reading, reading.held(recorded), recorded)
    warnings: dict[str, tuple[str, ...]] = {}
    for view in {id(v): v for v in recorded.values()}.values():
        here = [p for p in pairs if recorded[p.newer] is view]
        _keep(reading, view, here, by=ANALYZER, how="predicates")
        statuses = reading.statuses(view, {p.older for p in here}) if here else {}
        for pair in here:
            text = (
                f"warning: contradicts {pair.older}, which is {statuses[pair.older].status} here ({pair.reason});"
                f" both are kept: knowledge conflicts resolve {pair.name}"
            )
            warnings[pair.newer] = (*warnings.get(pair.newer, ()), text)
    return warnings


def preview(reading: Reading, new: Held, view: IndexedTree) -> tuple[str, ...]:
    """What a claim that is not stored would contradict, as warnings; nothing is written."""
    pairs = _contradicted(reading, {new.claim.id: new}, {new.claim.id: view})
    statuses = reading.statuses(view, {p.older for p in pairs}) if pairs else {}
    return tuple(f"warning: would contradict {p.older}, which is {statuses[p.older].status} here ({p.reason}); both would be kept" for p in pairs)


def _contradicted(reading: Reading, held: Mapping[str, Held], recorded: Mapping[str, IndexedTree]) -> list[_Pair]:
    """The pairs of a claim of `held` (each with the tree it is said of) and any other that stands on an anchor which excludes it."""
    sought = {c: probes(h.claim.predicate, recorded[c]) for c, h in held.items() if h.claim.predicate is not None and _may_contradict(h)}
    on = reading.project.ledger.claims_on(set().union(*sought.values())) if sought else {}
    others = reading.held({c for claims in on.values() for c in claims})
    pairs: dict[frozenset[str], _Pair] = {}
    for claim_id, digests in sought.items():
        for other in {c for d in digests for c in on.get(d, ())} - {claim_id}:
            # What is not stored has no place in the sequence yet: it is the newest.
            older, newer = sorted((held[claim_id], others[other]), key=lambda h: h.verdicts[0].sequence or sys.maxsize)
            why = _exclusion(newer, older, recorded[claim_id])
            if why:
                pairs.setdefault(frozenset((claim_id, other)), _Pair(newer.claim.id, older.claim.id, why))
    return list(pairs.values())


def _may_contradict(held: Held) -> bool:
    return held.claim.kind not in INTENTIONS and held.standing is None


def _exclusion(one: Held, other: Held, view: IndexedTree, predicates: Mapping[str, Predicate] | None = None) -> str:
    """Why two claims cannot both be so; "" where they can, or where nothing tells."""
    if not (_may_contradict(one) and _may_contradict(other) and overlaps(one.claim.scope, other.claim.scope)):
        return ""
    mine, yours = ((predicates or {}).get(h.claim.id, h.claim.predicate) for h in (one, other))
    return exclusion(mine, yours, view) if mine is not None and yours is not None else ""


def _search(reading: Reading, view: IndexedTree) -> tuple[list[_Pair], Checked]:
    """All claims with a predicate against each other, as their symbols are called in this tree."""
    everything = reading.held(reading.project.ledger.claim_ids())
    told = {c: h for c, h in everything.items() if h.claim.predicate is not None and _may_contradict(h)}
    predicates: dict[str, Predicate] = {}
    meeting: dict[tuple[object, ...], list[str]] = {}
    for claim_id, held in told.items():
        assert held.claim.predicate is not None
        predicates[claim_id] = placed(held.claim.predicate, reading.trees.then(held.verdicts[0]), view)
        for slot in slots(predicates[claim_id], view):
            meeting.setdefault(slot, []).append(claim_id)
    pairs: dict[str, _Pair] = {}
    for slot, claims in meeting.items():
        for one, other in _unlike(slot, claims, predicates):
            older, newer = sorted((one, other), key=lambda c: told[c].verdicts[0].sequence)
            why = _exclusion(told[newer], told[older], view, predicates)
            if why:
                pair = _Pair(newer, older, why)
                pairs.setdefault(pair.name, pair)
    free = len(everything) - len(told)
    return list(pairs.values()), Checked(len(told), free, (f"{free} say nothing that can be decided, or are out of play",) if free else ())


def _unlike(slot: tuple[object, ...], claims: Sequence[str], predicates: Mapping[str, Predicate]) -> Iterable[tuple[str, str]]:
    """The pairs that can differ. Edges that meet sets do not meet one another, and claims that say the very same do not either."""
    groups: dict[object, list[str]] = {}
    for claim_id in claims:
        key = predicates[claim_id].relation if slot[0] == INTO else predicates[claim_id]
        groups.setdefault(key, []).append(claim_id)
    return ((one, other) for mine, yours in combinations(groups.values(), 2) for one in mine for other in yours)


def _keep(reading: Reading, view: IndexedTree, pairs: Iterable[_Pair], *, by: str, how: str) -> list[_Pair]:
    """Write down the conflicts that are not known yet; which they were."""
    refuse_off_record(reading.project)
    project, pairs = reading.project, list(pairs)
    related = project.ledger.relations_of({p.newer for p in pairs}, (CONTRADICTS,)).values()
    known = {conflict_id(r.source, r.target) for found in related for r in found}
    fresh = [pair for pair in pairs if pair.name not in known]
    relations = []
    for pair in fresh:
        sides = (pair.newer, pair.older)
        detail: dict[str, object] = {
            "conflict": pair.name,
            "reason": pair.reason,
            "how": how,
            "by": by,
            "at": project.now(),
            "seen_in": view.tree.snapshot.label,
            "statuses": {c: s.status for c, s in reading.statuses(view, sides).items()},
            "held_in": _held_in(reading, sides, view),
        }
        relations.append(Relation(CONTRADICTS, pair.newer, pair.older, detail))
    if fresh:
        project.ledger.append([event for r in relations for event in _added(project, r, by)], relations=relations)
        _look_again(reading, [c for p in fresh for c in (p.newer, p.older)])
    return fresh


def _held_in(reading: Reading, sides: Sequence[str], view: IndexedTree) -> list[str]:
    """The revisions in which both claims are held (active or verified): of this tree and of those in which verdicts were said of either."""
    verdicts: dict[str, Verdict] = {v.snapshot_key: v for h in reading.held(sides).values() for v in h.verdicts}
    trees = [view, *(tree for key, v in verdicts.items() if key != view.tree.snapshot.key and (tree := _whole(reading, v)) is not None)]
    found: dict[str, None] = {}
    for tree in trees:
        if all(s.status in KEPT for s in reading.statuses(tree, sides).values()):
            snapshot, verdict = tree.tree.snapshot, verdicts.get(tree.tree.snapshot.key)
            revision = snapshot.revision or (verdict.revision if verdict is not None else None)
            found[f"{revision or 'no commit'}{'+dirty' if snapshot.is_dirty else ''}"] = None
    return list(found)


def _whole(reading: Reading, verdict: Verdict) -> IndexedTree | None:
    try:
        return reading.trees.whole_then(verdict)
    except (UnknownRevisionError, RepositoryReadError):
        return None


def _difference(reading: Reading, stale: Held, view: IndexedTree) -> tuple[str, str]:
    """Why a claim is stale that once was held: its predicate is decided where it was recorded, by today's analyzers."""
    predicate = stale.claim.predicate
    if predicate is None:
        return NOT_COMPUTABLE, f"{stale.claim.id} has no predicate that could be decided where it was recorded"
    recorded = stale.verdicts[0]
    tree = _whole(reading, recorded)
    if tree is None:
        return NOT_COMPUTABLE, f"the tree in which {stale.claim.id} was recorded cannot be read any more"
    decision = decide(predicate, tree, tree)
    where = (recorded.revision or "uncommitted files")[:8]
    if decision.holds is None:
        return NOT_COMPUTABLE, f"it cannot be decided in {where}: {decision.detail}"
    if not decision.holds:
        return ANALYSIS_INCOMPLETE, f"{_DIFFERENCES[ANALYSIS_INCOMPLETE]}: it did not hold in {where}, where it was recorded ({decision.detail})"
    now = decide(predicate, tree, view)
    if now.holds:
        return NOT_COMPUTABLE, f"by the analysis it held in {where} and holds here ({now.detail})"
    return CODE_CHANGED, f"{_DIFFERENCES[CODE_CHANGED]}: it held in {where}; here: {now.detail}"


def _added(project: Project, relation: Relation, by: str) -> list[Event]:
    """An event for each end, without texts: those stand in the relation, which both ends' redaction reaches."""
    told = {"relation": relation.kind, "source": relation.source, "target": relation.target}
    if relation.kind == CONTRADICTS:
        told["conflict"] = conflict_id(relation.source, relation.target)
    return [Event(0, "RelationAdded", side, project.now(), by, told) for side in (relation.source, relation.target)]


def _look_again(reading: Reading, claims: Iterable[str]) -> None:
    for claim_id in claims:
        reading.forget(claim_id)
    reconcile(reading.project, reading)


def _find(project: Project, text: str) -> tuple[str, tuple[str, str]]:
    """The conflict with this id, or the only one that begins so. Raises UnknownRecordError."""
    known = {conflict_id(r.source, r.target): (r.source, r.target) for r in project.ledger.relations() if r.kind == CONTRADICTS}
    fitting = [name for name in known if name == text or (len(text) >= _SHORTEST and name.startswith(text))]
    if len(fitting) != 1:
        trouble = f"more than one conflict begins with {text!r}" if fitting else f"there is no conflict {text!r}"
        raise UnknownRecordError(trouble, suggestions=(fitting or list(known))[:_NEAR])
    return fitting[0], known[fitting[0]]


def _reason(reason: str) -> str:
    if not reason.strip():
        raise InvalidRecordError("say why: what is said of two claims keeps its reason")
    return reason.strip()


def _answer(reading: Reading, view: IndexedTree, *, only: str = "", has_resolved: bool = False) -> ConflictsAnswer:
    """One conflict, or the open ones, or all."""
    ledger = reading.project.ledger
    known = set(ledger.claim_ids())
    found: dict[str, list[Relation]] = {}
    for relation in ledger.relations():
        if relation.kind == CONTRADICTS and {relation.source, relation.target} <= known:
            found.setdefault(conflict_id(relation.source, relation.target), []).append(relation)
    said = resolutions(ledger.events(types=("ConflictResolved",)))
    shown = {name: several for name, several in found.items() if (name == only if only else has_resolved or name not in said)}
    lines = [_line(reading, view, name, several, said.get(name)) for name, several in shown.items()]
    count = len(found.keys() - said.keys())
    return ConflictsAnswer(
        tree=reading.project.tree_name(view.tree.snapshot),
        conflicts=tuple(sorted(lines, key=lambda line: (not line.is_open, line.found_at, line.id))),
        counts={"open": count, "resolved": len(found) - count},
        checked=Checked(0),
    )


def _line(reading: Reading, view: IndexedTree, name: str, relations: Sequence[Relation], said: Resolution | None) -> ConflictLine:
    first = min(relations, key=lambda r: str(r.detail.get("at", "")))
    held, statuses = reading.held((first.source, first.target)), reading.statuses(view, (first.source, first.target))
    newer, older = (claim_line(held[c], statuses[c], view) for c in (first.source, first.target))
    held_in = dict.fromkeys(str(revision) for r in relations for revision in _texts(r.detail.get("held_in")))
    return ConflictLine(
        id=name,
        newer=newer,
        older=older,
        reason=str(first.detail.get("reason", "")),
        how=str(first.detail.get("how", "")),
        found_by=str(first.detail.get("by", "")),
        found_at=str(first.detail.get("at", "")),
        held_in=tuple(held_in),
        is_open=said is None,
        stale=said.stale if said else "",
        difference=said.difference if said else "",
        difference_detail=said.detail if said else "",
        resolution=said.reason if said else "",
        resolved_by=said.by if said else "",
        resolved_at=said.at if said else "",
    )


def _texts(value: object) -> list[object]:
    return value if isinstance(value, list) else []
