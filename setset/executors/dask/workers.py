"""State of a worker of a cluster and of a task for a worker, as the coordinator sees them. Uses no Dask and no
threads."""

from __future__ import annotations

import enum
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from setset.activity import WorkerActivity
from setset.executors.base import describe_task


class WorkerState(enum.StrEnum):
    """State of a worker of a cluster."""

    PRESENT = "present"
    """The worker gets tasks."""
    CHECKING = "checking"
    """The worker loads setset and compiles the kernels, or the coordinator checks it after a failure."""
    REFUSED = "refused"
    """The worker has not passed its first check."""
    SUSPENDED = "suspended"
    """The worker failed. The coordinator checks it again from time to time."""
    PAUSED = "paused"
    """Dask paused the worker, because it is short of memory or about to leave."""
    SILENT = "silent"
    """The scheduler has had no heartbeat of the worker for a while."""


@dataclass(eq=False)
class PendingTask:
    """A task that waits in the queue or that a worker has. `remote` is Dask's future while a worker has the task."""

    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    remote: Any = None
    seen_at: float = 0.0
    """Time when the scheduler last reported the task as processing. Before the first report, time when the coordinator
    sent the task."""
    started_at: float = 0.0
    """Time when the worker had a free thread for the task. 0 while the task waits in the queue or behind another
    task."""
    error: BaseException | None = None
    """Last error of the task."""
    failed_on: set[str] = field(default_factory=set)
    """Addresses of workers on which the task failed. If a worker fails its check too, the task is not to blame, and the
    address is removed."""
    copies: list[PendingTask] = field(default_factory=list)
    """This task and all its copies, without failed ones. They share one list and one future."""

    def __post_init__(self) -> None:
        self.copies.append(self)

    def copy(self) -> PendingTask:
        """Makes a copy of the task for another worker. The first result of all copies counts."""
        return PendingTask(self.future, self.function, self.arguments, copies=self.copies)

    def forget(self) -> None:
        """Releases Dask's future. Wakes threads that wait for the result of the future: the result may be lost with the
        worker, and would never arrive."""
        remote, self.remote = self.remote, None
        if remote is not None:
            remote.release()

    def begin(self) -> bool:
        """Marks the task as running, unless the task is running already. Returns False if the task is done or
        cancelled."""
        if self.future.done():
            return False
        return self.future.running() or self.future.set_running_or_notify_cancel()

    def succeed(self, result: Any) -> None:
        """Sets the result of the task's future, unless a copy of the task was faster."""
        if not self.future.done():
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Sets the error of the task's future, unless a copy of the task has succeeded or may still succeed."""
        self.copies.remove(self)
        if not self.copies and not self.future.done():
            self.future.set_exception(error)


@dataclass(eq=False)
class Worker:
    """A worker process of a cluster, as the coordinator sees it. The worker gets tasks after it has passed its
    check."""

    address: str
    slots: int
    late: bool  # joined after the start of the run
    host: str = ""
    admitted: bool = False
    checking: bool = False
    checked_at: float = 0.0
    """Time when the last check began or ended."""
    problem: str = ""
    """Reason why the worker is refused or suspended. Empty otherwise."""
    paused: bool = False
    silent: bool = False
    last_seen: float = 0.0
    """Time of the last heartbeat, by the scheduler's clock."""
    heard_at: float = 0.0
    """Time when `last_seen` last changed, by the coordinator's clock."""
    failures: int = 0
    """Number of tasks in a row that failed on the worker."""
    done: int = 0
    failed: int = 0
    tasks: list[PendingTask] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"worker on {self.host or self.address}"

    @property
    def state(self) -> WorkerState:
        if self.problem:
            return WorkerState.SUSPENDED if self.admitted else WorkerState.REFUSED
        is_checking = self.checking or not self.admitted
        if self.silent and not is_checking:  # a worker that compiles may send no heartbeat for a while
            return WorkerState.SILENT
        if self.paused:
            return WorkerState.PAUSED
        return WorkerState.CHECKING if is_checking else WorkerState.PRESENT

    @property
    def reason(self) -> str:
        """Reason why the worker gets no tasks now, as the rest of a sentence after the worker's name."""
        return {
            WorkerState.PRESENT: "",
            WorkerState.CHECKING: "loads setset (a new node compiles the kernels, up to a minute)",
            WorkerState.PAUSED: "is paused by Dask (short of memory, see --memory-limit, or about to leave)",
            WorkerState.SILENT: "is silent (stopped, overloaded or cut off)",
        }.get(self.state, self.problem.removeprefix(f"{self.name} "))

    @property
    def ready(self) -> bool:
        return self.state is WorkerState.PRESENT

    @property
    def usable(self) -> bool:
        """Whether the worker is ready for tasks, or may be ready after its next check."""
        return self.ready or (self.admitted and self.checking and not self.problem)

    @property
    def stands(self) -> bool:
        """Whether the tasks of the worker may be stuck, because it is paused or silent."""
        return self.paused or self.silent

    @property
    def load(self) -> float:
        return len(self.tasks) / self.slots

    def give(self, task: PendingTask, now: float) -> None:
        """Records that a task was sent to the worker."""
        task.seen_at = now
        self.tasks.append(task)
        self.start_tasks(now)

    def start_tasks(self, now: float) -> None:
        """Records `now` as the start of each task for which the worker has a free thread."""
        for task in self.tasks[: self.slots]:
            task.started_at = task.started_at or now

    def take_lost_tasks(self, processing: set[str], now: float, patience: float) -> list[PendingTask]:
        """Takes lost tasks from the worker. A task is lost if for `patience` seconds the scheduler has reported the
        task neither as processing nor as finished. A task of a paused worker is not lost, because the scheduler keeps
        the task until the worker goes on.
        """
        lost = []
        for task in self.tasks[::-1]:
            if self.paused or task.remote.key in processing or task.remote.done():
                task.seen_at = max(task.seen_at, now)
            elif now - task.seen_at > patience:
                self.tasks.remove(task)
                task.forget()
                lost.append(task)
        self.start_tasks(now)  # of tasks that waited behind a lost task
        return lost

    def hear(self, last_seen: float, now: float, patience: float) -> None:
        """Records the time of the worker's last heartbeat. Without a new heartbeat for `patience` seconds, the worker
        is silent."""
        if last_seen != self.last_seen:
            self.last_seen, self.heard_at = last_seen, now
        self.silent = now - self.heard_at > patience

    def activity(self, now: float) -> WorkerActivity:
        """State and tasks of the worker, for `setset status`."""
        tasks = (
            describe_task(task.arguments, now - task.started_at if task.started_at else None) for task in self.tasks
        )
        return WorkerActivity(
            self.host or self.address,
            self.address,
            self.state,
            self.reason,
            self.done,
            self.failed,
            tuple(chain.from_iterable(tasks)),
        )

    def take_tasks(self) -> list[PendingTask]:
        """Takes all tasks from the worker, and releases their futures. Returns the tasks that are not done."""
        tasks, self.tasks = self.tasks, []
        for task in tasks:
            task.forget()
            task.started_at = 0.0
        return [task for task in tasks if not task.future.done()]
