"""Putting together the answer about one claim."""

from __future__ import annotations

from dataclasses import asdict

from knowledge.invalidation.propagate import Held
from knowledge.operations.evidence import line_of
from knowledge.operations.lines import anchor_lines, claim_line, predicate_text, verdict_lines
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.answers import ClaimAnswer
from knowledge.records.stored import CONTRADICTS, NewClaim


def claim_answer(
    project: Project, reading: Reading, claim_id: str, view: IndexedTree, *, unstored: NewClaim | None = None, notes: tuple[str, ...] = ()
) -> ClaimAnswer:
    """Everything about one claim in the tree of `view`; `unstored` answers for a claim that is only proposed."""
    relations: tuple[str, ...] = ()
    if unstored is not None:
        assert unstored.verdict is not None
        held = Held(unstored.claim, unstored.anchors, (unstored.verdict,))
        reading.suppose(held)
        status = next(s for s in reading.evaluate([claim_id], {}, view).statuses if s.claim_id == claim_id)
        evidence = list(unstored.evidence)
    else:
        held = reading.held([claim_id])[claim_id]
        status = reading.statuses(view, [claim_id])[claim_id]
        evidence = project.ledger.evidence_of(claim_id)
        dropped = [f"{claim_id} depends_on {premise}" for premise in held.dropped]
        conflicts = {c.other: f" ({c.conflict}, {'open' if c.resolution is None else 'resolved'})" for c in held.contradictions}
        relations += tuple(
            f"{r.source} {r.kind} {r.target}" + (conflicts.get(r.target if r.source == claim_id else r.source, "") if r.kind == CONTRADICTS else "")
            for r in project.ledger.relations(claim_id)
            if f"{r.source} {r.kind} {r.target}" not in dropped
        )
        relations += tuple(f"{relation} (dropped)" for relation in dropped)
    claim = held.claim
    scope = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(claim.scope).items() if v}
    return ClaimAnswer(
        tree=project.tree_name(view.tree.snapshot),
        claim=claim_line(held, status, view),
        predicate=predicate_text(claim.predicate),
        scope=scope,
        freshness={k: v for k, v in asdict(claim.freshness_policy).items() if v},
        detail=claim.detail,
        derived_from=tuple(premise for premise in claim.derived_from if premise not in held.dropped),
        anchors=anchor_lines(held.anchors, status.readings),
        evidence=tuple(line_of(e) for e in evidence),
        verdicts=verdict_lines(held.verdicts, status),
        relations=relations,
        notes=notes,
    )
