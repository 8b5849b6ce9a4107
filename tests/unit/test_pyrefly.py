"""pyrefly as an analyzer: the pinned program is run on small trees, and its report is refused where it is not as known."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from analyzers.analysis import analyze
from analyzers.facts import FileFacts
from knowledge.errors import OutsideInputError, OutsideToolError
from knowledge.facts import pyrefly
from knowledge.facts.importers.pyrefly import PyreflyReport, read_pyrefly
from knowledge.graph.pyrefly_edges import pyrefly_edges

SOURCES = {
    b"src/shop/items.py": """\
class Item:
    def __init__(self, name):
        self.name = name

    @property
    def label(self):
        return '이름: ' + self.name

    def priced(self):
        return Price(self)


class Price:
    def doubled(self):
        return self


class Gift(Item):
    def priced(self):
        return super().priced()
""",
    b"src/shop/till.py": """\
from shop.items import Gift, Item, Price


def total(item: Item):
    return 한글(item.label), item.priced().doubled(), Price()


def 한글(text):
    return text


def make():
    return total(Gift('x'))
""",
}


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    """Whether the program is there is asked anew in each test."""
    yield
    pyrefly._command.cache_clear()
    pyrefly._probe.cache_clear()


class Sources:
    """SOURCES as a tree's files."""

    def text(self, path: bytes) -> bytes | None:
        return SOURCES[path].encode()

    def facts(self, path: bytes) -> FileFacts | None:
        found = analyze(SOURCES[path].encode(), "python")
        return found if isinstance(found, FileFacts) else None


@pytest.fixture(scope="module")
def report() -> PyreflyReport:
    """What the program says of SOURCES."""
    return pyrefly.run_pyrefly({path: text.encode() for path, text in SOURCES.items()}, [b"src"])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> tuple[Path, Path]:
    """A report as the program writes it, and the root of the files that it is about."""
    folder = tmp_path_factory.mktemp("pyrefly")
    patch = pytest.MonkeyPatch()
    request.addfinalizer(patch.undo)
    kept = {}

    def read(report: Path, root: Path) -> PyreflyReport:
        shutil.copytree(report, folder / "report")
        kept["root"] = root
        return read_pyrefly(report, root)

    patch.setattr(pyrefly, "read_pyrefly", read)
    pyrefly._run(pyrefly._command(), pyrefly._PROBE, [b""])
    patch.undo()
    return folder / "report", kept["root"]


def test_its_answers_are_edges_between_our_symbols(report: PyreflyReport) -> None:
    """Chained calls, constructors and properties find their places behind Korean letters; what may be overridden is inferred."""
    found = pyrefly_edges(report, Sources())
    shown = {f"{e.subject} {e.predicate} {e.object} {e.confidence_kind} {e.reason} {e.row + 1}" for edges in found.edges.values() for e in edges}
    assert shown == {
        "src/shop/items.py::Gift implements src/shop/items.py::Item resolved type 18",
        "src/shop/items.py::Gift.priced overrides src/shop/items.py::Item.priced resolved type 19",
        "src/shop/items.py::Gift.priced calls src/shop/items.py::Item.priced resolved type 20",
        "src/shop/items.py::Item.priced calls src/shop/items.py::Price resolved type 10",
        "src/shop/till.py::total calls src/shop/till.py::한글 resolved type 5",
        "src/shop/till.py::total calls src/shop/items.py::Item.label inferred overrides 5",
        "src/shop/till.py::total calls src/shop/items.py::Item.priced inferred overrides 5",
        "src/shop/till.py::total calls src/shop/items.py::Price.doubled inferred overrides 5",
        "src/shop/till.py::total calls src/shop/items.py::Price resolved type 5",
        "src/shop/till.py::make calls src/shop/till.py::total resolved type 13",
        "src/shop/till.py::make calls src/shop/items.py::Gift resolved type 13",
    }
    text = SOURCES[b"src/shop/till.py"].encode()
    assert all(text[e.start : e.end].decode() == e.name for e in found.edges[b"src/shop/till.py"] if e.name)


