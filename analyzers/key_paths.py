"""Configuration files as values by key path: the tree that the readers of TOML, YAML, JSON, INI and .env build, and its facts.

A reader makes `Node`s; `document_facts` turns them into one module definition, a `Value` for each key path (a table and a list
have one of their own, with a digest of all that is below it), and limitations. The canonical text of a scalar is JSON's
(strings quoted, `true`, `null`, decimal numbers), so the same setting reads alike in every format.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from json.encoder import encode_basestring
from typing import Literal

from analyzers.facts import Definition, FileFacts, Limitation, Scope, Span, SymbolDigest, SymbolDigests, Value

MAX_VALUES = 5_000
"""Values kept of one file, shallow ones first: claims are made about settings, not about rows of data."""
KEY_CHARACTERS = 500
"""What is below a longer key path is not kept either."""
TEXT_CHARACTERS = 2_000
"""Of a scalar's text."""
OUTLINE_CHARACTERS = 200
"""Of the text of a table or list: its content is in the values below it."""

_PLAIN_KEY = re.compile(r'[^\s.\[\]"]+\Z')
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?\Z", re.ASCII)
_IDENTIFIER = re.compile(r"(?:[\w$]+[.:])*?([^\W\d]\w*)\Z")


@dataclass(slots=True, eq=False)
class Node:
    """A scalar, a mapping, a sequence, or an alias of another node, at byte offsets [start, end) of the file.

    text: a scalar's canonical text. entries: of a mapping, in the order written. items: of a sequence; of an alias its one target.
    key_start: where the key that leads to this node begins (-1: none); its value's range then begins there.
    An alias never leads back to itself, so the nodes of a document are a graph without circles.
    """

    kind: Literal["scalar", "mapping", "sequence", "alias"]
    start: int
    end: int
    text: str = ""
    entries: dict[str, Node] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    key_start: int = -1
    digest: str = ""

    def children(self) -> Iterable[Node]:
        return self.entries.values() if self.kind == "mapping" else self.items

    def resolved(self) -> Node:
        """The node itself, or what it is an alias of."""
        return self.items[0] if self.kind == "alias" else self


@dataclass(slots=True)
class Document:
    """What a reader found. roots: one for each document of the file. errors: byte offsets at which the text could not be read."""

    roots: list[Node] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)
    limitations: list[tuple[str, str, int]] = field(default_factory=list)
    """(code, detail, byte offset)"""

    def limit(self, code: str, detail: str, offset: int) -> None:
        self.limitations.append((code, detail, offset))

    def put(self, mapping: Node, key: str, value: Node) -> None:
        """Enter a key; a key that is there already is replaced, as programs that read such files do, and told."""
        if key in mapping.entries:
            self.limit("duplicate-key", key, value.key_start if value.key_start >= 0 else value.start)
            del mapping.entries[key]
        mapping.entries[key] = value


def join_key(parent: str, name: str) -> str:
    """The key path of `name` below `parent`; a name that would be misread is quoted as JSON (`dependencies."lodash.merge"`)."""
    part = name if _PLAIN_KEY.match(name) else encode_basestring(name)
    return f"{parent}.{part}" if parent else part


def quote(text: str) -> str:
    """The canonical text of a string."""
    return encode_basestring(text)


def number(text: str) -> str:
    """The canonical text of a number in any usual spelling (`0x1F`, `1_000`, `+1.50e3`); as written where it is none."""
    if text.isdigit() and text.isascii() and (text[0] != "0" or text == "0") and len(text) < 20:
        return text
    plain = text.replace("_", "").lower()
    try:
        if plain.lstrip("+-").startswith(("0x", "0o", "0b")):
            return str(int(plain, 0))
        if any(character in plain for character in ".enf"):
            return repr(float(plain))
        return str(int(plain))
    except (ValueError, OverflowError):
        return text


def untyped(text: str) -> str:
    """The canonical text of a value in a format without types: what is spelled as JSON would is a number or boolean, all else a string."""
    return text if text in ("true", "false") or _DECIMAL.match(text) else quote(text)


