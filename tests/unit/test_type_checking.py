"""Static checks as evidence: what each checker says, of which files, and what makes it stale."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo
from run_fixtures import Shop

from knowledge.errors import InvalidRecordError
from knowledge.facts.importers.type_checks import is_check, read_check
from knowledge.surfaces.cli.main import main

MYPY = (
    '{"file": "a.py", "line": 2, "column": 13, "end_line": 2, "end_column": 16, "message": "Argument 1 to \\"f\\" has incompatible type", '
    '"hint": null, "code": "arg-type", "severity": "error"}\n'
)
PYRIGHT = """{
    "version": "1.1.414", "time": "1796100159710",
    "generalDiagnostics": [{"file": "/w/s/a.py", "severity": "error", "message": "cannot be assigned",
        "range": {"start": {"line": 1, "character": 13}, "end": {"line": 1, "character": 16}}, "rule": "reportArgumentType"}],
    "summary": {"filesAnalyzed": 1, "errorCount": 1, "warningCount": 0, "informationCount": 0, "timeInSec": 1.2}
}
"""
TY = """{"version": "2.1.0", "runs": [{"results": [{"level": "error", "locations": [{"physicalLocation": {
    "artifactLocation": {"uri": "file:///w/s/%EA%B0%80%20a.py"}, "region": {"startLine": 2, "endLine": 2}}}], "message": {"text": "is incorrect"},
    "ruleId": "invalid-argument-type"}, {"ruleId": "hidden", "suppressions": [{"kind": "inSource"}], "message": {"text": "no"}}],
    "tool": {"driver": {"name": "ty", "version": "0.0.108", "rules": []}}, "versionControlProvenance": [{"revisionId": "abc"}]}]}"""
PYREFLY = """{
  "errors": [{"line": 2, "column": 14, "stop_line": 2, "stop_column": 17, "path": "a.py", "code": -2, "name": "bad-argument-type",
    "description": "is not assignable", "concise_description": "is not", "severity": "error"}]
}"""
FILES = {
    "pyproject.toml": '[tool.mypy]\nstrict = true\n[tool.other]\nx = 1\n',
    "app/__init__.py": "",
    "app/rate.py": "def rate(n: int) -> int:\n    return n\n",
    "app/price.py": "from app.rate import rate\n\n\ndef price(n: int) -> int:\n    return rate(n)\n",
    "app/alone.py": "ONE: int = 1\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "tool", "version", "path", "code", "count"),
    [
        (MYPY, "mypy", "", "a.py", "arg-type", None),
        ("a.py:2: error: Argument 1  [arg-type]\nFound 1 error in 1 file (checked 3 source files)\n", "mypy", "", "a.py", "arg-type", 3),
        (PYRIGHT, "pyright", "1.1.414", "a.py", "reportArgumentType", 1),
        (TY, "ty", "0.0.108", "가 a.py", "invalid-argument-type", None),
        (PYREFLY + " INFO 1 error\n", "pyrefly", "", "a.py", "bad-argument-type", None),
    ],
)
def test_each_format_tells_the_same(content: str, tool: str, version: str, path: str, code: str, count: int | None) -> None:
    """Tool, version where it is told, and the finding with its row from 1 and its path below the root; what is suppressed is no finding."""
    told = read_check(content.encode(), "/w/s", tool)
    assert (told.tool, told.version, told.count) == (tool, version, count)
    [finding] = told.findings
    assert (finding.path, finding.row, finding.level, finding.code) == (path, 2, "error", code)


def test_what_is_no_report_of_a_checker_is_told_apart() -> None:
    """Reports of tests, text and the human output of a checker are not read as a check without findings."""
    assert all(is_check(text.encode()) for text in (MYPY, PYRIGHT, TY, PYREFLY))
    assert not any(is_check(text) for text in (b"", b"<testsuites/>", b'{"testResults": []}', b'{"resourceSpans": []}', b"All checks passed!"))
    for text, tool in ((b"All checks passed!", "ty"), (b"0 errors", "pyright"), (b"", ""), (b'{"runs": 1}', "")):
        with pytest.raises(InvalidRecordError):
            read_check(text, "", tool)


class Checked:
    """A small package, and a program called mypy that prints what it is told to."""

    def __init__(self, repo: GitRepo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = repo
        self._capsys = capsys
        self._folder = repo.path.parent / "bin"
        self._folder.mkdir()
        monkeypatch.setenv("PATH", str(self._folder), prepend=":")

    def says(self, text: str, code: int, name: str = "mypy") -> None:
        """What the checker prints from now on, and its exit code."""
        program = self._folder / name
        program.write_text(f"#!{sys.executable}\nimport sys\nprint({text!r})\nsys.exit({code})\n", encoding="utf-8")
        program.chmod(0o755)

    def ask(self, *words: str) -> dict[str, Any]:
        """What a command answers as JSON."""
        answer: dict[str, Any] = Shop(self.repo, self._capsys).ask(*words)[1]
        return answer

    def run(self, *command: str) -> dict[str, Any]:
        """Run a checker and record it."""
        return self.ask("run", "--json", "--", *command)

    def items(self) -> dict[str, str]:
        """The gate's items of type checks: what about → kind and detail."""
        return {i["about"]: f"{i['kind']}: {i['detail']}" for i in self.ask("gate", "--json")["items"] if i["kind"].startswith("type-")}

    def story(self) -> list[str]:
        """The type checks that hold on the way of `price`."""
        return [s["about"] for s in self.ask("explain", "app/price.py::price", "--json")["steps"] if s["part"] == "type-check"]


