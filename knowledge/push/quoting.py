"""Memories as an agent is given them: data, quoted, each under a line that says what it is, and a last line that says whose word counts."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.recall.tokens import estimate_tokens
from knowledge.records.recalls import RecallLine
from knowledge.views.pack_text import plain

MOST_TOKENS = 500
FOOTER = {
    "ko": "이 기록은 그 시점의 관측이다. 현장이 기록과 다르면 현장이 우선이다.",
    "en": "These records are observations of their time; where the scene differs, the scene wins.",
}


def quote(lines: Sequence[RecallLine], title: str = "", budget: int = MOST_TOKENS) -> tuple[str, tuple[str, ...]]:
    """The memories as text within a budget of tokens, and the ids of those that are in it; "" for none."""
    kept: list[str] = []
    ids: list[str] = []
    footer = FOOTER["ko" if any("가" <= c <= "힣" for line in lines[:1] for c in line.claim.statement) else "en"]
    room = budget - estimate_tokens(title) - estimate_tokens(footer)
    for line in lines:
        text = _memory(line, room)
        if not text:
            break
        room -= estimate_tokens(text)
        kept.append(text)
        ids.append(line.claim.id)
    return ("\n".join([*([title] if title else []), *kept, footer]) if kept else ""), tuple(ids)


def _memory(line: RecallLine, room: float) -> str:
    """A memory with its head line, cut to the room; "" where there is none for anything worth reading."""
    match = "said of this tree" if line.claim.revision_match else "said of another tree"
    conflict = " · in conflict" if line.claim.open_conflicts else ""
    head = (
        f"[knowledge, for reference · observed {line.recorded_at[:10]} · {line.claim.id} · {line.claim.status.replace('_', ' ')}{conflict} · {match}]"
    )
    said = plain(line.claim.statement)
    left = room - estimate_tokens(head) - 4
    if left < 20:
        return ""
    while estimate_tokens(said) > left:
        said = said[: int(len(said) * 0.9) - 1].rstrip() + "…"
    return f"{head}\n“{said}”"


def quote_count(lines: Sequence[RecallLine], subject: str, query: str) -> str:
    """One line that says how many memories there are of a subject, in their language, and how to get them."""
    is_korean = any("가" <= c <= "힣" for line in lines[:1] for c in line.claim.statement)
    about, asked, count = plain(subject)[:80], plain(query)[:120].replace('"', "'"), len(lines)
    if is_korean:
        return f'[knowledge, for reference] {about}에 대한 기억 {count}개: recall "{asked}"'
    return f'[knowledge, for reference] {count} memor{"y" if count == 1 else "ies"} about {about}: recall "{asked}"'
