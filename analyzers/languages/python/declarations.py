"""What a Python file declares: functions, classes, module and class variables, parameters, and the values given to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from msgspec import structs

from analyzers.facts import Binding, Call, Definition, DefinitionKind, Expression, Parameter, Scope, Span, Value
from analyzers.languages.python.expressions import expression_readers, read_callee
from analyzers.languages.python.reading import ExpressionReader
from analyzers.languages.python.texts import string_value, tidy
from analyzers.normalise import hash_text
from analyzers.parsing import Node, Parsed

VALUE_CHARACTERS = 2_000
MAX_VALUES = 3_000
"""Values kept of one file."""
MAX_KEY_LEVELS = 10
"""Of dictionaries in dictionaries."""
MAX_DEFINITION_NESTING = 100
"""Python itself allows no more levels of indentation."""

_SHORT = 100
"""The digests of values up to this length are remembered: the same few defaults stand everywhere."""
_NAME = re.compile(r"[^\W\d]\w*")
_CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*\Z")
_FINAL = re.compile(r"\bFinal\b")
_CONDITIONAL = ("conditional",)
_DECORATOR_FLAGS = {
    "staticmethod": "static", "classmethod": "class", "property": "property", "cached_property": "property", "abstractproperty": "property",
    "setter": "setter", "deleter": "setter", "getter": "property", "abstractmethod": "abstract", "overload": "overload",
}  # fmt: skip


@dataclass(slots=True)
class Place:
    """Where statements stand: what surrounds them."""

    scope: int
    definition: int
    until: int = -1
    is_conditional: bool = False
    is_type_checking: bool = False
    is_class: bool = False
    level: int = 0


Frame = tuple[Iterator[Node], Place]
"""Statements still to be read, and where they stand."""


class TooDeepError(Exception):
    """Definitions or blocks are nested deeper than is read."""


class DeclarationReader(ExpressionReader):
    """Adds definitions and values to what the reader of expressions finds."""

    def __init__(self, parsed: Parsed) -> None:
        super().__init__(parsed, expression_readers(), read_callee)
        self.values: list[Value] = []
        self.all_names: list[str] | None = None
        self.place = Place(0, 0)
        self.annotations: dict[str, str] = {}
        self._ordinals: dict[str, int] = {}
        whole = parsed.span(0, len(parsed.source))
        self.definitions.append(Definition("", "", 0, "module", -1, 0, whole, parsed.span(0, 0)))
        self.scopes.append(Scope("module", -1, 0, 0))
        self.reads_of.append(self.reads)

    def enter(self, place: Place) -> None:
        """Stand at `place`."""
        self.place = place
        self.scope = place.scope
        self.reads = self.reads_of[place.scope]
        self.definition = place.definition
        self.until = place.until
        self.is_conditional = place.is_conditional
        self.call_flags = _CONDITIONAL if place.is_conditional else ()

    def within(self, block: Node) -> Frame:
        """The statements of a block that runs or does not run."""
        place = self.place
        inner = Place(place.scope, place.definition, block.end_byte, True, place.is_type_checking, place.is_class, place.level)
        return iter(block.children), inner

    def annotation(self, node: Node) -> str:
        """The text of an annotation. Names in it are mentioned; calls in it are read."""
        raw = self.cut(node.start_byte, node.end_byte)
        known = self.annotations.get(raw)
        if known is None:
            known = self.annotations[raw] = tidy(raw)
            self.mentions.update(_NAME.findall(raw))
        if "(" in raw:
            self.read(node)
        return known

    # Definitions

    def qualify(self, name: str) -> tuple[str, int]:
        """The qualified name of what is declared where the reader stands, and how many of that name there are before it."""
        owner = self.definitions[self.definition].qualified_name
        qualified_name = f"{owner}.{name}" if owner else name
        ordinal = self._ordinals.get(qualified_name, 0)
        self._ordinals[qualified_name] = ordinal + 1
        self.mentions.add(name)
        return qualified_name, ordinal

    def place_flags(self) -> tuple[str, ...]:
        if not self.is_conditional:
            return ()
        return ("conditional", "type_checking") if self.place.is_type_checking else _CONDITIONAL

    def define_function(self, node: Node, decorated: Node, decorators: Sequence[Node]) -> list[Frame]:
        kinds = self.kinds
        parts = {child.kind_id: child for child in node.children}
        name_node, body = parts.get(kinds.identifier), parts.get(kinds.block)
        if name_node is None:
            return []
        start, end = name_node.start_byte, name_node.end_byte
        name = self.cut(start, end)
        applied = tuple([self._decorator(decorator) for decorator in decorators])
        index = len(self.definitions)
        qualified_name, ordinal = self.qualify(name)
        inner = self._body_scope("function", node, index)
        parameters = _Parameters(self, qualified_name, inner)
        if kinds.type_parameter in parts:
            parameters.add_types(parts[kinds.type_parameter])
        if kinds.parameters in parts:
            parameters.add_all(parts[kinds.parameters])
        returns = self.annotation(parts[kinds.type]) if kinds.type in parts else ""
        flags = self.place_flags()
        if applied:
            flags += tuple(sorted({_DECORATOR_FLAGS[found.name] for found in map(_applied, applied) if found.name in _DECORATOR_FLAGS}))
        if kinds.asynchronous in parts:
            flags += ("async",)
        if name.startswith("test"):
            flags += ("test",)
        kind: DefinitionKind = "function"
        if self.place.is_class:
            kind = "property" if "property" in flags or "setter" in flags else "method"
        self.definitions.append(
            Definition(
                name, qualified_name, ordinal, kind, self.definition, self.scope, self.span(decorated.start_byte, decorated.end_byte),
                self.span(start, end), tuple(parameters.found), returns, (), applied, None, flags,
            )
        )  # fmt: skip
        self.bindings.append(Binding(self.scope, name, "definition", index, None, "", (), start, self.is_conditional, self.until))
        return [(iter(body.children), Place(inner, index, level=self.inner_level()))] if body is not None else []

    def define_class(self, node: Node, decorated: Node, decorators: Sequence[Node]) -> list[Frame]:
        kinds = self.kinds
        parts = {child.kind_id: child for child in node.children}
        name_node, body = parts.get(kinds.identifier), parts.get(kinds.block)
        if name_node is None:
            return []
        start, end = name_node.start_byte, name_node.end_byte
        name = self.cut(start, end)
        applied = tuple([self._decorator(decorator) for decorator in decorators])
        bases = tuple(self._bases(parts[kinds.argument_list])) if kinds.argument_list in parts else ()
        index = len(self.definitions)
        qualified_name, ordinal = self.qualify(name)
        inner = self._body_scope("class", node, index)
        parameters = _Parameters(self, qualified_name, inner)
        if kinds.type_parameter in parts:
            parameters.add_types(parts[kinds.type_parameter])
        flags = (*self.place_flags(), "test") if name.startswith("Test") else self.place_flags()
        self.definitions.append(
            Definition(
                name, qualified_name, ordinal, "class", self.definition, self.scope, self.span(decorated.start_byte, decorated.end_byte),
                self.span(start, end), tuple(parameters.found), "", tuple([base for base, _ in bases]), applied, None, flags,
                tuple([span for _, span in bases]),
            )
        )  # fmt: skip
        self.bindings.append(Binding(self.scope, name, "definition", index, None, "", (), start, self.is_conditional, self.until))
        return [(iter(body.children), Place(inner, index, is_class=True, level=self.inner_level()))] if body is not None else []

    def inner_level(self) -> int:
        """How deep definitions are nested in what is declared here."""
        level = self.place.level + 1
        if level > MAX_DEFINITION_NESTING:
            raise TooDeepError(f"definitions nested in {MAX_DEFINITION_NESTING} others")
        return level

    def _body_scope(self, kind: str, node: Node, index: int) -> int:
        self.scopes.append(Scope("class" if kind == "class" else "function", self.scope, index, node.start_byte))
        self.reads_of.append([])
        return len(self.scopes) - 1

    def _bases(self, arguments: Node) -> Iterator[tuple[Expression, Span]]:
        """The positional arguments of a class, each with its last name token; what keywords are given is read, but is no base."""
        for child in arguments.children:
            if child.kind_id == self.kinds.keyword_argument:
                self.read(child.children[-1])
                self.mentions.add(self.cut(child.children[0].start_byte, child.children[0].end_byte))
            elif self.readers[child.kind_id] is not None:
                base = named = self.read(child)
                while named.kind in ("call", "subscript"):
                    named = named.parts[0]
                if named.kind in ("name", "attribute"):
                    yield base, self.span(named.start, named.start + len(named.name.encode()))
                else:
                    yield base, self.span(child.start_byte, child.end_byte)

    def _decorator(self, node: Node) -> Expression:
        """The decorator as written. One without arguments is a call of it: it is given what it decorates."""
        children = self.operands(node)
        if not children:
            return Expression("unknown")
        if children[0].kind_id == self.kinds.call:
            return self.read(children[0])
        applied = read_callee(self, children[0])
        name_span = self.span(applied.start if applied.name else children[0].start_byte, children[0].end_byte)
        call = Expression("call", "", (applied,), (), "", -1, children[0].start_byte)
        self.calls.append(Call(self.scope, call, name_span, ("decorator", *self.call_flags)))
        return applied

    # Variables and values

    def define_variable(
        self, target: Node, statement: Span, value: Expression | None, value_node: Node | None, annotation: str, kind: DefinitionKind = "variable"
    ) -> int:
        """A module's or class's variable. Returns the index of its definition."""
        start, end = target.start_byte, target.end_byte
        name = self.cut(start, end)
        if kind == "variable" and (_CONSTANT.match(name) or (annotation and _FINAL.search(annotation))):
            kind = "constant"
        qualified_name, ordinal = self.qualify(name)
        self.definitions.append(
            Definition(
                name, qualified_name, ordinal, kind, self.definition, self.scope, statement, self.span(start, end), (), annotation, (), (), value,
                self.place_flags(),
            )
        )  # fmt: skip
        if value_node is not None:
            self.add_value(qualified_name, value_node)
        return len(self.definitions) - 1

    def add_value(self, key: str, node: Node, level: int = 0) -> str:
        """Keep the value at a key, and below it the values of a dictionary's constant keys. Returns its text."""
        kinds = self.kinds
        if node.kind_id == kinds.parenthesized:
            node = self._without_parentheses(node)
        start, end = node.start_byte, node.end_byte
        text, digest = spelled(self.cut(start, end))
        if len(self.values) < MAX_VALUES:
            self.values.append(Value(key, text[:VALUE_CHARACTERS], digest, self.span(start, end)))
            if node.kind_id == kinds.dictionary and level < MAX_KEY_LEVELS:
                for name, inner in self._entries(node):
                    self.add_value(f"{key}.{name}", inner, level + 1)
        return text

    def _entries(self, dictionary: Node) -> Iterator[tuple[str, Node]]:
        for child in dictionary.children:
            if child.kind_id == self.kinds.pair:
                inside = self.operands(child)
                if len(inside) == 2 and inside[0].kind_id == self.kinds.string:
                    yield string_value(self.cut(inside[0].start_byte, inside[0].end_byte)), self._without_parentheses(inside[1])

    def text_of(self, node: Node) -> str:
        return tidy(self.cut(node.start_byte, node.end_byte))

    def _without_parentheses(self, node: Node) -> Node:
        while node.kind_id == self.kinds.parenthesized and len(inside := self.operands(node)) == 1:
            node = inside[0]
        return node


