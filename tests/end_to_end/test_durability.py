"""What is recorded is there, whatever happens: killed writers, two writers, a full disk, read-only folders, damage."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from store_fixtures import edge, event, facts, new_claim, resolution

from knowledge.config import INDEX_FILE, LEDGER_FILE, LIMITS
from knowledge.errors import StoreCorruptError, StoreError, StoreLockedError, StoreReadOnlyError
from knowledge.records.claims import ClaimStatus
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import FactKey, TreeFile
from knowledge.storage import database
from knowledge.storage.hot import summary
from knowledge.storage.index import IndexStore, open_index
from knowledge.storage.ledger import Ledger, open_ledger

ROOT = Path(__file__).parents[2]
BATCH = 5
NOBODY = 65534

WRITE_LEDGER = """
import sys, pathlib
from store_fixtures import event, new_claim
from knowledge.storage.ledger import open_ledger
ledger = open_ledger(pathlib.Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    with ledger.transaction():
        for part in range(5):
            name = f"{sys.argv[2]}-{number}-{part}"
            ledger.record_claims([new_claim(name)])
            ledger.append([event(name, "ClaimVerified")])
    print(number, flush=True)
"""

WRITE_INDEX = """
import sys, pathlib
from store_fixtures import edge, facts, resolution
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import TreeFile
from knowledge.storage.index import open_index
index = open_index(pathlib.Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    with index.transaction():
        names = [f"{sys.argv[2]}-{number}-{part}" for part in range(5)]
        ids = list(index.put_facts([facts(name, name) for name in names]).values())
        f = SymbolId(b"a", "f")
        numbers = index.put_resolutions([resolution(name.encode(), i, edge(f, f)) for name, i in zip(names, ids)])
        index.put_tree(names[0], None, [TreeFile(n.encode(), i, r) for n, i, r in zip(names, ids, numbers)])
    index.collect({names[0]}, 3, 10**9)
    print(number, flush=True)
"""


def _start(program: str, path: Path, name: str, rounds: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    command = [sys.executable, "-c", program, str(path), name, str(rounds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=ROOT)


def _kill_while_writing(program: str, path: Path, attempt: int) -> int:
    """Start a writer, kill it a while after its first report; how many rounds it reported as done."""
    with _start(program, path, f"w{attempt}", 100_000) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "0\n"
        time.sleep(0.013 * attempt)
        child.send_signal(signal.SIGKILL)
        reported = child.stdout.read().split("\n")
    # The last line may be cut off by the kill.
    return 1 + sum(line.isdigit() for line in reported[:-1])


def _is_sound(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_killed_writer_leaves_whole_transactions(tmp_path: Path) -> None:
    """A ledger whose writer is killed, again and again, holds everything that was reported as done, and no transaction by half."""
    path = tmp_path / "ledger.sqlite3"
    for attempt in range(1, 7):
        done = _kill_while_writing(WRITE_LEDGER, path, attempt)
        with open_ledger(path) as ledger:
            names = {claim_id for claim_id in ledger.claim_ids() if claim_id.startswith(f"c_w{attempt}-")}
            rounds = {claim_id.split("-")[1] for claim_id in names}
            assert len(rounds) >= done
            assert len(names) == len(rounds) * BATCH
            assert ledger.verdicts().keys() == ledger.anchors_of().keys() == set(ledger.claim_ids())
            assert all([e.type for e in ledger.events(claim_id)] == ["ClaimRecorded", "ClaimVerified"] for claim_id in names)
            assert [e.sequence for e in ledger.events()] == list(range(1, 2 * ledger.claim_count() + 1))
        _is_sound(path)


def test_killed_writer_leaves_a_whole_index(tmp_path: Path) -> None:
    """An index whose writer is killed while putting and collecting opens again without being rebuilt, and agrees with itself."""
    path = tmp_path / "index.sqlite3"
    for attempt in range(1, 5):
        _kill_while_writing(WRITE_INDEX, path, attempt)
        with open_index(path) as index:
            assert not index.was_rebuilt
            for (key,) in index.db.rows("SELECT key FROM tree WHERE key IS NOT NULL"):
                tree = index.tree(key)
                assert tree is not None and len(tree.files) == BATCH
                assert len(index.payloads(fact for fact, _ in tree.files.values())) == BATCH
                assert len(index.edges_from(number for _, number in tree.files.values())) == BATCH
        _is_sound(path)


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    """Three processes that write at once, the first of them making the file, all get through; nothing is lost, no sequence is given twice."""
    path = tmp_path / "knowledge" / "ledger.sqlite3"
    writers = [_start(WRITE_LEDGER, path, f"w{number}", 12) for number in range(3)]
    for writer in writers:
        _, complaints = writer.communicate(timeout=60)
        assert (writer.returncode, complaints) == (0, "")
    with open_ledger(path) as ledger:
        assert ledger.claim_count() == 3 * 12 * BATCH
        assert [e.sequence for e in ledger.events()] == list(range(1, 2 * ledger.claim_count() + 1))
    _is_sound(path)


def test_two_indexers_lose_nothing(tmp_path: Path) -> None:
    """Two processes that index and collect at once both get through."""
    path = tmp_path / "index.sqlite3"
    writers = [_start(WRITE_INDEX, path, f"w{number}", 15) for number in range(2)]
    for writer in writers:
        _, complaints = writer.communicate(timeout=60)
        assert (writer.returncode, complaints) == (0, "")
    _is_sound(path)


def test_reader_sees_whole_transactions_of_a_writer(tmp_path: Path) -> None:
    """While one connection writes, another reads what was committed, without waiting."""
    path = tmp_path / "ledger.sqlite3"
    with open_ledger(path) as writer, open_ledger(path) as reader:
        with writer.transaction():
            writer.record_claims([new_claim("one")])
            assert reader.claim_ids() == []
        assert reader.claim_ids() == ["c_one"]


def test_locked_ledger_waits_then_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that cannot get its turn within the limit is told, and has changed nothing."""
    monkeypatch.setattr(database, "LIMITS", replace(LIMITS, lock_seconds=0.1))
    path = tmp_path / "ledger.sqlite3"
    with open_ledger(path) as one, open_ledger(path) as two:
        with one.transaction():
            with pytest.raises(StoreLockedError, match="in use by another process"):
                two.record_claims([new_claim("two")])
            one.record_claims([new_claim("one")])
        two.record_claims([new_claim("two")])
        assert two.claim_ids() == ["c_one", "c_two"]


def _fill(store: Ledger | IndexStore) -> None:
    """Write until the store says no."""
    for number in range(100_000):
        if isinstance(store, Ledger):
            store.record_claims([new_claim(f"more{number}", statement="x" * 5000)])
        else:
            store.put_facts([facts(f"more{number}", *(f"name{n}" for n in range(300)))])


@pytest.mark.parametrize("open_store", [open_ledger, open_index], ids=["ledger", "index"])
def test_full_database_keeps_what_it_has(tmp_path: Path, open_store: Callable[[Path], Ledger | IndexStore]) -> None:
    """When no page can be added any more that is said; nothing stored before is lost, and there is room again when there is room."""
    with open_store(tmp_path / "file.sqlite3") as store:
        pages = store.db.rows("PRAGMA page_count")[0][0]
        store.db.rows(f"PRAGMA max_page_count = {pages + 30}")
        with pytest.raises(StoreError, match=r"disk that holds .* is full"):
            _fill(store)
        assert store.integrity() == []
        before = _content(store)
        store.db.rows("PRAGMA max_page_count = 1000000")
        with pytest.raises(RuntimeError), store.transaction():
            _fill_a_little(store)
            raise RuntimeError
        assert _content(store) == before > 0
        _fill_a_little(store)
        assert _content(store) == before + 1


def _fill_a_little(store: Ledger | IndexStore) -> None:
    if isinstance(store, Ledger):
        store.record_claims([new_claim("last")])
    else:
        store.put_facts([facts("last")])


def _content(store: Ledger | IndexStore) -> int:
    return store.claim_count() if isinstance(store, Ledger) else len(store.payloads(range(1, 100_000)))


def test_full_disk_is_said(tmp_path: Path) -> None:
    """A disk that takes no more bytes ends a writer with an error that says so, and all that it reported as done is there."""
    path = tmp_path / "ledger.sqlite3"
    open_ledger(path).close()
    program = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))\n" + WRITE_LEDGER
    with _start(program, path, "w", 100_000) as child:
        output, complaints = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "knowledge.errors.StoreError" in complaints.splitlines()[-1] and "was stored before is safe" in complaints
    with open_ledger(path) as ledger:
        assert ledger.claim_count() == len(output.split()) * BATCH > 0
    _is_sound(path)


