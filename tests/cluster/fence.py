"""Preloaded into a Dask worker, to make it stumble over files by name: it cannot open what lies below the folder
in SETSET_TEST_FENCE, and dies of reading a file whose path ends with SETSET_TEST_POISON."""

import os
import signal
import sys
from pathlib import Path

FENCE = os.environ.get("SETSET_TEST_FENCE")
POISON = os.environ.get("SETSET_TEST_POISON")
EVENTS = {"open", "os.listdir", "os.mkdir", "os.rename", "os.remove", "os.scandir"}


def stumble(event: str, arguments: tuple[object, ...]) -> None:
    if event not in EVENTS:
        return
    for path in (os.fsdecode(each) for each in arguments if isinstance(each, str | os.PathLike)):
        if FENCE and path.startswith(FENCE):
            raise PermissionError(13, "not on this worker", path)
        if POISON and event == "open" and path.endswith(POISON) and Path(path).exists():
            os.kill(os.getpid(), signal.SIGKILL)


def dask_setup(_worker: object) -> None:
    sys.addaudithook(stumble)
