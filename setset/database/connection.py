"""An open database. It runs transactions, waits while another program holds it, and raises one-line errors."""

import datetime
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

import xxhash
from sqlalchemy import (
    Connection,
    Engine,
    Executable,
    Row,
    RowMapping,
    Table,
    bindparam,
    create_engine,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.pool import QueuePool
from sqlalchemy.sql.elements import ColumnElement

from setset import durable
from setset.database import copies
from setset.errors import Locked, NoSpace, SetsetError
from setset.folder import REBUILD, WorkspaceFolder
from setset.progress import NoProgress, ProgressListener

BUSY_SECONDS = 5
DRIVER_ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError, MemoryError)
"""Errors of the driver for a damaged database. SQLite's message may be invalid UTF-8, or a read may exhaust memory."""
WRITE_ERRORS = ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_TRUNCATE")
RETRY_SECONDS = 1
"""Interval at which a waiting writer checks whether it was stopped."""


class BadDatabase(SetsetError):
    """The database file exists but cannot be used."""


class OlderSchema(BadDatabase):
    """The database has the schema of an earlier version."""


class NewerSchema(BadDatabase):
    """The database has the schema of a later version."""


@dataclass(frozen=True)
class LockPolicy:
    """If another program holds the database, the writer reports to `progress` and retries until `stopped` is true."""

    progress: ProgressListener = field(default_factory=NoProgress)
    stopped: Callable[[], bool] = lambda: False


_Result = TypeVar("_Result")
Values = Mapping[str, Any] | RowMapping
"""Values of a row by column."""


def checksum(table: Table, row: Values) -> int:
    """Checksum of a row as a signed integer. Covers all values except the id, which SQLite assigns.

    SQLite detects only about half of all flipped bits, and anybody may edit a row with another tool. So every row of a
    table in `models.CHECKED` has a checksum, and `check` reports each row with a wrong checksum.
    """
    values = map(row.get, checked_columns(table))
    return checksum_of(int(value) if isinstance(value, bool) else value for value in values)


def checksum_of(values: Iterable[object]) -> int:
    """Checksum of the values of a row as SQLite returns them, in the order of `checked_columns`."""
    joined = "\x1f".join(["\x00" if value is None else str(value) for value in values])
    return int.from_bytes(xxhash.xxh3_64_digest(joined.encode(errors="replace")), "big", signed=True)


@cache
def checked_columns(table: Table) -> tuple[str, ...]:
    """Columns that the checksum of a row covers."""
    return tuple(column.name for column in table.columns if column.name not in ("id", "checksum"))


class Database:
    """Open database of a workspace, as `database.open_to_read` and `open_to_write` return it."""

    def __init__(self, folder: WorkspaceFolder, engine: Engine) -> None:
        self.folder = folder
        self.repaired: list[str] = []
        """Files and expansions that the run has made again so far, each with the reason."""
        self._engine = engine
        self._open = threading.local()

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Runs the block in a transaction. If the thread has an open transaction already, the block joins it.

        Raises:
            SetsetError: The database is damaged, held by another program or out of space; the message says what to do.
        """
        if getattr(self._open, "connection", None) is not None:
            yield
            return
        try:
            with self._engine.begin() as connection:
                self._open.connection = connection
                yield
        except (*DRIVER_ERRORS, SQLAlchemyError) as error:
            raise explain(self.folder.database, getattr(error, "orig", None) or error) from error
        finally:
            self._open.connection = None

    @property
    def connection(self) -> Connection:
        """The connection of the open transaction."""
        return cast(Connection, self._open.connection)

    def execute(self, statement: Executable, rows: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Executes a statement within the open transaction: once, or for each of the rows if they are given."""
        if rows is None or rows:
            self.connection.execute(statement, rows)

    def insert(self, table: Table, rows: Iterable[Values]) -> None:
        """Inserts rows with their checksums. A column that a row does not name is NULL."""
        empty = dict.fromkeys(checked_columns(table))
        self.execute(insert(table), [{**empty, **row, "checksum": checksum(table, row)} for row in rows])

    def change(
        self,
        table: Table,
        where: Sequence[ColumnElement[bool]],
        values: Values | Callable[[Values], Values | None],
        accept: bool = False,
    ) -> None:
        """Changes the rows that meet all conditions, and updates their checksums.

        `values` may be a function of the current row. If the function returns None, the row stays unchanged. If
        `accept`, a wrong checksum is corrected. Otherwise it stays wrong, so that `check` still reports the row.
        """
        changes = []
        for row in self.query(select(table).where(*where)):
            old = row._mapping
            new = values(old) if callable(values) else values
            if new is not None:
                keys = {f"key_{column.name}": old[column.name] for column in table.primary_key}
                misfit = 0 if accept else old["checksum"] ^ checksum(table, old)
                changes.append({**keys, **new, "checksum": checksum(table, {**old, **new}) ^ misfit})
        mine = [column == bindparam(f"key_{column.name}") for column in table.primary_key]
        self.execute(update(table).where(*mine), changes)

    def query(self, statement: Executable) -> Sequence[Row[Any]]:
        """Returns all rows of a query. Fetches them at once, so that no open cursor keeps a commit waiting."""
        with self.transaction():
            return self.connection.execute(statement).all()

    def read(self, statement: Executable, record: Callable[[Row[Any]], _Result]) -> list[_Result]:
        """Returns `record(row)` for each row of a query. Raises BadDatabase if a row cannot be converted."""
        try:
            return [record(row) for row in self.query(statement)]
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise damaged(self.folder.database, error) from error


