"""Running the analyzers over blobs: what comes back, and what one bad blob may cost."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzers.analysis import analyze
from analyzers.registry import analyzer_version, parser_version
from knowledge.config import LIMITS, Limits
from knowledge.errors import AnalyzerStartError
from knowledge.facts import children, extraction
from knowledge.facts.extraction import FactExtractor, decode_digests, decode_facts, decode_outline
from knowledge.records.stored import FactKey

SLOW = Limits(parse_seconds=0.3)
"""Less processor time than a big file takes, more than a small one does."""
BIG = b"x = f(a, b)\n" * 150_000
MEMORY_BOMB = ("a<b," * 100 + "\n").encode() * 240
"""96 KB of TypeScript for whose parse tree-sitter asks for gigabytes."""


def blob(number: int, content: bytes, language: str = "python") -> tuple[FactKey, bytes]:
    return FactKey(f"{number:040x}", language), content


@pytest.fixture
def extractor() -> Iterator[FactExtractor]:
    """Always through child processes."""
    with FactExtractor(inline=False) as found:
        yield found


def test_a_blob_comes_back_as_the_analyzers_read_it(extractor: FactExtractor) -> None:
    """The payload holds the facts, with the versions that made them and the names it defines."""
    content = b"class A:\n    def f(self): ...\n"
    key, _ = blob(1, content)
    row = extractor.extract_one(key, content)
    assert decode_facts(row.payload) == analyze(content, "python")
    assert (row.parser_version, row.analyzer_version) == (parser_version("python"), analyzer_version("python"))
    assert row.definitions == (("A", "A", 0, "class", False), ("f", "A.f", 0, "method", False))
    assert row.skipped == ""


def test_a_child_and_this_process_give_the_same() -> None:
    """Where a file is parsed does not show."""
    files = [blob(1, b"a = 1\n"), blob(2, b"const a = 1", "typescript"), blob(3, b"a: 1\n", "yaml"), blob(4, b"\0", "python")]
    with FactExtractor(inline=False) as apart, FactExtractor() as here:
        assert list(apart.extract(files)) == list(here.extract(files))
        assert list(apart.digests(files)) == list(here.digests(files))


@pytest.mark.parametrize("second_child_at", [0, 200_000, 10**9])
def test_many_blobs_come_back_in_order(monkeypatch: pytest.MonkeyPatch, extractor: FactExtractor, second_child_at: int) -> None:
    """Several batches in one or two children are put together again; a payload of many is not compressed, and is decoded all the same."""
    monkeypatch.setattr(extraction, "SECOND_CHILD_BYTES", second_child_at)
    files = [blob(number, f"name_{number} = {number}\n".encode() * (1 + number % 200)) for number in range(300)]
    rows = list(extractor.extract(files))
    assert [row.key for row in rows] == [key for key, _ in files]
    assert [decode_facts(row.payload).bindings[0].name for row in rows] == [f"name_{number}" for number in range(300)]
    assert len(extractor._children) == (1 if second_child_at > 10**8 else 2)


def test_hashes_are_made_on_demand(extractor: FactExtractor) -> None:
    """One hash row for each definition; nothing for a blob that is skipped."""
    content = b"def f():\n    return 1\n"
    digests = decode_digests(extractor.digests_for(*blob(1, content)))
    facts = analyze(content, "python")
    assert len(digests.digests) == len(facts.definitions)  # type: ignore[union-attr]
    assert extractor.digests_for(*blob(2, b"\0")) == b""


def test_an_outline_is_the_facts_without_what_only_their_file_needs(extractor: FactExtractor) -> None:
    """Calls, values and mentions are left out, all else is there."""
    content = b"import a\nLIMIT = 3\ndef f(x=1):\n    return a.g(x)\n"
    payload = extractor.extract_one(*blob(1, content)).payload
    whole, outline = decode_facts(payload), decode_outline(payload)
    assert (outline.calls, outline.values, outline.mentions) == ((), (), ())
    assert (outline.definitions, outline.bindings, outline.returns) == (whole.definitions, whole.bindings, whole.returns)
    assert whole.calls and whole.values and whole.mentions


@pytest.mark.parametrize(("content", "code"), [(b"\0", "binary"), (b"x" * 2_000_001, "file-too-large"), (b"#" * 20_001, "minified")])
def test_a_file_that_is_not_read_says_why(extractor: FactExtractor, content: bytes, code: str) -> None:
    """A limitation's code in place of facts, with the detail in `failures`."""
    row = extractor.extract_one(*blob(1, content))
    assert (row.skipped, row.payload, row.definitions) == (code, b"", ())
    [(key, told, detail)] = extractor.failures
    assert (key, told) == (row.key, code) and detail


