"""Answers about claims that must be looked at, as lines: by cause, over time, and what was said of several at once."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from rich.text import Text

from knowledge.records.invalidations import OwnerCounts, StaleAnswer, StaleGroup, StaleLine, StaleStats, StepsAnswer
from knowledge.surfaces.cli.render.claims import claim_lines, touched_lines
from knowledge.surfaces.cli.render.lines import (
    BLANK,
    NAME,
    QUIET,
    STATUS_STYLES,
    Line,
    checked_lines,
    counts_text,
    data,
    heading,
    hint,
    join,
    labelled,
    note,
    plural,
    table,
    tree_text,
)
from knowledge.surfaces.cli.safe_text import clean

_BAR = 40
"""Cells of the longest bar."""
_BLOCKS = {"stale": "█", "needs_review": "▓", "verified": "▒", "active": "░"}
"""Told apart without colours too, the worst first."""


def stale_answer(answer: StaleAnswer) -> list[Line]:
    """Claims to look at again, by cause, and counts where they were asked for."""
    count = sum(len(group.claims) for group in answer.groups)
    lines = [Line(join(tree_text(answer.tree), counts_text(answer.counts), by=": "))]
    if answer.stats is not None:
        lines += _stats_lines(answer.stats)
    if not count:
        calm = Text("nothing must be looked at again", style="green") if answer.checked.checked else Text("no claim was checked", style="yellow")
        return [*lines, Line(calm), *checked_lines(answer.checked)]
    for group in answer.groups:
        lines += [BLANK, Line(join(data(group.cause, "bold"), _group_note(group)))]
        for claim in group.claims:
            lines += claim_lines(claim, indent=2, besides=_claim_note(claim))
    lines += touched_lines(answer.touched)
    first = answer.groups[0]
    steps = f"knowledge claim why {clean(first.claims[0].id)}, then claim verify, correct or reject it with --reason"
    lines += [BLANK, *checked_lines(answer.checked), hint(steps)]
    if len(first.claims) > 1 and first.kind:
        key = clean(first.key[:12] if first.kind == "commit" else first.key)
        lines.append(hint(f"knowledge claim verify --all-of {shlex.quote(key)} --reason …, for a whole group"))
    return lines


def _group_note(group: StaleGroup) -> Text | None:
    told = [part for part in (_ago(group.oldest_days), _resting(group.dependents, "other claim")) if part]
    return data(", ".join(told), QUIET) if told else None


def _claim_note(claim: StaleLine) -> Text:
    return data(", ".join(part for part in (f"of {claim.owner}", _ago(claim.age_days), _resting(claim.dependents, "claim")) if part), QUIET)


def _resting(count: int, noun: str) -> str:
    return f"{plural(count, noun)} rest{'s' * (count == 1)} on it" if count else ""


def _ago(days: int | None) -> str:
    return "" if days is None else "since today" if days == 0 else f"for {plural(days, 'day')}"


def _stats_lines(stats: StaleStats) -> list[Line]:
    lines = [BLANK, heading("over time, as noted when branch heads moved")]
    most = max((sum(_shown(row.counts).values()) for row in stats.over_time), default=0)
    lines += table([(data(row.day, QUIET), join(_bar(_shown(row.counts), most), counts_text(row.counts))) for row in stats.over_time])
    lines.append(Line(join(*(Text.assemble((block, STATUS_STYLES[status]), f" {status}") for status, block in _BLOCKS.items())), 2))
    if stats.ages:
        most = max(stats.ages.values())
        lines += [BLANK, heading("how long they have been waiting")]
        lines += table([(data(name, QUIET), join(_bar({"stale": count}, most), str(count))) for name, count in stats.ages.items()])
    return [*lines, BLANK, heading("who recorded them"), *table([(data(one.owner, NAME), _owner_text(one)) for one in stats.owners])]


def _owner_text(one: OwnerCounts) -> Text:
    counts = counts_text({"stale": one.stale, "needs_review": one.needs_review})
    oldest = data(f"the oldest {_ago(one.oldest_days)}", QUIET) if one.oldest_days is not None else None
    return join(counts if counts.plain else None, f"{one.kept} kept", oldest, by=" · ")


def _shown(counts: Mapping[str, int]) -> dict[str, int]:
    return {status: counts[status] for status in _BLOCKS if counts.get(status)}


def _bar(counts: Mapping[str, int], most: int) -> Text:
    """A stacked bar; what is there at all has a cell at least."""
    pieces = [(_BLOCKS[status] * max(1, round(count * _BAR / most)), STATUS_STYLES[status]) for status, count in counts.items()]
    return Text.assemble(*pieces) if pieces else Text("no claims", style=QUIET)


def steps_answer(answer: StepsAnswer) -> list[Line]:
    """What was said of several claims, and of which it could not be."""
    done = f"{answer.step}: {plural(len(answer.claims), 'claim')}"
    lines = [Line(join(Text(done, style="green" if answer.claims else "yellow"), Text.assemble("in ", tree_text(answer.tree))))]
    lines += [line for claim in answer.claims for line in claim_lines(claim, indent=2)]
    if answer.refused:
        lines += [BLANK, Line(Text(f"refused: {plural(len(answer.refused), 'claim')}", style="bold red"))]
        for one in answer.refused:
            lines += [Line(join(data(one.id, NAME), data(one.statement)), 2, hang=2), labelled(Text("why", style=QUIET), data(one.message), indent=4)]
    return [*lines, *(note(text) for text in answer.notes), *([hint("knowledge stale")] if answer.claims else [])]
