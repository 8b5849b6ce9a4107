"""What is known of each test from its latest run, and whether that still holds in a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from knowledge.claims.covered import hash_of
from knowledge.invalidation.retesting import Retesting
from knowledge.operations.project import Project
from knowledge.operations.recent import Recent
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.identifiers import read_path, show_path
from knowledge.records.runs import MEANWHILE, Coverage, Run, TestResult
from knowledge.runs.environment import sets_up_scripts

_MOST_RUNS = 60
"""Older runs are not looked through for tests that no newer one has."""
_COVERAGE: Recent[Coverage | None] = Recent(6)
"""By store and run: what a run covered never changes."""
_SETTINGS_FILES = (b"pytest.ini", b".pytest.ini", b"pyproject.toml", b"tox.ini", b"setup.cfg", b"pytest.toml", b".pytest.toml")
_SETTINGS_KEY = re.compile(r"(?:tool\.pytest|pytest|tool:pytest)(?:\.|\Z)")


def settings_hash(view: IndexedTree, below: str = "") -> str:
    """The hash of pytest's settings in the files of a folder (the root of the tests): of these files nothing else counts."""
    found = []
    for name in _SETTINGS_FILES:
        facts = view.facts(read_path(f"{below}/" if below else "") + name)
        values = facts.values if facts is not None else ()
        found += [f"{value.key}={value.digest}" for value in values if _SETTINGS_KEY.match(value.key)]
    return hash_of("\n".join(sorted(found)).encode("utf-8", "surrogatepass"))