@contextlib.contextmanager
def _not_writable(folder: Path) -> Iterator[None]:
    """Make a folder and what is in it read-only; root, whom no permission stops, becomes somebody else for the time."""
    paths = [folder, *folder.rglob("*")]
    modes = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


@pytest.fixture
def common_dir() -> Iterator[Path]:
    """A store with one claim and one tree, below a folder that everybody may enter."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        common = Path(folder) / "git"
        with open_ledger(common / LEDGER_FILE) as ledger, open_index(common / INDEX_FILE) as index:
            ledger.record_claims([new_claim("one")])
            index.put_facts([facts("blob", "f")])
            index.put_tree("tree", None, [TreeFile(b"a.py", 1, 0)])
            index.put_statuses("", [ClaimStatus("c_one", "active", (), "v_one", {})])
        yield common


def test_read_only_folder_can_be_read(common_dir: Path) -> None:
    """Where nothing can be written claims are read as ever, and only writing is refused, with the reason."""
    with _not_writable(common_dir):
        with open_ledger(common_dir / LEDGER_FILE) as ledger:
            assert ledger.is_read_only
            assert ledger.claim("c_one") == new_claim("one").claim
            assert len(list(ledger.export_rows())) == 6
            for write in (lambda: ledger.record_claims([new_claim("two")]), lambda: ledger.append([event("one")])):
                with pytest.raises(StoreReadOnlyError, match="folder is read-only"):
                    write()
        assert summary(common_dir, "").claims == {("observation", "active"): 1}
    with open_ledger(common_dir / LEDGER_FILE) as ledger:
        assert not ledger.is_read_only and ledger.claim_ids() == ["c_one"]


def test_read_only_folder_has_an_index_in_memory(common_dir: Path) -> None:
    """Where the index cannot be written a copy is used that can, and that is gone afterwards; nothing on disk changes."""
    before = (common_dir / INDEX_FILE).read_bytes()
    with _not_writable(common_dir), open_index(common_dir / INDEX_FILE) as index:
        assert index.is_temporary
        assert index.fact_ids([FactKey("blob", "python")]) and index.has_tree("tree")
        index.put_tree("other", "tree", [TreeFile(b"b.py", 1, 0)])
        tree = index.tree("other")
        assert tree is not None and len(tree.files) == 2
        index.collect({"other"}, 1, 0)
    assert (common_dir / INDEX_FILE).read_bytes() == before
    with open_index(common_dir / INDEX_FILE) as index:
        assert not index.is_temporary and not index.has_tree("other")


def test_read_only_folder_without_stores(common_dir: Path) -> None:
    """Where nothing was ever kept and nothing can be, an index is had in memory and a ledger is refused."""
    for path in (common_dir / LEDGER_FILE).parent.iterdir():
        path.unlink()
    with _not_writable(common_dir):
        with pytest.raises(StoreReadOnlyError, match="must be made"):
            open_ledger(common_dir / LEDGER_FILE)
        with open_index(common_dir / INDEX_FILE) as index:
            assert index.is_temporary
            index.put_facts([facts("blob")])
            assert index.fact_ids([FactKey("blob", "python")])


def test_read_only_folder_after_a_crash(common_dir: Path) -> None:
    """Writes that are still in the journal of a killed writer are either read or missed openly, never silently."""
    path = common_dir / LEDGER_FILE
    _kill_while_writing(WRITE_LEDGER, path, 1)
    journal, shared = Path(f"{path}-wal"), Path(f"{path}-shm")
    assert journal.stat().st_size > 0
    with _not_writable(common_dir), open_ledger(path) as ledger:
        assert ledger.claim_count() > BATCH
    shared.unlink()
    with _not_writable(common_dir), pytest.raises(StoreReadOnlyError, match="journal"):
        open_ledger(path)
    with open_ledger(path) as ledger:
        assert ledger.claim_count() > BATCH


def _damage(path: Path, start: int, count: int = 4096) -> None:
    content = bytearray(path.read_bytes())
    content[start : start + count] = b"\xa5" * count
    path.write_bytes(bytes(content))


def test_damaged_ledger_is_named_and_kept(tmp_path: Path) -> None:
    """Damage anywhere in the ledger is an error with the file's name and the way out; not a byte of it is changed by looking."""
    path = tmp_path / "ledger.sqlite3"
    with open_ledger(path) as ledger:
        ledger.record_claims([new_claim(f"{number:03}") for number in range(200)])
        exported = list(ledger.export_rows())
    whole = path.read_bytes()
    pages = len(whole) // 4096
    for page in (0, 1, pages // 2, pages - 2):
        path.write_bytes(whole)
        _damage(path, page * 4096)
        before = path.read_bytes()
        assert _problems(path), f"page {page}"
        assert path.read_bytes() == before
    path.unlink()
    with open_ledger(path) as ledger:
        ledger.import_rows(exported)
        assert list(ledger.export_rows()) == exported


def _problems(path: Path) -> list[str]:
    """What is told of a damaged ledger by whoever reads all of it, or by a look at the whole file."""
    try:
        with open_ledger(path) as ledger:
            problems = ledger.integrity()
            list(ledger.export_rows())
            return problems
    except StoreCorruptError as error:
        assert str(path) in error.message and "Nothing was overwritten" in error.message and "knowledge import" in error.message
        return [error.message]


def test_index_damaged_anywhere_never_answers_wrongly(tmp_path: Path) -> None:
    """Whatever page of the index is overwritten, a run either answers rightly or says that it is damaged, and the next one begins anew."""
    path, f = tmp_path / "index.sqlite3", SymbolId(b"a", "f")
    with open_index(path) as index:
        ids = index.put_facts([facts(f"blob{number}", "f") for number in range(40)])
        index.put_resolutions([resolution(b"a", number, edge(f, f)) for number in ids.values()])
        index.put_tree("tree", None, [TreeFile(b"a", 1, 1)])
        expected = _ask(index, f)
    whole = path.read_bytes()
    for page in range(0, len(whole) // 4096, 7):
        for stale in tmp_path.glob("index.sqlite3*"):
            stale.unlink()
        path.write_bytes(whole)
        _damage(path, page * 4096)
        with open_index(path) as index:
            if index.was_rebuilt:
                continue
            try:
                assert _ask(index, f) == expected
                continue
            except StoreCorruptError:
                pass
        with open_index(path) as index:
            assert index.was_rebuilt
            assert _ask(index, f) == ([], {}, set(), None)


def _ask(index: IndexStore, f: SymbolId) -> tuple[object, ...]:
    return index.edges_into([f]), index.payloads(range(50)), {row for _, _, row in index.definitions_named(["f"])}, index.tree("tree")
