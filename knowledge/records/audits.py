"""What is answered about the audit: how often each gate and each trigger decided what, and which of them has gone quiet or fails."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuditDay:
    """One day (UTC): how many decisions of each outcome, and how many tokens were given."""

    day: str
    match: int
    miss: int
    failed: int
    tokens: int


@dataclass(frozen=True, slots=True)
class AuditGate:
    """One adviser or gate. p50, p95: milliseconds that it took. last: when it last decided anything. causes: of failures and of empty hits."""

    name: str
    match: int
    miss: int
    failed: int
    p50: float
    p95: float
    last: str
    causes: dict[str, int]


@dataclass(frozen=True, slots=True)
class AuditTrigger:
    """One trigger row: how often it brought something, how often it hit and brought nothing new, and when it last did.

    missed: how often somebody asked by hand for what it should have brought.
    """

    id: str
    match: int
    miss: int
    last: str
    missed: int = 0


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One decision, as it is shown."""

    at: str
    host: str
    version: str
    session: str
    moment: str
    tool: str
    gate: str
    outcome: str
    cause: str
    claims: tuple[str, ...]
    triggers: tuple[str, ...]
    tokens: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class AuditAnswer:
    """The audit since a time. hosts: program and version → decisions. warnings: gates that fail or have gone quiet. rows: the newest decisions."""

    since: str
    decisions: int
    days: tuple[AuditDay, ...]
    gates: tuple[AuditGate, ...]
    triggers: tuple[AuditTrigger, ...]
    hosts: dict[str, int]
    warnings: tuple[str, ...] = ()
    rows: tuple[AuditRow, ...] = ()
    notes: tuple[str, ...] = ()
