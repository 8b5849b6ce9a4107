"""Running a command and keeping what was seen: a TestObservation (E4), what each test came to, what it covered, and the calls that were taken.

The tree is read before and after the run: what changed meanwhile is not known to be what ran, so nothing is said of it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from knowledge import observer
from knowledge.claims.masking import mask
from knowledge.config import LIMITS
from knowledge.errors import InvalidRecordError, UsageError
from knowledge.facts.importers.observer import Seen, read_folder
from knowledge.facts.importers.reports import ReportedTest, read_report
from knowledge.facts.importers.type_checks import ToldCheck, is_check, read_check
from knowledge.operations.covering import OBSERVER, Mapped, counts, coverage_of, observed_edges, reported_results, results_of
from knowledge.operations.project import WORKING_TREE, Project, new_id
from knowledge.operations.reading import Reading
from knowledge.operations.retests import Retests, settings_hash
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.type_checking import DETAIL, HowChecked, check_detail, checker_of, told_by_command, version_of
from knowledge.records.analyses import Analysis
from knowledge.records.identifiers import show_path
from knowledge.records.run_answers import RunAnswer, RunLine, RunsAnswer, TestLine
from knowledge.records.runs import BAD, Coverage, Run, TestResult
from knowledge.runs.command import Bounds, Finished, run_command
from knowledge.runs.environment import describe, fingerprint, is_lock_file

HOWS = ("results", "functions", "edges")
"""How much is observed: what tests come to; which functions ran, too; which calls were taken, too."""
OUTPUT = "output:"
"""A kept blob with this prefix and a run's id is its masked output."""
_MOST_TESTS = 50
_SHOWN_OUTPUT = 4_000


@dataclass(frozen=True, slots=True)
class ToRun:
    """A command to run and record. directory: where, None for the work tree. seconds: after which it is ended.

    variables: environment variables that count besides the usual ones. how: one of HOWS.
    """

    command: tuple[str, ...]
    directory: Path | None = None
    how: str = "edges"
    seconds: float = LIMITS.run_seconds
    variables: tuple[str, ...] = ()
    reports: tuple[Path, ...] = ()
    given: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


def observe(project: Project, asked: ToRun, pass_on: Callable[[bytes], None] = lambda chunk: None) -> RunAnswer:
    """Run the command and record what was seen. Raises UsageError for a bare repository or an empty command."""
    root = project.repository.workdir
    if root is None:
        raise UsageError("a bare repository has no files to run; run it in a work tree")
    if not asked.command:
        raise UsageError("say what to run: knowledge run -- COMMAND")
    if asked.how not in HOWS:
        raise UsageError(f"cannot observe {asked.how!r}", suggestions=HOWS)
    reading = Reading(project)
    view = reading.trees.at()
    directory = (asked.directory or root).resolve()
    at = project.now()
    folder, begun = Path(tempfile.mkdtemp(prefix="knowledge-run-")), time.time()
    try:
        variables = {**asked.given, **_observing(asked, folder, root)}
        finished = run_command(asked.command, directory, variables, Bounds(asked.seconds, LIMITS.output_bytes), pass_on)
        seen = read_folder(folder, LIMITS.observed_bytes)
        reports, checks, unread = _reports(asked, root, begun)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    changed = _changed_meanwhile(project, view)
    mapped = Mapped(view, changed)
    run = _run(project, asked, finished, seen, mapped)
    run = replace(run, at=at, directory=_below(directory, root))
    if reports:
        run = replace(run, tool=", ".join([*filter(None, [run.tool]), *dict.fromkeys(reports)]))
    if unread:
        run = replace(run, detail=run.detail | {"notes": [*run.detail.get("notes", []), *unread]})
    run = _with_check(run, asked, _Heard(finished, checks, str(root)), mapped)
    told = reported_results([test for tests in reports.values() for test in tests], run.id, mapped, frozenset(seen.tests))
    return record_run(project, run, Told(seen, mapped, told, mask(finished.output.decode("utf-8", "replace"))))


def _reports(asked: ToRun, root: Path, begun: float) -> tuple[dict[str, list[ReportedTest]], list[ToldCheck], list[str]]:
    """What the reports say that the command wrote: tests by format, static checks, and which were not read.

    One that lay there before says nothing of this run.
    """
    checks: list[ToldCheck] = []
    found: dict[str, list[ReportedTest]] = {}
    unread = []
    for path in asked.reports:
        try:
            status = path.stat()
            if status.st_mtime < begun - 1:
                unread.append(f"{path.name} was not written by this run, so it was not read")
            elif status.st_size > LIMITS.observed_bytes:
                unread.append(f"{path.name} is larger than {LIMITS.observed_bytes:,} bytes, so it was not read")
            elif is_check(content := path.read_bytes()):
                checks.append(read_check(content, str(root), checker_of(asked.command)))
            else:
                form, tests = read_report(content, str(root))
                found.setdefault(form, []).extend(tests)
        except OSError as error:
            unread.append(f"{path.name} could not be read: {error.strerror}")
        except InvalidRecordError as error:
            unread.append(f"{path.name}: {error.message}")
    return found, checks, unread


