"""The line that tells a person what fell since somebody last looked: once, on standard error, after the command they gave.

Standard library only: `status` uses it too.
"""

from __future__ import annotations

import os
import shlex
import sys

from knowledge.errors import KnowledgeError
from knowledge.operations.news import drop_news, news_text, read_news
from knowledge.repository.locate import locate
from knowledge.surfaces.cli.safe_text import clean
from knowledge.surfaces.cli.settings import Settings, wants_colour


def is_watched(settings: Settings) -> bool:
    """Whether a person reads what is written: at a terminal, and no program, pipe or agent."""
    if settings.is_json or settings.is_quiet or os.environ.get("KNOWLEDGE_AGENT"):
        return False
    return sys.stdout.isatty() and sys.stderr.isatty()


def tell_news(settings: Settings, *, is_shown: bool = False) -> None:
    """Write the line and forget it; where all of it was just shown (`is_shown`) only forget it. Nothing where there is no news or no store."""
    if not is_watched(settings):
        return
    try:
        location = locate(settings.start)
    except KnowledgeError:
        return
    news = read_news(location.common_dir, location.worktree_name)
    if news is None:
        return
    if not is_shown:
        line = f"{clean(news_text(news))} — {program(settings)} stale"
        sys.stderr.write(f"\x1b[33m{line}\x1b[0m\n" if wants_colour(sys.stderr, settings) else f"{line}\n")
    drop_news(location.common_dir, location.worktree_name)


def program(settings: Settings) -> str:
    """How this program was called, so that a hint can be pasted."""
    bank = ["--personal"] if settings.is_personal else []
    return shlex.join(["knowledge", *(word for directory in settings.directories for word in ("-C", directory)), *bank])
