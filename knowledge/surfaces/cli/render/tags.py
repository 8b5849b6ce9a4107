"""Answers about tags, as lines."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from knowledge.records.vocabularies import MigrationAnswer, TagsAnswer
from knowledge.surfaces.cli.render.lines import BLANK, NAME, QUIET, Line, data, heading, hint, join, labelled, note, plural, table

_NEAR = {"spelling": "spelled alike", "other-prefix": "one name under two prefixes", "together": "borne by the same claims"}
_STAGES = {"planned": "planned; nothing was changed", "done": "done", "stopped": "stopped: too many claims were refused"}


def tags_answer(answer: TagsAnswer) -> list[Line]:
    """Tags in use, and what is to be said of them."""
    where = data(answer.policy, NAME) if answer.policy else Text("none is declared: any tag is taken as it is", style=QUIET)
    lines = [labelled(Text("vocabulary", style=QUIET), where), *(note(f"warning: {text}") for text in answer.warnings), BLANK]
    lines += table([(data(tag.tag), join(str(tag.claims), data(tag.kept_as and f"kept as {tag.kept_as} today", "yellow"))) for tag in answer.tags])
    lines += [note(f"{plural(answer.left_out, 'tag')} more")] if answer.left_out else []
    lines += [note(f"{plural(answer.untagged, 'claim')} without a tag")] if answer.untagged else []
    if answer.near:
        pairs = [(data(f"{near.one} · {near.other}"), join(_NEAR[near.why], f"{near.claims[0]} and {near.claims[1]}")) for near in answer.near]
        lines += [BLANK, heading("may say the same"), *table(pairs, most=70)]
    for title, tags in (("not taken today", answer.refused), ("declared and unused", answer.unused), ("new within a month", answer.fresh)):
        if tags:
            lines += [BLANK, heading(title), Line(data(", ".join(tags)), 2)]
    if answer.aliases:
        lines += [BLANK, heading("aliases"), *table([(data(old), data(f"→ {new}")) for old, new in answer.aliases.items()])]
    has_old = any(tag.kept_as for tag in answer.tags)
    return [*lines, *([hint("knowledge tags migrate --dry-run, to bring claims to the vocabulary")] if has_old else [])]


def migration_answer(answer: MigrationAnswer) -> list[Line]:
    """What a migration would do or did."""
    style = "green" if answer.stage == "done" and not answer.differing else "yellow"
    lines = [Line(join(data(answer.manifest, NAME), Text(_STAGES[answer.stage], style=style)))]
    counts = answer.done if answer.stage != "planned" else answer.actions
    lines += table([(Text(name), Text(_counted(values))) for name, values in (("claims", counts), ("left by design", answer.left)) if values])
    lines += table([(Text("vocabulary"), Text(f"{answer.vocabulary[0]} tags before, {answer.vocabulary[1]} after"))])
    refused = [f"{claim}: {why}" for claim, why in answer.refused.items()]
    for title, rows in (("refused, and not tried again", refused), ("not as expected", answer.differing)):
        if rows:
            lines += [BLANK, heading(title), *(Line(data(row), 2) for row in rows)]
    lines += [note(text) for text in answer.notes]
    if answer.stage == "planned" and answer.actions:
        lines.append(hint(f"knowledge tags migrate --apply {answer.manifest}"))
    return lines


def _counted(values: Mapping[str, int]) -> str:
    return " · ".join(f"{count} {name}" for name, count in values.items())
