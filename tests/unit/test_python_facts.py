"""The case files of Python's facts: tests/cases/facts_python/*.md.

A heading is a case. The block `python` is the file. A block `facts KIND …` lists all rows of those kinds, one a line, as `written` below spells
them. Prose says why. With KNOWLEDGE_UPDATE_CASES=1 the lists are written anew; read the difference before you keep it.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from analyzers.analysis import analyze
from analyzers.facts import Definition, Expression, FileFacts, Parameter, Skipped

CASES = Path(__file__).parents[1] / "cases" / "facts_python"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\S+) ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    file: Path
    name: str
    source: str
    kinds: tuple[str, ...]
    expected: str


def read_cases(file: Path) -> list[Case]:
    parts = _HEADING.split(file.read_text(encoding="utf-8"))[1:]
    found = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        blocks = {language: (info, content) for language, info, content in _BLOCK.findall(body)}
        found.append(Case(file, name, blocks["python"][1], tuple(blocks["facts"][0].split()), blocks["facts"][1]))
    return found


ALL = [case for file in sorted(CASES.glob("*.md")) for case in read_cases(file)]


def spelled(value: Expression | None) -> str:
    """An expression as text; what is not Python has marks of its own."""
    if value is None:
        return "-"
    parts = [spelled(part) for part in value.parts]
    match value.kind:
        case "name":
            return value.name
        case "attribute":
            return f"{parts[0]}.{value.name}"
        case "literal":
            return value.text or "..."
        case "call":
            positional = len(parts) - len(value.keywords)
            named = [f"{key}={part}" for key, part in zip(value.keywords, parts[positional:], strict=True)]
            return f"{parts[0]}({', '.join(parts[1:positional] + named)})"
        case "subscript":
            return f"{parts[0]}[{parts[1]}]"
        case "collection" if value.name == "dict":
            return "{" + ", ".join(f"{key}: {part}" for key, part in zip(value.keywords, parts, strict=True)) + "}"
        case "collection":
            return f"{value.name}[{', '.join(parts)}]"
        case "conditional":
            return f"<{f' {value.name} '.join(parts)}>"
        case "unknown":
            return "?"
    name = f" {value.name}" if value.name else ""
    return f"<{value.kind}{name}{''.join(f' {part}' for part in parts)}>"


def parameter(found: Parameter) -> str:
    star = {"variadic": "*", "keyword_variadic": "**"}.get(found.kind, "")
    kind = {"positional_only": " /", "keyword_only": " *", "type": " type", "destructured": " destructured"}.get(found.kind, "")
    return f"{star}{found.name}{f': {found.annotation}' if found.annotation else ''}{f' = {found.default}' if found.default else ''}{kind}"


def definition(found: Definition) -> str:
    ordinal = f"#{found.ordinal + 1}" if found.ordinal else ""
    parameters = f"({', '.join(map(parameter, found.parameters))})" if found.parameters or found.kind in ("function", "method", "property") else ""
    bases = f" < {', '.join(map(spelled, found.bases))}" if found.bases else ""
    decorators = "".join(f" @{spelled(decorator)}" for decorator in found.decorators)
    value = f" = {spelled(found.value)}" if found.value is not None else ""
    returns = f" -> {found.returns}" if found.returns else ""
    flags = f" · {', '.join(found.flags)}" if found.flags else ""
    return f"{found.kind} {found.qualified_name}{ordinal}{parameters}{returns}{bases}{decorators}{value}{flags}"


def scope(facts: FileFacts, index: int) -> str:
    found = facts.scopes[index]
    owner = facts.definitions[found.definition].qualified_name or "module"
    return owner if found.kind in ("module", "class", "function") else f"{owner}<{found.kind}>"


def flags(found: tuple[str, ...]) -> str:
    return f" · {', '.join(found)}" if found else ""


def line_of(source: str, offset: int) -> int:
    return source.encode()[:offset].count(b"\n") + 1


LISTS: dict[str, Callable[[FileFacts, str], list[str]]] = {
    "definitions": lambda f, s: [definition(d) for d in f.definitions[1:]],
    "scopes": lambda f, s: [scope(f, index) for index in range(len(f.scopes))],
    "bindings": lambda f, s: [
        f"{scope(f, b.scope)}: {b.name} {b.kind}{f': {b.annotation}' if b.annotation else ''}"
        f"{f' = {spelled(b.value)}' if b.value is not None else ''}{' [' + '.'.join(b.path) + ']' if b.path else ''}"
        f"{f' · until line {line_of(s, b.until)}' if b.until >= 0 else ''}"
        for b in f.bindings
    ],
    "imports": lambda f, s: [
        f"{scope(f, i.scope)}: {'.' * i.level}{i.module} | {i.name} | {i.alias} at {i.span.row + 1}:{i.span.column}{flags(i.flags)}"
        for i in f.imports
    ],
    "calls": lambda f, s: [
        f"{scope(f, c.scope)}: {spelled(c.expression)} at {c.name_span.row + 1}:{c.name_span.column}{flags(c.flags)}"
        for c in sorted(f.calls, key=lambda c: (c.name_span.start, c.flags))
    ],
    "accesses": lambda f, s: [
        f"{scope(f, a.scope)}: {'write' if a.is_write else 'read'} {spelled(a.target)}{f': {a.annotation}' if a.annotation else ''}"
        f"{f' = {spelled(a.value)}' if a.value is not None else ''} at {a.span.row + 1}:{a.span.column}"
        for a in sorted(f.accesses, key=lambda a: (a.span.start, a.is_write))
    ],
    "returns": lambda f, s: [f"{scope(f, r.scope)}: {r.kind} {spelled(r.value)}" for r in f.returns],
    "values": lambda f, s: [f"{v.key} = {v.text}" for v in f.values],
    "narrowings": lambda f, s: [
        f"{scope(f, n.scope)}: {spelled(n.target)} {'is no' if n.is_negated else 'is'} {spelled(n.type)} in lines "
        f"{line_of(s, n.start)}-{line_of(s, n.end)}"
        for n in f.narrowings
    ],
    "parameter_calls": lambda f, s: [
        f"{f.definitions[row.definition].qualified_name} {f.definitions[row.definition].parameters[row.parameter].name} in "
        f"{f.definitions[row.caller].qualified_name}"
        for row in f.parameter_calls
    ],
    "limitations": lambda f, s: [f"{found.code} in line {found.row + 1}: {found.detail}" for found in f.limitations],
    "mentions": lambda f, s: [" ".join(f.mentions)],
    "all": lambda f, s: ["-" if f.all_names is None else " ".join(f.all_names)],
}


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file.stem}: {case.name}")
def test_a_case_has_exactly_the_facts_that_it_lists(case: Case) -> None:
    """Every row of the kinds that the case names."""
    facts = analyze(case.source.encode(), "python")
    assert not isinstance(facts, Skipped)
    found = "".join(f"{line}\n" for kind in case.kinds for line in LISTS[kind](facts, case.source))
    if os.environ.get("KNOWLEDGE_UPDATE_CASES") and found != case.expected:
        text = case.file.read_text(encoding="utf-8")
        at = text.index("```facts", text.index(f"## {case.name}\n"))
        head = text.index("\n", at) + 1
        case.file.write_text(text[:head] + found + text[text.index("```", head) :], encoding="utf-8")
        return
    assert found == case.expected


def test_every_position_points_at_what_it_names() -> None:
    """The byte ranges of names hold just those names, in a file with names and texts outside of ASCII."""
    source = "# é\nimport ünter.größe as g\n\ndef straße(übel='ß'):\n    return g.weite(übel).höhe + straße\n".encode()
    facts = analyze(source, "python")
    assert not isinstance(facts, Skipped)
    assert [source[d.name_span.start : d.name_span.end].decode() for d in facts.definitions[1:]] == ["straße"]
    assert [source[c.name_span.start : c.name_span.end].decode() for c in facts.calls if "implicit" not in c.flags] == ["weite"]
    assert sorted(source[a.span.start : a.span.end].decode() for a in facts.accesses) == ["g", "höhe", "straße"]
    assert [source[i.span.start : i.span.end].decode() for i in facts.imports] == ["größe"]
    assert facts.values[0].text == "'ß'"


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(\n" * 10_000 + "1" + ")\n" * 10_000,
        "x = " + "[\n" * 10_000 + "]\n" * 10_000,
        "x = (" + " +\n".join(["a"] * 10_000) + ")",
        "x = (a" + ".b()\n" * 10_000 + ")",
        "x = (" + "not\n" * 10_000 + "a)",
        "x = (" + "lambda:\n" * 3_000 + "a)",
        "x = " + "f(\n" * 10_000 + ")\n" * 10_000,
    ],
    ids=["parentheses", "lists", "sums", "chain", "not", "lambdas", "calls"],
)
def test_deep_expressions_are_read_and_told(source: str) -> None:
    """Nesting of ten thousand levels neither fails nor goes unsaid."""
    facts = analyze(source.encode(), "python")
    assert not isinstance(facts, Skipped)
    assert "too-deep" in {limitation.code for limitation in facts.limitations}
    assert [definition.name for definition in facts.definitions] == ["", "x"]


def test_a_deep_chain_loses_no_call() -> None:
    """What is nested too deep for one expression is read by itself."""
    facts = analyze(("x = a" + ".b()" * 700).encode(), "python")
    assert not isinstance(facts, Skipped)
    assert len(facts.calls) == 700


def test_blocks_nested_too_deep_are_skipped() -> None:
    """Six hundred ifs in each other are no program; the file is skipped and says why."""
    source = "".join(" " * level + "if a:\n" for level in range(600)) + " " * 600 + "pass\n"
    facts = analyze(source.encode(), "python")
    assert isinstance(facts, Skipped)
    assert facts.limitation.code == "too-deep"


def test_definitions_nested_too_deep_are_skipped() -> None:
    """A function in a function, a hundred and fifty times."""
    source = "".join(" " * level + "def f():\n" for level in range(150)) + " " * 150 + "pass\n"
    facts = analyze(source.encode(), "python")
    assert isinstance(facts, Skipped)
    assert facts.limitation.code == "too-deep"


@pytest.mark.parametrize(
    "source", ["", "\n", "# only a comment\n", "def", "class A(\n", "x = (", "@\n", "for\n", "\x0c\n", "lambda", "f(**", "import", "from . import ("]
)
def test_unfinished_files_have_facts(source: str) -> None:
    """Whatever can be read is read, and syntax errors are told."""
    facts = analyze(source.encode(), "python")
    assert not isinstance(facts, Skipped)
    assert facts.definitions[0].kind == "module"
    assert facts.has_error == bool(facts.error_rows)


def test_a_definition_with_a_syntax_error_is_flagged() -> None:
    """The other definitions of the file are not."""
    facts = analyze(b"def good():\n    return 1\n\ndef bad():\n    return ) 2\n\ndef fine():\n    return 3\n", "python")
    assert not isinstance(facts, Skipped)
    assert {definition.name: "error" in definition.flags for definition in facts.definitions} == {
        "": True, "good": False, "bad": True, "fine": False,
    }  # fmt: skip
    assert facts.error_rows == ((4, 4),)
