"""One SQLite database: opened, upgraded, written in whole transactions.

A `Database` has one connection and belongs to one thread. SQLite's own `BEGIN` is used throughout (the driver's implicit
transactions are off): `BEGIN IMMEDIATE` takes the write lock at once, so that two writers wait for each other instead of failing half-way.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, CursorResult, Executable, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.pool import NullPool

from knowledge.config import LIMITS
from knowledge.errors import KnowledgeError, StoreCorruptError, StoreError, StoreReadOnlyError
from knowledge.storage.failures import corrupt, store_error, store_errors, too_new
from knowledge.storage.files import Schema, connect_for_reading, damage_mark, is_writable, read_version
from knowledge.storage.migrate import upgrade

MEMORY = Path(":memory:")
"""SQLite's name for a database without a file."""
_CACHE_KILOBYTES = 16_000


class Database:
    """An open database. Every failure of SQLite is raised as the product's error (`failures.py`). undone: how many transactions were."""

    def __init__(self, path: Path, schema: Schema, driver: sqlite3.Connection, *, is_read_only: bool = False) -> None:
        self.path = path
        self.schema = schema
        self.is_read_only = is_read_only
        self._driver = driver
        self._depth = 0
        self.undone = 0
        driver.create_function("casefold", 1, str.casefold, deterministic=True)
        self._engine = create_engine("sqlite://", creator=lambda: driver, poolclass=NullPool)
        event.listen(self._engine, "handle_error", self._on_error, retval=True)
        self._connection: Connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def close(self) -> None:
        """Close the connection; closing twice does nothing."""
        self._connection.close()
        self._engine.dispose()
        self._driver.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Inside another transaction it is a part of it that can fail alone.

        Raises StoreLockedError, StoreReadOnlyError, and StoreError where the disk is full.
        """
        if self.is_read_only:
            raise StoreReadOnlyError(f"{self.path} cannot be written: its folder is read-only. Reading goes on to work.")
        is_outer = self._depth == 0
        begin, commit, undo = ("BEGIN IMMEDIATE", "COMMIT", ("ROLLBACK",)) if is_outer else _savepoint(self._depth)
        self.run(begin)
        self._depth += 1
        is_done = False
        try:
            yield
            if not self._driver.in_transaction:
                raise StoreError(f"{self.path}: SQLite undid the transaction after a failure; nothing of it was stored.")
            self.run(commit)
            is_done = True
        finally:
            self._depth -= 1
            self.undone += not is_done
            if not is_done and self._driver.in_transaction:
                for statement in undo:
                    self.run(statement)

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> CursorResult[Any]:
        """Execute one statement of SQLite's SQL as it stands."""
        return self._connection.exec_driver_sql(statement, tuple(parameters))

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The rows of a query, as tuples."""
        with self.failures_told():
            return self._driver.execute(statement, parameters).fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute one statement for many rows, which may come from a generator."""
        with self.failures_told():
            self._driver.executemany(statement, rows)

    def execute(self, statement: Executable, parameters: Any = None) -> CursorResult[Any]:
        """Execute a statement of SQLAlchemy's expression language."""
        result = self._connection.execute(statement, parameters)
        assert isinstance(result, CursorResult)
        return result

    @contextmanager
    def failures_told(self) -> Iterator[None]:
        """Raise the product's error for a failure of SQLite inside."""
        try:
            yield
        except (sqlite3.Error, UnicodeEncodeError) as error:
            told = self._told(error)
            if told is None:
                raise
            raise told from error

    @contextmanager
    def unpacking(self) -> Iterator[None]:
        """Tell of a stored payload that cannot be unpacked inside as of damage."""
        try:
            yield
        except (zlib.error, msgspec.MsgspecError, ValueError, IndexError) as error:
            self._mark_damaged()
            raise corrupt(self.path, f"a row cannot be read: {error}", self.schema.way_out) from error

    def give_back_pages(self) -> None:
        """Shrink the file by its free pages. Not inside a transaction, which it would commit."""
        assert not self._driver.in_transaction
        with self.failures_told():
            # One execution of this statement frees one page; a script runs it to its end.
            self._driver.executescript("PRAGMA incremental_vacuum")

    def integrity(self) -> list[str]:
        """What SQLite finds wrong with the file; nothing where it is whole. Reads all of it."""
        try:
            problems = [" ".join(str(row[0]).split()) for row in self.rows("PRAGMA integrity_check(5)") if row[0] != "ok"]
            problems += [f"{table} row {number} points at no row of {parent}" for table, number, parent, _ in self.rows("PRAGMA foreign_key_check")]
        except StoreCorruptError as error:
            return [error.message]
        return problems

    def _on_error(self, context: ExceptionContext) -> KnowledgeError | None:
        return self._told(context.original_exception)

    def _told(self, error: BaseException) -> KnowledgeError | None:
        told = store_error(error, self.path, self.schema.way_out)
        if isinstance(told, StoreCorruptError):
            self._mark_damaged()
        return told

    def _mark_damaged(self) -> None:
        if self.schema.is_cache and self.path != MEMORY:
            with contextlib.suppress(OSError):
                damage_mark(self.path).touch()


