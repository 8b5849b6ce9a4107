"""`HEAD+dirty`: the uncommitted state of a work tree as a tree like any other, laid over HEAD's by content.

The files count, not the index: staged or not, what lies there is what the tree says. `git status` names the candidates, by its own
rules about file times, ignored files and sparse checkouts, and reads nothing outside; what they contain is then read here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from knowledge.errors import NotARepositoryError, RepositoryReadError
from knowledge.records.trees import FileEntry, FileKind, Snapshot
from knowledge.repository.git_command import GitCommand
from knowledge.repository.line_ends import ATTRIBUTES, may_be_converted, may_be_encoded, stored_form, unapplied_filter
from knowledge.repository.locate import head_of, location_at
from knowledge.repository.objects import hash_object
from knowledge.repository.trees import StoredTree, is_same
from knowledge.repository.work_files import Found, look_at

_CONTENT_KEPT = 16 * 1024 * 1024
"""Bytes of uncommitted files that a tree keeps; the rest is read again when asked for, and compared with its id."""
_MODES: Mapping[bytes, FileKind] = {b"100644": "file", b"100755": "executable", b"120000": "symlink", b"160000": "submodule"}
_STATUS = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty", "--branch", "--no-ahead-behind")
_FILE_TIMES = re.compile(rb"([^\0]+)\0  ctime: .*\n  mtime: (\d+):(\d+)\n  dev: .*\n  uid: .*\n  size: (\d+)\t.*\n")
_HEAD_RECORD = b"# branch.oid "
_SETTINGS = r"^(filter\..*|core\.(filemode|symlinks|autocrlf))$"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A path that may differ from HEAD. staged: what the index has; is_examined: the file differs from that, so it must be read."""

    path: bytes
    staged: FileEntry | None
    is_examined: bool


@dataclass(frozen=True, slots=True)
class _Settings:
    filters: frozenset[str]
    has_modes: bool
    has_symlinks: bool
    converts_line_ends: bool


