"""Runs a Dask scheduler or Dask workers with the settings that setset needs: `setset scheduler` and `setset worker`.

Schedulers and workers listen at one address of their machine. They use TLS if they have certificates. A scheduler
without certificates needs a loopback address or --insecure. A new process replaces a dead worker. Workers reconnect
when the scheduler comes back, at the same address or at a new address in the scheduler file.
"""

import asyncio
import contextlib
import logging
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import dask
from distributed import Nanny, Scheduler, Security
from distributed.comm import get_address_host
from distributed.core import Status, rpc
from distributed.worker import dumps_function

from setset.batches.ownership import root_owner
from setset.errors import BadInput, SetsetError
from setset.executors.base import Notice
from setset.executors.build import build_digest
from setset.executors.dask.certificates import make_certificates, read_certificates
from setset.executors.dask.client import CLOSED, QUIET, first_line, read_address, root_cause

BUILD = "setset_build"
"""Name of the handler by which workers ask a scheduler for its build digest."""
RETRY_SECONDS = 2.0
DRAIN_SECONDS = 10.0
"""Maximum number of seconds that a stopping worker waits for the end of its task."""


def serve_scheduler(
    host: str, port: int, file: Path | None, certificates: Path | None, dashboard: bool, insecure: bool, notice: Notice
) -> None:
    """Runs a scheduler until SIGINT or SIGTERM.

    Args:
        host: Address of this machine to listen at.
        port: Port to listen at; 0 for any free port.
        file: Scheduler file to write, for workers and runs.
        certificates: Folder with certificates. If the folder is empty, the scheduler makes certificates there.
        dashboard: Whether to serve Dask's dashboard, at a loopback address.
        insecure: Whether to allow a network address without certificates.
        notice: Callback for messages.
    """
    if certificates is not None:
        made = make_certificates(certificates)
        if made:
            notice(f"made certificates in {certificates}: copy this folder to every node; it gives access to all nodes")
    elif not insecure and not _is_loopback(host):
        raise BadInput(
            f"--host {host}: everyone on this network could run code on every worker: add --certificates DIR (made if "
            "DIR is empty), or --insecure if the network is yours alone"
        )
    security = read_certificates(certificates)
    dask.config.set({**QUIET, **({} if dashboard else CLOSED)})

    async def serve(stop: asyncio.Event) -> None:
        async with Scheduler(
            host=host,
            port=port,
            protocol="tls" if security.require_encryption else "tcp",
            security=security,
            dashboard=dashboard,
            dashboard_address="127.0.0.1:8787" if dashboard else "127.0.0.1:0",
            scheduler_file=str(file) if file else None,
        ) as scheduler:
            scheduler.handlers[BUILD] = build_digest
            notice(f"scheduler at {scheduler.address}: 'setset worker {file or scheduler.address}' on each node, then")
            notice(f"  'setset run 6 --executor dask={file or scheduler.address}'")
            await stop.wait()
        if file:
            file.unlink(missing_ok=True)  # workers would try the address in a stale file

    try:
        _run(serve)
    except RuntimeError as error:  # Dask's message is only "Scheduler failed to start."
        endpoint = f"{host} port {port} ({first_line(root_cause(error))})"
        raise BadInput(f"no scheduler can start at {endpoint}: choose another with --port") from error


@dataclass(frozen=True)
class WorkerOptions:
    """Options of `setset worker`."""

    scheduler: str
    """Address of the scheduler, or its scheduler file."""
    processes: int
    host: str | None = None
    """Address of this machine to listen at. None for the address by which this machine reaches the scheduler."""
    memory_limit: str = "0"
    local_folder: Path | None = None
    certificates: Path | None = None
    output: Path | None = None
    """Storage root for which the workers wait."""


def serve_workers(options: WorkerOptions, notice: Notice) -> None:
    """Runs worker processes until SIGINT or SIGTERM. At the signal, the workers finish their tasks and end."""
    security = read_certificates(options.certificates)
    dask.config.set({**QUIET, **CLOSED})

    async def serve(stop: asyncio.Event) -> None:
        await _find_scheduler(options, security, stop, notice)  # raises an error if the scheduler has another build
        if options.output is not None:
            await _wait_for_root(options.output, stop, notice)
        slots = (_Slot(options, security, stop, notice).work() for _ in range(options.processes))
        await asyncio.gather(*slots)

    _run(serve)


