"""A pytest plugin that writes down what a run saw: results, the functions that ran, the calls that were taken, the files that were opened.

It runs in the environment of the tests, so it is one file, needs the standard library and pytest alone, and works on Python 3.8 and newer. It does
nothing unless the environment asks for it:

    KNOWLEDGE_OBSERVE_TO     a folder; each process writes one file of JSON lines there, a line at a time, so that a killed run keeps its results
    KNOWLEDGE_OBSERVE_ROOT   the work tree; only what runs below it is told
    KNOWLEDGE_OBSERVE        results, functions or edges: how much is observed

`knowledge/facts/importers/observer.py` reads the lines; `k` says what each is.

Calls are seen by sys.monitoring where there is one (Python 3.12), else by sys.setprofile. What native code called is told apart: at a site where a
native function was called too, the caller may only have passed the callee on.
"""

from __future__ import annotations

import cProfile
import importlib.machinery
import json
import os
import platform
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from types import CodeType, FrameType

FORMAT = 1
TO, ROOT, HOW = "KNOWLEDGE_OBSERVE_TO", "KNOWLEDGE_OBSERVE_ROOT", "KNOWLEDGE_OBSERVE"
_SPAWNING = ("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn")
_FOREIGN = _UNKNOWN = -1
"""Instead of a code's number, and of an instruction's offset."""
_DETAILED, _UNBOUNDED = 5_000, -1
"""Calls of one context, native ones too, after which the profiler in C takes over."""
_LONGEST = 2_000
"""Characters of a failure's text that are kept."""
_READERS = ("linecache.py", "tokenize.py", "<frozen importlib._bootstrap_external>", "<frozen importlib._bootstrap>", "rewrite.py")
"""Who opens a source file to show or compile it, not to read it as input."""
_monitoring: Any = getattr(sys, "monitoring", None)
_observing: list[Observer] = []


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before any of the repository's files is imported."""
    if os.environ.get(TO) and not _observing:
        observer = Observer(os.environ[TO], os.environ.get(ROOT) or os.getcwd(), os.environ.get(HOW) or "edges")
        _observing.append(observer)
        early_config.pluginmanager.register(observer, "knowledge-observing")
        observer.enter(observer.imports)


class Context:
    """What is seen while one test, one shared fixture or the imports run."""

    __slots__ = ("data", "edges", "flags", "folders", "ran")

    def __init__(self) -> None:
        self.ran: set[int] = set()
        self.edges: set[tuple[int, int, int]] = set()
        self.data: set[str] = set()
        self.folders: set[str] = set()
        self.flags: set[str] = set()


