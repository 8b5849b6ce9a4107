"""Evidence: copied into the ledger when it is cited, and looked for again later."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from analyzers.facts import Definition
from analyzers.registry import analyzer_version, language_of, parser_version
from knowledge.claims.locating import definition_of, locate, locate_file
from knowledge.claims.masking import mask
from knowledge.claims.memories import read_hindsight
from knowledge.config import LIMITS
from knowledge.errors import RepositoryReadError, UnknownRevisionError
from knowledge.operations.project import Project, new_id
from knowledge.operations.reading import Reading
from knowledge.operations.specs import Lines
from knowledge.operations.tree_view import IndexedTree, TreeFiles
from knowledge.records.answers import EvidenceLine, RecheckAnswer
from knowledge.records.evidence import SHOWS, Evidence, EvidenceKind, SourceRange
from knowledge.records.identifiers import SymbolId, parse_symbol, read_symbol, show_path
from knowledge.records.trees import Commit

COMMIT_MESSAGE = "commit-message"
"""The node type of evidence that is part of a commit's message: it has no path."""
DOCUMENT = "document"
"""The node type of evidence that is some lines of a document, or one entry of an export; its path is absolute where it lies elsewhere."""


def of_symbol(symbol: SymbolId, view: IndexedTree, relation: str = "") -> Evidence:
    """The definition of a symbol as evidence; for a file its whole text."""
    definition = definition_of(view, symbol) if symbol.qualified_name else None
    content = view.text(symbol.path) or b""
    if definition is None:
        rows = content.count(b"\n")
        where = SourceRange(0, len(content), 0, 0, rows, len(content) - content.rfind(b"\n") - 1)
        return _evidence("source", symbol, where, "file", relation, view)
    span = definition.span
    where = SourceRange(span.start, span.end, span.row, span.column, span.end_row, span.end_column)
    return _evidence("ast", symbol, where, definition.kind, relation, view)


def of_lines(lines: Lines, view: IndexedTree) -> Evidence:
    """Some lines as evidence, with the innermost definition around them."""
    content = view.text(lines.path) or b""
    rows = content.split(b"\n")
    start = sum(len(r) + 1 for r in rows[: lines.first - 1])
    text = b"\n".join(rows[lines.first - 1 : lines.last])
    where = SourceRange(start, start + len(text), lines.first - 1, 0, lines.last - 1, len(rows[min(lines.last, len(rows)) - 1]))
    around = _around(lines, view)
    symbol = SymbolId(lines.path, around.qualified_name, around.ordinal) if around else SymbolId(lines.path, "")
    return _evidence("source", symbol, where, "lines", "", view)


def of_value(path: bytes, key: str, view: IndexedTree) -> list[Evidence]:
    """The lines on which the values at a key stand."""
    facts = view.facts(path)
    spans = [value.span for value in facts.values if value.key == key] if facts is not None else []
    return [of_lines(Lines(path, span.row + 1, span.end_row + 1), view) for span in spans]


def _around(lines: Lines, view: IndexedTree) -> Definition | None:
    facts = view.facts(lines.path)
    inside = [d for d in facts.definitions if d.span.row < lines.first <= d.span.end_row + 1 and d.qualified_name] if facts else []
    return max(inside, key=lambda d: d.span.row) if inside else None


def _evidence(kind: EvidenceKind, symbol: SymbolId, where: SourceRange, node_type: str, relation: str, view: IndexedTree) -> Evidence:
    text = (view.text(symbol.path) or b"")[where.start : where.end]
    language = language_of(symbol.path)
    snapshot = view.tree.snapshot
    excerpt = mask(text.decode("utf-8", "replace"))
    return Evidence(
        id=new_id("e"),
        kind=kind,
        repository_revision=snapshot.revision,
        tree_id=snapshot.tree_id,
        file_path=symbol.path,
        blob_id=view.blob_id(symbol.path),
        language=language,
        parser_version=parser_version(language) if language else "",
        analyzer_version=analyzer_version(language) if language else "",
        node_type=node_type,
        source_range=where,
        content_hash=hashlib.sha256(text).hexdigest(),
        extracted_relation=relation,
        symbol=str(symbol),
        excerpt=excerpt[: LIMITS.excerpt_characters] + ("…" if len(excerpt) > LIMITS.excerpt_characters else ""),
        is_dirty=snapshot.is_dirty,
    )


