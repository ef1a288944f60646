"""Progress of a run: bars on a terminal, plain lines elsewhere, nothing if quiet."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from setset.progress import Activity, NoProgress, ProgressListener
from setset.show.formatting import duration, how_many, number, print_line, printable

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

    from setset.workspace.estimate import Estimate

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
SECONDS_TRUSTED = 5.0
"""So long the speed that was expected counts as much as the one that is seen."""
WIDE = 100
"""Columns of a terminal that has room for everything."""


@contextlib.contextmanager
def show_progress(
    quiet: bool, estimate: Estimate | None = None, introduction: Sequence[str] = ()
) -> Iterator[ProgressListener]:
    """Bars on a terminal, lines in a log, or nothing.

    With what a run is expected to take also a bar for the whole. The introduction is printed when work begins: a run
    that is refused says only why.
    """
    if quiet or sys.stderr is None or sys.stderr.closed:  # 2>&-
        yield NoProgress()
    elif not sys.stderr.isatty():
        yield Lines(introduction)
    else:
        bars = Bars(estimate, introduction)
        try:
            yield bars
            bars.complete()
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
    """Lists per second and time left of a size, by a clock that never jumps."""

    def __init__(self, title: str, tasks: int, lists_in: int) -> None:
        self.title, self.tasks, self.lists_in = title, tasks, lists_in
        self.done = self.read = self.found = 0
        self.bar: TaskID | None = None
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


class _Whole:
    """How far all sizes are together, weighted by the time that one worker usually takes for each.

    By what is usual and not by what was measured: a run that resumes knows other speeds than the first one, and its
    bar must go on where it stood. What was there before the run counts as done.
    """

    def __init__(self, estimate: Estimate) -> None:
        self._weights = estimate.usual_seconds()
        self._due = {size.size: size.due / size.lists if size.lists else 0.0 for size in estimate.sizes}
        self._seconds = {size.size: size.seconds for size in estimate.sizes}
        self._done = dict.fromkeys(self._due, 0.0)
        self._workers = estimate.workers
        self._started = time.monotonic()

    def set_done(self, size: int, share: float) -> None:
        """So much of what was due of a size is done."""
        self._done[size] = max(self._done.get(size, 0.0), share)

    @property
    def share(self) -> float:
        """From 0 to 1."""
        total = sum(self._weights.values())
        done = sum(weight * self.share_of_size(size) for size, weight in self._weights.items())
        return done / total if total else 0.0

    def share_of_size(self, size: int) -> float:
        """How much of a size is there."""
        return 1.0 - self._due.get(size, 1.0) * (1.0 - self._done.get(size, 0.0))

    @property
    def left(self) -> float:
        """Seconds, from the speed that was expected and more and more the one that is seen."""
        done = sum(seconds * self._done[size] for size, seconds in self._seconds.items())
        spent = time.monotonic() - self._started
        pace = (spent + SECONDS_TRUSTED) / (done + SECONDS_TRUSTED * self._workers)
        return max(sum(self._seconds.values()) - done, 0.0) * pace


def _percent(share: float) -> str:
    """Never 100 while something is missing."""
    return f"{math.floor(share * 100 + 1e-9):>3} %"


class Lines:
    """Plain lines on stderr, a few a minute."""

    def __init__(self, introduction: Sequence[str] = ()) -> None:
        self._introduction = list(introduction)
        self._meters: dict[int, _Meter] = {}
        self._last = 0.0

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        self._meters[size] = _Meter(TITLES[activity].format(size=size), tasks, lists_in)
        self._last = time.monotonic()
        while self._introduction:
            _print_safely(self._introduction.pop(0))

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        meter = self._meters[size]
        meter.advance(lists_in, lists_out)
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._print(meter, f"{meter.share:.1%}, {duration(meter.left)} left")

    def notice(self, text: str) -> None:
        _print_safely(f"setset: {text}")

    def end(self, size: int) -> None:
        meter = self._meters.pop(size)
        finished = meter.done >= meter.tasks
        self._print(meter, "done" if finished else f"{meter.done:,} of {meter.tasks:,} done")

    def _print(self, meter: _Meter, state: str) -> None:
        rate = number(meter.rate / 1e6, 1)
        _print_safely(f"{meter.title}: {how_many(meter.found, 'list')}, {rate} M lists/s, {state}")


class Bars:
    """A bar for each size and, for a run, one for the whole."""

    def __init__(self, estimate: Estimate | None = None, introduction: Sequence[str] = ()) -> None:
        self._introduction = list(introduction)
        self._whole = None if estimate is None else _Whole(estimate)
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._all: TaskID | None = None
        self._meters: dict[int, _Meter] = {}

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        while self._introduction:
            self.notice(self._introduction.pop(0))
        progress = self._shown()
        meter = self._meters[size] = _Meter(TITLES[activity].format(size=size), tasks, lists_in)
        share = 0.0
        if self._whole is not None:
            share = self._whole.share_of_size(size)
            if self._all is None:
                self._all = self._add(progress, "all sizes", self._whole.share)
        meter.bar = self._add(progress, meter.title, share)
        self._draw(size)

    @staticmethod
    def _add(progress: Progress, title: str, share: float) -> TaskID:
        return progress.add_task(title, total=1.0, completed=share, percent=_percent(share), shown="")  # type: ignore[arg-type]

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        self._meters[size].advance(lists_in, lists_out)
        self._draw(size)

    def notice(self, text: str) -> None:
        self._shown().console.print(printable(text), highlight=False, markup=False)

    def end(self, size: int) -> None:
        self._draw(size)
        del self._meters[size]

    def complete(self) -> None:
        """All that was asked for is there."""
        if self._progress is not None and self._all is not None:
            self._progress.update(self._all, completed=1.0, percent=_percent(1), shown="")

    def _draw(self, size: int) -> None:
        meter = self._meters[size]
        if self._progress is None or meter.bar is None:
            return
        share, finished = meter.share, meter.done >= meter.tasks
        left = "" if finished else f", {duration(meter.left)} left"
        shown = f"{how_many(meter.found, 'list')}, {number(meter.rate / 1e6, 0)} M/s{left}"
        if self._whole is not None and self._all is not None:
            self._whole.set_done(size, share)
            self._update(self._all, self._whole.share, f"{duration(self._whole.left)} left")
            share = self._whole.share_of_size(size)
        self._update(meter.bar, share, shown)

    def _update(self, task: TaskID, share: float, shown: str) -> None:
        assert self._progress is not None
        self._progress.update(task, completed=share, percent=_percent(share), shown=shown)

    def _shown(self) -> Progress:
        # Workers that come and go are noticed in a thread of their own.
        with self._lock:
            return self._progress or self._start()

    def _start(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.table import Column

        console = Console(file=_Stderr())  # type: ignore[arg-type]
        wide = console.width >= WIDE

        # A row that wraps is not taken away when it is drawn again.
        def text(field: str) -> TextColumn:
            return TextColumn(field, table_column=Column(no_wrap=True, overflow="ellipsis"))

        columns: list[ProgressColumn] = [text("{task.description}")]
        edge = [text("|")] if console.no_color else []  # where a bar has no colour, its rest is blank
        columns += [*edge, BarColumn(28 if wide else 14), *edge, text("{task.fields[percent]}")]
        columns += [TimeElapsedColumn()] if wide else []
        self._progress = Progress(*columns, text("{task.fields[shown]}"), console=console)
        self._progress.start()
        return self._progress

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()
