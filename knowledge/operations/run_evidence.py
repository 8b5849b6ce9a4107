"""A recorded run as evidence of a claim, and the anchors that come with it: what the test covered, and what its environment was.

Written `run:RUN` (how the command ended) or `run:RUN::TEST` (what one test of it came to); of a static check `run:RUN::PATH`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge.claims.anchors import make_anchor
from knowledge.claims.masking import mask
from knowledge.config import LIMITS
from knowledge.errors import InvalidRecordError, UnknownRecordError
from knowledge.facts.importers.type_checks import CHECKERS
from knowledge.operations.project import Project, new_id
from knowledge.operations.type_checking import DETAIL, closure, findings_of, setting_files
from knowledge.records.claims import Anchor
from knowledge.records.evidence import Evidence, SourceRange
from knowledge.records.identifiers import read_path, read_symbol
from knowledge.records.runs import GOOD, Coverage, Run, TestResult

PREFIX = "run:"
_NEAR = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """What a run shows. notes: what it does not."""

    evidence: Evidence
    anchors: tuple[Anchor, ...]
    notes: tuple[str, ...]


def run_evidence(project: Project, spec: str) -> Shown:
    """The evidence that a spec names. Raises UnknownRecordError, with near ids, for a run or test that is not there."""
    name, _, test = spec.removeprefix(PREFIX).partition("::")
    runs = project.ledger.runs
    run = runs.run(name)
    if not run.snapshot_key:
        raise InvalidRecordError(f"it is not known which content {run.id} ran on, so it cannot show anything of this tree")
    coverage = runs.coverage(run.id)
    environment = make_anchor("environment", "support", fingerprint=run.environment, files=dict(run.environment_detail.get("lock_files", {})))
    if not test:
        ended = ("the run tells no test's result: only how the command ended",)
        relation = f"{' '.join(run.command)} ended: {run.ending} {run.exit_code}"
        return Shown(_evidence(run, None, relation, coverage), (environment,), ended)
    if DETAIL in run.detail:
        return _check_shown(run, test, environment)
    results = {result.test: result for result in runs.results(run.id)}
    if test not in results:
        near = [known for known in sorted(results) if test.rpartition("::")[2] in known]
        raise UnknownRecordError(f"run {run.id} has no test {test!r}", suggestions=near[:_NEAR] or sorted(results)[:_NEAR])
    result = results[test]
    notes: tuple[str, ...] = () if result.outcome in GOOD else (f"the test {result.outcome}: it shows no more than that",)
    anchors: tuple[Anchor, ...] = (environment,)
    if coverage is not None and test in coverage.tests:
        anchors = (_tests_anchor(run, test, coverage), environment)
    else:
        notes += ("what the test covers was not observed: a change of it is not noticed",)
    return Shown(_evidence(run, result, f"{test} {result.outcome} in {run.id}", coverage), anchors, notes)


def _check_shown(run: Run, path: str, environment: Anchor) -> Shown:
    """What a static check said of one file, anchored in it, in all that its imports reach, and in the checker's own settings."""
    check = run.detail[DETAIL]
    checked = check["paths"][: check["checked"]]
    if path not in checked:
        raise UnknownRecordError(f"the check {run.id} is not known to have looked at {path!r}", suggestions=[p for p in checked if path in p][:_NEAR])
    rests_on = [check["paths"][at] for at in closure(check, checked.index(path))]
    found = findings_of(check, path)
    first = found[0] if found else None
    rows = (max(0, first.row - 1), max(0, first.end_row - 1)) if first is not None else (0, 0)
    evidence = replace(
        _evidence(run, None, f"{run.tool}: {check['errors'].get(path, 0)} errors in {path}, {run.id}", None),
        kind="type_check" if check["tool"] in CHECKERS else "document",
        file_path=read_path(path),
        blob_id=check["blobs"][checked.index(path)],
        source_range=SourceRange(0, 0, rows[0], 0, rows[1], 0),
        excerpt="\n".join(f"{path}:{f.row}: {f.level}: {f.message} [{f.code}]" for f in found)[: LIMITS.excerpt_characters],
    )
    anchor = make_anchor("tests", "support", test=f"{check['tool']} {path}", run=run.id, symbols=[], opened=[*rests_on, *setting_files(check)])
    return Shown(evidence, (anchor, environment), (f"a check of {len(rests_on)} files: it holds under its configuration only",))


def _tests_anchor(run: Run, test: str, coverage: Coverage) -> Anchor:
    covered = coverage.tests[test]
    symbols = sorted(coverage.symbols[position].symbol for position in covered.ran)
    opened = {path: digest for path, digest in covered.opened.items() if not path.endswith("/")}
    return make_anchor("tests", "support", test=test, run=run.id, symbols=symbols, opened=sorted(opened))


def _evidence(run: Run, result: TestResult | None, relation: str, coverage: Coverage | None) -> Evidence:
    symbol = read_symbol(result.symbol) if result is not None and result.symbol else None
    path = symbol.path if symbol is not None else b""
    blobs = {read_path(file.path): file.blob_id for file in coverage.files} if coverage is not None else {}
    excerpt = result.message if result is not None else " ".join(run.command)
    return Evidence(
        id=new_id("e"),
        kind="test_result",
        repository_revision=run.revision,
        tree_id=run.tree_id,
        file_path=path,
        blob_id=blobs.get(path, ""),
        language="",
        parser_version="",
        analyzer_version=run.tool,
        node_type=run.id,
        source_range=SourceRange(0, 0, 0, 0, 0, 0),
        content_hash=run.environment,
        extracted_relation=relation,
        symbol=str(symbol) if symbol is not None else "",
        excerpt=mask(excerpt)[: LIMITS.excerpt_characters],
        is_dirty=run.is_dirty,
    )