class Lines:
    """Byte offsets as rows and columns."""

    def __init__(self, content: bytes) -> None:
        self._starts = [0, *(found.end() for found in re.finditer(rb"\n", content))]
        self.count = len(self._starts) - content.endswith(b"\n") if content else 0

    def row(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def span(self, start: int, end: int) -> Span:
        row, end_row = self.row(start), self.row(end)
        return Span(start, end, row, start - self._starts[row], end_row, end - self._starts[end_row])


def document_facts(language: str, parser_version: str, analyzer_version: str, content: bytes, document: Document) -> FileFacts:
    """The facts of a configuration file."""
    lines = Lines(content)
    _set_digests(document.roots)
    values, total = _values(document.roots, lines)
    limitations = [Limitation(code, detail, lines.row(offset)) for code, detail, offset in document.limitations]
    if total > len(values):
        limitations.append(Limitation("too-many-values", f"{len(values)} of {total} key paths are kept"))
    whole = lines.span(0, len(content))
    return FileFacts(
        language=language,
        parser_version=parser_version,
        analyzer_version=analyzer_version,
        line_count=lines.count,
        has_error=bool(document.errors),
        definitions=(Definition("", "", 0, "module", -1, 0, whole, lines.span(0, 0)),),
        scopes=(Scope("module", -1, 0),),
        values=tuple(values),
        mentions=tuple(sorted(_mentions(document.roots))),
        error_rows=tuple((row, row) for row in sorted({lines.row(offset) for offset in document.errors})),
        limitations=tuple(limitations),
    )


def document_digests(parser_version: str, analyzer_version: str, content: bytes, document: Document) -> SymbolDigests:
    """Loose: the order of a mapping's keys, comments and spelling do not matter. Strict: the order of keys counts."""
    _set_digests(document.roots)
    body = _hash(root.digest for root in document.roots)
    strict = _hash(_in_order(document.roots))
    source = blake2b(content, digest_size=16).hexdigest()
    return SymbolDigests(parser_version, analyzer_version, (SymbolDigest(source, "", body, strict, body),))


def walk(roots: Iterable[Node]) -> list[Node]:
    """Every node once, owners before what they hold; a node that aliases share is met once."""
    seen: set[int] = set()
    order: list[Node] = []
    stack = list(roots)[::-1]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        order.append(node)
        stack.extend(reversed(list(node.children())))
    return order


def _set_digests(roots: list[Node]) -> None:
    scalars: dict[str, str] = {}
    stack = [(root, False) for root in roots]
    while stack:
        node, is_done = stack.pop()
        if node.digest:
            continue
        if not is_done and node.kind != "scalar":
            stack.append((node, True))
            stack.extend((child, False) for child in node.children() if not child.digest)
            continue
        _set_digest(node, scalars)


def _set_digest(node: Node, scalars: dict[str, str]) -> None:
    if node.kind == "alias":
        node.digest, node.text = node.items[0].digest, node.items[0].text
        return
    if node.kind == "mapping":
        keys = sorted(node.entries)
        node.digest = _hash(("{", *(part for key in keys for part in (key, node.entries[key].digest))))
        outline, closing = [f"{quote(key)}: {node.entries[key].text}" for key in keys], "{}"
    elif node.kind == "sequence":
        node.digest = _hash(("[", *(item.digest for item in node.items)))
        outline, closing = [item.text for item in node.items], "[]"
    else:
        node.digest = scalars.get(node.text) or scalars.setdefault(node.text, _hash((node.text,)))
        return
    text = closing[0] + ", ".join(outline) + closing[1]
    node.text = text if len(text) <= OUTLINE_CHARACTERS else text[: OUTLINE_CHARACTERS - 1] + "…"


def _hash(parts: Iterable[str]) -> str:
    digest = blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode()
        digest.update(b"%d:" % len(encoded) + encoded)
    return digest.hexdigest()


def _in_order(roots: list[Node]) -> Iterator[str]:
    for node in walk(roots):
        yield node.kind
        if node.kind == "mapping":
            yield from node.entries
        yield node.digest if node.kind == "scalar" else str(len(node.items))


def _values(roots: list[Node], lines: Lines) -> tuple[list[Value], int]:
    """The values in the order of the file, and how many there are. Breadth first, so that the bound cuts off the deep ones.

    What aliases blow up (`a: [*b, *b]`, `b: [*c, *c]` …) is never laid out beyond the bound: only the count of it may be too low.
    """
    queue: deque[tuple[str, Node]] = deque()
    total = 0
    for index, root in enumerate(roots):
        key = f"[{index}]" if len(roots) > 1 else ""
        queue.append((key, root))
        total += len(roots) > 1 or root.kind == "scalar"
    found: list[Value] = []
    while queue and len(found) < MAX_VALUES:
        key, node = queue.popleft()
        if key or node.kind == "scalar":
            start = node.key_start if node.key_start >= 0 else node.start
            found.append(Value(key, node.text[:TEXT_CHARACTERS], node.digest, lines.span(start, node.end)))
        if total < 4 * MAX_VALUES:
            below = _below(key, node)
            total += len(below)
            if len(key) <= KEY_CHARACTERS:
                queue.extend(below)
    found.sort(key=lambda value: (value.span.start, -value.span.end))
    return found, total


def _below(key: str, node: Node) -> list[tuple[str, Node]]:
    node = node.resolved()
    if node.kind == "mapping":
        return [(join_key(key, name), child) for name, child in node.entries.items()]
    return [(f"{key}[{index}]", child) for index, child in enumerate(node.items)]


def _mentions(roots: list[Node]) -> set[str]:
    found: set[str] = set()
    for node in walk(roots):
        for text in node.entries if node.kind == "mapping" else (node.text[1:-1],) if node.text.startswith('"') else ():
            if len(text) <= 200 and (match := _IDENTIFIER.match(text)):
                found.add(match[1])
    return found
