"""The personal bank: claims across repositories, about what no repository can show (services, people, accounts).

It is a bare repository without any commit in the user's data directory, so everything that can be said of a claim can be said of one there;
only that there is nothing in it to stand on, so its claims live by the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from knowledge.config import LEDGER_FILE, personal_home
from knowledge.operations.project import Project, open_project
from knowledge.operations.record import Draft
from knowledge.records.claims import Author
from knowledge.repository.opening import create_bare

PERIOD_DAYS = 180
"""After so long without a verdict a claim of the personal bank is to be looked at again, unless something else was said."""


def dated(draft: Draft) -> Draft:
    """A draft for the personal bank: nothing in a repository can show that it is no longer so, so it has a time to be looked at again."""
    return draft if draft.until or draft.period_days or draft.review_when else replace(draft, period_days=PERIOD_DAYS)


def make_personal() -> None:
    """Make the personal bank where it is not there yet."""
    home = personal_home()
    if not (home / LEDGER_FILE).exists():
        create_bare(home)
        with open_project(home, create=True):
            pass


@contextmanager
def opened_personal(author: Author | None = None) -> Iterator[Project | None]:
    """The personal bank; None where there is none."""
    home = personal_home()
    if not (home / LEDGER_FILE).exists():
        yield None
        return
    with open_project(home, author) as project:
        yield project


def is_personal(project: Project) -> bool:
    """Whether a project is the personal bank."""
    return project.repository.common_dir.resolve() == personal_home().resolve()
