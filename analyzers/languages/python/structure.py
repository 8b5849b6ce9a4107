"""Which structure of a Python file counts for its hashes: what `ast` would see, without docstrings.

Not seen: layout, comments, redundant parentheses and trailing commas, quotes and prefixes' case, implicit joins of strings, the spelling of
numbers, line joins, semicolons, the order and layout of a module's imports, a `pass` beside other statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from analyzers.facts import FileFacts, SymbolDigests
from analyzers.languages.python.texts import literal_kind, quote_at, spell_number, spell_string, string_value, tidy, unescape, without_quotes
from analyzers.normalise import (
    HIDE,
    LEAVE,
    SHOW,
    STEP_IN,
    STEP_OUT,
    Begin,
    Close,
    Enter,
    Hidden,
    Item,
    Name,
    Next,
    Normaliser,
    Open,
    Piece,
    Rules,
    normalise,
)
from analyzers.parsing import Grammar, Node, Parsed, grammar_of

_SILENT = (
    "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "->", "=", "def", "class", "return", "import", "lambda", "if", "else", "elif", "while", "for",
    "with", "try", "except", "finally", "assert", "del", "raise", "pass", "break", "continue", "global", "nonlocal", "match", "case", "as", "type",
    "print", "exec", "await", "yield",
)  # fmt: skip
_TUPLES = ("tuple", "expression_list", "tuple_expression", "pattern_list", "tuple_pattern")
_CLOSE = Piece(b")")
_TUPLE = Piece(b"(tuple")
_CALL = Piece(b"(call")
_BLOCK = Piece(b"(block")
_CLASS = Piece(b"(class")
_FUNCTION = Piece(b"(function")
_IF = Piece(b"(if_statement")
_ELSE = Piece(b"(else_clause")
_ASSIGNMENT = Piece(b"(assignment")
_EQUALS = Piece(b"=")
_COLON = Piece(b":")
_SHORT = 200
"""Annotations up to this length are remembered."""
_MODULE_KEY = -1
_Items = Iterable[Node | Item] | None


class _Kinds:
    def __init__(self, grammar: Grammar) -> None:
        self.names = grammar.kinds
        self.identifier = grammar.kind("identifier")
        self.attribute = grammar.kind("attribute")
        self.call = grammar.kind("call")
        self.argument_list = grammar.kind("argument_list")
        self.block = grammar.kind("block")
        self.comma = grammar.kind(",", named=False)
        self.elif_clause = grammar.kind("elif_clause")
        self.decorator = grammar.kind("decorator")
        self.class_definition = grammar.kind("class_definition")
        self.colon = grammar.kind(":", named=False)
        self.equals = grammar.kind("=", named=False)
        self.string = grammar.kind("string")
        self.type = grammar.kind("type")
        self.for_in_clause = grammar.kind("for_in_clause")
        self.parenthesized = grammar.kind("parenthesized_expression")
        self.skipped = frozenset(map(grammar.kind, ("comment", "line_continuation")))
        self.imports = frozenset(map(grammar.kind, ("import_statement", "import_from_statement", "future_import_statement")))
        self.uncounted = frozenset(map(grammar.kind, ("string", "concatenated_string", "pass_statement", "comment", "line_continuation")))
        self.patterns = frozenset(map(grammar.kind, ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern")))
        self.tuples = frozenset(map(grammar.kind, (*_TUPLES, "parenthesized_expression")))


@cache
def _kinds() -> _Kinds:
    return _Kinds(grammar_of("python"))


def digests(parsed: Parsed, outline: FileFacts) -> SymbolDigests:
    """The hashes of a file's definitions, in the order of its facts."""
    return normalise(parsed, outline, _rules())


# Names and literals


def _attribute(node: Node, text: Normaliser) -> Iterator[Node | Item]:
    """After its object: an attribute belongs to the expression before it."""
    children = [child for child in node.children if child.is_named]
    yield children[0]
    yield Piece(b"." + text.source[children[-1].start_byte : children[-1].end_byte])


def _spell_string(raw: bytes) -> bytes | None:
    """A literal without interpolation; None for one that may have some."""
    decoded = raw.decode("utf-8", "replace")
    kind = literal_kind(decoded)
    return None if kind == "template" else spell_string(kind, string_value(decoded)).encode("utf-8", "replace")


