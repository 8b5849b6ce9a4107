"""git's objects as bytes: their ids, what a commit and a tag say, and the protocol of whatever reads them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from knowledge.records.trees import Commit, Head
from knowledge.repository.locate import Location

_AUTHOR = re.compile(rb"(?P<name>[^<]*)<(?P<email>[^>]*)>\s*(?P<time>[0-9]{0,15})")
_OBJECT_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_ENCODING = re.compile(
    r"(?:ascii|utf-?8|utf-?16(?:le|be)?|iso-?[0-9-]+|latin-?[0-9]+|(?:cp|windows-?)[0-9]+|koi8-[ru]|euc[-_][a-z]+|shift[-_]jis|sjis|gbk?[0-9]*|big5)\Z"
)


class Backend(Protocol):
    """What the two ways of reading git have to offer; everything else stands on it, so that both give the same answers.

    Object ids are full and well-formed. Objects larger than the backend's limit raise RepositoryReadError, as damaged ones do.
    """

    name: str
    object_format: str

    def read_object(self, object_id: str) -> tuple[str, bytes] | None:
        """Kind (commit, tree, blob, tag) and content of an object by its content's id, never replaced; None where it is not there."""
        ...

    def read_commit(self, revision: str) -> bytes | None:
        """A commit's content as git shows it: replaced where `git replace` says so. None where it is not there, or not a commit."""
        ...

    def read_header(self, object_id: str) -> tuple[str, int] | None:
        """Kind and size in bytes, without reading the content."""
        ...

    def read_blobs(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Many blobs in the order asked; None for one that is not there, too large, damaged, or not a blob."""
        ...

    def find_object(self, expression: str) -> str | None:
        """The object that an expression names; None where it names none. Raises UnknownRevisionError where it is ambiguous."""
        ...

    def references(self) -> Iterator[tuple[str, str]]:
        """Full names (bytes that are not UTF-8 as \\xNN) and the object ids that they lead to, whatever kind those are of."""
        ...

    def head_of(self, location: Location) -> Head: ...

    def is_ancestor(self, ancestor: str, descendant: str) -> bool: ...

    def merge_base(self, one: str, other: str) -> str | None: ...

    def count_between(self, old: str, new: str) -> int: ...


def is_object_id(text: str, object_format: str) -> bool:
    """Whether this is a full object id of the format (sha1, sha256), in small letters."""
    return bool(_OBJECT_ID.match(text)) and len(text) == (64 if object_format == "sha256" else 40)


def hash_object(kind: str, content: bytes, object_format: str) -> str:
    """git's id of an object of this kind (blob, tree …) and content."""
    digest = hashlib.new(object_format, b"%s %d\0" % (kind.encode(), len(content)), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def parse_commit(revision: str, content: bytes, *, is_boundary: bool = False) -> Commit:
    """A commit from its bytes, whatever they are: what is missing or malformed is empty or 0.

    is_boundary: at the edge of a shallow clone, where the parents that the bytes name are not there.
    """
    fields, message = _headers(content)
    encoding = fields.get("encoding", [b""])[0].decode("ascii", "replace").lower()
    encoding = encoding if _ENCODING.match(encoding) else "utf-8"
    author, authored_at = _signature(fields.get("author", [b""])[0], encoding)
    return Commit(
        revision=revision,
        tree_id=_ascii(fields.get("tree", [b""])[0]),
        parents=() if is_boundary else tuple(_ascii(parent) for parent in fields.get("parent", [])),
        author=author,
        authored_at=authored_at,
        committed_at=_signature(fields.get("committer", [b""])[0], encoding)[1],
        message=_text(message, encoding),
    )


def tag_target(content: bytes) -> str:
    """The object id that an annotated tag points at; "" where its bytes name none."""
    return _ascii(_headers(content)[0].get("object", [b""])[0])


def _headers(content: bytes) -> tuple[dict[str, list[bytes]], bytes]:
    head, _, message = content.partition(b"\n\n")
    fields: dict[str, list[bytes]] = {}
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        fields.setdefault(name.decode("ascii", "replace"), []).append(value)
    return fields, message


def _signature(value: bytes, encoding: str) -> tuple[str, int]:
    """ "Name <email>" and seconds since the epoch."""
    found = _AUTHOR.match(value)
    if found is None:
        return _text(value, encoding).strip(), 0
    name, email = (_text(found[part], encoding).strip() for part in ("name", "email"))
    return f"{name} <{email}>".strip(), int(found["time"] or 0)


def _text(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding, "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


def _ascii(value: bytes) -> str:
    return value.decode("ascii", "replace")
