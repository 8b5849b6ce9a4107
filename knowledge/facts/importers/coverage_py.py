"""Coverage.py's data: which lines of which files ran, in which contexts. Its SQLite file (schema 7), or `coverage json --show-contexts` (format 3).

A context is a test where `--cov-context=test` (pytest-cov) or `dynamic_context = test_function` was set; "" is what ran in no test: imports.
The data is another program's file: it is opened read-only, only its tables are read, and its size is bounded.
Source: https://coverage.readthedocs.io/en/7.10.0/dbschema.html
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from knowledge.errors import OutsideInputError

SQLITE_HEAD = b"SQLite format 3\0"
_SCHEMA, _JSON_FORMAT = 7, 3
_TABLES = frozenset({"coverage_schema", "meta", "file", "context", "line_bits", "arc"})
_MOST_ROWS = 5_000_000
_PHASES = ("|setup", "|run", "|teardown")


@dataclass(slots=True)
class LinesRun:
    """What ran. files: path as it was told → context → lines from 1. version: of coverage.py. has_contexts: whether any is a test."""

    version: str
    files: dict[str, dict[str, set[int]]] = field(default_factory=dict)

    @property
    def has_contexts(self) -> bool:
        """Whether anything is told by test."""
        return any(context for contexts in self.files.values() for context in contexts)

    def add(self, path: str, context: str, lines: Iterable[int]) -> None:
        """Lines of a file that ran in a context; a test's set-up and tear-down are the test's."""
        name = next((context.removesuffix(phase) for phase in _PHASES if context.endswith(phase)), context)
        self.files.setdefault(path, {}).setdefault(name, set()).update(lines)


def read_sqlite(path: Path) -> LinesRun:
    """A `.coverage` file. Raises OutsideInputError for anything else, another schema, or a damaged one."""
    try:
        connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True)
        try:
            return _read(connection)
        finally:
            connection.close()
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise OutsideInputError(f"{path.name} is no data of coverage.py, or is damaged: {error}") from error


def _read(connection: sqlite3.Connection) -> LinesRun:
    connection.execute("PRAGMA trusted_schema=OFF")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if missing := _TABLES - tables:
        raise OutsideInputError(f"this is no data of coverage.py: it has no table {min(missing)!r}")
    (schema,) = connection.execute("SELECT version FROM coverage_schema").fetchone() or (None,)
    if schema != _SCHEMA:
        raise OutsideInputError(f"the data of coverage.py has schema {schema}; schema {_SCHEMA} (coverage 5.0 and later) can be read")
    version = dict(connection.execute("SELECT key, value FROM meta LIMIT 100")).get("version", "")
    found, left = LinesRun(str(version)), _MOST_ROWS
    files = dict(connection.execute("SELECT id, path FROM file LIMIT 1000000"))
    contexts = dict(connection.execute("SELECT id, context FROM context LIMIT 1000000"))
    for file_id, context_id, numbits in connection.execute("SELECT file_id, context_id, numbits FROM line_bits LIMIT ?", (left,)):
        found.add(str(files[file_id]), str(contexts[context_id]), _lines(bytes(numbits)))
    for file_id, context_id, start, end in connection.execute("SELECT file_id, context_id, fromno, tono FROM arc LIMIT ?", (left,)):
        # A negative number is the way into a function or out of it.
        found.add(str(files[file_id]), str(contexts[context_id]), [line for line in (int(start), int(end)) if line > 0])
    return found


def _lines(numbits: bytes) -> list[int]:
    """The numbers in a bit set: bit n of byte m is line 8m + n."""
    return [8 * place + bit for place, byte in enumerate(numbits) for bit in range(8) if byte >> bit & 1]


def read_json(content: bytes) -> LinesRun:
    """What `coverage json` writes. Raises OutsideInputError for anything else, or another format."""
    try:
        told: dict[str, Any] = json.loads(content)
        meta = told["meta"]
        if int(meta["format"]) != _JSON_FORMAT:
            raise OutsideInputError(f"the JSON of coverage.py has format {meta['format']}; format {_JSON_FORMAT} can be read")
        found = LinesRun(str(meta.get("version", "")))
        for path, file in told["files"].items():
            found.add(str(path), "", [int(line) for line in file["executed_lines"]])
            for line, contexts in file.get("contexts", {}).items():
                for context in contexts:
                    found.add(str(path), str(context), [int(line)])
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise OutsideInputError(f"this is no JSON of coverage.py: {error!r}") from error
    return found
