"""What the pytest plugin wrote (`knowledge/observer/knowledge_observer`), one file a process, put together.

A process may have been killed at any moment: a last line without its end is left out, and a test that began and never ended is `unfinished`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from knowledge.errors import InvalidRecordError
from knowledge.observer import FORMAT

_OWN_BODY = 0x1
"""The code flag of a function's own body; module and class bodies lack it."""
_RESUMED = 0x20 | 0x80 | 0x200
"""Code flags of generators, coroutines, asynchronous generators."""
_decoder = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Code:
    """A function, module body or class body that ran. name: its qualified name as Python says it; line: its first, from 1."""

    path: str
    name: str
    line: int
    is_function: bool
    is_resumed: bool


@dataclass(frozen=True, slots=True)
class SeenCall:
    """A call that was taken. line from 1, columns in bytes from 0; -1 where the place is not known. is_native: native code was called there, too."""

    caller: Code
    callee: Code
    line: int = -1
    column: int = -1
    last_line: int = -1
    last_column: int = -1
    is_native: bool = False


@dataclass(slots=True)
class SeenTest:
    """One test as it went. attempts: earlier outcomes of the same run. fixtures: (name, its function's code)."""

    test: str
    outcome: str = "unfinished"
    seconds: float = 0.0
    message: str = ""
    path: str = ""
    line: int = -1
    name: str = ""
    parameters: str = ""
    ran: set[Code] = field(default_factory=set)
    calls: set[SeenCall] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    flags: set[str] = field(default_factory=set)
    attempts: list[str] = field(default_factory=list)
    fixtures: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Seen:
    """A run as all its processes told it. sessions: what each said of itself. finished: how many ended by themselves."""

    sessions: list[dict[str, Any]] = field(default_factory=list)
    tests: dict[str, SeenTest] = field(default_factory=dict)
    at_import: set[Code] = field(default_factory=set)
    calls: set[SeenCall] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)
    finished: int = 0
    deselected: int = 0
    left_out: set[str] = field(default_factory=set)
    """Test functions that were chosen not to run."""
    unread: int = 0


def read_folder(folder: Path, most_bytes: int) -> Seen:
    """Everything that the processes of one run wrote into a folder. Lines beyond `most_bytes` in all are counted in `unread`."""
    seen, left = Seen(), most_bytes
    for path in sorted(folder.glob("*.jsonl")):
        with path.open("rb") as lines:
            taken = 0

            def within(lines: Iterable[bytes] = lines, left: int = left) -> Iterator[bytes]:
                nonlocal taken
                for line in lines:
                    taken += len(line)
                    if taken > left:
                        seen.unread += 1
                        continue
                    yield line

            _Process(seen).read(within())
            left = max(0, left - taken)
    return seen


class _Process:
    """The lines of one process: numbers of code objects are its own."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._codes: dict[int, Code] = {}
        self._shared: dict[str, dict[str, Any]] = {}

    def read(self, lines: Iterable[bytes]) -> None:
        """Take in every whole line. Raises InvalidRecordError where a newer program wrote them."""
        for raw in lines:
            if not raw.endswith(b"\n"):
                self._seen.unread += 1
                continue
            try:
                line = _decoder.decode(raw)
                self._take(line)
            except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
                self._seen.unread += 1

    def _take(self, line: dict[str, Any]) -> None:
        match line["k"]:
            case "session":
                if int(line["format"]) > FORMAT:
                    raise InvalidRecordError(f"the plugin in the tests' environment writes format {line['format']}, expected {FORMAT} at most")
                self._seen.sessions.append(line)
            case "code":
                flags = int(line["g"])
                self._codes[int(line["i"])] = Code(str(line["f"]), str(line["q"]), int(line["l"]), bool(flags & _OWN_BODY), bool(flags & _RESUMED))
            case "import":
                self._seen.at_import |= self._ran(line)
                self._seen.calls |= self._calls(line)
            case "fixture":
                self._shared[str(line["key"])] = line
                self._seen.calls |= self._calls(line)
            case "start":
                self._seen.tests.setdefault(str(line["t"]), SeenTest(str(line["t"])))
            case "test":
                self._take_test(line)
            case "loaded":
                self._seen.loaded |= {str(path) for path in line["files"]}
            case "collected":
                self._seen.deselected = max(self._seen.deselected, int(line["deselected"]))
                self._seen.left_out |= {str(test) for test in line["left_out"]}
            case "finish":
                self._seen.finished += 1

    def _take_test(self, line: dict[str, Any]) -> None:
        name = str(line["t"])
        known = self._seen.tests.get(name)
        if line["o"] == "crashed" and known is not None and known.outcome != "unfinished":
            return
        test = SeenTest(name, str(line["o"]), float(line["s"]), str(line["m"]))
        self._seen.tests[name] = test
        if "ran" not in line:
            return
        test.path, test.line, test.name = str(line["f"]), int(line["l"] if line["l"] is not None else -1), str(line["q"])
        test.parameters, test.attempts = str(line["parameters"]), [str(outcome) for outcome in line["attempts"]]
        self._cover(test, line)
        for fixture, key, code in line["fixtures"]:
            test.fixtures.append(str(fixture))
            if key in self._shared:
                self._cover(test, self._shared[key])
            if code in self._codes:
                test.ran.add(self._codes[code])
        self._seen.calls |= test.calls

    def _cover(self, test: SeenTest, line: dict[str, Any]) -> None:
        test.ran |= self._ran(line)
        test.calls |= self._calls(line)
        test.opened |= {str(path) for path in line["data"]}
        test.folders |= {str(path) for path in line["folders"]}
        test.flags |= {str(flag) for flag in line["flags"]}

    def _ran(self, line: dict[str, Any]) -> set[Code]:
        return {self._codes[number] for number in line["ran"]}

    def _calls(self, line: dict[str, Any]) -> set[SeenCall]:
        codes = self._codes
        return {
            SeenCall(codes[caller], codes[callee], first, column, last, end, bool(native))
            for caller, first, column, last, end, callee, native in line["edges"]
        }
