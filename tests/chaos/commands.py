"""Commands of setset within this process, or in a fork of it that meets its end at a chosen call.

A command in a process of its own takes a second to start, most of it imports; a round of several faults has many.
Here its workers are threads. In a fork every call that changes a file, and every SQL statement, can be the last.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import resource
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from setset.cli import main
from tests.chaos.processes import Outcome
from tests.commands import threads_for_processes

SECONDS = 300
"""After which a command counts as hanging."""
HANGS = -1000
CHANGING = ("replace", "rename", "unlink", "fsync", "write", "link", "mkdir", "ftruncate", "open")
"""The functions of `os` before which a process can be killed."""

Fate = Callable[[], None]
"""Callback in a fork before its command begins."""


class Hangs(BaseException):
    """The time is up. Not an Exception, which commands may handle."""


def perform(*arguments: str) -> Outcome:
    """Runs a command to its end in this process, and says how it ended, as its own process would have."""
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace", write_through=True)
    with threads_for_processes(), _alarm(), contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        before, sys.argv = sys.argv, ["setset", *arguments]
        try:
            main()
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        except Hangs:
            code = HANGS
            traceback.print_exc()
        except BaseException:
            code = 1
            traceback.print_exc()
        finally:
            sys.argv = before
    return Outcome(code, output.buffer.getvalue().decode())  # type: ignore[attr-defined]


def perform_in_fork(log: Path, fate: Fate, *arguments: str) -> Outcome:
    """Runs a command in a fork of this process, which `fate` may let end before its time."""
    return end_of_fork(start_in_fork(log, fate, *arguments), log)


def start_in_fork(log: Path, fate: Fate, *arguments: str) -> int:
    """Starts a command in a fork of this process and returns its pid. Call `end_of_fork` with the same log."""
    log.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        try:
            fate()
            outcome = perform(*arguments)
            with contextlib.suppress(OSError):
                log.write_text(outcome.output, encoding="utf-8", errors="replace")
            os._exit(outcome.code % 256)
        finally:
            os._exit(99)
    return pid


def end_of_fork(pid: int, log: Path) -> Outcome:
    """Waits for a command that `start_in_fork` started. Kills a command that hangs."""
    deadline = time.monotonic() + SECONDS + 10
    finished, status = 0, 0
    while not finished:
        finished, status = os.waitpid(pid, os.WNOHANG)
        if not finished:
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.005)
    code = os.waitstatus_to_exitcode(status)
    output = log.read_text(encoding="utf-8") if log.exists() else ""
    log.unlink(missing_ok=True)
    return Outcome(128 - code if code < 0 else code, output)


def die_at(number: int) -> Fate:
    """kill -9 before this call, counting SQL statements and calls that change files."""

    def fate() -> None:
        calls = itertools.count(1)

        def count(*_: object) -> None:
            if next(calls) >= number:
                os.kill(os.getpid(), signal.SIGKILL)

        for name in CHANGING:
            setattr(os, name, _counted(getattr(os, name), count))
        original = sqlite3.connect

        def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
            connection = original(*arguments, **options)
            with contextlib.suppress(sqlite3.Error):
                # Pages go to the file before the commit, so that a journal is left that must be played back.
                connection.execute("PRAGMA cache_size = 1")
            connection.set_trace_callback(count)
            return connection

        sqlite3.connect = connect  # type: ignore[assignment]

    return fate


def _counted(function: Callable[..., Any], count: Callable[[], None]) -> Callable[..., Any]:
    def counting(*arguments: Any, **options: Any) -> Any:
        count()
        return function(*arguments, **options)

    return counting


def small_files(limit: int) -> Fate:
    """Limits the size of each file, as a full disk or a quota would."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    start = time.monotonic()

    def ring(*_: object) -> None:
        nonlocal start
        if time.monotonic() < start + 2 * SECONDS:
            raise Hangs
        start = time.monotonic()  # it rings late: not the command stood still, but this process, or the machine
        signal.alarm(SECONDS)

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
