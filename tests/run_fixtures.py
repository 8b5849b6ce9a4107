"""A small repository with tests, for what is recorded of runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo

from knowledge.surfaces.cli.main import main

FILES = {
    ".gitignore": "__pycache__/\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = "-p no:cacheprovider"\n',
    "shop/__init__.py": "",
    "shop/prices.py": '''RATE = 2


def net(price):
    """What it costs."""
    return price


def gross(price):
    return net(price) * RATE


class Basket:
    def __init__(self, prices):
        self.prices = prices

    @property
    def total(self):
        return sum(gross(price) for price in self.prices)

    def dearest(self):
        return max(self.prices, key=net)
''',
    "shop/data.txt": "7\n",
    "tests/conftest.py": "import pytest\n\nfrom shop.prices import Basket\n\n\n@pytest.fixture\ndef basket():\n    return Basket([1, 2])\n",
    "tests/test_prices.py": """from pathlib import Path

import pytest

from shop.prices import gross, net


def test_net():
    assert net(1) == 1


@pytest.mark.parametrize("price", [1, 2])
def test_gross(price):
    assert gross(price) == 2 * price


def test_total(basket):
    assert basket.total == 6


def test_dearest(basket):
    assert basket.dearest() == 2


def test_data():
    assert Path(__file__).parent.parent.joinpath("shop", "data.txt").read_text() == "7\\n"


@pytest.mark.skip(reason="later")
def test_later():
    assert net(2) == 2
""",
}
PYTEST = (sys.executable, "-m", "pytest", "-q")


def shop(path: Path) -> GitRepo:
    """The repository at its first commit, with a ledger."""
    repo = GitRepo.create(path)
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit("Sell things")
    assert main(["-C", str(path), "init", "--no-hooks"]) == 0
    return repo


class Shop:
    """A repository and the command line on it."""

    def __init__(self, repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
        self.repo, self._capsys = repo, capsys

    def ask(self, *words: str) -> tuple[int, Any]:
        """The exit code and the answer of a command, as JSON."""
        self._capsys.readouterr()
        code = main(["-C", str(self.repo.path), words[0], *words[1:]])
        return code, json.loads(self._capsys.readouterr().out)

    def run(self, *options: str, command: tuple[str, ...] = PYTEST) -> Any:
        """What `knowledge run --json` answers."""
        return self.ask("run", "--json", *options, "--", *command)[1]

    def affected(self, *words: str) -> dict[str, tuple[str, ...]]:
        """test → why it must run again."""
        answer = self.ask("tests", "affected", *words, "--json")[1]
        return {line["test"].removeprefix("tests/test_prices.py::"): tuple(line["reasons"]) for line in answer["tests"]}

    def change(self, path: str, old: str, new: str) -> None:
        """Replace a text of a file."""
        text = (self.repo.path / path).read_text()
        assert old in text
        self.repo.write(path, text.replace(old, new))
