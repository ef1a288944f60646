"""Progress of a run: bars on a terminal, plain lines elsewhere, nothing if quiet."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from setset.jobs.progress import Unwatched, Watcher
from setset.show.formatting import duration, number

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

VERBS = {
    "store": "lists of {size}",
    "count": "count to {size}",
    "compact": "compact {size}",
    "check": "check {size}",
    "derive": "derive {size}",
    "rebuild": "read {size}",
}
SECONDS_BETWEEN_LINES = 5.0


@contextlib.contextmanager
def watching(quiet: bool, whole: int | None = None) -> Iterator[Watcher]:
    """Whoever looks on: the terminal, a log, or nobody. `whole` is how many sizes a run goes through."""
    if quiet:
        yield Unwatched()
    elif not sys.stderr.isatty():
        yield Lines()
    else:
        bars = Bars(whole)
        try:
            yield bars
        finally:
            bars.close()


class _Meter:
    """Lists a second and time left, by a clock that never jumps."""

    def __init__(self, jobs: int, lists_in: int) -> None:
        self.jobs, self.lists_in = jobs, lists_in
        self.done = self.read = self.found = 0
        self._started = time.monotonic()

    def advance(self, lists_in: int, lists_out: int) -> None:
        self.done, self.read, self.found = self.done + 1, self.read + lists_in, self.found + lists_out

    @property
    def share(self) -> float:
        return self.read / self.lists_in if self.lists_in else self.done / max(self.jobs, 1)

    @property
    def rate(self) -> float:
        return self.found / max(time.monotonic() - self._started, 1e-9)

    @property
    def left(self) -> float | None:
        spent = time.monotonic() - self._started
        return spent / self.share - spent if 0 < self.share <= 1 else None


class Lines:
    """Plain lines on stderr, a few a minute."""

    def __init__(self) -> None:
        self._meter = _Meter(0, 0)
        self._title = ""
        self._last = 0.0

    def begin(self, size: int, what: str, jobs: int, lists_in: int) -> None:
        self._title = VERBS[what].format(size=size)
        self._meter = _Meter(jobs, lists_in)
        self._last = time.monotonic()

    def advance(self, lists_in: int, lists_out: int) -> None:
        self._meter.advance(lists_in, lists_out)
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._say(f"{self._meter.share:.1%}, {duration(self._meter.left)} left")

    def notice(self, text: str) -> None:
        click.echo(f"setset: {text}", err=True)

    def end(self) -> None:
        whole = self._meter.done >= self._meter.jobs
        self._say("done" if whole else f"{self._meter.done:,} of {self._meter.jobs:,} done")

    def _say(self, state: str) -> None:
        meter = self._meter
        click.echo(
            f"{self._title}: {number(meter.found)} lists, {number(meter.rate / 1e6, 1)} M lists/s, {state}",
            err=True,
        )


class Bars:
    """A bar for each size and one for the whole."""

    def __init__(self, whole: int | None) -> None:
        self._whole = whole
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._all: TaskID | None = None
        self._task: TaskID | None = None
        self._meter = _Meter(0, 0)

    def begin(self, size: int, what: str, jobs: int, lists_in: int) -> None:
        progress = self._shown()
        self._meter = _Meter(jobs, lists_in)
        self._task = progress.add_task(VERBS[what].format(size=size), total=1.0, said="")

    def advance(self, lists_in: int, lists_out: int) -> None:
        self._meter.advance(lists_in, lists_out)
        self._draw()

    def notice(self, text: str) -> None:
        self._shown().console.print(text, highlight=False, markup=False)

    def end(self) -> None:
        self._draw()
        if self._progress is not None and self._all is not None:
            self._progress.advance(self._all)
            self._progress.refresh()

    def _draw(self) -> None:
        if self._progress is None or self._task is None:
            return
        meter = self._meter
        finished = meter.done >= meter.jobs
        left = "" if finished else f", {duration(meter.left)} left"
        said = f"{number(meter.found)} lists, {number(meter.rate / 1e6, 0)} M/s{left}"
        self._progress.update(self._task, completed=meter.share, said=said)

    def _shown(self) -> Progress:
        # Workers that come and go are noticed in a thread of their own.
        with self._lock:
            return self._progress or self._start()

    def _start(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[said]}"),
        )
        self._progress = Progress(*columns, console=Console(stderr=True))
        self._progress.start()
        if self._whole:
            self._all = self._progress.add_task("all sizes", total=self._whole, said="")
        return self._progress

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()
