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
"""Function that starts an executor with the given number of workers."""
Notice = Callable[[str], None]

ATTEMPTS = 3
"""Number of failures in one run after which a task is given up. The next run tries the task again."""


class WorkerDied(SetsetError):
    """The worker process that executed a task died."""


class WorkerFailed(SetsetError):
    """A task failed on a remote worker. The message names the host."""


class ExecutorLost(SetsetError):
    """The executor cannot execute any task, for example because its scheduler does not answer. No task is to blame."""


@dataclass(frozen=True)
class Requirements:
    """Requirements that a remote worker must meet for a run: version, build and storage roots. All paths are as the
    worker's machine sees them."""

    workspace_id: str
    version: str
    roots: tuple[str, ...]
    trial_folder: str
    """Folder in which the worker writes a test file, as a path relative to the first root. Later runs remove all
    temporary files in this folder of batch files, so also the test file of a killed worker."""
    build: str = ""
    """Digest of the source code that decides the bytes of a batch file (see `build_digest`)."""


class ObservableExecutor(Executor, ABC):
    """An executor that can tell which task each worker has, for `setset status`."""

    @abstractmethod
    def activity(self) -> Activity:
        """Returns the current workers and the tasks of each worker."""


class RemoteExecutor(ObservableExecutor):
    """An executor with workers on other machines. Workers may join and leave during a run."""

    @abstractmethod
    def wait_for_workers(self, requirements: Requirements, notice: Notice, stopping: Callable[[], bool]) -> None:
        """Waits until a worker meets the requirements, or until `stopping` returns True.

        Workers that join later must also meet the requirements.
        """

    @abstractmethod
    def workers(self) -> int:
        """Number of tasks that the current workers can execute at the same time."""


def describe_task(arguments: tuple[Any, ...], seconds: float | None) -> tuple[RunningTask, ...]:
    """Describes the task of a function call for `setset status`. `seconds` is the time since the start of the call;
    None if the call waits. Returns an empty tuple for a call without a task, such as the check of a worker."""
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
    """Number of workers of an executor. If workers may join and leave, the current number; otherwise the requested
    number."""
    return executor.workers() if isinstance(executor, RemoteExecutor) else requested
