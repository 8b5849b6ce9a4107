"""Decisions read out of commit messages, with what bound them and what was rejected, and the decisions that are held.

Each is recorded at the commit that tells it, said by the commit's author, with the message as its evidence. It stands on what it names; where it
names nothing, on the functions that the commit changes, if these are few. What was recorded once is not recorded again, also not from a rebased copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from knowledge.claims.anchors import digest_of
from knowledge.claims.decision_messages import Told, read_decisions
from knowledge.claims.proposals import propose
from knowledge.errors import RepositoryReadError, UnknownRevisionError
from knowledge.operations.commits import commits_between, read_range
from knowledge.operations.evidence import of_message
from knowledge.operations.graph_tree import candidates
from knowledge.operations.lines import anchor_lines, claim_line
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.record import UNANCHORED, Draft, store_many
from knowledge.operations.tree_view import IndexedTree, TreeFiles
from knowledge.records.answers import DecisionLine, DecisionsAnswer, RejectedLine
from knowledge.records.claims import Author, Claim
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import REDACTED, ClaimFilter
from knowledge.records.trees import Commit
from knowledge.storage.ledger_rows import statement_hash

_MOST_FUNCTIONS = 5
"""A decision whose commit changes more is not about these functions in particular."""
_MOST_FILES = 50
_BATCH = 20
"""Decisions that are recorded at once: each has a tree of its own in memory."""


@dataclass(slots=True)
class _Known:
    """Decisions that are recorded already: by their text, those of one commit whatever became of them, others while they are in play."""

    in_play: set[str] = field(default_factory=set)
    told: set[tuple[str, str]] = field(default_factory=set)
    redacted: set[str] = field(default_factory=set)

    def has(self, told: Told, commit: Commit) -> bool:
        text = _text_id(told)
        return text in self.in_play or (text, commit.revision) in self.told or statement_hash(told.statement) in self.redacted

    def add(self, told: Told, commit: Commit) -> None:
        self.in_play.add(_text_id(told))
        self.told.add((_text_id(told), commit.revision))


def read(project: Project, wanted: str = "") -> DecisionsAnswer:
    """Record the decisions that commits tell: one commit, a range OLD..NEW, or all that HEAD reaches.

    Raises UnknownRevisionError, and UsageError for what is no range.
    """
    known = _known(project)
    commits = _commits(project, wanted)
    fresh: list[tuple[Commit, Told]] = []
    count = met = 0
    for commit in commits:
        count += 1
        for told in read_decisions(commit.message):
            if known.has(told, commit):
                met += 1
                continue
            known.add(told, commit)
            fresh.append((commit, told))
    notes: dict[str, tuple[str, ...]] = {}
    unread: list[str] = []
    # Oldest first, as they were decided.
    for batch in _batches(list(reversed(fresh))):
        reading = Reading(project)
        drafts = [draft for commit, told in batch for draft in _drafts(project, reading, commit, told, unread)]
        notes |= store_many(project, reading, drafts)
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at()
    return DecisionsAnswer(
        tree=project.tree_name(view.tree.snapshot),
        decisions=tuple(_lines(reading, view, notes, notes)),
        commits=count,
        known=met,
        notes=tuple(f"the tree of {revision[:12]} cannot be read: its decisions were left out" for revision in dict.fromkeys(unread)),
    )


def listing(project: Project, *, at: str | None = None) -> DecisionsAnswer:
    """Every decision that is in play, in the order they were recorded."""
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    held = reading.held(project.ledger.find_claims(ClaimFilter(kinds=("decision",))))
    in_play = [c for c, h in held.items() if h.standing is None]
    return DecisionsAnswer(project.tree_name(view.tree.snapshot), tuple(_lines(reading, view, in_play, {})))


def _commits(project: Project, wanted: str) -> Iterable[Commit]:
    """Newest first."""
    repository = project.repository
    if ".." in wanted:
        return commits_between(repository, *read_range(wanted))
    if wanted:
        return [repository.commit(wanted)]
    head = repository.head().revision
    return repository.walk(head) if head is not None else ()


def _batches(fresh: list[tuple[Commit, Told]]) -> Iterator[list[tuple[Commit, Told]]]:
    for start in range(0, len(fresh), _BATCH):
        yield fresh[start : start + _BATCH]


def _text_id(told: Told) -> str:
    """What two copies of one decision have alike."""
    return digest_of("\0".join((told.statement, *told.constraints, *(f"{a}\0{r}" for a, r in told.rejected))))


def _known(project: Project) -> _Known:
    ledger = project.ledger
    known = _Known()
    ids = ledger.find_claims(ClaimFilter(kinds=("decision",)))
    held = Reading(project).held(ids)
    for claim in (h.claim for h in held.values()):
        if claim.statement == REDACTED:
            redaction = ledger.redaction(claim.id)
            known.redacted |= {redaction.statement_hash} if redaction is not None else set()
            continue
        source = _source(claim)
        if source:
            known.told.add((source["text"], source["commit"]))
            if held[claim.id].standing is None:
                known.in_play.add(source["text"])
    return known


def _source(claim: Claim) -> dict[str, str]:
    found = claim.detail.get("source")
    return {"commit": "", "text": ""} | {k: str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _drafts(project: Project, reading: Reading, commit: Commit, told: Told, unread: list[str]) -> Iterator[Draft]:
    """The draft of a decision; none where the commit's tree cannot be read."""
    try:
        view = reading.trees.at(commit.revision)
    except (RepositoryReadError, UnknownRevisionError):
        unread.append(commit.revision)
        return
    yield Draft(
        told.statement,
        kind="decision",
        anchors=_anchors(project, reading, commit, told, view),
        at=commit.revision,
        constraints=told.constraints,
        rejected=told.rejected,
        detail={"source": {"commit": commit.revision, "subject": commit.subject, "text": _text_id(told)}},
        author=Author("person", commit.author.partition(" <")[0].strip() or "unknown"),
        documents=(of_message(commit, *told.lines),),
    )


