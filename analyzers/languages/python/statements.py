"""Python statements: what each declares, binds, imports, returns, and which statements it holds.

A handler is given a node and gives back the frames (statements, and where they stand) to be read next. Blocks are never read by calling
back into the reader, so no nesting of blocks is too deep for the stack.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from analyzers.facts import Access, Binding, Expression, Import, Return, Span
from analyzers.languages.python.declarations import DeclarationReader, Frame
from analyzers.languages.python.reading import UNKNOWN
from analyzers.languages.python.texts import string_value
from analyzers.parsing import Node, grammar_of

Handler = Callable[[DeclarationReader, Node], list[Frame]]

_LEAVING = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})
_NOTHING: list[Frame] = []


# Blocks


def _block(self: DeclarationReader, node: Node) -> list[Frame]:
    """A block that runs or does not run."""
    return [self.within(node)]


def _plain(self: DeclarationReader, node: Node) -> list[Frame]:
    """What always runs, and is read in order: with, finally, try."""
    return [(iter(node.children), self.place)]


def _finally(self: DeclarationReader, node: Node) -> list[Frame]:
    return [(iter(child.children), self.place) for child in node.children if child.kind_id == self.kinds.block]


def _if(self: DeclarationReader, node: Node) -> list[Frame]:
    """`if` and `elif`: what follows the block runs where the condition does not hold."""
    block_kind, comment, readers = self.kinds.block, self.kinds.comment, self.readers
    test, block = UNKNOWN, None
    rest: list[Node] = []
    for child in node.children:
        kind = child.kind_id
        if block is not None:
            if kind != comment:
                rest.append(child)
        elif kind == block_kind:
            block = child
        elif readers[kind] is not None:
            test = self.read(child)
    if block is None:
        return _NOTHING
    frame = self.within(block)
    if test.name == "TYPE_CHECKING":
        frame[1].is_type_checking = True
    if test.kind == "conditional" or test.name == "not" or (test.kind == "call" and test.parts[0].name == "isinstance"):
        after = None
        if rest:
            after = (rest[0].start_byte, rest[-1].end_byte)
        elif _leaves(self, block) and node.parent is not None:
            after = (node.end_byte, node.parent.end_byte)
        self.narrow(test, (block.start_byte, block.end_byte), after)
    return [frame, (iter(rest), self.place)] if rest else [frame]


def _leaves(self: DeclarationReader, block: Node) -> bool:
    """Whether what follows the block's statement is not reached through it."""
    last = next((child for child in reversed(block.children) if child.is_named and child.kind_id != self.kinds.comment), None)
    return last is not None and self.kinds.names[last.kind_id] in _LEAVING


def _for(self: DeclarationReader, node: Node) -> list[Frame]:
    names = self.kinds.names
    children = [child for child in node.children if names[child.kind_id] != "comment"]
    is_async = names[children[0].kind_id] == "async"
    operands = [child for child in children if self.readers[child.kind_id] is not None]
    if len(operands) < 2:
        return _plain(self, node)
    source = self.read(operands[1])
    start, end = operands[1].start_byte, operands[1].end_byte
    self.implicit_call("__aiter__" if is_async else "__iter__", source, (), start, end)
    self.assign_to(operands[0], "loop", Expression("iterate", "async" if is_async else "", (source,), (), "", -1, start))
    return [(iter([child for child in children if child.kind_id == self.kinds.block or names[child.kind_id] == "else_clause"]), self.place)]


def _while(self: DeclarationReader, node: Node) -> list[Frame]:
    frames: list[Frame] = []
    test = UNKNOWN
    for child in node.children:
        if child.kind_id == self.kinds.block:
            self.narrow(test, (child.start_byte, child.end_byte), None)
            frames.append(self.within(child))
        elif self.readers[child.kind_id] is not None:
            test = self.read(child)
        elif self.kinds.names[child.kind_id] == "else_clause":
            frames.append((iter((child,)), self.place))
    return frames


def _with(self: DeclarationReader, node: Node) -> list[Frame]:
    names = self.kinds.names
    is_async = names[node.children[0].kind_id] == "async"
    items = [item for clause in node.children if names[clause.kind_id] == "with_clause" for item in clause.children]
    for item in items:
        for child in self.operands(item) if names[item.kind_id] == "with_item" else ():
            _with_item(self, child, is_async)
    return [(iter(child.children), self.place) for child in node.children if child.kind_id == self.kinds.block]


