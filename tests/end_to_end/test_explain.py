"""`knowledge explain`: the story of a symbol from its route to the trace, and what nothing shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo
from run_fixtures import Shop, shop

from knowledge.surfaces.cli.main import main

FLASK = """from flask import Flask

from shop.prices import Basket, gross

app = Flask(__name__)


@app.post("/totals/<int:price>")
def total(price):
    return {"total": quote(price)}


def quote(price):
    return gross(price)
"""
EXPRESS = """import express from "express";
import { createSession } from "./sessions.js";

const app = express();

function login(request, response) {
  response.json(authenticate(request.body.name));
}

function authenticate(name) {
  return createSession(name);
}

app.post("/login", login);
"""
SESSIONS = """export function createSession(name) {
  return { name };
}
"""
SESSIONS_TEST = """import { createSession } from "../src/sessions.js";

test("a session has a name", () => {
  createSession("ann");
});
"""


@pytest.fixture
def at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shop:
    """The shop with a Flask application in front."""
    repo = shop(tmp_path / "repo")
    repo.write("shop/web.py", FLASK)
    repo.commit("Serve totals")
    return Shop(repo, capsys)


def parts(answer: Any) -> dict[str, list[str]]:
    """part → what its steps are about."""
    found: dict[str, list[str]] = {}
    for step in answer["steps"]:
        found.setdefault(step["part"], []).append(step["about"])
    return found


def gaps(answer: Any) -> dict[str, str]:
    """part → what nothing shows of it."""
    return {gap["part"]: gap["why"] for gap in answer["missing"]}


def test_a_story_before_anything_ran(at: Shop) -> None:
    """The way from the route is proved by the code, tests are inferred, and all else is named as not shown."""
    answer = at.ask("explain", "net", "--json")[1]
    found = parts(answer)
    assert found["route"] == ["POST /totals/<int:price>"] and found["handler"] == ["shop/web.py::total"]
    assert found["path"] == [
        "shop/web.py::total → shop/web.py::quote", "shop/web.py::quote → shop/prices.py::gross", "shop/prices.py::gross → shop/prices.py::net",
    ]  # fmt: skip
    assert {step["kind"] for step in answer["steps"] if step["part"] == "path"} == {"resolved"}
    assert "tests/test_prices.py::test_net" in found["test"]
    assert gaps(answer).keys() == {"type-check", "test", "trace"} and "no test was seen to run it" in gaps(answer)["test"]


def test_a_story_after_a_run(at: Shop) -> None:
    """What ran is observed, with the run; that no test came through the handler is said."""
    run = at.run()["run"]["id"]
    answer = at.ask("explain", "net", "--json")[1]
    tests = [step for step in answer["steps"] if step["part"] == "test"]
    assert {(step["kind"], step["place"]) for step in tests if "ran it" in step["detail"]} == {("observed", run)}
    assert "through the handler shop/web.py::total" in gaps(answer)["test"]
    last = next(step for step in answer["steps"] if step["about"].startswith("shop/prices.py::gross →"))
    assert last["kind"] == "resolved + observed"
    at.change("shop/prices.py", "return price\n", "return price + 0\n")
    assert "when its text was another" in gaps(at.ask("explain", "net", "--json")[1])["test"]


def test_a_story_of_a_route_and_of_what_no_route_leads_to(at: Shop) -> None:
    """A route is told by its handler and what that calls; a symbol that no handler reaches says so; an unknown route is an error."""
    found = parts(at.ask("explain", "POST /totals/<int:price>", "--json")[1])
    assert found["handler"] == ["shop/web.py::total"] and found["path"] == ["shop/web.py::total → shop/web.py::quote"]
    answer = at.ask("explain", "Basket.dearest", "--json")[1]
    assert {"route", "handler", "path", "trace"} <= gaps(answer).keys()
    code, answer = at.ask("explain", "POST /none", "--json")
    assert code == 2 and "no route" in answer["error"]["message"] and answer["error"]["suggestions"]
    assert at.ask("explain", "nowhere", "--json")[0] == 2


def test_a_story_of_an_express_application(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same in JavaScript."""
    repo = GitRepo.create(tmp_path / "repo")
    for name, text in {
        "package.json": '{"type": "module"}\n',
        "src/app.js": EXPRESS,
        "src/sessions.js": SESSIONS,
        "tests/s.test.js": SESSIONS_TEST,
    }.items():
        repo.write(name, text)
    repo.commit("Let people log in")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    answer = Shop(repo, capsys).ask("explain", "createSession", "--json")[1]
    found = parts(answer)
    assert found["route"] == ["POST /login"] and found["handler"] == ["src/app.js::login"]
    assert found["path"] == ["src/app.js::login → src/app.js::authenticate", "src/app.js::authenticate → src/sessions.js::createSession"]
    assert any(about.startswith("tests/s.test.js") for about in found["test"])
    assert {"type-check", "trace", "test"} == gaps(answer).keys()
