"""What operations answer about runs, tests and what must be run again. Plain frozen values, as in `answers`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knowledge.records.answers import Checked, ClaimLine, TreeName


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in one line. results: outcome → how many tests. tests_seen: how many told what they covered."""

    id: str
    command: str
    directory: str
    revision: str | None
    is_dirty: bool
    environment: str
    ending: str
    exit_code: int | None
    at: str
    seconds: float
    tool: str
    output_ref: str
    results: dict[str, int]
    tests_seen: int
    is_local: bool = True


@dataclass(frozen=True, slots=True)
class TestLine:
    """A test and what it came to. state, of an earlier result: exact, equal (HEAD moved, what it rests on is as it was), changed, new.

    reasons: why it must run again, or why what it covers is not known. act: what runs it again, as one types it, where that is not pytest.
    """

    test: str
    outcome: str
    symbol: str = ""
    seconds: float = 0.0
    message: str = ""
    is_flaky: bool = False
    state: str = ""
    reasons: tuple[str, ...] = ()
    run: str = ""
    act: str = ""

    @property
    def told_from_the_top(self) -> str:
        """The test as it is named from the top of the work tree: pytest names it from the folder with its settings."""
        path, colons, name = self.test.partition("::")
        whole = self.symbol.partition("::")[0]
        return f"{whole}{colons}{name}" if whole.endswith(f"/{path}") else self.test


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """One run with the tests that are worth a look: failed, flaky, skipped. left_out: how many more there are."""

    tree: TreeName
    run: RunLine
    tests: tuple[TestLine, ...]
    environment: dict[str, Any]
    output: str = ""
    left_out: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunsAnswer:
    """Runs, newest first."""

    runs: tuple[RunLine, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class AffectedAnswer:
    """Which tests must run again, each with its reasons. states: exact, equal, changed, new → how many tests.

    command: what runs them with pytest, "" for none; others: what runs those of other runners, as one types it. compared: what is held against what.
    checked: how many tests could be judged.
    """

    tree: TreeName
    compared: str
    tests: tuple[TestLine, ...]
    states: dict[str, int]
    command: str
    checked: Checked
    left_out: int = 0
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GateItem:
    """One thing to act on before the work is called done. kind: kebab-case, documented; about: what it is; act: what to do, as one types it."""

    kind: str
    about: str
    detail: str
    act: str = ""


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """Whether anything stands against calling the work done. verdict: pass or warn; what was not checked is never a pass.

    since: the revision at which the work began. counts: kind of item → how many. claims: the ones that the work rests on and that fell.
    """

    tree: TreeName
    since: str
    verdict: str
    items: tuple[GateItem, ...]
    counts: dict[str, int]
    claims: tuple[ClaimLine, ...]
    checked: Checked
    left_out: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One step of a symbol's story. part: route, handler, path, type-check, test or trace. kind: how it is known, several joined by ` + `.

    place: a line of a file, or the run that shows it.
    """

    part: str
    about: str
    kind: str
    place: str
    detail: str


@dataclass(frozen=True, slots=True)
class StoryGap:
    """A step that nothing shows, and what was looked for."""

    part: str
    why: str


@dataclass(frozen=True, slots=True)
class StoryAnswer:
    """Route → handler → path → type check → test → trace of a symbol. left_out: what there is more of, in words."""

    tree: TreeName
    symbol: str
    steps: tuple[StoryStep, ...]
    missing: tuple[StoryGap, ...]
    left_out: tuple[str, ...] = ()
    limitations: tuple[str, ...] = ()
