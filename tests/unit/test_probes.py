"""Probes change nothing of the code that they stand in, and tell each function that runs."""

from __future__ import annotations

import asyncio
import builtins
import dis
import linecache
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from knowledge.observer.knowledge_observer.probes import CAN_PROBE, UnprobeableError, probed, replace_exec
from knowledge.observer.knowledge_observer.tracers import Codes, Context, ProbeTracer

pytestmark = pytest.mark.skipif(not CAN_PROBE, reason="probes are for CPython 3.11; newer ones have sys.monitoring")

MODULES = (asyncio.base_events, asyncio.tasks, dis, linecache, traceback, warnings)
PROGRAM = """
from contextlib import contextmanager

class Shop:
    def price(self, of):
        return (lambda: of)() + sum(each() for each in [lambda: 1])

    def fails(self):
        try:
            raise ValueError("no")
        finally:
            self.price(1)

@contextmanager
def opened():
    try:
        yield Shop()
    finally:
        closed()

def closed():
    pass

def counting(upto):
    while True:
        sent = yield upto
        if sent is None:
            break
        yield from range(sent)

async def later():
    return 2

async def both():
    return await later() + await later()

def run():
    with opened() as shop:
        try:
            shop.fails()
        except ValueError as error:
            told = error.__traceback__.tb_next.tb_lineno
    import asyncio
    made = counting(3)
    return told, shop.price(4), next(made), made.send(2), asyncio.run(both())
"""


class _Ran(dict[int, int]):
    __hash__ = object.__hash__  # type: ignore[assignment]


def _with_probes(code: CodeType) -> tuple[CodeType, _Ran, list[CodeType]]:
    ran, codes = _Ran(), list[CodeType]()

    def number_of(code: CodeType) -> int:
        codes.append(code)
        return len(codes) - 1

    return probed(code, ran, number_of), ran, codes


def _instructions(code: CodeType, own: int) -> list[tuple[dis.Instruction, int]]:
    """The instructions without probes and extensions, each with the place to which jumps lead that mean it."""
    found, begun, left = [], -1, 0
    for one in dis.get_instructions(code):
        begun = one.offset if begun < 0 else begun
        if one.opname == "EXTENDED_ARG":
            continue
        if one.opname == "LOAD_CONST" and one.arg == own and not left:
            left = 4
        if left:
            left -= 1
            assert one.positions is not None and one.positions.lineno is None
        else:
            found.append((one, begun))
        begun = -1
    return found


def _assert_same(code: CodeType, copy: CodeType) -> int:
    """How many code objects were held against each other."""
    own = len(code.co_consts)
    before, after = _instructions(code, own), _instructions(copy, own)
    assert [one.opname for one, _ in before] == [one.opname for one, _ in after]
    at = [{place: number for number, (_, place) in enumerate(side)} | {len(c.co_code): -1} for side, c in ((before, code), (after, copy))]
    for (one, _), (other, _) in zip(before, after, strict=True):
        assert one.positions == other.positions
        if one.opcode in dis.hasjrel:
            assert at[0][one.argval] == at[1][other.argval]
        else:
            assert one.arg == other.arg
    handlers = [
        [(places[e.start], places[e.end], places[e.target], e.depth, e.lasti) for e in dis._parse_exception_table(c)]  # type: ignore[attr-defined]
        for places, c in zip(at, (code, copy), strict=True)
    ]
    assert handlers[0] == handlers[1]
    nested = [(a, b) for a, b in zip(code.co_consts, copy.co_consts, strict=False) if isinstance(a, CodeType)]
    return 1 + sum(_assert_same(one, other) for one, other in nested)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.__name__))
def test_code_is_the_same_but_for_the_probes(module: Any) -> None:
    """Instructions, what jumps lead to, places of instructions and exception handlers are those of the original, for all code of a module."""
    code = compile(Path(module.__file__).read_bytes(), module.__file__, "exec")
    copy, _, codes = _with_probes(code)
    assert _assert_same(code, copy) >= len(codes) > 5


@pytest.mark.parametrize("times", [10, *range(46, 54), 20_000])
def test_jumps_that_become_longer(times: int) -> None:
    """A jump whose argument needs one more byte with the probes in between leads to where it did."""
    text = "def f(x):\n    while x:\n        yield x\n" + "        x = x + 1\n" * times + f"        x = x - {times} - 1\n"
    code = compile(text, "long.py", "exec")
    copy = _with_probes(code)[0]
    assert _assert_same(code, copy) == 2
    space: dict[str, Any] = {}
    exec(copy, space)
    assert list(space["f"](3)) == [3, 2, 1]


def test_many_constants() -> None:
    """Numbers of constants above a byte are extended; code with more than an entry of places can tell is refused."""
    text = "def f():\n    return [" + ", ".join(f"{number}.5" for number in range(300)) + "].pop()\n"
    space: dict[str, Any] = {}
    copy, ran, codes = _with_probes(compile(text, "many.py", "exec"))
    exec(copy, space)
    assert space["f"]() == 299.5 and [codes[number].co_name for number in ran] == ["<module>", "f"]
    code = compile("def f():\n    pass\n", "f.py", "exec")
    with pytest.raises(UnprobeableError):
        probed(code.replace(co_consts=(*code.co_consts, *map(float, range(70_000)))), ran, lambda code: 0)


