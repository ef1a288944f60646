"""Workers on a Dask cluster, behind the interface of `concurrent.futures`. Imported only when asked for.

Dask carries tasks to workers and results back; which worker gets which task is decided here, as with local
processes. So the scheduler never holds more than a few tasks a worker, no task goes to a worker that has not
shown that it can work, a death is blamed on the task that ran and not on those beside it, and a task that
the scheduler loses (dask/distributed#3196) is noticed.
"""

import itertools
import threading
import time
import uuid
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import Any

import distributed
from distributed.scheduler import KilledWorker

from setset.errors import SetsetError
from setset.executors.base import ExecutorLost, Notice, RemoteExecutor, Requirements, WorkerDied
from setset.executors.dask.assignment import Assignment, PendingTask, Worker
from setset.executors.dask.client import Timeouts, close, connect, first_line, start_local_cluster
from setset.executors.dask.transfer import FileAccess, check_worker, execute_shipment, pack, unpack
from setset.platform import interrupts_blocked

FETCHERS = 8
"""Results that are fetched at a time."""


class DaskExecutor(RemoteExecutor):
    """Hands tasks to the workers of a Dask cluster. `wait_for_workers` comes before the first task.

    Args:
        where: Address of a scheduler, or its scheduler file; None for a cluster of one's own on this machine.
        access: How workers get at the batch files.
        workers: Number of processes of one's own cluster.
        timeouts: How long to wait for what.
    """

    def __init__(
        self, where: str | None, access: FileAccess, workers: int, *, timeouts: Timeouts | None = None
    ) -> None:
        self._where, self._access, self._workers = where, access, workers
        self._timeouts = timeouts or Timeouts()
        self._client: Any = None
        self._lock = threading.RLock()
        self._assignment = Assignment()
        self._counter = itertools.count()
        self._closed = threading.Event()
        self._ready = threading.Event()
        self._lost: ExecutorLost | None = None
        self._last_answer_at = self._last_worker_at = time.monotonic()
        self._results: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # Daemons: the end of the process does not wait for them, nor for what they may be waiting for.
        work = [self._watch, *[self._fetch_results] * FETCHERS]
        self._threads = [threading.Thread(target=each, daemon=True) for each in work]
        self._requirements = Requirements("", "", (), "")
        self._notice: Notice = lambda _: None

    def wait_for_workers(self, requirements: Requirements, notice: Notice, stopping: Callable[[], bool]) -> None:
        roots = () if self._access.ship else tuple(map(self._access, requirements.roots))
        self._requirements, self._notice = replace(requirements, roots=roots), notice
        if self._where is None:
            self._client = start_local_cluster(self._workers, stopping)
        else:
            self._client = connect(self._where, self._timeouts.connect, stopping)
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

    def workers(self) -> int:
        with self._lock:
            return self._assignment.slots()

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

    # Handing out and taking back

    def _assign(self) -> None:
        with self._lock:
            # Without a connection nothing can be sent; the watching thread waits for it, or gives up.
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
                remote = self._submit(worker, task.function, work.relocated(self._access))
        except Exception as error:
            task.future.set_exception(error)
            return
        task.remote, task.seen_at = remote, time.monotonic()
        worker.tasks.append(task)
        remote.add_done_callback(lambda remote: self._results.put(partial(self._finish, worker, task, remote)))

    def _submit(self, worker: Worker, function: Callable[..., Any], *arguments: Any) -> distributed.Future:
        """Sends a call to one worker. A key of its own, so that equal calls are not taken for one; falling
        priorities, so that a worker executes its tasks in the sequence in which it got them."""
        return self._client.submit(
            function,
            *arguments,
            key=f"setset-{uuid.uuid4().hex}",
            pure=False,
            workers=[worker.address],
            allow_other_workers=False,
            retries=0,
            priority=-next(self._counter),
        )

    def _fetch_results(self) -> None:
        """Fetches results, which Dask's one thread for callbacks must not wait for."""
        while (step := self._results.get()) is not None:
            step()

    def _finish(self, worker: Worker, task: PendingTask, remote: distributed.Future) -> None:
        outcome: Any = None
        error: BaseException | None = None
        try:
            outcome = remote.result(timeout=self._timeouts.lost_task)
        except BaseException as raised:
            error = raised
        with self._lock:
            if task.remote is not remote:
                return  # the worker was given up and the task is elsewhere by now
            if isinstance(error, KilledWorker):
                # Dask says so of all tasks that the worker had; `remove_worker` decides which one is to blame.
                self._remove_worker(worker)
                self._assign()
                return
            task.remote = None
            worker.tasks.remove(task)
            if remote.status == "cancelled":
                # By a scheduler that was restarted, or by its loss, which the watching thread will notice.
                self._assignment.queue.appendleft(task)
                return
            if error is None:
                self._assignment.clear(task)
        # The worker's next task goes out before the caller hears of this one.
        self._assign()
        try:
            if error is not None:
                raise error
            task.future.set_result(unpack(*task.arguments, *outcome) if self._access.ship else outcome)
        except TimeoutError:
            task.future.set_exception(WorkerDied(f"the worker on {worker.host} died"))
        except BaseException as raised:
            task.future.set_exception(raised)

    # The thread that watches the cluster

    def _watch(self) -> None:
        while not self._lost:
            try:
                seconds = self._timeouts.scheduler / 4
                known = self._client.sync(self._client.scheduler.processing, callback_timeout=seconds)
                slots = self._client.sync(self._client.scheduler.ncores_running, callback_timeout=seconds)
                with self._lock:
                    self._compare_with_cluster(known, slots, time.monotonic())
                self._assign()
                self._last_answer_at = time.monotonic()
            except Exception:
                # Whatever Dask raises when it has no connection; that it lasts is what matters.
                if time.monotonic() - self._last_answer_at > self._timeouts.scheduler:
                    seconds = self._timeouts.scheduler
                    self._give_up(f"the Dask scheduler has not answered for {seconds:.0f} seconds")
            if self._closed.wait(self._timeouts.interval):
                return

    def _compare_with_cluster(self, known: dict[str, list[str]], slots: dict[str, int], now: float) -> None:
        """Compares the cluster as it is with what is known of it."""
        workers = self._assignment.workers
        for worker in [workers[address] for address in workers.keys() - known.keys()]:
            self._remove_worker(worker)
        for address in slots.keys() - workers.keys():
            self._admit(Worker(address, slots[address], late=self._ready.is_set()))
        for worker in workers.values():
            worker.paused = worker.address not in slots
            self._find_lost_tasks(worker, set(known.get(worker.address, ())), now)
        if self._assignment.slots():
            self._last_worker_at = now
        elif now - self._last_worker_at > self._timeouts.no_workers:
            self._give_up(f"no worker of the Dask cluster was ready for {self._timeouts.no_workers:.0f} seconds")

    def _remove_worker(self, worker: Worker) -> None:
        self._assignment.remove_worker(worker)
        if worker.admitted:
            self._notice(f"a worker on {worker.host} left ({worker.address})")

    def _admit(self, worker: Worker) -> None:
        self._assignment.workers[worker.address] = worker
        self._submit(worker, check_worker, self._requirements).add_done_callback(
            lambda admission: self._results.put(partial(self._finish_admission, worker, admission))
        )

    def _finish_admission(self, worker: Worker, admission: distributed.Future) -> None:
        try:
            host, problem = admission.result(timeout=self._timeouts.lost_task)
        except BaseException as error:
            host, problem = worker.address, f"cannot run setset: {first_line(error)}"
        with self._lock:
            if self._assignment.workers.get(worker.address) is not worker:
                return
            worker.host, worker.admitted = host, not problem
            worker.problem = problem and f"worker on {host} {problem}"
        if worker.admitted:
            self._ready.set()
            self._assign()
        if self._ready.is_set():
            with self._lock:
                news = self._assignment.new_messages()
            for line in news:
                self._notice(line)

    def _find_lost_tasks(self, worker: Worker, known: set[str], now: float) -> None:
        """Takes back tasks that have neither finished nor been at work for too long."""
        for task in worker.tasks[::-1]:
            if not worker.paused and (task.remote.key in known or task.remote.done()):
                task.seen_at = now
            elif now - task.seen_at > self._timeouts.lost_task:
                worker.tasks.remove(task)
                task.forget()
                if worker.paused:  # no harm if the worker executes the task after all
                    self._assignment.queue.appendleft(task)
                else:
                    task.future.set_exception(WorkerDied("the Dask scheduler lost the task"))

    def _give_up(self, reason: str) -> None:
        with self._lock:
            self._lost = ExecutorLost(f"{reason}; what was finished is recorded, 'setset run' goes on from there")
            left = self._assignment.empty()
        for task in left:
            if task.begin():
                task.future.set_exception(self._lost)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leaves the cluster. Tasks that a worker has begun end there: Dask cannot stop a thread, and what
        they write is what the next run would write."""
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
