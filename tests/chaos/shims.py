"""Shims for a command in a fork: locks that fail or lie, a slow disk, a clock that jumps, a disk that ignores case.

Each shim replaces functions of Python's own modules. SQLite calls the system itself, so its files keep the real ones.
"""

from __future__ import annotations

import builtins
import datetime
import errno
import fcntl
import io
import os
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, NoReturn

from setset.tasks import worker
from tests.chaos.commands import Fate

JUMPS = [datetime.timedelta(days=days) for days in (-20_000, -1, 1, 10_000)]
SLOWEST = 0.03
"""Longest delay of one fsync, in seconds."""
WITH_PATHS = ("open", "stat", "lstat", "statvfs", "listdir", "scandir", "mkdir", "rmdir", "unlink", "access", "utime")
WITH_TWO_PATHS = ("rename", "replace", "link")


def failing_locks() -> None:
    """Every lock fails, as on a network drive without a lock service."""

    def fail(*_: object) -> NoReturn:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    fcntl.lockf = fcntl.flock = fcntl.fcntl = fail


def lying_locks() -> None:
    """Every lock succeeds, whoever holds it, and nobody seems to hold one."""

    def succeed(*_: object) -> None:
        pass

    def nobody(_descriptor: int, _question: int, request: bytes = b"", *_: object) -> bytes:
        return struct.pack("h", fcntl.F_UNLCK) + request[2:]

    fcntl.lockf, fcntl.flock, fcntl.fcntl = succeed, succeed, nobody  # type: ignore[assignment]


def slow_fsync(random: Random) -> Fate:
    """Every fsync takes up to some hundredths of a second."""

    def fate() -> None:
        original = os.fsync

        def slow(descriptor: int) -> None:
            time.sleep(random.random() * SLOWEST)
            original(descriptor)

        os.fsync = slow  # type: ignore[assignment]

    return fate


def jumping_clock(random: Random) -> Fate:
    """The clock of one worker jumps by a day or by decades, now and then. The clock that only counts on does not."""

    def fate() -> None:
        victims: list[int] = []

        class Jumping(datetime.datetime):
            @classmethod
            def now(cls, tz: datetime.tzinfo | None = None) -> Any:
                thread = threading.get_ident()
                if not victims:
                    victims.append(thread)
                jump = random.choice(JUMPS) if thread == victims[0] else datetime.timedelta()
                return datetime.datetime.now(tz) + jump

        vars(worker)["datetime"] = SimpleNamespace(datetime=Jumping, UTC=datetime.UTC)

    return fate


def case_insensitive(folder: Path) -> Fate:
    """Names below a folder mean the same in capitals and in small letters. What is there has small letters."""
    prefix = f"{folder}{os.sep}"

    def fold(path: Any) -> Any:
        text = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
        return prefix + text[len(prefix) :].lower() if isinstance(text, str) and text.startswith(prefix) else path

    def folded(function: Callable[..., Any], paths: int) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            return function(*map(fold, arguments[:paths]), *arguments[paths:], **options)

        return call

    def fate() -> None:
        for names, paths in ((WITH_PATHS, 1), (WITH_TWO_PATHS, 2)):
            for name in names:
                original = getattr(os, name)
                shim = folded(original, paths)
                for functions in (os.supports_dir_fd, os.supports_follow_symlinks, os.supports_fd):
                    if original in functions:
                        functions.add(shim)
                setattr(os, name, shim)
        io.open = builtins.open = folded(io.open, 1)

    return fate
