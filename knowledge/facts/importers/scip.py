"""Reads a SCIP index (https://github.com/scip-code/scip, `scip.proto`): where symbols are defined and used, as another indexer saw it.

The index is read one field of the message `Index` at a time, as the schema asks for, so that a damaged part is named with its place. Of the
messages only the fields that are used are declared here; protobuf skips the others. Ranges come in two encodings: `range` (three or four
integers; the older one) and the typed `single_line_range` and `multi_line_range`; both are read, the typed one first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from knowledge.errors import OutsideInputError

MAX_BYTES = 1 << 30
MAX_DOCUMENTS = 200_000
MAX_OCCURRENCES = 20_000_000
"""Bounds of one index; a larger one is refused, with what was found."""

DEFINITION, IMPORT, WRITE, READ, GENERATED, TEST, FORWARD_DEFINITION = 1, 2, 4, 8, 16, 32, 64
"""Bits of `SymbolRole`."""
UTF8, UTF16, UTF32 = 1, 2, 3
"""Values of `PositionEncoding`; 0 is unspecified."""

_METADATA, _DOCUMENTS, _EXTERNAL_SYMBOLS = 1, 2, 3
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_SCHEMA: dict[str, dict[str, tuple[int, str]]] = {
    "ToolInfo": {"name": (1, "string"), "version": (2, "string"), "arguments": (3, "*string")},
    "Metadata": {"tool_info": (2, "ToolInfo"), "project_root": (3, "string")},
    "SingleLineRange": {"line": (1, "int32"), "start_character": (2, "int32"), "end_character": (3, "int32")},
    "MultiLineRange": {"start_line": (1, "int32"), "start_character": (2, "int32"), "end_line": (3, "int32"), "end_character": (4, "int32")},
    "Occurrence": {
        "range": (1, "*int32"), "symbol": (2, "string"), "symbol_roles": (3, "int32"),
        "single_line_range": (8, "SingleLineRange"), "multi_line_range": (9, "MultiLineRange"),
    },
    "Relationship": {"symbol": (1, "string"), "is_implementation": (3, "bool")},
    "SymbolInformation": {"symbol": (1, "string"), "relationships": (4, "*Relationship")},
    "Document": {
        "relative_path": (1, "string"), "occurrences": (2, "*Occurrence"), "symbols": (3, "*SymbolInformation"),
        "text": (5, "string"), "position_encoding": (6, "int32"),
    },
}  # fmt: skip
"""Message → field → (number, type); `*` is repeated. The enum of `position_encoding` is read as the integer that it is."""


@dataclass(frozen=True, slots=True)
class ScipRange:
    """A half-open range; rows from 0, characters in the document's encoding."""

    row: int
    character: int
    end_row: int
    end_character: int


@dataclass(frozen=True, slots=True)
class ScipOccurrence:
    """A symbol at a place. roles: bits of `SymbolRole`."""

    range: ScipRange
    symbol: str
    roles: int


@dataclass(frozen=True, slots=True)
class ScipDocument:
    """One source file. implementations: (symbol, what it implements or overrides). text: "" where the index does not carry it."""

    path: str
    encoding: int
    text: str
    occurrences: tuple[ScipOccurrence, ...]
    implementations: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ScipIndex:
    """A whole index. arguments: how the indexer was called."""

    tool: str
    version: str
    arguments: tuple[str, ...]
    project_root: str
    documents: tuple[ScipDocument, ...]


def read_scip(content: bytes) -> ScipIndex:
    """The index that `content` holds. Raises OutsideInputError, naming the byte where it cannot be read and what was expected there."""
    if len(content) > MAX_BYTES:
        raise OutsideInputError(f"the index has {len(content):,} bytes; expected at most {MAX_BYTES:,}")
    metadata: Any = None
    documents: list[ScipDocument] = []
    occurrences = 0
    for number, start, part in _fields(content):
        if number == _METADATA:
            metadata = _message("Metadata", part, start)
        elif number == _DOCUMENTS:
            documents.append(_document(part, start, len(documents) + 1))
            occurrences += len(documents[-1].occurrences)
            if len(documents) > MAX_DOCUMENTS or occurrences > MAX_OCCURRENCES:
                raise OutsideInputError(f"the index has more than {MAX_DOCUMENTS:,} documents or {MAX_OCCURRENCES:,} occurrences (at byte {start})")
    if metadata is None or not metadata.tool_info.name:
        raise OutsideInputError("the index does not say which tool made it; expected `metadata.tool_info` as SCIP indexes have it")
    tool = metadata.tool_info
    return ScipIndex(tool.name, tool.version, tuple(tool.arguments), metadata.project_root, tuple(documents))


