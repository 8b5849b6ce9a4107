"""What a branch would make of the claims, before it is merged: their statuses at a base and at a head, and the difference."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knowledge.claims.lifecycle import KEPT
from knowledge.errors import UsageError
from knowledge.operations.claims import checked
from knowledge.operations.lines import claim_line
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.touched import touched
from knowledge.operations.transfer import import_
from knowledge.records.answers import DifferenceAnswer


def difference(project: Project, spec: str) -> DifferenceAnswer:
    """The claims that fall or are restored between the two ends of `BASE..HEAD` (`BASE..` and `BASE`: up to the working tree).

    `BASE...HEAD` begins at their merge base, as a pull request does. Raises UsageError, UnknownRevisionError.
    """
    base, head = _ends(project, spec)
    reading = Reading(project)
    reconcile(project, reading)
    before, after = reading.trees.at(base), reading.trees.at(head)
    old, new = reading.statuses(before), reading.statuses(after)
    held = reading.held(new)
    fallen = [c for c in new if old[c].status in KEPT and new[c].status not in KEPT]
    restored = [c for c in new if old[c].status not in KEPT and new[c].status in KEPT]
    still = sum(old[c].status in ("stale", "needs_review") and new[c].status in ("stale", "needs_review") for c in new)
    return DifferenceAnswer(
        base=project.tree_name(before.tree.snapshot),
        head=project.tree_name(after.tree.snapshot),
        fallen=tuple(claim_line(held[c], new[c], after) for c in sorted(fallen)),
        restored=tuple(claim_line(held[c], new[c], after) for c in sorted(restored)),
        still_fallen=still,
        checked=checked(held, new.values()),
        touched=touched(reading, (new[c] for c in fallen)),
    )


def _ends(project: Project, spec: str) -> tuple[str, str | None]:
    base, dots, head = spec.partition("...") if "..." in spec else spec.partition("..")
    if not base:
        raise UsageError(f"cannot read {spec!r}; expected BASE..HEAD, BASE...HEAD or BASE")
    if dots == "...":
        merge_base = project.repository.merge_base(base, head or "HEAD")
        if merge_base is None:
            raise UsageError(f"{base} and {head or 'HEAD'} have no commit in common")
        base = merge_base
    return base, head or None


@contextmanager
def with_exported_ledger(start: Path, exported: Path) -> Iterator[Project]:
    """The project with the claims of an export instead of its own: for a machine that has only the export. Nothing of it is kept."""
    with tempfile.TemporaryDirectory(prefix="knowledge-") as folder, open_project(start, create=True, folder=Path(folder)) as project:
        import_(project, exported)
        yield project
