"""One step taken for several claims at once, each judged by its own rules: what cannot be said of one is listed, and said of the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.errors import UnknownRecordError, UsageError
from knowledge.operations.fallen import Fallen
from knowledge.operations.kept_tree import kept_blobs
from knowledge.operations.lines import claim_line
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.steps import Said, check_reason, said_of
from knowledge.records.invalidations import Refusal, StepsAnswer

STEPS = ("verify", "review", "reject", "withdraw")
"""Steps that make sense for many claims with one reason."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which claims: by id, by a text that their cause mentions, by a group of `stale` (its key). The last two choose among the fallen ones."""

    claim_ids: tuple[str, ...] = ()
    cause: str = ""
    group: str = ""

    @property
    def is_one(self) -> bool:
        """Whether one claim is named and nothing else."""
        return len(self.claim_ids) == 1 and not (self.cause or self.group)


def step_in_bulk(project: Project, step: str, chosen: Chosen, reason: str, *, at: str | None = None) -> StepsAnswer:
    """Take one of STEPS for all chosen claims, those of which it is refused aside. Raises UsageError, InvalidRecordError without a reason."""
    refuse_off_record(project)
    if step not in STEPS:
        raise UsageError(f"{step!r} is not done for several claims at once; expected one of {', '.join(STEPS)}", suggestions=STEPS)
    check_reason(reason)
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    refused: list[Refusal] = []
    wanted = list(dict.fromkeys([*_resolved(project, chosen.claim_ids, refused), *_among_fallen(reading, chosen, at)]))
    statuses, held = reading.statuses(view, wanted), reading.held(wanted)
    said: dict[str, Said] = {}
    for claim_id in wanted:
        try:
            said[claim_id] = said_of(reading, view, statuses[claim_id], step, reason)
        except UsageError as refusal:
            refused.append(Refusal(claim_id, held[claim_id].claim.statement, refusal.code, refusal.message))
    if said:
        verdicts = [one.verdict for one in said.values() if one.verdict is not None]
        blobs = kept_blobs(view.tree) if verdicts else {}
        project.ledger.append([one.event for one in said.values()], verdicts=verdicts, blobs=blobs)
        for claim_id in wanted:
            reading.forget(claim_id)
        reconcile(project, reading)
        statuses, held = reading.statuses(view, wanted), reading.held(wanted)
    notes = tuple(dict.fromkeys(f"{claim_id}: {text}" for claim_id, one in said.items() for text in one.notes))
    return StepsAnswer(
        project.tree_name(view.tree.snapshot), step, tuple(claim_line(held[c], statuses[c], view) for c in said), tuple(refused), notes
    )


def _resolved(project: Project, texts: Iterable[str], refused: list[Refusal]) -> list[str]:
    found = []
    for text in texts:
        try:
            found.append(project.ledger.resolve_claim(text))
        except UnknownRecordError as unknown:
            refused.append(Refusal(text, "", unknown.code, unknown.message))
    return found


def _among_fallen(reading: Reading, chosen: Chosen, at: str | None) -> list[str]:
    if not (chosen.cause or chosen.group):
        return []
    view = reading.trees.at(at)
    return Fallen(reading, view, reading.statuses(view)).chosen(chosen.cause, chosen.group)
