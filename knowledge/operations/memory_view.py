"""What is remembered of a text, put so that it can be acted on: what can be used now, what cannot, on what evidence, and what to check first."""

from __future__ import annotations

from knowledge.operations.banks import opened_personal
from knowledge.operations.context_pack import pack_claim
from knowledge.operations.late_recalls import recall_by_hand
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.recall import PERSONAL, Asked
from knowledge.records.evidence import EvidenceKind
from knowledge.records.identifiers import show_path
from knowledge.records.packs import MatchKind, MemoryView, PackClaim, PackTree
from knowledge.records.recalls import RecallLine
from knowledge.views.context_pack import checks_of, is_overturning

_MATCHES: dict[str, MatchKind] = {"found": "good", "weak": "weak", "nothing": "nothing"}
_EVIDENCE = 3
"""Pieces of evidence that are named for a claim."""


def memory_view(project: Project, asked: Asked, *, personal: Project | None = None, at: str | None = None) -> MemoryView:
    """The memories that bear on a text, of the repository's bank and of the personal one. Raises what `recall` raises."""
    answer = recall_by_hand(project, asked, personal=personal, at=at)
    claims: dict[str, PackClaim] = {}
    evidence: list[str] = []
    for bank, lines in _by_bank(answer.lines):
        owner = personal if bank == PERSONAL and personal is not None else project
        reading = Reading(owner)
        view = reading.trees.at(at if owner is project else None)
        ids = [line.claim.id for line in lines]
        held, statuses = reading.held(ids), reading.statuses(view, ids)
        for line in lines:
            kinds: dict[EvidenceKind, None] = {}
            for one in owner.ledger.evidence_of(line.claim.id)[:_EVIDENCE]:
                kinds[one.kind] = None
                evidence.append(f"{one.id} {one.kind} {one.symbol or show_path(one.file_path)} at {(one.repository_revision or '')[:10]}".strip())
            claims[line.claim.id] = pack_claim(held[line.claim.id], statuses[line.claim.id], view, tuple(kinds))
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
        notes=(*answer.notes, *(f"the tag {r.given} was read as {r.kept} ({r.why})" for r in answer.rewrites)),
    )


def remembered(project: Project, asked: Asked, *, at: str | None = None) -> MemoryView:
    """`memory_view` with the personal bank, where there is one."""
    with opened_personal() as personal:
        return memory_view(project, asked, personal=personal, at=at)


def _by_bank(lines: tuple[RecallLine, ...]) -> list[tuple[str, list[RecallLine]]]:
    found: dict[str, list[RecallLine]] = {}
    for line in lines:
        found.setdefault(line.bank, []).append(line)
    return list(found.items())
