"""Where a repository lies and where its HEAD stands, by reading its files: standard library only, for hot reads and hooks.

The project is its git common directory, shared by all linked worktrees; a `Location` is one worktree of it (or the bare repository).
GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE, which git sets for hooks, are not looked at: the directory that was asked about decides.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from knowledge.errors import NotARepositoryError
from knowledge.records.trees import Head

_LARGEST_FILE = 256 * 1024 * 1024
_LONGEST_CHAIN = 5
_PER_WORKTREE = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")
_OBJECT_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_SECTION = re.compile(rb"""\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)""", re.DOTALL)
_SETTING = re.compile(rb"\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?", re.DOTALL)
_VALUE_PART = re.compile(rb'"(?:[^"\\]|\\.)*"?|\\.|[#;].*|[^"\\#;]+|\\', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Location:
    """One worktree of a project, or a bare repository. All paths are absolute, without symlinks.

    common_dir: the project's identity. workdir None: bare. worktree_name "": the main worktree, else the name under `worktrees/`.
    """

    common_dir: Path
    git_dir: Path
    workdir: Path | None
    worktree_name: str


def locate(start: Path) -> Location:
    """The repository that holds `start`: a directory of a worktree, of a git directory, or a bare repository, or a file in one.

    Raises NotARepositoryError where there is none, or where what looks like one cannot be followed.
    """
    try:
        directory = start.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise NotARepositoryError(f"there is no directory {start}: {error}") from error
    if not stat.S_ISDIR(_mode(directory)):
        directory = directory.parent
    ceilings = {Path(name) for name in os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep) if name}
    for candidate in (directory, *directory.parents):
        location = location_at(candidate)
        if location is not None:
            return location
        if candidate.parent in ceilings:
            break
    raise NotARepositoryError(f"{directory} is not inside a git repository; go to one, or make one with `git init`")


def location_at(directory: Path) -> Location | None:
    """The repository whose worktree begins at `directory`, or whose git directory it is; its parents are not searched.

    Raises NotARepositoryError for a `.git` file that leads nowhere.
    """
    marker = directory / ".git"
    if _is_git_directory(marker):
        return _describe(marker.resolve(), directory)
    content = read_regular_file(marker)
    if content is not None:
        if not content.startswith(b"gitdir: "):
            raise NotARepositoryError(f"{marker} is a file without a `gitdir:` line, so it does not lead to a repository")
        target = directory / os.fsdecode(content[len(b"gitdir: ") :].rstrip(b"\r\n"))
        if not _is_git_directory(target):
            raise NotARepositoryError(f"{marker} leads to {target}, and there is no git directory; was the repository moved or deleted?")
        return _describe(target.resolve(), directory)
    if _is_git_directory(directory):
        return _describe(directory, _worktree_of(directory))
    return None


def head_of(location: Location) -> Head | None:
    """Where HEAD stands. None where files cannot tell (refs kept in a reftable, a damaged HEAD): ask git then."""
    return _head_in(location.git_dir, location.common_dir)


def linked_locations(common_dir: Path) -> list[Location]:
    """The linked worktrees of a project, by name; also those whose directory is gone."""
    found = []
    for git_dir in _children(common_dir / "worktrees"):
        target = read_regular_file(git_dir / "gitdir")
        if target is not None and _is_git_directory(git_dir):
            workdir = (git_dir / os.fsdecode(target.rstrip(b"\r\n"))).parent.resolve()
            found.append(Location(common_dir, git_dir, workdir, git_dir.name))
    return found


def has_replacements(location: Location) -> bool:
    """Whether any object is replaced by another (`git replace`)."""
    packed = read_regular_file(location.common_dir / "packed-refs") or b""
    return b" refs/replace/" in packed or bool(_children(location.common_dir / "refs" / "replace"))


def shallow_boundary(common_dir: Path) -> frozenset[str]:
    """The commits of a shallow clone whose parents were not fetched."""
    return frozenset((read_regular_file(common_dir / "shallow") or b"").decode("ascii", "replace").split())


def read_regular_file(path: Path) -> bytes | None:
    """The bytes of a regular file; None where there is none. Never waits for a pipe, never reads a device."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(status.st_size)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _children(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def _is_git_directory(directory: Path) -> bool:
    """git's own test: a HEAD, and beside it or in the common directory objects and refs."""
    head = directory / "HEAD"
    if not (stat.S_ISREG(_mode(head)) or _is_symlink(head)):
        return False
    common = _common_directory(directory)
    return stat.S_ISDIR(_mode(common / "objects")) and stat.S_ISDIR(_mode(common / "refs"))