def of_message(commit: Commit, first: int, last: int) -> Evidence:
    """Some lines of a commit's message (from 0, both included) as evidence of what its author meant."""
    rows = commit.message.encode("utf-8", "surrogateescape").split(b"\n")
    start = sum(len(row) + 1 for row in rows[:first])
    text = b"\n".join(rows[first : last + 1])
    excerpt = mask(text.decode("utf-8", "replace"))
    return Evidence(
        id=new_id("e"),
        kind="document",
        repository_revision=commit.revision,
        tree_id=commit.tree_id,
        file_path=b"",
        blob_id="",
        language="",
        parser_version="",
        analyzer_version="",
        node_type=COMMIT_MESSAGE,
        source_range=SourceRange(start, start + len(text), first, 0, last, len(rows[last])),
        content_hash=hashlib.sha256(text).hexdigest(),
        extracted_relation="",
        symbol="",
        excerpt=excerpt[: LIMITS.excerpt_characters] + ("…" if len(excerpt) > LIMITS.excerpt_characters else ""),
    )


def of_document(kind: EvidenceKind, name: str, text: str, rows: tuple[int, int]) -> Evidence:
    """Some lines of a document (from 0, both included) as evidence of what its author meant. name: its path, from the top or absolute."""
    content = text.encode("utf-8", "surrogateescape")
    lines = content.split(b"\n")
    first, last = rows
    start = sum(len(line) + 1 for line in lines[:first])
    part = b"\n".join(lines[first : last + 1])
    excerpt = mask(part.decode("utf-8", "replace"))
    return Evidence(
        id=new_id("e"),
        kind=kind,
        repository_revision=None,
        tree_id="",
        file_path=name.encode("utf-8", "surrogateescape"),
        blob_id="",
        language="markdown" if name.endswith(".md") else "",
        parser_version="",
        analyzer_version="",
        node_type=DOCUMENT,
        source_range=SourceRange(start, start + len(part), first, 0, last, len(lines[last]) if last < len(lines) else 0),
        content_hash=hashlib.sha256(part).hexdigest(),
        extracted_relation="",
        symbol="",
        excerpt=excerpt[: LIMITS.excerpt_characters] + ("…" if len(excerpt) > LIMITS.excerpt_characters else ""),
    )


def line_of(evidence: Evidence) -> EvidenceLine:
    """Evidence for people, with what its kind can and cannot show."""
    shows, does_not = SHOWS[evidence.kind]
    is_message = evidence.node_type == COMMIT_MESSAGE
    path = f"message of {(evidence.repository_revision or '')[:12]}" if is_message else show_path(evidence.file_path)
    return EvidenceLine(
        evidence.id, evidence.kind, evidence.repository_revision, path, evidence.source_range.lines(), evidence.language,
        evidence.parser_version, evidence.node_type, evidence.symbol, evidence.extracted_relation, evidence.content_hash,
        shows, does_not, evidence.excerpt,
    )  # fmt: skip


def load(project: Project, evidence_id: str) -> Evidence:
    """The evidence with that id (or its only beginning). Raises UnknownRecordError."""
    return project.ledger.evidence(project.ledger.resolve_evidence(evidence_id))


def show(project: Project, evidence_id: str) -> EvidenceLine:
    """One piece of evidence, from the ledger alone."""
    return line_of(load(project, evidence_id))


