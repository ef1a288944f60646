"""An open database: its address, and errors as one line that tells the cause."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest

from setset import durable
from setset.database import schema
from setset.database.connection import BadDatabase, connect, explain
from setset.database.copies import address
from setset.errors import NoSpace


@pytest.mark.filterwarnings("ignore:pathlib.PurePath.as_uri:DeprecationWarning")  # setset has a Path
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (PureWindowsPath(r"\\nas\caps\a b\setset.db"), "file:////nas/caps/a%20b/setset.db?mode=ro"),
        (PureWindowsPath(r"T:\caps\setset.db"), "file:///T:/caps/setset.db?mode=ro"),
        (PurePosixPath("/mnt/a?b#c/setset.db"), "file:///mnt/a%3Fb%23c/setset.db?mode=ro"),
    ],
)
def test_sqlite_takes_the_address_of_any_path(path: PurePath, expected: str) -> None:
    """SQLite refuses an address with a host, such as `file://nas/caps/setset.db`."""
    assert address(path, "ro") == expected
    message = "unable to open database file|not an error"
    with pytest.raises(sqlite3.OperationalError, match=message):
        sqlite3.connect(expected, uri=True).execute("SELECT 1 FROM sqlite_schema")


def error_of(name: str, text: str = "disk I/O error") -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorname = name
    return error


@pytest.fixture
def database(tmp_path: Path) -> Path:
    schema.create(tmp_path / "setset.db")
    return tmp_path / "setset.db"


@pytest.mark.parametrize("name", ["SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_READ"])
def test_an_error_of_the_disk_is_not_called_no_room(name: str, database: Path) -> None:
    error = explain(database, error_of(name))
    assert type(error) is BadDatabase
    assert str(error) == f"cannot use {database}: disk I/O error: try again; if it fails again, check the disk"
    assert [path.name for path in database.parent.iterdir()] == ["setset.db"]


def test_a_full_disk_is_no_room(database: Path) -> None:
    assert isinstance(explain(database, error_of("SQLITE_FULL")), NoSpace)


@pytest.mark.posix("sets limits of a process")
def test_a_quota_or_a_limit_is_no_room(database: Path) -> None:
    """For SQLite it is an I/O error, without the reason of the system."""
    code = (
        "import resource, sqlite3, sys; from pathlib import Path\n"
        "from setset import durable\n"
        "from setset.database.connection import connect, explain\n"
        "path = Path(sys.argv[1]); size = path.stat().st_size\n"
        "print(durable.has_room(path))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
        "try: connect(path, 'rw').executescript('CREATE TABLE t AS SELECT zeroblob(999999)')\n"
        "except sqlite3.Error as error: print(error.sqlite_errorname, type(explain(path, error)).__name__)"
    )
    result = subprocess.run([sys.executable, "-c", code, str(database)], capture_output=True, text=True, check=True)
    assert result.stdout == "True\nSQLITE_IOERR_WRITE NoSpace\n"


def test_room_is_not_asked_for_in_a_folder_that_is_gone(tmp_path: Path) -> None:
    assert durable.has_room(tmp_path / "gone" / "setset.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("read", [schema.revision, schema.require_sound, schema.require_current])
@pytest.mark.parametrize("name", ["SQLITE_IOERR_READ", "SQLITE_CORRUPT", "SQLITE_NOTADB"])
def test_a_read_that_fails_once_is_no_damage(
    name: str, read: Callable[[Path], object], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(times: int) -> list[str]:
        calls: list[str] = []

        def connect_or_fail(path: Path, mode: str) -> sqlite3.Connection:
            calls.append(mode)
            if len(calls) <= times:
                raise error_of(name, "something with a read")
            return connect(path, mode)

        monkeypatch.setattr(schema, "connect", connect_or_fail)
        return calls

    fail(1)
    read(database)
    calls = fail(9)
    with pytest.raises(BadDatabase, match="something with a read"):
        read(database)
    assert len(calls) < 9
