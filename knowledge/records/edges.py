"""Edges of the code graph (G1, G2): stored forward only, never merged across analyzers or confidence kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from knowledge.records.identifiers import SymbolId

Predicate = Literal["declares", "imports", "calls", "implements", "overrides", "reads", "writes", "tested_by", "handles", "decorates", "traced_by"]
"""`implements`: class → base. `tested_by`: symbol → test. `traced_by`: function → trace in which it ran. `handles`: route → handler.
`reads`/`writes`: symbol → attribute, constant, key."""

ConfidenceKind = Literal["resolved", "inferred", "observed"]
"""How an edge is known: name resolution proved it · chosen by name and context · seen in a run."""

NodeKind = Literal["file", "package", "symbol", "function", "type", "test", "route", "config_key", "external"]


@dataclass(frozen=True, slots=True)
class Edge:
    """subject –predicate→ object, at one place of the subject's file.

    reason: kebab-case sub-kind of the confidence, e.g. `import`, `self`, `local`, `annotation`, `unique-name`, `receiver-name`.
    rivals: how many other targets were as likely (inferred only; each of them is an edge of its own).
    row and column (bytes) from 0: where the last name token of the callee (or the imported name, base …) stands; `start` its byte offset.
    """

    subject: SymbolId
    predicate: Predicate
    object: SymbolId
    confidence_kind: ConfidenceKind
    reason: str
    start: int
    end: int
    row: int
    column: int
    name: str = ""
    rivals: int = 0
    analyzer: str = "knowledge"
    analyzer_version: str = ""
    configuration: str = ""
    """A hash of the settings that the analyzer ran with; "" for the built-in one, which has none."""

    @property
    def said_by(self) -> str:
        """The analyzer as people name it: `knowledge 1`, `pyrefly 1.5.0 (3f2a9c01)`."""
        name = f"{self.analyzer} {self.analyzer_version}".strip()
        return f"{name} ({self.configuration})" if self.configuration else name


@dataclass(frozen=True, slots=True)
class Limitation:
    """Something the analysis cannot show, where it was met. `code` is documented in docs/limitations.md."""

    code: str
    detail: str
    path: bytes = b""
    row: int = -1
