"""Taking in what other programs say of the code, listing it, and withdrawing it."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from knowledge.errors import OutsideInputError, UnknownPathError, UnknownRecordError
from knowledge.facts.importers.scip import MAX_BYTES, ScipIndex, read_scip
from knowledge.facts.pyrefly import CONFIGURATION as PYREFLY
from knowledge.facts.pyrefly import TOOL, VERSION, run_pyrefly
from knowledge.graph.layout import python_roots
from knowledge.graph.pyrefly_edges import PREDICATES as PYREFLY_PREDICATES
from knowledge.graph.pyrefly_edges import pyrefly_edges
from knowledge.graph.scip_edges import PREDICATES as SCIP_PREDICATES
from knowledge.graph.scip_edges import scip_edges
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.outside import PREDICATES, OutsideTree, said_by
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.analyses import AnalysedFile, Analysis
from knowledge.records.answers import AnalysesAnswer, AnalysisLine
from knowledge.records.edges import Edge
from knowledge.records.identifiers import read_path, show_path

_SHOWN = 5
_PYTHON = (b".py", b".pyi")


@dataclass(frozen=True, slots=True)
class Told:
    """What another program said of a tree, before it is stored.

    edges: path → the edges going out of it. unfit: path → why nothing was taken of it. left_out: cause → count.
    """

    format: str
    tool: str
    version: str
    configuration: str
    origin: str
    predicates: Sequence[str]
    edges: Mapping[bytes, Sequence[Edge]]
    unfit: Mapping[bytes, str] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)


def import_scip(project: Project, source: Path, *, at: str | None = None, below: str | None = None) -> AnalysesAnswer:
    """Take in a SCIP index of a tree (None: the working tree). below: the directory that the index's paths are relative to, "" for the top;
    None: as the index says, where that lies in this repository, else the top.

    Raises OutsideInputError where it cannot be read or speaks of other content, UnknownPathError, UnknownRevisionError.
    """
    if not source.is_file():
        raise UnknownPathError(f"there is no file {source}")
    if source.stat().st_size > MAX_BYTES:
        raise OutsideInputError(f"{source} has {source.stat().st_size:,} bytes; expected at most {MAX_BYTES:,}")
    content = source.read_bytes()
    index = read_scip(content)
    view = Reading(project).trees.at(at)
    prefix = read_path(below) if below is not None else _prefix(project, index)
    found = scip_edges([(posixpath.join(prefix, document.path.encode()), document) for document in index.documents], view)
    if not found.edges:
        raise OutsideInputError(_no_fit(index, found.unfit, view))
    configuration = digest("\0".join(index.arguments)) if index.arguments else ""
    told = Told("scip", index.tool, index.version, configuration, source.name, SCIP_PREDICATES, found.edges, found.unfit, found.left_out)
    return keep(project, view, told)


def analyze_pyrefly(project: Project, *, at: str | None = None) -> AnalysesAnswer:
    """Run pyrefly over the Python files of a tree (None: the working tree) and take in what it says.

    Raises OutsideToolError where it is not installed, of another version, wrong on a known case, or takes too long.
    """
    view = Reading(project).trees.at(at)
    # A link has no code of its own; what git cannot read is left out, and the answer counts the files it is about.
    paths = [path for path, entry in view.tree.entries().items() if path.endswith(_PYTHON) and entry.kind in ("file", "executable")]
    files = {path: text for path in paths if (text := view.text(path)) is not None}
    roots = python_roots(view.layout, files)
    found = pyrefly_edges(run_pyrefly(files, roots), view)
    configuration = digest("\0".join([*(f"{name}={value}" for name, value in PYREFLY.items()), *map(show_path, roots)]))
    told = Told("pyrefly-pysa", TOOL, VERSION, configuration, "", PYREFLY_PREDICATES, found.edges, {}, found.left_out)
    return keep(project, view, told)


def keep(project: Project, view: IndexedTree, told: Told) -> AnalysesAnswer:
    """Store what was said of a tree whole, each file pinned to its content there."""
    refuse_off_record(project)
    analysis = Analysis(
        "", told.format, told.tool, told.version, told.configuration, True, view.tree.snapshot.key, view.tree.snapshot.revision, "", told.origin,
        project.now(), project.author_text(),
        {
            PREDICATES: sorted(told.predicates),
            "edges": sum(len(edges) for edges in told.edges.values()),
            "left_out": dict(sorted(told.left_out.items())),
            "unfit": {show_path(path): why for path, why in sorted(told.unfit.items())},
        },
    )  # fmt: skip
    stored, is_new = project.ledger.analyses.add(analysis, analysed_files(told.edges, view))
    notes = [] if is_new else ["the same was taken in before; nothing changed"]
    return _answer(project, view, [stored], [*notes, *_told_of(told)])


def analysed_files(edges: Mapping[bytes, Sequence[Edge]], view: IndexedTree) -> list[AnalysedFile]:
    """The files with their content in the tree, and that of the files that their edges lead to."""
    found = []
    for path, several in sorted(edges.items()):
        others = {edge.object.path for edge in several} - {b"", path}
        found.append(AnalysedFile(path, view.blob_id(path), tuple(several), {other: view.blob_id(other) for other in sorted(others)}))
    return found


def list_analyses(project: Project, at: str | None = None) -> AnalysesAnswer:
    """The analyses that stand, and how much of each is present in a tree (None: the working tree)."""
    view = Reading(project).trees.at(at)
    return _answer(project, view, project.ledger.analyses.standing(), [])


def withdraw_analysis(project: Project, name: str, reason: str) -> AnalysesAnswer:
    """Let an analysis answer no more; it stays in the record. `name` may be the beginning of an id. Raises UnknownRecordError."""
    refuse_off_record(project)
    analyses = project.ledger.analyses
    fitting = [analysis for analysis in analyses.standing() if analysis.id.startswith(name)]
    if len(fitting) != 1 or not name:
        known = [analysis.id for analysis in fitting or analyses.standing()]
        raise UnknownRecordError(f"{len(fitting)} analyses that stand have an id that begins with {name!r}; expected one", suggestions=known[:_SHOWN])
    analyses.withdraw(fitting[0].id, reason, at=project.now(), author=project.author_text())
    return _answer(project, Reading(project).trees.at(), analyses.standing(), [f"withdrawn: {fitting[0].id} {said_by(fitting[0])}"])


def digest(text: str) -> str:
    """A configuration's hash, short enough to stand beside a tool's name."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _prefix(project: Project, index: ScipIndex) -> bytes:
    """The directory of the repository that the index was made in; b"" where it was made elsewhere."""
    workdir = project.repository.workdir
    root = Path(unquote(urlsplit(index.project_root).path))
    if workdir is None or not root.is_absolute() or not root.is_relative_to(workdir):
        return b""
    relative = root.relative_to(workdir).as_posix()
    return b"" if relative == "." else relative.encode("utf-8", "surrogateescape")


