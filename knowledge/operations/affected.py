"""Which tests must be run again, and why: for what is uncommitted, for what moved since they last ran, or for a range of commits."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from knowledge.errors import UsageError
from knowledge.invalidation.retesting import CANNOT_NOTICE
from knowledge.operations.inferred_coverage import is_script_test
from knowledge.operations.observing import ToRun, observe, recover, to_run
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.retests import Known, Retests
from knowledge.operations.running_again import Again, again, pytest_words
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.answers import Checked
from knowledge.records.identifiers import SymbolId, read_path, read_symbol, show_path
from knowledge.records.run_answers import AffectedAnswer, RunAnswer, TestLine
from knowledge.records.runs import Run

DIRTY = "dirty"
_MOST_SHOWN = 200
_MOST_ON_A_LINE = 400
"""Tests that a command line names one by one; more are named by their files."""
_NEVER_RAN = "it never ran here under observation"
_NEVER_TOLD = "no report told of its tests"
_MOST_RUNS = 60


@dataclass(frozen=True, slots=True)
class Affected:
    """What `affected_tests` found, for those who go on with it. lines: the tests to run; states: of all tests.

    pytest: how the latest run called it, () where none did. again: what runs the tests of other runners.
    """

    lines: tuple[TestLine, ...]
    states: Counter[str]
    compared: str
    view: IndexedTree
    notes: tuple[str, ...]
    pytest: tuple[str, ...]
    again: tuple[Again, ...]

    @property
    def command(self) -> str:
        """What runs the tests of pytest; "" for none."""
        return pytest_command([line.told_from_the_top for line in self.lines if not _is_script(line)])


def affected(project: Project, change: str = "", *, limit: int = _MOST_SHOWN) -> AffectedAnswer:
    """The tests to run: `change` is BASE..HEAD, `dirty` (uncommitted files only), or "" (whatever differs from their latest runs).

    Raises UsageError and UnknownRevisionError where the range cannot be meant.
    """
    reading = Reading(project)
    found = affected_tests(project, reading, change)
    known = sum(found.states.values()) - found.states["new"]
    unknown = () if known else ("no run that tells of tests is recorded: run them with `knowledge run -- pytest`, or another's with --report, once",)
    return AffectedAnswer(
        tree=project.tree_name(found.view.tree.snapshot),
        compared=found.compared,
        tests=found.lines[:limit] if limit else found.lines,
        states={state: count for state, count in sorted(found.states.items()) if count},
        command=found.command,
        checked=Checked(known, found.states["new"], (*unknown, *((_NEVER_RAN,) if found.states["new"] else ()))),
        left_out=max(0, len(found.lines) - limit) if limit else 0,
        notes=(*found.notes, *(f"cannot notice: {text}" for text in CANNOT_NOTICE)),
        others=tuple(again.line for again in found.again),
    )


def run_affected(project: Project, start: Path, change: str = "") -> list[RunAnswer]:
    """Run the tests that must run again, recorded as they were before; one answer for each command."""
    found = affected_tests(project, Reading(project), change)
    asked = []
    if words := shlex.split(found.command)[1:]:
        asked.append(ToRun((*(found.pytest or (sys.executable, "-m", "pytest")), *words), start))
    asked += [to_run(project, one.run, one.words) for one in found.again]
    return [observe(project, to_be) for to_be in asked]


def affected_tests(project: Project, reading: Reading, change: str = "") -> Affected:
    """As `affected`, whole."""
    recover(project)
    base, head, compared = _ends(reading, change)
    retests = Retests(project, head)
    before = Retests(project, base) if base is not None else None
    lines, states = [], Counter[str]()
    by_imports: dict[str, tuple[Run, dict[str, None]]] = {}
    for test, known in sorted(retests.known.items()):
        begins_in = retests.begins_in(test)
        if _is_gone(known, begins_in, head):
            states["gone"] += 1
            continue
        line = _line(test, known, retests, before)
        if begins_in:
            line = replace(line, act=again(known.run, begins_in).line)
        states[line.state] += 1
        if line.state in ("changed", "unknown") or (not change and line.state != "changed" and not _is_good(known)):
            lines.append(line)
            by_imports.setdefault(known.run.id, (known.run, {}))[1].update(dict.fromkeys(begins_in))
    fresh = [TestLine(str(symbol), "", str(symbol), state="new", reasons=(_NEVER_RAN,)) for symbol in _unknown_tests(head, retests)]
    scripts = [known.run for test, known in retests.known.items() if retests.begins_in(test)]
    latest = max(scripts, key=lambda run: run.at, default=None)
    for path in _unknown_scripts(head, retests):
        fresh.append(TestLine(path, "", path, state="new", reasons=(_NEVER_TOLD,), act=again(latest, [path]).line if latest is not None else ""))
        if latest is not None:
            by_imports.setdefault(latest.id, (latest, {}))[1][path] = None
    states["new"] += len(fresh)
    return Affected(
        lines=(*lines, *fresh),
        states=states,
        compared=compared,
        view=head,
        notes=_notes(project, retests),
        pytest=next(filter(None, (pytest_words(run.command) for run in project.ledger.runs.runs(_MOST_RUNS) if run.is_local)), ()),
        again=tuple(again(run, files) for run, files in by_imports.values() if files and run.is_local and run.command),
    )


def _ends(reading: Reading, change: str) -> tuple[IndexedTree | None, IndexedTree, str]:
    if not change:
        return None, reading.trees.at(), "the files as they are, against what each test covered when it last ran"
    if change == DIRTY:
        return reading.trees.at("HEAD"), reading.trees.at(), "the uncommitted files, against HEAD"
    base, dots, head = change.partition("..")
    if not dots or not base or head.startswith("."):
        raise UsageError(f"cannot read the range {change!r}; expected BASE..HEAD or {DIRTY}", suggestions=("HEAD~1..HEAD", DIRTY))
    return reading.trees.at(base), reading.trees.at(head or "HEAD"), f"{head or 'HEAD'} against {base}"


def _line(test: str, known: Known, retests: Retests, before: Retests | None) -> TestLine:
    """The state of a test's latest result. With a base: `changed` where the range touches what it rests on; `unknown` where that is not known."""
    reasons = retests.reasons(known.run, test)
    if before is not None and reasons:
        earlier = before.reasons(known.run, test)
        if earlier == reasons:
            # All that is otherwise than when it ran is so at the base already: what the range does to it cannot be told.
            state = "unknown"
            reasons = ("what it covers changed before the range, and it did not run since", *reasons)
        else:
            state, reasons = "changed", tuple(reason for reason in reasons if reason not in earlier) or reasons
    else:
        is_exact = known.run.snapshot_key == retests.view.tree.snapshot.key
        state = "changed" if reasons else "exact" if is_exact else "equal"
    if not reasons and not _is_good(known):
        reasons = (f"it {known.result.outcome} when it last ran",)
    result = known.result
    return TestLine(test, result.outcome, result.symbol, result.seconds, result.message, result.is_flaky, state, reasons, known.run.id)


