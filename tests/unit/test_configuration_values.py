"""Configuration files as values: the case files in tests/cases/values, and agreement with the programs that read such files.

In a case file a heading is a case, a block with a language is a file, and the block `values` lists all that is found in it, one a line:
`row: key = text`, then `error row` and `limitation-code detail row`. With KNOWLEDGE_UPDATE_CASES=1 the lists are written anew; read the
difference before you keep it.
"""

import configparser
import json
import math
import os
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.analysis import analyze, analyze_and_digest
from analyzers.facts import FileFacts, Skipped
from analyzers.key_paths import MAX_VALUES, join_key

CASES = Path(__file__).parents[1] / "cases" / "values"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^(````?)(\w+)\n((?:.*\n)*?)\1$", re.MULTILINE)


class Case(NamedTuple):
    file: Path
    name: str
    language: str
    content: str
    expected: str


def read_cases(file: Path) -> list[Case]:
    parts = _HEADING.split(file.read_text(encoding="utf-8"))[1:]
    found = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        (_, language, content), (_, _, expected) = _BLOCK.findall(body)
        found.append(Case(file, name, language, content, expected))
    return found


ALL = [case for file in sorted(CASES.glob("*.md")) for case in read_cases(file)]


def facts_of(content: str | bytes, language: str) -> FileFacts:
    found = analyze(content if isinstance(content, bytes) else content.encode(), language)
    assert not isinstance(found, Skipped)
    return found


def listed(facts: FileFacts) -> str:
    lines = [f"{value.span.row + 1}: {value.key} = {value.text}" for value in facts.values]
    lines += [f"error {first + 1}" for first, _ in facts.error_rows]
    lines += [f"{found.code} {found.detail} {found.row + 1}" for found in facts.limitations]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file.stem}: {case.name}")
def test_a_case_has_exactly_the_values_that_it_lists(case: Case) -> None:
    """Every key path with its line and its text, every error, every limitation."""
    found = listed(facts_of(case.content, case.language))
    if os.environ.get("KNOWLEDGE_UPDATE_CASES") and found != case.expected:
        text = case.file.read_text(encoding="utf-8")
        head = text.index("```values\n", text.index(f"## {case.name}\n")) + len("```values\n")
        case.file.write_text(text[:head] + found + text[text.index("```", head) :], encoding="utf-8")
        return
    assert found == case.expected


def test_there_are_cases() -> None:
    """The folder is read, and every language has some."""
    assert {case.language for case in ALL} == {"toml", "yaml", "json", "ini", "dotenv"}


def leaves(data: Any, key: str = "") -> dict[str, Any]:
    """Key path → value, of all that is not a table or list."""
    if isinstance(data, dict):
        return {path: leaf for name, value in data.items() for path, leaf in leaves(value, join_key(key, str(name))).items()}
    if isinstance(data, list):
        return {path: leaf for index, value in enumerate(data) for path, leaf in leaves(value, f"{key}[{index}]").items()}
    return {key: data}


def read_leaves(content: str | bytes, language: str) -> dict[str, Any]:
    """What was read, with each text taken as JSON again; tables and lists left out."""
    found = facts_of(content, language)
    assert not found.has_error
    spell = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
    scalars = {value.key: value.text for value in found.values if value.text[0] not in "{["}
    return {key: spell[text] if text in spell else json.loads(text) for key, text in scalars.items()}


_KEYS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
_SCALARS = st.one_of(st.booleans(), st.integers(-(10**17), 10**17), st.floats(allow_nan=False, allow_infinity=False), _TEXTS, st.none())
_TREES = st.dictionaries(
    _KEYS,
    st.recursive(_SCALARS, lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(_KEYS, inner, min_size=1, max_size=3)),
    max_size=4,
)


