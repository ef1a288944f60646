"""Preloaded into a Dask worker. As long as files with these names are in the folder SETSET_CHAOS_FLAGS, it says that
it has another version of setset, or executes each task twice at the same time, as Dask may."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setset.executors.base import Requirements
from setset.executors.dask import transfer
from setset.tasks import execute as tasks
from setset.tasks.kinds import Task, TaskResult

OTHER_VERSION, TWICE = "other-version", "twice"


def dask_setup(_worker: object) -> None:
    flags = Path(os.environ["SETSET_CHAOS_FLAGS"])
    own, check, execute_once = transfer.__version__, transfer._wrong_version, tasks.execute

    def wrong_version(requirements: Requirements) -> str:
        transfer.__version__ = "0.0.1" if (flags / OTHER_VERSION).exists() else own
        return check(requirements)

    def execute(task: Task) -> TaskResult:
        if not (flags / TWICE).exists():
            return execute_once(task)
        with ThreadPoolExecutor(2) as threads:
            return list(threads.map(execute_once, (task, task)))[-1]

    transfer._wrong_version, tasks.execute = wrong_version, execute
