"""The server: bound to one address, patient with nobody, gone at once on Ctrl-C."""

import logging
import socket
import threading
import webbrowser
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from setset.errors import BadInput
from setset.web.app import make_app
from setset.web.security import HEADERS
from setset.web.site import Site

MOST_CONNECTIONS: Final = 200
MOST_NEW: Final = 50
"""Connections that are taken in one step of the loop: few, or there would be too many before the first is heard."""
QUEUE: Final = 1_024
"""Connections that wait to be taken; beyond these the system turns them away, and browsers try again."""
MOST_HEADER: Final = 16_384
PATIENCE: Final = 5.0
"""Seconds between two looks at a connection; without progress at the second look, the connection is ended."""


class GuardedProtocol(H11Protocol):
    """Ends connections whose other side sends no whole request or does not read; the oldest of those if too many.

    It uses attributes that uvicorn does not document. There is no other way: uvicorn has no time limit for a request to
    arrive (its issue 157), and its `limit_concurrency` turns away new visitors, not idle connections, and without the
    headers that every answer has.
    """

    _before: object = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > MOST_CONNECTIONS:
            idle = [each for each in self.connections if isinstance(each, GuardedProtocol) and each._stuck()]
            oldest = min(idle, key=lambda each: each._since, default=self)
            oldest.transport.abort()
            self.connections.discard(oldest)  # now, not when it is gone: others come in the same moment
        self._timer = self.loop.call_later(PATIENCE, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answers what is no request."""
        headers = {**HEADERS, "Content-Type": "text/plain; charset=utf-8", "Connection": "close"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(f"HTTP/1.1 400 Bad Request\r\n{lines}\r\nsetset: {msg}\n".encode())
        self.transport.close()

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


class Server(uvicorn.Server):
    """Lets more connections wait than it takes in one step."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(QUEUE)


def listen(host: str, port: int) -> socket.socket:
    """A socket that waits for connections; BadInput if the address is taken or not of this machine."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server((address[0], int(address[1])), family=family, backlog=MOST_NEW)
    except (OSError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"cannot serve at {host} port {port} ({reason}): choose another with --port") from error
    # Headers and body are two pieces: without this the second waits 40 ms for the first to be acknowledged.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def make_server(site: Site) -> Server:
    """A server that is not started yet."""
    config = uvicorn.Config(
        make_app(site),
        http=GuardedProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=0,  # live pages would never end
        backlog=MOST_NEW,
        h11_max_incomplete_event_size=MOST_HEADER,
    )
    return Server(config)


def serve(site: Site, listening: socket.socket, address: str, open_browser: bool = False) -> None:
    """Serves until Ctrl-C."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # of bad requests there is nothing to say
    if open_browser:
        # The socket listens already, so the browser waits until the server takes its connection.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    make_server(site).run(sockets=[listening])
