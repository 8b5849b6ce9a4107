"""Any language with a tags query: definitions, calls by name and imports, as `analyzers/queries/<language>.scm` finds them in the tree.

What a query's captures mean (one pattern describes one thing):

    @definition.KIND   what declares something; KIND is one of `facts.DefinitionKind`. A function inside a class is a method.
    @scope.KIND        a region without a name of its own whose definitions stand under its @owner, as in a KIND (Rust's `impl`)
    @call, @call.new   what calls
    @import            what imports; @module is what is imported
    @mention           an identifier
    @name              in a definition or a call: its name. The first pattern that names a token has it.
    @owner             in a definition: under which name it stands besides those around it (Go's receiver, C++'s `A::`)
    @receiver          in a call: on what it is called
    @parameters        in a definition: that it has a signature
    @body              in a definition: what is not its signature. A function without one is a declaration only …
    @complete          … but where this is captured too: then it is one with an empty body
    @prototype         in a definition: that what it declares is defined elsewhere, in C's way; nothing is guessed to call it

Nothing is followed here and no name is looked up; local variables are no definitions. Comments are the only thing that hashes leave out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import get_args

from analyzers.facts import (
    Binding,
    Call,
    Definition,
    DefinitionKind,
    Expression,
    FileFacts,
    Import,
    Limitation,
    Scope,
    ScopeKind,
    Skipped,
    SymbolDigests,
)  # fmt: skip
from analyzers.normalise import Begin, Close, Item, Next, Normaliser, Open, Piece, Rule, Rules, normalise
from analyzers.parsing import MAX_DEPTH, Grammar, Node, Parsed
from analyzers.registry import analyzer_version, parser_version

KINDS: Mapping[str, DefinitionKind] = {f"definition.{kind}": kind for kind in get_args(DefinitionKind)}
"""Capture → what it declares."""
SCOPES: Mapping[str, DefinitionKind] = {"scope.class": "class", "scope.namespace": "namespace"}
"""Capture → as in what its definitions stand."""
_CLASSES = frozenset({"class", "interface", "enum", "type"})
_FUNCTIONS = frozenset({"function", "method"})
_SCOPE_KINDS: Mapping[str, ScopeKind] = {
    "class": "class", "interface": "class", "enum": "class", "type": "class", "namespace": "class", "function": "function", "method": "function",
}  # fmt: skip
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[^\W\d][\w?!$]*")
MODULE_LENGTH = 200
"""Longer names of what is imported (`use` with a tree of names) are cut here."""
_COMMENT = "comment"
"""Kinds of node whose name ends so are comments, in every grammar."""
_SPELLED = re.compile("string|heredoc|char|regex|literal|text|word|template")
"""In kinds of node with such names white space counts."""

_NOT_WHOLE = Limitation("too-deep", "expressions nested so deep that some calls in them were not seen")

Captures = Mapping[str, list[Node]]


@dataclass(slots=True)
class _Region:
    """A definition or a scope as found, in the order of the text."""

    node: Node
    name: Node | None
    kind: DefinitionKind
    owner: str = ""
    body: Node | None = None
    has_signature: bool = False
    is_complete: bool = True
    is_prototype: bool = False


@dataclass(slots=True)
class _Around:
    """What holds the place that is being read: until where, its scope, its definition, the qualified name below it."""

    end: int
    scope: int
    definition: int
    prefix: str
    is_class: bool


@dataclass(slots=True)
class _Found:
    """What a query found in one file. calls and imports: the captures of each."""

    regions: list[_Region] = field(default_factory=list)
    calls: list[tuple[Node, bool, Captures]] = field(default_factory=list)
    imports: list[tuple[Node, list[Node]]] = field(default_factory=list)
    mentions: set[str] = field(default_factory=set)
    is_whole: bool = True


@cache
def query_of(language: str) -> str:
    """The text of a language's tags query. Raises FileNotFoundError where it has none."""
    return (resources.files("analyzers") / "queries" / f"{language}.scm").read_text(encoding="utf-8")