class Codes:
    """Code objects by number. Looked up by identity, so each one is kept alive."""

    def __init__(self, root: str, write: Callable[[dict[str, Any]], None]) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.numbers: dict[int, int] = {}
        self.objects: list[CodeType] = []
        self._write = write
        self._kept: list[CodeType] = []
        self._paths: dict[str, str] = {}
        self._positions: dict[int, list[Any]] = {}
        inside = os.path.realpath(sys.prefix) + os.sep
        self._prefix = inside if inside.startswith(self.root) and inside != self.root else ""

    def path(self, filename: str) -> str:
        """Below the root, with slashes; "" for what is not of the work tree."""
        found = self._paths.get(filename)
        if found is None:
            real = os.path.realpath(filename) if filename[:1] not in ("<", "") else ""
            is_ours = real.startswith(self.root) and not (self._prefix and real.startswith(self._prefix)) and "site-packages" not in real
            found = self._paths[filename] = real[len(self.root) :].replace(os.sep, "/") if is_ours else ""
        return found

    def learn(self, code: CodeType) -> int:
        """The number of a code object, given now; -1 for one that is not of the work tree."""
        self._kept.append(code)
        path = self.path(code.co_filename)
        number = len(self.objects) if path else _FOREIGN
        self.numbers[id(code)] = number
        if path:
            self.objects.append(code)
            name = getattr(code, "co_qualname", code.co_name)
            self._write({"k": "code", "i": number, "f": path, "q": name, "n": code.co_name, "l": code.co_firstlineno, "g": code.co_flags})
        return number

    def site(self, number: int, offset: int) -> list[int]:
        """Where in the file an instruction was written: line, column, last line, last column, columns in bytes; -1 where it is not known."""
        if number not in self._positions:
            code = self.objects[number]
            self._positions[number] = list(code.co_positions()) if hasattr(code, "co_positions") else []
        positions = self._positions[number]
        line, last, column, end = positions[offset // 2] if 0 <= offset // 2 < len(positions) else (None, None, None, None)
        return [-1 if value is None else value for value in (line, column, last, end)]


class ProfileTracer:
    """Calls by sys.setprofile and cProfile: for interpreters without sys.monitoring.

    A callback in Python knows at which instruction a call was made, and is slow; the profiler in C knows who called whom. So each context begins
    with the first and goes on with the second once it has seen `_DETAILED` events; where only functions are wanted the second does it all.
    """

    name = "profile"

    def __init__(self, codes: Codes, has_edges: bool) -> None:
        self._codes, self._has_edges = codes, has_edges
        self.native: set[tuple[int, int]] = set()
        self._callback: Callable[..., None] | None = None
        self._profiler: cProfile.Profile | None = None

    def start(self, context: Context) -> None:
        """Observe this thread, and those that it starts, for a context."""
        if sys.getprofile() is not None:
            context.flags.add("another-profiler")
            return
        for_threads = self._callback_of(context, _UNBOUNDED)
        threading.setprofile(for_threads)
        if not self._has_edges:
            self._callback = for_threads
            self._switch()
            return
        self._callback = self._callback_of(context, _DETAILED)
        sys.setprofile(self._callback)

    def _switch(self) -> None:
        sys.setprofile(None)
        self._profiler = cProfile.Profile(builtins=self._has_edges, subcalls=self._has_edges)
        self._profiler.enable()

    def stop(self, context: Context) -> None:
        """The context is over."""
        if self._callback is None:
            return
        if sys.getprofile() is not (self._profiler or self._callback):
            context.flags.add("disturbed")
        if self._profiler is not None:
            self._profiler.disable()
            self._take(context, self._profiler.getstats())
        sys.setprofile(None)
        threading.setprofile(None)
        self._callback = self._profiler = None

    def _take(self, context: Context, entries: Iterable[Any]) -> None:
        numbers, learn = self._codes.numbers, self._codes.learn
        for entry in entries:
            number = self._number(entry.code, numbers, learn)
            if number >= 0:
                context.ran.add(number)
                for called in entry.calls or ():
                    callee = self._number(called.code, numbers, learn)
                    if callee >= 0:
                        context.edges.add((number, _UNKNOWN, callee))

    @staticmethod
    def _number(code: CodeType | str, numbers: dict[int, int], learn: Callable[[CodeType], int]) -> int:
        if isinstance(code, str):
            return _FOREIGN
        number = numbers.get(id(code))
        return learn(code) if number is None else number

    def _callback_of(self, context: Context, left: int) -> Callable[[FrameType, str, Any], None]:
        numbers, learn, native, has_edges, switch = self._codes.numbers, self._codes.learn, self.native, self._has_edges, self._switch
        ran, edges = context.ran, context.edges

        def on_event(frame: FrameType, event: str, arg: Any) -> None:
            nonlocal left
            if event == "call":
                left -= 1
                if not left:
                    switch()
                code = frame.f_code
                number = numbers.get(id(code))
                if number is None:
                    number = learn(code)
                if number < 0:
                    return
                ran.add(number)
                back = frame.f_back
                if has_edges and back is not None:
                    caller = numbers.get(id(back.f_code), _FOREIGN)
                    if caller >= 0:
                        edges.add((caller, back.f_lasti, number))
            elif has_edges and event == "c_call":
                left -= 1
                if not left:
                    switch()
                caller = numbers.get(id(frame.f_code), _FOREIGN)
                if caller >= 0:
                    native.add((caller, frame.f_lasti))

        return on_event


class MonitoringTracer:
    """Calls by sys.monitoring: code that is not of the work tree is switched off at its first call, and costs nothing afterwards."""

    name = "monitoring"

    def __init__(self, codes: Codes, has_edges: bool) -> None:
        self._codes, self._has_edges = codes, has_edges
        self.native: set[tuple[int, int]] = set()
        self._current: Context | None = None
        self._bound: dict[int, Context | None] = {}
        self._tool: int | None = None

    def start(self, context: Context) -> None:
        """Observe for a context. Threads that are started meanwhile keep it."""
        if self._tool is None and not self._install():
            context.flags.add("another-profiler")
        self._current = context

    def stop(self, context: Context) -> None:
        """The context is over."""
        self._current = None

    def _install(self) -> bool:
        monitoring = _monitoring
        free = [number for number in (4, 3, 2, 5) if monitoring.get_tool(number) is None]
        if not free:
            return False
        self._tool = free[0]
        monitoring.use_tool_id(self._tool, "knowledge")
        events = monitoring.events
        monitoring.register_callback(self._tool, events.PY_START, self._start_callback())
        wanted = events.PY_START
        if self._has_edges:
            monitoring.register_callback(self._tool, events.CALL, self._called)
            wanted |= events.CALL
        monitoring.set_events(self._tool, wanted)
        self._bind_threads()
        return True

    def _bind_threads(self) -> None:
        """Threads keep the context they were started in: one that outlives its test tells nothing of the next."""
        kind: Any = threading.Thread
        bound, begin, run = self._bound, kind.start, kind._bootstrap_inner

        def start(thread: Any) -> None:
            mine = bound.get(threading.get_ident(), self._current)
            thread._knowledge_context = mine
            begin(thread)

        def bootstrap(thread: Any) -> None:
            identity = threading.get_ident()
            bound[identity] = getattr(thread, "_knowledge_context", None)
            try:
                run(thread)
            finally:
                bound.pop(identity, None)

        kind.start, kind._bootstrap_inner = start, bootstrap

    def _start_callback(self) -> Callable[[CodeType, int], Any]:
        numbers, learn, bound, has_edges = self._codes.numbers, self._codes.learn, self._bound, self._has_edges
        off, identity, frame_of = _monitoring.DISABLE, threading.get_ident, sys._getframe

        def started(code: CodeType, offset: int) -> Any:
            number = numbers.get(id(code))
            if number is None:
                number = learn(code)
            if number < 0:
                return off
            context = bound.get(identity(), self._current) if bound else self._current
            if context is not None:
                context.ran.add(number)
                if has_edges:
                    back = frame_of(1).f_back
                    if back is not None:
                        caller = numbers.get(id(back.f_code), _FOREIGN)
                        if caller >= 0:
                            context.edges.add((caller, back.f_lasti, number))
            return None

        return started

    def _called(self, code: CodeType, offset: int, callee: object, first: object) -> Any:
        number = self._codes.numbers.get(id(code), _FOREIGN)
        if number >= 0 and not hasattr(callee, "__code__") and not hasattr(callee, "__func__") and not isinstance(callee, type):
            self.native.add((number, offset))
        return _monitoring.DISABLE


class NoTracer:
    """Results only."""

    name = "none"
    native: frozenset[tuple[int, int]] = frozenset()

    def start(self, context: Context) -> None:
        """Nothing is observed."""

    stop = start


class Observer:
    """What pytest tells, and what the tracer saw, as lines of a file."""

    def __init__(self, folder: str, root: str, how: str) -> None:
        self._worker = ""
        name = os.path.join(folder, f"{os.getpid()}-{time.time_ns()}.jsonl")
        self._file: int | None = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        self._process, self._how = os.getpid(), how
        self.imports = Context()
        self._codes = Codes(root, self._write)
        tracer = MonitoringTracer if _monitoring is not None else ProfileTracer
        self._tracer: Any = NoTracer() if how == "results" else tracer(self._codes, how == "edges")
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
        if isinstance(self._tracer, ProfileTracer):
            sys.setprofile(None)
            threading.setprofile(None)
        elif isinstance(self._tracer, MonitoringTracer):
            self._tracer._current = None

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

        def hook(event: str, args: tuple[Any, ...]) -> None:
            if event in wanted:
                audited(event, args)

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
        opened = {"data": sorted(context.data), "folders": sorted(context.folders)}
        return {"ran": sorted(context.ran), "edges": self._edges_of(context), "flags": sorted(context.flags), **opened}

    def _tell_imports(self) -> None:
        size = (len(self.imports.ran), len(self.imports.edges))
        if size != self._told:
            self._told = size
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
