"""Static checks as evidence: which files a checker looked at, under which configuration, and whether that still holds in a tree.

"No error" is said only of files that the checker is known to have looked at: those that its command names, or that it found something in. A checked
file rests on itself, on all that its imports reach in the repository, and on the checker's configuration.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from knowledge.claims.covered import hash_of
from knowledge.claims.masking import mask
from knowledge.errors import InvalidRecordError
from knowledge.facts.importers.type_checks import CHECKERS, Finding, ToldCheck, read_check
from knowledge.operations.project import Project
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.identifiers import read_path, show_path
from knowledge.records.run_answers import GateItem
from knowledge.records.runs import Run
from knowledge.runs.command import Finished

DETAIL = "check"
"""Under what a run's detail keeps its check."""
_MOST_RUNS = 60
_MOST_KEPT = 2_000
"""Findings of one run that are kept whole; of further ones the count of each file is."""
_OWN_FILES = {
    "mypy": (b"mypy.ini", b".mypy.ini"), "pyright": (b"pyrightconfig.json",), "basedpyright": (b"pyrightconfig.json",), "ty": (b"ty.toml",),
    # Without settings of its own pyrefly takes those of the others.
    "pyrefly": (b"pyrefly.toml", b"mypy.ini", b".mypy.ini", b"pyrightconfig.json"),
}  # fmt: skip
_SHARED_FILES = (b"pyproject.toml", b"setup.cfg")
_DISTRIBUTION = re.compile(r"(?P<name>[\w.]+)-(?P<version>[^-]+)\.dist-info\Z")
_VALUED = re.compile(
    r"-[pmcO]\Z|--(?:package|module|command|project|config|python|venv|typeshed|output|format|[\w-]*(?:path|dir|file|report|excludes?|executable|xml))\Z"
)
"""Options behind which a word is their value, not something to look at."""
_PYTHON = (b".py", b".pyi")
_PASSED_OVER = frozenset({b"node_modules", b"site-packages", b"__pycache__", b"venv"})


def checker_of(command: Sequence[str]) -> str:
    """The checker that a command runs, as `mypy …`, `python -m mypy …` or `npx pyright …`; "" where it is none."""
    for number, word in enumerate(command[:4]):
        name = PurePath(word).name.lower()
        if name in CHECKERS and (
            number == 0 or command[number - 1] == "-m" or PurePath(command[0]).name in ("npx", "uv", "uvx", "poetry", "pdm", "hatch")
        ):
            return name
    return ""


def version_of(command: Sequence[str], tool: str, search_path: str | None) -> str:
    """The version that is installed beside the program which the command starts, by the name of its metadata folder; nothing is executed."""
    program = shutil.which(command[0], path=search_path) if command else None
    if program is None:
        return ""
    for folder in Path(program).parent.parent.glob(f"lib/python3*/site-packages/{tool}-*.dist-info"):
        if (found := _DISTRIBUTION.match(folder.name)) is not None and found["name"] == tool:
            return found["version"]
    return ""


def configuration(view: IndexedTree, tool: str, below: str = "", named: Sequence[str] = ()) -> str:
    """The hash of a checker's settings in the tree: its own files, its part of the shared ones, and the files that its command names as such."""
    found = [f"{path} {view.blob_id(read_path(path)) or 'gone'}" for path in named]
    for folder in sorted({b"", read_path(below)}):
        found += [f"{show_path(folder + name)} {blob}" for name in _OWN_FILES.get(tool, ()) if (blob := view.blob_id(folder + name)) is not None]
    found += [f"{path}:{key}={digest}" for path, key, digest in _settings(view, tool, below) if path.rpartition("/")[2].encode() in _SHARED_FILES]
    return hash_of("\n".join(sorted(found)).encode("utf-8", "surrogatepass"))


def _settings(view: IndexedTree, tool: str, below: str) -> Iterator[tuple[str, str, str]]:
    """(file, key, hash of the value) of a checker's settings."""
    parts = {"basedpyright": "basedpyright|pyright", "pyrefly": "pyrefly|mypy|pyright"}.get(tool, re.escape(tool))
    wanted = re.compile(rf"(?:tool\.)?(?:{parts})(?:[.\-]|\Z)")
    for folder in sorted({b"", read_path(below)}):
        for name in (*_SHARED_FILES, *_OWN_FILES.get(tool, ())):
            facts = view.facts(folder + name) if view.has_path(folder + name) else None
            for value in facts.values if facts is not None else ():
                if name not in _SHARED_FILES or wanted.match(value.key):
                    yield show_path(folder + name), value.key, value.digest


def named_settings(view: IndexedTree, words: Sequence[str], below: str) -> list[str]:
    """The files of the tree that a command names as its settings: `--config-file FILE`, `--config=FILE`, `--project FILE`, `-c FILE`.

    Of a folder named so (`--project FOLDER`) those that may hold settings, also where they are not there yet.
    """
    found = []
    for before, word in zip(("", *words), words, strict=False):
        option, _, value = word.rpartition("=") if word.startswith("-") else (before, "", word)
        if not (option in ("-p", "-c") or (option.startswith("-") and ("config" in option or "project" in option))):
            continue
        path = read_path(below + value)
        if view.blob_id(path):
            found.append(below + value)
        elif view.names_in(folder := path.rstrip(b"/")):
            found += [show_path(folder + b"/" + name) for name in sorted({*_SHARED_FILES, *(own for names in _OWN_FILES.values() for own in names)})]
    return found


