"""Files that are written whole or not at all, and are on the disk when the call returns."""

import contextlib
import errno
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from setset import platform
from setset.errors import InTheWay, NoSpace, in_the_way, is_no_space

_Result = TypeVar("_Result")
_OWN = r".+\.(setset|json|db|svg|png)"
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds between attempts at a file that another program has open."""


def retry_while_open(action: Callable[[], _Result], codes: tuple[int, ...] = platform.OPEN_ELSEWHERE) -> _Result:
    """Retries an action on a file while another program has the file open: a scanner, an indexer, a backup.

    Only Windows refuses such an action, with one of these codes. Other errors, and the last one, are raised.
    """
    for pause in PAUSES:
        try:
            return action()
        except PermissionError as error:
            if getattr(error, "winerror", None) not in codes:
                raise
        time.sleep(pause)
    return action()


def remove(path: Path) -> None:
    """Removes a file if it is there, also if another program has it open for a moment."""
    retry_while_open(lambda: path.unlink(missing_ok=True))


def save(path: Path, data: bytes, below: Path | None = None, witness: str = "") -> None:
    """Puts a file in its place, complete and on the disk, or leaves no trace.

    Args:
        path: Where; folders that are missing are made.
        data: All of it.
        below: A folder above it, which must hold the file `witness`: that shows that the folder is on the disk that
            it is thought to be on.
        witness: The name of that file.

    Raises:
        NoSpace: The disk is full, or a quota or a limit is reached.
        InTheWay: Something has the name of the file or of a folder above it, or the path is too long.
        OSError: Any other reason.
    """
    with _explained(path, f"{len(data):,} bytes in {path.parent}"), contextlib.ExitStack() as stack:
        # From within the folders, wherever they may be moved to meanwhile.
        top = None
        if below is not None:
            top = stack.enter_context(platform.opened_folder(below))
            os.stat(witness if top is not None else below / witness, dir_fd=top)
        make_folder(path.parent)
        inner = path.parent if top is None or below is None else path.parent.relative_to(below)
        _save_in(stack.enter_context(platform.opened_folder(inner, top)), path, data)


@contextlib.contextmanager
def _explained(path: Path, what: str | None = None) -> Iterator[None]:
    """Raises NoSpace or InTheWay if that is why a file cannot be written. `what` needs the room, else the file."""
    try:
        yield
    except OSError as error:
        if is_no_space(error):
            raise NoSpace(f"no room for {what or path}: {error.strerror}") from error
        if platform.is_too_long(error, path):
            raise InTheWay(
                f"the path {path} is too long here ({len(str(path))} characters): name a folder with a shorter path"
            ) from error
        with contextlib.suppress(OSError):
            above = (folder for folder in reversed(path.parents) if os.path.lexists(folder) and not folder.is_dir())
            if obstacle := next(above, path if path.is_dir() else None):
                raise InTheWay(in_the_way(obstacle)) from error
        raise


def _save_in(folder: int | None, path: Path, data: bytes) -> None:
    """Writes a file in an open folder, or by whole paths where folders cannot be opened."""
    place = path.name if folder is not None else str(path)
    temporary = str(Path(place).with_name(temporary_name(path.name)))
    try:
        _write_all(temporary, data, folder)
        _replace(temporary, place, folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    if folder is not None:
        os.fsync(folder)


def _replace(made: str, place: str, folder: int | None) -> None:
    """Renames a file, in the place of the file that is there, also if another program has either open for a moment."""
    retry_while_open(lambda: os.replace(made, place, src_dir_fd=folder, dst_dir_fd=folder), platform.OPEN_TARGET)


@contextlib.contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """A file to be written piece by piece, for what is too large to be held. It gets its name, complete and on the
    disk, when the block ends; after an error there is no trace of it. Raises what `save` raises."""
    with _explained(path), _temporary_beside(path) as temporary:
        with os.fdopen(os.open(temporary, platform.CREATE, 0o666), "wb") as file:
            yield file
            file.flush()
            if os.fstat(file.fileno()).st_size != file.tell():
                raise OSError(errno.EIO, "fewer bytes on disk than were written", str(temporary))
        replace_durably(temporary, path)


def create(path: Path, data: bytes) -> bool:
    """Makes a file that is not there yet, complete and on the disk; False if it is there already.

    Of several that try at the same moment, on this host or another, one succeeds.
    """
    with _explained(path), _temporary_beside(path) as temporary:
        _write_all(str(temporary), data, None)
        created = platform.rename_if_free(temporary, path)
        platform.sync_folder(path.parent)
    return created


@contextlib.contextmanager
def _temporary_beside(path: Path) -> Iterator[Path]:
    """A path for an unfinished file, in a folder that is there. Nothing of that name is left after the block."""
    make_folder(path.parent)
    temporary = path.parent / temporary_name(path.name)
    try:
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            remove(temporary)


def replace_durably(made: Path, place: Path) -> None:
    """Moves a finished file that nobody has open to its place, in the place of what is there."""
    descriptor = retry_while_open(lambda: os.open(made, os.O_RDWR))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    _replace(str(made), str(place), None)
    platform.sync_folder(place.parent)


def make_folder(path: Path) -> None:
    """Makes a folder and those above it that are missing; each new name is on the disk before the call returns.

    Raises what `save` raises.
    """
    with _explained(path / "x", str(path)):
        if path.is_dir():
            return
        if path.parent != path:
            make_folder(path.parent)
        with contextlib.suppress(FileExistsError):
            path.mkdir()
        platform.sync_folder(path.parent)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


NEW_DATABASE = 1 << 18
"""Bytes that a new database may take."""


def has_room(path: Path) -> bool:
    """Whether the disk, the quota and the limit on files let this file grow. True if unsure."""
    if not path.parent.exists():
        return True
    try:
        size = path.stat().st_size if path.exists() else NEW_DATABASE
        with _explained(path), _temporary_beside(path) as temporary, temporary.open("wb", buffering=0) as file:
            file.seek(size)
            file.write(bytes(1 << 16))
            os.fsync(file.fileno())
    except (OSError, InTheWay, NoSpace) as error:
        return not isinstance(error, NoSpace)
    return True


def temporary_name(name: str) -> str:
    """A name for an unfinished file, with a random part, so that no two writers share one."""
    return f".{name}.{secrets.token_hex(6)}.tmp"


def is_temporary(name: str, of: str = _OWN) -> bool:
    """Whether this is the name of an unfinished file, of those whose names match the regular expression `of`.

    Earlier versions wrote the host and the process into it.
    """
    return re.fullmatch(rf"\.({of})\.(.+\.\d+\.[0-9a-f]{{8}}|[0-9a-f]{{12}})\.tmp", name) is not None


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