def _with_item(self: DeclarationReader, node: Node, is_async: bool) -> None:
    target = None
    manager = node
    if self.kinds.names[node.kind_id] == "as_pattern":
        manager, *rest = self.operands(node)
        target = rest[-1] if rest else None
    value = self.read(manager)
    for method in ("__aenter__", "__aexit__") if is_async else ("__enter__", "__exit__"):
        self.implicit_call(method, value, (), manager.start_byte, manager.end_byte)
    if target is not None:
        self.assign_to(target, "with", Expression("await", "enter", (value,)) if is_async else value)


def _except(self: DeclarationReader, node: Node) -> list[Frame]:
    outer = self.place
    frames = [self.within(child) for child in node.children if child.kind_id == self.kinds.block]
    for child in node.children:
        if self.kinds.names[child.kind_id] == "as_pattern":
            kind, *rest = self.operands(child)
            value = self.read(kind)
            if rest:
                self.enter(frames[0][1] if frames else outer)
                self.assign_to(rest[-1], "except", value)
                self.enter(outer)
        elif self.readers[child.kind_id] is not None:
            self.read(child)
    return frames


def _match(self: DeclarationReader, node: Node) -> list[Frame]:
    children = self.operands(node)
    subjects = [self.read(child) for child in children]
    subject = subjects[0] if len(subjects) == 1 else Expression("collection", "tuple", tuple(subjects))
    frames: list[Frame] = []
    for block in node.children:
        for clause in block.children if block.kind_id == self.kinds.block else ():
            if self.kinds.names[clause.kind_id] == "case_clause":
                frames.append(_case(self, clause, subject))
    return frames


def _case(self: DeclarationReader, node: Node, subject: Expression) -> Frame:
    names = self.kinds.names
    outer = self.place
    body = next((child for child in node.children if child.kind_id == self.kinds.block), node)
    frame = self.within(body)
    self.enter(frame[1])
    patterns = [child for child in node.children if names[child.kind_id] == "case_pattern"]
    for pattern in patterns:
        _pattern(self, pattern, subject, is_whole=len(patterns) == 1, region=(body.start_byte, body.end_byte))
    for child in node.children:
        if names[child.kind_id] == "if_clause":
            for condition in self.operands(child):
                self.narrow(self.read(condition), (body.start_byte, body.end_byte), None)
    self.enter(outer)
    return frame if body is not node else (iter(()), frame[1])


def _pattern(self: DeclarationReader, pattern: Node, subject: Expression, *, is_whole: bool, region: tuple[int, int]) -> None:
    """Bind the names that a case pattern captures, and read the classes and constants that it compares with."""
    names = self.kinds.names
    todo: list[tuple[Node, bool, str]] = [(pattern, is_whole, "")]
    while todo:
        node, whole, annotation = todo.pop()
        kind = names[node.kind_id]
        inside = [child for child in node.children if child.is_named]
        if kind == "case_pattern":
            todo += [(child, whole, annotation) for child in reversed(inside)]
        elif (kind == "dotted_name" and len(inside) == 1) or kind == "identifier":
            self.bindings.append(
                Binding(
                    self.scope, self.cut(node.start_byte, node.end_byte), "pattern", -1, subject, annotation, () if whole else ("*",),
                    node.start_byte, True, self.until,
                )
            )  # fmt: skip
        elif kind == "dotted_name":
            _read_dotted(self, node)
        elif kind == "class_pattern":
            found = _read_dotted(self, inside[0])
            if whole and subject.kind in ("name", "attribute"):
                self.narrow(Expression("call", "", (Expression("name", "isinstance"), subject, found)), region, None)
            todo += [(child, False, "") for child in reversed(inside[1:])]
        elif kind == "keyword_pattern":
            self.mentions.add(self.cut(inside[0].start_byte, inside[0].end_byte))
            todo += [(child, False, "") for child in reversed(inside[1:])]
        elif kind == "as_pattern":
            todo += [(inside[-1], whole, _class_text(self, inside[0])), (inside[0], whole, "")]
        elif self.readers[node.kind_id] is not None and kind not in ("list_pattern", "tuple_pattern"):
            self.read(node)
        else:
            todo += [(child, whole and kind == "union_pattern", "") for child in reversed(inside)]


def _read_dotted(self: DeclarationReader, node: Node) -> Expression:
    """A dotted name of a pattern, read as the attribute that it is."""
    parts = [child for child in node.children if child.kind_id == self.kinds.identifier]
    found = self.read(parts[0])
    for part in parts[1:]:
        start, end = part.start_byte, part.end_byte
        name = self.cut(start, end)
        self.mentions.add(name)
        found = Expression("attribute", name, (found,), (), "", -1, start)
        self.accesses.append(Access(self.scope, found, self.span(start, end)))
    return found