def checked_files(view: IndexedTree, words: Sequence[str], below: str) -> tuple[list[bytes], list[bytes]]:
    """The Python files of the tree that the words of a command name, and those that lie in folders that they name.

    No checker looks into hidden folders, or those of packages, by itself; where a stub lies beside a module the stub is what is checked.
    """
    named, inside = set(), set()
    for before, word in zip(("", *words), words, strict=False):
        if word.startswith("-") or _VALUED.match(before):
            continue
        whole = (PurePath(below) / word).as_posix()
        path = b"" if whole == "." else read_path(whole)
        if path in view.files:
            named |= {path} if path.endswith(_PYTHON) else set()
            continue
        start = path + b"/" if path else b""
        for file in view.files:
            folders = file[len(start) :].split(b"/")[:-1]
            if file.startswith(start) and file.endswith(_PYTHON) and not any(f.startswith(b".") or f in _PASSED_OVER for f in folders):
                inside.add(file)
    inside -= {file for file in inside if file + b"i" in inside}
    return sorted(named), sorted(inside - named)


@dataclass(frozen=True, slots=True)
class HowChecked:
    """How a checker was called. words: its arguments; below: the folder it was called in, "" or with a slash at its end; root: of the work tree."""

    words: tuple[str, ...] = ()
    below: str = ""
    root: str = ""


def check_detail(told: ToldCheck, view: IndexedTree, how: HowChecked) -> tuple[dict[str, Any], list[str]]:
    """What a run keeps of a check, and what is to be said about it.

    `paths` and `blobs` are all that the checked files rest on, those first; `imports` tells who imports whom among them, by position.
    """
    here, elsewhere = _placed(told, view, how.below)
    looked_at, notes = _looked_at(told, view, how)
    checked = sorted({*looked_at, *(path for path, _ in here)})
    positions = {path: number for number, path in enumerate(checked)}
    imports: list[list[int]] = []
    front = [*checked]
    for path in front:
        direct = sorted(_imported(view, path))
        for other in direct:
            if other not in positions:
                positions[other] = len(positions)
                front.append(other)
        imports.append([positions[other] for other in direct])
    errors = Counter(show_path(path) for path, f in here if f.level == "error")
    named = named_settings(view, how.words, how.below)
    if not told.version:
        notes.append(f"the version of {told.tool} is not told")
    if elsewhere:
        notes.append(f"{elsewhere} findings are of files that this tree does not have")
    name = f"{told.tool} {told.version}".strip()
    notes.insert(0, f"{name}: {sum(errors.values())} errors in {len(errors)} of the {len(checked)} files that it is known to have looked at")
    return {
        "tool": told.tool,
        "version": told.version,
        "configuration": configuration(view, told.tool, how.below, named),
        "below": how.below,
        "settings": named,
        "options": [word for word in how.words if word.startswith("-")],
        "checked": len(checked),
        "paths": [show_path(path) for path in positions],
        "blobs": [view.blob_id(path) or "" for path in positions],
        "imports": imports,
        "errors": dict(errors),
        "findings": [[show_path(path), f.row, f.end_row, f.level, f.code, mask(f.message)] for path, f in here][:_MOST_KEPT],
    }, notes


def _placed(told: ToldCheck, view: IndexedTree, below: str) -> tuple[list[tuple[bytes, Finding]], int]:
    """The findings in files of the tree, and how many are elsewhere. A path is as seen from the folder of the command, or from the root."""
    found = []
    for finding in told.findings:
        paths = [path for path in (read_path(below + finding.path), read_path(finding.path)) if path in view.files]
        found += [(paths[0], finding)] if paths else []
    return found, len(told.findings) - len(found)


def _looked_at(told: ToldCheck, view: IndexedTree, how: HowChecked) -> tuple[list[bytes], list[str]]:
    """The files that the checker is known to have looked at, besides those with findings, and why they are no more."""
    if told.tool not in CHECKERS:
        return [], ["only what it found is evidence: its silence about a file is none"]
    named, inside = checked_files(view, how.words, how.below)
    if told.count is not None and told.count == len(named) + len(inside):
        return [*named, *inside], []
    is_picked = any("exclude" in word for word in how.words) or any("exclu" in key.lower() for _, key, _ in _settings(view, told.tool, how.below))
    if told.count is None and not (inside and is_picked):
        return [*named, *inside], [] if named or inside else ["it names no files, so only those are known to be checked in which something was found"]
    why = "leaves some out by its settings" if told.count is None else f"looked at {told.count} files, its command names {len(named) + len(inside)}"
    kept = named if told.count is None else []
    return kept, [f"{told.tool} {why}: only {'files that are named and ' if kept else ''}those with findings are known to be checked"]


