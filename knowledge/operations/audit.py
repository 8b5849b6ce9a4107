"""What came of every moment: counts by day, gate and trigger, and the gates that have gone quiet or fail. Standard library only: `status` asks it.

The probe of `doctor` writes rows too, so that the whole way is tried; they are marked by their host and counted nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from knowledge.records.audits import AuditAnswer, AuditDay, AuditGate, AuditRow, AuditTrigger
from knowledge.storage.audit import Decision, open_audit

PROBE = "probe"
"""The host of synthetic moments."""
MISSED = "missed-fire"
"""The gate, and the cause, of rows about a memory that somebody asked for by hand although a call before should have brought it."""
_WATCHED_DAYS = 14
_QUIET_DAYS = 3
_ENOUGH = 5
"""Decisions that a gate has made before its silence says anything."""
_NEVER = 200
"""Decisions of a gate without one match that are worth a word."""


def audit(path: Path, now: datetime, *, days: int = 30, rows: int = 0) -> AuditAnswer:
    """The audit at `path` over the last `days`, with as many of its newest rows. Raises the store's errors."""
    since = _text(now - timedelta(days=days))
    if not path.exists():
        return AuditAnswer(since, 0, (), (), (), {}, notes=("nothing has been decided yet: no agent's program is connected, or none has been used",))
    found = _decisions(path, since)
    hosts = Counter(" ".join(part for part in (d.host, d.version) if part) or "here" for d in found)
    return AuditAnswer(
        since=since,
        decisions=len(found),
        days=_days(found),
        gates=_gates(found),
        triggers=_triggers(found),
        hosts=dict(sorted(hosts.items())),
        warnings=tuple(_troubles(found, now)),
        rows=tuple(_row(d) for d in found[len(found) - rows :]) if rows else (),
    )


def troubles(path: Path, now: datetime) -> list[str]:
    """The gates that fail or have gone quiet, in words; nothing where there is no audit. Raises the store's errors."""
    return _troubles(_decisions(path, _text(now - timedelta(days=_WATCHED_DAYS))), now) if path.exists() else []


def _decisions(path: Path, since: str) -> list[Decision]:
    with open_audit(path) as store:
        return [d for d in store.decisions(since) if d.host != PROBE]


def _days(found: Iterable[Decision]) -> tuple[AuditDay, ...]:
    outcomes: Counter[tuple[str, str]] = Counter()
    tokens: Counter[str] = Counter()
    for d in found:
        outcomes[d.at[:10], d.outcome] += 1
        tokens[d.at[:10]] += d.tokens
    return tuple(AuditDay(day, outcomes[day, "match"], outcomes[day, "miss"], outcomes[day, "failed"], tokens[day]) for day in sorted(tokens))


def _gates(found: Iterable[Decision]) -> tuple[AuditGate, ...]:
    by_gate: dict[str, list[Decision]] = {}
    for d in found:
        by_gate.setdefault(d.adviser, []).append(d)
    return tuple(_gate(name, by_gate[name]) for name in sorted(by_gate))


def _gate(name: str, found: Sequence[Decision]) -> AuditGate:
    outcomes = Counter(d.outcome for d in found)
    times = sorted(d.milliseconds for d in found)
    causes = Counter(d.cause for d in found if d.cause)
    p50, p95 = (times[min(len(times) - 1, int(len(times) * share))] for share in (0.5, 0.95))
    return AuditGate(name, outcomes["match"], outcomes["miss"], outcomes["failed"], p50, p95, found[-1].at, dict(causes.most_common(5)))


def _triggers(found: Iterable[Decision]) -> tuple[AuditTrigger, ...]:
    counts: Counter[tuple[str, str]] = Counter()
    last: dict[str, str] = {}
    for d in found:
        for trigger in d.triggers:
            counts[trigger, MISSED if d.adviser == MISSED else d.outcome] += 1
            last[trigger] = d.at
    return tuple(AuditTrigger(name, counts[name, "match"], counts[name, "miss"], last[name], counts[name, MISSED]) for name in sorted(last))


def _troubles(found: Sequence[Decision], now: datetime) -> list[str]:
    told = []
    for name in sorted({d.adviser for d in found}):
        own = [d for d in found if d.adviser == name]
        failed = sum(d.outcome == "failed" for d in own)
        latest = own[-_ENOUGH:]
        if len(latest) == _ENOUGH and all(d.outcome == "failed" for d in latest):
            told.append(f"{name} is as good as off: its last {_ENOUGH} decisions failed ({latest[-1].cause})")
        elif failed * 2 > len(own) >= _ENOUGH:
            told.append(f"{name} fails: {failed} of {len(own)} decisions ({next(d.cause for d in reversed(own) if d.cause)})")
        quiet = _text(now - timedelta(days=_QUIET_DAYS))
        others = [d for d in found if d.adviser != name and d.at >= quiet and d.moment in {one.moment for one in own}]
        if len(own) >= _ENOUGH and own[-1].at < quiet and others:
            told.append(f"{name} has gone quiet: nothing since {own[-1].at[:10]}, while others went on")
        if len(own) >= _NEVER and not any(d.outcome == "match" for d in own) and name == "triggered":
            told.append(f"{name} has not matched once in {len(own)} decisions: see `knowledge trigger list`")
    return told


def _row(d: Decision) -> AuditRow:
    head = (d.at, d.host, d.version, d.session, d.moment, d.tool, d.adviser, d.outcome, d.cause)
    return AuditRow(*head, d.claims, d.triggers, d.tokens, d.milliseconds)


def _text(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
