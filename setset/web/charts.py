"""Charts as pictures, drawn here and not in the browser: no script is loaded for them, and nothing is evaluated."""

from __future__ import annotations

import threading
import time
from importlib.util import find_spec
from typing import Final

import setset
from setset.web.query import NotFound
from setset.web.site import Site

KEEP: Final = 10.0
"""Seconds for which a chart is shown again, so that viewers together cost no more than one."""


def can_draw() -> bool:
    """Whether the extra `setset[plot]` is installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


class Charts:
    """The last pictures. One is drawn at a time."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._drawing = threading.Lock()
        self._drawn: dict[str, tuple[float, bytes]] = {}

    def svg(self, name: str) -> bytes:
        """A chart by its name: counts, which needs no workspace, gantt, rates or throughput."""
        with self._drawing:
            until, picture = self._drawn.get(name, (0.0, b""))
            if time.monotonic() > until:
                picture = setset.charts.as_bytes(self._chart(name), "svg")
                self._drawn[name] = (time.monotonic() + KEEP, picture)
            return picture

    def _chart(self, name: str) -> setset.charts.style.Chart:
        if name == "counts":
            try:
                with self._site.workspace() as opened:
                    return setset.charts.counts(opened)
            except setset.NotAWorkspace:
                return setset.charts.counts()
        draw = {
            "gantt": setset.charts.gantt,
            "rates": setset.charts.rates,
            "throughput": setset.charts.throughput,
        }.get(name)
        if draw is None:
            raise NotFound(f"there is no chart {name[:40]!r}")
        with self._site.workspace() as opened:
            return draw(opened)
