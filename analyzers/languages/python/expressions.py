"""Python expressions: syntax nodes → reduced expressions, noting calls, reads and the names that expressions bind on the way.

Speed decides the shape of this file. A reader is a function looked up by the number of the node's kind; it takes its children by position;
a plain dotted chain, a string without interpolation and a literal are read from the text, not from their nodes.

Recursion is bounded: what is nested deeper than `MAX_NESTING` inside one expression is `unknown` there, and is read by itself afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from analyzers.facts import Access, Call, Expression, Import, Return
from analyzers.languages.python.reading import MAX_NESTING, UNKNOWN, UNPACKED, ExpressionReader, Reader
from analyzers.languages.python.texts import literal_kind, spell_number, spell_string, string_value
from analyzers.parsing import ERROR_KIND, Node, grammar_of

TEXT_CHARACTERS = 200
"""Of a literal's normalised value."""
CHAIN_BYTES = 200
"""A longer attribute is not looked at as a text: in a chain of calls the texts would add up to the square of its length."""
MAX_LITERALS = 16
"""A collection of more literals, and nothing else, is recorded without its items."""

_NO_FLAGS: tuple[str, ...] = ()
_COMPREHENSIONS = {"list_comprehension": "list", "set_comprehension": "set", "dictionary_comprehension": "dict", "generator_expression": "generator"}
_BINARY = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__", "%": "__mod__", "@": "__matmul__", "**": "__pow__",
    "<<": "__lshift__", ">>": "__rshift__", "&": "__and__", "|": "__or__", "^": "__xor__",
}  # fmt: skip
_COMPARED = {
    "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__", "!=": "__ne__", "in": "__contains__", "not in": "__contains__",
}  # fmt: skip
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_DYNAMIC = {
    "getattr": "dynamic-attribute", "setattr": "dynamic-attribute", "delattr": "dynamic-attribute", "eval": "dynamic-code", "exec": "dynamic-code",
    "__import__": "dynamic-import", "import_module": "dynamic-import", "globals": "dynamic-namespace", "locals": "dynamic-namespace",
    "vars": "dynamic-namespace",
}  # fmt: skip
"""Functions that reach what the analysis cannot see, and the limitation that a call with a computed name is."""


# One reader for each kind of node


def _identifier(self: ExpressionReader, node: Node, depth: int) -> Expression:
    start = node.start_byte
    name = self.latin[start : node.end_byte] if self.is_ascii else self.cut(start, node.end_byte)
    found = Expression("name", name, (), (), "", -1, start)
    self.reads.append(found)
    return found


def _attribute(self: ExpressionReader, node: Node, depth: int, is_callee: bool = False) -> Expression:
    start, end = node.start_byte, node.end_byte
    if end - start > CHAIN_BYTES:
        return _computed_attribute(self, node, depth, is_callee)
    text = self.latin[start:end]
    names = self.chains.get(text)
    if names is None:
        names = self.chains[text] = _names_of(self, text)
    if not names:
        return _computed_attribute(self, node, depth, is_callee)
    first = names[0]
    found = Expression("name", first, (), (), "", -1, start)
    if first != "self":
        self.reads.append(found)
    start += len(first) + 1
    last = len(names) - 1 if is_callee else len(names)
    for index in range(1, len(names)):
        name = names[index]
        found = Expression("attribute", name, (found,), (), "", -1, start)
        end = start + len(name)
        if index != last:
            self.accesses.append(Access(self.scope, found, self.span(start, end)))
        start = end + 1
    return found


def _names_of(self: ExpressionReader, text: str) -> tuple[str, ...]:
    """The names of a plain dotted chain; () for any other attribute."""
    if not text.isascii() or not text.replace(".", "").isidentifier():
        return ()
    names = tuple(text.split("."))
    self.mentions.update(names)
    return names


def _computed_attribute(self: ExpressionReader, node: Node, depth: int, is_callee: bool) -> Expression:
    """An attribute of something that is not a dotted chain of names."""
    if depth > MAX_NESTING:
        return self.defer(node)
    children = self.operands(node)
    owner, last_token = children[0], children[-1]
    start, end = last_token.start_byte, last_token.end_byte
    name = self.cut(start, end)
    self.mentions.add(name)
    found = Expression("attribute", name, (self.read_at(owner, depth + 1),), (), "", -1, start)
    if not is_callee:
        self.accesses.append(Access(self.scope, found, self.span(start, end)))
    return found


