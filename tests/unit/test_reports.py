"""Reports of test runners, as they write them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from knowledge.errors import InvalidRecordError
from knowledge.facts.importers.reports import read_report

TESTS = """import pytest


def test_good():
    pass


class TestThem:
    @pytest.mark.parametrize("n", [0, 1])
    def test_n(self, n):
        assert n == 0


@pytest.mark.skip(reason="later")
def test_later():
    pass


@pytest.mark.xfail
def test_known():
    assert 0


@pytest.fixture
def broken():
    raise ValueError("no")


def test_broken(broken):
    pass
"""
JEST = (
    '{"numTotalTests":2,"testResults":[{"name":"/w/src/sum.test.ts","status":"failed","message":"","assertionResults":['
    '{"ancestorTitles":["sum"],"title":"adds","status":"passed","duration":3,"failureMessages":[],"location":{"line":4,"column":3}},'
    '{"ancestorTitles":[],"title":"더한다","status":"failed","duration":1,"failureMessages":["expected 3"]},'
    '{"ancestorTitles":[],"title":"later","status":"pending"}]},{"name":"/w/src/bad.test.ts","status":"failed","message":"SyntaxError","assertionResults":[]}]}'
)


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_both_families_of_pytest_give_the_same_ids(tmp_path: Path, family: str) -> None:
    """Whether or not the report names files, a test's id is rebuilt as pytest has it; skipped is not passed."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_m.py").write_text(TESTS)
    words = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".", "--junitxml=out.xml", "-o", f"junit_family={family}", "tests"]
    subprocess.run([sys.executable, "-m", "pytest", *words], cwd=tmp_path, capture_output=True, check=False)
    form, tests = read_report((tmp_path / "out.xml").read_bytes())
    assert form == "junit"
    assert {test.test.removeprefix("tests/test_m.py::"): test.outcome for test in tests} == {
        "test_good": "passed", "TestThem::test_n[0]": "passed", "TestThem::test_n[1]": "failed", "test_later": "skipped", "test_known": "xfailed",
        "test_broken": "error",
    }  # fmt: skip
    assert any("assert 1 == 0" in test.message for test in tests)


SCRIPTS = """<testsuites name="vitest tests"><testsuite name="tests/a.test.ts">
<testcase classname="tests/a.test.ts" name="group &gt; opens" time="0.1"/></testsuite>
<testcase name="top" time="0.1" classname="test"/>
<testsuite name="group"><testsuite name="deep"><testcase name="inner" classname="test"><failure message="1 == 2"/></testcase></testsuite></testsuite>
<testcase classname="app.Shop" name="sells" file="spec/shop.js"/>
</testsuites>"""


def test_junit_of_script_runners() -> None:
    """Vitest's class is the test's file; node's runner tells no file, and its groups are suites."""
    _, tests = read_report(SCRIPTS.encode())
    assert [(test.test, test.path, test.outcome) for test in tests] == [
        ("tests/a.test.ts::group > opens", "tests/a.test.ts", "passed"),
        ("top", "", "passed"),
        ("group > deep > inner", "", "failed"),
        ("spec/shop.js::app.Shop::sells", "spec/shop.js", "passed"),
    ]


def test_jest_and_vitest() -> None:
    """Titles are joined, paths told below the root, a suite that does not run is an error."""
    form, tests = read_report(JEST.encode(), "/w")
    assert form == "jest"
    assert [(test.test, test.outcome) for test in tests] == [
        ("src/sum.test.ts::sum > adds", "passed"), ("src/sum.test.ts::더한다", "failed"), ("src/sum.test.ts::later", "skipped"),
        ("src/bad.test.ts", "error"),
    ]  # fmt: skip
    assert (tests[0].line, tests[0].seconds) == (4, 0.003)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"<testsuites><testsuite>",
        b"<html></html>",
        b'<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuites><testsuite name="&b;"/></testsuites>',
        b'<!DOCTYPE t SYSTEM "file:///etc/passwd"><testsuites/>',
        b"{}",
        b'{"testResults": 3}',
        b'{"testResults": [{"assertionResults": [{"title": 1}]}]}',
        b"\x00\xff",
    ],
)
def test_what_is_no_report_is_refused(content: bytes) -> None:
    """Cut off, hostile or something else: an error that says so."""
    with pytest.raises(InvalidRecordError):
        read_report(content)
