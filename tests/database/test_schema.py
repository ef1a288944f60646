"""The schema: migrations, upgrades, backups, and what is refused.

assets/000N.db is what the program of revision N left, with target 18:
0001: `run --size 4 --batch-lists 20000`, then `run --size 5 --count-only`;
0002: `run --size 4 --batch-lists 20000`, then `classes build --size 6`;
0003 to 0007: `run --size 4 --batch-lists 20000`, `run --size 5 --count-only`, then `classes build --size 6`.
"""

from __future__ import annotations

import io
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import xxhash
from alembic import command
from alembic.script import ScriptDirectory

from setset.database import batches, explorations, open_to_read, open_to_write, schema, views
from setset.database import connection as connection_module
from setset.database.connection import BadDatabase, connect
from setset.database.models import CHECKED, HEAD
from setset.database.rows import altered_rows
from setset.errors import Locked, NoSpace, NotAWorkspace, SetsetError
from setset.folder import WorkspaceFolder
from setset.maintenance.findings import FindingKind
from setset.workspace.stored_classes import class_totals, load_catalogue
from tests.small import COUNTS, Copy, build_classes, change, change_by_hand, findings, reading, repair_all, rows
from tools import schema as schema_page

ASSETS = Path(__file__).parent / "assets"
TABLES = ["workspace", "explorations", "sizes", "storage_roots", "batches", "expansions", "tallies", "runs"]
CATALOGUE = ["levels", "classes", "links"]
ROWS = {
    "0001": dict(zip(TABLES, (1, 1, 2, 1, 38, 39, 35, 2), strict=True)),
    "0002": dict(zip([*TABLES, *CATALOGUE], (1, 1, 2, 1, 38, 4, 0, 2, 7, 16, 19), strict=True)),
    "0003": dict(zip([*TABLES, *CATALOGUE], (1, 1, 2, 1, 38, 39, 35, 3, 7, 16, 19), strict=True)),
}
GONE = {"row_digest", "lists_before", "outcome", "complete"}
"""Columns that revision 0008 removes or splits."""
ROWS |= dict.fromkeys(("0004", "0005", "0006", "0007"), ROWS["0003"])
"""How many rows each table of an old database has."""


def revisions() -> list[str]:
    scripts = ScriptDirectory.from_config(schema.alembic_config(Path("unused")))
    return [script.revision for script in scripts.walk_revisions()]


def hash_of_row(*values: object) -> int:
    """Digest of a row, which the triggers of revisions 0003 to 0007 call."""
    return int.from_bytes(xxhash.xxh3_64_digest(repr(values).encode(errors="replace")), "big", signed=True)


def empty_database(path: Path, revision: str) -> None:
    sqlite3.connect(path).close()
    path.touch()
    command.upgrade(schema.alembic_config(path), revision)


