"""Probes in code objects: a function says that it runs by one store into a mapping, and what has no probe runs as fast as ever. CPython 3.11.

The interpreter slows down as a whole while a profiler is set, so functions are told without one. Whoever loads a module hands its code to `exec`
(the import system, pytest's rewriting of assertions, runpy, template engines): there each code object of the work tree, and all that are nested in
it, are replaced by copies that begin with

    LOAD_CONST number; LOAD_CONST ran; LOAD_CONST number; STORE_SUBSCR

after the RESUME of their start; those of generators and coroutines before they are made and after each RESUME, so that who goes on with one is told
as who began it. The inserted instructions have no line; the tables of places and of exception handlers are moved along. How these are laid out:
CPython 3.11, Objects/locations.md and Objects/exception_handling_notes.txt.

Like the plugin it runs in the environment of the tests: the standard library alone, importable on Python 3.8.
"""

from __future__ import annotations
import __future__

import builtins
import dis
import opcode
import sys
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

CAN_PROBE = sys.implementation.name == "cpython" and sys.version_info[:2] == (3, 11)
_WITHIN = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>"))
"""Code that runs in the middle of the function around it, which has told already."""
_NO_PLACE, _LONG = 15, 14
"""Kinds of entries in the table of places."""
_MOST_UNITS = 8
"""Units (an instruction, its argument's extension or its cache; two bytes each) that one entry is for at most."""
_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag & ~0xFFFF
_IMPORTING = "<frozen importlib._bootstrap>", "_call_with_frames_removed"
"""File and function of the import system whose frames are left out of tracebacks and of the places of warnings."""


class UnprobeableError(Exception):
    """The code has a shape that is not known here; nothing of it was replaced."""


