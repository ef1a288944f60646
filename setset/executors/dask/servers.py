"""A Dask scheduler and Dask workers with the settings that setset needs: `setset scheduler` and `setset worker`.

Both listen at one address of this machine, and use TLS unless that is a loopback address. Workers start again when they
die, and connect again when the scheduler comes back, at the same address or at another one in the scheduler file.
"""

import asyncio
import contextlib
import json
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

from setset.batches.roots import root_owner
from setset.errors import BadInput, SetsetError
from setset.executors.base import Notice
from setset.executors.build import build_digest
from setset.executors.dask.certificates import make_certificates, read_certificates
from setset.executors.dask.client import CLOSED, QUIET, first_line

BUILD = "setset_build"
"""Name under which a scheduler answers with its build."""
RETRY_SECONDS = 2.0
DRAIN_SECONDS = 10.0
"""Longest time that a worker that is to end waits for its task."""


def serve_scheduler(
    host: str, port: int, file: Path | None, certificates: Path | None, dashboard: bool, insecure: bool, notice: Notice
) -> None:
    """Runs a scheduler until it gets a signal.

    Args:
        host: The one address of this machine to listen at.
        port: Its port; 0 for any free one.
        file: Scheduler file to write, for workers and runs.
        certificates: Folder with certificates; they are made if it is empty.
        dashboard: Serve Dask's pages, at a loopback address.
        insecure: Do without certificates on a network.
        notice: Callback for lines.
    """
    if certificates is not None:
        made = make_certificates(certificates)
        if made:
            notice(f"made certificates in {certificates}: copy this folder to every node, it is a key to all of them")
    elif not insecure and not _is_loopback(host):
        raise BadInput(
            f"--host {host}: whoever reaches it could run code on every worker: add --certificates DIR (made if it is "
            "empty), or --insecure on a network of your own"
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
            notice(f"  setset run --size 6 --executor dask={file or scheduler.address}")
            await stop.wait()
        if file:
            file.unlink(missing_ok=True)  # a stale one would lead workers to an address where nobody is

    _run(serve)


@dataclass(frozen=True)
class WorkerOptions:
    """Options of `setset worker`."""

    where: str
    """Address of the scheduler, or its scheduler file."""
    processes: int
    host: str | None = None
    """Address of this machine to listen at; the one on the way to the scheduler if None."""
    memory_limit: str = "0"
    local_folder: Path | None = None
    certificates: Path | None = None
    output: Path | None = None
    """Storage root that the worker must be able to see."""


def serve_workers(options: WorkerOptions, notice: Notice) -> None:
    """Runs worker processes until a signal: they finish their tasks, then end."""
    if options.output is not None and root_owner(options.output) is None:
        raise SetsetError(f"there is no storage root at {options.output}: mount it there, or run 'setset run' first")
    security = read_certificates(options.certificates)
    dask.config.set({**QUIET, **CLOSED})

    async def serve(stop: asyncio.Event) -> None:
        await _find_scheduler(options, security, stop, notice)  # a wrong build ends it here
        slots = (_Slot(options, security, stop, notice).work() for _ in range(options.processes))
        await asyncio.gather(*slots)

    _run(serve)


class _Slot:
    """One worker process after the other."""

    def __init__(self, options: WorkerOptions, security: Security, stop: asyncio.Event, notice: Notice) -> None:
        self._options, self._security, self._stop, self._notice = options, security, stop, notice

    async def work(self) -> None:
        while not self._stop.is_set():
            address = await _find_scheduler(self._options, self._security, self._stop, self._notice)
            if not address:
                return
            try:
                await self._work_for(address)
            except Exception as error:  # whatever Dask raises when the scheduler goes away while a worker starts
                self._notice(f"a worker could not start: {first_line(error)}; trying again")
            await _sleep(self._stop, RETRY_SECONDS)

    async def _work_for(self, address: str) -> None:
        """Runs a worker until its scheduler is gone, or it is to end."""
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
        """Lets a worker finish the task that it executes; it gets no more."""
        async with rpc(address, connection_args=self._security.get_connection_args("worker")) as worker:
            while not (await worker.run(function=dumps_function(pause_worker)))["result"]:
                await asyncio.sleep(0.2)
            await asyncio.sleep(1)  # the coordinator fetches the result, and hears of the pause


def pause_worker(dask_worker: Any) -> bool:
    """On a worker: takes no more tasks. Returns whether it has finished its tasks."""
    dask_worker.status = Status.paused
    return not dask_worker.state.executing


async def _find_scheduler(options: WorkerOptions, security: Security, stop: asyncio.Event, notice: Notice) -> str:
    """The address of the scheduler, once it answers. Refuses a scheduler of another build. Empty if it is to end."""
    told = False
    while not stop.is_set():
        try:
            address = _read_address(options.where)
            async with rpc(address, timeout=5, connection_args=security.get_connection_args("worker")) as scheduler:
                await scheduler.identity(n_workers=0)
                with contextlib.suppress(AttributeError, KeyError, ValueError):  # 'dask scheduler' started it
                    build = await getattr(scheduler, BUILD)()
                    if isinstance(build, str) and build != build_digest():
                        raise SetsetError(
                            f"the scheduler at {address} has another build of setset: install the same one here"
                        )
            return address
        except (OSError, ValueError, LookupError) as error:
            if not told:
                notice(f"waiting for the scheduler at {options.where}: {first_line(error)}")
                told = True
        await _sleep(stop, RETRY_SECONDS)
    return ""


def _read_address(where: str) -> str:
    """An address; that in a scheduler file if it is the name of one."""
    if where.endswith(".json"):
        return str(json.loads(Path(where).read_text(encoding="utf-8"))["address"])
    return where


def _address_towards(host: str) -> str:
    """The address of this machine from which packets to a host leave. Nothing is sent."""
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
    """Runs a server until SIGINT or SIGTERM."""

    async def main() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            if sys.platform == "win32":
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
            else:
                loop.add_signal_handler(number, stop.set)
        await serve(stop)

    asyncio.run(main())
