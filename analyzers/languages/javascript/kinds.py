"""The numbers of the node kinds that the readers compare with, for one of the three grammars. A kind that a grammar lacks is -1."""

from __future__ import annotations

from functools import cache

from analyzers.parsing import ERROR_KIND, Grammar, grammar_of

_ANNOTATIONS = (
    "type_annotation", "asserts_annotation", "type_predicate_annotation", "omitting_type_annotation", "opting_type_annotation",
    "adding_type_annotation",
)  # fmt: skip
_LEXICAL = (
    "lexical_declaration", "using_declaration", "class_declaration", "abstract_class_declaration", "function_declaration",
    "generator_function_declaration", "enum_declaration", "interface_declaration", "type_alias_declaration", "function_signature",
)  # fmt: skip


class Kinds:
    """Named kinds first, then tokens (`_token`)."""

    def __init__(self, grammar: Grammar) -> None:
        self.names = grammar.kinds
        self.identifier = _number(grammar, "identifier")
        self.property_identifier = _number(grammar, "property_identifier")
        self.private_property = _number(grammar, "private_property_identifier")
        self.type_identifier = _number(grammar, "type_identifier")
        self.this = _number(grammar, "this")
        self.super = _number(grammar, "super")
        self.comment = _number(grammar, "comment")
        self.string = _number(grammar, "string")
        self.number = _number(grammar, "number")
        self.template_string = _number(grammar, "template_string")
        self.template_substitution = _number(grammar, "template_substitution")
        self.member = _number(grammar, "member_expression")
        self.subscript = _number(grammar, "subscript_expression")
        self.call = _number(grammar, "call_expression")
        self.new = _number(grammar, "new_expression")
        self.arguments = _number(grammar, "arguments")
        self.arrow = _number(grammar, "arrow_function")
        self.function_expression = _number(grammar, "function_expression")
        self.generator_function = _number(grammar, "generator_function")
        self.class_expression = _number(grammar, "class")
        self.parenthesized = _number(grammar, "parenthesized_expression")
        self.as_expression = _number(grammar, "as_expression")
        self.satisfies = _number(grammar, "satisfies_expression")
        self.non_null = _number(grammar, "non_null_expression")
        self.instantiation = _number(grammar, "instantiation_expression")
        self.type_assertion = _number(grammar, "type_assertion")
        self.object = _number(grammar, "object")
        self.array = _number(grammar, "array")
        self.pair = _number(grammar, "pair")
        self.shorthand = _number(grammar, "shorthand_property_identifier")
        self.spread = _number(grammar, "spread_element")
        self.computed = _number(grammar, "computed_property_name")
        self.method = _number(grammar, "method_definition")
        self.import_keyword = _number(grammar, "import")
        self.binary = _number(grammar, "binary_expression")
        self.unary = _number(grammar, "unary_expression")
        self.assignment = _number(grammar, "assignment_expression")
        self.await_expression = _number(grammar, "await_expression")
        self.sequence = _number(grammar, "sequence_expression")
        self.object_pattern = _number(grammar, "object_pattern")
        self.array_pattern = _number(grammar, "array_pattern")
        self.assignment_pattern = _number(grammar, "assignment_pattern")
        self.object_assignment_pattern = _number(grammar, "object_assignment_pattern")
        self.pair_pattern = _number(grammar, "pair_pattern")
        self.rest_pattern = _number(grammar, "rest_pattern")
        self.shorthand_pattern = _number(grammar, "shorthand_property_identifier_pattern")
        self.formal_parameters = _number(grammar, "formal_parameters")
        self.required_parameter = _number(grammar, "required_parameter")
        self.optional_parameter = _number(grammar, "optional_parameter")
        self.accessibility = _number(grammar, "accessibility_modifier")
        self.override = _number(grammar, "override_modifier")
        self.type_parameters = _number(grammar, "type_parameters")
        self.type_parameter = _number(grammar, "type_parameter")
        self.type_arguments = _number(grammar, "type_arguments")
        self.type_annotation = _number(grammar, "type_annotation")
        self.annotations = _numbers(grammar, _ANNOTATIONS)
        self.statement_block = _number(grammar, "statement_block")
        self.class_body = _number(grammar, "class_body")
        self.class_heritage = _number(grammar, "class_heritage")
        self.extends_clause = _number(grammar, "extends_clause")
        self.implements_clause = _number(grammar, "implements_clause")
        self.extends_type_clause = _number(grammar, "extends_type_clause")
        self.generic_type = _number(grammar, "generic_type")
        self.nested_identifier = _number(grammar, "nested_identifier")
        self.nested_type_identifier = _number(grammar, "nested_type_identifier")
        self.object_type = _number(grammar, "object_type")
        self.interface_body = _number(grammar, "interface_body")
        self.enum_body = _number(grammar, "enum_body")
        self.enum_assignment = _number(grammar, "enum_assignment")
        self.decorator = _number(grammar, "decorator")
        self.variable_declarator = _number(grammar, "variable_declarator")
        self.lexical_declaration = _number(grammar, "lexical_declaration")
        self.variable_declaration = _number(grammar, "variable_declaration")
        self.function_declaration = _number(grammar, "function_declaration")
        self.class_declaration = _number(grammar, "class_declaration")
        self.abstract_class = _number(grammar, "abstract_class_declaration")
        self.internal_module = _number(grammar, "internal_module")
        self.module = _number(grammar, "module")
        self.else_clause = _number(grammar, "else_clause")
        self.catch_clause = _number(grammar, "catch_clause")
        self.finally_clause = _number(grammar, "finally_clause")
        self.switch_body = _number(grammar, "switch_body")
        self.switch_case = _number(grammar, "switch_case")
        self.switch_default = _number(grammar, "switch_default")
        self.optional_chain = _number(grammar, "optional_chain")
        self.import_statement = _number(grammar, "import_statement")
        self.import_clause = _number(grammar, "import_clause")
        self.import_require = _number(grammar, "import_require_clause")
        self.named_imports = _number(grammar, "named_imports")
        self.import_specifier = _number(grammar, "import_specifier")
        self.namespace_import = _number(grammar, "namespace_import")
        self.export_clause = _number(grammar, "export_clause")
        self.export_specifier = _number(grammar, "export_specifier")
        self.namespace_export = _number(grammar, "namespace_export")
        self.jsx_opening = _number(grammar, "jsx_opening_element")
        self.jsx_closing = _number(grammar, "jsx_closing_element")
        self.jsx_text = _number(grammar, "jsx_text")
        self.jsx_attribute = _number(grammar, "jsx_attribute")
        self.error = ERROR_KIND
        self.async_token = _number(grammar, "async", named=False)
        self.star_token = _number(grammar, "*", named=False)
        self.static_token = _number(grammar, "static", named=False)
        self.get_token = _number(grammar, "get", named=False)
        self.set_token = _number(grammar, "set", named=False)
        self.abstract_token = _number(grammar, "abstract", named=False)
        self.equals_token = _number(grammar, "=", named=False)
        self.const_token = _number(grammar, "const", named=False)
        self.default_token = _number(grammar, "default", named=False)
        self.type_token = _number(grammar, "type", named=False)
        self.typeof_token = _number(grammar, "typeof", named=False)
        self.as_token = _number(grammar, "as", named=False)
        self.from_token = _number(grammar, "from", named=False)
        self.instanceof_token = _number(grammar, "instanceof", named=False)
        self.and_token = _number(grammar, "&&", named=False)
        self.not_token = _number(grammar, "!", named=False)
        self.readonly_token = _number(grammar, "readonly", named=False)
        self.global_token = _number(grammar, "global", named=False)
        self.functions = frozenset({self.arrow, self.function_expression, self.generator_function})
        self.wrappers = frozenset({self.parenthesized, self.as_expression, self.satisfies, self.non_null}) - {-1}
        """Expressions whose value is their first operand's."""
        self.lexical = _numbers(grammar, _LEXICAL)
        """Statements that make a block a scope of its own."""


@cache
def kinds_of(language: str) -> Kinds:
    """The kinds of a language's grammar."""
    return Kinds(grammar_of(language))


def _number(grammar: Grammar, name: str, *, named: bool = True) -> int:
    try:
        return grammar.kind(name, named=named)
    except LookupError:
        return -1


def _numbers(grammar: Grammar, names: tuple[str, ...]) -> frozenset[int]:
    return frozenset(_number(grammar, name) for name in names) - {-1}
