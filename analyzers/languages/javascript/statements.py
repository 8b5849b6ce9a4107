"""JavaScript statements and declarations, and the type declarations of TypeScript."""

from __future__ import annotations

from analyzers.facts import Expression, Parameter, Span
from analyzers.languages.javascript import functions
from analyzers.languages.javascript.functions import class_name, define_class, define_function, type_names
from analyzers.languages.javascript.keys import key_name
from analyzers.languages.javascript.modules import bind_required, cast_text, export_statement, import_alias, import_statement, unwrapped
from analyzers.languages.javascript.objects import object_literal
from analyzers.languages.javascript.patterns import TYPE_CHARACTERS, annotation_text, assign, declare, type_parameters
from analyzers.languages.javascript.reading import Bound, Declared, Header, Reader, StatementReader
from analyzers.languages.javascript.values import add_values
from analyzers.parsing import Node


def _comment(r: Reader, node: Node) -> None:
    r.unmentioned.append((node.start_byte, node.end_byte))


def expression(r: Reader, node: Node) -> None:
    """An expression by itself."""
    r.nests = 0
    r.read(node, 0)


def _inside(r: Reader, node: Node) -> None:
    """A statement that only holds an expression, or others: they are read."""
    for child in node.children:
        if r.expressions[child.kind_id] is not None:
            r.read(child, 0)
        elif r.statements[child.kind_id] is not None:
            r.later((child,), r.scope, r.region)


def _return(r: Reader, node: Node) -> None:
    operands = r.operands(node)
    value = None
    if operands:
        node_inside = unwrapped(r, operands[0])
        owner = r.scopes[r.scope].definition
        is_named = node_inside.kind_id == r.kinds.object and owner > 0 and r.scopes[_function_scope(r)].kind == "function"
        value = object_literal(r, node_inside, 0, owner) if is_named else r.read(operands[0], 0)
    r.add_return("return", value, node)


def _function_scope(r: Reader) -> int:
    scope = r.scope
    while r.scopes[scope].kind == "block":
        scope = r.scopes[scope].parent
    return scope


def _throw(r: Reader, node: Node) -> None:
    operands = r.operands(node)
    r.add_return("raise", r.read(operands[0], 0) if operands else None, node)


def _expression_statement(r: Reader, node: Node) -> None:
    first = node.children[0]
    reader = r.expressions[first.kind_id]
    if reader is not None:
        reader(r, first, 0)
    else:
        _inside(r, node)


# Blocks


def _block(r: Reader, node: Node) -> None:
    r.later(node.children, r.block_scope(node), r.region)


def _branch(r: Reader, node: Node) -> None:
    """A block or a single statement that may not run."""
    region = (node.start_byte, node.end_byte)
    if node.kind_id == r.kinds.statement_block:
        r.later(node.children, r.block_scope(node), region)
    else:
        r.later((node,), r.scope, region)


def _if(r: Reader, node: Node) -> None:
    k = r.kinds
    test, consequence, alternative = None, None, None
    for child in node.children:
        kind = child.kind_id
        if kind == k.parenthesized and test is None:
            test = r.read(child, 0)
        elif kind == k.else_clause:
            alternative = next((inner for inner in child.children if r.statements[inner.kind_id] is not None), None)
        elif test is not None and r.statements[kind] is not None and kind != k.comment:
            consequence = child
    if test is not None and test.kind in ("operator", "conditional") and consequence is not None:
        other = (alternative.start_byte, alternative.end_byte) if alternative is not None else None
        r.narrow(test, (consequence.start_byte, consequence.end_byte), other)
    for branch in (consequence, alternative):
        if branch is not None:
            _branch(r, branch)


def _loop(r: Reader, node: Node) -> None:
    """while, do: the condition is read, the body may not run."""
    for child in node.children:
        if r.expressions[child.kind_id] is not None:
            r.read(child, 0)
        elif r.statements[child.kind_id] is not None:
            _branch(r, child)


def _for(r: Reader, node: Node) -> None:
    """`for (;;)`: what it declares is in a scope of its own."""
    k = r.kinds
    outer = r.scope
    if any(child.kind_id == k.lexical_declaration for child in node.children):
        r.scope = r.open_scope("block", node)
    body = node.children[-1]
    for child in node.children[:-1]:
        kind = child.kind_id
        if kind == k.lexical_declaration or kind == k.variable_declaration:
            variables(r, child)
        elif r.expressions[kind] is not None:
            r.read(child, 0)
        elif r.statements[kind] is not None and kind != k.comment:
            _inside(r, child)
    if r.statements[body.kind_id] is not None:
        _branch(r, body)
    r.scope = outer