def spelled(raw: str) -> tuple[str, str]:
    """A value's text in one spelling, and its digest."""
    return _spelled_short(raw) if len(raw) < _SHORT else _spelled(raw)


def _spelled(raw: str) -> tuple[str, str]:
    text = tidy(raw)
    return text, hash_text(text.encode("utf-8", "replace"))


_spelled_short = lru_cache(maxsize=8_192)(_spelled)


class _Parameters:
    """Reads the parameters of one function."""

    def __init__(self, reader: DeclarationReader, owner: str, scope: int) -> None:
        self.reader = reader
        self.owner = owner
        self.scope = scope
        self.found: list[Parameter] = []
        self._is_keyword_only = False

    def add_types(self, node: Node) -> None:
        """`[T: int, *Ts]`."""
        for child in self.reader.operands(node):
            text = self.reader.cut(child.start_byte, child.end_byte)
            name, _, bound = text.partition(":")
            bare = name.strip("* \t")
            annotation = tidy(bound.strip())
            self._bind(bare, child.start_byte, None, annotation)
            self.found.append(Parameter(bare, "type", "", annotation))

    def add_all(self, node: Node) -> None:
        kinds, found = self.reader.kinds, self.found
        for child in node.children:
            kind = child.kind_id
            if kind == kinds.identifier:
                self._add(child, "keyword_only" if self._is_keyword_only else "positional")
            elif kind in kinds.valued_parameters:
                self._add_parts(child)
            elif kind == kinds.keyword_separator:
                self._is_keyword_only = True
            elif kind == kinds.positional_separator:
                self.found = found = [structs.replace(p, kind="positional_only") if p.kind == "positional" else p for p in found]
            elif kind == kinds.list_splat_pattern or kind == kinds.dictionary_splat_pattern:
                self._add_splat(child, "")
            elif kind == kinds.tuple_pattern:
                self._add_pattern(child)

    def _add_parts(self, node: Node) -> None:
        """`name: annotation = default`, of which either may be missing."""
        reader, kinds = self.reader, self.reader.kinds
        children = node.children
        target, default, annotation, after_equals = children[0], None, "", False
        for child in children:
            kind = child.kind_id
            if kind == kinds.type:
                annotation = reader.annotation(child)
            elif kind == kinds.equals:
                after_equals = True
            elif after_equals and reader.readers[kind] is not None:
                default = child
        kind = target.kind_id
        if kind == kinds.identifier:
            self._add(target, "keyword_only" if self._is_keyword_only else "positional", annotation, default)
        elif kind == kinds.tuple_pattern:
            self._add_pattern(target)
        else:
            self._add_splat(target, annotation)

    def _add(self, target: Node, kind: str, annotation: str = "", default: Node | None = None) -> None:
        reader = self.reader
        name = reader.cut(target.start_byte, target.end_byte)
        value, text, span = None, "", None
        if default is not None:
            value = reader.read(default)
            text = reader.add_value(f"{self.owner}({name})", default)
            span = reader.span(default.start_byte, default.end_byte)
        self._bind(name, target.start_byte, value, annotation)
        self.found.append(Parameter(name, kind, text, annotation, span))

    def _add_splat(self, node: Node, annotation: str) -> None:
        reader = self.reader
        is_dictionary = node.kind_id == reader.kinds.dictionary_splat_pattern
        for target in reader.operands(node):
            name = reader.cut(target.start_byte, target.end_byte)
            self._bind(name, target.start_byte, None, annotation)
            self.found.append(Parameter(name, "keyword_variadic" if is_dictionary else "variadic", "", annotation))
        self._is_keyword_only = True

    def _add_pattern(self, node: Node) -> None:
        """`def f(a, (b, c))` of Python 2."""
        reader = self.reader
        self.found.append(Parameter(reader.text_of(node), "destructured"))
        outer = reader.scope
        reader.stand_in(self.scope)
        reader.assign_to(node, "parameter", None, ("*",))
        reader.stand_in(outer)

    def _bind(self, name: str, start: int, value: Expression | None, annotation: str) -> None:
        self.reader.mentions.add(name)
        self.reader.bindings.append(Binding(self.scope, name, "parameter", len(self.found), value, annotation, (), start))


def _applied(decorator: Expression) -> Expression:
    """The function that a decorator is, without the arguments it is given."""
    return decorator.parts[0] if decorator.kind == "call" else decorator
