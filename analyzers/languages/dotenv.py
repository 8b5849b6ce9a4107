""".env files: `NAME=value`, `export NAME="value"`, with the quoting rules that dotenv readers agree on."""

from __future__ import annotations

import re

from analyzers.escapes import unescape
from analyzers.key_paths import Document, Node, quote, untyped

_ASSIGNMENT = re.compile(
    rb"""[ \t]*(?:export[ \t]+)?(?P<key>[A-Za-z_][\w.\-]*)[ \t]*(?:=|:[ \t])[ \t]*
    (?P<value>"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"|'[^']*+'|`[^`]*+`|[^\r\n]*+)
    (?P<rest>[^\r\n]*)""",
    re.VERBOSE,
)
_BLANK = re.compile(rb"\s*(?:#.*)?")
_DECLARATION = re.compile(rb"[ \t]*(?:export[ \t]+)?[A-Za-z_][\w.\-]*[ \t]*\r?\Z")


def read(content: bytes) -> Document:
    """The document. Values are strings; `$NAME` is left as written, with a limitation."""
    document = Document(roots=[Node("mapping", 0, len(content))])
    position = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    while position < len(content):
        line_end = content.find(b"\n", position)
        line_end = len(content) if line_end < 0 else line_end
        line = content[position:line_end]
        found = None
        if not _BLANK.fullmatch(line):
            found = _ASSIGNMENT.match(content, position)
            if found is None:
                if not _DECLARATION.match(line):
                    document.errors.append(position)
            else:
                _enter(document, found)
        position = max(found.end() if found else 0, position)
        line_end = content.find(b"\n", position)
        position = len(content) if line_end < 0 else line_end + 1
    return document


def _enter(document: Document, found: re.Match[bytes]) -> None:
    raw, start = found["value"], found.start("value")
    end = start + len(raw)
    is_quoted = len(raw) > 1 and raw[:1] in (b'"', b"'", b"`") and raw[-1:] == raw[:1]
    if is_quoted:
        text = raw[1:-1].decode("utf-8", "backslashreplace")
        text = unescape(text) if raw[:1] == b'"' else text
        expands = raw[:1] == b'"' and "$" in text
        if found["rest"].strip() and not found["rest"].strip().startswith(b"#"):
            document.errors.append(end)
    else:
        bare = re.split(rb"(?:^|[ \t])#", raw, maxsplit=1)[0].rstrip()
        text, end = bare.decode("utf-8", "backslashreplace"), start + len(bare)
        expands = "$" in text
    key = found["key"].decode("ascii", "backslashreplace")
    if expands:
        document.limit("value-not-expanded", key, start)
    document.put(document.roots[0], key, Node("scalar", start, end, quote(text) if is_quoted else untyped(text), key_start=found.start("key")))
