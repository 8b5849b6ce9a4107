"""What all hosts have in common: a name, and the files of a project that have to be changed for it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from knowledge.surfaces.hosts.edits import Edit

Change = Callable[[str | None, bool], str | None]
"""The text of a file (None: it is not there) and whether we come or go → the text that it should have."""


@dataclass(frozen=True, slots=True)
class Host:
    """An agent's program. changes: project file → how it is changed. after: what a person has to do besides, "" for nothing."""

    name: str
    title: str
    changes: Callable[[list[str]], dict[str, Change]]
    after: str = ""

    def edits(self, root: Path, command: list[str], *, is_removal: bool) -> list[Edit]:
        """The changes that are needed in the project at `root`, in the order of the files."""
        found = []
        for name, change in self.changes(command).items():
            file = root / name
            before = file.read_text(encoding="utf-8") if file.is_file() else None
            found.append(Edit(PurePosixPath(name), before, change(before, not is_removal)))
        return [edit for edit in found if edit.is_needed]


def server_command() -> list[str]:
    """How the server is started: by its plain name where that is on PATH (so that the file can be shared), else by this interpreter."""
    found = shutil.which("knowledge")
    if found is not None and Path(found).resolve().parent == Path(sys.executable).parent.resolve():
        return ["knowledge", "mcp"]
    return [sys.executable, "-m", "knowledge", "mcp"]