def told_by_command(command: Sequence[str], finished: Finished, how: HowChecked) -> tuple[ToldCheck | None, str]:
    """What a checker's own output says, or why it says nothing."""
    tool = checker_of(command)
    if not tool:
        return None, ""
    if finished.ending != "exited" or finished.exit_code not in (0, 1) or finished.dropped:
        return None, f"{tool} did not come to an end that can be read, so nothing is recorded of any file"
    try:
        told = read_check(finished.output, how.root, tool)
    except InvalidRecordError as error:
        return None, f"nothing is recorded of any file: {error.message}"
    if finished.exit_code and not any(f.level == "error" for f in told.findings):
        return None, f"{tool} ended with 1 and no error of it could be read, so nothing is recorded of any file"
    return told, ""


def _imported(view: IndexedTree, path: bytes) -> set[bytes]:
    return {edge.object.path for edge in view.edges_of_file(path) if edge.predicate == "imports" and edge.object.path} - {path}


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What a check said of one file. reasons: why that does not hold in the tree; nothing where it does."""

    run: Run
    path: str
    errors: int
    reasons: tuple[str, ...]

    @property
    def check(self) -> Mapping[str, Any]:
        """What the run keeps of the check."""
        found: Mapping[str, Any] = self.run.detail[DETAIL]
        return found

    @property
    def said_by(self) -> str:
        """The tool, its version, and the hash of its configuration."""
        return f"{self.check['tool']} {self.check['version'] or '(version not told)'}, configuration {self.check['configuration'][:8]}"


class Checks:
    """The latest check of each file by each tool, and whether it holds in the tree of `view`."""

    def __init__(self, project: Project, view: IndexedTree) -> None:
        self._project, self._view = project, view

    @cached_property
    def known(self) -> Mapping[tuple[str, str], CheckedFile]:
        """(path, tool) → what its latest check said. A later run that did not look at a file takes nothing back."""
        found: dict[tuple[str, str], CheckedFile] = {}
        for run in self._project.ledger.runs.runs(_MOST_RUNS):
            check = run.detail.get(DETAIL)
            if check is None or not run.snapshot_key or check["tool"] not in CHECKERS:
                continue
            other = configuration(self._view, check["tool"], check["below"], check["settings"]) != check["configuration"]
            for position in range(check["checked"]):
                key = (check["paths"][position], check["tool"])
                if key not in found:
                    reasons = (*(("the checker's configuration changed",) if other else ()), *self._changed(check, position))
                    found[key] = CheckedFile(run, key[0], check["errors"].get(key[0], 0), reasons)
        return found

    def _changed(self, check: Mapping[str, Any], position: int) -> Iterator[str]:
        """What the file rests on and is not as it was, or that it did not rest on."""
        for at in closure(check, position):
            path = check["paths"][at]
            now = self._view.blob_id(read_path(path))
            if now != check["blobs"][at]:
                what = "it" if at == position else f"{path}, which its imports reach,"
                yield f"{what} is gone" if now is None else f"{what} changed"
            else:
                before = {check["paths"][other] for other in check["imports"][at]}
                for other in sorted({show_path(p) for p in _imported(self._view, read_path(path))} ^ before):
                    yield f"an import of {path} now leads elsewhere: {other}"


def closure(check: Mapping[str, Any], position: int) -> list[int]:
    """The positions of a checked file and of all that its imports reach; itself first."""
    found = {position: None}
    front = [position]
    for at in front:
        for other in check["imports"][at]:
            if other not in found:
                found[other] = None
                front.append(other)
    return list(found)


def gate_items(checks: Checks, touched: frozenset[str]) -> tuple[list[GateItem], int]:
    """What checks leave open of the files that the work touched or that rest on them, and how many checks hold."""
    items, held = [], 0
    for (path, tool), found in sorted(checks.known.items()):
        rests_on = {found.check["paths"][at] for at in closure(found.check, found.check["paths"].index(path))}
        if not rests_on & touched:
            continue
        act = "knowledge run -- " + " ".join(found.run.command) if found.run.command else f"knowledge run -- {tool}"
        if found.reasons:
            if any(reason == "it is gone" for reason in found.reasons):
                continue
            items.append(GateItem("type-check-stale", path, f"{found.said_by}: {'; '.join(found.reasons[:2])}", act))
        elif found.errors:
            items.append(GateItem("type-errors", path, f"{found.said_by}: {found.errors} errors in {found.run.id}", act))
        else:
            held += 1
    return items, held


def findings_of(check: Mapping[str, Any], path: str) -> list[Finding]:
    """What was found in a file."""
    return [Finding(*found) for found in check["findings"] if found[0] == path]


def setting_files(check: Mapping[str, Any]) -> list[str]:
    """The files that the settings of a check may stand in, there or not."""
    folders = dict.fromkeys(("", check["below"]))
    names = (*_OWN_FILES.get(check["tool"], ()), *_SHARED_FILES) if check["tool"] in CHECKERS else ()
    return [*dict.fromkeys((*check["settings"], *(folder + show_path(name) for folder in folders for name in names)))]
