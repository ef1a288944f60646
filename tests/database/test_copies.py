"""Copies in memory: whole, also while somebody writes, and made within a time limit."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from setset.database import copies
from setset.database.connection import connect
from setset.database.copies import reading_copies
from setset.errors import Locked
from setset.folder import WorkspaceFolder

ROWS = 1_000
WRITER = """
import sqlite3, sys
from pathlib import Path
from setset.folder import WorkspaceFolder
folder = WorkspaceFolder(Path(sys.argv[1]))
with folder.locked():
    connection = sqlite3.connect(folder.database)
    connection.execute("PRAGMA journal_mode = TRUNCATE")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = 10")
    number = 0
    while True:
        number += 1
        with connection:
            connection.execute("UPDATE t SET x = ?", (number,))
        print(number, flush=True)
        if number % 3 == 0:
            connection.execute("UPDATE t SET x = -1")
            connection.rollback()
"""
"""Every row has the same number; with so little room in memory, the file is written long before each commit."""


@pytest.fixture
def folder(tmp_path: Path) -> WorkspaceFolder:
    folder = WorkspaceFolder(tmp_path)
    with closing(sqlite3.connect(folder.database)) as connection, connection:
        connection.execute("CREATE TABLE t (x INTEGER, filling TEXT)")
        connection.executemany("INSERT INTO t VALUES (0, ?)", [("." * 500,)] * ROWS)
    return folder


@pytest.fixture
def written(folder: WorkspaceFolder) -> Iterator[WorkspaceFolder]:
    """A database that another process writes all the time."""
    command = [sys.executable, "-c", WRITER, str(folder.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "1\n"
        yield folder
        writer.kill()


def numbers(path: Path) -> list[int]:
    """The different numbers in the rows, as a reader sees them."""
    with closing(connect(path, "ro")) as connection:
        return [number for (number,) in connection.execute("SELECT DISTINCT x FROM t")]


def test_a_copy_is_what_one_commit_left(written: WorkspaceFolder) -> None:
    with reading_copies():
        snapshots = [numbers(written.database) for _ in range(100)]
    assert {len(snapshot) for snapshot in snapshots} == {1}
    assert len({number for (number,) in snapshots}) > 3
    assert min(number for (number,) in snapshots) > 0


def test_a_query_of_a_copy_keeps_no_commit_waiting(folder: WorkspaceFolder) -> None:
    with reading_copies(), closing(connect(folder.database, "ro")) as reader:
        half_read = reader.execute("SELECT x FROM t")
        half_read.fetchone()
        with closing(sqlite3.connect(folder.database, timeout=0)) as connection, connection:
            connection.execute("UPDATE t SET x = 7")
        assert {number for (number,) in half_read} == {0}
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute("DELETE FROM t")
        assert numbers(folder.database) == [7]


def test_a_database_that_is_held_all_the_time(folder: WorkspaceFolder) -> None:
    """Whoever reads gives up in time, and can be told to stop meanwhile."""
    with closing(sqlite3.connect(folder.database)) as holder, reading_copies():
        holder.execute("BEGIN EXCLUSIVE")
        start = time.monotonic()
        with pytest.raises(Locked, match="is held by another program: try again when that is done"):
            connect(folder.database, "ro", seconds=0.3)
        assert 0.3 <= time.monotonic() - start < 60
        holder.rollback()
        assert numbers(folder.database) == [0]


@pytest.mark.posix("sends signals")
def test_ctrl_c_ends_the_wait_for_a_copy(folder: WorkspaceFolder) -> None:
    program = (
        "import sys; from pathlib import Path; from setset.database.copies import open_copy, reading_copies\n"
        "print('ready', flush=True)\n"
        "with reading_copies(): open_copy(Path(sys.argv[1]), 600)"
    )
    command = [sys.executable, "-c", program, str(folder.database)]
    with closing(sqlite3.connect(folder.database)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reader:
            assert reader.stdout is not None
            reader.stdout.readline()
            time.sleep(0.2)
            reader.send_signal(signal.SIGINT)
            _, errors = reader.communicate(timeout=120)
    assert b"KeyboardInterrupt" in errors


def test_what_is_not_copied(folder: WorkspaceFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder.database
    assert not copies.are_wanted(path)  # outside of reading_copies
    with reading_copies():
        assert copies.are_wanted(path)
        assert not copies.are_wanted(path.with_name("missing"))
        monkeypatch.setattr(copies, "MOST_BYTES", 1_000)
        assert not copies.are_wanted(path)
        assert numbers(path) == [0]


@pytest.mark.parametrize("setting", ["journal_mode = WAL", "page_size = 512"])
def test_databases_that_are_not_as_ours(tmp_path: Path, setting: str) -> None:
    path = tmp_path / "setset.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA {setting}")
        connection.execute("CREATE TABLE t AS SELECT 7 AS x")
    with reading_copies():
        assert numbers(path) == [7]
        path.write_bytes(b"not a database" * 1_000)
        with pytest.raises(sqlite3.DatabaseError, match="not a database"):
            numbers(path)
