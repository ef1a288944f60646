"""The schema of the database: its revision, creating, upgrading, checking and copying a database file."""

from __future__ import annotations

import contextlib
import sqlite3
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xxhash
from sqlalchemy.exc import DatabaseError

from setset import durable, platform
from setset.database.connection import DRIVER_ERRORS, BadDatabase, OlderSchema, connect, damaged, explain
from setset.errors import SetsetError
from setset.folder import UNFINISHED, WorkspaceFolder

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0007"
"""The revision that this version reads and writes; a test compares it with the migrations."""
SCHEMA_DIGEST = "c3e05d186b479065"
"""Of the text of all tables, views and triggers at HEAD; a test compares it with a new database."""
DIGESTED = (
    "workspace",
    "explorations",
    "sizes",
    "storage_roots",
    "batches",
    "expansions",
    "tallies",
    "levels",
)
"""The tables whose rows have a digest, see migration 0003."""
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
    except DRIVER_ERRORS as error:
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
    except DRIVER_ERRORS as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        if not name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR")):
            # It was rolled back, and what that gave is no database: the journal of another one, or a damaged one.
            raise explain(path, error) from error
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


def head_script() -> Path:
    """What the migrations make of an empty database, as SQL; `tools/head.py` writes it."""
    return migrations() / "head.sql"


def alembic_config(path: Path) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations()).replace("%", "%%"))
    config.attributes["database"] = path
    return config


def create(path: Path) -> None:
    """Makes a new, empty database with the current schema, complete or not at all.

    By the script that the migrations amount to: without them, and without Alembic, that takes a tenth of the time.
    """
    fresh = path.with_name(f".{path.name}.new")
    remove(fresh)
    keep_side_files(path, path)
    try:
        with contextlib.closing(sqlite3.connect(fresh)) as connection:
            # It counts only when it is whole and in its place.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.executescript(head_script().read_text(encoding="utf-8"))
        durable.replace_durably(fresh, path)
    except sqlite3.DatabaseError as error:
        raise explain(path, error) from error
    finally:
        remove(fresh)


def replace(path: Path, made: Path) -> Path | None:
    """Puts a finished database in the place of another one; returns the name of the old one, None if there is none.

    At every moment one of the two is in the place. An unfinished write is rolled back first: the journal that can do
    that belongs to the old database alone.
    """
    kept = None
    if path.exists():
        _roll_back(path)
        kept = free_name(path, "lost")
        if not platform.rename_if_free(path, kept):
            raise SetsetError(f"{kept} was made by another program: try again")
    keep_side_files(path, kept or path)
    durable.replace_durably(made, path)
    return kept


def _roll_back(path: Path) -> None:
    with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(connect(path, "rw")) as connection:
        connection.execute("PRAGMA schema_version").fetchall()


def keep_side_files(path: Path, kept: Path) -> None:
    """Renames the journal of a database that was renamed or is gone: it would be played back into the next one."""
    for suffix in SIDE_FILES:
        side = Path(f"{path}{suffix}")
        if side.exists():
            side.rename(f"{kept}{suffix}" if kept != path else free_name(side, "lost"))


def remove(path: Path) -> None:
    """Removes a database and the files that SQLite keeps beside it."""
    for suffix in ("", *SIDE_FILES):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def remove_unfinished(folder: WorkspaceFolder) -> list[Path]:
    """Removes what the making or rebuilding of a database left that was cut short. For whoever has the lock."""
    found = [folder.path / name for name in UNFINISHED]
    found = [path for path in found if path.is_file() and not path.is_symlink()]
    # A second name of the database in use, which `replace` gave it before it was cut short.
    kept = folder.path.glob(f"{folder.database_name}.lost*")
    found += [path for path in kept if not path.is_symlink() and path.samefile(folder.database)]
    for path in found:
        path.unlink(missing_ok=True)
    return found


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
        _require_references(path)
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
    """Refuses a database whose pages, indexes, references or rows were altered by anything but setset."""
    require_intact(path)
    _require_references(path)


def _require_references(path: Path) -> None:
    with contextlib.closing(connect(path, "ro")) as connection:
        try:
            broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        except DRIVER_ERRORS as error:
            raise explain(path, error) from error
    if broken:
        raise damaged(path, str(broken))


def require_intact(path: Path) -> None:
    """Refuses a database whose pages, indexes or vouched rows were altered: what counts are taken from."""
    with contextlib.closing(connect(path, "ro")) as connection:
        try:
            ((verdict,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
        except DRIVER_ERRORS as error:
            raise explain(path, error) from error
    if verdict != "ok":
        raise damaged(path, " ".join(str(verdict).split()))
    require_unaltered(path)


def require_unaltered(path: Path) -> None:
    """Refuses a database with a table, view or row that is not as setset wrote it. SQLite notices half of that."""
    with contextlib.closing(connect(path, "ro")) as connection:
        try:
            if schema_digest(connection) != SCHEMA_DIGEST:
                raise damaged(path, "its tables, views or triggers were altered")
            triggers = dict(
                connection.execute(
                    "SELECT tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%AFTER INSERT%'"
                )
            )
            for table in DIGESTED:
                columns = triggers[table].split("hash_of_row(")[1].split(")")[0].replace("NEW.", "")
                altered = f"SELECT rowid FROM {table} WHERE row_digest IS NOT hash_of_row({columns}) LIMIT 1"  # noqa: S608
                for (row,) in connection.execute(altered):
                    raise damaged(path, f"row {row} of the table {table} was altered")
        except (*DRIVER_ERRORS, OverflowError, LookupError) as error:
            raise explain(path, error) from error


def schema_digest(connection: sqlite3.Connection) -> str:
    """A digest of the text of all tables, views and triggers."""
    found = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    ).fetchall()
    return xxhash.xxh3_64_hexdigest(repr(found).encode(errors="replace"))


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
            # It counts only when it is whole, and a power cut leaves one file.
            target.execute("PRAGMA journal_mode = OFF")
            source.backup(target)
        durable.replace_durably(partial, copy)
    except sqlite3.DatabaseError as error:
        raise explain(copy if "full" in str(error) else path, error) from error
    finally:
        partial.unlink(missing_ok=True)