class _Slot:
    """Keeps one worker process running: starts a new process when the old process dies."""

    def __init__(self, options: WorkerOptions, security: Security, stop: asyncio.Event, notice: Notice) -> None:
        self._options, self._security, self._stop, self._notice = options, security, stop, notice

    async def work(self) -> None:
        while not self._stop.is_set():
            address = await _find_scheduler(self._options, self._security, self._stop, self._notice)
            if not address:
                return
            try:
                await self._work_for(address)
            except Exception as error:  # Dask raises many errors if the scheduler goes away while a worker starts
                self._notice(f"a worker could not start: {first_line(error)}; setset tries again")
            await _sleep(self._stop, RETRY_SECONDS)

    async def _work_for(self, address: str) -> None:
        """Runs a worker until the scheduler is gone, or until the event `stop` is set."""
        options = self._options
        async with Nanny(
            address,
            nthreads=1,
            memory_limit=options.memory_limit,
            local_directory=str(options.local_folder) if options.local_folder else None,
            host=options.host or _address_towards(get_address_host(address)),
            security=self._security,
            dashboard=False,
            dashboard_address="127.0.0.1:0",
            death_timeout=60,
            silence_logs=logging.CRITICAL,
        ) as nanny:
            self._notice(f"worker {nanny.worker_address} of {address}")
            gone, stopped = asyncio.ensure_future(nanny.finished()), asyncio.ensure_future(self._stop.wait())
            await asyncio.wait([gone, stopped], return_when=asyncio.FIRST_COMPLETED)
            if not gone.done():
                with contextlib.suppress(OSError, TimeoutError):
                    await asyncio.wait_for(self._drain(nanny.worker_address), DRAIN_SECONDS)
            gone.cancel()
            stopped.cancel()

    async def _drain(self, address: str) -> None:
        """Pauses a worker, so that it gets no more tasks, and waits for the end of its current task."""
        async with rpc(address, connection_args=self._security.get_connection_args("worker")) as worker:
            while not (await worker.run(function=dumps_function(pause_worker)))["result"]:
                await asyncio.sleep(0.2)
            await asyncio.sleep(1)  # gives the coordinator time to fetch the result and to notice the pause


def pause_worker(dask_worker: Any) -> bool:
    """Pauses the Dask worker of this process. Returns True if the worker has no running task."""
    dask_worker.status = Status.paused
    return not dask_worker.state.executing


async def _find_scheduler(options: WorkerOptions, security: Security, stop: asyncio.Event, notice: Notice) -> str:
    """Waits for the scheduler and returns its address; empty if `stop` is set. Raises an error if the scheduler has
    another build of setset."""
    noticed = False
    while not stop.is_set():
        try:
            address = (
                read_address(Path(options.scheduler)) if options.scheduler.endswith(".json") else options.scheduler
            )
            async with rpc(address, timeout=5, connection_args=security.get_connection_args("worker")) as scheduler:
                await scheduler.identity(n_workers=0)
                with contextlib.suppress(AttributeError, KeyError, ValueError):  # 'dask scheduler' has no such handler
                    build = await getattr(scheduler, BUILD)()
                    if isinstance(build, str) and build != build_digest():
                        raise SetsetError(
                            f"the scheduler at {address} has another build of setset: install the same build here"
                        )
            return address
        except (OSError, ValueError, LookupError) as error:
            if not noticed:
                notice(f"waiting for the scheduler at {options.scheduler}: {first_line(error)}")
                noticed = True
        await _sleep(stop, RETRY_SECONDS)
    return ""


async def _wait_for_root(root: Path, stop: asyncio.Event, notice: Notice) -> None:
    """Waits until a folder is a storage root. The first run makes the storage root. After a reboot, the mount may be
    late."""
    if root_owner(root) is None:
        notice(f"waiting for the storage root {root}: mount it there, or start 'setset run'")
    while not stop.is_set() and root_owner(root) is None:
        await _sleep(stop, RETRY_SECONDS)


def _address_towards(host: str) -> str:
    """Finds the address by which this machine reaches a host. Sends nothing over the network."""
    (family, kind, _, _, target), *_ = socket.getaddrinfo(host, 9, type=socket.SOCK_DGRAM)
    with socket.socket(family, kind) as probe:
        probe.connect(target)
        return str(probe.getsockname()[0])


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ip_address(host).is_loopback
    return False


async def _sleep(stop: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)


def _run(serve: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Runs the coroutine `serve` of a server. At SIGINT or SIGTERM, sets the event `stop`, the argument of `serve`."""

    async def main() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            if sys.platform == "win32":
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
            else:
                loop.add_signal_handler(number, stop.set)
        await serve(stop)

    asyncio.run(main())
