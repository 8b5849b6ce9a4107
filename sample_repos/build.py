"""Make real git repositories of the histories in this folder, the same ones each time: fixed authors, dates and commit ids.

    python -m sample_repos.build NAME DESTINATION [--until STEP]
    python -m sample_repos.build NAME                 lists the steps

A history is a Markdown file. Prose is for people; what is built is

    ## login — Let people log in       a commit: the step's name, and the commit's subject
    ```python app/login.py             a block with a path: the file's new content (the path may be a JSON string)
    ```diff app/login.py               what changes in the file: hunks apart by a line `@@`, each found exactly once
    ```message                         the rest of the commit's message
    - move OLD to NEW                  files and folders
    - delete PATH
    - decompose the text of PATH       its Unicode form becomes NFD, as some editors leave it
    - decompose the name of PATH       the same for the file's name, as some file systems leave it
    - revert STEP                      what that step's commit did is undone
    - branch NAME from STEP            the commit goes to a new branch
    - switch to NAME                   the commit goes to this branch

in the order in which they stand.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent
FIRST_COMMIT = 1_767_571_200
"""2026-01-05, midnight UTC; every commit comes an hour after the one before."""

_HEADING = re.compile(r"## (?P<name>[a-z0-9-]+) — (?P<subject>.+)")
_FENCE = re.compile(r"(?P<fence>`{3,})(?P<language>[^\s`]+)(?: (?P<path>\S.*))?")
_ACTIONS = (
    ("move", re.compile(r"- move (?P<first>\S+) to (?P<second>\S+)")),
    ("delete", re.compile(r"- delete (?P<first>\S+)")),
    ("decompose_text", re.compile(r"- decompose the text of (?P<first>\S+)")),
    ("decompose_name", re.compile(r"- decompose the name of (?P<first>\S+)")),
    ("revert", re.compile(r"- revert (?P<first>\S+)")),
    ("branch", re.compile(r"- branch (?P<first>\S+) from (?P<second>\S+)")),
    ("switch", re.compile(r"- switch to (?P<first>\S+)")),
)


@dataclass(frozen=True, slots=True)
class Action:
    """One change of a step. kind: write (a path, its content), edit (a path, hunks), or what a list item may begin with."""

    kind: str
    first: str
    second: str = ""


@dataclass(slots=True)
class Step:
    """One commit: its name within the history, its message, and the changes that make it, in order."""

    name: str
    message: str
    actions: list[Action] = field(default_factory=list)


def names() -> list[str]:
    """The histories in this folder."""
    return sorted(path.stem for path in FOLDER.glob("*.md"))


def read_history(name: str) -> list[Step]:
    """The steps of a history. Raises ValueError where there is none of that name, or where a line cannot be meant."""
    if name not in names():
        raise ValueError(f"no history {name!r} in {FOLDER}; there are: {', '.join(names())}")
    return parse_history((FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def parse_history(text: str) -> list[Step]:
    """The steps that a history's Markdown tells. Raises ValueError with the line that cannot be meant."""
    steps: list[Step] = []
    lines = enumerate(text.splitlines(), 1)
    for number, line in lines:
        if heading := _HEADING.fullmatch(line):
            steps.append(Step(heading["name"], heading["subject"]))
        elif line.startswith("## "):
            raise ValueError(f"line {number}: a step's heading is `## name — subject`, not {line!r}")
        elif steps and (fence := _FENCE.fullmatch(line)):
            content = _block(lines, fence["fence"], number)
            if fence["language"] == "message":
                steps[-1].message += "\n\n" + content
            elif fence["path"]:
                path = json.loads(fence["path"]) if fence["path"].startswith('"') else fence["path"]
                steps[-1].actions.append(Action("edit" if fence["language"] == "diff" else "write", path, content))
        elif steps and line.startswith("- "):
            steps[-1].actions.append(_action(line, number))
    return steps


def build(name: str, destination: Path, *, until: str = "") -> list[str]:
    """Make the repository in a new folder, up to and with the step `until` (default: all); the commit ids in order.

    Raises FileExistsError where the folder is there and not empty, ValueError for an unknown history or step.
    """
    steps = read_history(name)
    if until and until not in [step.name for step in steps]:
        raise ValueError(f"{name} has no step {until!r}; it has: {', '.join(step.name for step in steps)}")
    if destination.exists() and any(destination.iterdir()):
        raise FileExistsError(f"{destination} is not empty")
    destination.mkdir(parents=True, exist_ok=True)
    git(destination, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "Sample"), ("user.email", "sample@example.org"), ("core.precomposeUnicode", "false")):
        git(destination, "config", key, value)
    ids: list[str] = []
    for step in steps:
        ids.append(commit_step(destination, step, {done.name: id for done, id in zip(steps, ids, strict=False)}))
        if step.name == until:
            break
    return ids