@pytest.fixture(params=ROWS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> WorkspaceFolder:
    """A workspace whose database an older revision made."""
    shutil.copy(ASSETS / f"{request.param}.db", tmp_path / "setset.db")
    return WorkspaceFolder(tmp_path)


def everything(path: Path, tables: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """All rows, in the order in which they were made."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return {table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")] for table in tables}


def restricted(
    tables: dict[str, list[dict[str, Any]]], model: dict[str, list[dict[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """Rows without the columns that others do not have, and without their digests, which are of all columns."""
    return {
        table: [{name: row[name] for name in model[table][0] if name not in GONE} for row in rows]
        for table, rows in tables.items()
    }


def test_the_models_are_what_the_migrations_make(tmp_path: Path) -> None:
    schema.create(tmp_path / "new.db")
    command.check(schema.alembic_config(tmp_path / "new.db"))


def test_the_page_on_the_schema_is_made_from_the_models() -> None:
    assert schema_page.PAGE.read_text(encoding="utf-8") == schema_page.page(), "run tools/schema.py"


def test_the_head_is_the_last_revision() -> None:
    assert revisions()[0] == HEAD
    assert set(revisions()) == schema.known_revisions()


@pytest.mark.parametrize("revision", revisions())
def test_every_revision_upgrades_and_keeps_its_rows(revision: str, tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    empty_database(path, revision)
    strict, zero = (", pruned, checksum", ", 0, 0") if revision >= "0008" else ("", "")
    with closing(connect(path, "rw")) as connection, connection:
        connection.create_function("hash_of_row", -1, hash_of_row)
        connection.execute(f"INSERT INTO explorations (id, target, created_at{strict}) VALUES (1, 12, 'then'{zero})")
        strict, zero = (", checksum", ", 0") if strict else ("", "")
        connection.execute(
            f"INSERT INTO storage_roots (id, path, created_at{strict}) VALUES (1, 'batches', 'then'{zero})"
        )
        connection.execute(
            "INSERT INTO batches (id, exploration_id, size, number, first_source, first_part, last_source, last_part, "
            f"ends_source, lists, first_list, last_list, root_id, path, bytes, digest{strict}) "
            f"VALUES (1, 1, 3, 0, 0, 0, 0, 0, 1, 58896, '0 1 3', '68 70 71', 1, 'x', 10, 'ab'{zero})"
        )
    backup = schema.upgrade(path)
    assert schema.revision(path) == HEAD
    assert (backup is None) == (revision == HEAD)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT lists, first_list FROM batches").fetchall() == [(58_896, "0 1 3")]
    schema.require_sound(path)


def test_a_newer_schema_is_refused_and_left_alone(copy: Copy) -> None:
    folder = copy()
    change(folder.path, "UPDATE alembic_version SET version_num = '9999'")
    before = folder.database.read_bytes()
    for use in (open_to_read, open_to_write):
        with pytest.raises(SetsetError, match="newer than this setset"):
            use(folder)
    assert folder.database.read_bytes() == before


def test_what_is_no_database_is_one_line(copy: Copy) -> None:
    folder = copy()
    folder.database.write_bytes(b"this is not a database, but it is long enough to look like one " * 100)
    with pytest.raises(SetsetError, match="setset db rebuild"):
        open_to_read(folder)
    with pytest.raises(NotAWorkspace):
        open_to_read(WorkspaceFolder(folder.path / "nowhere"))


def test_a_backup_is_a_whole_database(copy: Copy, tmp_path: Path) -> None:
    folder = copy()
    schema.backup(folder.database, tmp_path / "backup.db")
    with closing(sqlite3.connect(tmp_path / "backup.db")) as connection:
        assert connection.execute(COUNTS).fetchall() == rows(folder.path, COUNTS)
    with pytest.raises(SetsetError, match="exists already"):
        schema.backup(folder.database, tmp_path / "backup.db")


def test_a_backup_of_a_database_that_is_held_gives_up(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy()
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.3)
    with closing(sqlite3.connect(folder.database)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Locked, match="is held by another program: try again when that is done"):
            schema.backup(folder.database, tmp_path / "backup.db")
        holder.rollback()
    assert not list(tmp_path.glob("*backup*"))
    schema.backup(folder.database, tmp_path / "backup.db")


@pytest.mark.posix("sends signals")
def test_ctrl_c_ends_a_backup_that_waits(copy: Copy, tmp_path: Path) -> None:
    folder = copy()
    program = (
        "import sys; from pathlib import Path; from setset.database import schema\n"
        "schema.BUSY_SECONDS = 600; print('ready', flush=True)\n"
        "schema.backup(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    words = [sys.executable, "-c", program, str(folder.database), str(tmp_path / "backup.db")]
    with closing(sqlite3.connect(folder.database)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waiting:
            assert waiting.stdout is not None
            waiting.stdout.readline()
            time.sleep(0.3)
            waiting.send_signal(signal.SIGINT)
            try:
                _, errors = waiting.communicate(timeout=120)
            finally:
                waiting.kill()
    assert b"KeyboardInterrupt" in errors


@pytest.mark.parametrize("changed", [False, True])
def test_a_failed_upgrade_leaves_a_backup_only_if_it_changed_something(
    changed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk, each attempt would take more of it."""
    path = tmp_path / "old.db"
    empty_database(path, "0001")

    def fail(path: Path) -> None:
        if changed:
            command.upgrade(schema.alembic_config(path), "0002")
        raise NoSpace("no room")

    monkeypatch.setattr(schema, "_migrate", fail)
    for _ in range(2):
        with pytest.raises(NoSpace):
            schema.upgrade(path)
    assert len(list(tmp_path.glob("*before*"))) == changed


def test_a_migration_without_room_is_rolled_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on the pages of the database stands for the disk."""
    path = tmp_path / "old.db"
    shutil.copy(ASSETS / "0003.db", path)
    before = path.read_bytes()

    def connect_with_limit(path: Path, mode: str, seconds: float = 1) -> sqlite3.Connection:
        connection = connect(path, mode, seconds)
        connection.execute("PRAGMA max_page_count = 1")  # as many as there are
        return connection

    monkeypatch.setattr(connection_module, "connect", connect_with_limit)
    with pytest.raises(NoSpace, match="no room to write"):
        schema.upgrade(path)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*before*"))


def test_an_upgrade_that_was_killed_after_its_backup_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    empty_database(path, revisions()[-1])
    (tmp_path / f"old.db.before-{HEAD}").write_bytes(b"the backup of the one that was killed")
    backup = schema.upgrade(path)
    assert backup == tmp_path / f"old.db.before-{HEAD}-2"
    assert schema.revision(path) == HEAD


def test_an_older_database_that_is_damaged_is_not_upgraded(old: WorkspaceFolder) -> None:
    """As of a journal that was played back into another database: one line, and no backup for each attempt."""
    with closing(sqlite3.connect(old.database)) as connection, connection:
        connection.execute("DELETE FROM storage_roots")
    before = sorted(old.path.iterdir())
    with pytest.raises(BadDatabase, match=r"is damaged .*storage_roots.*: run 'setset db rebuild'"):
        schema.upgrade(old.database)
    assert sorted(old.path.iterdir()) == before


def test_upgrading_keeps_every_row_and_makes_a_backup_first(old: WorkspaceFolder) -> None:
    revision = str(schema.revision(old.database))
    assert revision in ROWS
    before = everything(old.database, ROWS[revision])
    assert {table: len(rows) for table, rows in before.items()} == ROWS[revision]
    backup = schema.upgrade(old.database)
    assert backup == old.path / f"setset.db.before-{HEAD}"
    assert schema.revision(backup) == revision
    assert everything(backup, ROWS[revision]) == before
    assert schema.revision(old.database) == HEAD
    assert restricted(everything(old.database, ROWS[revision]), before) == restricted(before, before)
    schema.require_sound(old.database)
    assert schema.upgrade(old.database) is None


def test_an_upgraded_database_says_how_many_lists_there_are(old: WorkspaceFolder) -> None:
    revision = str(schema.revision(old.database))
    schema.upgrade(old.database)
    with reading(old.path) as database:
        records = views.counts(database)
        counts = [(count.size, count.lists) for count in records]
        exploration = explorations.find(database, 18)
        unknown = {batch.source_digest for batch in batches.read(exploration.at(4))}
    larger = [] if revision == "0002" else [(5, 7_964_460)]
    assert counts == [(3, 45_189), (4, 681_201), *larger]
    assert (unknown == {""}) == (revision < "0003"), "no row of older ones says from which file it was made"
    starts = rows(old.path, "SELECT DISTINCT started_at FROM timeline")
    assert (starts == [(None,)]) == (revision < "0004"), "nor when it was begun"
    assert not any(count.pruned for count in records)
    folders = rows(old.path, "SELECT folder FROM workspace")
    assert (folders == [(None,)]) == (revision < "0006"), "nor where it was"
    unknown_sources = "SELECT COUNT(*) FROM expansions WHERE state = 'done' AND source_digest IS NULL"
    assert rows(old.path, unknown_sources) == [(0,)]
    assert rows(old.path, "SELECT size, source_size FROM sizes") == [(3, 2), (4, 3)]
    levels = [size for (size,) in rows(old.path, "SELECT size FROM levels")]
    assert levels == ([] if revision == "0001" else list(range(7)))


def test_an_upgraded_database_is_like_a_new_one(old: WorkspaceFolder) -> None:
    schema.upgrade(old.database)
    config = schema.alembic_config(old.database)
    config.stdout = io.StringIO()
    if version("sqlalchemy").split(".") >= ["2", "0", "57"]:  # 2.0.50 misses unique constraints that SQLite has
        command.check(config)
    path = old.path / "fresh.db"
    schema.create(path)
    with closing(sqlite3.connect(path)) as new, closing(sqlite3.connect(old.database)) as upgraded:
        assert schema.schema_digest(new) == schema.schema_digest(upgraded) == schema.SCHEMA_DIGEST
    assert ScriptDirectory.from_config(schema.alembic_config(path)).get_current_head() == HEAD


def test_every_constraint_of_the_catalogue_has_a_name(old: WorkspaceFolder) -> None:
    schema.upgrade(old.database)
    for table in ("levels", "classes", "links"):
        ((sql,),) = rows(old.path, f"SELECT sql FROM sqlite_master WHERE name = '{table}'")
        kinds = ("PRIMARY KEY", "UNIQUE", "CHECK", "FOREIGN KEY")
        clauses = [line for line in sql.splitlines() if any(f" {kind} " in line for kind in kinds)]
        assert clauses
        assert all(line.strip().startswith("CONSTRAINT ") for line in clauses), sql


def test_reading_says_how_to_upgrade_and_building_the_catalogue_does_it(old: WorkspaceFolder) -> None:
    revision = schema.revision(old.database)
    runs = len(everything(old.database, ["runs"])["runs"])
    with pytest.raises(SetsetError, match=f"has schema {revision}, this setset {HEAD}: run 'setset db upgrade'"):
        open_to_read(old)
    assert load_catalogue(old.path, 4).lists(4) == 1_579_500  # an answer that needs no database
    assert schema.revision(old.database) == revision
    assert build_classes(old.path, 8) == list(range(9) if revision == "0001" else range(7, 9))
    assert (old.path / f"setset.db.before-{HEAD}").exists()
    assert [size for (size,) in rows(old.path, "SELECT size FROM levels")] == list(range(9))
    assert [total.size for total in class_totals(old.path)][:5] == [0, 1, 2, 3, 4]
    assert len(everything(old.database, ["runs"])["runs"]) == runs + 1
    schema.require_sound(old.database)


# Altered by anything but setset


def test_the_digest_of_the_schema_is_that_of_a_new_database(tmp_path: Path) -> None:
    schema.create(tmp_path / "new.db")
    with closing(connect(tmp_path / "new.db", "ro")) as connection:
        assert schema.schema_digest(connection) == schema.SCHEMA_DIGEST
    schema.require_sound(tmp_path / "new.db")


@pytest.mark.parametrize(
    "statement",
    [
        "DROP VIEW counts",
        "DROP INDEX ix_batches_defect",
        "CREATE TABLE notes (text)",
        "CREATE TRIGGER more AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
    ],
)
def test_an_altered_schema_is_noticed(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    schema.create(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(BadDatabase, match=r"tables, views or triggers were altered.*setset db rebuild"):
        schema.require_sound(path)


@pytest.mark.parametrize("table", [table.name for table in CHECKED])
def test_every_altered_value_is_noticed(table: str, tmp_path: Path) -> None:
    shutil.copy(ASSETS / "0003.db", tmp_path / "setset.db")
    schema.upgrade(tmp_path / "setset.db")
    columns = [name for (name,) in rows(tmp_path, f"SELECT name FROM pragma_table_info('{table}')")]
    altered_columns = [name for name in columns if name != "id"]
    assert altered_columns
    for column in altered_columns:
        path = tmp_path / column
        path.mkdir()
        shutil.copy(tmp_path / "setset.db", path / "setset.db")
        with closing(sqlite3.connect(path / "setset.db")) as connection, connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            ((kind,),) = connection.execute(f"SELECT type FROM pragma_table_info('{table}') WHERE name = '{column}'")
            value = {"TEXT": f"coalesce({column}, '') || 'x'", "BLOB": "x'0001'"}.get(kind, "987654")
            row_id = f"(SELECT max(rowid) FROM {table})"
            connection.execute(f"UPDATE {table} SET {column} = {value} WHERE rowid = {row_id}")
        with reading(path) as database:
            (finding,) = altered_rows(database)
        assert f"of the table {table}" in str(finding)


def test_an_altered_row_of_revision_0007_is_not_upgraded(tmp_path: Path) -> None:
    empty_database(tmp_path / "setset.db", "0007")
    with closing(sqlite3.connect(tmp_path / "setset.db")) as connection, connection:
        connection.create_function("hash_of_row", -1, lambda *_: 1)
        connection.execute("INSERT INTO storage_roots (id, path, created_at) VALUES (1, 'batches', 'then')")
    with pytest.raises(BadDatabase, match="row 1 of the table storage_roots was altered"):
        schema.upgrade(tmp_path / "setset.db")


def test_tables_take_no_values_of_other_types(copy: Copy) -> None:
    folder = copy()
    with closing(sqlite3.connect(folder.database)) as connection, connection:
        tables = connection.execute("SELECT name, strict FROM pragma_table_list WHERE type = 'table'").fetchall()
        assert {name for name, strict in tables if not strict} == {
            "alembic_version",
            "sqlite_schema",
            "sqlite_temp_schema",
        }
        with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT value in INTEGER column"):
            connection.execute("UPDATE runs SET workers = 'many'")


def test_the_owner_can_change_a_row_and_have_it_accepted(copy: Copy) -> None:
    folder = copy()
    change_by_hand(folder.path, "UPDATE runs SET command = 'mine'")
    assert [finding.kind for finding in findings(folder)] == [FindingKind.ROW]
    repair_all(folder)
    assert findings(folder) == []
    assert rows(folder.path, "SELECT DISTINCT command FROM runs WHERE id = 1") == [("mine",)]


def rows_of(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_bytes_that_sqlite_takes_are_noticed(copy: Copy) -> None:
    """A digit of a digest, altered in the file: no page, index or constraint is wrong."""
    folder = copy()
    ((digest,),) = rows(folder.path, "SELECT digest FROM files WHERE size = 5 AND number = 7")
    data = folder.database.read_bytes()
    assert data.count(digest.encode()) == 1
    altered_digest = ("0" if digest[0] != "0" else "1") + digest[1:]
    folder.database.write_bytes(data.replace(digest.encode(), altered_digest.encode()))
    assert rows(folder.path, "PRAGMA integrity_check") == [("ok",)]
    row, file = findings(folder)
    assert (row.kind, file.kind) == (FindingKind.ROW, FindingKind.FILE)
    assert "not the file that the database records" in file.what


# Databases that are set aside


def leave_in_the_middle_of_a_write(path: Path) -> None:
    """Makes of a database what a kill in the middle of a commit leaves: altered pages, and their journal."""
    with closing(connect(path, "rw")) as connection:
        connection.isolation_level = None
        connection.execute("PRAGMA cache_size = 1")  # so that pages, and before them the journal, reach the disk
        connection.execute("BEGIN")
        connection.execute("UPDATE batches SET path = path || 'x'")
        connection.execute("CREATE TABLE much AS SELECT hex(zeroblob(9000)) FROM batches a, batches b")
        data, journal = path.read_bytes(), Path(f"{path}-journal").read_bytes()
        connection.execute("ROLLBACK")
    path.write_bytes(data)
    Path(f"{path}-journal").write_bytes(journal)


def a_new_one(folder: Path) -> Path:
    """A file that is to take the place of a database."""
    path = folder / ".made"
    path.write_bytes(b"new")
    return path


def test_an_unfinished_write_is_rolled_back_before_a_database_is_replaced(copy: Copy) -> None:
    folder = copy()
    before = rows(folder.path, "SELECT path FROM batches")
    leave_in_the_middle_of_a_write(folder.database)
    data = folder.database.read_bytes()
    backup = schema.replace(folder.database, a_new_one(folder.path))
    assert backup == folder.path / "setset.db.lost"
    assert backup.read_bytes() != data
    assert not list(folder.path.glob("setset.db-*")), "no journal is left for the next database"
    assert rows_of(backup, "SELECT path FROM batches") == before
    schema.require_sound(backup)


def test_the_journal_of_another_database_makes_a_damaged_one(copy: Copy) -> None:
    """It is rolled back into an older copy that was put in the place, with a schema that is then not whole."""
    folder = copy()
    empty_database(folder.path / "older.db", "0001")
    leave_in_the_middle_of_a_write(folder.database)
    (folder.path / "older.db").replace(folder.database)
    with pytest.raises(BadDatabase, match="run 'setset db rebuild'"):
        open_to_read(folder)


def test_a_write_that_cannot_be_rolled_back_now_can_be_later(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal goes with its database."""

    def refuse(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    folder = copy()
    before = rows(folder.path, "SELECT path FROM batches")
    leave_in_the_middle_of_a_write(folder.database)
    with monkeypatch.context() as context:
        context.setattr(schema, "connect", refuse)
        backup = schema.replace(folder.database, a_new_one(folder.path))
    assert backup is not None
    assert Path(f"{backup}-journal").stat().st_size
    assert not list(folder.path.glob("setset.db-*"))
    assert rows_of(backup, "SELECT path FROM batches") == before


def test_what_is_kept_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "setset.db"
    for name in ("setset.db.lost", "setset.db.lost-2", "setset.db.lost-3"):
        path.write_bytes(name.encode())
        assert schema.replace(path, a_new_one(tmp_path)) == tmp_path / name
    assert (tmp_path / "setset.db.lost").read_bytes() == b"setset.db.lost"
    path.unlink()
    assert schema.replace(path, a_new_one(tmp_path)) is None


def test_a_journal_without_its_database_is_kept_out_of_the_way(tmp_path: Path) -> None:
    path = tmp_path / "setset.db"
    Path(f"{path}-journal").write_bytes(b"a journal of sorts")
    schema.create(path)
    assert (tmp_path / "setset.db-journal.lost").read_bytes() == b"a journal of sorts"
    schema.require_sound(path)
