"""Detects changes of a workspace."""

import sqlite3
from contextlib import suppress
from pathlib import Path

from setset.database import copies
from setset.database.connection import DRIVER_ERRORS
from setset.folder import WorkspaceFolder


class Watch:
    """Notices changes of a workspace by other programs: new records, and runs that begin, end or are killed.

    Use it from one thread only. It holds no lock on the database between two calls.

    Args:
        workspace: The folder, which may be missing.
    """

    def __init__(self, workspace: str | Path) -> None:
        self._folder = WorkspaceFolder(Path(workspace))
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        """Device and inode of the database; None if it is missing."""
        self._seen: tuple[int, bool, int] | None = None
        """Values at the last call: SQLite's data version, whether a run is under way, and time of its last activity."""

    def changed(self) -> bool:
        """Whether something has changed since the last call. True at the first call."""
        path, file, seen = self._folder.database, None, self._seen
        with suppress(OSError):
            status = path.stat()
            file = status.st_dev, status.st_ino
        is_other = file != self._file
        if is_other:
            self.close()
        version = seen[0] if seen else 0
        # If a commit holds the database, the version stays as before. The next query reports any other error.
        with suppress(*DRIVER_ERRORS):
            if self._connection is None and path.is_file():
                address = copies.address(path.absolute(), "ro")
                self._connection = sqlite3.connect(address, uri=True, timeout=0.5, isolation_level=None)
            if self._connection is not None:
                version = int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        workers = 0
        with suppress(OSError):
            workers = self._folder.workers.stat().st_mtime_ns
        self._file, self._seen = file, (version, self._folder.is_in_use(), workers)
        return is_other or self._seen != seen

    @property
    def in_use(self) -> bool:
        """Whether a run was under way at the last call of `changed`."""
        return self._seen is not None and self._seen[1]

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
