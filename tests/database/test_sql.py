"""Queries that people write read the database and do nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from setset.database.sql import describe_tables, run_query
from setset.errors import BadInput
from tests.small import SIZE, Copy, rows


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
    columns, found = run_query(reference / "setset.db", query)
    assert columns == ["number", "lists"]
    assert list(found) == rows(reference, query)


def test_every_table_and_view_is_described(reference: Path) -> None:
    found = {name: line for _, name, _, line in describe_tables(reference / "setset.db")}
    assert {"counts", "progress", "files", "defects", "throughput", "batches", "expansions"} <= found.keys()
    assert all(found.values())
