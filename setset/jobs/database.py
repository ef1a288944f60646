"""Opening the database: connections, transactions, schema, backup. What is asked of it is in `store`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import QueuePool

from setset.errors import NotAWorkspace, SetsetError

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0002"
"""The revision that this version reads and writes; a test compares it with the migrations."""

BUSY_SECONDS = 5


class BadDatabase(SetsetError):
    """The database file is there but cannot be used as it is."""


class OlderSchema(BadDatabase):
    """The database is of an earlier version."""


def require_file(path: Path) -> None:
    """Refuses a folder that is not a workspace."""
    if not path.is_file():
        raise NotAWorkspace(
            f"no workspace at {path.parent}: there is no {path.name} ('setset run' makes one)"
        )


def open_engine(path: Path, read_only: bool) -> Engine:
    """An engine on an existing database. Nothing is written by opening it."""
    require_file(path)
    mode = "ro" if read_only else "rw"
    engine = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=BUSY_SECONDS, check_same_thread=False
        ),
        poolclass=QueuePool,
    )
    _set_up(engine, read_only)
    return engine


def _set_up(engine: Engine, read_only: bool) -> None:
    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _record: Any) -> None:
        # The driver must not begin transactions of its own: its way lets DDL survive a rollback.
        connection.isolation_level = None
        if not read_only:
            # A rollback journal, not WAL: safe on network disks and in every version of SQLite (WAL had a
            # bug that lost data until 3.51.3), and fast enough, since finished work is committed together.
            connection.execute("PRAGMA journal_mode = TRUNCATE")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        # A deferred read that turns into a write fails at once, whatever the timeout.
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


def revision(path: Path) -> str | None:
    """The schema revision of a database; None if it has none yet."""
    try:
        with sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS
        ) as connection:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return None
        raise BadDatabase(f"cannot open {path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise BadDatabase(corrupt(path, error)) from error
    finally:
        if "connection" in locals():
            connection.close()
    return str(row[0]) if row else None


def corrupt(path: Path, error: Exception) -> str:
    return f"{path} is damaged ({error}): run 'setset db rebuild' to make it anew from the batch files"


def require_current(path: Path) -> None:
    """Refuses a database of another schema, saying what to do."""
    require_file(path)
    found = revision(path)
    if found == HEAD:
        return
    if found is not None and found not in known_revisions():
        raise BadDatabase(
            f"{path} has schema {found}, newer than this setset (schema {HEAD}): upgrade setset"
        )
    raise OlderSchema(f"{path} has schema {found or 'none'}, this setset {HEAD}: run 'setset db upgrade'")


def known_revisions() -> set[str]:
    return {
        file.name.split("_")[0] for file in (migrations() / "versions").iterdir() if file.name.endswith(".py")
    }


def migrations() -> Path:
    """The migration scripts: in the wheel inside the package, in a checkout beside it."""
    packaged = Path(str(resources.files("setset"))) / "migrations"
    return packaged if packaged.is_dir() else Path(str(resources.files("setset"))).parent / "migrations"


def alembic_config(path: Path) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations()).replace("%", "%%"))
    config.attributes["database"] = path
    return config


def create(path: Path) -> None:
    """Makes a new, empty database with the current schema, complete or not at all."""
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    sqlite3.connect(fresh).close()
    fresh.touch()
    _upgrade(fresh)
    Path(f"{fresh}-journal").unlink(missing_ok=True)
    fresh.replace(path)


def upgrade(path: Path) -> Path | None:
    """Brings a database to the current schema; returns the backup made before, None if it was current."""
    try:
        require_current(path)
    except OlderSchema:
        kept = path.with_name(f"{path.name}.before-{HEAD}")
        backup(path, kept)
        _upgrade(path)
        return kept
    return None


def _upgrade(path: Path) -> None:
    from alembic import command

    command.upgrade(alembic_config(path), "head")


def backup(path: Path, copy: Path) -> None:
    """A consistent copy of a database that may be in use."""
    if copy.exists():
        raise SetsetError(f"{copy} exists already: move it away or name another file")
    partial = copy.with_name(f".{copy.name}.partial")
    partial.unlink(missing_ok=True)
    source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    target = sqlite3.connect(partial)
    try:
        source.backup(target)
        partial.replace(copy)
    except sqlite3.DatabaseError as error:
        raise BadDatabase(f"cannot back up {path}: {error}") from error
    finally:
        source.close()
        target.close()
        partial.unlink(missing_ok=True)


_Result = TypeVar("_Result")


def patiently(
    action: Callable[[], _Result], notice: Callable[[str], None], stopped: Callable[[], bool]
) -> _Result:
    """Does something to the database, waiting as long as somebody else holds it."""
    waiting = False
    while True:
        try:
            return action()
        except OperationalError as error:
            if "locked" not in str(error) or stopped():
                raise
            if not waiting:
                notice("the database is held by another program; waiting for it")
            waiting = True


def explain(path: Path, error: DatabaseError) -> SetsetError:
    """A database error as one line that says what to do."""
    if isinstance(error, OperationalError) and "disk is full" not in str(error):
        return BadDatabase(f"cannot use {path}: {error.orig}")
    return BadDatabase(corrupt(path, error.orig or error))
