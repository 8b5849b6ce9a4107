"""Tools about runs: which tests exercise a path, which must run again, what stands against calling work done. None of them runs anything."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from knowledge.records.answers import GraphAnswer
from knowledge.records.run_answers import AffectedAnswer, GateAnswer, StoryAnswer
from knowledge.surfaces.mcp_server.bounded import DEFAULT_TOKENS, Bounded, bounded
from knowledge.surfaces.mcp_server.desk import desk_of
from knowledge.surfaces.mcp_server.tool import READS, Tool
from knowledge.surfaces.mcp_server.tools_reading import Call, Revision, Symbol, Tokens

_LONGEST = 2_000
"""Characters of a command line that is told whole."""


async def completion_gate(
    context: Call,
    goal: Annotated[str, Field(description="The id of the goal that the work was for; empty: the work of this branch, or what is uncommitted.")] = "",
    since: Annotated[str, Field(description="The revision at which the work began, instead of a goal.")] = "",
    budget_tokens: Tokens = DEFAULT_TOKENS,
) -> Bounded[GateAnswer]:
    """Ask this before you call work done: fallen claims, decisions to review, tests to run, relations that vanished, line by line with what to do.
    The verdict is pass or warn; what was not checked is never a pass."""
    return bounded(await desk_of(context).run(context, "gate:gate", goal, since=since), budget_tokens)


async def affected_tests(
    context: Call,
    change: Annotated[str, Field(description="BASE..HEAD, dirty (what is uncommitted), or empty: whatever differs from the latest runs.")] = "",
    budget_tokens: Tokens = DEFAULT_TOKENS,
) -> Bounded[AffectedAnswer]:
    """Which tests must run again after a change, each with the reason, and the command line that runs them."""
    answer: AffectedAnswer = await desk_of(context).run(context, "affected:affected", change, limit=0)
    if len(answer.command) > _LONGEST:
        answer = replace(answer, command="knowledge tests affected --run")
    return bounded(answer, budget_tokens)


async def explain(context: Call, symbol: Symbol, at: Revision = None, budget_tokens: Tokens = DEFAULT_TOKENS) -> Bounded[StoryAnswer]:
    """The story of a symbol or a route (POST /login): route, handler, path, type check, test, trace, how each is known, and what nothing shows."""
    return bounded(await desk_of(context).run(context, "explain:explain", symbol, at=at), budget_tokens)


async def tests_of_path(
    context: Call,
    symbol: Symbol,
    other: Annotated[str, Field(description="The end of the path; empty: the tests of `symbol` itself.")] = "",
    at: Revision = None,
    budget_tokens: Tokens = DEFAULT_TOKENS,
) -> Bounded[GraphAnswer]:
    """Which tests exercise a symbol, a file, or the path between two symbols: those that were seen to run it, and those that reach it by the code."""
    return bounded(await desk_of(context).run(context, "questions:ask", "tests", symbol, other=other, at=at, limit=0), budget_tokens)


TOOLS = (
    Tool(completion_gate, READS),
    Tool(affected_tests, READS),
    Tool(explain, READS),
    Tool(tests_of_path, READS),
)