def _fields(content: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The length-delimited fields of the outermost message: (number, where its content begins, content).

    The wire format: https://protobuf.dev/programming-guides/encoding/
    """
    view, place = memoryview(content), 0
    while place < len(content):
        start = place
        key, place = _varint(content, place)
        number, wire = key >> 3, key & 7
        if number == 0 or wire not in (_VARINT, _FIXED64, _LENGTH, _FIXED32):
            raise OutsideInputError(f"no SCIP index: byte {start} begins no field of a protobuf message")
        if wire == _LENGTH:
            length, place = _varint(content, place)
        elif wire == _VARINT:
            _, place = _varint(content, place)
            continue
        else:
            length = 8 if wire == _FIXED64 else 4
        if length > len(content) - place:
            raise OutsideInputError(
                f"the index is cut off: the field at byte {start} should have {length:,} bytes, {len(content) - place:,} are left"
            )
        if wire == _LENGTH:
            yield number, place, bytes(view[place : place + length])
        place += length


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if place + shift // 7 >= len(content):
            raise OutsideInputError(f"the index is cut off in the number at byte {place}")
        byte = content[place + shift // 7]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place + shift // 7 + 1
    raise OutsideInputError(f"no SCIP index: the number at byte {place} does not end")


def _document(part: bytes, start: int, number: int) -> ScipDocument:
    found = _message("Document", part, start)
    what = f"document {number} ({found.relative_path!r}) at byte {start}"
    _check_path(found.relative_path, what)
    if not 0 <= found.position_encoding <= UTF32:
        raise OutsideInputError(f"{what} has the position encoding {found.position_encoding}; expected 0 to {UTF32}")
    occurrences = tuple(
        ScipOccurrence(_range(occurrence, position, what), occurrence.symbol, occurrence.symbol_roles)
        for position, occurrence in enumerate(found.occurrences, 1)
        if occurrence.symbol
    )
    pairs = tuple((info.symbol, other.symbol) for info in found.symbols for other in info.relationships if other.is_implementation)
    return ScipDocument(found.relative_path, found.position_encoding, found.text, occurrences, pairs)


def _check_path(path: str, what: str) -> None:
    """A path as the schema wants it: relative, canonical, with slashes."""
    if not path or path.startswith("/") or "\\" in path or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise OutsideInputError(f"{what} has no path below the project; expected a canonical relative path with slashes")


def _range(occurrence: Any, number: int, what: str) -> ScipRange:
    if occurrence.HasField("single_line_range"):
        one = occurrence.single_line_range
        numbers = (one.line, one.start_character, one.line, one.end_character)
    elif occurrence.HasField("multi_line_range"):
        many = occurrence.multi_line_range
        numbers = (many.start_line, many.start_character, many.end_line, many.end_character)
    else:
        given = tuple(occurrence.range)
        if len(given) not in (3, 4):
            raise OutsideInputError(f"occurrence {number} of {what} has a range of {len(given)} numbers; expected 3 or 4, or a typed range")
        numbers = (given[0], given[1], given[-2] if len(given) == 4 else given[0], given[-1])
    if min(numbers) < 0 or numbers[2:] < numbers[:2]:
        raise OutsideInputError(f"occurrence {number} of {what} has the range {numbers}; expected one that ends where it begins or later")
    return ScipRange(*numbers)


def _message(name: str, part: bytes, start: int) -> Any:
    try:
        return _messages()[name].FromString(part)
    except DecodeError as error:
        raise OutsideInputError(f"the {name} at byte {start} of the index cannot be read: {error}") from error


@cache
def _messages() -> dict[str, Any]:
    """A class for each message of `_SCHEMA`."""
    file = descriptor_pb2.FileDescriptorProto(name="knowledge/scip.proto", package="scip", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    scalar = {"string": kinds.TYPE_STRING, "int32": kinds.TYPE_INT32, "bool": kinds.TYPE_BOOL}
    for name, fields in _SCHEMA.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            plain = kind.removeprefix("*")
            added = message.field.add(name=field, number=number, label=kinds.LABEL_REPEATED if kind.startswith("*") else kinds.LABEL_OPTIONAL)
            added.type = scalar.get(plain, kinds.TYPE_MESSAGE)
            if plain not in scalar:
                added.type_name = f".scip.{plain}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"scip.{name}")) for name in _SCHEMA}
