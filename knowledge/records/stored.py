"""Rows as the store keeps them. Payloads are opaque to the store: it knows bytes and keys, not what they mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from knowledge.records.claims import Anchor, Claim, Verdict
from knowledge.records.definition_rows import DefinitionRow
from knowledge.records.edges import Edge, Limitation
from knowledge.records.events import Event
from knowledge.records.evidence import Evidence

REDACTED = "[redacted]"
"""What stands where a text was erased."""
PRIVATE = "private"
"""In a claim's detail: true where it is never pushed and never exported."""
CONTRADICTS, SUPPORTS, SUPERSEDES, DEPENDS_ON = "contradicts", "supports", "supersedes", "depends_on"
"""Kinds of relation."""


@dataclass(frozen=True, slots=True, order=True)
class FactKey:
    """What a file's facts depend on, besides parser and analyzer version."""

    blob_id: str
    language: str


@dataclass(frozen=True, slots=True)
class StoredFacts:
    """Facts of one blob. skipped: a limitation's code, "" where there are facts.

    remark: the code of a limitation that bears on all of the file's facts, "" where none does.
    """

    key: FactKey
    parser_version: str
    analyzer_version: str
    payload: bytes
    remark: str
    definitions: tuple[DefinitionRow, ...] = ()
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A path of an indexed tree: its facts and its resolution (0: none)."""

    path: bytes
    fact_id: int
    resolution_id: int


@dataclass(frozen=True, slots=True, order=True)
class Read:
    """A question that the resolver asked of the rest of the tree, and a hash of the answer. kind: module, interface, name, layout, routes."""

    kind: str
    key: str
    answer: str


@dataclass(frozen=True, slots=True)
class StoredResolution:
    """The edges going out of one file, good in every tree that answers `reads` alike. `inputs` is a hash of the sorted reads."""

    path: bytes
    fact_id: int
    inputs: str
    reads: tuple[Read, ...]
    edges: tuple[Edge, ...] = ()
    limitations: tuple[Limitation, ...] = ()
    id: int = 0


@dataclass(frozen=True, slots=True)
class PastCommit:
    """What a commit's message said, as the terms of its words, and the files that it touched."""

    terms: frozenset[str]
    paths: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class WorktreeState:
    """What the stored statuses of one worktree were computed for."""

    worktree: str
    tree_key: str
    revision: str | None
    branch: str | None
    event_sequence: int
    day: str = ""
    """The day that periods were counted to (ISO date)."""
    rules: str = ""
    """By which version of the analyzers and of the rules."""


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """What decides alike of many claims whether their review condition is true: the condition, and the last verdict that it counts from."""

    condition: str
    revision: str | None
    said_at: str
    is_due: bool
    """whether it was true when the statuses were stored"""


@dataclass(frozen=True, slots=True)
class RecallState:
    """Up to which event of the ledger claims can be searched, with which version of the terms; how many pieces and terms there are."""

    version: str
    event_sequence: int
    pieces: int
    terms: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two kept claims: contradicts, supports, supersedes, depends_on (a goal or plan node on what was learned later)."""

    kind: str
    source: str
    target: str
    detail: dict[str, object]


@dataclass(frozen=True, slots=True)
class TreeRows:
    """An indexed tree: path → (fact id, resolution id), 0 for none. meta: what the indexer wished to keep with it, plain JSON."""

    key: str
    files: dict[bytes, tuple[int, int]]
    meta: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Collected:
    """What a collection of the index removed. size: bytes in use afterwards; is_over: still more than allowed, for all of it is needed."""

    trees: int
    resolutions: int
    facts: int
    size: int
    is_over: bool


@dataclass(frozen=True, slots=True)
class NewClaim:
    """A claim with all that is recorded together with it. `verdict` is what the recorder says of it, with the anchors' readings."""

    claim: Claim
    anchors: tuple[Anchor, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    verdict: Verdict | None = None
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimFilter:
    """Which claims to list: all conditions hold, each of them by any of its values; empty ones do not matter.

    author: a name. session: of the author. text: part of the statement, whatever its case.
    """

    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    text: str = ""
    recorded_after: str = ""


@dataclass(frozen=True, slots=True)
class Redaction:
    """That a claim's text was erased: when, and the sha256 of the statement it had."""

    claim_id: str
    redacted_at: str
    statement_hash: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, by kind of row: how many were new, and how many the ledger had already."""

    added: dict[str, int] = field(default_factory=dict)
    present: dict[str, int] = field(default_factory=dict)
