"""Preloaded into a Dask worker, to make it fail on files by name: it cannot open what is below the folder in
SETSET_TEST_UNREADABLE, and dies of reading a file whose path ends with SETSET_TEST_DEADLY."""

import os
import signal
import sys
from pathlib import Path

UNREADABLE = os.environ.get("SETSET_TEST_UNREADABLE")
DEADLY = os.environ.get("SETSET_TEST_DEADLY")
EVENTS = {"open", "os.listdir", "os.mkdir", "os.rename", "os.remove", "os.scandir"}


def fail(event: str, arguments: tuple[object, ...]) -> None:
    if event not in EVENTS:
        return
    for path in (os.fsdecode(argument) for argument in arguments if isinstance(argument, str | os.PathLike)):
        if UNREADABLE and path.startswith(UNREADABLE):
            raise PermissionError(13, "not on this worker", path)
        if DEADLY and event == "open" and path.endswith(DEADLY) and Path(path).exists():
            os.kill(os.getpid(), signal.SIGKILL)


def dask_setup(_worker: object) -> None:
    sys.addaudithook(fail)
