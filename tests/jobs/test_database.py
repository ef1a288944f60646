"""The database: schema, migrations, backup, rebuilding, read-only use."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory

from setset.database import schema as database
from setset.database import sql as asking
from setset.database.store import Store
from setset.errors import BadInput, NotAWorkspace, SetsetError
from setset.folder import Workspace
from setset.jobs.progress import Unwatched
from setset.maintenance.rebuild import rebuild
from setset.workspace import status as overview
from tests.jobs.conftest import BATCHES, SIZE, TARGET, build, digests, rows

Copy = Callable[[], Workspace]
COUNTS = "SELECT target, size, lists, complete FROM counts"


def revisions() -> list[str]:
    scripts = ScriptDirectory.from_config(database.alembic_config(Path("unused")))
    return [script.revision for script in scripts.walk_revisions()]


def test_the_models_are_what_the_migrations_make(tmp_path: Path) -> None:
    database.create(tmp_path / "new.db")
    command.check(database.alembic_config(tmp_path / "new.db"))


def test_the_head_is_the_last_revision() -> None:
    assert revisions()[0] == database.HEAD
    assert set(revisions()) == database.known_revisions()


@pytest.mark.parametrize("revision", revisions())
def test_every_revision_upgrades_and_keeps_its_rows(revision: str, tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    sqlite3.connect(path).close()
    path.touch()
    command.upgrade(database.alembic_config(path), revision)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("INSERT INTO explorations VALUES (1, 12, 'then')")
        connection.execute("INSERT INTO storage_roots VALUES (1, 'batches', 'then')")
        connection.execute(
            "INSERT INTO batches (id, exploration_id, size, number, first_source, first_part, last_source, last_part, "
            "ends_source, lists, first_list, last_list, root_id, path, bytes, digest) "
            "VALUES (1, 1, 3, 0, 0, 0, 0, 0, 1, 58896, '0 1 3', '68 70 71', 1, 'x', 10, 'ab')"
        )
    connection.close()
    kept = database.upgrade(path)
    assert database.revision(path) == database.HEAD
    assert (kept is None) == (revision == database.HEAD)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT lists, first_list FROM batches").fetchall() == [(58_896, "0 1 3")]
    connection.close()


def test_a_newer_schema_is_refused_and_left_alone(copy: Copy) -> None:
    workspace = copy()
    connection = sqlite3.connect(workspace.database)
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = workspace.database.read_bytes()
    for use in (Store.reading, Store.writing):
        with pytest.raises(SetsetError, match="newer than this setset"):
            use(workspace)
    assert workspace.database.read_bytes() == before


def test_what_is_no_database_is_one_line(copy: Copy) -> None:
    workspace = copy()
    workspace.database.write_bytes(b"this is not a database, but it is long enough to look like one " * 100)
    with pytest.raises(SetsetError, match="setset db rebuild"):
        Store.reading(workspace)
    with pytest.raises(NotAWorkspace):
        Store.reading(Workspace(workspace.path / "nowhere"))


def test_a_backup_is_a_whole_database(copy: Copy, tmp_path: Path) -> None:
    workspace = copy()
    database.backup(workspace.database, tmp_path / "backup.db")
    connection = sqlite3.connect(tmp_path / "backup.db")
    assert connection.execute(COUNTS).fetchall() == rows(workspace.path, COUNTS)
    connection.close()
    with pytest.raises(SetsetError, match="exists already"):
        database.backup(workspace.database, tmp_path / "backup.db")


def test_a_lost_database_is_rebuilt_from_the_files(copy: Copy, reference: Path) -> None:
    workspace = copy()
    workspace.database.unlink()
    with workspace.held():
        assert rebuild(workspace, (), Unwatched()) is None
    assert rows(workspace.path, BATCHES) == rows(reference, BATCHES)
    assert rows(workspace.path, COUNTS) == rows(reference, COUNTS)
    build(workspace.path)
    assert digests(workspace.path) == digests(reference)


def test_a_rebuilt_database_knows_what_is_missing(copy: Copy, reference: Path) -> None:
    """Without some files, of the last size and of one before it: the next run makes just those."""
    workspace = copy()
    workspace.database.unlink()
    folder = workspace.path / f"batches/t{TARGET}"
    sorted((folder / f"s{SIZE:02d}").iterdir())[5].unlink()
    sorted((folder / "s04").iterdir())[1].unlink()
    with workspace.held():
        rebuild(workspace, (), Unwatched())
    assert not Store.reading(workspace).is_complete(1, SIZE)
    build(workspace.path)
    assert digests(workspace.path) == digests(reference)
    assert rows(workspace.path, BATCHES) == rows(reference, BATCHES)
    assert rows(workspace.path, COUNTS) == rows(reference, COUNTS)


def test_a_damaged_database_is_kept_when_it_is_rebuilt(copy: Copy) -> None:
    workspace = copy()
    workspace.database.write_bytes(b"\0" * 5000)
    with workspace.held():
        kept = rebuild(workspace, (), Unwatched())
    assert kept is not None
    assert kept.read_bytes() == b"\0" * 5000


def test_other_storage_roots_are_rebuilt_too(reference: Path, tmp_path: Path) -> None:
    workspace, _ = build(tmp_path / "w", SIZE - 1)
    build(workspace.path, output=tmp_path / "nas")
    workspace.database.unlink()
    shutil.rmtree(tmp_path / "nas" / "nothing", ignore_errors=True)
    for token in tmp_path.rglob("setset-root.json"):
        token.unlink()
    with workspace.held():
        rebuild(workspace, (tmp_path / "nas",), Unwatched())
    assert rows(workspace.path, COUNTS) == rows(reference, COUNTS)


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM batches",
        "UPDATE batches SET lists = 0",
        "INSERT INTO runs (id) VALUES (1)",
        "DROP TABLE batches",
        "CREATE TABLE x (y)",
        "ATTACH DATABASE 'other.db' AS other",
        "PRAGMA journal_mode = WAL",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('x')",
        "VACUUM INTO 'x.db'",
        "BEGIN",
        "SELECT 1; DELETE FROM batches",
        "nonsense",
        "",
    ],
)
def test_sql_reads_and_nothing_else(copy: Copy, query: str) -> None:
    workspace = copy()
    before = workspace.database.read_bytes()
    with pytest.raises(BadInput):
        list(asking.ask(workspace.database, query)[1])
    assert workspace.database.read_bytes() == before


def test_every_table_and_view_is_described(reference: Path) -> None:
    found = {name: line for _, name, _, line in asking.catalogue(reference / "setset.db")}
    assert {"counts", "progress", "files", "defects", "throughput", "batches", "expansions"} <= found.keys()
    assert all(found.values())


def test_the_views_answer_without_the_tables(reference: Path) -> None:
    assert rows(reference, f"SELECT complete FROM counts WHERE target = {TARGET} AND size = {SIZE}") == [(1,)]
    assert len(rows(reference, f"SELECT * FROM files WHERE size = {SIZE}")) > 40
    assert rows(reference, "SELECT * FROM defects") == []
    assert all(row[0] > 0 for row in rows(reference, "SELECT lists_per_second FROM throughput"))


def test_status_speaks_of_every_size(reference: Path) -> None:
    sizes = overview.progress(Store.reading(Workspace(reference)))
    assert [size.size for size in sizes] == [3, 4, 5]
    assert {size.state for size in sizes} == {"complete"}
    assert sizes[-1].expanded == sizes[-1].sources == 4
    assert sizes[-1].seconds_left is None


def test_an_upgrade_that_was_killed_after_its_backup_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    sqlite3.connect(path).close()
    path.touch()
    command.upgrade(database.alembic_config(path), revisions()[-1])
    (tmp_path / f"old.db.before-{database.HEAD}").write_bytes(b"the backup of the one that was killed")
    kept = database.upgrade(path)
    assert kept == tmp_path / f"old.db.before-{database.HEAD}-2"
    assert database.revision(path) == database.HEAD
