"""Test reports of other runners: JUnit XML, of both of pytest's families and of others, and the JSON of jest and vitest.

A report says nothing of the revision or the environment: whoever ran the command adds those. Document types and entities are refused, so that no
XML can be larger than its bytes (billion laughs) or read another file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from xml.parsers import expat

import msgspec

from knowledge.errors import InvalidRecordError
from knowledge.records.runs import Outcome

_OUTCOMES: dict[str, Outcome] = {"failure": "failed", "error": "error", "skipped": "skipped"}
_JEST: dict[str, Outcome] = {
    "passed": "passed", "failed": "failed", "pending": "skipped", "skipped": "skipped", "todo": "skipped", "disabled": "skipped", "focused": "passed",
}  # fmt: skip
_SCRIPT = re.compile(r"/.*\.[cm]?[jt]sx?\Z|\A[^/ ]+\.(?:test|spec)\.[cm]?[jt]sx?\Z")
"""A class that is the path of a file of JavaScript or TypeScript."""
_LONGEST = 2_000
_MOST_TESTS = 500_000


@dataclass(frozen=True, slots=True)
class ReportedTest:
    """A test as a report tells it. test: `path::Class::name` where the path is known. line: from 1, 0 where it is not known."""

    test: str
    outcome: Outcome
    seconds: float = 0.0
    message: str = ""
    path: str = ""
    line: int = 0


def read_report(content: bytes, root: str = "") -> tuple[str, list[ReportedTest]]:
    """The format's name and the tests of a report; absolute paths are told below `root`. Raises InvalidRecordError for anything else."""
    head = content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if head == b"<":
        return "junit", _JUnit().read(content)
    if head == b"{":
        return "jest", _jest(content, root)
    raise InvalidRecordError("this is no report of tests; expected JUnit XML, or the JSON of jest or vitest")


class _JUnit:
    """One JUnit document, element by element."""

    def __init__(self) -> None:
        self._found: list[ReportedTest] = []
        self._case: Mapping[str, str] | None = None
        self._suites: list[tuple[str, str]] = []
        self._outcome: Outcome = "passed"
        self._message: list[str] = []
        self._is_text = False
        self._seen_root = False

    def read(self, content: bytes) -> list[ReportedTest]:
        """The tests of a document. Raises InvalidRecordError."""
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = self._start, self._end, self._text
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            raise InvalidRecordError(f"the report is no well-formed XML: {error}") from error
        return self._found

    def _refuse(self, *_: object) -> None:
        raise InvalidRecordError("the report has a document type or entities, which no test runner writes; it was not read")

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if not self._seen_root and name not in ("testsuites", "testsuite"):
            raise InvalidRecordError(f"the report begins with <{name}>; JUnit XML begins with <testsuites> or <testsuite>")
        self._seen_root = True
        if name == "testsuite":
            self._suites.append((attributes.get("name", ""), attributes.get("file", "")))
        elif name == "testcase":
            self._case, self._outcome, self._message = attributes, "passed", []
        elif self._case is not None and name in _OUTCOMES:
            # A case may tell several: what failed weighs more than what was skipped.
            told: Outcome = _OUTCOMES[name]
            if attributes.get("type") == "pytest.xfail":
                told = "xfailed"
            if self._outcome in ("passed", "skipped"):
                self._outcome = told
            self._message.append(attributes.get("message", ""))
            self._is_text = True

    def _text(self, text: str) -> None:
        if self._is_text and sum(map(len, self._message)) < _LONGEST:
            self._message.append(text)

    def _end(self, name: str) -> None:
        if name in _OUTCOMES:
            self._is_text = False
        elif name == "testsuite" and self._suites:
            self._suites.pop()
        elif name == "testcase" and self._case is not None:
            if len(self._found) >= _MOST_TESTS:
                raise InvalidRecordError(f"the report tells of more than {_MOST_TESTS:,} tests")
            self._found.append(self._reported(self._case))
            self._case = None

    def _reported(self, case: Mapping[str, str]) -> ReportedTest:
        classname, name = case.get("classname", ""), case.get("name", "")
        path = case.get("file") or next((file for _, file in reversed(self._suites) if file), "")
        if _SCRIPT.search(classname):
            # As vitest writes it; the class of node's own runner is always `test`, and its groups are suites.
            path, classname = path or classname, ""
        elif classname in ("", "test") and not path.endswith(".py"):
            classname, name = "", " > ".join([*(suite for suite, _ in self._suites if suite), name])
        line = int(case["line"]) + 1 if case.get("line", "").isdigit() else 0
        message = "\n".join(part for part in self._message if part.strip())[:_LONGEST]
        return ReportedTest(_node_id(classname, name, path), self._outcome, _seconds(case.get("time")), message, path, line)


def _node_id(classname: str, name: str, path: str) -> str:
    """The test's id as pytest has it: `tests.test_m.TestA` and `name` are `tests/test_m.py::TestA::name`; without a path classes are told by case."""
    if path.endswith(".py"):
        module = path[:-3].replace("/", ".").replace(os.sep, ".")
        classes = classname.removeprefix(module).strip(".") if classname.startswith(module) else ""
        return "::".join([path, *filter(None, classes.split(".")), name])
    if path:
        return "::".join(filter(None, [path, classname if classname != path else "", name]))
    parts = classname.split(".")
    place = next((n for n, part in enumerate(parts) if part[:1].isupper()), len(parts))
    is_module = place > 0 and any(part.startswith("test") or part.endswith("_test") for part in parts[:place])
    if is_module:
        return "::".join(["/".join(parts[:place]) + ".py", *parts[place:], name])
    return "::".join(filter(None, [classname, name]))


def _seconds(text: str | None) -> float:
    try:
        return max(0.0, float((text or "0").replace(",", "")))
    except ValueError:
        return 0.0


def _jest(content: bytes, root: str) -> list[ReportedTest]:
    try:
        report = msgspec.json.decode(content, type=dict[str, Any])
        found = []
        for suite in report["testResults"]:
            path = _below(str(suite.get("name") or suite.get("testFilePath") or ""), root)
            cases = suite.get("assertionResults") or ()
            if not cases and suite.get("status") == "failed":
                found.append(ReportedTest(path, "error", 0.0, str(suite.get("message") or "")[:_LONGEST], path))
            for case in cases:
                name = " > ".join([*map(str, case.get("ancestorTitles") or ()), str(case["title"])])
                outcome = _JEST.get(str(case["status"]), "error")
                message = "\n".join(map(str, case.get("failureMessages") or ()))[:_LONGEST]
                line = int((case.get("location") or {}).get("line") or 0)
                found.append(ReportedTest(f"{path}::{name}", outcome, float(case.get("duration") or 0) / 1000, message, path, line))
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidRecordError(f"the report is no JSON of jest or vitest: {error!r}") from error
    return found


def _below(path: str, root: str) -> str:
    whole = PurePath(path)
    return whole.relative_to(root).as_posix() if root and whole.is_absolute() and whole.is_relative_to(root) else whole.as_posix()
