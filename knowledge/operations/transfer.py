"""Export and import of the ledger: versioned JSON lines, idempotent; a restore into a fresh clone gives equal statuses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from knowledge.errors import InvalidRecordError, UnknownPathError
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project
from knowledge.operations.reconcile import reconcile
from knowledge.records.answers import TransferAnswer


def export(project: Project, out: Path) -> TransferAnswer:
    """Write every row of the ledger to a file, whole or not at all."""
    counts: Counter[str] = Counter()
    partial = out.with_name(out.name + ".partial")
    with partial.open("w", encoding="utf-8", newline="\n") as lines:
        for row in project.ledger.export_rows():
            counts[str(row.get("row", "row"))] += 1
            lines.write(json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n")
    partial.replace(out)
    return TransferAnswer(str(out), dict(sorted(counts.items())))


def import_(project: Project, source: Path) -> TransferAnswer:
    """Read an export into the ledger; rows that are there already are left alone. Raises InvalidRecordError naming the line."""
    refuse_off_record(project)
    if not source.exists():
        raise UnknownPathError(f"there is no file {source}")
    with source.open(encoding="utf-8") as lines:
        done = project.ledger.import_rows(_rows(lines))
    reconcile(project)
    return TransferAnswer(str(source), dict(sorted(done.added.items())), sum(done.present.values()))


def _rows(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except ValueError as error:
            raise InvalidRecordError(f"line {number} is not JSON: {error}") from error
