"""JavaScript expressions: syntax nodes → reduced expressions, noting calls, reads and writes on the way.

A reader is a function looked up by the number of the node's kind. A plain dotted chain, a literal and a string are read from the text,
not from their nodes. Chains (`a.b().c`) are followed in a loop, so only true nesting recurses.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers.facts import Access, Call, Expression, Import
from analyzers.languages.javascript import functions, objects
from analyzers.languages.javascript.assigned import assigned_value
from analyzers.languages.javascript.modules import cast_text
from analyzers.languages.javascript.patterns import assign, write
from analyzers.languages.javascript.reading import CALL, MAX_NESTING, MEMBER, SUBSCRIPT, UNKNOWN, ExpressionReader, Reader, shortened
from analyzers.languages.javascript.texts import spell_number, spell_string, string_value, word_kind
from analyzers.parsing import Node

TEXT_CHARACTERS = 200
"""Of a literal's normalised value."""
CHAIN_DEPTH = 12
"""Calls of a chain that an expression keeps; what is before them is `unknown`."""
_PROSE = frozenset(" \t\n")


def _name(r: Reader, node: Node, depth: int) -> Expression:
    start = node.start_byte
    text = r.latin[start : node.end_byte]
    if not text.isascii():
        text = r.cut(start, node.end_byte)
    place = (r.scope, text)
    found = Expression("name", text, (), (), "", -1, start)
    if place not in r.names_read:
        r.names_read[place] = found
    return found


def _word(r: Reader, node: Node, depth: int) -> Expression:
    """this, super, import, import.meta: names that nothing binds."""
    return Expression("name", r.text(node), (), (), "", -1, node.start_byte)


def _string(r: Reader, node: Node, depth: int) -> Expression:
    start, end = node.start_byte, node.end_byte
    raw = r.latin[start:end]
    if (known := r.literals.get(raw)) is not None:
        if known.start >= 0:
            r.unmentioned.append((start, end))
        return known
    value = string_value(raw if raw.isascii() else r.cut(start, end))
    is_prose = not _PROSE.isdisjoint(value)
    if is_prose:
        r.unmentioned.append((start, end))
    found = Expression("literal", "str", (), (), spell_string(value[:TEXT_CHARACTERS]), -1, start if is_prose else -1)
    r.literals[raw] = found
    return found


def _number(r: Reader, node: Node, depth: int) -> Expression:
    raw = r.latin[node.start_byte : node.end_byte]
    if (known := r.literals.get(raw)) is None:
        text = spell_number(raw)[:TEXT_CHARACTERS]
        known = r.literals[raw] = Expression("literal", "float" if "." in text or "e" in text else "int", (), (), text)
    return known


def _constant(r: Reader, node: Node, depth: int) -> Expression:
    raw = r.latin[node.start_byte : node.end_byte]
    return Expression("literal", word_kind(raw), (), (), raw)


def _regex(r: Reader, node: Node, depth: int) -> Expression:
    r.unmentioned.append((node.start_byte, node.end_byte))
    return Expression("literal", "regexp", (), (), r.text(node)[:TEXT_CHARACTERS])


def _template(r: Reader, node: Node, depth: int) -> Expression:
    start, end = node.start_byte, node.end_byte
    is_plain = True
    for child in node.children:
        if child.kind_id == r.kinds.template_substitution:
            is_plain = False
            for inner in r.operands(child):
                r.read(inner, depth + 1)
    text = r.cut(start, end)
    if is_plain:
        return Expression("literal", "str", (), (), spell_string(string_value(text)[:TEXT_CHARACTERS]))
    return Expression("literal", "template", (), (), text[:TEXT_CHARACTERS], -1, start)


# Chains


