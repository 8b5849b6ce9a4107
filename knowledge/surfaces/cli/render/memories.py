"""What was taken in of what was remembered elsewhere, as lines."""

from __future__ import annotations

from rich.text import Text

from knowledge.records.vocabularies import MemoriesAnswer
from knowledge.surfaces.cli.render.claims import claim_lines
from knowledge.surfaces.cli.render.lines import BLANK, NAME, QUIET, Line, data, hint, join, note, plural, table, tree_text

_STYLES = {"holds": "green", "does not hold": "bold red", "cannot be told": "yellow"}


def memories_answer(answer: MemoriesAnswer) -> list[Line]:
    """How many statements hold, do not hold, or cannot be told; from which files; the claims."""
    lines = [Line(Text.assemble("taken in, in ", tree_text(answer.tree)))]
    if not answer.sources:
        return [*lines, note("no memories were found; name a file or folder")]
    lines += table([(Text(outcome, style=_STYLES[outcome]), Text(str(count))) for outcome, count in answer.outcomes.items()])
    lines += [note(f"{plural(answer.known, 'statement')} had been taken in before")] if answer.known else []
    lines.append(BLANK)
    rows = [(data(source.path, NAME), join(plural(source.claims, "claim"), data(source.note, QUIET))) for source in answer.sources]
    lines += [*table(rows, most=60), BLANK]
    for claim in answer.claims:
        lines += claim_lines(claim)
    lines += [note(f"{plural(answer.left_out, 'claim')} more; see `knowledge claim list`")] if answer.left_out else []
    return [*lines, *([hint("knowledge stale, for what is to be looked at")] if answer.claims else [])]
