"""Finding the symbol that a person typed: `path::Class.method`, `Class.method`, `package.module.Class.method`, a bare name, a path or its
end, `package.module`, or SCIP."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from knowledge.errors import AmbiguousSymbolError, UnknownPathError, UnknownSymbolError
from knowledge.graph.module_names import files_meant
from knowledge.records.identifiers import SymbolId, file_symbol, parse_symbol, read_path, show_path

SUGGESTIONS = 5
_CLOSE_NAMES = 20
_MUCH_LESS_ALIKE = 0.3
_SCIP = re.compile(r"knowledge \S+ .+ \. (?P<descriptors>.+)\Z", re.DOTALL)
_DESCRIPTOR = re.compile(r"(?P<name>`(?:[^`]|``)*`|[\w+\-$]+)(?P<suffix>/|#|\(\+(?P<ordinal>\d+)\)\.|\.)")
_ORDINAL = re.compile(r"#\d+\Z")
_WORDS = re.compile(r"[^\W\d]\w*")
_A_FILE = re.compile(r"[^\s:]+\.(?:pyi?|[cm]?[jt]sx?)")
_LIKE_A_PATH = re.compile(r"[^\s:]*(?:/[^\s:]*|\.\w{1,5})")


class NameSource(Protocol):
    """What is defined in one tree."""

    def named(self, name: str) -> Sequence[SymbolId]:
        """Definitions whose short name this is, sorted."""
        ...

    def names(self) -> Iterable[str]:
        """All short names, for suggestions."""
        ...

    def has_path(self, path: bytes) -> bool: ...

    def paths_named(self, name: bytes) -> Sequence[bytes]:
        """The files whose last part this is."""
        ...

    def paths(self) -> Iterable[bytes]: ...

    def parts(self, symbol: SymbolId) -> Sequence[SymbolId]:
        """What is defined within a class; () for anything else."""
        ...


def find_symbol(text: str, source: NameSource) -> SymbolId:
    """The one symbol that `text` means. Raises UnknownSymbolError, UnknownPathError or AmbiguousSymbolError, each with suggestions."""
    found = find_symbols(text, source)
    if len(found) == 1:
        return found[0]
    # Several definitions of one qualified name in one file are one thing that is defined more than once.
    if len({(symbol.path, symbol.qualified_name) for symbol in found}) == 1:
        return found[0]
    raise AmbiguousSymbolError(
        f"{text!r} fits {len(found)} definitions; say which, as path::name", suggestions=[str(symbol) for symbol in found[: 2 * SUGGESTIONS]]
    )


def find_symbols(text: str, source: NameSource) -> list[SymbolId]:
    """All symbols that `text` may mean, sorted; at least one."""
    typed = text.strip()
    scip = _read_scip(typed)
    if scip is not None:
        return _exact(scip, typed, source)
    if "::" in typed:
        parsed = parse_symbol(typed)
        if parsed is not None:
            return [parsed] if parsed.is_external else _exact(parsed, typed, source)
    if source.has_path(read_path(typed)):
        return [file_symbol(read_path(typed))]
    return _by_name(typed, source)


def _exact(symbol: SymbolId, typed: str, source: NameSource) -> list[SymbolId]:
    if not symbol.qualified_name:
        if source.has_path(symbol.path):
            return [symbol]
        raise _unknown_path(show_path(symbol.path), source)
    same = [found for found in source.named(symbol.name) if found.qualified_name == symbol.qualified_name]
    here = [found for found in same if found.path == symbol.path]
    if _ORDINAL.search(typed):
        here = [found for found in here if found.ordinal == symbol.ordinal]
    if here:
        return sorted(here)
    # A path may be given by its end: `app.py::run` for `src/app.py::run`.
    ending = [found for found in same if found.path.endswith(b"/" + symbol.path)]
    if ending:
        return sorted(ending)
    if not source.has_path(symbol.path) and not same and not _ends(symbol.path, source):
        raise _unknown_path(show_path(symbol.path), source)
    raise _unknown_symbol(typed, symbol.name, source, same)


def _ends(path: bytes, source: NameSource) -> bool:
    """Whether a file's path ends so."""
    return any(known.endswith(b"/" + path) for known in source.paths_named(path.rpartition(b"/")[2]))


def _by_name(typed: str, source: NameSource) -> list[SymbolId]:
    parts = typed.split(".")
    candidates = source.named(parts[-1])
    whole = [found for found in candidates if _matches(found, parts)]
    files = files_meant(typed, source.paths_named) if not whole else []
    if files:
        return [file_symbol(path) for path in files]
    if not whole:
        if _A_FILE.fullmatch(typed):
            raise _unknown_path(typed, source)
        raise _unknown_symbol(typed, parts[-1], source, candidates)
    exact = [found for found in whole if found.qualified_name == typed]
    return sorted(exact or whole)


def _matches(symbol: SymbolId, parts: Sequence[str]) -> bool:
    """Whether a definition is called so: by the end of its qualified name, or of its module's dotted name and all of it."""
    own = symbol.qualified_name.split(".")
    if len(parts) <= len(own):
        return own[-len(parts) :] == list(parts)
    stem = show_path(symbol.path).rpartition(".")[0] or show_path(symbol.path)
    modules = [part for part in stem.split("/") if part not in ("__init__", "index")]
    full = modules + own
    return parts[-len(own) :] == own and full[-len(parts) :] == list(parts)


