"""SCIP: read in both encodings of ranges, held against the files it speaks of, refused with the place where it is damaged."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scip_fixtures import A_PY, BASE, LISTED, SOURCES, TYPED, ScipWriter, field, small_index

from analyzers.analysis import analyze
from analyzers.facts import FileFacts
from knowledge.errors import OutsideInputError
from knowledge.facts.importers.scip import DEFINITION, read_scip
from knowledge.graph.scip_edges import ScipEdges, scip_edges


class Sources:
    """Files in memory."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.sources = {path.encode(): text.encode() for path, text in sources.items()}

    def text(self, path: bytes) -> bytes | None:
        return self.sources.get(path)

    def facts(self, path: bytes) -> FileFacts | None:
        text = self.sources.get(path)
        found = analyze(text, "python") if text is not None else None
        return found if isinstance(found, FileFacts) else None


def edges_of(content: bytes, sources: dict[str, str] = SOURCES) -> ScipEdges:
    return scip_edges([(document.path.encode(), document) for document in read_scip(content).documents], Sources(sources))


def shown(found: ScipEdges) -> list[str]:
    return sorted(f"{e.subject} {e.predicate} {e.object} {e.row + 1}" for edges in found.edges.values() for e in edges)


WANTED = [
    "a.py::Base.compose calls a.py::helper 7",
    "b.py imports a.py::Base 1",
    "b.py imports a.py::helper 1",
    "b.py::Child implements a.py::Base 4",
    "b.py::Child.compose calls a.py::helper 6",
    "b.py::Child.compose overrides a.py::Base.compose 5",
    "b.py::main calls a.py::Base.compose 10",
]


@pytest.mark.parametrize("ranges", [TYPED, LISTED])
@pytest.mark.parametrize("encoding", [0, 1, 2, 3], ids=["unspecified", "UTF-8", "UTF-16", "UTF-32"])
def test_both_range_encodings_in_every_position_encoding(ranges: str, encoding: int) -> None:
    """Definitions, calls, imports, bases and overrides come out alike, also behind Korean letters on the line."""
    found = edges_of(small_index(ranges, encoding))
    assert shown(found) == WANTED
    assert all(e.confidence_kind == "resolved" and e.reason == "scip" for edges in found.edges.values() for e in edges)
    assert found.unfit == {}


def test_what_is_not_taken_is_counted() -> None:
    """References to what the index does not define, and definitions that are none here, are counted by cause."""
    assert dict(edges_of(small_index()).left_out) == {
        "definitions that are none here": 1,
        "references to what the index does not define": 1,
    }


def test_four_numbers_and_typed_ranges_over_rows() -> None:
    """A range over several rows is read in both encodings; the typed one counts where both are given."""
    for typed in (False, True):
        writer = ScipWriter()
        writer.document("a.py", A_PY, [("helper", 0, "t . p 1 a/helper().", DEFINITION)])
        occurrence = writer._documents[0].occurrences[0]
        occurrence.ClearField("single_line_range")
        occurrence.range.extend([0, 4, 1, 3])
        if typed:
            many = occurrence.multi_line_range
            many.start_line, many.start_character, many.end_line, many.end_character = 0, 0, 2, 0
        (document,) = read_scip(writer.content()).documents
        found = document.occurrences[0].range
        assert (found.row, found.character, found.end_row, found.end_character) == ((0, 0, 2, 0) if typed else (0, 4, 1, 3))


@pytest.mark.parametrize(
    "changed",
    [{"a.py": "# one line more\n" * 2 + A_PY}, {"a.py": A_PY.replace("helper", "another")}, {"a.py": ""}],
    ids=["moved", "renamed", "emptied"],
)
def test_a_file_of_other_content_is_left_out(changed: dict[str, str]) -> None:
    """Where names do not stand where the index says, nothing is taken from the file, and nothing leads into it."""
    found = edges_of(small_index(), SOURCES | changed)
    assert found.unfit == {b"a.py": "other content"}
    assert shown(found) == []


def test_a_missing_file_is_named() -> None:
    """A document of which the tree has no file is left out and named."""
    assert edges_of(small_index(), {"b.py": SOURCES["b.py"]}).unfit == {b"a.py": "no such file"}


def _with_range(*numbers: int) -> bytes:
    writer = ScipWriter(ranges=LISTED)
    writer.document("a.py", A_PY, [("Base", 0, BASE, DEFINITION)])
    del writer._documents[0].occurrences[0].range[:]
    writer._documents[0].occurrences[0].range.extend(numbers)
    return writer.content()


def _with_path(path: str) -> bytes:
    writer = ScipWriter()
    writer.document(path, A_PY, [])
    return writer.content()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "which tool made it"),
        (b"{}", "byte 0 begins no field"),
        (b"\x0a\xff", "cut off in the number at byte 1"),
        (b"\x0a" + b"\xff" * 12, "does not end"),
        (small_index()[:-3], "is cut off: the field at byte"),
        (small_index() + field(2, b"\x0a\x05ab"), "the Document at byte"),
        (field(1, b"\x12\xff"), "the Metadata at byte 2"),
        (small_index(tool=""), "which tool made it"),
        (_with_range(1, 2), "range of 2 numbers; expected 3 or 4"),
        (_with_range(1, 2, 3, 4, 5), "range of 5 numbers"),
        (_with_range(1, 5, 2), "ends where it begins or later"),
        (_with_range(3, 0, 2, 0), "ends where it begins or later"),
        (_with_range(-1, 0, 2), "occurrence 1 of document 1"),
        (_with_path("../x.py"), "canonical relative path"),
        (_with_path("/etc/passwd"), "canonical relative path"),
        (_with_path("a\\b.py"), "canonical relative path"),
        (_with_path(""), "canonical relative path"),
        (ScipWriter().content() + field(2, b"\x0a\x01a\x30\x63"), "position encoding 99"),
    ],
)  # fmt: skip
def test_malformed_input_says_what_and_where(content: bytes, said: str) -> None:
    """An index that cannot be read names the byte, document or occurrence, and what was expected."""
    with pytest.raises(OutsideInputError, match=said):
        read_scip(content)


@given(st.binary(max_size=200) | st.tuples(st.integers(0, 400), st.binary(max_size=8)))
def test_no_bytes_crash_it(given_bytes: bytes | tuple[int, bytes]) -> None:
    """Random bytes, and an index with some bytes replaced, are read or refused, never anything else."""
    if isinstance(given_bytes, tuple):
        whole, (place, new) = small_index(), given_bytes
        content = whole[:place] + new + whole[place + len(new) :]
    else:
        content = given_bytes
    with contextlib.suppress(OutsideInputError):
        edges_of(content)
