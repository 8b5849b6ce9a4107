"""Files by the names that people and import statements use: `package.module`, `core.py`, `click/core.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_SOURCE_FOLDERS: frozenset[tuple[bytes, ...]] = frozenset({(), (b"src",), (b"lib",), (b"python",)})
"""Where the top-level modules of a project lie."""

PathsNamed = Callable[[bytes], Sequence[bytes]]
"""The last part of a path → the files of the tree that are called so."""


def files_meant(text: str, paths_named: PathsNamed, *, is_top_level: bool = False) -> list[bytes]:
    """The files that a dotted module name or the end of a path means, sorted; [] for none.

    A name without a dot is a word like any other: with is_top_level it is a module that lies where imports begin.
    """
    name = text.removeprefix("./")
    if _DOTTED.match(name) and ("." in name or is_top_level):
        parts = tuple(part.encode() for part in name.split("."))
        found = _modules(parts, paths_named)
        if found or is_top_level:
            return found
    whole = name.encode("utf-8", "surrogateescape")
    return sorted(path for path in paths_named(whole.rpartition(b"/")[2]) if path.endswith(b"/" + whole)) if "." in name else []


def modules_called(name: str, paths_named: PathsNamed) -> list[bytes]:
    """Python's modules whose last name this is, wherever they lie, sorted; stubs beside them left out."""
    return _modules((name.encode(),), paths_named, anywhere=True)


def _modules(parts: tuple[bytes, ...], paths_named: PathsNamed, *, anywhere: bool = False) -> list[bytes]:
    last = parts[-1]
    paths = [path for ending in (b".py", b".pyi") for name in (last, b"__init__") for path in paths_named(name + ending)]
    found: dict[tuple[bytes, ...], bytes] = {}
    for path in paths:
        stem = tuple(path.rpartition(b".")[0].split(b"/"))
        module = stem[:-1] if stem[-1] == b"__init__" else stem
        begins = module[: -len(parts)]
        if module[-len(parts) :] == parts and (anywhere or len(parts) > 1 or begins in _SOURCE_FOLDERS):
            # A module comes before its stub.
            found.setdefault(module, path)
    at_top = [path for module, path in found.items() if module[: -len(parts)] in _SOURCE_FOLDERS]
    return sorted(at_top or found.values())