def _template(node: Node, text: Normaliser) -> _Items:
    return _joined((node,), text)


def _strings(node: Node, text: Normaliser) -> _Items:
    return _joined([child for child in node.children if child.kind_id == _kinds().string], text)


def _joined(literals: tuple[Node, ...] | list[Node], text: Normaliser) -> _Items:
    """Adjacent literals as the one that they make: neighbouring texts joined, interpolations by structure."""
    parts: list[str | Node] = []
    kind = "str"
    for literal in literals:
        raw = text.source[literal.start_byte : literal.end_byte].decode("utf-8", "replace")
        own_kind = literal_kind(raw)
        if own_kind == "template":
            kind = own_kind
            parts += _template_parts(literal, raw, text)
        else:
            kind = own_kind if kind == "str" else kind
            parts.append(string_value(raw))
    merged: list[str | Node] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    if kind != "template":
        return (Piece(spell_string(kind, merged[0] if merged and isinstance(merged[0], str) else "").encode("utf-8", "replace")),)
    pieces = [Piece(repr(part).encode("utf-8", "replace")) if isinstance(part, str) else part for part in merged if part != ""]
    return (Piece(b"(f"), *pieces, _CLOSE)


def _template_parts(literal: Node, raw: str, text: Normaliser) -> Iterator[str | Node]:
    is_raw = "r" in raw[: quote_at(raw)].lower()
    start = None
    for child in literal.children:
        kind = _kinds().names[child.kind_id]
        if start is not None and kind in ("interpolation", "string_end") and child.start_byte > start:
            content = text.source[start : child.start_byte].decode("utf-8", "replace").replace("\r\n", "\n")
            yield (content if is_raw else unescape(content)).replace("{{", "{").replace("}}", "}")
        if kind in ("interpolation", "string_start"):
            start = child.end_byte
        if kind == "interpolation":
            yield child


def _interpolation(node: Node, text: Normaliser) -> Iterator[Node | Item]:
    yield Piece(b"(interpolation")
    expression = next((child for child in node.children if child.is_named), None)
    if expression is not None and any(child.kind_id == _kinds().equals for child in node.children):
        yield Piece(b"=" + text.source[expression.start_byte : expression.end_byte])
    for child in node.children:
        if child.is_named:
            yield child
    yield _CLOSE


def _format_specifier(node: Node, text: Normaliser) -> Iterator[Node | Item]:
    """`:>{width}.2f`: the text between the nested expressions belongs to no node."""
    yield Piece(b"(format")
    position = node.start_byte
    for child in node.children:
        if _kinds().names[child.kind_id] == "format_expression":
            if child.start_byte > position:
                yield Piece(text.source[position : child.start_byte])
            yield child
            position = child.end_byte
    if node.end_byte > position:
        yield Piece(text.source[position : node.end_byte])
    yield _CLOSE


def _spell_number(raw: bytes) -> bytes:
    return spell_number(raw.decode("ascii", "replace")).encode()


# Expressions


def _tuple_pattern(node: Node, text: Normaliser) -> _Items:
    """`(a) = 1` is `a = 1`: without a comma it is no tuple."""
    children = [child for child in node.children if child.is_named]
    if len(children) == 1 and not any(child.kind_id == _kinds().comma for child in node.children):
        return children
    return None


def _subscript(node: Node, text: Normaliser) -> _Items:
    """`x[1,]` and `x[1, 2]` are given a tuple."""
    kinds = _kinds()
    if not any(child.kind_id == kinds.comma for child in node.children):
        return None
    value, *indexes = [child for child in node.children if child.is_named]
    return (value, _TUPLE, *indexes, _CLOSE)


def _slice(node: Node, text: Normaliser) -> _Items:
    colon = _kinds().colon
    return [_COLON if child.kind_id == colon else child for child in node.children]


def _dotted_name(node: Node, text: Normaliser) -> _Items:
    """In a pattern, where it is not a plain chain: a name, and its attributes."""
    first, *rest = _squeezed(node, text).split(b".")
    return (Name(first), *(Piece(b"." + name) for name in rest))


def _keyword_argument(node: Node, text: Normaliser) -> _Items:
    name, *_, value = node.children
    return (_keyword_piece(text.source[name.start_byte : name.end_byte]), value)


