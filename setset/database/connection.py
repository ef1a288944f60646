"""An open database: connections, transactions, waiting for whoever holds it, errors as one line."""

from __future__ import annotations

import datetime
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import xxhash
from sqlalchemy import Connection, Dialect, Engine, Executable, Row, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from setset.database.copies import are_wanted as copies_wanted
from setset.database.copies import can_copy, read_copy
from setset.errors import Locked, NoSpace, SetsetError
from setset.folder import REBUILD, WorkspaceFolder

BUSY_SECONDS = 5
DRIVER_ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError, MemoryError)
"""What the driver raises of a damaged database: what SQLite says may not be text, and may ask for all memory."""
RETRY_SECONDS = 1
"""How long a writer waits before it looks whether it should go on waiting."""


class _CompiledStatements(dict[Any, Any]):
    """The SQL of all statements, for all engines: who reads again and again opens a new one each time.

    The first part of a key is the engine's own dialect, and all of them are alike.
    """

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(_without_dialect(key), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_without_dialect(key), value)


def _without_dialect(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return key[1:] if isinstance(key[0], Dialect) else key


_COMPILED = _CompiledStatements()


class BadDatabase(SetsetError):
    """The database file is there but cannot be used as it is."""


class OlderSchema(BadDatabase):
    """The database is of an earlier version."""


@dataclass(frozen=True)
class LockPolicy:
    """What a writer does while another program holds the database: says so, and waits until it is stopped."""

    notice: Callable[[str], None] = lambda _text: None
    stopped: Callable[[], bool] = lambda: False


class TimeLimit:
    """How long a query may take. SQLite asks now and then, which is also when it hears Ctrl-C."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds

    def is_over(self) -> bool:
        return time.monotonic() > self._deadline

    def set_on(self, connection: sqlite3.Connection) -> None:
        """Ends whatever the connection does when the time is over."""
        connection.set_progress_handler(self.is_over, 100_000)


class Database:
    """The open database of a workspace. `database.open_to_read` and `open_to_write` give one."""

    def __init__(self, folder: WorkspaceFolder, engine: Engine) -> None:
        self.folder = folder
        self.root_folders: dict[int, Path] = {}
        """What `roots.folders` found; most commands ask once for each batch."""
        self.place = str(folder.path.resolve())
        """The folder that it notes as its own: of a copy, that of the original."""
        self.repaired: list[str] = []
        """What was made again so far, and why; the outcome of the run says so."""
        self._engine = engine

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing; damage to the database becomes one line that says what to do."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except DatabaseError as error:
            raise explain(self.folder.database, error.orig or error) from error
        except (*DRIVER_ERRORS, SQLAlchemyError, LookupError) as error:
            # What is not a database error but comes of rows with bad values, such as an unknown state.
            raise explain(self.folder.database, error) from error

    def query(self, statement: Executable) -> Sequence[Row[Any]]:
        with self.transaction() as connection:
            return connection.execute(statement).all()


def open_engine(
    path: Path, read_only: bool, policy: LockPolicy | None = None, seconds_each: float | None = None
) -> Engine:
    """An engine on an existing database. Nothing is written by opening it.

    A writer waits for whoever holds the database, as its policy says. What a reader asks ends after `seconds_each`.
    """
    seconds = BUSY_SECONDS if read_only else RETRY_SECONDS
    engine = create_engine(
        "sqlite://",
        creator=lambda: connect(path, "ro" if read_only else "rw", seconds),
        poolclass=QueuePool,
    )
    engine = engine.execution_options(compiled_cache=_COMPILED)
    _set_up(engine, read_only, policy or LockPolicy())
    if seconds_each is not None:
        _limit_time(engine, seconds_each)
    return engine


def _limit_time(engine: Engine, seconds: float) -> None:
    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        TimeLimit(seconds).set_on(connection.connection.dbapi_connection)


def connect(path: Path, mode: str, seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A plain connection to an existing database, or to a copy within `reading_copies`; mode ro or rw."""
    copy = read_copy(path) if mode == "ro" and copies_wanted() and can_copy(path) else None
    address = ":memory:" if copy else f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, timeout=seconds, check_same_thread=False)
    if copy:
        connection.deserialize(copy)
        connection.execute("PRAGMA query_only = ON")
    connection.create_function("hash_of_row", -1, _hash_of_row, deterministic=True)
    # SQLite pauses now and then, so that Ctrl-C ends a query that would not end.
    connection.set_progress_handler(lambda: 0, 100_000)
    return connection


def _hash_of_row(*values: object) -> int:
    """What the triggers of migration 0003 write into `row_digest`."""
    return int.from_bytes(xxhash.xxh3_64_digest(repr(values).encode(errors="replace")), "big", signed=True)


def _set_up(engine: Engine, read_only: bool, policy: LockPolicy) -> None:
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


_Result = TypeVar("_Result")


def retry_while_locked(action: Callable[[], _Result], policy: LockPolicy) -> _Result:
    """Does something to the database, again and again as long as another program holds it."""
    waiting = False
    while True:
        try:
            return action()
        except (OperationalError, sqlite3.OperationalError, Locked) as error:
            if not (isinstance(error, Locked) or "locked" in str(error)) or policy.stopped():
                raise
            if not waiting:
                policy.notice("the database is held by another program; waiting for it")
            waiting = True


def now() -> str:
    """The time for people to read; nothing is decided by it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def damaged(path: Path, reason: object) -> BadDatabase:
    """The error that a damaged database is."""
    return BadDatabase(f"{path} is damaged ({reason}): {REBUILD}")


def explain(path: Path, error: BaseException) -> SetsetError:
    """A database error as one line that says what to do."""
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Locked(f"{path} is held by another program: try again when that is done")
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE")):
        return NoSpace(f"no room to write {path} ({error}): make room, then 'setset run' goes on")
    if name.startswith(("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_NOMEM")):
        if path.exists() and not os.access(path, os.R_OK):
            return BadDatabase(f"no permission to read {path}: ask its owner, or copy the workspace")
        return BadDatabase(f"cannot use {path}: {error}")
    if name == "SQLITE_INTERRUPT":
        return Locked(f"reading {path} took too long: try again")
    return damaged(path, error)
