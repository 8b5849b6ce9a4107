"""Sets: the sorted answer of a graph question within a scope, so that NEW code elsewhere breaks "only called from".

A set has two parts: the members that resolution proved and that all can read where they stand, and what is only inferred or cannot be
seen (inferred members; calls under another name, through an attribute that may hold something else tomorrow; decorators; files in scope
that do not parse). A claim is stale when the first differs, up for review when only the second does. Members that moved or were renamed
are the same members: they are written as they were called in the tree of the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.claims.locating import locate, renamed_to
from knowledge.claims.view import FactsView, TreeView
from knowledge.errors import InvalidRecordError
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, file_symbol, read_symbol, show_path

OUT_OF_SCOPE = frozenset({"test", "generated", "vendored", "docs", "example"})
"""Kinds of file that a set leaves out by default."""

_NAMED_OTHERWISE = frozenset({"import", "module", "local"})
"""Reasons of edges that come from another name for the very same thing."""
_PACKAGE_MARKS = (b"__init__.py", b"package.json")


@dataclass(frozen=True, slots=True)
class Question:
    """A graph question: which edges, from or into the symbol, and whether members are whole files."""

    predicate: str
    is_into: bool
    of_files: bool = False


QUESTIONS = {
    "callers": Question("calls", is_into=True),
    "callees": Question("calls", is_into=False),
    "subclasses": Question("implements", is_into=True),
    "bases": Question("implements", is_into=False),
    "importers": Question("imports", is_into=True, of_files=True),
    "imports": Question("imports", is_into=False),
    "readers": Question("reads", is_into=True),
    "writers": Question("writes", is_into=True),
    "overriders": Question("overrides", is_into=True),
    "tests": Question("tested_by", is_into=False),
}
"""Every question that a set may ask; each is about one symbol or file."""


@dataclass(frozen=True, slots=True)
class SetAnswer:
    """Members as they are called in the tree that was asked; `unseen` are files in scope that cannot be read."""

    resolved: tuple[SymbolId, ...]
    inferred: tuple[SymbolId, ...]
    unseen: tuple[bytes, ...]
    edges: tuple[Edge, ...]


def question_of(name: str) -> Question:
    """The named question. Raises InvalidRecordError for an unknown one."""
    found = QUESTIONS.get(name)
    if found is None:
        raise InvalidRecordError(f"there is no set question {name!r}; expected one of {', '.join(QUESTIONS)}", suggestions=tuple(QUESTIONS))
    return found


def default_scope(subject: SymbolId, members: Sequence[SymbolId], view: TreeView) -> dict[str, Any]:
    """The package of the subject; for something outside of the repository the members' package, else every package of the repository.

    Who names members elsewhere speaks of the repository as a whole, and who names a test among them of tests, too.
    """
    inside = [s for s in (subject, *members) if not s.is_external]
    if inside:
        named = frozenset[str]().union(*(view.kinds_of(s.path) & OUT_OF_SCOPE for s in inside if s != subject))
        included = {"with": sorted(named)} if named else {}
        package = view.package_of(inside[0].path)
        return {"package": package, **included} if all(package in view.packages_of(s.path) for s in inside) else included
    marks = (path for name in _PACKAGE_MARKS for path in view.paths_named(name) if not view.kinds_of(path) & OUT_OF_SCOPE)
    found = sorted({view.package_of(path) for path in marks})
    return {"package": found[0]} if len(found) == 1 else {}


def ask(question: str, symbol: SymbolId, scope: dict[str, Any], view: TreeView) -> SetAnswer:
    """The answer of a set question in a tree, within `scope` ({"package": name, "with": [kinds of file to include]})."""
    asked = question_of(question)
    package, included = scope.get("package"), frozenset(scope.get("with", ()))
    edges = view.edges_into(symbol, asked.predicate) if asked.is_into else view.edges_from(symbol, asked.predicate)
    resolved: dict[SymbolId, None] = {}
    inferred: dict[SymbolId, None] = {}
    kept = []
    proof = Proof(view)
    for edge in edges:
        member = edge.subject if asked.is_into else edge.object
        if asked.is_into and not in_scope(member.path, package, included, view):
            continue
        if asked.of_files:
            member = file_symbol(member.path)
        kept.append(edge)
        (resolved if proof.is_proved(edge) else inferred)[member] = None
    for member in resolved:
        inferred.pop(member, None)
    unseen = tuple(view.unreadable_in(package)) if asked.is_into and package is not None else ()
    return SetAnswer(tuple(sorted(resolved)), tuple(sorted(inferred)), unseen, tuple(kept))


class Proof:
    """Which edges of a tree are proved and there for all to read: called by its name, or by a name that an import or an assignment gave it.

    A decorator without arguments applies a function that nobody calls by hand, and so do operators; an attribute may hold something else tomorrow.
    """

    def __init__(self, view: TreeView) -> None:
        self._view = view
        self._decorators: dict[bytes, frozenset[int]] = {}

    def is_proved(self, edge: Edge) -> bool:
        if edge.confidence_kind != "resolved" or edge.predicate != "calls":
            return edge.confidence_kind == "resolved"
        is_direct = edge.reason != "implicit" and (edge.name == edge.object.name or edge.reason in _NAMED_OTHERWISE)
        return is_direct and edge.start not in self._bare_decorators(edge.subject.path)

    def _bare_decorators(self, path: bytes) -> frozenset[int]:
        if path not in self._decorators:
            facts = self._view.facts(path)
            calls = facts.calls if facts is not None else ()
            self._decorators[path] = frozenset(c.name_span.start for c in calls if "decorator" in c.flags)
        return self._decorators[path]


def in_scope(path: bytes, package: str | None, included: frozenset[str], view: TreeView) -> bool:
    """Whether a set within `package` (None: everything) has members in the file; kinds of file that sets leave out count where `included`."""
    if (view.kinds_of(path) & OUT_OF_SCOPE) - included:
        return False
    return package is None or package in view.packages_of(path)


def old_names(members: Sequence[SymbolId], old_members: Sequence[str], then: FactsView | None, now: TreeView) -> dict[SymbolId, str]:
    """Members that moved or were renamed → what they were called in `then`."""
    names = {str(m): m for m in members}
    lost = [o for o in old_members if o not in names]
    fresh = {m for name, m in names.items() if name not in old_members}
    renamed: dict[SymbolId, str] = {}
    for old in lost:
        heir = _heir(old, then, now)
        if heir in fresh and heir not in renamed:
            renamed[heir] = old
    return renamed


def _heir(old: str, then: FactsView | None, now: TreeView) -> SymbolId | None:
    symbol = read_symbol(old)
    place = locate(symbol, then, now)
    if place.state == "present":
        return place.symbol
    return renamed_to(symbol, then, now) if symbol.qualified_name else None


def describe(answer: SetAnswer) -> dict[str, Any]:
    """The answer for people and JSON."""
    return {
        "resolved": [str(m) for m in answer.resolved],
        "inferred": [str(m) for m in answer.inferred],
        "unreadable": [show_path(p) for p in answer.unseen],
    }


def shown(members: Iterable[SymbolId]) -> tuple[str, ...]:
    """Members as text, sorted."""
    return tuple(sorted(str(m) for m in members))
