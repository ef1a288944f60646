"""A worker of a cluster and a task on its way to one. No Dask, no threads."""

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
    """It gets tasks."""
    CHECKING = "checking"
    """It loads setset and compiles the kernels, or is checked after a failure."""
    REFUSED = "refused"
    """It has not passed its first check."""
    SUSPENDED = "suspended"
    """It failed; it is checked again now and then."""
    PAUSED = "paused"
    """Dask paused it: it is short of memory or about to leave."""
    SILENT = "silent"
    """The scheduler has not heard of it for a while."""


@dataclass(eq=False)
class PendingTask:
    """A task on its way. `remote` is Dask's own future, as long as a worker has the task."""

    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    remote: Any = None
    seen_at: float = 0.0
    """When the scheduler last had it at work, or the worker got it."""
    started_at: float = 0.0
    """When its worker could begin with it; 0 while it waits there for another task."""
    error: BaseException | None = None
    """Error of the last worker that failed it."""
    failed_on: set[str] = field(default_factory=set)
    """Addresses of workers that failed it and passed their check afterwards."""
    copies: list[PendingTask] = field(default_factory=list)
    """All tasks with the same future that a worker has or will have, this one among them."""

    def __post_init__(self) -> None:
        self.copies.append(self)

    def copy(self) -> PendingTask:
        """A second copy for another worker: the first result counts."""
        return PendingTask(self.future, self.function, self.arguments, copies=self.copies)

    def forget(self) -> None:
        """Gives up Dask's future. Wakes whoever waits for its result, which may be lost with a worker."""
        remote, self.remote = self.remote, None
        if remote is not None:
            remote.release()

    def begin(self) -> bool:
        """Whether the caller still wants it. A task of a lost worker has begun before."""
        if self.future.done():
            return False
        return self.future.running() or self.future.set_running_or_notify_cancel()

    def succeed(self, result: Any) -> None:
        """Hands the result to the caller, unless a copy was faster."""
        if not self.future.done():
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Hands the error to the caller, unless a copy has succeeded or may yet succeed."""
        self.copies.remove(self)
        if not self.copies and not self.future.done():
            self.future.set_exception(error)


@dataclass(eq=False)
class Worker:
    """A process of the cluster; it gets tasks when it is admitted, after it has shown that it can work."""

    address: str
    slots: int
    late: bool  # it came after the start
    host: str = ""
    admitted: bool = False
    checking: bool = False
    checked_at: float = 0.0
    """When its last check began or ended."""
    problem: str = ""
    """Reason why it gets no tasks: it is refused or suspended."""
    paused: bool = False
    silent: bool = False
    last_seen: float = 0.0
    """Time of its last heartbeat, by the clock of the scheduler."""
    heard_at: float = 0.0
    """When that time last changed, by the clock of the coordinator."""
    failures: int = 0
    """Failures in a row."""
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
        if self.checking or not self.admitted:
            return WorkerState.CHECKING
        return WorkerState.SILENT if self.silent else WorkerState.PAUSED if self.paused else WorkerState.PRESENT

    @property
    def reason(self) -> str:
        """Reason why it gets no tasks now, to be read after its name."""
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
        """Whether it is ready, or may be after its check."""
        return self.ready or (self.admitted and self.state is WorkerState.CHECKING)

    @property
    def load(self) -> float:
        return len(self.tasks) / self.slots

    def give(self, task: PendingTask, now: float) -> None:
        """Adds a task that was sent to the worker."""
        task.seen_at = now
        self.tasks.append(task)
        self.start_tasks(now)

    def start_tasks(self, now: float) -> None:
        """Notes the time for tasks that a thread of the worker can execute now."""
        for task in self.tasks[: self.slots]:
            task.started_at = task.started_at or now

    def hear(self, last_seen: float, now: float, patience: float) -> None:
        """Notes the time of its last heartbeat. A worker is silent if that time has not changed for a while."""
        if last_seen != self.last_seen:
            self.last_seen, self.heard_at = last_seen, now
        self.silent = now - self.heard_at > patience

    def activity(self, now: float) -> WorkerActivity:
        """Its state and tasks for people."""
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
        """Takes all tasks from the worker, and forgets their results."""
        tasks, self.tasks = self.tasks, []
        for task in tasks:
            task.forget()
            task.started_at = 0.0
        return [task for task in tasks if not task.future.done()]
