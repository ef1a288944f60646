"""Selection of an executor by the name in `--executor NAME`."""

import multiprocessing
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from importlib import import_module
from typing import Any

from setset.errors import BadInput, require_extra
from setset.executors.base import StartExecutor
from setset.executors.dask.transfer import FileAccess
from setset.executors.local import LocalExecutor
from setset.platform import START_METHOD, interrupts_blocked, start_resource_tracker


def choose_executor(name: str, access: FileAccess) -> StartExecutor:
    """Returns a function that starts the executor with this name.

    Names are local, dask, dask=ADDRESS, dask=SCHEDULER_FILE and MODULE:CALLABLE. The callable takes the number of
    workers and returns a `concurrent.futures.Executor`. Raises BadInput for any other name.
    """
    kind, equals, address = name.partition("=")
    if kind == "dask" and bool(equals) == bool(address):
        if not address:
            _start_forkserver()
        with require_extra("dask", "a Dask cluster"):
            from setset.executors.dask.executor import DaskExecutor
        return partial(DaskExecutor, address or None, access)
    if access != FileAccess():
        raise BadInput("--map and --ship need --executor dask: workers of other executors use this machine's paths")
    if name == "local":
        return LocalExecutor
    module, colon, attribute = name.partition(":")
    if not colon:
        raise BadInput(f"--executor {name}: expected local, dask, dask=ADDRESS, dask=SCHEDULER_FILE or MODULE:CALLABLE")
    if "" not in sys.path:
        sys.path.insert(0, "")  # finds modules in the current folder, as 'python -m' does
    try:
        return partial(_start_foreign, name, getattr(import_module(module), attribute))
    except (ImportError, AttributeError, ValueError) as error:
        raise BadInput(f"--executor {name}: {error}") from error


def _start_foreign(name: str, start: Callable[[int], Any], workers: int) -> Executor:
    """Starts an executor from another package (MODULE:CALLABLE). Raises BadInput if it cannot start."""
    try:
        executor = start(workers)
    except Exception as error:
        raise BadInput(f"--executor {name}: {error!r}") from error
    if not isinstance(executor, Executor):
        raise BadInput(f"--executor {name} returns {executor!r}, expected a concurrent.futures.Executor")
    return executor


def _start_forkserver() -> None:
    """Starts the server process that forks the workers of a new Dask cluster. Called early, so that the server imports
    the workers' modules while this process imports its own modules."""
    if START_METHOD != "forkserver":
        return
    from multiprocessing import forkserver

    multiprocessing.set_forkserver_preload(["distributed", "setset.tasks.worker"])
    start_resource_tracker()
    with interrupts_blocked():
        forkserver.ensure_running()
