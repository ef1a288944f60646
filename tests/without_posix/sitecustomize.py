"""Python loads this first if its folder is in PYTHONPATH: an interpreter that lacks what Windows lacks.

It has a `msvcrt` with the one function that setset uses. What it cannot show is how Windows itself behaves.
"""

import errno
import fcntl
import os
import signal
import sys
import types

MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty")
OF_OS = (
    "fork",
    "forkpty",
    "getuid",
    "geteuid",
    "getgid",
    "setuid",
    "killpg",
    "setsid",
    "sched_getaffinity",
    "register_at_fork",
    "O_DIRECTORY",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "O_CLOEXEC",
    "mkfifo",
)
OF_SIGNAL = ("pthread_sigmask", "SIG_BLOCK", "SIG_SETMASK", "SIGHUP", "SIGUSR1")


def _locking(descriptor: int, mode: int, count: int) -> None:
    """Locks bytes from the place where the file stands, as on Windows."""
    is_read_only = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    lock = fcntl.LOCK_SH if is_read_only else fcntl.LOCK_EX  # POSIX lets nobody lock alone what they cannot write
    kinds = {0: fcntl.LOCK_UN, 1: lock, 2: lock | fcntl.LOCK_NB}
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        fcntl.lockf(descriptor, kinds[mode], count, position)
    except OSError as error:
        raise OSError(errno.EACCES, "Permission denied") from error


windows = types.ModuleType("msvcrt")
windows.locking = _locking  # type: ignore[attr-defined]
windows.LK_UNLCK, windows.LK_LOCK, windows.LK_NBLCK = 0, 1, 2  # type: ignore[attr-defined]

for name in OF_OS:
    if hasattr(os, name):
        delattr(os, name)
if hasattr(os, "process_cpu_count"):  # from Python 3.13 on; it asks for the affinity where the system has one
    os.process_cpu_count = os.cpu_count
for name in OF_SIGNAL:
    if hasattr(signal, name):
        delattr(signal, name)
os.supports_dir_fd.clear()
for name in MODULES:
    sys.modules[name] = None  # type: ignore[assignment]
# Not before now: `subprocess` takes a system with a module of this name for Windows.
import subprocess  # noqa: E402, F401

sys.modules["msvcrt"] = windows

from multiprocessing import reduction  # noqa: E402

reduction.HAVE_SEND_HANDLE = False  # then multiprocessing has no forkserver
