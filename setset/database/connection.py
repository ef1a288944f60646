"""An open database: connections, transactions, retries while it is locked, errors as one line."""

import datetime
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

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
"""Errors of the driver for a damaged database. SQLite's message may not be text, and a read may ask for all memory."""
WRITE_ERRORS = ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_TRUNCATE")
RETRY_SECONDS = 1
"""Interval at which a waiting writer looks whether it was stopped."""


class BadDatabase(SetsetError):
    """The database file exists but cannot be used."""


class OlderSchema(BadDatabase):
    """The database is of an earlier version."""


class NewerSchema(BadDatabase):
    """The database is of a later version."""


@dataclass(frozen=True)
class LockPolicy:
    """Policy of a writer while another program holds the database: report it, and wait until stopped."""

    progress: ProgressListener = field(default_factory=NoProgress)
    stopped: Callable[[], bool] = lambda: False


_Result = TypeVar("_Result")
Values = Mapping[str, Any] | RowMapping
"""Values of a row by column."""


class TimeLimit:
    """Time limit of a query. SQLite checks it now and then; Python handles Ctrl-C then."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds

    def is_over(self) -> bool:
        return time.monotonic() > self._deadline

    def set_on(self, connection: sqlite3.Connection) -> None:
        """Ends the query of a connection when the time is over."""
        connection.set_progress_handler(self.is_over, 100_000)


def checksum(table: Table, row: Values) -> int:
    """Checksum of all values of a row but its id, which SQLite gives it, as a signed integer.

    SQLite notices about half of all altered bits, and anybody may change a row with a tool of their own. So every row
    of a table in `models.CHECKED` has a checksum, and `check` reports a row whose checksum does not fit.
    """
    values = "\x1f".join(_text(row.get(name)) for name in _names(table))
    return int.from_bytes(xxhash.xxh3_64_digest(values.encode(errors="replace")), "big", signed=True)


@cache
def _names(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns if column.name not in ("id", "checksum"))


def _text(value: object) -> str:
    return "\x00" if value is None else str(int(value) if isinstance(value, bool) else value)


class Database:
    """The open database of a workspace. `database.open_to_read` and `open_to_write` give one."""

    def __init__(self, folder: WorkspaceFolder, engine: Engine) -> None:
        self.folder = folder
        self.repaired: list[str] = []
        """Files and expansions that the run made again so far, and why."""
        self._engine = engine
        self._open = threading.local()

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Inside another transaction of the same thread, it joins that transaction.

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
        found: Connection = self._open.connection
        return found

    def execute(self, statement: Executable, rows: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Executes a statement within the open transaction: once, or for each of the rows if they are given."""
        if rows is None or rows:
            self.connection.execute(statement, rows)

    def insert(self, table: Table, rows: Iterable[Values]) -> None:
        """Inserts rows with their checksums. A column that a row does not name is NULL."""
        empty = dict.fromkeys(_names(table))
        self.execute(insert(table), [{**empty, **row, "checksum": checksum(table, row)} for row in rows])

    def change(
        self, table: Table, where: Sequence[ColumnElement[bool]], values: Values | Callable[[Values], Values | None]
    ) -> None:
        """Changes the rows that meet all conditions, and their checksums.

        `values` may depend on the row as it is; the row stays as it is if they are None.
        """
        changes = []
        for row in self.query(select(table).where(*where)):
            old = row._mapping
            new = values(old) if callable(values) else values
            if new is not None:
                keys = {f"key_{column.name}": old[column.name] for column in table.primary_key}
                changes.append({**keys, **new, "checksum": checksum(table, {**old, **new})})
        mine = [column == bindparam(f"key_{column.name}") for column in table.primary_key]
        self.execute(update(table).where(*mine), changes)

    def query(self, statement: Executable) -> Sequence[Row[Any]]:
        """All rows of a query, read at once, so that no reader keeps a commit waiting."""
        with self.transaction():
            return self.connection.execute(statement).all()

    def read(self, statement: Executable, record: Callable[[Row[Any]], _Result]) -> list[_Result]:
        """Records from the rows of a query. A row that gives no record is damage, such as a page of another table."""
        try:
            return [record(row) for row in self.query(statement)]
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise damaged(self.folder.database, error) from error