def read_callee(self: ExpressionReader, node: Node, depth: int = 0) -> Expression:
    """What is called. To call a name or an attribute is not to read it."""
    kind = node.kind_id
    if kind == self.kinds.attribute:
        return _attribute(self, node, depth, True)
    if kind == self.kinds.identifier:
        start = node.start_byte
        name = self.latin[start : node.end_byte] if self.is_ascii else self.cut(start, node.end_byte)
        self.mentions.add(name)
        return Expression("name", name, (), (), "", -1, start)
    return self.read_at(node, depth)


def _call(self: ExpressionReader, node: Node, depth: int, flags: tuple[str, ...] = _NO_FLAGS) -> Expression:
    if depth > MAX_NESTING:
        return self.defer(node)
    children = node.children
    callee_node, argument_node = children[0], children[-1]
    callee = read_callee(self, callee_node, depth + 1)
    start = node.start_byte
    if argument_node.kind_id == self.kinds.argument_list:
        found = _arguments(self, callee, argument_node, start, depth + 1)
    else:
        found = Expression("call", "", (callee, self.read_at(argument_node, depth + 1)), (), "", -1, start)
    name_start = callee.start if callee.name else start
    if callee.name in _DYNAMIC:
        _note_dynamic(self, found, callee, start)
    self.calls.append(Call(self.scope, found, self.span(name_start, callee_node.end_byte), (*flags, *self.call_flags) if flags else self.call_flags))
    return found


def _arguments(self: ExpressionReader, callee: Expression, node: Node, start: int, depth: int) -> Expression:
    """The call, with what stands between its parentheses."""
    readers = self.readers
    parts = [callee]
    keywords: list[str] | None = None
    for child in node.children:
        kind = child.kind_id
        reader = readers[kind]
        if reader is not None:
            value = reader(self, child, depth)
            if keywords is None and not (value.kind == "spread" and value.name == "**"):
                parts.append(value)
                continue
            if keywords is None:
                keywords, values = [], []
            if value.kind == "spread" and value.name == "**":
                keywords.append("**")
                values.append(value.parts[0])
            else:
                parts.append(value)
        elif kind == self.kinds.keyword_argument:
            if keywords is None:
                keywords, values = [], []
            inside = child.children
            name = self.cut(inside[0].start_byte, inside[0].end_byte)
            self.mentions.add(name)
            keywords.append(name)
            values.append(self.read_at(inside[-1], depth))
    if keywords is None:
        return Expression("call", "", tuple(parts), (), "", -1, start)
    return Expression("call", "", (*parts, *values), tuple(keywords), "", -1, start)


def _note_dynamic(self: ExpressionReader, call: Expression, callee: Expression, start: int) -> None:
    """A call that reaches what the analysis cannot see, unless the name it computes is a constant."""
    code = _DYNAMIC[callee.name]
    arguments = call.parts[1 : len(call.parts) - len(call.keywords)]
    if callee.kind == "attribute" and not (callee.name == "import_module" or callee.parts[0].name in ("builtins", "importlib")):
        return
    position = 0 if code in ("dynamic-import", "dynamic-code") else 1
    constant = arguments[position] if len(arguments) > position else None
    if constant is not None and constant.kind == "literal" and constant.name == "str" and code in ("dynamic-attribute", "dynamic-import"):
        name = string_value(constant.text)
        self.mentions.add(name.rpartition(".")[2])
        if code == "dynamic-import":
            module = name.lstrip(".")
            self.imports.append(Import(self.scope, module, "", "", len(name) - len(module), self.span(start, start), ("dynamic",)))
        return
    if code == "dynamic-namespace" and callee.name == "vars" and arguments:
        code = "dynamic-attribute"
    self.limit(code, f"{callee.name}() with a computed name" if code != "dynamic-code" else f"{callee.name}()", start)


def _string(self: ExpressionReader, node: Node, depth: int) -> Expression:
    start = node.start_byte
    raw = self.latin[start : node.end_byte]
    known = self.literals.get(raw)
    return known if known is not None else _new_string(self, node, raw, depth)


def _new_string(self: ExpressionReader, node: Node, raw: str, depth: int) -> Expression:
    kind = literal_kind(raw)
    if kind == "template":
        _interpolations(self, node, depth)
        return Expression("literal", "template", (), (), raw[:TEXT_CHARACTERS] if self.is_ascii else "", -1, node.start_byte)
    value = string_value(raw if self.is_ascii else self.cut(node.start_byte, node.end_byte))
    last = value.rpartition(".")[2]
    if last.isidentifier():
        self.mentions.add(last)
    found = self.literals[raw] = Expression("literal", kind, (), (), spell_string(kind, value[:TEXT_CHARACTERS]))
    return found


