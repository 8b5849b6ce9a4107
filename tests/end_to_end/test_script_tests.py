"""Tests in JavaScript, run by node's own runner: what they rest on is inferred from the imports, and said to be."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from git_fixtures import GitRepo
from run_fixtures import Shop

from knowledge.surfaces.cli.main import main

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
FILES = {
    ".gitignore": "report.xml\n",
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
    "src/prices.mjs": 'import { RATE } from "./rate.mjs";\n\nexport const gross = (price) => price * RATE;\n',
    "src/rate.mjs": "export const RATE = 2;\n",
    "src/other.mjs": "export const other = 1;\n",
    "tests/prices.test.mjs": """import { test } from "node:test";
import assert from "node:assert";
import { gross } from "../src/prices.mjs";

test("gross", () => assert.equal(gross(1) % 2, 0));
test.skip("later", () => {});
""",
}
REPORT = ("--test-reporter=junit", "--test-reporter-destination=report.xml")
COMMAND = ("node", "--test", *REPORT, "tests/prices.test.mjs")


@pytest.fixture
def at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shop:
    """A shop in JavaScript, its tests run once."""
    repo = GitRepo.create(tmp_path / "repo")
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit("Sell things")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    found = Shop(repo, capsys)
    answer = found.run("--report", str(repo.path / "report.xml"), command=COMMAND)
    assert answer["run"]["results"] == {"passed": 1, "skipped": 1} and answer["run"]["tests_seen"] == 0
    return found


def test_three_states_by_imports(at: Shop) -> None:
    """Exact; HEAD moved and what is imported is equal; what is imported, however far, changed. All of it is said to be inferred."""
    answer = at.ask("tests", "affected", "--json")[1]
    assert answer["states"] == {"exact": 2} and any("inferred" in note for note in answer["notes"])
    at.change("src/other.mjs", "1", "2")
    at.repo.commit("Change what no test imports")
    assert at.ask("tests", "affected", "--json")[1]["states"] == {"equal": 2}
    at.change("src/rate.mjs", "2", "4")
    answer = at.ask("tests", "affected", "--json")[1]
    assert answer["states"] == {"changed": 2} and answer["command"] == ""
    assert answer["tests"][0]["reasons"] == ["src/rate.mjs changed, on which it rests by its imports"]
    assert answer["others"] == [f"knowledge run --report report.xml -- {' '.join(COMMAND)}"]
    items = at.ask("gate", "--json")[1]["items"]
    assert {item["act"] for item in items if item["kind"] == "test-to-run"} == {*answer["others"]}


def test_they_are_run_as_they_were(at: Shop) -> None:
    """`--run` runs the recorded command, and takes in the report that it writes."""
    at.change("src/rate.mjs", "2", "3")
    code, answer = at.ask("tests", "affected", "--run", "--json")
    assert code == 1 and answer["run"]["results"] == {"failed": 1, "skipped": 1}
    assert [line["reasons"] for line in at.ask("tests", "affected", "--json")[1]["tests"]] == [["it failed when it last ran"]]


def test_what_else_sets_a_test_up(at: Shop) -> None:
    """What fixes the packages or sets up the runner counts, new files too; so does an import that leads elsewhere now."""
    at.change("package.json", "shop", "shop2")
    assert set(at.affected()) == {"gross", "later"}
    at.change("package.json", "shop2", "shop")
    at.repo.write("vitest.config.mjs", "export default {};\n")
    assert at.affected()["gross"] == ("vitest.config.mjs is new, and may set up the tests' runner",)
    (at.repo.path / "vitest.config.mjs").unlink()
    assert at.affected() == {}


def test_a_new_file_of_tests_is_to_be_run(at: Shop) -> None:
    """One that no report told of, by its usual name."""
    at.repo.write("tests/more.test.mjs", 'import { test } from "node:test";\ntest("more", () => {});\n')
    answer = at.ask("tests", "affected", "--json")[1]
    assert [(line["test"], line["state"]) for line in answer["tests"]] == [("tests/more.test.mjs", "new")]
    assert answer["others"][0].endswith("tests/prices.test.mjs tests/more.test.mjs")
    assert any(item["about"] == "tests/more.test.mjs" for item in at.ask("gate", "--json")[1]["items"])


def test_tests_that_are_gone_are_not_asked_for(at: Shop) -> None:
    """A file of tests that was removed is no test to run."""
    (at.repo.path / "tests" / "prices.test.mjs").unlink()
    answer = at.ask("tests", "affected", "--json")[1]
    assert answer["states"] == {"gone": 2} and answer["tests"] == []