def add_step(name: str, destination: Path, step_name: str) -> str:
    """Commit one step of a history on top of a repository that `build` made; the commit's id. Hooks run as in any commit."""
    steps = read_history(name)
    subjects = git(destination, "log", "--format=%H %s").splitlines()
    by_subject = {subject: revision for revision, _, subject in (line.partition(" ") for line in subjects)}
    done = {step.name: by_subject[step.message.partition("\n")[0]] for step in steps if step.message.partition("\n")[0] in by_subject}
    for step in steps:
        if step.name == step_name:
            return commit_step(destination, step, done)
    raise ValueError(f"{name} has no step {step_name!r}; it has: {', '.join(step.name for step in steps)}")


def commit_step(repository: Path, step: Step, done: dict[str, str]) -> str:
    """Make the changes of one step and commit them. `done`: the commit ids of earlier steps, by name."""
    for action in step.actions:
        _perform(repository, action, done)
    git(repository, "add", "--all")
    date = f"{FIRST_COMMIT + 3600 * len(git(repository, 'rev-list', '--all').split())} +0000"
    git(repository, "commit", "--quiet", "--allow-empty", "--message", step.message, date=date)
    return git(repository, "rev-parse", "HEAD").strip()


def git(repository: Path, *arguments: str, date: str = "") -> str:
    """Run git there, deaf to the machine's own configuration; what it prints. Raises CalledProcessError."""
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    done = subprocess.run(
        ["git", *arguments],
        cwd=repository,
        env=environment() | dates,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
    )
    return done.stdout


def environment() -> dict[str, str]:
    """This process's environment without what would make git behave differently elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}


def _edit(text: str, hunks: str) -> str:
    for hunk in hunks.split("@@\n"):
        lines = hunk.splitlines()
        old = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
        new = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
        if text.count(old) != 1:
            raise ValueError(f"this hunk is there {text.count(old)} times, not once:\n{hunk}")
        text = text.replace(old, new)
    return text


def _block(lines: enumerate[str], fence: str, start: int) -> str:
    content: list[str] = []
    for _, line in lines:
        if line == fence:
            return "".join(f"{line}\n" for line in content)
        content.append(line)
    raise ValueError(f"line {start}: this block does not end")


def _action(line: str, number: int) -> Action:
    for kind, pattern in _ACTIONS:
        if found := pattern.fullmatch(line):
            return Action(kind, *found.groups())
    raise ValueError(f"line {number}: no such action: {line!r}")


def _perform(repository: Path, action: Action, done: dict[str, str]) -> None:
    first, second = repository / action.first, repository / action.second
    match action.kind:
        case "write":
            first.parent.mkdir(parents=True, exist_ok=True)
            first.write_text(action.second, encoding="utf-8", newline="")
        case "edit":
            first.write_text(_edit(first.read_text(encoding="utf-8"), action.second), encoding="utf-8", newline="")
        case "move":
            second.parent.mkdir(parents=True, exist_ok=True)
            first.rename(second)
        case "delete":
            shutil.rmtree(first) if first.is_dir() else first.unlink()
        case "decompose_text":
            first.write_text(unicodedata.normalize("NFD", first.read_text(encoding="utf-8")), encoding="utf-8", newline="")
        case "decompose_name":
            first.rename(first.with_name(unicodedata.normalize("NFD", first.name)))
        case "revert":
            git(repository, "revert", "--no-commit", done[action.first])
        case "branch":
            git(repository, "switch", "--quiet", "--create", action.first, done[action.second])
        case "switch":
            git(repository, "switch", "--quiet", action.first)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 0, or 2 where what was asked cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m sample_repos.build", description="Make a git repository of a small scripted history.")
    parser.add_argument("name", choices=names())
    parser.add_argument("destination", type=Path, nargs="?", help="a new folder; without it the steps are listed")
    parser.add_argument("--until", default="", metavar="STEP", help="stop after this step")
    given = parser.parse_args(arguments)
    if given.destination is None:
        for step in read_history(given.name):
            print(f"{step.name:<16}{step.message.partition(chr(10))[0]}")
        return 0
    try:
        build(given.name, given.destination, until=given.until)
    except (ValueError, FileExistsError) as failure:
        print(failure, file=sys.stderr)
        return 2
    print(git(given.destination, "log", "--reverse", "--format=%h %s"), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
