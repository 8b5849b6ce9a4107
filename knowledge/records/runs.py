"""What was seen when something was run (E4): a run, the result of each test, and what each test covered.

    term       run          one execution of a command over one tree: a TestObservation
               result       what one test came to in one run; a test that was skipped did not pass
               covered      the content that a test's result rests on: what it ran, what it opened, what was imported for it

A bare "the tests passed" is agent memory, and never one of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed", "crashed", "unfinished"]
"""error: set-up or tear-down failed. crashed: the process died. unfinished: it began, and nothing more is known."""
Ending = Literal["exited", "killed", "timed-out", "interrupted", "not-started", "imported", "unwatched"]
"""How a command ended. imported: it was run elsewhere, and its results were read from a file. unwatched: its recorder was killed before it ended."""

GOOD: frozenset[str] = frozenset({"passed", "xfailed", "xpassed"})
"""Outcomes of a test that ran and does not make a run fail."""
BAD: frozenset[str] = frozenset({"failed", "error", "crashed", "unfinished"})
"""Outcomes that show a fault, or no result. What was skipped is neither good nor bad: it was not run."""


@dataclass(frozen=True, slots=True)
class Run:
    """A TestObservation: what was run, on which content, where, and how it ended.

    snapshot_key, tree_id, revision: the content, uncommitted files too; snapshot_key "" where it is not known which build was run.
    command, directory: as given, below the work tree. environment: the fingerprint of `environment_detail`. seconds: wall time.
    output_ref: under what the ledger keeps the masked output, "" for none. tool: what told the results (`pytest 9.0 (observed)`, `junit` …).
    exit_code: None where there is none. at: when it began, ISO 8601 in UTC. is_local: it was run here, not taken from another's export.
    detail: counts, limits that were hit, what could not be seen; plain JSON.
    """

    id: str
    revision: str | None
    tree_id: str
    snapshot_key: str
    command: tuple[str, ...]
    directory: str
    environment: str
    environment_detail: dict[str, Any]
    exit_code: int | None
    ending: Ending
    at: str
    seconds: float
    output_ref: str
    tool: str
    author: str
    detail: dict[str, Any] = field(default_factory=dict)
    is_local: bool = True

    @property
    def is_dirty(self) -> bool:
        """Whether uncommitted files were part of it."""
        return self.snapshot_key != self.tree_id


@dataclass(frozen=True, slots=True)
class TestResult:
    """What one test came to in one run. test: its id as the tool says it. seconds: of all its phases. message: masked, capped.

    symbol: the test's definition, "" where it was not found. given: its parameters and fixtures. is_flaky: it came to something else at the same
    fingerprint, in this run or an earlier one.
    """

    run_id: str
    test: str
    outcome: Outcome
    seconds: float
    message: str = ""
    symbol: str = ""
    given: tuple[str, ...] = ()
    is_flaky: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement that the import of a file runs. names: what it binds; content: hash of its text.

    is_pure: running it does nothing but bind them. is_placed: its place among others counts, as that of an import or a function does not.
    """

    names: tuple[str, ...]
    content: str
    is_pure: bool
    is_placed: bool = True


@dataclass(frozen=True, slots=True)
class CoveredFile:
    """A file of the repository that a run loaded. imported: hash of what its import runs; names: its functions, by qualified name.

    pieces: what its import runs, statement by statement; () where that could not be told.
    """

    path: str
    blob_id: str
    imported: str
    names: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class CoveredSymbol:
    """A function that ran, and the hash of its text there (`knowledge/claims/covered.py`)."""

    symbol: str
    content: str


MEANWHILE = " changed while it ran"
"""How a reason in `CoveredTest.unseen` ends that says a file was not, all the time, what the run is of: the result is then of no known content."""


@dataclass(frozen=True, slots=True)
class CoveredTest:
    """What one test rests on. ran: positions in `Coverage.symbols`, its own body and its fixtures among them.

    opened: path → hash of files that it read (a folder: of the names in it). unseen: why it may rest on more than was seen.
    rests_on: path → blob id of what it imports by the code, from the files in `begins_in` on, where nothing was observed.
    """

    ran: tuple[int, ...] = ()
    opened: dict[str, str] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    rests_on: dict[str, str] = field(default_factory=dict)
    begins_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the tests of one run covered. at_import: positions of the functions that ran while modules were imported: every test rests on them.

    settings: hash of what the test runner was configured with in files of the repository.
    """

    files: tuple[CoveredFile, ...] = ()
    symbols: tuple[CoveredSymbol, ...] = ()
    at_import: tuple[int, ...] = ()
    tests: dict[str, CoveredTest] = field(default_factory=dict)
    settings: str = ""