def facts(parsed: Parsed) -> FileFacts | Skipped:
    """The outline of a file. Skipped where its definitions are nested too deep."""
    found = _read(parsed)
    outline = _Outline(parsed)
    for region in found.regions:
        outline.enter(region)
        if len(outline.around) > MAX_DEPTH:
            return Skipped(Limitation("too-deep", f"definitions nested in {MAX_DEPTH} others"))
    outline.add_calls(found.calls)
    outline.add_imports(found.imports)
    return FileFacts(
        language=parsed.language,
        parser_version=parser_version(parsed.language),
        analyzer_version=analyzer_version(parsed.language),
        line_count=parsed.line_count,
        has_error=bool(parsed.errors),
        definitions=tuple(outline.settled()),
        scopes=tuple(outline.scopes),
        bindings=tuple(outline.bindings),
        imports=tuple(outline.imports),
        calls=tuple(outline.calls),
        mentions=tuple(sorted(found.mentions)),
        error_rows=parsed.error_rows(),
        limitations=(*parsed.limitations, *(() if found.is_whole else (_NOT_WHOLE,))),
    )


def digests(parsed: Parsed, outline: FileFacts) -> SymbolDigests:
    """The hashes of a file's definitions: of their structure, without comments and layout."""
    marks: dict[int, list[Item]] = {parsed.root.id: [Open(-1), Begin(-1, "body")]}
    closing: dict[int, list[Item]] = {parsed.root.id: [Close(-1)]}
    for region in _read(parsed).regions:
        if region.name is None:
            continue
        key = region.name.start_byte
        marks.setdefault(region.node.id, []).append(Open(key))
        closing.setdefault(region.node.id, []).insert(0, Close(key))
        if region.has_signature:
            marks[region.node.id].append(Begin(key, "header"))
            if region.body is None and region.is_complete:
                closing[region.node.id].insert(0, Next(key, "body"))
            if region.body is not None:
                marks.setdefault(region.body.id, []).append(Next(key, "body"))
                closing.setdefault(region.body.id, []).insert(0, Next(key, "header"))
        else:
            # Without a signature all but the name is the body.
            marks[region.node.id].append(Begin(key, "body"))
            marks.setdefault(region.name.id, []).append(Next(key, "header"))
            closing.setdefault(region.name.id, []).insert(0, Next(key, "body"))
    return normalise(parsed, outline, _rules(parsed, marks, closing))


def _read(parsed: Parsed) -> _Found:
    """All that the query finds, each token named once, definitions and scopes in the order of the text with outer ones first."""
    found = _Found()
    named: dict[int, tuple[int, _Region]] = {}
    called: dict[int, tuple[int, Node, bool, Captures]] = {}
    matches, found.is_whole = parsed.matches(query_of(parsed.language))
    for pattern, captures in matches:
        for capture, nodes in captures.items():
            if capture == "mention":
                found.mentions.update(parsed.text(node.start_byte, node.end_byte) for node in nodes)
            elif capture == "import":
                found.imports.append((nodes[0], captures.get("module", [])))
            elif capture in SCOPES:
                found.regions.append(_Region(nodes[0], None, SCOPES[capture], _owner(parsed, captures)))
            elif capture in KINDS:
                for name in captures.get("name", ()):
                    if name.start_byte not in named or named[name.start_byte][0] > pattern:
                        named[name.start_byte] = pattern, _region(parsed, KINDS[capture], name, captures)
            elif capture in ("call", "call.new"):
                for name in captures.get("name", ()):
                    if name.start_byte not in called or called[name.start_byte][0] > pattern:
                        called[name.start_byte] = pattern, name, capture == "call.new", captures
    found.mentions.discard("")
    found.regions += [region for _, region in named.values() if region.name is not None and region.name.end_byte > region.name.start_byte]
    found.regions.sort(key=lambda region: (region.node.start_byte, -region.node.end_byte, region.name.start_byte if region.name else -1))
    found.calls = [(name, is_new, captures) for _, name, is_new, captures in sorted(called.values(), key=lambda call: call[1].start_byte)]
    found.imports.sort(key=lambda row: row[0].start_byte)
    return found


def _region(parsed: Parsed, kind: DefinitionKind, name: Node, captures: Captures) -> _Region:
    [node] = next(nodes[:1] for capture, nodes in captures.items() if capture in KINDS)
    body = captures.get("body")
    has_signature = kind in _FUNCTIONS or "parameters" in captures
    is_complete = body is not None or "complete" in captures or kind not in _FUNCTIONS
    return _Region(node, name, kind, _owner(parsed, captures), body[0] if body else None, has_signature, is_complete, "prototype" in captures)


