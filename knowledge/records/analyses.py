"""What other programs said of the code: one run of such a program is an analysis, and its edges stand beside the built-in ones (G3).

    term       analysis    one run of another program over one tree: a type checker's index, a traced test run
               pin         the content that an edge was computed from: the blobs of the two files that it joins
               present     both pins hold in a tree; otherwise the edge is past: it says nothing of that tree

Edges are kept with the record, not with the index: no reading of the repository brings them back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from knowledge.records.edges import Edge


@dataclass(frozen=True, slots=True)
class Analysis:
    """One run of another program whose answers were taken in.

    id: follows from what was said, so that taking the same in again changes nothing.
    format: how it was told (`scip`, `pyrefly`, `coverage` …). tool, version: who says it.
    configuration: a hash of the settings that the tool ran with; "" where they are not known.
    is_whole: it says all that it knows of each of its files, so that of several by one tool the fittest answers alone;
    otherwise (a run sees only what it took) they add up.
    snapshot_key, revision: the tree that it was made of. reference: the run that it belongs to (a test observation), "" for none.
    origin: what it was read from. at, author: when and by whom it was taken in. detail: what was counted and left out, plain JSON.
    """

    id: str
    format: str
    tool: str
    version: str
    configuration: str
    is_whole: bool
    snapshot_key: str
    revision: str | None
    reference: str
    origin: str
    at: str
    author: str
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def analyzer(self) -> tuple[str, str, str]:
        """Who says it: tool, version and configuration."""
        return self.tool, self.version, self.configuration


@dataclass(frozen=True, slots=True)
class AnalysedFile:
    """What an analysis says of one file: the edges going out of it, also when there are none.

    blob_id: the file's content. pins: the content of every other file of the repository that an edge leads to.
    The edges' analyzer, version and configuration are the analysis's, whatever they say themselves.
    """

    path: bytes
    blob_id: str
    edges: tuple[Edge, ...]
    pins: Mapping[bytes, str]
