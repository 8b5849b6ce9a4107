"""What holds for every test."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def no_personal_bank(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The personal bank of whoever runs the tests is neither read nor written: this is where it would be made."""
    home = tmp_path_factory.mktemp("personal") / "bank.git"
    monkeypatch.setenv("KNOWLEDGE_PERSONAL", str(home))
    return home
