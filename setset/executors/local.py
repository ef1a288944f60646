"""Worker processes on this machine.

Each worker is a process, a pipe to the process, and a thread of this process that waits for the answers. There are no
semaphores and no shared memory, which a killed process would leave behind.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.util import Finalize
from typing import Any

from setset.activity import Activity, WorkerActivity
from setset.engine.compilation import prepare_kernels
from setset.errors import SetsetError
from setset.executors.base import ATTEMPTS, ExecutorLost, Notice, ObservableExecutor, WorkerDied, describe_task
from setset.platform import STOP_SIGNALS, ignore_interrupts, interrupts_blocked, start_resource_tracker
from setset.spawning import spawn_context, tie_to_parent

Call = tuple[Future[Any], partial[Any]]
"""A call for a worker: the future for its result, and a function without arguments."""
Answer = tuple[bool, Any]
"""Answer of a worker process to a call: (False, result) or (True, error)."""
COMPILING: Answer = (False, "first run: compiling, up to a minute, once; later runs skip this")
"""Message that a worker process sends before it compiles the kernels."""

HEAD_START = 2.0
"""Maximum number of seconds that the other workers wait for the first worker to start, which loads the compiler faster
alone. The wait costs little, because the first tasks of a run follow one after the other."""

TRY_FEWER = "try fewer with --workers, or see the limit on processes ('ulimit -u')"


class LocalExecutor(ObservableExecutor):
    """An executor with a fixed number of worker processes. If a process dies, its task fails, and a new process
    replaces it.

    If some processes cannot start, the other processes do the work. If no process can start, every task fails with
    ExecutorLost.
    """

    def __init__(self, workers: int, notice: Notice = lambda _: None) -> None:
        self.notice = notice
        """Callback for messages to the user, such as about compiling."""
        self._queue: deque[Call] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._first_is_ready = threading.Event()
        self._processes: dict[int, WorkerProcess] = {}
        self._left = workers
        self._lost: ExecutorLost | None = None
        self._threads = [
            threading.Thread(target=self._serve, args=(number,), name=f"setset-worker-{number}", daemon=True)
            for number in range(workers)
        ]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:
            self.shutdown(wait=False, cancel_futures=True)
            raise SetsetError(f"cannot start {workers} workers: {error}; {TRY_FEWER}") from error

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._changed:
            if self._closed:
                raise RuntimeError("cannot submit to an executor that was shut down")
            if self._lost:
                future.set_exception(self._lost)
            else:
                self._queue.append((future, partial(fn, *args, **kwargs)))
                self._changed.notify()
        return future

    def _serve(self, number: int) -> None:
        """Main function of the thread of one worker: starts its process, sends it calls, and replaces it if it dies."""
        failures = 0
        if number:
            self._first_is_ready.wait(HEAD_START)
        while not self._closed:
            process = self._start(number)
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

    def _start(self, number: int) -> WorkerProcess | str:
        """Starts a worker process and waits until it is ready for calls. Returns the process, or the reason why it
        failed."""
        with self._changed:
            if self._closed:
                return "the executor was shut down"
            try:
                process = self._processes[number] = WorkerProcess()
            except OSError as error:
                return str(error)
        return process.wait_until_ready(self.notice) or process

    def _feed(self, process: WorkerProcess) -> None:
        """Sends calls to a worker process, and puts the answers into their futures, until the process dies or the
        executor is shut down."""
        call = self._next_call()
        while call is not None:
            future, function = call
            process.task, process.since = function.args, time.monotonic()
            answer = process.call(function)
            process.task = ()
            if answer is None:
                future.set_exception(WorkerDied("the worker process died"))
                return
            # Take the next call from the queue before the caller gets this result.
            call = self._next_call(wait=False)
            is_error, outcome = answer
            (future.set_exception if is_error else future.set_result)(outcome)
            call = call or self._next_call()

    def _next_call(self, wait: bool = True) -> Call | None:
        """Takes calls from the queue, and returns the first call that was not cancelled. If the queue is empty, waits
        for a call. Returns None if the queue is empty and the executor was shut down or `wait` is false."""
        with self._changed:
            while True:
                while self._queue:
                    call = self._queue.popleft()
                    if call[0].set_running_or_notify_cancel():
                        return call
                if self._closed or not wait:
                    return None
                self._changed.wait()

    def _give_up(self, reason: str) -> None:
        """Gives up a worker whose process cannot start. If no worker is left, all waiting and future calls fail."""
        with self._changed:
            if self._closed:
                return
            self._left -= 1
            if not self._left:
                self._lost = ExecutorLost(f"no worker process can start: {reason}; {TRY_FEWER}")
        if self._lost is None:
            self.notice(f"a worker process cannot start: {reason}; workers left: {self._left}")
            return
        while call := self._next_call(wait=False):
            call[0].set_exception(self._lost)

    def activity(self) -> Activity:
        host, now = socket.gethostname(), time.monotonic()
        return Activity(
            tuple(
                WorkerActivity(
                    host, f"pid {process.pid}", "present", tasks=describe_task(process.task, now - process.since)
                )
                for _, process in sorted(self._processes.items())
            )
        )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the worker processes: with `wait` after all calls that are not cancelled, otherwise at once."""
        with self._changed:
            for future, _ in self._queue if cancel_futures or not wait else ():
                future.cancel()
            self._closed = True
            self._first_is_ready.set()
            self._changed.notify_all()
        if not wait:
            for process in list(self._processes.values()):
                process.kill()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()


