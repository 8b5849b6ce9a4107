"""Constants as values by key path: `CONFIG.a.b`, `Class.field`, `Enum.Member`."""

from __future__ import annotations

from hashlib import blake2b

from analyzers.facts import Value
from analyzers.key_paths import MAX_VALUES, OUTLINE_CHARACTERS, TEXT_CHARACTERS, join_key
from analyzers.languages.javascript.keys import key_name, method_name
from analyzers.languages.javascript.reading import Reader
from analyzers.languages.javascript.texts import spell_number, spell_string, string_value
from analyzers.parsing import Node

_DEPTH = 30
"""Levels of an expression that are spelled; what is below is taken as written."""
_OPAQUE = frozenset({
    "arrow_function", "function_expression", "generator_function", "class", "call_expression", "new_expression", "await_expression", "jsx_element",
    "jsx_self_closing_element", "yield_expression",
})  # fmt: skip
"""What has no value until it runs: shown as `…` inside of an object or list."""
HIDDEN = "\0"
"""Stands for them while a text is made: no other text has this character."""
_COMPOUND = frozenset({
    "binary_expression", "ternary_expression", "assignment_expression", "augmented_assignment_expression", "sequence_expression", "arrow_function",
    "await_expression", "yield_expression",
})  # fmt: skip
_TIGHT = frozenset({"member_expression", "subscript_expression", "call_expression", "spread_element", "unary_expression"})
"""Written without blanks; a word operator (`typeof x`) reads badly so, but is told apart all the same."""
_TYPES = frozenset({"type_arguments", "type_annotation"})


def canonical(r: Reader, node: Node, depth: int = 0) -> str:
    """The text of an expression in one spelling: JSON's for literals, objects and lists, one blank between other tokens."""
    k = r.kinds
    kind = node.kind_id
    while kind in k.wrappers and (inner := r.operands(node)):
        node, kind = inner[0], inner[0].kind_id
    if node.type in _OPAQUE:
        return HIDDEN
    if kind == k.string:
        return spell_string(string_value(r.text(node)))
    if kind == k.number:
        return spell_number(r.text(node))
    children = r.solid(node)
    if not children or depth > _DEPTH:
        return r.squeezed(node)
    if kind == k.template_string:
        return _template(r, node, children, depth)
    if kind == k.array:
        return "[" + ", ".join(canonical(r, child, depth + 1) for child in children if child.is_named) + "]"
    if kind == k.object:
        return _object(r, children, depth)
    return _tokens(r, node, children, depth)


def _tokens(r: Reader, node: Node, children: list[Node], depth: int) -> str:
    """Any other expression: its parts with one blank between, parentheses exactly where they decide what belongs together."""
    k = r.kinds
    parts: list[str] = []
    for index, child in enumerate(children):
        if child.type in _TYPES or (child.type == "," and index + 1 < len(children) and not children[index + 1].is_named):
            continue
        text = canonical(r, child, depth + 1)
        inner = child
        while inner.kind_id in k.wrappers and (operands := r.operands(inner)):
            inner = operands[0]
        if inner.type in _COMPOUND and not (index == 0 and _operator(inner) == _operator(node) != ""):
            text = f"({text})"
        parts.append(text)
    return "".join(parts) if node.type in _TIGHT else " ".join(parts)


def _operator(node: Node) -> str:
    """The operator of a binary expression that groups to the left."""
    operator = node.children[1].type if node.type == "binary_expression" and len(node.children) == 3 else ""
    return "" if operator == "**" else operator


def _template(r: Reader, node: Node, children: list[Node], depth: int) -> str:
    if all(child.kind_id != r.kinds.template_substitution for child in children):
        return spell_string(string_value(r.text(node)))
    parts = [
        "${" + canonical(r, child.children[1], depth + 1) + "}" if child.kind_id == r.kinds.template_substitution and len(child.children) == 3
        else r.text(child)
        for child in children
    ]  # fmt: skip
    return "".join(parts)


def _object(r: Reader, children: list[Node], depth: int) -> str:
    """The order of keys does not count, except where a spread may overwrite some."""
    k = r.kinds
    entries = [child for child in children if child.is_named]
    pairs = [_pair(r, child, depth) for child in entries]
    if all(child.kind_id != k.spread for child in entries):
        pairs.sort()
    return "{" + ", ".join(pairs) + "}"


def _pair(r: Reader, node: Node, depth: int) -> str:
    if node.kind_id == r.kinds.method:
        return f"{spell_string(method_name(r, node))}: {HIDDEN}"
    if node.kind_id != r.kinds.pair:
        text = r.squeezed(node)
        return f"{spell_string(text)}: {text}" if node.kind_id == r.kinds.shorthand else canonical(r, node, depth + 1)
    key, *_, value = r.solid(node)
    return f"{spell_string(key_name(r, key) or r.squeezed(key))}: {canonical(r, value, depth + 1)}"


def add_values(r: Reader, key: str, start: int, value: Node) -> None:
    """Note the value of a constant and, of an object or list, of everything in it. start: where the constant's name begins."""
    todo = [(key, start, value)]
    room = MAX_VALUES - len(r.values)
    while todo:
        key, start, node = todo.pop()
        k = r.kinds
        while node.kind_id in k.wrappers and (inner := r.operands(node)):
            node = inner[0]
        if node.type in _OPAQUE:
            continue
        if room <= 0:
            r.limit("too-many-values", f"only {MAX_VALUES} values are kept", start)
            return
        room -= 1
        text = canonical(r, node)
        is_collection = node.kind_id == k.object or node.kind_id == k.array
        if HIDDEN in text and not is_collection:
            continue
        shown = text[: OUTLINE_CHARACTERS if is_collection else TEXT_CHARACTERS].replace(HIDDEN, "…")
        r.values.append(Value(key, shown, blake2b(text.encode(), digest_size=16).hexdigest(), r.span(start, node.end_byte)))
        if is_collection:
            todo.extend(reversed(_below(r, key, node)))


def _below(r: Reader, key: str, node: Node) -> list[tuple[str, int, Node]]:
    k = r.kinds
    if node.kind_id == k.array:
        items = [child for child in r.solid(node) if child.is_named]
        return [(f"{key}[{index}]", item.start_byte, item) for index, item in enumerate(items)]
    found = []
    for child in node.children:
        if child.kind_id == k.pair:
            name, *_, value = r.solid(child)
            if name.kind_id != k.computed:
                text = string_value(r.text(name)) if name.kind_id == k.string else r.text(name)
                found.append((join_key(key, text), child.start_byte, value))
    return found
