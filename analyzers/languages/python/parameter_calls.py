"""Which parameters a file's functions call: what others learn from it about the functions that they pass here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from analyzers.facts import Access, Call, ParameterCall
from analyzers.languages.python.declarations import DeclarationReader

Names = dict[tuple[int, str], int]
"""(scope, name) → number of the parameter; -1 where the name is bound in another way too"""


def parameter_calls(reader: DeclarationReader) -> Iterator[ParameterCall]:
    """Calls of parameters, from where they stand or from inside, and of attributes in which a method put nothing but its parameter."""
    names: Names = {}
    for binding in reader.bindings:
        key = (binding.scope, binding.name)
        names[key] = binding.target if binding.kind == "parameter" and key not in names else -1
    attributes = _attributes(reader, names)
    found = {}
    for call in reader.calls:
        for one in _of_call(reader, names, attributes, call):
            found[one] = True
    return iter(found)


def _of_call(
    reader: DeclarationReader, names: Names, attributes: dict[tuple[int, str], list[tuple[int, int]]], call: Call
) -> Iterator[ParameterCall]:
    callee = call.expression.parts[0] if call.expression.parts else None
    if callee is None or "implicit" in call.flags:
        return
    caller = reader.scopes[call.scope].definition
    if callee.kind == "name":
        owner = _parameter(reader, names, call.scope, callee.name)
        if owner is not None:
            yield ParameterCall(*owner, caller)
    elif callee.kind == "attribute" and callee.parts[0].kind == "name" and attributes:
        for definition, parameter in attributes.get((_class_of(reader, call.scope, callee.parts[0].name), callee.name), ()):
            yield ParameterCall(definition, parameter, caller)


def _parameter(reader: DeclarationReader, names: Names, scope: int, name: str) -> tuple[int, int] | None:
    """(function, number) of the parameter that a name is in a scope."""
    is_first = True
    while scope > 0:
        number = names.get((scope, name))
        row = reader.scopes[scope]
        if number is not None and (row.kind != "class" or is_first):
            return (row.definition, number) if number >= 0 and row.kind == "function" else None
        scope, is_first = row.parent, False
    return None


def _attributes(reader: DeclarationReader, names: Names) -> dict[tuple[int, str], list[tuple[int, int]]]:
    """(class, attribute) → the parameters of methods that are put there, where nothing else is."""
    writes: dict[tuple[int, str], list[Access]] = defaultdict(list)
    for access in reader.accesses:
        target = access.target
        if access.is_write and target.kind == "attribute" and target.parts[0].kind == "name":
            owner = _class_of(reader, access.scope, target.parts[0].name)
            if owner > 0:
                writes[owner, target.name].append(access)
    found: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for key, accesses in writes.items():
        values = [(access.scope, access.value) for access in accesses if access.value is not None and access.value.name != "none"]
        given = [_parameter(reader, names, scope, value.name) for scope, value in values if value.kind == "name"]
        if given and len(given) == len(values):
            found[key] = [one for one in given if one is not None]
    return found


def _class_of(reader: DeclarationReader, scope: int, name: str) -> int:
    """The class whose method's first parameter `name` is in `scope`; -1: none."""
    index = reader.scopes[scope].definition
    while index > 0:
        definition = reader.definitions[index]
        if definition.parent > 0 and reader.definitions[definition.parent].kind == "class":
            return definition.parent if definition.parameters and definition.parameters[0].name == name else -1
        index = definition.parent
    return -1
