"""The web server: listens at one address, limits the time of each connection, and ends at once on Ctrl-C."""

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
"""Maximum number of connections that the server accepts in one iteration of the event loop. Only between iterations,
the server compares the number of its connections with MOST_CONNECTIONS."""
QUEUE: Final = 1_024
"""Maximum number of connections that wait until the server accepts them. The system refuses more, and browsers
retry."""
MOST_HEADER: Final = 16_384
PATIENCE: Final = 5.0
"""Number of seconds between two checks of a connection. If two checks in a row find that the server waits for the
client at the same request, the server closes the connection."""


class GuardedProtocol(H11Protocol):
    """A connection to a browser. The server closes the connection if the client sends no complete request or does not
    read the answer. If there are too many connections, the server closes the oldest idle connection.

    The class uses undocumented attributes of uvicorn, because there is no other way. uvicorn has no time limit for a
    request to arrive (its issue 157). Its `limit_concurrency` refuses new visitors instead of closing idle connections,
    and sends no security headers.
    """

    _before: object = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > MOST_CONNECTIONS:
            idle = [
                connection
                for connection in self.connections
                if isinstance(connection, GuardedProtocol) and connection._stuck()
            ]
            oldest = min(idle, key=lambda connection: connection._since, default=self)
            oldest.transport.abort()
            self.connections.discard(oldest)  # now, because more connections may come before uvicorn reports the loss
        self._timer = self.loop.call_later(PATIENCE, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answers an invalid request with an error and the security headers."""
        headers = {**HEADERS, "Content-Type": "text/plain; charset=utf-8", "Connection": "close"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(f"HTTP/1.1 400 Bad Request\r\n{lines}\r\nsetset: {msg}\n".encode())
        self.transport.close()

    def _stuck(self) -> bool:
        """Whether the server waits for the client: for the rest of a request, or until it reads the answer."""
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
    """A uvicorn server that accepts few connections at once, but lets more connections wait in the queue."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(QUEUE)


def listen(host: str, port: int) -> socket.socket:
    """Opens a listening socket. Raises BadInput if the address is in use or does not belong to this machine."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server((address[0], int(address[1])), family=family, backlog=MOST_NEW)
    except (OSError, UnicodeError, OverflowError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).partition(" (while")[
            0
        ]  # socket.create_server adds the address
        raise BadInput(f"cannot serve at {host} port {port} ({reason}): choose another with --port") from error
    # Headers and body are two packets. Without this option the body waits 40 ms for an ACK of the headers.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def make_server(site: Site) -> Server:
    """Builds the server for a site, but does not start it."""
    config = uvicorn.Config(
        make_app(site),
        http=GuardedProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=0,  # do not wait for live pages, which never end
        backlog=MOST_NEW,
        h11_max_incomplete_event_size=MOST_HEADER,
    )
    return Server(config)


def serve(site: Site, listening: socket.socket, address: str, open_browser: bool = False) -> None:
    """Runs the web server until Ctrl-C."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # uvicorn would log every bad request
    if open_browser:
        # The socket listens already, so the browser just waits until the server accepts its connection.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    make_server(site).run(sockets=[listening])
