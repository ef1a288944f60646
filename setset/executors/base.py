"""Interface between the coordinator and the executors, and the errors of executors."""

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
"""Maximum number of failures of a task in one run. The next run tries the task again."""


class WorkerDied(SetsetError):
    """The process that executed a task is gone."""


class WorkerFailed(SetsetError):
    """A remote worker could not execute a task. The message names the host."""


class ExecutorLost(SetsetError):
    """The executor as a whole is out of reach. No task is to blame, and no task can be executed."""


@dataclass(frozen=True)
class Requirements:
    """Requirements of a run on a remote worker: version, build and storage roots. Paths are the worker's own."""

    workspace_id: str
    version: str
    roots: tuple[str, ...]
    trial_folder: str
    """Folder, relative to the first root, in which the worker shows that it can write. The run needs this folder
    anyway, and its clean-up removes the files of a killed worker there."""
    build: str = ""
    """Digest of the source code that decides the bytes of a batch file."""


class ObservableExecutor(Executor, ABC):
    """An executor that knows which worker has which task."""

    @abstractmethod
    def activity(self) -> Activity:
        """Current workers, and the tasks of each."""


class RemoteExecutor(ObservableExecutor):
    """An executor with remote workers, which may come and go."""

    @abstractmethod
    def wait_for_workers(self, requirements: Requirements, notice: Notice, stopping: Callable[[], bool]) -> None:
        """Returns when there is a worker that meets the requirements, or when the run is `stopping`.

        Workers that come later must meet the requirements too.
        """

    @abstractmethod
    def workers(self) -> int:
        """Number of tasks that the current workers can execute at a time."""


def describe_task(arguments: tuple[Any, ...], seconds: float | None) -> tuple[RunningTask, ...]:
    """Describes the task in the arguments of a call, begun `seconds` ago. Empty if the call has no task of a run."""
    (task,) = arguments if len(arguments) == 1 else (None,)
    if not isinstance(task, ExpandTask | CountTask):
        return ()
    source = (SEED_SOURCE_SIZE, 0) if task.source is None else (task.source.size, task.source.number)
    return (RunningTask(task.size, *source, None if seconds is None else ago(seconds)),)


def shut_down(executor: Executor, wait: bool) -> None:
    """Ends an executor and cancels waiting tasks. Some executors, such as loky, cannot cancel them."""
    can_drop = "cancel_futures" in inspect.signature(executor.shutdown).parameters
    executor.shutdown(wait=wait, **({"cancel_futures": True} if can_drop else {}))


def worker_count(executor: Executor, requested: int) -> int:
    """Number of workers of an executor: the current number if workers come and go, else the requested number."""
    return executor.workers() if isinstance(executor, RemoteExecutor) else requested
