"""Functions, classes and their members, wherever they stand."""

from __future__ import annotations

from analyzers.facts import Call, Expression, Parameter, Return, Span
from analyzers.languages.javascript.keys import key_name, member_name_node, method_name
from analyzers.languages.javascript.patterns import TYPE_CHARACTERS, annotation_text, parameters, type_parameters
from analyzers.languages.javascript.reading import UNKNOWN, Bound, Declared, Header, Reader
from analyzers.languages.javascript.values import add_values
from analyzers.parsing import Node

CALLED, CONSTRUCTED, INDEXED = "()", "new ()", "[]"
"""Names under which a type's signatures stand that have none."""
ANONYMOUS = "<anonymous>"
"""A class without a name, which must have one because its members are named after it."""


def define_function(r: Reader, node: Node, declared: Declared) -> tuple[int, int]:
    """A named function. Returns its definition and its scope."""
    index = r.define(declared.name, declared.kind, declared.whole or node, declared.name_node, parent=declared.parent)
    inner = r.open_scope("function", node, index)
    header = _read(r, node, inner, index)
    r.complete(index, Header(header.parameters, header.returns, (), declared.decorators, None, (*declared.flags, *header.flags)))
    return index, inner


def inline_function(r: Reader, node: Node, depth: int) -> Expression:
    """A function where a value stands. One with a name is a definition, known by it to itself only."""
    k = r.kinds
    name_node = None
    if node.kind_id != k.arrow and node.kind_id != k.method:
        name_node = next((child for child in node.children if child.kind_id == k.identifier), None)
    if name_node is None:
        inner = r.open_scope("lambda", node, r.owner)
        _read(r, node, inner, -1, depth)
        return Expression("lambda", "", (), (), "", inner, node.start_byte)
    index, inner = define_function(r, node, Declared(r.text(name_node), name_node, parent=r.owner))
    r.bind("definition", r.text(name_node), name_node.start_byte, Bound(scope=inner, target=index))
    return Expression("definition", "", (), (), "", inner, node.start_byte)


def _read(r: Reader, node: Node, scope: int, index: int, depth: int = 0) -> Header:
    """Parameters and the like; the body is put aside, an arrow's expression is read now."""
    k = r.kinds
    flags: list[str] = []
    found: list[Parameter] = []
    types: list[Parameter] = []
    returns = ""
    body: Node | None = None
    for child in node.children:
        kind = child.kind_id
        if kind == k.formal_parameters:
            class_scope = r.scope if r.scopes[r.scope].kind == "class" else -1
            found = parameters(r, child, scope, index, class_scope)
        elif kind == k.statement_block:
            body = child
        elif kind in k.annotations:
            returns = annotation_text(r, child)
        elif kind == k.type_parameters:
            types = type_parameters(r, child)
        elif kind == k.async_token:
            flags.append("async")
        elif kind == k.star_token:
            flags.append("generator")
        elif kind == k.identifier and node.kind_id == k.arrow and not found and body is None and child.end_byte != node.end_byte:
            found = parameters(r, child, scope, index)
    if body is not None:
        r.later(body.children, scope)
    elif node.kind_id == k.arrow:
        _arrow_result(r, node.children[-1], scope, depth)
    return Header((*found, *types), returns, (), (), None, tuple(flags))


def _arrow_result(r: Reader, body: Node, scope: int, depth: int) -> None:
    """`=> expression` returns it."""
    outer, region, owner = r.scope, r.region, r.owner
    r.scope, r.region, r.owner = scope, None, -1
    value = r.read(body, depth + 1)
    r.returns.append(Return(scope, "return", value, r.span(body.start_byte, body.end_byte)))
    r.scope, r.region, r.owner = outer, region, owner


def decorator(r: Reader, node: Node, depth: int = 0) -> Expression:
    """`@f` calls f with what follows; `@f(x)` is a call of its own too."""
    operands = r.operands(node)
    if not operands:
        return UNKNOWN
    value = r.read(operands[0], depth + 1)
    if value.kind == "name" or value.kind == "attribute":
        start, end = operands[0].start_byte, operands[0].end_byte
        call = Expression("call", "", (value,), (), "", -1, start)
        r.calls.append(Call(r.scope, call, r.span(value.start, end), ("decorator",)))
    return value


