"""Decides which worker of a cluster gets which task, and what happens after failures. Uses no Dask and no threads.

A worker whose tasks fail immediately is always the least busy worker, so it would get every task. Therefore a failed
task goes to another worker. The coordinator checks a worker after each failure, and suspends it if the check or three
tasks in a row fail.
"""

from collections import deque
from typing import Any

from setset.errors import NoSpace
from setset.executors.base import ATTEMPTS, WorkerDied
from setset.executors.dask.workers import PendingTask, Worker, WorkerState

DEPTH = 2
"""Maximum number of tasks that a worker has per thread. While one task runs, the next task waits on the worker, so that
the thread need not wait for a message. If all workers together have more threads than there are queued tasks, the
maximum is 1. Then each of the last tasks goes to the first free worker."""
MOST_FAILURES = 3
"""Number of tasks that fail in a row on a worker before the worker is suspended, if another worker can work."""


class Assignment:
    """The workers of a cluster, and the queue of tasks that wait for a worker."""

    def __init__(self) -> None:
        self.queue: deque[PendingTask] = deque()
        self.workers: dict[str, Worker] = {}
        self._suspects: set[tuple[Any, ...]] = set()
        self._sent: set[str] = set()

    def slots(self) -> int:
        return sum(worker.slots for worker in self.workers.values() if worker.ready)

    def next(self) -> tuple[PendingTask, Worker] | None:
        """Takes the next task from the queue and chooses a free worker for it. Returns None if no worker can take the
        next task."""
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
        """Chooses the least busy worker that can take a task. None if there is none.

        A task that may kill workers (a suspect) needs a worker without other tasks. A task that failed goes, if
        possible, to a worker whose last task did not fail.
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
        """Removes a task from the suspects (tasks that may kill workers), because a worker has survived it."""
        self._suspects.discard(task.arguments)

    # Failures

    def fail(self, worker: Worker, task: PendingTask, error: BaseException) -> None:
        """Records that a task failed on a worker, and puts the task back into the queue. The caller then checks the
        worker."""
        worker.failures += 1
        worker.failed += 1
        task.error, task.started_at = error, 0.0
        task.failed_on.add(worker.address)
        self.queue.appendleft(task)

    def end_check(self, worker: Worker, problem: str) -> None:
        """Admits, refuses or suspends a worker after its check. `problem` is the reason if the check failed, otherwise
        empty.

        If the check failed, the worker is to blame for the tasks that failed on it. So these tasks no longer count as
        failed on this worker, and lose their errors. Only a NoSpace error stays, because a full disk ends the run if no
        worker is usable.
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
            self._sent = {line for line in self._sent if not line.startswith(worker.problem)}
            worker.problem, worker.failures = "", MOST_FAILURES - 1
        elif worker.failures >= MOST_FAILURES and others:
            last = next((str(task.error) for task in self.queue if worker.address in task.failed_on), "")
            worker.problem = f"{worker.name} failed {worker.failures} times in a row{last and f' ({last})'}"
            self.queue.extendleft(reversed(worker.take_tasks()))
        worker.admitted = True

    def take_hopeless(self) -> list[tuple[PendingTask, BaseException]]:
        """Removes the hopeless tasks from the queue, and returns them with their errors.

        A task is hopeless if it failed on ATTEMPTS workers or on all usable workers. If a disk is full and no worker is
        usable, all tasks that have begun are hopeless.
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
        """Removes a worker that left or died.

        If the worker had one task, that task fails with WorkerDied, and the caller decides whether to submit it again.
        If the worker had several tasks, any of them may have killed it. Then each task becomes a suspect and runs again
        on a worker without other tasks.

        A worker that was paused (`setset worker` pauses workers before they end) or silent (as after a network failure)
        may have left for another reason than its task. If such a worker had one task, the task becomes a suspect
        instead of failing. Only a task that is a suspect already fails.
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
        """Forgets all workers after the scheduler is gone, and puts their tasks back into the queue. No task is to
        blame."""
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
        """Puts copies of late tasks into the queue, at most one copy per idle worker. Returns the copied tasks, each
        with the worker that is late.

        A task is late if it has run for more than `age` seconds, if it waits on a worker whose running tasks are all
        late, or if its worker is paused or silent. Of a task and its copy, the faster one gives the result.
        """
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
                else now - (task.started_at or max(other.started_at for other in worker.tasks)) > age
                and len(task.copies) == 1
            )
        }
        chosen = list(late.values())[:idle]
        self.queue.extend(task.copy() for _, task in chosen)
        return chosen

    # Messages

    def problems(self) -> str:
        """Describes why no worker can work. Empty if at least one worker has no known problem."""
        problems = {worker.problem for worker in self.workers.values()}
        return "" if "" in problems else "; ".join(sorted(problems))

    def new_messages(self, again: float) -> list[str]:
        """Returns messages about workers that get no tasks, and about workers that joined after the start of the run.
        Returns each message only once."""
        lines = set()
        for worker in self.workers.values():
            match worker.state:
                case WorkerState.REFUSED:
                    lines.add(worker.problem)
                case WorkerState.SUSPENDED:
                    lines.add(f"{worker.problem}; suspended, checked again every {again:.0f} s")
                case WorkerState.PAUSED | WorkerState.SILENT:
                    lines.add(f"{worker.name} {worker.reason}: the next idle worker gets copies of its tasks")
            if worker.late and worker.admitted:
                lines.add(f"a worker on {worker.host} joined ({worker.address})")
        fresh = sorted(lines - self._sent)
        self._sent.update(fresh)
        return fresh

    def waiting_for(self, scheduler: str) -> str:
        """Describes for which workers the run waits. Empty if a worker can work."""
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
