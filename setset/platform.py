"""Differences between Linux, macOS and Windows. No other module asks which system it runs on.

Each function works wherever Python does: with what POSIX has if it is there, with what Windows has if not. The
modules that only one of them has are looked up by name, so that type checkers accept this file on all three.
"""

import contextlib
import errno
import getpass
import importlib
import math
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
    """A module of the standard library that not every system has; None where it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


_SYSTEM: str = sys.platform
_fcntl = _optional("fcntl")
_msvcrt = _optional("msvcrt")
_resource = _optional("resource")

# Opening files

_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)

READ = os.O_RDONLY | _CLOSE_ON_EXEC | _BINARY | _NO_LINKS | _NO_WAITING
"""Flags to read a file that may be anything: follows no link, does not wait for a writer of a FIFO."""
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOSE_ON_EXEC | _BINARY | _NO_LINKS
"""Flags to make a file that must not be there yet."""
OPEN_OR_CREATE = os.O_RDWR | os.O_CREAT | _CLOSE_ON_EXEC | _BINARY | _NO_LINKS | _NO_WAITING
"""Flags to open a file to read and write, made if it is not there."""


@contextlib.contextmanager
def opened_folder(path: Path, dir_fd: int | None = None) -> Iterator[int | None]:
    """A descriptor of a folder, for the `dir_fd` of other calls; None where folders cannot be opened."""
    if not _FOLDER or os.open not in os.supports_dir_fd:
        yield None
        return
    descriptor = os.open(path, os.O_RDONLY | _FOLDER | _CLOSE_ON_EXEC, dir_fd=dir_fd)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Makes sure that the names in a folder are on the disk. Windows does that by itself."""
    with opened_folder(path) as descriptor:
        if descriptor is not None:
            os.fsync(descriptor)


_NO_LINKS_THERE = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)
"""Errors of file systems without hard links. EINVAL is the error of FAT and of some servers on Windows."""


def rename_if_free(source: Path, place: Path) -> bool:
    """Gives a file its name if no file has that name yet; False if one has. One step, also on a shared disk."""
    try:
        os.link(source, place)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS_THERE:
            raise
        try:
            descriptor = os.open(place, CREATE, 0o666)
        except FileExistsError:
            return False
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(source.read_bytes())
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            place.unlink(missing_ok=True)
            raise
    return True


LONGEST_PATH = 259
"""Characters of a path on Windows, unless it is set up for longer ones."""


def is_too_long(error: OSError, path: Path) -> bool:
    """Whether a file cannot be made since its path is too long. Windows often says that the path is not found."""
    windows = _SYSTEM == "win32" and isinstance(error, FileNotFoundError) and len(str(path)) > LONGEST_PATH
    return windows or error.errno == errno.ENAMETOOLONG or getattr(error, "winerror", None) == 206


OPEN_ELSEWHERE = (32, 33)
"""Errors of Windows if another program has a file open or locked."""
OPEN_TARGET = (5, *OPEN_ELSEWHERE)
"""The same if the file is to be replaced: Windows calls that a lack of permission."""


# Locks


NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
"""Errors of file systems without locks."""


def _take(lock: Callable[..., object], *arguments: object) -> bool:
    """Takes a lock; False if somebody else has it."""
    try:
        lock(*arguments)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise
        return False
    return True


def _lock_byte(descriptor: int, mode: int) -> None:
    """Locks one byte beyond the text of the file: Windows locks bytes, and nobody can read a locked one."""
    os.lseek(descriptor, 1 << 30, os.SEEK_SET)
    try:
        _msvcrt.locking(descriptor, mode, 1)
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)