def _for_in(r: Reader, node: Node) -> None:
    """`for (const x of xs)`, `for (k in o)`"""
    k = r.kinds
    outer = r.scope
    body = node.children[-1]
    keyword, left, right, operator = "", None, None, ""
    for child in r.solid(node)[:-1]:
        text = child.type
        if text in ("var", "let", "const", "using"):
            keyword = text
        elif text in ("of", "in"):
            operator = text
        elif child.is_named or child.kind_id == k.identifier:
            left, right = (child, right) if left is None else (left, child)
    if left is None or right is None:
        return
    value = r.read(right, 0)
    item = Expression("iterate", "" if operator == "of" else "in", (value,), (), "", -1, right.start_byte)
    if not keyword:
        assign(r, left, "loop", item)
    else:
        if keyword != "var":
            r.scope = r.open_scope("block", node)
        declare(r, left, "loop", r.hoists[r.scope] if keyword == "var" else r.scope, item)
    if r.statements[body.kind_id] is not None:
        _branch(r, body)
    r.scope = outer


def _try(r: Reader, node: Node) -> None:
    k = r.kinds
    for child in node.children:
        kind = child.kind_id
        if kind == k.statement_block:
            _branch(r, child)
        elif kind == k.catch_clause:
            _catch(r, child)
        elif kind == k.finally_clause:
            for block in child.children:
                if block.kind_id == k.statement_block:
                    _block(r, block)


def _catch(r: Reader, node: Node) -> None:
    k = r.kinds
    inner = r.open_scope("block", node)
    for child in node.children:
        if child.kind_id == k.statement_block:
            r.later(child.children, inner, (node.start_byte, node.end_byte))
        elif child.kind_id in (k.identifier, k.object_pattern, k.array_pattern):
            declare(r, child, "except", inner, None)


def _switch(r: Reader, node: Node) -> None:
    k = r.kinds
    for child in node.children:
        if r.expressions[child.kind_id] is not None:
            r.read(child, 0)
        elif child.kind_id == k.switch_body:
            cases = [case for case in child.children if case.kind_id in (k.switch_case, k.switch_default)]
            is_scope = any(part.kind_id in k.lexical for case in cases for part in case.children)
            scope = r.open_scope("block", child) if is_scope else r.scope
            for case in cases:
                test = r.operands(case)[:1] if case.kind_id == k.switch_case else []
                for part in test:
                    r.read(part, 0)
                rest = [part for part in case.children if part not in test]
                r.later(rest, scope, (case.start_byte, case.end_byte))


def _with(r: Reader, node: Node) -> None:
    r.limit("with-statement", "names in it may be properties", node.start_byte)
    _loop(r, node)


def _error(r: Reader, node: Node) -> None:
    """What could be read inside of a syntax error."""
    r.later(node.children, r.scope, r.region)


# Declarations


def variables(r: Reader, node: Node) -> None:
    """const, let, var, using"""
    k = r.kinds
    scope = r.hoists[r.scope] if node.kind_id == k.variable_declaration else r.scope
    is_constant = False
    declarators = []
    for child in node.children:
        if child.kind_id == k.variable_declarator:
            declarators.append(child)
        elif child.kind_id == k.const_token:
            is_constant = True
    for declarator in declarators:
        _variable(r, declarator, scope, is_constant, node if len(declarators) == 1 else declarator)


def _variable(r: Reader, node: Node, scope: int, is_constant: bool, whole: Node) -> None:
    k = r.kinds
    target: Node | None = None
    value, annotation, follows_equals = None, "", False
    for child in node.children:
        kind = child.kind_id
        if kind == k.comment:
            continue
        if target is None:
            target = child
        elif follows_equals:
            value = child
        elif kind == k.equals_token:
            follows_equals = True
        elif kind == k.type_annotation:
            annotation = annotation_text(r, child)
    if target is None or (value is not None and bind_required(r, target, value)):
        return
    is_kept = r.scopes[scope].kind == "module"
    if target.kind_id != k.identifier:
        found = r.read(value, 0) if value is not None else None
        for leaf in declare(r, target, "assignment", scope, found, annotation):
            if is_kept and leaf.is_name:
                index = r.define(r.text(leaf.node), "constant" if is_constant else "variable", leaf.node, leaf.node)
                r.complete(index, Header(flags=_conditional(r)))
        return
    name = r.text(target)
    inside = unwrapped(r, value) if value is not None else None
    if value is not None and inside is not None and inside.kind_id == k.object and not annotation:
        annotation = cast_text(r, value)
    if value is not None and inside is not None and (inside.kind_id in k.functions or inside.kind_id == k.class_expression):
        define = define_function if inside.kind_id in k.functions else define_class
        index, _ = define(r, inside, Declared(name, target, whole=whole, flags=_conditional(r)))
        r.bind("definition", name, target.start_byte, Bound(scope=scope, target=index, annotation=annotation))
        return
    index = -1
    if is_kept or (inside is not None and inside.kind_id == k.object and any(child.kind_id == k.method for child in inside.children)):
        index = r.define(name, "constant" if is_constant else "variable", whole, target)
    outer, r.owner = r.owner, index
    expression = None
    if value is not None and inside is not None:
        expression = object_literal(r, inside, 0, index) if inside.kind_id == k.object else r.read(value, 0)
    r.owner = outer
    if index >= 0:
        r.complete(index, Header((), annotation, (), (), expression, _conditional(r)))
        if inside is not None and is_kept:
            add_values(r, r.definitions[index].qualified_name, target.start_byte, inside)
    r.bind("assignment", name, target.start_byte, Bound(scope=scope, value=expression, annotation=annotation))


