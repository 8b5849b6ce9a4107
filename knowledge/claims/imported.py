"""What the import of a Python file runs, told apart into pieces: each a statement with the names that it binds.

A changed piece bears on a test only through its names where running it does nothing else: a constant, an import, a class's attributes. Then those
tests are concerned that run something that mentions such a name, or a name that is made of it while modules are imported (`tainted`). A piece that
may do more (a call, a loop, a decorator that registers) is not pure, and concerns all that the file is imported for.

Python's own parser reads the text; nothing of it is executed. What does not parse has no pieces.
"""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from knowledge.records.runs import Piece

_HARMLESS_CALLS = frozenset(
    {
        "frozenset", "set", "tuple", "dict", "list", "object", "TypeVar", "ParamSpec", "TypeVarTuple", "NewType", "cast", "compile", "getLogger",
        "namedtuple", "partial", "ContextVar", "int", "float", "str", "bool", "bytes", "len", "max", "min", "sorted", "range", "isinstance",
        "issubclass", "hasattr", "Lock", "RLock", "dedent", "attrgetter", "itemgetter", "join", "format", "encode", "decode", "lower", "upper",
        "strip", "split", "type",
    }
)  # fmt: skip
"""Callables, by their last name, that do nothing but make a value."""
_HARMLESS_DECORATORS = frozenset(
    {
        "property", "staticmethod", "classmethod", "abstractmethod", "cached_property", "overload", "override", "final", "wraps", "contextmanager",
        "asynccontextmanager", "setter", "getter", "deleter", "dataclass", "runtime_checkable", "total_ordering", "fixture", "parametrize",
    }
)  # fmt: skip
_TOLD = frozenset({"__version__", "__all__", "__doc__", "__author__"})
"""Names with underscores that nothing but code that mentions them reads."""
_READ_BY_RUNNERS = re.compile(r"pytest|collect_ignore|setUp|tearDown|__(?!(?:version|all|doc|author)__\Z)")
_STAR = "*"
_WORD = re.compile(r"\w+")
_IMPURE = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


class Parsed:
    """One file's pieces, and which names each mentions."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.mentions: list[frozenset[str]] = []

    def add(self, names: Iterable[str], text: str, *, is_pure: bool, mentions: str = "", is_placed: bool = True) -> None:
        """A statement that binds these names. mentions: what it reads, where that is not its whole text."""
        bound = tuple(sorted(set(names)))
        is_told = is_pure and not any(_READ_BY_RUNNERS.match(name.rpartition(".")[2]) for name in bound)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.pieces.append(Piece(bound, digest, is_told, is_placed))
        self.mentions.append(frozenset(_WORD.findall(mentions or text)))


def parse(text: bytes) -> Parsed | None:
    """The pieces of a file in their order; None for what is no Python that can be read here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = Parsed()
    _statements(tree.body, "", "", found)
    return found


def tainted(before: Sequence[Piece], after: Sequence[Piece]) -> frozenset[str] | None:
    """The names whose values may be others, of one file that changed; None where more than names may have changed."""
    changed = (Counter(before) - Counter(after)) + (Counter(after) - Counter(before))
    if any(not piece.is_pure for piece in changed):
        return None
    kept = [[piece for piece in pieces if piece not in changed and piece.is_placed] for pieces in (before, after)]
    if kept[0] != kept[1]:
        return None
    names = frozenset(name for piece in changed for name in piece.names)
    return None if _STAR in names else names


def read_newly(before: Sequence[Piece], after: Parsed) -> frozenset[str]:
    """The words of the imports that were not there before: the modules that they load are among them."""
    known = frozenset(before)
    pairs = zip(after.pieces, after.mentions, strict=True)
    return frozenset(word for piece, words in pairs if not piece.is_placed and piece not in known for word in words)


def spread(names: frozenset[str], files: Iterable[Parsed]) -> frozenset[str] | None:
    """With the names that are made of these while modules are imported; None where something is done with one that binds no name."""
    parsed, found = list(files), set(names)
    if "__all__" in names and any(_STAR in piece.names for one in parsed for piece in one.pieces):
        return None
    while True:
        fresh = set()
        for one in parsed:
            for piece, mentions in zip(one.pieces, one.mentions, strict=True):
                if not found.isdisjoint(mentions):
                    if not piece.names:
                        return None
                    fresh |= set(piece.names) - found
        if not fresh:
            return frozenset(found)
        found |= fresh


def _statements(body: Iterable[ast.stmt], owner: str, condition: str, found: Parsed) -> None:
    for index, statement in enumerate(body):
        if index == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            found.add([owner or "__doc__"], f"doc {ast.dump(statement)}", is_pure=True, mentions=owner or "__doc__")
        else:
            _statement(statement, owner, condition, found)


