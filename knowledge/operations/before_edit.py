"""Before an edit: the claims that stand on what is about to be changed.

    a call's arguments → files and pieces of text → lines → the definitions there → anchors that watch them → claims

The work is proportional to the range, not to the store: anchors are found by the names that they watch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from knowledge.claims.lifecycle import KEPT, worst_first
from knowledge.operations.attention import Advice, Attention
from knowledge.operations.context_pack import pack_claim
from knowledge.operations.opening import cut_statement
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import IndexedTree
from knowledge.push.edit_targets import EditTarget, edit_targets
from knowledge.records.claims import Anchor, AnchorReading
from knowledge.records.identifiers import show_path
from knowledge.records.stored import PRIVATE
from knowledge.views.pack_text import FOOTER, claim_text, plain

_OUT = ("withdrawn", "rejected", "superseded")
_MOST_FILES = 20
_MOST_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Standing:
    """A claim that stands on what is to be changed, and on which of it."""

    claim_id: str
    on: str


def standing_on(project: Project, targets: Iterable[EditTarget], folder: Path) -> tuple[Standing, ...]:
    """The claims that stand on the definitions in these ranges, those that hold before those that fell. folder: what paths are relative to.

    Claims that are out of force or private are left out. Files outside of the work tree, or that no tree has, bring nothing.
    """
    reading = Reading(project)
    view = reading.trees.at()
    touched: dict[str, _Touched] = {}
    for target in list(targets)[:_MOST_FILES]:
        path = _inside(project, target.path, folder)
        if path is not None and view.has_path(path):
            found = _touched(view, path, target)
            known = touched.get(show_path(path))
            touched[show_path(path)] = found if known is None else known.with_(found)
    if not touched:
        return ()
    keys = {key for path, one in touched.items() for key in one.keys(path)}
    claims = {c for several in project.ledger.claims_on(project.index.watching(keys)).values() for c in several}
    return tuple(_standing(reading, view, sorted(claims), touched))


@dataclass(frozen=True, slots=True)
class _Touched:
    """What an edit touches in one file: definitions and values by name, and the text of its lines. is_whole: all of the file."""

    names: frozenset[str]
    lines: tuple[str, ...]
    is_whole: bool

    def keys(self, path: str) -> Iterator[str]:
        """What anchors that may be met watch."""
        yield f"path:{path}"
        for name in self.names:
            yield from (f"symbol:{name}", f"value:{name}")

    def with_(self, other: _Touched) -> _Touched:
        """Both edits of one file."""
        return _Touched(self.names | other.names, (*self.lines, *other.lines), self.is_whole or other.is_whole)

    def has(self, anchor: Anchor, name: str) -> bool:
        """Whether an anchor on this file is about what is touched. name: the definition or key that it names, "" for the file."""
        if anchor.kind == "source" and not self.is_whole:
            quoted = {line.strip() for line in str(anchor.target.get("text", "")).splitlines() if line.strip()}
            return any(line.strip() in quoted for line in self.lines)
        return not name or name.partition("#")[0] in self.names or name.partition("(")[0] in self.names


def _standing(reading: Reading, view: IndexedTree, claims: list[str], touched: dict[str, _Touched]) -> Iterator[Standing]:
    statuses = reading.statuses(view, claims) if claims else {}
    held = reading.held(statuses)
    # What holds comes first: it is what the edit may break.
    order = sorted(statuses.values(), key=lambda status: (status.status not in KEPT, worst_first(status)))
    for status in order:
        one = held[status.claim_id]
        if status.status in _OUT or one.claim.detail.get(PRIVATE):
            continue
        on = next((on for anchor in one.anchors if (on := _met(anchor, status.readings.get(anchor.digest), touched))), "")
        if on:
            yield Standing(status.claim_id, on)


def _met(anchor: Anchor, reading: AnchorReading | None, touched: dict[str, _Touched]) -> str:
    """The place among those to be changed that an anchor names, where it is now or was when it was recorded; "" for none."""
    target = anchor.target
    named = [str(target[key]) for key in ("symbol", "subject", "test") if key in target]
    if "path" in target:
        named.append(f"{target['path']}::{target['key']}" if "key" in target else str(target["path"]))
    for text in [*([reading.place] if reading is not None and reading.place and anchor.kind != "set" else []), *named]:
        path, _, name = text.partition("::")
        if path in touched and touched[path].has(anchor, name):
            return text
    return ""


def _inside(project: Project, path: str, folder: Path) -> bytes | None:
    """The path from the top of the work tree; None for what lies outside of it."""
    top = project.repository.workdir
    if top is None:
        return None
    whole = (folder / path).resolve()
    try:
        return str(whole.relative_to(Path(top).resolve())).encode("utf-8", "surrogateescape")
    except ValueError:
        return None


def _touched(view: IndexedTree, path: bytes, target: EditTarget) -> _Touched:
    """The definitions, values and lines that the pieces of a file touch; all of them where it is written whole."""
    text = (view.text(path) or b"").decode("utf-8", "replace")
    rows = _rows(text, target)
    lines = text.splitlines()
    shown = tuple(line for first, last in rows or () for line in lines[first : last + 1])
    facts = view.facts(path)
    if facts is None:
        return _Touched(frozenset(), shown, rows is None)
    spans = [(d.qualified_name, d.span) for d in facts.definitions if d.qualified_name] + [(v.key.partition("(")[0], v.span) for v in facts.values]
    names = (name for name, span in spans if rows is None or any(span.row <= last and first <= span.end_row for first, last in rows))
    return _Touched(frozenset(names), shown, rows is None)


def _rows(text: str, target: EditTarget) -> list[tuple[int, int]] | None:
    """The rows that the pieces stand on, counted from 0; None: the whole file. A piece that is not in the file will not be changed there."""
    if not target.pieces:
        return None
    plain = text.replace("\r\n", "\n")
    found = []
    for piece in target.pieces:
        at = plain.find(piece.replace("\r\n", "\n"))
        if at >= 0:
            first = plain.count("\n", 0, at)
            found.append((first, first + piece.rstrip("\n").count("\n")))
    return found


def advise(attention: Attention) -> Advice | None:
    """The claims on what a call is about to change, each once a session."""
    event, project = attention.event, attention.project
    targets = edit_targets(event.tool, event.arguments)
    if not targets or project.repository.workdir is None:
        return None
    found = standing_on(project, targets, Path(event.folder or project.repository.workdir))
    fresh = {s.claim_id: s.on for s in found if s.claim_id not in attention.memory.given}
    if not fresh:
        return None
    reading = Reading(project)
    view = reading.trees.at()
    shown = list(fresh)[:_MOST_SHOWN]
    held, statuses = reading.held(shown), reading.statuses(view, shown)
    lines = [f"{claim_text(cut_statement(pack_claim(held[c], statuses[c], view)))} stands on {plain(fresh[c])}" for c in shown]
    more = [f"({len(fresh) - len(shown)} more stand on it)"] if len(fresh) > len(shown) else []
    head = "Remembered claims stand on what this edit changes; they are looked at again when it is done:"
    return Advice("\n".join([head, *lines, *more, FOOTER]), tuple(shown))