def test_what_ran_is_what_a_profiler_sees() -> None:
    """Each function, generator and coroutine that is called or resumed, and the same results and lines as without probes."""
    plain, told = dict[str, Any](), set()
    exec(compile(PROGRAM, "program.py", "exec"), plain)

    def on_event(frame: Any, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code.co_filename == "program.py":
            told.add(frame.f_code.co_qualname)

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        result = plain["run"]()
    finally:
        sys.setprofile(before)
    copy, ran, codes = _with_probes(compile(PROGRAM, "program.py", "exec"))
    space: dict[str, Any] = {}
    exec(copy, space)
    ran.clear()
    assert space["run"]() == result
    assert {codes[number].co_qualname for number in ran} == {name for name in told if "comp>" not in name}


def test_who_goes_on_is_told_again() -> None:
    """A generator that was begun under one test and goes on under another ran in both; one that is made and never begun was called."""
    copy, ran, codes = _with_probes(compile(PROGRAM, "program.py", "exec"))
    space: dict[str, Any] = {}
    exec(copy, space)
    ran.clear()
    made = space["counting"](1)
    told = [[codes[number].co_name for number in ran]]
    for sent in (None, 2, None):
        ran.clear()
        made.send(sent)
        told.append([codes[number].co_name for number in ran])
    assert told == [["counting"]] * 4


@pytest.fixture
def executing() -> Iterator[Callable[[Callable[[CodeType], CodeType]], None]]:
    """`replace_exec`, taken back at the end."""
    before = builtins.exec
    yield replace_exec
    builtins.exec = before


def test_exec_is_as_it_was(executing: Callable[[Callable[[CodeType], CodeType]], None]) -> None:
    """Names, closures, futures of the text's caller and places of warnings are as without the replacement, which sees each code object."""
    seen: list[CodeType] = []
    executing(lambda code: seen.append(code) or code)  # type: ignore[func-returns-value]
    here = 3
    exec("assert here == 3; made = lambda x: here")
    space: dict[str, Any] = {}
    exec("def f(x: int): ...", space)
    assert space["f"].__annotations__ == {"x": "int"}, "this file's own future import holds for its texts"
    exec(compile("def g(x: int): ...", "g.py", "exec", 0, True), space, {})
    assert "g" not in space and [code.co_filename for code in seen] == ["g.py"] and here == 3
    with pytest.raises(TypeError):
        exec(space["f"].__code__, {}, {}, closure=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile("import warnings; warnings.warn('old', stacklevel=2)", "module.py", "exec"), {"__name__": "module"})
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name]


@pytest.fixture
def tracer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProbeTracer]:
    """A tracer of a work tree in `tmp_path`; what it replaces of the interpreter is put back."""
    for name in ("start", "_bootstrap_inner"):
        monkeypatch.setattr(threading.Thread, name, getattr(threading.Thread, name))
    before = builtins.exec
    yield ProbeTracer(Codes(str(tmp_path), lambda line: None))
    builtins.exec = before


def _names(tracer: ProbeTracer, context: Context) -> set[str]:
    return {tracer._codes.objects[number].co_name for number in context.ran}


def _loaded(path: Path, text: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), space)
    return space


def test_threads_keep_their_context(tracer: ProbeTracer, tmp_path: Path) -> None:
    """What a thread runs is of the test that started it; what one of an earlier test runs makes the later one doubtful, and is not told of it."""
    space = _loaded(tmp_path / "shop.py", "def first(): pass\ndef second(): pass\ndef own(): pass\n")
    go_on, done = threading.Event(), threading.Event()
    one, other = Context(), Context()

    def work() -> None:
        tracer.heard("exec", ("text",))
        space["first"]()
        done.set()
        go_on.wait(10)
        space["second"]()

    tracer.start(one)
    tracer.heard("_thread.start_new_thread", ())
    thread = threading.Thread(target=work)
    thread.start()
    assert done.wait(10)
    tracer.stop(one)
    tracer.start(other)
    go_on.set()
    thread.join()
    space["own"]()
    tracer.stop(other)
    assert _names(tracer, one) == {"first", "second"} and _names(tracer, other) == {"own"}
    assert not one.flags and other.flags == {"a thread of something earlier"}


def test_code_that_has_no_probes_is_told(tracer: ProbeTracer, tmp_path: Path) -> None:
    """Code of the work tree that is executed around the probes ran; where functions are made of it, all that follows is doubtful."""
    plain = compile("x = 1", str(tmp_path / "plain.py"), "exec")
    made = compile("def f(): pass", str(tmp_path / "made.py"), "exec")
    contexts = [Context() for _ in range(4)]
    for context, heard in zip(contexts, (compile("x = 1", "elsewhere.py", "exec"), plain, made, None), strict=True):
        tracer.start(context)
        if heard is not None:
            tracer.heard("exec", (heard,))
        tracer.stop(context)
    assert [len(context.ran) for context in contexts] == [0, 1, 1, 0]
    assert [bool(context.flags) for context in contexts] == [False, False, True, True]
