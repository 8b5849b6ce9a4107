"""Opening the project that a command is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from knowledge.operations.banks import make_personal
from knowledge.operations.project import Project, open_project
from knowledge.records.claims import Author
from knowledge.surfaces.cli.screen import terminal_progress
from knowledge.surfaces.cli.settings import Settings


@contextmanager
def opened(settings: Settings, author: Author | None = None, *, makes_bank: bool = False) -> Iterator[Project]:
    """The project around the settings' directory; long work in it is shown where somebody watches.

    makes_bank: where the personal bank is meant and there is none yet, it is made.
    """
    if settings.is_personal and makes_bank:
        make_personal()
    with open_project(settings.start, author) as project:
        progress = terminal_progress(settings)
        if progress is None:
            yield project
            return
        project.progress = progress
        try:
            yield project
        finally:
            progress.finish()
