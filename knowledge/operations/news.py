"""What fell since somebody last looked, in one line: left by whoever brings the statuses up to date, told once to the next person at a terminal.

A git hook does not wait for it; the hook's worker leaves it, or, where that was not done yet, the next command. One small file a worktree, beside
the databases; losing it loses nothing. Standard library only: `knowledge status` reads it too.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from knowledge.config import NEWS_FILE

_WORDS = {"stale": "stale", "needs_review": "for review"}


@dataclass(frozen=True, slots=True)
class News:
    """since: the revision that the statuses were told for last. fallen: claim id → the status to which it fell, stale or needs_review."""

    since: str
    fallen: dict[str, str]


def news_path(home: Path, worktree: str) -> Path:
    """Where the news of a worktree lies ("" is the main one)."""
    return home / (f"{NEWS_FILE}.{worktree}" if worktree else NEWS_FILE)


def read_news(home: Path, worktree: str) -> News | None:
    """What was not told yet; None where there is none, or nothing that can be read."""
    try:
        kept = json.loads(news_path(home, worktree).read_text(encoding="utf-8"))
        fallen = {str(claim_id): str(status) for claim_id, status in kept["fallen"].items() if status in _WORDS}
        return News(str(kept["since"]), fallen) if fallen else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def leave_news(home: Path, worktree: str, since: str, fallen: Mapping[str, str], stands: Iterable[str]) -> None:
    """Add the claims that fell since a revision to what was not told yet, and take those out that stand again. Nothing left, no file."""
    old = read_news(home, worktree)
    kept = {**(old.fallen if old is not None else {}), **fallen}
    for claim_id in stands:
        kept.pop(claim_id, None)
    if not kept:
        drop_news(home, worktree)
    elif old is None or kept != old.fallen:
        path = news_path(home, worktree)
        part = path.with_name(f"{path.name}.part")
        # A folder that cannot be written has no news; that is no reason to fail whatever is being done.
        with contextlib.suppress(OSError):
            part.write_text(json.dumps({"since": old.since if old is not None else since, "fallen": kept}) + "\n", encoding="utf-8")
            part.replace(path)


def drop_news(home: Path, worktree: str) -> None:
    """It was told, or is none any more."""
    with contextlib.suppress(OSError):
        news_path(home, worktree).unlink(missing_ok=True)


def news_text(news: News) -> str:
    """`since abc1234: 2 claims stale, 1 for review`."""
    counts = [(sum(status == name for status in news.fallen.values()), word) for name, word in _WORDS.items()]
    (count, word), *rest = [(count, word) for count, word in counts if count]
    told = [f"{count} claim{'s' * (count != 1)} {word}", *(f"{count} {word}" for count, word in rest)]
    return f"since {news.since[:7]}: {', '.join(told)}"
