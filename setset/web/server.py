"""The server: bound to one address, patient with nobody, gone at once on Ctrl-C."""

from __future__ import annotations

import logging
import socket
import threading
import webbrowser
from contextlib import suppress
from types import FrameType
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from setset.errors import BadInput
from setset.web.app import make_app
from setset.web.site import Settings, Site

MOST_CONNECTIONS: Final = 200
MOST_NEW: Final = 50
"""Connections that are taken in one step of the loop: few, or there would be too many before the first is heard."""
QUEUE: Final = 1_024
"""Connections that wait to be taken; beyond these the system turns them away, and browsers try again."""
MOST_HEADER: Final = 16_384
PATIENCE: Final = 5.0
"""After so many seconds without progress, twice, a connection is ended."""


class GuardedProtocol(H11Protocol):
    """Ends connections whose other side sends no whole request or does not read; the oldest of those if too many."""

    _before: object = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # Headers and body are two pieces: without this the second waits 40 ms for the first to be acknowledged.
        with suppress(OSError):
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._number = next_number()
        if len(self.connections) > MOST_CONNECTIONS:
            idle = [each for each in self.connections if isinstance(each, GuardedProtocol) and each._stuck()]
            oldest = min(idle, key=lambda each: each._number, default=self)
            oldest.transport.abort()
            self.connections.discard(oldest)  # now, not when it is gone: others come in the same moment
        self._timer = self.loop.call_later(PATIENCE, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def _stuck(self) -> bool:
        """Whether it is for the other side to go on."""
        cycle = self.cycle
        waiting = cycle is None or cycle.response_complete or cycle.more_body
        return bool(waiting or self.flow.write_paused)

    def _look(self) -> None:
        now = (self._stuck(), self.cycle)
        if now[0] and now == self._before:
            self.transport.abort()
            return
        self._before = now
        self._timer = self.loop.call_later(PATIENCE, self._look)


_numbers = iter(range(2**63))


def next_number() -> int:
    """The place of a connection among all that there were."""
    return next(_numbers)


class Server(uvicorn.Server):
    """Ends live pages with itself, so that nothing keeps it waiting."""

    def __init__(self, config: uvicorn.Config, site: Site, ready: threading.Event) -> None:
        super().__init__(config)
        self._site, self._ready = site, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(QUEUE)
        self._ready.set()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._site.ending.set()
        super().handle_exit(sig, frame)


def listen(host: str, port: int) -> socket.socket:
    """A socket that waits for connections; BadInput if the address is taken or not of this machine."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((address[0], int(address[1])), family=family, backlog=MOST_NEW)
    except (OSError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(
            f"cannot serve at {host} port {port} ({reason}): choose another with --port"
        ) from error


def make_server(site: Site, ready: threading.Event) -> Server:
    """A server that is not started yet; it says when it is ready."""
    config = uvicorn.Config(
        make_app(site),
        http=GuardedProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
        backlog=MOST_NEW,
        limit_concurrency=MOST_CONNECTIONS + MOST_NEW,
        h11_max_incomplete_event_size=MOST_HEADER,
    )
    return Server(config, site, ready)


def serve(settings: Settings, listening: socket.socket, address: str, open_browser: bool = False) -> None:
    """Serves until Ctrl-C."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # of bad requests there is nothing to say
    ready = threading.Event()
    if open_browser:
        threading.Thread(target=_open, args=(ready, address), daemon=True).start()
    make_server(Site(settings), ready).run(sockets=[listening])


def _open(ready: threading.Event, address: str) -> None:
    ready.wait()
    webbrowser.open(address)