def probed(code: CodeType, ran: object, number_of: Callable[[CodeType], int]) -> CodeType:
    """The code with probes in it and in all that is nested in it; each stores its number as a key of `ran`, which is its last constant.

    Raises UnprobeableError.
    """
    nested = tuple([probed(one, ran, number_of) if isinstance(one, CodeType) else one for one in code.co_consts])
    if code.co_name in _WITHIN:
        return code.replace(co_consts=nested)
    probe = b"".join(
        [_instruction("LOAD_CONST", argument) for argument in (len(nested), len(nested) + 1, len(nested))] + [_instruction("STORE_SUBSCR", 0)]
    )
    if len(probe) > 2 * _MOST_UNITS:
        raise UnprobeableError(code.co_name)
    raw = code.co_code
    places = [at + _PROBED[raw[at]] for at in range(0, len(raw), 2) if raw[at] in _PROBED]
    moved = _begun(code, places[0], probe) if len(places) == 1 else None
    return code.replace(
        co_consts=(*nested, number_of(code), ran), co_stacksize=code.co_stacksize + 3, **(moved or _spread(code, [at // 2 for at in places], probe))
    )


if CAN_PROBE:
    _PROBED = {opcode.opmap["RESUME"]: 2, opcode.opmap["RETURN_GENERATOR"]: 0}
    """Instruction → bytes from its beginning to where the probe stands."""
    _CACHES: Mapping[int, int] = {number: opcode._inline_cache_entries[number] for number in range(256)}  # type: ignore[attr-defined]


def _instruction(name: str, argument: int) -> bytes:
    number = opcode.opmap[name]
    return _extended(number, argument, _size_of(argument)) + bytes(2 * _CACHES[number])


def _size_of(argument: int) -> int:
    """Units that an instruction with this argument needs, its caches aside."""
    return max(1, (argument.bit_length() + 7) // 8)


def _extended(number: int, argument: int, units: int) -> bytes:
    parts = argument.to_bytes(units, "big")
    return b"".join(bytes((opcode.EXTENDED_ARG, part)) for part in parts[:-1]) + bytes((number, parts[-1]))


# ── a probe at the start alone: nothing jumps over it ──


def _begun(code: CodeType, at: int, probe: bytes) -> dict[str, Any] | None:
    """What is otherwise with the probe at this byte; None where the table of places has no boundary there."""
    table, unit, place, units = code.co_linetable, at // 2, 0, len(probe) // 2
    seen = 0
    while seen < unit and place < len(table):
        seen += (table[place] & 7) + 1
        place += 1
        while place < len(table) and not table[place] & 0x80:
            place += 1
    if seen != unit:
        return None
    return {
        "co_code": code.co_code[:at] + probe + code.co_code[at:],
        "co_linetable": table[:place] + bytes((_entry(_NO_PLACE, units),)) + table[place:],
        "co_exceptiontable": _handlers(code, lambda where: where + units if where >= unit else where),
    }


def _entry(kind: int, units: int) -> int:
    return 0x80 | kind << 3 | units - 1


# ── probes all over: jumps are made anew ──


class _Step:
    """An instruction. at, end: its units in the old code; target: the unit to which it jumps, or -1."""

    __slots__ = ("argument", "at", "end", "number", "size", "target")

    def __init__(self, number: int, argument: int, at: int, end: int) -> None:
        self.number, self.argument, self.at, self.end = number, argument, at, end
        self.size = end - at
        self.target = -1
        if number in dis.hasjrel:
            self.target = end - argument if "JUMP_BACKWARD" in opcode.opname[number] else end + argument
        elif number in dis.hasjabs:
            raise UnprobeableError(opcode.opname[number])


def _spread(code: CodeType, begun: list[int], probe: bytes) -> dict[str, Any]:
    """What is otherwise with a probe at each of these units."""
    steps = list(_steps(code.co_code))
    units, wanted = len(probe) // 2, frozenset(begun)
    while True:
        places, at = {}, 0
        for step in steps:
            # Whoever jumps here jumps behind the probe: it is for those that are resumed.
            at += units if step.at in wanted else 0
            places[step.at] = at
            at += step.size
        places[len(code.co_code) // 2] = at
        if not _lengthen(steps, places):
            break
    parts, table = [], []
    positions = list(code.co_positions())
    line = code.co_firstlineno
    for step in steps:
        if step.at in wanted:
            parts.append(probe)
            table.append(bytes((_entry(_NO_PLACE, units),)))
        caches = bytes(2 * _CACHES[step.number])
        parts.append(_extended(step.number, step.argument, step.size - len(caches) // 2) + caches)
        place, line = _placed(positions[step.end - 1], line, step.size)
        table.append(place)
    return {"co_code": b"".join(parts), "co_linetable": b"".join(table), "co_exceptiontable": _handlers(code, places.__getitem__)}


def _steps(raw: bytes) -> Iterator[_Step]:
    at = begun = argument = 0
    while at < len(raw):
        number = raw[at]
        argument = argument << 8 | raw[at + 1]
        at += 2
        if number != opcode.EXTENDED_ARG:
            at += 2 * _CACHES[number]
            yield _Step(number, argument, begun // 2, at // 2)
            begun, argument = at, 0


def _lengthen(steps: Iterable[_Step], places: Mapping[int, int]) -> bool:
    """Set the arguments of jumps; whether an instruction became longer, so that all places have to be found again."""
    is_longer = False
    for step in steps:
        if step.target >= 0:
            step.argument = abs(places[step.target] - places[step.at] - step.size)
            size = _size_of(step.argument) + _CACHES[step.number]
            if size > step.size:
                step.size, is_longer = size, True
    return is_longer


def _placed(position: tuple[int | None, ...], line: int, units: int) -> tuple[bytes, int]:
    """The entries of the table of places for an instruction, and the line at which the next one begins to count."""
    first, last, column, end = position
    found = b""
    while units > 0:
        some = min(units, _MOST_UNITS)
        units -= some
        if first is None:
            found += bytes((_entry(_NO_PLACE, some),))
            continue
        found += bytes((_entry(_LONG, some),)) + _signed(first - line) + _number((last or first) - first)
        # A column counts from 1 here; 0 is for none.
        found += _number(0 if column is None else column + 1) + _number(0 if end is None else end + 1)
        line = first
    return found, line


def _number(value: int) -> bytes:
    """Six bits a byte, the lowest first."""
    found = []
    while value >= 0x40:
        found.append(0x40 | value & 0x3F)
        value >>= 6
    return bytes((*found, value))


def _signed(value: int) -> bytes:
    return _number(-value << 1 | 1 if value < 0 else value << 1)


def _handlers(code: CodeType, place_of: Callable[[int], int]) -> bytes:
    """The table of exception handlers with other places. Six bits a byte, the highest first; an entry's first byte is marked."""
    if not code.co_exceptiontable:
        return b""
    numbers: list[int] = []
    goes_on = False
    for byte in code.co_exceptiontable:
        if goes_on:
            numbers[-1] = numbers[-1] << 6 | byte & 0x3F
        else:
            numbers.append(byte & 0x3F)
        goes_on = bool(byte & 0x40)
    found = bytearray()
    for index in range(0, len(numbers), 4):
        start, length, target, depth = numbers[index : index + 4]
        first, end = place_of(start), place_of(start + length)
        begun = len(found)
        for value in (first, end - first, place_of(target), depth):
            shifts = [shift for shift in (24, 18, 12, 6) if value >> shift]
            found += bytes((*(0x40 | value >> shift & 0x3F for shift in shifts), value & 0x3F))
        found[begun] |= 0x80
    return bytes(found)


# ── where code is loaded ──


def replace_exec(replaced: Callable[[CodeType], CodeType]) -> None:
    """Have everything that is executed from now on go through `replaced`. Tracebacks and warnings do not show it."""
    execute, frame_of = builtins.exec, sys._getframe

    def executing(source: Any, globals: Any = None, locals: Any = None, /, **more: Any) -> None:
        caller = frame_of(1)
        if globals is None:
            globals, locals = caller.f_globals, caller.f_locals if locals is None else locals
        if isinstance(source, CodeType):
            source = replaced(source)
        elif isinstance(source, (str, bytes)):
            source = compile(source, "<string>", "exec", caller.f_code.co_flags & _FUTURES, True)
        execute(source, globals, locals, **more)

    executing.__code__ = executing.__code__.replace(co_filename=_IMPORTING[0], co_name=_IMPORTING[1])
    executing.__name__ = executing.__qualname__ = "exec"
    builtins.exec = executing
