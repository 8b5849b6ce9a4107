"""Looking at claims: one with all it stands on, many in one list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.claims.lifecycle import worst_first
from knowledge.invalidation.propagate import Held
from knowledge.operations.answers import claim_answer
from knowledge.operations.lines import claim_line
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.tags import asked_tags
from knowledge.records.answers import Checked, ClaimAnswer, ClaimsAnswer
from knowledge.records.claims import ClaimStatus
from knowledge.records.stored import ClaimFilter


@dataclass(frozen=True, slots=True)
class Filter:
    """Which claims to list; empty fields do not matter. path and symbol: an anchor or the scope names them. limit 0: all."""

    status: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    path: str = ""
    symbol: str = ""
    text: str = ""
    limit: int = 50


def show(project: Project, claim_id: str, *, at: str | None = None) -> ClaimAnswer:
    """One claim in a tree. Raises UnknownRecordError with near ids."""
    reading = Reading(project)
    reconcile(project, reading)
    return claim_answer(project, reading, project.ledger.resolve_claim(claim_id), reading.trees.at(at))


def listing(project: Project, wanted: Filter, *, at: str | None = None) -> ClaimsAnswer:
    """The claims that fit, what needs attention first. Raises UnknownTagError with near ones."""
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    (tags,) = asked_tags(wanted.tag, [project])
    ids = project.ledger.find_claims(ClaimFilter(kinds=wanted.kind, tags=tags.wanted, text=wanted.text))
    statuses = reading.statuses(view, ids)
    held = reading.held(ids)
    fitting = [s for s in statuses.values() if _fits(held[s.claim_id], s, wanted)]
    fitting.sort(key=worst_first)
    shown = fitting[: wanted.limit] if wanted.limit else fitting
    return ClaimsAnswer(
        tree=project.tree_name(view.tree.snapshot),
        claims=tuple(claim_line(held[s.claim_id], s, view) for s in shown),
        counts=dict(sorted(Counter(s.status for s in fitting).items())),
        checked=checked(held, fitting),
        left_out=len(fitting) - len(shown),
        notes=tuple(f"the tag {one.given!r} is read as {one.kept!r} ({one.why})" for one in tags.rewrites),
    )


def _fits(held: Held, status: ClaimStatus, wanted: Filter) -> bool:
    if wanted.status and status.status not in wanted.status:
        return False
    if wanted.symbol and not any(wanted.symbol in str(value) for a in held.anchors for value in a.target.values()):
        return wanted.symbol in held.claim.scope.symbols
    if wanted.path:
        texts = [str(v) for a in held.anchors for v in a.target.values()] + [r.place for r in status.readings.values()] + list(held.claim.scope.paths)
        return any(t == wanted.path or t.startswith((wanted.path + "::", wanted.path.rstrip("/") + "/")) for t in texts)
    return True


def checked(held: dict[str, Held], statuses: Iterable[ClaimStatus]) -> Checked:
    """How many of the claims stand on something that was read in this tree, and why the others could not be checked."""
    unanchored = unreadable = count = 0
    for status in statuses:
        anchors = held[status.claim_id].anchors
        if not anchors and held[status.claim_id].claim.predicate is None:
            unanchored += 1
        elif any(r.state in ("unreadable", "unsupported") for r in status.readings.values()):
            unreadable += 1
        else:
            count += 1
    because = []
    if unanchored:
        because.append(f"{unanchored} unanchored: nothing in the repository shows them")
    if unreadable:
        because.append(f"{unreadable} stand on files that cannot be read or do not parse")
    return Checked(count, unanchored + unreadable, tuple(because))
