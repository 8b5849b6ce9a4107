"""From a statement to what it stands on: a predicate where the statement says exactly that, and anchors proposed for the names in it.

What each anchor cannot notice is said with it. The recorder may narrow or widen the proposal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.claims.anchors import make_anchor
from knowledge.claims.aspects import aspects_of, called_in, sides_of
from knowledge.claims.membership import is_top_level
from knowledge.claims.predicates import decide, twin_kind
from knowledge.claims.sets import QUESTIONS, default_scope
from knowledge.claims.statements import Mention, Said, mentions, says_order, understand
from knowledge.claims.view import TreeView
from knowledge.graph.module_names import files_meant, modules_called
from knowledge.records.claims import Anchor, Predicate
from knowledge.records.identifiers import SymbolId, external_symbol, file_symbol, parse_symbol, read_path, read_symbol, show_path

Lookup = Callable[[str], Sequence[SymbolId]]
"""A name as written → the definitions and files it may mean, best first; () for none."""

CANNOT_NOTICE: dict[str, str] = {
    "source": "a change of anything but these characters",
    "body": "a change of what it calls, of configuration, of what callers pass",
    "signature": "a change of what the body does",
    "location": "anything but the place",
    "edge": "the order of calls, the conditions under which they run, calls through dynamic names",
    "set": "dynamic calls (getattr, computed names, reflection), code outside the scope, the order in which members run",
    "value": "an override at run time (environment, command line, another file)",
    "claim": "anything the premise does not say",
    "time": "everything before the date",
    "tests": "the network, the clock, other processes, files whose absence the test noticed",
    "environment": "another interpreter or other packages, until the tests run with them",
}
"""What an anchor of each kind cannot notice (E6)."""
_DOTLESS = re.compile(r"[^\W\d]\w*")
UNWATCHED = "unanchored"
"""How the note begins that says of a statement that nothing is watched for it."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a statement would stand on. notes: what was not found, was ambiguous, or cannot be shown."""

    anchors: tuple[Anchor, ...]
    predicate: Predicate | None
    notes: tuple[str, ...]
    unknown: tuple[str, ...] = ()


def propose(statement: str, view: TreeView, lookup: Lookup) -> Proposal:
    """Anchors and a predicate for a statement, from the names in it and the way it is put."""
    said = understand(statement)
    if said is not None:
        found = from_said(said, view, lookup)
        if found is not None and found.predicate is not None and (said.is_sure or decide(found.predicate, view, view).holds):
            return found
    return _free_text(statement, view, lookup)


def from_said(said: Said, view: TreeView, lookup: Lookup) -> Proposal | None:
    """The proposal for what a sentence says exactly; None where a name of it is not in the tree or means more than one thing."""
    subject = _one(said.subject, lookup, view, is_module=said.relation in ("imports", "imported_only_by"))
    if subject is None and said.relation == "value":
        subject = setting(said.subject, view)
    if subject is None and said.relation == "defined_in":
        subject = _one(f"{said.object}::{said.subject}", lookup, view)
    if subject is None:
        return None
    target = said.object
    if said.relation in ("calls", "tests"):
        end = _one(target, lookup, view)
        if end is None:
            return None
        target = str(end)
    elif said.relation in ("imports", "defined_in"):
        end = _one(target, lookup, view, is_module=True)
        if end is None or (end.is_external and said.relation == "defined_in"):
            return None
        target = show_path(end.path) if said.relation == "defined_in" else str(end)
    elif said.relation == "inherits":
        end = _one(target, lookup, view)
        is_base = end is not None and any(e.object == end for e in view.edges_from(subject, "implements"))
        target = str(end) if is_base else target
    members = [_one(m, lookup, view, is_module=said.relation == "imported_only_by") for m in said.members]
    if any(m is None for m in members) or (said.relation == "value" and not _has_value(subject, view)):
        return None
    predicate = Predicate(said.relation, str(subject), target, tuple(str(m) for m in members if m), said.value, said.is_negated)
    return Proposal(anchors_of(predicate, view), predicate, _notes(predicate))


def anchors_of(predicate: Predicate, view: TreeView) -> tuple[Anchor, ...]:
    """The anchor that says the very same as the predicate."""
    kind = twin_kind(predicate)
    target: dict[str, Any] = {"symbol": predicate.subject}
    if kind == "edge":
        name = {"imports": "imports", "inherits": "implements"}.get(predicate.relation, "calls")
        target = {"subject": predicate.subject, "predicate": name, "object": predicate.object}
    elif kind == "set":
        question = {"called_only_by": "callers", "subclasses_exactly": "subclasses", "imported_only_by": "importers"}[predicate.relation]
        scope = default_scope(read_symbol(predicate.subject), [read_symbol(m) for m in predicate.members], view)
        target = {"question": question, "symbol": predicate.subject, "scope": scope}
    elif kind == "value":
        symbol = parse_symbol(predicate.subject)
        name = symbol.qualified_name if symbol else predicate.object
        key = f"{name}({predicate.object})" if predicate.relation == "default" else name
        target = {"path": show_path(symbol.path) if symbol else predicate.subject, "key": key}
    elif kind == "body":
        target = {"symbol": predicate.subject, "strict": False}
    return (make_anchor(kind, **target),)


