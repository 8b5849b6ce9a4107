"""The personal bank: claims across repositories, about what no repository can show (services, people, accounts).

It is a bare repository without any commit in the user's data directory, so everything that can be said of a claim can be said of one there;
only that there is nothing in it to stand on, so its claims live by the clock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knowledge.config import LEDGER_FILE
from knowledge.operations.project import Project, open_project
from knowledge.records.claims import Author
from knowledge.repository.opening import create_bare

PERIOD_DAYS = 180
"""After so long without a verdict a claim of the personal bank is to be looked at again, unless something else was said."""


def personal_home() -> Path:
    """Where the personal bank lies: KNOWLEDGE_PERSONAL, else below the user's data directory."""
    if given := os.environ.get("KNOWLEDGE_PERSONAL"):
        return Path(given).expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "knowledge" / "personal.git"


@contextmanager
def opened_personal(author: Author | None = None, *, create: bool = False) -> Iterator[Project | None]:
    """The personal bank; None where there is none yet. create: make it where it is not there."""
    home = personal_home()
    if not (home / LEDGER_FILE).exists():
        if not create:
            yield None
            return
        create_bare(home)
    with open_project(home, author, create=create) as project:
        yield project
