"""Which code a name covers: what stands inside of it, what it spells, and what has become of it.

People name the function they see; the graph names the innermost definition. So a member covers what is defined inside of it: `f` a function nested
in f, a file all its code, and `path::<module>` the code that runs when the file is imported, class bodies included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.facts import Expression, FileFacts
from knowledge.claims.locating import indexes_of, locate, locate_file, renamed_to
from knowledge.claims.sets import SetAnswer
from knowledge.claims.spelling import spell
from knowledge.claims.view import FactsView, TreeView
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, read_symbol

MODULE = "<module>"
"""Written for a name: the code at the top of a file."""
_HOLDERS = frozenset({"constant", "variable"})
_BODIES = frozenset({"function", "method"})


def is_top_level(member: SymbolId) -> bool:
    """Whether it stands for the code at the top of a file."""
    return member.qualified_name == MODULE


def within(symbol: SymbolId, view: TreeView) -> Iterator[SymbolId]:
    """The symbol and everything that is defined inside of it; for a file all that it defines."""
    if is_top_level(symbol):
        yield from _top_level(symbol.path, view)
        return
    yield symbol
    facts = view.facts(symbol.path)
    prefix = f"{symbol.qualified_name}." if symbol.qualified_name else ""
    for definition in facts.definitions if facts is not None else ():
        if definition.qualified_name and definition.qualified_name.startswith(prefix):
            yield SymbolId(symbol.path, definition.qualified_name, definition.ordinal)


def _top_level(path: bytes, view: TreeView) -> Iterator[SymbolId]:
    facts = view.facts(path)
    for index, definition in enumerate(facts.definitions if facts is not None else ()):
        if facts is not None and _runs_on_import(facts, index):
            yield SymbolId(path, definition.qualified_name, definition.ordinal)


def _runs_on_import(facts: FileFacts, index: int) -> bool:
    """Whether people would call it code of the file's top level: in no function, no method of a class; objects and their methods are no bounds."""
    chain = []
    while index > 0:
        chain.append(facts.definitions[index].kind)
        index = facts.definitions[index].parent
    is_of_object = bool(chain) and chain[-1] in _HOLDERS
    return is_of_object or not any(kind in _BODIES for kind in chain)


def covers(member: SymbolId, symbol: SymbolId, view: TreeView) -> bool:
    """Whether the code of `symbol` is code of `member`. How often a name was defined does not matter."""
    if (member.path, member.package) != (symbol.path, symbol.package):
        return False
    if is_top_level(member):
        facts = view.facts(symbol.path)
        return not symbol.qualified_name or (facts is not None and all(_runs_on_import(facts, i) for i in indexes_of(view, symbol)))
    name = member.qualified_name
    return not name or symbol.qualified_name == name or symbol.qualified_name.startswith(f"{name}.")


def now_called(member: str, then: FactsView | None, now: TreeView) -> SymbolId | None:
    """The member as it is called in `now`, moved or renamed; None where that cannot be told. One that is gone keeps its name."""
    symbol = read_symbol(member)
    if is_top_level(symbol) or not symbol.qualified_name:
        place = locate_file(symbol.path, then, now)
        found = SymbolId(place.symbol.path, symbol.qualified_name)
    else:
        place = locate(symbol, then, now)
        found = (renamed_to(symbol, then, now) or symbol) if place.state == "gone" else place.symbol
    return None if place.state in ("two_homes", "unreadable") else found


def edges_of(answer: SetAnswer, member: SymbolId) -> Sequence[Edge]:
    """The edges of a set's answer that make something a member."""
    ends = [e for e in answer.edges if e.subject == member or e.object == member]
    return ends or [e for e in answer.edges if e.subject.path == member.path]


def spells(wanted: SymbolId, within_symbol: SymbolId, view: TreeView) -> bool:
    """Whether the code of a symbol calls, extends or imports something of that name, whatever it may be."""
    facts = view.facts(within_symbol.path)
    if facts is None:
        return False
    name = wanted.name.rpartition("/")[2].partition(".")[0] if not wanted.qualified_name else wanted.name
    owners = {s.qualified_name for s in within(within_symbol, view)}
    is_whole_file = not within_symbol.qualified_name or is_top_level(within_symbol)
    for call in facts.calls:
        owner = facts.definitions[facts.scopes[call.scope].definition].qualified_name
        if (is_whole_file or owner in owners) and call.expression.parts and _last(call.expression.parts[0]) == name:
            return True
    if any(_last(base) == name for d in facts.definitions if is_whole_file or d.qualified_name in owners for base in d.bases):
        return True
    return is_whole_file and any(name in (*i.module.replace("/", ".").split("."), i.name) for i in facts.imports)


def _last(expression: Expression) -> str:
    head = expression.parts[0] if expression.kind == "subscript" and expression.parts else expression
    return head.name if head.kind in ("name", "attribute") else spell(head).rpartition(".")[2]


def is_module_of(target: SymbolId, found: SymbolId) -> bool:
    """Whether an import of `found` is an import of the file or outside module `target`, or of something in it."""
    if not target.is_external:
        return found.path == target.path
    wanted, given = _dotted(target), _dotted(found)
    return found.is_external and (given == wanted or given.startswith(f"{wanted}."))


def is_written_for(target: SymbolId, module: str) -> bool:
    """Whether an import names the outside module, or something in it, though it leads to a file here: a package may import itself by its name."""
    wanted = _dotted(target)
    return target.is_external and (module == wanted or module.startswith((f"{wanted}.", f"{wanted}/")))


def _dotted(symbol: SymbolId) -> str:
    return f"{symbol.package}.{symbol.qualified_name}" if symbol.qualified_name else symbol.package
