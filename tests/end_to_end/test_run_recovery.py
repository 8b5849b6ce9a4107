"""A run whose recorder was killed, by the real command: nothing of what it told is lost, and nothing is said that was not seen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from run_fixtures import PYTEST, Shop, shop

SLOW = """import os
import time

from shop.prices import net


def test_before():
    assert net(1) == 1


def test_slow():
    open(os.environ["SIGN"], "w").close()
    while os.path.exists(os.environ["SIGN"]):
        time.sleep(0.02)
    assert net(2) == 2


def test_zz_after():
    assert net(3) == 3
"""


@pytest.fixture
def at(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The shop, with a test that goes on until it is let go."""
    monkeypatch.setenv("SIGN", str(tmp_path / "sign"))
    found = Shop(shop(tmp_path / "repo"), capsys)
    found.repo.write("tests/test_slow.py", SLOW)
    return found


def killed(at: Shop, *options: str, number: int = signal.SIGKILL) -> None:
    """`knowledge run` of the slow tests, killed while one of them is under way."""
    command = [sys.executable, "-m", "knowledge", "-C", str(at.repo.path), "run", *options, "--", *PYTEST, "tests/test_slow.py"]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: Path(os.environ["SIGN"]).exists())
    run.send_signal(number)
    run.wait(30)


def until(is_so: object, seconds: float = 30.0) -> None:
    """Wait for something, and fail where it does not come."""
    last = time.monotonic() + seconds
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < last
        time.sleep(0.02)


def left(at: Shop) -> list[str]:
    """Folders of runs that are still there."""
    folder = at.repo.path / ".git" / "knowledge" / "runs"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def listed(at: Shop, count: int) -> list[dict[str, object]]:
    """The runs that are listed, when there are so many."""
    found: list[dict[str, object]] = []

    def is_there() -> bool:
        found[:] = at.ask("runs", "--json")[1]["runs"]
        return len(found) == count

    until(is_there)
    return found


def test_a_killed_recorder_loses_nothing_that_was_told(at: Shop) -> None:
    """The tests go on without it; once they are over the next command records them, with what they rest on."""
    killed(at)
    assert at.ask("runs", "--json")[1]["runs"] == [] and len(left(at)) == 1
    Path(os.environ["SIGN"]).unlink()
    (run,) = listed(at, 1)
    assert (run["ending"], run["exit_code"], run["is_dirty"]) == ("unwatched", None, True)
    assert run["results"].get("passed", 0) + run["results"].get("unfinished", 0) == sum(run["results"].values())  # type: ignore[attr-defined]
    shown = at.ask("runs", "show", str(run["id"]), "--output", "--json")[1]
    assert any("who recorded it was killed" in note for note in shown["notes"])
    assert shown["environment"]["interpreter"].startswith("CPython") and left(at) == []
    assert "tests/test_slow.py::test_before" not in at.affected()
    at.change("shop/prices.py", "return price\n", "return price + 0\n")
    assert at.affected()["tests/test_slow.py::test_before"] == ("shop/prices.py::net changed",)


def test_what_changed_since_a_killed_run_began_is_not_spoken_of(at: Shop) -> None:
    """Content that ran and is another by now: its tests rest on more than is known, so they run again."""
    killed(at)
    at.change("shop/prices.py", "return price\n", "return price + 0\n")
    Path(os.environ["SIGN"]).unlink()
    (run,) = listed(at, 1)
    notes = at.ask("runs", "show", str(run["id"]), "--json")[1]["notes"]
    assert any("changed while it ran" in note and "shop/prices.py" in note for note in notes)
    assert at.affected()["tests/test_slow.py::test_before"] == ("shop/prices.py changed while it ran",)
    at.change("shop/prices.py", "return price + 0\n", "return price\n")
    assert "tests/test_slow.py::test_before" in at.affected()


def test_a_run_that_is_under_way_is_nobody_elses(at: Shop) -> None:
    """Its folder is held: another command leaves it alone, and it is recorded once."""
    command = [sys.executable, "-m", "knowledge", "-C", str(at.repo.path), "run", "--", *PYTEST, "tests/test_slow.py"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        until(lambda: Path(os.environ["SIGN"]).exists())
        assert at.ask("runs", "--json")[1]["runs"] == []
        Path(os.environ["SIGN"]).unlink()
        assert run.wait(60) == 0
    (recorded,) = listed(at, 1)
    assert (recorded["ending"], recorded["results"]) == ("exited", {"passed": 3}) and left(at) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_recorder_that_is_asked_to_end_ends_its_command(at: Shop, number: int) -> None:
    """It records what there is at once, and leaves no process behind."""
    killed(at, number=number)
    (run,) = listed(at, 1)
    assert run["ending"] == "interrupted" and left(at) == []


def test_a_folder_with_nothing_in_it_is_removed(at: Shop) -> None:
    """A recorder that was killed before its command began, and one before it held its folder."""
    home = at.repo.path / ".git" / "knowledge" / "runs"
    for name in ("r-begun", "r-old.new", "r-fresh.new"):
        (home / name).mkdir(parents=True)
    os.utime(home / "r-old.new", (1, 1))
    assert at.ask("runs", "--json")[1]["runs"] == [] and left(at) == ["r-fresh.new"]
