"""The probe of `doctor`: payloads as Claude Code tells them, answered with a mark that says that somebody was there. No program of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge.records.agent_events import AgentEvent, Reply
from knowledge.surfaces.hosts.claude import read_as
from knowledge.surfaces.hosts.host import Dialect

NAME = "probe"


def _read(payload: Mapping[str, Any]) -> AgentEvent | None:
    return read_as(NAME, "session_start", payload)


def _write(event: AgentEvent, reply: Reply) -> Mapping[str, Any]:
    return {NAME: "answered"}


DIALECT = Dialect(_read, _write, text_at=frozenset({"session_start"}), can_rewrite=False)
