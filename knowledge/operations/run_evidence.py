"""A recorded run as evidence of a claim, and the anchors that come with it: what the test covered, and what its environment was.

Written `run:RUN` (how the command ended) or `run:RUN::TEST` (what one test of it came to).
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.claims.anchors import make_anchor
from knowledge.claims.masking import mask
from knowledge.config import LIMITS
from knowledge.errors import InvalidRecordError, UnknownRecordError
from knowledge.operations.project import Project, new_id
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
