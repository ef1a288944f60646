"""Live updates of the progress page. While there are viewers, one thread looks for changes once per second."""

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
"""Maximum delay until a viewer gets an update, in seconds."""
REST: Final = 100
"""Number of seconds without an update after each CPU second spent on updates, so that updates use at most 1 % of a
core. The page shows the start and the end of a run without this delay."""
MOST_VIEWERS: Final = 100
ALIVE: Final = 15.0
"""Number of seconds without an event after which the server sends a keep-alive line, so that both sides notice a lost
connection."""


class Live:
    """Sends the progress of a run to all viewers as server-sent events. Renders each event once.

    A thread checks once per second whether the database or the lock of the run has changed, and reads the progress only
    after a change. If reading takes long, the thread reads less often, so that the page uses little CPU time.
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
            except Exception as error:  # this thread must not end, because viewers wait for it
                logged, problem = problem, printable(str(error))
                if problem != logged:
                    details = None if isinstance(error, OSError) else error
                    logging.getLogger(__name__).error("cannot read progress: %s", problem, exc_info=details)
                text = escape(f"Progress cannot be read ({problem}); trying again.")
                self._event = _event(f'<p class="problem">{text}</p>')
                self._watch = None

    def _look(self) -> None:
        """Renders the progress page as an event for the viewers if the progress has changed since the last event."""
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
        """Streams events to a viewer. Refuses more than MOST_VIEWERS, since each viewer keeps a connection."""
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
        """Yields an event whenever the progress changes, until the viewer leaves or the server ends."""
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
