"""Reads the call graphs that `pyrefly check --report-pysa` writes: a directory of JSON files, one for each module and kind.

    pyrefly.pysa.json      format_version, and every module with its source path
    definitions/…          functions and classes of a module: where their names stand, bases, what a method overrides
    call_graphs/…          for each function the places at which it calls, with the targets that the type checker found

Format version 1, as pyrefly 1.5.0 writes it. Places are `line:column-line:column`, both from 1, columns in bytes of UTF-8. A target
`Function` is that one; `Overrides` is that one or whatever overrides it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from knowledge.errors import OutsideInputError

FORMAT_VERSION = 1
MAX_FILE_BYTES = 200_000_000
"""Of one file of the report."""
_PLACE = re.compile(r"(\d{1,9}):(\d{1,9})-(\d{1,9}):(\d{1,9})(?:\|(?P<kind>[\w-]+))?")
_MODULE_LEVEL = "MTL"
_CLASS_LEVEL = "CTL:"


class _Reference(msgspec.Struct):
    module_id: int
    function_id: str = ""
    class_id: int = -1


class _Target(msgspec.Struct):
    target: dict[str, _Reference] | str
    receiver_class: _Reference | None = None


class _Callees(msgspec.Struct):
    call_targets: list[_Target] = []
    init_targets: list[_Target] = []
    new_targets: list[_Target] = []
    property_getters: list[_Target] = []
    property_setters: list[_Target] = []


class _Function(msgspec.Struct):
    name: str
    name_location: str = ""
    overridden_base_method: _Reference | None = None


class _Class(msgspec.Struct):
    name: str
    name_location: str = ""
    bases: list[_Reference] = []


class _Definitions(msgspec.Struct):
    format_version: int
    function_definitions: dict[str, _Function] = {}
    class_definitions: dict[str, _Class] = {}


class _Calls(msgspec.Struct):
    format_version: int
    call_graphs: dict[str, dict[str, dict[str, Any]]] = {}


class _Module(msgspec.Struct):
    source_path: dict[str, str]
    info_filename: str | None = None


class _Project(msgspec.Struct):
    format_version: int
    modules: dict[str, _Module]


@dataclass(frozen=True, slots=True)
class Place:
    """Rows and columns from 0, columns in bytes. kind: "" for what is written there, else what is only implied (`artificial-call` …)."""

    row: int
    column: int
    end_row: int
    end_column: int
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Defined:
    """A function or class of the report: its file, and where its name stands."""

    path: bytes
    place: Place


@dataclass(frozen=True, slots=True)
class PyreflyCall:
    """A call (or the use of a property). caller: the function or class in whose body it stands; None: the file itself.

    has_overrides: what overrides the target may run instead. is_class: an object of the target is made.
    """

    path: bytes
    place: Place
    caller: Defined | None
    target: Defined
    has_overrides: bool
    is_class: bool


@dataclass(frozen=True, slots=True)
class PyreflyReport:
    """What the report says of files below its root. bases and overrides: (what, of what)."""

    paths: tuple[bytes, ...]
    calls: tuple[PyreflyCall, ...]
    bases: tuple[tuple[Defined, Defined], ...]
    overrides: tuple[tuple[Defined, Defined], ...]


def read_pyrefly(report: Path, root: Path) -> PyreflyReport:
    """The report of an analysis of the files below `root`. Raises OutsideInputError, naming the file and what was expected."""
    project = _decode(report / "pyrefly.pysa.json", _Project)
    reader = _Reader(report)
    for name, module in project.modules.items():
        source = module.source_path.get("FileSystem", "")
        if source and module.info_filename and Path(source).is_relative_to(root):
            reader.read_definitions(name, str(Path(source).relative_to(root)).encode("utf-8", "surrogateescape"), module.info_filename)
    return PyreflyReport(tuple(sorted(reader.paths.values())), tuple(reader.calls()), tuple(reader.bases()), tuple(reader.overrides()))


class _Reader:
    """The definitions of all modules first, for calls lead from one to another."""

    def __init__(self, report: Path) -> None:
        self._report = report
        self.paths: dict[int, bytes] = {}
        self._files: dict[int, str] = {}
        self._definitions: dict[int, _Definitions] = {}

    def read_definitions(self, name: str, path: bytes, info_filename: str) -> None:
        if "/" in info_filename or not name.isdecimal():
            raise OutsideInputError(
                f"the pyrefly report names the module {name!r} and its file {info_filename!r}; expected a number and a plain name"
            )
        number = int(name)
        self.paths[number], self._files[number] = path, info_filename
        self._definitions[number] = _decode(self._report / "definitions" / info_filename, _Definitions)

    def calls(self) -> Iterator[PyreflyCall]:
        for number, path in self.paths.items():
            file = self._report / "call_graphs" / self._files[number]
            if not file.exists():
                continue
            for caller, sites in _decode(file, _Calls).call_graphs.items():
                for written, site in sites.items():
                    for kind in ("Call", "AttributeAccess"):
                        if kind in site:
                            yield from self._site(number, path, caller, written, _convert(site[kind], file, written))

    def _site(self, number: int, path: bytes, caller: str, written: str, found: _Callees) -> Iterator[PyreflyCall]:
        place, owner = _place(written), self._caller(number, caller)
        for target in (*found.call_targets, *found.property_getters, *found.property_setters):
            for kind, reference in target.target.items() if isinstance(target.target, dict) else ():
                if (defined := self._function(reference)) is not None:
                    yield PyreflyCall(path, place, owner, defined, kind == "Overrides", False)
        made = {(t.receiver_class.module_id, t.receiver_class.class_id): t for t in (*found.new_targets, *found.init_targets) if t.receiver_class}
        for target in made.values():
            if target.receiver_class is not None and (defined := self._class(target.receiver_class)) is not None:
                has_overrides = isinstance(target.target, dict) and "Overrides" in target.target
                yield PyreflyCall(path, place, owner, defined, has_overrides, True)

    def bases(self) -> Iterator[tuple[Defined, Defined]]:
        for number, definitions in self._definitions.items():
            for name, found in definitions.class_definitions.items():
                own = self._class(_Reference(number, class_id=int(name)))
                others = [self._class(base) for base in found.bases]
                yield from ((own, other) for other in others if own is not None and other is not None)

    def overrides(self) -> Iterator[tuple[Defined, Defined]]:
        for number, definitions in self._definitions.items():
            for name, found in definitions.function_definitions.items():
                if found.overridden_base_method is not None:
                    own, other = self._function(_Reference(number, name)), self._function(found.overridden_base_method)
                    if own is not None and other is not None:
                        yield own, other

    def _caller(self, number: int, caller: str) -> Defined | None:
        if caller.startswith(_CLASS_LEVEL):
            return self._class(_Reference(number, class_id=int(caller.removeprefix(_CLASS_LEVEL))))
        return None if caller == _MODULE_LEVEL else self._function(_Reference(number, caller))

    def _function(self, reference: _Reference) -> Defined | None:
        definitions = self._definitions.get(reference.module_id)
        found = definitions.function_definitions.get(reference.function_id) if definitions is not None else None
        return Defined(self.paths[reference.module_id], _place(found.name_location)) if found is not None and found.name_location else None

    def _class(self, reference: _Reference) -> Defined | None:
        definitions = self._definitions.get(reference.module_id)
        found = definitions.class_definitions.get(str(reference.class_id)) if definitions is not None else None
        return Defined(self.paths[reference.module_id], _place(found.name_location)) if found is not None and found.name_location else None


def _decode(file: Path, kind: type[Any]) -> Any:
    if not file.is_file() or file.stat().st_size > MAX_FILE_BYTES:
        raise OutsideInputError(f"the pyrefly report has no {file.name} of at most {MAX_FILE_BYTES:,} bytes")
    content = file.read_bytes()
    version = _convert_version(content, file)
    if version != FORMAT_VERSION:
        raise OutsideInputError(f"{file.name} of the pyrefly report has format version {version}; this program reads {FORMAT_VERSION}")
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.MsgspecError as error:
        raise OutsideInputError(f"{file.name} of the pyrefly report is not as expected: {error}") from error


class _Version(msgspec.Struct):
    format_version: int | None = None


def _convert_version(content: bytes, file: Path) -> int | None:
    try:
        return msgspec.json.decode(content, type=_Version).format_version
    except msgspec.MsgspecError as error:
        raise OutsideInputError(f"{file.name} of the pyrefly report is no JSON object: {error}") from error


def _convert(found: Any, file: Path, written: str) -> _Callees:
    try:
        return msgspec.convert(found, _Callees)
    except msgspec.MsgspecError as error:
        raise OutsideInputError(f"{file.name} of the pyrefly report is not as expected at {written}: {error}") from error


def _place(written: str) -> Place:
    found = _PLACE.match(written)
    if found is None:
        raise OutsideInputError(f"the pyrefly report has the place {written!r}; expected line:column-line:column")
    row, column, end_row, end_column = (int(found[number]) - 1 for number in range(1, 5))
    return Place(row, column, end_row, end_column, found["kind"] or "")
