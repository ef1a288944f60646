"""Copies of a database: backups, and copies in memory for readers that must not keep a run waiting.

With a rollback journal a commit waits until nobody reads. SQLite's backup makes the copy. A commit waits for that, some
milliseconds, and never for the queries that the copy answers.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from pathlib import Path, PurePath
from typing import Final

from setset.errors import Locked

MOST_BYTES: Final = 32_000_000
"""Size of the largest database that is copied. SQLite reads larger databases in place."""

_wanted: ContextVar[bool] = ContextVar("setset_reading_copies", default=False)


@contextmanager
def reading_copies() -> Iterator[None]:
    """Makes this thread read copies of databases within the block, so that no commit waits for a query.

    Example:
        >>> with setset.reading_copies(), setset.open(example) as workspace:
        ...     len(workspace.counts())
        2
    """
    before = _wanted.set(True)
    try:
        yield
    finally:
        _wanted.reset(before)


def are_wanted(path: Path) -> bool:
    """Whether this thread is within `reading_copies`, and the database is there and not too large."""
    return _wanted.get() and path.is_file() and path.stat().st_size <= MOST_BYTES


def address(path: PurePath, mode: str) -> str:
    """URI of a database for SQLite; mode ro or rw. SQLite accepts no host, so a network path keeps its slashes."""
    uri = path.as_uri()
    if not uri.startswith("file:///"):
        uri = uri.replace("file:", "file://", 1)
    return f"{uri}?mode={mode}"


def open_copy(path: Path, seconds: float) -> sqlite3.Connection:
    """A copy of a database in memory, to read. Raises what `copy_into` raises."""
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    copy_into(copy, path, seconds)
    copy.execute("PRAGMA query_only = ON")
    return copy


def copy_into(copy: sqlite3.Connection, path: Path, seconds: float) -> None:
    """Copies a database that may be in use.

    The copy is made in one step. With several, each commit in between would make SQLite start again.

    Raises:
        Locked: Another program held the database for `seconds`. SQLite itself would retry for ever.
    """
    deadline = time.monotonic() + seconds

    def check_time(status: int, _remaining: int, _pages: int) -> None:
        # SQLite calls this after each attempt. Python handles Ctrl-C then.
        if status != sqlite3.SQLITE_DONE and time.monotonic() > deadline:
            raise Locked(f"{path} is held by another program: try again when that is done")

    # No busy timeout: SQLite would wait for it in C.
    with closing(sqlite3.connect(address(path.absolute(), "ro"), uri=True, timeout=0)) as source:
        source.backup(copy, progress=check_time, sleep=0.002)
