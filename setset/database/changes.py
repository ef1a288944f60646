"""Whether another program has written to a database since the last look, which costs next to nothing to ask."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from setset.database.connection import DRIVER_ERRORS, connect
from setset.database.copies import Mark, can_copy, read_counter


class ChangeCounter:
    """A connection of its own that is asked for SQLite's `data_version`, and holds no lock between two questions."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._file = (0, 0)
        self._version = 0

    def read(self) -> Mark | None:
        """A mark, another one if something was written or the file was replaced; None without a file."""
        try:
            found = self._path.stat()
        except OSError:
            self.close()
            return None
        if can_copy(self._path):
            self.close()
            with suppress(OSError):
                return read_counter(self._path)
        if self._connection is None or self._file != (found.st_dev, found.st_ino):
            self.close()
            self._file = (found.st_dev, found.st_ino)
        with suppress(*DRIVER_ERRORS):  # held by a commit: as before; what is wrong with it, a query will say
            if self._connection is None:
                self._connection = connect(self._path, "ro", seconds=0.5)
                self._connection.isolation_level = None
            self._version = int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        return (*self._file, self._version)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
