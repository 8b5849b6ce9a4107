"""How people and agents write anchors, evidence and predicates on one line, read against a tree."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, get_args

from knowledge.claims.anchors import make_anchor
from knowledge.claims.membership import MODULE
from knowledge.claims.predicates import RELATIONS
from knowledge.claims.proposals import setting
from knowledge.claims.review_conditions import read_day
from knowledge.claims.sets import QUESTIONS, default_scope
from knowledge.errors import InvalidRecordError, UnknownPathError, UnknownSymbolError
from knowledge.graph.symbols import near_paths
from knowledge.operations.graph_tree import find_one, path_of
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.claims import Anchor, Predicate
from knowledge.records.edges import Predicate as EdgePredicate
from knowledge.records.identifiers import SymbolId, external_symbol, parse_symbol, show_path

_LINES = re.compile(r"(?P<path>.+?):(?P<first>\d+)(?:-(?P<last>\d+))?\Z")
_ROLE = re.compile(r"(?P<rest>.*?)(?:@(?P<role>primary|support))?\Z", re.DOTALL)
KINDS = ("body", "strict", "signature", "location", "source", "value", "edge", "claim", "until", "days", *QUESTIONS)
"""What may stand before the first colon of an anchor."""
EDGES: tuple[str, ...] = get_args(EdgePredicate)
"""The relations that an edge may have."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a file, counted from 1, both included."""

    path: bytes
    first: int
    last: int


def read_anchor(spec: str, view: IndexedTree) -> Anchor:
    """`body:a.py::f`, `strict:…`, `signature:…`, `location:…`, `callers:…` (or any set question), `value:pyproject.toml::project.name`,
    `edge:a.py::f calls b.py::g`, `source:a.py:10-20`, `claim:c_…`, `until:2027-01-31`, `days:30`; `@support` at the end for what it merely rests on.

    Raises InvalidRecordError, UnknownSymbolError, UnknownPathError.
    """
    kind, _, rest = spec.partition(":")
    match = _ROLE.match(rest)
    text, role = (match["rest"], match["role"] or "primary") if match else (rest, "primary")
    if kind not in KINDS or not text:
        expected = f"expected KIND:WHAT with KIND one of {', '.join(KINDS)}"
        raise InvalidRecordError(f"cannot read the anchor {spec!r}; {expected}", suggestions=near_words(kind, KINDS))
    if kind in QUESTIONS:
        symbol = claimed(text, view, is_outside_allowed=QUESTIONS[kind].of_files)
        return make_anchor("set", role, question=kind, symbol=str(symbol), scope=default_scope(symbol, (), view))
    if kind == "claim":
        return make_anchor("claim", role, claim=text)
    if kind in ("until", "days"):
        return _time(kind, text, role)
    if kind == "edge":
        return _edge(text, role, view)
    if kind == "source":
        return source_anchor(read_lines(text, view), role, view)
    if kind == "value":
        path, _, key = text.partition("::")
        return make_anchor("value", role, path=show_path(known_path(path, view)), key=_known_key(path, key, view))
    symbol = claimed(text, view)
    if kind in ("body", "strict"):
        return make_anchor("body", role, symbol=str(symbol), strict=kind == "strict")
    return make_anchor("signature" if kind == "signature" else "location", role, symbol=str(symbol))


def _time(kind: str, text: str, role: str) -> Anchor:
    if kind == "until":
        return make_anchor("time", role, until=read_day(text).isoformat())
    if not re.fullmatch(r"[1-9]\d{0,5}", text):
        raise InvalidRecordError(f"cannot read the period {text!r}; expected a number of days, as in days:30")
    return make_anchor("time", role, period_days=int(text))


def _edge(text: str, role: str, view: IndexedTree) -> Anchor:
    parts = text.split()
    if len(parts) != 3:
        raise InvalidRecordError(f"cannot read the edge {text!r}; expected SUBJECT PREDICATE OBJECT")
    subject, predicate, target = parts
    if predicate not in EDGES:
        near = near_words(predicate, EDGES)
        raise InvalidRecordError(f"there is no relation {predicate!r} between two things of the code", suggestions=near)
    return make_anchor(
        "edge",
        role,
        subject=str(claimed(subject, view)),
        predicate=predicate,
        object=str(claimed(target, view, is_outside_allowed=True)),
    )


def near_words(word: str, known: Collection[str]) -> tuple[str, ...]:
    """The words of a list that look like a word; the whole list where none does."""
    return tuple(difflib.get_close_matches(word, known, n=3)) or tuple(known)


def file_or_symbol(text: str, view: IndexedTree, *, is_outside_allowed: bool = False) -> SymbolId:
    """The one definition or file that a text names. With `is_outside_allowed` a name that is not in the tree is an outside module."""
    if text.startswith("external:"):
        return external_symbol(text.removeprefix("external:"))
    try:
        return find_one(text, view)
    except UnknownSymbolError:
        if is_outside_allowed and re.fullmatch(r"[@\w./-]+", text) and not re.search(r"\.(?:pyi?|[cm]?[jt]sx?)\Z", text):
            return external_symbol(text)
        raise


