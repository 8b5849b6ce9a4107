"""Which structure of a JavaScript or TypeScript file counts for its hashes.

Not seen: layout, comments, semicolons, redundant parentheses and trailing commas, quotes (of strings, keys and attributes), the spelling of
numbers, parentheses around an arrow function's one parameter, empty parentheses after `new`, white space in JSX, the order of imports.
The loose text leaves out types, `as T`, `!`, and modifiers that only the compiler reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from analyzers.languages.javascript.expression_structure import CLOSE, PARAMETERS, ExpressionStructure, Items, decode
from analyzers.languages.javascript.texts import string_value
from analyzers.languages.javascript.types import spell_type
from analyzers.normalise import (
    HIDE,
    LEAVE,
    SHOW,
    Begin,
    Close,
    End,
    Enter,
    Item,
    Name,
    Normaliser,
    Open,
    Part,
    Piece,
    Rule,
    Rules,
)
from analyzers.parsing import Grammar, Node, grammar_of

_SILENT = (
    "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "=>", "=", "function", "class", "return", "if", "else", "while", "for", "try", "catch",
    "finally", "throw", "do", "switch", "case", "import", "extends", "interface", "enum", "namespace", "module", "break", "continue", "with",
    "new", "await", "yield", "`", "${", "<", ">", "/>", "</", "/",
)  # fmt: skip
"""Tokens that a node's kind says already. `<`, `>` and `/` as operators are pieces of the binary expression's rule."""
_MODULE_KEY = -1
_WHOLE: tuple[Part, ...] = ("header", "body")


class Structure(ExpressionStructure):
    """The rules of one grammar."""

    def rules(self, grammar: Grammar) -> Rules:
        """What becomes of each kind of node; a kind that the grammar lacks is left out."""
        present = set(grammar.kinds)
        tokens = {name for number, name in enumerate(grammar.kinds) if not grammar.is_named[number]}
        named = {name for number, name in enumerate(grammar.kinds) if grammar.is_named[number]}
        return Rules(
            grammar,
            silent=[token for token in _SILENT if token in tokens],
            dropped=[kind for kind in ("comment", "html_comment", "hash_bang_line", "empty_statement", "jsx_closing_element") if kind in named],
            names=[kind for kind in ("identifier",) if kind in present],
            passed=[kind for kind in ("arguments", "expression_statement", "class_heritage") if kind in named],
            rules={kind: rule for kind, rule in self._table().items() if kind in named},
        )

    def _table(self) -> dict[str, Rule]:
        types = (
            "type_annotation", "type_parameters", "type_arguments", "asserts_annotation", "type_predicate_annotation", "accessibility_modifier",
            "override_modifier", "index_signature", "call_signature", "construct_signature", "implements_clause",
        )  # fmt: skip
        functions = (
            "function_declaration", "generator_function_declaration", "function_signature", "function_expression", "generator_function",
            "arrow_function", "method_definition", "method_signature", "abstract_method_signature",
        )  # fmt: skip
        return {
            **dict.fromkeys(types, self.hidden_type),
            **dict.fromkeys(functions, self._function),
            **dict.fromkeys(("class_declaration", "abstract_class_declaration", "class"), self._class),
            **dict.fromkeys(("interface_declaration", "type_alias_declaration"), self._type_declaration),
            **dict.fromkeys(("public_field_definition", "field_definition", "property_signature"), self._field),
            **dict.fromkeys(("required_parameter", "optional_parameter"), self._parameter),
            **dict.fromkeys(("internal_module", "module", "ambient_declaration"), self._namespace),
            **dict.fromkeys(("statement_block", "for_statement", "for_in_statement", "switch_body", "catch_clause"), self._block),
            "program": self._program,
            "string": self._string,
            "number": self._number,
            "regex": self._regex,
            "template_string": self._template,
            "property_identifier": self._property,
            "private_property_identifier": self._property,
            "member_expression": self._member,
            "parenthesized_expression": self._parenthesized,
            "call_expression": self._call,
            "pair": self._pair,
            "pair_pattern": self._pair,
            "shorthand_property_identifier": self._shorthand,
            "shorthand_property_identifier_pattern": self._shorthand,
            "object_assignment_pattern": self._shorthand_default,
            "array": self._array,
            "array_pattern": self._array,
            "binary_expression": self._binary,
            "as_expression": self._cast,
            "satisfies_expression": self._cast,
            "non_null_expression": self._cast,
            "instantiation_expression": self._cast,
            "type_assertion": self._cast,
            "formal_parameters": self._parameters,
            "class_body": self._class_body,
            "variable_declarator": self._declarator,
            "assignment_expression": self._assignment,
            "enum_declaration": self._enum,
            "export_statement": self._export,
            "import_statement": self._import,
            "jsx_element": self._jsx,
            "jsx_attribute": self._jsx_attribute,
        }

    # Functions and classes

    def _function(self, node: Node, text: Normaliser) -> Items:
        return self._function_items(node, (), text)

    def _function_items(self, node: Node, decorators: Iterable[Node], text: Normaliser, key: int | None = None, head: Iterable[Item] = ()) -> Items:
        """key: that of the definition, where something around the function names it; head: what of that belongs to its header."""
        k = self.kinds
        children = self.solid(node)
        name = next((child for child in children[:-1] if child.kind_id in self.names or child.kind_id in self.member_names), None)
        if node.kind_id == k.arrow:
            name = None
        if key is None:
            key = node.start_byte if name is None else name.start_byte
        body = children[-1] if node.kind_id == k.arrow or children[-1].kind_id == k.statement_block else None
        yield Open(key)
        yield Piece(b"(arrow" if node.kind_id == k.arrow else b"(function")
        yield Begin(key, "decorators")
        yield from decorators
        yield from (child for child in children if child.kind_id == k.decorator)
        yield End(key, "decorators")
        yield Begin(key, "header")
        yield from head
        if name is not None:
            yield from self.key(name, text) if name.kind_id in self.member_names else (Name(text.source[name.start_byte : name.end_byte]),)
        yield Enter(node.start_byte)
        for child in children:
            if child in (name, body) or child.kind_id == k.decorator:
                continue
            elif child.kind_id == k.identifier:
                yield from (PARAMETERS, child, CLOSE)
            else:
                yield child
        yield End(key, "header")
        yield Begin(key, "body")
        # A declaration without a body stands for itself.
        yield body if body is not None else Piece(spell_type(node, text.source))
        yield End(key, "body")
        yield LEAVE
        yield CLOSE
        yield Close(key)

    def _class(self, node: Node, text: Normaliser) -> Items:
        return self._class_items(node, (), text)

    def _class_items(self, node: Node, decorators: Iterable[Node], text: Normaliser, key: int | None = None, head: Iterable[Item] = ()) -> Items:
        k = self.kinds
        children = self.solid(node)
        name = next((child for child in children if child.kind_id in self.names), None)
        if key is None:
            key = node.start_byte if name is None else name.start_byte
        yield Open(key)
        yield Piece(b"(class")
        yield Begin(key, "decorators")
        yield from decorators
        yield from (child for child in children if child.kind_id == k.decorator)
        yield End(key, "decorators")
        yield Begin(key, "header")
        yield from head
        for child in children:
            if child == name:
                yield Name(text.source[child.start_byte : child.end_byte])
            elif child.kind_id != k.class_body and child.kind_id != k.decorator:
                yield child
        yield End(key, "header")
        yield Begin(key, "body")
        yield from (child for child in children if child.kind_id == k.class_body)
        yield End(key, "body")
        yield CLOSE
        yield Close(key)

    def _class_body(self, node: Node, text: Normaliser) -> Items:
        """In TypeScript the decorators of a method stand before it."""
        k = self.kinds
        yield Piece(b"(body")
        yield Enter(node.start_byte, is_class=True)
        decorators: list[Node] = []
        for child in node.children:
            if child.kind_id == k.decorator:
                decorators.append(child)
            elif decorators and child.kind_id == k.method:
                yield from self._function_items(child, decorators, text)
                decorators = []
            else:
                yield child
        yield LEAVE
        yield CLOSE

    def _field(self, node: Node, text: Normaliser) -> Items:
        k = self.kinds
        name, value, rest, decorators, follows_equals = None, None, list[Node](), list[Node](), False
        for child in self.solid(node):
            if child.kind_id == k.equals_token:
                follows_equals = True
            elif follows_equals:
                value = child
            elif child.kind_id == k.decorator:
                decorators.append(child)
            elif name is None and child.kind_id in self.member_names:
                name = child
            else:
                rest.append(child)
        if name is None:
            return
        head: list[Node | Item] = [Piece(b"(field"), *self.key(name, text)]
        for child in rest:
            head += (child,) if child.kind_id == k.static_token else self.hidden_type(child, text)
        yield from self.named(name.start_byte, head, value, text, decorators)

    def named(self, key: int, head: Iterable[Node | Item], value: Node | None, text: Normaliser, decorators: Iterable[Node] = ()) -> Items:
        """A name and its value: where that is a function or class, its header and body are those of the definition."""
        k = self.kinds
        inner = value
        while inner is not None and inner.kind_id in k.wrappers and (operands := [child for child in self.solid(inner) if child.is_named]):
            inner = operands[0]
        if inner is not None and (inner.kind_id in k.functions or inner.kind_id == k.class_expression):
            items = self._class_items if inner.kind_id == k.class_expression else self._function_items
            yield from items(inner, decorators, text, key, head)  # type: ignore[arg-type]
            yield CLOSE
            return
        yield Open(key)
        yield Begin(key, "decorators")
        yield from decorators
        yield End(key, "decorators")
        yield Begin(key, "header")
        yield from head
        yield End(key, "header")
        if value is not None:
            yield from self.between(key, value)
        yield CLOSE
        yield Close(key)

    def _pair(self, node: Node, text: Normaliser) -> Items:
        children = self.solid(node)
        key, value = children[0], children[-1]
        if key.start_byte in text.keys and key.kind_id != self.kinds.computed:
            yield from self.named(key.start_byte, (Piece(b"(pair"), *self.key(key, text)), value, text)
            return
        yield Piece(b"(pair")
        yield from self.key(key, text)
        yield value
        yield CLOSE

    # Declarations

    def _declarator(self, node: Node, text: Normaliser) -> Items:
        k = self.kinds
        target, value, rest, follows_equals = None, None, list[Node](), False
        for child in self.solid(node):
            if target is None:
                target = child
            elif child.kind_id == k.equals_token:
                follows_equals = True
            elif follows_equals:
                value = child
            else:
                rest.append(child)
        if target is None:
            return
        head: list[Node | Item] = [Piece(b"(declarator"), target]
        for child in rest:
            head += self.hidden_type(child, text)
        if target.kind_id == k.identifier:
            yield from self.named(target.start_byte, head, value, text)
            return
        # Each name that a pattern declares stands on the whole declaration.
        keys = [key for key in _starts(target) if key in text.keys]
        yield from (Open(key) for key in keys)
        yield from (Begin(key, part) for key in keys for part in ("header", "body"))
        yield from head
        if value is not None:
            yield value
        yield CLOSE
        yield from (End(key, part) for key in keys for part in _WHOLE)
        yield from (Close(key) for key in keys)

    def _assignment(self, node: Node, text: Normaliser) -> Items:
        children = self.solid(node)
        target, value = children[0], children[-1]
        token = target.children[-1] if target.kind_id == self.kinds.member else target
        if token.start_byte in text.keys:
            yield from self.named(token.start_byte, (Piece(b"(assignment"), target), value, text)
            return
        yield from (Piece(b"(assignment"), target, value, CLOSE)

    def _type_declaration(self, node: Node, text: Normaliser) -> Items:
        """An interface or a type alias: all of it is its body."""
        children = self.solid(node)
        name = next((child for child in children if child.kind_id in self.names), node)
        key = name.start_byte
        yield Open(key)
        yield Piece(b"(type")
        yield Begin(key, "header")
        body = next((child for child in reversed(children) if child.is_named), node)
        yield from (Piece(spell_type(child, text.source)) for child in children if child != body and child.is_named)
        yield End(key, "header")
        yield Begin(key, "body")
        yield from self._members(body, text)
        yield End(key, "body")
        yield CLOSE
        yield Close(key)

    def _members(self, body: Node, text: Normaliser) -> Items:
        """The body of an interface, or the type of an alias; members of the former are definitions."""
        k = self.kinds
        if body.kind_id != k.interface_body and body.kind_id != k.object_type:
            yield Piece(spell_type(body, text.source))
            return
        for member in body.children:
            if not member.is_named or member.kind_id == k.comment:
                continue
            name = next((child for child in member.children if child.kind_id in self.member_names), None)
            piece = Piece(spell_type(member, text.source))
            if name is None or name.start_byte not in text.keys:
                yield piece
                continue
            key = name.start_byte
            yield from (Open(key), Begin(key, "header"), Begin(key, "body"), piece, End(key, "body"), End(key, "header"), Close(key))

    def _enum(self, node: Node, text: Normaliser) -> Items:
        k = self.kinds
        children = self.solid(node)
        name = next((child for child in children if child.kind_id == k.identifier), node)
        key = name.start_byte
        yield Open(key)
        yield Piece(b"(enum")
        yield Begin(key, "header")
        yield name
        yield End(key, "header")
        yield Begin(key, "body")
        body = children[-1].children if children[-1].kind_id == k.enum_body else []
        for member in body:
            if member.kind_id == k.enum_assignment:
                parts = self.solid(member)
                yield from self.named(parts[0].start_byte, (Piece(b"(member"), *self.key(parts[0], text)), parts[-1], text)
            elif member.kind_id in self.member_names:
                yield from self.named(member.start_byte, (Piece(b"(member"), *self.key(member, text)), None, text)
        yield End(key, "body")
        yield CLOSE
        yield Close(key)

    def _namespace(self, node: Node, text: Normaliser) -> Items:
        k = self.kinds
        children = self.solid(node)
        names = (k.identifier, k.nested_identifier, k.string, k.global_token)
        name = next((child for child in children if child.kind_id in names), None)
        if name is None or name.start_byte not in text.keys:
            yield Piece(b"(ambient")
            yield from children
            yield CLOSE
            return
        keys = [start for start in _starts(name) if start in text.keys]
        yield from (Open(key) for key in keys)
        yield Piece(b"(namespace")
        yield from (Begin(key, "header") for key in keys)
        yield Piece(spell_type(name, text.source))
        yield from (End(key, "header") for key in keys)
        yield from (Begin(key, "body") for key in keys)
        yield from (child for child in children if child.kind_id == k.statement_block)
        yield from (End(key, "body") for key in keys)
        yield CLOSE
        yield from (Close(key) for key in keys)

    # Statements and modules

    def _block(self, node: Node, text: Normaliser) -> Items:
        """A node that may be a scope of its own. The parts of `for (;;)` are told apart by their semicolons."""
        k = self.kinds
        yield Piece(b"(" + k.names[node.kind_id].encode())
        yield Enter(node.start_byte)
        is_for = node.type == "for_statement"
        for child in node.children:
            yield child
            if is_for and (child.type == ";" or child.type.endswith(("_declaration", "empty_statement"))):
                yield Piece(b";")
        yield LEAVE
        yield CLOSE

    def _program(self, node: Node, text: Normaliser) -> Items:
        """Imports first, sorted: their order does not count."""
        k = self.kinds
        yield Open(_MODULE_KEY)
        yield Begin(_MODULE_KEY, "body")
        imports = [child for child in node.children if child.kind_id == k.import_statement]
        for is_type, line in sorted({line for child in imports for line in self._import_lines(child, text)}):
            yield from (HIDE, Piece(line), SHOW) if is_type else (Piece(line),)
        yield from (child for child in node.children if child.kind_id != k.import_statement)
        yield End(_MODULE_KEY, "body")
        yield Close(_MODULE_KEY)

    def _import(self, node: Node, text: Normaliser) -> Items:
        """An import that is not at the top (inside of a namespace)."""
        return [Piece(line) for _, line in self._import_lines(node, text)]

    def _import_lines(self, node: Node, text: Normaliser) -> Iterator[tuple[bool, bytes]]:
        """(whether it is only for types, `import module name alias`) for each name."""
        k = self.kinds
        source, names, is_type = b"", list[tuple[bool, bytes]](), False
        todo = list(node.children)
        for child in todo:
            if child.kind_id == k.string:
                source = string_value(decode(text, child)).encode("utf-8", "replace")
            elif child.kind_id == k.type_token or child.kind_id == k.typeof_token:
                is_type = True
            elif child.kind_id in (k.import_clause, k.named_imports):
                todo += child.children
            elif child.kind_id == k.import_specifier:
                parts = [part for part in self.solid(child) if part.kind_id in (k.identifier, k.string) or part.kind_id == k.default_token]
                own = any(part.kind_id == k.type_token for part in child.children)
                words = [spell_type(part, text.source) for part in (parts[0], parts[-1])] if parts else []
                names.append((own, b"{ " + b" ".join(words)))
            elif child.is_named and child.kind_id != k.comment:
                names.append((False, spell_type(child, text.source)))
        for own, name in names or [(False, b"")]:
            yield is_type or own, b"import " + source + b" " + name

    def _export(self, node: Node, text: Normaliser) -> Items:
        """`export default value` may be a definition called after the export."""
        k = self.kinds
        children = self.solid(node)
        decorators = [child for child in children if child.kind_id == k.decorator]
        token = next((child for child in children if child.kind_id in (k.default_token, k.equals_token)), None)
        value = children[-1] if children[-1].is_named else children[-2]
        yield Piece(b"(export")
        if token is not None and token.start_byte in text.keys:
            yield from self.named(token.start_byte, (Piece(b"(default"),), value, text, decorators)
        else:
            for child in children:
                if child.kind_id == k.decorator:
                    continue
                if child.kind_id in (k.class_declaration, k.abstract_class):
                    yield from self._class_items(child, decorators, text)
                else:
                    yield child
        yield CLOSE


def _starts(pattern: Node) -> list[int]:
    """Where the leaves of a pattern begin."""
    found: list[int] = []
    todo = [pattern]
    while todo:
        node = todo.pop()
        if not node.children:
            found.append(node.start_byte)
        todo.extend(reversed(node.children))
    return found


@cache
def rules_of(language: str) -> Rules:
    """The rules of a language's grammar."""
    return Structure(language).rules(grammar_of(language))
