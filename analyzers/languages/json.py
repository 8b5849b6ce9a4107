"""JSON, with what real configuration files add to it: comments, trailing commas, and JSON5's quotes, bare keys and numbers."""

from __future__ import annotations

import re

from analyzers.escapes import unescape
from analyzers.key_paths import Document, Node, number, quote

_SPACE = rb"(?:\s|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+"
_TOKEN = re.compile(
    _SPACE + rb"""(?:(?P<string>"[^"\\\n]*+(?:\\[\s\S][^"\\\n]*+)*+"|'[^'\\\n]*+(?:\\[\s\S][^'\\\n]*+)*+')"""
    rb"""|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,"'/]++))"""
)
_END = re.compile(_SPACE + rb"\Z")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN)\Z")


def read(content: bytes) -> Document:
    """The document; after the first error nothing more of it is read."""
    document = Document()
    reader = _Reader(content, document)
    reader.run()
    return document


class _Reader:
    def __init__(self, content: bytes, document: Document) -> None:
        self.content = content
        self.document = document
        self.open: list[Node] = []
        self.key = ""
        self.key_start = -1
        self.expects = "value"

    def run(self) -> None:
        position = 3 if self.content.startswith(b"\xef\xbb\xbf") else 0
        while found := _TOKEN.match(self.content, position):
            start, position = found.start(found.lastgroup or 0), found.end()
            is_read = self._mark(found["mark"], start) if found["mark"] else self._scalar(found.lastgroup == "string", start, position)
            if not is_read:
                self._fail(start)
                return
        is_whole = self.expects == "end" or not self.document.roots
        if not is_whole or not _END.match(self.content, position):
            self._fail(position)

    def _fail(self, offset: int) -> None:
        self.document.errors.append(offset)
        for node in self.open:
            node.end = max(node.end, offset)

    def _mark(self, mark: bytes, start: int) -> bool:
        """What a bracket, colon or comma does; False where it may not stand."""
        owner = self.open[-1] if self.open else None
        if mark in b"{[" and self.expects in ("value", "item"):
            node = Node("mapping" if mark == b"{" else "sequence", start, start)
            self._place(node)
            self.open.append(node)
            self.expects = "key" if mark == b"{" else "item"
        elif owner is not None and mark == (b"}" if owner.kind == "mapping" else b"]") and self.expects in ("key", "item", "comma"):
            owner.end = start + 1
            self.open.pop()
            self.expects = "comma" if self.open else "end"
        elif owner is not None and mark == b"," and self.expects == "comma":
            self.expects = "key" if owner.kind == "mapping" else "item"
        elif mark == b":" and self.expects == "colon":
            self.expects = "value"
        else:
            return False
        return True

    def _scalar(self, is_string: bool, start: int, end: int) -> bool:
        raw = self.content[start:end].decode("utf-8", "backslashreplace")
        if self.expects == "key":
            self.key, self.key_start, self.expects = unescape(raw[1:-1]) if is_string else raw, start, "colon"
            return True
        if self.expects not in ("value", "item"):
            return False
        if is_string:
            text = quote(unescape(raw[1:-1]))
        elif raw in ("true", "false", "null"):
            text = raw
        elif _NUMBER.match(raw):
            text = number(raw)
        else:
            return False
        self._place(Node("scalar", start, end, text))
        self.expects = "comma" if self.open else "end"
        return True

    def _place(self, node: Node) -> None:
        if not self.open:
            self.document.roots.append(node)
        elif self.open[-1].kind == "mapping":
            node.key_start = self.key_start
            self.document.put(self.open[-1], self.key, node)
        else:
            self.open[-1].items.append(node)