# Classes


def define_class(r: Reader, node: Node, declared: Declared) -> tuple[int, int]:
    """A class; its members are read later. Returns its definition and its scope (-1 where it has no body)."""
    k = r.kinds
    index = r.define(declared.name, "class", declared.whole or node, declared.name_node, parent=declared.parent)
    flags = declared.flags
    bases: list[tuple[Expression, Span]] = []
    types: list[Parameter] = []
    own = list(declared.decorators)
    inner = -1
    for child in node.children:
        kind = child.kind_id
        if kind == k.class_heritage:
            bases = _bases(r, child)
        elif kind == k.class_body:
            inner = r.open_scope("class", child, index)
            r.later(child.children, inner)
        elif kind == k.type_parameters:
            types = type_parameters(r, child)
        elif kind == k.decorator:
            own.append(decorator(r, child))
        elif kind == k.abstract_token:
            flags = (*flags, "abstract")
    values, spans = tuple(base for base, _ in bases), tuple(span for _, span in bases)
    r.complete(index, Header(tuple(types), "", values, tuple(own), None, flags, spans))
    return index, inner


def inline_class(r: Reader, node: Node, depth: int) -> Expression:
    """A class where a value stands."""
    name_node = class_name(r, node)
    name = r.text(name_node) if name_node is not None else ANONYMOUS
    index, inner = define_class(r, node, Declared(name, name_node, parent=r.owner))
    if name_node is not None and inner >= 0:
        r.bind("definition", name, name_node.start_byte, Bound(scope=inner, target=index))
    return Expression("definition", "", (), (), "", inner, node.start_byte)


def class_name(r: Reader, node: Node) -> Node | None:
    """The name token of a class, interface, enum or function."""
    k = r.kinds
    for child in node.children:
        if child.kind_id == k.type_identifier or child.kind_id == k.identifier:
            return child
        if child.kind_id == k.class_heritage or child.kind_id == k.class_body:
            return None
    return None


def _bases(r: Reader, heritage: Node) -> list[tuple[Expression, Span]]:
    """`extends` as written; `implements` wrapped as an operator of that name. Each with the span of its last name token."""
    k = r.kinds
    found: list[tuple[Expression, Span]] = []
    for child in heritage.children:
        kind = child.kind_id
        if kind == k.extends_clause:
            found += [_base(r, base, type_arguments_text(r, child)) for base in r.operands(child)]
        elif kind == k.implements_clause:
            named = type_names(r, child)
            found += [(Expression("operator", "implements", (base,), (), "", -1, base.start), span) for base, span in named]
        elif r.expressions[kind] is not None:
            found.append(_base(r, child))
    return found


def _base(r: Reader, node: Node, arguments: str = "") -> tuple[Expression, Span]:
    value = r.read(node)
    if arguments and value.kind in ("name", "attribute"):
        value = Expression(value.kind, value.name, value.parts, (), arguments, -1, value.start)
    named = value
    while named.kind in ("call", "subscript") and named.parts:
        named = named.parts[0]
    if named.kind in ("name", "attribute"):
        return value, r.span(named.start, named.start + len(named.name.encode()))
    return value, r.span(node.start_byte, node.end_byte)


def type_names(r: Reader, clause: Node) -> list[tuple[Expression, Span]]:
    """The names in `implements A, B.C<D>` or `extends A`, as names and attributes, with the spans of their last name tokens."""
    k = r.kinds
    found = []
    for child in clause.children:
        arguments = ""
        if child.kind_id == k.generic_type:
            arguments = type_arguments_text(r, child)
            child = r.solid(child)[0]
        kind = child.kind_id
        if kind == k.type_identifier or kind == k.identifier or kind == k.nested_type_identifier or kind == k.nested_identifier:
            name = dotted_name(r, child)
            if arguments:
                name = Expression(name.kind, name.name, name.parts, (), arguments, -1, name.start)
            found.append((name, r.span(name.start, name.start + len(name.name.encode()))))
    return found


def type_arguments_text(r: Reader, node: Node) -> str:
    """`<A, B>` among the children of a node; "" where there is none."""
    found = next((child for child in node.children if child.kind_id == r.kinds.type_arguments), None)
    return r.squeezed(found)[:TYPE_CHARACTERS] if found is not None else ""


