"""`knowledge run`, `runs` and `tests affected` on real runs of pytest."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from run_fixtures import PYTEST, Shop, shop

from knowledge.operations.project import open_project

PRICES = "shop/prices.py"
ALL = {"test_net", "test_gross[1]", "test_gross[2]", "test_total", "test_dearest", "test_data", "test_later"}
CHANGES: list[tuple[str, str, str, set[str]]] = [
    (PRICES, "    return price\n", "    return price  # as it is\n", set()),
    (PRICES, "return price\n", "return price + 0\n", {"test_net", "test_gross[1]", "test_gross[2]", "test_total", "test_dearest"}),
    (PRICES, "net(price) * RATE", "RATE * net(price)", {"test_gross[1]", "test_gross[2]", "test_total"}),
    (PRICES, "max(self", "max(*self", {"test_dearest"}),
    (PRICES, "RATE = 2", "RATE = 3", {"test_gross[1]", "test_gross[2]", "test_total"}),
    (PRICES, "RATE = 2", "RATE = int(open(__file__).readline() and 2)", ALL),
    (PRICES, "class Basket:\n", "class Basket:\n    size = 1\n\n", {"test_total", "test_dearest"}),
    ("shop/data.txt", "7", "8", {"test_data"}),
    ("tests/conftest.py", "[1, 2]", "[2, 1]", {"test_total", "test_dearest"}),
    ("tests/test_prices.py", "assert net(1) == 1", "assert net(1) < 2", {"test_net"}),
    (PRICES, "class Basket:\n", "class Basket:\n    def unused(self):\n        return 1\n\n", set()),
    (PRICES, "class Basket:\n", "class Basket:\n    def dearest(self):\n        return 1\n\n", {"test_dearest"}),
]
"""Path, text, what takes its place, the tests to run."""


@pytest.fixture
def at(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The shop, with nothing run yet, in the environment of a test that a worker of pytest-xdist runs."""
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw7")
    return Shop(shop(tmp_path / "repo"), capsys)


def test_a_run_is_an_observation(at: Shop) -> None:
    """Content, command, environment, exit code, output and the result of each test are kept; what was skipped did not pass."""
    answer = at.run()
    run = answer["run"]
    assert (run["ending"], run["exit_code"], run["is_dirty"]) == ("exited", 0, False)
    assert run["results"] == {"passed": 6, "skipped": 1} and run["tests_seen"] == 7
    assert run["revision"] and run["environment"] and run["command"].endswith("-m pytest -q")
    assert answer["environment"]["interpreter"].startswith("CPython") and answer["environment"]["distributions"]
    assert [(test["test"], test["outcome"]) for test in answer["tests"]] == [("tests/test_prices.py::test_later", "skipped")]
    shown = at.ask("runs", "show", run["id"], "--output", "--json")[1]
    assert "6 passed" in shown["output"] and shown["run"] == run
    assert [found["id"] for found in at.ask("runs", "--json")[1]["runs"]] == [run["id"]]


def test_only_what_a_change_can_touch_runs_again(at: Shop) -> None:
    """Bodies that ran, what imports run, fixtures, data files and names that came count; comments do not."""
    at.run()
    assert at.affected() == {}
    for path, old, new, expected in CHANGES:
        at.change(path, old, new)
        found = at.affected()
        assert set(found) == expected and all(found.values()), (path, new)
        assert set(at.affected("dirty")) == expected
        at.change(path, new, old)


def test_three_states_of_an_earlier_result(at: Shop) -> None:
    """Exact match; HEAD moved and what it covers is equal; what it covers changed."""
    at.run()
    assert at.ask("tests", "affected", "--json")[1]["states"] == {"exact": 7}
    at.change(PRICES, "max(self", "max(*self")
    at.repo.commit("Change one thing")
    answer = at.ask("tests", "affected", "--json")[1]
    assert answer["states"] == {"changed": 1, "equal": 6}
    assert answer["tests"][0]["reasons"] == ["shop/prices.py::Basket.dearest changed"]
    assert answer["command"] == "pytest tests/test_prices.py::test_dearest"
    assert at.ask("tests", "affected", "HEAD~1..HEAD", "--json")[1]["tests"][0]["test"].endswith("test_dearest")


