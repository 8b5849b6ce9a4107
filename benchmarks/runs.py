"""What observing a run costs, what it sees, and how well the tests to run again are chosen: for a repository that has pytest tests.

    python benchmarks/runs.py --mirror DIR --only pallets/click --python PYTHON [--source src] [--last 20] [--undone 20] [--tests tests]

PYTHON is an interpreter with all that the tests need; without it nothing is run. The repository is cloned, nothing of it is changed. For each of the
last commits: its first parent's tests run under observation, then those of the commit itself; a test whose result differs must be among the selected
ones. As hardly any result differs in a history that is kept green, the sources of each commit that brought tests are also taken
back to its parent's, which makes those tests fail.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mirrors import ROOT, arguments, repositories

sys.path.insert(0, str(ROOT))

from knowledge.facts.importers.observer import Code
from knowledge.operations.affected import affected_tests
from knowledge.operations.covering import Mapped
from knowledge.operations.initialize import initialize
from knowledge.operations.observing import ToRun, observe
from knowledge.operations.outside import OutsideTree
from knowledge.operations.project import open_project
from knowledge.operations.reading import Reading
from knowledge.records.identifiers import SymbolId

HOWS = ("results", "functions", "edges")
LEAST_RECALL = 0.98
Call = tuple[SymbolId, int, SymbolId]
"""Caller, row of the called name from 0, what ran."""


@dataclass(slots=True)
class Counted:
    """Over all commits: how many were run, tests there, tests selected, tests whose result differs, and those of them that were left out.

    touching: commits that change Python files. flaky: tests that were left out and whose results differ on the same files, too.
    """

    commits: int = 0
    touching: int = 0
    touching_tests: int = 0
    touching_selected: int = 0
    tests: int = 0
    selected: int = 0
    differing: int = 0
    flaky: int = 0
    missed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Bench:
    """A clone, the command that runs its tests, and the environment for it."""

    clone: Path
    command: tuple[str, ...]
    variables: Mapping[str, str]

    def git(self, *words: str) -> str:
        """What git says in the clone."""
        done = subprocess.run(["git", *words], cwd=self.clone, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def plain_seconds(self) -> float:
        """CPU seconds of the tests without observation."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(self.command, cwd=self.clone, env=dict(self.variables), capture_output=True, check=False)
        return _since(before)

    def observed_seconds(self, how: str) -> float:
        """CPU seconds of the tests under observation, reading what they told aside."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open_project(self.clone) as project:
            observe(project, ToRun(self.command, self.clone, how, given=self.variables))
        return _since(before)

    def results_at(self, revision: str) -> dict[str, str]:
        """As `results`, of a revision."""
        self.git("checkout", "-q", "--force", revision)
        return self.results()

    def results(self) -> dict[str, str]:
        """test → outcome of the tests under observation."""
        with open_project(self.clone) as project:
            answer = observe(project, ToRun(self.command, self.clone, "functions", given=self.variables))
            return {result.test: result.outcome for result in project.ledger.runs.results(answer.run.id)}


def _since(before: resource.struct_rusage) -> float:
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def overheads(bench: Bench, repeats: int) -> None:
    """Print what each way of observing costs, as a multiple of the tests' own CPU time; the least of several runs."""
    plain = min(bench.plain_seconds() for _ in range(repeats))
    print(f"tests alone: {plain:.2f} s CPU")
    for how in HOWS:
        seconds = min(bench.observed_seconds(how) for _ in range(repeats))
        print(f"  --observe {how}: {seconds:.2f} s, x {seconds / plain:.2f}", flush=True)


