"""JavaScript, TypeScript and both with JSX: one reader, three grammars.

kinds: numbers of node kinds · reading: the state, and the walk · expressions, objects, functions, assigned, modules, statements: one reader
for each kind of node · patterns: left sides and parameters · values, texts: constants in one spelling · finishing: names to scopes ·
structure: what counts for the hashes.
"""

from __future__ import annotations

from functools import cache

from analyzers.facts import FileFacts, Limitation, Skipped, SymbolDigests
from analyzers.languages.javascript import expressions, statements
from analyzers.languages.javascript.finishing import finished
from analyzers.languages.javascript.grammar_gaps import mend, true_errors
from analyzers.languages.javascript.reading import CALL, MAX_STACK, MEMBER, OTHER_LINK, SUBSCRIPT, ExpressionReader, Reader, StatementReader, Tables
from analyzers.languages.javascript.structure import rules_of
from analyzers.normalise import normalise
from analyzers.parsing import ERROR_KIND, Parsed, grammar_of

__all__ = ["digests", "facts"]

_LINKS = {
    "member_expression": MEMBER, "call_expression": CALL, "subscript_expression": SUBSCRIPT, "non_null_expression": OTHER_LINK,
    "instantiation_expression": OTHER_LINK,
}  # fmt: skip


def facts(parsed: Parsed) -> FileFacts | Skipped:
    """Everything that one file says."""
    mend(parsed)
    parsed.errors = true_errors(parsed)
    reader = Reader(parsed, _tables(parsed.language))
    root = parsed.root
    reader.define_module(root)
    if not reader.run(root) or max(reader.depths) > MAX_STACK:
        return Skipped(Limitation("too-deep", f"statements or functions are nested more than {MAX_STACK} deep"))
    return finished(reader)


def digests(parsed: Parsed, outline: FileFacts) -> SymbolDigests:
    """The hashes of its definitions."""
    return normalise(parsed, outline, rules_of(parsed.language))


@cache
def _tables(language: str) -> Tables:
    """The readers of a language's grammar by the number of the node's kind."""
    grammar = grammar_of(language)
    by_expression: list[ExpressionReader | None] = grammar.table(None)
    by_statement: list[StatementReader | None] = grammar.table(None)
    link_of = grammar.table(0)
    for number in range(grammar.count):
        name = grammar.kinds[number]
        if not grammar.is_named[number]:
            continue
        link_of[number] = _LINKS.get(name, 0)
        if name in expressions.READERS:
            by_expression[number] = expressions.READERS[name]
            by_statement[number] = statements.expression
        if name in statements.READERS:
            by_statement[number] = statements.READERS[name]
    by_statement[ERROR_KIND] = statements.READERS["ERROR"]
    return Tables(by_expression, by_statement, link_of)
