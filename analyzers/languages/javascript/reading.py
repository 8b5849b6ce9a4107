"""What the reader of one JavaScript or TypeScript file knows and where it stands: the state that all readers of nodes share.

Nothing recurses without a bound. Statements are read off a stack of node lists; an expression nested deeper than `MAX_NESTING` is
`unknown` where it stands, and is put on that stack to be read by itself. Function bodies are put there too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from analyzers.facts import (
    Access,
    Binding,
    BindingKind,
    Call,
    Definition,
    DefinitionKind,
    Export,
    Expression,
    Import,
    Limitation,
    Narrowing,
    Parameter,
    Return,
    Scope,
    ScopeKind,
    Span,
    Value,
)  # fmt: skip
from analyzers.languages.javascript.kinds import Kinds, kinds_of
from analyzers.parsing import Node, Parsed

MAX_NESTING = 40
"""Levels of one expression."""
MAX_NESTS = 3
CALL, MEMBER, SUBSCRIPT, OTHER_LINK = 1, 2, 3, 4
"""Kinds of link in a chain `a.b()[c]!`."""
UNKNOWN = Expression("unknown")

Region = tuple[int, int] | None
"""The innermost conditional block: its byte offsets; None: what is there happens whenever its function runs."""
ExpressionReader = Callable[["Reader", Node, int], Expression]
StatementReader = Callable[["Reader", Node], None]


class Assignment(msgspec.Struct, frozen=True, gc=False):
    """`name = value`, kept until it is known which scope declares the name."""

    scope: int
    name: str
    kind: BindingKind
    value: Expression | None
    path: tuple[str, ...]
    start: int
    region: Region


class Bound(msgspec.Struct, frozen=True, gc=False):
    """What a name is bound to. scope -1: the present one; the rest as in `facts.Binding`."""

    target: int = -1
    value: Expression | None = None
    annotation: str = ""
    path: tuple[str, ...] = ()
    scope: int = -1


class Declared(msgspec.Struct, frozen=True, gc=False):
    """How a function or class is declared. name_node None: it has no name in the source. whole: what its range covers, where that is more
    than its node. decorators: those that stand outside of the node, read already.
    """

    name: str
    name_node: Node | None
    kind: DefinitionKind = "function"
    parent: int = -1
    whole: Node | None = None
    flags: tuple[str, ...] = ()
    decorators: tuple[Expression, ...] = ()


class Header(msgspec.Struct, frozen=True, gc=False):
    """What stands before a definition's body."""

    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    bases: tuple[Expression, ...] = ()
    decorators: tuple[Expression, ...] = ()
    value: Expression | None = None
    flags: tuple[str, ...] = ()
    base_spans: tuple[Span, ...] = ()


class Tables(NamedTuple):
    """By the number of a node's kind: its readers (None where it is no expression, no statement), and the kind of link that it is (0: none)."""

    expressions: Sequence[ExpressionReader | None]
    statements: Sequence[StatementReader | None]
    link_of: Sequence[int]


