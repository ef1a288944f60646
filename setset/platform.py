"""Differences between Linux, macOS and Windows. No other module depends on the operating system.

Each function works on every system, with POSIX calls if they exist, else with Windows calls. Modules that only some
systems have are imported by name, so that type checkers accept this file on all systems.
"""

import contextlib
import errno
import getpass
import importlib
import math
import multiprocessing
import os
import shutil
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import parent_process
from pathlib import Path
from typing import IO, Any


def _optional(module: str) -> Any:
    """Imports a module of the standard library. Returns None if this system lacks the module."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


_SYSTEM: str = sys.platform
_fcntl = _optional("fcntl")
_msvcrt = _optional("msvcrt")
_resource = _optional("resource")

# Flags for opening files

_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)

READ = os.O_RDONLY | _CLOSE_ON_EXEC | _BINARY | _NO_LINKS | _NO_WAITING
"""Flags to open a file of any type for reading, without following a link or waiting for the writer of a FIFO."""
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOSE_ON_EXEC | _BINARY | _NO_LINKS
"""Flags to create a file that must not exist yet."""
OPEN_OR_CREATE = os.O_RDWR | os.O_CREAT | _CLOSE_ON_EXEC | _BINARY | _NO_LINKS | _NO_WAITING
"""Flags to open a file for reading and writing, and to create it if it is missing."""


@contextlib.contextmanager
def opened_folder(path: Path, dir_fd: int | None = None) -> Iterator[int | None]:
    """Opens a folder and yields a descriptor for `dir_fd` of `os` functions; None if the system cannot open folders."""
    if not _FOLDER or os.open not in os.supports_dir_fd:
        yield None
        return
    descriptor = os.open(path, os.O_RDONLY | _FOLDER | _CLOSE_ON_EXEC, dir_fd=dir_fd)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Syncs the names in a folder to the disk. Does nothing on Windows, because Windows syncs names by itself."""
    with opened_folder(path) as descriptor:
        if descriptor is not None:
            os.fsync(descriptor)


_NO_LINKS_THERE = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)
"""Values of `errno` that mean that a file system has no hard links. FAT and some Windows servers give EINVAL."""


def rename_if_free(source: Path, target: Path) -> bool:
    """Gives a file the additional path `target`, by a hard link or, if the file system has no hard links, as a copy.
    Returns False if `target` exists, even if another host has created it a moment ago."""
    try:
        os.link(source, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS_THERE:
            raise
        try:
            descriptor = os.open(target, CREATE, 0o666)
        except FileExistsError:
            return False
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(source.read_bytes())
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            target.unlink(missing_ok=True)
            raise
    return True


LONGEST_PATH = 259
"""Maximum number of characters of a path on Windows, unless Windows is configured for long paths."""


def is_too_long(error: OSError, path: Path) -> bool:
    """Whether an error means that the path is too long. Windows often reports such a path as not found."""
    windows = _SYSTEM == "win32" and isinstance(error, FileNotFoundError) and len(str(path)) > LONGEST_PATH
    return windows or error.errno == errno.ENAMETOOLONG or getattr(error, "winerror", None) == 206


OPEN_ELSEWHERE = (32, 33)
"""Error numbers of Windows that mean that another program has a file open or locked."""
OPEN_TARGET = (5, *OPEN_ELSEWHERE)
"""Error numbers of Windows that mean that another program has the target of a rename open. 5 is ERROR_ACCESS_DENIED."""


# Locks


NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
"""Values of `errno` that mean that a file system has no locks."""


def _take(lock: Callable[..., object], *arguments: object) -> bool:
    """Calls a system function that takes a lock. Returns False if another process or file handle has the lock."""
    try:
        lock(*arguments)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise
        return False
    return True


def _lock_byte(descriptor: int, mode: int) -> None:
    """Locks or unlocks a byte far beyond the text of a file, because on Windows other processes cannot read a locked
    byte."""
    os.lseek(descriptor, 1 << 30, os.SEEK_SET)
    try:
        _msvcrt.locking(descriptor, mode, 1)
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)