def _class_text(self: DeclarationReader, pattern: Node) -> str:
    """The class that a pattern `C() as x` gives x."""
    inner = [child for child in pattern.children if child.is_named]
    if len(inner) == 1 and self.kinds.names[inner[0].kind_id] == "class_pattern":
        name = inner[0].children[0]
        return self.cut(name.start_byte, name.end_byte)
    return ""


# Definitions


def _function(self: DeclarationReader, node: Node) -> list[Frame]:
    return self.define_function(node, node, ())


def _class(self: DeclarationReader, node: Node) -> list[Frame]:
    return self.define_class(node, node, ())


def _decorated(self: DeclarationReader, node: Node) -> list[Frame]:
    names = self.kinds.names
    decorators = [child for child in node.children if names[child.kind_id] == "decorator"]
    for child in node.children:
        if names[child.kind_id] == "function_definition":
            return self.define_function(child, node, decorators)
        if names[child.kind_id] == "class_definition":
            return self.define_class(child, node, decorators)
    return _NOTHING


def _type_alias(self: DeclarationReader, node: Node) -> list[Frame]:
    """`type Name[T] = value`."""
    types = [child for child in node.children if child.kind_id == self.kinds.type]
    if len(types) != 2:
        return _NOTHING
    name_node = types[0].children[0]
    while name_node.children:
        name_node = name_node.children[0]
    value = self.read(types[1].children[0]) if types[1].children else UNKNOWN
    index = self.define_variable(name_node, self.span(node.start_byte, node.end_byte), value, types[1], "", "type")
    self.bind_name(name_node, "assignment", value, index=index)
    return _NOTHING


# Assignments


def _assignment(self: DeclarationReader, node: Node) -> list[Frame]:
    """`a = b = value`, `a: T = value`, `a: T`."""
    kinds = self.kinds
    targets: list[Node] = []
    annotation = ""
    value_node: Node | None = node
    while value_node is not None and value_node.kind_id == kinds.assignment:
        children = value_node.children
        value_node = None
        targets.append(children[0])
        for child in children[1:]:
            kind = child.kind_id
            if kind == kinds.type:
                annotation = self.annotation(child)
            elif kind == kinds.equals:
                value_node = children[-1]
    value = self.read(value_node) if value_node is not None else None
    if self.scope == 0 or self.place.is_class:
        _declare_targets(self, targets, node, value, value_node, annotation)
    else:
        for target in targets:
            self.assign_to(target, "assignment", value, (), annotation)
    return _NOTHING


def _declare_targets(
    self: DeclarationReader, targets: list[Node], node: Node, value: Expression | None, value_node: Node | None, annotation: str
) -> None:
    """An assignment in a module or class declares its names."""
    statement = self.span(node.start_byte, node.end_byte)
    for target in targets:
        if target.kind_id == self.kinds.identifier:
            index = self.define_variable(target, statement, value, value_node, annotation)
            self.bind_name(target, "assignment", value, (), annotation, index)
            if value_node is not None and self.scope == 0 and self.definitions[index].name == "__all__":
                self.all_names = _strings(self, value_node)
        else:
            if value_node is not None:
                _declare_unpacked(self, target, statement, value_node)
            self.assign_to(target, "assignment", value, (), annotation)


def _declare_unpacked(self: DeclarationReader, target: Node, statement: Span, value_node: Node) -> None:
    """Definitions for `A, B = 1, 2` of a module or class; values where each has its own."""
    names = self.kinds.names
    todo: list[tuple[Node, Node | None]] = [(target, value_node)]
    while todo:
        node, value = todo.pop()
        kind = names[node.kind_id]
        if kind == "identifier":
            self.define_variable(node, statement, None, value, "")
        elif kind in ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"):
            items = self.operands(node)
            values = self.operands(value) if value is not None and names[value.kind_id] in ("expression_list", "tuple", "list") else []
            is_paired = len(items) == len(values) and not any(item.kind_id == self.kinds.list_splat_pattern for item in items)
            own = values if is_paired else [None] * len(items)
            todo += reversed(list(zip(items, own, strict=True)))


def _augmented(self: DeclarationReader, node: Node) -> list[Frame]:
    operands = self.operands(node)
    if len(operands) != 2:
        return _NOTHING
    target, value_node = operands
    value = self.read(value_node)
    sign = next((self.kinds.names[child.kind_id] for child in node.children if not child.is_named), "")
    current = self.read(target)
    method = _AUGMENTED.get(sign, "")
    result = Expression("operator", method, (current, value), (), "", -1, node.start_byte)
    if method:
        self.implicit_call(method, current, (value,), node.start_byte, node.end_byte)
    if current.name == "__all__" and self.scope == 0 and self.all_names is not None:
        added = _strings(self, value_node)
        self.all_names = None if added is None else [*self.all_names, *added]
    if target.kind_id == self.kinds.identifier:
        self.assign_to(target, "augmented", result)
    else:
        self.write(target, None)
    return _NOTHING


