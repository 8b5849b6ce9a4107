"""Which answer is written how, and what `--quiet` leaves of it.

The context pack adds itself where it is asked for: its record needs pydantic, whose import costs as much as most commands take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from knowledge.records import answers, audits, invalidations, recalls, run_answers, triggers, vocabularies
from knowledge.surfaces.cli.answers import HooksAnswer, PushAnswer, SessionAnswer, SetupAnswer
from knowledge.surfaces.cli.render import (
    claims,
    conflicts,
    decisions,
    graph,
    history,
    judging,
    memories,
    plan,
    recall,
    runs,
    stale,
    store,
    tags,
)
from knowledge.surfaces.cli.render import triggers as trigger_lines
from knowledge.surfaces.cli.render.lines import Line

RENDERINGS: dict[type, Callable[[Any], list[Line]]] = {
    answers.ClaimAnswer: claims.claim_answer,
    answers.ClaimsAnswer: claims.claims_answer,
    invalidations.StaleAnswer: stale.stale_answer,
    invalidations.StepsAnswer: stale.steps_answer,
    invalidations.HistoryAnswer: history.history_answer,
    invalidations.WhyAnswer: history.why_answer,
    answers.EvidenceLine: claims.evidence_line,
    answers.RecheckAnswer: claims.recheck_answer,
    answers.ReconcileAnswer: claims.reconcile_answer,
    answers.CheckAnswer: judging.check_answer,
    answers.ReverifyAnswer: judging.reverify_answer,
    answers.DifferenceAnswer: judging.difference_answer,
    answers.ConflictsAnswer: conflicts.conflicts_answer,
    answers.PlanAnswer: plan.plan_answer,
    answers.DecisionsAnswer: decisions.decisions_answer,
    recalls.RecallAnswer: recall.recall_answer,
    vocabularies.MemoriesAnswer: memories.memories_answer,
    vocabularies.TagsAnswer: tags.tags_answer,
    vocabularies.MigrationAnswer: tags.migration_answer,
    answers.GraphAnswer: graph.graph_answer,
    answers.AnalysesAnswer: graph.analyses_answer,
    answers.IndexAnswer: store.index_answer,
    answers.InitAnswer: store.init_answer,
    answers.DoctorAnswer: store.doctor_answer,
    answers.TransferAnswer: store.transfer_answer,
    run_answers.RunAnswer: runs.run_answer,
    run_answers.RunsAnswer: runs.runs_answer,
    run_answers.AffectedAnswer: runs.affected_answer,
    run_answers.GateAnswer: runs.gate_answer,
    run_answers.StoryAnswer: runs.story_answer,
    triggers.TriggersAnswer: trigger_lines.triggers_answer,
    triggers.TriggerCausesAnswer: trigger_lines.causes_answer,
    triggers.TriggerTestAnswer: trigger_lines.test_answer,
    audits.AuditAnswer: trigger_lines.audit_answer,
    HooksAnswer: store.hooks_answer,
    SetupAnswer: store.setup_answer,
    PushAnswer: store.push_answer,
    SessionAnswer: store.session_answer,
}

CLAIM_IDS: dict[type, Callable[[Any], list[str]]] = {
    answers.ClaimAnswer: lambda answer: [answer.claim.id],
    answers.ClaimsAnswer: lambda answer: [claim.id for claim in answer.claims],
    invalidations.StepsAnswer: lambda answer: [claim.id for claim in answer.claims],
    invalidations.StaleAnswer: lambda answer: [claim.id for group in answer.groups for claim in group.claims],
    answers.ReconcileAnswer: lambda answer: [claim.id for claim in answer.changed],
    answers.ReverifyAnswer: lambda answer: [claim.id for claim in answer.left],
    answers.DifferenceAnswer: lambda answer: [claim.id for claim in answer.fallen],
    answers.ConflictsAnswer: lambda answer: [conflict.id for conflict in answer.conflicts],
    answers.DecisionsAnswer: lambda answer: [decision.claim.id for decision in answer.decisions],
    recalls.RecallAnswer: lambda answer: [line.claim.id for line in answer.lines],
    vocabularies.MemoriesAnswer: lambda answer: [claim.id for claim in answer.claims],
    answers.PlanAnswer: lambda answer: [step.claim.id for goal in answer.goals for step in goal.steps],
}
"""With `--quiet` these are their ids, one a line; every other answer loses only its hints."""