def chain(r: Reader, node: Node, depth: int) -> Expression:
    """`a.b`, `a[b]`, `a()`, `a!`, `a<T>`: read from the innermost outwards."""
    if depth > MAX_NESTING:
        return r.put_off(node)
    link_of = r.link_of
    links = [node]
    inner = _innermost(r, node.children[0], links)
    prefix: Node | None = None
    if inner.kind_id == r.kinds.await_expression or inner.kind_id == r.kinds.unary:
        # `await f<T>()`: the grammar takes it for a call of what `await f` gives.
        prefix = inner
        inner = _innermost(r, inner.children[-1], links)
    position = len(links) - 1
    calls_before = len(r.calls)
    start, end = inner.start_byte, inner.end_byte
    kind = inner.kind_id
    if kind == r.kinds.identifier:
        text = r.latin[start:end]
        if not text.isascii():
            text = r.cut(start, end)
        found = Expression("name", text, (), (), "", -1, start)
        if link_of[links[position].kind_id] != CALL and (r.scope, text) not in r.names_read:
            r.names_read[r.scope, text] = found
    else:
        reader = r.expressions[kind]
        found = reader(r, inner, depth + 1) if reader is not None else UNKNOWN
    while position >= 0:
        link = links[position]
        kind = link_of[link.kind_id]
        if kind == MEMBER:
            found = _member(r, link, found, position > 0 and link_of[links[position - 1].kind_id] == CALL)
        elif kind == CALL:
            found = _call(r, link, found, depth, (position, start))
        elif kind == SUBSCRIPT:
            found = _subscript(r, link, found, depth, position > 0 and link_of[links[position - 1].kind_id] == CALL)
        position -= 1
    if prefix is None:
        return found
    if prefix.kind_id == r.kinds.await_expression:
        if link_of[node.kind_id] == CALL and len(r.calls) > calls_before:
            _mark_awaited(r)
        return Expression("await", "", (found,), (), "", -1, prefix.start_byte)
    return Expression("operator", prefix.children[0].type, (found,), (), "", -1, prefix.start_byte)


def _innermost(r: Reader, node: Node, links: list[Node]) -> Node:
    """What a chain begins with; its links are added."""
    link_of = r.link_of
    while link_of[node.kind_id]:
        links.append(node)
        node = node.children[0]
    return r.solid(links[-1])[0] if node.kind_id == r.kinds.comment else node


def _mark_awaited(r: Reader) -> None:
    last = r.calls[-1]
    r.calls[-1] = Call(last.scope, last.expression, last.name_span, (*last.flags, "awaited"))


def _member(r: Reader, node: Node, owner: Expression, is_callee: bool) -> Expression:
    token = node.children[-1]
    start, end = token.start_byte, token.end_byte
    text = r.latin[start:end]
    found = Expression("attribute", text if text.isascii() else r.cut(start, end), (owner,), (), "", -1, start)
    if not is_callee:
        if owner.kind == "name" or owner.kind == "attribute":
            place = (r.scope, r.latin[node.start_byte : end])
            if place in r.chains_read:
                return found
            r.chains_read.add(place)
        r.accesses.append(Access(r.scope, found, r.span(start, end)))
    return found


def _subscript(r: Reader, node: Node, owner: Expression, depth: int, is_callee: bool) -> Expression:
    operands = r.operands(node)
    index = r.read(operands[-1], depth + 1) if len(operands) > 1 else UNKNOWN
    start, end = node.start_byte, node.end_byte
    found = Expression("subscript", "", (owner, index), (), "", -1, start)
    if index.kind == "literal":
        if not is_callee:
            r.accesses.append(Access(r.scope, found, r.span(start, end)))
    elif is_callee:
        r.limit("computed-callee", r.cut(start, min(end, start + 80)), start)
    return found


