"""The observer on a Python with sys.monitoring: the one that runs in node, built for WebAssembly, so that it need not be installed here.

What it sees is what the observer sees on the Python of these tests, by other means.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from run_fixtures import FILES, PYTEST

from knowledge import observer
from knowledge.facts.importers.observer import Code, Seen, read_folder

PYODIDE = "pyodide@314.0.7"
PURE = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments")
"""Packages of Python alone, which work on any version."""
MOST_BYTES = 50_000_000
GENERATED = """

def numbers():
    yield net(1)


async def price():
    return net(2)


class Odd(dict):
    def __missing__(self, key):
        return net(key)


def test_ways():
    coroutine = price()
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert list(numbers()) == [1] and Odd()[3] == 3 and sorted([2, 1], key=net) == [1, 2]
"""
SCRIPT = """
import { loadPyodide } from "pyodide";
const { packages, observer, root, out, how } = JSON.parse(process.argv[2]);
const python = await loadPyodide();
const mounts = { "/packages": packages, "/observer": observer, "/root": root, "/out": out };
for (const [at, folder] of Object.entries(mounts)) {
  python.FS.mkdirTree(at);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, at);
}
python.globals.set("how", how);
// What node prints of an error by itself is the whole line of its source.
process.on("uncaughtException", (error) => console.log(String(error).slice(-1500)));
python.runPython(`
import os, sys
sys.path[:0] = ["/observer"]
sys.path.append("/packages")
sys.dont_write_bytecode = True
os.environ.update(KNOWLEDGE_OBSERVE_TO="/out", KNOWLEDGE_OBSERVE_ROOT="/root", KNOWLEDGE_OBSERVE=how)
os.environ.update(PYTEST_PLUGINS="knowledge_observer", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
os.chdir("/root")
import pytest
print("code", int(pytest.main(["-q", "-p", "no:faulthandler", "-p", "no:cacheprovider"])))
`);
"""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script, beside the Python that it runs, fetched by npm."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("pyodide")
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=0", PYODIDE]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=180)
    if done.returncode:
        pytest.skip(f"npm cannot fetch {PYODIDE}: {done.stderr.strip()[-200:]}")
    script = folder / "run.mjs"
    script.write_text(SCRIPT, encoding="utf-8")
    return script


def there(runner: Path, root: Path, out: Path, how: str) -> Seen:
    """What the observer sees on the new Python."""
    packages = runner.parent / "packages"
    for name in PURE:
        shutil.copytree(Path(pytest.__file__).parent.parent / name, packages / name, dirs_exist_ok=True)
    shutil.copy(Path(pytest.__file__).parent.parent / "py.py", packages)
    given = {"packages": str(packages), "observer": str(observer.FOLDER), "root": str(root), "out": str(out), "how": how}
    done = subprocess.run(["node", str(runner), json.dumps(given)], cwd=runner.parent, capture_output=True, text=True, check=False, timeout=180)
    assert "code 0" in done.stdout, done.stdout + done.stderr[-1_500:]
    return read_folder(out, MOST_BYTES)


def here(root: Path, out: Path, how: str) -> Seen:
    """What the observer sees on this Python."""
    given = {observer.TO: str(out), observer.ROOT: str(root), observer.HOW: how, "PYTHONPATH": str(observer.FOLDER)}
    variables = {**os.environ, **given, "PYTEST_PLUGINS": observer.MODULE, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(PYTEST, cwd=root, env=variables, capture_output=True, check=True, timeout=120)
    return read_folder(out, MOST_BYTES)


def told(seen: Seen) -> dict[str, Any]:
    """What is compared of it: outcomes, functions, calls with their lines, files."""

    def name(code: Code) -> str:
        return f"{code.path}::{code.name.replace('.<locals>', '')}"

    def is_function(code: Code) -> bool:
        return code.is_function and "<" not in code.name.rpartition(".")[2]

    return {
        test.test.rpartition("::")[2]: (
            test.outcome,
            sorted({name(code) for code in test.ran if is_function(code)}),
            sorted(
                {(name(call.caller), call.line, name(call.callee)) for call in test.calls if is_function(call.caller) and is_function(call.callee)}
            ),
            sorted(test.opened),
        )
        for test in seen.tests.values()
    }


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python has sys.monitoring itself")
@pytest.mark.parametrize("how", ["functions", "edges"])
def test_both_ways_of_observing_see_the_same(runner: Path, tmp_path: Path, how: str) -> None:
    """Functions, calls, generators, coroutines, operators, what native code calls, files that are opened."""
    root = tmp_path / "shop"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text + (GENERATED if path == "tests/test_prices.py" else ""), encoding="utf-8")
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    old, new = here(root, tmp_path / "here", how), there(runner, root, tmp_path / "there", how)
    assert {session["tracer"] for session in new.sessions} == {"monitoring"}
    assert told(new) == told(old) and len(told(new)) == 8
