"""Answers about the store, the index and hooks, as lines."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from knowledge.records.answers import DoctorAnswer, IndexAnswer, InitAnswer, TransferAnswer
from knowledge.surfaces.cli.answers import HooksAnswer, PushAnswer, SessionAnswer, SetupAnswer
from knowledge.surfaces.cli.render.lines import (
    BLANK,
    NAME,
    QUIET,
    Line,
    checked_lines,
    data,
    hint,
    join,
    labelled,
    note,
    plural,
    said,
    table,
    tree_text,
)
from knowledge.surfaces.cli.safe_text import clean, clean_lines

_LEVELS = {"error": "bold red", "warning": "yellow", "ok": "green"}
_ACTIONS = {"failed": "bold red", "proposed": "yellow", "kept": "yellow"}


def index_answer(answer: IndexAnswer) -> list[Line]:
    """What indexing did."""
    lines = [Line(Text.assemble("indexed ", tree_text(answer.tree), f" in {answer.seconds:.1f} s"))]
    if answer.was_rebuilt:
        lines.append(note("the index was damaged or of another version; it was built anew from git, and no claim was touched"))
    rows = [
        ("files", f"{answer.files:,}: {answer.analyzed:,} read, {answer.facts_reused:,} known already"),
        ("relations", f"{answer.edges:,}; {plural(answer.resolved, 'file')} resolved, {answer.resolutions_reused:,} known already"),
    ]
    if answer.unresolved:
        rows.append(("left", f"the names in {plural(answer.unresolved, 'file')}, until a question needs them; now: knowledge index --full"))
    if not (answer.analyzed or answer.facts_reused or answer.resolved or answer.resolutions_reused):
        rows[:2] = [("files", f"{answer.files:,}; this tree was in the index already")]
    lines += table([(Text(key, style=QUIET), Text(value)) for key, value in rows])
    if answer.skipped_count:
        lines.append(labelled(Text("skipped", style="yellow"), Text(plural(answer.skipped_count, "file")), indent=2, column=len("relations")))
        for code, paths in answer.skipped.items():
            lines.append(said(clean(code), data(", ".join(paths)), indent=4))
    return lines


def init_answer(answer: InitAnswer) -> list[Line]:
    """What `init` set up."""
    lines = [labelled(Text("ledger", style=QUIET), data(answer.ledger))]
    lines += [labelled(Text("hooks", style=QUIET), data(hook), column=len("ledger")) for hook in answer.hooks]
    if answer.index is not None:
        lines += [*index_answer(answer.index)]
    lines += [note(text) for text in answer.notes]
    return [*lines, hint('knowledge claim record "f is only called from g"')]


def doctor_answer(answer: DoctorAnswer) -> list[Line]:
    """Every check: what is wrong first."""
    levels = list(_LEVELS)
    column = max((cell_len(finding.code) for finding in answer.findings), default=0)
    lines = []
    for finding in sorted(answer.findings, key=lambda f: levels.index(f.level) if f.level in levels else 0):
        code = data(finding.code, QUIET)
        code.pad_right(column - cell_len(code.plain))
        label = join(Text(finding.level.ljust(len("warning")), style=_LEVELS.get(finding.level, "")), code)
        lines.append(labelled(label, data(finding.message)))
        if finding.fix:
            lines.append(said("fix", data(finding.fix), indent=len("warning") + 2, style="bold"))
    return [*lines, BLANK, *checked_lines(answer.checked)]


def transfer_answer(answer: TransferAnswer) -> list[Line]:
    """What was carried."""
    rows = join(*(f"{name.replace('_', ' ')} {count:,}" for name, count in answer.rows.items() if count), by=" · ")
    skipped = f"{answer.skipped:,} there already" if answer.skipped else None
    return [Line(join(data(answer.path, NAME), rows if rows.plain else "nothing new", skipped), hang=2)]


def uninit_answer(answer: TransferAnswer) -> list[Line]:
    """What was removed, and what stays. Something skipped means that the ledger was left."""
    if not answer.skipped:
        return [Line(Text.assemble("index, hooks and all claims are removed from ", data(answer.path, NAME)))]
    kept = Text.assemble("index and hooks are removed; the claims stay in ", data(answer.path, NAME))
    return [Line(kept), hint("knowledge init, which brings everything back; or knowledge uninit --delete-claims")]


def hooks_answer(answer: HooksAnswer) -> list[Line]:
    """What was done about each hook, or how each stands."""
    lines = [labelled(Text("hooks in", style=QUIET), join(data(answer.directory), data(answer.manager and f"({answer.manager})"), by=" "))]
    for hook in answer.hooks:
        style = _ACTIONS.get(hook.state, "green" if hook.state in ("installed", "written", "unchanged", "removed", "restored") else "bold red")
        text = join(data(hook.hook), data(hook.detail, QUIET), data(hook.last_fired and f"last ran {hook.last_fired}", QUIET))
        lines.append(labelled(Text(hook.state, style=style), text, indent=2, column=len("unchanged")))
        if hook.paste:
            lines += [Line(Text(row, style=NAME), 6) for row in clean_lines(hook.paste.rstrip("\n"))]
    lines += [note(text) for text in answer.notes]
    return lines


def session_answer(answer: SessionAnswer) -> list[Line]:
    """Whether a session is remembered."""
    told = "is off the record: nothing of it is recorded, nothing pushed to it" if answer.is_off_record else "is on record"
    return [Line(Text.assemble("session ", data(answer.session, NAME), f" {told}"))]


def setup_answer(answer: SetupAnswer) -> list[Line]:
    """What was written for an agent's program, or would be."""
    lines: list[Line] = []
    for file in answer.files:
        lines += [Line(Text.assemble(("wrote " if answer.is_written else "would write "), data(file.path, NAME)))]
        lines += [Line(Text(row, style=_diff_style(row)), 2, is_whole=True) for row in clean_lines(file.diff.rstrip("\n")) if row]
    if not answer.files and not answer.note:
        lines.append(Line(Text(f"nothing to do: {answer.host} is set up as it should be", style=QUIET)))
    if answer.note:
        lines += [Line(Text(row), is_whole=True) for row in clean_lines(answer.note)]
    return lines


def push_answer(answer: PushAnswer) -> list[Line]:
    """Whether memories come to agents by themselves."""
    lines = [Line(Text("memories come to agents by themselves" if answer.is_on else "nothing comes to agents by itself"))]
    return [*lines, Line(Text(answer.note, style=QUIET))] if answer.note else lines


def _diff_style(row: str) -> str:
    return {"+": "green", "-": "red", "@": QUIET}.get(row[:1], "")
