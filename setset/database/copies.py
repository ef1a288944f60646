"""Copies of a database: backups, and in-memory copies for readers that must not keep a run waiting.

With a rollback journal a commit waits for all readers. SQLite's backup API makes the copy, so a commit waits some
milliseconds for the backup, and never for a query on the copy.
"""

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from pathlib import Path, PurePath
from typing import Final

from setset.errors import Locked

MOST_BYTES: Final = 32_000_000
"""Maximum size of a database to copy. SQLite reads larger databases in place."""

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
    """Whether this thread is within `reading_copies`, and the database exists and is not too large."""
    return _wanted.get() and path.is_file() and path.stat().st_size <= MOST_BYTES


def address(path: PurePath, mode: str) -> str:
    """URI of a database for SQLite; mode ro or rw. SQLite refuses a host in a URI, so //host/a becomes
    file:////host/a."""
    return re.sub("^file:(?!///)", "file://", path.as_uri()) + f"?mode={mode}"


def open_copy(path: Path, seconds: float) -> sqlite3.Connection:
    """Opens a read-only copy of a database in memory. Raises the same errors as `copy_into`."""
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    copy_into(copy, path, seconds)
    copy.execute("PRAGMA query_only = ON")
    return copy


def copy_into(copy: sqlite3.Connection, path: Path, seconds: float) -> None:
    """Copies a database that may be in use.

    Copies all pages in one step. With several steps, each commit in between would make SQLite start again.

    Raises:
        Locked: Another program held the database for `seconds`. SQLite itself would retry forever.
    """
    deadline = time.monotonic() + seconds

    def check_time(status: int, _remaining: int, _pages: int) -> None:
        # SQLite calls this after each attempt, which also lets Python handle Ctrl-C.
        if status != sqlite3.SQLITE_DONE and time.monotonic() > deadline:
            raise Locked(f"{path} is held by another program: try again when that is done")

    # No busy timeout, since SQLite would wait in C code, where Ctrl-C has no effect.
    with closing(sqlite3.connect(address(path.absolute(), "ro"), uri=True, timeout=0)) as source:
        source.backup(copy, progress=check_time, sleep=0.002)
