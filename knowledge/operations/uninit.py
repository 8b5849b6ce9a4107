"""Taking the product out of a repository: the index goes, the ledger only when asked."""

from __future__ import annotations

import shutil
from pathlib import Path

from knowledge.config import INDEX_FILE, LEDGER_FILE, NEWS_FILE
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
    if with_ledger:
        # The folder holds nothing but what this program put there.
        removed = sum(1 for path in ledger.parent.rglob("*") if path.is_file())
        shutil.rmtree(ledger.parent)
        return TransferAnswer(str(ledger.parent), {"files removed": removed})
    doomed = [path for end in _BESIDE if (path := common_dir / (INDEX_FILE + end)).exists()]
    doomed += [path for path in ledger.parent.glob(f"{Path(NEWS_FILE).name}*") if path.is_file()]
    for path in doomed:
        path.unlink()
    return TransferAnswer(str(ledger.parent), {"files removed": len(doomed)}, 1)
