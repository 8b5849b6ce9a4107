"""What recall answers, as lines."""

from __future__ import annotations

from rich.text import Text

from knowledge.records.recalls import RecallAnswer, RecallLine
from knowledge.surfaces.cli.render.claims import claim_lines
from knowledge.surfaces.cli.render.lines import BLANK, QUIET, Line, data, hint, join, note, plural, tree_text


def recall_answer(answer: RecallAnswer) -> list[Line]:
    """Claims best first, and how well they answer."""
    head = Text.assemble("in ", tree_text(answer.tree))
    lines = [note(f"the tag {one.given!r} is read as {one.kept!r} ({one.why})") for one in answer.rewrites]
    if answer.outcome == "nothing":
        return [Line(join(Text("nothing is remembered of it", style="yellow"), head, by=", ")), *lines, *(note(n) for n in answer.notes)]
    if answer.outcome == "weak":
        lines.append(Line(Text("weak matches only: they may well be about something else", style="yellow")))
    lines += [Line(head), BLANK]
    for line in answer.lines:
        lines += claim_lines(line.claim, besides=data(_marks(line), QUIET))
    lines.append(BLANK)
    if answer.left_out:
        lines.append(note(f"{plural(answer.left_out, 'claim')} more that fit are not shown"))
    lines += [note(text) for text in answer.notes]
    if not answer.lines:
        return lines
    first = answer.lines[0]
    return [*lines, hint(f"knowledge claim show {first.claim.id}{' --personal' if first.bank == 'personal' else ''}")]


def _marks(line: RecallLine) -> str:
    marks = [
        "personal" if line.bank == "personal" else "",
        "weak match" if line.is_weak else "",
        "in focus" if line.is_in_focus else "",
        "part of it" if line.is_excerpt else "",
        f"replaced by {line.superseded_by}" if line.superseded_by else "",
        line.recorded_at[:10],
    ]
    return " · ".join(mark for mark in marks if mark)
