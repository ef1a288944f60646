"""A worker process of this machine, at the other end of a pipe."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import Any

from setset.engine.compilation import prepare_kernels
from setset.platform import STOP_SIGNALS, ignore_interrupts, interrupts_blocked, start_resource_tracker
from setset.spawning import spawn_context, tie_to_parent

Answer = tuple[bool, Any]
"""Whether it is an error, and the result or the error."""
COMPILING: Answer = (False, "compiling")
"""What a process sends before it compiles the kernels."""


class WorkerProcess:
    """A process that executes one call after the other.

    What asks a whole group of processes to end (a service, a batch system, Ctrl-C, a terminal that is closed) is for
    the coordinator alone: a worker finishes what it does and leaves when its pipe is closed.
    """

    def __init__(self) -> None:
        context = spawn_context()
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=_work, args=(there,), daemon=True)
        try:
            start_resource_tracker()
            with interrupts_blocked(STOP_SIGNALS):
                self._process.start()
        finally:
            there.close()

    def wait_until_ready(self, on_compiling: Callable[[], None]) -> str | None:
        """Waits until the process has its kernels; what went wrong if it cannot have them."""
        answer = self._receive()
        if answer == COMPILING:
            on_compiling()
            answer = self._receive()
        if answer is None:
            self._process.join(timeout=5)
            return f"it ended with code {self._process.exitcode}"
        is_error, error = answer
        return f"{type(error).__name__}: {error}" if is_error else None

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer | None:
        """What comes of a call; None if the process is gone."""
        try:
            self._pipe.send((function, arguments))
        except OSError:
            return None
        except Exception as error:  # something that cannot be sent to another process
            return True, error
        return self._receive()

    def _receive(self) -> Answer | None:
        try:
            answer: Answer = self._pipe.recv()
        except (EOFError, OSError):
            return None
        except Exception as error:  # something that cannot be made again here
            return True, error
        return answer

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        """Lets the process end, and waits for that."""
        self._pipe.close()
        self._process.join()


def _work(pipe: Connection) -> None:
    """What the process does: calls until the other end of the pipe is closed."""
    ignore_interrupts(STOP_SIGNALS)
    exit_at_once()
    with contextlib.suppress(EOFError, OSError):
        is_error, _ = answer = _answer(_prepare, (pipe,))
        pipe.send(answer)
        while not is_error:
            function, arguments = pipe.recv()
            answer = _answer(function, arguments)
            try:
                pipe.send(answer)
            except (TypeError, AttributeError) as error:  # something that cannot be sent to another process
                pipe.send((True, RuntimeError(f"{error}: {answer[1]!r}")))


def _prepare(pipe: Connection) -> None:
    tie_to_parent()
    prepare_kernels(partial(pipe.send, COMPILING))


def _answer(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
    try:
        return False, function(*arguments)
    except Exception as error:
        return True, error


def exit_at_once() -> None:
    """A worker that is told to end has nothing left to do: taking the compiler apart would only take time."""
    Finalize(None, os._exit, (0,), exitpriority=-1)
