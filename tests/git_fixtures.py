"""Real git repositories for tests: small, deterministic, cut off from the configuration of whoever runs the tests.

    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    first = repo.commit("Add a")

`build_repository(path, [{"a.py": "x = 1\n"}, {"a.py": None, "b.py": "y = 2\n"}])` makes one commit of each dictionary; None deletes.
The same calls give the same commit ids everywhere: author, committer and clock are fixed, one minute a commit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

AUTHOR = "Ada Lovelace"
EMAIL = "ada@example.org"
START = 1_700_000_000
"""Seconds since the epoch of the first commit."""

_SETTINGS = (
    "core.fsync=none",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.file.allow=always",
    "commit.gpgSign=false",
    "advice.detachedHead=false",
    "init.defaultBranch=main",
)


def isolated_environment(time: int = START) -> dict[str, str]:
    """The environment of a git command that sees nothing of the user's configuration. `time` is author's and committer's clock."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_AUTHOR_NAME": AUTHOR,
        "GIT_AUTHOR_EMAIL": EMAIL,
        "GIT_AUTHOR_DATE": f"{time} +0000",
        "GIT_COMMITTER_NAME": AUTHOR,
        "GIT_COMMITTER_EMAIL": EMAIL,
        "GIT_COMMITTER_DATE": f"{time} +0000",
        "LC_ALL": "C",
    }


class GitRepo:
    """A repository under test, driven by the `git` command. Paths are relative to the work tree, as text or bytes."""

    def __init__(self, path: Path, *, commits_made: int = 0) -> None:
        self.path = path
        self._commits_made = commits_made

    @classmethod
    def create(cls, path: Path, *options: str) -> GitRepo:
        """`git init` with these options (`--bare`, `--object-format=sha256`) in a directory that need not exist yet."""
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "--quiet", *options)
        return repo

    def clone(self, path: Path, *options: str) -> GitRepo:
        """A clone through a file:// address, so that `--depth` and `--filter` mean something."""
        self.git("clone", "--quiet", *options, self.path.as_uri(), str(path))
        return GitRepo(path, commits_made=self._commits_made)

    def git_bytes(self, *args: str | bytes, stdin: bytes = b"") -> bytes:
        """What `git ARGS` printed. Raises CalledProcessError, with what git said as a note, where it failed."""
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        done = subprocess.run(
            ["git", *settings, *args], cwd=self.path, env=isolated_environment(self._time()), input=stdin, capture_output=True, check=False
        )
        if done.returncode:
            error = subprocess.CalledProcessError(done.returncode, ["git", *args], done.stdout, done.stderr)
            error.add_note(done.stderr.decode("utf-8", "replace"))
            raise error
        return done.stdout

    def git(self, *args: str | bytes, stdin: bytes = b"") -> str:
        """What `git ARGS` printed, as text without the last line feed."""
        return self.git_bytes(*args, stdin=stdin).decode("utf-8", "surrogateescape").rstrip("\n")

    def file(self, path: str | bytes) -> Path:
        return self.path / os.fsdecode(path)

    def write(self, path: str | bytes, content: str | bytes) -> Path:
        """Write a file of the work tree, making its directories; text as UTF-8, its line ends untouched."""
        target = self.file(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def symlink(self, path: str | bytes, text: str | bytes) -> Path:
        target = self.file(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.symlink_to(os.fsdecode(text))
        return target

    def delete(self, path: str | bytes) -> None:
        """Remove a file, a symlink or a whole directory from the work tree."""
        target = self.file(path)
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink()

    def rename(self, old: str | bytes, new: str | bytes) -> None:
        target = self.file(new)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.file(old).rename(target)

    def commit(self, message: str = "Change something") -> str:
        """Commit everything that lies in the work tree, ignored files apart, even where nothing changed. Returns the commit id."""
        self.git("add", "--all")
        return self._committed("commit", "--quiet", "--allow-empty", "--allow-empty-message", f"--message={message}")

    def amend(self, message: str | None = None) -> str:
        """Commit everything into the last commit. Returns the new id."""
        self.git("add", "--all")
        return self._committed("commit", "--quiet", "--amend", "--allow-empty", *(["--no-edit"] if message is None else [f"--message={message}"]))

    def branch(self, name: str, start: str = "HEAD") -> None:
        self.git("branch", name, start)

    def checkout(self, revision: str, *options: str) -> None:
        """`git checkout`; `"-b"` as an option makes a branch of that name."""
        self.git("checkout", "--quiet", *options, revision)

    def merge(self, revision: str, *options: str) -> str:
        """Merge with a commit of its own unless an option says otherwise. Returns the new HEAD. Conflicts raise CalledProcessError."""
        return self._committed("merge", "--quiet", "--no-ff", "--no-edit", *options, revision)

    def rebase(self, onto: str, *options: str) -> str:
        return self._committed("rebase", "--quiet", *options, onto)

    def stash(self, *options: str) -> None:
        """Put uncommitted work away, untracked files too; `stash("pop")` brings it back."""
        self.git("stash", *(options or ("push", "--quiet", "--include-untracked")))

    def tag(self, name: str, revision: str = "HEAD", *, message: str = "") -> None:
        """A light tag, or an annotated one where there is a message."""
        self.git("tag", *([f"--message={message}"] if message else []), name, revision)

    def worktree_add(self, path: Path, *options: str) -> GitRepo:
        """A linked worktree at `path`: `worktree_add(path, "-b", "topic")` on a new branch, `worktree_add(path, "--detach")`."""
        self.git("worktree", "add", "--quiet", *options, str(path))
        return GitRepo(path, commits_made=self._commits_made)

    def submodule_add(self, other: GitRepo, path: str) -> None:
        """Add another repository as a submodule; commit afterwards."""
        self.git("submodule", "--quiet", "add", str(other.path), path)

    def head(self) -> str:
        return self.revision("HEAD")

    def revision(self, name: str) -> str:
        """The object id of any expression."""
        return self.git("rev-parse", "--verify", name)

    def forget_unreachable(self) -> None:
        """Drop every object that no ref reaches, reflogs included, as git's own collection does in time."""
        self.git("reflog", "expire", "--expire=now", "--all")
        self.git("gc", "--quiet", "--prune=now")

    def _committed(self, *args: str) -> str:
        self.git(*args)
        self._commits_made += 1
        return self.head()

    def _time(self) -> int:
        return START + 60 * self._commits_made


def build_repository(path: Path, commits: Sequence[Mapping[str, str | bytes | None]], *options: str) -> GitRepo:
    """A new repository with one commit of each dictionary (path → content, None deletes). Messages are "Commit 1", "Commit 2" …"""
    repo = GitRepo.create(path, *options)
    for number, files in enumerate(commits, start=1):
        for name, content in files.items():
            if content is None:
                repo.delete(name)
            else:
                repo.write(name, content)
        repo.commit(f"Commit {number}")
    return repo
