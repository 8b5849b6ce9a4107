"""Limits and places. Every limit is told as a limitation where it bites."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

LEDGER_FILE = "knowledge/ledger.sqlite3"
INDEX_FILE = "knowledge/index.sqlite3"
AUDIT_FILE = "knowledge/audit.sqlite3"
PROCESS_MARK = "process:"
"""What a process is named with where it stands for a session."""
APPROVAL_FILE = "knowledge/approval"
LOCK_FILE = "knowledge/lock"
QUEUE = "knowledge/queue"
UNANSWERED_FILE = "knowledge/hooks-unanswered"
PUSH_OFF_FILE = "knowledge/push-off"
NEWS_FILE = "knowledge/news"
RUNS_FOLDER = "knowledge/runs"
VOCABULARY_FILE = "knowledge/vocabulary.toml"
"""All below the git common directory, so linked worktrees share them. In the queue git hooks leave their requests."""


def personal_home() -> Path:
    """Where the personal bank lies: KNOWLEDGE_PERSONAL, else below the user's data directory."""
    if given := os.environ.get("KNOWLEDGE_PERSONAL"):
        return Path(given).expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "knowledge" / "personal.git"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on hostile or useless input."""

    file_bytes: int = 2_000_000
    """Larger files are skipped."""
    line_bytes: int = 20_000
    """A file whose longest line is longer counts as minified."""
    depth: int = 500
    """Deeper syntax trees are skipped."""
    parse_seconds: float = 10.0
    """A slower parse is killed (it runs in a child process)."""
    excerpt_characters: int = 1_200
    """Of an excerpt that the ledger keeps."""
    lock_seconds: float = 10.0
    """How long to wait for a locked database."""
    indexing_seconds: float = 300.0
    """How long to wait for another process that is indexing the same repository."""
    run_seconds: float = 3_600.0
    """A recorded command that takes longer is ended, unless another bound is given."""
    output_bytes: int = 1_000_000
    """Of a recorded command's output: as much of its beginning and its end as fits is kept."""
    observed_bytes: int = 512_000_000
    """Of what a run tells of itself, and of a report that is imported."""


LIMITS = Limits()
