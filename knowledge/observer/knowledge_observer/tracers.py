"""How it is seen which functions run and which calls are taken: by probes, by sys.monitoring, by the interpreter's profilers."""

from __future__ import annotations

import _thread
import cProfile
import os
import sys
import threading
from types import CodeType
from typing import TYPE_CHECKING, Any

from .probes import CAN_PROBE, UnprobeableError, probed, replace_exec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

_FOREIGN = _UNKNOWN = -1
"""Instead of a code's number, and of an instruction's offset."""
_DETAILED, _UNBOUNDED = 5_000, -1
"""Calls of one context, native ones too, after which the profiler in C takes over."""
_FOREIGN_THREAD, _WITHOUT_PROBES = "a thread of something earlier", "code without probes"
_NO_EVENTS: frozenset[str] = frozenset()
_monitoring: Any = getattr(sys, "monitoring", None)


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
        self._told: set[int] = set()
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
        number = self.enlist(code) if self.path(code.co_filename) else _FOREIGN
        self.numbers[id(code)] = number
        if number >= 0:
            self.tell({number})
        return number

    def enlist(self, code: CodeType) -> int:
        """A number for a code object of the work tree, of which nothing is written before `tell`."""
        self.objects.append(code)
        return len(self.objects) - 1

    def tell(self, numbers: set[int]) -> None:
        """Write down what these numbers are, where it is not written yet."""
        for number in sorted(numbers - self._told):
            code = self.objects[number]
            path, name = self.path(code.co_filename), getattr(code, "co_qualname", code.co_name)
            self._write({"k": "code", "i": number, "f": path, "q": name, "n": code.co_name, "l": code.co_firstlineno, "g": code.co_flags})
        self._told |= numbers

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

    name, events = "profile", _NO_EVENTS

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

    def forget(self) -> None:
        """This process is none of ours."""
        sys.setprofile(None)
        threading.setprofile(None)

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


class Threads:
    """The context of each thread that runs: that in which it was started. One that outlives its test tells nothing of the next."""

    def __init__(self) -> None:
        self.current: Context | None = None
        self.bound: dict[int, Context | None] = {}

    def bind(self) -> None:
        """Begin to follow threads. What _thread alone starts is not followed, and counts for the context of its moment."""
        kind: Any = threading.Thread
        bound, begin, run = self.bound, kind.start, kind._bootstrap_inner

        def start(thread: Any) -> None:
            thread._knowledge_context = bound.get(threading.get_ident(), self.current)
            begin(thread)

        def bootstrap(thread: Any) -> None:
            identity = threading.get_ident()
            bound[identity] = getattr(thread, "_knowledge_context", None)
            try:
                run(thread)
            finally:
                bound.pop(identity, None)

        kind.start, kind._bootstrap_inner = start, bootstrap

    def context(self) -> Context | None:
        """That of the thread at hand. Where it is of something earlier, what runs now may have handed work to it, and cannot be told from it."""
        context = self.bound.get(threading.get_ident(), self.current)
        if context is not self.current and self.current is not None:
            self.current.flags.add(_FOREIGN_THREAD)
        return context


class _Ran(dict[int, int]):
    """What probes store into, while there is one thread. It stands among the constants of code objects, which are hashed."""

    __slots__ = ("threads",)
    __hash__ = object.__hash__  # type: ignore[assignment]
    threads: Threads

    def __eq__(self, other: object) -> bool:
        return self is other


class _RanInThreads(_Ran):
    """The same while there are several threads."""

    __slots__ = ()

    def __setitem__(self, number: int, value: int) -> None:
        threads = self.threads
        if threads.bound:
            context = threads.context()
            if context is not threads.current:
                if context is not None:
                    context.ran.add(number)
                return
        dict.__setitem__(self, number, value)


