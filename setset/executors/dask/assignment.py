"""Workers of a cluster, the tasks of each worker, and the choice of the next task. Uses no Dask and no threads.

A worker that fails fast is always the least busy worker, so it would get every task. Therefore a failed task goes to
another worker. A worker is checked after each failure, and suspended if the check or three tasks in a row fail.
"""

from collections import deque
from typing import Any

from setset.errors import NoSpace
from setset.executors.base import ATTEMPTS, WorkerDied
from setset.executors.dask.workers import PendingTask, Worker, WorkerState

DEPTH = 2
"""Tasks per thread of a worker. A thread executes one task while the next task waits, so it is not idle while a message
travels. The last tasks of a run stay in the queue for the first free worker."""
MOST_FAILURES = 3
"""Failures in a row after which a worker is suspended, if another worker can work."""


class Assignment:
    """Workers, and the queue of tasks that wait for them."""

    def __init__(self) -> None:
        self.queue: deque[PendingTask] = deque()
        self.workers: dict[str, Worker] = {}
        self._suspects: set[tuple[Any, ...]] = set()
        self._told: set[str] = set()

    def slots(self) -> int:
        return sum(worker.slots for worker in self.workers.values() if worker.ready)

    def next(self) -> tuple[PendingTask, Worker] | None:
        """Removes from the queue the first task that a free worker can take. Returns the task and the worker."""
        for task in list(self.queue):
            worker = self._free_for(task)
            if worker is not None:
                self.queue.remove(task)
                if task.begin():
                    return task, worker
            elif not task.failed_on or self._is_suspect(task):
                return None  # no later task may overtake this task
        return None

    def _free_for(self, task: PendingTask) -> Worker | None:
        """The least busy worker that can take a task. A suspect task needs a worker without other tasks.

        A task that failed goes, if possible, to a worker whose last task did not fail.
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
            and not any(self._is_suspect(other) or id(other) in had for other in worker.tasks)
        ]
        return min(free, key=lambda worker: worker.load, default=None)

    def _is_suspect(self, task: PendingTask) -> bool:
        return task.arguments in self._suspects

    def clear(self, task: PendingTask) -> None:
        """Removes a task from the suspects. It was executed, so it does not kill workers."""
        self._suspects.discard(task.arguments)

    # Failures

    def fail(self, worker: Worker, task: PendingTask, error: BaseException) -> None:
        """Puts a failed task back into the queue. The caller then has the worker checked."""
        worker.failures += 1
        worker.failed += 1
        task.error, task.started_at = error, 0.0
        task.failed_on.add(worker.address)
        self.queue.appendleft(task)

    def end_check(self, worker: Worker, problem: str) -> None:
        """Admits, refuses or suspends a worker after its check.

        If the check finds a problem of the worker, the failures there do not count against the tasks. Tasks keep a
        NoSpace error, which ends the run if no other worker can work.
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
        others = any(other.ready for other in self.workers.values() if other is not worker)
        if worker.problem:
            self._told = {line for line in self._told if not line.startswith(worker.problem)}
            worker.problem, worker.failures = "", MOST_FAILURES - 1
        elif worker.failures >= MOST_FAILURES and others:
            last = next((str(task.error) for task in self.queue if worker.address in task.failed_on), "")
            worker.problem = f"{worker.name} failed {worker.failures} times in a row{last and f' ({last})'}"
            self.queue.extendleft(reversed(worker.take_tasks()))
        worker.admitted = True

    def take_hopeless(self) -> list[tuple[PendingTask, BaseException]]:
        """Removes and returns tasks that failed on ATTEMPTS workers, or on all usable workers, with their errors.

        If a disk is full and no worker is usable, this includes all tasks that have begun, since none can finish.
        """
        usable = {worker.address for worker in self.workers.values() if worker.usable}
        full = None if usable else next((task.error for task in self.queue if isinstance(task.error, NoSpace)), None)
        doubtful = {worker.address for worker in self.workers.values() if worker.checking}
        hopeless = []
        for task in list(self.queue):
            if task.failed_on & doubtful:
                continue  # wait for the check of the worker
            tried_enough = len(task.failed_on) >= ATTEMPTS or not usable - task.failed_on
            error = full if full and task.future.running() else task.error if tried_enough else None
            if error is not None and (task.failed_on or error is full):
                self.queue.remove(task)
                hopeless.append((task, error))
        return hopeless

    def remove_worker(self, worker: Worker) -> None:
        """Puts the tasks of a worker that is gone back into the queue.

        If the worker had a single task, the task fails, and the caller counts such deaths. If the worker had several
        tasks, it is unknown which task killed the worker, so each task is tried again on a worker of its own. The same
        holds for the task of a worker that was paused (`setset worker` pauses workers before they end) or silent (as
        after a network failure).
        """
        del self.workers[worker.address]
        tasks = worker.take_tasks()
        is_blameless = worker.stands and not any(map(self._is_suspect, tasks))
        self._suspects.update(task.arguments for task in tasks)
        if len(tasks) == 1 and not is_blameless:
            tasks[0].fail(WorkerDied(f"the worker on {worker.host} died"))
        else:
            self.queue.extendleft(reversed(tasks))

    def disconnect(self) -> None:
        """Forgets all workers and requeues their tasks. The scheduler is gone, so no task is to blame."""
        for worker in self.workers.values():
            self.queue.extendleft(reversed(worker.take_tasks()))
        self.workers.clear()

    def empty(self) -> list[PendingTask]:
        """Removes all tasks from the workers and the queue, and returns them."""
        left = list(self.queue)
        self.queue.clear()
        for worker in self.workers.values():
            left += worker.take_tasks()
        return left

    def copy_late_tasks(self, age: float, now: float) -> list[tuple[Worker, PendingTask]]:
        """Queues second copies of late tasks, at most one per idle worker. A task is late if it is older than `age`, or
        its worker is paused or silent. Returns the late workers and tasks."""
        idle = sum(worker.ready and not worker.tasks for worker in self.workers.values())
        if self.queue or not idle:
            return []
        in_hand = {task.future for worker in self.workers.values() if not worker.stands for task in worker.tasks}
        late = {
            task.future: (worker, task)
            for worker in self.workers.values()
            for task in worker.tasks
            if not task.future.done()
            and (
                task.future not in in_hand
                if worker.stands
                else now - (task.started_at or task.seen_at) > age and len(task.copies) == 1
            )
        }
        chosen = list(late.values())[:idle]
        self.queue.extend(task.copy() for _, task in chosen)
        return chosen

    # Messages

    def problems(self) -> str:
        """Reasons why no worker can work. Empty if a worker has no known problem."""
        problems = {worker.problem for worker in self.workers.values()}
        return "" if "" in problems else "; ".join(sorted(problems))

    def new_messages(self, again: float) -> list[str]:
        """Messages about workers that get no tasks, or joined after the start. Returns each message once."""
        lines = set()
        for worker in self.workers.values():
            match worker.state:
                case WorkerState.REFUSED:
                    lines.add(worker.problem)
                case WorkerState.SUSPENDED:
                    lines.add(f"{worker.problem}; suspended, checked again every {again:.0f} s")
                case WorkerState.PAUSED | WorkerState.SILENT:
                    lines.add(f"{worker.name} {worker.reason}: an idle worker gets its tasks")
            if worker.late and worker.admitted:
                lines.add(f"a worker on {worker.host} joined ({worker.address})")
        fresh = sorted(lines - self._told)
        self._told.update(fresh)
        return fresh

    def waiting_for(self, scheduler: str) -> str:
        """Message on what the run waits for. Empty if a worker can work."""
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
