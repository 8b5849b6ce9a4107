"""Evidence: a fact found in a tree, and what its kind can and cannot show (requirement E1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EvidenceKind = Literal["source", "ast", "graph", "type_check", "test_result", "trace", "document", "agent_memory"]

SHOWS: dict[str, tuple[str, str]] = {
    "source": ("the characters written at that version", "which paths run, and what they mean"),
    "ast": ("syntax: declarations and expressions", "the outcome of dynamic calls, the state in operation"),
    "graph": ("relations that the analyzer found", "dynamic relations that the analysis misses"),
    "type_check": ("that the type system's rules hold under that configuration", "that the program is right when it runs"),
    "test_result": ("what happened in that environment, with that input", "every case that did not run"),
    "trace": ("events seen in a real run", "paths not seen, and causes"),
    "document": ("what the author meant", "that the code agrees today"),
    "agent_memory": ("a past observation or judgement", "that it holds in the repository today"),
}
"""kind → (what it can show, what it cannot show)."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """Rows and columns from 0, columns in bytes; byte offsets [start, end)."""

    start: int
    end: int
    row: int
    column: int
    end_row: int
    end_column: int

    def lines(self) -> str:
        """The range as people count: 1-based lines."""
        return f"{self.row + 1}" if self.end_row == self.row else f"{self.row + 1}-{self.end_row + 1}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """AstEvidence and its kin (E2). Enough to find the same thing again without the index, also after lines moved.

    content_hash: sha256 of the exact bytes of the range. blob_id: git's id of the whole file. symbol: `path::qualified name`.
    extracted_relation: what was read there, as `subject predicate object` or "" (e.g. `a.py::f calls b.py::g`).
    excerpt: the text of the range, capped and with secrets masked.
    """

    id: str
    kind: EvidenceKind
    repository_revision: str | None
    tree_id: str
    file_path: bytes
    blob_id: str
    language: str
    parser_version: str
    analyzer_version: str
    node_type: str
    source_range: SourceRange
    content_hash: str
    extracted_relation: str
    symbol: str
    excerpt: str
    is_dirty: bool = False
