"""Where orders are carried out. The runner knows nothing but `concurrent.futures.Executor`."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from importlib import import_module
from multiprocessing import forkserver, resource_tracker
from multiprocessing.util import Finalize
from typing import Any

from setset.engine.compilation import warm
from setset.errors import BadInput, SetsetError
from setset.executors.dask.admission import Premises
from setset.executors.dask.transfer import Reach

StartExecutor = Callable[[int], Executor]
Notice = Callable[[str], None]


class WorkerDied(SetsetError):
    """The process that carried out an order is gone."""


class ExecutorLost(SetsetError):
    """The engine as a whole is out of reach: no order is to blame, and none can be carried out."""


class Crew(Executor, ABC):
    """An executor whose workers are elsewhere, and may come and go."""

    @abstractmethod
    def muster(self, premises: Premises, notice: Notice, stopping: Callable[[], bool]) -> None:
        """Returns when a worker is ready that fulfils the premises, or when the run is `stopping`.

        Workers that come later have to fulfil them too.
        """

    @abstractmethod
    def workers(self) -> int:
        """How many orders can be carried out at a time, now."""


def size_of(executor: Executor, asked: int) -> int:
    """How many workers an executor has: what it was asked for, unless they come and go."""
    return executor.workers() if isinstance(executor, Crew) else asked


def starter(name: str, reach: Reach) -> StartExecutor:
    """What starts the engine of a name: local, dask, dask=ADDRESS, dask=SCHEDULER_FILE, or MODULE:CALLABLE
    for any other `concurrent.futures.Executor` that takes the number of workers."""
    engine, equals, where = name.partition("=")
    if engine == "dask" and bool(equals) == bool(where):
        if not where:
            _start_forkserver()
        try:
            from setset.executors.dask.executor import start_dask
        except ImportError as error:
            raise SetsetError("a Dask cluster is an extra: pip install 'setset[dask]'") from error
        return partial(start_dask, where or None, reach)
    if reach != Reach():
        raise BadInput("--map and --ship are for --executor dask: other workers see the same paths")
    if name == "local":
        return LocalExecutor
    module, colon, attribute = name.partition(":")
    if not colon:
        raise BadInput(
            f"--executor {name}: local, dask, dask=ADDRESS, dask=SCHEDULER_FILE or MODULE:CALLABLE"
        )
    try:
        return partial(_start, name, getattr(import_module(module), attribute))
    except (ImportError, AttributeError, ValueError) as error:
        raise BadInput(f"--executor {name}: {error}") from error


def _start(name: str, start: Callable[[int], Any], workers: int) -> Executor:
    """An executor of somebody else's making."""
    try:
        executor = start(workers)
    except Exception as error:
        raise BadInput(f"--executor {name}: {error!r}") from error
    if not isinstance(executor, Executor):
        raise BadInput(f"--executor {name} gives {executor!r}, which is no concurrent.futures.Executor")
    return executor


def _start_forkserver() -> None:
    """Starts what the workers of a Dask cluster of one's own are forked from: a process that loads what they
    need while this one loads what it needs."""
    multiprocessing.set_forkserver_preload(["distributed", "setset.tasks.worker"])
    # Started below, the tracker would unblock Ctrl-C again.
    resource_tracker.ensure_running()
    with no_interrupt():
        forkserver.ensure_running()


class LocalExecutor(Executor):
    """A fixed number of worker processes, each a pool of its own.

    A `ProcessPoolExecutor` whose process dies fails every future it holds, so with a pool a process the
    blame falls on one order, and the other workers go on.
    """

    def __init__(self, workers: int) -> None:
        self._queue: deque[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = deque()
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[ProcessPoolExecutor] = []
        self._pools = {_new_pool() for _ in range(workers)}
        # Nobody waits for them here, so that a signal is heard.
        with no_interrupt():
            for pool in list(self._pools):
                pool.submit(warm).add_done_callback(partial(self._open, pool))

    def _open(self, pool: ProcessPoolExecutor, warmed: Future[None]) -> None:
        """Lets a worker have orders."""
        if warmed.cancelled():
            return
        if isinstance(warmed.exception(), BrokenProcessPool):
            self._replace(pool)
        else:
            self._take_back(pool)
        self._hand_out()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if kwargs:
            raise TypeError("orders take no keyword arguments")
        future: Future[Any] = Future()
        with self._lock:
            self._queue.append((future, fn, args))
        self._hand_out()
        return future

    def _hand_out(self) -> None:
        while True:
            with self._lock:
                if self._closed or not self._queue or not self._idle:
                    return
                pool, (outer, fn, args) = self._idle.pop(), self._queue.popleft()
            if not outer.set_running_or_notify_cancel():
                self._take_back(pool)
                continue
            try:
                with no_interrupt():
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
            self._take_back(pool)
        # The worker's next order goes out before the caller hears of this one.
        self._hand_out()
        if error is None:
            outer.set_result(inner.result())
        else:
            outer.set_exception(error)

    def _take_back(self, pool: ProcessPoolExecutor) -> None:
        with self._lock:
            self._idle.append(pool)

    def _replace(self, pool: ProcessPoolExecutor) -> None:
        pool.shutdown(wait=False)
        with self._lock:
            self._pools.discard(pool)
            if not self._closed:
                fresh = _new_pool()
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


def _new_pool() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=context, initializer=_start_worker, initargs=(os.getpid(),))


@contextlib.contextmanager
def no_interrupt() -> Iterator[None]:
    """A process that is started in here inherits that Ctrl-C is not for it but for the coordinator."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(parent: int) -> None:
    """Ties a worker's life to the coordinator's.

    PR_SET_PDEATHSIG would not do: it fires when the *thread* that started the process ends, and a lost
    worker is replaced from a thread that ends soon.
    """
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    leave_at_once()


def leave_at_once() -> None:
    """A worker that is told to end has nothing left to do: taking the compiler apart would only take time."""
    Finalize(None, os._exit, (0,), exitpriority=-1)


def _end_with(parent: int) -> None:
    pause = threading.Event()
    while os.getppid() == parent:
        pause.wait(0.2)
    os._exit(1)
