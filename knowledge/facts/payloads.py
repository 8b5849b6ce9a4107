"""One blob → what the store keeps of it: msgpack of `FileFacts` or `SymbolDigests`.

Payloads of a few files are compressed by zlib, because those of later revisions add up; a first index of thousands of files is not,
because that costs 0.4 of the time of parsing them and makes them a third (measured on SQLAlchemy: 25 MB, 8 MB). The first byte tells.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple, get_type_hints

import msgspec

from analyzers.analysis import analyze, digest
from analyzers.facts import FileFacts, Limitation, Skipped, SymbolDigests
from analyzers.registry import LANGUAGES, analyzer_version, classify, parser_version
from knowledge.records.definition_rows import DefinitionRow

_ENCODER = msgspec.msgpack.Encoder()
_FACTS = msgspec.msgpack.Decoder(FileFacts)
_LEFT_OUT = frozenset({"calls", "values", "mentions"})
_TYPES = get_type_hints(FileFacts)
_OUTLINE = msgspec.msgpack.Decoder(
    msgspec.defstruct(
        "Outline", [(name, msgspec.Raw if name in _LEFT_OUT else _TYPES[name]) for name in FileFacts.__struct_fields__], array_like=True
    )
)
"""The same list, of which some places are not looked into."""
_DIGESTS = msgspec.msgpack.Decoder(SymbolDigests)
_LEVEL = 1
_HEAD_BYTES = 2_000
SYNTAX_ERROR = "syntax-error"
"""Remark on a file of which the grammar could not read all."""
GENERATED = "generated"
"""Code of the limitation of files that a tool writes: they are read, and left out of sets."""
_ZLIB = b"\x78"
"""The first byte of what zlib makes; as msgpack it would be a number, and a payload is a list."""


class Row(NamedTuple):
    """What one blob comes to. skipped: a limitation's code and its detail, or two times "". remark: as in `StoredFacts`."""

    parser_version: str
    analyzer_version: str
    payload: bytes = b""
    definitions: tuple[DefinitionRow, ...] = ()
    skipped: str = ""
    detail: str = ""
    remark: str = ""


def facts_row(language: str, content: bytes, is_compressed: bool = True) -> Row:
    """The facts of a blob. Raises LookupError for a language that is not in the registry."""
    found = analyze(content, language)
    if isinstance(found, Skipped):
        return skipped_row(language, found.limitation.code, found.limitation.detail)
    if LANGUAGES[language].kind == "code" and GENERATED in classify(b"", content[:_HEAD_BYTES]):
        told = Limitation(GENERATED, "marked at its head as generated: what it is generated from is not seen", 0)
        found = msgspec.structs.replace(found, limitations=(*found.limitations, told))
    definitions = tuple((d.name, d.qualified_name, d.ordinal, d.kind, "overload" in d.flags) for d in found.definitions[1:])
    return Row(found.parser_version, found.analyzer_version, _pack(found, is_compressed), definitions, remark=_remark(found))


def _remark(found: FileFacts) -> str:
    if found.has_error:
        return SYNTAX_ERROR
    return GENERATED if any(told.code == GENERATED for told in found.limitations) else ""


def digests_row(language: str, content: bytes) -> Row:
    """The hashes of a blob's definitions, as the payload."""
    found = digest(content, language)
    if isinstance(found, Skipped):
        return skipped_row(language, found.limitation.code, found.limitation.detail)
    return Row(found.parser_version, found.analyzer_version, _pack(found, True))


def skipped_row(language: str, code: str, detail: str) -> Row:
    """A blob without facts."""
    return Row(parser_version(language), analyzer_version(language), skipped=code, detail=detail)


def decode_facts(payload: bytes) -> FileFacts:
    """The facts that a payload holds."""
    return _FACTS.decode(_unpacked(payload))


def decode_outline(payload: bytes) -> FileFacts:
    """The facts that resolving another file may look at: without calls, values and mentions. 0.4 of the memory of all of them."""
    found = _OUTLINE.decode(_unpacked(payload))
    return FileFacts(**{name: getattr(found, name) for name in FileFacts.__struct_fields__ if name not in _LEFT_OUT})


def decode_digests(payload: bytes) -> SymbolDigests:
    """The hashes that a payload holds."""
    return _DIGESTS.decode(_unpacked(payload))


def _pack(found: FileFacts | SymbolDigests, is_compressed: bool) -> bytes:
    encoded = _ENCODER.encode(found)
    return zlib.compress(encoded, _LEVEL) if is_compressed else encoded


def _unpacked(payload: bytes) -> bytes:
    return zlib.decompress(payload) if payload[:1] == _ZLIB else payload
