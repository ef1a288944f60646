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
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import Any

import distributed
from distributed.scheduler import KilledWorker

from setset.errors import SetsetError
from setset.executors.dask.admission import Answer, Premises, prove
from setset.executors.dask.assignment import Roster, Task, Worker
from setset.executors.dask.client import Begin, Patience, close, connect, first_line, found
from setset.executors.dask.transfer import Reach, carry_out_shipped, pack, relocated, unpack
from setset.executors.local import Crew, ExecutorLost, Notice, WorkerDied, no_interrupt

GATHERING = 8
"""Results that are fetched at a time."""


def start_dask(
    where: str | None, reach: Reach, workers: int, *, patience: Patience | None = None
) -> DaskExecutor:
    """An executor on the cluster at an address or with a scheduler file; on one of its own if None."""
    patience = patience or Patience()
    begin = partial(found, workers) if where is None else partial(connect, where, patience.connect)
    return DaskExecutor(begin, reach, patience)


def _daemon(work: Callable[[], None]) -> threading.Thread:
    """A thread that the end of the process does not wait for, nor for what it may be waiting for."""
    return threading.Thread(target=work, name=f"setset{work.__name__}", daemon=True)


class DaskExecutor(Crew):
    """Hands orders to the workers of a Dask cluster. `muster` comes before the first order."""

    def __init__(self, begin: Begin, reach: Reach, patience: Patience) -> None:
        self._begin, self._reach, self._patience = begin, reach, patience
        self._client: Any = None
        self._own: Any = None
        self._lock = threading.RLock()
        self._roster = Roster()
        self._counter = itertools.count()
        self._closed = threading.Event()
        self._ready = threading.Event()
        self._lost: ExecutorLost | None = None
        self._answered = self._peopled = time.monotonic()
        self._results: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = [_daemon(self._watch), *(_daemon(self._gather) for _ in range(GATHERING))]
        self._premises = Premises("", "", (), "")
        self._notice: Notice = lambda _: None

    def muster(self, premises: Premises, notice: Notice, stopping: Callable[[], bool]) -> None:
        roots = () if self._reach.ship else tuple(map(self._reach, premises.roots))
        self._premises, self._notice = replace(premises, roots=roots), notice
        self._client, self._own = self._begin(stopping)
        if self._client is None:
            return
        hopeful = self._answered = self._peopled = time.monotonic()
        with no_interrupt():
            for thread in self._threads:
                thread.start()
        while not self._ready.wait(0.1) and not stopping():
            with self._lock:
                if self._lost:
                    raise self._lost
                problems = self._roster.problems()
            if not problems:
                hopeful = time.monotonic()
            elif time.monotonic() - hopeful > self._patience.others:
                raise SetsetError(f"no worker of the cluster can do this run: {problems}")

    def workers(self) -> int:
        with self._lock:
            return self._roster.slots()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if kwargs:
            raise TypeError("orders take no keyword arguments")
        task = Task(Future(), fn, args)
        with self._lock:
            if self._lost:
                task.future.set_exception(self._lost)
                return task.future
            self._roster.queue.append(task)
        self._hand_out()
        return task.future

    # Handing out and taking back

    def _hand_out(self) -> None:
        with self._lock:
            # Without a connection nothing can be sent; the foreman waits for it, or gives up.
            while not self._closed.is_set() and self._client.status == "running":
                chosen = self._roster.next()
                if chosen is None:
                    return
                self._send(*chosen)

    def _send(self, task: Task, worker: Worker) -> None:
        try:
            if self._reach.ship:
                remote = self._submit(worker, carry_out_shipped, *map(pack, task.arguments))
            else:
                orders = (relocated(order, self._reach) for order in task.arguments)
                remote = self._submit(worker, task.function, *orders)
        except Exception as error:
            task.future.set_exception(error)
            return
        task.remote, task.missing_since = remote, None
        worker.tasks.append(task)
        remote.add_done_callback(
            lambda remote: self._results.put(partial(self._finish, worker, task, remote))
        )

    def _submit(self, worker: Worker, function: Callable[..., Any], *arguments: Any) -> distributed.Future:
        """Sends a call to one worker. A key of its own, so that equal calls are not taken for one; falling
        priorities, so that a worker carries out its orders in the order in which it got them."""
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

    def _gather(self) -> None:
        """Fetches results, which Dask's one thread for callbacks must not wait for."""
        while (step := self._results.get()) is not None:
            step()

    def _finish(self, worker: Worker, task: Task, remote: distributed.Future) -> None:
        outcome: Any = None
        error: BaseException | None = None
        try:
            outcome = remote.result(timeout=self._patience.missing)
        except BaseException as raised:
            error = raised
        with self._lock:
            if task.remote is not remote:
                return  # the worker was given up and the order is elsewhere by now
            if isinstance(error, KilledWorker):
                # Dask says so of all orders that the worker had; who is to blame is decided at its grave.
                self._bury(worker)
                self._hand_out()
                return
            task.remote = None
            worker.tasks.remove(task)
            if remote.status == "cancelled":
                # By a scheduler that was restarted, or by its loss, which the foreman will notice.
                self._roster.queue.appendleft(task)
                return
            if error is None:
                self._roster.clear(task)
        # The worker's next order goes out before the caller hears of this one.
        self._hand_out()
        try:
            if error is None:
                whole = unpack(task.arguments[0], outcome) if self._reach.ship else outcome
                task.future.set_result(whole)
                return
        except Exception as raised:
            error = raised
        if isinstance(error, TimeoutError):
            error = WorkerDied(f"the worker on {worker.host} died")
        task.future.set_exception(error)

    # The foreman's thread

    def _watch(self) -> None:
        while not self._lost:
            try:
                seconds = self._patience.silence / 4
                known = self._client.sync(self._client.scheduler.processing, callback_timeout=seconds)
                slots = self._client.sync(self._client.scheduler.ncores_running, callback_timeout=seconds)
                with self._lock:
                    self._look(known, slots, time.monotonic())
                self._hand_out()
                self._answered = time.monotonic()
            except Exception:
                # Whatever Dask raises when it has no connection; that it lasts is what matters.
                if time.monotonic() - self._answered > self._patience.silence:
                    seconds = self._patience.silence
                    self._give_up(f"the Dask scheduler has not answered for {seconds:.0f} seconds")
            if self._closed.wait(self._patience.beat):
                return

    def _look(self, known: dict[str, list[str]], slots: dict[str, int], now: float) -> None:
        """Compares the cluster as it is with what is known of it."""
        workers = self._roster.workers
        for worker in [workers[address] for address in workers.keys() - known.keys()]:
            self._bury(worker)
        for address in slots.keys() - workers.keys():
            self._meet(Worker(address, slots[address], late=self._ready.is_set()))
        for worker in workers.values():
            if worker.address in slots:
                worker.resting_since = None
                self._miss(worker, set(known.get(worker.address, ())), now)
            else:
                worker.resting_since = worker.resting_since or now
                if now - worker.resting_since > self._patience.missing:
                    self._roster.relieve(worker)
        if self._roster.slots():
            self._peopled = now
        elif now - self._peopled > self._patience.empty:
            self._give_up(f"no worker of the Dask cluster was ready for {self._patience.empty:.0f} seconds")

    def _bury(self, worker: Worker) -> None:
        self._roster.bury(worker)
        if worker.admitted:
            self._notice(f"a worker on {worker.host} left ({worker.address})")

    def _meet(self, worker: Worker) -> None:
        worker.proof = self._submit(worker, prove, self._premises)
        self._roster.workers[worker.address] = worker
        worker.proof.add_done_callback(lambda proof: self._results.put(partial(self._judge, worker, proof)))

    def _judge(self, worker: Worker, proof: distributed.Future) -> None:
        try:
            answer = proof.result(timeout=self._patience.missing)
        except BaseException as error:
            answer = Answer(worker.address, 0, f"cannot run setset: {first_line(error)}")
        with self._lock:
            if self._roster.workers.get(worker.address) is not worker:
                return
            worker.proof = None
            worker.host, worker.admitted = answer.host, answer.problem is None
            worker.problem = f"worker on {answer.host} {answer.problem}" if answer.problem else ""
        if worker.admitted:
            self._ready.set()
            self._hand_out()
        if self._ready.is_set():
            with self._lock:
                news = self._roster.news()
            for line in news:
                self._notice(line)

    def _miss(self, worker: Worker, known: set[str], now: float) -> None:
        """Takes back orders that the scheduler has neither finished nor at work for too long."""
        for task in list(worker.tasks):
            if task.remote is None or task.remote.key in known or task.remote.done():
                task.missing_since = None
                continue
            task.missing_since = task.missing_since or now
            if now - task.missing_since > self._patience.missing:
                worker.tasks.remove(task)
                task.forget()
                task.future.set_exception(WorkerDied("the Dask scheduler lost the order"))

    def _give_up(self, reason: str) -> None:
        with self._lock:
            self._lost = ExecutorLost(
                f"{reason}; what was finished is recorded, 'setset run' goes on from there"
            )
            left = self._roster.empty()
        for task in left:
            if task.begin():
                task.future.set_exception(self._lost)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leaves the cluster. Orders that a worker has begun end there: Dask cannot stop a thread, and what
        they write is what the next run would write."""
        with self._lock:
            begun = [task for worker in self._roster.workers.values() for task in worker.tasks]
            waiting = list(self._roster.queue)
        if cancel_futures:
            for task in waiting:
                task.future.cancel()
        if wait:
            for task in begun if cancel_futures else begun + waiting:
                with contextlib.suppress(Exception):
                    task.future.exception(timeout=self._patience.empty)
        self._closed.set()
        with self._lock:
            self._roster.empty()
        for _ in range(GATHERING):
            self._results.put(None)
        close(self._client, self._own)
