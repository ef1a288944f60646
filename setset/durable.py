"""Atomic and durable writing: a file is complete or missing, and is on the disk when the call returns."""

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
"""Seconds to wait between attempts to use a file that another program has open."""


def retry_while_open(action: Callable[[], _Result], codes: tuple[int, ...] = platform.OPEN_ELSEWHERE) -> _Result:
    """Retries an action on a file while another program has the file open: a scanner, an indexer, a backup.

    Only Windows refuses such an action, with one of the error numbers in `codes`. Raises any other error at once, and
    the error of the last attempt.
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
    """Removes a file if it exists. Retries while another program has the file open."""
    retry_while_open(lambda: path.unlink(missing_ok=True))


def save(path: Path, data: bytes, below: Path | None = None, witness: str = "") -> None:
    """Writes a file atomically and syncs it to the disk: after a crash the file is complete or missing.

    Args:
        path: Path of the file. Missing folders are made.
        data: Content of the file.
        below: A folder above the file. It must contain the file `witness`, which proves that the right disk is mounted.
        witness: Name of the file in `below`.

    Raises:
        NoSpace: The disk is full, or a quota or a limit is reached.
        InTheWay: Something else has the name of the file or of a folder above it, or the path is too long.
        OSError: Any other error of the operating system.
    """
    with _explained(path, f"{len(data):,} bytes in {path.parent}"), contextlib.ExitStack() as stack:
        # Uses open descriptors of folders, which stay valid if a folder is moved meanwhile.
        top = None
        if below is not None:
            top = stack.enter_context(platform.opened_folder(below))
            os.stat(witness if top is not None else below / witness, dir_fd=top)
        make_folder(path.parent)
        inner = path.parent if top is None or below is None else path.parent.relative_to(below)
        _save_in(stack.enter_context(platform.opened_folder(inner, top)), path, data)


@contextlib.contextmanager
def _explained(path: Path, content: str | None = None) -> Iterator[None]:
    """Translates an OSError of the block into NoSpace or InTheWay. NoSpace names `content`, by default the path."""
    try:
        yield
    except OSError as error:
        if is_no_space(error):
            raise NoSpace(f"no room for {content or path}: {error.strerror}") from error
        if platform.is_too_long(error, path):
            raise InTheWay(
                f"the path {path} is too long ({len(str(path))} characters): name a folder with a shorter path"
            ) from error
        with contextlib.suppress(OSError):
            above = (folder for folder in reversed(path.parents) if os.path.lexists(folder) and not folder.is_dir())
            if obstacle := next(above, path if path.is_dir() else None):
                raise InTheWay(in_the_way(obstacle)) from error
        raise


def _save_in(folder: int | None, path: Path, data: bytes) -> None:
    """Writes a file by its name in an open folder, or by its full path if `folder` is None."""
    name = path.name if folder is not None else str(path)
    temporary = str(Path(name).with_name(temporary_name(path.name)))
    try:
        _write_all(temporary, data, folder)
        _replace(temporary, name, folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    if folder is not None:
        os.fsync(folder)


def _replace(made: str, target: str, folder: int | None) -> None:
    """Renames a file and replaces the target. Retries while another program has either file open."""
    retry_while_open(lambda: os.replace(made, target, src_dir_fd=folder, dst_dir_fd=folder), platform.OPEN_TARGET)


@contextlib.contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """Opens a temporary file to write piece by piece, for content too large for memory.

    At the end of the block, syncs this file to the disk and renames it to `path`. After an error, removes the temporary
    file. Raises the same errors as `save`.
    """
    with _explained(path), _temporary_beside(path) as temporary:
        with os.fdopen(os.open(temporary, platform.CREATE, 0o666), "wb") as file:
            yield file
            file.flush()
            if os.fstat(file.fileno()).st_size != file.tell():
                raise OSError(errno.EIO, "the disk lost some of the written bytes", str(temporary))
        replace_durably(temporary, path)


def create(path: Path, data: bytes) -> bool:
    """Creates a file atomically and syncs it to the disk. Returns False if the file exists already.

    If several processes, even on several hosts, create the same file at the same moment, exactly one succeeds.
    """
    with _explained(path), _temporary_beside(path) as temporary:
        _write_all(str(temporary), data, None)
        created = platform.rename_if_free(temporary, path)
        platform.sync_folder(path.parent)
    return created


@contextlib.contextmanager
def _temporary_beside(path: Path) -> Iterator[Path]:
    """Makes the folder of a file, and yields a path in it for the unfinished file. Removes the unfinished file after
    the block."""
    make_folder(path.parent)
    temporary = path.parent / temporary_name(path.name)
    try:
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            remove(temporary)


def replace_durably(made: Path, target: Path) -> None:
    """Syncs a finished, closed file to the disk, then renames it to `target`. Replaces an existing file."""
    descriptor = retry_while_open(lambda: os.open(made, os.O_RDWR))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    _replace(str(made), str(target), None)
    platform.sync_folder(target.parent)


def make_folder(path: Path) -> None:
    """Makes a folder and all missing folders above it, and syncs their names to the disk.

    Raises the same errors as `save`.
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
"""Assumed size in bytes of a database that does not exist yet."""


def has_room(path: Path) -> bool:
    """Whether the disk, the quota and the file size limit let a file grow. True if unsure."""
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
    """Makes a name for an unfinished file. It has a random part, so that two writers never use the same name."""
    return f".{name}.{secrets.token_hex(6)}.tmp"


def is_temporary(name: str, of: str = _OWN) -> bool:
    """Whether a name is for an unfinished file whose final name matches the regular expression `of`.

    Also accepts names by earlier versions of setset. These names contain the host and the process id.
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
            raise OSError(errno.EIO, "the disk lost some of the written bytes", name)
    finally:
        os.close(descriptor)
