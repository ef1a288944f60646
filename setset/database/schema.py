"""The schema of the database: its revision, creating, upgrading, checking and copying a database file."""

from __future__ import annotations

import contextlib
import sqlite3
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import DatabaseError

from setset import durable
from setset.database.connection import BadDatabase, OlderSchema, connect, damaged, explain
from setset.errors import SetsetError

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0002"
"""The revision that this version reads and writes; a test compares it with the migrations."""
SIDE_FILES = ("-journal", "-wal", "-shm")


def revision(path: Path) -> str | None:
    """The schema revision of a database; None if it has none yet."""
    try:
        row = _read_revision(path, "ro")
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", None) == "SQLITE_READONLY_ROLLBACK":
            # A writer was killed in the middle of a commit; whoever may write rolls back what it began.
            return _revision_after_rollback(path)
        if "no such table" in str(error):
            return None
        raise explain(path, error) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # Of a damaged schema, the driver cannot even decode what SQLite has to say.
        raise explain(path, error) from error
    return str(row[0]) if row else None


def _read_revision(path: Path, mode: str) -> tuple[Any, ...] | None:
    with contextlib.closing(connect(path, mode)) as connection:
        found: tuple[Any, ...] | None = connection.execute(
            "SELECT version_num FROM alembic_version"
        ).fetchone()
        return found


def _revision_after_rollback(path: Path) -> str | None:
    try:
        row = _read_revision(path, "rw")
    except sqlite3.DatabaseError as error:
        raise BadDatabase(
            f"{path} was left in the middle of a write, which cannot be rolled back here ({error}): "
            "use it once where it can be written, 'setset status' will do"
        ) from error
    return str(row[0]) if row else None


def require_current(path: Path) -> None:
    """Refuses a database of another schema, saying what to do."""
    found = revision(path)
    if found == HEAD:
        return
    if found is None:
        raise damaged(path, "it has none of the tables of setset")
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
        _migrate(fresh)
        durable.replace_durably(fresh, path)
    finally:
        remove(fresh)


def remove(path: Path) -> None:
    """Removes a database and the files that SQLite keeps beside it."""
    for suffix in ("", *SIDE_FILES):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


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
        _migrate(path)
        return kept
    return None


def _migrate(path: Path) -> None:
    from alembic import command

    try:
        command.upgrade(alembic_config(path), "head")
    except DatabaseError as error:
        raise explain(path, error.orig or error) from error


def require_sound(path: Path) -> None:
    """Refuses a database whose pages, indexes or constraints do not hold together."""
    with contextlib.closing(connect(path, "ro")) as connection:
        try:
            ((verdict,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
            broken = verdict if verdict != "ok" else connection.execute("PRAGMA foreign_key_check").fetchone()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise explain(path, error) from error
    if broken:
        raise damaged(path, " ".join(str(broken).split()))


def backup(path: Path, copy: Path) -> None:
    """A consistent copy of a database that may be in use."""
    if copy.exists():
        raise SetsetError(f"{copy} exists already: move it away or name another file")
    partial = copy.with_name(f".{copy.name}.partial")
    if not copy.parent.is_dir():
        raise SetsetError(f"there is no folder {copy.parent} for the copy")
    partial.unlink(missing_ok=True)
    try:
        with (
            contextlib.closing(connect(path, "ro")) as source,
            contextlib.closing(sqlite3.connect(partial)) as target,
        ):
            source.backup(target)
        durable.replace_durably(partial, copy)
    except sqlite3.DatabaseError as error:
        raise explain(copy if "full" in str(error) else path, error) from error
    finally:
        partial.unlink(missing_ok=True)