@given(_TREES, st.sampled_from([None, 2]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_json_is_read_as_python_reads_it(tree: dict[str, Any], indent: int | None, is_ascii: bool) -> None:
    """Any JSON document has the key paths and values that the json module finds."""
    assert read_leaves(json.dumps(tree, indent=indent, ensure_ascii=is_ascii), "json") == leaves(tree)


@given(_TREES, st.booleans())
@settings(max_examples=150, deadline=None)
def test_yaml_is_read_as_python_reads_it(tree: dict[str, Any], is_flow: bool) -> None:
    """Any plain YAML document has the values that PyYAML finds, wherever YAML 1.1 and 1.2 agree."""
    text = yaml.safe_dump(tree, default_flow_style=is_flow, allow_unicode=True)
    assert read_leaves(text, "yaml") == leaves(yaml.safe_load(text))


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_-]{1,8}", fullmatch=True),
        st.recursive(st.integers() | _TEXTS, lambda inner: st.lists(inner, min_size=1, max_size=3)),
        max_size=5,
    )
)
@settings(max_examples=100, deadline=None)
def test_toml_is_read_as_python_reads_it(tree: dict[str, Any]) -> None:
    """Strings with any escapes, numbers and nested lists have the values that tomllib finds."""
    text = "".join(f"{key} = {json.dumps(value).replace(chr(0x7F), chr(92) + 'u007f')}\n" for key, value in tree.items())
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # JSON writes what is beyond the basic plane as two surrogates, which TOML does not know
        return
    assert read_leaves(text, "toml") == leaves(expected)


TOML_DOCUMENT = """
title = 'It''s'
"a.b" . c = 0x_1F
[owner]  # comment
name = \"\"\"\\
  Tom \\
  Preston\\t"quoted\"\"\"\"
when = 1979-05-27 07:32:00Z
raw = '''
C:\\Users''\\n'''
[[servers]]
ip = "10.0.0.1"
ports = [ 8000, 8001, # two
  { a = 1, b.c = [true, -inf] },
]
[servers.limits]
cpu = 1e3
[[servers]]
ip = "10.0.0.2"
"""


def test_a_toml_document_is_read_as_python_reads_it() -> None:
    """Tables, arrays of tables, dotted keys, all kinds of strings and numbers; dates stay text."""
    document = TOML_DOCUMENT.replace("'It''s'", '"It\'s"').replace("0x_1F", "0x1_F")
    expected = {key: value for key, value in leaves(tomllib.loads(document)).items() if key != "owner.when"}
    found = {value.key: value.text for value in facts_of(document, "toml").values if value.text[0] not in "{["}
    assert found.pop("owner.when") == "1979-05-27T07:32:00Z"
    assert {key: -math.inf if text == "-inf" else json.loads(text) for key, text in found.items()} == expected


def test_ini_is_read_as_python_reads_it() -> None:
    """Sections, both delimiters, continuation lines, options without a value."""
    text = "[tool:a]\nkey = value\nOther: 1.50\nlist =\n  one\n\n  # no\n  two ; kept\nflag\n[b.c]\nx = a = b\n"
    parser = configparser.ConfigParser(allow_no_value=True, interpolation=None)
    parser.read_string(text)
    expected = {join_key(join_key("", section), key): value for section in parser.sections() for key, value in parser[section].items()}
    found = {key.lower(): None if value is None else str(value) for key, value in read_leaves(text, "ini").items()}
    blank_lines_kept = {key: None if value is None else re.sub("\n+", "\n", value).strip("\n") for key, value in expected.items()}
    assert found == blank_lines_kept


SAME = [
    ("toml", "a = 1\nb = 'x' # c\n", 'b="x"\na = 0x1\n'),
    ("toml", "[t]\nx.y = 1\n", "t = {x = {y = 1}}\n"),
    ("yaml", "a: &x {b: 1, c: 'd'}\ne: *x\n", 'e: {c: d, b: 0x1}\na:\n  b: 1  # one\n  c: "d"\n'),
    ("json", '{"a": [1.50, null], "b": "\\u00e9"}', '{ // c\n b: "é",\n "a": [1.5, null,] }'),
    ("ini", "[s]\na = 1\nb: x\n", "[s]\nb=x\na=1\n"),
    ("dotenv", "A=x\nexport B='y'\n", 'B="y"  # c\nA = x\n'),
]
"""(language, text, the same to whoever reads it)"""


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_looks_do_not_change_a_hash(language: str, one: str, other: str) -> None:
    """Order of keys, comments, quotes, spelling of numbers and kinds of tables do not show in the hash of the file or of a value."""
    hashes = []
    for text in (one, other):
        found = analyze_and_digest(text.encode(), language)
        assert not isinstance(found, Skipped)
        hashes.append((found[1].digests[0].body, {value.key: value.digest for value in found[0].values}))
    assert hashes[0] == hashes[1]