_AUGMENTED = {
    "+=": "__iadd__", "-=": "__isub__", "*=": "__imul__", "/=": "__itruediv__", "//=": "__ifloordiv__", "%=": "__imod__", "**=": "__ipow__",
    "@=": "__imatmul__", "&=": "__iand__", "|=": "__ior__", "^=": "__ixor__", "<<=": "__ilshift__", ">>=": "__irshift__",
}  # fmt: skip


def _strings(self: DeclarationReader, node: Node) -> list[str] | None:
    """The items of a plain list of strings; None where anything of it is computed."""
    if self.kinds.names[node.kind_id] not in ("list", "tuple", "expression_list", "set"):
        return None
    found = []
    for item in self.operands(node):
        if item.kind_id != self.kinds.string:
            return None
        found.append(string_value(self.cut(item.start_byte, item.end_byte)))
    return found


def _called(self: DeclarationReader, node: Node) -> list[Frame]:
    """A call that is a statement; `__all__.extend([...])` and `__all__.append(...)` add names."""
    value = self.read(node)
    callee = value.parts[0] if value.kind == "call" else UNKNOWN
    if self.scope == 0 and callee.kind == "attribute" and callee.parts[0].name == "__all__" and self.all_names is not None:
        arguments = self.operands(node.children[-1])
        added = None
        if callee.name == "extend" and len(arguments) == 1:
            added = _strings(self, arguments[0])
        elif callee.name == "append" and len(arguments) == 1 and arguments[0].kind_id == self.kinds.string:
            added = [string_value(self.cut(arguments[0].start_byte, arguments[0].end_byte))]
        self.all_names = None if added is None else [*self.all_names, *added]
    return _NOTHING


def _delete(self: DeclarationReader, node: Node) -> list[Frame]:
    names = self.kinds.names
    todo = self.operands(node)
    while todo:
        target = todo.pop()
        kind = names[target.kind_id]
        if kind == "identifier":
            self.bind("delete", self.cut(target.start_byte, target.end_byte), target.start_byte)
        elif kind in ("expression_list", "tuple", "list", "parenthesized_expression", "tuple_pattern"):
            todo += self.operands(target)
        elif kind in ("attribute", "subscript"):
            owner = self.read(target)
            if owner.parts:
                method = "__delattr__" if kind == "attribute" else "__delitem__"
                self.implicit_call(method, owner.parts[0], (), target.start_byte, target.end_byte)
    return _NOTHING


# Imports


def _import_flags(self: DeclarationReader) -> tuple[str, ...]:
    flags = ("conditional",) if self.is_conditional else ()
    return (*flags, "type_checking") if self.place.is_type_checking else flags


def _last_name(self: DeclarationReader, node: Node) -> Span:
    """The last name token of a dotted name."""
    end = node.end_byte
    text = self.latin[node.start_byte : end]
    return self.span(end - len(text.rpartition(".")[2].lstrip()), end)


def _dotted(self: DeclarationReader, node: Node) -> str:
    text = self.cut(node.start_byte, node.end_byte)
    text = text if text.isidentifier() else "".join(self.cut(c.start_byte, c.end_byte) for c in node.children if c.kind_id != self.kinds.comment)
    self.mentions.update(text.split("."))
    return text


def _bind_import(self: DeclarationReader, found: Import, name: str, start: int) -> None:
    self.imports.append(found)
    self.mentions.add(name)
    self.bindings.append(Binding(self.scope, name, "import", len(self.imports) - 1, None, "", (), start, self.is_conditional, self.until))


def _import(self: DeclarationReader, node: Node) -> list[Frame]:
    """`import a.b`, `import a.b as c`."""
    names, flags = self.kinds.names, _import_flags(self)
    for child in node.children:
        kind = names[child.kind_id]
        if kind not in ("dotted_name", "aliased_import"):
            continue
        name = child if kind == "dotted_name" else child.children[0]
        module, alias = _dotted(self, name), ""
        if kind == "aliased_import":
            alias = self.cut(child.children[-1].start_byte, child.end_byte)
        span = _last_name(self, name)
        _bind_import(self, Import(self.scope, module, "", alias, 0, span, flags, span), alias or module.partition(".")[0], child.start_byte)
    return _NOTHING


