"""Answers about claims and evidence, as lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from knowledge.records.answers import (
    AnchorLine,
    ClaimAnswer,
    ClaimLine,
    ClaimsAnswer,
    EvidenceLine,
    RecheckAnswer,
    ReconcileAnswer,
    TouchedLine,
    VerdictLine,
    WriteGateAnswer,
)
from knowledge.surfaces.cli.render.lines import (
    BLANK,
    NAME,
    QUIET,
    Line,
    cause_lines,
    checked_lines,
    counts_text,
    data,
    heading,
    hint,
    join,
    labelled,
    note,
    plural,
    said,
    status_word,
    table,
    tree_text,
)
from knowledge.surfaces.cli.safe_text import clean, clean_lines

STATUS_COLUMN = len("needs_review")
FALLEN = ("stale", "needs_review")


def claim_lines(claim: ClaimLine, *, indent: int = 0, besides: Text | None = None) -> list[Line]:
    """A claim in a list: status, id, statement, what is special about it and `besides`; below, why it fell."""
    marks = [
        claim.kind if claim.kind != "observation" else "",
        "unanchored" if claim.is_unanchored else "",
        "moved" if claim.is_relocated else "",
        *(f"in conflict {conflict}" for conflict in claim.open_conflicts),
        *(f"#{tag}" for tag in claim.tags),
    ]
    text = join(data(claim.id, NAME), data(claim.statement), data(" ".join(m for m in marks if m), QUIET), besides)
    lines = [labelled(status_word(claim.status), text, indent=indent, column=STATUS_COLUMN)]
    return lines + cause_lines(claim.causes, indent=indent + STATUS_COLUMN + 2)


def claim_answer(answer: ClaimAnswer) -> list[Line]:
    """One claim with all it stands on."""
    claim = answer.claim
    said_at = f"{'at' if claim.said_by.startswith('recorded') else 'recorded at'} {claim.valid_at_revision[:8]}" if claim.valid_at_revision else ""
    head = join(data(claim.id, NAME), data(claim.kind), data(claim.said_by, QUIET), data(said_at, QUIET))
    lines = [labelled(status_word(claim.status), head), *(Line(Text(row, style="bold"), 2) for row in clean_lines(claim.statement))]
    if claim.tags:
        lines.append(Line(data(" ".join(f"#{tag}" for tag in claim.tags), QUIET), 2))
    lines.append(labelled(Text("in", style=QUIET), tree_text(answer.tree), indent=2))
    if claim.causes:
        lines += [BLANK, heading("why it must be looked at" if claim.status in FALLEN else "why"), *cause_lines(claim.causes, indent=2)]
    lines += [BLANK, heading("stands on"), *_anchor_lines(answer.anchors)]
    for title, rows in (
        ("premises", [Line(data(premise, NAME), 2) for premise in answer.derived_from]),
        ("relations", [Line(data(relation), 2) for relation in answer.relations]),
        ("evidence", [line for piece in answer.evidence for line in _short_evidence(piece)]),
        ("verdicts", _verdict_lines(answer.verdicts)),
        ("more", _detail_lines(answer)),
        ("could also rest on", _offered_lines(answer)),
    ):
        if rows:
            lines += [BLANK, heading(title), *rows]
    return [*lines, *_note_lines(answer), BLANK, hint(_next_step(claim))]


def proposal(answer: ClaimAnswer) -> list[Line]:
    """What a statement would stand on, were it recorded."""
    lines = [Line(join(Text("not recorded", style="yellow"), Text.assemble("read in ", tree_text(answer.tree))))]
    lines += [Line(Text(row, style="bold"), 2) for row in clean_lines(answer.claim.statement)]
    lines += [BLANK, heading("would stand on"), *_anchor_lines(answer.anchors)]
    detail, offered = _detail_lines(answer), _offered_lines(answer)
    return [
        *lines,
        *([BLANK, heading("more"), *detail] if detail else []),
        *([BLANK, heading("could also rest on"), *offered] if offered else []),
        *_note_lines(answer),
        BLANK,
        hint("knowledge claim record, with the same words"),
    ]


def claims_answer(answer: ClaimsAnswer) -> list[Line]:
    """A list of claims."""
    if not answer.claims:
        empty = [Line(Text.assemble("no claim fits, in ", tree_text(answer.tree)))]
        return [*empty, *checked_lines(answer.checked), *(note(n) for n in answer.notes), hint('knowledge claim record "f is only called from g"')]
    head = join(tree_text(answer.tree), counts_text(answer.counts), by=": ")
    lines = [Line(head), BLANK]
    for claim in answer.claims:
        lines += claim_lines(claim)
    lines.append(BLANK)
    if answer.left_out:
        lines.append(Line(Text(f"{plural(answer.left_out, 'more claim')} not shown; --limit shows more", style="yellow")))
    lines += [*checked_lines(answer.checked), *(note(n) for n in answer.notes)]
    return [*lines, hint(f"knowledge claim show {clean(answer.claims[0].id)}")]


def evidence_line(piece: EvidenceLine) -> list[Line]:
    """A piece of evidence in full: where it was read, what it shows and what it does not."""
    rows = [
        ("place", f"{piece.path}:{piece.lines}" if piece.lines else piece.path),
        ("revision", piece.revision or "uncommitted"),
        ("symbol", piece.symbol),
        ("relation", piece.relation),
        ("node", piece.node_type),
        ("read as", " ".join(part for part in (piece.language, piece.parser_version) if part)),
        ("sha256", piece.content_hash[:16]),
        ("shows", piece.shows),
        ("does not show", piece.does_not_show),
    ]
    lines = [Line(join(data(piece.id, NAME), data(piece.kind, "bold"))), *table([(Text(k, style=QUIET), data(v)) for k, v in rows if v])]
    if piece.excerpt:
        lines += [BLANK, *_excerpt(piece.excerpt)]
    return [*lines, BLANK, hint(f"knowledge evidence recheck {clean(piece.id)}")]


def recheck_answer(answer: RecheckAnswer) -> list[Line]:
    """Whether evidence is still there."""
    style = {"same": "green", "moved": "green", "changed": "bold red", "gone": "bold red"}.get(answer.outcome, "yellow")
    head = join(
        Text(clean(answer.outcome), style=style), data(answer.evidence.id, NAME), data(answer.place), Text.assemble("in ", tree_text(answer.tree))
    )
    lines = [Line(head)]
    if answer.detail:
        lines.append(Line(data(answer.detail), 2))
    was = f"{answer.evidence.path}:{answer.evidence.lines}"
    lines.append(said("recorded", data(f"{was} at {(answer.evidence.revision or 'uncommitted')[:8]}"), indent=2))
    return [*lines, said("does not show", data(answer.evidence.does_not_show), indent=2)]


def reconcile_answer(answer: ReconcileAnswer) -> list[Line]:
    """What a look at git changed."""
    head = Text.assemble(tree_text(answer.tree), f": looked at {plural(answer.looked_at, 'claim')}, {answer.held:,} held")
    lines = [Line(head)]
    if not answer.changed:
        return lines
    lines += [BLANK, heading("changed")]
    for claim in answer.changed:
        lines += claim_lines(claim, indent=2)
    return [*lines, *touched_lines(answer.touched), BLANK, hint("knowledge stale")]


def touched_lines(touched: Sequence[TouchedLine]) -> list[Line]:
    """The goals and steps of plans that are concerned, each with its goal and what touched it."""
    lines = [BLANK, heading("plans that this touches")] if touched else []
    for node in touched:
        goal = data(f"of {node.goal_statement or node.goal}", QUIET) if node.goal else None
        lines.append(Line(join(data(node.id, NAME), data(node.statement), goal), 2, hang=2))
        if node.by:
            lines.append(said("by", data(", ".join(node.by)), indent=4))
    return lines


def _note_lines(answer: ClaimAnswer) -> list[Line]:
    """Notes, but for what the anchors say already."""
    gate = _gate_lines(answer.gate) if answer.gate is not None else []
    notes = [text for text in answer.notes if not (answer.anchors and text.startswith("cannot notice"))]
    return [BLANK, *(note(text) for text in notes), *gate] if notes or gate else []


def _gate_lines(gate: WriteGateAnswer) -> list[Line]:
    """What the claim may contradict, both sentences side by side; and that it could not be held against anything."""
    if not gate.has_run:
        return [note(f"warning: {gate.note}")]
    lines = []
    for warning in gate.warnings:
        lines.append(note(f"warning: this may contradict {warning.precedent} ({warning.how}), which was kept too; say which holds"))
        lines += [Line(data(f"now: “{warning.sentence}”", QUIET), 4, hang=2), Line(data(f"remembered: “{warning.remembered}”", QUIET), 4, hang=2)]
    return [*lines, *([note(gate.note)] if gate.note else [])]


def _anchor_lines(anchors: Sequence[AnchorLine]) -> list[Line]:
    if not anchors:
        return [Line(Text("nothing in the repository: this claim is unanchored, so no change can make it stale", style="yellow"), 2)]
    lines = []
    for anchor in anchors:
        is_fine = anchor.state in ("present", "same", "")
        where = data(anchor.place, NAME) if anchor.place and anchor.place not in anchor.about else None
        was = Text(f"was {clean(anchor.was)}", style="yellow") if anchor.was else None
        role = Text(clean(anchor.role), style=QUIET) if anchor.role != "primary" else None
        state = None if is_fine else Text(clean(anchor.state), style="bold red")
        lines.append(Line(join(data(anchor.about), where, was, state, role), 2, hang=2))
        if anchor.cannot_notice:
            lines.append(said("cannot notice", data(anchor.cannot_notice, QUIET), indent=4))
    return lines


def _offered_lines(answer: ClaimAnswer) -> list[Line]:
    """What was offered and not taken, each as one writes it."""
    if not answer.could_rest_on:
        return []
    return [
        *(Line(data(spec), 2, hang=2) for spec in answer.could_rest_on),
        Line(Text("--complete takes them all, --anchor any of them", style=QUIET), 2),
    ]


def _short_evidence(piece: EvidenceLine) -> list[Line]:
    place = f"{piece.path}:{piece.lines}" if piece.lines else piece.path
    lines = [Line(join(data(piece.id, NAME), data(piece.kind), data(place), data(piece.relation or piece.symbol, QUIET)), 2, hang=2)]
    return [*lines, said("does not show", data(piece.does_not_show, QUIET), indent=4)]


def _verdict_lines(verdicts: Sequence[VerdictLine]) -> list[Line]:
    return table([(data(verdict.kind), verdict_text(verdict, has_kind=False)) for verdict in verdicts])


def verdict_text(verdict: VerdictLine, *, has_kind: bool = True) -> Text:
    """A verdict in one line: what was said, by whom, when, on which revision, and whether it holds here."""
    at = f"at {verdict.revision[:8]}" if verdict.revision else "on uncommitted files"
    holds = Text("holds here", style="green") if verdict.holds_here else Text("does not count here", style=QUIET)
    reason = data(f"“{verdict.reason}”") if verdict.reason else None
    return join(data(f"{verdict.kind if has_kind else ''} by {verdict.by}".strip()), data(f"{verdict.at} {at}", QUIET), holds, reason)


def _detail_lines(answer: ClaimAnswer) -> list[Line]:
    rows = [("decided by", answer.predicate)] if answer.predicate else []
    for values in (answer.scope, answer.freshness, answer.detail):
        rows += [(key.replace("_", " "), plain(value)) for key, value in values.items() if value not in (None, "", 0, [], (), {})]
    return table([(data(key, QUIET), data(value)) for key, value in rows])


def _excerpt(text: str) -> list[Line]:
    return [Line(Text.assemble(("│  ", QUIET), row), 2, is_whole=True) for row in clean_lines(text)]


def plain(value: object) -> str:
    """A value of an answer's plain fields, in one line."""
    if isinstance(value, dict):
        return " · ".join(f"{key}: {plain(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(plain(item) for item in value)
    return str(value)


def _next_step(claim: ClaimLine) -> str:
    name = clean(claim.id)
    if claim.status in FALLEN:
        return f"knowledge claim verify {name} --reason …, once it was read again; or claim correct, or claim reject"
    if claim.status in ("rejected", "superseded", "withdrawn"):
        return f"knowledge claim history {name}, or claim reopen {name} --reason … to take it back"
    return "knowledge stale, when the code has changed"