def _anchors(project: Project, reading: Reading, commit: Commit, told: Told, view: IndexedTree) -> tuple[str, ...]:
    """() where the text names what it stands on, so that recording proposes it; else the functions that the commit changes; else none."""
    if any(propose(text, view, lambda name: candidates(name, view)).anchors for text in (told.statement, *told.constraints)):
        return ()
    changed = _changed_functions(project, reading, commit, view)
    return tuple(f"body:{symbol}" for symbol in changed) if changed and len(changed) <= _MOST_FUNCTIONS else (UNANCHORED,)


def _changed_functions(project: Project, reading: Reading, commit: Commit, view: IndexedTree) -> list[SymbolId]:
    """The innermost functions that a commit adds or changes against its first parent, tests and generated files aside; a few too many at most."""
    before: TreeFiles | None = None
    if commit.parents:
        before = reading.trees.then_of_tree(project.repository.commit(commit.parents[0]).tree_id)
        if before is None:
            return []
    changes = project.repository.diff(before.tree, view.tree) if before is not None else []
    paths = [change.path for change in changes if change.new is not None] if before is not None else list(view.files)
    paths = [path for path in paths if not view.kinds_of(path)]
    found: list[SymbolId] = []
    for path in paths if len(paths) <= _MOST_FILES else ():
        old = _functions(before, path) if before is not None else {}
        new = _functions(view, path)
        names = {name for name, content in new.items() if old.get(name) != content}
        found += [SymbolId(path, name) for name in sorted(names) if not any(other.startswith(f"{name}.") for other in names)]
        if len(found) > _MOST_FUNCTIONS:
            break
    return found


def _functions(view: TreeFiles, path: bytes) -> dict[str, tuple[str, ...]]:
    """Qualified name → the hashes of every function of that name in a file."""
    facts, digests = view.facts(path), view.digests(path)
    found: dict[str, tuple[str, ...]] = {}
    if facts is None or digests is None:
        return found
    for definition, digest in zip(facts.definitions, digests.digests, strict=False):
        if definition.kind in ("function", "method") and "error" not in definition.flags:
            found[definition.qualified_name] = (*found.get(definition.qualified_name, ()), digest.body, digest.signature)
    return found


def _lines(reading: Reading, view: IndexedTree, ids: Iterable[str], notes: Mapping[str, tuple[str, ...]]) -> Iterator[DecisionLine]:
    ids = list(ids)
    held, statuses = reading.held(ids), reading.statuses(view, ids) if ids else {}
    for claim_id in ids:
        detail = held[claim_id].claim.detail
        yield DecisionLine(
            claim=claim_line(held[claim_id], statuses[claim_id], view),
            commit=_source(held[claim_id].claim).get("commit", ""),
            constraints=tuple(str(text) for text in _listed(detail.get("constraints"))),
            rejected=tuple(
                RejectedLine(str(r.get("alternative", "")), str(r.get("reason", ""))) for r in _listed(detail.get("rejected")) if isinstance(r, dict)
            ),
            anchors=anchor_lines(held[claim_id].anchors, statuses[claim_id].readings),
            notes=notes.get(claim_id, ()),
        )


def _listed(value: object) -> list[Any]:
    """What is a list in a claim's detail; another ledger may have anything there."""
    return value if isinstance(value, list) else []
