"""Contradictions: which two claims cannot both be so, and what a contradiction does to a claim's status.

A predicate says something of a *slot* (the value of `config.py::TTL`, whether f calls g, the callers of f within a package). Two predicates
exclude each other where they say different things of one slot, where one denies what the other says, or where an edge leads into a set that
does not have it. Nothing is guessed from free text: such a contradiction is reported by whoever sees it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knowledge.claims.anchors import digest_of
from knowledge.claims.locating import locate, locate_file
from knowledge.claims.proposals import anchors_of
from knowledge.claims.sets import in_scope
from knowledge.claims.spelling import compare_signature, is_plain, is_same_type, is_same_value, read_signature
from knowledge.claims.view import FactsView, TreeView
from knowledge.records.claims import ClaimKind, Predicate, Scope
from knowledge.records.events import Event
from knowledge.records.identifiers import file_symbol, parse_symbol, read_symbol

INTENTIONS: frozenset[ClaimKind] = frozenset({"goal", "plan"})
"""Kinds that say what is wanted, not what is so: they contradict nothing."""

EDGE_OF_SET = {"called_only_by": "calls", "subclasses_exactly": "inherits", "imported_only_by": "imports"}
"""Relations whose members are all that stand in another relation to the subject."""

INTO = "into"
"""Begins the slots at which edges meet the sets that they lead into."""

_SET_OF_EDGE = {edge: of_set for of_set, edge in EDGE_OF_SET.items()}
_VALUED = frozenset({"value", "default", "signature", "returns_type"})
_MOST_PROBED = 200
"""Members of a set whose edges are looked for among the claims."""
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Resolution:
    """What was last said of a conflict: which claim is stale ("" = neither) and why they differ, as a code and in words."""

    stale: str
    difference: str
    detail: str
    reason: str
    by: str
    at: str
    revision: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One side's view of a conflict: the claim on the other side, and what was said of the two."""

    conflict: str
    other: str
    other_kind: ClaimKind
    resolution: Resolution | None = None


def conflict_id(one: str, other: str) -> str:
    """The name of the conflict between two claims, whoever found it and in whichever ledger."""
    return f"x_{digest_of(' '.join(sorted((one, other))))[:12]}"


def counters(claim_id: str, kind: ClaimKind, found: Iterable[Contradiction]) -> tuple[tuple[str, str], ...]:
    """(claim, conflict) of each claim that makes this one stale as long as it stands itself.

    An observation counts against an assumption by itself; otherwise somebody has to resolve the conflict against this claim.
    """

    def counts(one: Contradiction) -> bool:
        if one.resolution is not None:
            return one.resolution.stale == claim_id
        return kind == "assumption" and one.other_kind == "observation"

    return tuple(dict.fromkeys((one.other, one.conflict) for one in found if counts(one)))


def resolutions(events: Iterable[Event]) -> dict[str, Resolution]:
    """conflict → what was last said of it, from ConflictResolved events (several of one resolution say the same)."""
    found: dict[str, Resolution] = {}
    for event in sorted(events, key=lambda e: (e.at, e.sequence)):
        told = {name: str(event.payload.get(name) or "") for name in ("stale", "difference", "detail", "reason", "revision")}
        found[str(event.payload.get("conflict", ""))] = Resolution(**told, by=event.author, at=event.at)
    return found


# ── predicates that exclude each other ──


def overlaps(one: Scope, other: Scope) -> bool:
    """Whether two scopes can speak of the same thing. What a scope leaves open it speaks of too."""
    pairs = ((one.service, other.service), (one.environment, other.environment), (frozenset(one.conditions), frozenset(other.conditions)))
    if any(mine and yours and mine != yours for mine, yours in pairs):
        return False
    if one.symbols and other.symbols and not set(one.symbols) & set(other.symbols):
        return False
    return not (one.paths and other.paths) or any(_is_within(a, b) or _is_within(b, a) for a in one.paths for b in other.paths)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def exclusion(one: Predicate, other: Predicate, view: TreeView) -> str:
    """Why both predicates cannot hold, in words; "" where they can. Both name things as they are called in the tree of `view`."""
    for of_set, edge in ((one, other), (other, one)):
        if EDGE_OF_SET.get(of_set.relation) == edge.relation and not of_set.is_negated:
            return _set_against_edge(of_set, edge, view)
    if _slot(one, view) != _slot(other, view):
        return ""
    is_same = _says_the_same(one, other)
    if is_same and one.is_negated != other.is_negated:
        return f"one says what the other denies: {one.subject} {one.relation} {_said(one)}".rstrip()
    if is_same is not False or one.is_negated or other.is_negated:
        return ""
    about = f" ({one.object})" if one.relation in ("value", "default") and one.object else ""
    return f"{one.relation} of {one.subject}{about}: {_said(one)} and {_said(other)}"