class Reader:
    """Reads one file; see the module's docstring. `scope`, `region` and `owner` say where it stands."""

    def __init__(self, parsed: Parsed, tables: Tables) -> None:
        self.parsed = parsed
        self.source = parsed.source
        self.latin = parsed.source.decode("latin-1")
        """One character a byte, so that byte offsets cut it; `cut` makes text of what is not ASCII."""
        self.span: Callable[[int, int], Span] = parsed.spans()
        self.kinds: Kinds = kinds_of(parsed.language)
        self.expressions = tables.expressions
        self.statements = tables.statements
        self.link_of = tables.link_of

        self.definitions: list[Definition] = []
        self.scopes: list[Scope] = []
        self.hoists: list[int] = []
        """For each scope the scope of the function (or module) around it, where `var` binds."""
        self.ends: list[int] = []
        """For each scope the byte offset at which it ends."""
        self.bindings: list[Binding] = []
        self.depths: list[int] = []
        """For each scope how many are around it."""
        self.declared: list[set[str]] = []
        """For each scope the names that it declares."""
        self.assignments: list[Assignment] = []
        self.imports: list[Import] = []
        self.exports: list[Export] = []
        self.calls: list[Call] = []
        self.accesses: list[Access] = []
        self.returns: list[Return] = []
        self.values: list[Value] = []
        self.narrowings: list[Narrowing] = []
        self.limitations: list[Limitation] = []
        self.names_read: dict[tuple[int, str], Expression] = {}
        """The first read of each name in each scope."""
        self.chains_read: set[tuple[int, str]] = set()
        """The dotted chains that each scope reads: only the first read of each is kept."""
        self.ordinals: dict[str, int] = {}
        self.literals: dict[str, Expression] = {}
        self.unmentioned: list[tuple[int, int]] = []
        """Comments, and strings that are prose: what is in them is not mentioned."""

        self.pending: list[tuple[Iterable[Node], int, Region]] = []
        self.decorators: list[Node] = []
        """Decorators that stand before the class member to which they belong."""
        self.scope = 0
        self.region: Region = None
        self.nests = 0
        self.owner = -1
        """The variable or field whose value is being read: functions in it belong to it."""

    # Walking

    def run(self, root: Node) -> bool:
        """Read everything below a node. False where statements are nested too deep."""
        stack: list[tuple[Iterator[Node], int, Region]] = [(iter((root,)), 0, None)]
        statements, pending = self.statements, self.pending
        while stack:
            nodes, self.scope, self.region = stack[-1]
            for node in nodes:
                reader = statements[node.kind_id]
                if reader is None:
                    continue
                reader(self, node)
                if pending:
                    break
            else:
                stack.pop()
                continue
            if len(stack) > MAX_STACK:
                return False
            stack.extend((iter(inner), scope, region) for inner, scope, region in reversed(pending))
            pending.clear()
        return True

    def read(self, node: Node, depth: int = -1) -> Expression:
        """The expression at a node. depth: how deep it is nested in its statement; -1: it begins a nesting of its own, of which there may be
        MAX_NESTS inside each other (defaults of parameters, decorators, base classes).
        """
        if depth > MAX_NESTING or (depth < 0 and self.nests >= MAX_NESTS):
            return self.put_off(node)
        reader = self.expressions[node.kind_id]
        if reader is None:
            return UNKNOWN
        if depth >= 0:
            return reader(self, node, depth)
        self.nests += 1
        found = reader(self, node, 0)
        self.nests -= 1
        return found

    def read_all(self, node: Node, depth: int) -> list[Expression]:
        """The expressions among the children."""
        if depth > MAX_NESTING:
            self.put_off(node)
            return []
        expressions = self.expressions
        found = []
        for child in node.children:
            reader = expressions[child.kind_id]
            if reader is not None:
                found.append(reader(self, child, depth))
        return found

    def put_off(self, node: Node) -> Expression:
        """Read a node that is nested too deep by itself, after the present statement."""
        self.later((node,), self.scope)
        return UNKNOWN

    def later(self, nodes: Iterable[Node], scope: int, region: Region = None) -> None:
        """Read these after the present statement."""
        self.pending.append((nodes, scope, region))

    def solid(self, node: Node) -> list[Node]:
        """The children without comments."""
        children, comment = node.children, self.kinds.comment
        for child in children:
            if child.kind_id == comment:
                return [child for child in children if child.kind_id != comment]
        return children

    def operands(self, node: Node) -> list[Node]:
        """The children that are expressions."""
        expressions = self.expressions
        return [child for child in node.children if expressions[child.kind_id] is not None]

    # Narrowing

    def narrow(self, test: Expression, when_true: Region, when_false: Region) -> None:
        """Note in which regions an `instanceof` in a condition holds or fails."""
        todo = [(test, when_true, when_false)]
        while todo:
            test, when_true, when_false = todo.pop()
            if test.kind == "operator" and test.name == "!" and test.parts:
                todo.append((test.parts[0], when_false, when_true))
            elif test.kind == "conditional" and test.name in ("and", "or"):
                is_and = test.name == "and"
                todo.extend((part, when_true if is_and else None, None if is_and else when_false) for part in test.parts)
            elif test.kind == "operator" and test.name == "instanceof" and len(test.parts) == 2 and is_dotted(test.parts[0]):
                for region, is_negated in ((when_true, False), (when_false, True)):
                    if region is not None:
                        self.narrowings.append(Narrowing(self.scope, test.parts[0], test.parts[1], *region, is_negated))

    # Text

    def cut(self, start: int, end: int) -> str:
        text = self.latin[start:end]
        return text if text.isascii() else self.source[start:end].decode("utf-8", "replace")

    def text(self, node: Node) -> str:
        start, end = node.start_byte, node.end_byte
        text = self.latin[start:end]
        return text if text.isascii() else self.source[start:end].decode("utf-8", "replace")

    def squeezed(self, node: Node) -> str:
        """The text without comments, and with runs of white space as one blank."""
        text = self.text(node)
        if "//" in text or "/*" in text:
            text = self._without_comments(node)
        return " ".join(text.split()) if "\n" in text or "  " in text else text

    def _without_comments(self, node: Node) -> str:
        parts: list[str] = []
        at, todo = node.start_byte, [node]
        while todo:
            inner = todo.pop()
            if inner.kind_id == self.kinds.comment:
                parts += (self.cut(at, inner.start_byte), " ")
                at = inner.end_byte
            else:
                todo += reversed(inner.children)
        return "".join([*parts, self.cut(at, node.end_byte)])

    # Entering things

    def limit(self, code: str, detail: str, start: int) -> None:
        self.limitations.append(Limitation(code, detail, self.parsed.row(start)))

    def open_scope(self, kind: ScopeKind, node: Node, definition: int = -1, *, parent: int = -1, start: int = -1) -> int:
        """A new scope inside the present one. definition: what owns it; by default what owns the scope around it."""
        parent = self.scope if parent < 0 else parent
        if definition < 0:
            definition = self.scopes[parent].definition if parent >= 0 and self.scopes else 0
        number = len(self.scopes)
        self.scopes.append(Scope(kind, parent if number else -1, definition, node.start_byte if start < 0 else start))
        self.hoists.append(number if kind != "block" and kind != "class" else self.hoists[parent])
        self.ends.append(node.end_byte)
        self.depths.append(self.depths[parent] + 1 if number else 0)
        self.declared.append(set())
        return number

    def block_scope(self, block: Node) -> int:
        """The scope of a block: its own where it declares something, else the present one."""
        lexical = self.kinds.lexical
        for child in block.children:
            if child.kind_id in lexical:
                return self.open_scope("block", block)
        return self.scope

    def define_module(self, root: Node) -> None:
        """Definition 0 and scope 0: the file itself."""
        self.open_scope("module", root, 0, start=0)
        self.definitions.append(Definition("", "", 0, "module", -1, 0, self.span(0, len(self.source)), self.span(0, 0)))

    def define(
        self, name: str, kind: DefinitionKind, node: Node, name_node: Node | None, *, parent: int = -1, scope: int = -1
    ) -> int:  # fmt: skip
        """A definition without its header yet. name_node None: it has no name in the source."""
        parent = self.scopes[self.scope].definition if parent < 0 else parent
        outer = self.definitions[parent].qualified_name
        qualified_name = f"{outer}.{name}" if outer else name
        ordinal = self.ordinals.get(qualified_name, 0)
        self.ordinals[qualified_name] = ordinal + 1
        start = node.start_byte
        name_span = self.span(start, start) if name_node is None else self.span(name_node.start_byte, name_node.end_byte)
        self.definitions.append(
            Definition(name, qualified_name, ordinal, kind, parent, self.scope if scope < 0 else scope, self.span(start, node.end_byte), name_span)
        )
        return len(self.definitions) - 1

    def complete(self, index: int, header: Header) -> None:
        """Give a definition its header."""
        found = self.definitions[index]
        flags = header.flags
        if self.parsed.errors and "error" not in flags and self.parsed.overlaps_error(found.span.start, found.span.end):
            flags = (*flags, "error")
        self.definitions[index] = Definition(
            found.name, found.qualified_name, found.ordinal, found.kind, found.parent, found.scope, found.span, found.name_span,
            header.parameters, header.returns, header.bases, header.decorators, header.value, flags, header.base_spans,
        )  # fmt: skip

    def bind(self, kind: BindingKind, name: str, start: int, bound: Bound) -> None:
        """A declaration of a name in a scope."""
        scope = self.scope if bound.scope < 0 else bound.scope
        region = self.region
        if region is not None and region[0] <= self.scopes[scope].start:
            region = None
        self.declared[scope].add(name)
        until = region[1] if region is not None else -1
        self.bindings.append(Binding(scope, name, kind, bound.target, bound.value, bound.annotation, bound.path, start, region is not None, until))

    def assign(self, kind: BindingKind, name: str, start: int, value: Expression | None, path: tuple[str, ...] = ()) -> None:
        """A new value for a name that is declared somewhere."""
        self.assignments.append(Assignment(self.scope, name, kind, value, path, start, self.region))

    def read_once(self, key: str, expression: Expression, start: int, end: int) -> None:
        """A read of an attribute: only the first of the same in each scope is kept."""
        if (self.scope, key) not in self.chains_read:
            self.chains_read.add((self.scope, key))
            self.accesses.append(Access(self.scope, expression, self.span(start, end)))

    def add_return(self, kind: Literal["return", "yield", "raise"], value: Expression | None, node: Node) -> None:
        """A result of the function around the present place."""
        scope = self.scope
        while self.scopes[scope].kind == "block" and self.scopes[scope].parent >= 0:
            scope = self.scopes[scope].parent
        self.returns.append(Return(scope, kind, value, self.span(node.start_byte, node.end_byte)))

    def write(self, target: Expression, start: int, end: int, value: Expression | None) -> None:
        """A write to an attribute, or to a subscript with a constant key."""
        self.accesses.append(Access(self.scope, target, self.span(start, end), True, value))


MAX_STACK = 500
"""Statements and functions nested deeper make a file `too-deep`."""


def is_dotted(target: Expression) -> bool:
    """Whether an expression is a name or a dotted chain."""
    while target.kind == "attribute":
        target = target.parts[0]
    return target.kind == "name"


_KEPT = frozenset({"literal", "name", "lambda", "attribute"})


def shortened(found: Expression) -> Expression:
    """A call as a larger expression keeps it: of its arguments only simple ones, because each call is recorded by itself."""
    parts = found.parts
    for part in parts[1:]:
        if part.kind not in _KEPT:
            kept = (parts[0], *[part if part.kind in _KEPT else UNKNOWN for part in parts[1:]])
            return Expression(found.kind, "", kept, (), found.text, -1, found.start)
    return found
