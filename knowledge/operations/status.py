"""The state of the store, read with the standard library alone: instant, and nothing is computed.

Imports neither SQLAlchemy nor pygit2 nor any analyzer; a test holds it.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from knowledge.config import AUDIT_FILE, LEDGER_FILE, PUSH_OFF_FILE
from knowledge.errors import NotInitializedError, StoreError
from knowledge.operations.audit import troubles
from knowledge.operations.news import news_text, read_news
from knowledge.records.answers import StatusAnswer
from knowledge.repository.locate import head_of, locate
from knowledge.storage.hot import summary
from knowledge.storage.unanswered import read as read_unanswered


def status(start: Path) -> StatusAnswer:
    """Counts of claims by status and kind in this worktree, as last reconciled. Raises NotARepositoryError, NotInitializedError."""
    location = locate(start)
    if not (location.common_dir / LEDGER_FILE).exists():
        raise NotInitializedError(f"no claims are kept for {location.common_dir} yet. Run `knowledge init` first.")
    found_head = head_of(location)
    branch, head = (found_head.branch, found_head.revision) if found_head is not None else (None, None)
    found = summary(location.common_dir, location.worktree_name)
    by_status: Counter[str] = Counter()
    by_kind: Counter[str] = Counter()
    for (kind, state), count in found.claims.items():
        by_status[state] += count
        by_kind[kind] += count
    is_current = found_head is not None and found.revision == head and found.event_lag == 0 and not found.index_problem
    notes = []
    news = read_news(location.common_dir, location.worktree_name)
    if not is_current:
        notes.append("HEAD or the ledger has moved on since: any other command brings the statuses up to date")
    if found_head is None:
        notes.append("HEAD could not be read without git (reftable): any other command knows it")
    if found.index_problem:
        notes.append(f"the index cannot be read ({found.index_problem}); the next command rebuilds it")
    notes += _troubles(location.common_dir / AUDIT_FILE)
    notes += [f"{count} × {name}" for name, count in sorted(found.counters.items())]
    unanswered = Counter(cause for cause, _ in read_unanswered(location.common_dir).elements())
    notes += [f"{count} × hook-{cause}, since just now" for cause, count in sorted(unanswered.items())]
    if (location.common_dir / PUSH_OFF_FILE).exists():
        notes.append("nothing is told to agents by itself; `knowledge push on` switches it on")
    return StatusAnswer(
        branch=branch,
        head=head,
        indexed_revision=found.revision,
        is_current=is_current,
        claims_by_status=dict(sorted(by_status.items())),
        claims_by_kind=dict(sorted(by_kind.items())),
        failures=found.counters,
        ledger_bytes=found.ledger_size,
        index_bytes=found.index_size,
        files=found.names.get("files", 0),
        resolved_files=found.names.get("resolved", 0),
        is_resolved=bool(found.names.get("is_resolved")),
        notes=tuple(notes),
        news=news_text(news) if news is not None else "",
    )


def _troubles(path: Path) -> list[str]:
    try:
        return troubles(path, datetime.now(UTC))
    except StoreError as error:
        return [f"the audit cannot be read: {error.message}"]
