"""TOML 1.0, keeping positions. tomllib gives the same values, without places (a test compares them)."""

from __future__ import annotations

import re

from analyzers.escapes import unescape
from analyzers.key_paths import Document, Node, number, quote

_BASIC = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_LITERAL = rb"'[^'\n]*+'"
_BLANK = re.compile(rb"(?:[ \t\r\n]|#[^\n]*+)*+")
_SPACE = re.compile(rb"[ \t]*+")
_KEY = re.compile(rb"(?:[A-Za-z0-9_\-]+|" + _BASIC + rb"|" + _LITERAL + rb")")
_LINE_END = re.compile(rb"[ \t]*+(?:#[^\n]*+)?\r?(?:\n|\Z)")
_SCALAR = re.compile(
    rb'"""(?P<long_basic>[^"\\]*+(?:(?:\\[\s\S]|"(?!""))[^"\\]*+)*+"{0,2}?)"""(?!")'
    rb"|'''(?P<long_literal>[^']*+(?:'(?!'')[^']*+)*+'{0,2}?)'''(?!')"
    rb"|(?P<basic>" + _BASIC + rb")|(?P<literal>" + _LITERAL + rb")"
    rb"|(?P<time>\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d[\d:.Zz+\-]*)?|\d\d:\d\d[\d:.]*)"
    rb"|(?P<word>[A-Za-z0-9_+\-.]+)"
)
_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\[ \t\r]*\n\s*")
_NUMBER = re.compile(r"[+-]?(?:0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+|(?:[0-9][0-9_]*)(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9_]+)?|inf|nan)\Z")


def read(content: bytes) -> Document:
    """The document. A line that cannot be read is skipped and told; what follows is read."""
    reader = _Reader(content)
    reader.run()
    return reader.document


