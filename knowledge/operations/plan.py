"""Goals and the steps that lead to them, as claims: each step names what it waits for and what it depends on, and is told where that fell.

A goal or a step is recorded as any claim is (anchors, history, statuses). What it depends on is a premise: given when it is recorded, or added
later as a relation, for a claim is never changed. A step that is done is asked nothing more until it is reopened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from knowledge.claims.contradictions import INTENTIONS
from knowledge.claims.lifecycle import KEPT
from knowledge.errors import InvalidRecordError, LifecycleError
from knowledge.invalidation.dependencies import in_order
from knowledge.invalidation.propagate import Held, premises_of
from knowledge.operations.lines import claim_line
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.premises import drop as drop_premise
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.record import Draft, record
from knowledge.operations.touched import NO_GOAL, goal_of
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.answers import ClaimAnswer, ClaimLine, GoalLine, PlanAnswer, StepLine
from knowledge.records.claims import Claim, ClaimStatus
from knowledge.records.events import Event
from knowledge.records.stored import DEPENDS_ON, ClaimFilter, Relation

_OUT = ("withdrawn", "superseded", "rejected")
"""Statuses of nodes that are out of the plan."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where a new node belongs. goal "" and no `after`: it is a goal itself."""

    goal: str = NO_GOAL
    after: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()


def add(project: Project, draft: Draft, step: Step) -> ClaimAnswer:
    """Record a goal, or a step towards one. Raises InvalidRecordError where `goal` is no goal or `after` names no step of it."""
    ledger = project.ledger
    after = tuple(dict.fromkeys(ledger.resolve_claim(node) for node in step.after))
    goal = ledger.resolve_claim(step.goal) if step.goal else NO_GOAL
    if goal and ledger.claim(goal).kind != "goal":
        raise InvalidRecordError(f"{goal} is no goal; expected one of {', '.join(_goals(project)) or 'none yet'}", suggestions=_goals(project))
    for node in after:
        found = ledger.claim(node)
        if found.kind != "plan":
            raise InvalidRecordError(f"{node} is no step that another could come after")
        own = goal_of(found)
        if goal and own != goal:
            raise InvalidRecordError(f"{node} is a step of {own or 'no goal'}, not of {goal}")
        goal = goal or own
    is_step = bool(goal or after)
    detail = {"goal": goal, "after": list(after)} if is_step else {}
    return record(project, replace(draft, kind="plan" if is_step else "goal", derived_from=step.depends_on, detail=draft.detail | detail))


def depend(project: Project, node: str, claim: str, reason: str = "") -> PlanAnswer:
    """Say that a goal or a step depends on a claim. Raises InvalidRecordError where it would come to depend on itself."""
    refuse_off_record(project)
    ledger = project.ledger
    node, claim = _node(project, node), ledger.resolve_claim(claim)
    reading = Reading(project)
    reconcile(project, reading)
    with ledger.transaction():
        if node in reading.below([claim]):
            raise InvalidRecordError(f"{claim} rests on {node} already, or is it: a circle would make both fall")
        if claim in premises_of(reading.held([node])[node]):
            raise InvalidRecordError(f"{node} depends on {claim} already")
        detail: dict[str, object] = {"by": project.author_text(), "at": project.now(), "reason": reason.strip()}
        told = {"relation": DEPENDS_ON, "source": node, "target": claim}
        event = Event(0, "RelationAdded", node, project.now(), project.author_text(), told)
        ledger.append([event], relations=[Relation(DEPENDS_ON, node, claim, detail)])
    reading.forget(node)
    reconcile(project, reading)
    return _answer(reading, reading.trees.at(), only=node)


def drop(project: Project, node: str, claim: str, reason: str) -> PlanAnswer:
    """Say that a goal or a step does not depend on a claim after all. Raises InvalidRecordError where it does not."""
    node = _node(project, node)
    reading = Reading(project)
    reconcile(project, reading)
    drop_premise(reading, node, claim, reason)
    return _answer(reading, reading.trees.at(), only=node)


def done(project: Project, node: str, reason: str) -> PlanAnswer:
    """Say that a step is done, or a goal reached. Raises LifecycleError where it is done or out of the plan already."""
    return _say(project, node, "PlanNodeDone", reason)


def reopen(project: Project, node: str, reason: str) -> PlanAnswer:
    """Say that a step is not done after all. Raises LifecycleError where it is open."""
    return _say(project, node, "ClaimReopened", reason)


def _say(project: Project, node: str, event: str, reason: str) -> PlanAnswer:
    refuse_off_record(project)
    if not reason.strip():
        raise InvalidRecordError("say why: every step of a plan keeps its reason")
    node = _node(project, node)
    reading = Reading(project)
    reconcile(project, reading)
    standing = reading.held([node])[node].standing
    if (standing is None) != (event == "PlanNodeDone"):
        state = "open" if standing is None else "done" if standing[0] in KEPT else standing[0]
        raise LifecycleError(f"{node} is {state} already")
    project.ledger.append([Event(0, event, node, project.now(), project.author_text(), {"reason": reason.strip()})])
    reading.forget(node)
    reconcile(project, reading)
    return _answer(reading, reading.trees.at(), only=node)