def lock_for_process(descriptor: int, patience: float = 0.5) -> bool:
    """Takes the lock of an open file for this process. Returns False if another process has the lock.

    The operating system frees the lock when this process ends, even if it is killed, and even if a child inherited the
    file. Raises OSError on a file system without locks.

    Args:
        descriptor: The open file.
        patience: Number of seconds to retry, because a process that only tests the lock takes it for a moment. On
            Linux, a test does not take the lock, so there is no retry.
    """
    lock, mode = (_lock_byte, _msvcrt.LK_NBLCK) if _fcntl is None else (_fcntl.lockf, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    deadline = time.monotonic() + patience
    while not (taken := _take(lock, descriptor, mode)) and _takes_to_ask() and time.monotonic() < deadline:
        time.sleep(0.02)
    return taken


def _takes_to_ask() -> bool:
    """Whether this system can test a lock only by taking it for a moment."""
    return _fcntl is None or _SYSTEM != "linux"


def is_locked_by_another(descriptor: int) -> bool:
    """Whether another process has the lock that `lock_for_process` takes.

    Raises OSError on a file system without locks.
    """
    if _fcntl is None:
        if not lock_for_process(descriptor, patience=0.1):
            return True
        _lock_byte(descriptor, _msvcrt.LK_UNLCK)
        return False
    if not _takes_to_ask():
        # F_GETLK tests the lock without taking it, so setset does not refuse a run that starts at this moment.
        request = struct.pack("hhqqi4x", _fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, *_ = struct.unpack("hhqqi4x", _fcntl.fcntl(descriptor, _fcntl.F_GETLK, request))
        return bool(kind != _fcntl.F_UNLCK)
    if not _take(_fcntl.lockf, descriptor, _fcntl.LOCK_SH | _fcntl.LOCK_NB):
        return True
    _fcntl.lockf(descriptor, _fcntl.LOCK_UN)
    return False


def lock_for_handle(file: IO[Any], wait: bool) -> bool:
    """Takes the lock of an open file until the file is closed. Returns False if another process or thread has the
    lock."""
    if _fcntl is None:
        mode = _msvcrt.LK_LOCK if wait else _msvcrt.LK_NBLCK
        while not (taken := _take(_lock_byte, file.fileno(), mode)) and wait:
            pass  # Windows gives up after ten seconds, so try again
        return taken
    return _take(_fcntl.flock, file, _fcntl.LOCK_EX | (0 if wait else _fcntl.LOCK_NB))


def remove_locked(path: Path, file: IO[Any]) -> None:
    """Removes a lock file that this process has locked by `lock_for_handle`; `file` is the open file.

    On Windows, the lock file stays if another process has opened it meanwhile.
    """
    if _SYSTEM == "win32":
        file.close()  # Windows removes no open files
    with contextlib.suppress(OSError):
        path.unlink()


# Processes and signals

START_METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
"""Start method of the workers of a Dask cluster. Windows has no forkserver."""
STOP_SIGNALS: tuple[int, ...] = tuple(
    int(getattr(signal, name)) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
"""Signals that ask a program to end: from Ctrl-C, a service or batch system, or a closed terminal."""


@contextlib.contextmanager
def interrupts_blocked(numbers: Iterable[int] = (signal.SIGINT,)) -> Iterator[None]:
    """Blocks Ctrl-C, or the given signals, in all processes and threads that start during the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    posix: Any = signal
    before = posix.pthread_sigmask(posix.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        posix.pthread_sigmask(posix.SIG_SETMASK, before)


def start_resource_tracker() -> None:
    """Starts the resource tracker of multiprocessing with blocked signals, so that a closed terminal does not end the
    tracker.

    Call this function before `interrupts_blocked`. Otherwise multiprocessing starts the tracker during the block, and
    unblocks the signals.
    """
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker

        with interrupts_blocked(STOP_SIGNALS):
            resource_tracker.ensure_running()


def ignore_interrupts(numbers: Iterable[int] = (signal.SIGINT,)) -> None:
    """Ignores Ctrl-C, or the given signals, in a child process, because the parent handles these signals."""
    if threading.current_thread() is threading.main_thread():
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)


def wait_for_end_of_parent() -> None:
    """Waits until the parent of this process has ended. A thread of a worker process calls this function."""
    parent = parent_process()
    if parent is None:
        return
    if not hasattr(os, "getppid") or _SYSTEM == "win32":
        parent.join()
        return
    # Polls, because `join` waits on a handle that other processes may inherit, and they may outlive the parent.
    pause = threading.Event()
    while os.getppid() == parent.pid:
        pause.wait(0.2)


_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUPS = Path("/proc/self/cgroup")


def usable_cores() -> int:
    """Number of processor cores that this process may use: the minimum of its affinity and its control group's CPU
    limit."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(cores, _cores_of_cgroups())))


def _cores_of_cgroups() -> float:
    """Lowest CPU limit, in cores, of the control groups of this process and their parents. Infinite without a limit."""
    limits = [math.inf]
    with contextlib.suppress(OSError):
        for line in _OWN_CGROUPS.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)  # cgroup version 2 names no controllers
            if not controllers or "cpu" in controllers.split(","):
                top = _CGROUPS / ("cpu" if controllers else "")
                folder = top / path.lstrip("/")
                limits += [_cpu_limit(group) for group in (folder, *folder.parents) if group.is_relative_to(top)]
    return min(limits)


def _cpu_limit(group: Path) -> float:
    """CPU limit of a control group in cores, from the files of cgroup version 2 or 1. Infinite without a limit."""
    for names in (["cpu.max"], ["cpu.cfs_quota_us", "cpu.cfs_period_us"]):
        with contextlib.suppress(OSError, ValueError):
            quota, period = " ".join((group / name).read_text() for name in names).split()
            return math.inf if quota in ("max", "-1") else int(quota) / int(period)
    return math.inf


def limit_cpu_seconds(seconds: int) -> None:
    """Sets a CPU time limit for this process, if the system has such limits. The system ends the process at the
    limit."""
    if _resource is not None:
        _resource.setrlimit(_resource.RLIMIT_CPU, (seconds, seconds + 5))


def free_bytes(folder: Path) -> int:
    """Number of free bytes on the disk of a folder. For a missing folder, looks at the nearest existing parent."""
    folder = folder.absolute()
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


# Users and paths


def user_id() -> str:
    """Id of the current user, as part of a file name."""
    if hasattr(os, "getuid"):
        return str(os.getuid())
    name = ""
    with contextlib.suppress(ImportError, KeyError, OSError):  # the user of a service may have no name
        name = getpass.getuser()
    return "".join(letter for letter in name if letter.isalnum()) or "user"


def data_folder() -> Path:
    """Folder in which setset keeps data of the current user. It may be missing. Raises RuntimeError without a home."""
    if _SYSTEM == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "setset"
    if _SYSTEM == "darwin":
        return Path.home() / "Library" / "Application Support" / "setset"
    shared = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".local" / "share") / "setset"


def is_private_folder(path: Path) -> bool:
    """Whether this user owns a folder and no other user may write to it. False for a link."""
    if path.is_symlink() or not path.is_dir():
        return False
    status = path.stat()
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def is_absolute_anywhere(path: str) -> bool:
    r"""Whether a path is absolute on any system: /mnt/nas, T:\caps, \\server\share."""
    return path.startswith(("/", "\\")) or (len(path) > 1 and path[0].isalpha() and path[1] == ":")


def leads_outside(path: str) -> bool:
    r"""Whether a path that should be relative to a folder leads out of that folder, on any system."""
    return is_absolute_anywhere(path) or ".." in path.replace("\\", "/").split("/") or "\0" in path
