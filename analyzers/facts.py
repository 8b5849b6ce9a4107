"""What one file's bytes say: definitions, scopes, bindings, imports, calls, values, and the hashes of its symbols.

A **fact** knows no path and no revision. `FileFacts` is the outline that name resolution works on; `SymbolDigests` holds the
normalised hashes that claims stand on. Both are keyed by (content hash, language, parser version, analyzer version).

All positions are byte offsets into the file; rows and columns count from 0, columns in bytes.
Indexes (`scope`, `definition`, `parent`) point into the tuples of the same `FileFacts`; -1 means none.
Nothing here can lead back to itself, so the garbage collector does not look at it (`gc=False`).
"""

from __future__ import annotations

from typing import Literal

import msgspec

DefinitionKind = Literal["module", "class", "interface", "type", "enum", "function", "method", "property", "constant", "variable", "namespace"]
ScopeKind = Literal["module", "class", "function", "lambda", "comprehension", "block"]
BindingKind = Literal[
    "definition", "import", "parameter", "assignment", "augmented", "loop", "with", "except", "global", "nonlocal", "walrus", "pattern", "delete"
]


class Span(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A stretch of the file: byte offsets [start, end), and where it begins and ends as rows and byte columns from 0."""

    start: int
    end: int
    row: int
    column: int
    end_row: int
    end_column: int


class Expression(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A reduced expression: enough to follow where a value comes from, and nothing else.

    kind           name                         parts
    name           the identifier               ()
    attribute      the attribute                (object,)
    call / new     ""                           (callee, *positional arguments, *keyword values); `keywords` names the last ones
    literal        type: str int float bool none bytes regexp template   ()      ; `text` is the normalised value, capped at 200 characters
    collection     list tuple set dict          items (dict: the values; `keywords` holds the constant keys, "" where computed)
    subscript      ""                           (object, index)
    lambda         ""                           ()      ; `scope` is the scope of its body
    conditional    if and or                    (one, other, ...)    either value is possible (x if c else y, a or b, a ?? b)
    await, yield, spread, iterate  ""           (operand,)
    operator       the dunder or operator name  operands
    comprehension  list set dict generator      (element,)
    jsx            the tag                      ()
    definition     ""                           ()      ; `scope` is the scope of an inline class or function
    cast           ""                           (operand,)      ; `text` is the type that it is said to be of
    unknown        ""                           ()

    text of a call, of `new` and of a base class: the type arguments as written, `<A, B>`.
    start: where the expression begins; for a name or attribute where its last name token begins.
    """

    kind: str
    name: str = ""
    parts: tuple[Expression, ...] = ()
    keywords: tuple[str, ...] = ()
    text: str = ""
    scope: int = -1
    start: int = -1


class Parameter(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One parameter. kind: positional_only, positional, keyword_only, variadic, keyword_variadic, destructured, type."""

    name: str
    kind: str
    default: str = ""
    annotation: str = ""
    default_span: Span | None = None


class Definition(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A named thing that the file declares. Definition 0 is the module itself (qualified_name "").

    qualified_name: names of the enclosing definitions and its own, joined by "." (`Class.method`, `outer.inner`, JS likewise).
    ordinal: 0 for the first definition of that qualified name in the file, 1 for the next …
    scope: the one in which it is declared, where its bases, decorators and defaults are evaluated.
    bases and decorators are reduced expressions; a decorator's call keeps its arguments (routes are read from them).
    value: for constants, variables and class attributes the assigned expression; `returns` is then their annotation.
    flags: any of async, generator, static, class, property, setter, abstract, overload, conditional, exported, default_export,
    type_checking, declaration (no body, as in .d.ts), error (overlaps a syntax error), test.
    """

    name: str
    qualified_name: str
    ordinal: int
    kind: DefinitionKind
    parent: int
    scope: int
    span: Span
    name_span: Span
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    bases: tuple[Expression, ...] = ()
    decorators: tuple[Expression, ...] = ()
    value: Expression | None = None
    flags: tuple[str, ...] = ()
    base_spans: tuple[Span, ...] = ()
    """For each of `bases` its last name token."""


class Scope(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A region in which names are looked up. `definition` is the innermost definition that owns it; `start` where its node begins."""

    kind: ScopeKind
    parent: int
    definition: int
    start: int = -1


class Binding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One way in which a name gets its value in a scope. `target` indexes definitions, imports or parameters, by `kind`.

    For an assignment through unpacking, `path` says which item of `value` (e.g. ("0",)); "*" where it is not certain.
    until: byte offset where the innermost conditional block around it ends (a branch, a loop's or try's body, a case); -1: none.
    """

    scope: int
    name: str
    kind: BindingKind
    target: int = -1
    value: Expression | None = None
    annotation: str = ""
    path: tuple[str, ...] = ()
    start: int = -1
    is_conditional: bool = False
    until: int = -1


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One imported name. Python `from ..a import b as c` → module "a", level 2, name "b", alias "c"; `import a.b` → name "".

    JS: module is the specifier as written; name "default", "*" (namespace or star) or the exported name; require() alike.
    span: the imported name's token (`*` of a star import). module_span: the last name token of the module (JS: the specifier's content).
    flags: star, type_only, conditional, type_checking, reexport, dynamic, side_effect.
    """

    scope: int
    module: str
    name: str
    alias: str
    level: int
    span: Span
    flags: tuple[str, ...] = ()
    module_span: Span | None = None


class Export(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """JS: the exported `name` is the local name `local`, or `local` of `module` for a re-export ("*" = everything)."""

    name: str
    local: str
    module: str
    span: Span
    is_type_only: bool = False


class Call(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call: `name_span` is the last name token of the callee (the whole callee where it has none). It begins at `expression.start`.

    flags: awaited, decorator (a bare decorator applies its target), new, jsx, implicit (operators, with, iteration), conditional.
    """

    scope: int
    expression: Expression
    name_span: Span
    flags: tuple[str, ...] = ()


class Access(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A read or write of an attribute, a name of an outer scope, or a subscript with a constant key (`os.environ["X"]`).

    `target` is the expression read or written; `value` what is written; `span` the last name token of the target (a subscript: all of it).
    """

    scope: int
    target: Expression
    span: Span
    is_write: bool = False
    value: Expression | None = None
    annotation: str = ""


class Narrowing(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """In [start, end) the name or dotted attribute `target` is (or, negated, is not) an instance of `type` (a collection: one of them)."""

    scope: int
    target: Expression
    type: Expression
    start: int
    end: int
    is_negated: bool = False


class Return(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`return e`, `yield e` (kind "yield"), `raise e` (kind "raise")."""

    scope: int
    kind: Literal["return", "yield", "raise"]
    value: Expression | None
    span: Span


class ParameterCall(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is given to `definition` as its parameter number `parameter` is called in the body of `caller`: itself, one inside, or a sibling method
    that calls the attribute in which it was put.
    """

    definition: int
    parameter: int
    caller: int


class Value(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A constant, default or configuration value at a key path.

    key: Python and JS `NAME`, `Class.NAME`, `f(parameter)` for a default, `CONFIG["a"]["b"]` is `CONFIG.a.b`;
    data files: the dotted key path, `a.b[0].c`; in .env files the variable's name.
    text is the normalised value (literals by value: quotes, number spelling do not matter), capped at 2,000 characters; digest is of the whole.
    """

    key: str
    text: str
    digest: str
    span: Span


class Limitation(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Something that this file's analysis cannot show. code is kebab-case and documented in docs/limitations.md."""

    code: str
    detail: str
    row: int = -1


class FileFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Everything that one file's bytes say, as name resolution needs it."""

    language: str
    parser_version: str
    analyzer_version: str
    line_count: int
    has_error: bool
    definitions: tuple[Definition, ...] = ()
    scopes: tuple[Scope, ...] = ()
    bindings: tuple[Binding, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[Export, ...] = ()
    calls: tuple[Call, ...] = ()
    accesses: tuple[Access, ...] = ()
    returns: tuple[Return, ...] = ()
    values: tuple[Value, ...] = ()
    all_names: tuple[str, ...] | None = None
    """Python's `__all__` where it is a plain list."""
    mentions: tuple[str, ...] = ()
    """Sorted: every identifier that the file uses, and every string literal that looks like one (dotted names by their last part)."""
    error_rows: tuple[tuple[int, int], ...] = ()
    """Row ranges (first, last) of syntax errors."""
    limitations: tuple[Limitation, ...] = ()
    narrowings: tuple[Narrowing, ...] = ()
    parameter_calls: tuple[ParameterCall, ...] = ()


class SymbolDigest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The normalised hashes of one definition (same index as in `FileFacts.definitions`); "" where there is none.

    source: exact bytes of its span. signature: name, parameters, defaults, annotations, decorators, bases.
    body: loose (own local names and annotations do not matter). body_strict: decorators and annotations count, names as written.
    """

    source: str
    signature: str
    body: str
    body_strict: str
    value: str


class SymbolDigests(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Hashes of all definitions of a file, and of the file's whole structure (its module body)."""

    parser_version: str
    analyzer_version: str
    digests: tuple[SymbolDigest, ...]


class Skipped(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Why a file has no facts: a limitation that bears on every answer about it."""

    limitation: Limitation