def _owner(parsed: Parsed, captures: Captures) -> str:
    """The names in @owner, joined as qualified names are."""
    nodes = captures.get("owner", ())
    return ".".join(word for node in nodes for word in _WORD.findall(parsed.text(node.start_byte, node.end_byte)))


class _Outline:
    """Definitions, scopes, calls and imports of one file, as they are put together."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.span = parsed.spans()
        whole = self.span(0, len(parsed.source))
        self.definitions = [Definition("", "", 0, "module", -1, -1, whole, self.span(0, 0))]
        self.scopes = [Scope("module", -1, 0, 0)]
        self.bindings: list[Binding] = []
        self.calls: list[Call] = []
        self.imports: list[Import] = []
        self.around = [_Around(len(parsed.source) + 1, 0, 0, "", False)]
        self._owned: dict[int, str] = {}
        """definition → the qualified name that it stands under"""
        self._ordinals: dict[str, int] = {}
        self._bounds: list[tuple[int, int, int]] = []
        """(start, end, scope) of every scope but the module's, outer ones first"""

    def enter(self, region: _Region) -> None:
        """Add a definition or a scope."""
        start, end = region.node.start_byte, region.node.end_byte
        while self.around[-1].end < end or self.around[-1].end <= start:
            self.around.pop()
        above = self.around[-1]
        prefix = f"{above.prefix}.{region.owner}" if above.prefix and region.owner else above.prefix or region.owner
        if region.name is None:
            self.around.append(_Around(end, above.scope, above.definition, prefix, region.kind in _CLASSES))
            return
        index = self._define(region, region.name, prefix)
        if scope_kind := _SCOPE_KINDS.get(region.kind):
            scope = len(self.scopes)
            self.scopes.append(Scope(scope_kind, above.scope, index, start))
            self._bounds.append((start, end, scope))
            self.around.append(_Around(end, scope, index, self.definitions[index].qualified_name, region.kind in _CLASSES))

    def _define(self, region: _Region, name_node: Node, prefix: str) -> int:
        above = self.around[-1]
        name = self.parsed.text(name_node.start_byte, name_node.end_byte)
        qualified_name = f"{prefix}.{name}" if prefix else name
        kind = region.kind
        if kind in _FUNCTIONS:
            is_method = above.is_class or bool(region.owner) or (kind == "method" and bool(prefix))
            kind = "method" if is_method else "function"
        flags: tuple[str, ...] = () if region.is_complete else ("declaration", "overload") if region.is_prototype else ("declaration",)
        start, end = region.node.start_byte, region.node.end_byte
        if self.parsed.errors and self.parsed.overlaps_error(start, max(end, start + 1)):
            flags = (*flags, "error")
        index = len(self.definitions)
        ordinal = self._ordinals[qualified_name] = self._ordinals.get(qualified_name, -1) + 1
        if prefix:
            self._owned[index] = prefix
        self.definitions.append(
            Definition(
                name, qualified_name, ordinal, kind, above.definition, above.scope, self.span(start, end),
                self.span(name_node.start_byte, name_node.end_byte), flags=flags,
            )
        )  # fmt: skip
        self.bindings.append(Binding(above.scope, name, "definition", index, start=name_node.start_byte))
        return index

    def settled(self) -> Iterator[Definition]:
        """The definitions, each below the one that its qualified name names, wherever that stands in the file."""
        first: dict[str, int] = {}
        for index, definition in enumerate(self.definitions):
            if definition.kind in _SCOPE_KINDS:
                first.setdefault(definition.qualified_name, index)
        for index, found in enumerate(self.definitions):
            owner = self._owned.get(index)
            parent = found.parent
            if owner and self.definitions[parent].qualified_name != owner:
                parent = first.get(owner, parent)
            yield found if parent == found.parent else _below(found, parent)

    def add_calls(self, calls: Sequence[tuple[Node, bool, Captures]]) -> None:
        """Add the calls, which come in the order of the text."""
        scopes = self._scopes_at([name.start_byte for name, _, _ in calls])
        for (node, is_new, captures), scope in zip(calls, scopes, strict=True):
            name = self.parsed.text(node.start_byte, node.end_byte)
            if not name:
                continue
            receivers = captures.get("receiver")
            callee = Expression("name", name, start=node.start_byte)
            start = node.start_byte
            if receivers:
                start = receivers[0].start_byte
                text = self.parsed.text(start, receivers[0].end_byte) if receivers[0].end_byte - start < 100 else ""
                receiver = Expression("name", text, start=start) if _NAME.fullmatch(text) else Expression("unknown", start=start)
                callee = Expression("attribute", name, (receiver,), start=node.start_byte)
            expression = Expression("new" if is_new else "call", parts=(callee,), start=start)
            self.calls.append(Call(scope, expression, self.span(node.start_byte, node.end_byte), ("new",) if is_new else ()))

    def add_imports(self, imports: Sequence[tuple[Node, list[Node]]]) -> None:
        """Add the imports, which come in the order of the text; quotes and brackets are no part of what is imported."""
        modules: dict[int, list[Node]] = {}
        for node, parts in imports:
            modules.setdefault(node.start_byte, []).extend(parts)
        for offset, scope in zip(modules, self._scopes_at(modules), strict=True):
            if parts := modules[offset]:
                start, end = min(part.start_byte for part in parts), max(part.end_byte for part in parts)
                if module := " ".join(self.parsed.text(start, end).split())[:MODULE_LENGTH].strip("\"'`<> "):
                    self.imports.append(Import(scope, module, "", "", 0, self.span(start, end)))

    def _scopes_at(self, offsets: Iterable[int]) -> Iterator[int]:
        """The innermost scope of each offset; they come in ascending order."""
        bounds = iter(self._bounds)
        ahead = next(bounds, None)
        stack = [(len(self.parsed.source) + 1, 0)]
        for offset in offsets:
            while ahead is not None and ahead[0] <= offset:
                while stack[-1][0] <= ahead[0]:
                    stack.pop()
                stack.append(ahead[1:])
                ahead = next(bounds, None)
            while stack[-1][0] <= offset:
                stack.pop()
            yield stack[-1][1]