def test_a_file_that_takes_too_long_costs_only_itself() -> None:
    """The child that parses it ends by itself; a new one goes on with the next file."""
    files = [blob(1, b"a = 1\n"), blob(2, BIG), blob(3, b"b = 1\n")]
    with FactExtractor(SLOW, inline=False) as extractor:
        assert [row.skipped for row in extractor.extract(files)] == ["", "parse-timeout", ""]
        assert [row.skipped for row in extractor.extract(files)] == ["", "parse-timeout", ""]


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Filling all that a child may have takes time."""
    monkeypatch.setattr(children, "MEMORY_BYTES", 400_000_000)


@pytest.mark.usefixtures("little_memory")
def test_a_file_that_takes_too_much_memory_costs_only_itself(extractor: FactExtractor) -> None:
    """The child crashes instead of the machine."""
    files = [blob(1, b"let a = 1", "typescript"), blob(2, MEMORY_BOMB, "typescript"), blob(3, b"let b = 1", "typescript")]
    assert [row.skipped for row in extractor.extract(files)] == ["", "analyzer-crashed", ""]


@pytest.mark.usefixtures("little_memory")
def test_a_memory_bomb_is_not_parsed_in_this_process() -> None:
    """It is small enough, but has too many angle brackets."""
    with FactExtractor() as extractor:
        assert extractor.extract_one(*blob(1, MEMORY_BOMB, "typescript")).skipped == "analyzer-crashed"


def test_an_analyzer_that_fails_is_told_as_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure in this process is tried again in a child, whose answer counts."""

    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(extraction, "compute", fail)
    with FactExtractor() as extractor:
        row = extractor.extract_one(*blob(1, b"a = 1\n"))
        assert row.skipped == "" and row.payload


def test_a_child_that_is_killed_is_replaced(extractor: FactExtractor) -> None:
    """By anybody, at any time."""
    assert extractor.extract_one(*blob(1, b"a = 1\n")).skipped == ""
    [child] = extractor._children
    os.kill(child._child.pid, signal.SIGKILL)
    assert [row.skipped for row in extractor.extract([blob(2, b"b = 1\n"), blob(3, b"c = 1\n")])] == ["analyzer-crashed", ""]


def test_a_child_that_does_not_start_is_an_error(monkeypatch: pytest.MonkeyPatch, extractor: FactExtractor) -> None:
    """Not every file's fault, one after the other."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(AnalyzerStartError, match="does not start"):
        extractor.extract_one(*blob(1, b"a = 1\n"))


def test_a_text_that_the_grammar_itself_takes_minutes_for_is_given_up() -> None:
    """The limit also ends a parser that is busy in native code: strings that do not end, each before an element that does not."""
    files = [blob(1, b"a()\n", "javascript"), blob(2, b'"x\n<"' * 300_000, "javascript"), blob(3, b"b()\n", "javascript")]
    with FactExtractor(SLOW, inline=False) as extractor:
        assert [row.skipped for row in extractor.extract(files)] == ["", "parse-timeout", ""]


def test_a_child_that_waits_for_ever_is_killed(extractor: FactExtractor) -> None:
    """It uses no processor time, so the clock has to tell."""
    assert extractor.extract_one(*blob(1, b"a = 1\n")).skipped == ""
    [child] = extractor._children
    child._patience = 0.1
    os.kill(child._child.pid, signal.SIGSTOP)
    assert extractor.extract_one(*blob(2, b"b = 1\n")).skipped == "parse-timeout"


def test_an_abandoned_extraction_does_not_mix_up_answers(extractor: FactExtractor) -> None:
    """Answers that nobody took are not taken for answers to the next question."""
    files = [blob(number, f"name_{number} = 1\n".encode() * 10_000) for number in range(12)]
    taken = extractor.extract(files)
    next(taken)
    taken.close()
    row = extractor.extract_one(*blob(99, b"other = 1\n"))
    assert decode_facts(row.payload).bindings[0].name == "other"


def test_the_repository_is_not_searched_for_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child started inside of a repository runs none of its files."""
    for name in ("json", "signal", "msgspec", "analyzers", "knowledge", "tree_sitter", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    with FactExtractor(inline=False) as extractor:
        assert extractor.extract_one(*blob(1, b"a = 1\n")).skipped == ""
    assert not (tmp_path / "ran").exists()


def test_children_end_with_the_extractor() -> None:
    """Also when nobody closes it."""
    extractor = FactExtractor(inline=False)
    extractor.extract_one(*blob(1, b"a = 1\n"))
    [child] = extractor._children
    running = child._child
    del extractor, child
    assert running.returncode == 0


def test_the_limits_are_those_of_the_configuration() -> None:
    """Unless others are given."""
    assert FactExtractor().limits == LIMITS
