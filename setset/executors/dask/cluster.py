"""The coordinator's view of the cluster: workers that join, leave, fail, fall silent, and are checked.

One thread queries the scheduler every second. It compares the scheduler's workers with the known workers, starts the
check of new workers, takes back tasks that no worker executes, and sends messages to the user.
"""

import contextlib
import itertools
import socket
import threading
import time
import uuid
from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from queue import SimpleQueue
from typing import Any

import distributed

from setset.activity import Activity, WorkerActivity, ago
from setset.errors import SetsetError
from setset.executors import build
from setset.executors.base import ExecutorLost, Notice, RemoteExecutor, Requirements, WorkerDied
from setset.executors.dask.assignment import Assignment
from setset.executors.dask.client import Timeouts, close, connect, find_page
from setset.executors.dask.failures import WaitingLine, explain_check, name_of
from setset.executors.dask.transfer import execute_here, execute_shipment, inspect_worker
from setset.executors.dask.workers import Worker

MOST_SILENCE = 3.0
"""Maximum number of seconds for one answer of the scheduler, and for a new connection."""
MOST_GONE = 20
"""Maximum number of workers that `setset status` shows after they have left the cluster."""
LATE = 4
"""A task is late if it takes this many times as long as the longest finished task."""
BACKLOG = 20
"""Number of placeholder tasks per worker thread while tasks wait (see `_show_backlog`). Dask assumes that a placeholder
takes half a second."""
MOST_BACKLOG = 1_000
NOWHERE = {"setset-backlog": 1.0}
"""Resource that each placeholder task requires. No worker has this resource, so no worker executes a placeholder."""


