"""A pytest plugin that writes down what a run saw: results, the functions that ran, the calls that were taken, the files that were opened.

It runs in the environment of the tests, so it needs the standard library and pytest alone, and works on Python 3.8 and newer. It does nothing unless
the environment asks for it:

    KNOWLEDGE_OBSERVE_TO     a folder; each process writes one file of JSON lines there, a line at a time, so that a killed run keeps its results
    KNOWLEDGE_OBSERVE_ROOT   the work tree; only what runs below it is told
    KNOWLEDGE_OBSERVE        results, functions or edges: how much is observed

`knowledge/facts/importers/observer.py` reads the lines; `k` says what each is.

Calls are seen by sys.monitoring where there is one (Python 3.12), else by sys.setprofile; where only functions are wanted, Python 3.11 gets probes in
the code that is loaded (`probes.py`). What native code called is told apart: at a site where a
native function was called too, the caller may only have passed the callee on.
"""

from __future__ import annotations

import importlib.machinery
import json
import os
import platform
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from .tracers import Codes, Context, tracer_for

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import FrameType

FORMAT = 1
TO, ROOT, HOW = "KNOWLEDGE_OBSERVE_TO", "KNOWLEDGE_OBSERVE_ROOT", "KNOWLEDGE_OBSERVE"
_SPAWNING = ("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn")
_LONGEST = 2_000
"""Characters of a failure's text that are kept."""
_READERS = ("linecache.py", "tokenize.py", "<frozen importlib._bootstrap_external>", "<frozen importlib._bootstrap>", "rewrite.py")
"""Who opens a source file to show or compile it, not to read it as input."""
_observing: list[Observer] = []


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before any of the repository's files is imported."""
    if os.environ.get(TO) and not _observing:
        observer = Observer(os.environ[TO], os.environ.get(ROOT) or os.getcwd(), os.environ.get(HOW) or "edges")
        _observing.append(observer)
        early_config.pluginmanager.register(observer, "knowledge-observing")
        observer.enter(observer.imports)


