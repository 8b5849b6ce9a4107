"""Opening the repository that a directory lies in."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from knowledge.repository.git_backend import GitBackend
from knowledge.repository.interface import Repository
from knowledge.repository.locate import Location, has_replacements, locate
from knowledge.repository.objects import Backend
from knowledge.repository.repository import GitRepository

SIZE_LIMIT = 32 * 1024 * 1024
"""Bytes of the largest object or file that is read into memory."""
_BARE = {"config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n", "HEAD": "ref: refs/heads/main\n"}
"""What makes a folder with `objects` and `refs` a repository; `HEAD` last, for by it the folder is taken for one."""


def open_repository(start: Path, *, backend: Literal["any", "git"] = "any", size_limit: int = SIZE_LIMIT) -> Repository:
    """The repository that `start` lies in: a directory or file of a worktree, a git directory, or a bare repository.

    backend: "git" reads through the `git` command even where libgit2 could, which spares a short-lived program the 0.1 s of importing it.
    "any" takes libgit2, except for what it cannot open or gets wrong: sha256, reftables, unknown extensions, replaced objects.
    Raises NotARepositoryError where there is none, where git refuses it (another user's), or where neither backend can open it.
    """
    location = locate(start)
    return GitRepository(location, _open_backend(location, backend, size_limit), size_limit)


def _open_backend(location: Location, backend: Literal["any", "git"], size_limit: int) -> Backend:
    if backend == "any" and not has_replacements(location):
        # Imported here because it imports pygit2: 0.1 s that whoever does not need it should not pay.
        from knowledge.repository.pygit2_backend import open_with_pygit2

        opened = open_with_pygit2(location, size_limit)
        if opened is not None:
            return opened
    return GitBackend(location, size_limit)


def create_bare(folder: Path) -> None:
    """Make an empty bare repository at `folder`, for its owner alone. What is there already stays."""
    for part in ("objects", "refs/heads"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    for name, content in _BARE.items():
        if not (folder / name).exists():
            (folder / name).write_text(content, encoding="utf-8")