def _unknown_symbol(typed: str, name: str, source: NameSource, near: Sequence[SymbolId]) -> UnknownSymbolError:
    """With what may have been meant: definitions of that name, else of a name that looks like it, those in the named class and file first;
    else what the named class has, or files that are called nearly so."""
    path, _, qualified = typed.rpartition("::")
    outer = qualified.split(".")[:-1][-1:]
    found = list(near)
    if not found and _WORDS.fullmatch(name):
        for close in difflib.get_close_matches(name, sorted(set(source.names())), _CLOSE_NAMES, 0.7):
            found += source.named(close)
    if not any(_is_in(symbol, outer) for symbol in found):
        found += _members(name, outer, source)
    files = near_paths(typed, source.paths()) if _LIKE_A_PATH.fullmatch(typed) else []

    def likeness(symbol: SymbolId) -> float:
        """Of the file, the class and the name, each at most 1; letters that changed places count as nearly right."""
        own = symbol.qualified_name.split(".")[:-1][-1:]
        around = difflib.SequenceMatcher(None, outer[0], own[0]).ratio() if outer and own else float(outer == own)
        moved = 0.2 * (sorted(name) == sorted(symbol.name))
        return bool(path) * show_path(symbol.path).endswith(path) + around + difflib.SequenceMatcher(None, name, symbol.name).ratio() + moved

    once = {(symbol.path, symbol.qualified_name): symbol for symbol in sorted(found, reverse=True)}
    best = sorted(sorted(once.values()), key=likeness, reverse=True)
    told = [*files, *(str(symbol) for symbol in best)]
    return UnknownSymbolError(f"no definition called {typed!r} in this tree", suggestions=told[:SUGGESTIONS])


def _is_in(symbol: SymbolId, outer: Sequence[str]) -> bool:
    """Whether a definition lies in a class of that name."""
    return bool(outer) and symbol.qualified_name.split(".")[:-1][-1:] == list(outer)


def _members(name: str, outer: Sequence[str], source: NameSource) -> list[SymbolId]:
    """What the classes of the name `outer` have that is called a little like `name`; where nothing is, what they have first."""
    own: dict[str, list[SymbolId]] = {}
    for owner in source.named(outer[0]) if outer else ():
        for part in source.parts(owner):
            if part.qualified_name.rpartition(".")[0] == owner.qualified_name:
                own.setdefault(part.name, []).append(part)
    close = difflib.get_close_matches(name, own, SUGGESTIONS, 0.5) or [one for one in own if not one.startswith("_")][:SUGGESTIONS]
    return [part for one in close for part in own[one]]


def near_paths(path: str, paths: Iterable[bytes]) -> list[str]:
    """The files that may be meant by a path that is none: of that name elsewhere; else whose path, or the end of it, looks like it."""
    known = [show_path(other) for other in paths]
    name = path.rpartition("/")[2]
    same = [other for other in known if other.rpartition("/")[2] == name]
    if same:
        return sorted(same, key=lambda other: -difflib.SequenceMatcher(None, path, other).ratio())[:SUGGESTIONS]
    close = [*_alike(path, known, path.count("/") + 1, 0.7), *_alike(name, known, 1, 0.75)]
    close += difflib.get_close_matches(path, known, SUGGESTIONS, 0.6)

    def likeness(other: str) -> float:
        ends = (other, "/".join(other.split("/")[-1 - path.count("/") :]))
        named = difflib.SequenceMatcher(None, name, other.rpartition("/")[2]).ratio()
        return named + max(difflib.SequenceMatcher(None, path, end).ratio() for end in ends)

    alike = {other: likeness(other) for other in close}
    best = sorted(alike, key=lambda other: -alike[other])
    return [other for other in best if alike[other] > alike[best[0]] - _MUCH_LESS_ALIKE][:SUGGESTIONS]


def _alike(written: str, known: Sequence[str], parts: int, cutoff: float) -> list[str]:
    """The paths whose last so many parts look like what was written, the most alike first."""
    ends: dict[str, list[str]] = {}
    for path in known:
        ends.setdefault("/".join(path.split("/")[-parts:]), []).append(path)
    return [path for end in difflib.get_close_matches(written, ends, SUGGESTIONS, cutoff) for path in ends[end]]


def _unknown_path(path: str, source: NameSource) -> UnknownPathError:
    return UnknownPathError(f"no file {path!r} in this tree", suggestions=near_paths(path, source.paths()))


def _read_scip(text: str) -> SymbolId | None:
    """A symbol of ours in SCIP's grammar; None where it is not one."""
    found = _SCIP.match(text)
    if found is None:
        return None
    folders: list[str] = []
    names: list[str] = []
    ordinal, at = 0, 0
    descriptors = found["descriptors"]
    while at < len(descriptors):
        part = _DESCRIPTOR.match(descriptors, at)
        if part is None:
            return None
        name = part["name"]
        plain = name[1:-1].replace("``", "`") if name.startswith("`") else name
        (folders if part["suffix"] == "/" else names).append(plain)
        ordinal = int(part["ordinal"] or 0)
        at = part.end()
    return SymbolId(read_path("/".join(folders)), ".".join(names), ordinal)