@lru_cache(maxsize=4_096)
def _keyword_piece(name: bytes) -> Piece:
    return Piece(name + b"=")


def _call(node: Node, text: Normaliser) -> _Items:
    """`cast(T, value)` is the value where annotations do not count."""
    kinds = _kinds()
    children = node.children
    function = children[0]
    if text.source.endswith(b"cast", function.start_byte, function.end_byte) and _is_cast(function, text):
        arguments = [child for child in children[-1].children if child.is_named and child.kind_id not in kinds.skipped]
        if children[-1].kind_id == kinds.argument_list and len(arguments) == 2:
            return (HIDE, _CALL, function, Piece(_annotation_of(arguments[0], text)), SHOW, arguments[1], HIDE, _CLOSE, SHOW)
    return None


def _is_cast(function: Node, text: Normaliser) -> bool:
    return text.source[function.start_byte : function.end_byte] in (b"cast", b"t.cast", b"typing.cast")


def _lambda(node: Node, text: Normaliser) -> _Items:
    return (Enter(node.start_byte), *node.children, LEAVE)


def _comprehension(node: Node, text: Normaliser) -> Iterator[Node | Item]:
    """The first source is read in the scope around."""
    kinds = _kinds()
    is_first = True
    yield Enter(node.start_byte)
    for child in node.children:
        if is_first and child.kind_id == kinds.for_in_clause:
            is_first = False
            *targets, source = [part for part in child.children if part.kind_id not in kinds.skipped]
            yield Piece(b"(for_in_clause")
            yield from targets
            yield STEP_OUT
            yield source
            yield STEP_IN
            yield _CLOSE
        else:
            yield child
    yield LEAVE


# Annotations


def _spell_annotation(raw: bytes) -> bytes:
    return b":" + tidy(raw.decode("utf-8", "replace")).encode("utf-8", "replace")


_spelled = lru_cache(maxsize=8_192)(_spell_annotation)


def _unquoted(signature: bytes) -> bytes:
    """A signature's text, with quoted annotations as the types that they name."""
    if b":" not in signature or b"'" not in signature:
        return signature
    pieces = signature.split(b"\0")
    return b"\0".join([without_quotes(piece.decode("utf-8", "replace")).encode() if piece[:1] == b":" else piece for piece in pieces])


def _annotation_of(node: Node, text: Normaliser) -> bytes:
    kinds = _kinds()
    raw = text.source[node.start_byte : node.end_byte]
    while node.kind_id in (kinds.type, kinds.parenthesized) and len(inner := [child for child in node.children if child.is_named]) == 1:
        node = inner[0]
        raw = text.source[node.start_byte : node.end_byte]
    return _spelled(raw) if len(raw) < _SHORT else _spell_annotation(raw)


def _type(node: Node, text: Normaliser) -> _Items:
    """An annotation. In the loose text only those of functions in functions count: they are part of what the outer one does."""
    piece = _annotation_of(node, text)
    return (Piece(piece) if text.depth > 1 else Hidden(piece),)


# Parameters


def _parameter(node: Node, text: Normaliser) -> _Items:
    """`name: T = default`: the default is evaluated outside of the function."""
    *children, default = node.children
    return (*children, _EQUALS, STEP_OUT, default, STEP_IN)


# Statements


def _statements(children: list[Node]) -> list[Node]:
    """The statements that count: without docstrings and other bare strings, comments, and `pass`."""
    uncounted = _kinds().uncounted
    return [child for child in children if child.is_named and child.kind_id not in uncounted]


def _block(node: Node, text: Normaliser) -> _Items:
    return _statements(node.children)


def _module(node: Node, text: Normaliser) -> Iterator[Node | Item]:
    """Imports first, sorted: their order does not count."""
    kinds = _kinds()
    yield Open(_MODULE_KEY)
    yield Begin(_MODULE_KEY, "body")
    statements = _statements(node.children)
    imported = sorted({line for child in statements if child.kind_id in kinds.imports for line in _import_lines(child, text)})
    for line in imported:
        yield Piece(line)
    for child in statements:
        if child.kind_id not in kinds.imports:
            yield child
    yield Close(_MODULE_KEY)


def _import_lines(node: Node, text: Normaliser) -> Iterator[bytes]:
    for module, name, alias in _imported(node, text):
        yield b"import " + module + (b" " + name if name else b"") + (b" as " + alias if alias else b"")


