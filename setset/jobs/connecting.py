"""Getting hold of a Dask scheduler, within a bounded time."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from pathlib import Path

import dask
import distributed

from setset.errors import SetsetError
from setset.jobs.executors import leave_at_once, no_interrupt

# What Dask has to say of lost connections is said by the executor, in one line.
for name in (
    "distributed",
    "distributed.client",
    "distributed.gc",
    "tornado",
    "tornado.application",
    "asyncio",
):
    logging.getLogger(name).setLevel(logging.CRITICAL)

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.worker.multiprocessing-method": "forkserver",
}
"""Dask profiles its workers a hundred times a second and its event loops fifty times; nobody looks here. It moves
tasks and results between workers; here each order stays where it was sent."""


@dataclass(frozen=True)
class Patience:
    """Seconds after which the coordinator no longer waits."""

    connect: float = 15
    """for the scheduler to answer at first;"""
    silence: float = 60
    """for it to answer again;"""
    others: float = 2
    """for more workers, when those that are there cannot work;"""
    empty: float = 300
    """for a worker, when there is none;"""
    missing: float = 60
    """for an order that the scheduler no longer knows;"""
    beat: float = 1
    """between two looks at the cluster."""


def found(workers: int) -> tuple[distributed.Client, distributed.LocalCluster]:
    """A cluster of so many processes on this machine, that ends with this process."""
    # Dask's threads inherit that Ctrl-C is not for them but for the coordinator.
    with no_interrupt(), dask.config.set(QUIET):
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",  # any free port; without an address it insists on 8787
            silence_logs=logging.CRITICAL,
        )
        client = distributed.Client(cluster, set_as_default=False)
        client.run(leave_at_once)
        return client, cluster


def connect(where: str, seconds: float) -> distributed.Client:
    """A client of the scheduler at an address, or of the one that wrote a scheduler file."""
    is_file = where.endswith(".json") or Path(where).is_file()
    if is_file:
        _wait_for(Path(where), seconds)
    known: dict[str, str] = {"scheduler_file": where} if is_file else {"address": where}
    try:
        with no_interrupt(), dask.config.set({"distributed.comm.timeouts.connect": f"{seconds}s"}):
            return distributed.Client(**known, timeout=seconds, set_as_default=False)
    except (OSError, ValueError, TypeError, KeyError, RuntimeError) as error:
        # TimeoutError is an OSError; the others are an address or a file that makes no sense.
        raise SetsetError(
            f"no Dask scheduler answers at {where} ({first_line(error)}): start one with 'dask scheduler'"
        ) from error


def _wait_for(file: Path, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not file.is_file():
        if time.monotonic() > deadline:
            raise SetsetError(
                f"there is no scheduler file {file}: 'dask scheduler --scheduler-file {file}' makes one"
            )
        time.sleep(0.2)


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200] or type(error).__name__
