"""Progress of a run: bars on a terminal, plain lines elsewhere, nothing if quiet."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from setset.progress import Activity, NoProgress, ProgressListener
from setset.show.formatting import duration, how_many, number, print_line, printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

TITLES = {
    Activity.STORE: "lists of {size}",
    Activity.COUNT: "count to {size}",
    Activity.COMPACT: "compact {size}",
    Activity.CHECK: "check {size}",
    Activity.COMPARE: "compare {size}",
    Activity.REBUILD: "read {size}",
    Activity.EXPORT: "export {size}",
    Activity.REMOVE: "remove {size}",
}
SECONDS_BETWEEN_LINES = 5.0


@contextlib.contextmanager
def show_progress(quiet: bool, sizes: int | None = None) -> Iterator[ProgressListener]:
    """Bars on a terminal, lines in a log, or nothing. `sizes` is how many sizes a run goes through."""
    if quiet or sys.stderr is None or sys.stderr.closed:  # 2>&-
        yield NoProgress()
    elif not sys.stderr.isatty():
        yield Lines()
    else:
        bars = Bars(sizes)
        try:
            yield bars
        finally:
            bars.close()


def _print_safely(text: str) -> None:
    """A line on stderr. What cannot be written there, on a full disk or to a closed pipe, must not stop a run."""
    with contextlib.suppress(OSError, ValueError):
        print_line(text, err=True)


class _Stderr:
    """Standard error for bars: a terminal that was closed must not stop a run either."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


class _Meter:
    """Lists a second and time left, by a clock that never jumps."""

    def __init__(self, tasks: int, lists_in: int) -> None:
        self.tasks, self.lists_in = tasks, lists_in
        self.done = self.read = self.found = 0
        self._started = time.monotonic()

    def advance(self, lists_in: int, lists_out: int) -> None:
        self.done, self.read, self.found = self.done + 1, self.read + lists_in, self.found + lists_out

    @property
    def share(self) -> float:
        return self.read / self.lists_in if self.lists_in else self.done / max(self.tasks, 1)

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

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        self._title = TITLES[activity].format(size=size)
        self._meter = _Meter(tasks, lists_in)
        self._last = time.monotonic()

    def advance(self, lists_in: int, lists_out: int) -> None:
        self._meter.advance(lists_in, lists_out)
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._print(f"{self._meter.share:.1%}, {duration(self._meter.left)} left")

    def notice(self, text: str) -> None:
        _print_safely(f"setset: {text}")

    def end(self) -> None:
        finished = self._meter.done >= self._meter.tasks
        self._print("done" if finished else f"{self._meter.done:,} of {self._meter.tasks:,} done")

    def _print(self, state: str) -> None:
        meter = self._meter
        _print_safely(
            f"{self._title}: {how_many(meter.found, 'list')}, {number(meter.rate / 1e6, 1)} M lists/s, {state}"
        )


class Bars:
    """A bar for each size and one for the whole."""

    def __init__(self, sizes: int | None) -> None:
        self._sizes = sizes
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._all: TaskID | None = None
        self._task: TaskID | None = None
        self._meter = _Meter(0, 0)

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        progress = self._shown()
        self._meter = _Meter(tasks, lists_in)
        self._task = progress.add_task(TITLES[activity].format(size=size), total=1.0, shown="")

    def advance(self, lists_in: int, lists_out: int) -> None:
        self._meter.advance(lists_in, lists_out)
        self._draw()

    def notice(self, text: str) -> None:
        self._shown().console.print(printable(text), highlight=False, markup=False)

    def end(self) -> None:
        self._draw()
        if self._progress is not None and self._all is not None:
            self._progress.advance(self._all)
            self._progress.refresh()

    def _draw(self) -> None:
        if self._progress is None or self._task is None:
            return
        meter = self._meter
        finished = meter.done >= meter.tasks
        left = "" if finished else f", {duration(meter.left)} left"
        shown = f"{how_many(meter.found, 'list')}, {number(meter.rate / 1e6, 0)} M/s{left}"
        self._progress.update(self._task, completed=meter.share, shown=shown)

    def _shown(self) -> Progress:
        # Workers that come and go are noticed in a thread of their own.
        with self._lock:
            return self._progress or self._start()

    def _start(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(file=_Stderr())  # type: ignore[arg-type]
        edge = [TextColumn("|")] if console.no_color else []  # where a bar has no colour, its rest is blank
        columns = (
            TextColumn("{task.description}"),
            *edge,
            BarColumn(),
            *edge,
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[shown]}"),
        )
        self._progress = Progress(*columns, console=console)
        self._progress.start()
        if self._sizes:
            self._all = self._progress.add_task("all sizes", total=self._sizes, shown="")
        return self._progress

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()
