"""Paths as they are typed: from a folder inside the work tree they are meant from there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from knowledge.operations.project import Project
from knowledge.records.identifiers import read_path, show_path
from knowledge.surfaces.cli.settings import Settings

_WORD = re.compile(r"(?P<kind>[a-z]+:(?!:))?(?P<path>[^:\s]+)(?P<rest>(?:::?\S*)?)")
"""`path`, `path::name`, `path:10-20`, each with what stands before it in an anchor (`body:`)."""


def from_here(texts: Iterable[str], project: Project, settings: Settings, *, has_folders: bool = False) -> tuple[str, ...]:
    """The texts with every path in them that names a file here (with `has_folders`: or a folder) written from the top of the work tree."""
    top, start = project.repository.workdir, settings.start.resolve()
    if top is None or start == top.resolve() or not start.is_relative_to(top.resolve()):
        return tuple(texts)
    inside = start.relative_to(top.resolve())

    def rooted(word: re.Match[str]) -> str:
        typed = Path(os.fsdecode(read_path(word["path"])))
        here = start / typed
        if typed.is_absolute() or not (here.is_file() or (has_folders and here.is_dir())):
            return word[0]
        whole = os.path.normpath(inside / typed)
        return word[0] if whole.startswith("..") else f"{word['kind'] or ''}{show_path(os.fsencode(whole))}{word['rest']}"

    return tuple(_WORD.sub(rooted, text) for text in texts)