def _interpolations(self: ExpressionReader, node: Node, depth: int) -> None:
    if depth > MAX_NESTING:
        self.defer(node)
        return
    for child in node.children:
        name = self.kinds.names[child.kind_id]
        if name in ("interpolation", "format_specifier", "format_expression"):
            _interpolations(self, child, depth + 1)
        elif (reader := self.readers[child.kind_id]) is not None:
            reader(self, child, depth + 1)


def _strings(self: ExpressionReader, node: Node, depth: int) -> Expression:
    """Adjacent literals: one value."""
    children = self.operands(node)
    parts = [self.read_at(child, depth + 1) for child in children]
    kind = parts[0].name if parts else "str"
    if any(part.name != kind for part in parts) or kind == "template":
        return Expression("literal", "template", (), (), "", -1, node.start_byte)
    value = "".join(string_value(self.cut(child.start_byte, child.end_byte)) for child in children)
    last = value.rpartition(".")[2]
    if last.isidentifier():
        self.mentions.add(last)
    return Expression("literal", kind, (), (), spell_string(kind, value[:TEXT_CHARACTERS]), -1, node.start_byte)


def _literal(name: str) -> Callable[[ExpressionReader, Node, int], Expression]:
    def read(self: ExpressionReader, node: Node, depth: int) -> Expression:
        raw = self.latin[node.start_byte : node.end_byte]
        if (known := self.literals.get(raw)) is None:
            text = spell_number(raw) if name in ("int", "float") else raw
            known = self.literals[raw] = Expression("literal", name, (), (), text[:TEXT_CHARACTERS])
        return known

    return read


def _inner(self: ExpressionReader, node: Node, depth: int) -> Expression:
    """Parentheses and the like: the one expression inside."""
    children = self.operands(node)
    return self.read_at(children[0], depth + 1) if children else UNKNOWN


def _collection(name: str) -> Callable[[ExpressionReader, Node, int], Expression]:
    def read(self: ExpressionReader, node: Node, depth: int) -> Expression:
        if depth > MAX_NESTING:
            return self.defer(node)
        readers = self.readers
        parts = []
        for child in node.children:
            reader = readers[child.kind_id]
            if reader is not None:
                parts.append(reader(self, child, depth + 1))
        if len(parts) > MAX_LITERALS and all(part.kind == "literal" for part in parts):
            parts = []
        return Expression("collection", name, tuple(parts), (), "", -1, node.start_byte)

    return read


def _dictionary(self: ExpressionReader, node: Node, depth: int) -> Expression:
    if depth > MAX_NESTING:
        return self.defer(node)
    keys: list[str] = []
    values: list[Expression] = []
    for child in node.children:
        if child.kind_id == self.kinds.pair:
            inside = self.operands(child)
            if len(inside) == 2:
                key = self.read_at(inside[0], depth + 1)
                keys.append(key.text if key.kind == "literal" else "")
                values.append(self.read_at(inside[1], depth + 1))
        elif (reader := self.readers[child.kind_id]) is not None:
            value = reader(self, child, depth + 1)
            keys.append("**")
            values.append(value.parts[0] if value.parts else value)
    if len(values) > MAX_LITERALS and all(part.kind == "literal" for part in values):
        keys, values = [], []
    return Expression("collection", "dict", tuple(values), tuple(keys), "", -1, node.start_byte)


def _subscript(self: ExpressionReader, node: Node, depth: int) -> Expression:
    children = self.operands(node)
    owner = self.read_at(children[0], depth + 1)
    index = self._index(children[1:], node, depth)
    start, end = node.start_byte, node.end_byte
    found = Expression("subscript", "", (owner, index), (), "", -1, start)
    if index.kind == "literal":
        self.accesses.append(Access(self.scope, found, self.span(start, end)))
    self.implicit_call("__getitem__", owner, (index,), start, end)
    return found


def _slice(self: ExpressionReader, node: Node, depth: int) -> Expression:
    return Expression("operator", "slice", tuple([self.read_at(child, depth + 1) for child in self.operands(node)]))


def _lambda(self: ExpressionReader, node: Node, depth: int) -> Expression:
    outer = self.scope
    body: Node | None = None
    inner = self.open_scope("lambda", node.start_byte)
    for child in node.children:
        if self.kinds.names[child.kind_id] == "lambda_parameters":
            _lambda_parameters(self, child, inner, depth)
        elif self.readers[child.kind_id] is not None:
            body = child
    self.stand_in(inner)
    value = self.read_at(body, depth + 1) if body is not None else UNKNOWN
    if body is not None:
        self.returns.append(Return(inner, "return", value, self.span(body.start_byte, body.end_byte)))
    self.stand_in(outer)
    return Expression("lambda", "", (), (), "", inner, node.start_byte)


