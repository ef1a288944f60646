"""Workers of a cluster, the tasks of each worker, and the choice of the next one. No Dask, no threads.

A worker that fails fast is always the least busy one. So a task that failed goes to another worker, and a worker is
checked after each failure and suspended if the check, or three failures in a row, show that the worker is at fault.
"""

from collections import deque
from typing import Any

from setset.errors import NoSpace
from setset.executors.base import ATTEMPTS, WorkerDied
from setset.executors.dask.workers import PendingTask, Worker, WorkerState

DEPTH = 2
"""Tasks that a worker's thread has at a time: it executes one while the next one waits, so that it is never
idle for the length of a message. The last ones wait here, for whoever is done first."""
MOST_FAILURES = 3
"""Failures in a row after which a worker is suspended, if another one can work."""


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
        """Takes the first task that a worker is free for from the queue, with that worker."""
        for task in list(self.queue):
            worker = self._free_for(task)
            if worker is not None:
                self.queue.remove(task)
                if task.begin():
                    return task, worker
            elif not task.failed_on or self._is_suspect(task):
                return None  # no other task goes before it
        return None

    def _free_for(self, task: PendingTask) -> Worker | None:
        """The least busy worker that can take a task; a suspect has a worker for itself.

        A task that failed goes to a worker that did not fail last time, if there is one.
        """
        last_ones = len(self.queue) < self.slots()
        most = 0 if self._is_suspect(task) else 1 if last_ones else DEPTH
        workers = [worker for worker in self.workers.values() if worker.ready and worker.address not in task.failed_on]
        if task.failed_on:
            workers = [worker for worker in workers if not worker.failures] or workers
        had = {id(copy) for copy in task.copies}
        free = [
            worker
            for worker in workers
            if (worker.load < most or not worker.tasks)
            and not any(self._is_suspect(each) or id(each) in had for each in worker.tasks)
        ]
        return min(free, key=lambda worker: worker.load, default=None)

    def _is_suspect(self, task: PendingTask) -> bool:
        return task.arguments in self._suspects

    def clear(self, task: PendingTask) -> None:
        """A task that was executed is not what kills workers."""
        self._suspects.discard(task.arguments)

    # Failures

    def fail(self, worker: Worker, task: PendingTask, error: BaseException) -> None:
        """Puts a task that a worker failed back. The worker's check decides about the worker."""
        worker.failures += 1
        worker.failed += 1
        task.error, task.started_at = error, 0.0
        task.failed_on.add(worker.address)
        self.queue.appendleft(task)

    def end_check(self, worker: Worker, problem: str) -> None:
        """Admits, refuses or suspends a worker after its check.

        If the check explains the failures, they do not count against the tasks. An error for lack of space is kept: it
        ends the run if no other worker can work.
        """
        worker.checking = False
        if problem:
            worker.problem = f"{worker.name} {problem}"
            self.queue.extendleft(reversed(worker.take_tasks()))
            for task in self.queue:
                if worker.address in task.failed_on:
                    task.failed_on.discard(worker.address)
                    task.error = task.error if isinstance(task.error, NoSpace) else None
            return
        others = any(each.ready for each in self.workers.values() if each is not worker)
        if worker.problem:
            self._told = {line for line in self._told if not line.startswith(worker.problem)}
            worker.problem, worker.failures = "", MOST_FAILURES - 1
        elif worker.failures >= MOST_FAILURES and others:
            last = next((str(task.error) for task in self.queue if worker.address in task.failed_on), "")
            worker.problem = f"{worker.name} failed {worker.failures} times in a row{last and f' ({last})'}"
            self.queue.extendleft(reversed(worker.take_tasks()))
        worker.admitted = True

    def take_hopeless(self) -> list[tuple[PendingTask, BaseException]]:
        """Takes tasks from the queue that failed on enough workers, or on all that can work, with their errors.

        If a disk is full and no worker can work, the tasks that were begun are among them: none will be finished.
        """
        usable = {worker.address for worker in self.workers.values() if worker.usable}
        full = None if usable else next((task.error for task in self.queue if isinstance(task.error, NoSpace)), None)
        doubtful = {worker.address for worker in self.workers.values() if worker.checking}
        hopeless = []
        for task in list(self.queue):
            if task.failed_on & doubtful:
                continue  # the check of that worker decides
            tried_enough = len(task.failed_on) >= ATTEMPTS or not usable - task.failed_on
            error = full if full and task.future.running() else task.error if tried_enough else None
            if error is not None and (task.failed_on or error is full):
                self.queue.remove(task)
                hopeless.append((task, error))
        return hopeless

    def remove_worker(self, worker: Worker) -> None:
        """Puts the tasks of a worker that is gone back into the queue.

        A task that it had alone goes back to the caller, who counts how often that happens. Of several nobody can
        say which one killed it, or whether one was finished: they are tried again, each alone. So is the task of a
        worker that was paused before it left, as `setset worker` does in order to end.
        """
        del self.workers[worker.address]
        tasks = worker.take_tasks()
        is_orderly = worker.paused and not any(map(self._is_suspect, tasks))
        self._suspects.update(task.arguments for task in tasks)
        if len(tasks) == 1 and not is_orderly:
            tasks[0].fail(WorkerDied(f"the worker on {worker.host} died"))
        else:
            self.queue.extendleft(reversed(tasks))

    def disconnect(self) -> None:
        """Forgets all workers and puts their tasks back: the scheduler that knew them is gone, none is to blame."""
        for worker in self.workers.values():
            self.queue.extendleft(reversed(worker.take_tasks()))
        self.workers.clear()

    def empty(self) -> list[PendingTask]:
        """Takes all tasks from the workers and from the queue."""
        left = list(self.queue)
        self.queue.clear()
        for worker in self.workers.values():
            left += worker.take_tasks()
        return left

    def copy_late_tasks(self, age: float, now: float) -> list[tuple[Worker, PendingTask]]:
        """Queues second copies of tasks older than `age`, as many as there are idle workers. Returns them with the
        workers that are late."""
        idle = sum(worker.ready and not worker.tasks for worker in self.workers.values())
        if self.queue or not idle:
            return []
        late = [
            (worker, task)
            for worker in self.workers.values()
            for task in worker.tasks
            if now - (task.started_at or task.seen_at) > age and len(task.copies) == 1 and not task.future.done()
        ][:idle]
        self.queue.extend(task.copy() for _, task in late)
        return late

    # Messages

    def problems(self) -> str:
        """Why no worker can work; nothing if one can, or may yet."""
        found = {worker.problem for worker in self.workers.values()}
        return "" if "" in found else "; ".join(sorted(found))

    def new_messages(self, again: float) -> list[str]:
        """Lines about workers that get no tasks, and about workers that came after the start: each once."""
        lines = set()
        for worker in self.workers.values():
            match worker.state:
                case WorkerState.REFUSED:
                    lines.add(worker.problem)
                case WorkerState.SUSPENDED:
                    lines.add(f"{worker.problem}; suspended, checked again every {again:.0f} s")
                case WorkerState.PAUSED | WorkerState.SILENT:
                    lines.add(f"{worker.name} {worker.reason}, {worker.address}: its tasks go to others after a while")
            if worker.late and worker.admitted:
                lines.add(f"a worker on {worker.host} joined ({worker.address})")
        fresh = sorted(lines - self._told)
        self._told.update(fresh)
        return fresh

    def waiting_for(self, scheduler: str) -> str:
        """The thing that the run waits for, if no worker can work."""
        if self.slots():
            return ""
        if not self.workers:
            return f"waiting for workers: none is connected to {scheduler}; start one with 'setset worker {scheduler}'"
        names: dict[str, list[str]] = {}
        for worker in self.workers.values():
            names.setdefault(worker.reason, []).append(worker.host or worker.address)
        return "waiting for a worker: " + "; ".join(
            f"{', '.join(sorted(set(hosts))[:3])}{' and others' * (len(set(hosts)) > 3)} {reason}"
            for reason, hosts in sorted(names.items())
        )
