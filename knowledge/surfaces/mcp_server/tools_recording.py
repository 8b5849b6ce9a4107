"""Tools by which agents say something: record a claim, judge one, settle a conflict, plan. Nothing is ever overwritten."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

from knowledge.records.answers import ClaimAnswer, ConflictsAnswer, PlanAnswer
from knowledge.records.claims import ClaimKind, Scope
from knowledge.surfaces.mcp_server.bounded import DEFAULT_TOKENS, Bounded, bounded
from knowledge.surfaces.mcp_server.desk import Late, desk_of
from knowledge.surfaces.mcp_server.tool import ADDS, READS, Tool

Call = Context[Any, Any]
ClaimId = Annotated[str, Field(description="A claim's id, or its beginning.")]
Reason = Annotated[str, Field(min_length=1, description="Why: kept with the claim for good.")]


class Rejected(BaseModel):
    """An alternative that a decision did not take, and why."""

    alternative: str
    reason: str


class NewClaim(BaseModel):
    """What is claimed, and what it stands on. Without anchors these are proposed from the names in the statement.

    anchors: `body:src/a.py::f`, `callers:src/a.py::f`, `value:pyproject.toml::project.name`, `until:2027-01-31` …, or `none`. evidence: text to keep,
    `src/a.py::f` or `src/a.py:10-20`. derived_from: premises by their ids. route_tried: for "cannot": which way was tried.
    """

    statement: Annotated[str, Field(min_length=1, description="One thing, in Korean or English, names in back-ticks.")]
    kind: ClaimKind = "observation"
    tags: list[str] = []
    anchors: list[str] = []
    evidence: list[str] = []
    derived_from: list[str] = []
    paths: Annotated[list[str], Field(description="It speaks of these files or folders only.")] = []
    service: str = ""
    environment: str = ""
    route_tried: str = ""
    until: str = ""
    period_days: Annotated[int, Field(ge=0)] = 0
    review_when: str = ""
    constraints: Annotated[list[str], Field(description="Of a decision: what bound it.")] = []
    rejected: Annotated[list[Rejected], Field(description="Of a decision: what was not taken.")] = []

    def draft(self) -> Late:
        """The claim as the operations take it."""
        texts = {name: tuple(getattr(self, name)) for name in ("tags", "anchors", "evidence", "derived_from", "constraints")}
        scope = Scope(paths=tuple(self.paths), service=self.service, environment=self.environment, route_tried=self.route_tried)
        plain = {name: getattr(self, name) for name in ("statement", "kind", "until", "period_days", "review_when")}
        return Late("record:Draft", {**plain, **texts, "scope": scope, "rejected": tuple((r.alternative, r.reason) for r in self.rejected)})


async def record_claim(context: Call, claim: NewClaim) -> Bounded[ClaimAnswer]:
    """Remember something about this repository together with what it stands on. The answer says which anchors were taken, what they cannot
    notice, and what conflicts with it. A claim that is false when recorded is stored all the same, and told so."""
    return bounded(await desk_of(context).run(context, "record:record", claim.draft()), DEFAULT_TOKENS)


async def propose_claim(context: Call, claim: NewClaim) -> Bounded[ClaimAnswer]:
    """Show what a claim would stand on; nothing is stored."""
    return bounded(await desk_of(context).run(context, "record:propose_only", claim.draft()), DEFAULT_TOKENS)


async def judge_claim(
    context: Call,
    claim_id: ClaimId,
    verdict: Annotated[
        Literal["verify", "review", "reject", "withdraw", "reopen"],
        Field(description="verify: it holds here (not by the session that recorded it); review: looked at, not decided; reject: false everywhere."),
    ],
    reason: Reason,
) -> Bounded[ClaimAnswer]:
    """Say what became of a claim after looking at what it stands on."""
    return bounded(await desk_of(context).run(context, f"steps:{verdict}", claim_id, reason), DEFAULT_TOKENS)


async def correct_claim(context: Call, claim_id: ClaimId, claim: NewClaim, reason: Reason) -> Bounded[ClaimAnswer]:
    """Record a claim in the place of a wrong one, which is kept as superseded."""
    return bounded(await desk_of(context).run(context, "steps:correct", claim_id, claim.draft(), reason), DEFAULT_TOKENS)


async def supersede_claim(context: Call, claim_id: ClaimId, by: ClaimId, reason: Reason) -> Bounded[ClaimAnswer]:
    """Say that another kept claim takes this one's place."""
    return bounded(await desk_of(context).run(context, "steps:supersede", claim_id, by, reason), DEFAULT_TOKENS)


async def report_conflict(context: Call, one: ClaimId, other: ClaimId, reason: Reason) -> Bounded[ConflictsAnswer]:
    """Say that two claims contradict each other; both are kept."""
    return bounded(await desk_of(context).run(context, "conflicts:report", one, other, reason), DEFAULT_TOKENS)


async def resolve_conflict(
    context: Call,
    conflict: Annotated[str, Field(description="The conflict's id.")],
    stale: Annotated[str, Field(description="The claim that is stale, or none.")],
    reason: Reason,
) -> Bounded[ConflictsAnswer]:
    """Say which claim of a conflict is stale; why they differ is computed."""
    return bounded(await desk_of(context).run(context, "conflicts:resolve", conflict, stale, reason), DEFAULT_TOKENS)


async def add_plan_step(
    context: Call,
    claim: NewClaim,
    goal: Annotated[str, Field(description="The goal that it is a step of; empty: it is a goal itself.")] = "",
    after: Annotated[list[str], Field(description="Steps that it comes after.")] = [],  # noqa: B006
    depends_on: Annotated[list[str], Field(description="Claims that it rests on.")] = [],  # noqa: B006
) -> Bounded[ClaimAnswer]:
    """Record a goal, or a step towards one; where a claim that it depends on falls, it is told."""
    step = Late("plan:Step", {"goal": goal, "after": tuple(after), "depends_on": tuple(depends_on)})
    return bounded(await desk_of(context).run(context, "plan:add", claim.draft(), step), DEFAULT_TOKENS)


async def finish_plan_step(context: Call, node: ClaimId, reason: Reason) -> Bounded[PlanAnswer]:
    """Say that a step is done, or a goal reached."""
    return bounded(await desk_of(context).run(context, "plan:done", node, reason), DEFAULT_TOKENS)


TOOLS = (
    Tool(record_claim, ADDS),
    Tool(propose_claim, READS),
    Tool(judge_claim, ADDS),
    Tool(correct_claim, ADDS),
    Tool(supersede_claim, ADDS),
    Tool(report_conflict, ADDS),
    Tool(resolve_conflict, ADDS),
    Tool(add_plan_step, ADDS),
    Tool(finish_plan_step, ADDS),
)