def _slot(predicate: Predicate, view: TreeView) -> tuple[object, ...]:
    """What the predicate says something of."""
    if predicate.relation in EDGE_OF_SET:
        return predicate.relation, predicate.subject, _package(predicate, view)
    if predicate.relation == "defined_in":
        return predicate.relation, predicate.subject
    if predicate.relation in _VALUED:
        return predicate.relation, predicate.subject, predicate.object
    return predicate.relation, predicate.subject, predicate.object, predicate.value, predicate.members


def _says_the_same(one: Predicate, other: Predicate) -> bool | None:
    """Whether two predicates say the same of their slot; None: they are written in ways that cannot be compared."""
    match one.relation:
        case "value" | "default":
            return is_same_value(one.value, other.value) or (False if is_plain(one.value) and is_plain(other.value) else None)
        case "returns_type":
            return is_same_type(one.value, other.value)
        case "signature":
            mine, yours = read_signature(one.value), read_signature(other.value)
            return compare_signature(mine, yours, "types" if mine.has_types and yours.has_types else "names") if mine and yours else None
        case "defined_in":
            return one.object == other.object
    return frozenset(one.members) == frozenset(other.members)


def _said(predicate: Predicate) -> str:
    """What it says of its slot, for people."""
    if predicate.relation in EDGE_OF_SET:
        return _listed(predicate.members)
    return predicate.value or predicate.object


def _package(predicate: Predicate, view: TreeView) -> str | None:
    """The package that a set speaks of; None: everything."""
    if predicate.value:
        return predicate.value
    subject = read_symbol(predicate.subject)
    return None if subject.is_external else view.package_of(subject.path)


def _set_against_edge(of_set: Predicate, edge: Predicate, view: TreeView) -> str:
    member = edge.subject
    if edge.object != of_set.subject or not in_scope(read_symbol(member).path, _package(of_set, view), frozenset(), view):
        return ""
    # What is defined inside of a member speaks through it.
    is_member = any(member == m or member.startswith(f"{m}.") for m in of_set.members)
    if is_member != edge.is_negated:
        return ""
    does = "does not" if edge.is_negated else "does"
    return f"only {_listed(of_set.members)} {edge.relation} {of_set.subject}, and {member} {does}"


def _listed(members: Iterable[str]) -> str:
    names = sorted(set(members))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return "{" + ", ".join(names[:_SHOWN]) + more + "}"


def placed(predicate: Predicate, then: FactsView | None, now: TreeView) -> Predicate:
    """The predicate with its symbols as they are called in `now`; what cannot be found there keeps its name."""
    members = tuple(_placed(m, then, now) for m in predicate.members)
    target = _placed(predicate.object, then, now) if parse_symbol(predicate.object) or predicate.relation == "imports" else predicate.object
    return Predicate(
        predicate.relation, _placed(predicate.subject, then, now), target, members, predicate.value, predicate.is_negated, predicate.covers_statement
    )


def _placed(text: str, then: FactsView | None, now: TreeView) -> str:
    symbol = read_symbol(text)
    place = locate(symbol, then, now) if symbol.qualified_name or symbol.is_external else locate_file(symbol.path, then, now)
    return str(place.symbol) if place.state == "present" else text


# ── where to look for a contradicting claim ──


def probes(predicate: Predicate, view: TreeView) -> set[str]:
    """Digests of the anchors that claims stand on which could contradict this one: its own, and those of the edges into or out of a set."""
    sought = [predicate]
    if predicate.relation in _SET_OF_EDGE and parse_symbol(predicate.object) is not None:
        sought.append(Predicate(_SET_OF_EDGE[predicate.relation], predicate.object))
    elif predicate.relation == "imports":
        sought.append(Predicate("imported_only_by", predicate.object))
    elif predicate.relation in EDGE_OF_SET:
        sought += _edges_of(predicate, view)
    return {anchor.digest for one in sought for anchor in anchors_of(one, view)}


def _edges_of(of_set: Predicate, view: TreeView) -> Sequence[Predicate]:
    """An edge from every member, told or found, to the subject of a set."""
    relation = EDGE_OF_SET[of_set.relation]
    edges = view.edges_into(read_symbol(of_set.subject), "implements" if relation == "inherits" else relation)
    ends = (str(file_symbol(e.subject.path)) if relation == "imports" else str(e.subject) for e in edges)
    found = dict.fromkeys((*of_set.members, *ends))
    return [Predicate(relation, member, of_set.subject) for member in list(found)[:_MOST_PROBED]]


def slots(predicate: Predicate, view: TreeView) -> tuple[tuple[object, ...], ...]:
    """Keys under which predicates that may exclude each other meet: the slot, and for an edge or a set what the set is of."""
    found = [_slot(predicate, view)]
    if predicate.relation in EDGE_OF_SET:
        found.append((INTO, EDGE_OF_SET[predicate.relation], predicate.subject))
    elif predicate.relation in _SET_OF_EDGE:
        found.append((INTO, predicate.relation, predicate.object))
    return tuple(found)
