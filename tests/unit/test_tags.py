"""Languages that are read through a tags query: tests/cases/facts_tags/*.md, and what their hashes see.

A heading is a case. The first block is the file, in the language that the block names. The block `facts` lists every definition (with its
parent where its name does not tell it), call and import, one a line. With KNOWLEDGE_UPDATE_CASES=1 the lists are written anew; read the
difference before you keep it.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.analysis import analyze, analyze_and_digest
from analyzers.facts import Call, Definition, FileFacts, Skipped, SymbolDigest
from analyzers.languages.tags import KINDS, SCOPES, query_of
from analyzers.parsing import GRAMMARS, grammar_of
from analyzers.registry import LANGUAGES

CASES = Path(__file__).parents[1] / "cases" / "facts_tags"
TAGGED = sorted(name for name, spec in LANGUAGES.items() if spec.analyzer == "tags")
_BLOCK = re.compile(r"^```(\S+) ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_OTHER_CAPTURES = {
    "body", "call", "call.new", "complete", "import", "mention", "method", "module", "name", "owner", "parameters", "prototype", "receiver",
    "require", "source",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    file: Path
    name: str
    language: str
    source: str
    expected: str


def read_cases(file: Path) -> list[Case]:
    parts = _HEADING.split(file.read_text(encoding="utf-8"))[1:]
    found = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        (language, _, source), (_, _, expected) = _BLOCK.findall(body)
        found.append(Case(file, name, language, source, expected))
    return found


ALL = [case for file in sorted(CASES.glob("*.md")) for case in read_cases(file)]


def facts_of(source: str | bytes, language: str) -> FileFacts:
    found = analyze(source.encode() if isinstance(source, str) else source, language)
    assert not isinstance(found, Skipped)
    return found


def digests_of(source: str, language: str) -> dict[str, SymbolDigest]:
    """Qualified name → its hashes, for the first definition of each name."""
    found = analyze_and_digest(source.encode(), language)
    assert not isinstance(found, Skipped)
    facts, digests = found
    pairs = list(zip(facts.definitions, digests.digests, strict=True))
    return {definition.qualified_name: digest for definition, digest in reversed(pairs)}


def _definition(facts: FileFacts, found: Definition) -> str:
    ordinal = f"#{found.ordinal + 1}" if found.ordinal else ""
    parent = facts.definitions[found.parent].qualified_name
    below = "" if found.qualified_name.rpartition(".")[0] == parent else f" in {parent or 'the file'}"
    return f"{found.kind} {found.qualified_name}{ordinal}{below}{' · ' if found.flags else ''}{', '.join(found.flags)}"


def _call(facts: FileFacts, found: Call) -> str:
    callee = found.expression.parts[0]
    receiver = f"{callee.parts[0].name or '?'}." if callee.parts else ""
    owner = facts.definitions[facts.scopes[found.scope].definition].qualified_name or "the file"
    return f"{owner} {'makes' if 'new' in found.flags else 'calls'} {receiver}{callee.name}"


def listed(facts: FileFacts) -> str:
    lines = [_definition(facts, found) for found in facts.definitions[1:]]
    lines += [_call(facts, found) for found in facts.calls] + [f"imports {found.module}" for found in facts.imports]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file.stem}: {case.name}")
def test_a_case_has_exactly_the_facts_that_it_lists(case: Case) -> None:
    """Every definition, call and import, and no syntax error."""
    facts = facts_of(case.source, case.language)
    assert not facts.has_error
    found = listed(facts)
    if os.environ.get("KNOWLEDGE_UPDATE_CASES") and found != case.expected:
        text = case.file.read_text(encoding="utf-8")
        at = text.index("```facts", text.index(f"## {case.name}\n"))
        head = text.index("\n", at) + 1
        case.file.write_text(text[:head] + found + text[text.index("```", head) :], encoding="utf-8")
        return
    assert found == case.expected


def test_every_tagged_language_has_a_case() -> None:
    """No query is there that nobody can read an example of, and no grammar is allowed that nothing reads."""
    assert {case.language for case in ALL} == set(TAGGED)
    assert {spec.grammar for spec in LANGUAGES.values() if spec.grammar} == GRAMMARS
    assert "cobol" not in GRAMMARS


@pytest.mark.parametrize("language", TAGGED)
def test_a_query_captures_only_what_the_analyzer_knows(language: str) -> None:
    """A misspelled capture would be silently without effect."""
    query = grammar_of(language).query(query_of(language))
    captures = {query.capture_name(number) for number in range(query.capture_count)}
    assert captures <= {*KINDS, *SCOPES, *_OTHER_CAPTURES}
    assert {"name", "call", "mention"} <= captures


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.language)
def test_positions_point_at_names_and_every_definition_has_hashes(case: Case) -> None:
    """The byte ranges of names hold just those names, and whatever is declared has a hash of its source and its signature or body."""
    content = case.source.encode()
    found = analyze_and_digest(content, case.language)
    assert not isinstance(found, Skipped)
    facts, digests = found
    for definition, digest in zip(facts.definitions[1:], digests.digests[1:], strict=True):
        assert content[definition.name_span.start : definition.name_span.end].decode() == definition.name
        assert digest.source and (digest.body or "declaration" in definition.flags or digest.signature)
    for call in facts.calls:
        assert content[call.name_span.start : call.name_span.end].decode() == call.expression.parts[0].name
    assert digests.digests[0].body


GO = 'package a\n\n// Run runs.\nfunc Run(a int) string {\n\treturn "a  b"\n}\n\nconst Max = 3\n'


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("// Run runs.\n", "// 실행한다.\n\n", set()),
        ("return", "  return", set()),
        ('"a  b"', '"a b"', {"body", "body_strict"}),
        ("a int", "a int, b int", {"signature"}),
        ("func Run(a int)", "func Run(a int /* 몇 번 */)", set()),
        ("string {", "error {", {"signature"}),
        ("= 3", "= 4", set()),
    ],
)
def test_hashes_see_what_matters(old: str, new: str, changed: set[str]) -> None:
    """Comments and layout do not count; text in strings does, and a signature is apart from the body."""
    before, after = digests_of(GO, "go")["Run"], digests_of(GO.replace(old, new), "go")["Run"]
    assert {name for name in ("signature", "body", "body_strict") if getattr(before, name) != getattr(after, name)} == changed


def test_a_constant_changes_with_its_value_and_not_with_its_name() -> None:
    """Without a signature all but the name is the body."""
    three, four, renamed = (digests_of(GO.replace("Max = 3", text), "go") for text in ("Max = 3", "Max = 4", "Most = 3"))
    assert three["Max"].body != four["Max"].body
    assert three["Max"].body == renamed["Most"].body and three["Max"].signature != renamed["Most"].signature


def test_an_empty_body_is_a_body() -> None:
    """Where the grammar has no node for an empty body, one that is filled has changed."""
    empty, filled = (digests_of(f"def f(a)\n{body}end\n", "ruby")["f"] for body in ("", "  g\n"))
    assert empty.body and empty.body != filled.body and empty.signature == filled.signature


def test_definitions_nested_too_deep_are_skipped() -> None:
    """Six hundred classes in each other are no program; the file is skipped and says why."""
    found = analyze(("class A {\n" * 600 + "}\n" * 600).encode(), "java")
    assert isinstance(found, Skipped)
    assert found.limitation.code == "too-deep"


@pytest.mark.parametrize("language", ["c", "java", "ruby", "kotlin"])
def test_a_chain_of_thousands_of_calls_says_what_is_missing(language: str) -> None:
    """Depth costs no square of time: what was not followed is told."""
    facts = facts_of("a" + ".b()\n" * 3_000, language)
    assert "too-deep" in {limitation.code for limitation in facts.limitations}


@pytest.mark.parametrize("language", TAGGED)
@settings(max_examples=25, deadline=None)
@given(noise=st.lists(st.tuples(st.integers(0, 10_000), st.binary(max_size=6)), max_size=8), content=st.binary(max_size=300))
def test_no_bytes_raise(language: str, noise: list[tuple[int, bytes]], content: bytes) -> None:
    """Random bytes, and a real file with noise in it, give facts whose indexes hold, or are skipped with a reason."""
    broken = next(case.source for case in ALL if case.language == language).encode()
    for place, inserted in noise:
        place %= len(broken)
        broken = broken[:place] + inserted + broken[place + len(inserted) // 2 :]
    for text in (content, broken):
        found = analyze_and_digest(text, language)
        if isinstance(found, Skipped):
            assert found.limitation.code
            continue
        facts, digests = found
        assert len(digests.digests) == len(facts.definitions)
        for index, definition in enumerate(facts.definitions[1:], 1):
            assert definition.name and 0 <= definition.parent != index and 0 <= definition.scope < len(facts.scopes)
            assert len(facts.definitions[definition.parent].qualified_name) < len(definition.qualified_name)
        assert all(0 <= call.scope < len(facts.scopes) and call.expression.parts[0].name for call in facts.calls)
