"""Live updates: one thread looks once a second, for all viewers together, and only while there are any."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Final

import setset
from setset.web.site import Site

INTERVAL: Final = 1.0
REST: Final = 100
"""For each second of reading and rendering so many of rest, unless a run begins or ends: a hundredth of a core."""
MOST_VIEWERS: Final = 100
ALIVE: Final = 15.0
"""Seconds after which a silent connection gets a line, so that both sides notice if it is gone."""


class Live:
    """What is shown now, as an event, rendered once for all.

    The thread asks for the database's counter of changes and whether a run has the lock; only if one of them has
    changed it reads, and wakes the viewers. What a run records while it goes on is read a little later if reading takes
    long, so that the page costs next to nothing.
    """

    def __init__(self, site: Site, render: Callable[[], str]) -> None:
        self._site, self._render = site, render
        self._waiting: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._html, self._event, self._version = "", b"", 0

    def start(self) -> None:
        """To be called in the loop of the viewers."""
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._run, daemon=True, name="setset live").start()

    def _run(self) -> None:
        watch: setset.Watch | None = None
        changed, rested = False, 0.0
        while not self._site.ending.wait(INTERVAL):
            if not self._waiting:
                if watch is not None:
                    watch.close()
                    watch = None
                continue
            if watch is None:
                watch, changed, rested = setset.Watch(self._site.settings.workspace), False, 0.0
            before = watch.in_use
            with setset.reading_copies():
                changed = watch.changed() or changed
            if changed and (time.monotonic() >= rested or watch.in_use != before):
                spent = time.thread_time()
                self._show(self._render())
                changed, rested = False, time.monotonic() + REST * (time.thread_time() - spent)
        self._wake()

    def _show(self, html: str) -> None:
        if html == self._html:
            return
        lines = "".join(f"data: {line}\n" for line in html.splitlines())
        self._html, self._event = html, f"event: progress\n{lines}\n".encode()
        self._version += 1
        self._wake()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        for each in self._waiting:
            each.set()

    async def events(self) -> AsyncIterator[bytes]:
        """Server-sent events: what is shown, whenever it has changed, until the viewer or the server goes."""
        news, seen = asyncio.Event(), 0
        self._waiting.add(news)
        try:
            yield b"retry: 1000\n\n"
            while not self._site.ending.is_set():
                news.clear()
                if self._version != seen:
                    seen = self._version
                    yield self._event
                try:
                    await asyncio.wait_for(news.wait(), ALIVE)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self._waiting.discard(news)

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= MOST_VIEWERS
