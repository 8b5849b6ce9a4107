"""What a test rests on of which a report alone tells: the files that its file imports, by the code, and those that set up its runner.

This is inferred, where coverage is observed: what is loaded in another way (`fs`, `import()` of a computed name, another process) is not seen.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from analyzers.registry import language_of
from knowledge.facts.importers.reports import ReportedTest
from knowledge.operations.retests import Reached
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.identifiers import show_path
from knowledge.records.runs import CoveredTest
from knowledge.runs.environment import sets_up_scripts

_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_TEST_FILE = re.compile(rb"(?:.*[./_-](?:test|spec)\.[cm]?[jt]sx?|(?:.*/)?__tests__/.*\.[cm]?[jt]sx?|(?:.*/)?test\.[cm]?[jt]sx?)\Z")
"""As jest, vitest and node's runner find them by default."""


def is_script_test(path: bytes) -> bool:
    """Whether a file is, by its name, one of tests in JavaScript or TypeScript."""
    return _TEST_FILE.match(path) is not None


class ByImports:
    """What the tests of a tree rest on, each file's imports looked up once."""

    def __init__(self, view: IndexedTree) -> None:
        self._view, self._reach = view, Reached(view)

    def covered(self, tests: Iterable[ReportedTest], command: Sequence[str], directory: str) -> Mapping[str, CoveredTest]:
        """test → what it rests on, of those whose file is known. Without one the files count that the command names: node's runner tells no file."""
        named = [path for word in command if (path := self._script(posixpath.normpath(posixpath.join(directory, word)))) is not None]
        found = {}
        for test in tests:
            own = self._script(test.path or test.test.partition("::")[0])
            paths = [own] if own is not None else named if "::" not in test.test else []
            if paths:
                rests_on = {name: digest for path in paths for name, digest in self._of(path).items()}
                found[test.test] = CoveredTest(rests_on=rests_on | self._settings, begins_in=tuple(map(show_path, paths)))
        return found

    def _script(self, name: str) -> bytes | None:
        path = name.encode("utf-8", "surrogateescape")
        return path if language_of(path) in _SCRIPTS and self._view.has_path(path) else None

    def _of(self, path: bytes) -> dict[str, str]:
        return {show_path(other): self._view.blob_id(other) for other in sorted(self._reach(path))}

    @cached_property
    def _settings(self) -> dict[str, str]:
        """The files that set up a runner, wherever they lie, and what they import."""
        own = {path for path in self._view.files if sets_up_scripts(path)}
        reached = {other for path in own if language_of(path) in _SCRIPTS for other in self._reach(path)}
        return {show_path(path): self._view.blob_id(path) for path in sorted(own | reached)}