def open_database(path: Path, schema: Schema, folder: Path | None = None) -> Database:
    """Open the database at `path`, making or upgrading it where needed. `folder`: other migration scripts than the program's own.

    Raises StoreTooNewError and StoreCorruptError before anything is written, StoreReadOnlyError where it would have to be written and cannot be.
    """
    version = peek_version(path, schema)
    if version > schema.version:
        raise too_new(path, version, schema.version)
    if not is_writable(path):
        if version != schema.version:
            raise StoreReadOnlyError(f"{path} must be {'upgraded' if version else 'made'} before use and its folder cannot be written.")
        with store_errors(path, schema.way_out):
            return Database(path, schema, connect_for_reading(path), is_read_only=True)
    return _open_for_writing(path, schema, version, folder)


def peek_version(path: Path, schema: Schema) -> str:
    """The schema version of the file at `path`, read without writing; "" where there is none yet. Raises StoreCorruptError."""
    if not path.exists() or path.stat().st_size == 0:
        return ""
    with store_errors(path, schema.way_out), contextlib.closing(connect_for_reading(path)) as connection:
        return read_version(connection, path, schema)


def memory_database(schema: Schema, source: Path | None) -> Database:
    """A database that lives in memory only: a copy of the one at `source`, or an empty one."""
    driver = _connect(MEMORY)
    database = Database(MEMORY, schema, driver)
    if source is not None:
        with store_errors(source, schema.way_out), contextlib.closing(connect_for_reading(source)) as original:
            original.backup(driver)
    else:
        _upgrade(database, None)
    return database


def _open_for_writing(path: Path, schema: Schema, version: str, folder: Path | None) -> Database:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreReadOnlyError(f"{path.parent} cannot be made ({error.strerror}). Check the permissions of its folder.") from error
    with contextlib.ExitStack() as on_failure:
        with store_errors(path, schema.way_out):
            driver = _connect(path)
            on_failure.callback(driver.close)
            _configure(driver, schema)
        database = Database(path, schema, driver)
        if version != schema.version:
            _upgrade(database, folder)
        on_failure.pop_all()
        return database


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=LIMITS.lock_seconds, cached_statements=256)


def _configure(driver: sqlite3.Connection, schema: Schema) -> None:
    if schema.is_cache:
        driver.execute("PRAGMA auto_vacuum = INCREMENTAL")
    _use_write_ahead_log(driver)
    driver.execute(f"PRAGMA synchronous = {schema.synchronous}")
    driver.execute("PRAGMA foreign_keys = ON")
    driver.execute("PRAGMA recursive_triggers = ON")
    driver.execute("PRAGMA temp_store = MEMORY")
    driver.execute(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")
    if not schema.is_cache:
        # What is redacted must not stay readable in the file's free pages.
        driver.execute("PRAGMA secure_delete = ON")


def _use_write_ahead_log(driver: sqlite3.Connection) -> None:
    """Switching is refused at once, without waiting, while another process looks at the file; so the waiting is ours."""
    deadline = time.monotonic() + LIMITS.lock_seconds
    while True:
        try:
            if driver.execute("PRAGMA journal_mode").fetchone()[0] == "wal" or driver.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
                return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
        if time.monotonic() >= deadline:
            return
        time.sleep(0.02)


def _upgrade(database: Database, folder: Path | None) -> None:
    """Upgrade in one transaction: a second process waits for it and finds it done, and a killed one leaves the old schema."""
    with database.transaction():
        version = read_version(database._driver, database.path, database.schema)
        if version > database.schema.version:
            raise too_new(database.path, version, database.schema.version)
        if version == database.schema.version:
            return
        database.run(f"PRAGMA application_id = {database.schema.application_id}")
        upgrade(database._connection, database.schema, folder)


def _savepoint(depth: int) -> tuple[str, str, tuple[str, ...]]:
    name = f"level_{depth}"
    return f"SAVEPOINT {name}", f"RELEASE {name}", (f"ROLLBACK TO {name}", f"RELEASE {name}")
