"""What was seen of runs that this program did not start: real data of coverage.py, traces in both ways of writing them, reports of tests."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo
from run_fixtures import Shop, shop

from knowledge.operations.project import open_project

TRACE = "5b8efff798038103d269b633813fc60c"
PRICES = "shop/prices.py"


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """The shop, with its store."""
    return shop(tmp_path / "repo")


def measured(repo: GitRepo, *, contexts: bool = True) -> Path:
    """The shop's tests run under coverage.py."""
    settings = repo.path.parent / "coveragerc"
    settings.write_text("[run]\nsource = .\n" + ("dynamic_context = test_function\n" if contexts else ""), encoding="utf-8")
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=repo.path, check=True, capture_output=True, env={**os.environ, "COVERAGE_FILE": str(repo.path.parent / ".coverage")})
    return repo.path.parent / ".coverage"


def ask(repo: GitRepo, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """What a command answers as JSON, an error as its object."""
    answer: dict[str, Any] = Shop(repo, capsys).ask(*words, "--json")[1]
    return answer.get("error", answer)


def taken_in(repo: GitRepo, capsys: pytest.CaptureFixture[str], file: Path, *more: str) -> dict[str, Any]:
    """The answer of `runs import`."""
    return ask(repo, capsys, "runs", "import", str(file), *more)


def seen_in(repo: GitRepo, capsys: pytest.CaptureFixture[str], symbol: str) -> set[str]:
    """The tests that are known to have run a symbol."""
    edges = ask(repo, capsys, "tests", symbol)["edges"]
    return {edge["object"].rpartition("::")[2] for edge in edges if edge["confidence_kind"] == "observed"}


def test_coverage_tells_which_test_ran_a_function(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """By the lines of its body: what only defines it ran in no test. The edges name the tool, and the run is listed as imported."""
    answer = taken_in(repo, capsys, measured(repo))
    assert answer["run"]["ending"] == "imported" and answer["run"]["tool"].startswith("coverage.py 7")
    assert seen_in(repo, capsys, f"{PRICES}::gross") == {"test_gross", "test_total"}
    assert seen_in(repo, capsys, f"{PRICES}::Basket.total") == {"test_total"}
    assert seen_in(repo, capsys, f"{PRICES}::Basket.dearest") == {"test_dearest"}
    assert ask(repo, capsys, "runs")["runs"][0]["ending"] == "imported"


def test_coverage_is_pinned_to_the_content_that_ran(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that changed after the data was written is left out; edges of one that changes later are past, and present when it is taken back."""
    data = measured(repo)
    before = (repo.path / PRICES).read_text(encoding="utf-8")
    taken_in(repo, capsys, data)
    repo.write(PRICES, before + "\n")
    assert seen_in(repo, capsys, f"{PRICES}::gross") == set()
    os.utime(repo.path / PRICES, (data.stat().st_mtime + 5, data.stat().st_mtime + 5))
    again = taken_in(repo, capsys, data)
    assert any("changed after it was written" in note and PRICES in note for note in again["notes"])
    repo.write(PRICES, before)
    assert seen_in(repo, capsys, f"{PRICES}::gross") == {"test_gross", "test_total"}


def test_coverage_as_json_and_by_pytest_cov_says_the_same(repo: GitRepo, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Contexts of pytest-cov have the phase at their end; set-up counts for the test, imports for none."""
    gross = [f"tests/test_prices.py::test_gross[{given}" for given in ("1]|run", "2]|setup")]
    told = {
        "meta": {"format": 3, "version": "7.17.5"},
        "files": {PRICES: {"executed_lines": [1, 4, 6, 10], "contexts": {
            "4": [""], "6": ["tests/test_prices.py::test_net|run"], "10": gross,
        }}},
    }  # fmt: skip
    (tmp_path / "coverage.json").write_text(json.dumps(told), encoding="utf-8")
    later = (repo.path / PRICES).stat().st_mtime + 5
    os.utime(tmp_path / "coverage.json", (later, later))
    taken_in(repo, capsys, tmp_path / "coverage.json")
    assert seen_in(repo, capsys, f"{PRICES}::net") == {"test_net"}
    assert seen_in(repo, capsys, f"{PRICES}::gross") == {"test_gross"}


def test_coverage_without_contexts_says_so(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """Which functions ran is counted; which test ran them is not made up."""
    answer = taken_in(repo, capsys, measured(repo, contexts=False))
    assert any("which test ran what" in note for note in answer["notes"])
    assert seen_in(repo, capsys, f"{PRICES}::gross") == set()


def spans(revision: str, *, is_old: bool = False, is_protobuf: bool = False) -> dict[str, Any]:
    """A request with two spans, as OTLP or as protobuf's JSON mapping writes it, with the new or the old names."""
    trace = base64.b64encode(bytes.fromhex(TRACE)).decode() if is_protobuf else TRACE
    kind: Any = "SPAN_KIND_INTERNAL" if is_protobuf else 1

    def span(name: str, line: int) -> dict[str, Any]:
        namespace, _, last = name.rpartition(".")
        old = [("code.namespace", namespace), ("code.function", last), ("code.filepath", f"/srv/app/{PRICES}"), ("code.lineno", line)]
        new = [("code.function.name", name), ("code.file.path", f"/srv/app/{PRICES}"), ("code.line.number", line)]
        values = [
            {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
            for key, value in (old if is_old else new)
        ]
        return {"traceId": trace, "spanId": "eee19b7ec3c1b174", "name": name, "kind": kind, "attributes": values}

    build = (
        [{"key": "vcs.ref.head.revision", "value": {"stringValue": revision}}]
        if revision
        else [{"key": "service.version", "value": {"stringValue": "9"}}]
    )
    found = [span("shop.prices.gross", 9), span("shop.prices.Basket.total", 18), {"traceId": trace, "name": "SELECT"}]
    return {"resourceSpans": [{"resource": {"attributes": build}, "scopeSpans": [{"spans": found}]}]}


@pytest.mark.parametrize(("is_old", "is_protobuf", "is_lines"), [(False, False, False), (True, True, True), (True, False, True)])
def test_a_trace_of_this_build_tells_what_ran(
    repo: GitRepo, capsys: pytest.CaptureFixture[str], tmp_path: Path, is_old: bool, is_protobuf: bool, is_lines: bool
) -> None:
    """Whichever names and whichever JSON it has: functions are known to have run in that trace, and no call is made of a span within another."""
    told = spans(repo.git("rev-parse", "HEAD").strip(), is_old=is_old, is_protobuf=is_protobuf)
    text = f"{json.dumps(told)}\n{json.dumps(told)}\n" if is_lines else json.dumps(told, indent=1)
    (tmp_path / "traces.json").write_text(text, encoding="utf-8")
    answer = taken_in(repo, capsys, tmp_path / "traces.json")
    assert any("do not say where they ran" in note for note in answer["notes"])
    with open_project(repo.path) as project:
        analyses = project.ledger.analyses
        [analysis] = analyses.standing()
        edges = [edge for row in analyses.files([analysis.id]) for edge in analyses.edges(row.edges_digest).edges]
    assert {(edge.confidence_kind, edge.predicate, edge.subject.qualified_name, str(edge.object)) for edge in edges} == {
        ("observed", "traced_by", name, f"external:trace::{TRACE}") for name in ("gross", "Basket.total")
    }  # fmt: skip
    steps = [step for step in ask(repo, capsys, "explain", f"{PRICES}::gross")["steps"] if step["part"] == "trace"]
    assert {(step["about"], step["kind"]) for step in steps} == {
        (f"{PRICES}::{name} → external:trace::{TRACE}", "observed") for name in ("gross", "Basket.total")
    }


@pytest.mark.parametrize(("revision", "why"), [("", "names no revision (service.version 9)"), ("f" * 40, "is not in this repository")])
def test_a_trace_of_another_build_is_of_no_known_revision(
    repo: GitRepo, capsys: pytest.CaptureFixture[str], tmp_path: Path, revision: str, why: str
) -> None:
    """It is kept, and says nothing of any tree; told which revision it was, it does."""
    (tmp_path / "traces.json").write_text(json.dumps(spans(revision)), encoding="utf-8")
    answer = taken_in(repo, capsys, tmp_path / "traces.json")
    assert answer["run"]["revision"] is None and any(why in note and "revision-unknown" in note for note in answer["notes"])
    assert ask(repo, capsys, "analysis", "list")["analyses"] == []
    if not revision:
        assert taken_in(repo, capsys, tmp_path / "traces.json", "--at", "HEAD")["run"]["revision"] == repo.git("rev-parse", "HEAD").strip()
    else:
        assert taken_in(repo, capsys, tmp_path / "traces.json", "--at", "HEAD")["code"] == "outside-input"


def test_a_report_from_elsewhere_is_of_no_known_revision(repo: GitRepo, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Unless somebody says which one ran."""
    (tmp_path / "junit.xml").write_text(
        '<testsuite><testcase classname="tests.test_prices" name="test_net" time="0.1"/></testsuite>', encoding="utf-8"
    )
    answer = taken_in(repo, capsys, tmp_path / "junit.xml")
    assert answer["run"]["revision"] is None and answer["run"]["results"] == {"passed": 1}
    assert taken_in(repo, capsys, tmp_path / "junit.xml", "--at", "HEAD")["run"]["revision"] == repo.git("rev-parse", "HEAD").strip()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"SQLite format 3\0garbage",
        b'{"resourceSpans": 5}',
        b'{"resourceSpans": []}',
        b'{"meta": {}, "files": {"executed_lines": 1}}',
        b"<a/>",
    ],
)
def test_what_is_no_such_file_is_an_error(repo: GitRepo, capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes) -> None:
    """Nothing is recorded of it, and nothing of it is executed."""
    (tmp_path / "file").write_bytes(content)
    assert taken_in(repo, capsys, tmp_path / "file")["code"] in ("outside-input", "invalid-record")
    assert ask(repo, capsys, "runs")["runs"] == []


def test_a_database_of_another_kind_is_refused(repo: GitRepo, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Also one whose tables are views, and one of a schema that is not known."""
    other = sqlite3.connect(tmp_path / "views")
    other.executescript(
        "CREATE TABLE meta(key, value); CREATE TABLE file(id, path); CREATE TABLE context(id, context);"
        "CREATE TABLE arc(file_id, context_id, fromno, tono); CREATE TABLE coverage_schema(version); INSERT INTO coverage_schema VALUES (7);"
        "CREATE VIEW line_bits AS SELECT 1 file_id, 1 context_id, x'02' numbits;"
    )
    other.close()
    assert "no table 'line_bits'" in taken_in(repo, capsys, tmp_path / "views")["message"]
    other = sqlite3.connect(tmp_path / "views")
    other.executescript("DROP VIEW line_bits; CREATE TABLE line_bits(file_id, context_id, numbits); UPDATE coverage_schema SET version = 99;")
    other.close()
    assert "schema 99" in taken_in(repo, capsys, tmp_path / "views")["message"]
