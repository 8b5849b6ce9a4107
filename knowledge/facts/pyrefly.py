"""Runs pyrefly, a type checker for Python, over a copy of a tree's files. It is an optional extra, of one pinned version.

It gets a configuration of ours and asks no interpreter, so that nothing the repository names is run: what it says then depends on the files and on
`CONFIGURATION` alone. Before its first answer counts it has to be right on a small known case (`probe`).
"""

from __future__ import annotations

import importlib.metadata
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from knowledge.errors import OutsideInputError, OutsideToolError
from knowledge.facts.importers.pyrefly import Place, PyreflyReport, read_pyrefly

TOOL, VERSION = "pyrefly", "1.5.0"
INSTALL = 'pip install "knowledge-runtime[pyrefly]"'
SECONDS = 600
"""A longer run is ended."""
MEMORY_BYTES = 8_000_000_000
"""Of address space."""
MAX_FILES, MAX_BYTES = 50_000, 1_000_000_000
"""Of a tree's Python files; more are refused."""
CONFIGURATION: Mapping[str, str] = {
    "preset": "default",
    "check-unannotated-defs": "true",
    "infer-return-types": "checked",
    "python-version": "3.13",
    "python-platform": "linux",
    "disable-search-path-heuristics": "true",
    "disable-project-excludes-heuristics": "true",
    "use-ignore-files": "false",
}
"""What it runs with, besides where modules lie. Without unannotated functions it would look into few bodies."""
_PROBE = {
    b"probe.py": b"""\
class Base:
    def named(self):
        return 1


class Child(Base):
    def named(self):
        return 2


def take(given: Base):
    return given.named()


def make():
    return take(Child())


def plain(anything):
    return make()
"""
}
_PROBED = {(11, 1, True, False), (15, 10, False, False), (15, 5, False, True), (19, 14, False, False)}
"""Of each call in the probe: its row, the row of what is called, whether overrides may run, whether it is a class."""


def run_pyrefly(files: Mapping[bytes, bytes], roots: Sequence[bytes]) -> PyreflyReport:
    """What pyrefly says of these files. roots: the directories in which modules lie, best first.

    Raises OutsideToolError where it is not installed, of another version, fails the probe or takes too long, and OutsideInputError.
    """
    if len(files) > MAX_FILES or sum(map(len, files.values())) > MAX_BYTES:
        raise OutsideToolError(f"the tree has more than {MAX_FILES:,} Python files or {MAX_BYTES:,} bytes of them; pyrefly is not run on it")
    _probe(_command())
    return _run(_command(), files, roots)


@cache
def _command() -> tuple[str, ...]:
    """How the pinned program is called. Raises OutsideToolError."""
    try:
        installed = importlib.metadata.version(TOOL)
    except importlib.metadata.PackageNotFoundError as error:
        raise OutsideToolError(f"pyrefly is not installed beside this program; it is an extra: {INSTALL}") from error
    if installed != VERSION:
        raise OutsideToolError(f"pyrefly {installed} is installed; expected {VERSION}, whose answers are known: {INSTALL}")
    return sys.executable, "-P", "-m", TOOL


@cache
def _probe(command: tuple[str, ...]) -> None:
    found = _run(command, _PROBE, [b""])
    calls = {(call.place.row, call.target.place.row, call.has_overrides, call.is_class) for call in found.calls if _is_written(call.place)}
    if calls != _PROBED or not found.bases or not found.overrides:
        raise OutsideToolError(f"pyrefly {VERSION} does not answer the known case as expected: {sorted(calls)} for {sorted(_PROBED)}")


def _is_written(place: Place) -> bool:
    return not place.kind


def _run(command: Sequence[str], files: Mapping[bytes, bytes], roots: Sequence[bytes]) -> PyreflyReport:
    with tempfile.TemporaryDirectory(prefix="knowledge-") as made:
        # Resolved: pyrefly names files by their real paths.
        folder = Path(made).resolve()
        root, report = folder / "tree", folder / "report"
        _write(root, files)
        searched = [str(root / os.fsdecode(directory)) for directory in roots]
        config = folder / "pyrefly.toml"
        config.write_text("", encoding="utf-8")
        options = [f"--{name}={value}" for name, value in CONFIGURATION.items()]
        arguments = [*command, "check", "-j", "2", "--config", str(config), "--skip-interpreter-query", *options]
        arguments += [part for directory in searched for part in ("--search-path", directory)]
        arguments += ["--report-pysa", str(report), "--report-pysa-format", "json", "--count-errors", "--min-severity", "error", "--", str(root)]
        _execute(arguments, folder)
        try:
            return read_pyrefly(report, root)
        except OutsideInputError as error:
            raise OutsideInputError(f"pyrefly {VERSION} ran, and its report cannot be read: {error.message}") from error


def _write(root: Path, files: Mapping[bytes, bytes]) -> None:
    for path, content in files.items():
        if path.startswith(b"/") or b".." in path.split(b"/"):
            raise OutsideInputError(f"the tree has the path {os.fsdecode(path)!r}, which leads out of it")
        file = root / os.fsdecode(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _execute(arguments: Sequence[str], folder: Path) -> None:
    """Run it with bounds. Its exit code tells of type errors: whether it worked is told by the report."""
    environment = {"PATH": os.defpath, "HOME": str(folder), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    try:
        done = subprocess.run(
            arguments, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False, preexec_fn=_bound
        )
    except subprocess.TimeoutExpired as error:
        raise OutsideToolError(f"pyrefly took longer than {SECONDS} s and was ended") from error
    except OSError as error:
        raise OutsideToolError(f"pyrefly cannot be started: {error}") from error
    if not (folder / "report" / "pyrefly.pysa.json").exists():
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise OutsideToolError(f"pyrefly {VERSION} wrote no report: {last[:300]}")


def _bound() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