@pytest.fixture
def checked(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Checked:
    """The package under git, with a store."""
    repo = GitRepo.create(tmp_path / "repo")
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit("begin")
    found = Checked(repo, capsys, monkeypatch)
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    return found


def test_a_changed_dependency_makes_a_check_stale_and_taking_it_back_mends_it(checked: Checked) -> None:
    """Only of the files whose imports reach it; the configuration counts for all, other tools' parts of it for none."""
    checked.says("Success: no issues found in 4 source files", 0)
    assert "0 errors in 0 of the 4 files" in " ".join(checked.run("mypy", "app")["notes"])
    assert "app/price.py" in checked.story() and checked.items() == {}
    checked.repo.write("app/rate.py", FILES["app/rate.py"].replace("int)", "float)"))
    assert {path: text.partition(":")[0] for path, text in checked.items().items()} == dict.fromkeys(
        ("app/price.py", "app/rate.py"), "type-check-stale"
    )
    assert "app/price.py" not in checked.story()
    checked.repo.write("app/rate.py", FILES["app/rate.py"])
    assert "app/price.py" in checked.story()
    checked.repo.write("pyproject.toml", FILES["pyproject.toml"].replace("x = 1", "x = 2"))
    assert "app/price.py" in checked.story()
    checked.repo.write("pyproject.toml", FILES["pyproject.toml"].replace("true", "false"))
    assert checked.story() == []


@pytest.mark.parametrize(("words", "path"), [(("--project", "settings"), "settings/pyrightconfig.json"), (("-p", "other.json"), "other.json")])
def test_settings_that_the_command_names_count(checked: Checked, words: tuple[str, ...], path: str) -> None:
    """A file, and what a folder may hold, there already or not."""
    checked.repo.write("settings/about.txt", "settings of checkers\n")
    checked.repo.write("other.json", "{}\n")
    checked.says('{"version": "1", "generalDiagnostics": [], "summary": {"filesAnalyzed": 4, "errorCount": 0}}', 0, "pyright")
    checked.run("pyright", "--outputjson", *words, "app")
    assert "app/price.py" in checked.story()
    checked.repo.write(path, '{"strict": ["app"]}\n')
    assert checked.story() == []


def test_nothing_is_said_of_files_that_the_checker_may_not_have_looked_at(checked: Checked) -> None:
    """Another number of files than are named, no names, a checker that fell over, or one whose errors cannot be read."""
    checked.says("Success: no issues found in 3 source files", 0)
    assert "looked at 3 files" in " ".join(checked.run("mypy", "app")["notes"])
    checked.says("", 0)
    checked.run("mypy", "-p", "app")
    checked.says("app/price.py:1: error: x  [misc]", 2)
    assert "nothing is recorded" in " ".join(checked.run("mypy", "app")["notes"])
    checked.says("something went wrong", 1)
    assert "nothing is recorded" in " ".join(checked.run("mypy", "app")["notes"])
    checked.says("All checks passed!", 0, "ty")
    assert "nothing is recorded" in " ".join(checked.run("ty", "check", "app")["notes"])
    assert checked.story() == []


def test_errors_stand_against_the_work_and_a_claim_can_stand_on_a_check(checked: Checked) -> None:
    """The claim falls with a dependency of the checked file, and not with a file that it does not rest on."""
    checked.repo.write("app/alone.py", 'ONE: int = "1"\n')
    checked.says(
        json.dumps(
            {"file": "app/alone.py", "line": 1, "column": 0, "end_line": 1, "message": "no", "hint": None, "code": "assignment", "severity": "error"}
        ),
        1,
    )
    run = checked.run("mypy", "-O", "json", "app")["run"]["id"]
    assert checked.items()["app/alone.py"].startswith("type-errors: mypy")
    refused = checked.ask("claim", "record", "x is typed", "--evidence", f"run:{run}::app/none.py", "--json")
    assert refused["error"]["code"] == "unknown-record"
    claim = checked.ask("claim", "record", "price is well typed", "--evidence", f"run:{run}::app/price.py", "--json")
    assert claim["claim"]["status"] == "active"
    checked.repo.write("app/alone.py", "ONE = 1\n")
    assert checked.ask("stale", "--json")["groups"] == []
    checked.repo.write("app/rate.py", FILES["app/rate.py"] + "\n\nTWO = 2\n")
    groups = checked.ask("stale", "--json")["groups"]
    assert len(groups) == 1 and claim["claim"]["id"] in json.dumps(groups)


def test_sarif_from_elsewhere_is_of_its_revision_or_of_none(checked: Checked) -> None:
    """What it found is kept; its silence about a file is no evidence."""
    report = checked.repo.path.parent / "ruff.sarif"
    text = TY.replace("file:///w/s/%EA%B0%80%20a.py", "app/price.py")
    report.write_text(text, encoding="utf-8")
    unknown = checked.ask("runs", "import", str(report), "--json")
    assert "revision-unknown" in " ".join(unknown["notes"]) and checked.story() == []
    checked.ask("runs", "import", str(report), "--json", "--at", "HEAD")
    assert checked.story() == ["app/price.py"]
    report.write_text(text.replace('"name": "ty"', '"name": "Ruff"'), encoding="utf-8")
    other = checked.ask("runs", "import", str(report), "--json", "--at", "HEAD")
    assert "silence about a file is none" in " ".join(other["notes"])
    assert checked.story() == ["app/price.py"]
