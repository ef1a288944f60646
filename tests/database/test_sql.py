"""Queries that people write read the database and do nothing else."""

from __future__ import annotations

import contextlib
import gc
import sqlite3
import time
from contextlib import closing
from pathlib import Path, PurePath

import psutil
import pytest

from setset.database import query_process
from setset.database.sql import describe_tables, run_query
from setset.errors import BadInput, SetsetError
from tests.small import SIZE, Copy, rows

ONE_INSTRUCTION = "SELECT instr(printf('%.*c',40000000,'a'), printf('%.*c',20000000,'a')||'b')"
"""Takes SQLite hours within one instruction, in which it checks no limit."""
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


def test_a_database_on_a_network_path_can_be_asked(reference: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The URI of a network path on Windows has a host, which SQLite refuses."""
    monkeypatch.setattr(PurePath, "as_uri", lambda path: f"file:/{path.as_posix()}")
    assert list(run_query(reference / "setset.db", "SELECT count(*) FROM explorations")[1]) == [(1,)]


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
    folder = copy()
    before = folder.database.read_bytes()
    with pytest.raises(BadInput):
        list(run_query(folder.database, query)[1])
    assert folder.database.read_bytes() == before


def test_columns_and_rows_come_as_they_are(reference: Path) -> None:
    query = f"SELECT number, lists FROM files WHERE size = {SIZE}"
    columns, records = run_query(reference / "setset.db", query)
    assert columns == ["number", "lists"]
    assert list(records) == rows(reference, query)


def test_every_table_and_view_is_described(reference: Path) -> None:
    descriptions = {name: line for _, name, _, line in describe_tables(reference / "setset.db")}
    assert {"counts", "progress", "files", "defects", "throughput", "batches", "expansions"} <= descriptions.keys()
    assert all(descriptions.values())


# A query ends in time, whatever it does


@pytest.fixture
def database(reference: Path) -> Path:
    return reference / "setset.db"


def children() -> list[psutil.Process]:
    """Processes of queries."""
    processes = []
    for process in psutil.Process().children():
        with contextlib.suppress(psutil.Error):  # a process of an earlier test may have just ended
            if query_process.__file__ in process.cmdline():
                processes.append(process)
    return processes


@pytest.mark.parametrize("query", [ONE_INSTRUCTION, ENDLESS], ids=["one instruction", "endless"])
def test_a_query_ends_with_its_time(database: Path, query: str) -> None:
    start = time.monotonic()
    with pytest.raises(BadInput, match="the query took too long: give it more time with --timeout"):
        for _ in run_query(database, query, 1)[1]:
            pass
    assert time.monotonic() - start < 60
    assert children() == []


def test_a_query_whose_rows_nobody_wants_any_more_ends(database: Path) -> None:
    _, records = run_query(database, ENDLESS)
    assert len(children()) == 1
    assert next(records) == (1,)
    del records
    gc.collect()
    assert children() == []


OF_A_TABLE = ENDLESS.replace("SELECT x FROM", "SELECT x, (SELECT 1 FROM runs) FROM")


def test_no_commit_waits_for_a_query(copy: Copy) -> None:
    folder = copy()
    _, records = run_query(folder.database, OF_A_TABLE, 30)
    with closing(sqlite3.connect(folder.database, timeout=0)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
    assert next(records) == (1, 1)


def test_a_commit_to_a_large_database_waits_until_the_time_of_the_query_is_over(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if nobody reads its rows, as behind a pager."""
    monkeypatch.setattr("setset.database.copies.MOST_BYTES", 0)
    folder = copy()
    _, records = run_query(folder.database, OF_A_TABLE, 2)
    with closing(sqlite3.connect(folder.database, timeout=0)) as writer:
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            writer.execute("BEGIN EXCLUSIVE")
        writer.execute("PRAGMA busy_timeout = 10000")
        writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BadInput, match="took too long"):
        list(records)


def test_a_held_database_is_named(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setset.database.sql.BUSY_SECONDS", 0.1)
    monkeypatch.setattr("setset.database.schema.require_current", lambda _: None)
    folder = copy()
    with closing(sqlite3.connect(folder.database)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SetsetError, match=r"setset\.db is held by another program"):
            run_query(folder.database, "SELECT 1")


def test_many_equal_columns_are_named_at_once(database: Path) -> None:
    start = time.monotonic()
    columns, _ = run_query(database, f"SELECT {', '.join(['1 AS a'] * query_process.MOST_COLUMNS)}")
    assert time.monotonic() - start < 60
    assert columns == ["a", *(f"a_{number}" for number in range(2, query_process.MOST_COLUMNS + 1))]
    with pytest.raises(BadInput, match="too many columns"):
        run_query(database, f"SELECT {', '.join(['1'] * (query_process.MOST_COLUMNS + 1))}")


def test_long_rows_are_refused(database: Path) -> None:
    (blob,) = run_query(database, "SELECT zeroblob(1000000)")[1]
    assert blob == (bytes(1_000_000),)
    with pytest.raises(BadInput, match="too big"):
        list(run_query(database, "SELECT zeroblob(30000000), zeroblob(30000000)")[1])


def test_values_come_as_sqlite_has_them(database: Path) -> None:
    query = "SELECT NULL, 9223372036854775807, -1.5e15, 9e999, 'a' || char(0, 10, 128512) || '\"', x'00ff', ''"
    (row,) = run_query(database, query)[1]
    assert row == (None, 2**63 - 1, -1.5e15, float("inf"), 'a\0\n\U0001f600"', b"\0\xff", "")


def test_a_query_without_a_process_is_an_error_of_ours(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(SetsetError, match=r"cannot start a process for the query: (No such file|File not found)"):
        run_query(database, "SELECT 1")