class _NotTomlError(Exception):
    """The text at `offset` is not TOML."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


class _Reader:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.root = Node("mapping", 0, len(content))
        self.table = self.root
        self.document = Document(roots=[self.root])

    def run(self) -> None:
        position = 3 if self.content.startswith(b"\xef\xbb\xbf") else 0
        while (position := _end(_BLANK, self.content, position)) < len(self.content):
            try:
                position = self._header(position) if self.content[position] == 0x5B else self._pair(position)
                if (found := _LINE_END.match(self.content, position)) is None:
                    raise _NotTomlError(position)
                position = found.end()
            except _NotTomlError as error:
                self.document.errors.append(error.offset)
                line_end = self.content.find(b"\n", error.offset)
                position = len(self.content) if line_end < 0 else line_end

    def _header(self, start: int) -> int:
        """`[table]` or `[[array of tables]]`: the table that the next pairs belong to."""
        is_array = self.content.startswith(b"[[", start)
        keys, position = self._keys(start + 1 + is_array)
        if not self.content.startswith(b"]]" if is_array else b"]", position):
            raise _NotTomlError(position)
        end = position + 1 + is_array
        owner = self._descend(self.root, keys[:-1], end)
        table = Node("mapping", start, end, key_start=start)
        present = owner.entries.get(keys[-1][0])
        if is_array:
            if present is None or present.kind != "sequence":
                present = Node("sequence", start, end, key_start=start)
                self.document.put(owner, keys[-1][0], present)
            present.items.append(table)
            present.end = max(present.end, end)
        elif present is not None and present.kind == "mapping":
            table = present
            table.end = max(table.end, end)
        else:
            self.document.put(owner, keys[-1][0], table)
        self.table = table
        return end

    def _pair(self, start: int) -> int:
        keys, position = self._keys(start)
        if not self.content.startswith(b"=", position):
            raise _NotTomlError(position)
        value, end = self._value(_end(_SPACE, self.content, position + 1))
        self._enter(self.table, keys, value)
        self.table.end = max(self.table.end, end)
        return end

    def _enter(self, table: Node, keys: list[tuple[str, int]], value: Node) -> None:
        owner = self._descend(table, keys[:-1], value.end)
        key, value.key_start = keys[-1][0], keys[0][1]
        self.document.put(owner, key, value)

    def _descend(self, node: Node, keys: list[tuple[str, int]], end: int) -> Node:
        for key, start in keys:
            below = node.entries.get(key)
            if below is not None and below.kind == "sequence" and below.items and below.items[-1].kind == "mapping":
                below.end = max(below.end, end)
                below = below.items[-1]
            if below is None or below.kind != "mapping":
                below = Node("mapping", start, end, key_start=start)
                self.document.put(node, key, below)
            below.end = max(below.end, end)
            node = below
        return node

    def _keys(self, position: int) -> tuple[list[tuple[str, int]], int]:
        """A dotted key: its parts with their places, and the offset after it and the blanks that follow."""
        keys: list[tuple[str, int]] = []
        while True:
            position = _end(_SPACE, self.content, position)
            found = _KEY.match(self.content, position)
            if found is None:
                raise _NotTomlError(position)
            raw = found[0].decode("utf-8", "backslashreplace")
            keys.append((unescape(raw[1:-1]) if raw[0] == '"' else raw.strip("'"), position))
            position = _end(_SPACE, self.content, found.end())
            if not self.content.startswith(b".", position):
                return keys, position
            position += 1

    def _value(self, start: int) -> tuple[Node, int]:
        """One value. Lists and inline tables are read with a stack of their own: nesting costs no Python frames."""
        content, stack = self.content, list[tuple[Node, list[tuple[str, int]]]]()
        position, done = start, None
        while True:
            if done is None:
                mark = content[position : position + 1]
                if mark in (b"[", b"{") and mark:
                    stack.append((Node("sequence" if mark == b"[" else "mapping", position, position), []))
                    position += 1
                else:
                    done, position = self._scalar(position)
            if done is not None:
                if not stack:
                    return done, position
                owner, keys = stack[-1]
                if owner.kind == "sequence":
                    owner.items.append(done)
                else:
                    self._enter(owner, keys, done)
                position = _end(_BLANK, content, position)
                if content.startswith(b",", position):
                    position += 1
                elif content[position : position + 1] not in (b"]", b"}"):
                    raise _NotTomlError(position)
                done = None
            owner, _ = stack[-1]
            position = _end(_BLANK, content, position)
            if content.startswith(b"]" if owner.kind == "sequence" else b"}", position):
                position += 1
                owner.end = position
                done = stack.pop()[0]
            elif owner.kind == "mapping":
                keys, position = self._keys(position)
                if not content.startswith(b"=", position):
                    raise _NotTomlError(position)
                stack[-1] = (owner, keys)
                position = _end(_SPACE, content, position + 1)

    def _scalar(self, start: int) -> tuple[Node, int]:
        found = _SCALAR.match(self.content, start)
        if found is None:
            raise _NotTomlError(start)
        raw = found[found.lastgroup or 0].decode("utf-8", "backslashreplace")
        kind = found.lastgroup
        if kind == "word" and raw not in ("true", "false") and not _NUMBER.match(raw):
            raise _NotTomlError(start)
        return Node("scalar", start, found.end(), _canonical(kind or "", raw)), found.end()


def _end(pattern: re.Pattern[bytes], content: bytes, position: int) -> int:
    found = pattern.match(content, position)
    return found.end() if found else position


def _canonical(kind: str, raw: str) -> str:
    if kind == "time":
        return raw.replace("t", "T").replace(" ", "T").replace("z", "Z")
    if kind == "word":
        return raw if raw in ("true", "false") else number(raw)
    if kind in ("basic", "literal"):
        return quote(unescape(raw[1:-1]) if kind == "basic" else raw[1:-1])
    text = raw.replace("\r\n", "\n").removeprefix("\n")
    return quote(unescape(_CONTINUED.sub(r"\1", text)) if kind == "long_basic" else text)
