"""Every question about the code, at an old revision, at HEAD and on uncommitted files: how it is known, where, what is left out or not seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo

from knowledge.surfaces.cli.main import main

SHOP = """\
import os

RATE = 3


class Item:
    def price(self):
        return RATE


class Gift(Item):
    def price(self):
        return 0


def total(item: Item):
    return item.price()


def pay(item: Item):
    os.environ["CURRENCY"]
    return total(item)


def lonely():
    return eval("pay")
"""
WEB = """\
from flask import Flask
from shop import Gift, pay

app = Flask(__name__)


@app.route("/pay")
def handle():
    return pay(Gift())
"""
TESTS = """\
from shop import Item, pay, total


def test_total():
    assert total(Item()) == 3


def test_pay():
    assert pay(Item())
"""
FILES = {
    "shop.py": SHOP,
    "web.py": WEB,
    "tests/test_shop.py": TESTS,
    "tool.go": "package main\n\nfunc total() int {\n\treturn 1\n}\n",
}
ASKED = {
    "callers": ("shop.py::total",),
    "callees": ("shop.py::pay",),
    "subclasses": ("shop.py::Item",),
    "implementers": ("shop.py::Item.price",),
    "importers": ("shop.py",),
    "imports": ("web.py",),
    "readers": ("shop.py::RATE",),
    "writers": ("shop.py::RATE",),
    "tests": ("shop.py::total",),
    "impact": ("shop.py::Item.price",),
    "path": ("web.py::handle", "shop.py::Item.price"),
    "unreferenced": ("shop.py",),
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    """A small shop; an empty line more in the second commit, and one more that is not committed."""
    repo = GitRepo.create(tmp_path_factory.mktemp("questions") / "repo")
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit("Begin")
    repo.write("shop.py", "\n" + SHOP)
    repo.commit("Move down")
    repo.write("shop.py", "\n\n" + SHOP)
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    return repo


def ask(repo: GitRepo, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """What a command answers as JSON, an error as its object."""
    capsys.readouterr()
    main(["-C", str(repo.path), *words, "--json"])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer.get("error", answer)


TREES = {"HEAD~1": 0, "HEAD": 1, "": 2}
"""A tree, and by how many lines shop.py stands lower there."""


@pytest.mark.parametrize("at", TREES)
@pytest.mark.parametrize("question", ASKED)
def test_every_question_at_every_tree(repo: GitRepo, capsys: pytest.CaptureFixture[str], question: str, at: str) -> None:
    """Each answer has kinds and reasons, places that hold the name in that very tree, counts, and what bears on it: never empty and silent."""
    answer = ask(repo, capsys, question, *ASKED[question], *(("--at", at) if at else ()))
    assert answer["tree"]["is_dirty"] == (at == "") and answer["question"] == question
    shop = ["", *("\n" * TREES[at] + SHOP).split("\n")]
    for edge in answer["edges"]:
        assert edge["confidence_kind"] in ("resolved", "inferred", "observed") and edge["reason"] and edge["analyzer"]
        path, _, row = edge["place"].rpartition(":")
        if path == "shop.py" and edge["predicate"] in ("calls", "reads"):
            assert edge["object"].rpartition("::")[2].rpartition(".")[2] in shop[int(row)]
    assert answer["left_out"] >= 0 and (answer["edges"] or answer["symbols"] or answer["limitations"])
    assert any(text.startswith("no-resolution: 1 file of this tree in go") for text in answer["limitations"])
    if question in ("callees", "callers", "impact", "tests"):
        assert not any("tool.go" in edge["subject"] + edge["object"] for edge in answer["edges"])


def test_what_is_only_reached_is_inferred(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """A test that calls it is known as its call is; one that gets there through others is inferred, in the lines as in the counts."""
    answer = ask(repo, capsys, "tests", "shop.py::total")
    assert {(e["subject"], e["object"], e["confidence_kind"], e["reason"]) for e in answer["edges"]} == {
        ("tests/test_shop.py::test_total", "shop.py::total", "resolved", "import"),
        ("tests/test_shop.py::test_pay", "shop.py::pay", "inferred", "reached"),
    }
    assert (answer["resolved"], answer["inferred"]) == (1, 1)


def test_impact_has_all_whom_to_check(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """Callers, overriders, routes and tests of what changes, each counted."""
    method = ask(repo, capsys, "impact", "shop.py::Item.price")
    assert ("shop.py::Gift.price", "overrides") in {(e["subject"], e["predicate"]) for e in method["edges"]}
    route = ask(repo, capsys, "impact", "web.py::handle")
    assert ("web.py::GET /pay", "handles") in {(e["subject"], e["predicate"]) for e in route["edges"]}
    assert [text.partition(":")[0] for text in route["notes"]] == [
        "callers", "overriders", "overridden", "subclasses", "importers", "readers", "routes", "tests",
    ]  # fmt: skip


def test_limits_are_counted(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """What --limit cuts off is in `left_out`."""
    whole, cut = ask(repo, capsys, "impact", "shop.py::total"), ask(repo, capsys, "impact", "shop.py::total", "--limit", "1")
    assert len(cut["edges"]) == 1 and cut["left_out"] == whole["left_out"] + len(whole["edges"]) - 1


def test_no_candidate_is_called_dead_without_saying_what_is_not_seen(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """What nothing refers to is a candidate; the lines do not say that none was found, and the note says what is not seen."""
    answer = ask(repo, capsys, "unreferenced", "shop.py")
    assert answer["symbols"] == ["shop.py::lonely"] and "entry points and dynamic uses are not seen" in answer["notes"][0]
    main(["-C", str(repo.path), "unreferenced", "shop.py"])
    assert "none was found" not in capsys.readouterr().out


@pytest.mark.parametrize("question", [name for name in ASKED if name not in ("unreferenced", "path")])
def test_what_is_not_there_is_an_error(repo: GitRepo, capsys: pytest.CaptureFixture[str], question: str) -> None:
    """An unknown symbol, file or revision is no empty success."""
    assert ask(repo, capsys, question, "shop.py::totl")["code"] == "unknown-symbol"
    assert ask(repo, capsys, question, "nowhere.py::f")["code"] in ("unknown-path", "unknown-symbol")
    assert ask(repo, capsys, question, "shop.py::total", "--at", "nonsense")["code"] == "unknown-revision"


def test_a_name_alone_makes_no_edge_into_another_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two projects of one repository that do not know each other: a call of a method of the other's name is guessed into neither direction."""
    repo = GitRepo.create(tmp_path / "repo")
    for name in ("one", "two"):
        repo.write(f"{name}/pyproject.toml", f'[project]\nname = "{name}"\n')
    repo.write("one/one/a.py", "class Engine:\n    def ignite_all(self):\n        return 1\n")
    repo.write("two/two/b.py", "def start(engine):\n    return engine.ignite_all()\n")
    for name in ("js_one", "js_two"):
        repo.write(f"{name}/package.json", f'{{"name": "{name}"}}')
    repo.write("js_one/a.ts", "export class Motor { igniteEvery() { return 1 } }\n")
    repo.write("js_two/b.ts", "export const begin = (motor: any) => motor.igniteEvery();\n")
    repo.commit("Begin")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    for symbol in ("one/one/a.py::Engine.ignite_all", "js_one/a.ts::Motor.igniteEvery"):
        assert ask(repo, capsys, "callers", symbol)["edges"] == []