class WorkTree:
    """Reads the files of one work tree, in the form in which git would store them."""

    def __init__(self, git: GitCommand, workdir: Path, object_format: str, size_limit: int) -> None:
        self._git = git
        self._workdir = workdir
        self._object_format = object_format
        self._size_limit = size_limit

    def lay_over(self, base: StoredTree) -> StoredTree | OverlayTree | None:
        """The work tree's state over HEAD's tree; `base` itself where nothing differs, None where HEAD is not at `base` any more.

        Raises RepositoryReadError where git cannot tell.
        """
        settings = self._read_settings()
        head, candidates = self._read_status(settings)
        if head != base.snapshot.revision:
            return None
        reading = _Reading(self._workdir, self._object_format, self._size_limit, settings)
        reader = _FileReader(reading, base, self._attribute_lookup(candidates), cache(self._file_times))
        entries: dict[bytes, FileEntry | None] = {}
        kept = _Kept()
        for candidate in candidates:
            entry, content, remark = reader.read(candidate) if candidate.is_examined else (candidate.staged, None, "")
            if is_same(base.entry(candidate.path), entry):
                continue
            entries[candidate.path] = entry
            if entry is not None and entry is not candidate.staged:
                kept.add(entry, candidate, content, remark)
        return OverlayTree(base, dict(sorted(entries.items())), kept, reader) if entries else base

    def _read_settings(self) -> _Settings:
        answer = self._git.ask("config", "--null", "--get-regexp", _SETTINGS)
        values: dict[str, str] = {}
        for setting in answer.output.decode("utf-8", "surrogateescape").split("\0"):
            name, has_value, value = setting.partition("\n")
            values[name] = value if has_value else "true"
        filters = frozenset(name.removeprefix("filter.").rpartition(".")[0] for name in values if name.startswith("filter."))
        if any("=" in name or "\n" in name for name in filters):
            raise RepositoryReadError(
                "the work tree is not read: git's configuration has a filter whose name holds `=`, which cannot be switched off"
            )
        return _Settings(
            filters=filters,
            has_modes=_is_on(values.get("core.filemode", "true")),
            has_symlinks=_is_on(values.get("core.symlinks", "true")),
            converts_line_ends=values.get("core.autocrlf", "").lower() == "input" or _is_on(values.get("core.autocrlf", "false")),
        )

    def _read_status(self, settings: _Settings) -> tuple[str | None, list[_Candidate]]:
        """The commit that git compared with (None: no commit yet), and what may differ from it."""
        switches = [f"filter.{name}.{key}" for name in sorted(settings.filters) for key in ("clean=", "smudge=", "process=", "required=false")]
        options = [part for switch in switches for part in ("-c", switch)]
        head = None
        found: dict[bytes, _Candidate] = {}
        for record in self._git.run(*options, *_STATUS, in_workdir=True).split(b"\0"):
            if record.startswith(_HEAD_RECORD):
                named = record[len(_HEAD_RECORD) :].decode("ascii", "replace")
                head = None if named == "(initial)" else named
            candidate = _read_record(record)
            if candidate is not None:
                found[candidate.path] = candidate
        return head, list(found.values())

    def _attribute_lookup(self, candidates: list[_Candidate]) -> Callable[[bytes], Mapping[str, str]]:
        """Attributes by path, all asked for at the first question: most work trees never need them."""
        known: dict[bytes, dict[str, str]] = {}

        def look_up(path: bytes) -> Mapping[str, str]:
            if not known:
                paths = b"".join(candidate.path + b"\0" for candidate in candidates)
                fields = self._git.run("check-attr", "-z", "--stdin", *ATTRIBUTES, stdin=paths, in_workdir=True).split(b"\0")
                for of, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
                    known.setdefault(of, {})[name.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
            return known.get(path, {})

        return look_up

    def _file_times(self) -> Mapping[bytes, tuple[int, int]]:
        """By path: time of change (nanoseconds) and size (modulo 2**32) of files that are certainly as the index has them.

        git compares whole seconds, and reads a file again that was changed in the second in which the index was written. Where it cannot
        read it rightly, without its filter, the nanoseconds that it has noted decide.
        """
        try:
            written = (self._git.location.git_dir / "index").stat().st_mtime_ns
        except OSError:
            return {}
        found = {}
        for path, seconds, nanoseconds, size in _FILE_TIMES.findall(self._git.run("ls-files", "--debug", "-z", in_workdir=True)):
            changed = int(seconds) * 10**9 + int(nanoseconds)
            if changed < written:
                found[path] = (changed, int(size))
        return found


@dataclass(frozen=True, slots=True)
class _Reading:
    """Where and how files are read."""

    workdir: Path
    object_format: str
    size_limit: int
    settings: _Settings


class _FileReader:
    """Reads candidates: their entry, their bytes as git would store them, and what must be said of them."""

    def __init__(
        self,
        reading: _Reading,
        base: StoredTree,
        attributes_of: Callable[[bytes], Mapping[str, str]],
        file_times: Callable[[], Mapping[bytes, tuple[int, int]]],
    ) -> None:
        self._reading = reading
        self._base = base
        self._attributes_of = attributes_of
        self._file_times = file_times

    def read(self, candidate: _Candidate) -> tuple[FileEntry | None, bytes | None, str]:
        """The entry (the staged one itself where the file is as the index has it), content and remark of a path as it lies there."""
        found = look_at(self._reading.workdir, candidate.path, self._reading.size_limit)
        if found.kind == "absent":
            return None, None, ""
        if found.kind == "directory":
            return self._read_submodule(candidate), None, ""
        kind = self._kind(found, candidate.staged)
        filtered = self._unapplied_filter(found, candidate)
        if filtered and candidate.staged is not None and candidate.staged.kind == kind and self._has_noted_time(found, candidate.path):
            return candidate.staged, None, ""
        if found.content is None:
            # No content, so no blob id: an id of another kind of object, which changes with the file's size and time.
            stamp = hash_object("unread", b"%d %d" % (found.size, found.modified), self._reading.object_format)
            return FileEntry(candidate.path, stamp, kind, found.size), None, found.reason
        content = found.content if filtered or kind == "symlink" else self._convert(found.content, candidate)
        return FileEntry(candidate.path, hash_object("blob", content, self._reading.object_format), kind, len(content)), content, filtered

    def _kind(self, found: Found, staged: FileEntry | None) -> FileKind:
        """The kind of entry; the index decides where the file system has no executable files or no symlinks."""
        if found.kind == "symlink":
            return "symlink"
        if not self._reading.settings.has_symlinks and staged is not None and staged.kind == "symlink":
            return "symlink"
        if not self._reading.settings.has_modes:
            return "executable" if staged is not None and staged.kind == "executable" else "file"
        return "executable" if found.is_executable else "file"

    def _unapplied_filter(self, found: Found, candidate: _Candidate) -> str:
        filters = self._reading.settings.filters
        if found.kind == "symlink" or not (filters or may_be_encoded(found.content)):
            return ""
        return unapplied_filter(self._attributes_of(candidate.path), filters)

    def _has_noted_time(self, found: Found, path: bytes) -> bool:
        return self._file_times().get(path) == (found.modified, found.size % 2**32)

    def _convert(self, content: bytes, candidate: _Candidate) -> bytes:
        if not may_be_converted(content):
            return content
        converts = self._reading.settings.converts_line_ends
        return stored_form(content, self._attributes_of(candidate.path), converts, lambda: self._staged_content(candidate))

    def _staged_content(self, candidate: _Candidate) -> bytes:
        if candidate.staged is None or candidate.staged.kind == "submodule":
            return b""
        try:
            return self._base.read(candidate.staged.blob_id)
        except RepositoryReadError:
            return b""

    def _read_submodule(self, candidate: _Candidate) -> FileEntry | None:
        """A submodule stands at the commit that its own HEAD names; without a repository in it, where the index says. Its files are not read."""
        staged = candidate.staged
        if staged is None or staged.kind != "submodule":
            return None
        try:
            location = location_at((self._reading.workdir / candidate.path.decode("utf-8", "surrogateescape")).resolve())
        except NotARepositoryError:
            return staged
        head = head_of(location) if location is not None else None
        return staged if head is None or head.revision is None else replace(staged, blob_id=head.revision)


class _Kept:
    """Where the content of uncommitted entries is: in memory while there is room, else to be read again."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.candidates: dict[str, _Candidate] = {}
        self.sizes: dict[str, int] = {}
        self.unread: dict[str, str] = {}
        self.remarks: dict[bytes, str] = {}
        self._room = _CONTENT_KEPT

    def add(self, entry: FileEntry, candidate: _Candidate, content: bytes | None, remark: str) -> None:
        if remark:
            self.remarks[entry.path] = remark
        if entry.kind == "submodule":
            return
        self.sizes[entry.blob_id] = entry.size
        self.candidates[entry.blob_id] = candidate
        if content is None:
            self.unread[entry.blob_id] = remark
        elif len(content) <= self._room and entry.blob_id not in self.contents:
            self._room -= len(content)
            self.contents[entry.blob_id] = content


class OverlayTree:
    """HEAD's tree with uncommitted files laid over it. Their content is that of the moment it was made, or cannot be read any more."""

    def __init__(self, base: StoredTree, changed: dict[bytes, FileEntry | None], kept: _Kept, reader: _FileReader) -> None:
        self._base = base
        self._changed = MappingProxyType(changed)
        self._kept = kept
        self._reader = reader
        self._entries: Mapping[bytes, FileEntry] | None = None
        stored = base.snapshot
        self._snapshot = Snapshot(f"{stored.tree_id}+{_digest(changed)}", stored.tree_id, stored.revision, "HEAD+dirty", is_dirty=True)

    @property
    def snapshot(self) -> Snapshot:
        return self._snapshot

    def entries(self) -> Mapping[bytes, FileEntry]:
        if self._entries is None:
            merged = {**self._base.entries(), **self._changed}
            self._entries = MappingProxyType({path: entry for path, entry in sorted(merged.items()) if entry is not None})
        return self._entries

    def entry(self, path: bytes) -> FileEntry | None:
        return self._changed[path] if path in self._changed else self._base.entry(path)

    def read(self, blob_id: str) -> bytes:
        kept = self._kept
        if blob_id in kept.contents:
            return kept.contents[blob_id]
        if blob_id not in kept.candidates:
            return self._base.read(blob_id)
        path = kept.candidates[blob_id].path.decode("utf-8", "backslashreplace")
        if blob_id in kept.unread:
            raise RepositoryReadError(f"{path} was not read: {kept.unread[blob_id]}")
        entry, content, _ = self._reader.read(kept.candidates[blob_id])
        if entry is None or content is None or entry.blob_id != blob_id:
            raise RepositoryReadError(f"{path} has changed since the work tree was looked at; ask again")
        return content

    def read_many(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        asked = list(blob_ids)
        stored = self._base.read_many(blob_id for blob_id in asked if blob_id not in self._kept.candidates)
        for blob_id in asked:
            if blob_id in self._kept.candidates:
                yield blob_id, self._read_or_none(blob_id)
            else:
                yield next(stored)

    def size(self, blob_id: str) -> int | None:
        return self._kept.sizes[blob_id] if blob_id in self._kept.sizes else self._base.size(blob_id)

    def remarks(self) -> Mapping[bytes, str]:
        return self._kept.remarks

    def uncommitted(self) -> Mapping[bytes, FileEntry | None]:
        return self._changed

    def _read_or_none(self, blob_id: str) -> bytes | None:
        try:
            return self.read(blob_id)
        except RepositoryReadError:
            return None


def _read_record(record: bytes) -> _Candidate | None:
    """One record of `git status --porcelain=v2 -z`; None for what is no file of ours: headers, and repositories that lie inside this one."""
    if record.startswith(b"? "):
        return None if record.endswith(b"/") else _Candidate(record[2:], None, True)
    if record.startswith(b"1 "):
        _, letters, _, _, mode, _, _, object_id, path = record.split(b" ", 8)
        return _Candidate(path, _staged_entry(path, mode, object_id), letters[1:] != b".")
    if record.startswith(b"u "):
        _, _, _, _, mode, _, _, _, object_id, _, path = record.split(b" ", 10)
        return _Candidate(path, _staged_entry(path, mode, object_id), True)
    return None


def _staged_entry(path: bytes, mode: bytes, object_id: bytes) -> FileEntry | None:
    return None if mode == b"000000" else FileEntry(path, object_id.decode("ascii"), _MODES.get(mode, "file"))


def _digest(changed: Mapping[bytes, FileEntry | None]) -> str:
    digest = hashlib.sha256()
    for path, entry in sorted(changed.items()):
        kind, blob_id = ("deleted", "") if entry is None else (entry.kind, entry.blob_id)
        digest.update(b"%s\0%s\0%s\n" % (path, kind.encode(), blob_id.encode()))
    return digest.hexdigest()[:32]


def _is_on(value: str) -> bool:
    return value.lower() in {"true", "yes", "on", "1", ""}
