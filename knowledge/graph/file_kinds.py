"""What a file of a tree is for, where its path alone does not tell: copies of other projects in a package, and modules called `tests`."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Protocol

from analyzers.facts import FileFacts
from analyzers.registry import classify

_COPIES = b"packages"
_INIT = b"/__init__.py"
_TESTS = re.compile(rb"(?:.*/)?tests?\.pyi?", re.DOTALL)
_TEST_MODULE = re.compile(r"(?:.*[._])?(?:unittest\d?|pytest|nose|doctest|(?:test|testing|tests?case|testutils?)s?)(?:[._].*)?")
_TEST_CLASS = re.compile(r"Tests?(?:[A-Z_0-9].*)?|.*Tests?(?:Case|Suite|Mixin)?")


class Files(Protocol):
    """What is asked of a tree."""

    def paths(self) -> Collection[bytes]:
        """Every file."""
        ...

    def outline(self, path: bytes) -> FileFacts | None:
        """A file's imports and definitions."""
        ...


def kinds_in(path: bytes, files: Files) -> frozenset[str]:
    """`analyzers.registry.classify`, corrected by what else is in the tree and by what the file says."""
    kinds: frozenset[str] = classify(path)
    if b"/" + _COPIES + b"/" in path and _is_copied(path, files):
        kinds |= {"vendored"}
    if "test" in kinds and _TESTS.fullmatch(path) and "test" not in classify(path.rpartition(b"/")[0] + b"/_"):
        facts = files.outline(path)
        # Jinja's `tests` are those of templates.
        if facts is not None and not _tests_something(facts):
            kinds -= {"test"}
    return kinds


def _is_copied(path: bytes, files: Files) -> bool:
    """Whether it is of a package in `packages`, itself a package inside another one (`requests/packages/urllib3`): copies of other projects."""
    around, _, below = path.partition(b"/" + _COPIES + b"/")
    known = files.paths()
    return b"/" in below and around + _INIT in known and around + b"/" + _COPIES + _INIT in known


def _tests_something(facts: FileFacts) -> bool:
    """Whether a file called `tests` has tests: it imports what tests are written with, or has classes or functions that runners would take."""
    if any(_TEST_MODULE.fullmatch(one.module) or _TEST_CLASS.fullmatch(one.name) for one in facts.imports):
        return True
    own = [definition for definition in facts.definitions[1:] if definition.parent == 0]
    return any(
        _TEST_CLASS.fullmatch(one.name) is not None if one.kind == "class" else one.name.startswith("test") and not one.parameters for one in own
    )