def _conditional(r: Reader) -> tuple[str, ...]:
    return ("conditional",) if r.region is not None else ()


def function(r: Reader, node: Node) -> None:
    """`function f() {}`, or its signature alone."""
    name_node = class_name(r, node)
    name = r.text(name_node) if name_node is not None else "default"
    flags = _conditional(r)
    if node.children[-1].kind_id != r.kinds.statement_block:
        flags = (*flags, "declaration")
    index, _ = define_function(r, node, Declared(name, name_node, flags=flags))
    if name_node is not None:
        r.bind("definition", name, name_node.start_byte, Bound(target=index))
    else:
        r.bind("definition", name, node.start_byte, Bound(target=index))


def class_(r: Reader, node: Node) -> None:
    """`class C {}`"""
    decorators = tuple(functions.decorator(r, found) for found in r.decorators)
    r.decorators.clear()
    name_node = class_name(r, node)
    name = r.text(name_node) if name_node is not None else "default"
    index, _ = define_class(r, node, Declared(name, name_node, flags=_conditional(r), decorators=decorators))
    r.bind("definition", name, name_node.start_byte if name_node is not None else node.start_byte, Bound(target=index))


def _interface(r: Reader, node: Node) -> None:
    k = r.kinds
    name_node = class_name(r, node)
    if name_node is None:
        return
    name = r.text(name_node)
    index = r.define(name, "interface", node, name_node)
    bases: list[tuple[Expression, Span]] = []
    types: tuple[Parameter, ...] = ()
    for child in node.children:
        kind = child.kind_id
        if kind == k.extends_type_clause:
            bases = type_names(r, child)
        elif kind == k.type_parameters:
            types = tuple(type_parameters(r, child))
        elif kind == k.interface_body or kind == k.object_type:
            r.later(child.children, r.open_scope("class", child, index))
    values, spans = tuple(base for base, _ in bases), tuple(span for _, span in bases)
    r.complete(index, Header(types, "", values, (), None, ("declaration",), spans))
    r.bind("definition", name, name_node.start_byte, Bound(target=index))


def _type_alias(r: Reader, node: Node) -> None:
    k = r.kinds
    name_node = class_name(r, node)
    if name_node is None:
        return
    index = r.define(r.text(name_node), "type", node, name_node)
    types: tuple[Parameter, ...] = ()
    annotation = ""
    follows_equals = False
    for child in node.children:
        kind = child.kind_id
        if kind == k.type_parameters:
            types = tuple(type_parameters(r, child))
        elif kind == k.equals_token:
            follows_equals = True
        elif follows_equals and kind == k.object_type:
            r.later(child.children, r.open_scope("class", child, index))
        elif follows_equals and child.is_named and kind != k.comment and not annotation:
            annotation = r.squeezed(child)[:TYPE_CHARACTERS]
    r.complete(index, Header(types, annotation, (), (), None, ("declaration",)))
    r.bind("definition", r.text(name_node), name_node.start_byte, Bound(target=index))


