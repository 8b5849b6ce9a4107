"""What stands where in one file: the definition whose name stands at a byte, and the relation that the name there is used for.

Other programs name places and targets. Which relation it is (a call, an import, a base, a read) is taken from the file's own facts, so that edges
of every analyzer mean the same by the same word.
"""

from __future__ import annotations

from dataclasses import dataclass

from analyzers.facts import Definition, FileFacts, Span
from knowledge.records.edges import Predicate
from knowledge.records.identifiers import SymbolId, file_symbol

VALUE_KINDS = frozenset({"property", "constant", "variable"})
CALLED_KINDS = frozenset({"function", "method", "class"})


@dataclass(frozen=True, slots=True)
class Use:
    """A name that stands for something: by whom, for which relation."""

    owner: SymbolId
    predicate: Predicate
    span: Span
    name: str


class Places:
    """One file's definitions and uses by the byte at which their name begins."""

    def __init__(self, path: bytes, facts: FileFacts) -> None:
        self.path, self._facts = path, facts
        self.definitions = {d.name_span.start: index for index, d in enumerate(facts.definitions) if index}
        self.uses: dict[int, Use] = {}
        self.calls: dict[int, list[Use]] = {}
        """Calls by the byte at which they begin: `a.b().c()` begins two."""
        self._indexes = {self.symbol(index): index for index in range(len(facts.definitions))}
        self._note_accesses()
        self._note_imports()
        self._note_bases()
        self._note_calls()

    def meant(self, index: int) -> SymbolId:
        """The identity of what is meant by naming a definition: of the overloads of a function the one with a body."""
        found = self._facts.definitions[index]
        if "overload" in found.flags:
            same = (d for d in self._facts.definitions if d.qualified_name == found.qualified_name and "overload" not in d.flags)
            found = next(same, found)
        return SymbolId(self.path, found.qualified_name, found.ordinal)

    def symbol(self, index: int) -> SymbolId:
        """The identity of a definition; 0 is the file itself."""
        if index <= 0:
            return file_symbol(self.path)
        found = self._facts.definitions[index]
        return SymbolId(self.path, found.qualified_name, found.ordinal)

    def index_of(self, symbol: SymbolId) -> int:
        """The index of a definition of this file."""
        return self._indexes[symbol]

    def definition(self, index: int) -> Definition:
        """The definition with this index."""
        return self._facts.definitions[index]

    def owner(self, scope: int) -> SymbolId:
        """The definition in whose body a scope stands."""
        return self.symbol(self._facts.scopes[scope].definition)

    # Of two relations at one place the later noted one counts: `a.b()` reads `b` to call it.

    def _note_accesses(self) -> None:
        for access in self._facts.accesses:
            if access.target.kind in ("name", "attribute"):
                self._note(Use(self.owner(access.scope), "writes" if access.is_write else "reads", access.span, access.target.name))

    def _note_imports(self) -> None:
        for found in self._facts.imports:
            if "star" not in found.flags:
                self._note(Use(file_symbol(self.path), "imports", found.span, found.name or found.module))
            if found.module_span is not None:
                self._note(Use(file_symbol(self.path), "imports", found.module_span, found.module))

    def _note_bases(self) -> None:
        for index, definition in enumerate(self._facts.definitions):
            for base, span in zip(definition.bases, definition.base_spans, strict=False):
                self._note(Use(self.symbol(index), "implements", span, base.name))

    def _note_calls(self) -> None:
        for call in self._facts.calls:
            if "implicit" not in call.flags and call.expression.parts:
                use = Use(self.owner(call.scope), "calls", call.name_span, call.expression.parts[0].name)
                self._note(use)
                self.calls.setdefault(call.expression.start, []).append(use)

    def _note(self, use: Use) -> None:
        self.uses[use.span.start] = use
