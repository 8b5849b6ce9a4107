"""Setting up a repository: the ledger, the index of its present tree, and the git hooks beside what is there."""

from __future__ import annotations

from pathlib import Path

from knowledge.config import LEDGER_FILE
from knowledge.operations.indexing import index
from knowledge.operations.project import Progress, SilentProgress, open_project
from knowledge.operations.reconcile import reconcile
from knowledge.records.answers import InitAnswer


def initialize(start: Path, *, revision: str | None = None, progress: Progress | None = None) -> InitAnswer:
    """Make the ledger and index a revision (None: the working tree). Doing it again changes nothing that is there."""
    with open_project(start, create=True) as project:
        project.progress = progress or SilentProgress()
        answer = index(project, revision)
        reconcile(project)
        notes = []
        if project.repository.head().revision is None:
            notes.append("this repository has no commit yet: claims are read against the working tree")
        if project.repository.is_shallow:
            notes.append("a shallow clone: trees before its boundary cannot be read")
        return InitAnswer(answer, str(project.repository.common_dir / LEDGER_FILE), (), tuple(notes))
