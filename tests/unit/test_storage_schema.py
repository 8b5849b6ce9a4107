"""The databases' schema: migrations make what the tables declare, run by themselves, and an older program keeps away from a newer file."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, create_engine
from store_fixtures import claim, evidence, new_claim

from knowledge.config import INDEX_FILE, LEDGER_FILE
from knowledge.errors import StoreCorruptError, StoreReadOnlyError, StoreTooNewError
from knowledge.records.claims import Verdict
from knowledge.storage import tables_index, tables_ledger
from knowledge.storage.database import open_database
from knowledge.storage.files import INDEX, LEDGER, Schema
from knowledge.storage.index import open_index
from knowledge.storage.ledger import open_ledger
from knowledge.storage.migrate import alembic_config, scripts_folder

FIRST_LEDGER = Path(__file__).parents[1] / "cases" / "storage" / "ledger_0001.sql"
DECLARED = {"ledger": (LEDGER, tables_ledger), "index": (INDEX, tables_index)}


def _objects(path: Path, kind: str) -> dict[str, str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = ?", (kind,)).fetchall()
    return {name: " ".join(sql.split()) for name, sql in rows}


def _words(tables: dict[str, str], but: str = "") -> dict[str, list[str]]:
    """The words of each definition, in whatever order: Alembic and SQLAlchemy sort foreign keys differently."""
    return {name: sorted(sql.replace(",", " ").replace(")", " ) ").split()) for name, sql in tables.items() if name != but}


def _is_searched(name: str, declared: ModuleType) -> bool:
    """Whether a table is a full-text table, or one that SQLite keeps for it."""
    return any(name == table or name.startswith(f"{table}_") for table in getattr(declared, "SEARCHED", {}))


@pytest.mark.parametrize("name", DECLARED)
def test_migrated_schema_is_the_declared_one(tmp_path: Path, name: str) -> None:
    """Tables, indexes, views and triggers that the scripts make are those that the code declares."""
    schema, declared = DECLARED[name]
    path = tmp_path / "made.sqlite3"
    open_database(path, schema).close()
    metadata: MetaData = declared.metadata
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        options = {"compare_type": True, "include_name": lambda name, kind, parents: kind != "table" or not _is_searched(str(name), declared)}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), metadata) == []
    engine.dispose()
    fresh = tmp_path / "declared.sqlite3"
    engine = create_engine(f"sqlite:///{fresh}")
    metadata.create_all(engine)
    engine.dispose()
    made = _objects(path, "table")
    searched = getattr(declared, "SEARCHED", {})
    assert {name: made[name] for name in searched} == searched
    plain = {name: sql for name, sql in made.items() if not _is_searched(name, declared)}
    assert _words(plain, but="alembic_version") == _words(_objects(fresh, "table"))
    assert _objects(path, "view") == declared.VIEWS
    assert _objects(path, "trigger") == getattr(declared, "TRIGGERS", {})


@pytest.mark.parametrize("name", DECLARED)
def test_the_newest_script_is_the_schema_of_the_code(name: str) -> None:
    """The version that the code expects is where the scripts lead, in one line without branches."""
    schema, _ = DECLARED[name]
    script = ScriptDirectory.from_config(alembic_config(schema))
    assert script.get_heads() == [schema.version]
    assert all(len(revision.revision) == 4 for revision in script.walk_revisions())


def test_first_version_still_opens(tmp_path: Path) -> None:
    """A ledger that the first version of the program wrote is upgraded, and says what it said."""
    path = tmp_path / "ledger.sqlite3"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIRST_LEDGER.read_text(encoding="utf-8"))
    with open_ledger(path) as ledger:
        assert ledger.claim("c_one") == claim("one")
        assert ledger.evidence_of("c_one") == [evidence("one")]
        (only,) = ledger.verdicts()["c_one"]
        assert isinstance(only, Verdict)
        assert only.fingerprint["anchor-one"].count == 0
        assert [e.type for e in ledger.events()] == ["ClaimRecorded", "ClaimMarkedStale"]
        assert ledger.transition_known("c_one", "old", "new")
        assert ledger.kept_blob("blob") == b"bytes"
        ledger.record_claims([new_claim("two")])
        assert ledger.last_sequence() == 3
        assert ledger.integrity() == []


def _with_second_version(folder: Path) -> tuple[Schema, Path]:
    """A later version of the program: its migrations add a table to the ledger."""
    scripts = folder / "migrations"
    shutil.copytree(scripts_folder(), scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "ledger" / "9999_later.py").write_text(
        f'from alembic import op\n\nrevision = "9999"\ndown_revision = "{LEDGER.version}"\n\n\n'
        'def upgrade() -> None:\n    op.execute("CREATE TABLE later (id TEXT)")\n    op.execute("INSERT INTO later SELECT id FROM claim")\n'
    )
    return replace(LEDGER, version="9999"), scripts


def test_newer_program_upgrades_by_itself(tmp_path: Path) -> None:
    """Opening an older ledger runs the missing scripts and loses nothing."""
    path = tmp_path / "ledger.sqlite3"
    with open_ledger(path) as ledger:
        ledger.record_claims([new_claim("one")])
    schema, scripts = _with_second_version(tmp_path)
    upgraded = open_database(path, schema, scripts)
    assert upgraded.rows("SELECT id FROM later") == [("c_one",)]
    assert upgraded.rows("SELECT version_num FROM alembic_version") == [("9999",)]
    upgraded.close()


def test_older_program_refuses_a_newer_ledger(tmp_path: Path) -> None:
    """A ledger of a newer version is not touched, not even its files' times, and the error says what to do."""
    path = tmp_path / "ledger.sqlite3"
    schema, scripts = _with_second_version(tmp_path)
    open_database(path, schema, scripts).close()
    before = path.read_bytes(), path.stat().st_mtime_ns
    with pytest.raises(StoreTooNewError, match=rf"schema 9999; this one knows {LEDGER.version}.*Upgrade the program"):
        open_ledger(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_failed_upgrade_leaves_the_old_version(tmp_path: Path) -> None:
    """A script that fails half-way leaves the ledger as it was."""
    path = tmp_path / "ledger.sqlite3"
    open_ledger(path).close()
    schema, scripts = _with_second_version(tmp_path)
    script = scripts / "ledger" / "9999_later.py"
    script.write_text(script.read_text() + '    raise RuntimeError("half-way")\n')
    with pytest.raises(RuntimeError, match="half-way"):
        open_database(path, schema, scripts)
    assert "later" not in _objects(path, "table")
    open_ledger(path).close()


def test_index_that_cannot_be_upgraded_is_begun_anew(tmp_path: Path) -> None:
    """An index on which a script fails is set aside and begun anew, for it is only a cache; the next opening finds it whole."""
    path = tmp_path / "index.sqlite3"
    open_index(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    with open_index(path) as store:
        assert store.was_rebuilt
        assert store.counts() == {"index-rebuilt": 1}
    with open_index(path) as store:
        assert not store.was_rebuilt
    assert len(list(tmp_path.glob("index.sqlite3.corrupt-*"))) == 1


def test_newer_index_is_begun_anew(tmp_path: Path) -> None:
    """An index of another version is only a cache: set aside, begun anew, told and counted."""
    path = tmp_path / "index.sqlite3"
    open_index(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with open_index(path) as index:
        assert index.was_rebuilt
        assert index.counts() == {"index-rebuilt": 1}
    with open_index(path) as index:
        assert not index.was_rebuilt


@pytest.mark.parametrize("content", [b"not a database at all", b"SQLite format 3\0" + b"\xff" * 4096], ids=["text", "header only"])
def test_foreign_file_is_no_ledger(tmp_path: Path, content: bytes) -> None:
    """A file that is no database is damage: named, with the way out, and left as it is."""
    path = tmp_path / "ledger.sqlite3"
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError, match=r"ledger\.sqlite3 is damaged .*knowledge import"):
        open_ledger(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_no_ledger(tmp_path: Path) -> None:
    """A database with tables of somebody else is refused and left as it is."""
    path = tmp_path / "ledger.sqlite3"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('0001')")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(StoreCorruptError, match="not a database of this program's ledger"):
        open_ledger(path)
    assert path.read_bytes() == before


def test_ledger_and_index_are_told_apart(tmp_path: Path) -> None:
    """An index under the ledger's name is not taken for a ledger."""
    open_index(tmp_path / "file").close()
    with pytest.raises(StoreCorruptError):
        open_ledger(tmp_path / "file")


def test_empty_file_is_a_new_database(tmp_path: Path) -> None:
    """What a program that was killed while making its database leaves behind is no damage."""
    path = tmp_path / "ledger.sqlite3"
    path.touch()
    with open_ledger(path) as ledger:
        assert ledger.last_sequence() == 0


def test_no_folder_can_be_made(tmp_path: Path) -> None:
    """A ledger below something that is no folder cannot be made, and that is said."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreReadOnlyError):
        open_ledger(tmp_path / "file" / "ledger.sqlite3")


def test_alembic_is_imported_for_upgrades_only(tmp_path: Path) -> None:
    """Opening databases that are up to date imports no Alembic: it costs more than the opening."""
    ledger, index = tmp_path / LEDGER_FILE, tmp_path / INDEX_FILE
    open_ledger(ledger).close()
    open_index(index).close()
    program = (
        "import sys, pathlib\nfrom knowledge.storage.ledger import open_ledger\nfrom knowledge.storage.index import open_index\n"
        f"open_ledger(pathlib.Path({str(ledger)!r})).close()\nopen_index(pathlib.Path({str(index)!r})).close()\n"
        "print(sorted(name for name in sys.modules if name.partition('.')[0] in ('alembic', 'mako')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert done.stdout.strip() == "[]"