def lock_for_process(descriptor: int, patience: float = 0.5) -> bool:
    """Takes the lock of an open file for this process; False if another process has it.

    The operating system frees the lock when this process ends, however it ends, even if a child inherited the file.
    Raises OSError on a file system without locks.

    Args:
        descriptor: The open file.
        patience: Seconds to try. Other processes take the lock for a moment to ask about it, except on Linux.
    """
    lock, mode = (_lock_byte, _msvcrt.LK_NBLCK) if _fcntl is None else (_fcntl.lockf, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    deadline = time.monotonic() + patience
    while not (taken := _take(lock, descriptor, mode)) and _takes_to_ask() and time.monotonic() < deadline:
        time.sleep(0.02)
    return taken


def _takes_to_ask() -> bool:
    """Whether nobody can ask about a lock without taking it."""
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
        # Asking leaves no moment in which a run that starts would find the lock taken by the process that asks.
        asked = struct.pack("hhqqi4x", _fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, *_ = struct.unpack("hhqqi4x", _fcntl.fcntl(descriptor, _fcntl.F_GETLK, asked))
        return bool(kind != _fcntl.F_UNLCK)
    if not _take(_fcntl.lockf, descriptor, _fcntl.LOCK_SH | _fcntl.LOCK_NB):
        return True
    _fcntl.lockf(descriptor, _fcntl.LOCK_UN)
    return False


def lock_for_handle(file: IO[Any], wait: bool) -> bool:
    """Takes the lock of an open file until it is closed, also against other threads; False if somebody has it."""
    if _fcntl is None:
        mode = _msvcrt.LK_LOCK if wait else _msvcrt.LK_NBLCK
        while not (taken := _take(_lock_byte, file.fileno(), mode)) and wait:
            pass  # Windows itself gives up after ten seconds
        return taken
    return _take(_fcntl.flock, file, _fcntl.LOCK_EX | (0 if wait else _fcntl.LOCK_NB))


# Processes and signals

STOP_SIGNALS: tuple[int, ...] = tuple(
    int(getattr(signal, name)) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
"""The signals that ask a program to end: Ctrl-C, a service or batch system, a terminal that is closed."""


@contextlib.contextmanager
def interrupts_blocked(numbers: Iterable[int] = (signal.SIGINT,)) -> Iterator[None]:
    """A process or thread that is started in here does not get Ctrl-C, or these signals: they are for this one."""
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
    """Starts a process that multiprocessing has where it spawns others. Started inside `interrupts_blocked`, it would
    undo that; and a terminal that is closed is nothing to it."""
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker

        with interrupts_blocked(STOP_SIGNALS):
            resource_tracker.ensure_running()


def ignore_interrupts(numbers: Iterable[int] = (signal.SIGINT,)) -> None:
    """In a process that was started for another one: Ctrl-C, or these signals, are for that one."""
    if threading.current_thread() is threading.main_thread():
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)


def wait_for_end_of_parent() -> None:
    """Returns when the process that started this one is gone. For a thread of a worker process."""
    parent = parent_process()
    if parent is None:
        return
    if not hasattr(os, "getppid") or _SYSTEM == "win32":
        parent.join()
        return
    # A look now and then, since what `join` waits on may be inherited by others and outlive the parent.
    pause = threading.Event()
    while os.getppid() == parent.pid:
        pause.wait(0.2)


_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUPS = Path("/proc/self/cgroup")


def usable_cores() -> int:
    """Cores that this process may use: by its affinity, and by the CPU limit of its container or service."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(cores, _cores_of_cgroups())))


def _cores_of_cgroups() -> float:
    """CPU limit of the control groups that this process is in, and of the groups above them; infinite without one."""
    limits = [math.inf]
    with contextlib.suppress(OSError):
        for line in _OWN_CGROUPS.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)  # version 2 names no controllers
            if not controllers or "cpu" in controllers.split(","):
                top = _CGROUPS / ("cpu" if controllers else "")
                folder = top / path.lstrip("/")
                limits += [_cpu_limit(group) for group in (folder, *folder.parents) if group.is_relative_to(top)]
    return min(limits)


def _cpu_limit(group: Path) -> float:
    """Cores that one control group grants, by the files of version 2 or 1."""
    for names in (["cpu.max"], ["cpu.cfs_quota_us", "cpu.cfs_period_us"]):
        with contextlib.suppress(OSError, ValueError):
            quota, period = " ".join((group / name).read_text() for name in names).split()
            return math.inf if quota in ("max", "-1") else int(quota) / int(period)
    return math.inf


def limit_cpu_seconds(seconds: int) -> None:
    """Ends this process after this CPU time, where the system can do that."""
    if _resource is not None:
        _resource.setrlimit(_resource.RLIMIT_CPU, (seconds, seconds + 5))


def free_bytes(folder: Path) -> int:
    """Free bytes on the disk of a folder. If the folder is missing, its nearest existing parent counts."""
    folder = folder.absolute()
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


# Users and paths


def user_id() -> str:
    """Part of a file name that differs between users."""
    if hasattr(os, "getuid"):
        return str(os.getuid())
    name = ""
    with contextlib.suppress(ImportError, KeyError, OSError):  # a service without a name
        name = getpass.getuser()
    return "".join(letter for letter in name if letter.isalnum()) or "user"


def data_folder() -> Path:
    """Folder for the user's own data, which may be missing. RuntimeError if the user has no home."""
    if _SYSTEM == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "setset"
    if _SYSTEM == "darwin":
        return Path.home() / "Library" / "Application Support" / "setset"
    shared = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".local" / "share") / "setset"


def is_private_folder(path: Path) -> bool:
    """Whether this is a folder of this user that nobody else may write to, and not a link to one."""
    if path.is_symlink() or not path.is_dir():
        return False
    found = path.stat()
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


def is_absolute_anywhere(path: str) -> bool:
    r"""Whether a path is absolute on any system: /mnt/nas, T:\caps, \\server\share."""
    return path.startswith(("/", "\\")) or (len(path) > 1 and path[0].isalpha() and path[1] == ":")


def leads_outside(path: str) -> bool:
    r"""Whether a path that should be relative to a folder leads out of it, on any system."""
    return is_absolute_anywhere(path) or ".." in path.replace("\\", "/").split("/") or "\0" in path
