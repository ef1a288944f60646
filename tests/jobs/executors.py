"""Executors that fail as tests want them to."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from setset.errors import SetsetError
from setset.executors.base import WorkerDied
from setset.jobs.signals import StopRequest


class StoppingExecutor(ThreadPoolExecutor):
    """Ends the run after a few tasks, as a signal would."""

    def __init__(self, workers: int, after: int) -> None:
        super().__init__(workers)
        self._left = after

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        self._left -= 1
        if self._left < 0:
            raise SetsetError("stopped by the test")
        return super().submit(fn, *args)


class PoisonedExecutor(ThreadPoolExecutor):
    """Runs out of memory whenever batch 1 of size 4 is expanded."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        source = getattr(args[0], "source", None)
        if source is not None and (source.size, source.number) == (4, 1):
            future: Future[Any] = Future()
            future.set_exception(MemoryError("too much"))
            return future
        return super().submit(fn, *args)


class IdleExecutor(Executor):
    """Begins nothing; a signal comes meanwhile."""

    def __init__(self, stop: StopRequest) -> None:
        self._stop = stop

    def submit(self, _fn: Callable[..., Any], /, *_args: Any, **_: Any) -> Future[Any]:
        self._stop.receive(signal.SIGTERM)
        return Future()


class DyingExecutor(IdleExecutor):
    """Its workers die of the same signal."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future = super().submit(fn, *args)
        future.set_exception(WorkerDied("the worker process died"))
        return future


class WaitingExecutor(ThreadPoolExecutor):
    """Does not end the last expansion of a size before one of the next size has begun."""

    def __init__(self, workers: int, size: int, source: int) -> None:
        super().__init__(workers)
        self._last = (size, source)
        self._begun = threading.Event()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        return super().submit(self._execute, fn, *args)

    def _execute(self, fn: Callable[..., Any], task: Any) -> Any:
        size, source = self._last
        if task.size > size:
            self._begun.set()
        elif (task.size, task.source_number) == self._last and not self._begun.wait(120):
            raise SetsetError(f"nothing of size {size + 1} was begun while source {source} was not done")
        return fn(task)
