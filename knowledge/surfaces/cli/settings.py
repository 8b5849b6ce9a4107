"""What every command understands: where to look, and how to write. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from knowledge.config import personal_home
from knowledge.errors import UsageError


@dataclass(slots=True)
class Settings:
    """The shared options. `directories` are joined one after the other, as git does with several `-C`."""

    directories: tuple[str, ...] = ()
    is_json: bool = False
    is_quiet: bool = False
    is_plain: bool = False
    is_personal: bool = False

    @property
    def here(self) -> Path:
        """Where the files lie that are named on the command line. Raises UsageError where there is no such directory."""
        here = Path.cwd().joinpath(*self.directories)
        if not here.is_dir():
            raise UsageError(f"there is no directory {here}; give -C a directory inside a git repository")
        return here

    @property
    def start(self) -> Path:
        """Where the repository is looked for: here, or where the personal bank lies. Raises UsageError where there is no such directory."""
        if not self.is_personal:
            return self.here
        if not personal_home().is_dir():
            raise UsageError(f"there is no personal bank at {personal_home()} yet; `knowledge claim record --personal` makes it")
        return personal_home()


def wants_colour(stream: TextIO, settings: Settings) -> bool:
    """Colour only for a terminal that has it, and not where --no-color or NO_COLOR (https://no-color.org) is given."""
    if settings.is_plain or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def read_plain_request(arguments: Sequence[str], verb: str) -> Settings | None:
    """The settings of a command line that holds nothing but `verb` and shared options; None for any other."""
    settings = Settings()
    is_asked = False
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == verb and not is_asked:
            is_asked = True
        elif word == "-C" and rest:
            settings.directories += (rest.pop(0),)
        elif word == "--json":
            settings.is_json = True
        elif word in ("-q", "--quiet"):
            settings.is_quiet = True
        elif word == "--no-color":
            settings.is_plain = True
        elif word == "--personal":
            settings.is_personal = True
        else:
            return None
    return settings if is_asked else None


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether a command line that could not be read further asks for JSON, so that its error can be JSON too."""
    words = list(arguments)
    return "--json" in (words[: words.index("--")] if "--" in words else words)
