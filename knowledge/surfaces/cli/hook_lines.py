"""What the git hooks' own package did or found, as answers and findings. The one place where the command line meets the hooks."""

from __future__ import annotations

from pathlib import Path

from knowledge.errors import RepositoryReadError
from knowledge.records.answers import Finding
from knowledge.surfaces.cli.answers import HookLine, HooksAnswer
from knowledge.surfaces.git_hooks import inspection
from knowledge.surfaces.git_hooks import install as installation


def install(start: Path, *, allow_shared: bool = False) -> HooksAnswer:
    """Install the hooks. Raises NotARepositoryError, RepositoryReadError."""
    return _changes(installation.install(start, allow_shared=allow_shared))


def remove(start: Path, *, allow_shared: bool = False) -> HooksAnswer:
    """Take the hooks out. Raises NotARepositoryError, RepositoryReadError."""
    answer = _changes(installation.uninstall(start, allow_shared=allow_shared))
    return answer if answer.hooks else HooksAnswer(answer.directory, answer.manager, (), notes=("there was none of our hooks",))


def inspected(start: Path) -> HooksAnswer:
    """How the hooks stand. Raises NotARepositoryError, RepositoryReadError."""
    health = inspection.inspect(start)
    notes = [] if health.waiting == 0 else [f"{health.waiting} requests wait for the worker"]
    if health.failures:
        notes.append(f"{health.failures} of the last {health.rounds} rounds failed; the last error: {health.last_error}")
    lines = tuple(HookLine(s.hook, s.situation, str(s.path), s.detail, "", s.last_fired) for s in health.states)
    return HooksAnswer(str(health.site.hooks_dir), health.site.manager, lines, health.waiting, health.failures, tuple(notes))


def summary(answer: HooksAnswer) -> tuple[str, ...]:
    """What was done, one line for each kind of outcome: `written: post-commit, post-merge`."""
    by_state: dict[str, list[str]] = {}
    for hook in answer.hooks:
        by_state.setdefault(hook.state, []).append(hook.hook)
    return tuple(f"{state}: {', '.join(names)}" for state, names in by_state.items())


def findings(start: Path) -> tuple[Finding, ...]:
    """What `doctor` says of the hooks."""
    try:
        answer = inspected(start)
    except RepositoryReadError as failure:
        return (Finding("warning", "hooks-not-checked", failure.message),)
    found = []
    for state in dict.fromkeys(hook.state for hook in answer.hooks):
        hooks = [hook for hook in answer.hooks if hook.state == state]
        names = ", ".join(hook.hook for hook in hooks)
        if state == "installed":
            fired = max(hook.last_fired for hook in hooks)
            found.append(Finding("ok", "hooks", f"{names}: installed; " + (f"last ran {fired}" if fired else "never ran yet")))
        else:
            why = next((hook.detail for hook in hooks if hook.detail), "answers are right without them, only later")
            found.append(Finding("warning", f"hooks-{state}", f"{names}: {state} ({why})", "knowledge hooks install"))
    if answer.failures:
        found.append(Finding("warning", "hooks-failed", "; ".join(answer.notes), "knowledge reconcile shows the error itself"))
    return tuple(found)


def _changes(report: installation.InstallReport) -> HooksAnswer:
    lines = tuple(HookLine(c.hook, c.action, str(c.path), c.detail, c.text) for c in report.changes)
    return HooksAnswer(str(report.site.written_dir), report.site.manager, lines)