def _mode(path: Path) -> int:
    """What lies at a path, as `stat` says it; 0 where that cannot be seen."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


def _is_symlink(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        return False


def _common_directory(git_dir: Path) -> Path:
    content = read_regular_file(git_dir / "commondir")
    return git_dir if content is None else git_dir / os.fsdecode(content.rstrip(b"\r\n"))


def _worktree_of(git_dir: Path) -> Path | None:
    """The worktree of a git directory that was found by itself, not through its worktree; None where that cannot be said."""
    backlink = read_regular_file(git_dir / "gitdir")
    if backlink is not None:
        return (git_dir / os.fsdecode(backlink.rstrip(b"\r\n"))).parent
    return git_dir.parent if git_dir.name == ".git" else None


def _describe(git_dir: Path, found_at: Path | None) -> Location:
    common_dir = _common_directory(git_dir).resolve()
    is_linked = common_dir != git_dir
    settings = dict(_settings(git_dir / "config"))
    if is_linked:
        shared = dict(_settings(common_dir / "config"))
        settings = {"extensions.worktreeconfig": shared.get("extensions.worktreeconfig", "false")}
    if _is_true(settings.get("extensions.worktreeconfig", "false")):
        settings |= dict(_settings(git_dir / "config.worktree"))
    workdir = found_at
    if "core.worktree" in settings:
        workdir = git_dir / settings["core.worktree"]
    elif _is_true(settings.get("core.bare", "false")):
        workdir = None
    return Location(common_dir, git_dir, workdir.resolve() if workdir else None, git_dir.name if is_linked else "")


def _head_in(git_dir: Path, common_dir: Path) -> Head | None:
    path = git_dir / "HEAD"
    if _is_symlink(path):
        name = str(path.readlink())
    else:
        text = _decode(read_regular_file(path) or b"").strip()
        if _OBJECT_ID.match(text):
            return Head(None, text)
        if not text.startswith("ref:"):
            return None
        name = text.removeprefix("ref:").strip()
    if name == "refs/heads/.invalid":
        return None
    branch = name.removeprefix("refs/heads/").encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Head(branch, _follow(name, git_dir, common_dir))


def _follow(name: str, git_dir: Path, common_dir: Path) -> str | None:
    """The object id that a ref leads to, through symbolic refs; None where it leads nowhere."""
    for _ in range(_LONGEST_CHAIN):
        if not name.startswith("refs/") or ".." in name.split("/"):
            return None
        home = git_dir if name.startswith(_PER_WORKTREE) else common_dir
        text = _decode(read_regular_file(home / name) or b"").strip()
        if _OBJECT_ID.match(text):
            return text
        if not text.startswith("ref:"):
            return _packed(name, common_dir)
        name = text.removeprefix("ref:").strip()
    return None


def _packed(name: str, common_dir: Path) -> str | None:
    content = read_regular_file(common_dir / "packed-refs") or b""
    end = content.find(b" " + name.encode("utf-8", "surrogateescape") + b"\n")
    object_id = _decode(content[content.rfind(b"\n", 0, end) + 1 : end]) if end >= 0 else ""
    return object_id if _OBJECT_ID.match(object_id) else None


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _is_true(value: str) -> bool:
    return value.lower() in {"true", "yes", "on", "1", ""}


def _settings(path: Path) -> Iterator[tuple[str, str]]:
    """The settings of one git configuration file as (section.subsection.key, value); a key without a value is ""."""
    content = (read_regular_file(path) or b"").replace(b"\r\n", b"\n").replace(b"\\\n", b"")
    section = ""
    for line in content.split(b"\n"):
        rest = line
        heading = _SECTION.match(line)
        if heading:
            section = _decode(heading[1]).lower() + (f".{_decode(heading[2])}" if heading[2] is not None else "")
            rest = heading[3]
        setting = _SETTING.match(rest)
        if setting:
            yield f"{section}.{_decode(setting[1]).lower()}", _value(setting[2] or b"")


def _value(text: bytes) -> str:
    parts = []
    for part in _VALUE_PART.findall(text):
        if part[:1] in (b"#", b";"):
            break
        if part[:1] == b'"':
            part = part[1:].removesuffix(b'"')
        parts.append(part.replace(b'\\"', b'"').replace(b"\\\\", b"\\"))
    return _decode(b"".join(parts).strip())
