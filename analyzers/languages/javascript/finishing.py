"""After a file is read: names are held against the scopes that declare them, and the facts are put together."""

from __future__ import annotations

import string
from collections import defaultdict

from analyzers.facts import Access, Binding, Definition, Expression, FileFacts
from analyzers.languages.javascript.reading import Reader
from analyzers.registry import analyzer_version, parser_version

_WORD_BYTES = frozenset((string.ascii_letters + string.digits + "_$").encode()) | frozenset(range(0x80, 0x100))
_BLANKED = bytes(byte if byte in _WORD_BYTES else 0x20 for byte in range(0x100))
_KEYWORDS = frozenset({
    "abstract", "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "declare", "default", "delete", "do",
    "else", "enum", "export", "extends", "false", "finally", "for", "from", "function", "get", "if", "implements", "import", "in", "instanceof",
    "interface", "is", "keyof", "let", "namespace", "new", "null", "of", "readonly", "return", "satisfies", "set", "static", "super", "switch",
    "this", "throw", "true", "try", "type", "typeof", "undefined", "var", "void", "while", "with", "yield",
})  # fmt: skip
_TYPES = frozenset({"interface", "namespace", "class", "enum"})


def finished(r: Reader) -> FileFacts:
    """The facts of a file that was read."""
    _place_assignments(r)
    _place_reads(r)
    definitions = _flagged(r)
    _note_merging(r)
    parsed = r.parsed
    return FileFacts(
        language=parsed.language,
        parser_version=parser_version(parsed.language),
        analyzer_version=analyzer_version(parsed.language),
        line_count=parsed.line_count,
        has_error=bool(parsed.errors),
        definitions=definitions,
        scopes=tuple(r.scopes),
        bindings=tuple(sorted(r.bindings, key=_start)),
        imports=tuple(r.imports),
        exports=tuple(r.exports),
        calls=tuple(r.calls),
        accesses=tuple(r.accesses),
        returns=tuple(r.returns),
        values=tuple(r.values),
        mentions=_mentions(r),
        error_rows=parsed.error_rows(),
        limitations=(*parsed.limitations, *r.limitations),
        narrowings=tuple(r.narrowings),
    )


def _start(binding: Binding) -> int:
    return binding.start


def declaring_scope(r: Reader, scope: int, name: str) -> int:
    """The scope that declares what `name` means in `scope`; -1: none. Members of a class are not names in it."""
    scopes, declared = r.scopes, r.declared
    while scope >= 0:
        row = scopes[scope]
        if name in declared[scope] and (row.kind != "class" or r.definitions[row.definition].name == name):
            return scope
        scope = row.parent
    return -1


def _place_assignments(r: Reader) -> None:
    for found in r.assignments:
        scope = declaring_scope(r, found.scope, found.name)
        if scope < 0:
            continue
        region, own, outer = found.region, r.hoists[found.scope], r.hoists[scope]
        until = region[1] if region is not None and region[0] > r.scopes[scope].start else -1
        if own != outer:
            until = r.ends[own]
            if r.scopes[scope].kind == "module":
                target = _name_at(found.name, found.start)
                end = found.start + len(found.name.encode())
                r.accesses.append(Access(found.scope, target, r.span(found.start, end), True, found.value if not found.path else None))
        r.bindings.append(Binding(scope, found.name, found.kind, -1, found.value, "", found.path, found.start, until >= 0, until))


def _name_at(name: str, start: int) -> Expression:
    return Expression("name", name, (), (), "", -1, start)


def _place_reads(r: Reader) -> None:
    """A read of a name that a function around the present one declares, or the module."""
    hoists = r.hoists
    for (scope, name), expression in r.names_read.items():
        declared_in = declaring_scope(r, scope, name)
        if declared_in >= 0 and hoists[declared_in] != hoists[scope]:
            start = expression.start
            r.accesses.append(Access(scope, expression, r.span(start, start + len(name.encode()))))


def _flagged(r: Reader) -> tuple[Definition, ...]:
    """The definitions with what only the whole file tells: exports, and which signatures are overloads."""
    local = {found.local for found in r.exports if not found.module}
    default = {found.local for found in r.exports if found.name == "default"}
    has_body = {found.qualified_name for found in r.definitions if "declaration" not in found.flags and found.kind in ("function", "method")}
    finished = []
    for found in r.definitions:
        flags = found.flags
        if "declaration" in flags and found.kind in ("function", "method") and found.qualified_name in has_body:
            flags = tuple("overload" if flag == "declaration" else flag for flag in flags)
        if found.scope == 0 and found.parent == 0 and found.qualified_name in local:
            is_default = found.qualified_name in default and "default_export" not in flags
            flags = (*flags, "exported", "default_export") if is_default else (*flags, "exported")
        if flags is not found.flags:
            found = Definition(
                found.name, found.qualified_name, found.ordinal, found.kind, found.parent, found.scope, found.span, found.name_span,
                found.parameters, found.returns, found.bases, found.decorators, found.value, flags, found.base_spans,
            )  # fmt: skip
        finished.append(found)
    return tuple(finished)


def _note_merging(r: Reader) -> None:
    """Interfaces, namespaces, classes and enums of one name are one thing to TypeScript, here they are several."""
    repeated: defaultdict[str, list[Definition]] = defaultdict(list)
    for found in r.definitions:
        if found.ordinal:
            repeated[found.qualified_name].append(found)
    if not repeated:
        return
    kinds = {found.qualified_name: found.kind for found in r.definitions if found.ordinal == 0 and found.qualified_name in repeated}
    for name, rest in repeated.items():
        if kinds[name] in _TYPES and any(found.kind in _TYPES or found.kind == "function" for found in rest):
            r.limit("declaration-merging", name, rest[0].span.start)


def _mentions(r: Reader) -> tuple[str, ...]:
    """The words of the file outside of comments and prose."""
    source = r.source
    kept: list[bytes] = []
    position = 0
    for start, end in sorted(r.unmentioned):
        if start > position:
            kept.append(source[position:start])
        position = max(position, end)
    kept.append(source[position:])
    words = set(b" ".join(kept).replace(b"${", b" ").translate(_BLANKED).decode("utf-8", "replace").split()) - _KEYWORDS
    return tuple(sorted([word for word in words if word[0] not in string.digits]))