def _lambda_parameters(self: ExpressionReader, node: Node, scope: int, depth: int) -> None:
    for child in node.children:
        kind = self.kinds.names[child.kind_id]
        if kind == "identifier":
            self.bind("parameter", self.cut(child.start_byte, child.end_byte), child.start_byte, None, (), scope)
        elif kind == "default_parameter":
            name, *rest = self.operands(child)
            value = self.read_at(rest[-1], depth + 1) if rest else None
            self.bind("parameter", self.cut(name.start_byte, name.end_byte), name.start_byte, value, (), scope)
        elif kind in ("list_splat_pattern", "dictionary_splat_pattern", "tuple_pattern"):
            for name in self.operands(child):
                self.bind("parameter", self.cut(name.start_byte, name.end_byte), name.start_byte, None, ("*",), scope)


def _conditional(self: ExpressionReader, node: Node, depth: int) -> Expression:
    """`a if test else b`: either."""
    children = self.operands(node)
    parts = [self.read_at(child, depth + 1) for child in children]
    if len(parts) != 3:
        return UNKNOWN
    self.narrow(parts[1], (children[0].start_byte, children[0].end_byte), (children[2].start_byte, children[2].end_byte))
    return Expression("conditional", "if", (parts[0], parts[2]), (), "", -1, node.start_byte)


def _boolean(self: ExpressionReader, node: Node, depth: int) -> Expression:
    """`a or b`: either."""
    children = self.operands(node)
    parts = tuple([self.read_at(child, depth + 1) for child in children])
    is_and = any(self.kinds.names[child.kind_id] == "and" for child in node.children)
    if len(children) == 2:
        region = (children[1].start_byte, children[1].end_byte)
        self.narrow(parts[0], region if is_and else None, None if is_and else region)
    return Expression("conditional", "and" if is_and else "or", parts, (), "", -1, node.start_byte)


def _operator(table: dict[str, str]) -> Callable[[ExpressionReader, Node, int], Expression]:
    def read(self: ExpressionReader, node: Node, depth: int) -> Expression:
        if depth > MAX_NESTING:
            return self.defer(node)
        readers, names = self.readers, self.kinds.names
        parts: list[Expression] = []
        methods: list[str] = []
        for child in node.children:
            reader = readers[child.kind_id]
            if reader is not None:
                parts.append(reader(self, child, depth + 1))
            else:
                methods.append(table.get(names[child.kind_id], ""))
        start, end = node.start_byte, node.end_byte
        for index, method in enumerate(methods):
            if not method:
                continue
            if len(parts) == 1:
                self.implicit_call(method, parts[0], (), start, end)
            elif method == "__contains__" and index + 1 < len(parts):
                self.implicit_call(method, parts[index + 1], (parts[index],), start, end)
            elif index + 1 < len(parts):
                self.implicit_call(method, parts[index], (parts[index + 1],), start, end)
        return Expression("operator", methods[0] if methods else "", tuple(parts), (), "", -1, start)

    return read


def _prefixed(kind: str, name: str = "") -> Callable[[ExpressionReader, Node, int], Expression]:
    """A word or sign before one operand: not, *, **."""

    def read(self: ExpressionReader, node: Node, depth: int) -> Expression:
        parts = tuple([self.read_at(child, depth + 1) for child in self.operands(node)])
        return Expression(kind, name, parts, (), "", -1, node.start_byte)

    return read


def _await(self: ExpressionReader, node: Node, depth: int) -> Expression:
    parts = []
    for child in self.operands(node):
        if child.kind_id == self.kinds.call:
            parts.append(_call(self, child, depth + 1, ("awaited",)))
        else:
            parts.append(self.read_at(child, depth + 1))
    return Expression("await", "", tuple(parts), (), "", -1, node.start_byte)


def _yield(self: ExpressionReader, node: Node, depth: int) -> Expression:
    parts = tuple([self.read_at(child, depth + 1) for child in self.operands(node)])
    value: Expression | None = parts[0] if parts else None
    is_from = any(self.kinds.names[child.kind_id] == "from" for child in node.children)
    if is_from and value is not None:
        value = Expression("iterate", "", (value,), (), "", -1, node.start_byte)
    self.generators.add(self.scope)
    self.returns.append(Return(self.scope, "yield", value, self.span(node.start_byte, node.end_byte)))
    return Expression("yield", "from" if is_from else "", parts, (), "", -1, node.start_byte)


