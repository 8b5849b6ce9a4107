"""Running a command and keeping what was seen: a TestObservation (E4), what each test came to, what it covered, and the calls that were taken.

The tree is read before and after the run: what changed meanwhile is not known to be what ran, so nothing is said of it.
"""

from __future__ import annotations

import os
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
from knowledge.operations.inferred_coverage import ByImports
from knowledge.operations.kept_tree import kept_blobs
from knowledge.operations.off_record import is_off_record, refuse_off_record
from knowledge.operations.project import WORKING_TREE, Project, new_id
from knowledge.operations.reading import Reading
from knowledge.operations.retests import Retests, settings_hash
from knowledge.operations.run_folder import Begun, left_behind, run_folder
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.type_checking import DETAIL, HowChecked, check_detail, checker_of, told_by_command, version_of
from knowledge.records.analyses import Analysis
from knowledge.records.identifiers import read_path, show_path
from knowledge.records.run_answers import RunAnswer, RunLine, RunsAnswer, TestLine
from knowledge.records.runs import BAD, MEANWHILE, Coverage, CoveredTest, Run, TestResult
from knowledge.runs.command import Bounds, Finished, run_command
from knowledge.runs.environment import describe, fingerprint, is_lock_file, told_from_within

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


def to_run(project: Project, run: Run, command: tuple[str, ...]) -> ToRun:
    """To run a command where and as a recorded run was: with its variables and reports."""
    root, detail = project.repository.workdir or Path(), run.detail
    reports = tuple(root / path for path in detail.get("reports", ()))
    return ToRun(command, root / run.directory, str(detail.get("how", "edges")), variables=tuple(detail.get("variables", ())), reports=reports)


def observe(project: Project, asked: ToRun, pass_on: Callable[[bytes], None] = lambda chunk: None) -> RunAnswer:
    """Run the command and record what was seen.

    Raises UsageError for a bare repository or an empty command, OffRecordError, before anything runs, in a session that is not to be remembered.
    """
    refuse_off_record(project)
    root = project.repository.workdir
    if root is None:
        raise UsageError("a bare repository has no files to run; run it in a work tree")
    if not asked.command:
        raise UsageError("say what to run: knowledge run -- COMMAND")
    if asked.how not in HOWS:
        raise UsageError(f"cannot observe {asked.how!r}", suggestions=HOWS)
    recover(project)
    view = Reading(project).trees.at()
    directory = (asked.directory or root).resolve()
    begun = _begun(project, asked, view, directory)
    with run_folder(project.home, begun.id) as folder:
        folder.begin(begun, kept_blobs(view.tree))
        with folder.keeping(pass_on) as passed_on:
            variables = {**asked.given, **_observing(asked, folder.path, root)}
            bounds = Bounds(asked.seconds, LIMITS.output_bytes, folder.command_lock)
            finished = run_command(asked.command, directory, variables, bounds, passed_on)
        refuse_off_record(project)  # the person may have said so while it ran
        return _recorded(project, begun, _Ended(finished, read_folder(folder.path, LIMITS.observed_bytes)), view)


def recover(project: Project) -> list[str]:
    """Record the runs whose recorder was killed, as far as they told of themselves; their ids.

    A command that still goes on is left for the next time. What ran on content that cannot be read any more tells the results of tests alone.
    """
    found = []
    for folder in left_behind(project.home):
        begun = folder.begun()
        if begun is None or project.ledger.runs.has(begun.id) or is_off_record(project, [begun.author.rpartition(":")[2]]):
            continue
        if overlay := folder.overlay():
            project.ledger.append(blobs=overlay)
        seconds = max(0.0, folder.last_sign() - begun.begun)
        ended = _Ended(Finished("unwatched", None, seconds, folder.output(), 0), read_folder(folder.path, LIMITS.observed_bytes))
        _recorded(project, begun, ended, Reading(project).trees.whole_tree(begun.tree_id, begun.snapshot_key))
        found.append(begun.id)
    return found