def dotted_name(r: Reader, node: Node) -> Expression:
    """`A.B` as an attribute of a name."""
    position = node.start_byte
    found: Expression | None = None
    for part in r.text(node).split("."):
        name = part.strip()
        start = position + len(part) - len(part.lstrip())
        found = Expression("name", name, (), (), "", -1, start) if found is None else Expression("attribute", name, (found,), (), "", -1, start)
        position += len(part.encode()) + 1
    return found or UNKNOWN


# Members of classes and interfaces (statements of a class scope)


def member_decorator(r: Reader, node: Node) -> None:
    """A decorator before a method: kept for it."""
    r.decorators.append(node)


def method(r: Reader, node: Node) -> None:
    """A method with a body, an abstract one, or a signature."""
    k = r.kinds
    flags: list[str] = []
    decorators = tuple(decorator(r, found) for found in (*r.decorators, *(child for child in node.children if child.kind_id == k.decorator)))
    r.decorators.clear()
    for child in node.children:
        kind = child.kind_id
        if kind == k.static_token:
            flags.append("static")
        elif kind == k.get_token or kind == k.set_token:
            flags.append("property" if kind == k.get_token else "setter")
        elif kind == k.abstract_token:
            flags.append("abstract")
        elif kind == k.formal_parameters:
            break
    if node.kind_id != k.method:
        flags.append("declaration")
    name_node = member_name_node(r, node)
    name = method_name(r, node)
    if not name:
        r.limit("computed-member", r.text(name_node)[:80] if name_node is not None else "", node.start_byte)
        name = ANONYMOUS
    index, _ = define_function(r, node, Declared(name, name_node, kind="method", flags=tuple(flags), decorators=decorators))
    r.bind("definition", name, node.start_byte if name_node is None else name_node.start_byte, Bound(target=index))


def field(r: Reader, node: Node) -> None:
    """A field, or a property of an interface. One that holds a function is a method."""
    k = r.kinds
    flags: list[str] = []
    annotation = ""
    value: Node | None = None
    follows_equals = False
    decorators = tuple(decorator(r, child) for child in node.children if child.kind_id == k.decorator)
    for child in r.solid(node):
        kind = child.kind_id
        if kind == k.static_token:
            flags.append("static")
        elif kind == k.abstract_token:
            flags.append("abstract")
        elif kind == k.type_annotation:
            annotation = annotation_text(r, child)
        elif kind == k.equals_token:
            follows_equals = True
        elif follows_equals:
            value = child
    name_node = member_name_node(r, node)
    name = key_name(r, name_node) if name_node is not None else ""
    if not name or name_node is None:
        r.limit("computed-member", r.text(node)[:80], node.start_byte)
        if value is not None:
            r.read(value)
        return
    if value is not None and value.kind_id in k.functions:
        index, _ = define_function(r, value, Declared(name, name_node, kind="method", whole=node, flags=tuple(flags), decorators=decorators))
        r.bind("definition", name, name_node.start_byte, Bound(target=index))
        return
    index = r.define(name, "variable", node, name_node)
    expression = None
    if value is not None:
        outer, r.owner = r.owner, index
        expression = r.read(value)
        r.owner = outer
        add_values(r, r.definitions[index].qualified_name, name_node.start_byte, value)
    r.complete(index, Header((), annotation, (), decorators, expression, tuple(flags)))
    r.bind("assignment", name, name_node.start_byte, Bound(target=index, value=expression, annotation=annotation))


def signature(r: Reader, node: Node) -> None:
    """What an object of a type can be called as, constructed as, or indexed by: bound to a name of its own, as an object type with that alone."""
    text = r.squeezed(node)
    k = r.kinds
    name = {k.index_signature: INDEXED, k.construct_signature: CONSTRUCTED}.get(node.kind_id, CALLED)
    if len(text) <= TYPE_CHARACTERS:
        r.bind("assignment", name, node.start_byte, Bound(annotation=f"{{ {text} }}"))


def static_block(r: Reader, node: Node) -> None:
    """`static { … }`: runs with the class."""
    for child in node.children:
        if child.kind_id == r.kinds.statement_block:
            inner = r.open_scope("block", child)
            r.hoists[inner] = inner
            r.later(child.children, inner)
