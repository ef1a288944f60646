"""The folder of a workspace: the names of its files, and the lock that allows only one run at a time."""

import contextlib
import os
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from setset import durable, platform
from setset.errors import BadInput, Locked, NoSpace, NotAWorkspace, ReadOnly, SetsetError, in_the_way, is_no_space

DATABASE = "setset.db"
REBUILT = ".setset.db.rebuilt"
"""Name of the new database while `setset db rebuild` makes it."""
UNFINISHED = tuple(
    f"{name}{end}"
    for name in (f".{DATABASE}.new", REBUILT, f".{REBUILT}.new")
    for end in ("", "-journal", "-wal", "-shm")
)
"""Names of files that an interrupted creation or rebuild of a database may leave behind."""
LOCK = "setset.lock"
COUNTS = "setset.counts"
WORKERS = "setset.workers"
SETTINGS = "setset.toml"
"""Name of the file with default options for the command line. The user may write this file before the first run."""
OWN_ROOT = "batches"
"""Path of the storage root inside the workspace. It is relative, so that the workspace can be moved."""

REBUILD = "run 'setset db rebuild' to make a new database from the batch files (with --output for each other folder)"

_locked_here: set[Path] = set()
"""Folders that this process has locked. The system does not report the locks of the process itself. If the process
tested its own lock, the test would free the lock."""


@dataclass(frozen=True)
class WorkspaceFolder:
    """The folder of a workspace. It may be missing before the first run."""

    path: Path
    database_name: str = DATABASE

    @property
    def database(self) -> Path:
        return self.path / self.database_name

    @property
    def own_root(self) -> Path:
        return self.path / OWN_ROOT

    @property
    def counts(self) -> Path:
        """Path of the file with a copy of the counts, from which `setset db rebuild` restores them."""
        return self.path / COUNTS

    @property
    def workers(self) -> Path:
        """Path of the activity file, which has the workers of the current run. Informational only."""
        return self.path / WORKERS

    def root(self, path: str) -> Path:
        """Folder of a storage root, from its recorded path, which may be relative to the workspace."""
        return self.path / path

    def has_kept_database(self) -> bool:
        """Whether the folder had a database before: it has a file of counts, or an old database that a rebuild or
        upgrade kept."""
        return self.path.is_dir() and any(self._is_kept_database(entry.name) for entry in self.path.iterdir())

    @staticmethod
    def _is_kept_database(name: str) -> bool:
        return name == COUNTS or name.startswith((f"{DATABASE}.lost", f"{DATABASE}.before-"))

    def require_no_obstacle(self) -> None:
        """Raises an error if the path of the database, or of a file that SQLite keeps beside it, is not a regular file.
        SQLite would hang on a FIFO."""
        for end in ("", "-journal", "-wal"):
            path = self.path / f"{self.database.name}{end}"
            if os.path.lexists(path) and not path.is_file():
                raise NotAWorkspace(in_the_way(path))

    def require_database(self) -> None:
        """Raises NotAWorkspace if the folder has no database."""
        self.require_no_obstacle()
        if self.database.exists():
            return
        if self.own_root.is_dir():
            raise NotAWorkspace(f"{self.database} is missing: {REBUILD}")
        if self.path.is_file():
            raise NotAWorkspace(f"no workspace at {self.path}: this is a file, name a folder with --workspace")
        raise NotAWorkspace(
            f"no workspace at {self.path}: the folder has no {self.database.name} ('setset run' makes it)"
        )

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the lock of the workspace during the block. Meanwhile no other run can take the lock, on any host.

        The operating system frees the lock when the process ends, even if it is killed. The text in the lock file is
        informational only.
        """
        if not self.path.is_dir():
            raise NotAWorkspace(f"no workspace at {self.path}: the folder is missing")
        key = self.path.resolve()
        if key in _locked_here:
            raise Locked(f"another thread of this program uses {self.path}: wait until that thread ends")
        descriptor = self._open_lock()
        try:
            try:
                is_mine = platform.lock_for_process(descriptor)
            except OSError as error:
                raise self._no_lock(error) from error
            if not is_mine:
                holder = os.read(descriptor, 200).decode(errors="replace").strip() or "another process"
                raise Locked(f"{self.path} is in use by {holder}")
            _locked_here.add(key)
            with contextlib.suppress(
                OSError
            ):  # on a full disk the lock is valid without the name of its owner in the file
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"pid {os.getpid()} on {socket.gethostname()}\n".encode())
            yield
            os.ftruncate(descriptor, 0)
        finally:
            _locked_here.discard(key)
            os.close(descriptor)

    def _open_lock(self) -> int:
        path = self.path / LOCK
        try:
            descriptor = os.open(path, platform.OPEN_OR_CREATE, 0o666)
        except OSError as error:
            if path.is_symlink() or (path.exists() and not path.is_file()):
                raise BadInput(in_the_way(path)) from error
            kind = NoSpace if is_no_space(error) else ReadOnly
            raise kind(f"cannot write to {self.path}: {error.strerror}") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise BadInput(in_the_way(path))
        return descriptor

    def _no_lock(self, error: OSError) -> SetsetError:
        if error.errno not in platform.NO_LOCKS:
            return SetsetError(f"cannot lock {self.path}: {error.strerror}")
        return SetsetError(
            f"{self.path} is on a file system without locks ({error.strerror}): move the workspace to another disk, or "
            "mount the file system with locks; batch files may be there, with --output"
        )

    def is_in_use(self) -> bool:
        """Whether a run is under way. Tests the lock of the system, not the text in the lock file. False if unsure."""
        with contextlib.suppress(SetsetError):
            return self.is_locked()
        return False

    def is_locked(self) -> bool:
        """Whether a run is under way. Raises SetsetError on a file system without locks."""
        if self.path.resolve() in _locked_here:
            return True
        try:
            descriptor = os.open(self.path / LOCK, platform.READ)
        except OSError:
            return False
        try:
            return stat.S_ISREG(os.fstat(descriptor).st_mode) and platform.is_locked_by_another(descriptor)
        except OSError as error:
            raise self._no_lock(error) from error
        finally:
            os.close(descriptor)

    def create(self) -> None:
        """Makes the folder if there is none. Raises an error if the folder has foreign files, or has lost its
        database."""
        try:
            for folder in (self.path, *self.path.parents):
                if folder.is_file():
                    raise BadInput(f"{folder} is a file: name a folder with --workspace")
            durable.make_folder(self.path)
            self.require_no_obstacle()
            names = set() if self.database.exists() else {entry.name for entry in self.path.iterdir()}
        except OSError as error:
            raise ReadOnly(f"cannot make a workspace at {self.path}: {error.strerror}") from error
        if OWN_ROOT in names and not self.own_root.is_dir():
            raise BadInput(in_the_way(self.own_root))
        if OWN_ROOT in names and any(self.own_root.iterdir()):
            raise NotAWorkspace(
                f"{self.database} is missing, but the folder has batch files: run 'setset db rebuild' to make a new "
                "database from them, with --output for each output folder of earlier runs"
            )
        if any(map(self._is_kept_database, names)):
            raise NotAWorkspace(
                f"{self.database} is missing, but the folder has older databases: run 'setset db rebuild' to make a "
                "new database from the batch files, with --output for each output folder of earlier runs"
            )
        if names - {OWN_ROOT, LOCK, WORKERS, SETTINGS, f".{WORKERS}.new", f"{DATABASE}-journal", *UNFINISHED}:
            raise BadInput(f"{self.path} is not a workspace and not empty: name another folder with --workspace")
