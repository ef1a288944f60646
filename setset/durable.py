"""Files that are written whole or not at all, and are on the disk when the call returns."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import uuid
from pathlib import Path

from setset import platform
from setset.errors import NO_SPACE, NoSpace

_TEMPORARY = re.compile(r"\..+\.(setset|json|db|svg|png)\..+\.\d+\.[0-9a-f]{8}\.tmp")


def save(path: Path, data: bytes, witness: str | None = None) -> None:
    """Puts a file in its place, complete and on the disk, or leaves no trace.

    Args:
        path: Where; folders that are missing are made.
        data: All of it.
        witness: A file, named as seen from the folder, without which nothing is written. It shows that the folder is
            on the disk that it is thought to be on.

    Raises:
        NoSpace: The disk is full, or a quota or a limit is reached.
        OSError: Any other reason.
    """
    temporary = temporary_name(path.name)
    try:
        make_folder(path.parent)
        # From within the folder, wherever it may be moved to meanwhile.
        with platform.opened_folder(path.parent) as folder:
            if witness is not None:
                os.stat(_seen_from(path, witness, folder), dir_fd=folder)
            source, place = (_seen_from(path, name, folder) for name in (temporary, path.name))
            try:
                _write_all(source, data, folder)
                os.replace(source, place, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(source, dir_fd=folder)
                raise
            if folder is not None:
                os.fsync(folder)
    except OSError as error:
        if error.errno in NO_SPACE:
            reason = os.strerror(error.errno or 0)
            raise NoSpace(f"no room for {len(data):,} bytes in {path.parent}: {reason}") from error
        raise


def replace_durably(made: Path, place: Path) -> None:
    """Moves a finished file that nobody has open to its place, in the place of what is there."""
    descriptor = os.open(made, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    made.replace(place)
    platform.sync_folder(place.parent)


def make_folder(path: Path) -> None:
    """Makes a folder and those above it that are missing; each new name is on the disk before the call returns."""
    if path.is_dir():
        return
    if path.parent != path:
        make_folder(path.parent)
    with contextlib.suppress(FileExistsError):
        path.mkdir()
    platform.sync_folder(path.parent)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def temporary_name(name: str) -> str:
    """A name for an unfinished file: with host, process and a random part, so that no two writers share one."""
    return f".{name}.{socket.gethostname()}.{os.getpid()}.{uuid.uuid4().hex[:8]}.tmp"


def is_temporary(name: str) -> bool:
    """Whether this is the name of a file that `save` had not finished."""
    return _TEMPORARY.fullmatch(name) is not None


def _seen_from(path: Path, name: str, folder: int | None) -> str:
    """A name beside a file: relative to the open folder, or whole where folders cannot be opened."""
    return name if folder is not None else str(path.parent / name)


def _write_all(name: str, data: bytes, folder: int | None) -> None:
    descriptor = os.open(name, platform.CREATE, 0o666, dir_fd=folder)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
        if os.fstat(descriptor).st_size != len(data):
            raise OSError(errno.EIO, "fewer bytes on disk than were written", name)
    finally:
        os.close(descriptor)