def _statement(statement: ast.stmt, owner: str, condition: str, found: Parsed) -> None:
    """owner: the outermost class around, which whatever it holds is read through. condition: under which it runs."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            _function(statement, found)
        case ast.ClassDef():
            name = owner or statement.name
            header = [*statement.bases, *(keyword.value for keyword in statement.keywords), *statement.decorator_list]
            is_pure = all(map(_is_pure, statement.bases)) and all(map(_is_harmless, statement.decorator_list)) and not statement.keywords
            found.add([name], f"class {condition} {_dump(header)}", is_pure=is_pure, mentions=_source(header))
            _statements(statement.body, name, condition, found)
        case ast.Import() | ast.ImportFrom():
            names = [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
            is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            module = str(getattr(statement, "module", None) or "")
            for alias, name in zip(statement.names, names, strict=True):
                text = f"import {condition} {owner} {module} {getattr(statement, 'level', '')} {alias.name} {name}"
                found.add([owner or name], text, is_pure=not is_future, mentions=f"{alias.name} {module}", is_placed=False)
        case ast.If() if _is_for_types(statement.test):
            _statements(statement.orelse, owner, condition, found)
        case ast.If() if _is_pure(statement.test):
            test = ast.dump(statement.test)
            for branch, body in (("if", statement.body), ("else", statement.orelse)):
                _statements([ast.Pass(), *body], owner, f"{condition} {branch} {test} {_source([statement.test])}", found)
        case ast.Try():
            for part in (statement.body, *(handler.body for handler in statement.handlers), statement.orelse, statement.finalbody):
                _statements([ast.Pass(), *part], owner, f"{condition} try", found)
        case ast.Assign() | ast.AnnAssign():
            _assignment(statement, owner, condition, found)
        case ast.Pass():
            pass
        case ast.Expr(value=ast.Constant()):
            pass
        case _:
            found.add([], f"{owner} {condition} {ast.dump(statement)}", is_pure=False, mentions=_source([statement]))


def _function(statement: ast.FunctionDef | ast.AsyncFunctionDef, found: Parsed) -> None:
    """Of a function what its definition runs: decorators and defaults. Its text counts for those who run it."""
    defaults = [*statement.args.defaults, *(default for default in statement.args.kw_defaults if default is not None)]
    is_pure = all(map(_is_harmless, statement.decorator_list))
    # The decorators of one that does nothing but decorate are of its own text; defaults are, too.
    text = f"def {statement.name}" if is_pure else f"def {statement.name} {_dump(statement.decorator_list)}"
    found.add([statement.name], text, is_pure=is_pure, mentions=_source([*statement.decorator_list, *defaults]) or " ", is_placed=not is_pure)


def _assignment(statement: ast.Assign | ast.AnnAssign, owner: str, condition: str, found: Parsed) -> None:
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        # A bare annotation: nothing reads it but what makes classes of annotations.
        if owner:
            found.add([owner], f"annotation {owner} {ast.dump(statement)}", is_pure=True, mentions=" ")
        return
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    flat = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple | ast.List) else [target])]
    value = statement.value
    assert value is not None
    names = [target.id for target in flat if isinstance(target, ast.Name)]
    is_pure = len(names) == len(flat) and _is_pure(value)
    # What makes classes of annotations reads them; of a constant only those do that check types.
    annotation = ast.dump(statement.annotation) if owner and isinstance(statement, ast.AnnAssign) else ""
    text = f"{owner} {condition} {' '.join(map(ast.dump, targets))} {annotation} = {ast.dump(value)}"
    bound = [owner, *(name for name in names if _READ_BY_RUNNERS.match(name))] if owner else names
    found.add(bound if len(names) == len(flat) else [], text, is_pure=is_pure, mentions=_source([value]) + condition)


def _is_for_types(test: ast.expr) -> bool:
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


def _is_pure(node: ast.expr) -> bool:
    """Whether evaluating it does nothing but make a value."""
    for part in _evaluated(node):
        if isinstance(part, _IMPURE) and not (isinstance(part, ast.Call) and _last_name(part.func) in _HARMLESS_CALLS):
            return False
    return True


def _evaluated(node: ast.expr) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _evaluated(child)  # type: ignore[arg-type]


def _is_harmless(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return _last_name(called) in _HARMLESS_DECORATORS or _first_name(called) in ("pytest", "mock", "unittest")


def _last_name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _first_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return str(getattr(node, "id", ""))


def _dump(nodes: Iterable[ast.AST]) -> str:
    return " ".join(map(ast.dump, nodes))


def _source(nodes: Iterable[ast.AST]) -> str:
    """The names and strings in some code: what it mentions."""
    words = []
    for node in nodes:
        for part in ast.walk(node):
            words += [str(value) for name in ("id", "attr", "value", "arg") if isinstance(value := getattr(part, name, None), str)]
    return " ".join(words)