def _no_fit(index: ScipIndex, unfit: Mapping[bytes, str], view: IndexedTree) -> str:
    causes = _counted(unfit.values())
    shown = ", ".join(show_path(path) for path in sorted(unfit)[:_SHOWN])
    return (
        f"none of the {len(index.documents)} files that the index of {index.tool} speaks of is as it says in {view.tree.snapshot.label} "
        f"({causes}: {shown}). Say of which revision it was made (--at), and where its paths begin (--below)"
    )


def _counted(causes: Iterable[str]) -> str:
    listed = list(causes)
    return ", ".join(f"{cause}: {listed.count(cause)}" for cause in sorted(set(listed))) or "no files"


def _told_of(told: Told) -> list[str]:
    """What was not taken, by cause."""
    notes = [f"left out: {count:,} {cause}" for cause, count in sorted(told.left_out.items()) if count]
    for cause in sorted(set(told.unfit.values())):
        paths = sorted(show_path(path) for path, why in told.unfit.items() if why == cause)
        more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
        notes.append(f"not taken, {cause}: {', '.join(paths[:_SHOWN])}{more}")
    return notes


def _answer(project: Project, view: IndexedTree, analyses: Sequence[Analysis], notes: Sequence[str]) -> AnalysesAnswer:
    present = OutsideTree(view, project.ledger.analyses).present_files()
    lines = tuple(_line(analysis, len(project.ledger.analyses.files([analysis.id])), present.get(analysis.id, 0)) for analysis in analyses)
    return AnalysesAnswer(project.tree_name(view.tree.snapshot), lines, tuple(notes))


def _line(analysis: Analysis, files: int, present: int) -> AnalysisLine:
    detail: dict[str, Any] = analysis.detail
    return AnalysisLine(
        analysis.id, analysis.format, said_by(analysis), analysis.revision, analysis.snapshot_key, analysis.reference, analysis.origin,
        analysis.at, analysis.author, files, present, int(detail.get("edges", 0)),
    )  # fmt: skip
