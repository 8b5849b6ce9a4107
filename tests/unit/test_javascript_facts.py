"""What is read of JavaScript, TypeScript and TSX: the case files in tests/cases/facts_javascript.

In a case file a heading is a case, a block with a language is a file, and the block `facts KIND …` lists all facts of those kinds, one a line, as
`KIND where what`. With KNOWLEDGE_UPDATE_CASES=1 the lists are written anew; read the difference before you keep it.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.analysis import analyze
from analyzers.facts import Definition, Expression, FileFacts, Parameter, Skipped

CASES = Path(__file__).parents[1] / "cases" / "facts_javascript"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w+) ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
LANGUAGES = ("javascript", "typescript", "tsx")


class Case(NamedTuple):
    file: Path
    name: str
    language: str
    content: str
    kinds: tuple[str, ...]
    expected: str


def read_cases(file: Path) -> list[Case]:
    parts = _HEADING.split(file.read_text(encoding="utf-8"))[1:]
    found = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        (language, _, content), (_, kinds, expected) = _BLOCK.findall(body)
        found.append(Case(file, name, language, content, tuple(kinds.split()), expected))
    return found


ALL = [case for file in sorted(CASES.glob("*.md")) for case in read_cases(file)]


def facts_of(text: str, language: str = "typescript") -> FileFacts:
    found = analyze(text.encode(), language)
    assert not isinstance(found, Skipped)
    return found


def shown(found: Expression | None) -> str:
    """An expression as code, roughly."""
    if found is None:
        return "?"
    parts = [shown(part) for part in found.parts]
    kind = found.kind
    if kind == "name":
        return found.name + found.text
    if kind == "attribute":
        return f"{parts[0]}.{found.name}{found.text}"
    if kind in ("call", "new"):
        return f"{'new ' if kind == 'new' else ''}{parts[0]}{found.text}({', '.join(parts[1:])})"
    if kind == "cast":
        return f"{parts[0]} as {found.text}"
    if kind == "subscript":
        return f"{parts[0]}[{parts[1]}]"
    if kind == "literal":
        return found.text
    if kind == "collection" and found.name == "dict":
        return "{" + ", ".join(f"{key or '?'}: {part}" for key, part in zip(found.keywords, parts, strict=True)) + "}"
    if kind == "collection":
        return f"[{', '.join(parts)}]"
    if kind == "unknown":
        return "?"
    return f"{kind}{' ' + found.name if found.name else ''}({', '.join(parts)})"


def shown_parameter(found: Parameter) -> str:
    prefix = {"variadic": "...", "type": "<>"}.get(found.kind, "")
    return f"{prefix}{found.name}{': ' + found.annotation if found.annotation else ''}{' = ' + found.default if found.default else ''}"


def shown_definition(found: Definition) -> str:
    text = f"{found.kind} {found.qualified_name}{'#' + str(found.ordinal + 1) if found.ordinal else ''}"
    if found.parameters or found.kind in ("function", "method"):
        text += f"({', '.join(shown_parameter(parameter) for parameter in found.parameters)})"
    text += f": {found.returns}" if found.returns else ""
    text += f" = {shown(found.value)}" if found.value is not None else ""
    text += "".join(f" < {shown(base)}" for base in found.bases) + "".join(f" @{shown(decorator)}" for decorator in found.decorators)
    return text + (f" [{' '.join(found.flags)}]" if found.flags else "")


def place(facts: FileFacts, scope: int) -> str:
    """A scope as what owns it and its kind."""
    found = facts.scopes[scope]
    owner = facts.definitions[found.definition].qualified_name or "module"
    return owner if found.kind in ("module", "function", "class") else f"{owner}({found.kind})"


def _bindings(facts: FileFacts) -> Iterator[str]:
    for found in facts.bindings:
        text = f"{place(facts, found.scope)}: {found.name} {found.kind}"
        text += f": {found.annotation}" if found.annotation else ""
        text += f" = {shown(found.value)}" if found.value is not None else ""
        text += f" at {'.'.join(found.path)}" if found.path else ""
        yield text + (" conditional" if found.is_conditional else "")


LISTS: dict[str, Callable[[FileFacts], Iterator[str]]] = {
    "definition": lambda facts: (shown_definition(found) for found in facts.definitions[1:]),
    "binding": _bindings,
    "import": lambda facts: (f"{f.module} {f.name or '-'} as {f.alias or '-'} {' '.join(f.flags)}".rstrip() for f in facts.imports),
    "export": lambda facts: (
        f"{f.name} <- {f.local or '-'}{' of ' + f.module if f.module else ''}{' type' if f.is_type_only else ''}" for f in facts.exports
    ),
    "call": lambda facts: (f"{place(facts, f.scope)}: {shown(f.expression)} {' '.join(f.flags)}".rstrip() for f in facts.calls),
    "read": lambda facts: (f"{place(facts, f.scope)}: {shown(f.target)}" for f in facts.accesses if not f.is_write),
    "write": lambda facts: (f"{place(facts, f.scope)}: {shown(f.target)} = {shown(f.value)}" for f in facts.accesses if f.is_write),
    "return": lambda facts: (f"{place(facts, f.scope)}: {f.kind} {shown(f.value)}" for f in facts.returns),
    "value": lambda facts: (f"{f.key} = {f.text}" for f in facts.values),
    "narrowing": lambda facts: (f"{shown(f.target)} {'!' if f.is_negated else ''}instanceof {shown(f.type)}" for f in facts.narrowings),
    "limitation": lambda facts: (f"{f.code} {f.detail}" for f in facts.limitations),
    "error": lambda facts: (f"{first + 1}-{last + 1}" for first, last in facts.error_rows),
    "mention": lambda facts: iter([" ".join(facts.mentions)]),
}


def listed(facts: FileFacts, kinds: tuple[str, ...]) -> str:
    return "".join(f"{kind} {line}\n" for kind in kinds for line in LISTS[kind](facts))


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file.stem}: {case.name}")
def test_a_case_has_exactly_the_facts_that_it_lists(case: Case) -> None:
    """Every fact of the listed kinds, in order."""
    found = listed(facts_of(case.content, case.language), case.kinds)
    if os.environ.get("KNOWLEDGE_UPDATE_CASES") and found != case.expected:
        text = case.file.read_text(encoding="utf-8")
        at = text.index("```facts", text.index(f"## {case.name}\n"))
        head = text.index("\n", at) + 1
        case.file.write_text(text[:head] + found + text[text.index("```", head) :], encoding="utf-8")
        return
    assert found == case.expected


def test_there_are_cases() -> None:
    """The folder is read."""
    assert len(ALL) > 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_text_is_read_alike_in_all_three_languages(language: str) -> None:
    """What all three grammars know comes out the same."""
    text = "import a from './a';\nexport class C extends a.B { m(x = 1) { return this.y(x); } }\nexport const f = async (z) => { await z; };\n"
    kinds = tuple(LISTS)
    assert listed(facts_of(text, language), kinds) == listed(facts_of(text, "javascript"), kinds)


def test_names_outside_of_ascii_are_kept() -> None:
    """Also behind characters of several bytes; positions are bytes."""
    text = "const 값 = '세션';\nfunction 만들기(이름) { return 저장소.넣기(이름, 값); }\n"
    facts = facts_of(text)
    assert [found.qualified_name for found in facts.definitions[1:]] == ["값", "만들기"]
    [call] = facts.calls
    assert shown(call.expression) == "저장소.넣기(이름, 값)"
    assert text.encode()[call.name_span.start : call.name_span.end].decode() == "넣기"
    assert "만들기" in facts.mentions and "세션" in facts.mentions


DEEP = {
    "calls": "f(" * 3_000 + ")" * 3_000,
    "chain": "a" + ".b()\n" * 5_000,
    "functions": "(() => " * 1_500 + "1" + ")" * 1_500,
    "blocks": "{" * 400 + "f()" + "}" * 400,
    "binary": "1" + " + f()\n" * 5_000,
    "arrays": "[" * 3_000 + "]" * 3_000,
    "objects": "x = " + "{a: " * 2_000 + "1" + "}" * 2_000,
    "defaults": "(a = " * 600 + "1" + ") => 0" * 600,
    "patterns": "const " + "[" * 2_000 + "a" + "]" * 2_000 + " = b",
    "ternaries": "a ? b :\n" * 3_000 + "c",
    "templates": "`${" * 1_000 + "1" + "}`" * 1_000,
    "classes": "x = " + "class extends (" * 600 + "A" + ") {}" * 600,
    "constants": "const x = " + "(1 + " * 2_000 + "1" + ")" * 2_000,
    "parentheses": "x = " + "(" * 3_000 + "a" + ")" * 3_000,
    "conditions": "if (a) b; else " * 450 + "c",
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("language", LANGUAGES)
def test_deep_nesting_is_read_or_skipped(name: str, language: str) -> None:
    """Nothing is nested so deep that reading fails."""
    found = analyze(DEEP[name].encode(), language)
    assert not isinstance(found, Skipped) or found.limitation.code == "too-deep"


def test_statements_nested_too_deep_are_told() -> None:
    """The file is skipped with a limitation."""
    found = analyze(b"{" * 600 + b"}" * 600, "javascript")
    assert isinstance(found, Skipped) and found.limitation.code == "too-deep"


def test_no_call_is_lost_in_what_is_read_apart() -> None:
    """What is nested too deep for one expression is still read."""
    assert len(facts_of("f(" * 200 + ")" * 200, "javascript").calls) == 200


def test_a_long_chain_does_not_grow_with_the_square_of_its_length() -> None:
    """Each call keeps a bounded part of what is before it."""
    facts = facts_of("a" + ".b(x, {y: z()})" * 400)

    def size(found: Expression) -> int:
        return 1 + sum(size(part) for part in found.parts)

    assert len(facts.calls) == 800
    assert max(size(call.expression) for call in facts.calls) < 150


@pytest.mark.parametrize("text", ["await a<T><T>", "await a<T>)?.", "f(); await a<T>;", "f(); await a<T>.b;"])
def test_only_a_call_is_awaited(text: str) -> None:
    """An `await` before type arguments that no call follows marks no call, neither a missing one nor the one before."""
    facts = analyze(text.encode(), "typescript")
    assert not isinstance(facts, Skipped)
    assert all("awaited" not in call.flags for call in facts.calls)


_FRAGMENTS = [
    "const ", "let x", " = ", "f(", ")", "{", "}", "[", "]", "=>", "async ", "function ", "class A ", "extends B", "import ", "from './a'",
    "export ",
    "default ", "a.b", "?.", "`${", "`", "...", ",", ";", ":", "?", "<T>", "<a>", "</a>", "/>", "@d ", "type X", "interface I", "enum E ", "'s'",
    "1n",
    "/r/g", "static ", "get ", "#p", "new ", "await ", "yield ", "return ", "if (", "for (", "of ", "in ", "try ", "catch ", "switch (x) ", "case ",
    "namespace N", "declare ", "abstract ", " as T", "!", "=", "exports.x", "module.exports", "require('y')", "\n", "// c\n", "/* c */", "é", "\r\n",
]  # fmt: skip


@given(st.sampled_from(LANGUAGES), st.lists(st.sampled_from(_FRAGMENTS), max_size=25).map("".join))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read(language: str, text: str) -> None:
    """No text makes the reader fail, and what it says holds together."""
    facts = analyze(text.encode(), language)
    assert not isinstance(facts, Skipped)
    assert all(-1 <= scope.parent < number for number, scope in enumerate(facts.scopes))
    assert all(-1 <= found.parent < number for number, found in enumerate(facts.definitions))
    assert all(0 <= found.scope < len(facts.scopes) for found in (*facts.bindings, *facts.calls, *facts.accesses, *facts.returns))
    for binding in facts.bindings:
        count = {"definition": len(facts.definitions), "import": len(facts.imports)}.get(binding.kind)
        assert count is None or 0 <= binding.target < count
    assert len({(found.qualified_name, found.ordinal) for found in facts.definitions}) == len(facts.definitions)
    assert all(len(found.bases) == len(found.base_spans) for found in facts.definitions)
