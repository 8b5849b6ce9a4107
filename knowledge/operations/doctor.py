"""Everything that can be wrong with the installation in a repository, checked and told with what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from knowledge.config import INDEX_FILE, LEDGER_FILE
from knowledge.errors import StoreError
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.trigger_rows import waiting_notice
from knowledge.records.answers import Checked, DoctorAnswer, Finding
from knowledge.repository.opening import open_repository


def doctor(start: Path, hooks: Sequence[Finding] = ()) -> DoctorAnswer:
    """Check the repository, both databases, the index's state and, as told by the caller, the git hooks. Changes nothing."""
    findings: list[Finding] = []
    unchecked: list[str] = []
    repository = open_repository(start)
    findings.append(Finding("ok", "repository", f"{repository.common_dir} is read with {repository.backend} ({repository.object_format})"))
    if repository.is_shallow:
        findings.append(Finding("warning", "shallow-clone", "older trees cannot be read", "git fetch --unshallow"))
    if not (repository.common_dir / LEDGER_FILE).exists():
        findings.append(Finding("error", "not-initialized", "no claims are kept here yet", "knowledge init"))
        return _answer(findings, [*unchecked, "ledger and index: there are none"], hooks)
    try:
        with open_project(start) as project:
            findings += _stores(project)
            findings += _state(project)
            if waiting := waiting_notice(project):
                findings.append(Finding("warning", "trigger-drafts", waiting, "knowledge trigger approve, merge, hold or dismiss"))
    except StoreError as error:
        findings.append(Finding("error", error.code, error.message, "see docs/operations.md"))
        unchecked.append("the databases could not be opened")
    return _answer(findings, unchecked, hooks)


def _stores(project: Project) -> list[Finding]:
    findings = []
    damage = "; ".join(project.ledger.integrity())
    findings.append(
        Finding("error", "ledger-damaged", damage, "restore an export: knowledge import FILE")
        if damage
        else Finding("ok", "ledger", "the ledger is whole")
    )
    if project.index.was_rebuilt:
        findings.append(
            Finding(
                "warning",
                "index-rebuilt",
                f"the index could not be read and was begun anew; the old file lies beside {INDEX_FILE}",
                "knowledge index",
            )
        )
    else:
        findings.append(Finding("ok", "index", "the index is readable"))
    findings += [
        Finding("warning", name, f"{count} × since the index was made", "see docs/operations.md")
        for name, count in sorted(project.index.counts().items())
    ]
    return findings


def _state(project: Project) -> list[Finding]:
    state = project.index.worktree_state(project.repository.worktree_name)
    head = project.repository.head()
    if state is None:
        return [Finding("warning", "never-reconciled", "no status was computed for this worktree yet", "knowledge stale")]
    if state.revision != head.revision:
        return [Finding("warning", "behind-head", f"statuses belong to {state.revision}, HEAD is {head.revision}", "any read brings them up to date")]
    unreadable = Reading(project).trees.at("HEAD").limitation_counts()
    found = [Finding("ok", "current", "statuses belong to HEAD")]
    return found + [
        Finding("warning", code, f"{count} files are not analysed", "see docs/limitations.md") for code, count in sorted(unreadable.items())
    ]


def _answer(findings: Sequence[Finding], unchecked: Sequence[str], hooks: Sequence[Finding]) -> DoctorAnswer:
    every = (*findings, *hooks)
    return DoctorAnswer(every, Checked(len(every), len(unchecked), tuple(unchecked)))
