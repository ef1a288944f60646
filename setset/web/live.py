"""Live updates: one thread looks once a second, for all viewers together, and only while there are any."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Final

import setset
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

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True, name="setset live").start()

    def _run(self) -> None:
        watch: setset.Watch | None = None
        changed, rested = False, 0.0
        while not self._site.ending.wait(INTERVAL):
            if not self.viewers:
                if watch is not None:
                    watch.close()
                    watch = None
                continue
            if watch is None:
                watch, changed, rested = setset.Watch(self._site.folder), False, 0.0
            before = watch.in_use
            changed = watch.changed() or changed
            if changed and (time.monotonic() >= rested or watch.in_use != before):
                spent = time.thread_time()
                lines = "".join(f"data: {line}\n" for line in self._render().splitlines())
                self._event = f"event: progress\n{lines}\n".encode()
                changed, rested = False, time.monotonic() + REST * (time.thread_time() - spent)

    async def events(self) -> AsyncIterator[bytes]:
        """Server-sent events: the progress whenever it has changed, until the viewer goes or the server ends."""
        seen, spoke = b"", time.monotonic()
        self.viewers += 1
        try:
            yield b"retry: 1000\n\n"
            while True:
                event = self._event
                if event != seen or time.monotonic() - spoke > ALIVE:
                    yield event if event != seen else b": still here\n\n"
                    seen, spoke = event, time.monotonic()
                await asyncio.sleep(PAUSE)
        finally:
            self.viewers -= 1