def open_engine(
    path: Path, read_only: bool, policy: LockPolicy | None = None, seconds_each: float | None = None
) -> Engine:
    """Creates an SQLAlchemy engine for an existing database. Opening the database writes nothing.

    While another program holds the database, a writer waits as `policy` says. A reader's query ends after
    `seconds_each`.
    """
    seconds = BUSY_SECONDS if read_only else RETRY_SECONDS
    creator = partial(connect, path, "ro" if read_only else "rw", seconds)
    engine = create_engine("sqlite://", creator=creator, poolclass=QueuePool)
    _set_up(engine, read_only, policy or LockPolicy(), seconds_each)
    return engine


def connect(path: Path, mode: str, seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Connects to an existing database without SQLAlchemy; mode ro or rw. Within `reading_copies`, ro opens a copy."""
    WorkspaceFolder(path.parent, path.name).require_no_obstacle()
    if mode == "ro" and copies.are_wanted(path):
        connection = copies.open_copy(path, seconds)
    else:
        address = copies.address(path.absolute(), mode)
        connection = sqlite3.connect(address, uri=True, timeout=seconds, check_same_thread=False)
    # SQLite calls back into Python regularly, so that Ctrl-C can end a long query.
    connection.set_progress_handler(lambda: 0, 100_000)
    return connection


def _set_up(engine: Engine, read_only: bool, policy: LockPolicy, seconds_each: float | None) -> None:
    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _record: Any) -> None:
        # The driver must not begin transactions by itself, since DDL would survive a rollback of them.
        connection.isolation_level = None
        if not read_only:
            # A rollback journal, not WAL: safe on network disks and in every version of SQLite (WAL had a
            # bug that lost data until 3.51.3), and fast enough, since finished work is committed together.
            retry_while_locked(lambda: connection.execute("PRAGMA journal_mode = TRUNCATE"), policy)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        if seconds_each is not None:
            deadline = time.monotonic() + seconds_each
            connection.connection.dbapi_connection.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
        # A deferred transaction that turns from reading to writing may fail at once, whatever the timeout.
        if read_only:
            connection.exec_driver_sql("BEGIN")
        else:
            retry_while_locked(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"), policy)

    @event.listens_for(engine, "commit")
    def _commit(connection: Any) -> None:
        # A commit fails while another program reads, and can be retried. The driver's own commit comes after this one
        # and finds nothing to do.
        if not read_only:
            retry_while_locked(lambda: connection.exec_driver_sql("COMMIT"), policy)


def retry_while_locked(action: Callable[[], _Result], policy: LockPolicy) -> _Result:
    """Retries an action while another program holds the database, until `policy.stopped` is true."""
    waiting = False
    while True:
        try:
            return action()
        except (OperationalError, sqlite3.OperationalError, Locked) as error:
            if not (isinstance(error, Locked) or _is_busy(getattr(error, "orig", error))) or policy.stopped():
                raise
            if not waiting:
                policy.progress.waiting("the database is held by another program; waiting for it")
            waiting = True


def _is_busy(error: object) -> bool:
    return error_name(error).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def error_name(error: object) -> str:
    return getattr(error, "sqlite_errorname", None) or ""


def now() -> str:
    """Current UTC time. Informational only."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def damaged(path: Path, reason: object) -> BadDatabase:
    """BadDatabase error for a damaged database, with the advice to rebuild it."""
    return BadDatabase(f"{path} is damaged ({reason}): {REBUILD}")


def replaced(path: Path, reason: object) -> BadDatabase:
    """BadDatabase error for a database that was replaced since a command opened it."""
    return BadDatabase(
        f"{path} was changed by another program meanwhile ({reason}): run the command again; if it fails again, "
        f"{REBUILD}"
    )


def explain(path: Path, error: BaseException) -> SetsetError:
    """Translates an error of the driver to an error of setset whose one-line message says what to do."""
    name = error_name(error)
    if _is_busy(error) or name.endswith("LOCK"):
        try:
            WorkspaceFolder(path.parent).is_locked()
        except SetsetError as no_locks:  # SQLite reports a file system without locks as busy, or as an I/O error
            return no_locks
    if _is_busy(error):
        return Locked(f"{path} is held by another program: try again when that is done")
    # SQLite reports an exceeded quota or file size limit as an I/O error.
    if name.startswith("SQLITE_FULL") or (name in WRITE_ERRORS and not durable.has_room(path)):
        return NoSpace(f"no room to write {path} ({error}): make room, then 'setset run' resumes")
    if name.startswith("SQLITE_CONSTRAINT") or name == "SQLITE_READONLY_DBMOVED":
        return replaced(path, error)
    if name.startswith(("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_NOMEM")):
        if path.exists() and not os.access(path, os.R_OK):
            return BadDatabase(f"no permission to read {path}: ask its owner, or copy the workspace")
        if name.startswith("SQLITE_IOERR"):
            return BadDatabase(f"cannot use {path}: {error}: try again; if it fails again, check the disk")
        return BadDatabase(f"cannot use {path}: {error}")
    if name == "SQLITE_INTERRUPT":
        return Locked(f"reading {path} took too long: try again")
    return damaged(path, error)
