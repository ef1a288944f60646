"""Connecting to a Dask scheduler, or starting one, within a bounded time."""

import asyncio
import contextlib
import json
import logging
import os
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import distributed
from distributed import Security, comm

from setset.errors import SetsetError, require_extra
from setset.executors.base import Notice
from setset.executors.dask.certificates import read_certificates
from setset.executors.local import exit_at_once
from setset.platform import interrupts_blocked

# The executor reports lost connections in one line. Dask gives some of its loggers a level of their own.
LOGGERS = "distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio"
for name in LOGGERS:
    logging.getLogger(name).setLevel(logging.CRITICAL)

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.worker.multiprocessing-method": "forkserver",
}
"""Dask profiles its workers a hundred times a second and its event loops fifty times; nobody reads that here. It moves
tasks and results between workers; here each task stays where it was sent."""

CLOSED: dict[str, Any] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""No pages: a scheduler and each worker have an HTTP server even without a dashboard."""

PAUSE = 0.2
"""Seconds between two looks, while something is waited for."""


@dataclass(frozen=True)
class Timeouts:
    """Seconds after which the coordinator no longer waits."""

    connect: float = 15  # for the first answer of the scheduler
    scheduler: float = 300  # for any later answer of the scheduler
    other_workers: float = 2  # for more workers, if none that is there can work
    no_workers: float = 300  # for a worker, if there is none
    lost_task: float = 60  # for a task that the scheduler no longer knows, or whose worker is paused or silent
    late_task: float = 60  # for a task, at least, before an idle worker gets a copy
    silent: float = 15  # for a heartbeat of a worker
    recheck: float = 30  # between two checks of a worker that is refused or suspended
    interval: float = 1  # between two looks at the cluster
    line: float = 3  # until a line names the thing that the run waits for


Stopping = Callable[[], bool]
"""Whether the run is stopping: then there is no client."""


def start_local_cluster(workers: int, stopping: Stopping) -> distributed.Client | None:
    """Client of a new cluster on this machine, which ends with this process."""
    if stopping():
        return None
    dask.config.set({**QUIET, **CLOSED})
    client = cluster = None
    try:
        # Dask's threads inherit that Ctrl-C is not for them but for the coordinator.
        with interrupts_blocked():
            # Other users of this machine can reach its ports: a certificate made for this run keeps them out.
            with require_extra("dask", "a Dask cluster on this machine"):
                security = Security.temporary()
            cluster = distributed.LocalCluster(
                n_workers=workers,
                protocol="tls://",
                security=security,
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address="127.0.0.1:0",  # any free port; without an address it insists on 8787
                scheduler_kwargs={"dashboard": False},  # plain HTTP, which other users of this machine can read
                silence_logs=logging.CRITICAL,
            )
            client = distributed.Client(cluster, set_as_default=False)
            client.run(exit_at_once)
    except (OSError, RuntimeError) as error:
        close(client, cluster)
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        raise SetsetError(f"Dask cannot start a cluster here: {first_line(cause)}") from error
    return client


def connect(
    where: str, seconds: float, stopping: Stopping, notice: Notice = lambda _: None
) -> distributed.Client | None:
    """Client of the scheduler at an address, or at the address in a scheduler file."""
    stopping = _noticing(f"waiting for the Dask scheduler at {where}", stopping, notice)
    deadline = time.monotonic() + seconds
    address = where
    # Unlike pathlib, os.path accepts text that cannot be the name of a file.
    if where.endswith(".json") or os.path.isfile(where):  # noqa: PTH113
        address = _read_address(Path(where), deadline, stopping)
    try:
        if not stopping() and asyncio.run(_answers(address, deadline, stopping)):
            with interrupts_blocked():
                return distributed.Client(address, timeout=seconds, set_as_default=False, security=read_certificates())
    except (OSError, ValueError, TypeError, KeyError, RuntimeError) as error:
        # TimeoutError is an OSError; the others are a bad address.
        raise SetsetError(
            f"no Dask scheduler answers at {where} ({first_line(error)}): start one with 'setset scheduler'"
        ) from error
    return None


def close(client: distributed.Client | None, cluster: distributed.LocalCluster | None = None) -> None:
    """Leaves a cluster, and ends it if it is one's own."""
    if client is not None:
        cluster = client.cluster
    for each, seconds in ((client, 2), (cluster, 5)):
        if each is not None:
            with contextlib.suppress(Exception):
                each.close(timeout=seconds)


def _noticing(line: str, stopping: Stopping, notice: Notice) -> Stopping:
    """The same question, which every wait repeats; after three seconds it prints a line, once."""
    due: float | None = time.monotonic() + Timeouts.line

    def asked() -> bool:
        nonlocal due
        if due is not None and time.monotonic() > due:
            due = None
            notice(line)
        return stopping()

    return asked


async def _answers(address: str, deadline: float, stopping: Stopping) -> bool:
    """Whether somebody listens, before there is a client: a client without a connection takes half a minute to end, and
    does not hear Ctrl-C. Dask waits for ever for a process that listens and says nothing, such as a stopped one."""
    options = read_certificates().get_connection_args("client")
    seconds = max(deadline - time.monotonic(), 0.1)
    attempt = asyncio.ensure_future(comm.connect(address, timeout=seconds, **options))
    while not attempt.done() and not stopping() and time.monotonic() < deadline + PAUSE:
        await asyncio.wait([attempt], timeout=PAUSE)
    if not attempt.done():
        attempt.cancel()
        if stopping():
            return False
        raise TimeoutError("it listens, but says nothing")
    attempt.result().abort()
    return True


def _read_address(file: Path, deadline: float, stopping: Stopping) -> str:
    """The address in a scheduler file, which may not be there yet, or not whole."""
    while not stopping():
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(found, dict) and isinstance(found.get("address"), str):
                return str(found["address"])
        if time.monotonic() > deadline:
            raise SetsetError(
                f"there is no scheduler's address in {file}: 'setset scheduler --scheduler-file {file}' writes one"
            )
        time.sleep(PAUSE)
    return ""


def find_page(address: str) -> str:
    """The address of a page, if there is one: a scheduler without a dashboard has an HTTP server, too."""
    with contextlib.suppress(OSError, ValueError), urllib.request.urlopen(address, timeout=2):  # noqa: S310
        return address
    return ""


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200] or type(error).__name__
