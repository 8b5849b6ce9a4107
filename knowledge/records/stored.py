"""Rows as the store keeps them. Payloads are opaque to the store: it knows bytes and keys, not what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.records.edges import Edge, Limitation


@dataclass(frozen=True, slots=True, order=True)
class FactKey:
    """What a file's facts depend on, besides parser and analyzer version."""

    blob_id: str
    language: str


@dataclass(frozen=True, slots=True)
class StoredFacts:
    """Facts of one blob. definitions: (name, qualified name, ordinal, kind). skipped: a limitation's code, "" where there are facts."""

    key: FactKey
    parser_version: str
    analyzer_version: str
    payload: bytes
    interface_hash: str
    definitions: tuple[tuple[str, str, int, str], ...] = ()
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A path of an indexed tree: its facts and its resolution (0: none)."""

    path: bytes
    fact_id: int
    resolution_id: int


@dataclass(frozen=True, slots=True, order=True)
class Read:
    """A question that the resolver asked of the rest of the tree, and a hash of the answer. kind: module, interface, name, layout."""

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
class WorktreeState:
    """What the stored statuses of one worktree were computed for."""

    worktree: str
    tree_key: str
    revision: str | None
    branch: str | None
    event_sequence: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two kept claims: contradicts, supports, supersedes."""

    kind: str
    source: str
    target: str
    detail: dict[str, object]
