"""Records for tests of the store: small, complete, different from one another."""

from __future__ import annotations

from knowledge.records.analyses import AnalysedFile, Analysis
from knowledge.records.claims import Anchor, AnchorReading, Author, Claim, FreshnessPolicy, Predicate, Scope, Verdict
from knowledge.records.edges import Edge, Limitation
from knowledge.records.events import Event
from knowledge.records.evidence import Evidence, SourceRange
from knowledge.records.identifiers import SymbolId
from knowledge.records.runs import Coverage, CoveredFile, CoveredSymbol, CoveredTest, Run, TestResult
from knowledge.records.stored import FactKey, NewClaim, Read, StoredFacts, StoredResolution

AT = "2026-03-04T05:06:07Z"
ADA = Author("person", "ada")


def anchor(name: str) -> Anchor:
    """A body anchor on the function `name`."""
    return Anchor(f"anchor-{name}", "body", {"symbol": f"src/a.py::{name}", "strict": False})


def evidence(name: str) -> Evidence:
    """Evidence in a file whose path is not UTF-8."""
    return Evidence(
        id=f"e_{name}",
        kind="ast",
        repository_revision="r" * 40,
        tree_id="t" * 40,
        file_path=b"src/\xff.py",
        blob_id="b" * 40,
        language="python",
        parser_version="1",
        analyzer_version="2",
        node_type="function_definition",
        source_range=SourceRange(3, 40, 1, 0, 2, 8),
        content_hash="h" * 64,
        extracted_relation="a calls b",
        symbol=f"src/a.py::{name}",
        excerpt=f"def {name}(): ...",
    )


def claim(name: str, **changes: object) -> Claim:
    """A claim about the function `name`."""
    values: dict[str, object] = {
        "id": f"c_{name}",
        "statement": f"the function {name} returns early",
        "kind": "observation",
        "scope": Scope(paths=("src",), conditions=("on Linux",)),
        "evidence_refs": (f"e_{name}",),
        "derived_from": (),
        "valid_at_revision": "r" * 40,
        "valid_at_tree": "t" * 40,
        "freshness_policy": FreshnessPolicy(),
        "predicate": Predicate("calls", "a", "b"),
        "tags": ("kind:gotcha",),
        "author": ADA,
        "recorded_at": AT,
        "detail": {"constraints": ["must stay fast"], "weight": 2.5, "nested": {"yes": True, "nothing": None}},
    }
    return Claim(**(values | changes))  # type: ignore[arg-type]


def verdict(name: str, claim_name: str, **changes: object) -> Verdict:
    """A verdict on a claim of `claim`, at one reading of its anchor."""
    values: dict[str, object] = {
        "id": f"v_{name}",
        "claim_id": f"c_{claim_name}",
        "kind": "recorded",
        "sequence": 0,
        "fingerprint": {f"anchor-{claim_name}": AnchorReading("present", "h1", place=f"src/a.py::{claim_name}", detail="as written", count=0)},
        "tree_id": "t" * 40,
        "snapshot_key": "t" * 40,
        "revision": "r" * 40,
        "author": ADA,
        "reason": "",
        "evidence_refs": (),
        "said_at": AT,
        "analyzer_versions": {"python": "2"},
    }
    return Verdict(**(values | changes))  # type: ignore[arg-type]


def event(claim_name: str, kind: str = "ClaimRecorded", **payload: object) -> Event:
    """An event of a claim of `claim`, its sequence still to be given."""
    return Event(0, kind, f"c_{claim_name}", AT, "person:ada", payload)


def new_claim(name: str, **changes: object) -> NewClaim:
    """A claim with its anchor, evidence, verdict and event."""
    return NewClaim(claim(name, **changes), (anchor(name),), (evidence(name),), verdict(name, name), (event(name),))


def facts(blob_id: str, *names: str, skipped: str = "", language: str = "python", version: str = "1") -> StoredFacts:
    """Facts of a blob that defines functions of these names."""
    definitions = tuple((name, name, 0, "function", False) for name in names)
    return StoredFacts(FactKey(blob_id, language), "parser-1", version, f"payload of {blob_id}".encode(), f"i-{blob_id}", definitions, skipped)


def edge(subject: SymbolId, target: SymbolId, predicate: str = "calls", row: int = 1) -> Edge:
    """A resolved edge."""
    return Edge(subject, predicate, target, "resolved", "import", row * 10, row * 10 + 4, row, 4, target.name, 0, "knowledge", "1")  # type: ignore[arg-type]


def resolution(path: bytes, fact_id: int, *edges: Edge, reads: tuple[Read, ...] = (), inputs: str = "i") -> StoredResolution:
    """The resolution of one file."""
    return StoredResolution(path, fact_id, inputs, reads, edges, (Limitation("dynamic-call", "getattr", path, 3),))


def analysis(tool: str = "scip-python", **changes: object) -> Analysis:
    """An analysis by some tool of the tree `t…`."""
    values: dict[str, object] = {
        "id": "", "format": "scip", "tool": tool, "version": "0.6", "configuration": "c0ffee00", "is_whole": True, "snapshot_key": "t" * 40,
        "revision": "r" * 40, "reference": "", "origin": "index.scip", "at": AT, "author": "person:ada", "detail": {"left_out": 3},
    }  # fmt: skip
    return Analysis(**(values | changes))  # type: ignore[arg-type]


def analysed(path: bytes, blob_id: str, *edges: Edge, pins: dict[bytes, str] | None = None) -> AnalysedFile:
    """What an analysis says of one file."""
    return AnalysedFile(path, blob_id, edges, pins or {})


COVERAGE = Coverage(
    (CoveredFile("src/a.py", "b" * 40, "i1", ("f",)),), (CoveredSymbol("src/a.py::f", "h1"),), (0,), {"t.py::test_f": CoveredTest((0,), {"d": "x"})}
)


def run(name: str, **changes: object) -> Run:
    """A run of pytest."""
    values: dict[str, object] = {
        "id": f"r_{name}", "revision": "r" * 40, "tree_id": "t" * 40, "snapshot_key": "t" * 40, "command": ("pytest", "-q"), "directory": ".",
        "environment": "e1", "environment_detail": {"platform": "linux"}, "exit_code": 0, "ending": "exited", "at": AT, "seconds": 1.5,
        "output_ref": "", "tool": "pytest 9", "author": "person:ada", "detail": {"how": "edges"},
    }  # fmt: skip
    return Run(**(values | changes))  # type: ignore[arg-type]


def result(run_id: str, test: str, outcome: str = "passed") -> TestResult:
    """What a test came to."""
    return TestResult(run_id, test, outcome, 0.5, "", "t.py::test_f", ("[1]", "tmp_path"))  # type: ignore[arg-type]