class WatchedCluster(RemoteExecutor):
    """Base class of the Dask executor: records the workers and tasks of a cluster, and watches the cluster.

    Args:
        scheduler: Address of a scheduler, or its scheduler file; None for a new cluster on this machine.
        timeouts: Timeouts of the coordinator.
    """

    def __init__(self, scheduler: str | None, timeouts: Timeouts) -> None:
        self._scheduler, self._timeouts = scheduler, timeouts
        self._client: Any = None
        self._lock = threading.RLock()
        self._assignment = Assignment()
        self._counter = itertools.count()
        self._closed = threading.Event()
        self._ready = threading.Event()
        self._lost: ExecutorLost | None = None
        self._last_answer_at = self._last_worker_at = time.monotonic()
        self._next_identity_at = self._longest_task = 0.0
        self._gone: deque[WorkerActivity] = deque(maxlen=MOST_GONE)
        self._dashboard: str | None = None
        self._backlog: list[distributed.Future] = []
        self._waiting = WaitingLine(self._timeouts.line)
        self._results: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._requirements = Requirements("", "", (), "")
        self._notice: Notice = lambda _: None

    @abstractmethod
    def _assign(self) -> None:
        """Sends waiting tasks to free workers."""

    @abstractmethod
    def _requirements_for(self, host: str) -> Requirements:
        """Returns the requirements of the run on a host, with the paths of that host."""

    def workers(self) -> int:
        with self._lock:
            return self._assignment.slots()

    def activity(self) -> Activity:
        with self._lock:
            now = time.monotonic()
            workers = [worker.activity(now) for worker in self._assignment.workers.values()]
            return Activity((*sorted(workers, key=lambda worker: worker.host), *self._gone), self._dashboard or None)

    def _submit(self, worker: Worker, function: Callable[..., Any], *arguments: Any) -> distributed.Future:
        """Sends a call to one worker, and returns Dask's future.

        Each call has a unique key, since Dask executes calls with equal keys only once. Each task has a lower priority
        than the task before it, so a worker executes them in the order of arrival. A check has the highest priority.
        """
        return self._client.submit(
            function,
            *arguments,
            key=f"setset-{uuid.uuid4().hex}",
            pure=False,
            workers=[worker.address],
            allow_other_workers=False,
            retries=0,
            priority=-next(self._counter) if function in (execute_here, execute_shipment) else 1,
        )

    def _watch(self) -> None:
        while not self._lost:
            try:
                self._query_scheduler()
                self._last_answer_at = time.monotonic()
            except Exception:
                # Without a connection, Dask raises many kinds of errors. All of them mean only that the scheduler is
                # silent.
                self._send_messages()  # before the next connection, which may take seconds
                self._handle_silence(time.monotonic() - self._last_answer_at)
            self._send_messages()
            if self._closed.wait(self._timeouts.interval):
                return

    def _query_scheduler(self) -> None:
        """Queries the scheduler once, and updates the known workers and tasks."""
        ask = partial(self._client.sync, callback_timeout=min(self._timeouts.scheduler / 4, MOST_SILENCE))
        now = time.monotonic()  # tasks sent after this moment may be missing from the answers
        processing = ask(self._client.scheduler.processing)
        slots = ask(self._client.scheduler.ncores_running)
        seen: dict[str, Any] = {}
        if time.monotonic() >= self._next_identity_at:
            identity = ask(self._client.scheduler.identity)
            seen = identity["workers"]
            if "dashboard" in identity["services"] and self._dashboard is None:
                self._dashboard = find_page(self._client.dashboard_link)
            self._next_identity_at = time.monotonic() + self._timeouts.silent / 5
        with self._lock:
            paused = {address: info["nthreads"] for address, info in seen.items() if info["status"] == "paused"}
            self._compare_with_cluster(processing, slots, paused, now)
            for worker in self._assignment.workers.values():
                if worker.address in seen:
                    worker.hear(seen[worker.address]["last_seen"], now, self._timeouts.silent)
            age = max(self._timeouts.late_task, LATE * self._longest_task)
            for worker, task in self._assignment.copy_late_tasks(age, now):
                why = worker.reason or f"has had it for more than {age:.0f} s"
                self._notice(f"an idle worker gets {name_of(task)}, too: the {worker.name} {why}")
        self._assign()
        self._show_backlog()

    def _show_backlog(self) -> None:
        """Shows Dask that more workers would help. Dask knows only the tasks that were sent to a worker, not the
        waiting tasks.

        While tasks wait, the scheduler has placeholder tasks that no worker can take. Dask's `adapt()` starts workers
        for them.
        """
        with self._lock:
            slots = self._assignment.slots()
            wanted = min(BACKLOG * max(1, slots), MOST_BACKLOG) if self._assignment.queue or not slots else 0
        if self._scheduler is not None and wanted != len(self._backlog) and self._client.status == "running":
            keys = [f"setset-backlog-{uuid.uuid4().hex}" for _ in range(wanted)]
            self._backlog = self._client.map(abs, range(wanted), key=keys, resources=NOWHERE) if wanted else []

    def _handle_silence(self, seconds: float) -> None:
        """Reconnects to a lost scheduler. If the scheduler has been silent for longer than the timeout, gives up the
        executor."""
        if seconds > self._timeouts.scheduler:
            self._give_up(f"the Dask scheduler has not answered for {self._timeouts.scheduler:.0f} seconds")
            return
        if self._client.status == "running":
            return
        with self._lock:
            self._gone.extend(map(_gone, self._assignment.workers.values()))
            self._assignment.disconnect()
            self._backlog = []
        # Dask itself tries only the old address, for as long as the first connection could take.
        if self._scheduler is not None:
            with contextlib.suppress(SetsetError):
                client = connect(self._scheduler, MOST_SILENCE, self._closed.is_set)
                if client is not None:
                    before, self._client = self._client, client
                    close(before)

    def _send_messages(self) -> None:
        """Sends messages to the user about workers, and about what the run waits for."""
        now = time.monotonic()
        with self._lock:
            lines = self._assignment.new_messages(self._timeouts.recheck) if self._ready.is_set() else []
            waiting = self._assignment.waiting_for(str(self._scheduler or "the cluster on this machine"))
            since = None
            if now - self._last_answer_at > self._timeouts.line or self._client.status != "running":
                waiting = f"waiting for the Dask scheduler at {self._scheduler}: it does not answer"
                since = self._last_answer_at
        for line in (*lines, *self._waiting.update(waiting, now, since)):
            self._notice(line)

    def _compare_with_cluster(
        self, processing: dict[str, list[str]], slots: dict[str, int], paused: dict[str, int], now: float
    ) -> None:
        workers = self._assignment.workers
        for worker in [workers[address] for address in workers.keys() - processing.keys()]:
            self._remove_worker(worker)
        for address, threads in (paused | slots).items():
            if address not in workers:  # the check of a paused worker starts when the worker continues
                workers[address] = Worker(address, threads, late=self._ready.is_set(), heard_at=now)
                self._check(workers[address])
        for worker in workers.values():
            worker.paused = worker.address not in slots
            for task in worker.take_lost_tasks(set(processing.get(worker.address, ())), now, self._timeouts.lost_task):
                task.fail(WorkerDied("the Dask scheduler lost the task"))
            if worker.problem and now - worker.checked_at > self._timeouts.recheck:
                self._check(worker)
            elif worker.admitted and worker.checking and now - worker.checked_at > self._timeouts.lost_task:
                self._assignment.end_check(worker, f"has not answered for {self._timeouts.lost_task:.0f} s")
        if self._assignment.slots():
            self._last_worker_at = now
        elif now - self._last_worker_at > self._timeouts.no_workers:
            why = self._assignment.problems()
            waited = f"no worker of the Dask cluster was ready for {self._timeouts.no_workers:.0f} seconds"
            self._give_up(f"{waited} ({why})" if why and workers else waited)

    def _remove_worker(self, worker: Worker) -> None:
        self._gone.append(_gone(worker))
        self._assignment.remove_worker(worker)
        self._notice(f"a {worker.name} left ({worker.address})" + ("" if worker.admitted else " before it could work"))

    def _check(self, worker: Worker) -> None:
        """Starts the check of a worker, unless a check is under way.

        If a Dask worker cannot import a function, the worker dies. So the first calls to a new worker use only
        functions of the standard library. These calls test whether the worker can import setset.
        """
        if worker.checking:
            return
        worker.checking, worker.checked_at = True, time.monotonic()
        if worker.admitted:
            self._inspect(worker)
            return
        host = self._submit(worker, socket.gethostname)
        self._submit(worker, import_module, build.__name__).add_done_callback(
            lambda loading: self._results.put(partial(self._finish_loading, worker, host, loading))
        )

    def _finish_loading(self, worker: Worker, host: distributed.Future, loading: distributed.Future) -> None:
        try:
            worker.host = host.result(timeout=self._timeouts.lost_task)
            error = loading.exception(timeout=self._timeouts.lost_task)
        except BaseException as raised:
            error = raised
        if error is not None:
            self._end_check(worker, explain_check(error))
            return
        with self._lock:
            if self._assignment.workers.get(worker.address) is worker:
                self._inspect(worker)

    def _inspect(self, worker: Worker) -> None:
        self._submit(worker, inspect_worker, self._requirements_for(worker.host)).add_done_callback(
            lambda check: self._results.put(partial(self._finish_inspection, worker, check))
        )

    def _finish_inspection(self, worker: Worker, check: distributed.Future) -> None:
        try:
            problem = check.result(timeout=self._timeouts.lost_task)
        except BaseException as error:
            problem = explain_check(error)
        self._end_check(worker, problem)

    def _end_check(self, worker: Worker, problem: str) -> None:
        with self._lock:
            if self._assignment.workers.get(worker.address) is not worker or not worker.checking:
                return
            was_suspended = bool(worker.problem) and worker.admitted
            worker.checked_at = time.monotonic()
            self._assignment.end_check(worker, problem)
        if not worker.problem:
            if was_suspended:
                self._notice(f"{worker.name} works again ({worker.address})")
            self._ready.set()
        self._assign()
        self._send_messages()

    def _give_up(self, reason: str) -> None:
        with self._lock:
            self._lost = ExecutorLost(f"{reason}; what was finished is recorded, 'setset run' resumes")
            left = self._assignment.empty()
        for task in left:
            if task.begin():
                task.fail(self._lost)


def _gone(worker: Worker) -> WorkerActivity:
    """Describes a worker that has just left, for `setset status`."""
    return replace(worker.activity(0), state="gone", detail=ago(0), tasks=())