def test_a_pack_tells_of_the_tests_that_ran_the_code(at: Shop) -> None:
    """Tests that ran what a goal is about stand in its pack with what they are worth; once that changed, running them again is owed."""

    def pack() -> Any:
        return at.ask("context", "change how the dearest price of a basket is found", "--focus", "Basket.dearest", "--budget", "0", "--json")[1]

    assert pack()["recent_test_observations"] == []
    at.run()
    first = pack()["recent_test_observations"][0]
    assert (first["test"], first["outcome"], first["state"], first["reason"]) == ("tests/test_prices.py::test_dearest", "passed", "exact", "")
    at.change(PRICES, "max(self", "max(*self")
    changed = pack()
    first = changed["recent_test_observations"][0]
    assert (first["test"], first["state"], first["reason"]) == (
        "tests/test_prices.py::test_dearest", "changed", "shop/prices.py::Basket.dearest changed",
    )  # fmt: skip
    assert changed["verification_required_before_return"][-1]["what"] == "knowledge tests affected --run"
    states = {line["test"]: line["state"] for line in changed["recent_test_observations"]}
    assert states["tests/test_prices.py::test_total"] == "equal"


def test_a_new_test_is_to_be_run(at: Shop) -> None:
    """A test that no run had is not left out."""
    at.run()
    at.change("tests/test_prices.py", "def test_net", "def test_new():\n    assert net(3) == 3\n\n\ndef test_net")
    assert list(at.affected()) == ["tests/test_prices.py::test_new"] or set(at.affected()) == {"test_new"}


def test_a_failing_test_stays_on_the_list(at: Shop) -> None:
    """A result that is bad is no reason to leave the test out, whether or not anything changed."""
    at.change(PRICES, "RATE = 2", "RATE = 3")
    answer = at.run()
    assert answer["run"]["exit_code"] == 1 and answer["run"]["results"] == {"failed": 3, "passed": 3, "skipped": 1}
    assert set(at.affected()) == {"test_gross[1]", "test_gross[2]", "test_total"}


def test_a_test_that_is_this_and_that_is_flaky(at: Shop) -> None:
    """Different results at one fingerprint, in two runs, are marked."""
    at.repo.write("tests/test_luck.py", "import os\n\n\ndef test_luck():\n    assert 'LUCK' in os.environ\n")
    assert at.run()["tests"][0]["is_flaky"] is False
    os.environ["LUCK"] = "1"
    try:
        lucky = at.run()
    finally:
        del os.environ["LUCK"]
    assert {test["test"]: test["is_flaky"] for test in lucky["tests"]}["tests/test_luck.py::test_luck"] is True
    at.change("tests/test_luck.py", "assert", "assert 1 or")
    assert not any(test["is_flaky"] for test in at.run()["tests"])


def test_what_counts_of_the_environment(at: Shop) -> None:
    """A variable that is named, and a lock file, make another environment; another variable does not, and no value is kept."""
    fingerprints = []
    for value in ("one", "two"):
        os.environ["SECRET_SETTING"] = value
        fingerprints.append(tuple(at.run(*options, command=("true",))["run"]["environment"] for options in ((), ("--env", "SECRET_SETTING"))))
    del os.environ["SECRET_SETTING"]
    assert fingerprints[0][0] == fingerprints[1][0] and fingerprints[0][1] != fingerprints[1][1]
    at.repo.write("requirements.txt", "six==1\n")
    assert at.run(command=("true",))["run"]["environment"] != fingerprints[0][0]


def test_observed_calls_stand_beside_the_static_ones(at: Shop) -> None:
    """What was seen carries the run and the content; changed content makes it past."""
    run = at.run()["run"]["id"]
    with open_project(at.repo.path) as project:
        (analysis,) = project.ledger.analyses.standing()
        assert (analysis.reference, analysis.is_whole, analysis.tool) == (run, False, "knowledge-observer")
        edges = [edge for file in project.ledger.analyses.files() for edge in project.ledger.analyses.edges(file.edges_digest).edges]
    found = {(edge.subject.qualified_name, edge.object.qualified_name): edge.reason for edge in edges if edge.object.path == PRICES.encode()}
    assert found["gross", "net"] == "call" and found["basket", "Basket.__init__"] == "call"
    assert found["test_total", "Basket.total"] == "implicit" and found["Basket.total", "gross"] == "call"
    assert found["Basket.dearest", "net"] == "through-native"