class WorkerProcess:
    """A worker process, seen from the coordinator. The process executes one call at a time.

    The process ignores signals to the whole process group (from a service, a batch system, Ctrl-C, a closed terminal),
    because the coordinator handles these signals. When its pipe is closed, the process finishes its task and ends.
    """

    def __init__(self) -> None:
        context = spawn_context()
        self._pipe, worker_end = context.Pipe()
        self._process = context.Process(target=_work, args=(worker_end,), daemon=True)
        self.task: tuple[Any, ...] = ()
        """Arguments of the call that the process executes. Empty if the process is idle."""
        self.since = 0.0
        try:
            start_resource_tracker()
            with interrupts_blocked(STOP_SIGNALS):
                self._process.start()
        finally:
            worker_end.close()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def wait_until_ready(self, notice: Notice) -> str | None:
        """Waits until the process has loaded the kernels. Returns the reason if the process failed, otherwise None."""
        answer = self._receive()
        if answer == COMPILING:
            notice(answer[1])
            answer = self._receive()
        if answer is None:
            self._process.join(timeout=5)
            return f"it ended with code {self._process.exitcode}"
        is_error, error = answer
        return f"{type(error).__name__}: {error}" if is_error else None

    def call(self, function: Callable[[], Any]) -> Answer | None:
        """Sends a call to the process, waits, and returns the answer. None if the process died."""
        try:
            self._pipe.send(function)
        except OSError:
            return None
        except Exception as error:  # something that cannot be sent to another process
            return True, error
        return self._receive()

    def _receive(self) -> Answer | None:
        try:
            # Waits for the end of the process too. On Windows, if the process dies early, its end of the pipe stays
            # open here.
            wait([self._pipe, self._process.sentinel])
            if not self._pipe.poll():
                return None
            answer: Answer = self._pipe.recv()
        except (EOFError, OSError):
            return None
        except Exception as error:  # the answer cannot be unpickled here
            return True, error
        return answer

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        """Closes the pipe, which ends the process, and waits for that end."""
        self._pipe.close()
        self._process.join()


def _work(pipe: Connection) -> None:
    """Main function of a worker process: executes calls from the pipe until the coordinator closes the pipe."""
    ignore_interrupts(STOP_SIGNALS)
    exit_at_once()
    with contextlib.suppress(EOFError, OSError):
        is_error, _ = answer = _answer(partial(_prepare, pipe))
        pipe.send(answer)
        while not is_error:
            answer = _answer(partial(_execute, pipe.recv()))
            try:
                pipe.send(answer)
            except (TypeError, AttributeError) as error:  # something that cannot be sent to another process
                pipe.send((True, RuntimeError(f"{error}: {answer[1]!r}")))


def _prepare(pipe: Connection) -> None:
    tie_to_parent()
    prepare_kernels(partial(pipe.send, COMPILING))


def _execute(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except RuntimeError as error:
        if "start new thread" in str(error):
            raise ExecutorLost(f"a worker cannot start a thread ({error}): {TRY_FEWER}") from error
        raise


def _answer(function: Callable[[], Any]) -> Answer:
    try:
        return False, function()
    except Exception as error:
        return True, error


def exit_at_once() -> None:
    """Makes this process exit faster: the exit neither waits for threads nor lets the compiler free memory."""
    Finalize(None, os._exit, (0,), exitpriority=-1)
