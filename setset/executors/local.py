"""Worker processes on this machine.

Each worker is one process with a pipe to it, and a thread here that waits for its answers. There is nothing that
outlives them: no semaphores, no shared memory.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, NamedTuple

from setset.errors import SetsetError
from setset.executors.base import ATTEMPTS, ExecutorLost, Notice, WorkerDied
from setset.executors.worker_process import WorkerProcess

COMPILING = "compiling the kernels, which takes some seconds; the next run finds them compiled"

HEAD_START = 2.0
"""Seconds at most that the other workers wait for the first one: it is ready sooner if it loads the compiler alone, and
the first tasks of a run come one after the other."""

TRY_FEWER = "try fewer with --workers, or see the limit on processes ('ulimit -u')"


class _Call(NamedTuple):
    """A call on its way to a worker."""

    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class LocalExecutor(Executor):
    """A fixed number of worker processes. One that dies fails the task that it had, and is replaced.

    One that cannot be started is done without; where none can be, every task fails with ExecutorLost.
    """

    def __init__(self, workers: int, notice: Notice = lambda _: None) -> None:
        self.notice = notice
        """Is told what takes long."""
        self._queue: deque[_Call] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._first_is_ready = threading.Event()
        self._processes: dict[int, WorkerProcess] = {}
        self._left = workers
        self._lost: ExecutorLost | None = None
        self._threads = [
            threading.Thread(target=self._serve, args=(place,), name=f"setset-worker-{place}", daemon=True)
            for place in range(workers)
        ]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:
            self.shutdown(wait=False, cancel_futures=True)
            raise SetsetError(f"cannot start {workers} workers: {error}; {TRY_FEWER}") from error

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if kwargs:
            raise TypeError("tasks take no keyword arguments")
        call = _Call(Future(), fn, args)
        with self._changed:
            if self._closed:
                raise RuntimeError("cannot submit to an executor that was shut down")
            if self._lost:
                call.future.set_exception(self._lost)
                return call.future
            self._queue.append(call)
            self._changed.notify()
        return call.future

    def _serve(self, place: int) -> None:
        """The thread of a worker: starts its process, gives it calls, takes its answers."""
        failures = 0
        if place:
            self._first_is_ready.wait(HEAD_START)
        while not self._closed:
            process = self._start(place)
            self._first_is_ready.set()
            if isinstance(process, str):
                failures += 1
                if failures >= ATTEMPTS:
                    self._give_up(process)
                    return
                continue
            failures = 0
            self._feed(process)
            process.close()

    def _start(self, place: int) -> WorkerProcess | str:
        """A process that is ready for calls; what is wrong if it cannot be had."""
        with self._changed:
            if self._closed:
                return "the executor was shut down"
            try:
                process = self._processes[place] = WorkerProcess()
            except OSError as error:
                return str(error)
        return process.wait_until_ready(lambda: self.notice(COMPILING)) or process

    def _feed(self, process: WorkerProcess) -> None:
        """Gives calls to a process until it dies or the executor is closed."""
        call = self._next_call()
        while call is not None:
            answer = process.call(call.function, call.arguments)
            if answer is None:
                call.future.set_exception(WorkerDied("the worker process died"))
                return
            # The worker's next task goes out before the caller hears of this one.
            finished, call = call, self._next_call(wait=False)
            _settle(finished.future, *answer)
            call = call or self._next_call()
            if call is None:
                return

    def _next_call(self, wait: bool = True) -> _Call | None:
        """The next call that somebody still wants; None if there is none, or there will be none."""
        with self._changed:
            while True:
                while self._queue:
                    call = self._queue.popleft()
                    if call.future.set_running_or_notify_cancel():
                        return call
                if self._closed or not wait:
                    return None
                self._changed.wait()

    def _give_up(self, reason: str) -> None:
        """Goes on with the other workers; fails what waits, and what will come, if there is none."""
        with self._changed:
            if self._closed:
                return
            self._left -= 1
            if not self._left:
                self._lost = ExecutorLost(f"no worker process can start: {reason}; {TRY_FEWER}")
        if self._lost is None:
            self.notice(f"a worker process cannot start: {reason}; going on with {self._left}")
            return
        while call := self._next_call(wait=False):
            call.future.set_exception(self._lost)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the workers: after what they are doing if `wait`, at once otherwise."""
        with self._changed:
            queued = list(self._queue) if cancel_futures or not wait else []
            for call in queued:
                self._queue.remove(call)
            self._closed = True
            self._first_is_ready.set()
            self._changed.notify_all()
        for call in queued:
            call.future.cancel()
        if not wait:
            for process in list(self._processes.values()):
                process.kill()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()


def _settle(future: Future[Any], is_error: bool, outcome: Any) -> None:
    if is_error:
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
