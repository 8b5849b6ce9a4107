"""What holds for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def no_personal_bank(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The personal bank of whoever runs the tests is neither read nor written: this is where it would be made."""
    home = tmp_path_factory.mktemp("personal") / "bank.git"
    monkeypatch.setenv("KNOWLEDGE_PERSONAL", str(home))
    return home


@pytest.fixture(autouse=True, scope="session")
def tests_audit_below(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests decide is kept among their own files; anywhere else they are refused."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KNOWLEDGE_TESTS_BELOW", str(tmp_path_factory.getbasetemp()))
        yield