def _import_from(self: DeclarationReader, node: Node) -> list[Frame]:
    """`from ..a import b as c`, `from a import *`."""
    names, flags = self.kinds.names, _import_flags(self)
    module, level, module_span, after_import = "", 0, None, False
    for child in node.children:
        kind = names[child.kind_id]
        if kind == "import":
            after_import = True
        elif kind == "__future__":
            module, module_span = "__future__", self.span(child.start_byte, child.end_byte)
        elif kind == "relative_import":
            text = self.cut(child.start_byte, child.end_byte)
            level = text.count(".") - text.lstrip(". \t").count(".")
            for part in child.children:
                if names[part.kind_id] == "dotted_name":
                    module, module_span = _dotted(self, part), _last_name(self, part)
        elif kind == "wildcard_import":
            span = self.span(child.start_byte, child.end_byte)
            self.imports.append(Import(self.scope, module, "*", "", level, span, (*flags, "star"), module_span))
            self.limit("star-import", f"from {'.' * level}{module} import *", child.start_byte)
        elif kind == "dotted_name" and not after_import:
            module, module_span = _dotted(self, child), _last_name(self, child)
        elif kind in ("dotted_name", "aliased_import"):
            name_node = child if kind == "dotted_name" else child.children[0]
            name, alias = _dotted(self, name_node), ""
            if kind == "aliased_import":
                alias = self.cut(child.children[-1].start_byte, child.end_byte)
            found = Import(self.scope, module, name, alias, level, self.span(name_node.start_byte, name_node.end_byte), flags, module_span)
            _bind_import(self, found, alias or name, child.start_byte)
    return _NOTHING


# Others


def _global(self: DeclarationReader, node: Node) -> list[Frame]:
    kind = "global" if self.kinds.names[node.kind_id] == "global_statement" else "nonlocal"
    for child in self.operands(node):
        self.bind("global" if kind == "global" else "nonlocal", self.cut(child.start_byte, child.end_byte), child.start_byte)
    return _NOTHING


def _return(self: DeclarationReader, node: Node) -> list[Frame]:
    children = self.operands(node)
    value = self.read(children[0]) if children else None
    self.returns.append(Return(self.scope, "return", value, self.span(node.start_byte, node.end_byte)))
    return _NOTHING


def _raise(self: DeclarationReader, node: Node) -> list[Frame]:
    values = [self.read(child) for child in self.operands(node)]
    self.returns.append(Return(self.scope, "raise", values[0] if values else None, self.span(node.start_byte, node.end_byte)))
    return _NOTHING


def _assert(self: DeclarationReader, node: Node) -> list[Frame]:
    values = [self.read(child) for child in self.operands(node)]
    if values and node.parent is not None:
        self.narrow(values[0], (node.end_byte, node.parent.end_byte), None)
    return _NOTHING


def _exec(self: DeclarationReader, node: Node) -> list[Frame]:
    """`exec code` of Python 2."""
    for child in self.operands(node):
        self.read(child)
    self.limit("dynamic-code", "exec", node.start_byte)
    return _NOTHING


def _each(self: DeclarationReader, node: Node) -> list[Frame]:
    for child in self.operands(node):
        self.read(child)
    return _NOTHING


def _nothing(self: DeclarationReader, node: Node) -> list[Frame]:
    return _NOTHING


@cache
def statement_handlers() -> list[Handler | None]:
    """The handler of each kind of statement; None: an expression, or no statement at all."""
    grammar = grammar_of("python")
    table: dict[str, Handler] = {
        "block": _block, "if_statement": _if, "elif_clause": _if, "else_clause": _plain, "for_statement": _for, "while_statement": _while,
        "try_statement": _plain, "except_clause": _except, "finally_clause": _finally, "with_statement": _with, "match_statement": _match,
        "function_definition": _function, "class_definition": _class, "decorated_definition": _decorated, "type_alias_statement": _type_alias,
        "assignment": _assignment, "augmented_assignment": _augmented, "delete_statement": _delete, "call": _called, "string": _nothing,
        "import_statement": _import, "import_from_statement": _import_from, "future_import_statement": _import_from,
        "global_statement": _global, "nonlocal_statement": _global, "return_statement": _return, "raise_statement": _raise,
        "assert_statement": _assert, "exec_statement": _exec, "print_statement": _each, "pass_statement": _nothing,
    }  # fmt: skip
    handlers: list[Handler | None] = grammar.table(None)
    for kind, handler in table.items():
        handlers[grammar.kind(kind)] = handler
    return handlers
