"""The completion gate over a repository: what the work changed since it began, the uncommitted files included, and what that leaves open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from knowledge.claims.contradictions import INTENTIONS
from knowledge.claims.lifecycle import KEPT
from knowledge.errors import InvalidRecordError
from knowledge.gates.completion_gate import Work, judge
from knowledge.invalidation.propagate import premises_of
from knowledge.operations.affected import Affected, affected_tests, pytest_command
from knowledge.operations.lines import claim_line
from knowledge.operations.observing import test_line
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.retests import Retests
from knowledge.operations.touched import goal_of
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.type_checking import Checks, gate_items
from knowledge.records.answers import ClaimLine
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, read_symbol, show_path
from knowledge.records.run_answers import GateAnswer, TestLine
from knowledge.records.runs import BAD
from knowledge.records.stored import ClaimFilter

_MAIN = ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "refs/remotes/origin/main", "refs/remotes/origin/master")
_VANISHING = frozenset({"calls", "imports", "implements", "overrides", "handles", "tested_by"})
_MOST_OF_A_KIND = 40
_LONGEST = 2_000
"""Characters of a command line that is shown whole."""


def gate(project: Project, goal: str = "", *, since: str = "") -> GateAnswer:
    """Whether anything stands against calling the work done.

    goal: since that goal was recorded, with all that it and its steps depend on. since: a revision; without either the branch's work is meant, or,
    on the main branch, what is uncommitted. Raises InvalidRecordError where `goal` is none.
    """
    reading = Reading(project)
    reconcile(project, reading)
    node = _goal(project, goal) if goal else ""
    base, after, how = _began(project, node, since)
    before, view = reading.trees.at(base), reading.trees.at()
    affected = affected_tests(project, reading)
    touched = project.repository.diff(before.tree, view.tree)
    claims, looked_at = _claims(project, reading, before, view, node)
    bare = _bare(project, reading, view, after)
    vanished, edges = _vanished(before, view, {change.path for change in touched if change.old is not None and change.new is not None})
    reported = [test_line(result, "exact") for result in Retests(project, view).reported()]
    tests = _of_the_work(affected.lines, before, view)
    checks, held = gate_items(Checks(project, view), frozenset(show_path(change.path) for change in touched))
    work = Work(
        claims=claims,
        bare=bare,
        tests=tests,
        command=pytest_command([line.told_from_the_top for line in tests if not line.act]),
        is_observed=bool(reported) or sum(affected.states.values()) > affected.states["new"],
        is_changed=bool(touched),
        vanished=vanished,
        unexercised=_unexercised(project, before, view, {change.path for change in touched if change.new is not None}, affected),
        type_checks=checks,
        checked=looked_at + sum(affected.states[s] for s in ("exact", "equal", "changed")) + edges + len(reported) + held,
        reported=[test for test in reported if test.outcome in BAD],
    )
    verdict, items, checked = judge(work)
    counts = Counter(item.kind for item in items)
    shown, kinds = [], Counter[str]()
    for item in items:
        kinds[item.kind] += 1
        if kinds[item.kind] <= _MOST_OF_A_KIND:
            shown.append(item)
    return GateAnswer(
        tree=project.tree_name(view.tree.snapshot),
        since=how,
        verdict=verdict,
        items=tuple(shown),
        counts=dict(counts),
        claims=tuple(claims),
        checked=checked,
        left_out=len(items) - len(shown),
        notes=(f"to run them all: {work.command if len(work.command) < _LONGEST else 'knowledge tests affected --run'}",) if work.command else (),
    )


def _of_the_work(lines: Iterable[TestLine], before: IndexedTree, view: IndexedTree) -> list[TestLine]:
    """The tests to run, without those that no run had and that the work did not touch: other settings than the usual may leave them out."""
    found = []
    bodies: dict[bytes, tuple[dict[str, str], dict[str, str]]] = {}
    for line in lines:
        symbol = read_symbol(line.symbol) if line.symbol else None
        if line.state != "new" or symbol is None:
            found.append(line)
            continue
        path = symbol.path
        if before.blob_id(path) == view.blob_id(path):
            continue
        if path not in bodies:
            bodies[path] = _bodies(path, before), _bodies(path, view)
        old, new = bodies[path]
        if not symbol.qualified_name or old.get(line.symbol) != new.get(line.symbol):
            found.append(line)
    return found


def _goal(project: Project, text: str) -> str:
    found = project.ledger.resolve_claim(text)
    claim = project.ledger.claim(found)
    if claim.kind not in INTENTIONS:
        raise InvalidRecordError(f"{found} is no goal and no step of a plan; `knowledge plan show` lists them")
    return goal_of(claim) or found


def _began(project: Project, goal: str, since: str) -> tuple[str, str, str]:
    """The revision at which the work began, the time, and both in words."""
    repository = project.repository
    if since:
        revision = repository.resolve(since)
        return revision, _time(repository.commit(revision).committed_at), f"since {since}"
    if goal:
        claim = project.ledger.claim(goal)
        if claim.valid_at_revision and repository.has_object(claim.valid_at_revision):
            return claim.valid_at_revision, claim.recorded_at, f"since the goal {goal} was recorded at {claim.valid_at_revision[:8]}"
        return "HEAD", claim.recorded_at, f"since HEAD: the revision at which the goal {goal} was recorded is gone"
    head = repository.head().revision
    if head is None:
        return "HEAD", "", "since the beginning"
    refs = repository.refs()
    main = next((refs[name] for name in _MAIN if name in refs), None)
    base = repository.merge_base(head, main) if main is not None else None
    if base is not None and base != head:
        return base, _time(repository.commit(base).committed_at), f"since the branch began at {base[:8]}"
    return "HEAD", _time(repository.commit(head).committed_at), "since HEAD: only what is uncommitted"


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _claims(project: Project, reading: Reading, before: IndexedTree, view: IndexedTree, goal: str) -> tuple[list[ClaimLine], int]:
    """The claims that fell by the work, or that the goal rests on and that do not stand; and how many were looked at."""
    new, old = reading.statuses(view), reading.statuses(before)
    wanted = _needed(project, reading, goal) if goal else set()
    held = reading.held(new)
    fallen = [
        claim_id
        for claim_id, status in new.items()
        if (status.status in ("stale", "needs_review") and (claim_id in wanted or old[claim_id].status in KEPT))
        or (claim_id in wanted and any(c.resolution is None for c in held[claim_id].contradictions))
    ]
    return [claim_line(held[c], new[c], view) for c in sorted(fallen, key=lambda c: (held[c].claim.recorded_at, c))], len(new)


def _needed(project: Project, reading: Reading, goal: str) -> set[str]:
    """A goal, its steps, and all that they rest on, however far."""
    nodes = [c.id for c in project.ledger.claims(ClaimFilter(kinds=tuple(sorted(INTENTIONS)))) if c.id == goal or goal_of(c) == goal]
    seen, front = set(nodes), nodes
    while front:
        below = {p for h in reading.held(front).values() for p in premises_of(h)} - seen
        seen |= below
        front = sorted(below)
    return seen


def _bare(project: Project, reading: Reading, view: IndexedTree, after: str) -> list[ClaimLine]:
    """Claims recorded since then that stand on nothing."""
    fresh = [c.id for c in project.ledger.claims(ClaimFilter(recorded_after=after)) if c.kind not in INTENTIONS] if after else []
    held = reading.held(fresh)
    bare = [c for c in fresh if not held[c].anchors and not held[c].claim.evidence_refs and not held[c].claim.derived_from]
    statuses = reading.statuses(view, bare) if bare else {}
    return [claim_line(held[c], statuses[c], view) for c in bare if statuses[c].status in KEPT]


def _vanished(before: IndexedTree, view: IndexedTree, paths: set[bytes]) -> tuple[list[Edge], int]:
    """Proved edges of changed files that are no more though both their ends are; and how many there were to look at."""
    found, looked_at = {}, 0
    for path in sorted(paths):
        now = {_ends(edge) for edge in view.edges_of_file(path)}
        for edge in before.edges_of_file(path):
            if edge.confidence_kind != "resolved" or edge.predicate not in _VANISHING or edge.object.is_external:
                continue
            looked_at += 1
            if _ends(edge) not in now and _is_there(edge.subject, view) and _is_there(edge.object, view):
                found[_ends(edge)] = edge
    return list(found.values()), looked_at


def _ends(edge: Edge) -> tuple[str, str, str]:
    return str(edge.subject), edge.predicate, str(edge.object)


def _is_there(symbol: SymbolId, view: IndexedTree) -> bool:
    if not symbol.qualified_name:
        return view.has_path(symbol.path)
    facts = view.facts(symbol.path)
    return facts is not None and any(d.qualified_name == symbol.qualified_name for d in facts.definitions)


def _unexercised(project: Project, before: IndexedTree, view: IndexedTree, paths: set[bytes], affected: Affected) -> list[str]:
    """Functions that the work changed or added and that no test ran when it was last observed; tests themselves aside."""
    retests = Retests(project, view)
    ran: set[str] = set()
    for known in {k.run.id: k.run for k in retests.known.values()}.values():
        coverage = retests.coverage(known)
        ran |= {symbol.symbol for symbol in coverage.symbols} if coverage is not None else set()
    endings = {symbol.partition("::")[0].rpartition(".")[2] for symbol in ran}
    found = []
    for path in sorted(paths):
        # Of a language in which no run was observed nothing is known.
        if view.kinds_of(path) or show_path(path).rpartition(".")[2] not in endings:
            continue
        old = _bodies(path, before)
        found += [symbol for symbol, body in _bodies(path, view).items() if old.get(symbol) != body and symbol not in ran]
    return found


def _bodies(path: bytes, view: IndexedTree) -> dict[str, str]:
    facts, digests = view.facts(path), view.digests(path)
    if facts is None or digests is None:
        return {}
    return {
        str(SymbolId(path, d.qualified_name, d.ordinal)): digest.body
        for d, digest in zip(facts.definitions, digests.digests, strict=True)
        if d.kind in ("function", "method", "property") and digest.body
    }
