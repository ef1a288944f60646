"""Database files and their schema: revision, creation, upgrade, integrity check, replacement and backup."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import time
from collections.abc import Callable, Iterator
from importlib import resources
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import xxhash
from sqlalchemy import create_engine
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import StaticPool

from setset import durable, platform
from setset.database import copies
from setset.database.connection import (
    BUSY_SECONDS,
    DRIVER_ERRORS,
    BadDatabase,
    NewerSchema,
    OlderSchema,
    connect,
    damaged,
    error_name,
    explain,
)
from setset.database.models import HEAD, METADATA
from setset.errors import BadInput, InTheWay, Locked, SetsetError, in_the_way
from setset.folder import UNFINISHED, WorkspaceFolder

if TYPE_CHECKING:
    from alembic.config import Config

SCHEMA_DIGEST = "9ff9019ce1b2afc4"
"""Digest of the SQL of all tables and views of the schema `HEAD`. A test compares it with a new database."""
SIDE_FILES = ("-journal", "-wal", "-shm")
UNWRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR")
COUNTED = ("sizes", "batches", "expansions", "tallies")
"""Tables that counts are computed from."""
VIEWS = Path(__file__).with_name("views.sql")
_P = ParamSpec("_P")
_R = TypeVar("_R")


def _tried_again(read: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorator that retries a function that reads a database, since one failed read does not prove damage."""

    @functools.wraps(read)
    def read_again(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with contextlib.suppress(BadDatabase):
            return read(*args, **kwargs)
        time.sleep(0.1)
        return read(*args, **kwargs)

    return read_again


@_tried_again
def revision(path: Path) -> str | None:
    """The schema revision of a database. None if none is recorded."""
    try:
        try:
            return _read_revision(path, "ro")
        except sqlite3.OperationalError as error:
            if error_name(error) != "SQLITE_READONLY_ROLLBACK":
                raise
        # A writer was killed in the middle of a commit. A connection that may write rolls it back.
        return _read_revision(path, "rw")
    except DRIVER_ERRORS as error:
        explained, journal = explain(path, error), Path(f"{path}-journal")
        is_hot = journal.exists() and journal.stat().st_size and error_name(error).startswith(UNWRITABLE)
        if is_hot and isinstance(explained, BadDatabase):
            explained = BadDatabase(
                f"{path} was left in the middle of a write, which cannot be rolled back here ({error}): "
                "run 'setset status' once where the file can be written"
            )
        raise explained from error


def _read_revision(path: Path, mode: str) -> str | None:
    with contextlib.closing(connect(path, mode)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'alembic_version'").fetchone():
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return str(row[0]) if row else None


def require_current(path: Path) -> None:
    """Raises OlderSchema, NewerSchema or BadDatabase unless a database has the current schema."""
    version = revision(path)
    if version == HEAD:
        return
    if version is None:
        raise damaged(path, "it has none of the tables of setset")
    if version not in known_revisions():
        raise NewerSchema(f"{path} has schema {version}, newer than this setset (schema {HEAD}): upgrade setset")
    raise OlderSchema(f"{path} has schema {version}, this setset {HEAD}: run 'setset db upgrade'")


def known_revisions() -> set[str]:
    return {file.name.split("_")[0] for file in (migrations() / "versions").iterdir() if file.name.endswith(".py")}


def migrations() -> Path:
    """Folder of the migration scripts: inside the package in a wheel, beside the package in a checkout."""
    packaged = Path(str(resources.files("setset"))) / "migrations"
    return packaged if packaged.is_dir() else Path(str(resources.files("setset"))).parent / "migrations"


def alembic_config(path: Path) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations()).replace("%", "%%"))
    config.attributes["database"] = path
    return config


def create(path: Path) -> None:
    """Creates an empty database with the current schema, atomically."""
    fresh = path.with_name(f".{path.name}.new")
    keep_side_files(path, path)
    remove(fresh)
    try:
        with contextlib.closing(sqlite3.connect(fresh)) as driver:
            driver.execute("PRAGMA journal_mode = OFF")  # no journal: an incomplete file is removed
            engine = create_engine("sqlite://", creator=lambda: driver, poolclass=StaticPool)
            with engine.begin() as connection:
                METADATA.create_all(connection, checkfirst=False)
            driver.executescript(VIEWS.read_text(encoding="utf-8"))
            driver.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
            driver.execute("INSERT INTO alembic_version VALUES (?)", (HEAD,))
            driver.commit()
        durable.replace_durably(fresh, path)
    except (sqlite3.DatabaseError, DatabaseError) as error:
        raise explain(path, getattr(error, "orig", None) or error) from error
    finally:
        remove(fresh)


def replace(path: Path, new: Path) -> Path | None:
    """Replaces the database `path` by the finished database `new`, and keeps the old database under another name.

    Returns this name; None if there was no old database. At every moment a complete database has the name `path`. Rolls
    back an unfinished write to the old database first, since SQLite would apply its journal to the new one.
    """
    kept = None
    if path.exists():
        try:
            with contextlib.closing(connect(path, "rw")) as connection:
                connection.execute("PRAGMA schema_version").fetchall()
        except sqlite3.DatabaseError as error:
            if isinstance(held := explain(path, error), Locked):
                raise held from error
        kept = free_name(path, "lost")
        if not platform.rename_if_free(path, kept):
            raise SetsetError(f"cannot keep the old database as {kept}, which another program has just made: try again")
    keep_side_files(path, kept or path)
    try:
        durable.replace_durably(new, path)
    except PermissionError as error:
        raise Locked(f"{path} cannot be replaced ({error.strerror}): close all programs that use it") from error
    return kept


