"""Connects the coordinator to a Dask scheduler within a time limit, or starts a cluster on this machine."""

import asyncio
import contextlib
import json
import logging
import os
import socket
import time
import urllib.request
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dask
import distributed
from distributed import Security, comm
from distributed.versions import VersionMismatchWarning

from setset.errors import SetsetError, require_extra
from setset.executors.base import Notice
from setset.executors.dask.certificates import read_certificates
from setset.executors.local import exit_at_once
from setset.platform import START_METHOD, interrupts_blocked

# The executor itself reports lost connections, in one line, so Dask's loggers are silenced. Some have their own level.
LOGGERS = "distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio"
for name in LOGGERS:
    logging.getLogger(name).setLevel(logging.CRITICAL)
# The check of each worker compares what matters to setset.
warnings.filterwarnings("ignore", category=VersionMismatchWarning)

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.worker.multiprocessing-method": START_METHOD,
}
"""Settings that switch off features of Dask. The profiler samples workers a hundred times per second, but setset never
reads the samples. Work stealing moves tasks between workers, but each task must stay on its worker."""

CLOSED: dict[str, Any] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Settings that remove all web pages of Dask. Schedulers and workers have an HTTP server even without a dashboard."""

PAUSE = 0.2
"""Number of seconds between two checks of a waiting loop."""


@dataclass(frozen=True)
class Timeouts:
    """Timeouts of the coordinator on a cluster, in seconds."""

    connect: float = 15  # for the first answer of the scheduler
    scheduler: float = 300  # for each later answer of the scheduler
    other_workers: float = 10  # for other workers to join, if no connected worker can work
    no_workers: float = 300  # for a worker to become ready, if none is ready
    lost_task: float = 60  # for a task that the scheduler no longer knows, and for a result or a check
    late_task: float = 60  # minimum age of a task before an idle worker gets a copy
    silent: float = 15  # for the next heartbeat of a worker
    recheck: float = 30  # between two checks of a worker that is refused or suspended
    interval: float = 1  # between two checks of the cluster
    line: float = 2  # until a message says what a waiting run waits for


Stopping = Callable[[], bool]
"""Callback that returns whether the run is stopping. If so, the functions of this module return no client."""


def start_local_cluster(workers: int, stopping: Stopping) -> distributed.Client | None:
    """Starts a cluster on this machine, which ends with this process, and returns its client."""
    if stopping():
        return None
    dask.config.set({**QUIET, **CLOSED})
    client = cluster = None
    try:
        # Signals are blocked while Dask starts its threads, which inherit this. So Ctrl-C goes to the coordinator.
        with interrupts_blocked():
            # Other users of this machine can reach the cluster's ports. A certificate made for this run keeps them out.
            with require_extra("dask", "a Dask cluster on this machine"):
                security = Security.temporary()
            cluster = distributed.LocalCluster(
                n_workers=workers,
                protocol="tls://",
                security=security,
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address="127.0.0.1:0",  # any free port; without an address Dask takes only port 8787
                scheduler_kwargs={"dashboard": False},  # other users of this machine could read it, since it has no TLS
                silence_logs=logging.CRITICAL,
            )
            client = distributed.Client(cluster, set_as_default=False)
            client.run(exit_at_once)
    except (OSError, RuntimeError) as error:
        close(client, cluster)
        raise SetsetError(f"Dask cannot start a cluster on this machine: {first_line(root_cause(error))}") from error
    return client


def connect(
    scheduler: str, seconds: float, stopping: Stopping, notice: Notice = lambda _: None
) -> distributed.Client | None:
    """Connects to the scheduler at an address, or at the address in a scheduler file, and returns the client."""
    stopping = _noticing(f"waiting for the Dask scheduler at {scheduler}", stopping, notice)
    deadline = time.monotonic() + seconds
    address = scheduler
    # Unlike pathlib, os.path raises no error for text that cannot be a file name.
    if scheduler.endswith(".json") or os.path.isfile(scheduler):  # noqa: PTH113
        address = _wait_for_address(Path(scheduler), deadline, stopping)
    try:
        if not stopping() and asyncio.run(_answers(address, deadline, stopping)):
            with interrupts_blocked():
                return distributed.Client(address, timeout=seconds, set_as_default=False, security=read_certificates())
    except (OSError, ValueError, TypeError, KeyError, RuntimeError) as error:
        # TimeoutError is an OSError. The other errors mean that the address is invalid.
        raise SetsetError(
            f"no Dask scheduler answers at {scheduler} ({first_line(error)}): start one with 'setset scheduler'"
        ) from error
    return None


def close(client: distributed.Client | None, cluster: distributed.LocalCluster | None = None) -> None:
    """Disconnects from a cluster, and ends the cluster if this process started it."""
    if client is not None:
        cluster = client.cluster
    for connection, seconds in ((client, 2), (cluster, 5)):
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close(timeout=seconds)


def _noticing(line: str, stopping: Stopping, notice: Notice) -> Stopping:
    """Wraps the callback `stopping`, which each waiting loop calls repeatedly. If the wait is longer than
    `Timeouts.line` seconds, the wrapper sends the message `line`, once."""
    due: float | None = time.monotonic() + Timeouts.line

    def check() -> bool:
        nonlocal due
        if due is not None and time.monotonic() > due:
            due = None
            notice(line)
        return stopping()

    return check


async def _answers(address: str, deadline: float, stopping: Stopping) -> bool:
    """Returns True when a scheduler answers at an address, or False if stopping. Raises OSError after the deadline.

    Called before a client is made, because a client without a connection takes half a minute to end and ignores Ctrl-C.
    The deadline is needed, because Dask waits forever for a process that listens but sends nothing, such as a stopped
    process.
    """
    options = read_certificates().get_connection_args("client")
    seconds = max(round(deadline - time.monotonic(), 1), 0.1)  # Dask's message names the address
    attempt = asyncio.ensure_future(comm.connect(address, timeout=seconds, **options))
    while not attempt.done() and not stopping() and time.monotonic() < deadline + PAUSE:
        await asyncio.wait([attempt], timeout=PAUSE)
    if not attempt.done():
        attempt.cancel()
        if stopping():
            return False
        raise TimeoutError("a process listens there, but does not answer")
    attempt.result().abort()
    return True


def read_address(file: Path) -> str:
    """Reads the address of the scheduler from a scheduler file. Raises ValueError if the file has no address."""
    content = json.loads(file.read_text(encoding="utf-8"))
    if isinstance(content, dict) and isinstance(content.get("address"), str):
        return str(content["address"])
    raise ValueError(f"{file} has no scheduler's address")


def _wait_for_address(file: Path, deadline: float, stopping: Stopping) -> str:
    """Waits until a scheduler file exists and is complete. Returns the address in the file, or "" if stopping."""
    while not stopping():
        with contextlib.suppress(OSError, ValueError):
            return read_address(file)
        if time.monotonic() > deadline:
            raise SetsetError(
                f"{file} has no scheduler's address: 'setset scheduler --scheduler-file {file}' writes it"
            )
        time.sleep(PAUSE)
    return ""


def find_page(address: str) -> str:
    """Returns the address of a dashboard if it answers, otherwise "". Requests the page, because a scheduler has an
    HTTP server even without a dashboard.

    If `address` is of this machine, also tries 127.0.0.1, because `setset scheduler` serves its dashboard only there.
    """
    parts = urlsplit(address)
    local = parts._replace(netloc=f"127.0.0.1:{parts.port}").geturl() if _is_of_this_machine(parts.hostname) else ""
    for page in (address, local):
        with contextlib.suppress(OSError, ValueError), urllib.request.urlopen(page, timeout=2):  # noqa: S310
            return page
    return ""


def _is_of_this_machine(host: str | None) -> bool:
    with contextlib.suppress(OSError), socket.socket() as probe:
        probe.bind((host, 0))
        return True
    return False


def root_cause(error: BaseException) -> BaseException:
    """Finds the original error behind a Dask error: the first error in its chain of causes."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def first_line(error: BaseException) -> str:
    """Returns the first line of an error's message, without the errno of an OSError."""
    words = getattr(error, "strerror", None) or str(error)
    return (words.strip().splitlines() or [""])[0][:200] or type(error).__name__
