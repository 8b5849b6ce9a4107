"""What is remembered of a text, put so that it can be acted on: what can be used now, what cannot, on what evidence, and what to check first."""

from __future__ import annotations

from dataclasses import replace

from knowledge.operations.banks import opened_personal
from knowledge.operations.context_pack import pack_claim
from knowledge.operations.late_recalls import notice_asking
from knowledge.operations.project import Project
from knowledge.operations.recall import Asked, recalled
from knowledge.records.evidence import EvidenceKind
from knowledge.records.identifiers import show_path
from knowledge.records.packs import MatchKind, MemoryView, PackClaim, PackTree
from knowledge.views.context_pack import checks_of, is_overturning

_MATCHES: dict[str, MatchKind] = {"found": "good", "weak": "weak", "nothing": "nothing"}
_EVIDENCE = 3
"""Pieces of evidence that are named for a claim."""


def memory_view(project: Project, asked: Asked, *, personal: Project | None = None, at: str | None = None) -> MemoryView:
    """The memories that bear on a text, of the repository's bank and of the personal one. Raises what `recall` raises."""
    found = recalled(project, asked, personal=personal, at=at)
    answer = found.answer
    claims: dict[str, PackClaim] = {}
    evidence: list[str] = []
    for line in answer.lines:
        known = found.known[line.claim.id]
        kinds: dict[EvidenceKind, None] = {}
        for one in known.project.ledger.evidence_of(line.claim.id)[:_EVIDENCE]:
            kinds[one.kind] = None
            evidence.append(f"{one.id} {one.kind} {one.symbol or show_path(one.file_path)} at {(one.repository_revision or '')[:10]}".strip())
        # A long statement is shown by the part that answers: the budget was held to that.
        shown_claim = pack_claim(known.held, known.status, known.view, tuple(kinds))
        claims[line.claim.id] = replace(shown_claim, statement=line.claim.statement)
    shown = [claims[line.claim.id] for line in answer.lines]
    fallen = tuple(c for c in shown if is_overturning(c))
    tree = answer.tree
    return MemoryView(
        tree=PackTree(tree.label, tree.revision, tree.is_dirty),
        query=answer.query,
        match=_MATCHES[answer.outcome],
        repository_revision_match=all(c.revision_match for c in shown),
        relevant_claims=tuple(c for c in shown if not is_overturning(c)),
        supporting_evidence=tuple(dict.fromkeys(evidence)),
        stale_or_conflicting_claims=fallen,
        required_reverification=checks_of(fallen),
        left_out={"relevant_claims": answer.left_out} if answer.left_out else {},
        notes=(
            *answer.notes,
            *notice_asking(project, asked.text, answer.lines),
            *(f"the tag {r.given} was read as {r.kept} ({r.why})" for r in answer.rewrites),
        ),
    )


def remembered(project: Project, asked: Asked, *, at: str | None = None) -> MemoryView:
    """`memory_view` with the personal bank, where there is one."""
    with opened_personal() as personal:
        return memory_view(project, asked, personal=personal, at=at)
