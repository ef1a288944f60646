"""Opening the database: connections, transactions, schema, backup. What is asked of it is in `store`."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import QueuePool

from setset.errors import Locked, NoSpace, NotAWorkspace, SetsetError
from setset.folder import OWN_ROOT

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0002"
"""The revision that this version reads and writes; a test compares it with the migrations."""

REBUILD = "run 'setset db rebuild' to make it anew from the batch files (--output names those elsewhere)"
BUSY_SECONDS = 5
RETRY_SECONDS = 1
"""How long a writer waits before it looks whether it should go on waiting."""


class BadDatabase(SetsetError):
    """The database file is there but cannot be used as it is."""


class OlderSchema(BadDatabase):
    """The database is of an earlier version."""


@dataclass(frozen=True)
class Patience:
    """What a writer does while another program holds the database: says so, and waits until it is stopped."""

    notice: Callable[[str], None] = lambda _text: None
    stopped: Callable[[], bool] = lambda: False


def require_file(path: Path) -> None:
    """Refuses a folder that is not a workspace."""
    if path.is_file():
        return
    if (path.parent / OWN_ROOT).is_dir():
        raise NotAWorkspace(f"{path} is gone: {REBUILD}")
    raise NotAWorkspace(f"no workspace at {path.parent}: there is no {path.name} ('setset run' makes one)")


def open_engine(path: Path, read_only: bool, patience: Patience | None = None) -> Engine:
    """An engine on an existing database. Nothing is written by opening it.

    A writer waits for whoever holds the database, as long as its patience lasts.
    """
    require_file(path)
    mode, seconds = ("ro", BUSY_SECONDS) if read_only else ("rw", RETRY_SECONDS)
    engine = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=seconds, check_same_thread=False
        ),
        poolclass=QueuePool,
    )
    _set_up(engine, read_only, patience or Patience())
    return engine


def _set_up(engine: Engine, read_only: bool, patience: Patience) -> None:
    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _record: Any) -> None:
        # The driver must not begin transactions of its own: its way lets DDL survive a rollback.
        connection.isolation_level = None
        if not read_only:
            # A rollback journal, not WAL: safe on network disks and in every version of SQLite (WAL had a
            # bug that lost data until 3.51.3), and fast enough, since finished work is committed together.
            patiently(lambda: connection.execute("PRAGMA journal_mode = TRUNCATE"), patience)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        # A deferred read that turns into a write fails at once, whatever the timeout.
        if read_only:
            connection.exec_driver_sql("BEGIN")
        else:
            patiently(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"), patience)

    @event.listens_for(engine, "commit")
    def _commit(connection: Any) -> None:
        # A reader keeps a commit waiting, which can then be tried again; the driver's own commit comes after
        # this one and finds nothing left to do.
        if not read_only:
            patiently(lambda: connection.exec_driver_sql("COMMIT"), patience)


def revision(path: Path) -> str | None:
    """The schema revision of a database; None if it has none yet."""
    try:
        row = _ask_revision(path, "ro")
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", None) == "SQLITE_READONLY_ROLLBACK":
            # A writer was killed in the middle of a commit; whoever may write takes back what it began.
            return _revision_after_rollback(path)
        if "no such table" in str(error):
            return None
        raise explain(path, error) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # Of a damaged schema, the driver cannot even decode what SQLite has to say.
        raise explain(path, error) from error
    return str(row[0]) if row else None


def _ask_revision(path: Path, mode: str) -> tuple[Any, ...] | None:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=BUSY_SECONDS)
    try:
        found: tuple[Any, ...] | None = connection.execute(
            "SELECT version_num FROM alembic_version"
        ).fetchone()
        return found
    finally:
        connection.close()


def _revision_after_rollback(path: Path) -> str | None:
    try:
        row = _ask_revision(path, "rw")
    except sqlite3.DatabaseError as error:
        raise BadDatabase(
            f"{path} was left in the middle of a write, which cannot be taken back here ({error}): "
            "use it once where it can be written, 'setset status' will do"
        ) from error
    return str(row[0]) if row else None


def corrupt(path: Path, error: object) -> str:
    return f"{path} is damaged ({error}): {REBUILD}"


def require_current(path: Path) -> None:
    """Refuses a database of another schema, saying what to do."""
    require_file(path)
    found = revision(path)
    if found == HEAD:
        return
    if found is None:
        raise BadDatabase(corrupt(path, "it has none of the tables of setset"))
    if found not in known_revisions():
        raise BadDatabase(
            f"{path} has schema {found}, newer than this setset (schema {HEAD}): upgrade setset"
        )
    raise OlderSchema(f"{path} has schema {found}, this setset {HEAD}: run 'setset db upgrade'")


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
    for left in (fresh, Path(f"{fresh}-journal"), Path(f"{path}-journal")):
        # The journal of a database that is gone would be played back into the new one.
        left.unlink(missing_ok=True)
    try:
        sqlite3.connect(fresh).close()
        fresh.touch()
        _upgrade(fresh)
        fresh.replace(path)
    finally:
        for left in (fresh, Path(f"{fresh}-journal")):
            left.unlink(missing_ok=True)


def free_name(path: Path, why: str) -> Path:
    """A name beside a database under which it can be kept; an earlier one may be there already."""
    name, place = path.with_name(f"{path.name}.{why}"), 1
    while name.exists():
        place += 1
        name = path.with_name(f"{path.name}.{why}-{place}")
    return name


def upgrade(path: Path) -> Path | None:
    """Brings a database to the current schema; returns the backup made before, None if it was current."""
    try:
        require_current(path)
    except OlderSchema:
        kept = free_name(path, f"before-{HEAD}")
        backup(path, kept)
        _upgrade(path)
        return kept
    return None


def _upgrade(path: Path) -> None:
    from alembic import command

    try:
        command.upgrade(alembic_config(path), "head")
    except DatabaseError as error:
        raise explain(path, error.orig or error) from error


def require_sound(path: Path) -> None:
    """Refuses a database whose pages, indexes or constraints do not hold together."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    try:
        ((verdict,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
        broken = verdict if verdict != "ok" else connection.execute("PRAGMA foreign_key_check").fetchone()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise explain(path, error) from error
    finally:
        connection.close()
    if broken:
        raise BadDatabase(corrupt(path, " ".join(str(broken).split())))


def backup(path: Path, copy: Path) -> None:
    """A consistent copy of a database that may be in use."""
    if copy.exists():
        raise SetsetError(f"{copy} exists already: move it away or name another file")
    partial = copy.with_name(f".{copy.name}.partial")
    if not copy.parent.is_dir():
        raise SetsetError(f"there is no folder {copy.parent} for the copy")
    partial.unlink(missing_ok=True)
    source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    try:
        with contextlib.closing(sqlite3.connect(partial)) as target:
            source.backup(target)
        settle(partial, copy)
    except sqlite3.DatabaseError as error:
        raise explain(copy if "full" in str(error) else path, error) from error
    finally:
        source.close()
        partial.unlink(missing_ok=True)


def settle(made: Path, place: Path) -> None:
    """Puts a database that nobody has open in its place; it is on the disk before it is there."""
    _sync(made)
    made.replace(place)
    _sync(place.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_Result = TypeVar("_Result")


def patiently(action: Callable[[], _Result], patience: Patience) -> _Result:
    """Does something to the database, waiting as long as somebody else holds it."""
    waiting = False
    while True:
        try:
            return action()
        except (OperationalError, sqlite3.OperationalError, Locked) as error:
            if not (isinstance(error, Locked) or "locked" in str(error)) or patience.stopped():
                raise
            if not waiting:
                patience.notice("the database is held by another program; waiting for it")
            waiting = True


def explain(path: Path, error: BaseException) -> SetsetError:
    """A database error as one line that says what to do."""
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Locked(f"{path} is held by another program: try again when that is done")
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE")):
        return NoSpace(f"no room to write {path} ({error}): make room, then 'setset run' goes on")
    if name.startswith(("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_NOMEM")):
        return BadDatabase(f"cannot use {path}: {error}")
    return BadDatabase(corrupt(path, error))
