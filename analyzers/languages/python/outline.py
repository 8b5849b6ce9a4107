"""The facts of one Python file: runs the readers over its statements, then settles what only the whole file can tell."""

from __future__ import annotations

import builtins

from msgspec import structs

from analyzers.facts import Access, Definition, FileFacts, Limitation, Skipped
from analyzers.languages.python.declarations import DeclarationReader, Frame, TooDeepError
from analyzers.languages.python.parameter_calls import parameter_calls
from analyzers.languages.python.statements import statement_handlers
from analyzers.parsing import MAX_DEPTH, Parsed
from analyzers.registry import analyzer_version, parser_version

_BUILTINS = frozenset(dir(builtins))


def facts(parsed: Parsed) -> FileFacts | Skipped:
    """The outline of a file. Skipped where its blocks or definitions are nested too deep."""
    reader = DeclarationReader(parsed)
    try:
        _read_statements(reader)
    except TooDeepError as error:
        return Skipped(Limitation("too-deep", str(error)))
    _note_reads(reader)
    _note_patches(reader)
    return FileFacts(
        language=parsed.language,
        parser_version=parser_version(parsed.language),
        analyzer_version=analyzer_version(parsed.language),
        line_count=parsed.line_count,
        has_error=bool(parsed.errors),
        definitions=tuple(_definitions(reader)),
        scopes=tuple(reader.scopes),
        bindings=tuple(reader.bindings),
        imports=tuple(reader.imports),
        calls=tuple(reader.calls),
        accesses=tuple(reader.accesses),
        returns=tuple(reader.returns),
        values=tuple(reader.values),
        all_names=tuple(reader.all_names) if reader.all_names is not None else None,
        mentions=tuple(sorted(reader.mentions)),
        error_rows=parsed.error_rows(),
        limitations=(*parsed.limitations, *reader.limitations),
        narrowings=tuple(reader.narrowings),
        parameter_calls=tuple(parameter_calls(reader)),
    )


def _read_statements(reader: DeclarationReader) -> None:
    handlers, readers = statement_handlers(), reader.readers
    frames: list[Frame] = [(iter(reader.parsed.root.children), reader.place)]
    while frames:
        nodes, place = frames[-1]
        reader.enter(place)
        for node in nodes:
            kind = node.kind_id
            handler = handlers[kind]
            if handler is None:
                if readers[kind] is not None:
                    reader.read(node)
                if reader.deferred:
                    reader.read_deferred()
                continue
            pushed = handler(reader, node)
            if reader.deferred:
                reader.read_deferred()
            if pushed:
                if len(frames) > MAX_DEPTH:
                    raise TooDeepError(f"blocks nested in {MAX_DEPTH} others")
                frames += pushed[::-1]
                break
        else:
            frames.pop()


def _definitions(reader: DeclarationReader) -> list[Definition]:
    """The definitions, with what their bodies and the rest of the file say about them."""
    parsed, found = reader.parsed, reader.definitions
    for scope in reader.generators:
        if reader.scopes[scope].kind == "function":
            index = reader.scopes[scope].definition
            found[index] = structs.replace(found[index], flags=(*found[index].flags, "generator"))
    changed = {(binding.scope, binding.name) for binding in reader.bindings if binding.kind in ("augmented", "global")}
    repeated = {definition.qualified_name for definition in found if definition.ordinal}
    for index, definition in enumerate(found):
        value = definition.value
        if definition.kind != "variable" or value is None or value.kind != "literal" or definition.qualified_name in repeated:
            continue
        if (definition.scope, definition.name) not in changed:
            found[index] = structs.replace(definition, kind="constant")
    if parsed.errors:
        for index, definition in enumerate(found):
            if parsed.overlaps_error(definition.span.start, max(definition.span.end, definition.span.start + 1)):
                found[index] = structs.replace(definition, flags=(*definition.flags, "error"))
    return found


def _note_reads(reader: DeclarationReader) -> None:
    """Keep the reads of names that stand outside of the function that reads them: the module's, and those of functions around it."""
    scopes = reader.scopes
    bound: list[set[str]] = [set() for _ in scopes]
    has_star = any("star" in found.flags for found in reader.imports)
    for binding in reader.bindings:
        if binding.kind not in ("global", "nonlocal"):
            bound[binding.scope].add(binding.name)
    for binding in reader.bindings:
        if binding.kind in ("global", "nonlocal"):
            bound[binding.scope].discard(binding.name)
    mentions, accesses, span = reader.mentions, reader.accesses, reader.span
    for scope, reads in enumerate(reader.reads_of):
        outer: dict[str, bool] = {}
        for expression in reads:
            name = expression.name
            is_outer = outer.get(name)
            if is_outer is None:
                is_outer = outer[name] = _is_outer(reader, bound, scope, name, has_star)
            if is_outer:
                start = expression.start
                accesses.append(Access(scope, expression, span(start, start + len(name if reader.is_ascii else name.encode()))))
        mentions.update(outer)


def _is_outer(reader: DeclarationReader, bound: list[set[str]], scope: int, name: str, has_star: bool) -> bool:
    scopes = reader.scopes
    is_first = True
    crossed = False
    while scope > 0:
        kind = scopes[scope].kind
        if name in bound[scope] and (kind != "class" or is_first):
            return crossed
        crossed = crossed or kind == "function"
        scope = scopes[scope].parent
        is_first = False
    return name in bound[0] or (has_star and name not in _BUILTINS)


def _note_patches(reader: DeclarationReader) -> None:
    """Say where an attribute of an imported thing, or of a class of this file, is assigned from outside."""
    foreign = {
        binding.name
        for binding in reader.bindings
        if binding.scope == 0 and (binding.kind == "import" or (binding.kind == "definition" and reader.definitions[binding.target].kind == "class"))
    }
    local: set[tuple[int, str]] | None = None
    for access in reader.accesses:
        target = access.target
        if not access.is_write or target.kind != "attribute" or target.parts[0].name not in foreign or target.parts[0].kind != "name":
            continue
        if local is None:
            local = {(binding.scope, binding.name) for binding in reader.bindings if binding.scope and binding.kind not in ("global", "nonlocal")}
        owner = target.parts[0].name
        if (access.scope, owner) not in local:
            reader.limitations.append(Limitation("monkey-patch", f"{owner}.{target.name} is assigned", access.span.row))