def selection(bench: Bench, revisions: Sequence[str]) -> Counted:
    """Run each commit's parent and the commit, and hold the selection against what differs."""
    counted = Counted()
    latest, after = "", dict[str, str]()
    for revision in revisions:
        # Where the parent is what ran last, its results are there already.
        before = after if bench.git("rev-parse", f"{revision}^") == latest else bench.results_at(f"{revision}^")
        bench.git("checkout", "-q", "--force", revision)
        with open_project(bench.clone) as project:
            chosen = {line.test: line for line in affected_tests(project, Reading(project)).lines if line.state in ("changed", "new")}
        latest, after = revision, bench.results()
        if not before or not after:
            print(f"  {revision[:8]}: its tests do not run here", flush=True)
            continue
        fresh = {test.partition("[")[0] for test, line in chosen.items() if line.state == "new"}
        differing = [test for test in before.keys() & after.keys() if before[test] != after[test]]
        missed = [test for test in differing if test not in chosen and test.partition("[")[0] not in fresh]
        if missed:
            # What comes out as before on a second run of the same files is no result of the commit.
            again = bench.results()
            counted.flaky += sum(again.get(test) == before[test] for test in missed)
            missed = [test for test in missed if again.get(test) != before[test]]
        selected = sum(test in chosen for test in before)
        counted.commits += 1
        counted.tests += len(before)
        counted.selected += selected
        counted.differing += len(differing)
        counted.missed += [f"{revision[:8]} {test}" for test in missed]
        if bench.git("diff", "--name-only", f"{revision}^", revision, "--", "*.py"):
            counted.touching += 1
            counted.touching_tests += len(before)
            counted.touching_selected += selected
        print(f"  {revision[:8]}: {selected} of {len(before)} selected, {len(differing)} differ, {len(missed)} missed", flush=True)
    return counted


def undone(bench: Bench, revisions: Sequence[str], source: str) -> Counted:
    """Take back what each commit did to the sources, so that its own tests fail, and hold the selection against what differs."""
    counted = Counted()
    for revision in revisions:
        before = bench.results_at(revision)
        bench.git("checkout", "-q", f"{revision}^", "--", source)
        with open_project(bench.clone) as project:
            lines = affected_tests(project, Reading(project)).lines
        chosen = {line.test for line in lines if line.state == "changed"}
        after = bench.results()
        differing = [test for test in before.keys() & after.keys() if before[test] != after[test]]
        counted.commits += bool(before and after)
        counted.tests += len(before)
        counted.selected += sum(test in chosen for test in before)
        counted.differing += len(differing)
        counted.missed += [f"{revision[:8]} {test}" for test in differing if test not in chosen]
        print(f"  {revision[:8]} undone: {len(chosen)} of {len(before)} selected, {len(differing)} differ", flush=True)
    return counted


def recall(bench: Bench, source: str) -> bool:
    """Hold the observed calls against those of a profiler that shares nothing with the observer; whether the figures are as they ought to be.

    Counted: (caller, call written in it, function that ran), where the caller stands in the sources and the call names the function.
    """
    told = bench.clone.parent / "calls.jsonl"
    variables = {
        **bench.variables,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), bench.variables.get("PYTHONPATH", "")]),
        "PROFILE_CALLS_TO": str(told),
        "PROFILE_CALLS_BELOW": str(bench.clone),
    }
    subprocess.run([*bench.command, "-p", "profile_calls"], cwd=bench.clone, env=variables, capture_output=True, check=False)
    with open_project(bench.clone) as project:
        observe(project, ToRun(bench.command, bench.clone, "edges", given=bench.variables))
        view = Reading(project).trees.at()
        edges = [edge for edge in OutsideTree(view, project.ledger.analyses).all_edges() if edge.confidence_kind == "observed"]
        profiled, pairs = _profiled(told, bench.clone, Mapped(view), source)
    below = f"{source}/".encode()
    observed = {(e.subject, e.row, e.object) for e in edges if e.subject.path.startswith(below) and e.reason in ("call", "through-native", "awaited")}
    missed = sorted(profiled - observed, key=str)
    wrong = sorted((e for e in observed if (e[0], e[2]) not in pairs), key=str)
    share = 1 - len(missed) / len(profiled) if profiled else 0.0
    print(f"observed: {share:.4f} of {len(profiled)} explicit calls that a profiler saw; {len(wrong)} of {len(observed)} seen by nobody else")
    for title, found in (("missed", missed), ("wrong", wrong)):
        for subject, row, target in found[:20]:
            print(f"  {title}: {subject} → {target} at line {row + 1}")
    return share >= LEAST_RECALL and not wrong


