"""Which folder git takes its hooks from, whose folder that is, and which hook manager has a say there."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from knowledge.errors import NotARepositoryError, RepositoryReadError

Reach = Literal["own", "worktree", "outside"]
"""Who sees a change there: this clone alone · everybody, because git would track it · every repository that shares the folder."""
Manager = Literal["", "husky", "lefthook", "pre-commit"]

LEFTHOOK_FILES = tuple(f"{dot}lefthook.{ending}" for dot in ("", ".") for ending in ("yml", "yaml", "toml", "json"))


@dataclass(frozen=True, slots=True)
class HookSite:
    """Where hooks of one repository lie.

    hooks_dir is where git looks; written_dir is where a person's hooks belong (under husky they differ). hooks_path is
    `core.hooksPath` as configured ("" where it is not set) and scope says in which of git's configurations.
    """

    common_dir: Path
    git_dir: Path
    top: Path | None
    hooks_dir: Path
    written_dir: Path
    hooks_path: str
    scope: str
    reach: Reach
    manager: Manager


def locate(directory: Path) -> HookSite:
    """Find the hooks of the repository that `directory` lies in.

    Raises NotARepositoryError, and RepositoryReadError where there is no git to ask.
    """
    answer = _git(directory, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--is-inside-work-tree")
    if answer is None:
        raise NotARepositoryError(f"{directory} is not in a git repository; give a folder inside one, or run `git init` there")
    git_dir, common_dir, is_inside = answer.decode(errors="surrogateescape").rstrip("\n").rsplit("\n", 2)
    top_answer = _git(directory, "rev-parse", "--show-toplevel") if is_inside == "true" else None
    top = Path(os.fsdecode(top_answer.rstrip(b"\n"))) if top_answer else None
    hooks_path, scope = _hooks_path(directory)
    hooks_dir = (top or Path(git_dir)) / hooks_path if hooks_path else Path(common_dir) / "hooks"
    written_dir = hooks_dir.parent if hooks_dir.parts[-2:] == (".husky", "_") else hooks_dir
    return HookSite(
        common_dir=Path(common_dir),
        git_dir=Path(git_dir),
        top=top,
        hooks_dir=hooks_dir,
        written_dir=written_dir,
        hooks_path=hooks_path,
        scope=scope,
        reach=_reach(written_dir, Path(common_dir), top),
        manager=_manager(hooks_dir, top),
    )


def _hooks_path(directory: Path) -> tuple[str, str]:
    answer = _git(directory, "config", "--show-scope", "--type=path", "--get", "core.hooksPath")
    if not answer:
        return "", ""
    scope, _, value = os.fsdecode(answer.rstrip(b"\n")).partition("\t")
    return value, scope


def _reach(folder: Path, common_dir: Path, top: Path | None) -> Reach:
    """Judged by where the folder really is: `.git/hooks` may be a link to a tracked folder."""
    real = folder.resolve()
    if real.is_relative_to(common_dir.resolve()):
        return "own"
    if top is None or not real.is_relative_to(top.resolve()):
        return "outside"
    is_tracked = bool(_git(top, "ls-files", "-z", "--", str(real)))
    is_ignored = _git(top, "check-ignore", "--quiet", "--", str(real / "post-commit")) is not None
    return "own" if is_ignored and not is_tracked else "worktree"


def _manager(hooks_dir: Path, top: Path | None) -> Manager:
    if ".husky" in hooks_dir.parts[-2:]:
        return "husky"
    if top is not None and any((top / name).is_file() for name in LEFTHOOK_FILES):
        return "lefthook"
    if top is not None and (top / ".pre-commit-config.yaml").is_file():
        return "pre-commit"
    return ""


def _git(directory: Path, *arguments: str) -> bytes | None:
    """What git answers; None where it refuses. Nothing of the repository is run: no file system monitor, no pager, no hook."""
    command = ["git", "-C", str(directory), "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    except FileNotFoundError as missing:
        raise RepositoryReadError("there is no `git` on PATH; install git, or add it to PATH") from missing
    return done.stdout if done.returncode == 0 else None