class Observer:
    """What pytest tells, and what the tracer saw, as lines of a file."""

    def __init__(self, folder: str, root: str, how: str) -> None:
        self._worker = ""
        name = os.path.join(folder, f"{os.getpid()}-{time.time_ns()}.jsonl")
        self._file: int | None = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        self._process, self._how = os.getpid(), how
        self.imports = Context()
        self._codes = Codes(root, self._write)
        self._tracer: Any = tracer_for(how, self._codes)
        self._context: Context | None = None
        self._mine: Context | None = None
        self._stack: list[Context] = []
        self._reports: dict[str, Any] = {}
        self._shared: dict[int, str] = {}
        self._attempts: list[str] = []
        self._left_out: set[str] = set()
        self._deselected, self._is_controller = 0, False
        self._told = (0, 0)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        if how != "results":
            sys.addaudithook(self._hook())
            self._watch_imports()

    # ── writing ──

    def _write(self, line: dict[str, Any]) -> None:
        if self._file is not None:
            os.write(self._file, json.dumps(line, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n")

    def _forked(self) -> None:
        """A child process has no part in the parent's file."""
        self._file, self._context, self._stack = None, None, []
        self._tracer.forget()

    # ── contexts ──

    def _watch_imports(self) -> None:
        """What a module runs while it is imported is of no test, whichever came first."""
        kind: Any = importlib.machinery.SourceFileLoader
        execute, mine, thread = kind.exec_module, self, threading.get_ident()

        def exec_module(loader: Any, module: Any) -> Any:
            if mine._context is None or threading.get_ident() != thread or not mine._codes.path(getattr(loader, "path", "") or ""):
                return execute(loader, module)
            mine.enter(mine.imports)
            try:
                return execute(loader, module)
            finally:
                mine._leave(mine.imports)

        kind.exec_module = exec_module

    def enter(self, context: Context) -> None:
        if self._stack:
            self._tracer.stop(self._stack[-1])
        self._stack.append(context)
        self._context = context
        self._tracer.start(context)

    def _leave(self, context: Context) -> None:
        if not self._stack or self._stack[-1] is not context:
            return
        self._tracer.stop(context)
        self._stack.pop()
        self._context = self._stack[-1] if self._stack else None
        if self._context is not None:
            self._tracer.start(self._context)

    def _hook(self) -> Callable[[str, tuple[Any, ...]], None]:
        """What every audited event calls: most of them are none of ours."""
        wanted, audited = frozenset(("open", "os.listdir", "os.scandir", *_SPAWNING)), self._audited
        of_tracer = self._tracer.events
        heard = self._tracer.heard if of_tracer else audited

        def hook(event: str, args: tuple[Any, ...]) -> None:
            if event in wanted:
                audited(event, args)
            elif event in of_tracer:
                heard(event, args)

        return hook

    def _audited(self, event: str, args: tuple[Any, ...]) -> None:
        context = self._context
        if context is None:
            return
        if event == "open":
            self._opened(context, args)
        elif event in ("os.listdir", "os.scandir"):
            self._listed(context, args)
        elif event in _SPAWNING:
            context.flags.add("spawned")

    def _opened(self, context: Context, args: tuple[Any, ...]) -> None:
        path = args[0]
        if not isinstance(path, (str, bytes)):
            return
        path = os.fsdecode(path)
        if path.endswith((".pyc", ".pyo")) or not os.path.abspath(path).startswith(self._codes.root):
            return
        if path.endswith((".py", ".pyi")) and os.path.basename(_opener()) in _READERS:
            return
        if len(context.data) < 5_000:
            context.data.add(os.path.abspath(path)[len(self._codes.root) :].replace(os.sep, "/"))

    def _listed(self, context: Context, args: tuple[Any, ...]) -> None:
        path = args[0] if args and args[0] is not None else "."
        whole = os.path.abspath(os.fsdecode(path)) + os.sep if isinstance(path, (str, bytes)) else ""
        if whole.startswith(self._codes.root) and _opener() not in _READERS and len(context.folders) < 1_000:
            context.folders.add(whole[len(self._codes.root) :].replace(os.sep, "/").rstrip("/"))

    def _edges_of(self, context: Context) -> list[list[int]]:
        native, site = self._tracer.native, self._codes.site
        return [[caller, *site(caller, offset), callee, int((caller, offset) in native)] for caller, offset, callee in sorted(context.edges)]

    def _seen(self, context: Context) -> dict[str, Any]:
        self._codes.tell(context.ran)
        opened = {"data": sorted(context.data), "folders": sorted(context.folders)}
        return {"ran": sorted(context.ran), "edges": self._edges_of(context), "flags": sorted(context.flags), **opened}

    def _tell_imports(self) -> None:
        size = (len(self.imports.ran), len(self.imports.edges))
        if size != self._told:
            self._told = size
            self._codes.tell(self.imports.ran)
            self._write({"k": "import", "ran": sorted(self.imports.ran), "edges": self._edges_of(self.imports)})

    # ── pytest ──

    def pytest_configure(self, config: pytest.Config) -> None:
        """The first line: which environment this is."""
        self._worker = str(getattr(config, "workerinput", {}).get("workerid", ""))  # a test that runs pytest hands xdist's variable on
        self._is_controller = not self._worker and getattr(config.option, "dist", "no") not in ("no", None)
        path = getattr(config, "inipath", None)
        self._write(
            {
                "k": "session", "format": FORMAT, "how": self._how, "tracer": self._tracer.name, "worker": self._worker, "pytest": pytest.__version__,
                "python": platform.python_version(), "implementation": platform.python_implementation(), "executable": sys.executable,
                "platform": sys.platform, "machine": platform.machine(), "rootdir": self._codes.path(str(config.rootpath) + os.sep + "x")[:-2],
                "inifile": self._codes.path(str(path)) if path else "", "distributions": [] if self._worker else _distributions(),
                "is_controller": self._is_controller,
            }
        )  # fmt: skip

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Tests that were chosen not to run are told by their number."""
        self._deselected += len(items)
        self._left_out.update(item.nodeid.partition("[")[0] for item in items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Everything that tests import at their head is imported now."""
        while self._stack:
            self._leave(self._stack[-1])
        self._tell_imports()
        self._write({"k": "collected", "n": len(session.items), "deselected": self._deselected, "left_out": sorted(self._left_out)[:1_000]})

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: object) -> Generator[None, None, None]:
        """One test, from the set-up to the end of its tear-down."""
        self._reports, self._attempts = {}, []
        mine = self._mine = Context()
        self._write({"k": "start", "t": item.nodeid})
        begun = time.perf_counter()
        yield
        while self._stack:
            self._leave(self._stack[-1])
        self._tell_imports()
        self._write(self._test_line(item, mine, time.perf_counter() - begun))
        self._mine = None

    def _test_line(self, item: Any, context: Context, seconds: float) -> dict[str, Any]:
        outcome, message = _outcome(self._reports)
        function = getattr(item, "function", None)
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        return {
            "k": "test", "t": item.nodeid, "o": outcome, "s": round(seconds, 4), "m": message, "l": item.location[1],
            "f": self._codes.path(str(item.path if hasattr(item, "path") else item.fspath)),
            "q": getattr(code, "co_qualname", "") or ".".join(part.split("[")[0] for part in item.nodeid.split("::")[1:]),
            "attempts": self._attempts, "fixtures": self._fixtures_of(item), "parameters": getattr(getattr(item, "callspec", None), "id", ""),
            **self._seen(context),
        }  # fmt: skip

    def _fixtures_of(self, item: Any) -> list[list[Any]]:
        """[name, key of what its set-up ran or "", number of its function's code] of each fixture that the test has."""
        found = []
        definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        for name in getattr(item, "fixturenames", ()):
            for definition in definitions.get(name, ())[-1:]:
                code = getattr(getattr(definition.func, "__func__", definition.func), "__code__", None)
                if code is not None and self._codes.path(code.co_filename):
                    number = self._codes.numbers.get(id(code))
                    found.append([name, self._shared.get(id(definition), ""), self._codes.learn(code) if number is None else number])
        return found

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: object) -> Generator[None, None, None]:
        """What a fixture runs is of the test; of every test that has it where it is made for several."""
        is_shared = getattr(fixturedef, "scope", "function") != "function"
        context = (Context() if is_shared else self._mine) or Context()
        self.enter(context)
        yield
        self._leave(context)
        if is_shared:
            key = "%s::%s#%d" % (getattr(fixturedef, "baseid", ""), fixturedef.argname, len(self._shared))
            self._shared[id(fixturedef)] = key
            self._write({"k": "fixture", "key": key, **self._seen(context)})

    def _in_test(self) -> Generator[None, None, None]:
        mine = self._mine or Context()
        self.enter(mine)
        yield
        self._leave(mine)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """The test itself."""
        yield from self._in_test()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self) -> Generator[None, None, None]:
        """What fixtures run at their end."""
        yield from self._in_test()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """One phase of a test. The controller of several processes hears what they write themselves, but for what a dead one cannot."""
        if self._is_controller:
            if report.when not in ("setup", "call", "teardown"):
                self._write({"k": "test", "t": report.nodeid, "o": "crashed", "s": 0.0, "m": _message(report)})
            return
        if report.outcome == "rerun":
            self._attempts.append("failed")
            return
        self._reports[report.when] = report

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """The last line: what was imported, and how it ended."""
        names = {self._codes.path(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())} - {""}
        self._write({"k": "loaded", "files": sorted(names)})
        self._write({"k": "finish", "exit": int(exitstatus)})