def _begun(project: Project, asked: ToRun, view: IndexedTree, directory: Path) -> Begun:
    root = project.repository.workdir or Path()
    locks = {show_path(path): view.blob_id(path) for path in view.files if is_lock_file(path)}
    return Begun(
        id=new_id("r"),
        at=project.now(),
        begun=time.time(),
        command=tuple(mask(word) for word in asked.command),
        directory=_below(directory, root),
        how=asked.how,
        seconds=asked.seconds,
        variables=asked.variables,
        reports=tuple(_below(path.resolve(), root) for path in asked.reports),
        search_path=asked.given.get("PATH"),
        environment=describe(asked.command, asked.given, asked.variables, locks),
        revision=view.tree.snapshot.revision,
        tree_id=view.tree.snapshot.tree_id,
        snapshot_key=view.tree.snapshot.key,
        author=project.author_text(),
    )


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a command ended, and what the observer in its processes wrote."""

    finished: Finished
    seen: Seen


def _recorded(project: Project, begun: Begun, ended: _Ended, view: IndexedTree | None) -> RunAnswer:
    """Record a run that is over. view: the tree that it began on, None where it cannot be read any more."""
    root, seen = project.repository.workdir or Path(), ended.seen
    if view is None:
        begun, seen.calls = replace(begun, how="results"), set()
    reports, checks, unread = _reports(begun, root)
    here = view or Reading(project).trees.at()
    mapped = Mapped(here, _changed_meanwhile(project, here, begun) if view is not None else here.files)
    run = _run(begun, ended, mapped)
    if reports:
        run = replace(run, tool=", ".join([*filter(None, [run.tool]), *dict.fromkeys(reports)]))
    if unread:
        run = replace(run, detail=run.detail | {"notes": [*run.detail.get("notes", []), *unread]})
    run = _with_check(run, begun, _Heard(ended.finished, checks, str(root)), mapped)
    reported = [test for tests in reports.values() for test in tests]
    told = reported_results(reported, run.id, mapped, frozenset(seen.tests))
    inferred = {} if view is None else ByImports(view).covered(reported, begun.command, begun.directory)
    return record_run(project, run, Told(seen, mapped, told, inferred, mask(ended.finished.output.decode("utf-8", "replace"))))


def _reports(begun: Begun, root: Path) -> tuple[dict[str, list[ReportedTest]], list[ToldCheck], list[str]]:
    """What the reports say that the command wrote: tests by format, static checks, and which were not read.

    One that lay there before says nothing of this run.
    """
    checks: list[ToldCheck] = []
    found: dict[str, list[ReportedTest]] = {}
    unread = []
    for path in (root / os.fsdecode(read_path(name)) for name in begun.reports):
        try:
            status = path.stat()
            if status.st_mtime < begun.begun - 1:
                unread.append(f"{path.name} was not written by this run, so it was not read")
            elif status.st_size > LIMITS.observed_bytes:
                unread.append(f"{path.name} is larger than {LIMITS.observed_bytes:,} bytes, so it was not read")
            elif is_check(content := path.read_bytes()):
                checks.append(read_check(content, str(root), checker_of(begun.command)))
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


def _with_check(run: Run, begun: Begun, heard: _Heard, mapped: Mapped) -> Run:
    """The run with what a static checker said in it: in a report, else in its own output."""
    below = f"{run.directory}/" if run.directory not in ("", ".") else ""
    how = HowChecked(begun.command[1:], below, heard.root)
    told, why = (heard.checks[0], "") if heard.checks else told_by_command(begun.command, heard.finished, how)
    notes = [*run.detail.get("notes", []), *([why] if why else [])]
    if len(heard.checks) > 1:
        notes.append("of several reports of static checks only the first was taken in")
    if told is not None:
        told = told if told.version else replace(told, version=version_of(begun.command, told.tool, begun.search_path))
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


def _changed_meanwhile(project: Project, view: IndexedTree, begun: Begun) -> list[bytes]:
    """Files that were there and are not what they were when the run began, the reports that it was to write aside."""
    after, written = project.repository.tree(WORKING_TREE), {read_path(name) for name in begun.reports}
    return [change.path for change in project.repository.diff(view.tree, after) if change.old is not None and change.path not in written]


def _below(directory: Path, root: Path) -> str:
    resolved = root.resolve()
    return show_path(os.fsencode(directory.relative_to(resolved))) if directory.is_relative_to(resolved) else str(directory)


def _run(begun: Begun, ended: _Ended, mapped: Mapped) -> Run:
    finished, environment = ended.finished, told_from_within(begun.environment, ended.seen.sessions)
    return Run(
        id=begun.id,
        revision=begun.revision,
        tree_id=begun.tree_id,
        snapshot_key=begun.snapshot_key,
        command=begun.command,
        directory=begun.directory,
        environment=fingerprint(environment),
        environment_detail=environment,
        exit_code=finished.exit_code,
        ending=finished.ending,
        at=begun.at,
        seconds=round(finished.seconds, 3),
        output_ref=OUTPUT + begun.id if finished.output else "",
        tool=_tool(ended.seen),
        author=begun.author,
        detail=_detail(begun, ended, mapped),
    )


def _tool(seen: Seen) -> str:
    first = next(iter(seen.sessions), None)
    return f"pytest {first['pytest']} ({first['tracer']})" if first is not None else ""


def _detail(begun: Begun, ended: _Ended, mapped: Mapped) -> dict[str, Any]:
    finished, seen = ended.finished, ended.seen
    detail: dict[str, Any] = {"how": begun.how, "rootdir": str(next((s.get("rootdir", "") for s in seen.sessions), ""))}
    # What it takes to run the same again.
    detail |= {"variables": list(begun.variables)} if begun.variables else {}
    detail |= {"reports": list(begun.reports)} if begun.reports else {}
    notes = []
    if finished.ending == "unwatched":
        notes.append("who recorded it was killed: how the command ended is not known, nor more of its output than its beginning")
    if finished.dropped:
        notes.append(f"{finished.dropped:,} bytes of output in the middle were not kept")
    if b"\0" in finished.output:
        notes.append("the output has bytes that are no text")
    workers = [session for session in seen.sessions if not session.get("is_controller")]
    if seen.sessions and seen.finished < len(seen.sessions):
        notes.append(f"{len(seen.sessions) - seen.finished} of {len(seen.sessions)} processes did not end by themselves: results up to then are kept")
    if seen.unread:
        notes.append(f"{seen.unread:,} lines of what the tests told could not be read")
    if mapped.view.tree.snapshot.key != begun.snapshot_key:
        notes.append("the content that it ran on cannot be read any more, so nothing is said of what ran")
    elif mapped.changed:
        notes.append(f"changed while it ran, so nothing is said of them: {', '.join(sorted(show_path(p) for p in mapped.changed)[:5])}")
    if seen.tests and begun.how != "results" and workers and not any(mapped.path(code.path) for t in seen.tests.values() for code in t.ran):
        notes.append("nothing of this work tree was executed: is another copy installed?")
    if seen.deselected:
        detail |= {"deselected": seen.deselected, "left_out": sorted(seen.left_out)}
    return detail | ({"notes": notes} if notes else {})


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of a run besides the run itself. reported: results that only a report tells; inferred: what they rest on. output: masked."""

    seen: Seen
    mapped: Mapped
    reported: list[TestResult]
    inferred: Mapping[str, CoveredTest]
    output: str = ""


