"""Parsing: limits, encodings, positions, and parsing again after an edit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers import parsing
from analyzers.analysis import analyze, analyze_and_digest, digest
from analyzers.facts import Skipped
from analyzers.parsing import Edit, Parsed, parse, source_text
from analyzers.registry import LANGUAGES, parser_version


def parsed(content: bytes, language: str = "python") -> Parsed:
    found = parse(content, language)
    assert not isinstance(found, Skipped), found
    return found


def skipped(content: bytes, language: str = "python") -> str:
    found = parse(content, language)
    assert isinstance(found, Skipped)
    return found.limitation.code


def test_only_allowed_grammars_are_loaded() -> None:
    """Some grammars of the pack never end; a language without an allowed one is refused before anything is loaded."""
    assert "cobol" not in parsing.GRAMMARS
    assert {spec.grammar for spec in LANGUAGES.values() if spec.grammar} == parsing.GRAMMARS
    with pytest.raises(LookupError):
        parse(b"x", "toml")
    with pytest.raises(LookupError):
        parse(b"x", "cobol")


@pytest.mark.parametrize("language", [name for name, spec in LANGUAGES.items() if spec.grammar])
def test_the_registry_knows_each_grammars_abi(language: str) -> None:
    """The version that facts are kept under says the ABI without loading the grammar."""
    spec = LANGUAGES[language]
    assert parsing.grammar_of(language).language.abi_version == spec.grammar_abi
    assert f"{spec.grammar} abi {spec.grammar_abi}" in parser_version(language)


def test_files_that_are_not_read_say_why() -> None:
    """Each limit has a code of its own."""
    assert skipped(b"x = 1\n" * (parsing.MAX_BYTES // 6 + 1)) == "file-too-large"
    assert skipped(b"x=1;" * (parsing.MAX_LINE // 4 + 1)) == "minified"
    assert skipped(b"x = 1\0") == "binary"
    assert skipped(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") == "binary"
    assert skipped(b"x = '\xff'") == "undecodable"
    assert skipped(b"# coding: nonsense\nx = '\xff'") == "undecodable"


def test_a_long_text_in_quotes_does_not_make_a_file_minified() -> None:
    """A test may hold a picture in Base64, in a line of any length; what stands beside it is read."""
    for quote in (b"'", b'"'):
        found = parse(b"x = " + quote + b"a\\" + quote + b"a" * 3 * parsing.MAX_LINE + quote + b"\ny = 2\n", "python")
        assert isinstance(found, Parsed)
        assert found.line_count == 2


@pytest.mark.parametrize("cookie", [b"zlib", b"rot13", b"hex", b"idna", b"punycode", b"unicode_escape", b"utf-7", b"../../x"])
def test_only_plain_text_encodings_are_run(cookie: bytes) -> None:
    """A file cannot ask for a codec that does work of its own."""
    assert skipped(b"# -*- coding: " + cookie + b" -*-\nx = '\xff'\n") == "undecodable"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"# -*- coding: latin-1 -*-\nname = '\xe9'\n", "# -*- coding: latin-1 -*-\nname = 'é'\n"),
        (
            b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nname = '\x80'\n",
            "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nname = '€'\n",
        ),
        ("# coding: euc-kr\nname = '한국'\n".encode("euc-kr"), "# coding: euc-kr\nname = '한국'\n"),
        ("name = 'é'\n".encode("utf-16"), "name = 'é'\n"),
    ],
)
def test_other_encodings_are_read_as_utf8(content: bytes, text: str) -> None:
    """Offsets are then into the text as UTF-8, which is said."""
    found = parsed(content)
    assert found.is_reencoded
    assert source_text(content, "python") == found.source
    assert found.source.decode("utf-8-sig") == text
    facts = analyze(content, "python")
    assert not isinstance(facts, Skipped)
    assert "reencoded" in {limitation.code for limitation in facts.limitations}
    span = facts.definitions[1].name_span
    assert found.source[span.start : span.end] == b"name"


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfx = 1\ny = 2\n",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\ry = 2\r",
        b"# coding: utf-8\nx = '\xc3\xa9'\ny = 2",
        b"# coding: zlib\nx = 1\ny = 2",
    ],
)
def test_marks_and_line_ends_move_no_offset(content: bytes) -> None:
    """A byte order mark, returns and lone returns stay where they are; a cookie on ASCII text changes nothing."""
    found = parsed(content)
    assert not found.is_reencoded
    assert len(found.source) == len(content)
    assert not found.errors
    facts = analyze(content, "python")
    assert not isinstance(facts, Skipped)
    assert [content[d.name_span.start : d.name_span.end] for d in facts.definitions[1:]] == [b"x", b"y"]
    assert facts.definitions[2].name_span.row == facts.definitions[1].name_span.row + 1


@given(st.text(alphabet="ab\n\té한", max_size=60), st.data())
def test_spans_count_rows_and_byte_columns(text: str, data: st.DataObject) -> None:
    """Rows are the line feeds before, columns the bytes since; the fast function agrees in any order."""
    source = text.encode()
    found = parsed(source)
    span = found.spans()
    for _ in range(5):
        start = data.draw(st.integers(0, len(source)))
        end = data.draw(st.integers(start, len(source)))
        for made in (span(start, end), found.span(start, end)):
            assert (made.start, made.end) == (start, end)
            assert (made.row, made.end_row) == (source[:start].count(b"\n"), source[:end].count(b"\n"))
            assert made.column == start - (source.rfind(b"\n", 0, start) + 1)
            assert made.end_column == end - (source.rfind(b"\n", 0, end) + 1)
    assert found.line_count == len(text.split("\n")) - (text.endswith("\n") or not text)


def shape(found: Parsed) -> str:
    return f"{found.root} {found.errors}"


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(["def f(a):\n    return a\n", "x = [1, 2]\n", "class A:\n    y = 'é'\n", "if x:\n    f(x)\n", "\n"]), min_size=1, max_size=8
    ),
    st.data(),
)
def test_parsing_after_edits_gives_the_same_tree(parts: list[str], data: st.DataObject) -> None:
    """An incremental parse is as good as one from scratch, whatever was inserted or taken away."""
    source = "".join(parts).encode()
    found = parsed(source)
    for _ in range(3):
        start = data.draw(st.integers(0, len(source)))
        old_end = data.draw(st.integers(start, min(len(source), start + 12)))
        inserted = data.draw(st.sampled_from([b"", b"(", b"\n", b"    z = 3\n", b"'", b"y"]))
        source = source[:start] + inserted + source[old_end:]
        try:
            source.decode()
        except UnicodeDecodeError:
            return
        again = parse(source, "python", found, [Edit(start, old_end, start + len(inserted))])
        assert isinstance(again, Parsed)
        assert shape(again) == shape(parsed(source))
        found = again


def test_edits_in_one_go_give_the_same_tree() -> None:
    """Several edits are applied in the order in which they were made."""
    found = parsed(b"a = 1\nb = 2\nc = 3\n")
    edits = [Edit(4, 5, 7), Edit(12, 13, 13), Edit(0, 0, 2)]
    again = parse(b"x\na = 100\nb = \nc = 3\n", "python", found, edits)
    assert isinstance(again, Parsed)
    assert shape(again) == shape(parsed(b"x\na = 100\nb = \nc = 3\n"))


def test_edits_that_do_not_fit_are_not_trusted() -> None:
    """Edits that do not lead from one text to the other are a parse from scratch."""
    found = parsed(b"a = 1\n")
    for edits in ([Edit(0, 1, 5)], [Edit(3, 2, 2)], [Edit(0, 100, 1)], []):
        again = parse(b"def f(): pass\n", "python", found, edits)
        assert isinstance(again, Parsed)
        assert shape(again) == shape(parsed(b"def f(): pass\n"))


def test_an_incremental_parse_reads_little_of_the_text() -> None:
    """Of a file of many functions in which one byte changed, little goes through the lexer again."""
    source = b"def f(a, b):\n    return [a, b, 'text']\n\n" * 300
    at = source.index(b"text", 6_000)
    changed = source[:at] + b"T" + source[at + 1 :]
    found = parsed(source)
    steps: list[str] = []
    parser = found.grammar.parser
    parser.logger = lambda kind, message: steps.append(message) if message.startswith("consume") else None
    try:
        again = parse(changed, "python", found, [Edit(at, at + 1, at + 1)])
        incremental, steps[:] = len(steps), []
        whole = parsed(changed)
    finally:
        del parser.logger
    assert isinstance(again, Parsed)
    assert incremental < len(steps) / 5
    assert shape(again) == shape(whole)


def test_syntax_errors_are_places() -> None:
    """What is wrong and what is missing, by byte ranges and rows."""
    found = parsed(b"x = 1\ny = (2\n")
    assert found.errors
    assert found.error_rows() == ((1, 1),)
    assert not found.overlaps_error(0, 5)
    assert found.overlaps_error(6, 12)
    assert parsed(b"x = 1\n").errors == ()


def test_both_come_from_one_parse() -> None:
    """Facts and hashes are the same together and apart, and skipped alike."""
    content = b"def f(a):\n    return a\n"
    both = analyze_and_digest(content, "python")
    assert not isinstance(both, Skipped)
    assert both == (analyze(content, "python"), digest(content, "python"))
    assert len(both[0].definitions) == len(both[1].digests)
    assert analyze(b"\0", "python") == digest(b"\0", "python") == analyze_and_digest(b"\0", "python")
