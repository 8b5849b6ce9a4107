"""Who may import whom, what types hold, what style holds: the same checks that `make lint` runs."""

import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest
from importlinter import cli

ROOT = Path(__file__).parents[2]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]

SOLE_IMPORTERS = {
    "sqlalchemy": "knowledge.storage",
    "alembic": "knowledge.storage",
    "sqlite3": "knowledge.storage",
    "pygit2": "knowledge.repository",
    "networkx": "knowledge.graph",
    "google.protobuf": "knowledge.facts.importers.scip",
    "tree_sitter": "analyzers.parsing",
    "tree_sitter_language_pack": "analyzers.parsing",
    "Stemmer": "knowledge.recall",
    "typer": "knowledge.surfaces.cli",
    "click": "knowledge.surfaces.cli",
    "rich": "knowledge.surfaces.cli",
}
"""Outside package → the one module or package of ours that may import it."""
GUESTS = {"knowledge.facts.importers.coverage_py": "sqlite3"}
"""Modules that need such a package besides its owner: another program's database is no store of ours."""


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("knowledge", "analyzers", include_external_packages=True, cache_dir=None)


def run(*command: str) -> None:
    """Run a checker of this environment from the root; fail with what it says."""
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def test_import_contracts_hold(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Every import contract of pyproject.toml is kept."""
    monkeypatch.chdir(ROOT)
    assert cli.lint_imports(no_cache=True) == 0, capsys.readouterr().out


def test_every_package_has_its_layer() -> None:
    """No module right below knowledge/ is missing from the layers, so that nothing new stands outside them."""
    layers = next(contract["layers"] for contract in CONTRACTS if contract["type"] == "layers")
    placed = {module.strip() for layer in layers for module in layer.split("|")}
    found = {f"knowledge.{path.stem}" for path in (ROOT / "knowledge").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert found - {"knowledge.__init__", "knowledge.__main__"} <= placed


@pytest.mark.parametrize(("package", "owner"), SOLE_IMPORTERS.items(), ids=SOLE_IMPORTERS)
def test_only_one_place_imports(graph: grimp.ImportGraph, package: str, owner: str) -> None:
    """Each outside package that something else could replace one day is known to one place only."""
    importers = graph.find_modules_that_directly_import(package) if package in graph.modules else set()
    guests = {module for module, used in GUESTS.items() if used == package}
    assert {module for module in importers if module != owner and not module.startswith(owner + ".")} == guests


def test_types_hold() -> None:
    """mypy finds nothing, strictly."""
    run("mypy")


def test_style_holds() -> None:
    """ruff finds nothing."""
    run("ruff", "check", ".")


def test_layout_holds() -> None:
    """Every file is laid out as ruff lays it out."""
    run("ruff", "format", "--check", ".")