def _call(r: Reader, node: Node, callee: Expression, depth: int, place: tuple[int, int]) -> Expression:
    """Note a call. place: how many links of the same chain are around it (those keep only a short form of this one), and where it begins."""
    outer_links, start = place
    children = node.children
    arguments = children[-1]
    callee_end = children[0].end_byte
    parts = [callee]
    expressions = r.expressions
    depth += 1
    if arguments.kind_id == r.kinds.arguments:
        for child in arguments.children:
            reader = expressions[child.kind_id]
            if reader is not None:
                value = reader(r, child, depth)
                parts.append(shortened(value) if value.kind == "call" or value.kind == "new" else value)
    else:
        parts.append(r.read(arguments, depth))
    types = functions.type_arguments_text(r, node) if len(children) > 2 else ""
    found = Expression("call", "", tuple(parts), (), types, -1, start)
    if callee.kind == "attribute":
        name_span = r.span(callee.start, callee_end)
    elif callee.kind == "name":
        name_span = r.span(start, callee_end)
        if callee.name in _SPECIAL:
            _note_special(r, found, callee.name, start, arguments)
    else:
        name_span = r.span(start, callee_end)
    r.calls.append(Call(r.scope, found, name_span))
    if not outer_links:
        return found
    short = shortened(found)
    return short if outer_links <= 2 * CHAIN_DEPTH else Expression("call", "", (UNKNOWN, *short.parts[1:]), (), types, -1, start)


def _note_special(r: Reader, found: Expression, callee: str, start: int, arguments: Node) -> None:
    """require(), import() and eval(): imports, or what cannot be seen."""
    if callee == "eval" or callee == "Function":
        r.limit("dynamic-code", f"{callee}()", start)
        return
    first = found.parts[1] if len(found.parts) > 1 else UNKNOWN
    if first.kind == "literal" and first.name == "str":
        token = next((child for child in arguments.children if r.expressions[child.kind_id] is not None), arguments)
        inside = r.span(token.start_byte + 1, token.end_byte - 1)
        flags = ("dynamic",) if callee == "import" else ()
        r.imports.append(Import(r.scope, string_value(r.text(token)), "*", "", 0, inside, flags, inside))
    else:
        r.limit("dynamic-import", f"{callee}() of a computed name", start)


_SPECIAL = frozenset({"require", "import", "eval"})


def _new(r: Reader, node: Node, depth: int) -> Expression:
    k = r.kinds
    callee_node: Node | None = None
    parts: list[Expression] = []
    for child in node.children:
        if child.kind_id == k.arguments:
            parts += [r.read(inner, depth + 1) for inner in r.operands(child)]
        elif callee_node is None and r.expressions[child.kind_id] is not None:
            callee_node = child
            parts.append(_callee(r, child, depth))
    if callee_node is None:
        return UNKNOWN
    callee = parts[0]
    start = node.start_byte
    found = Expression("new", "", tuple(parts), (), functions.type_arguments_text(r, node), -1, start)
    if callee.name == "Proxy" and callee.kind == "name":
        r.limit("proxy", "new Proxy()", start)
    elif callee.name == "Function" and callee.kind == "name":
        r.limit("dynamic-code", "new Function()", start)
    named = callee.kind == "name" or callee.kind == "attribute"
    name_span = r.span(callee.start if named else callee_node.start_byte, callee_node.end_byte)
    r.calls.append(Call(r.scope, found, name_span, ("new",)))
    return found


def _callee(r: Reader, node: Node, depth: int) -> Expression:
    """What is called: it is not also a read."""
    if node.kind_id == r.kinds.identifier:
        return Expression("name", r.text(node), (), (), "", -1, node.start_byte)
    if node.kind_id == r.kinds.member:
        owner_node, *_ = r.solid(node)
        return _member(r, node, r.read(owner_node, depth + 1), True)
    return r.read(node, depth + 1)


# Other expressions


def _inner(r: Reader, node: Node, depth: int) -> Expression:
    """Parentheses, `satisfies T`, `!`: the expression inside."""
    operands = r.operands(node)
    return r.read(operands[0], depth + 1) if operands else UNKNOWN