def _enum(r: Reader, node: Node) -> None:
    k = r.kinds
    name_node = class_name(r, node)
    if name_node is None:
        return
    index = r.define(r.text(name_node), "enum", node, name_node)
    r.complete(index, Header(flags=_conditional(r)))
    r.bind("definition", r.text(name_node), name_node.start_byte, Bound(target=index))
    body = next((child for child in node.children if child.kind_id == k.enum_body), None)
    if body is None:
        return
    outer = r.scope
    r.scope = r.open_scope("class", body, index)
    for child in body.children:
        if child.kind_id == k.comment or not child.is_named:
            continue
        key, *_, value = r.solid(child) if child.kind_id == k.enum_assignment else (child, child)
        name = key_name(r, key)
        if not name:
            continue
        member = r.define(name, "constant", child, key)
        found = r.read(value) if value is not key else None
        r.complete(member, Header(value=found))
        r.bind("assignment", name, key.start_byte, Bound(target=member, value=found))
        if value is not key:
            add_values(r, r.definitions[member].qualified_name, key.start_byte, value)
    r.scope = outer


def _namespace(r: Reader, node: Node) -> None:
    """`namespace A.B {}`, `declare module "x" {}`, `declare global {}`: a module of its own inside the file."""
    k = r.kinds
    names = (k.identifier, k.nested_identifier, k.string)
    name_node = next((child for child in node.children if child.kind_id in names or child.kind_id == k.global_token), None)
    body = next((child for child in node.children if child.kind_id == k.statement_block), None)
    if name_node is None:
        return
    outer = r.scope
    if name_node.kind_id == k.nested_identifier:
        *owners, name_node = _leaves(r, name_node)
        for owner in owners:
            index = _open_namespace(r, node, owner, ())
            r.scope = r.open_scope("module", node, index, start=owner.start_byte)
    index = _open_namespace(r, node, name_node, () if body is not None else ("declaration",))
    if body is not None:
        r.later(body.children, r.open_scope("module", body, index))
    r.scope = outer


def _open_namespace(r: Reader, node: Node, name_node: Node, flags: tuple[str, ...]) -> int:
    text = r.text(name_node)
    is_external = name_node.kind_id == r.kinds.string
    name = text[1:-1] if is_external else text
    index = r.define(name, "namespace", node, name_node)
    r.complete(index, Header(flags=flags))
    if not is_external and name_node.kind_id != r.kinds.global_token:
        r.bind("definition", name, name_node.start_byte, Bound(target=index))
    return index


def _leaves(r: Reader, node: Node) -> list[Node]:
    """The names of `A.B.C`."""
    found: list[Node] = []
    todo = [node]
    while todo:
        part = todo.pop()
        if part.kind_id == r.kinds.nested_identifier:
            todo.extend(child for child in reversed(part.children) if child.is_named)
        else:
            found.append(part)
    return found


def _ambient(r: Reader, node: Node) -> None:
    """`declare …`"""
    k = r.kinds
    if any(child.kind_id == k.global_token for child in node.children):
        _namespace(r, node)
        return
    first = len(r.definitions)
    for child in node.children:
        reader = r.statements[child.kind_id]
        if reader is not None and child.kind_id != k.comment:
            reader(r, child)
    for index in range(first, len(r.definitions)):
        found = r.definitions[index]
        if "declaration" not in found.flags:
            header = Header(
                found.parameters, found.returns, found.bases, found.decorators, found.value, (*found.flags, "declaration"), found.base_spans
            )
            r.complete(index, header)


READERS: dict[str, StatementReader] = {
    "program": lambda r, node: r.later(node.children, 0), "comment": _comment, "html_comment": _comment, "hash_bang_line": _comment,
    "ERROR": _error, "expression_statement": _expression_statement, "labeled_statement": _inside, "statement_block": _block,
    "return_statement": _return, "throw_statement": _throw, "if_statement": _if, "while_statement": _loop, "do_statement": _loop,
    "for_statement": _for, "for_in_statement": _for_in, "try_statement": _try, "switch_statement": _switch, "with_statement": _with,
    "lexical_declaration": variables,
    "variable_declaration": variables, "using_declaration": variables, "function_declaration": function, "generator_function_declaration": function,
    "function_signature": function, "class_declaration": class_, "abstract_class_declaration": class_, "interface_declaration": _interface,
    "type_alias_declaration": _type_alias, "enum_declaration": _enum, "internal_module": _namespace, "module": _namespace,
    "ambient_declaration": _ambient, "import_statement": import_statement, "import_alias": import_alias, "export_statement": export_statement,
    "method_definition": functions.method, "method_signature": functions.method, "abstract_method_signature": functions.method,
    "public_field_definition": functions.field, "field_definition": functions.field, "property_signature": functions.field,
    "call_signature": functions.signature, "construct_signature": functions.signature, "index_signature": functions.signature,
    "class_static_block": functions.static_block, "decorator": functions.member_decorator,
}  # fmt: skip
"""Reader by kind of node; an expression is one too, and so is a member of a class."""
