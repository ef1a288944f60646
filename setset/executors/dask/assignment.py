"""Who is there on a cluster, who has which order, and who gets the next one. Knows no engine and no threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from setset.executors.local import WorkerDied

DEPTH = 2
"""Orders that a worker's thread has at a time: one that it carries out and one that waits, so that it is never
idle for the length of a message. The last ones wait here, for whoever is done first."""


@dataclass(eq=False)
class Task:
    """An order on its way. `remote` is the engine's own future, as long as a worker has the order."""

    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    remote: Any = None
    missing_since: float | None = None

    def forget(self) -> None:
        """Gives up the engine's future. Wakes whoever waits for its result, which may be lost with a worker."""
        remote, self.remote = self.remote, None
        if remote is not None:
            remote.release()

    def begin(self) -> bool:
        """Whether the caller still wants it. One that comes back from a lost worker has begun before."""
        return self.future.running() or self.future.set_running_or_notify_cancel()


@dataclass(eq=False)
class Worker:
    """A process of the cluster; it gets orders when it is admitted, after it has shown that it can work."""

    address: str
    slots: int
    late: bool
    """Whether it came after the start."""
    host: str = ""
    admitted: bool = False
    problem: str = ""
    """Why it is not admitted."""
    resting_since: float | None = None
    """Since when it begins nothing: Dask pauses a worker that is short of memory or about to leave."""
    proof: Any = None
    tasks: list[Task] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        return self.admitted and self.resting_since is None

    @property
    def load(self) -> float:
        return len(self.tasks) / self.slots


class Roster:
    """The workers and the orders that wait for them."""

    def __init__(self) -> None:
        self.queue: deque[Task] = deque()
        self.workers: dict[str, Worker] = {}
        self._suspects: set[tuple[Any, ...]] = set()
        self._said: set[str] = set()

    def slots(self) -> int:
        return sum(worker.slots for worker in self.workers.values() if worker.ready)

    def next(self) -> tuple[Task, Worker] | None:
        """Takes the first order that waits from the queue, with the worker that is to have it."""
        while self.queue:
            worker = self._free_for(self.queue[0])
            if worker is None:
                return None
            task = self.queue.popleft()
            if task.begin():
                return task, worker
        return None

    def _free_for(self, task: Task) -> Worker | None:
        """The least busy worker that can take an order; a suspect has a worker for itself."""
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

    def _is_suspect(self, task: Task) -> bool:
        return task.arguments in self._suspects

    def clear(self, task: Task) -> None:
        """An order that was carried out is not what kills workers."""
        self._suspects.discard(task.arguments)

    def relieve(self, worker: Worker) -> None:
        """Puts the orders of a worker that rests in other hands. No harm if it carries them out after all."""
        tasks, worker.tasks = worker.tasks, []
        for task in tasks:
            task.forget()
        self.queue.extendleft(reversed(tasks))

    def bury(self, worker: Worker) -> None:
        """Puts the orders of a worker that is gone in other hands.

        One that it had alone goes back to the caller, who counts how often that happens. Of several nobody can
        say which one killed it, or whether one was finished: they are tried again, each alone.
        """
        del self.workers[worker.address]
        tasks, worker.tasks = worker.tasks, []
        for task in tasks:
            task.forget()
            self._suspects.add(task.arguments)
        if worker.proof is not None:
            worker.proof.release()
        if len(tasks) == 1:
            tasks[0].future.set_exception(WorkerDied(f"the worker on {worker.host} died"))
        else:
            self.queue.extendleft(reversed(tasks))

    def empty(self) -> list[Task]:
        """Takes all orders from the workers and from the queue."""
        left = list(self.queue)
        self.queue.clear()
        for worker in self.workers.values():
            left += worker.tasks
            worker.tasks = []
            if worker.proof is not None:
                worker.proof.release()
        for task in left:
            task.forget()
        return left

    def problems(self) -> str:
        """Why no worker can work; nothing if one can, or may yet."""
        found = {worker.problem for worker in self.workers.values()}
        return "" if "" in found else "; ".join(sorted(found))

    def news(self) -> list[str]:
        """Who cannot work and why, and who came after the start: each line once."""
        workers = self.workers.values()
        lines = {worker.problem for worker in workers if worker.problem}
        lines |= {f"a worker on {w.host} joined ({w.address})" for w in workers if w.late and w.admitted}
        fresh = sorted(lines - self._said)
        self._said.update(fresh)
        return fresh