@dataclass(frozen=True, slots=True)
class _Heard:
    """How the command ended, what static checkers wrote in it, and the root of the work tree as those say it."""

    finished: Finished
    checks: Sequence[ToldCheck]
    root: str


def _with_check(run: Run, asked: ToRun, heard: _Heard, mapped: Mapped) -> Run:
    """The run with what a static checker said in it: in a report, else in its own output."""
    below = f"{run.directory}/" if run.directory not in ("", ".") else ""
    how = HowChecked(tuple(asked.command[1:]), below, heard.root)
    told, why = (heard.checks[0], "") if heard.checks else told_by_command(asked.command, heard.finished, how)
    notes = [*run.detail.get("notes", []), *([why] if why else [])]
    if len(heard.checks) > 1:
        notes.append("of several reports of static checks only the first was taken in")
    if told is not None:
        told = told if told.version else replace(told, version=version_of(asked.command, told.tool, asked.given.get("PATH")))
        detail, said = check_detail(told, mapped.view, how)
        if mapped.changed and {show_path(path) for path in mapped.changed} & {*detail["paths"]}:
            notes.append("what was checked changed while it ran, so nothing is recorded of any file")
        else:
            run = replace(run, tool=f"{told.tool} {told.version}".strip(), detail=run.detail | {DETAIL: detail})
            notes += said
    return replace(run, detail=run.detail | {"notes": notes}) if notes else run


def _observing(asked: ToRun, folder: Path, root: Path) -> dict[str, str]:
    """What the command's environment gets, so that the plugin is found and told what to do."""
    paths = [str(observer.FOLDER), *filter(None, [asked.given.get("PYTHONPATH", "")])]
    plugins = [*filter(None, asked.given.get("PYTEST_PLUGINS", "").split(",")), observer.MODULE]
    return {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTEST_PLUGINS": ",".join(dict.fromkeys(plugins)),
        observer.TO: str(folder),
        observer.ROOT: str(root),
        observer.HOW: asked.how,
    }


def _changed_meanwhile(project: Project, view: IndexedTree) -> list[bytes]:
    """Files that were there and are not what they were when the run began."""
    after = project.repository.tree(WORKING_TREE)
    return [change.path for change in project.repository.diff(view.tree, after) if change.old is not None]


def _below(directory: Path, root: Path) -> str:
    resolved = root.resolve()
    return show_path(os.fsencode(directory.relative_to(resolved))) if directory.is_relative_to(resolved) else str(directory)


def _run(project: Project, asked: ToRun, finished: Finished, seen: Seen, mapped: Mapped) -> Run:
    snapshot = mapped.view.tree.snapshot
    run_id = new_id("r")
    locks = {show_path(path): mapped.view.blob_id(path) for path in mapped.view.files if is_lock_file(path)}
    environment = describe(asked.command, asked.given, asked.variables, locks, seen.sessions)
    return Run(
        id=run_id,
        revision=snapshot.revision,
        tree_id=snapshot.tree_id,
        snapshot_key=snapshot.key,
        command=tuple(mask(word) for word in asked.command),
        directory="",
        environment=fingerprint(environment),
        environment_detail=environment,
        exit_code=finished.exit_code,
        ending=finished.ending,
        at="",
        seconds=round(finished.seconds, 3),
        output_ref=OUTPUT + run_id if finished.output else "",
        tool=_tool(seen),
        author=project.author_text(),
        detail=_detail(asked, finished, seen, mapped, project.repository.workdir),
    )


def _tool(seen: Seen) -> str:
    first = next(iter(seen.sessions), None)
    return f"pytest {first['pytest']} ({first['tracer']})" if first is not None else ""


