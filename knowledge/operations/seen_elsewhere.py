"""Taking in what was seen of a run that this program did not start: coverage.py's data, OpenTelemetry traces, reports of tests.

Such a file does not say on which content it ran. Coverage of the work tree counts for the files that were not changed after it was written, and whose
lines it fits; a trace counts for the revision that it names. `at` says it for them. What cannot be laid on a tree is kept as revision-unknown: it
says nothing of any tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analyzers.facts import Definition, FileFacts
from knowledge.config import LIMITS
from knowledge.errors import OutsideInputError, UnknownPathError, UnknownRevisionError
from knowledge.facts.importers.coverage_py import SQLITE_HEAD, LinesRun, read_json, read_sqlite
from knowledge.facts.importers.otlp import SeenSpan, Trace, read_traces
from knowledge.facts.importers.reports import read_report
from knowledge.facts.importers.type_checks import ToldCheck, is_check, read_check
from knowledge.operations.analyses import analysed_files
from knowledge.operations.covering import Mapped, reported_results
from knowledge.operations.exercised import RAN
from knowledge.operations.graph_tree import candidates
from knowledge.operations.observing import run_answer
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project, new_id
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.type_checking import DETAIL, HowChecked, check_detail
from knowledge.records.analyses import Analysis
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, external_symbol, show_path
from knowledge.records.run_answers import RunAnswer
from knowledge.records.runs import Run, TestResult

COVERAGE, TRACES = "coverage.py", "opentelemetry"
TRACE = "trace"
"""The package of the symbols that traces are: `external:trace::<id>`."""
_FUNCTIONS = ("function", "method", "property")
_NAMED_FILES = 5
_KEPT_NAMES = 2_000
_SEPARATORS = re.compile(r"[./:#$]+")


@dataclass(slots=True)
class _Taken:
    """What a file comes to in a tree. edges: by path. left_out: why → what. is_placed: whether the content that ran is known."""

    tool: str
    version: str = ""
    edges: dict[bytes, dict[tuple[SymbolId, SymbolId, str], Edge]] = field(default_factory=dict)
    results: list[TestResult] = field(default_factory=list)
    left_out: dict[str, dict[str, None]] = field(default_factory=dict)
    is_placed: bool = True
    detail: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, edge: Edge) -> None:
        """Add an edge once."""
        self.edges.setdefault(edge.subject.path, {})[edge.subject, edge.object, edge.predicate] = edge

    def leave(self, why: str, what: str) -> None:
        """Tell what is not taken in, once."""
        self.left_out.setdefault(why, {})[what] = None


def import_seen(project: Project, source: Path, *, at: str | None = None) -> RunAnswer:
    """Take in a file of coverage.py (its data, or JSON), of OTLP traces as JSON, or of test results (JUnit XML, jest, vitest).

    at: the revision that ran. Raises UnknownPathError, UnknownRevisionError, OutsideInputError, InvalidRecordError.
    """
    if not source.is_file():
        raise UnknownPathError(f"there is no file {source}")
    if source.stat().st_size > LIMITS.observed_bytes:
        raise OutsideInputError(f"{source.name} has {source.stat().st_size:,} bytes; expected at most {LIMITS.observed_bytes:,}")
    with source.open("rb") as opened:
        head = opened.read(len(SQLITE_HEAD))
    trees = Reading(project).trees
    run_id = new_id("r")
    if head == SQLITE_HEAD:
        view = trees.at(at)
        return _keep(project, run_id, source, view, _covered(read_sqlite(source), view, source, project, at))
    content = source.read_bytes()
    if b'"executed_lines"' in content and b'"meta"' in content:
        view = trees.at(at)
        return _keep(project, run_id, source, view, _covered(read_json(content), view, source, project, at))
    if b"Spans" in content or b"_spans" in content:
        trace = read_traces(content)
        revision, why = _revision(project, trace, at)
        view = trees.at(revision)
        return _keep(project, run_id, source, view, _traced(trace, view, why))
    if is_check(content):
        told = read_check(content, str(project.repository.workdir or ""))
        revision, why = _checked_revision(project, told, at)
        view = trees.at(revision)
        return _keep(project, run_id, source, view, _checked(told, view, why))
    view = trees.at(at)
    form, tests = read_report(content, str(project.repository.workdir or ""))
    results = reported_results(tests, run_id, Mapped(view), frozenset())
    taken = _Taken(form, results=results, is_placed=at is not None)
    if at is None:
        taken.notes.append("a report does not say what ran: its results are of no known revision (--at says which)")
    return _keep(project, run_id, source, view, taken)


def _keep(project: Project, run_id: str, source: Path, view: IndexedTree, taken: _Taken) -> RunAnswer:
    refuse_off_record(project)
    snapshot = view.tree.snapshot
    notes = [*taken.notes, *(f"{len(what)} {why}: {', '.join(list(what)[:_NAMED_FILES])}" for why, what in sorted(taken.left_out.items()))]
    run = Run(
        id=run_id,
        revision=snapshot.revision if taken.is_placed else None,
        tree_id=snapshot.tree_id if taken.is_placed else "",
        snapshot_key=snapshot.key if taken.is_placed else "",
        command=(),
        directory="",
        environment="",
        environment_detail={},
        exit_code=None,
        ending="imported",
        at=project.now(),
        seconds=0.0,
        output_ref="",
        tool=f"{taken.tool} {taken.version}".strip(),
        author=project.author_text(),
        detail={**taken.detail, "origin": source.name, "notes": notes},
        is_local=False,
    )
    edges = {path: tuple(found.values()) for path, found in sorted(taken.edges.items())}
    with project.ledger.transaction():
        project.ledger.runs.add(run, taken.results, None)
        if edges:
            analysis = Analysis(
                "", taken.tool, taken.tool, taken.version, "", False, snapshot.key, snapshot.revision, run.id, source.name, run.at, run.author,
                {"edges": sum(map(len, edges.values()))},
            )  # fmt: skip
            project.ledger.analyses.add(analysis, analysed_files(edges, view))
    return run_answer(project, view, run, taken.results)


# ── static checks ──


def _checked_revision(project: Project, told: ToldCheck, at: str | None) -> tuple[str | None, str]:
    """The revision that was checked, and why it is not known where it is not. Raises UnknownRevisionError."""
    if at is not None:
        return project.repository.resolve(at), ""
    return _known(project, told.revision) if told.revision else (None, "the report names no revision")


def _known(project: Project, revision: str) -> tuple[str | None, str]:
    """The commit of a revision that a file names, and why there is none."""
    try:
        return project.repository.resolve(revision), ""
    except UnknownRevisionError:
        return None, f"its revision {revision} is not in this repository"


def _checked(told: ToldCheck, view: IndexedTree, unknown: str) -> _Taken:
    """What a checker found elsewhere: which files it passed without a finding is not told."""
    taken = _Taken(told.tool, told.version, is_placed=not unknown)
    detail, notes = check_detail(told, view, HowChecked())
    taken.detail, taken.notes = {DETAIL: detail}, notes
    if unknown:
        taken.notes.append(f"{unknown}: kept as revision-unknown, it says nothing of any tree (--at says which it was)")
    return taken


# ── coverage.py ──


def _covered(told: LinesRun, view: IndexedTree, source: Path, project: Project, at: str | None) -> _Taken:
    """Which test ran which function: each line in the body of the innermost function that has it."""
    taken = _Taken(COVERAGE, told.version)
    root = project.repository.workdir
    written = source.stat().st_mtime
    tests: dict[str, SymbolId | None] = {}
    ran: set[SymbolId] = set()
    for shown, contexts in sorted(told.files.items()):
        path = _below(shown, root)
        facts, text = (view.facts(path), view.text(path)) if path is not None and view.has_path(path) else (None, None)
        if path is None or facts is None or text is None:
            taken.leave("files are not of this tree", shown)
            continue
        lines = {line for several in contexts.values() for line in several}
        if at is None and root is not None and (root / os.fsdecode(path)).stat().st_mtime > written:
            taken.leave("files were changed after it was written", show_path(path))
        elif max(lines, default=0) > text.count(b"\n") + 1:
            taken.leave("files have fewer lines than ran", show_path(path))
        else:
            bodies = _bodies(facts, text)
            for context, several in contexts.items():
                functions = {found for line in several if (found := _innermost(bodies, line)) is not None}
                ran |= {SymbolId(path, d.qualified_name, d.ordinal) for d in functions}
                test = _test(context, tests, view) if context else None
                if context and test is None:
                    taken.leave("contexts are no tests of this tree", context)
                elif test is not None:
                    for d in functions:
                        symbol = SymbolId(path, d.qualified_name, d.ordinal)
                        if symbol != test:
                            taken.add(_edge(symbol, "tested_by", test, RAN, d))
    if not ran:
        raise OutsideInputError(
            "nothing of this coverage is of this tree as it is", suggestions=[f"{why}: {next(iter(what))}" for why, what in taken.left_out.items()]
        )
    if not told.has_contexts:
        taken.notes.append("it does not say which test ran what: run pytest with --cov-context=test")
    taken.is_placed = not any("changed" in why or "fewer" in why for why in taken.left_out)
    taken.detail = {"functions": len(ran), "tests": sum(test is not None for test in tests.values())}
    return taken


def _below(shown: str, root: Path | None) -> bytes | None:
    """A path that was told, in the tree; None where it lies elsewhere."""
    path = Path(shown.replace("\\", "/"))
    if path.is_absolute():
        resolved = path.resolve()
        if root is None or not resolved.is_relative_to(root.resolve()):
            return None
        path = resolved.relative_to(root.resolve())
    return None if ".." in path.parts else os.fsencode(path.as_posix())


def _bodies(facts: FileFacts, text: bytes) -> list[tuple[int, int, Definition]]:
    """(first row, last row, function) of the bodies that begin on a line of their own; what a `def` line runs, runs where it is defined."""
    found = []
    for d in facts.definitions:
        if d.kind in _FUNCTIONS:
            colon = _colon(text, d.name_span.end, d.span.end)
            first = text.count(b"\n", 0, colon) + 1
            if colon >= 0 and first <= d.span.end_row:
                found.append((first, d.span.end_row, d))
    return found


def _colon(text: bytes, start: int, end: int) -> int:
    """Where the colon is that ends a `def`: outside of all brackets; -1 where there is none."""
    depth = 0
    for at in range(start, end):
        byte = text[at : at + 1]
        depth += (byte in (b"(", b"[", b"{")) - (byte in (b")", b"]", b"}"))
        if byte == b":" and depth == 0:
            return at
    return -1


def _innermost(bodies: Iterable[tuple[int, int, Definition]], line: int) -> Definition | None:
    inside = [(first, d) for first, last, d in bodies if first <= line - 1 <= last]
    return max(inside, key=lambda body: body[0])[1] if inside else None


def _test(context: str, known: dict[str, SymbolId | None], view: IndexedTree) -> SymbolId | None:
    """The test that a context names: `tests/test_m.py::TestA::test_b[1]`, or `tests.test_m.TestA.test_b`."""
    if context not in known:
        path, _, names = context.partition("::")
        text = f"{path}::{names.partition('[')[0].replace('::', '.')}" if names else context
        found = [symbol for symbol in candidates(text, view) if symbol.qualified_name and "test" in view.kinds_of(symbol.path)]
        known[context] = found[0] if len({(symbol.path, symbol.qualified_name) for symbol in found}) == 1 else None
    return known[context]


# ── traces ──


def _revision(project: Project, trace: Trace, at: str | None) -> tuple[str | None, str]:
    """The revision that ran, and why it is not known where it is not. Raises UnknownRevisionError, OutsideInputError."""
    told = {span.revision for span in trace.spans}
    if at is not None:
        asked = project.repository.resolve(at)
        if other := sorted(revision for revision in told if revision and not asked.startswith(revision)):
            raise OutsideInputError(f"the trace is of revision {other[0]}, not of {at}")
        return at, ""
    if len(told) > 1:
        return None, "the trace is of several builds"
    revision = next(iter(told), "")
    if not revision:
        version = next((span.version for span in trace.spans if span.version), "")
        return None, f"the trace names no revision{f' (service.version {version})' if version else ''}"
    return _known(project, revision)


def _traced(trace: Trace, view: IndexedTree, unknown: str) -> _Taken:
    """Which function ran in which trace. A span within another proves no call, so none is told."""
    taken = _Taken(TRACES, is_placed=not unknown)
    if trace.placeless:
        taken.notes.append(f"{trace.placeless} spans do not say where they ran")
    if unknown:
        taken.notes.append(f"{unknown}: kept as revision-unknown, it says nothing of any tree (--at says which it was)")
        names = sorted({f"{span.path}::{span.name}" for span in trace.spans})
        taken.detail = {"spans": len(trace.spans), "functions": names[:_KEPT_NAMES], "functions_left_out": max(0, len(names) - _KEPT_NAMES)}
        return taken
    paths = _Deployed(view)
    for span in trace.spans:
        path = paths.path(span.path)
        d = _function(span, view.facts(path)) if path is not None else None
        if path is None or d is None:
            taken.leave("spans are of no function of this tree", f"{span.path}::{span.name}")
            continue
        symbol = SymbolId(path, d.qualified_name, d.ordinal)
        taken.add(_edge(symbol, "traced_by", external_symbol(TRACE, span.trace), "span", d))
        if span.route:
            routes = [edge.subject for edge in view.edges_into(symbol, "handles") if edge.subject.qualified_name == span.route]
            taken.add(_edge(routes[0] if routes else SymbolId(path, span.route), "handles", symbol, "span", d))
    taken.detail = {"spans": len(trace.spans), "traces": len({span.trace for span in trace.spans})}
    return taken


class _Deployed:
    """Paths of a deployed build as paths of the tree: the longest that the deployed one ends with, if it is one alone."""

    def __init__(self, view: IndexedTree) -> None:
        self._view = view
        self._by_name: dict[bytes, list[bytes]] = {}
        for path in view.files:
            self._by_name.setdefault(path.rpartition(b"/")[2], []).append(path)

    def path(self, deployed: str) -> bytes | None:
        """The path in the tree, or None."""
        whole = os.fsencode(deployed)
        fitting = [path for path in self._by_name.get(whole.rpartition(b"/")[2], ()) if f"/{deployed}".encode().endswith(b"/" + path)]
        return max(fitting, key=len) if fitting else None


def _function(span: SeenSpan, facts: FileFacts | None) -> Definition | None:
    """The function that a span names: by the end of its name, and by its line where one is told."""
    parts = [part for part in _SEPARATORS.split(span.name) if part and part != "<locals>"]
    names = {".".join(parts[first:]) for first in range(len(parts))}
    found = [d for d in facts.definitions if d.kind in _FUNCTIONS and d.qualified_name in names] if facts is not None else []
    if span.line:
        found = [d for d in found if d.span.row <= span.line - 1 <= d.span.end_row]
    longest = max((d.qualified_name.count(".") for d in found), default=0)
    best = [d for d in found if d.qualified_name.count(".") == longest]
    return best[0] if len(best) == 1 else None


def _edge(subject: SymbolId, predicate: Any, target: SymbolId, reason: str, d: Definition) -> Edge:
    span = d.name_span
    return Edge(subject, predicate, target, "observed", reason, span.start, span.end, span.row, span.column, d.name)
