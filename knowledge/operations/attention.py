"""What an adviser is given at one moment, what a session has seen so far, and what an adviser may say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from knowledge.operations.opening import LastSeen
from knowledge.operations.project import Project
from knowledge.push.stuck import KEPT_ATTEMPTS, Attempt
from knowledge.records.agent_events import AgentEvent

_MOST_GIVEN = 500


@dataclass(slots=True)
class SessionMemory:
    """What a session has been given and seen. attempts: its last calls that are over, by sub-agent, oldest first. told: what is said but once."""

    given: list[str] = field(default_factory=list)
    attempts: dict[str, list[Attempt]] = field(default_factory=dict)
    agents: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    seen: LastSeen | None = None

    def tried(self, agent: str, attempt: Attempt) -> None:
        """Keep a call that is over."""
        self.attempts[agent] = [*self.attempts.get(agent, []), attempt][-KEPT_ATTEMPTS:]

    def stored(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "given": self.given[-_MOST_GIVEN:],
            "attempts": {agent: [[a.operation, a.outcome] for a in tried] for agent, tried in self.attempts.items()},
            "agents": self.agents[-_MOST_GIVEN:],
            "told": self.told[-_MOST_GIVEN:],
            "seen": [self.seen.revision, self.seen.branch, self.seen.sequence] if self.seen is not None else None,
        }


def read_memory(stored: Mapping[str, Any]) -> SessionMemory:
    """What `SessionMemory.stored` wrote; a new memory for anything else."""
    try:
        seen = stored.get("seen")
        return SessionMemory(
            [str(one) for one in stored.get("given", [])],
            {str(agent): [Attempt(str(o), r) for o, r in tried] for agent, tried in stored.get("attempts", {}).items()},
            [str(one) for one in stored.get("agents", [])],
            [str(one) for one in stored.get("told", [])],
            LastSeen(*seen) if seen else None,
        )
    except (TypeError, ValueError, AttributeError):
        return SessionMemory()


@dataclass(frozen=True, slots=True)
class Attention:
    """One moment: the project, the personal bank where there is one, what was told, what the session has seen (advisers may add to it).

    can_rewrite: whether an argument of a call can be changed; where it cannot, what would stand in it is said beside the call.
    """

    project: Project
    event: AgentEvent
    memory: SessionMemory
    personal: Project | None = None
    can_rewrite: bool = True


@dataclass(frozen=True, slots=True)
class Advice:
    """What an adviser says. claims: the memories that are in it, so that none is given twice. triggers: the rows that hit.

    cause: why it says nothing although something hit.
    """

    context: str = ""
    claims: tuple[str, ...] = ()
    arguments: Mapping[str, object] | None = None
    is_continuing: bool = False
    notice: str = ""
    is_off_record: bool = False
    triggers: tuple[str, ...] = ()
    cause: str = ""


Adviser = Callable[[Attention], Advice | None]
