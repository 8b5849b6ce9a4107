"""The writer lock: one at a time, told by whom, freed when its holder dies."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from knowledge.errors import StoreLockedError, StoreReadOnlyError
from knowledge.storage.lock import writer_lock

ROOT = Path(__file__).parents[2]
HOLDER = """
import pathlib, sys, time
from knowledge.storage.lock import writer_lock
with writer_lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def _holder(folder: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_second_process_is_told_who_holds_it(tmp_path: Path) -> None:
    """Whoever cannot have the lock hears the process id of its holder, and how long it waited."""
    with _holder(tmp_path) as child:
        with pytest.raises(StoreLockedError, match=rf"pid {child.pid}\).*waited 0\.1 s"), writer_lock(tmp_path, seconds=0.1):
            pass
        child.kill()


def test_lock_is_free_when_its_holder_dies(tmp_path: Path) -> None:
    """A killed process leaves no lock behind."""
    with _holder(tmp_path) as child:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        with writer_lock(tmp_path, seconds=0):
            pass


def test_lock_can_be_taken_again(tmp_path: Path) -> None:
    """The lock is free after its block, also after a failure inside."""
    with pytest.raises(RuntimeError), writer_lock(tmp_path):
        raise RuntimeError
    with writer_lock(tmp_path, seconds=0):
        pass


def test_no_lock_below_a_file(tmp_path: Path) -> None:
    """Where the lock's file cannot be made the error says so."""
    (tmp_path / "knowledge").touch()
    with pytest.raises(StoreReadOnlyError, match="cannot be written"), writer_lock(tmp_path):
        pass
