"""What recall answers: claims that bear on a text, from one or more banks, within a budget of tokens."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.records.answers import ClaimLine, TreeName


@dataclass(frozen=True, slots=True)
class RecallLine:
    """A claim that was recalled. bank: `repository` or `personal`. score: 0 to 1; how well its text answers the query.

    is_weak: it may well be about something else. is_in_focus: it stands on, or speaks of, a file or symbol that was named.
    is_excerpt: the statement shown is the part of it that answers best. superseded_by: the claim that took its place.
    """

    bank: str
    claim: ClaimLine
    score: float
    recorded_at: str
    is_weak: bool = False
    is_in_focus: bool = False
    is_excerpt: bool = False
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class RewriteLine:
    """A tag as it was given and as it is kept, and why: normalised, alias, default-prefix."""

    given: str
    kept: str
    why: str


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """What is remembered of a text. outcome: `found`; `weak` (nothing answers it well); `nothing`.

    query: the text that was compared, cut to its limit. tokens: about how many the lines have. left_out: claims that fit and are not shown.
    rewrites: tags that were read as others.
    """

    tree: TreeName
    query: str
    outcome: str
    lines: tuple[RecallLine, ...]
    tokens: int
    left_out: int = 0
    rewrites: tuple[RewriteLine, ...] = ()
    notes: tuple[str, ...] = ()
