"""Names of things: symbols, and how they are written and read.

The identity of a symbol is (path bytes, qualified name, ordinal): no revision, no line. It is printed in SCIP's symbol grammar
(https://github.com/scip-code/scip, `scip.proto`, message Symbol) and, for people, as `path::Class.method` (`#2` for the second
definition of one name).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

EXTERNAL = b""
_SIMPLE = re.compile(r"[A-Za-z0-9_+\-$]+\Z")
_SHORT = re.compile(r"(?P<path>.*?)::(?P<name>.*?)(?:#(?P<ordinal>[1-9][0-9]*))?\Z", re.DOTALL)
"""A private name of JavaScript (`#key`) begins with the same mark, but never with a digit."""


@dataclass(frozen=True, slots=True, order=True)
class SymbolId:
    """A symbol of the repository, or of an outside package (`path` empty, `package` set).

    qualified_name "" is the file itself (its module); `ordinal` counts repeated definitions from 0.
    """

    path: bytes
    qualified_name: str
    ordinal: int = 0
    package: str = ""

    @property
    def is_external(self) -> bool:
        return not self.path

    @property
    def name(self) -> str:
        """The last part of the qualified name; for a file its path."""
        return self.qualified_name.rpartition(".")[2] or show_path(self.path) or self.package

    def __str__(self) -> str:
        head = show_path(self.path) if self.path else f"external:{self.package}"
        if not self.qualified_name:
            return head
        return f"{head}::{self.qualified_name}" + (f"#{self.ordinal + 1}" if self.ordinal else "")

    def scip(self) -> str:
        """The symbol in SCIP's grammar: owners as types, the last name as a term, the file as namespaces."""
        manager, package = (".", ".") if self.path else (".", self.package.replace(" ", "  "))
        descriptors = "".join(f"{_escape(part)}/" for part in show_path(self.path).split("/")) if self.path else ""
        if self.qualified_name:
            *owners, last = self.qualified_name.split(".")
            descriptors += "".join(f"{_escape(owner)}#" for owner in owners)
            descriptors += f"{_escape(last)}(+{self.ordinal})." if self.ordinal else f"{_escape(last)}."
        return f"knowledge {manager} {package} . {descriptors}"


def file_symbol(path: bytes) -> SymbolId:
    """The symbol of a file itself."""
    return SymbolId(path, "")


def external_symbol(package: str, qualified_name: str = "") -> SymbolId:
    """A module or symbol outside the repository."""
    return SymbolId(EXTERNAL, qualified_name, 0, package)


def show_path(path: bytes) -> str:
    """A path for people: UTF-8 where it is, `\\xNN` where it is not (backslashes doubled), so that `read_path` gives it back."""
    if b"\\" not in path:
        try:
            return path.decode()
        except UnicodeDecodeError:
            pass
    return "".join(
        f"\\x{ord(c) - 0xDC00:02x}" if 0xDC80 <= ord(c) <= 0xDCFF else ("\\\\" if c == "\\" else c) for c in path.decode("utf-8", "surrogateescape")
    )


def read_path(text: str) -> bytes:
    """The bytes that `show_path` showed; what it never writes stands for itself."""
    out = re.sub(r"\\(\\|x[89a-f][0-9a-f])", lambda m: "\\" if m[1] == "\\" else chr(0xDC00 + int(m[1][1:], 16)), text)
    return out.encode("utf-8", "surrogateescape")


def parse_symbol(text: str) -> SymbolId | None:
    """Read `path::name#2`, `external:package::name`, `external:package`; None for a bare name or path (that is looked up, not parsed)."""
    if text.startswith("external:") and "::" not in text:
        return external_symbol(text.removeprefix("external:"))
    found = _SHORT.match(text)
    if found is None:
        return None
    path, name, ordinal = found["path"], found["name"], int(found["ordinal"] or 1) - 1
    if path.startswith("external:"):
        return SymbolId(EXTERNAL, name, ordinal, path.removeprefix("external:"))
    return SymbolId(read_path(path), name, ordinal)


def read_symbol(text: str) -> SymbolId:
    """The symbol that `str(symbol)` wrote; a text without `::` is a file's path."""
    return parse_symbol(text) or file_symbol(read_path(text))


def _escape(name: str) -> str:
    return name if _SIMPLE.match(name) else "`" + name.replace("`", "``") + "`"
