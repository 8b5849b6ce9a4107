"""What git would store for a file's bytes: CRLF to LF and `$Id$`, as attributes and configuration say. No filter command is ever run.

The rules are those of git's own convert.c, in the direction from the work tree to the object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal

ATTRIBUTES = ("text", "crlf", "eol", "ident", "filter", "working-tree-encoding")
_IDENT = re.compile(rb"\$Id:[^$\n]*\$")
_UNPRINTABLE = bytes({*range(32), 127} - {*b"\b\t\n\r\x0c\x1b"})

_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")

Action = Literal["keep", "text", "guess"]


def may_be_converted(content: bytes) -> bool:
    """Whether attributes could matter to these bytes at all."""
    return b"\r\n" in content or b"$Id:" in content


def may_be_encoded(content: bytes | None) -> bool:
    """Whether these bytes, or bytes not read, could be in one of the encodings that `working-tree-encoding` is for."""
    return content is None or content.startswith(_BYTE_ORDER_MARKS)


def stored_form(content: bytes, attributes: Mapping[str, str], converts_line_ends: bool, read_staged: Callable[[], bytes]) -> bytes:
    """The bytes that `git add` would store.

    attributes: as `git check-attr` prints them. converts_line_ends: whether core.autocrlf is true or input. read_staged: the blob that
    the index has at this path; where git only guesses that a file is text, one that was stored with CRLF keeps it.
    """
    action = _action(attributes, converts_line_ends)
    if b"\r\n" in content and (action == "text" or (action == "guess" and not _is_binary(content) and not _has_line_ends_of_crlf(read_staged()))):
        content = content.replace(b"\r\n", b"\n")
    if attributes.get("ident") == "set":
        content = _IDENT.sub(b"$Id$", content)
    return content


def unapplied_filter(attributes: Mapping[str, str], drivers: frozenset[str]) -> str:
    """Why the bytes of this file may differ from what git would store: a filter command or an encoding that is not applied here; else ""."""
    name = attributes.get("filter", "unspecified")
    if name in drivers:
        return f"the filter `{name}` was not run, so the file's own bytes stand for what git would store"
    encoding = attributes.get("working-tree-encoding", "unspecified")
    if encoding not in {"unspecified", "unset", "set", "", "UTF-8", "utf-8"}:
        return f"its encoding {encoding} was not converted, so the file's own bytes stand for what git would store"
    return ""


def _action(attributes: Mapping[str, str], converts_line_ends: bool) -> Action:
    action = _named_action(attributes.get("text", "")) or _named_action(attributes.get("crlf", ""))
    if action != "keep" and action != "guess" and attributes.get("eol") in {"lf", "crlf"}:
        return "text"
    if action is None:
        return "guess" if converts_line_ends else "keep"
    return action


def _named_action(value: str) -> Action | None:
    actions: dict[str, Action] = {"set": "text", "input": "text", "unset": "keep", "auto": "guess"}
    return actions.get(value)


def _is_binary(content: bytes) -> bool:
    """git's guess: a lone CR, a NUL, or more than one unprintable byte in 128."""
    if b"\0" in content or content.count(b"\r") != content.count(b"\r\n"):
        return True
    unprintable = len(content) - len(content.translate(None, _UNPRINTABLE)) - content.endswith(b"\x1a")
    line_ends = content.count(b"\n") + content.count(b"\r")
    printable = len(content) - unprintable - line_ends - content.endswith(b"\x1a")
    return printable >> 7 < unprintable


def _has_line_ends_of_crlf(content: bytes) -> bool:
    return b"\r\n" in content and not _is_binary(content)
