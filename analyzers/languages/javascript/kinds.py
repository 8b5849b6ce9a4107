"""The numbers of the node kinds that the readers compare with, for one of the three grammars. A kind that a grammar lacks is -1."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

from analyzers.parsing import ERROR_KIND, Grammar, grammar_of

_NAMES = {
    "private_property": "private_property_identifier", "member": "member_expression", "subscript": "subscript_expression",
    "call": "call_expression", "arrow": "arrow_function", "class_expression": "class", "parenthesized": "parenthesized_expression",
    "satisfies": "satisfies_expression", "non_null": "non_null_expression", "shorthand": "shorthand_property_identifier",
    "spread": "spread_element", "computed": "computed_property_name", "method": "method_definition", "import_keyword": "import",
    "unary": "unary_expression",
    "binary": "binary_expression", "assignment": "assignment_expression", "shorthand_pattern": "shorthand_property_identifier_pattern",
    "accessibility": "accessibility_modifier", "override": "override_modifier", "abstract_class": "abstract_class_declaration",
    "import_require": "import_require_clause", "jsx_opening": "jsx_opening_element",
}  # fmt: skip
"""Fields that are not called as the grammar calls the kind."""
_TOKENS = {
    "async_token": "async", "star_token": "*", "static_token": "static", "get_token": "get", "set_token": "set", "abstract_token": "abstract",
    "equals_token": "=", "const_token": "const", "default_token": "default", "type_token": "type", "typeof_token": "typeof", "from_token": "from",
    "readonly_token": "readonly", "global_token": "global",
}  # fmt: skip
"""Fields for tokens."""
_ANNOTATIONS = (
    "type_annotation", "asserts_annotation", "type_predicate_annotation", "omitting_type_annotation", "opting_type_annotation",
    "adding_type_annotation",
)  # fmt: skip
_LEXICAL = (
    "lexical_declaration", "using_declaration", "class_declaration", "abstract_class_declaration", "function_declaration",
    "generator_function_declaration", "enum_declaration", "interface_declaration", "type_alias_declaration", "function_signature",
)  # fmt: skip
_SETS = {
    "annotations": _ANNOTATIONS,
    "lexical": _LEXICAL,
    "functions": ("arrow_function", "function_expression", "generator_function"),
    "wrappers": ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"),
}


@dataclass(frozen=True, slots=True)
class Kinds:
    """One field for each kind of node, then those for tokens and for sets of kinds.

    lexical: statements that make a block a scope of its own. wrappers: expressions whose value is their first operand's.
    """

    names: tuple[str, ...]
    identifier: int
    property_identifier: int
    private_property: int
    type_identifier: int
    this: int
    comment: int
    string: int
    number: int
    template_string: int
    template_substitution: int
    member: int
    subscript: int
    call: int
    arguments: int
    arrow: int
    function_expression: int
    generator_function: int
    class_expression: int
    parenthesized: int
    as_expression: int
    satisfies: int
    non_null: int
    type_assertion: int
    object: int
    array: int
    pair: int
    shorthand: int
    spread: int
    computed: int
    method: int
    import_keyword: int
    binary: int
    unary: int
    assignment: int
    await_expression: int
    object_pattern: int
    array_pattern: int
    assignment_pattern: int
    object_assignment_pattern: int
    pair_pattern: int
    rest_pattern: int
    shorthand_pattern: int
    formal_parameters: int
    required_parameter: int
    optional_parameter: int
    accessibility: int
    override: int
    type_parameters: int
    type_parameter: int
    type_arguments: int
    type_annotation: int
    statement_block: int
    class_body: int
    class_heritage: int
    extends_clause: int
    implements_clause: int
    extends_type_clause: int
    generic_type: int
    nested_identifier: int
    nested_type_identifier: int
    object_type: int
    interface_body: int
    enum_body: int
    enum_assignment: int
    decorator: int
    variable_declarator: int
    lexical_declaration: int
    variable_declaration: int
    class_declaration: int
    abstract_class: int
    else_clause: int
    catch_clause: int
    finally_clause: int
    switch_body: int
    switch_case: int
    switch_default: int
    optional_chain: int
    import_statement: int
    import_clause: int
    import_require: int
    named_imports: int
    import_specifier: int
    namespace_import: int
    export_clause: int
    export_specifier: int
    namespace_export: int
    construct_signature: int
    index_signature: int
    jsx_opening: int
    jsx_text: int
    jsx_attribute: int
    async_token: int
    star_token: int
    static_token: int
    get_token: int
    set_token: int
    abstract_token: int
    equals_token: int
    const_token: int
    default_token: int
    type_token: int
    typeof_token: int
    from_token: int
    readonly_token: int
    global_token: int
    annotations: frozenset[int]
    lexical: frozenset[int]
    functions: frozenset[int]
    wrappers: frozenset[int]
    error: int = ERROR_KIND


@cache
def kinds_of(language: str) -> Kinds:
    """The kinds of a language's grammar."""
    grammar = grammar_of(language)
    numbers = {
        field.name: _number(grammar, _TOKENS.get(field.name) or _NAMES.get(field.name, field.name), named=field.name not in _TOKENS)
        for field in fields(Kinds)
        if field.name not in _SETS and field.name not in ("names", "error")
    }
    sets = {field: frozenset(_number(grammar, name, named=True) for name in names) - {-1} for field, names in _SETS.items()}
    return Kinds(names=grammar.kinds, **numbers, **sets)  # type: ignore[arg-type]


def _number(grammar: Grammar, name: str, *, named: bool) -> int:
    try:
        return grammar.kind(name, named=named)
    except LookupError:
        return -1