class ProbeTracer:
    """Functions by probes in their code. What was loaded around them makes everything later doubtful: it is told to be unseen."""

    name = "probes"
    events = frozenset(("exec", "_thread.start_new_thread"))
    native: frozenset[tuple[int, int]] = frozenset()

    def __init__(self, codes: Codes) -> None:
        self._codes = codes
        self._ran = _Ran()
        self._ran.threads = self._threads = Threads()
        self._numbers: dict[tuple[str, str, int, int], int] = {}
        self._is_blind, self._usual_threads = False, _thread._count()
        self._threads.bind()
        replace_exec(self._replaced)

    def start(self, context: Context) -> None:
        """Observe for a context. Threads that are started meanwhile keep it."""
        self._threads.current = context
        self._ran.clear()

    def stop(self, context: Context) -> None:
        """The context is over."""
        context.ran.update(self._ran)
        self._threads.current = None
        self._ran.clear()
        if self._is_blind:
            context.flags.add(_WITHOUT_PROBES)
        if _thread._count() <= self._usual_threads:
            self._ran.__class__ = _Ran

    def forget(self) -> None:
        """This process is none of ours."""
        self._threads.current = None

    def heard(self, event: str, args: tuple[Any, ...]) -> None:
        """What the interpreter tells of threads and of code that is executed."""
        if event == "_thread.start_new_thread":
            self._ran.__class__ = _RanInThreads
        elif event == "exec" and isinstance(args[0], CodeType):
            self._executed(args[0])

    def _executed(self, code: CodeType) -> None:
        constants = code.co_consts
        if (constants and constants[-1] is self._ran) or not self._codes.path(code.co_filename):
            return
        if self._threads.current is not None:
            self._threads.current.ran.add(self._number(code))
        if any(isinstance(constant, CodeType) for constant in constants):
            self._is_blind = True

    def _replaced(self, code: CodeType) -> CodeType:
        constants = code.co_consts
        if (constants and constants[-1] is self._ran) or not self._codes.path(code.co_filename):
            return code
        try:
            return probed(code, self._ran, self._number)
        except UnprobeableError:
            return code

    def _number(self, code: CodeType) -> int:
        key = code.co_filename, code.co_qualname, code.co_firstlineno, code.co_flags
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._codes.enlist(code)
        return number


class MonitoringTracer:
    """Calls by sys.monitoring: code that is not of the work tree is switched off at its first call, and costs nothing afterwards."""

    name, events = "monitoring", _NO_EVENTS

    def __init__(self, codes: Codes, has_edges: bool) -> None:
        self._codes, self._has_edges = codes, has_edges
        self.native: set[tuple[int, int]] = set()
        self._threads = Threads()
        self._tool: int | None = None

    def start(self, context: Context) -> None:
        """Observe for a context. Threads that are started meanwhile keep it."""
        if self._tool is None and not self._install():
            context.flags.add("another-profiler")
        self._threads.current = context

    def stop(self, context: Context) -> None:
        """The context is over."""
        self._threads.current = None

    def forget(self) -> None:
        """This process is none of ours."""
        self._threads.current = None

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
        self._threads.bind()
        return True

    def _start_callback(self) -> Callable[[CodeType, int], Any]:
        numbers, learn, threads, has_edges = self._codes.numbers, self._codes.learn, self._threads, self._has_edges
        off, frame_of, bound = _monitoring.DISABLE, sys._getframe, threads.bound

        def started(code: CodeType, offset: int) -> Any:
            number = numbers.get(id(code))
            if number is None:
                number = learn(code)
            if number < 0:
                return off
            context = threads.context() if bound else threads.current
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

    name, events = "none", _NO_EVENTS
    native: frozenset[tuple[int, int]] = frozenset()

    def start(self, context: Context) -> None:
        """Nothing is observed."""

    stop = start

    def forget(self) -> None:
        """This process is none of ours."""


def tracer_for(how: str, codes: Codes) -> Any:
    """What observes `how`. Code that is loaded already has no probes, so that it is profiled."""
    if how == "results":
        return NoTracer()
    if _monitoring is not None:
        return MonitoringTracer(codes, how == "edges")
    if how == "functions" and CAN_PROBE and not any(map(codes.path, _loaded())):
        return ProbeTracer(codes)
    return ProfileTracer(codes, how == "edges")


def _loaded() -> list[str]:
    ours = os.path.dirname(__file__)
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    return [file for file in files if os.path.dirname(file) != ours]
