"""The executor for workers on a Dask cluster, with the interface of `concurrent.futures`.

Dask only transports tasks to workers and results back. This package decides which worker gets which task. So the
scheduler never has more than a few tasks per worker, and no task goes to a worker that has not passed its check. If a
worker dies, only its own tasks can be the cause, not the waiting tasks. The coordinator notices if the scheduler loses
a task (dask/distributed#3196).
"""

import threading
import time
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

import distributed
from distributed.scheduler import KilledWorker

from setset.errors import SetsetError
from setset.executors.base import Notice, Requirements
from setset.executors.dask.client import Timeouts, close, connect, start_local_cluster
from setset.executors.dask.cluster import WatchedCluster
from setset.executors.dask.failures import explain
from setset.executors.dask.transfer import FileAccess, execute_here, execute_shipment, pack, unpack
from setset.executors.dask.workers import PendingTask, Worker
from setset.platform import interrupts_blocked

FETCHERS = 8
"""Number of threads that fetch results from workers."""


class DaskExecutor(WatchedCluster):
    """Sends tasks to the workers of a Dask cluster. Call `wait_for_workers` before the first task.

    Args:
        scheduler: Address of a scheduler, or its scheduler file; None for a new cluster on this machine.
        access: How workers access the batch files.
        workers: Number of worker processes of a new cluster.
        timeouts: Timeouts of the coordinator.
    """

    def __init__(
        self, scheduler: str | None, access: FileAccess, workers: int, *, timeouts: Timeouts | None = None
    ) -> None:
        super().__init__(scheduler, timeouts or Timeouts())
        self._access, self._workers = access, workers
        # Daemon threads, so that the process can exit while they wait.
        work = [self._watch, *[self._fetch_results] * FETCHERS]
        self._threads = [threading.Thread(target=target, daemon=True) for target in work]

    def wait_for_workers(self, requirements: Requirements, notice: Notice, stopping: Callable[[], bool]) -> None:
        self._requirements, self._notice = requirements, notice
        if self._scheduler is None:
            self._client = start_local_cluster(self._workers, stopping)
        else:
            self._client = connect(self._scheduler, self._timeouts.connect, stopping, notice)
        if self._client is None:
            return
        hopeful = self._last_answer_at = self._last_worker_at = time.monotonic()
        with interrupts_blocked():
            for thread in self._threads:
                thread.start()
        while not self._ready.wait(0.1) and not stopping():
            with self._lock:
                if self._lost:
                    raise self._lost
                problems = self._assignment.problems()
            if not problems:
                hopeful = time.monotonic()
            elif time.monotonic() - hopeful > self._timeouts.other_workers:
                raise SetsetError(f"no worker of the cluster can do this run: {problems}")

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if kwargs:
            raise TypeError("tasks take no keyword arguments")
        task = PendingTask(Future(), fn, args)
        with self._lock:
            if self._lost:
                task.future.set_exception(self._lost)
                return task.future
            self._assignment.queue.append(task)
        self._assign()
        return task.future

    def _requirements_for(self, host: str) -> Requirements:
        roots = () if self._access.ship else tuple(self._access(root, host) for root in self._requirements.roots)
        return replace(self._requirements, roots=roots)

    # Sending tasks and receiving results

    def _assign(self) -> None:
        with self._lock:
            for task, error in self._assignment.take_hopeless():
                task.fail(error)
            # Nothing can be sent without a connection. The watching thread waits for a connection, or gives up the
            # executor.
            while not self._closed.is_set() and self._client.status == "running":
                chosen = self._assignment.next()
                if chosen is None:
                    return
                self._send(*chosen)

    def _send(self, task: PendingTask, worker: Worker) -> None:
        try:
            (work,) = task.arguments
            if self._access.ship:
                remote = self._submit(worker, execute_shipment, work, pack(work))
            else:
                remote = self._submit(
                    worker, execute_here, task.function, work.relocated(partial(self._access, host=worker.host))
                )
        except Exception as error:
            task.fail(error)
            return
        task.remote = remote
        worker.give(task, time.monotonic())
        remote.add_done_callback(lambda remote: self._results.put(partial(self._finish, worker, task, remote)))

    def _fetch_results(self) -> None:
        """Main function of a thread that fetches results. Dask executes all callbacks in one thread, so a callback must
        not wait for a result."""
        while (step := self._results.get()) is not None:
            step()

    def _finish(self, worker: Worker, task: PendingTask, remote: distributed.Future) -> None:
        outcome: Any = None
        error: BaseException | None = None
        try:
            outcome = remote.result(timeout=self._timeouts.lost_task)
        except BaseException as raised:
            error = raised
        failure = explain(worker, task, error, remote.status) if error else None
        with self._lock:
            if task.remote is not remote:
                return  # the task was taken from this worker, and another worker has it
            if isinstance(error, KilledWorker):
                # Dask reports a dead worker for each of its tasks. `remove_worker` decides which task is to blame.
                self._remove_worker(worker)
                self._assign()
                return
            now = time.monotonic()
            task.remote = None
            worker.tasks.remove(task)
            if remote.status == "cancelled" or (worker.silent and isinstance(error, TimeoutError)):
                # A scheduler that restarted or was lost cancels tasks, and the watching thread will notice this. If a
                # silent worker keeps its result beyond the timeout, another worker executes the task again.
                task.started_at = 0.0
                self._assignment.queue.appendleft(task)
                return
            if failure and not failure.is_final:
                self._assignment.fail(worker, task, failure.error)
                self._check(worker)
            elif failure is None:
                self._assignment.clear(task)
                worker.done, worker.failures = worker.done + 1, 0
                # Two results may arrive in the wrong order: then the later task has no start time yet.
                self._longest_task = max(self._longest_task, now - (task.started_at or now))
            worker.start_tasks(now)
        # The worker gets its next task before the caller gets this result.
        self._assign()
        if failure:
            if failure.is_final:
                task.fail(failure.error)
            return
        try:
            task.succeed(unpack(*task.arguments, *outcome) if self._access.ship else outcome)
        except Exception as raised:
            task.fail(raised)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnects from the cluster. Running tasks finish on their workers, because Dask cannot stop a thread. Their
        files do no harm, because the next run writes the same files."""
        with self._lock:
            begun = [task for worker in self._assignment.workers.values() for task in worker.tasks]
            waiting = list(self._assignment.queue)
        if cancel_futures:
            for task in waiting:
                task.future.cancel()
        if wait:
            for task in begun if cancel_futures else begun + waiting:
                futures.wait([task.future], timeout=self._timeouts.no_workers)
        self._closed.set()
        with self._lock:
            self._assignment.empty()
        for _ in range(FETCHERS):
            self._results.put(None)
        close(self._client)