def _cast(r: Reader, node: Node, depth: int) -> Expression:
    """`x as T`, `<T>x`: said to be of another type. What is written out stays what it is, and so does what is said to be of any type."""
    inside = r.solid(node)[-1 if node.kind_id == r.kinds.type_assertion else 0]
    found = r.read(inside, depth + 1)
    text = cast_text(r, node)
    if not text or found.kind in _WRITTEN_OUT or (found.kind == "collection" and found.parts):
        return found
    return Expression("cast", "", (found,), (), text, -1, found.start)


_WRITTEN_OUT = frozenset({"lambda", "definition", "literal"})


def _sequence(r: Reader, node: Node, depth: int) -> Expression:
    """`a, b`: the last one."""
    value = UNKNOWN
    for child in r.operands(node):
        value = r.read(child, depth + 1)
    return value


def _array(r: Reader, node: Node, depth: int) -> Expression:
    if depth > MAX_NESTING:
        return r.put_off(node)
    parts = r.read_all(node, depth + 1)
    if len(parts) > objects.MAX_LITERALS and all(part.kind == "literal" for part in parts):
        parts = []
    return Expression("collection", "list", tuple(parts), (), "", -1, node.start_byte)


def _prefixed(kind: str) -> ExpressionReader:
    def read(r: Reader, node: Node, depth: int) -> Expression:
        return Expression(kind, "", tuple(r.read_all(node, depth + 1)), (), "", -1, node.start_byte)

    return read


def _await(r: Reader, node: Node, depth: int) -> Expression:
    parts = []
    for child in r.operands(node):
        count = len(r.calls)
        parts.append(r.read(child, depth + 1))
        if child.kind_id == r.kinds.call and len(r.calls) > count:
            _mark_awaited(r)
    return Expression("await", "", tuple(parts), (), "", -1, node.start_byte)


def _yield(r: Reader, node: Node, depth: int) -> Expression:
    operands = r.operands(node)
    value: Expression | None = r.read(operands[0], depth + 1) if operands else None
    if value is not None and any(child.kind_id == r.kinds.star_token for child in node.children):
        value = Expression("iterate", "", (value,), (), "", -1, node.start_byte)
    r.add_return("yield", value, node)
    return Expression("yield", "", (value,) if value is not None else (), (), "", -1, node.start_byte)


def _unary(r: Reader, node: Node, depth: int) -> Expression:
    if node.children[0].type == "delete":
        for child in r.operands(node):
            assign(r, child, "delete", None)
        return UNKNOWN
    return Expression("operator", node.children[0].type, tuple(r.read_all(node, depth + 1)), (), "", -1, node.start_byte)


def _binary(r: Reader, node: Node, depth: int) -> Expression:
    """Operators; `&&`, `||` and `??` are either of their operands. A long run (`a + b + c …`) nests to the left and is read in a loop."""
    k = r.kinds
    spine = [node]
    left = node.children[0]
    while left.kind_id == k.binary:
        spine.append(left)
        left = left.children[0]
    found = r.read(left, depth + 1)
    for level, link in enumerate(reversed(spine)):
        children = link.children
        if len(children) != 3:
            children = r.solid(link)
        operator, right = children[-2].type, children[-1]
        other = r.read(right, depth + 1)
        if operator in _EITHER:
            found = Expression("conditional", _EITHER[operator], (found, other), (), "", -1, link.start_byte)
            if operator == "&&" and found.parts[0].kind in ("operator", "conditional"):
                r.narrow(found.parts[0], (right.start_byte, right.end_byte), None)
        elif level >= CHAIN_DEPTH:
            found = Expression("operator", operator, (UNKNOWN, other), (), "", -1, link.start_byte)
        else:
            found = Expression("operator", operator, (found, other), (), "", -1, link.start_byte)
    return found


_EITHER = {"&&": "and", "||": "or", "??": "or"}
"""Operators whose value is one of their operands → the name of the conditional."""


def _ternary(r: Reader, node: Node, depth: int) -> Expression:
    test, *parts = [r.read(child, depth + 1) for child in r.operands(node)]
    operands = r.operands(node)
    if len(parts) != 2:
        return UNKNOWN
    r.narrow(test, (operands[1].start_byte, operands[1].end_byte), (operands[2].start_byte, operands[2].end_byte))
    return Expression("conditional", "if", tuple(parts), (), "", -1, node.start_byte)


