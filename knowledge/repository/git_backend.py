"""Reading git through the `git` command: for what libgit2 cannot open (sha256, reftable, replaced objects), and to spare importing pygit2."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from knowledge.errors import NotARepositoryError, RepositoryReadError, UnknownRevisionError
from knowledge.records.trees import Head
from knowledge.repository.git_command import Answer, Conversation, GitCommand
from knowledge.repository.locate import Location, head_of, read_regular_file
from knowledge.repository.objects import is_object_id

_ASKED_AT_ONCE = 100
"""Requests written before answers are read: with 65 bytes each they fit into any pipe, so neither side waits for the other."""
_CHUNK = 1 << 20
_AMBIGUOUS = re.compile(r"short (?:object ID|SHA1) \S+ is ambiguous", re.IGNORECASE)


class GitBackend:
    """The objects and refs of one repository, read by long-running `git cat-file` commands."""

    name = "git"

    def __init__(self, location: Location, size_limit: int) -> None:
        self._location = location
        self._git = GitCommand(location)
        self._size_limit = size_limit
        self.object_format = self._check()
        self._empty_directory = self._make_empty_directory() if self._has_promisor() else None
        self._contents: Conversation | None = None
        self._commits: Conversation | None = None
        self._headers: Conversation | None = None

    def read_object(self, object_id: str) -> tuple[str, bytes] | None:
        self._contents = self._contents or self._converse("--no-replace-objects", "cat-file", "--batch")
        try:
            _request(self._contents, [object_id])
            found = self._read_answer(self._contents)
        except OSError as error:
            self._contents = None
            raise RepositoryReadError(f"object {object_id} cannot be read: `git cat-file` ended; it may be damaged") from error
        if found is None:
            return None
        kind, size, content = found
        if content is None:
            raise RepositoryReadError(f"{kind} {object_id} has {size} bytes, more than the {self._size_limit} that are read")
        return kind, content

    def read_commit(self, revision: str) -> bytes | None:
        self._commits = self._commits or self._git.converse("cat-file", "--batch")
        try:
            _request(self._commits, [revision])
            found = self._read_answer(self._commits)
        except OSError:
            # Without its objects at hand git tries to fetch a commit, may not, and ends.
            self._commits = None
            return None
        return found[2] if found is not None and found[0] == "commit" else None

    def read_header(self, object_id: str) -> tuple[str, int] | None:
        self._headers = self._headers or self._converse("--no-replace-objects", "cat-file", "--batch-check")
        try:
            _request(self._headers, [object_id])
            return _read_header(self._headers)
        except OSError as error:
            self._headers = None
            raise RepositoryReadError(f"object {object_id} cannot be read: `git cat-file` ended; it may be damaged") from error

    def read_blobs(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        remaining = iter(blob_ids)
        while asked := list(islice(remaining, _ASKED_AT_ONCE)):
            yield from self._read_batch(asked)

    def find_object(self, expression: str) -> str | None:
        answer = self._git.ask("rev-parse", "--verify", expression.encode("utf-8", "surrogateescape"))
        if answer.code and _AMBIGUOUS.search(answer.error):
            raise UnknownRevisionError(f"{expression!r} is ambiguous: more than one object's id begins so; give more of it")
        object_id = answer.output.decode("ascii", "replace").strip()
        return object_id if answer.code == 0 and is_object_id(object_id, self.object_format) else None

    def references(self) -> Iterator[tuple[str, str]]:
        for line in self._git.run("for-each-ref", "--format=%(objectname) %(refname)").split(b"\n"):
            object_id, _, name = line.decode("utf-8", "backslashreplace").partition(" ")
            if is_object_id(object_id, self.object_format):
                yield name, object_id

    def head_of(self, location: Location) -> Head:
        head = head_of(location)
        if head is not None:
            return head
        name = self._git.ask(f"--git-dir={location.git_dir}", "symbolic-ref", "--quiet", "HEAD")
        revision = self._git.ask(f"--git-dir={location.git_dir}", "rev-parse", "--verify", "--quiet", "HEAD")
        return Head(
            _text(name).removeprefix("refs/heads/") if name.code == 0 else None,
            _text(revision) if revision.code == 0 else None,
        )

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        answer = self._git.ask("merge-base", "--is-ancestor", ancestor, descendant)
        if answer.code not in (0, 1):
            raise RepositoryReadError(f"git cannot tell whether {ancestor} is an ancestor of {descendant}: {answer.error}")
        return answer.code == 0

    def merge_base(self, one: str, other: str) -> str | None:
        answer = self._git.ask("merge-base", one, other)
        if answer.code not in (0, 1):
            raise RepositoryReadError(f"git cannot find the merge base of {one} and {other}: {answer.error}")
        return _text(answer) or None

    def count_between(self, old: str, new: str) -> int:
        answer = self._git.ask("rev-list", "--count", f"^{old}", new)
        if answer.code:
            raise RepositoryReadError(f"git cannot count the commits between {old} and {new}: {answer.error}")
        return int(_text(answer))

    def _check(self) -> str:
        """The object format. Raises NotARepositoryError with git's own reason where git refuses the repository."""
        answer = self._git.discover("rev-parse", "--show-object-format", "--absolute-git-dir")
        place = self._location.workdir or self._location.git_dir
        if answer.code:
            raise NotARepositoryError(f"git refuses to open {place}: {answer.error}")
        object_format, _, git_dir = answer.output.decode("utf-8", "surrogateescape").rstrip("\n").partition("\n")
        if Path(git_dir).resolve() != self._location.git_dir:
            raise NotARepositoryError(f"git opens {git_dir} for {place} where {self._location.git_dir} was expected")
        return object_format

    def _has_promisor(self) -> bool:
        """Whether this may be a partial clone; to take another repository for one does no harm."""
        settings = (read_regular_file(self._location.common_dir / "config") or b"").lower()
        return b"promisor" in settings or b"partialclone" in settings

    def _make_empty_directory(self) -> Path:
        """A git directory with nothing in it. Seen from there, objects that a partial clone lacks are simply not there;

        seen from the clone, git tries to fetch each of them, and ends because it may not.
        """
        directory = Path(tempfile.mkdtemp(prefix="knowledge-"))
        weakref.finalize(self, _remove, directory, os.getpid())
        (directory / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
        (directory / "objects").mkdir()
        (directory / "refs").mkdir()
        if self.object_format != "sha1":
            settings = f"[core]\nrepositoryformatversion = 1\nbare = true\n[extensions]\nobjectformat = {self.object_format}\n"
            (directory / "config").write_text(settings, encoding="ascii")
        return directory

    def _converse(self, *args: str) -> Conversation:
        return self._git.converse(*args, objects_seen_from=self._empty_directory)

    def _read_batch(self, asked: list[str]) -> Iterator[tuple[str, bytes | None]]:
        self._contents = self._contents or self._converse("--no-replace-objects", "cat-file", "--batch")
        # Whoever stops asking half-way leaves answers unread, so this conversation is the generator's own while it lasts.
        conversation, self._contents = self._contents, None
        answered = 0
        try:
            _request(conversation, asked)
            for blob_id in asked:
                found = self._read_answer(conversation)
                answered += 1
                if answered == len(asked):
                    self._contents = conversation
                yield blob_id, found[2] if found is not None and found[0] == "blob" else None
        except OSError:
            yield asked[answered], None
            yield from self._read_batch(asked[answered + 1 :])

    def _read_answer(self, conversation: Conversation) -> tuple[str, int, bytes | None] | None:
        """Kind, size and content of the next object; the content is None where it is too large, the whole where there is no object."""
        header = _read_header(conversation)
        if header is None:
            return None
        kind, size = header
        if size <= self._size_limit:
            content = _read_exactly(conversation, size + 1)
            return kind, size, content[:-1]
        left = size + 1
        while left:
            left -= len(_read_exactly(conversation, min(left, _CHUNK)))
        return kind, size, None


def _request(conversation: Conversation, object_ids: list[str]) -> None:
    conversation.requests.write("".join(f"{object_id}\n" for object_id in object_ids).encode("ascii"))
    conversation.requests.flush()


def _read_header(conversation: Conversation) -> tuple[str, int] | None:
    line = conversation.answers.readline()
    if not line:
        raise BrokenPipeError("the command has ended")
    _, kind, *size = line.decode("ascii", "replace").split()
    return (kind, int(size[0])) if size else None


def _read_exactly(conversation: Conversation, size: int) -> bytes:
    content = conversation.answers.read(size)
    if len(content) != size:
        raise BrokenPipeError("the command has ended")
    return content


def _remove(directory: Path, owner: int) -> None:
    """Delete a directory of one's own; a forked child leaves alone what its parent made."""
    if os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)


def _text(answer: Answer) -> str:
    return answer.output.decode("utf-8", "backslashreplace").strip()