def _below(found: Definition, parent: int) -> Definition:
    return Definition(
        found.name, found.qualified_name, found.ordinal, found.kind, parent, found.scope, found.span, found.name_span, flags=found.flags
    )


@cache
def _named_kinds(grammar: Grammar) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Kinds of node: comments, all others that have a name, and tokens that are white space."""
    rows = list(zip(grammar.kinds[: grammar.count], grammar.is_named[: grammar.count], strict=True))
    named = {kind for kind, is_named in rows if is_named and not kind.startswith("_") and grammar.has_kind(kind)}
    comments = {kind for kind in named if kind.endswith(_COMMENT)}
    blank = {kind for kind, is_named in rows if not is_named and kind and not kind.strip() and grammar.has_kind(kind, named=False)}
    return frozenset(comments), frozenset(named - comments), frozenset(blank)


def _rules(parsed: Parsed, marks: Mapping[int, list[Item]], closing: Mapping[int, list[Item]]) -> Rules:
    comments, others, blank = _named_kinds(parsed.grammar)
    is_spelled = frozenset(kind for kind in others if _SPELLED.search(kind))

    def read(node: Node, text: Normaliser) -> Iterable[Node | Item] | None:
        children, own = node.children, marks.get(node.id)
        parts = list(_with_gaps(node, children, text.source, node.type in is_spelled)) if children or own is not None else []
        if own is None and len(parts) == len(children):
            return None
        return [*(own or ()), Piece(b"(" + node.type.encode()), *parts, Piece(b")"), *closing.get(node.id, ())]

    rule: Rule = read
    return Rules(parsed.grammar, silent=blank, dropped=comments, rules=dict.fromkeys(others, rule))


def _with_gaps(node: Node, children: Sequence[Node], source: bytes, is_spelled: bool) -> Iterator[Node | Item]:
    """A node's children, and the text between them that is no node: what some grammars do with the inside of strings."""
    place = node.start_byte
    for child in children:
        gap = source[place : child.start_byte]
        if gap and (is_spelled or not gap.isspace()):
            yield Piece(gap)
        yield child
        place = child.end_byte
    gap = source[place : node.end_byte]
    if gap and (is_spelled or not gap.isspace()):
        yield Piece(gap)
