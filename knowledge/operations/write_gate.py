"""Holding a claim that was just recorded against what is remembered: one recall a sentence, so that no length silences it.

The claim is stored whatever comes of it. That the gate did not run is an answer of its own, and counted.
"""

from __future__ import annotations

import contextlib
import time

from knowledge.errors import KnowledgeError
from knowledge.gates.saying import read_saying
from knowledge.gates.write_gate import Precedent, conflicts
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.recall.chunks import sentences
from knowledge.recall.ranking import Statistics, read_query
from knowledge.records.answers import WriteGateAnswer, WriteGateWarning
from knowledge.storage.audit import Decision

FAILED = "write-gate-failed"
"""The counter of claims that the gate could not hold against anything."""
_SENTENCES = 60
"""Of one claim, those first that say that something cannot be or is no longer so; what is beyond is told."""
_PRECEDENTS = 12
"""Claims that are read for one sentence, best first."""


def write_gate(project: Project, claim_id: str) -> WriteGateAnswer:
    """What the claim may contradict, at most three precedents with both sentences side by side; a row of the audit, whatever it is.

    Raises nothing that the store may raise.
    """
    began = time.perf_counter()
    cause = ""
    try:
        answer = _held_against(project, claim_id)
    except KnowledgeError as failure:
        cause = f"{failure.code}: {failure.message}"[:300]
        answer = WriteGateAnswer(False, f"the gate did not run: {failure.message}")
    with contextlib.suppress(KnowledgeError):
        if cause:
            project.index.count(FAILED)
        _audit(project, answer, cause, round(1_000 * (time.perf_counter() - began), 1))
    return answer


def _audit(project: Project, answer: WriteGateAnswer, cause: str, milliseconds: float) -> None:
    author = project.author
    outcome = "failed" if cause else "match" if answer.warnings else "miss"
    claims = tuple(warning.precedent for warning in answer.warnings)
    host = author.name if author.kind == "agent" else ""
    row = Decision(project.now(), host, "", author.session, "record", "", "write_gate", outcome, cause, claims=claims, milliseconds=milliseconds)
    project.audit.add([row])


def _held_against(project: Project, claim_id: str) -> WriteGateAnswer:
    bring_up_to_date(project)
    statement = project.ledger.claim(claim_id).statement
    said = list(dict.fromkeys(sentences(statement)))
    recalled = {sentence: _recalled(project, claim_id, sentence) for sentence in sorted(said, key=_weight)[:_SENTENCES]}
    standing = _standing(project, {c for claims in recalled.values() for c in claims})
    precedents = {
        sentence: [Precedent(c, old) for c in claims if c in standing for old in sentences(standing[c])] for sentence, claims in recalled.items()
    }
    found = conflicts(statement, precedents, _statistics(project, said, standing).rarity)
    warnings = tuple(
        WriteGateWarning(c.precedent.claim_id, c.how, c.sentence, c.precedent.sentence, tuple(_evidence(project, c.precedent.claim_id)))
        for c in found
    )
    left = len(said) - _SENTENCES
    return WriteGateAnswer(True, f"{left} sentences were not compared" if left > 0 else "", len(standing), warnings)


def _weight(sentence: str) -> int:
    saying = read_saying(sentence)
    return 0 if saying.is_cannot else 1 if saying.takes_back else 2


def _recalled(project: Project, claim_id: str, sentence: str) -> list[str]:
    scores = search(project, read_query(sentence))
    return [c for c in sorted(scores, key=lambda c: (-scores[c], c)) if c != claim_id][:_PRECEDENTS]


def _standing(project: Project, claim_ids: set[str]) -> dict[str, str]:
    """claim id → statement, of those that nobody rejected, replaced or took back."""
    held = Reading(project).held(sorted(claim_ids))
    return {c: one.claim.statement for c, one in held.items() if one.standing is None}


def _statistics(project: Project, said: list[str], standing: dict[str, str]) -> Statistics:
    """How rare the terms of all these sentences are among what is remembered."""
    texts = [*said, *(sentence for statement in standing.values() for sentence in sentences(statement))]
    terms = {term for text in texts for idea in read_saying(text).ideas for term in idea}
    state = project.index.recall_state()
    return Statistics(state.pieces if state is not None else 0, 1.0, project.index.holding(terms))


def _evidence(project: Project, claim_id: str) -> list[str]:
    return [f"{one.id} {one.kind} {one.symbol}".strip() for one in project.ledger.evidence_of(claim_id)[:3]]
