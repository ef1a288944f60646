"""The storage roots of a workspace: where its files are, and what became of them."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass

from setset.batches.roots import RootState
from setset.database import Database, roots
from setset.database.roots import RootRecord


@dataclass(frozen=True)
class Root:
    """A folder with batch files, and what lies there by what the database records.

    Example:
        >>> [(root.number, root.state.value, root.files) for root in setset.open(example).roots()]
        [(1, 'present', 2)]
    """

    number: int
    path: str
    state: RootState
    free_bytes: int | None
    """Room on its disk; None if it is not there."""
    files: int
    lists: int
    bytes: int


def read_roots(database: Database) -> list[Root]:
    """All storage roots, as they are now."""
    return [_root(database, record) for record in roots.records(database)]


def _root(database: Database, record: RootRecord) -> Root:
    state, free = roots.state(database, record), None
    with contextlib.suppress(OSError):
        free = None if state is RootState.ABSENT else shutil.disk_usage(record.folder).free
    return Root(record.id, str(record.folder), state, free, record.files, record.lists, record.bytes)
