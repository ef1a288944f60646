"""Preloaded into a Dask worker, whose faults are switched on by names in the folder SETSET_CHAOS_FLAGS.

twice: it executes each task twice at the same time, as Dask may. hanging-PID: its tasks never end. unmounted-PID, a
link: it sees nothing below the folder that the link leads to."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setset.tasks import execute as tasks
from setset.tasks.kinds import Task, TaskResult

TWICE, HANGING, UNMOUNTED = "twice", "hanging", "unmounted"
EVENTS = {"open", "os.listdir", "os.mkdir", "os.rename", "os.remove", "os.scandir"}


def dask_setup(_worker: object) -> None:
    flags, execute_once = os.environ["SETSET_CHAOS_FLAGS"], tasks.execute
    unmounted = f"{flags}/{UNMOUNTED}-{os.getpid()}"

    def execute(task: Task) -> TaskResult:
        while Path(flags, f"{HANGING}-{os.getpid()}").exists():
            time.sleep(0.1)
        if not Path(flags, TWICE).exists():
            return execute_once(task)
        with ThreadPoolExecutor(2) as threads:
            return list(threads.map(execute_once, (task, task)))[-1]

    def hide(event: str, arguments: tuple[object, ...]) -> None:
        if event in EVENTS and os.path.exists(unmounted):  # noqa: PTH110 (pathlib would be audited)
            root = os.readlink(unmounted)  # noqa: PTH115
            if any(str(argument).startswith(root) for argument in arguments if isinstance(argument, str | os.PathLike)):
                raise FileNotFoundError(2, "not mounted on this worker", root)

    tasks.execute = execute
    sys.addaudithook(hide)
