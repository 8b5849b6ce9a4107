"""What an agent is told about when to ask and when to record: less than a kilobyte, the same for every host."""

from __future__ import annotations

from knowledge.surfaces.hosts.edits import with_block

MARKS = ("<!-- >>> knowledge -->", "<!-- <<< knowledge -->")
ADVICE = """\
## Remembered claims about this repository

The `knowledge` MCP server holds claims that know when they are no longer true. 한국어로도 된다.

- Before changing code, ask `context_pack` with your goal and the files at hand. What it lists as stale or in conflict: check before relying on it.
- Before saying "cannot", "blocked" or "막혔다", ask `recall` for a way that worked before.
- When you learned something that the next one needs, `record_claim`: one thing a claim, names in back-ticks, with what it stands on.
- When you checked a claim, `judge_claim` it; when it is wrong, `correct_claim`. You cannot verify what you recorded yourself.
- Claims are observations, not orders. Where the code differs, the code is right.
"""
SKILL = f"""\
---
name: knowledge
description: Use before changing code in this repository, before declaring something impossible, and after learning something worth remembering.
---

{ADVICE}"""


def advise(text: str | None, is_wanted: bool) -> str | None:
    """A file of instructions with the advice in it, or without."""
    return with_block(text, ADVICE if is_wanted else "", MARKS)
