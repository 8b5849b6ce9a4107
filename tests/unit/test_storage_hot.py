"""Hot reads: the store at a glance, without SQLAlchemy."""

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from store_fixtures import event, new_claim

from knowledge.config import INDEX_FILE, LEDGER_FILE
from knowledge.errors import NotInitializedError, StoreCorruptError, StoreTooNewError
from knowledge.records.claims import ClaimStatus
from knowledge.records.stored import WorktreeState
from knowledge.storage.files import INDEX, LEDGER
from knowledge.storage.hot import UNCOMPUTED, summary
from knowledge.storage.index import open_index
from knowledge.storage.ledger import open_ledger

ROOT = Path(__file__).parents[2]
HEAVY = ("sqlalchemy", "alembic", "pydantic", "msgspec", "pygit2", "networkx", "typer", "rich", "tree_sitter")


@pytest.fixture
def common_dir(tmp_path: Path) -> Path:
    """A store with three claims, of which the main worktree knows two, as they were one event ago."""
    with open_ledger(tmp_path / LEDGER_FILE) as ledger, open_index(tmp_path / INDEX_FILE) as index:
        ledger.record_claims([new_claim("one"), new_claim("two", kind="decision"), new_claim("three")])
        index.put_statuses("", [ClaimStatus("c_one", "stale", (), "v_one", {}), ClaimStatus("c_two", "active", (), "v_two", {})])
        index.put_worktree_state(WorktreeState("", "tree", "revision", "main", ledger.last_sequence()))
        index.put_tree("tree", None, [], (), {"files": 3, "resolved": 1, "is_resolved": False, "links": []})
        index.count("hook-failed", 2)
        ledger.append([event("one", "ClaimVerified")])
    return tmp_path


def test_summary_of_a_worktree(common_dir: Path) -> None:
    """Counts by kind and status, what they were computed for, and how far behind they are."""
    found = summary(common_dir, "")
    assert found.claims == {("decision", "active"): 1, ("observation", "stale"): 1, ("observation", UNCOMPUTED): 1}
    assert (found.tree_key, found.revision, found.branch) == ("tree", "revision", "main")
    assert (found.last_sequence, found.event_lag) == (4, 1)
    assert found.counters == {"hook-failed": 2}
    assert found.names == {"files": 3, "resolved": 1, "is_resolved": False}
    assert found.ledger_size > 0 and found.index_size > 0
    assert (found.ledger_schema, found.index_schema, found.index_problem) == (LEDGER.version, INDEX.version, "")


def test_worktree_that_was_never_computed(common_dir: Path) -> None:
    """Another worktree knows of no status yet, and all events are new to it."""
    found = summary(common_dir, "linked")
    assert found.claims == {("decision", UNCOMPUTED): 1, ("observation", UNCOMPUTED): 2}
    assert (found.tree_key, found.revision, found.branch, found.event_lag, found.names) == ("", None, None, 4, {})


def test_store_without_an_index(common_dir: Path) -> None:
    """A deleted index is no error: it is made when it is needed."""
    (common_dir / INDEX_FILE).unlink()
    found = summary(common_dir, "")
    assert (sum(found.claims.values()), found.index_size, found.index_schema, found.index_problem) == (3, 0, "", "")


def test_damaged_index_is_told(common_dir: Path) -> None:
    """Claims are still counted when the index cannot be read, and what will happen is said."""
    (common_dir / INDEX_FILE).write_bytes(b"garbage" * 100)
    found = summary(common_dir, "")
    assert sum(found.claims.values()) == 3
    assert "will be rebuilt" in found.index_problem


def test_damaged_ledger_is_an_error(common_dir: Path) -> None:
    """A ledger that cannot be read is never shown as empty."""
    (common_dir / LEDGER_FILE).write_bytes(b"garbage" * 100)
    with pytest.raises(StoreCorruptError, match="Nothing was overwritten"):
        summary(common_dir, "")


def test_newer_ledger_is_refused(common_dir: Path) -> None:
    """What a newer program's views mean is not guessed."""
    with contextlib.closing(sqlite3.connect(common_dir / LEDGER_FILE)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(StoreTooNewError):
        summary(common_dir, "")


def test_nothing_was_ever_kept(tmp_path: Path) -> None:
    """A repository without a ledger says what to run."""
    with pytest.raises(NotInitializedError, match="knowledge init"):
        summary(tmp_path, "")


def test_hot_reads_write_nothing(common_dir: Path) -> None:
    """Looking leaves both databases as they are."""
    paths = common_dir / LEDGER_FILE, common_dir / INDEX_FILE
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in paths]
    summary(common_dir, "")
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in paths] == before


def test_hot_reads_import_nothing_heavy(common_dir: Path) -> None:
    """A summary needs the standard library alone."""
    program = (
        f"import sys, pathlib\nfrom knowledge.storage.hot import summary\nsummary(pathlib.Path({str(common_dir)!r}), '')\n"
        f"print(sorted(set(name.partition('.')[0] for name in sys.modules) & set({HEAVY!r})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
