"""What the resolver may ask of one tree. Operations implement it over the store; tests over a dictionary."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import msgspec

from analyzers.facts import Definition, FileFacts


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A definition somewhere in the tree that bears a name. index: its place among its facts' definitions."""

    path: bytes
    index: int
    qualified_name: str
    ordinal: int
    kind: str
    is_overload: bool = False


def candidate(path: bytes, index: int, definition: Definition) -> Candidate:
    """The definition at that place of a file's facts."""
    return Candidate(path, index, definition.qualified_name, definition.ordinal, definition.kind, "overload" in definition.flags)


class FactSource(Protocol):
    """One tree's facts. Answers must not change while a resolver uses it."""

    def paths(self) -> Collection[bytes]:
        """Every file of the tree, with or without facts."""
        ...

    def language(self, path: bytes) -> str:
        """ "" for a file that no analyzer reads."""
        ...

    def facts(self, path: bytes) -> FileFacts | None: ...

    def outline(self, path: bytes) -> FileFacts | None:
        """The facts that resolving another file may look at; calls, values and mentions may be left out of them."""
        ...

    def interface(self, path: bytes) -> str:
        """Hash of what other files can see of this one; "" without facts."""
        ...

    def definers(self, name: str) -> Sequence[Candidate]:
        """The definitions with this short name, by path and place."""
        ...

    def text(self, path: bytes) -> bytes | None:
        """The bytes of a configuration file (pyproject.toml, tsconfig.json, package.json …); None where absent."""
        ...
