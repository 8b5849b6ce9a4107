"""Finding what a person typed (knowledge/graph/symbols.py)."""

import pytest

from knowledge.errors import AmbiguousSymbolError, UnknownPathError, UnknownSymbolError
from knowledge.graph.symbols import find_symbol, find_symbols
from knowledge.records.identifiers import SymbolId, external_symbol, file_symbol

DEFINED = [
    SymbolId(b"src/app/auth.py", "Session"), SymbolId(b"src/app/auth.py", "Session.save"), SymbolId(b"src/app/auth.py", "login"),
    SymbolId(b"src/app/db.py", "Store"), SymbolId(b"src/app/db.py", "Store.save"), SymbolId(b"src/app/__init__.py", "login"),
    SymbolId(b"src/app/db.py", "twice"), SymbolId(b"src/app/db.py", "twice", 1), SymbolId("src/인증.py".encode(), "로그인"),
    SymbolId(b"src/web.ts", "Client.#send"), SymbolId(b"src/web.ts", "Client.#send", 1),
]  # fmt: skip


class Names:
    def named(self, name: str) -> list[SymbolId]:
        return sorted(found for found in DEFINED if found.name == name)

    def names(self) -> set[str]:
        return {found.name for found in DEFINED}

    def paths(self) -> list[bytes]:
        return sorted({found.path for found in DEFINED})

    def parts(self, symbol: SymbolId) -> list[SymbolId]:
        return [found for found in DEFINED if found.path == symbol.path and found.qualified_name.startswith(f"{symbol.qualified_name}.")]

    def has_path(self, path: bytes) -> bool:
        return path in self.paths()

    def paths_named(self, name: bytes) -> list[bytes]:
        return [path for path in self.paths() if path.rpartition(b"/")[2] == name]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/app/auth.py::Session.save", DEFINED[1]),
        ("auth.py::Session.save", DEFINED[1]),
        ("Session.save", DEFINED[1]),
        ("app.auth.Session.save", DEFINED[1]),
        ("auth.Session", DEFINED[0]),
        ("Store", DEFINED[3]),
        ("  Store ", DEFINED[3]),
        ("src/app/db.py", file_symbol(b"src/app/db.py")),
        ("src/app/db.py::", file_symbol(b"src/app/db.py")),
        ("src/app/db.py::twice", DEFINED[6]),
        ("src/app/db.py::twice#2", DEFINED[7]),
        ("src/web.ts::Client.#send", DEFINED[9]),
        ("Client.#send", DEFINED[9]),
        ("src/web.ts::Client.#send#2", DEFINED[10]),
        ("twice", DEFINED[6]),
        ("로그인", DEFINED[8]),
        ("src/인증.py::로그인", DEFINED[8]),
        ("external:requests::get", external_symbol("requests", "get")),
        ("app.login", DEFINED[5]),
        ("app.auth", file_symbol(b"src/app/auth.py")),
        ("db.py", file_symbol(b"src/app/db.py")),
        ("app/db.py", file_symbol(b"src/app/db.py")),
        ("인증.py", file_symbol("src/인증.py".encode())),
        ("web.ts", file_symbol(b"src/web.ts")),
    ],
)
def test_what_a_person_types(text: str, expected: SymbolId) -> None:
    """Paths, ends of paths, dotted names with and without the module, bare names, the second definition of a name."""
    assert find_symbol(text, Names()) == expected


@pytest.mark.parametrize("symbol", DEFINED, ids=str)
def test_the_printed_forms_are_read_back(symbol: SymbolId) -> None:
    """What `str` and `scip` print means the same symbol."""
    assert symbol in find_symbols(str(symbol), Names())
    assert find_symbols(symbol.scip(), Names())[0].qualified_name == symbol.qualified_name


def test_an_ambiguous_name_lists_what_it_may_mean() -> None:
    """Two classes with a method of that name."""
    with pytest.raises(AmbiguousSymbolError) as caught:
        find_symbol("save", Names())
    assert caught.value.suggestions == ("src/app/auth.py::Session.save", "src/app/db.py::Store.save")


@pytest.mark.parametrize(
    ("text", "suggestions"),
    [
        ("Sesion", ("src/app/auth.py::Session",)),
        ("src/app/auth.py::logn", ("src/app/auth.py::login", "src/app/__init__.py::login")),
        ("auth.py::logn", ("src/app/auth.py::login", "src/app/__init__.py::login")),
        ("Session.svae", ("src/app/auth.py::Session.save", "src/app/db.py::Store.save")),
        ("Store.svae", ("src/app/db.py::Store.save", "src/app/auth.py::Session.save")),
        ("app.db.Store.svae", ("src/app/db.py::Store.save", "src/app/auth.py::Session.save")),
        ("twcie", ("src/app/db.py::twice",)),
        ("src/app/auth.py::Store", ("src/app/db.py::Store",)),
        ("Session.load", ("src/app/auth.py::Session.save",)),
        ("src/app/db.py::Store.zap", ("src/app/db.py::Store.save",)),
        ("src/app/auht.py", ("src/app/auth.py",)),
        ("lib/dbb.py", ("src/app/db.py",)),
        ("auth.pyy", ("src/app/auth.py",)),
        ("app/auht", ("src/app/auth.py",)),
        ("save.load", ()),
        ("로그아웃", ()),
        ("완전히 다른 말", ()),
        ("", ()),
        ("...", ()),
        ("x" * 10_000, ()),
    ],
)
def test_an_unknown_name_suggests_near_ones_and_never_garbage(text: str, suggestions: tuple[str, ...]) -> None:
    """A typing error finds its word, a class what it has, a path its like; words of another script or a whole sentence find nothing."""
    with pytest.raises((UnknownSymbolError, UnknownPathError)) as caught:
        find_symbol(text, Names())
    assert caught.value.suggestions == suggestions


def test_an_unknown_path_suggests_paths() -> None:
    """A file of the same name elsewhere comes first."""
    with pytest.raises(UnknownPathError) as caught:
        find_symbol("lib/db.py::nothing", Names())
    assert caught.value.suggestions == ("src/app/db.py",)