def test_which_tests_ran_it_and_where_code_and_runs_differ(at: Shop) -> None:
    """Observed tests stand beside those that reach it; a change makes them past; a call through a property is seen and not found."""
    assert "no run was observed" in at.ask("unseen", "--json")[1]["notes"][0]
    at.run()
    answer = at.ask("tests", "net", "--json")[1]
    ran = {edge["object"].rpartition("::")[2] for edge in answer["edges"] if edge["reason"] == "ran"}
    assert ran == {"test_net", "test_gross", "test_total", "test_dearest"}
    assert any(edge["confidence_kind"] != "observed" for edge in answer["edges"])
    unseen = {(edge["subject"], edge["object"]) for edge in at.ask("unseen", "--json")[1]["edges"]}
    assert unseen == set()
    assert {edge["reason"] for edge in at.ask("unfound", "--json")[1]["edges"]} == {"implicit"}
    at.change(PRICES, "return price\n", "return price + 0\n")
    later = at.ask("tests", "net", "--json")[1]
    assert not any(edge["reason"] == "ran" for edge in later["edges"])
    assert any(note.startswith("past: 4") for note in later["notes"])


@pytest.mark.parametrize(
    ("command", "ending", "code", "exit_code"),
    [
        (("python3", "-c", "import time; time.sleep(60)"), "timed-out", 124, -15),
        ((sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"), "killed", 137, -9),
        (("no-such-program",), "not-started", 127, 127),
        ((sys.executable, "-c", "raise SystemExit(3)"), "exited", 3, 3),
    ],
)
def test_every_ending_is_told(at: Shop, command: tuple[str, ...], ending: str, code: int, exit_code: int) -> None:
    """A command that hangs, is killed, is not there or fails: recorded as that, and no test passed by it."""
    found, answer = at.ask("run", "--json", "--timeout", "2", "--", *command)
    assert (found, answer["run"]["ending"], answer["run"]["exit_code"]) == (code, ending, exit_code)
    assert answer["run"]["results"] == {} and "no test told its result" in answer["notes"][-1]


def test_output_is_bounded_and_masked(at: Shop) -> None:
    """Of a flood of bytes that are no text the beginning and the end are kept, and no secret."""
    flood = "import sys; w = sys.stdout.buffer.write; w(b'API_TOKEN=hunter2hunter2\\n'); [w(b'\\xff\\x00' * 50_000) for _ in range(300)]; w(b'end')"
    run = at.run("--quiet", command=(sys.executable, "-c", flood))
    assert any("were not kept" in note for note in run["notes"]) and any("no text" in note for note in run["notes"])
    output = at.ask("runs", "show", run["run"]["id"], "--output", "--json")[1]["output"]
    assert "[masked]" in output and "hunter2" not in output and output.endswith("end") and len(output) < 2_000_000


def test_a_kill_in_the_middle_keeps_what_was_seen(at: Shop) -> None:
    """Results up to then are kept; the test that was on is unfinished; those behind it have no result."""
    killer = (
        "import os, signal\n\n\ndef test_a():\n    pass\n\n\ndef test_b():\n    os.kill(os.getpid(), signal.SIGKILL)\n\n\ndef test_c():\n    pass\n"
    )
    at.repo.write("tests/test_killed.py", killer)
    answer = at.run(command=(*PYTEST, "tests/test_killed.py"))
    assert answer["run"]["ending"] == "killed" and answer["run"]["exit_code"] == -signal.SIGKILL
    assert answer["run"]["results"] == {"passed": 1, "unfinished": 1}
    assert set(at.affected()) >= {"tests/test_killed.py::test_b", "tests/test_killed.py::test_c"}


def test_parallel_workers_tell_each_test_once(at: Shop) -> None:
    """Under pytest-xdist each worker tells what it ran; a worker that dies loses only the test that was on."""
    assert at.run(command=(*PYTEST, "-n", "2"))["run"]["results"] == {"passed": 6, "skipped": 1}
    at.change(PRICES, "max(self", "max(*self")
    assert set(at.affected()) == {"test_dearest"}
    at.repo.write("tests/test_killed.py", "import os\n\n\ndef test_b():\n    os._exit(9)\n")
    results = at.run(command=(*PYTEST, "-n", "2"))["run"]["results"]
    assert results == {"crashed": 1, "passed": 6, "skipped": 1}


WAYS = """import asyncio
import os
import threading

from shop.prices import gross, net


def test_thread():
    thread = threading.Thread(target=gross, args=(1,))
    thread.start()
    thread.join()


def test_fork():
    child = os.fork()
    if not child:
        net(1)
        os._exit(0)
    os.waitpid(child, 0)


async def price():
    await asyncio.sleep(0)
    return net(1)


async def both():
    task = asyncio.create_task(price())
    return await task + await price()


def test_async():
    assert asyncio.run(both()) == 2


def consume(items):
    return list(items)


def numbers():
    yield net(1)


def test_generator():
    assert consume(numbers()) == [1]
"""


def test_threads_forks_and_coroutines_tell_nothing_false(at: Shop) -> None:
    """A thread's calls are of its test, a child process is told as unseen, whoever resumes a coroutine is not its caller."""
    at.repo.write("tests/test_ways.py", WAYS)
    assert at.run(command=(*PYTEST, "tests/test_ways.py", "-W", "ignore"))["run"]["results"] == {"passed": 4}
    with open_project(at.repo.path) as project:
        edges = [edge for file in project.ledger.analyses.files() for edge in project.ledger.analyses.edges(file.edges_digest).edges]
    found = {(edge.subject.qualified_name, edge.object.qualified_name) for edge in edges}
    assert {("both", "price"), ("price", "net"), ("numbers", "net"), ("gross", "net")} <= found
    assert ("consume", "numbers") not in found and ("test_fork", "net") not in found
    for how in ("edges", "functions"):
        at.run("--observe", how, command=(*PYTEST, "-W", "ignore"))
        at.change(PRICES, "net(price) * RATE", "RATE * net(price)")
        assert {test.rpartition("::")[2] for test in at.affected()} == {"test_thread", "test_fork", "test_gross[1]", "test_gross[2]", "test_total"}
        at.change(PRICES, "RATE * net(price)", "net(price) * RATE")


def test_a_file_that_changes_while_it_runs_is_not_spoken_of(at: Shop) -> None:
    """What was run of it is not known."""
    text = "from pathlib import Path\n\n\ndef test_write():\n    Path('shop/prices.py').write_text('RATE = 9\\n')\n"
    at.repo.write("tests/test_a_writes.py", text)
    answer = at.run()
    assert any("changed while it ran" in note for note in answer["notes"])
    with open_project(at.repo.path) as project:
        assert all(file.path != PRICES.encode() for file in project.ledger.analyses.files())


def test_reports_of_other_runners_are_read(at: Shop) -> None:
    """What the command itself wrote counts; a report that lay there before says nothing of this run."""
    report = at.repo.path / "out.xml"
    answer = at.run("--observe", "results", "--report", "out.xml", command=(*PYTEST, "--junitxml=out.xml", "-p", "no:knowledge_observer"))
    assert answer["run"]["results"] == {"passed": 6, "skipped": 1} and answer["run"]["tool"] == "junit"
    os.utime(report, (1, 1))
    stale = at.run("--report", "out.xml", command=("true",))
    assert stale["run"]["results"] == {} and any("was not written by this run" in note for note in stale["notes"])
    assert any("could not be read" in note for note in at.run("--report", "none.xml", command=("true",))["notes"])


def test_a_claim_rests_on_what_a_test_covered(at: Shop) -> None:
    """It stands while that is as it was, whatever else changes; it falls with what changed; a revert brings it back. Skipped shows nothing."""
    run = at.run()["run"]["id"]
    spec = f"run:{run}::tests/test_prices.py::test_total"
    answer = at.ask("claim", "record", "a basket adds up", "--evidence", spec, "--json")[1]
    claim = answer["claim"]["id"]
    assert [evidence["kind"] for evidence in answer["evidence"]] == ["test_result"] and answer["claim"]["status"] == "active"
    assert {anchor["kind"] for anchor in answer["anchors"]} == {"tests", "environment"}
    at.change(PRICES, "max(self", "max(*self")
    assert at.ask("claim", "show", claim, "--json")[1]["claim"]["status"] == "active"
    at.change(PRICES, "net(price) * RATE", "RATE * net(price)")
    fallen = at.ask("claim", "show", claim, "--json")[1]["claim"]
    assert fallen["status"] == "stale" and "shop/prices.py::gross" in fallen["causes"][0]["detail"]
    at.repo.commit("Turn it round")
    assert at.ask("claim", "show", claim, "--json")[1]["claim"]["status"] == "stale"
    at.change(PRICES, "RATE * net(price)", "net(price) * RATE")
    assert at.ask("claim", "show", claim, "--json")[1]["claim"]["status"] == "active"
    skipped = at.ask("claim", "record", "later works", "--evidence", f"run:{run}::tests/test_prices.py::test_later", "--json")[1]
    assert any("the test skipped" in note for note in skipped["notes"])
    assert at.ask("claim", "record", "x", "--evidence", f"run:{run}::tests/none.py::test_x", "--json")[0] == 2


def test_the_gate_says_what_was_not_checked(at: Shop) -> None:
    """Nothing checked is no pass; a change without a run, a test to run, a fallen claim and a claim on nothing are told one by one."""
    assert at.ask("gate", "--json")[1]["verdict"] == "warn"
    at.ask("claim", "record", "gross doubles", "--anchor", "body:shop/prices.py::gross", "--json")
    at.change(PRICES, "net(price) * RATE", "RATE * net(price)")
    assert {"tests-unknown", "stale-claim"} <= at.ask("gate", "--json")[1]["counts"].keys()
    at.run()
    at.ask("claim", "record", "all is well", "--anchor", "none", "--json")
    counts = at.ask("gate", "--json")[1]["counts"]
    assert "tests-unknown" not in counts and counts["claim-without-evidence"] == 1 and "test-to-run" not in counts
    at.change(PRICES, "RATE * net(price)", "RATE * net(price) + 0")
    code, answer = at.ask("gate", "--check", "--json")
    assert code == 1 and answer["verdict"] == "warn" and answer["counts"]["test-to-run"] == 3
    assert all(item["act"].startswith("knowledge ") for item in answer["items"])


def test_a_run_verifies_or_refutes_what_rests_on_it(at: Shop) -> None:
    """Only the commands that fallen claims cite are run again; the run says what came of it, and a revert brings the claim back."""
    run = at.run()["run"]["id"]
    at.ask("run", "--json", "--", sys.executable, "-c", "open('never', 'a').write('x')")
    (at.repo.path / "never").unlink()
    recorded = at.ask("claim", "record", "a basket adds up", "--evidence", f"run:{run}::tests/test_prices.py::test_total", "--json")[1]
    assert not any("unanchored" in note for note in recorded["notes"])
    claim = recorded["claim"]["id"]
    assert at.ask("reverify", "--run", "--json")[1]["ran"] == []
    at.change(PRICES, "net(price) * RATE", "RATE * net(price)")
    answer = at.ask("reverify", "--run", "--json")[1]
    assert [c["id"] for c in answer["verified"]] == [claim] and len(answer["ran"]) == 1 and answer["left"] == []
    verdict = at.ask("claim", "show", claim, "--json")[1]["verdicts"][-1]
    assert verdict["kind"] == "verified" and verdict["by"].startswith("run:r_")
    at.change(PRICES, "RATE * net(price)", "RATE + net(price)")
    assert at.ask("reverify", "--json")[1]["verified"] == []
    answer = at.ask("reverify", "--run", "--json")[1]
    assert [c["id"] for c in answer["refuted"]] == [claim] and answer["verified"] == []
    shown = at.ask("claim", "show", claim, "--json")[1]
    assert shown["claim"]["status"] == "needs_review" and "failed in" in shown["verdicts"][-1]["reason"]
    at.change(PRICES, "RATE + net(price)", "net(price) * RATE")
    assert at.ask("claim", "show", claim, "--json")[1]["claim"]["status"] in ("active", "verified")
    assert not (at.repo.path / "never").exists()


def test_a_run_decides_nothing_that_it_does_not_show(at: Shop) -> None:
    """What changed besides what its test covers is left to look at."""
    run = at.run()["run"]["id"]
    spec = f"run:{run}::tests/test_prices.py::test_net"
    at.ask("claim", "record", "baskets have a dearest", "--evidence", spec, "--anchor", "body:shop/prices.py::Basket.dearest", "--json")
    at.change(PRICES, "max(self", "max(*self")
    answer = at.ask("reverify", "--run", "--json")[1]
    assert answer["verified"] == [] and len(answer["left"]) == 1 and "dearest" in answer["notes"][0]


def test_a_run_from_elsewhere_is_not_executed(at: Shop, tmp_path: Path) -> None:
    """A command that came with an export is told, and left alone."""
    run = at.run()["run"]["id"]
    at.ask("claim", "record", "a basket adds up", "--evidence", f"run:{run}::tests/test_prices.py::test_total", "--json")
    export = tmp_path / "ledger.jsonl"
    at.ask("export", str(export), "--json")
    at.ask("uninit", "--delete-claims", "--yes", "--json")
    at.ask("init", "--no-hooks", "--json")
    at.ask("import", str(export), "--json")
    at.change(PRICES, "net(price) * RATE", "RATE * net(price)")
    answer = at.ask("reverify", "--run", "--json")[1]
    assert answer["ran"] == [] and answer["verified"] == [] and "recorded elsewhere" in answer["notes"][0]


def test_which_tests_exercise_a_path(at: Shop) -> None:
    """Those that ran every step of it, beside those that by the code reach its beginning; where there is no path that is said."""
    assert at.ask("tests", "of", "gross", "net", "--json")[1]["observed"] == 0
    at.run()
    answer = at.ask("tests", "of", "gross", "net", "--json")[1]
    ran = {edge["object"] for edge in answer["edges"] if edge["confidence_kind"] == "observed"}
    assert ran == {"tests/test_prices.py::test_gross", "tests/test_prices.py::test_total"}
    assert answer["notes"][0] == "path: shop/prices.py::gross → shop/prices.py::net"
    assert "no chain of calls" in at.ask("tests", "of", "net", "gross", "--json")[1]["notes"][0]


REPORT = """import pathlib, sys
text = pathlib.Path("shop/prices.py").read_text()
bad = "" if "RATE = 2" in text else '<failure message="no"/>'
case = '<testcase classname="tests.test_prices" file="tests/test_prices.py" name="test_net">' + bad + "</testcase>"
pathlib.Path(sys.argv[1]).write_text('<testsuite name="s" tests="1">' + case + "</testsuite>")
"""


def test_what_only_a_report_tells_counts_on_its_very_content(at: Shop, tmp_path: Path) -> None:
    """The gate tells a failure of which only a report speaks, and passes where the same content passed; a claim is verified and refuted by it."""
    report = tmp_path / "out.xml"
    told = ("--report", str(report))
    command = (sys.executable, "-c", REPORT, str(report))
    at.repo.write("shop/later.py", "LATER = 1\n")
    run = at.run(*told, command=command)["run"]
    assert run["results"] == {"passed": 1} and at.ask("gate", "--json")[1]["verdict"] == "pass"
    answer = at.ask("runs", "show", run["id"], "--json")
    assert answer[0] == 0
    test = "tests/test_prices.py::test_net"
    record = ("claim", "record", "net is free", "--evidence", f"run:{run['id']}::{test}", "--anchor", "body:shop/prices.py::net", "--json")
    claim = at.ask(*record)[1]["claim"]["id"]
    at.change(PRICES, "return price\n", "return price + 0\n")
    assert [c["id"] for c in at.ask("reverify", "--run", "--json")[1]["verified"]] == [claim]
    at.change(PRICES, "RATE = 2", "RATE = 3")
    at.change(PRICES, "return price + 0\n", "return price - 0\n")
    assert [c["id"] for c in at.ask("reverify", "--run", "--json")[1]["refuted"]] == [claim]
    assert at.ask("gate", "--json")[1]["counts"]["test-failing"] == 1


def test_tests_of_a_folder_with_settings_of_its_own_are_named_from_the_top(at: Shop) -> None:
    """The command that is told runs them from the top of the work tree."""
    at.repo.write("part/pytest.ini", "[pytest]\n")
    at.repo.write("part/tests/test_part.py", "def test_part():\n    assert True\n")
    at.run(command=(*PYTEST, "-c", "part/pytest.ini", "part/tests"))
    at.change("part/tests/test_part.py", "assert True", "assert 1")
    answer = at.ask("tests", "affected", "--json")[1]
    assert "part/tests/test_part.py::test_part" in answer["command"].split()
    acts = [item["act"] for item in at.ask("gate", "--json")[1]["items"]]
    assert "knowledge run -- pytest part/tests/test_part.py::test_part" in acts
