"""Answers about how a claim came to where it is, as lines: its history, and why it has its status here."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from knowledge.records.invalidations import AnchorChange, AnchorState, ChangeLine, HistoryAnswer, HistoryLine, WhyAnswer
from knowledge.surfaces.cli.render.claims import claim_lines, plain, verdict_text
from knowledge.surfaces.cli.render.lines import (
    BLANK,
    NAME,
    QUIET,
    REASONS,
    Line,
    data,
    heading,
    hint,
    join,
    labelled,
    said,
    status_word,
    table,
    tree_text,
)
from knowledge.surfaces.cli.safe_text import clean, show_hidden

_TOLD = frozenset({
    "revision", "subject", "reason", "causes", "from_revision", "commit_author", "branch", "from", "to", "places", "old_fingerprint",
    "new_fingerprint",
})  # fmt: skip
"""What an event's own line says already, or only `--json` needs."""
_DIFF_STYLES = {"-": "red", "+": "green"}


def history_answer(answer: HistoryAnswer) -> list[Line]:
    """A claim's events, oldest first."""
    lines = [Line(join(data(answer.claim_id, NAME), data(answer.statement, "bold"))), BLANK]
    for event in answer.history:
        lines.append(Line(join(data(event.at, QUIET), data(event.type), data(f"by {event.by}", QUIET), _commit(event)), hang=4))
        if event.reason:
            lines.append(said("why", data(event.reason), indent=4))
        if event.detail.get("from") and event.detail.get("to"):
            lines.append(Line(Text.assemble(status_word(str(event.detail["from"])), " → ", status_word(str(event.detail["to"]))), 4))
        lines += change_lines(event.changes, indent=4)
        lines += [said("moved", data(str(place)), indent=4) for place in event.detail.get("places", ())]
        rest = {key: value for key, value in event.detail.items() if key not in _TOLD and value not in (None, "", [], {})}
        lines += table([(data(key.replace("_", " "), QUIET), data(plain(value))) for key, value in rest.items()], indent=4)
    return lines


def _commit(event: HistoryLine) -> Text | None:
    return commit_text(event.revision, event.subject, event.commit_author) if event.revision else None


def commit_text(revision: str, subject: str, author: str) -> Text:
    """`at abc12345 “Subject” of Ada`."""
    name = author.partition(" <")[0]
    return join(data(f"at {revision[:8]}", NAME), data(f"“{subject}”") if subject else None, data(f"of {name}", QUIET) if name else None, by=" ")


def change_lines(changes: Iterable[ChangeLine], *, indent: int) -> list[Line]:
    """Each cause with the anchor it concerns and its small diff."""
    lines = []
    for change in changes:
        place = data(change.place, NAME) if change.place and change.place not in change.detail + change.anchor else None
        text = join(data(change.detail), data(change.anchor, QUIET if change.detail else ""), place)
        lines.append(said(REASONS.get(change.reason, clean(change.reason)), text, indent=indent, style="red"))
        lines += diff_lines(change.diff, indent=indent + 2)
        if change.no_diff:
            lines.append(Line(data(f"no diff: {change.no_diff}", QUIET), indent + 2))
    return lines


def diff_lines(diff: Iterable[str], *, indent: int) -> list[Line]:
    """The lines of a diff as they stand, in the colours that diffs have."""
    return [Line(Text(show_hidden(row.expandtabs(4)), style=_DIFF_STYLES.get(row[:1], QUIET)), indent, is_whole=True) for row in diff]


def why_answer(answer: WhyAnswer) -> list[Line]:
    """Why a claim has its status: the rule, the verdict, the anchors then and now, premises, and what there is to check."""
    claim = answer.claim
    lines = [
        labelled(status_word(claim.status), join(data(claim.id, NAME), data(claim.statement, "bold"))),
        Line(Text.assemble("in ", tree_text(answer.tree)), 2),
        BLANK,
        said("because", data(answer.because), indent=0, style="bold"),
        said("measured against", verdict_text(answer.measured_against), indent=0, style="bold"),
    ]
    if answer.anchors:
        lines += [BLANK, heading("what it stands on")]
        for anchor in answer.anchors:
            lines += _anchor_lines(anchor)
    if answer.premise_path:
        lines += [BLANK, heading("by way of"), *(line for premise in answer.premise_path for line in claim_lines(premise, indent=2))]
    lines += [BLANK, heading("to verify it"), *(Line(data(f"- {step}"), 2, hang=2) for step in answer.to_verify)]
    return [*lines, BLANK, hint(f"knowledge claim history {clean(claim.id)}")]


def _anchor_lines(anchor: AnchorChange) -> list[Line]:
    role = data(anchor.role, QUIET) if anchor.role != "primary" else None
    if not anchor.reason:
        same = data(anchor.detail, "yellow") if anchor.detail else Text("as it was", style="green") if anchor.now.state else None
        place = data(anchor.now.place, NAME) if anchor.now.place and anchor.now.place not in anchor.about else None
        return [Line(join(data(anchor.about), place, role, same), 2, hang=2)]
    lines = [
        Line(join(data(anchor.about), role, Text(REASONS.get(anchor.reason, clean(anchor.reason)), style="red"), data(anchor.detail)), 2, hang=2)
    ]
    lines += table([(Text("then", style=QUIET), _state_text(anchor.then)), (Text("now", style=QUIET), _state_text(anchor.now))], indent=4)
    if anchor.commit is not None:
        commit = commit_text(anchor.commit.revision, anchor.commit.subject, anchor.commit.author)
        lines.append(said("changed", join(commit, data(anchor.commit.at[:10], QUIET), data(f"({anchor.how})", QUIET)), indent=4))
    elif anchor.how:
        lines.append(said("changed", data(anchor.how), indent=4))
    lines += diff_lines(anchor.diff, indent=6)
    return [*lines, *([Line(data(f"no diff: {anchor.no_diff}", QUIET), 6)] if anchor.no_diff else [])]


def _state_text(state: AnchorState) -> Text:
    told = data(state.says) if state.says else data(state.hash[:8], QUIET) if state.hash else None
    return join(data(state.state) if state.state != "present" else None, told, data(state.place, NAME) if state.place else None)
