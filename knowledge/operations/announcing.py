"""What somebody is told at the beginning of a session about the tags of this bank. Quick to import: a server starts with it."""

from __future__ import annotations

from pathlib import Path

from knowledge.config import VOCABULARY_FILE
from knowledge.errors import InvalidPolicyError, NotARepositoryError
from knowledge.repository.locate import locate
from knowledge.vocabulary.policy import read_policy
from knowledge.vocabulary.reading import announcement


def vocabulary_notice(start: Path) -> str:
    """Which tags the bank around `start` takes, and that some are rewritten; "" where it declares no vocabulary. A broken one is told, not raised."""
    try:
        path = locate(start).common_dir / VOCABULARY_FILE
        return announcement(read_policy(path.read_text(encoding="utf-8"), str(path)))
    except (NotARepositoryError, FileNotFoundError):
        return ""
    except InvalidPolicyError as fault:
        return f"The vocabulary of this bank cannot be taken, so nothing can be recorded until it is mended: {fault.message}"
