"""`knowledge status`: the hot read, answered and written with the standard library alone."""

from __future__ import annotations

import sys

from knowledge.operations.status import status
from knowledge.records.answers import StatusAnswer
from knowledge.surfaces.cli.failures import takes_unicode
from knowledge.surfaces.cli.json_text import json_text
from knowledge.surfaces.cli.news_line import tell_news
from knowledge.surfaces.cli.safe_text import clean
from knowledge.surfaces.cli.settings import Settings, wants_colour

_COLOURS = {"stale": "1;31", "needs_review": "1;33", "active": "32", "verified": "1;32", "rejected": "2", "superseded": "2", "withdrawn": "2"}
"""Statuses in the order in which they are told, and their colours as terminals number them."""


def run(settings: Settings) -> int:
    """Write the state of the store. Raises NotARepositoryError, NotInitializedError and the store's errors."""
    answer = status(settings.start)
    if settings.is_json:
        text = json_text(answer, is_indented=sys.stdout.isatty(), is_ascii=not takes_unicode(sys.stdout))
    else:
        text = "".join(f"{line}\n" for line in status_lines(answer, has_colour=wants_colour(sys.stdout, settings), has_hints=not settings.is_quiet))
    sys.stdout.write(text)
    tell_news(settings, is_shown=True)
    return 0


def status_lines(answer: StatusAnswer, *, has_colour: bool = False, has_hints: bool = True) -> list[str]:
    """The answer for people: where, what needs attention, what failed, what to do."""
    head = (answer.head or "")[:8] or "no commit yet"
    place = f"on {clean(answer.branch)} at {head}" if answer.branch else f"detached at {head}"
    lines = [f"{place}: {_claims(answer, has_colour)}"]
    kinds = ", ".join(f"{count:,} {clean(kind)}" for kind, count in answer.claims_by_kind.items() if count)
    lines += [f"  kinds    {kinds}"] if kinds else []
    indexed = (answer.indexed_revision or "")[:8]
    if answer.is_current:
        lines.append(f"  index    up to date at {indexed}" if indexed else "  index    up to date")
    else:
        behind = f"statuses are for {indexed}" if indexed else "no statuses are stored for this worktree"
        lines.append(f"  index    {_paint(behind, '33', has_colour)}")
    if answer.files and not answer.is_resolved:
        lines.append(f"  names    resolved in {answer.resolved_files:,} of {answer.files:,} files so far, in the rest when a question needs it")
    lines.append(f"  store    ledger {_bytes(answer.ledger_bytes)}, index {_bytes(answer.index_bytes)}")
    lines += [f"  news     {_paint(clean(answer.news), '33', has_colour)}"] if answer.news else []
    lines += [f"note:  {clean(text)}" for text in answer.notes]
    if has_hints:
        lines += [f"next:  {hint}" for hint in _next_step(answer)]
    return lines


def _claims(answer: StatusAnswer, has_colour: bool) -> str:
    counts = answer.claims_by_status
    known = [*_COLOURS, *(name for name in counts if name not in _COLOURS)]
    told = [f"{counts[name]:,} {_paint(clean(name), _COLOURS.get(name, ''), has_colour)}" for name in known if counts.get(name)]
    return " · ".join(told) or "no claims"


def _next_step(answer: StatusAnswer) -> list[str]:
    if not answer.is_current:
        return ["knowledge stale"]
    if answer.claims_by_status.get("stale") or answer.claims_by_status.get("needs_review"):
        return ["knowledge stale"]
    return [] if sum(answer.claims_by_status.values()) else ['knowledge claim record "f is only called from g"']


def _paint(text: str, colour: str, has_colour: bool) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if has_colour and colour else text


def _bytes(size: int) -> str:
    """`12 kB`, `3.4 MB`: powers of 1,000."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}" if size < 10 * factor else f"{size // factor} {unit}"
    return f"{size} B"
