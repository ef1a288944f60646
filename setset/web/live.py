"""Live updates: one thread looks once a second, for all viewers together, and only while there are any."""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable
from html import escape
from typing import Final

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

import setset
from setset.show.formatting import printable
from setset.web.site import Site

INTERVAL: Final = 1.0
PAUSE: Final = 0.3
"""Seconds after which a viewer gets what is new."""
REST: Final = 100
"""Seconds of rest for each second of reading and rendering, unless a run begins or ends: a hundredth of a core."""
MOST_VIEWERS: Final = 100
ALIVE: Final = 15.0
"""Seconds after which a silent connection gets a line, so that both sides notice if it is gone."""


class Live:
    """The progress as a server-sent event, rendered once for all viewers.

    The thread asks for the database's counter of changes and whether a run has the lock; only if one of them has
    changed it reads. What a run records while it goes on is read a little later if reading takes long, so that the page
    costs next to nothing.
    """

    def __init__(self, site: Site, render: Callable[[], str]) -> None:
        self._site, self._render = site, render
        self.viewers = 0
        self._event = b""
        self._watch: setset.Watch | None = None
        self._changed, self._rested = False, 0.0

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True, name="setset live").start()

    def _run(self) -> None:
        problem = ""
        while not self._site.ending.wait(INTERVAL):
            try:
                self._look()
                problem = ""
            except Exception as error:  # viewers wait for this thread as long as the server runs
                told, problem = problem, printable(str(error))
                if problem != told:
                    details = None if isinstance(error, OSError) else error
                    logging.getLogger(__name__).error("cannot read progress: %s", problem, exc_info=details)
                text = escape(f"Progress cannot be read ({problem}); trying again.")
                self._event = _event(f'<p class="problem">{text}</p>')
                self._watch = None

    def _look(self) -> None:
        """Renders the progress if it has changed."""
        if not self.viewers:
            if self._watch is not None:
                self._watch.close()
                self._watch = None
            return
        if self._watch is None:
            self._watch, self._changed, self._rested = setset.Watch(self._site.folder), False, 0.0
        before = self._watch.in_use
        self._changed = self._watch.changed() or self._changed
        if self._changed and (time.monotonic() >= self._rested or self._watch.in_use != before):
            spent = time.thread_time()
            self._event = _event(self._render())
            self._changed, self._rested = False, time.monotonic() + REST * (time.thread_time() - spent)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a viewer, if there are not too many: each keeps a connection."""
        if self.viewers >= MOST_VIEWERS:
            text = f"setset: {MOST_VIEWERS} live pages are open, which is the limit: close some, or reload this one\n"
            await Response(text, 503, {"Retry-After": "10"})(scope, receive, send)
            return
        self.viewers += 1
        try:
            await StreamingResponse(self._events(), media_type="text/event-stream")(scope, receive, send)
        finally:
            self.viewers -= 1

    async def _events(self) -> AsyncIterator[bytes]:
        """Server-sent events: the progress whenever it has changed, until the viewer goes or the server ends."""
        seen, spoke = b"", time.monotonic()
        yield b"retry: 1000\n\n"
        while True:
            event = self._event
            if event != seen or time.monotonic() - spoke > ALIVE:
                yield event if event != seen else b": still here\n\n"
                seen, spoke = event, time.monotonic()
            await asyncio.sleep(PAUSE)


def _event(page: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in page.splitlines())
    return f"event: progress\n{lines}\n".encode(errors="replace")