DIFFERENT = [
    ("toml", "a = 1\n", "a = '1'\n"),
    ("toml", "a = [1, 2]\n", "a = [2, 1]\n"),
    ("yaml", "a: [x]\n", "a: x\n"),
    ("yaml", "a: yes\n", "a: true\n"),
    ("json", '{"a": null}', "{}"),
    ("json", '{"a": {"b": 1}}', '{"a.b": 1}'),
    ("ini", "[s]\na = x\n", "[t]\na = x\n"),
    ("dotenv", "A=x\n", "A=X\n"),
]


@pytest.mark.parametrize(("language", "one", "other"), DIFFERENT)
def test_content_changes_the_hash(language: str, one: str, other: str) -> None:
    """Types, order of lists, places of keys, and values show."""
    bodies = []
    for text in (one, other):
        found = analyze_and_digest(text.encode(), language)
        assert not isinstance(found, Skipped)
        bodies.append(found[1].digests[0].body)
    assert bodies[0] != bodies[1]


def test_only_the_strict_hash_sees_the_order_of_keys() -> None:
    """Programs do not see it either, but a claim may be about it."""
    one, other = (analyze_and_digest(text, "json") for text in (b'{"a": 1, "b": 2}', b'{"b": 2, "a": 1}'))
    assert not isinstance(one, Skipped) and not isinstance(other, Skipped)
    assert one[1].digests[0].body == other[1].digests[0].body
    assert one[1].digests[0].body_strict != other[1].digests[0].body_strict


BOMBS = {
    "aliases": ("yaml", "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 40))),
    "merges": ("yaml", "a: &a {" + ", ".join(f"k{i}: 1" for i in range(2_000)) + "}\n" + "".join(f"b{i}: {{<<: *a}}\n" for i in range(2_000))),
    "depth": ("json", "[" * 100_000),
    "depth of tables": ("toml", "a = " + "{a = " * 50_000),
    "depth of flow": ("yaml", "[" * 100_000),
    "rows": ("json", "[" + ",".join('{"a": 1}' for _ in range(50_000)) + "]"),
    "open string": ("dotenv", 'A="\n' * 50_000),
    "dots": ("toml", ".".join("a" for _ in range(50_000)) + " = 1\n"),
    "digits": ("json", "[" + "9" * 100_000 + "]"),
    "one long line of blanks": ("ini", "[s]\nkey" + " " * 100_000 + "x\n"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_does_not_go_off(name: str) -> None:
    """Whatever a file unfolds to, the number and size of its values are bounded (and the test ends)."""
    language, text = BOMBS[name]
    facts = facts_of(text, language)
    assert len(facts.values) <= MAX_VALUES
    assert sum(len(value.key) + len(value.text) for value in facts.values) < 20_000_000


@given(
    st.sampled_from(["toml", "yaml", "json", "ini", "dotenv"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60) | st.text("[]{}=:,.\"'#-&*!|>?\\\n ab1", max_size=60),
)
@settings(max_examples=400, deadline=None)
def test_any_text_is_read(language: str, text: str) -> None:
    """No text makes a reader fail; positions are inside of the file."""
    content = text.encode()
    facts = facts_of(content, language)
    for value in facts.values:
        assert 0 <= value.span.start <= value.span.end <= len(content)


@pytest.mark.parametrize(
    ("language", "text"),
    [("json", '{"é": "ü", "b": 1}'), ("yaml", "é: ü\nb: 1\n"), ("toml", '"é" = "ü"\nb = 1\n'), ("ini", "[é]\nb = 1\n"), ("dotenv", "A=ü\nb=1\n")],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_positions_are_bytes(language: str, text: str, mark: bytes) -> None:
    """Also behind characters of several bytes and a byte order mark."""
    content = mark + text.encode()
    [value] = [value for value in facts_of(content, language).values if value.key.rpartition(".")[2] == "b"]
    assert content[value.span.start : value.span.end] in (b'"b": 1', b"b: 1", b"b = 1", b"b=1")
    line = content.split(b"\n")[value.span.row]
    assert line[value.span.column :].startswith(b'"b"' if language == "json" else b"b")