def _named(self: ExpressionReader, node: Node, depth: int) -> Expression:
    """`name := value`: binds in the function around, not in a comprehension."""
    name, *rest = self.operands(node)
    value = self.read_at(rest[-1], depth + 1) if rest else UNKNOWN
    scope = self.scope
    while scope > 0 and self.scopes[scope].kind == "comprehension":
        scope = self.scopes[scope].parent
    self.bind("walrus", self.cut(name.start_byte, name.end_byte), name.start_byte, value, (), scope)
    return value


def _comprehension(name: str) -> Callable[[ExpressionReader, Node, int], Expression]:
    def read(self: ExpressionReader, node: Node, depth: int) -> Expression:
        if depth > MAX_NESTING:
            return self.defer(node)
        kinds, outer = self.kinds, self.scope
        children = node.children
        is_inner = False
        inner = self.open_scope("comprehension", node.start_byte)
        elements: list[Node] = []
        for child in children:
            if child.kind_id == kinds.for_in_clause:
                _loop_clause(self, child, inner if is_inner else outer, inner, depth)
                is_inner = True
            elif child.kind_id == kinds.pair:
                elements += self.operands(child)
            elif kinds.names[child.kind_id] == "if_clause":
                self.stand_in(inner)
                for condition in self.operands(child):
                    self.narrow(self.read_at(condition, depth + 1), (node.start_byte, node.end_byte), None)
            elif self.readers[child.kind_id] is not None:
                elements.append(child)
        self.stand_in(inner)
        parts = tuple([self.read_at(element, depth + 1) for element in elements])
        self.stand_in(outer)
        return Expression("comprehension", name, parts, (), "", inner, node.start_byte)

    return read


def _loop_clause(self: ExpressionReader, node: Node, source_scope: int, inner: int, depth: int) -> None:
    """`for target in source` of a comprehension; the first source is evaluated in the scope around it."""
    children = self.operands(node)
    target, source = children[0], children[-1]
    self.stand_in(source_scope)
    value = self.read_at(source, depth + 1)
    self.stand_in(inner)
    self.implicit_call("__iter__", value, (), source.start_byte, source.end_byte)
    self.assign_to(target, "loop", Expression("iterate", "", (value,), (), "", -1, source.start_byte))


def _fallback(self: ExpressionReader, node: Node, depth: int) -> Expression:
    """Anything else that may hold expressions."""
    if depth > MAX_NESTING:
        return self.defer(node)
    for child in node.children:
        reader = self.readers[child.kind_id]
        if reader is not None:
            reader(self, child, depth + 1)
    return UNKNOWN


@cache
def expression_readers() -> list[Reader | None]:
    """The reader of each kind of node of the grammar; None: not an expression."""
    grammar = grammar_of("python")
    table: dict[str, Reader] = {
        "identifier": _identifier, "attribute": _attribute, "call": _call, "string": _string, "concatenated_string": _strings,
        "integer": _literal("int"), "float": _literal("float"), "true": _literal("bool"), "false": _literal("bool"), "none": _literal("none"),
        "ellipsis": _literal("ellipsis"), "parenthesized_expression": _inner, "parenthesized_list_splat": _inner, "dictionary": _dictionary,
        "subscript": _subscript, "slice": _slice, "lambda": _lambda, "conditional_expression": _conditional, "boolean_operator": _boolean,
        "not_operator": _prefixed("operator", "not"), "binary_operator": _operator(_BINARY), "unary_operator": _operator(_UNARY),
        "comparison_operator": _operator(_COMPARED), "await": _await, "yield": _yield, "named_expression": _named,
        "list_splat": _prefixed("spread", "*"), "dictionary_splat": _prefixed("spread", "**"), "list_splat_pattern": _prefixed("spread", "*"),
        **{kind: _collection(name) for kind, name in UNPACKED.items()},
        **{kind: _comprehension(name) for kind, name in _COMPREHENSIONS.items()},
        "as_pattern": _fallback, "as_pattern_target": _fallback, "type": _fallback, "generic_type": _fallback, "type_parameter": _fallback,
        "union_type": _fallback, "member_type": _fallback, "splat_type": _fallback, "constrained_type": _fallback, "chevron": _fallback,
        "dotted_name": _fallback, "pair": _fallback, "argument_list": _fallback, "with_item": _fallback,
    }  # fmt: skip
    readers: list[Reader | None] = grammar.table(None)
    readers[ERROR_KIND] = _fallback
    for kind, reader in table.items():
        readers[grammar.kind(kind)] = reader
    return readers