def _opener() -> str:
    """The file of the innermost frame that is not ours."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame.f_code.co_filename if frame is not None else ""


def _message(report: Any) -> str:
    crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
    if crash is not None:
        return str(crash.message)[:_LONGEST]
    longrepr = getattr(report, "longrepr", None)
    if isinstance(longrepr, tuple) and len(longrepr) == 3:
        return str(longrepr[2])[:_LONGEST]
    return str(longrepr)[-_LONGEST:] if longrepr else ""


def _outcome(reports: dict[str, Any]) -> tuple[str, str]:
    """passed, failed, error, skipped, xfailed, xpassed, and why. A test without a report did not end."""
    setup, call, teardown = (reports.get(when) for when in ("setup", "call", "teardown"))
    for report, failed in ((setup, "error"), (call, "failed"), (teardown, "error")):
        if report is not None and report.outcome == "failed":
            return failed, _message(report)
    for report in (setup, call):
        if report is not None and report.outcome == "skipped":
            return ("xfailed" if hasattr(report, "wasxfail") else "skipped"), _message(report)
    if call is None:
        return "unfinished", ""
    return ("xpassed" if hasattr(call, "wasxfail") else "passed"), ""


def _distributions() -> list[str]:
    """What is installed where the tests run, as name==version."""
    from importlib.metadata import distributions  # only where it is asked for, once

    found = set()
    for one in distributions():
        name = one.metadata["Name"] if one.metadata is not None else None
        if name:
            found.add("%s==%s" % (name.lower().replace("_", "-"), one.version))
    return sorted(found)
