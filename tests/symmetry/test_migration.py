"""Revision 0002 on a database that revision 0001 of the program made.

tests/jobs/assets/0001.db is what these left, with target 18: `run --size 4 --batch-lists 20000`, then
`run --size 5 --count-only`.
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

from setset.database import schema as database
from setset.database.store import Store
from setset.errors import SetsetError
from setset.folder import Workspace
from setset.jobs.progress import Unwatched
from setset.workspace import catalogue as cataloguing
from setset.workspace import status as overview

OLD = Path(__file__).parents[1] / "jobs" / "assets" / "0001.db"
TABLES = ["workspace", "explorations", "sizes", "storage_roots", "batches", "expansions", "tallies", "runs"]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    shutil.copy(OLD, tmp_path / "setset.db")
    return Workspace(tmp_path)


def everything(path: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(path)) as connection:
        return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


def test_upgrading_keeps_every_row_and_makes_a_backup_first(workspace: Workspace) -> None:
    before = everything(OLD)
    assert {table: len(rows) for table, rows in before.items()} == dict(
        zip(TABLES, (1, 1, 2, 1, 38, 39, 35, 2), strict=True)
    )
    kept = database.upgrade(workspace.database)
    assert kept == workspace.path / "setset.db.before-0002"
    assert database.revision(kept) == "0001"
    assert database.revision(workspace.database) == database.HEAD
    assert everything(kept) == everything(workspace.database) == before
    assert database.upgrade(workspace.database) is None
    counts = [(count.size, count.lists) for count in overview.counts(Store.reading(workspace))]
    assert counts == [(3, 45_189), (4, 681_201), (5, 7_964_460)]


def test_models_and_migrations_agree(workspace: Workspace) -> None:
    database.upgrade(workspace.database)
    config = database.alembic_config(workspace.database)
    config.stdout = io.StringIO()
    command.check(config)
    fresh = workspace.path / "fresh.db"
    database.create(fresh)
    schema = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
    with closing(sqlite3.connect(fresh)) as new, closing(sqlite3.connect(workspace.database)) as upgraded:
        assert new.execute(schema).fetchall() == upgraded.execute(schema).fetchall()
    assert ScriptDirectory.from_config(database.alembic_config(fresh)).get_current_head() == database.HEAD


def test_every_constraint_of_the_catalogue_has_a_name(workspace: Workspace) -> None:
    database.upgrade(workspace.database)
    with closing(sqlite3.connect(workspace.database)) as connection:
        for table in ("levels", "classes", "links"):
            ((sql,),) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,))
            kinds = ("PRIMARY KEY", "UNIQUE", "CHECK", "FOREIGN KEY")
            clauses = [line for line in sql.splitlines() if any(f" {kind} " in line for kind in kinds)]
            assert clauses
            assert all(line.strip().startswith("CONSTRAINT ") for line in clauses), sql


def test_reading_commands_say_how_to_upgrade_and_building_does_it(workspace: Workspace) -> None:
    with pytest.raises(SetsetError, match="has schema 0001, this setset 0002: run 'setset db upgrade'"):
        Store.reading(workspace)
    assert cataloguing.at_hand(workspace, 4).lists(4) == 1_579_500  # an answer that needs no database
    assert database.revision(workspace.database) == "0001"
    cataloguing.build(workspace, 4, Unwatched(), lambda _: None)
    assert (workspace.path / "setset.db.before-0002").exists()
    assert [each.size for each in cataloguing.table(workspace)][:5] == [0, 1, 2, 3, 4]
    assert len(everything(workspace.database)["runs"]) == 3
