"""Copies of a database in memory, made without a lock: who reads one keeps no commit waiting.

With a rollback journal a commit waits until nobody reads. What a page shows beside a run is therefore read from a copy.
It is whole because SQLite writes to the file only while there is a journal, and raises the counter in the header with
each commit: if there was no journal before the copy and after it, and the counter is the same, nothing was written.

Closing any handle of a file ends all locks that a process has on it. So within `reading_copies` a database is either
read by copies or, where that cannot be done, by SQLite's locks, and not now by one and then by the other.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final

from setset.errors import Locked
from setset.folder import WorkspaceFolder

MOST_BYTES: Final = 32_000_000
"""Larger databases are not copied."""
PATIENCE: Final = 5.0
"""Seconds in which there should be a moment without a commit."""
COUNTER: Final = slice(24, 28)
FORMAT: Final = slice(18, 20)
ROLLBACK: Final = b"\1\1"
"""What the header of a database says that has a rollback journal."""

Mark = tuple[int, ...]
_wanted: ContextVar[bool] = ContextVar("setset_reading_copies", default=False)
_last: dict[Path, tuple[Mark, bytes]] = {}


@contextmanager
def reading_copies() -> Iterator[None]:
    """Whatever is opened to read in here, by this thread, is a copy, so that no run ever waits for it.

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


def are_wanted() -> bool:
    """Whether this thread is within `reading_copies`."""
    return _wanted.get()


def can_copy(path: Path) -> bool:
    """Whether a database is to be copied: it was asked for, and is not too large or written by another host.

    What another host writes to a shared disk is seen here at once only by who locks it.
    """
    try:
        return (
            _wanted.get()
            and 0 < path.stat().st_size <= MOST_BYTES
            and not WorkspaceFolder(path.parent).is_in_use_elsewhere()
        )
    except OSError:
        return False


def read_counter(path: Path) -> Mark:
    """What is different after each commit, and if the file is another one."""
    with path.open("rb", buffering=0) as file:
        header, found = file.read(100), os.fstat(file.fileno())
    counter = int.from_bytes(header[COUNTER], "big")
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, counter


def read_copy(path: Path) -> bytes | None:
    """A database as a commit left it; None if it is none, or a killed writer left a journal, which SQLite rolls back.

    Raises:
        Locked: it is written all the time.
    """
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        before = read_counter(path)  # before the journal, as afterwards the other way round: see above
        if not _has_journal(path):
            mark, data = _last.get(path, ((), b""))
            if mark == before:
                return data
            data = path.read_bytes()
            if not _has_journal(path) and read_counter(path) == before:
                if data[FORMAT] != ROLLBACK:
                    return None
                _last.clear()
                _last[path] = before, data
                return data
        elif not WorkspaceFolder(path.parent).is_in_use() and _has_journal(path):
            return None
        time.sleep(0.002)
    raise Locked(f"{path} is being written: try again")


def _has_journal(path: Path) -> bool:
    try:
        return path.with_name(f"{path.name}-journal").stat().st_size > 0
    except FileNotFoundError:
        return False