def claimed(text: str, view: IndexedTree, *, is_outside_allowed: bool = False) -> SymbolId:
    """As `file_or_symbol`, for what a claim is about: a symbol may also lie in a file that cannot be read now, and is told once it can be."""
    try:
        return file_or_symbol(text, view, is_outside_allowed=is_outside_allowed)
    except UnknownSymbolError:
        written = parse_symbol(text)
        if written is None or not _is_unreadable(written.path, view):
            raise
        return written


def _is_unreadable(path: bytes, view: IndexedTree) -> bool:
    facts = view.facts(path) if view.has_path(path) else None
    return bool(view.skipped(path)) if facts is None else facts.has_error


def known_path(text: str, view: IndexedTree) -> bytes:
    """The path, when the tree has it. Raises UnknownPathError with near ones."""
    path = path_of(text)
    if not view.has_path(path):
        near = near_paths(show_path(path), view.files)
        raise UnknownPathError(f"there is no file {text} in {view.tree.snapshot.label}", suggestions=tuple(near))
    return path


def _known_key(path: str, key: str, view: IndexedTree) -> str:
    """The key, when the file has a value there, or cannot be read. Raises UnknownSymbolError with near ones."""
    facts = view.facts(path_of(path))
    keys = sorted({value.key for value in facts.values}) if facts is not None else []
    if facts is None or facts.has_error or key in keys:
        return key
    what = f"has no value at {key!r}" if key else "is given without a key"
    near = difflib.get_close_matches(key, keys, n=5, cutoff=0.5)
    raise UnknownSymbolError(f"{path} {what}; expected PATH::KEY", suggestions=tuple(f"{path}::{k}" for k in near))


def valued(text: str, view: IndexedTree) -> None:
    """Raises UnknownSymbolError with near keys where a file, given as it is in `path::key`, has no value at the key."""
    path, _, key = text.partition("::")
    if view.has_path(path_of(path)):
        _known_key(path, key, view)


def read_lines(text: str, view: IndexedTree) -> Lines:
    """`path:10-20` or `path:10`. Raises InvalidRecordError, UnknownPathError."""
    found = _LINES.match(text)
    if found is None:
        raise InvalidRecordError(f"cannot read the lines {text!r}; expected PATH:FIRST-LAST")
    first = int(found["first"])
    return Lines(known_path(found["path"], view), first, int(found["last"] or first))


def source_anchor(lines: Lines, role: str, view: IndexedTree) -> Anchor:
    """An anchor on the exact text of some lines. Raises InvalidRecordError where the file has no such lines."""
    content = (view.text(lines.path) or b"").replace(b"\r\n", b"\n")
    rows = content.split(b"\n")
    chosen = rows[lines.first - 1 : lines.last]
    if not chosen or lines.first < 1 or lines.last < lines.first:
        raise InvalidRecordError(f"{show_path(lines.path)} has {len(rows)} lines; asked for {lines.first}-{lines.last}")
    return make_anchor("source", role, path=show_path(lines.path), text=b"\n".join(chosen).decode("utf-8", "surrogateescape"))


def read_predicate(text: str, view: IndexedTree) -> Predicate:
    """A predicate as JSON: {"relation", "subject", "object", "members", "value", "is_negated", "covers_statement"}. Raises InvalidRecordError."""
    try:
        given: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise InvalidRecordError(f"the predicate is not JSON: {error}") from error
    relation = str(given.get("relation", ""))
    if relation not in RELATIONS:
        near = near_words(relation, RELATIONS)
        raise InvalidRecordError(f"there is no relation {relation!r}; expected one of {', '.join(RELATIONS)}", suggestions=near)
    of_files = relation in ("imports", "imported_only_by")
    named = str(given.get("subject", ""))
    key = setting(named, view) if relation == "value" else None
    subject = key or claimed(named, view, is_outside_allowed=of_files)
    target = str(given.get("object", ""))
    if relation in ("calls", "tests", "imports"):
        target = str(claimed(target, view, is_outside_allowed=of_files))
    elif relation == "inherits" and "::" in target:
        target = str(claimed(target, view))
    members = tuple(_member(str(m), view) for m in given.get("members", ()))
    return Predicate(
        relation,
        str(subject),
        target,
        members,
        str(given.get("value", "")),
        bool(given.get("is_negated", False)),
        bool(given.get("covers_statement", True)),
    )


def _member(text: str, view: IndexedTree) -> str:
    """A symbol or file; `path::<module>` is the code at the file's top level."""
    path, mark, name = text.rpartition("::")
    if mark and name == MODULE:
        return str(SymbolId(known_path(path, view), MODULE))
    return str(claimed(text, view))
