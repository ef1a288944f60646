"""Workers of a cluster, the task that each of them has, and who gets the next one. No Dask, no threads."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from setset.executors.base import WorkerDied

DEPTH = 2
"""Tasks that a worker's thread has at a time: one that it executes and one that waits, so that it is never
idle for the length of a message. The last ones wait here, for whoever is done first."""


@dataclass(eq=False)
class PendingTask:
    """A task on its way. `remote` is Dask's own future, as long as a worker has the task."""

    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    remote: Any = None
    seen_at: float = 0.0
    """When the scheduler last had it at work, or the worker got it."""

    def forget(self) -> None:
        """Gives up Dask's future. Wakes whoever waits for its result, which may be lost with a worker."""
        remote, self.remote = self.remote, None
        if remote is not None:
            remote.release()

    def begin(self) -> bool:
        """Whether the caller still wants it. One that comes back from a lost worker has begun before."""
        return self.future.running() or self.future.set_running_or_notify_cancel()


@dataclass(eq=False)
class Worker:
    """A process of the cluster; it gets tasks when it is admitted, after it has shown that it can work."""

    address: str
    slots: int
    late: bool  # it came after the start
    host: str = ""
    admitted: bool = False
    problem: str = ""  # why it is not admitted
    paused: bool = False  # Dask pauses a worker that is short of memory or about to leave
    tasks: list[PendingTask] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        return self.admitted and not self.paused

    @property
    def load(self) -> float:
        return len(self.tasks) / self.slots

    def take_tasks(self) -> list[PendingTask]:
        """Takes all tasks from the worker, and forgets their results."""
        tasks, self.tasks = self.tasks, []
        for task in tasks:
            task.forget()
        return tasks


class Assignment:
    """The workers and the tasks that wait for them."""

    def __init__(self) -> None:
        self.queue: deque[PendingTask] = deque()
        self.workers: dict[str, Worker] = {}
        self._suspects: set[tuple[Any, ...]] = set()
        self._told: set[str] = set()

    def slots(self) -> int:
        return sum(worker.slots for worker in self.workers.values() if worker.ready)

    def next(self) -> tuple[PendingTask, Worker] | None:
        """Takes the first task that waits from the queue, with the worker that is to have it."""
        while self.queue:
            worker = self._free_for(self.queue[0])
            if worker is None:
                return None
            task = self.queue.popleft()
            if task.begin():
                return task, worker
        return None

    def _free_for(self, task: PendingTask) -> Worker | None:
        """The least busy worker that can take a task; a suspect has a worker for itself."""
        last_ones = len(self.queue) < self.slots()
        most = 0 if self._is_suspect(task) else 1 if last_ones else DEPTH
        free = [
            worker
            for worker in self.workers.values()
            if worker.ready
            and (worker.load < most or not worker.tasks)
            and not any(map(self._is_suspect, worker.tasks))
        ]
        return min(free, key=lambda worker: worker.load, default=None)

    def _is_suspect(self, task: PendingTask) -> bool:
        return task.arguments in self._suspects

    def clear(self, task: PendingTask) -> None:
        """A task that was executed is not what kills workers."""
        self._suspects.discard(task.arguments)

    def remove_worker(self, worker: Worker) -> None:
        """Puts the tasks of a worker that is gone back into the queue.

        One that it had alone goes back to the caller, who counts how often that happens. Of several nobody can
        say which one killed it, or whether one was finished: they are tried again, each alone.
        """
        del self.workers[worker.address]
        tasks = worker.take_tasks()
        self._suspects.update(task.arguments for task in tasks)
        if len(tasks) == 1:
            tasks[0].future.set_exception(WorkerDied(f"the worker on {worker.host} died"))
        else:
            self.queue.extendleft(reversed(tasks))

    def empty(self) -> list[PendingTask]:
        """Takes all tasks from the workers and from the queue."""
        left = list(self.queue)
        self.queue.clear()
        for worker in self.workers.values():
            left += worker.take_tasks()
        return left

    def problems(self) -> str:
        """Why no worker can work; nothing if one can, or may yet."""
        found = {worker.problem for worker in self.workers.values()}
        return "" if "" in found else "; ".join(sorted(found))

    def new_messages(self) -> list[str]:
        """Which workers cannot work and why, and which came after the start: each line once."""
        workers = self.workers.values()
        lines = {worker.problem for worker in workers if worker.problem}
        lines |= {f"a worker on {w.host} joined ({w.address})" for w in workers if w.late and w.admitted}
        fresh = sorted(lines - self._told)
        self._told.update(fresh)
        return fresh
