"""How tests are run again: with pytest by their ids, with another runner by its recorded command, told the files where it takes them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from knowledge.records.runs import Run

_PYTEST = frozenset({"pytest", "py.test"})
_TAKE_FILES = frozenset({"vitest", "jest", "ava", "mocha"})
_SCRIPT_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})


@dataclass(frozen=True, slots=True)
class Again:
    """A recorded command, with the words that run some of its tests."""

    words: tuple[str, ...]
    run: Run

    @property
    def line(self) -> str:
        """As one types it."""
        reports = [word for path in self.run.detail.get("reports", ()) for word in ("--report", path)]
        return shlex.join(["knowledge", "run", *reports, "--", *self.words])


def pytest_words(command: Sequence[str]) -> tuple[str, ...]:
    """How a recorded command calls pytest, up to its name; () where it does so within another program."""
    for position, word in enumerate(command):
        if PurePath(word).name in _PYTEST:
            return tuple(command[: position + 1])
    return ()


def again(run: Run, files: Iterable[str]) -> Again:
    """What runs the tests of some files as they were run; all that the command runs where it does not take files."""
    named = tuple(dict.fromkeys(file for file in files if file not in run.command))
    names = [PurePath(word).name for word in run.command]
    is_node = bool(names) and names[0].startswith("node") and "--test" in run.command
    if is_node or not _TAKE_FILES.isdisjoint(names):
        # Vitest and jest take what is named as one filter more, so all that was named before runs, too.
        return Again((*run.command, *named), run)
    if names and names[0] in _SCRIPT_RUNNERS and named:
        return Again((*run.command, *(() if "--" in run.command else ("--",)), *named), run)
    return Again(run.command, run)