def _imported(node: Node, text: Normaliser) -> Iterator[tuple[bytes, bytes, bytes]]:
    """(module, name, alias) of each name that an import statement imports."""
    kinds = _kinds()
    module, is_from, after_import = b"", False, False
    for child in node.children:
        kind = kinds.names[child.kind_id]
        if kind == "from":
            is_from = True
        elif kind == "import":
            after_import = True
        elif is_from and not after_import:
            module += _squeezed(child, text)
        elif kind == "wildcard_import":
            yield module, b"*", b""
        elif kind == "dotted_name":
            yield (module, _squeezed(child, text), b"") if is_from else (_squeezed(child, text), b"", b"")
        elif kind == "aliased_import":
            name, alias = _squeezed(child.children[0], text), _squeezed(child.children[-1], text)
            yield (module, name, alias) if is_from else (name, b"", alias)


def _squeezed(node: Node, text: Normaliser) -> bytes:
    return b"".join(text.source[node.start_byte : node.end_byte].replace(b"\\", b"").split())


def _import(node: Node, text: Normaliser) -> Iterator[Node | Item]:
    """An import inside a function: what it is bound to is a local name."""
    for module, name, alias in _imported(node, text):
        yield Piece(b"(import " + module + b" " + name)
        yield Name(alias or name or module.partition(b".")[0])
        yield _CLOSE


def _assignment(node: Node, text: Normaliser) -> _Items:
    """A module's or class's variables are definitions; a bare annotation is nothing where annotations do not count."""
    kinds = _kinds()
    children = [child for child in node.children if child.kind_id not in kinds.skipped]
    has_value = any(child.kind_id == kinds.equals for child in children)
    declared = _declared(children[0], text)
    if declared:
        return _declaration(children, declared, text)
    annotation = next((child for child in children if child.kind_id == kinds.type), None)
    if annotation is None:
        return None
    made = [Hidden(_annotation_of(child, text)) if child is annotation else child for child in children]
    return (_ASSIGNMENT, *made, _CLOSE) if has_value else (HIDE, _ASSIGNMENT, *made, _CLOSE, SHOW)


def _declared(target: Node, text: Normaliser) -> list[int]:
    """The keys of the definitions that a target declares: itself, or the names of a pattern."""
    kinds, found, todo = _kinds(), [], [target]
    while todo:
        node = todo.pop()
        if node.kind_id == kinds.identifier:
            if node.start_byte in text.keys:
                found.append(node.start_byte)
        elif node.kind_id in kinds.patterns:
            todo += node.children
    return found


def _declaration(children: list[Node], declared: list[int], text: Normaliser) -> Iterator[Node | Item]:
    kinds = _kinds()
    has_value = any(child.kind_id == kinds.equals for child in children)
    if not has_value:
        yield HIDE
    yield _ASSIGNMENT
    for key in declared:
        yield Open(key)
        yield Begin(key, "header")
    yield children[0]
    for child in children[1:]:
        if child.kind_id == kinds.type:
            yield Hidden(_annotation_of(child, text))
    if has_value:
        for key in declared:
            yield Next(key, "value")
        yield children[-1]
    for key in declared:
        yield Close(key)
    yield _CLOSE
    if not has_value:
        yield SHOW


def _type_alias(node: Node, text: Normaliser) -> Iterator[Node | Item]:
    """`type Name[T] = value`."""
    kinds = _kinds()
    types = [child for child in node.children if child.kind_id == kinds.type]
    name = types[0]
    while name.children:
        name = name.children[0]
    key = name.start_byte
    yield Piece(b"(type")
    yield Open(key)
    yield Begin(key, "header")
    yield Piece(_annotation_of(types[0], text))
    yield Next(key, "value")
    for child in types[1:]:
        yield Piece(_annotation_of(child, text))
    yield Close(key)
    yield _CLOSE


def _if(node: Node, text: Normaliser) -> _Items:
    """`elif` is an `if` in an `else`."""
    elif_clause = _kinds().elif_clause
    if not any(child.kind_id == elif_clause for child in node.children):
        return None
    made: list[Node | Item] = []
    depth = 0
    for child in node.children:
        if child.kind_id == elif_clause:
            made += (_ELSE, _BLOCK, _IF)
            made += child.children
            depth += 3
        else:
            made.append(child)
    return made + [_CLOSE] * depth


