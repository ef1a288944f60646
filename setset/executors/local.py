"""Worker processes on this machine."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any

from setset.engine.compilation import prepare_kernels
from setset.executors.base import WorkerDied
from setset.executors.worker_process import new_pool
from setset.platform import interrupts_blocked


class LocalExecutor(Executor):
    """A fixed number of worker processes, each a pool of its own.

    A `ProcessPoolExecutor` whose process dies fails every future it holds, so with a pool a process the
    blame falls on one task, and the other workers go on.
    """

    def __init__(self, workers: int) -> None:
        self._queue: deque[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = deque()
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[ProcessPoolExecutor] = []
        self._pools = {new_pool() for _ in range(workers)}
        # Nobody waits for them here, so that a signal is heard.
        with interrupts_blocked():
            for pool in list(self._pools):
                pool.submit(prepare_kernels).add_done_callback(partial(self._open_worker, pool))

    def _open_worker(self, pool: ProcessPoolExecutor, prepared: Future[None]) -> None:
        """Lets a worker have tasks."""
        if prepared.cancelled():
            return
        if isinstance(prepared.exception(), BrokenProcessPool):
            self._replace(pool)
        else:
            self._make_idle(pool)
        self._assign()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if kwargs:
            raise TypeError("tasks take no keyword arguments")
        future: Future[Any] = Future()
        with self._lock:
            self._queue.append((future, fn, args))
        self._assign()
        return future

    def _assign(self) -> None:
        while True:
            with self._lock:
                if self._closed or not self._queue or not self._idle:
                    return
                pool, (outer, fn, args) = self._idle.pop(), self._queue.popleft()
            if not outer.set_running_or_notify_cancel():
                self._make_idle(pool)
                continue
            try:
                with interrupts_blocked():
                    inner = pool.submit(fn, *args)
            except BrokenProcessPool:
                self._replace(pool)
                outer.set_exception(WorkerDied("the worker process died while it was idle"))
                continue
            inner.add_done_callback(partial(self._finish, pool, outer))

    def _finish(self, pool: ProcessPoolExecutor, outer: Future[Any], inner: Future[Any]) -> None:
        error = inner.exception()
        if isinstance(error, BrokenProcessPool):
            self._replace(pool)
            error = WorkerDied("the worker process died")
        else:
            self._make_idle(pool)
        # The worker's next task goes out before the caller hears of this one.
        self._assign()
        if error is None:
            outer.set_result(inner.result())
        else:
            outer.set_exception(error)

    def _make_idle(self, pool: ProcessPoolExecutor) -> None:
        with self._lock:
            self._idle.append(pool)

    def _replace(self, pool: ProcessPoolExecutor) -> None:
        pool.shutdown(wait=False)
        with self._lock:
            self._pools.discard(pool)
            if not self._closed:
                fresh = new_pool()
                self._pools.add(fresh)
                self._idle.append(fresh)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the workers: after what they are doing if `wait`, at once otherwise."""
        with self._lock:
            self._closed = True
            queued, pools = list(self._queue) if cancel_futures else [], list(self._pools)
            self._queue.clear()
        for future, _, _ in queued:
            future.cancel()
        if not wait:
            for process in [process for pool in pools for process in list((pool._processes or {}).values())]:
                process.kill()
        with ThreadPoolExecutor(len(pools)) as closing:
            list(closing.map(partial(ProcessPoolExecutor.shutdown, cancel_futures=True), pools))
