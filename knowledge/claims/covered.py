"""The content that a test's result rests on, as hashes of text: what it must be run again for when it changes.

Stricter than a body anchor: whatever a running program can see counts, docstrings and names of locals too; comments and blank space do not.

A file is told apart into the functions that a test can be seen to run, and the rest, which runs when the file is imported: constants, class
bodies, decorators that may do something. A function that is only defined is not part of the rest: it counts for the tests that ran it, and a
new or lost name for those that mention it (`names_of`).
"""

from __future__ import annotations

import hashlib
import re

from analyzers.facts import Definition, Expression, FileFacts
from analyzers.registry import language_of
from knowledge.claims.locating import indexes_of
from knowledge.claims.view import FactsView
from knowledge.records.identifiers import SymbolId

_STRING = rb"""[rRbBuUfF]{0,2}(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
_BLANK = rb"[ \t\r]+(?=\n|\Z)|\n(?=\s*\n)"
_PYTHON = re.compile(rb"(" + _STRING + rb")|[ \t]*#[^\n]*|" + _BLANK, re.DOTALL)
_C_STRING = rb"""\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
_C_LIKE = re.compile(rb"(" + _C_STRING + rb")|[ \t]*//[^\n]*|[ \t]*/\*.*?\*/|" + _BLANK, re.DOTALL)
_C_LIKE_LANGUAGES = frozenset({"javascript", "typescript", "tsx"})
_HARMLESS = re.compile(
    r"(?:\w+\.)*(?:property|staticmethod|classmethod|abstractmethod|cached_property|overload|override|final|wraps|contextmanager|setter|getter|deleter"
    r"|asynccontextmanager)\Z|(?:pytest|mock|unittest)\.[\w.]+\Z"
)
"""Decorators that do nothing to anything but what they decorate."""
GONE = "gone"


def comparable(content: bytes, language: str) -> bytes:
    """A text without comments, without blank lines and without blank space at the ends of its lines, outside of strings."""
    pattern = _PYTHON if language == "python" else _C_LIKE if language in _C_LIKE_LANGUAGES else None
    return content if pattern is None else pattern.sub(lambda found: found[1] or b"", content).strip()


def hash_of(content: bytes) -> str:
    """sha256 of bytes, 16 digits."""
    return hashlib.sha256(content).hexdigest()[:16]


def content_of(symbol: SymbolId, view: FactsView) -> str:
    """The hash of what a function or method says, decorators and all definitions of its name included; for a file of what its import runs."""
    if not symbol.qualified_name:
        return imported_of(symbol.path, view)
    text = view.text(symbol.path)
    if text is None:
        return GONE
    language = language_of(symbol.path)
    facts = view.facts(symbol.path)
    found = [facts.definitions[i].span for i in indexes_of(view, symbol)] if facts is not None else []
    return hash_of(b"\0".join(comparable(text[span.start : span.end], language) for span in found)) if found else GONE


def names_of(facts: FileFacts) -> tuple[str, ...]:
    """The functions and methods of a file that are not inside of another one, by qualified name."""
    return tuple(dict.fromkeys(definition.qualified_name for definition in _outermost(facts)))


def imported_of(path: bytes, view: FactsView) -> str:
    """The hash of what runs when a file is imported; without facts of its whole text."""
    text, facts = view.text(path), view.facts(path)
    if text is None:
        return GONE
    language = language_of(path)
    if facts is None or facts.has_error:
        return hash_of(comparable(text, language))
    kept, at = [], 0
    for definition in sorted(_outermost(facts), key=lambda d: d.span.start):
        if definition.span.start < at:
            continue
        kept.append(text[at : definition.span.start])
        if any(not _is_harmless(decorator) for decorator in definition.decorators):
            kept.append(text[definition.span.start : definition.name_span.end])
        at = definition.span.end
    return hash_of(comparable(b"".join([*kept, text[at:]]), language))


def mentions(content: bytes, name: str) -> bool:
    """Whether a text has a word, in strings too: a name may be looked up by its text."""
    return re.search(rb"(?<![\w])" + re.escape(name.encode()) + rb"(?![\w])", content) is not None


def _outermost(facts: FileFacts) -> list[Definition]:
    found = []
    for definition in facts.definitions:
        if definition.kind in ("function", "method", "property") and not _is_inside(definition, facts):
            found.append(definition)
    return found


def _is_inside(definition: Definition, facts: FileFacts) -> bool:
    parent = definition.parent
    while parent > 0:
        if facts.definitions[parent].kind in ("function", "method", "property"):
            return True
        parent = facts.definitions[parent].parent
    return False


def _is_harmless(decorator: Expression) -> bool:
    names: list[str] = []
    while decorator.kind in ("call", "attribute") and decorator.parts:
        if decorator.kind == "attribute":
            names.append(decorator.name)
        decorator = decorator.parts[0]
    return decorator.kind == "name" and _HARMLESS.match(".".join([decorator.name, *reversed(names)])) is not None