class Reached:
    """Which files of the repository the import of a file imports, by the static graph."""

    def __init__(self, view: IndexedTree) -> None:
        self._view = view
        self._direct: dict[bytes, frozenset[bytes]] = {}
        self._found: dict[bytes, frozenset[bytes]] = {}

    def __call__(self, path: bytes) -> frozenset[bytes]:
        if path not in self._found:
            seen, front = {path}, [path]
            while front:
                further = self._imports(front.pop()) - seen
                seen |= further
                front += further
            self._found[path] = frozenset(seen)
        return self._found[path]

    def _imports(self, path: bytes) -> frozenset[bytes]:
        if path not in self._direct:
            edges = self._view.edges_of_file(path)
            self._direct[path] = frozenset(edge.object.path for edge in edges if edge.predicate == "imports" and edge.object.path)
        return self._direct[path]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a test: its latest result of which is known what it rests on, in the run of which it is."""

    run: Run
    result: TestResult


class Retests:
    """The latest result of each test, and whether it holds in the tree of `view`."""

    def __init__(self, project: Project, view: IndexedTree, most_runs: int = _MOST_RUNS) -> None:
        self._project, self.view, self._most_runs = project, view, most_runs
        self._reach = Reached(view)
        self._judged: dict[str, Retesting | None] = {}
        self._coverage: dict[str, Coverage | None] = {}

    @cached_property
    def _runs(self) -> dict[str, Run]:
        return {run.id: run for run in self._project.ledger.runs.runs(self._most_runs)}

    def at(self, run_id: str) -> str:
        """When one of the runs that were looked through began."""
        return self._runs[run_id].at

    def reported(self) -> list[TestResult]:
        """What tests came to on this very content, of which a report alone tells. Of these nothing is known but that."""
        found: dict[str, TestResult] = {}
        for run in self._runs.values():
            if run.snapshot_key == self.view.tree.snapshot.key and self.coverage(run) is None:
                for result in self._project.ledger.runs.results(run.id):
                    if result.outcome != "skipped":
                        found.setdefault(result.test, result)
        return list(found.values())

    @cached_property
    def known(self) -> Mapping[str, Known]:
        """test → what is known of it. A test that the latest run of all did not have is here all the same."""
        found: dict[str, Known] = {}
        for run in self._runs.values():
            coverage = self.coverage(run)
            if coverage is None:
                continue
            for result in self._project.ledger.runs.results(run.id):
                if result.test in coverage.tests and result.test not in found:
                    found[result.test] = Known(run, result)
        return found

    def coverage(self, run: Run) -> Coverage | None:
        """What a run covered; None where it was not observed, or nothing is known of the build that ran."""
        if run.id not in self._coverage:
            runs = self._project.ledger.runs
            key = (self._project.repository.common_dir, run.id)
            self._coverage[run.id] = _COVERAGE.get(key, lambda: runs.coverage(run.id)) if run.snapshot_key else None
        return self._coverage[run.id]

    def begins_in(self, test: str) -> tuple[str, ...]:
        """The files with whose imports a known test begins of which a report alone tells; () for one that was observed."""
        coverage = self.coverage(self.known[test].run)
        return coverage.tests[test].begins_in if coverage is not None else ()

    def is_as_it_ran(self, run: Run, position: int) -> bool:
        """Whether a symbol of a run's coverage has the text here that it had there."""
        if run.snapshot_key == self.view.tree.snapshot.key:
            return True
        judged = self._retesting(run)
        return judged is not None and not judged.differs(position)

    @cached_property
    def ran_here(self) -> frozenset[str]:
        """Every symbol that a test ran with the text that it has here. A test that was skipped ran nothing."""
        found = set()
        for test, known in self.known.items():
            coverage = self.coverage(known.run)
            assert coverage is not None
            if known.result.outcome != "skipped":
                found |= {coverage.symbols[p].symbol for p in coverage.tests[test].ran if self.is_as_it_ran(known.run, p)}
            if known.result.outcome in ("skipped", "error"):
                found.discard(known.result.symbol)
        return frozenset(found)

    def reasons(self, run: Run, test: str) -> tuple[str, ...]:
        """Why the result of a test in a run does not hold in this tree; nothing where it does."""
        coverage = self.coverage(run)
        of_no_content = () if coverage is None else tuple(reason for reason in coverage.tests[test].unseen if reason.endswith(MEANWHILE))
        if of_no_content or run.snapshot_key == self.view.tree.snapshot.key:
            return of_no_content
        judged = self._retesting(run)
        if coverage is None or judged is None:
            return ("what it covers was not observed",)
        covered = coverage.tests[test]
        fresh = sorted(self._setting_up_scripts - covered.rests_on.keys()) if covered.begins_in else ()
        return (*judged.reasons(test), *(f"{path} is new, and may set up the tests' runner" for path in fresh))

    @cached_property
    def _setting_up_scripts(self) -> frozenset[str]:
        return frozenset(show_path(path) for path in self.view.files if sets_up_scripts(path))

    def _retesting(self, run: Run) -> Retesting | None:
        if run.id not in self._judged:
            coverage = self.coverage(run)
            settings = settings_hash(self.view, str(run.detail.get("rootdir", "")))
            self._judged[run.id] = Retesting(coverage, self.view, self._reach, settings) if coverage is not None else None
        return self._judged[run.id]

    def flaky(self, fresh: Iterable[TestResult], environment: str) -> set[str]:
        """Which of these results differ from an earlier one at the same fingerprint: the same environment, all that it rested on as it is here."""
        told = {result.test: result for result in fresh if _side(result) is not None}
        found = set()
        runs = {run.id: run for run in self._project.ledger.runs.runs(_MOST_RUNS)}
        for test, earlier in self._project.ledger.runs.results_of(told).items():
            for result in earlier:
                run = runs.get(result.run_id)
                if run is None or run.environment != environment or _side(result) in (None, _side(told[test])):
                    continue
                coverage = self.coverage(run)
                if coverage is not None and test in coverage.tests and not self.reasons(run, test):
                    found.add(test)
                    break
        return found


def _side(result: TestResult) -> bool | None:
    """Whether a test passed or failed; None where it did neither."""
    return {"passed": True, "xpassed": True, "xfailed": True, "failed": False, "error": False}.get(result.outcome)