def keep_side_files(path: Path, kept: Path) -> None:
    """Renames the journal of a renamed or deleted database. SQLite would apply it to the next database of this name."""
    for suffix in SIDE_FILES:
        side = Path(f"{path}{suffix}")
        if side.exists() and side.stat().st_size:
            name = f"{kept}{suffix}" if kept != path else free_name(side, "lost")
            durable.retry_while_open(functools.partial(side.rename, name))


def remove(path: Path) -> None:
    """Removes a database and the files that SQLite keeps beside it."""
    for file in (Path(f"{path}{suffix}") for suffix in ("", *SIDE_FILES)):
        if file.is_dir():
            raise InTheWay(in_the_way(file))
        durable.remove(file)


def remove_unfinished(folder: WorkspaceFolder) -> list[Path]:
    """Removes leftovers of an interrupted creation or rebuild of a database. Returns their paths. Needs the lock."""
    unfinished = [folder.path / name for name in UNFINISHED]
    unfinished = [path for path in unfinished if path.is_file() and not path.is_symlink()]
    # Second names (hard links) of the current database, left by an interrupted `replace`.
    kept = folder.path.glob(f"{folder.database_name}.lost*")
    unfinished += [path for path in kept if not path.is_symlink() and path.samefile(folder.database)]
    removed = []
    for path in unfinished:
        with contextlib.suppress(OSError):  # Windows removes no file that a reader has open; the next run removes it
            path.unlink(missing_ok=True)
            removed.append(path)
    return removed


def free_name(path: Path, suffix: str) -> Path:
    """Returns an unused name beside a database: NAME.suffix, else NAME.suffix-2 and so on."""
    names = (path.with_name(f"{path.name}.{suffix}" + (f"-{n}" if n > 1 else "")) for n in count(1))
    return next(name for name in names if not name.exists())


def upgrade(path: Path) -> Path | None:
    """Upgrades a database to the current schema. Returns the backup made before, None if the schema was current."""
    try:
        require_current(path)
    except OlderSchema:
        _require_references(path)
        before, kept = revision(path), free_name(path, f"before-{HEAD}")
        backup(path, kept)
        try:
            _migrate(path)
        except BaseException:
            with contextlib.suppress(SetsetError, OSError):
                if revision(path) == before:  # nothing was changed, so the backup is useless
                    kept.unlink()
            raise
        return kept
    return None


def _migrate(path: Path) -> None:
    from alembic import command

    try:
        command.upgrade(alembic_config(path), "head")
    except DatabaseError as error:
        raise explain(path, error.orig or error) from error
    except RuntimeError as error:  # a migration has found an altered row
        raise damaged(path, error) from error


@_tried_again
def require_sound(path: Path, references: bool = True) -> None:
    """Raises BadDatabase if pages, indexes, types or references of a database are damaged, or its schema is altered."""
    with reading(path) as connection:
        ((verdict,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
        if verdict != "ok":
            raise damaged(path, " ".join(str(verdict).split()))
        if schema_digest(connection) != SCHEMA_DIGEST:
            raise damaged(path, "its tables, views or triggers were altered")
    _require_references(path, () if references else COUNTED)


@_tried_again
def _require_references(path: Path, tables: tuple[str, ...] = ()) -> None:
    """Raises BadDatabase if a row of these tables refers to a missing row. Without tables, checks all tables."""
    with reading(path) as connection:
        for check in [f"foreign_key_check({table})" for table in tables] or ["foreign_key_check"]:
            if broken := connection.execute(f"PRAGMA {check}").fetchone():
                raise damaged(path, str(broken))


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens a read-only connection whose errors become one-line errors of setset."""
    try:
        with contextlib.closing(connect(path, "ro")) as connection:
            yield connection
    except (*DRIVER_ERRORS, OverflowError) as error:
        raise explain(path, error) from error


def schema_digest(connection: sqlite3.Connection) -> str:
    """Digest of the SQL of all tables, views, indexes and triggers, except Alembic's own table."""
    query = "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name != 'alembic_version' ORDER BY type, name"
    entries = [(kind, name, " ".join(str(sql).split())) for kind, name, sql in connection.execute(query)]
    return xxhash.xxh3_64_hexdigest(repr(entries).encode(errors="replace"))


def backup(path: Path, copy: Path, force: bool = False) -> None:
    """Makes a consistent copy of a database that may be in use.

    Raises Locked if another program holds the database for some seconds.
    """
    WorkspaceFolder(path.parent).is_locked()  # raises an error on a file system without locks, where SQLite would wait
    if copy.exists() and (not force or copy.samefile(path) or not copy.is_file()):
        raise BadInput(f"{copy} exists already: add --force to replace it")
    partial = copy.with_name(f".{copy.name}.partial")
    if not copy.parent.is_dir():
        raise SetsetError(f"there is no folder {copy.parent} for the copy")
    remove(partial)
    try:
        with contextlib.closing(sqlite3.connect(partial)) as target:
            # No journal: an incomplete copy is removed, and a power cut leaves only one file.
            target.execute("PRAGMA journal_mode = OFF")
            copies.copy_into(target, path, BUSY_SECONDS)
        durable.replace_durably(partial, copy)
    except sqlite3.DatabaseError as error:
        raise explain(copy if error_name(error) == "SQLITE_FULL" else path, error) from error
    finally:
        remove(partial)