def open_engine(
    path: Path, read_only: bool, policy: LockPolicy | None = None, seconds_each: float | None = None
) -> Engine:
    """An engine on an existing database. Nothing is written by opening it.

    A writer waits while another program holds the database, by its policy. A reader's query ends after `seconds_each`.
    """
    seconds = BUSY_SECONDS if read_only else RETRY_SECONDS
    engine = create_engine(
        "sqlite://", creator=lambda: connect(path, "ro" if read_only else "rw", seconds), poolclass=QueuePool
    )
    _set_up(engine, read_only, policy or LockPolicy(), seconds_each)
    return engine


def connect(path: Path, mode: str, seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A plain connection to an existing database, or to a copy within `reading_copies`; mode ro or rw."""
    WorkspaceFolder(path.parent, path.name).require_no_obstacle()
    if mode == "ro" and copies.are_wanted(path):
        connection = copies.open_copy(path, seconds)
    else:
        address = copies.address(path.absolute(), mode)
        connection = sqlite3.connect(address, uri=True, timeout=seconds, check_same_thread=False)
    # SQLite pauses now and then, so that Ctrl-C ends a query that would not end.
    connection.set_progress_handler(lambda: 0, 100_000)
    return connection


def _set_up(engine: Engine, read_only: bool, policy: LockPolicy, seconds_each: float | None) -> None:
    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _record: Any) -> None:
        # The driver must not begin transactions of its own: its way lets DDL survive a rollback.
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
            TimeLimit(seconds_each).set_on(connection.connection.dbapi_connection)
        # A deferred read that turns into a write fails at once, whatever the timeout.
        if read_only:
            connection.exec_driver_sql("BEGIN")
        else:
            retry_while_locked(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"), policy)

    @event.listens_for(engine, "commit")
    def _commit(connection: Any) -> None:
        # A reader keeps a commit waiting, which can then be tried again; the driver's own commit comes after
        # this one and finds nothing left to do.
        if not read_only:
            retry_while_locked(lambda: connection.exec_driver_sql("COMMIT"), policy)


def retry_while_locked(action: Callable[[], _Result], policy: LockPolicy) -> _Result:
    """Retries an action while another program holds the database."""
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
    """BadDatabase error with advice."""
    return BadDatabase(f"{path} is damaged ({reason}): {REBUILD}")


def replaced(path: Path, reason: object) -> BadDatabase:
    """BadDatabase error for a database that was replaced since a command opened it."""
    return BadDatabase(
        f"{path} was changed by another program meanwhile ({reason}): run the command again; if it fails again, "
        f"{REBUILD}"
    )


def explain(path: Path, error: BaseException) -> SetsetError:
    """Error of the driver as one line that says what to do."""
    name = error_name(error)
    if _is_busy(error) or name.endswith("LOCK"):
        try:
            WorkspaceFolder(path.parent).is_locked()
        except SetsetError as no_locks:  # for SQLite, a file system without locks is busy, or has an I/O error
            return no_locks
    if _is_busy(error):
        return Locked(f"{path} is held by another program: try again when that is done")
    # For SQLite, a quota or a limit is an I/O error.
    if name.startswith("SQLITE_FULL") or (name in WRITE_ERRORS and not durable.has_room(path)):
        return NoSpace(f"no room to write {path} ({error}): make room, then 'setset run' goes on")
    if name.startswith("SQLITE_CONSTRAINT") or name == "SQLITE_READONLY_DBMOVED":
        return replaced(path, error)
    if name.startswith(("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_NOMEM")):
        if path.exists() and not os.access(path, os.R_OK):
            return BadDatabase(f"no permission to read {path}: ask its owner, or copy the workspace")
        advice = ": try again, and look at the disk if that fails too" if name.startswith("SQLITE_IOERR") else ""
        return BadDatabase(f"cannot use {path}: {error}{advice}")
    if name == "SQLITE_INTERRUPT":
        return Locked(f"reading {path} took too long: try again")
    return damaged(path, error)