def show(project: Project, node: str = "", *, at: str | None = None) -> PlanAnswer:
    """All goals with their steps, or the one that a node belongs to: what is done, what can be begun, what waits, what a change touched."""
    reading = Reading(project)
    reconcile(project, reading)
    return _answer(reading, reading.trees.at(at), only=_node(project, node) if node else "")


def _goals(project: Project) -> list[str]:
    return project.ledger.find_claims(ClaimFilter(kinds=("goal",)))


def _after(claim: Claim) -> tuple[str, ...]:
    after = claim.detail.get("after")
    return tuple(str(node) for node in after) if isinstance(after, list) else ()


def _node(project: Project, text: str) -> str:
    found = project.ledger.resolve_claim(text)
    if project.ledger.claim(found).kind not in INTENTIONS:
        raise InvalidRecordError(f"{found} is no goal and no step of a plan; `knowledge plan show` lists them")
    return found


def _answer(reading: Reading, view: IndexedTree, *, only: str = "") -> PlanAnswer:
    """Goals in the order they were recorded, each with its steps; steps without a goal come last, under none."""
    ledger = reading.project.ledger
    nodes = reading.held(ledger.find_claims(ClaimFilter(kinds=tuple(sorted(INTENTIONS)))))
    statuses = reading.statuses(view, {*nodes, *(p for h in nodes.values() for p in premises_of(h))}) if nodes else {}
    wanted = goal_of(nodes[only].claim) or (only if nodes[only].claim.kind == "goal" else NO_GOAL) if only else None
    shown: dict[str, list[str]] = {c: [] for c, h in nodes.items() if h.claim.kind == "goal"}
    for claim_id, held in nodes.items():
        if held.claim.kind == "plan" and statuses[claim_id].status not in _OUT:
            shown.setdefault(goal_of(held.claim), []).append(claim_id)
    lines = [
        _goal(reading, goal, _in_order(steps, nodes), statuses, view)
        for goal, steps in shown.items()
        if (wanted is None or goal == wanted) and (goal not in statuses or statuses[goal].status not in _OUT)
    ]
    return PlanAnswer(reading.project.tree_name(view.tree.snapshot), tuple(lines))


def _in_order(steps: Sequence[str], nodes: Mapping[str, Held]) -> list[str]:
    """Steps after those that they come after; else as they were recorded."""
    place = {claim_id: position for position, claim_id in enumerate(steps)}
    known = {c: [node for node in _after(nodes[c].claim) if node in place] for c in steps}
    depth: dict[str, int] = {}
    for claim_id in in_order(steps, lambda c: known[c]):
        depth[claim_id] = 1 + max((depth[node] for node in known[claim_id]), default=0)
    return sorted(steps, key=lambda c: (depth[c], place[c]))


def _goal(reading: Reading, goal: str, steps: Sequence[str], statuses: Mapping[str, ClaimStatus], view: IndexedTree) -> GoalLine:
    held = reading.held([*steps, *([goal] if goal in statuses else [])])
    finished = {c for c, h in held.items() if _is_done(h)}
    lines = []
    for claim_id in steps:
        waits_for = tuple(node for node in _after(held[claim_id].claim) if node in held and node not in finished)
        lines.append(
            StepLine(
                claim=claim_line(held[claim_id], statuses[claim_id], view),
                state=_state(held[claim_id], statuses[claim_id], waits_for),
                after=_after(held[claim_id].claim),
                waits_for=waits_for,
                depends_on=_premises(reading, held[claim_id], statuses, view),
            )
        )
    if goal not in held:
        return GoalLine(None, "open", tuple(lines))
    return GoalLine(
        claim=claim_line(held[goal], statuses[goal], view),
        state=_state(held[goal], statuses[goal], ()),
        steps=tuple(lines),
        depends_on=_premises(reading, held[goal], statuses, view),
    )


def _premises(reading: Reading, held: Held, statuses: Mapping[str, ClaimStatus], view: IndexedTree) -> tuple[ClaimLine, ...]:
    return tuple(claim_line(reading.held([p])[p], statuses[p], view) for p in premises_of(held) if p in statuses)


def _is_done(held: Held) -> bool:
    return held.standing is not None and held.standing[0] in KEPT


def _state(held: Held, status: ClaimStatus, waits_for: Sequence[str]) -> str:
    if _is_done(held):
        return "done"
    if status.status not in KEPT:
        return "touched"
    if held.claim.kind == "goal":
        return "open"
    return "waiting" if waits_for else "ready"
