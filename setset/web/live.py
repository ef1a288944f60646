"""Live updates: one thread looks once a second, for all viewers together, and only while there are any."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Final

import setset
from setset.web.site import Site

INTERVAL: Final = 1.0
LOOK: Final = 0.25
"""Seconds after which each viewer's connection looks whether there is something new to send."""
MOST_VIEWERS: Final = 100
ALIVE: Final = 15.0
"""Seconds after which a silent connection gets a line, so that both sides notice if it is gone."""


class Live:
    """What is shown now, as HTML, rendered once for all.

    The thread asks SQLite for its counter of changes and whether a run has the lock; only if one of them has
    changed it reads, whole queries at a time, and holds nothing in between.
    """

    def __init__(self, site: Site, render: Callable[[], str]) -> None:
        self._site, self._render = site, render
        self._viewers = 0
        self._shown: tuple[int, str] = (0, "")

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True, name="setset live").start()

    def _run(self) -> None:
        watch: setset.Watch | None = None
        while not self._site.ending.wait(INTERVAL):
            if not self._viewers:
                if watch is not None:
                    watch.close()
                    watch = None
                continue
            watch = watch or setset.Watch(self._site.settings.workspace)
            with setset.reading_copies():
                changed = watch.changed()
            if changed:
                self._show(self._render())

    def _show(self, html: str) -> None:
        version, before = self._shown
        if html != before:
            self._shown = (version + 1, html)

    async def events(self) -> AsyncIterator[str]:
        """Server-sent events: what is shown, whenever it has changed, until the viewer or the server goes."""
        self._viewers += 1
        try:
            seen, silent = 0, 0.0
            yield "retry: 1000\n\n"
            while not self._site.ending.is_set():
                version, html = self._shown
                if version != seen:
                    seen, silent = version, 0.0
                    yield (
                        "event: progress\n" + "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
                    )
                elif silent > ALIVE:
                    silent = 0.0
                    yield ": still here\n\n"
                await asyncio.sleep(LOOK)
                silent += LOOK
        finally:
            self._viewers -= 1

    @property
    def is_full(self) -> bool:
        return self._viewers >= MOST_VIEWERS
