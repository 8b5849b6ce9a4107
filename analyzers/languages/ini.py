"""INI and .cfg files as Python's configparser reads them: `section.key`, continuation lines, values as text."""

from __future__ import annotations

import re

from analyzers.key_paths import Document, Node, untyped

_SECTION = re.compile(rb"\[(?P<name>[^\r\n]+)\]")
_DELIMITER = re.compile(rb"[:=]")


def read(content: bytes) -> Document:
    """The document: options before the first section stand at the top. Interpolation (`%(name)s`) is left as written."""
    document = Document(roots=[Node("mapping", 0, len(content))])
    section, option, indent = document.roots[0], None, 0
    folded: list[tuple[Node, list[str]]] = []
    offset = 0
    for raw in content.splitlines(keepends=True):
        start, offset = offset, offset + len(raw)
        line = raw.removeprefix(b"\xef\xbb\xbf").rstrip() if start == 0 else raw.rstrip()
        text = line.lstrip()
        start += raw.find(text)
        if not text or text[:1] in b"#;":
            continue
        depth = len(line) - len(text)
        if option is not None and depth > indent:
            folded[-1][1].append(_text(text))
            option.end = section.end = start + len(text)
        elif found := _SECTION.match(text):
            section, option = _section(document, _text(found["name"]), start, start + len(text)), None
        elif text[:1] not in b":=":
            key, option = _option(text, start)
            indent = depth
            document.put(section, key, option)
            folded.append((option, [_text(text[option.start - start :])]))
            section.end = max(section.end, option.end)
        else:
            document.errors.append(start)
            option = None
    for option, lines in folded:
        if len(lines) > 1:
            option.text = untyped("\n".join(lines).strip("\n"))
    return document


def _section(document: Document, name: str, start: int, end: int) -> Node:
    root = document.roots[0]
    if (node := root.entries.get(name)) is not None and node.kind == "mapping":
        document.limit("duplicate-key", name, start)
        return node
    node = Node("mapping", start, end, key_start=start)
    document.put(root, name, node)
    return node


def _option(text: bytes, start: int) -> tuple[str, Node]:
    """Key and value of `key = value`, `key: value`, or `key` alone (null)."""
    found = _DELIMITER.search(text)
    if found is None:
        return _text(text), Node("scalar", start + len(text), start + len(text), "null", key_start=start)
    value = text[found.end() :].lstrip()
    end = start + len(text)
    return _text(text[: found.start()]), Node("scalar", end - len(value), end, untyped(_text(value)), key_start=start)


def _text(raw: bytes) -> str:
    return raw.strip().decode("utf-8", "backslashreplace")