def _is_gone(known: Known, begins_in: Sequence[str], view: IndexedTree) -> bool:
    if known.result.symbol:
        return not _is_there(read_symbol(known.result.symbol), view)
    return bool(begins_in) and not any(view.has_path(read_path(path)) for path in begins_in)


def _is_script(line: TestLine) -> bool:
    return bool(line.act) or is_script_test(read_path(line.test))


def _is_good(known: Known) -> bool:
    return known.result.outcome in ("passed", "xfailed", "skipped", "xpassed") and not known.result.is_flaky


def _is_there(symbol: SymbolId, view: IndexedTree) -> bool:
    facts = view.facts(symbol.path)
    if facts is None or facts.has_error:
        return view.has_path(symbol.path)
    return not symbol.qualified_name or any(d.qualified_name == symbol.qualified_name for d in facts.definitions)


def _unknown_tests(view: IndexedTree, retests: Retests) -> list[SymbolId]:
    """Test functions of the tree that no observed run had or was told to leave out. By pytest's usual names: other settings may collect others."""
    known = {known.result.symbol for known in retests.known.values()}
    left_out = {test for run in {k.run.id: k.run for k in retests.known.values()}.values() for test in run.detail.get("left_out", ())}
    found = []
    for path in sorted(view.files):
        name = path.rpartition(b"/")[2]
        if not name.endswith(b".py") or not (name.startswith(b"test_") or name.endswith(b"_test.py")):
            continue
        facts = view.facts(path)
        for definition in facts.definitions if facts is not None else ():
            owners = definition.qualified_name.split(".")[:-1]
            is_test = definition.kind in ("function", "method") and definition.name.startswith("test")
            if is_test and definition.ordinal == 0 and len(owners) <= 1 and all(owner.startswith("Test") for owner in owners):
                symbol = SymbolId(path, definition.qualified_name)
                if str(symbol) not in known and _node_id(str(symbol)) not in left_out:
                    found.append(symbol)
    return found


def _unknown_scripts(view: IndexedTree, retests: Retests) -> list[str]:
    """Files of tests in JavaScript or TypeScript, by their usual names, of which no report told."""
    known = {path for test in retests.known for path in retests.begins_in(test)}
    return [shown for path in sorted(view.files) if is_script_test(path) and (shown := show_path(path)) not in known]


def _notes(project: Project, retests: Retests) -> tuple[str, ...]:
    runs = project.ledger.runs.runs(1)
    inferred = sum(1 for test in retests.known if retests.begins_in(test))
    by_imports = f"inferred: what {inferred} tests rest on is known by the imports in the code, for no run showed it" if inferred else ""
    return (*([f"latest run: {runs[0].id} at {runs[0].at}"] if runs else []), *filter(None, [by_imports]))


def pytest_command(tests: list[str]) -> str:
    """What runs these tests with pytest; "" for none. Ids with a symbol's dots are written as pytest has them."""
    if not tests:
        return ""
    ids = [_node_id(test) for test in tests]
    if len(ids) > _MOST_ON_A_LINE:
        ids = list(dict.fromkeys(test.partition("[")[0] for test in ids))
    if len(ids) > _MOST_ON_A_LINE:
        ids = list(dict.fromkeys(test.partition("::")[0] for test in ids))
    return shlex.join(["pytest", *ids])


def _node_id(test: str) -> str:
    path, _, name = test.partition("::")
    return test if "[" in name or "::" in name else f"{path}::{name.replace('.', '::')}" if name else path