def test_an_attribute_that_only_methods_assign_can_be_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the class that assigns it, by a class below, with and without the file; of two classes that assign it one has to be named."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write(
        "a.py", "class Base:\n    def __init__(self):\n        self.limit = 1\n\n\nclass Sub(Base):\n    def run(self):\n        return self.limit\n"
    )
    repo.write("b.py", "class Base:\n    def __init__(self):\n        self.limit = 2\n")
    repo.write("c.ts", "export class Store {\n  open() {\n    this.state = 1;\n  }\n  read() {\n    return this.state;\n  }\n}\n")
    repo.commit("Begin")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    for text in ("Sub.limit", "a.py::Base.limit", "a.py::Sub.limit"):
        assert ask(repo, capsys, "writers", text)["symbol"] == "a.py::Base.limit"
        assert [edge["subject"] for edge in ask(repo, capsys, "readers", text)["edges"]] == ["a.py::Sub.run"]
    assert [edge["subject"] for edge in ask(repo, capsys, "writers", "Store.state")["edges"]] == ["c.ts::Store.open"]
    told = ask(repo, capsys, "writers", "Base.limit")
    assert told["code"] == "ambiguous-symbol" and told["suggestions"] == ["a.py::Base.limit", "b.py::Base.limit"]
    assert ask(repo, capsys, "writers", "Sub.limits")["code"] == "unknown-symbol"
