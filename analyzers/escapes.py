"""Backslash escapes of string literals, as JSON, JavaScript, TOML and .env files write them."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|\r\n|.)", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0", "e": "\x1b", "\n": "", "\r\n": "", "\u2028": "", "\u2029": ""}


def unescape(text: str) -> str:
    """The string that the inside of a quoted literal stands for. An unknown escape is the character itself.

    Two escaped surrogates are joined; a lone one stays as its escape is written, because it has no UTF-8.
    """
    if "\\" not in text:
        return text
    out = _ESCAPE.sub(_replace, text)
    if not _SURROGATE.search(out):
        return out
    joined = out.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", joined)


def _replace(found: re.Match[str]) -> str:
    escape = found[1]
    if len(escape) > 1 and escape[0] in "uUx":
        code = int(escape[1:].strip("{}"), 16)
        return chr(code) if code <= 0x10FFFF else found[0]
    return _SIMPLE.get(escape, escape)
