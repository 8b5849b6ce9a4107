"""Taking the product out of a repository: the index goes, the ledger only when asked."""

from __future__ import annotations

from pathlib import Path

from knowledge.config import INDEX_FILE, LEDGER_FILE
from knowledge.errors import NotInitializedError
from knowledge.records.answers import TransferAnswer
from knowledge.repository.opening import open_repository

_BESIDE = ("", "-wal", "-shm")


def uninit(start: Path, *, with_ledger: bool = False) -> TransferAnswer:
    """Remove the index, and with `with_ledger` the claims too. Raises NotInitializedError."""
    common_dir = open_repository(start).common_dir
    ledger = common_dir / LEDGER_FILE
    if not ledger.exists():
        raise NotInitializedError(f"no claims are kept for {common_dir}; there is nothing to remove")
    doomed = [common_dir / (INDEX_FILE + end) for end in _BESIDE]
    doomed += [common_dir / (LEDGER_FILE + end) for end in _BESIDE] if with_ledger else []
    removed = [path for path in doomed if path.exists()]
    for path in removed:
        path.unlink()
    folder = ledger.parent
    if with_ledger and not any(folder.iterdir()):
        folder.rmdir()
    return TransferAnswer(str(folder), {"files removed": len(removed)}, 0 if with_ledger else 1)
