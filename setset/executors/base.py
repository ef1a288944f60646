"""Interface between the coordinator and executors, and their errors."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from setset.activity import Activity, RunningTask, ago
from setset.errors import SetsetError
from setset.tasks.kinds import SEED_SOURCE_SIZE, CountTask, ExpandTask

StartExecutor = Callable[[int], Executor]
"""Starts an executor with a number of workers."""
Notice = Callable[[str], None]

ATTEMPTS = 3
"""A task that failed this often is given up until the next run."""


class WorkerDied(SetsetError):
    """The process that executed a task is gone."""


class WorkerFailed(SetsetError):
    """A worker elsewhere could not execute a task; the message names the host."""


class ExecutorLost(SetsetError):
    """The executor as a whole is out of reach: no task is to blame, and none can be executed."""


@dataclass(frozen=True)
class Requirements:
    """Requirements of a run on a worker elsewhere: version, build, and storage roots, by the worker's paths."""

    workspace_id: str
    version: str
    roots: tuple[str, ...]
    trial_folder: str
    """The folder, below the first root, in which the worker shows that it can write. The run makes it
    anyway, and the clean-up finds there the files of a killed worker."""
    build: str = ""
    """Digest of the sources that decide the bytes of a file."""


class ObservableExecutor(Executor, ABC):
    """An executor that knows which worker has which task."""

    @abstractmethod
    def activity(self) -> Activity:
        """The workers now, and the task of each."""


class RemoteExecutor(ObservableExecutor):
    """An executor whose workers are elsewhere, and may come and go."""

    @abstractmethod
    def wait_for_workers(self, requirements: Requirements, notice: Notice, stopping: Callable[[], bool]) -> None:
        """Returns when there is a worker that meets the requirements, or when the run is `stopping`.

        Workers that come later have to meet them too.
        """

    @abstractmethod
    def workers(self) -> int:
        """How many tasks can be executed at a time, now."""


def describe_task(arguments: tuple[Any, ...], seconds: float | None) -> tuple[RunningTask, ...]:
    """The task among the arguments of a call, begun `seconds` ago; nothing if the queue has no such task."""
    (task,) = arguments if len(arguments) == 1 else (None,)
    if not isinstance(task, ExpandTask | CountTask):
        return ()
    source = (SEED_SOURCE_SIZE, 0) if task.source is None else (task.source.size, task.source.number)
    return (RunningTask(task.size, *source, None if seconds is None else ago(seconds)),)


def shut_down(executor: Executor, wait: bool) -> None:
    """Ends an executor and drops the tasks that wait. Some executors, such as loky, cannot drop them."""
    can_drop = "cancel_futures" in inspect.signature(executor.shutdown).parameters
    executor.shutdown(wait=wait, **({"cancel_futures": True} if can_drop else {}))


def worker_count(executor: Executor, asked: int) -> int:
    """How many workers an executor has: what it was asked for, unless they come and go."""
    return executor.workers() if isinstance(executor, RemoteExecutor) else asked
