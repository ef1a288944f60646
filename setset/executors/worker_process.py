"""A worker process of this machine: started and ended."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.util import Finalize

from setset.spawning import spawn_context, tie_to_parent


def new_pool() -> ProcessPoolExecutor:
    """A pool of one process, which starts with the first call that is submitted."""
    return ProcessPoolExecutor(1, mp_context=spawn_context(), initializer=_start_worker)


def _start_worker() -> None:
    tie_to_parent()
    exit_at_once()


def exit_at_once() -> None:
    """A worker that is told to end has nothing left to do: taking the compiler apart would only take time."""
    Finalize(None, os._exit, (0,), exitpriority=-1)