def _detail(asked: ToRun, finished: Finished, seen: Seen, mapped: Mapped, root: Path | None) -> dict[str, Any]:
    detail: dict[str, Any] = {"how": asked.how, "rootdir": str(next((s.get("rootdir", "") for s in seen.sessions), ""))}
    # What it takes to run the same again.
    detail |= {"variables": list(asked.variables)} if asked.variables else {}
    detail |= {"reports": [_below(path.resolve(), root) for path in asked.reports]} if asked.reports and root is not None else {}
    notes = []
    if finished.dropped:
        notes.append(f"{finished.dropped:,} bytes of output in the middle were not kept")
    if b"\0" in finished.output:
        notes.append("the output has bytes that are no text")
    workers = [session for session in seen.sessions if not session.get("is_controller")]
    if seen.sessions and seen.finished < len(seen.sessions):
        notes.append(f"{len(seen.sessions) - seen.finished} of {len(seen.sessions)} processes did not end by themselves: results up to then are kept")
    if seen.unread:
        notes.append(f"{seen.unread:,} lines of what the tests told could not be read")
    if mapped.changed:
        notes.append(f"changed while it ran, so nothing is said of them: {', '.join(sorted(show_path(p) for p in mapped.changed)[:5])}")
    if seen.tests and asked.how != "results" and workers and not any(mapped.path(code.path) for t in seen.tests.values() for code in t.ran):
        notes.append("nothing of this work tree was executed: is another copy installed?")
    if seen.deselected:
        detail |= {"deselected": seen.deselected, "left_out": sorted(seen.left_out)}
    return detail | ({"notes": notes} if notes else {})


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of a run besides the run itself. reported: results that only a report tells. output: masked."""

    seen: Seen
    mapped: Mapped
    reported: list[TestResult]
    output: str = ""


def record_run(project: Project, run: Run, told: Told) -> RunAnswer:
    """Keep a run with its results, what they cover and the calls that were taken; the answer about it."""
    seen, mapped, output = told.seen, told.mapped, told.output
    results = [*results_of(seen, run.id, mapped), *told.reported]
    coverage: Coverage | None = None
    if run.detail.get("how") in ("functions", "edges") and seen.tests:
        coverage = coverage_of(seen, mapped, settings_hash(mapped.view, str(run.detail.get("rootdir", ""))))
    flaky = Retests(project, mapped.view).flaky(results, run.environment)
    results = [replace(result, is_flaky=result.is_flaky or result.test in flaky) for result in results]
    ledger = project.ledger
    with ledger.transaction():
        if output:
            ledger.append(blobs={OUTPUT + run.id: output.encode("utf-8", "surrogatepass")})
        ledger.runs.add(run, results, coverage)
        if seen.calls:
            first = seen.sessions[0]
            ledger.analyses.add(
                Analysis(
                    "", "observed", OBSERVER, str(first["format"]), run.environment, False, run.snapshot_key, run.revision, run.id, run.tool, run.at,
                    run.author, {"tracer": first["tracer"]},
                ),
                observed_edges(seen, mapped),
            )  # fmt: skip
    return run_answer(project, mapped.view, run, results, output)


def show_run(project: Project, text: str, *, has_output: bool = False) -> RunAnswer:
    """A recorded run. Raises UnknownRecordError."""
    run = project.ledger.runs.run(text)
    output = (project.ledger.kept_blob(run.output_ref) or b"").decode("utf-8", "replace") if has_output and run.output_ref else ""
    view = Reading(project).trees.at()
    return run_answer(project, view, run, project.ledger.runs.results(run.id), output, is_whole=True)


def list_runs(project: Project, limit: int = 20) -> RunsAnswer:
    """The newest runs."""
    runs = project.ledger.runs
    found = runs.runs(limit)
    return RunsAnswer(tuple(run_line(run, runs.results(run.id), 0) for run in found), runs.count() - len(found))


def run_answer(
    project: Project, view: IndexedTree, run: Run, results: Sequence[TestResult], output: str = "", *, is_whole: bool = False
) -> RunAnswer:
    """The answer about a run; is_whole: with all tests that are worth a look, and its output."""
    coverage = project.ledger.runs.coverage(run.id)
    retests = Retests(project, view)
    worth = [r for r in results if r.outcome in BAD or r.is_flaky or r.outcome in ("skipped", "xpassed")]
    worth.sort(key=lambda r: (r.outcome not in BAD, r.test))
    states = {}
    if coverage is not None and run.snapshot_key != view.tree.snapshot.key:
        states = {r.test: ("changed" if retests.reasons(run, r.test) else "equal") for r in results if r.test in coverage.tests}
    lines = tuple(test_line(r, states.get(r.test, "exact" if run.snapshot_key == view.tree.snapshot.key else "")) for r in worth)
    return RunAnswer(
        tree=project.tree_name(view.tree.snapshot),
        run=run_line(run, results, len(coverage.tests) if coverage is not None else 0),
        tests=lines if is_whole else lines[:_MOST_TESTS],
        environment=run.environment_detail,
        output=output if is_whole else "",
        left_out=0 if is_whole else max(0, len(lines) - _MOST_TESTS),
        notes=(*run.detail.get("notes", ()), *_warnings(run, results)),
    )


def _warnings(run: Run, results: Sequence[TestResult]) -> tuple[str, ...]:
    if DETAIL in run.detail and not results:
        return ()
    if not results:
        return ("no test told its result: this shows how the command ended, and nothing of any test",)
    if all(result.outcome == "skipped" for result in results):
        return ("every test was skipped: nothing was checked",)
    return ()


def run_line(run: Run, results: Sequence[TestResult], tests_seen: int) -> RunLine:
    """A run in one line."""
    return RunLine(
        run.id, " ".join(run.command), run.directory, run.revision, run.is_dirty, run.environment, run.ending, run.exit_code, run.at, run.seconds,
        run.tool, run.output_ref, dict(counts(results)), tests_seen, run.is_local,
    )  # fmt: skip


def test_line(result: TestResult, state: str = "", reasons: tuple[str, ...] = ()) -> TestLine:
    """A test in one line."""
    return TestLine(result.test, result.outcome, result.symbol, result.seconds, result.message, result.is_flaky, state, reasons, result.run_id)