def _profiled(told: Path, clone: Path, mapped: Mapped, source: str) -> tuple[set[Call], set[tuple[SymbolId, SymbolId]]]:
    """The explicit calls in the sources that the profiler saw, and every pair of functions of which it saw one call the other."""
    explicit: set[Call] = set()
    pairs = set()
    for line in told.read_text(encoding="utf-8").splitlines():
        path, name, first, row, callee_path, callee_name, callee_first = json.loads(line)
        shown, callee_shown = (str(Path(text).relative_to(clone)) for text in (path, callee_path))
        subject = mapped.symbol(Code(shown, name, first, True, False))
        target = mapped.symbol(Code(callee_shown, callee_name, callee_first, True, False))
        if subject is None or target is None or not target.qualified_name or callee_name.endswith(">"):
            continue
        pairs.add((subject, target))
        facts = mapped.view.facts(subject.path)
        names = {target.name, target.qualified_name.rpartition(".")[0].rpartition(".")[2] if target.name in ("__init__", "__new__") else target.name}
        if facts is not None and shown.startswith(f"{source}/"):
            text = mapped.view.text(subject.path) or b""
            written = [c for c in facts.calls if text[c.name_span.start : c.name_span.end + 1].decode() in {f"{name}(" for name in names}]
            # A call over several lines is told by the line on which it begins, or by that of the name.
            fitting = [c for c in written if row - 1 in (c.name_span.row, text.count(b"\n", 0, c.expression.start))]
            explicit.update((subject, call.name_span.row, target) for call in fitting[:1])
    return explicit, pairs


def _more(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--python", default="")
    parser.add_argument("--source", default="src")
    parser.add_argument("--tests", default="tests")
    parser.add_argument("--last", type=int, default=20)
    parser.add_argument("--undone", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3, help="0: neither overheads nor observed calls")


def measure(asked: argparse.Namespace, source: Path) -> bool:
    """Print the figures of one repository; whether no test was left out that differs, and no call."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", str(source), str(clone)], check=True)
        variables = {**os.environ, "PYTHONPATH": str(clone / asked.source), "PYTHONDONTWRITEBYTECODE": "1"}
        bench = Bench(clone, (asked.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", asked.tests), variables)
        initialize(clone)
        if asked.repeats:
            overheads(bench, asked.repeats)
        is_complete = not asked.repeats or recall(bench, asked.source)
        last = bench.git("rev-parse", "HEAD")
        of = {
            part: bench.git("rev-list", "--no-merges", "--max-count=200", last, "--", f"{part}/*.py").split() for part in (asked.source, asked.tests)
        }
        either = bench.git("rev-list", "--no-merges", "--max-count=200", last, "--", f"{asked.source}/*.py", f"{asked.tests}/*.py").split()
        # The oldest first: what ran last is the parent of the next one, mostly.
        newest = bench.git("rev-list", "--topo-order", "--min-parents=1", f"--max-count={asked.last}", last).split()
        taken = [selection(bench, newest[::-1])]
        both = [revision for revision in either if revision in of[asked.source] and revision in of[asked.tests]]
        taken.append(undone(bench, both[: asked.undone], asked.source))
    for title, counted in zip(("history", "undone"), taken, strict=True):
        share, missed = counted.selected / counted.tests if counted.tests else 0.0, len(counted.missed)
        print(
            f"{title}: {counted.commits} commits, {share:.1%} of the tests selected; {counted.differing} results differ,"
            f" {missed} of them left out ({counted.flaky} flaky)"
        )
        if counted.touching_tests:
            print(f"  {counted.touching} of them touch Python files: {counted.touching_selected / counted.touching_tests:.1%} selected there")
        print("\n".join(counted.missed))
    return is_complete and not any(counted.missed for counted in taken)


def main() -> int:
    """Measure the repositories that were asked for; the exit code is 1 where a test or a call was left out."""
    asked = arguments("What observing a run costs, and how well the tests to run again are chosen.", more=_more)
    if not asked.python or not asked.only:
        print("give --only owner/name and --python an interpreter with all that its tests need; nothing was run")
        return 0
    held = []
    for name, source in repositories(asked):
        print(name)
        held.append(measure(asked, source))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
