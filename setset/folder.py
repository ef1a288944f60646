"""The folder of a workspace: the names of its files, and the lock that one run at a time has."""

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
"""The database while it is being rebuilt."""
UNFINISHED = tuple(
    f"{name}{end}"
    for name in (f".{DATABASE}.new", REBUILT, f".{REBUILT}.new")
    for end in ("", "-journal", "-wal", "-shm")
)
"""Files that an interrupted creation or rebuild of a database may leave."""
LOCK = "setset.lock"
COUNTS = "setset.counts"
OWN_ROOT = "batches"
"""The storage root inside the workspace, by a relative path so that the folder can be moved."""

REBUILD = "run 'setset db rebuild' to make a new one from the batch files (--output names folders elsewhere)"

_locked_here: set[Path] = set()
"""The folders that this process has locked: the system would not tell it, and would free a lock if asked."""


@dataclass(frozen=True)
class WorkspaceFolder:
    """A folder that is a workspace, or may become one."""

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
        """File with the counts of the database, which a rebuild restores."""
        return self.path / COUNTS

    def root(self, path: str) -> Path:
        """The folder of a storage root, whose path may be relative to the workspace."""
        return self.path / path

    def has_kept_database(self) -> bool:
        """Whether a database was kept here under another name, by a rebuild or an upgrade."""
        return self.path.is_dir() and any(self._is_kept_database(entry.name) for entry in self.path.iterdir())

    @staticmethod
    def _is_kept_database(name: str) -> bool:
        return name == COUNTS or name.startswith((f"{DATABASE}.lost", f"{DATABASE}.before-"))

    def require_no_obstacle(self) -> None:
        """Refuses a folder where something else has the name of the database. SQLite would wait for a FIFO."""
        if os.path.lexists(self.database) and not self.database.is_file():
            raise NotAWorkspace(in_the_way(self.database))

    def require_database(self) -> None:
        """Refuses a folder without a database."""
        self.require_no_obstacle()
        if self.database.exists():
            return
        if self.own_root.is_dir():
            raise NotAWorkspace(f"{self.database} is missing: {REBUILD}")
        if self.path.is_file():
            raise NotAWorkspace(f"no workspace at {self.path}: it is a file, name a folder with --workspace")
        raise NotAWorkspace(f"no workspace at {self.path}: there is no {self.database.name} ('setset run' makes one)")

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the lock of the workspace, against all other runs on all hosts.

        The lock is one of the operating system: it ends with the process that has it, however that ends. What
        is written in the file is for people.
        """
        if not self.path.is_dir():
            raise NotAWorkspace(f"no workspace at {self.path}: there is no such folder")
        key = self.path.resolve()
        if key in _locked_here:
            raise Locked(f"{self.path} is in use by another thread of this program")
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
            with contextlib.suppress(OSError):  # on a full disk the lock holds, only its holder has no name
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
            f"{self.path} is on a file system without locks ({error.strerror}): move the workspace to another disk or "
            "mount the file system with locks; only the batch files may be there, with --output"
        )

    def is_in_use(self) -> bool:
        """Whether a run is under way. The lock of the operating system decides, not what is written in its file."""
        with contextlib.suppress(SetsetError):
            return self.is_locked()
        return False

    def is_locked(self) -> bool:
        """As `is_in_use`, but refuses a file system without locks."""
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
        """Makes the folder if it is not there; refuses one with other files in it, or whose database was lost."""
        try:
            for place in (self.path, *self.path.parents):
                if place.is_file():
                    raise BadInput(f"{place} is a file: name a folder with --workspace")
            durable.make_folder(self.path)
            self.require_no_obstacle()
            found = set() if self.database.exists() else {entry.name for entry in self.path.iterdir()}
        except OSError as error:
            raise ReadOnly(f"cannot make a workspace at {self.path}: {error.strerror}") from error
        if OWN_ROOT in found and any(self.own_root.iterdir()):
            raise NotAWorkspace(
                f"{self.database} is missing, but there are batch files: run 'setset db rebuild' to make a new one "
                "from them, with --output for each folder that runs were given"
            )
        if any(map(self._is_kept_database, found)):
            raise NotAWorkspace(
                f"{self.database} is missing, and older ones are beside it: run 'setset db rebuild' to make a new one "
                "from the batch files, with --output for each folder that runs were given"
            )
        if found - {OWN_ROOT, LOCK, f"{DATABASE}-journal", *UNFINISHED}:
            raise BadInput(f"{self.path} is not a workspace and not empty: name another folder with --workspace")
