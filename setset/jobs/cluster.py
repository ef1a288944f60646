"""Workers on a Dask cluster, behind the interface of `concurrent.futures`. Imported only when asked for.

Dask carries orders to workers and results back; which worker gets which order is decided here, as with local
processes. So the scheduler never holds more than a few orders a worker, no order goes to a worker that has not
shown that it can work, a death is blamed on the order that ran and not on those beside it, and an order that
the scheduler loses (dask/distributed#3196) is missed by somebody.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import distributed
from distributed.scheduler import KilledWorker

from setset.errors import SetsetError
from setset.jobs.connecting import Patience, connect, first_line, found
from setset.jobs.executors import Crew, ExecutorLost, Notice, WorkerDied, no_interrupt
from setset.jobs.proving import Answer, Premises, prove
from setset.jobs.reach import Reach, carry_out_shipped, pack, relocated, unpack

DEPTH = 2
"""Orders that a worker's thread has at a time: one that it carries out and one that waits, so that it is never
idle for the length of a message."""
GATHERING = 8
"""Results that are fetched at a time."""


@dataclass(eq=False)
class _Task:
    """An order on its way."""

    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    remote: distributed.Future | None = None
    missing_since: float | None = None


@dataclass(eq=False)
class _Worker:
    address: str
    slots: int
    host: str = ""
    admitted: bool = False
    late: bool = False
    proof: distributed.Future | None = None
    problem: str = ""
    """Why it gets no orders."""
    running: bool = True
    tasks: list[_Task] = field(default_factory=list)
    """Oldest first, which is the order in which they are carried out."""

    @property
    def load(self) -> float:
        return len(self.tasks) / self.slots


class DaskExecutor(Crew):
    """Hands orders to the workers of a Dask cluster. `muster` comes before the first order."""

    def __init__(self, client: distributed.Client, own: Any, reach: Reach, patience: Patience) -> None:
        self._client, self._own, self._reach, self._patience = client, own, reach, patience
        self._lock = threading.RLock()
        self._queue: deque[_Task] = deque()
        self._workers: dict[str, _Worker] = {}
        self._said: set[str] = set()
        self._suspects: set[tuple[Any, ...]] = set()
        self._counter = itertools.count()
        self._closed = threading.Event()
        self._ready = threading.Event()
        self._lost: ExecutorLost | None = None
        self._answered = self._peopled = time.monotonic()
        self._gatherers = ThreadPoolExecutor(GATHERING, "setset-gather")
        self._foreman = threading.Thread(target=self._watch, name="setset-foreman", daemon=True)
        self._premises = Premises("", "", (), "")
        self._notice: Notice = lambda _: None

    def muster(self, premises: Premises, notice: Notice, stopping: Callable[[], bool]) -> None:
        roots = () if self._reach.ship else tuple(map(self._reach, premises.roots))
        self._premises, self._notice = replace(premises, roots=roots), notice
        self._answered = self._peopled = time.monotonic()
        with no_interrupt():
            self._foreman.start()
        while not self._ready.wait(0.1) and not stopping():
            with self._lock:
                if self._lost:
                    raise self._lost
                seen = self._workers.values()
                if seen and all(worker.problem for worker in seen):
                    lines = "; ".join(sorted({worker.problem for worker in seen}))
                    raise SetsetError(f"none of the cluster's workers ({len(seen)}) can do this run: {lines}")

    def workers(self) -> int:
        with self._lock:
            return sum(worker.slots for worker in self._workers.values() if worker.admitted)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if kwargs:
            raise TypeError("orders take no keyword arguments")
        task = _Task(Future(), fn, args)
        with self._lock:
            if self._lost:
                task.future.set_exception(self._lost)
                return task.future
            self._queue.append(task)
        self._hand_out()
        return task.future

    # Handing out and taking back

    def _hand_out(self) -> None:
        with self._lock:
            # Without a connection nothing can be sent; the foreman waits for it, or gives up.
            while self._queue and not self._closed.is_set() and self._client.status == "running":
                worker = self._free_for(self._queue[0])
                if worker is None:
                    return
                task = self._queue.popleft()
                # A task that comes back from a lost worker is already running in the caller's eyes.
                if task.future.running() or task.future.set_running_or_notify_cancel():
                    self._send(task, worker)

    def _free_for(self, task: _Task) -> _Worker | None:
        """The least busy worker that can take a task; a suspect has a worker for itself."""
        most = 0 if self._is_suspect(task) else DEPTH
        free = [
            worker
            for worker in self._workers.values()
            if worker.admitted
            and worker.running
            and (worker.load < most or not worker.tasks)
            and not any(map(self._is_suspect, worker.tasks))
        ]
        return min(free, key=lambda worker: worker.load, default=None)

    def _is_suspect(self, task: _Task) -> bool:
        return task.arguments in self._suspects

    def _send(self, task: _Task, worker: _Worker) -> None:
        try:
            function, arguments = self._packed(task)
            remote = self._submit(worker.address, function, *arguments)
        except Exception as error:
            task.future.set_exception(error)
            return
        task.remote, task.missing_since = remote, None
        worker.tasks.append(task)
        remote.add_done_callback(lambda remote: self._gather(self._finish, worker, task, remote))

    def _submit(self, address: str, function: Callable[..., Any], *arguments: Any) -> distributed.Future:
        """Sends a call to one worker. A key of its own, so that equal calls are not taken for one; falling
        priorities, so that a worker carries out its orders in the order in which it got them."""
        return self._client.submit(
            function,
            *arguments,
            key=f"setset-{uuid.uuid4().hex}",
            pure=False,
            workers=[address],
            allow_other_workers=False,
            retries=0,
            priority=-next(self._counter),
        )

    def _packed(self, task: _Task) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        if self._reach.ship:
            return carry_out_shipped, tuple(pack(order) for order in task.arguments)
        return task.function, tuple(relocated(order, self._reach) for order in task.arguments)

    def _gather(self, step: Callable[..., None], *arguments: Any) -> None:
        """Called in Dask's one thread for callbacks, which must not wait for a transfer."""
        with contextlib.suppress(RuntimeError):  # after shutdown nobody wants the result
            self._gatherers.submit(step, *arguments)

    def _finish(self, worker: _Worker, task: _Task, remote: distributed.Future) -> None:
        outcome: Any = None
        error: BaseException | None = None
        try:
            outcome = remote.result(timeout=self._patience.missing)
        except BaseException as raised:
            error = raised
        cancelled = remote.status == "cancelled"
        with self._lock:
            if task.remote is not remote:
                return  # the worker was given up and the order is elsewhere by now
            task.remote = None
            worker.tasks.remove(task)
            if cancelled:
                # By a scheduler that was restarted, or by its loss, which the foreman will notice.
                self._queue.appendleft(task)
                return
        # The worker's next order goes out before the caller hears of this one.
        self._hand_out()
        if error is None:
            try:
                self._suspects.discard(task.arguments)
                if self._reach.ship:
                    outcome = unpack(task.arguments[0], outcome)
                task.future.set_result(outcome)
                return
            except Exception as raised:
                error = raised
        if isinstance(error, (KilledWorker, TimeoutError)):
            error = WorkerDied(f"the worker on {worker.host} died")
        task.future.set_exception(error)

    # The foreman's thread

    def _watch(self) -> None:
        while not self._closed.wait(self._patience.beat):
            now = time.monotonic()
            try:
                seconds = self._patience.silence / 4
                known = self._client.sync(self._client.scheduler.processing, callback_timeout=seconds)
                slots = self._client.sync(self._client.scheduler.ncores_running, callback_timeout=seconds)
            except Exception:
                if time.monotonic() - self._answered > self._patience.silence:
                    self._give_up(
                        f"the Dask scheduler has not answered for {self._patience.silence:.0f} seconds"
                    )
                    return
                continue
            self._answered = time.monotonic()
            with self._lock:
                self._look(known, slots, now)
            if self._lost:
                return
            self._hand_out()

    def _look(self, known: dict[str, list[str]], slots: dict[str, int], now: float) -> None:
        """Compares the cluster as it is with what is known of it."""
        for address in self._workers.keys() - known.keys():
            self._bury(self._workers.pop(address))
        for address in slots.keys() - self._workers.keys():
            self._meet(_Worker(address, slots[address], late=self._ready.is_set()))
        for worker in self._workers.values():
            worker.running = worker.address in slots
            self._miss(worker, set(known.get(worker.address, ())), now)
        if any(worker.admitted for worker in self._workers.values()):
            self._peopled = now
        elif now - self._peopled > self._patience.empty:
            self._give_up(f"no worker of the Dask cluster was ready for {self._patience.empty:.0f} seconds")

    def _meet(self, worker: _Worker) -> None:
        self._workers[worker.address] = worker
        worker.proof = self._submit(worker.address, prove, self._premises)
        worker.proof.add_done_callback(lambda remote: self._gather(self._judge, worker, remote))

    def _judge(self, worker: _Worker, proof: distributed.Future) -> None:
        try:
            answer = proof.result(timeout=self._patience.missing)
        except BaseException as error:
            answer = Answer(worker.address, 0, f"cannot run setset: {first_line(error)}")
        with self._lock:
            if self._workers.get(worker.address) is not worker:
                return
            worker.proof = None
            worker.host, worker.admitted = answer.host, answer.problem is None
            worker.problem = f"worker on {answer.host} {answer.problem}" if answer.problem else ""
        if worker.admitted:
            self._ready.set()
            self._hand_out()
        if self._ready.is_set():
            self._introduce()

    def _introduce(self) -> None:
        """Says, once each, who cannot work and why, and who came after the start."""
        with self._lock:
            lines = [worker.problem for worker in self._workers.values() if worker.problem]
            lines += [
                f"a worker on {worker.host} joined ({worker.address})"
                for worker in self._workers.values()
                if worker.late and worker.admitted
            ]
            news = sorted(set(lines) - self._said)
            self._said.update(news)
        for line in news:
            self._notice(line)

    def _bury(self, worker: _Worker) -> None:
        """Puts the orders of a worker that is gone in other hands.

        One that it had alone goes back to the caller, who counts how often that happens. Of several nobody
        can say which one killed it, or whether one was finished: they are tried again, each alone.
        """
        if worker.admitted:
            self._notice(f"a worker on {worker.host} left ({worker.address})")
        tasks, worker.tasks = worker.tasks, []
        for task in tasks:
            self._forget(task)
            self._suspects.add(task.arguments)
        if worker.proof is not None:
            worker.proof.release()
        if len(tasks) == 1:
            tasks[0].future.set_exception(WorkerDied(f"the worker on {worker.host} died"))
        else:
            self._queue.extendleft(reversed(tasks))

    def _forget(self, task: _Task) -> None:
        """Wakes whoever waits for the result, which may be lost with the worker that had it."""
        remote, task.remote = task.remote, None
        if remote is not None:
            remote.release()

    def _miss(self, worker: _Worker, known: set[str], now: float) -> None:
        """Takes back orders that the scheduler has neither finished nor at work for too long."""
        for task in list(worker.tasks):
            if task.remote is None or task.remote.key in known or task.remote.done():
                task.missing_since = None
                continue
            task.missing_since = task.missing_since or now
            if now - task.missing_since > self._patience.missing:
                worker.tasks.remove(task)
                self._forget(task)
                task.future.set_exception(WorkerDied("the Dask scheduler lost the order"))

    def _give_up(self, reason: str) -> None:
        with self._lock:
            self._lost = ExecutorLost(
                f"{reason}; what was finished is recorded, 'setset run' goes on from there"
            )
            left = [*self._queue, *(task for worker in self._workers.values() for task in worker.tasks)]
            self._queue.clear()
            for worker in self._workers.values():
                worker.tasks = []
            for task in left:
                self._forget(task)
        for task in left:
            if task.future.running() or task.future.set_running_or_notify_cancel():
                task.future.set_exception(self._lost)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leaves the cluster. Orders that a worker has begun end there: Dask cannot stop a thread, and what
        they write is what the next run would write."""
        with self._lock:
            tasks = [task for worker in self._workers.values() for task in worker.tasks]
            if cancel_futures:
                for task in self._queue:
                    task.future.cancel()
                self._queue.clear()
        if wait and not self._lost:
            for task in tasks:
                with contextlib.suppress(Exception):
                    task.future.exception(timeout=self._patience.empty)
        self._closed.set()
        with self._lock:
            for worker in self._workers.values():
                for task in worker.tasks:
                    self._forget(task)
                if worker.proof is not None:
                    worker.proof.release()
        self._gatherers.shutdown(wait=False, cancel_futures=True)
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)
        if self._own is not None:
            with contextlib.suppress(Exception):
                self._own.close(timeout=5)


def start_dask(
    where: str | None, reach: Reach, workers: int, *, patience: Patience | None = None
) -> DaskExecutor:
    """An executor on the cluster at an address or with a scheduler file; on one of its own if None."""
    patience = patience or Patience()
    if where is not None:
        return DaskExecutor(connect(where, patience.connect), None, reach, patience)
    client, cluster = found(workers)
    return DaskExecutor(client, cluster, reach, patience)
