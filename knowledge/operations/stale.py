"""What must be looked at again, grouped by what made it fall: the most depended upon first, then the oldest."""

from __future__ import annotations

from collections import Counter

from knowledge.errors import UsageError
from knowledge.operations.claims import checked
from knowledge.operations.fallen import GROUPINGS, Fallen
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.stale_stats import stats
from knowledge.operations.touched import touched
from knowledge.records.invalidations import StaleAnswer


def stale(project: Project, *, at: str | None = None, by: str = "", has_stats: bool = False) -> StaleAnswer:
    """Claims that are stale or up for review in a tree (None: the working tree as it is), by one of GROUPINGS ("": whatever is known best).

    Raises UnknownRevisionError, UsageError.
    """
    if by and by not in GROUPINGS:
        raise UsageError(f"claims are not grouped by {by!r}; expected one of {', '.join(GROUPINGS)}", suggestions=GROUPINGS)
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    statuses = reading.statuses(view)
    held, fallen = reading.held(statuses), Fallen(reading, view, statuses)
    return StaleAnswer(
        tree=project.tree_name(view.tree.snapshot),
        groups=fallen.lines(by),
        counts=dict(sorted(Counter(s.status for s in statuses.values()).items())),
        checked=checked(held, statuses.values()),
        touched=touched(reading, statuses.values()),
        stats=stats(project.ledger.events(), held, statuses, fallen.claims, reading.today()) if has_stats else None,
    )