def _delete(node: Node, text: Normaliser) -> _Items:
    """`del (a, b)` is `del a, b`."""
    kinds = _kinds()
    made: list[Node | Item] = []
    todo = [child for child in reversed(node.children) if child.is_named]
    while todo:
        child = todo.pop()
        if child.kind_id in kinds.tuples:
            todo += [inner for inner in reversed(child.children) if inner.is_named]
        else:
            made.append(child)
    return made


def _except(node: Node, text: Normaliser) -> _Items:
    """`except A, B` is `except (A, B)`."""
    kinds = _kinds()
    if not any(child.kind_id == kinds.comma for child in node.children):
        return None
    made: list[Node | Item] = [_TUPLE]
    for child in node.children:
        if child.kind_id == kinds.block:
            made.append(_CLOSE)
        made.append(child)
    return made


def _definition(node: Node, text: Normaliser) -> _Items:
    """A function or class without decorators."""
    return _parts(node, [])


def _decorated(node: Node, text: Normaliser) -> _Items:
    decorator = _kinds().decorator
    return _parts(node.children[-1], [child for child in node.children if child.kind_id == decorator])


def _parts(node: Node, decorators: list[Node]) -> _Items:
    """Decorators and a class's bases are read in the scope around, parameters and bodies in the definition's own."""
    kinds = _kinds()
    is_class = node.kind_id == kinds.class_definition
    names: list[Node] = []
    rest: list[Node] = []
    blocks: list[Node] = []
    for child in node.children:
        kind = child.kind_id
        if kind == kinds.block:
            blocks.append(child)
        elif kind == kinds.identifier or not child.is_named:
            names.append(child)
        elif kind not in kinds.skipped:
            rest.append(child)
    key = next((child.start_byte for child in names if child.kind_id == kinds.identifier), node.start_byte)
    made: list[Node | Item] = [Open(key, is_whole=True)]
    if decorators:
        made.append(Begin(key, "decorators"))
        made += decorators
    made.append(Next(key, "header"))
    made.append(_CLASS if is_class else _FUNCTION)
    made += names
    if is_class:
        made += rest
        made.append(Enter(node.start_byte, is_class=True))
    else:
        made.append(Enter(node.start_byte))
        made += rest
    made.append(Next(key, "body"))
    made += blocks
    made += (_CLOSE, LEAVE, Close(key))
    return made


@cache
def _rules() -> Rules:
    return Rules(
        grammar_of("python"),
        has_keywords=True,
        signature=_unquoted,
        silent=_SILENT,
        dropped=("comment", "line_continuation"),
        text=("true", "false", "none", "ellipsis", "type_conversion", "wildcard_import"),
        names=("identifier",),
        passed=("parenthesized_expression", "argument_list", "parenthesized_list_splat", "typed_parameter"),
        spelled={"string": _spell_string, "integer": _spell_number, "float": _spell_number},
        chains=("attribute", "dotted_name"),
        marks={**dict.fromkeys(_TUPLES, "tuple"), "list_pattern": "list", "default_parameter": "parameter", "typed_default_parameter": "parameter"},
        rules={
            "attribute": _attribute, "string": _template, "concatenated_string": _strings, "interpolation": _interpolation,
            "format_specifier": _format_specifier, "keyword_argument": _keyword_argument, "keyword_pattern": _keyword_argument,
            "dotted_name": _dotted_name, "call": _call, "type": _type, "tuple_pattern": _tuple_pattern, "module": _module,
            "import_statement": _import, "import_from_statement": _import, "future_import_statement": _import, "assignment": _assignment,
            "function_definition": _definition, "class_definition": _definition, "decorated_definition": _decorated,
            "type_alias_statement": _type_alias,
        },
        inner_rules={
            "subscript": _subscript, "slice": _slice, "lambda": _lambda, "block": _block, "if_statement": _if,
            "delete_statement": _delete, "except_clause": _except, "default_parameter": _parameter, "typed_default_parameter": _parameter,
            "list_comprehension": _comprehension, "set_comprehension": _comprehension, "dictionary_comprehension": _comprehension,
            "generator_expression": _comprehension,
        },
    )  # fmt: skip
