"""One git repository as the rest of the product sees it, over either backend."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from knowledge.errors import RepositoryReadError, UnknownRevisionError
from knowledge.records.trees import Commit, EntryChange, Head, Snapshot, Worktree
from knowledge.repository.git_command import GitCommand
from knowledge.repository.interface import Tree
from knowledge.repository.locate import Location, linked_locations, location_at, shallow_boundary
from knowledge.repository.objects import Backend, hash_object, is_object_id, parse_commit, tag_target
from knowledge.repository.overlay import WorkTree
from knowledge.repository.revisions import DIRTY, check_expression, unknown_revision
from knowledge.repository.trees import StoredTree, TreeReader, is_same

_LONGEST_TAG_CHAIN = 10
_RECENT_COMMITS = 1000
_ATTEMPTS = 5
_SHORT_ID = 10


class GitRepository:
    """Implements `interface.Repository`."""

    def __init__(self, location: Location, backend: Backend, size_limit: int) -> None:
        self._location = location
        self._backend = backend
        self._size_limit = size_limit
        self._trees = TreeReader(backend)

    @property
    def backend(self) -> str:
        return self._backend.name

    @property
    def object_format(self) -> str:
        return self._backend.object_format

    @property
    def common_dir(self) -> Path:
        return self._location.common_dir

    @property
    def git_dir(self) -> Path:
        return self._location.git_dir

    @property
    def workdir(self) -> Path | None:
        return self._location.workdir

    @property
    def worktree_name(self) -> str:
        return self._location.worktree_name

    @property
    def is_shallow(self) -> bool:
        return bool(shallow_boundary(self.common_dir))

    def head(self) -> Head:
        return self._backend.head_of(self._location)

    def worktrees(self) -> list[Worktree]:
        locations = linked_locations(self.common_dir)
        main = location_at(self.common_dir)
        if main is not None and main.workdir is not None:
            locations.insert(0, main)
        return [
            Worktree(location.worktree_name, location.workdir, self._backend.head_of(location))
            for location in locations
            if location.workdir is not None
        ]

    def resolve(self, name: str) -> str:
        check_expression(name)
        object_id = name if is_object_id(name, self.object_format) else self._backend.find_object(name)
        revision, kind = self._peel(object_id) if object_id is not None else (None, "")
        if revision is not None:
            return revision
        if kind:
            raise UnknownRevisionError(f"{name!r} names a {kind}, not a commit")
        raise unknown_revision(name, self.refs(), self._recent_revisions)

    def commit(self, revision: str) -> Commit:
        return self._read_commit(self.resolve(revision), shallow_boundary(self.common_dir))

    def has_object(self, object_id: str) -> bool:
        return is_object_id(object_id, self.object_format) and self._backend.read_header(object_id) is not None

    def tree(self, name: str | None = None) -> Tree:
        if name == DIRTY:
            return self._uncommitted_tree()
        if name is None or name == "HEAD":
            return self._head_tree()
        if is_object_id(name, self.object_format) and self._is_tree(name):
            return StoredTree(self._trees, Snapshot(name, name, None, f"tree {name[:_SHORT_ID]}"))
        label = name[:_SHORT_ID] if is_object_id(name, self.object_format) else name
        return self._tree_of(self.resolve(name), label)

    def diff(self, old: Tree, new: Tree) -> list[EntryChange]:
        stored = self._trees.differing(old.snapshot.tree_id, new.snapshot.tree_id)
        found = {path: EntryChange(path, before, after) for path, (before, after) in stored.items()}
        for path in old.uncommitted().keys() | new.uncommitted().keys():
            before, after = old.entry(path), new.entry(path)
            if is_same(before, after):
                found.pop(path, None)
            else:
                found[path] = EntryChange(path, before, after)
        return [found[path] for path in sorted(found)]

    def walk(self, start: str, *, first_parent: bool = False, limit: int = 0) -> Iterator[Commit]:
        commits = self._walk(self.resolve(start), first_parent)
        return islice(commits, limit) if limit else commits

    def changed_paths(self, commit: Commit) -> list[bytes]:
        parent = self.commit(commit.parents[0]).tree_id if commit.parents else self._trees.empty_tree
        return sorted(self._trees.differing(parent, commit.tree_id))

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        return self._backend.is_ancestor(self.resolve(ancestor), self.resolve(descendant))

    def merge_base(self, one: str, other: str) -> str | None:
        return self._backend.merge_base(self.resolve(one), self.resolve(other))

    def count_between(self, old: str, new: str) -> int:
        return self._backend.count_between(self.resolve(old), self.resolve(new))

    def refs(self) -> dict[str, str]:
        found = {}
        for name, object_id in self._backend.references():
            revision, _ = self._peel(object_id)
            if revision is not None:
                found[name] = revision
        return dict(sorted(found.items()))

    def user_name(self) -> str:
        return GitCommand(self._location).ask("config", "--get", "user.name").output.decode("utf-8", "replace").strip()

    def hash_blob(self, content: bytes) -> str:
        return hash_object("blob", content, self.object_format)

    def _peel(self, object_id: str) -> tuple[str | None, str]:
        """The commit that an object is or, as a tag, leads to, and the kind of what it leads to; "" where that is not there."""
        for _ in range(_LONGEST_TAG_CHAIN):
            header = self._backend.read_header(object_id) if is_object_id(object_id, self.object_format) else None
            if header is None:
                return None, ""
            if header[0] != "tag":
                return (object_id if header[0] == "commit" else None), header[0]
            tag = self._backend.read_object(object_id)
            object_id = tag_target(tag[1]) if tag is not None else ""
        return None, "tag"

    def _is_tree(self, object_id: str) -> bool:
        header = self._backend.read_header(object_id)
        return object_id == self._trees.empty_tree or (header is not None and header[0] == "tree")

    def _read_commit(self, revision: str, boundary: frozenset[str]) -> Commit:
        content = self._backend.read_commit(revision)
        if content is None:
            raise RepositoryReadError(f"commit {revision} cannot be read; `git fsck` tells what is missing")
        return parse_commit(revision, content, is_boundary=revision in boundary)

    def _head_tree(self) -> StoredTree:
        head = self.head()
        if head.revision is None:
            empty = self._trees.empty_tree
            return StoredTree(self._trees, Snapshot(empty, empty, None, head.branch or "HEAD"))
        return self._tree_of(head.revision, head.branch or head.revision[:_SHORT_ID])

    def _tree_of(self, revision: str, label: str) -> StoredTree:
        tree_id = self.commit(revision).tree_id
        shown = label.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return StoredTree(self._trees, Snapshot(tree_id, tree_id, revision, shown))

    def _uncommitted_tree(self) -> Tree:
        if self.workdir is None:
            return self._head_tree()
        work_tree = WorkTree(GitCommand(self._location), self.workdir, self.object_format, self._size_limit)
        for _ in range(_ATTEMPTS):
            found = work_tree.lay_over(self._head_tree())
            if found is not None:
                return found
        raise RepositoryReadError("HEAD moved each time that the work tree was looked at; ask again when git is at rest")

    def _walk(self, start: str, first_parent: bool) -> Iterator[Commit]:
        """Newest first by committer's time, never a commit before the one through which it was reached."""
        boundary = shallow_boundary(self.common_dir)
        order = count()
        first = self._read_commit(start, boundary)
        waiting = [(-first.committed_at, next(order), first)]
        seen = {start}
        while waiting:
            _, _, commit = heapq.heappop(waiting)
            yield commit
            for parent in commit.parents[:1] if first_parent else commit.parents:
                if parent not in seen:
                    seen.add(parent)
                    reached = self._read_commit(parent, boundary)
                    heapq.heappush(waiting, (-reached.committed_at, next(order), reached))

    def _recent_revisions(self) -> Iterator[str]:
        """Commit ids that somebody may have meant: where the refs stand, and the last commits of HEAD."""
        yield from dict.fromkeys(self.refs().values())
        head = self.head()
        if head.revision is not None:
            yield from (commit.revision for commit in islice(self._walk(head.revision, False), _RECENT_COMMITS))