def _one(text: str, lookup: Lookup, view: TreeView, *, is_module: bool = False) -> SymbolId | None:
    written = parse_symbol(text)
    if written is not None and is_top_level(written):
        return written if view.has_path(written.path) else None
    found = list(lookup(text))
    if is_module:
        files = [s for s in found if not s.qualified_name] or [file_symbol(p) for p in files_meant(text, view.paths_named, is_top_level=True)]
        if len(files) == 1:
            return files[0]
        is_own = not files and _DOTLESS.fullmatch(text) and text not in sys.stdlib_module_names
        if is_own and (inner := modules_called(text, view.paths_named)):
            # `core` within a package: the module of this tree, unless there are several of that name.
            return file_symbol(inner[0]) if len(inner) == 1 else None
        is_outside = not files and re.fullmatch(r"(?:node:)?(?![./])[@\w./-]+", text) and not re.search(r"\.(?:py|[cm]?[jt]sx?)\Z", text)
        return external_symbol(text.removeprefix("node:")) if is_outside else None
    named = [s for s in found if s.qualified_name] or found
    # What a test defines for itself is not meant where something else is called so.
    outside = [s for s in named if "test" not in view.kinds_of(s.path)] or named
    return outside[0] if len({(s.path, s.qualified_name) for s in outside}) == 1 else None


def setting(text: str, view: TreeView) -> SymbolId | None:
    """What `path::key` names where the file, given by its path or the end of it, has a value at the key; None for anything else."""
    path, mark, key = text.partition("::")
    if not mark or not key:
        return None
    written = read_path(path)
    paths = [written] if view.has_path(written) else [p for p in view.paths_named(written.rpartition(b"/")[2]) if p.endswith(b"/" + written)]
    found = [symbol for symbol in (SymbolId(p, key) for p in paths) if _has_value(symbol, view)]
    return found[0] if len(found) == 1 else None


def _has_value(symbol: SymbolId, view: TreeView) -> bool:
    facts = view.facts(symbol.path)
    return facts is not None and any(v.key == symbol.qualified_name for v in facts.values)


def _notes(predicate: Predicate) -> tuple[str, ...]:
    return (f"cannot notice: {CANNOT_NOTICE[twin_kind(predicate)]}",)


def _free_text(statement: str, view: TreeView, lookup: Lookup) -> Proposal:
    notes: list[str] = []
    unknown: list[str] = []
    files: list[SymbolId] = []
    symbols: list[SymbolId] = []
    for mention in mentions(statement):
        name, found = mention.name, meant(mention, view, lookup)
        if not found:
            if _looks_like_code(name):
                unknown.append(name)
            continue
        if len({(s.path, s.qualified_name) for s in found}) > 1:
            if _looks_like_code(name):
                notes.append(f"{name} is ambiguous: {', '.join(str(s) for s in found[:4])}")
            continue
        (symbols if found[0].qualified_name else files).append(found[0])
    anchors = cited_anchors(statement, symbols, view)
    if not symbols:
        # A path beside a symbol only says where to look; alone it is what the statement speaks of.
        anchors = _unique([*cited_anchors(statement, files, view), *(make_anchor("location", symbol=str(f)) for f in files)])
    if unknown:
        notes.append(f"not found in this tree: {', '.join(unknown)}")
    kinds = dict.fromkeys(a.kind for a in anchors)
    notes += [f"cannot notice ({kind}): {CANNOT_NOTICE[kind]}" for kind in kinds]
    if says_order(statement):
        notes.append("an order in time (after, before, 뒤에) cannot be shown by any anchor: check it in a run or by reading")
    if not anchors:
        notes.append(f"{UNWATCHED}: nothing in the repository is watched for this statement")
        prose = [word for word in dict.fromkeys(re.findall(r"[A-Za-z]+", statement)) if meant(Mention(word, is_plain=True), view, lookup)]
        notes += [f"taken for prose, though it is defined here (in back-ticks it is a name): {', '.join(prose[:4])}"] if prose else []
    return Proposal(anchors, None, tuple(notes), tuple(unknown))


def cited_anchors(statement: str, symbols: Sequence[SymbolId], view: TreeView) -> tuple[Anchor, ...]:
    """What a free statement about these symbols stands on: their bodies, and of the first, which it is about, the sides that its words speak of."""
    aspects = aspects_of(statement)
    name = called_in(statement)
    called = next((symbol for symbol in symbols if name and symbol.name == name), None)
    found = [*sides_of(symbols[0], aspects, view, called)] if symbols else []
    for symbol in symbols:
        if symbol.qualified_name:
            found.append(make_anchor("body", "support" if found else "primary", symbol=str(symbol), strict=aspects.is_as_written))
    return _unique(found)


def _unique(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    return tuple({a.digest: a for a in reversed(list(anchors))}.values())[::-1]


def meant(mention: Mention, view: TreeView, lookup: Lookup) -> list[SymbolId]:
    """What a mention may mean: tests aside where that leaves one definition; a plain word counts only where it leaves just one."""
    found = list(lookup(mention.name))
    outside = [s for s in found if s.qualified_name and "test" not in view.kinds_of(s.path)]
    is_one = len({(s.path, s.qualified_name) for s in outside}) == 1
    if mention.is_plain:
        # A word in capitals is a constant of a module; a member of a class or an enumeration is written with it.
        is_member = mention.name.isupper() and any("." in s.qualified_name for s in outside)
        return outside if is_one and not is_member else []
    return outside if is_one and len(found) > len(outside) and all(s.qualified_name for s in found) else found


def _looks_like_code(name: str) -> bool:
    return bool(re.search(r"[_./:$]|[a-z0-9][A-Z]", name)) and not re.fullmatch(r"[\d.]+|[A-Za-z]+\.", name)


def explain_question(question: str) -> str:
    """The question of a set anchor in words."""
    asked = QUESTIONS[question]
    return f"{question} ({asked.predicate} edges {'into' if asked.is_into else 'from'} it)"
