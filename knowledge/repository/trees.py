"""Trees as git stores them: one object a directory, read when needed and kept for a while, since neighbouring revisions share most of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from knowledge.errors import RepositoryReadError
from knowledge.records.trees import FileEntry, FileKind, Snapshot
from knowledge.repository.objects import Backend, hash_object, is_object_id

_DIRECTORIES_KEPT = 8192
_LARGEST_LISTING = 1 << 30
"""Estimated bytes of memory that a listing may take: some three million files. Trees can be built that name more files than there are atoms."""
_ENTRY_COST = 250
_DIRECTORY_MODE = b"40000"
_KINDS: Mapping[bytes, FileKind] = {b"100644": "file", b"100664": "file", b"100755": "executable", b"120000": "symlink", b"160000": "submodule"}


@dataclass(frozen=True, slots=True)
class Directory:
    """One directory of a tree: its files by full path, and its directories' tree ids by full path with a slash at the end."""

    files: dict[bytes, FileEntry]
    directories: dict[bytes, str]
    cost: int


_NOTHING = Directory({}, {}, 0)


class TreeReader:
    """Reads trees and blobs of one repository."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.object_format = backend.object_format
        self.empty_tree = hash_object("tree", b"", backend.object_format)
        self._entry_pattern = re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % (len(self.empty_tree) // 2), re.DOTALL)
        self.directory = lru_cache(maxsize=_DIRECTORIES_KEPT)(self._read_directory)

    def list(self, tree_id: str) -> dict[bytes, FileEntry]:
        """Every file below a tree, sorted by path. Raises RepositoryReadError where a part is missing or it is far too large."""
        files: dict[bytes, FileEntry] = {}
        cost = 0
        waiting = [(b"", tree_id)]
        while waiting:
            prefix, directory_id = waiting.pop()
            directory = self.directory(directory_id, prefix)
            cost += directory.cost
            _check_cost(cost, tree_id)
            files.update(directory.files)
            waiting.extend(directory.directories.items())
        return dict(sorted(files.items()))

    def find(self, tree_id: str, path: bytes) -> FileEntry | None:
        """The entry at a path of a tree."""
        prefix, start = b"", 0
        directory = self.directory(tree_id, prefix)
        while (slash := path.find(b"/", start)) >= 0:
            prefix, start = path[: slash + 1], slash + 1
            directory_id = directory.directories.get(prefix)
            if directory_id is None:
                return None
            directory = self.directory(directory_id, prefix)
        return directory.files.get(path)

    def differing(self, old_id: str, new_id: str) -> dict[bytes, tuple[FileEntry | None, FileEntry | None]]:
        """Entries that differ between two trees; directories with equal ids are not read."""
        found: dict[bytes, tuple[FileEntry | None, FileEntry | None]] = {}
        cost = 0
        waiting: list[tuple[bytes, str | None, str | None]] = [(b"", old_id, new_id)] if old_id != new_id else []
        while waiting:
            prefix, *ids = waiting.pop()
            old, new = (_NOTHING if directory_id is None else self.directory(directory_id, prefix) for directory_id in ids)
            cost += old.cost + new.cost
            _check_cost(cost, new_id)
            for path, entry in new.files.items():
                before = old.files.get(path)
                if not is_same(before, entry):
                    found[path] = (before, entry)
            for path, entry in old.files.items():
                if path not in new.files:
                    found[path] = (entry, None)
            for path in old.directories.keys() | new.directories.keys():
                was, now = old.directories.get(path), new.directories.get(path)
                if was != now:
                    waiting.append((path, was, now))
        return found

    def read_blob(self, blob_id: str) -> bytes:
        """Raises RepositoryReadError where the blob is missing, too large or damaged."""
        found = self.backend.read_object(blob_id) if is_object_id(blob_id, self.object_format) else None
        if found is None or found[0] != "blob":
            raise RepositoryReadError(
                f"there is no blob {blob_id}; in a partial clone `git fetch` brings it, and objects without a ref are deleted in time"
            )
        return found[1]

    def read_blobs(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        return self.backend.read_blobs(blob_ids)

    def blob_size(self, blob_id: str) -> int | None:
        header = self.backend.read_header(blob_id) if is_object_id(blob_id, self.object_format) else None
        return header[1] if header is not None and header[0] == "blob" else None

    def _read_directory(self, tree_id: str, prefix: bytes) -> Directory:
        if tree_id == self.empty_tree:
            return _NOTHING
        found = self.backend.read_object(tree_id) if is_object_id(tree_id, self.object_format) else None
        if found is None or found[0] != "tree":
            raise RepositoryReadError(f"there is no tree {tree_id}; it was deleted, or never fetched into this partial clone")
        content = found[1]
        files: dict[bytes, FileEntry] = {}
        directories: dict[bytes, str] = {}
        length = 0
        for mode, name, object_id in self._entry_pattern.findall(content):
            length += len(mode) + len(name) + len(object_id) + 2
            path = prefix + name
            if mode.lstrip(b"0") == _DIRECTORY_MODE:
                directories[path + b"/"] = object_id.hex()
            else:
                files[path] = FileEntry(path, object_id.hex(), _KINDS.get(mode, "file"))
        if length != len(content):
            raise RepositoryReadError(f"tree {tree_id} is damaged: it is no list of entries")
        return Directory(files, directories, len(content) + (len(files) + len(directories)) * (len(prefix) + _ENTRY_COST))


class StoredTree:
    """The tree of a revision, or any tree that git has."""

    def __init__(self, reader: TreeReader, snapshot: Snapshot) -> None:
        self._reader = reader
        self._snapshot = snapshot
        self._entries: Mapping[bytes, FileEntry] | None = None

    @property
    def snapshot(self) -> Snapshot:
        return self._snapshot

    def entries(self) -> Mapping[bytes, FileEntry]:
        if self._entries is None:
            self._entries = MappingProxyType(self._reader.list(self._snapshot.tree_id))
        return self._entries

    def entry(self, path: bytes) -> FileEntry | None:
        return self._reader.find(self._snapshot.tree_id, path)

    def read(self, blob_id: str) -> bytes:
        return self._reader.read_blob(blob_id)

    def read_many(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        return self._reader.read_blobs(blob_ids)

    def size(self, blob_id: str) -> int | None:
        return self._reader.blob_size(blob_id)

    def remarks(self) -> Mapping[bytes, str]:
        return {}

    def uncommitted(self) -> Mapping[bytes, FileEntry | None]:
        return {}


def is_same(one: FileEntry | None, other: FileEntry | None) -> bool:
    """Whether two entries say the same of a path: kind and content."""
    if one is None or other is None:
        return one is other
    return one.blob_id == other.blob_id and one.kind == other.kind


def _check_cost(cost: int, tree_id: str) -> None:
    if cost > _LARGEST_LISTING:
        raise RepositoryReadError(f"tree {tree_id} names too many files to list: several millions, or paths of absurd length")
