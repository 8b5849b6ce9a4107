"""What one Python file's reader knows and where it stands: the state that the readers of expressions and of statements share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from analyzers.facts import (
    Access,
    Binding,
    BindingKind,
    Call,
    Definition,
    Expression,
    Import,
    Limitation,
    Narrowing,
    Return,
    Scope,
    ScopeKind,
    Span,
)  # fmt: skip
from analyzers.parsing import MAX_DEPTH, Grammar, Node, Parsed, grammar_of

MAX_NESTING = 50
"""Levels of one expression. Deeper ones are read apart, so no expression is longer than this and no recursion is deeper."""

UNKNOWN = Expression("unknown")
UNPACKED = {
    "tuple": "tuple", "list": "list", "set": "set", "expression_list": "tuple", "tuple_expression": "tuple", "pattern_list": "tuple",
    "tuple_pattern": "tuple", "list_pattern": "list",
}  # fmt: skip
"""Kinds of node that are a row of items → the collection that they make."""
_OF_BUILTIN_TYPE = frozenset({"literal", "unknown", "collection", "comprehension", "lambda"})
_IMPLICIT = ("implicit",)
Region = tuple[int, int] | None
Reader = Callable[["ExpressionReader", Node, int], Expression]


class Kinds:
    """The numbers of the node kinds that readers compare with."""

    def __init__(self, grammar: Grammar) -> None:
        self.identifier = grammar.kind("identifier")
        self.attribute = grammar.kind("attribute")
        self.argument_list = grammar.kind("argument_list")
        self.keyword_argument = grammar.kind("keyword_argument")
        self.string = grammar.kind("string")
        self.comment = grammar.kind("comment")
        self.comma = grammar.kind(",", named=False)
        self.pair = grammar.kind("pair")
        self.for_in_clause = grammar.kind("for_in_clause")
        self.list_splat_pattern = grammar.kind("list_splat_pattern")
        self.list_splat = grammar.kind("list_splat")
        self.parenthesized = grammar.kind("parenthesized_expression")
        self.subscript = grammar.kind("subscript")
        self.call = grammar.kind("call")
        self.none = grammar.kind("none")
        self.as_pattern_target = grammar.kind("as_pattern_target")
        self.interpolation = grammar.kind("interpolation")
        self.block = grammar.kind("block")
        self.assignment = grammar.kind("assignment")
        self.equals = grammar.kind("=", named=False)
        self.type = grammar.kind("type")
        self.dictionary = grammar.kind("dictionary")
        self.parameters = grammar.kind("parameters")
        self.type_parameter = grammar.kind("type_parameter")
        self.asynchronous = grammar.kind("async", named=False)
        self.keyword_separator = grammar.kind("keyword_separator")
        self.positional_separator = grammar.kind("positional_separator")
        self.dictionary_splat_pattern = grammar.kind("dictionary_splat_pattern")
        self.tuple_pattern = grammar.kind("tuple_pattern")
        self.valued_parameters = frozenset(map(grammar.kind, ("typed_parameter", "default_parameter", "typed_default_parameter")))
        self.names = grammar.kinds


@cache
def python_kinds() -> Kinds:
    """Read once: the grammar does not change."""
    return Kinds(grammar_of("python"))


class ExpressionReader:
    """Reads the expressions of one file; holds what the file's reader has found so far, and where it stands."""

    def __init__(self, parsed: Parsed, readers: Sequence[Reader | None], read_callee: Reader) -> None:
        """readers: by the number of a node's kind; None for what is no expression. read_callee: reads without noting a read of it."""
        self.read_callee = read_callee
        self.parsed = parsed
        self.source = parsed.source
        self.latin = parsed.source.decode("latin-1")
        """One character a byte, so that byte offsets cut it; `cut` makes text of it where the file is not ASCII."""
        self.is_ascii = parsed.source.isascii()
        self.span: Callable[[int, int], Span] = parsed.spans()
        self.kinds = python_kinds()
        self.readers = readers
        self.definitions: list[Definition] = []
        self.scopes: list[Scope] = []
        self.bindings: list[Binding] = []
        self.imports: list[Import] = []
        self.calls: list[Call] = []
        self.accesses: list[Access] = []
        self.returns: list[Return] = []
        self.narrowings: list[Narrowing] = []
        self.limitations: list[Limitation] = []
        self.mentions: set[str] = set()
        self.reads: list[Expression] = []
        """Name expressions read as values in the scope where the reader stands."""
        self.reads_of: list[list[Expression]] = []
        """scope → its `reads`"""
        self.chains: dict[str, tuple[str, ...]] = {}
        """text of an attribute → its names, where it is nothing but a dotted chain of names; () where it is not"""
        self.generators: set[int] = set()
        """Scopes with a yield."""
        self.deferred: list[tuple[Node, int, int]] = []
        """Nodes nested too deep to be read with what is around them, with their scopes and how many nodes around them were put off before."""
        self.deferrals = 0
        self.literals: dict[str, Expression] = {}
        self.scope = 0
        self.definition = 0
        self.until = -1
        self.is_conditional = False
        self.call_flags: tuple[str, ...] = ()

    # Reading

    def read(self, node: Node) -> Expression:
        """The expression at a node. What is nested too deep in it is put off: see `read_deferred`."""
        reader = self.readers[node.kind_id]
        return reader(self, node, 0) if reader is not None else UNKNOWN

    def read_at(self, node: Node, depth: int) -> Expression:
        if depth > MAX_NESTING:
            return self.defer(node)
        reader = self.readers[node.kind_id]
        return reader(self, node, depth) if reader is not None else UNKNOWN

    def defer(self, node: Node) -> Expression:
        self.deferred.append((node, self.scope, self.deferrals + 1))
        return UNKNOWN

    def read_deferred(self) -> None:
        """Read, each by itself, what was nested too deep."""
        outer = self.scope
        deepest = self.deferred[-1]
        while self.deferred:
            node, scope, self.deferrals = self.deferred.pop()
            if self.deferrals > deepest[2]:
                deepest = (node, scope, self.deferrals)
            self.stand_in(scope)
            self.read_at(node, 1)
        self.stand_in(outer)
        self.deferrals = 0
        if deepest[2] * MAX_NESTING >= MAX_DEPTH:
            self.limit("too-deep", f"an expression nested more than {MAX_DEPTH} deep", deepest[0].start_byte)

    def stand_in(self, scope: int) -> None:
        self.scope = scope
        self.reads = self.reads_of[scope]

    def cut(self, start: int, end: int) -> str:
        text = self.latin[start:end]
        return text if self.is_ascii or text.isascii() else self.source[start:end].decode("utf-8", "replace")

    def operands(self, node: Node) -> list[Node]:
        """The children that are expressions, without tokens and comments."""
        readers = self.readers
        return [child for child in node.children if readers[child.kind_id] is not None]

    def limit(self, code: str, detail: str, start: int) -> None:
        self.limitations.append(Limitation(code, detail, self.parsed.row(start)))

    def bind(self, kind: BindingKind, name: str, start: int, value: Expression | None = None, path: tuple[str, ...] = (), scope: int = -1) -> None:
        self.mentions.add(name)
        self.bindings.append(Binding(self.scope if scope < 0 else scope, name, kind, -1, value, "", path, start, self.is_conditional, self.until))

    def bind_name(
        self, target: Node, kind: BindingKind, value: Expression | None, path: tuple[str, ...] = (), annotation: str = "", index: int = -1
    ) -> None:
        start = target.start_byte
        name = self.latin[start : target.end_byte] if self.is_ascii else self.cut(start, target.end_byte)
        self.mentions.add(name)
        self.bindings.append(Binding(self.scope, name, kind, index, value, annotation, path, start, self.is_conditional, self.until))

    def open_scope(self, kind: ScopeKind, start: int) -> int:
        self.scopes.append(Scope(kind, self.scope, self.definition, start))
        self.reads_of.append([])
        return len(self.scopes) - 1

    def implicit_call(self, method: str, receiver: Expression, arguments: tuple[Expression, ...], start: int, end: int) -> None:
        """A method that syntax calls: an operator's, a with statement's, a loop's."""
        if receiver.kind in _OF_BUILTIN_TYPE:
            return
        callee = Expression("attribute", method, (receiver,), (), "", -1, start)
        self.calls.append(Call(self.scope, Expression("call", "", (callee, *arguments), (), "", -1, start), self.span(start, end), _IMPLICIT))

    # Binding targets

    def assign_to(self, target: Node, kind: BindingKind, value: Expression | None, path: tuple[str, ...] = (), annotation: str = "") -> None:
        """Bind or write what stands on the left. `value` None: not known what is assigned."""
        kinds, readers = self.kinds, self.readers
        if target.kind_id == kinds.identifier:
            self.bind_name(target, kind, value, path, annotation)
            return
        todo = [(target, value, path)]
        while todo:
            node, value, path = todo.pop()
            number = node.kind_id
            if number == kinds.identifier:
                self.bind_name(node, kind, value, path, annotation)
            elif number == kinds.attribute or number == kinds.subscript:
                self.write(node, value if not path else None, annotation)
            elif kinds.names[number] in UNPACKED:
                items = [child for child in node.children if readers[child.kind_id] is not None]
                if number == kinds.tuple_pattern and len(items) == 1 and not any(child.kind_id == kinds.comma for child in node.children):
                    todo.append((items[0], value, path))
                else:
                    todo.extend(reversed(self._unpacked(items, value, path)))
            elif number in (kinds.list_splat_pattern, kinds.list_splat):
                todo.extend((child, value, (*path[:-1], "*")) for child in node.children if readers[child.kind_id] is not None)
            elif kinds.names[number] in ("parenthesized_expression", "as_pattern_target", "parenthesized_list_splat"):
                todo.extend((child, value, path) for child in node.children if readers[child.kind_id] is not None)
            else:
                self.read(node)

    def _unpacked(self, items: list[Node], value: Expression | None, path: tuple[str, ...]) -> list[tuple[Node, Expression | None, tuple[str, ...]]]:
        splats = (self.kinds.list_splat_pattern, self.kinds.list_splat)
        splat = next((index for index, item in enumerate(items) if item.kind_id in splats), len(items))
        if value is not None and value.kind == "collection" and value.name in ("tuple", "list") and not path:
            pairs = self._item_by_item(items, splat, value)
            if pairs:
                return pairs
        return [(item, value, (*path, str(index) if index <= splat else "*")) for index, item in enumerate(items)]

    def _item_by_item(self, items: list[Node], splat: int, value: Expression) -> list[tuple[Node, Expression | None, tuple[str, ...]]]:
        """Which item of a written-out collection each target gets; empty where that is not known. A starred target gets a list of the rest."""
        parts = value.parts
        after = len(items) - splat - 1
        if any(part.kind == "spread" for part in parts):
            return []
        if splat == len(items):
            return [(item, part, ()) for item, part in zip(items, parts, strict=True)] if len(items) == len(parts) else []
        starred = next((child for child in items[splat].children if self.readers[child.kind_id] is not None), None)
        if starred is None or len(parts) < len(items) - 1:
            return []
        end = len(parts) - after
        given = [*parts[:splat], Expression("collection", "list", parts[splat:end], (), "", -1, value.start), *parts[end:]]
        targets = [*items[:splat], starred, *items[splat + 1 :]]
        return [(item, part, ()) for item, part in zip(targets, given, strict=True)]

    def write(self, node: Node, value: Expression | None, annotation: str = "") -> None:
        """A write to an attribute or a subscript."""
        if node.kind_id == self.kinds.attribute:
            target = self.read_callee(self, node, 0)
            self.accesses.append(Access(self.scope, target, self.span(target.start, node.end_byte), True, value, annotation))
            return
        children = self.operands(node)
        owner = self.read(children[0])
        index = self._index(children[1:], node, 0)
        start, end = node.start_byte, node.end_byte
        if index.kind == "literal":
            target = Expression("subscript", "", (owner, index), (), "", -1, start)
            self.accesses.append(Access(self.scope, target, self.span(start, end), True, value, annotation))
        self.implicit_call("__setitem__", owner, (index, value or UNKNOWN), start, end)

    def _index(self, items: list[Node], node: Node, depth: int) -> Expression:
        """What stands between the brackets of a subscript."""
        parts = tuple([self.read_at(item, depth + 1) for item in items])
        if len(parts) == 1 and not any(child.kind_id == self.kinds.comma for child in node.children):
            return parts[0]
        return Expression("collection", "tuple", parts)

    # Narrowing

    def narrow(self, test: Expression, when_true: Region, when_false: Region) -> None:
        """Note in which regions an `isinstance` in a condition holds or fails."""
        todo = [(test, when_true, when_false)]
        while todo:
            test, when_true, when_false = todo.pop()
            if test.kind == "operator" and test.name == "not" and test.parts:
                todo.append((test.parts[0], when_false, when_true))
            elif test.kind == "conditional" and test.name in ("and", "or"):
                is_and = test.name == "and"
                todo.extend((part, when_true if is_and else None, None if is_and else when_false) for part in test.parts)
            elif test.kind == "call" and test.parts[0].name == "isinstance" and len(test.parts) == 3 and _is_dotted(test.parts[1]):
                for region, is_negated in ((when_true, False), (when_false, True)):
                    if region is not None:
                        self.narrowings.append(Narrowing(self.scope, test.parts[1], test.parts[2], *region, is_negated))


def _is_dotted(target: Expression) -> bool:
    while target.kind == "attribute":
        target = target.parts[0]
    return target.kind == "name"
