"""The schema: migrations, upgrades, backups, and what is refused.

assets/0001.db is what these left with revision 0001 of the program, with target 18:
`run --size 4 --batch-lists 20000`, then `run --size 5 --count-only`.
"""

from __future__ import annotations

import io
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory

from setset.database import open_to_read, open_to_write, schema, views
from setset.errors import NotAWorkspace, SetsetError
from setset.folder import WorkspaceFolder
from setset.workspace.catalogue import class_totals, load_catalogue
from tests.small import COUNTS, Copy, build_classes, change, reading, rows

OLD = Path(__file__).parent / "assets" / "0001.db"
TABLES = ["workspace", "explorations", "sizes", "storage_roots", "batches", "expansions", "tallies", "runs"]


def revisions() -> list[str]:
    scripts = ScriptDirectory.from_config(schema.alembic_config(Path("unused")))
    return [script.revision for script in scripts.walk_revisions()]


def empty_database(path: Path, revision: str) -> None:
    sqlite3.connect(path).close()
    path.touch()
    command.upgrade(schema.alembic_config(path), revision)


@pytest.fixture
def old(tmp_path: Path) -> WorkspaceFolder:
    """A workspace whose database revision 0001 made."""
    shutil.copy(OLD, tmp_path / "setset.db")
    return WorkspaceFolder(tmp_path)


def everything(path: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(path)) as connection:
        return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


def test_the_models_are_what_the_migrations_make(tmp_path: Path) -> None:
    schema.create(tmp_path / "new.db")
    command.check(schema.alembic_config(tmp_path / "new.db"))


def test_the_head_is_the_last_revision() -> None:
    assert revisions()[0] == schema.HEAD
    assert set(revisions()) == schema.known_revisions()


@pytest.mark.parametrize("revision", revisions())
def test_every_revision_upgrades_and_keeps_its_rows(revision: str, tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    empty_database(path, revision)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO explorations VALUES (1, 12, 'then')")
        connection.execute("INSERT INTO storage_roots VALUES (1, 'batches', 'then')")
        connection.execute(
            "INSERT INTO batches (id, exploration_id, size, number, first_source, first_part, last_source, last_part, "
            "ends_source, lists, first_list, last_list, root_id, path, bytes, digest) "
            "VALUES (1, 1, 3, 0, 0, 0, 0, 0, 1, 58896, '0 1 3', '68 70 71', 1, 'x', 10, 'ab')"
        )
    kept = schema.upgrade(path)
    assert schema.revision(path) == schema.HEAD
    assert (kept is None) == (revision == schema.HEAD)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT lists, first_list FROM batches").fetchall() == [(58_896, "0 1 3")]


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


def test_an_upgrade_that_was_killed_after_its_backup_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    empty_database(path, revisions()[-1])
    (tmp_path / f"old.db.before-{schema.HEAD}").write_bytes(b"the backup of the one that was killed")
    kept = schema.upgrade(path)
    assert kept == tmp_path / f"old.db.before-{schema.HEAD}-2"
    assert schema.revision(path) == schema.HEAD


def test_upgrading_keeps_every_row_and_makes_a_backup_first(old: WorkspaceFolder) -> None:
    before = everything(OLD)
    assert {table: len(rows) for table, rows in before.items()} == dict(
        zip(TABLES, (1, 1, 2, 1, 38, 39, 35, 2), strict=True)
    )
    kept = schema.upgrade(old.database)
    assert kept == old.path / "setset.db.before-0002"
    assert schema.revision(kept) == "0001"
    assert schema.revision(old.database) == schema.HEAD
    assert everything(kept) == everything(old.database) == before
    assert schema.upgrade(old.database) is None
    with reading(old.path) as database:
        counts = [(count.size, count.lists) for count in views.counts(database)]
    assert counts == [(3, 45_189), (4, 681_201), (5, 7_964_460)]


def test_an_upgraded_database_is_like_a_new_one(old: WorkspaceFolder) -> None:
    schema.upgrade(old.database)
    config = schema.alembic_config(old.database)
    config.stdout = io.StringIO()
    command.check(config)
    fresh = old.path / "fresh.db"
    schema.create(fresh)
    tables = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
    with closing(sqlite3.connect(fresh)) as new, closing(sqlite3.connect(old.database)) as upgraded:
        assert new.execute(tables).fetchall() == upgraded.execute(tables).fetchall()
    assert ScriptDirectory.from_config(schema.alembic_config(fresh)).get_current_head() == schema.HEAD


def test_every_constraint_of_the_catalogue_has_a_name(old: WorkspaceFolder) -> None:
    schema.upgrade(old.database)
    for table in ("levels", "classes", "links"):
        ((sql,),) = rows(old.path, f"SELECT sql FROM sqlite_master WHERE name = '{table}'")
        kinds = ("PRIMARY KEY", "UNIQUE", "CHECK", "FOREIGN KEY")
        clauses = [line for line in sql.splitlines() if any(f" {kind} " in line for kind in kinds)]
        assert clauses
        assert all(line.strip().startswith("CONSTRAINT ") for line in clauses), sql


def test_reading_says_how_to_upgrade_and_building_the_catalogue_does_it(old: WorkspaceFolder) -> None:
    with pytest.raises(SetsetError, match="has schema 0001, this setset 0002: run 'setset db upgrade'"):
        open_to_read(old)
    assert load_catalogue(old.path, 4).lists(4) == 1_579_500  # an answer that needs no database
    assert schema.revision(old.database) == "0001"
    assert build_classes(old.path, 4) == [0, 1, 2, 3, 4]
    assert (old.path / "setset.db.before-0002").exists()
    assert [each.size for each in class_totals(old.path)][:5] == [0, 1, 2, 3, 4]
    assert len(everything(old.database)["runs"]) == 3
