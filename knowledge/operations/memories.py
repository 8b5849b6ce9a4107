"""Taking in what is already remembered: Markdown memories, instructions, decision records, JSON exports of Hindsight.

Nothing is trusted for having been written down. Each statement becomes a claim whose evidence is where it was found; anchors are proposed for the
names in it, and a predicate that it says is decided at once: what holds is verified by the analyzer, what does not is stale with counter-evidence,
and all the rest is up for review, for nobody has looked. What was taken in once is not taken in again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge.claims.anchors import digest_of
from knowledge.claims.masking import mask
from knowledge.claims.memories import LONGEST, Remembered, read_decision_record, read_hindsight, read_markdown
from knowledge.claims.predicates import decide
from knowledge.errors import InvalidRecordError, UnknownPathError
from knowledge.operations.evidence import of_document
from knowledge.operations.kept_tree import kept_blobs
from knowledge.operations.lines import claim_line
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.record import Draft, store_many
from knowledge.operations.steps import said_of
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.answers import ClaimLine
from knowledge.records.claims import ClaimKind
from knowledge.records.evidence import EvidenceKind
from knowledge.records.vocabularies import MemoriesAnswer, MemorySource

INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", ".cursorrules")
"""Files that tell agents what to do, wherever they lie."""
FOLDERS = (".claude/memory", "memory", "memories", "memory-bank", "docs/decisions", "docs/adr", "doc/adr", "adr")
"""Where memories and decision records usually are, from the top of the work tree."""
MOST_FILES = 500
_DECISION_FOLDERS = frozenset({"decisions", "adr", "adrs"})
_SHOWN = 50
HOLDS, FAILS, UNTOLD = "holds", "does not hold", "cannot be told"
_REASONS = {HOLDS: "remembered, and decided when it was taken in", UNTOLD: "remembered; nobody has looked whether it still holds"}


@dataclass(frozen=True, slots=True)
class _Source:
    """A file that holds memories. kind: of the evidence. note: what is to be said of it."""

    path: Path
    name: str
    kind: EvidenceKind
    found: tuple[Remembered, ...]
    text: str
    note: str = ""


def read(project: Project, paths: Sequence[Path] = ()) -> MemoriesAnswer:
    """Take in files and folders; without any, what is usual in a repository.

    Raises UnknownPathError for what is not there, and InvalidRecordError for a JSON file that is no export.
    """
    sources = [_source(project, path) for path in _files(project, paths)]
    known = _known(project)
    drafts: list[tuple[str, Draft]] = []
    counts = Counter[str]()
    for source in sources:
        for one in source.found:
            text = _text_id(one)
            counts["known" if text in known else source.name] += 1
            if text not in known:
                known.add(text)
                drafts.append((source.name, _draft(source, one, text)))
    reading = Reading(project)
    notes = store_many(project, reading, [draft for _, draft in drafts]) if drafts else {}
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at()
    told = _judge(project, reading, view, list(notes))
    reconcile(project, reading)
    return MemoriesAnswer(
        tree=project.tree_name(view.tree.snapshot),
        sources=tuple(MemorySource(source.name, source.kind, counts[source.name], source.note) for source in sources),
        outcomes={outcome: list(told.values()).count(outcome) for outcome in (HOLDS, FAILS, UNTOLD)},
        known=counts["known"],
        claims=tuple(_lines(project, view, told)),
        left_out=max(0, len(told) - _SHOWN),
    )


def _files(project: Project, paths: Sequence[Path]) -> list[Path]:
    top = project.repository.workdir
    if not paths and top is not None:
        usual = [top / name for name in (*INSTRUCTIONS, *FOLDERS)]
        return _within([path for path in usual if path.exists()])
    for path in paths:
        if not path.exists():
            raise UnknownPathError(f"there is no file or folder {path}")
    return _within(paths)


def _within(paths: Sequence[Path]) -> list[Path]:
    """The files themselves, and the Markdown and JSON files in the folders; each once."""
    found: dict[Path, None] = {}
    for path in paths:
        inside = sorted(p for p in path.rglob("*") if p.suffix in (".md", ".json") and p.is_file()) if path.is_dir() else [path]
        found.update(dict.fromkeys(inside))
    return list(found)[:MOST_FILES]


def _source(project: Project, path: Path) -> _Source:
    top = project.repository.workdir
    resolved = path.resolve()
    is_inside = top is not None and resolved.is_relative_to(top.resolve())
    name = resolved.relative_to(top.resolve()).as_posix() if top is not None and is_inside else str(resolved)
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(LONGEST)
    if path.suffix == ".json":
        try:
            found, note = read_hindsight(text)
        except InvalidRecordError as wrong:
            raise InvalidRecordError(f"{path}: {wrong.message}") from wrong
        return _Source(path, name, "agent_memory", tuple(found), text, note)
    if _DECISION_FOLDERS & {part.lower() for part in path.parent.parts[-2:]}:
        record = tuple(read_decision_record(text))
        return _Source(path, name, "document", record, text, "" if record else "it says no decision under such a heading")
    is_document = path.name in INSTRUCTIONS or f"{path.parent.name}/{path.name}" in INSTRUCTIONS
    kind: ClaimKind = "assumption" if is_document else "observation"
    return _Source(path, name, "document" if is_document else "agent_memory", tuple(read_markdown(text, kind=kind)), text)


def _text_id(one: Remembered) -> str:
    """What two copies of one statement have alike."""
    return digest_of("\0".join((" ".join(one.text.split()), *one.constraints, *(f"{a}\0{r}" for a, r in one.rejected))))


def _known(project: Project) -> set[str]:
    """The statements that were taken in before, whatever became of them."""
    sources = (claim.detail.get("remembered") for claim in project.ledger.claims())
    return {str(source.get("text", "")) for source in sources if isinstance(source, dict)}


def _draft(source: _Source, one: Remembered, text: str) -> Draft:
    told = {"in": source.name, "text": text} | {k: v for k, v in (("heading", one.heading), ("said_at", one.said_at)) if v}
    return Draft(
        mask(one.text),
        kind=one.kind,
        tags=one.tags,
        constraints=one.constraints,
        rejected=one.rejected,
        detail={"remembered": told},
        documents=(of_document(source.kind, source.name, source.text if source.path.suffix != ".json" else one.text, one.rows),),
    )


def _judge(project: Project, reading: Reading, view: IndexedTree, ids: Sequence[str]) -> dict[str, str]:
    """Say of each claim what can be said of it at once: claim id → holds, does not hold, or cannot be told."""
    refuse_off_record(project)
    held = reading.held(ids)
    statuses = reading.statuses(view, ids) if ids else {}
    told: dict[str, str] = {}
    events, verdicts = [], []
    for claim_id in ids:
        predicate = held[claim_id].claim.predicate
        decision = decide(predicate, view, view) if predicate is not None else None
        outcome = UNTOLD
        if decision is not None and predicate is not None and decision.holds is not None and predicate.covers_statement:
            outcome = HOLDS if decision.holds else FAILS
        told[claim_id] = outcome
        if outcome != FAILS:
            said = said_of(reading, view, statuses[claim_id], "verify" if outcome == HOLDS else "review", _REASONS[outcome])
            events.append(said.event)
            verdicts += [said.verdict] if said.verdict is not None else []
    project.ledger.append(events, verdicts=verdicts, blobs=kept_blobs(view.tree) if verdicts else {})
    for claim_id in ids:
        reading.forget(claim_id)
    return told


def _lines(project: Project, view: IndexedTree, told: Mapping[str, str]) -> Iterator[ClaimLine]:
    """The first claims, those that do not hold before all others."""
    order = (FAILS, HOLDS, UNTOLD)
    ids = sorted(told, key=lambda c: order.index(told[c]))[:_SHOWN]
    reading = Reading(project)
    held, statuses = reading.held(ids), reading.statuses(view, ids) if ids else {}
    yield from (claim_line(held[c], statuses[c], view) for c in ids)
