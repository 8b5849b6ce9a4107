"""Reading git through libgit2. The only module that imports pygit2; importing it costs 0.1 s of CPU, so `opening` does that when it must."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import pygit2
from pygit2.enums import ObjectType

from knowledge.errors import NotARepositoryError, RepositoryReadError, UnknownRevisionError
from knowledge.records.trees import Head
from knowledge.repository.locate import Location, head_of

_KINDS = {ObjectType.COMMIT: "commit", ObjectType.TREE: "tree", ObjectType.BLOB: "blob", ObjectType.TAG: "tag"}
_SHORTEST_ABBREVIATION = 4


class Pygit2Backend:
    """The objects and refs of one repository, read in this process. libgit2 never fetches: what a partial clone lacks is not there."""

    name = "pygit2"
    object_format = "sha1"

    def __init__(self, repository: pygit2.Repository, size_limit: int) -> None:
        self._repository = repository
        self._objects = repository.odb
        self._size_limit = size_limit

    def read_object(self, object_id: str) -> tuple[str, bytes] | None:
        header = self.read_header(object_id)
        if header is None:
            return None
        kind, size = header
        if size > self._size_limit:
            raise RepositoryReadError(f"{kind} {object_id} has {size} bytes, more than the {self._size_limit} that are read")
        try:
            return kind, self._objects.read(object_id)[1]
        except KeyError:
            return None
        except (pygit2.GitError, ValueError, OSError) as error:
            raise RepositoryReadError(f"{kind} {object_id} cannot be read: {error}") from error

    def read_commit(self, revision: str) -> bytes | None:
        found = self.read_object(revision)
        return found[1] if found is not None and found[0] == "commit" else None

    def read_header(self, object_id: str) -> tuple[str, int] | None:
        try:
            kind, size = self._objects.read_header(object_id)
        except KeyError:
            return None
        except (pygit2.GitError, ValueError, OSError) as error:
            raise RepositoryReadError(f"object {object_id} cannot be read: {error}") from error
        return _KINDS[ObjectType(kind)], size

    def read_blobs(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        for blob_id in blob_ids:
            try:
                found = self.read_object(blob_id)
            except RepositoryReadError:
                found = None
            yield blob_id, found[1] if found is not None and found[0] == "blob" else None

    def find_object(self, expression: str) -> str | None:
        try:
            return str(self._repository.revparse_single(expression).id)
        except pygit2.AmbiguousError as error:
            if len(expression) < _SHORTEST_ABBREVIATION:
                return None
            raise UnknownRevisionError(f"{expression!r} is ambiguous: more than one object's id begins so; give more of it") from error
        except (KeyError, ValueError, pygit2.GitError):
            return None

    def references(self) -> Iterator[tuple[str, str]]:
        for reference in self._repository.references.iterator():
            try:
                target = reference.resolve().target
            except (KeyError, ValueError, pygit2.GitError):
                continue
            yield reference.raw_name.decode("utf-8", "backslashreplace"), str(target)

    def head_of(self, location: Location) -> Head:
        head = head_of(location)
        if head is None:
            raise RepositoryReadError(f"{location.git_dir / 'HEAD'} does not say where HEAD stands; `git status` may tell more")
        return head

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        return ancestor == descendant or bool(self._repository.descendant_of(descendant, ancestor))

    def merge_base(self, one: str, other: str) -> str | None:
        found = self._repository.merge_base(one, other)
        return None if found is None else str(found)

    def count_between(self, old: str, new: str) -> int:
        try:
            return int(self._repository.ahead_behind(new, old)[0])
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise RepositoryReadError(f"the commits between {old} and {new} cannot be counted: {error}") from error


def open_with_pygit2(location: Location, size_limit: int) -> Pygit2Backend | None:
    """The backend for a repository; None where libgit2 does not know its format (sha256, reftable, an extension).

    Raises NotARepositoryError where the repository belongs to somebody else, as git does.
    """
    try:
        return Pygit2Backend(pygit2.Repository(os.fspath(location.git_dir)), size_limit)
    except pygit2.GitError as error:
        if "not owned by current user" in str(error):
            raise NotARepositoryError(
                f"{location.workdir or location.git_dir} belongs to another user, and git trusts no such repository; "
                f"`git config --global --add safe.directory {location.workdir or location.git_dir}` says that you do"
            ) from error
        return None