def test_it_is_told_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is not installed the error names the extra."""

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(OutsideToolError, match=r'pip install "knowledge-runtime\[pyrefly\]"'):
        pyrefly.run_pyrefly({}, [b""])


def test_another_version_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another version's answers mean is not known."""
    monkeypatch.setattr(metadata, "version", lambda name: "1.4.9")
    with pytest.raises(OutsideToolError, match=r"1\.4\.9 is installed; expected 1\.5\.0"):
        pyrefly.run_pyrefly({}, [b""])


def test_who_is_wrong_on_a_known_case_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe comes before the first answer."""
    monkeypatch.setattr(pyrefly, "CONFIGURATION", pyrefly.CONFIGURATION | {"check-unannotated-defs": "false"})
    with pytest.raises(OutsideToolError, match="does not answer the known case as expected"):
        pyrefly.run_pyrefly({}, [b""])


@pytest.mark.parametrize(
    ("limit", "value", "said"), [("SECONDS", 0.001, "longer than"), ("MEMORY_BYTES", 1_000_000, "pyrefly"), ("MAX_FILES", 0, "more than")]
)
def test_its_run_is_bounded(monkeypatch: pytest.MonkeyPatch, limit: str, value: float, said: str) -> None:
    """Time, memory and the number of files have bounds, and reaching one is told."""
    monkeypatch.setattr(pyrefly, limit, value)
    with pytest.raises(OutsideToolError, match=said):
        pyrefly.run_pyrefly({b"a.py": b"x = 1\n"}, [b""])


def test_a_path_that_leads_out_is_refused() -> None:
    """git can hold a path with dots in it; nothing is written outside of the copy."""
    with pytest.raises(OutsideInputError, match="leads out"):
        pyrefly.run_pyrefly({b"../a.py": b"x = 1\n"}, [b""])


def _module_file(report: Path, kind: str) -> Path:
    return next((report / kind).glob("probe:*.json"))


def _changed(file: Path, change: str, value: object) -> None:
    found = json.loads(file.read_text())
    found[change] = value
    file.write_text(json.dumps(found))


SPOILT = {
    "another format": (lambda r: _changed(r / "pyrefly.pysa.json", "format_version", 2), "format version 2; this program reads 1"),
    "no format": (lambda r: (r / "pyrefly.pysa.json").write_text("{}"), "format version None"),
    "no JSON": (lambda r: (r / "pyrefly.pysa.json").write_text("{"), "no JSON object"),
    "no index": (lambda r: (r / "pyrefly.pysa.json").unlink(), "no pyrefly.pysa.json"),
    "no definitions": (lambda r: _module_file(r, "definitions").unlink(), "has no probe:"),
    "other definitions": (lambda r: _changed(_module_file(r, "definitions"), "function_definitions", [1]), "not as expected"),
    "calls of another format": (lambda r: _changed(_module_file(r, "call_graphs"), "format_version", 7), "format version 7"),
    "a place that is none": (lambda r: _changed(_module_file(r, "call_graphs"), "call_graphs", {"MTL": {"here": {"Call": {}}}}), "place 'here'"),
    "a site that is none": (
        lambda r: _changed(_module_file(r, "call_graphs"), "call_graphs", {"MTL": {"1:1-1:2": {"Call": 3}}}),
        "not as expected at 1:1-1:2",
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_report_that_is_not_as_known_is_refused(written: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    """Another format, a missing or damaged file, an unknown place: the error names the file and what was expected."""
    source, root = written
    copy = tmp_path / "report"
    shutil.copytree(source, copy)
    assert read_pyrefly(copy, root).calls
    spoil, said = SPOILT[name]
    spoil(copy)
    with pytest.raises(OutsideInputError, match=said):
        read_pyrefly(copy, root)
