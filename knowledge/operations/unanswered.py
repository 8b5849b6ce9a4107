"""Calls of agents' hooks that came to nothing, put into the audit."""

from __future__ import annotations

from knowledge.config import AUDIT_FILE
from knowledge.operations.project import Project
from knowledge.storage.audit import Decision, open_audit
from knowledge.storage.unanswered import SILENCED, drop_taken, take


def fold(project: Project) -> None:
    """A failed decision for each (a miss for those that somebody silenced), and a counter that `status` tells.

    Raises OSError and the store's errors; then they wait in their file.
    """
    common_dir = project.repository.common_dir
    rows = []
    counted = take(common_dir)
    for (cause, host), times in counted.items():
        outcome = "miss" if cause == SILENCED else "failed"
        rows += [Decision(project.now(), host, "", "", "", "", "hook", outcome, cause)] * times
    with open_audit(project.home / AUDIT_FILE) as audit:
        audit.add(rows)
    drop_taken(common_dir)
    for (cause, _), times in counted.items():
        project.index.count(f"hook-{cause}", times)