def recheck(project: Project, evidence_id: str, at: str | None = None) -> RecheckAnswer:
    """Whether the same thing is still to be found in a tree, also after lines, files or definitions moved."""
    evidence = load(project, evidence_id)
    reading = Reading(project)
    view = reading.trees.at(at)
    if evidence.node_type == COMMIT_MESSAGE:
        outcome, place, detail = _find_message(project, evidence)
    elif evidence.node_type == DOCUMENT:
        outcome, place, detail = _find_document(project, evidence)
    else:
        outcome, place, detail = _find_again(evidence, view, reading.trees.then_of_tree(evidence.tree_id))
    return RecheckAnswer(project.tree_name(view.tree.snapshot), line_of(evidence), outcome, place, detail)


def _find_message(project: Project, evidence: Evidence) -> tuple[str, str, str]:
    """A commit never changes; it can only be gone from here."""
    revision = evidence.repository_revision or ""
    try:
        commit = project.repository.commit(revision)
    except (UnknownRevisionError, RepositoryReadError):
        return "gone", f"message of {revision[:12]}", "the commit is not in this repository any more"
    again = of_message(commit, evidence.source_range.row, min(evidence.source_range.end_row, commit.message.count("\n")))
    place = f"message of {revision[:12]}:{evidence.source_range.lines()}"
    return ("same", place, "") if again.content_hash == evidence.content_hash else ("changed", place, "the text is another one")


def _find_document(project: Project, evidence: Evidence) -> tuple[str, str, str]:
    """Lines of a document as it is now: in their place, elsewhere in it, or not any more."""
    name = show_path(evidence.file_path)
    path = (project.repository.workdir or Path()) / os.fsdecode(evidence.file_path)
    try:
        content = path.read_bytes()
    except OSError:
        return "gone", name, "the file is not there"
    if path.suffix == ".json":
        texts = [one.text.encode() for one in read_hindsight(content.decode("utf-8", "replace"))[0]]
        found = [0] if evidence.content_hash in {hashlib.sha256(text).hexdigest() for text in texts} else []
        first = 0
    else:
        lines, where = content.split(b"\n"), evidence.source_range
        first, count = where.row, where.end_row - where.row + 1
        parts = (b"\n".join(lines[row : row + count]) for row in range(len(lines) - count + 1))
        found = [row for row, part in enumerate(parts) if hashlib.sha256(part).hexdigest() == evidence.content_hash]
    if not found:
        return "changed", name, "the text is not in it any more"
    return ("same" if first in found else "moved", f"{name}:{(first if first in found else found[0]) + 1}", "")


def _find_again(evidence: Evidence, view: IndexedTree, then: TreeFiles | None) -> tuple[str, str, str]:
    symbol = read_symbol(evidence.symbol)
    is_whole = parse_symbol(evidence.symbol) is not None and evidence.node_type != "lines"
    place = locate(symbol, then, view) if is_whole and symbol.qualified_name else locate_file(evidence.file_path, then, view)
    if place.state != "present":
        return place.state, str(place.symbol), place.hint
    content = view.text(place.symbol.path)
    if content is None:
        return "unreadable", str(place.symbol), "its bytes cannot be read"
    length = evidence.source_range.end - evidence.source_range.start
    start = evidence.source_range.start
    if hashlib.sha256(content[start : start + length]).hexdigest() == evidence.content_hash and not place.is_moved:
        return "same", f"{show_path(place.symbol.path)}:{evidence.source_range.lines()}", ""
    moved = _search(content, length, evidence.content_hash, view, place.symbol)
    if moved is not None:
        return "moved", f"{show_path(place.symbol.path)}:{moved + 1}", "the same text stands elsewhere"
    return "changed", str(place.symbol), "the text is another one"


def _search(content: bytes, length: int, wanted: str, view: IndexedTree, symbol: SymbolId) -> int | None:
    """The row at which the very text stands: where a definition begins, or a line."""
    definition = definition_of(view, symbol) if symbol.qualified_name else None
    starts = [definition.span.start] if definition is not None else []
    starts += [m.end() for m in re.finditer(rb"^[ \t]*", content, re.MULTILINE)] + [m.start() for m in re.finditer(rb"^", content, re.MULTILINE)]
    for start in starts:
        if hashlib.sha256(content[start : start + length]).hexdigest() == wanted:
            return content.count(b"\n", 0, start)
    return None
