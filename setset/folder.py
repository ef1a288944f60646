"""The workspace: a folder with the database and the batch files, held by one run at a time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from setset.errors import BadInput, Locked, NotAWorkspace, SetsetError

DATABASE = "setset.db"
REBUILT = ".setset.db.rebuilt"
LOCK = "setset.lock"
OWN_ROOT = "batches"
"""The storage root inside the workspace, by a relative path so that the folder can be moved."""
TOKEN = "setset-root.json"  # noqa: S105 (a file name)


class ReadOnly(SetsetError):
    """The workspace cannot be written to."""


class RootGone(SetsetError):
    """A storage root that was there is not there any more: a disk that is not mounted, most likely."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.root = root

    def __str__(self) -> str:
        if self.root.name == OWN_ROOT:
            return f"the storage root {self.root} is gone: bring it back, or 'setset repair' makes its files again"
        return (
            f"the storage root {self.root} is gone: bring it back, then 'setset run' goes on; if it is lost "
            "for good, 'setset db rebuild' starts from the files that are left"
        )


@dataclass(frozen=True)
class Workspace:
    path: Path
    name: str = DATABASE
    """Of the database; another one while it is being rebuilt."""

    @property
    def database(self) -> Path:
        return self.path / self.name

    def root(self, path: str) -> Path:
        """A storage root's folder."""
        return self.path / path

    @contextlib.contextmanager
    def held(self, create: bool = False) -> Iterator[None]:
        """Holds the workspace for as long as the context lasts, against all other runs, on all hosts.

        A lock of the operating system: it ends with the process that has it, however that ends.
        """
        if create:
            self._create()
        elif not self.path.is_dir():
            raise NotAWorkspace(f"no workspace at {self.path}: there is no such folder")
        lock = self.path / LOCK
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise ReadOnly(f"cannot write to {self.path}: {error.strerror}") from error
        try:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EAGAIN):
                    raise
                holder = os.read(descriptor, 200).decode(errors="replace").strip() or "another process"
                raise Locked(f"{self.path} is in use by {holder}") from None
            with contextlib.suppress(OSError):  # on a full disk the lock holds, only its holder has no name
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"pid {os.getpid()} on {socket.gethostname()}\n".encode())
            yield
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def in_use(self) -> bool:
        """Whether a run is under way, as far as can be told by reading: a run that was killed leaves its name in
        the lock's file, and of another host's nobody knows whether it lives."""
        try:
            _, pid, _, host = (self.path / LOCK).read_text().split()
            if host != socket.gethostname():
                return True
            os.kill(int(pid), 0)
        except (PermissionError, IsADirectoryError):
            return True
        except (OSError, ValueError):
            return False
        return True

    def _create(self) -> None:
        """Makes the folder if it is not there; refuses one with other people's files in it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            strangers = [] if self.database.exists() else [entry.name for entry in self.path.iterdir()]
        except OSError as error:
            raise ReadOnly(f"cannot make a workspace at {self.path}: {error.strerror}") from error
        unfinished = {f"{name}{end}" for name in (f".{DATABASE}.new", REBUILT) for end in ("", "-journal")}
        ours = {OWN_ROOT, LOCK, f"{DATABASE}-journal", *unfinished}
        if owner(self.path / OWN_ROOT) is not None and not self.database.exists():
            raise NotAWorkspace(
                f"{self.database} is gone, but it had batch files: run 'setset db rebuild' to make it anew from them, "
                "with --output for each folder that runs were given"
            )
        if not set(strangers) <= ours:
            raise BadInput(
                f"{self.path} is not a workspace and not empty: name another folder with --workspace"
            )


def claim_root(root: Path, workspace_id: str) -> None:
    """Makes a storage root this workspace's own; refuses one that belongs to another."""
    from setset.batches import files  # not needed, and not quick to load, for who only reads

    token = root / TOKEN
    try:
        root.mkdir(parents=True, exist_ok=True)
        if not token.exists():
            files.save(token, json.dumps({"workspace": workspace_id}).encode())
    except OSError as error:
        raise ReadOnly(f"cannot write to {root}: {error.strerror}") from error
    if owner(root) != workspace_id:
        raise BadInput(f"{root} holds the files of another workspace: name another folder with --output")


def require_root(root: Path) -> None:
    """Refuses to write below a storage root that is gone: what is at its place now may be another disk."""
    if owner(root) is None:
        raise RootGone(root)


def owner(root: Path) -> str | None:
    """The id of the workspace that a storage root belongs to; None if the root cannot be seen."""
    try:
        found = json.loads((root / TOKEN).read_bytes())
        return str(found["workspace"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
