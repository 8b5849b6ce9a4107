"""Bytes and a language → facts and hashes: the one door to the analyzers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from analyzers.facts import FileFacts, Skipped, SymbolDigests
from analyzers.key_paths import Document, document_digests, document_facts
from analyzers.languages import dotenv, ini, javascript, json, python, tags, toml, yaml
from analyzers.parsing import Parsed, parse, source_text
from analyzers.registry import LANGUAGES, analyzer_version, parser_version


@dataclass(frozen=True, slots=True)
class _Code:
    """facts: the outline of a parsed file. digests: its hashes, in the order of those facts' definitions."""

    facts: Callable[[Parsed], FileFacts | Skipped]
    digests: Callable[[Parsed, FileFacts], SymbolDigests]


_CODE: Mapping[str, _Code] = {
    "javascript": _Code(javascript.facts, javascript.digests),
    "python": _Code(python.facts, python.digests),
    "tsx": _Code(javascript.facts, javascript.digests),
    "typescript": _Code(javascript.facts, javascript.digests),
    **{name: _Code(tags.facts, tags.digests) for name, spec in LANGUAGES.items() if spec.analyzer == "tags"},
}
_DATA: Mapping[str, Callable[[bytes], Document]] = {
    "dotenv": dotenv.read,
    "ini": ini.read,
    "json": json.read,
    "toml": toml.read,
    "yaml": yaml.read,
}
"""Readers of configuration files."""


def analyze(content: bytes, language: str) -> FileFacts | Skipped:
    """The facts of a file's bytes. Raises LookupError for a language that is not in the registry."""
    if reader := _DATA.get(language):
        text = source_text(content, language)
        if isinstance(text, Skipped):
            return text
        return document_facts(language, parser_version(language), analyzer_version(language), text, reader(text))
    parsed = parse(content, language)
    return parsed if isinstance(parsed, Skipped) else _CODE[language].facts(parsed)


def digest(content: bytes, language: str) -> SymbolDigests | Skipped:
    """The hashes of a file's definitions, in the order of its facts."""
    both = analyze_and_digest(content, language)
    return both if isinstance(both, Skipped) else both[1]


def analyze_and_digest(content: bytes, language: str) -> tuple[FileFacts, SymbolDigests] | Skipped:
    """Both, from one parse."""
    if reader := _DATA.get(language):
        text = source_text(content, language)
        if isinstance(text, Skipped):
            return text
        versions = (parser_version(language), analyzer_version(language))
        document = reader(text)
        return document_facts(language, *versions, text, document), document_digests(*versions, text, document)
    parsed = parse(content, language)
    if isinstance(parsed, Skipped):
        return parsed
    code = _CODE[language]
    facts = code.facts(parsed)
    return facts if isinstance(facts, Skipped) else (facts, code.digests(parsed, facts))
