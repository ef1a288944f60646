"""Copies that are made without a lock: whole, also while somebody writes."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from setset.database import copies
from setset.database.connection import connect
from setset.database.copies import can_copy, read_copy, reading_copies
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
def place(tmp_path: Path) -> WorkspaceFolder:
    folder = WorkspaceFolder(tmp_path)
    with closing(sqlite3.connect(folder.database)) as connection, connection:
        connection.execute("CREATE TABLE t (x INTEGER, filling TEXT)")
        connection.executemany("INSERT INTO t VALUES (0, ?)", [("." * 500,)] * ROWS)
    return folder


@pytest.fixture
def written(place: WorkspaceFolder) -> Iterator[WorkspaceFolder]:
    """A database that another process writes all the time."""
    command = [sys.executable, "-c", WRITER, str(place.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "1\n"
        yield place
        writer.kill()


def numbers(path: Path) -> list[int]:
    """The different numbers in the rows, as a reader sees them."""
    with closing(connect(path, "ro", seconds=0)) as connection:
        return [number for (number,) in connection.execute("SELECT DISTINCT x FROM t")]


@pytest.mark.posix
def test_a_copy_is_what_one_commit_left(written: WorkspaceFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    with reading_copies():
        seen = [numbers(written.database) for _ in range(100)]
    assert {len(each) for each in seen} == {1}
    assert len({number for (number,) in seen}) > 3
    assert min(number for (number,) in seen) > 0
    monkeypatch.setattr(socket, "gethostname", lambda: "another")
    with reading_copies():
        assert not can_copy(written.database)  # what other hosts write is read by locks


def test_a_copy_is_made_once_until_something_is_written(place: WorkspaceFolder) -> None:
    first = read_copy(place.database)
    assert read_copy(place.database) is first
    with closing(sqlite3.connect(place.database)) as connection, connection:
        connection.execute("UPDATE t SET x = 7")
    assert read_copy(place.database) not in (first, None)
    with reading_copies(), closing(connect(place.database, "ro")) as connection:
        assert connection.execute("SELECT DISTINCT x FROM t").fetchall() == [(7,)]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM t")


def test_what_is_not_copied(place: WorkspaceFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place.database
    assert not can_copy(path)  # nobody asked
    with reading_copies():
        assert can_copy(path)
        assert not can_copy(path.with_name("missing"))
        monkeypatch.setattr(copies, "MOST_BYTES", 1_000)
        assert not can_copy(path)
    journal = path.with_name(f"{path.name}-journal")
    journal.write_bytes(b"left by a killed run")
    assert read_copy(path) is None
    with place.locked():
        monkeypatch.setattr(copies, "PATIENCE", 0.1)
        with pytest.raises(copies.Locked, match="is being written: try again"):
            read_copy(path)
    journal.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        assert read_copy(path) is None
    path.write_bytes(b"not a database")
    assert read_copy(path) is None
