"""Recording a claim: what it stands on is proposed, completed, copied into the ledger and read once, in one transaction.

No record is refused for being wrong: a claim that is false when recorded is stored all the same, stale, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from knowledge.claims.anchors import make_anchor
from knowledge.claims.completion import rests_on
from knowledge.claims.contradictions import INTENTIONS
from knowledge.claims.proposals import CANNOT_NOTICE, UNWATCHED, Proposal, anchors_of, cited_anchors, propose
from knowledge.claims.review_conditions import read_condition, read_day
from knowledge.errors import InvalidRecordError
from knowledge.invalidation.propagate import fingerprint
from knowledge.operations import evidence as evidence_operations
from knowledge.operations.answers import claim_answer
from knowledge.operations.conflicts import notice, preview
from knowledge.operations.graph_tree import candidates
from knowledge.operations.kept_tree import kept_blobs
from knowledge.operations.late_corrections import notice_correction
from knowledge.operations.lines import anchor_text
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project, new_id
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.recurring import notice_recurrence
from knowledge.operations.run_evidence import PREFIX, run_evidence
from knowledge.operations.specs import claimed, read_anchor, read_lines, read_predicate, source_anchor
from knowledge.operations.tags import kept_tags
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.versions import versions
from knowledge.operations.write_gate import write_gate
from knowledge.push.blocked import blocked_sentence
from knowledge.records.answers import ClaimAnswer
from knowledge.records.claims import Anchor, Author, Claim, ClaimKind, FreshnessPolicy, Predicate, Scope, Verdict
from knowledge.records.events import Event
from knowledge.records.evidence import Evidence
from knowledge.records.identifiers import parse_symbol
from knowledge.records.stored import PRIVATE, NewClaim

UNANCHORED = "none"
_CANNOT = re.compile(
    r"\b(?:cannot|can't|can not|impossible|not possible|unable to|blocked)\b|불가|못\s*한다|할 수 없|안 된다|막혔|막혀", re.IGNORECASE
)
_LINE_SPEC = re.compile(r"[^:]+:\d+(?:-\d+)?\Z")


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim about to be recorded. anchors () = proposed from the statement; ("none",) = unanchored on purpose.

    evidence: `a.py::f`, `a.py:10-20`, `a.py`; documents: evidence that is at hand already. predicate: JSON. at: the revision it is said of
    (None: the working tree). review_when: a review condition. author: who says it, where it is not who records it.
    is_private: never pushed to anybody who did not ask, and never exported.
    complete: stand on what the cited bodies call and read, too (without it that is only offered).
    """

    statement: str
    kind: ClaimKind = "observation"
    tags: tuple[str, ...] = ()
    scope: Scope = field(default_factory=Scope)
    anchors: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    until: str = ""
    period_days: int = 0
    predicate: str | None = None
    at: str | None = None
    constraints: tuple[str, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    detail: dict[str, object] = field(default_factory=dict)
    review_when: str = ""
    author: Author | None = None
    documents: tuple[Evidence, ...] = ()
    complete: bool = False
    is_private: bool = False


def record(project: Project, draft: Draft) -> ClaimAnswer:
    """Store the claim with its anchors, evidence and first verdict, and hold it against what is remembered.

    Raises InvalidRecordError, UnknownSymbolError, UnknownPathError, and OffRecordError where the session is not to be remembered.
    """
    answer = record_many(project, [draft])[0]
    notes = (*answer.notes, *notice_recurrence(project, answer.claim.id), *notice_correction(project, answer.claim.id))
    return replace(answer, notes=notes, gate=write_gate(project, answer.claim.id))


def record_many(project: Project, drafts: Sequence[Draft]) -> list[ClaimAnswer]:
    """Many claims in one transaction, each as `record` does."""
    reading = Reading(project)
    answers = []
    for one, warnings in _store(project, reading, drafts):
        answer = claim_answer(project, reading, one.new.claim.id, one.view)
        answers.append(replace(answer, notes=(*one.notes, *_warnings(one, answer), *warnings), could_rest_on=one.offered))
    return answers


def store_many(project: Project, reading: Reading, drafts: Sequence[Draft]) -> dict[str, tuple[str, ...]]:
    """Many claims in one transaction, without an answer about each: claim id → what is to be said of it."""
    return {one.new.claim.id: (*one.notes, *warnings) for one, warnings in _store(project, reading, drafts)}


def _store(project: Project, reading: Reading, drafts: Sequence[Draft]) -> list[tuple[_Prepared, tuple[str, ...]]]:
    """The drafts as they were stored, each with warnings about what it contradicts. Raises OffRecordError."""
    refuse_off_record(project)
    reconcile(project, reading)
    # Each tree is opened once: to look what is uncommitted takes longer than all the rest.
    views = {at: reading.trees.at(at) for at in dict.fromkeys(draft.at for draft in drafts)}
    prepared = [_prepare(project, draft, views[draft.at]) for draft in drafts]
    blobs: dict[str, bytes] = {}
    for view in {id(p.view): p.view for p in prepared}.values():
        blobs |= kept_blobs(view.tree)
    with project.ledger.transaction():
        project.ledger.append(blobs=blobs)
        project.ledger.record_claims([p.new for p in prepared])
    reconcile(project, reading)
    warnings = notice(project, reading, {p.new.claim.id: p.view for p in prepared})
    return [(p, warnings.get(p.new.claim.id, ())) for p in prepared]


def propose_only(project: Project, draft: Draft) -> ClaimAnswer:
    """What recording the draft would store, without storing it."""
    reading = Reading(project)
    one = _prepare(project, draft, reading.trees.at(draft.at))
    answer = claim_answer(project, reading, one.new.claim.id, one.view, unstored=one.new)
    contradicted = preview(reading, reading.held([one.new.claim.id])[one.new.claim.id], one.view)
    return replace(answer, notes=(*one.notes, *_warnings(one, answer), *contradicted), could_rest_on=one.offered)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """offered: what it could also rest on, as one writes it."""

    new: NewClaim
    view: IndexedTree
    notes: tuple[str, ...]
    offered: tuple[str, ...]


def _prepare(project: Project, draft: Draft, view: IndexedTree) -> _Prepared:
    if not draft.statement.strip():
        raise InvalidRecordError("a claim needs a statement")
    snapshot = view.tree.snapshot
    shown = [run_evidence(project, spec) for spec in draft.evidence if spec.startswith(PREFIX)]
    draft = replace(draft, evidence=tuple(spec for spec in draft.evidence if not spec.startswith(PREFIX)))
    proposal, offered = _completed(_stand_on(draft, view), draft, view)
    if draft.until:
        read_day(draft.until)
    if draft.review_when:
        # Read now, so that what cannot be meant is refused; kept as it was written.
        read_condition(draft.review_when)
        proposal = replace(proposal, anchors=(*proposal.anchors, make_anchor("time", review_when=draft.review_when.strip())))
    premises = [project.ledger.resolve_claim(p) for p in draft.derived_from]
    cited = [_evidence(spec, view) for spec in draft.evidence]
    cited += _evidence_of_anchors(proposal.anchors, view, cited)
    cited += [*draft.documents, *(one.evidence for one in shown)]
    if shown and draft.anchors != (UNANCHORED,):
        found = (*proposal.anchors, *(anchor for one in shown for anchor in one.anchors))
        # What a run showed is watched, so nothing of the statement's own need be.
        notes = tuple(note for note in proposal.notes if not note.startswith(UNWATCHED))
        proposal = replace(proposal, anchors=_unique(found), notes=(*notes, *(note for one in shown for note in one.notes)))
    author = draft.author or project.author
    tags, rewritten = kept_tags(project, draft.tags, draft.statement, is_read=bool(draft.documents))
    claim = Claim(
        id=new_id("c"),
        statement=draft.statement.strip(),
        kind=draft.kind,
        scope=draft.scope,
        evidence_refs=tuple(e.id for e in cited),
        derived_from=tuple(premises),
        valid_at_revision=snapshot.revision,
        valid_at_tree=snapshot.key,
        freshness_policy=FreshnessPolicy(draft.until, draft.period_days, draft.review_when.strip()),
        # What is wanted need not be so yet: a statement decides nothing of a goal or a step, unless that is asked for.
        predicate=None if draft.kind in INTENTIONS and not draft.predicate else proposal.predicate,
        tags=tags,
        author=author,
        recorded_at=project.now(),
        detail=_detail(draft),
    )
    verdict = Verdict(
        id=new_id("v"),
        claim_id=claim.id,
        kind="recorded",
        sequence=0,
        fingerprint=fingerprint(proposal.anchors, view),
        tree_id=snapshot.tree_id,
        snapshot_key=snapshot.key,
        revision=snapshot.revision,
        author=author,
        reason="",
        evidence_refs=claim.evidence_refs,
        said_at=claim.recorded_at,
        analyzer_versions=versions(proposal.anchors),
    )
    event = Event(0, "ClaimRecorded", claim.id, claim.recorded_at, project.author_text(), {"revision": snapshot.revision, "kind": claim.kind})
    return _Prepared(NewClaim(claim, proposal.anchors, tuple(cited), verdict, (event,)), view, (*proposal.notes, *rewritten), offered)


def _completed(proposal: Proposal, draft: Draft, view: IndexedTree) -> tuple[Proposal, tuple[str, ...]]:
    """The proposal with what its bodies rest on where the recorder wants that, else with what could be added.

    A predicate needs no more, and what is merely wanted (a goal, a step) rests on no behaviour.
    """
    is_behaviour = proposal.predicate is None and draft.kind not in INTENTIONS
    below = rests_on(proposal.anchors, view) if is_behaviour else ()
    if not draft.complete:
        return proposal, tuple(f"{anchor_text(anchor)}@support" for anchor in below)
    notes = () if below else ("nothing was added: no callee or constant is known below what it stands on",)
    return replace(proposal, anchors=(*proposal.anchors, *below), notes=(*proposal.notes, *notes)), ()


def _stand_on(draft: Draft, view: IndexedTree) -> Proposal:
    """The anchors: given, or proposed; the predicate's own anchor is always among them."""
    given = read_predicate(draft.predicate, view) if draft.predicate else None
    if draft.anchors == (UNANCHORED,):
        return Proposal((), None, (f"{UNWATCHED}: nothing in the repository is watched for this statement",))
    anchors = [read_anchor(spec, view) for spec in draft.anchors]
    cited = _cited(draft, view) if not draft.anchors else []
    if given is not None:
        anchors += [] if given.covers_statement else cited
        twins = [a for a in anchors_of(given, view) if a.digest not in {b.digest for b in anchors}]
        return Proposal((*twins, *anchors), given, ())
    proposed = _proposed(draft, view)
    # What is said by a predicate alone stands on its twin; what is cited besides shows it, and may change.
    anchors += [] if proposed.predicate is not None and proposed.predicate.covers_statement else cited
    if draft.anchors:
        return Proposal(_unique(anchors), _fitting(proposed.predicate, anchors), ())
    if proposed.predicate is not None or not anchors:
        return Proposal(_unique([*proposed.anchors, *anchors]), proposed.predicate, proposed.notes)
    return Proposal(
        _unique(anchors), None, tuple(f"cannot notice ({kind}): {CANNOT_NOTICE[kind]}" for kind in dict.fromkeys(a.kind for a in anchors))
    )


def _proposed(draft: Draft, view: IndexedTree) -> Proposal:
    """What the statement proposes, and what the constraints of a decision do besides."""
    proposed = propose(draft.statement, view, lambda text: candidates(text, view))
    besides = [a for text in draft.constraints for a in propose(text, view, lambda name: candidates(name, view)).anchors]
    if not besides:
        return proposed
    # The constraints are part of what was decided: a predicate of the statement alone does not excuse them.
    predicate = replace(proposed.predicate, covers_statement=False) if proposed.predicate is not None else None
    notes = tuple(n for n in proposed.notes if proposed.anchors or not n.startswith(UNWATCHED))
    return Proposal(_unique([*proposed.anchors, *(replace(a, role="support") for a in besides)]), predicate, notes, proposed.unknown)


def _fitting(predicate: Predicate | None, anchors: Iterable[Anchor]) -> Predicate | None:
    """A predicate read from the statement is taken with given anchors only where one of them is about its subject."""
    if predicate is not None and any(predicate.subject in a.target.values() for a in anchors):
        return predicate
    return None


def _unique(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    return tuple({a.digest: a for a in anchors}.values())


def _cited(draft: Draft, view: IndexedTree) -> list[Anchor]:
    """What a claim stands on by the evidence that is cited: lines as they are, of symbols the sides that the statement speaks of."""
    lines = [source_anchor(read_lines(spec, view), "support", view) for spec in draft.evidence if _LINE_SPEC.match(spec)]
    symbols = [claimed(spec, view) for spec in draft.evidence if not _LINE_SPEC.match(spec)]
    return [*cited_anchors(draft.statement, symbols, view), *lines]


def _evidence(spec: str, view: IndexedTree) -> Evidence:
    if _LINE_SPEC.match(spec):
        return evidence_operations.of_lines(read_lines(spec, view), view)
    return evidence_operations.of_symbol(claimed(spec, view), view)


def _evidence_of_anchors(anchors: Iterable[Anchor], view: IndexedTree, cited: Sequence[Evidence]) -> list[Evidence]:
    """A copy of what each anchor is about, where the recorder cited nothing of it."""
    known = {e.symbol for e in cited}
    found = []
    for anchor in anchors:
        text = str(anchor.target.get("symbol") or anchor.target.get("subject") or anchor.target.get("path") or "")
        symbol = parse_symbol(text)
        is_quote = anchor.kind == "source"
        if not text or text in known or is_quote or (symbol is not None and symbol.is_external):
            continue
        target = claimed(text, view)
        if anchor.kind == "value":
            found += evidence_operations.of_value(target.path, str(anchor.target["key"]), view)
        elif view.has_path(target.path):
            known.add(text)
            relation = f"{text} {anchor.target['predicate']} {anchor.target['object']}" if anchor.kind == "edge" else ""
            found.append(evidence_operations.of_symbol(target, view, relation))
    return found


def _detail(draft: Draft) -> dict[str, object]:
    detail = dict(draft.detail) | ({PRIVATE: True} if draft.is_private else {})
    if draft.constraints:
        detail["constraints"] = list(draft.constraints)
    if draft.rejected:
        detail["rejected"] = [{"alternative": a, "reason": r} for a, r in draft.rejected]
    return detail


def _warnings(one: _Prepared, answer: ClaimAnswer) -> tuple[str, ...]:
    warnings = []
    if answer.claim.causes and all(c.reason == "review_condition" for c in answer.claim.causes):
        warnings.append(f"warning: its review condition is true already: {answer.claim.causes[0].detail}")
    elif answer.claim.status not in ("active", "verified"):
        said = "; ".join(c.detail for c in answer.claim.causes if c.detail)
        warnings.append(f"warning: the analysis does not agree: it is {answer.claim.status} ({said})")
    if answer.claim.is_unanchored:
        warnings.append("warning: unanchored; no change of the repository will ever be noticed")
    claim = one.new.claim
    assert one.new.verdict is not None
    for anchor in one.new.anchors:
        reading = one.new.verdict.fingerprint[anchor.digest]
        is_denied = claim.predicate is not None and claim.predicate.is_negated
        if anchor.kind == "edge" and reading.hash == "absent" and not is_denied and answer.claim.status == "active":
            warnings.append("warning: the analysis found no such edge; a call through a dynamic name would not be seen")
    if (_CANNOT.search(claim.statement) or blocked_sentence(claim.statement)) and not claim.scope.route_tried:
        warnings.append("warning: it says that something cannot be done; say which route was tried (scope)")
    return tuple(warnings)
