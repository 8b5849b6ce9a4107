"""YAML through libyaml's events: anchors, aliases and merge keys are followed here, and no constructor ever runs.

A plain scalar is a number, boolean or null only where YAML 1.1 and 1.2 agree that it is; what they read differently (`yes`, `012`,
`1:30`) stays a string as written.
"""

from __future__ import annotations

import re
from array import array
from typing import Protocol

import yaml

from analyzers.key_paths import Document, Node, number, quote

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+|[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?)\Z", re.ASCII)
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), "null"),
    **dict.fromkeys(("true", "True", "TRUE"), "true"),
    **dict.fromkeys(("false", "False", "FALSE"), "false"),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), "inf"),
    "-.inf": "-inf",
    ".nan": "nan",
    ".NaN": "nan",
}
_PLAIN_TAGS = frozenset({"!", "map", "seq", "set", "omap", "pairs"})
MAX_MERGED = 50_000
"""Entries that merge keys may copy in one file; more is a bomb."""


def read(content: bytes) -> Document:
    """The documents; after the first error nothing more is read."""
    builder = _Builder(content)
    try:
        for event in yaml.parse(content, Loader=_Loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        builder.fail(builder.offset(error.problem_mark or error.context_mark))
    except (yaml.YAMLError, UnicodeError):
        builder.fail(0)
    return builder.document


def _offsets(content: bytes) -> array[int] | None:
    """Byte offset of every character that libyaml counts (not a byte order mark); None where all are one byte long."""
    if content.isascii():
        return None
    offsets = array("q", (index for index, byte in enumerate(content) if byte & 0xC0 != 0x80))
    offsets.append(len(content))
    return offsets[1:] if content.startswith(b"\xef\xbb\xbf") else offsets


class _Mark(Protocol):
    index: int


class _Builder:
    """Composes nodes out of events, without recursion."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.offsets = _offsets(content)
        self.document = Document()
        self.open: list[Node] = []
        self.keys: list[tuple[str, int] | None] = []
        """For each open node the key that waits for its value."""
        self.merges: dict[int, list[Node]] = {}
        self.anchors: dict[str, Node] = {}
        self.merged = 0

    def offset(self, mark: _Mark | None) -> int:
        index = mark.index if mark is not None else 0
        if self.offsets is None:
            return index
        return self.offsets[min(index, len(self.offsets) - 1)]

    def fail(self, offset: int) -> None:
        self.document.errors.append(offset)
        while self.open:
            self._close(max(self.open[-1].end, offset))

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            start = self.offset(event.start_mark)
            node = Node("mapping" if isinstance(event, yaml.MappingStartEvent) else "sequence", start, start)
            self._place(node, event.anchor)
            if event.tag and event.tag.removeprefix("tag:yaml.org,2002:") not in _PLAIN_TAGS:
                self.document.limit("tag-not-applied", event.tag, start)
            self.open.append(node)
            self.keys.append(None)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(self.offset(event.end_mark))
        elif isinstance(event, yaml.DocumentStartEvent):
            self.anchors.clear()

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        start, end = self.offset(event.start_mark), self.offset(event.end_mark)
        if self._awaits_key():
            self.keys[-1] = (event.value, start)
            return
        end = len(self.content[start:end].rstrip()) + start
        text = _canonical(event.value, event.tag, event.implicit[0])
        self._place(Node("scalar", start, end, text), event.anchor)

    def _alias(self, event: yaml.AliasEvent) -> None:
        start, end = self.offset(event.start_mark), self.offset(event.end_mark)
        name = event.anchor or ""
        target = self.anchors.get(name)
        if self._awaits_key():
            self.document.limit("key-not-plain", f"*{name}", start)
            self.keys[-1] = (f"*{name}", start)
        elif target is None or any(target is node for node in self.open):
            self.document.limit("alias-not-followed", name, start)
            self._place(Node("scalar", start, end, quote(f"*{name}")), None)
        else:
            self._place(Node("alias", start, end, items=[target]), None)

    def _awaits_key(self) -> bool:
        return bool(self.open) and self.open[-1].kind == "mapping" and self.keys[-1] is None

    def _place(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = node
        if not self.open:
            self.document.roots.append(node)
            return
        owner = self.open[-1]
        if owner.kind == "sequence":
            owner.items.append(node)
            return
        waiting = self.keys[-1]
        if waiting is None:
            # A list or mapping stands where a key is expected: it is read, and named by its place, so that what follows keeps its key.
            self.document.limit("key-not-plain", "a list or mapping is a key", node.start)
            self.keys[-1] = (f"? {len(owner.entries)}", node.start)
            return
        key, node.key_start = waiting
        self.keys[-1] = None
        if key == "<<" and node.kind != "scalar":
            self.merges.setdefault(id(owner), []).append(node)
            return
        self.document.put(owner, key, node)

    def _close(self, end: int) -> None:
        node = self.open.pop()
        self.keys.pop()
        children = self.content[end - 1 : end] not in (b"}", b"]") and list(node.children())
        # libyaml ends a block where the next token begins, comments and blank lines included.
        node.end = max(children[-1].end, node.start) if children else end
        for source in self.merges.pop(id(node), ()):
            self._merge(node, source)

    def _merge(self, node: Node, source: Node) -> None:
        """Lay the entries of a merge key's mappings under those that the mapping has itself."""
        source = source.resolved()
        for mapping in source.items if source.kind == "sequence" else (source,):
            mapping = mapping.resolved()
            self.merged += len(mapping.entries)
            if mapping.kind != "mapping" or self.merged > MAX_MERGED:
                self.document.limit("merge-not-followed", "<<", source.start)
                return
            for key, value in mapping.entries.items():
                node.entries.setdefault(key, value)


def _canonical(value: str, tag: str | None, is_plain: bool) -> str:
    if tag is not None and tag not in ("!", "tag:yaml.org,2002:str"):
        return f"{tag.replace('tag:yaml.org,2002:', '!!')} {quote(value)}"
    if tag is None and is_plain:
        if value in _WORDS:
            return _WORDS[value]
        if _NUMBER.match(value):
            return number(value)
    return quote(value)