def _assignment(r: Reader, node: Node, depth: int) -> Expression:
    children = r.solid(node)
    target, value_node = children[0], children[-1]
    if node.kind_id != r.kinds.assignment:
        value = r.read(value_node, depth + 1)
        either = children[1].type in ("??=", "||=", "&&=")
        assign(r, target, "augmented", value if either else None)
        return value
    value = assigned_value(r, target, value_node, depth)
    if target.kind_id == r.kinds.member or target.kind_id == r.kinds.subscript:
        write(r, target, value)
    else:
        assign(r, target, "assignment", value)
    return value


def _update(r: Reader, node: Node, depth: int) -> Expression:
    for child in r.operands(node):
        assign(r, child, "augmented", None)
    return UNKNOWN


# JSX


def _jsx(r: Reader, node: Node, depth: int) -> Expression:
    """An element: a call where its tag is a component; attributes and children are read."""
    k = r.kinds
    tag = ""
    for child in node.children:
        kind = child.kind_id
        if kind == k.jsx_opening:
            tag = _jsx_tag(r, child, depth)
        elif kind == k.jsx_text:
            r.unmentioned.append((child.start_byte, child.end_byte))
        elif r.expressions[kind] is not None:
            r.read(child, depth + 1)
    return Expression("jsx", tag, (), (), "", -1, node.start_byte)


def _jsx_single(r: Reader, node: Node, depth: int) -> Expression:
    return Expression("jsx", _jsx_tag(r, node, depth), (), (), "", -1, node.start_byte)


def _jsx_tag(r: Reader, opening: Node, depth: int) -> str:
    """The tag's name; its attributes are read."""
    k = r.kinds
    tag = ""
    for child in opening.children:
        kind = child.kind_id
        if kind == k.jsx_attribute:
            for part in child.children[1:]:
                if r.expressions[part.kind_id] is not None:
                    r.read(part, depth + 1)
        elif tag and r.expressions[kind] is not None:
            r.read(child, depth + 1)
        elif not tag and child.is_named and kind != k.type_arguments and kind != k.comment:
            tag = r.text(child)
            if "." in tag or not tag[0].islower():
                start = child.end_byte - len(tag.rpartition(".")[2].encode())
                found = Expression("jsx", tag, (), (), "", -1, start)
                r.calls.append(Call(r.scope, found, r.span(start, child.end_byte), ("jsx",)))
    return tag


READERS: dict[str, Callable[[Reader, Node, int], Expression]] = {
    "identifier": _name, "shorthand_property_identifier": _name, "this": _word, "super": _word, "import": _word, "meta_property": _word,
    "string": _string, "number": _number, "template_string": _template, "true": _constant, "false": _constant, "null": _constant,
    "undefined": _constant, "regex": _regex, "member_expression": chain, "subscript_expression": chain, "non_null_expression": chain,
    "instantiation_expression": chain, "call_expression": chain, "new_expression": _new, "parenthesized_expression": _inner,
    "as_expression": _cast, "satisfies_expression": _inner, "type_assertion": _cast, "sequence_expression": _sequence, "array": _array,
    "object": objects.object_literal, "spread_element": _prefixed("spread"), "await_expression": _await, "yield_expression": _yield,
    "unary_expression": _unary, "binary_expression": _binary, "ternary_expression": _ternary, "assignment_expression": _assignment,
    "augmented_assignment_expression": _assignment, "update_expression": _update, "arrow_function": functions.inline_function,
    "function_expression": functions.inline_function, "generator_function": functions.inline_function, "class": functions.inline_class,
    "jsx_element": _jsx, "jsx_self_closing_element": _jsx_single, "jsx_expression": _inner, "decorator": functions.decorator,
}  # fmt: skip
"""Reader by kind of node."""
