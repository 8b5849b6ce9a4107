"""Calls of agents' hooks that came to nothing: a line each in a small file, `cause host`, appended by hook clients and the daemon.

The client (`surfaces/daemon/client.py`) writes it without this module. A full file takes no more lines. Standard library alone.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from knowledge.config import UNANSWERED_FILE

SILENCED = "silenced"
"""The cause of calls that an environment variable silenced: nothing failed."""
_MOST_BYTES = 65_536


def note(common_dir: Path, host: str, cause: str, times: int = 1) -> None:
    """Add to the file. Raises OSError where it cannot be written."""
    with (common_dir / UNANSWERED_FILE).open("a", encoding="utf-8") as file:
        if file.tell() < _MOST_BYTES:
            file.write(f"{cause} {host}\n" * min(times, 1_000))


def is_noted(common_dir: Path) -> bool:
    """Whether there is anything in the file, or in what was taken from it and not yet counted."""
    return (common_dir / UNANSWERED_FILE).exists() or _taken(common_dir).exists()


def read(common_dir: Path) -> Counter[tuple[str, str]]:
    """How often what came to nothing, by cause and host ("" where it is not known), as far as it is not counted elsewhere yet."""
    return _lines(common_dir / UNANSWERED_FILE) + _lines(_taken(common_dir))


def take(common_dir: Path) -> Counter[tuple[str, str]]:
    """Move the lines aside, so that new ones come into a new file; `drop_taken` when they are counted elsewhere. Raises OSError."""
    if not _taken(common_dir).exists() and (common_dir / UNANSWERED_FILE).exists():
        (common_dir / UNANSWERED_FILE).replace(_taken(common_dir))
    return _lines(_taken(common_dir))


def drop_taken(common_dir: Path) -> None:
    """What was taken is counted elsewhere. Raises OSError."""
    _taken(common_dir).unlink(missing_ok=True)


def _taken(common_dir: Path) -> Path:
    return common_dir / f"{UNANSWERED_FILE}.taken"


def _lines(path: Path) -> Counter[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return Counter()
    parts = (line.partition(" ") for line in lines)
    return Counter((cause, host) for cause, _, host in parts if cause)