def record_run(project: Project, run: Run, told: Told) -> RunAnswer:
    """Keep a run with its results, what they cover and the calls that were taken; the answer about it."""
    seen, mapped, output = told.seen, told.mapped, told.output
    results = [*results_of(seen, run.id, mapped), *told.reported]
    coverage: Coverage | None = None
    settings = settings_hash(mapped.view, str(run.detail.get("rootdir", "")))
    if run.detail.get("how") in ("functions", "edges") and seen.tests:
        coverage = coverage_of(seen, mapped, settings)
    if told.inferred:
        coverage = coverage or Coverage(settings=settings)
        coverage = replace(coverage, tests={**_of_known_content(told.inferred, mapped), **coverage.tests})
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


def _of_known_content(inferred: Mapping[str, CoveredTest], mapped: Mapped) -> dict[str, CoveredTest]:
    changed = {show_path(path) for path in mapped.changed}
    return {
        test: replace(covered, unseen=tuple(f"{path}{MEANWHILE}" for path in sorted(changed & covered.rests_on.keys())[:3]))
        for test, covered in inferred.items()
    }


def show_run(project: Project, text: str, *, has_output: bool = False) -> RunAnswer:
    """A recorded run. Raises UnknownRecordError."""
    recover(project)
    run = project.ledger.runs.run(text)
    output = (project.ledger.kept_blob(run.output_ref) or b"").decode("utf-8", "replace") if has_output and run.output_ref else ""
    view = Reading(project).trees.at()
    return run_answer(project, view, run, project.ledger.runs.results(run.id), output, is_whole=True)


def list_runs(project: Project, limit: int = 20) -> RunsAnswer:
    """The newest runs."""
    recover(project)
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
        run=run_line(run, results, sum(1 for test in coverage.tests.values() if not test.begins_in) if coverage is not None else 0),
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
