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
from setset.show.commands import pasteable
from setset.show.formatting import duration, how_many, number, print_line, printable

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

    from setset.workspace.estimate import Estimate

TITLES = {
    Activity.STORE: "lists of",
    Activity.COUNT: "count to",
    Activity.REBUILD: "read",
    Activity.STATISTICS: "statistics of",
}
"""Titles of activities that are not called by their names."""
SECONDS_BETWEEN_LINES = 5.0
SECONDS_TRUSTED = 5.0
"""Seconds after which the measured speed counts as much as the expected speed."""
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
        yield Quiet()
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


class Meter:
    """How far a size is, its lists per second and the time left, by a clock that never jumps."""

    def __init__(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        self.activity, self.tasks, self.lists_in = activity, tasks, lists_in
        self.title = f"{TITLES.get(activity, activity)} {size}"
        self.done = self.read = self.found = 0
        self._started = time.monotonic()

    def advance(self, lists_in: int, lists_out: int) -> None:
        self.done, self.read, self.found = self.done + 1, self.read + lists_in, self.found + lists_out

    @property
    def finished(self) -> bool:
        return self.done >= self.tasks

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._started

    @property
    def share(self) -> float:
        return self.read / self.lists_in if self.lists_in else self.done / max(self.tasks, 1)

    @property
    def rate(self) -> float:
        """Lists per second."""
        return self.found / max(self.spent, 1e-9)

    @property
    def left(self) -> float | None:
        """Seconds; None before the first task is done."""
        spent = self.spent
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
        """Notes the share of a size that is done."""
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
        """Seconds left: first by the expected speed, then more and more by the measured speed."""
        done = sum(seconds * self._done[size] for size, seconds in self._seconds.items())
        spent = time.monotonic() - self._started
        pace = (spent + SECONDS_TRUSTED) / (done + SECONDS_TRUSTED * self._workers)
        return max(sum(self._seconds.values()) - done, 0.0) * pace


def _percent(share: float) -> str:
    """Never 100 while something is missing."""
    return f"{math.floor(share * 100 + 1e-9):>3} %"


def _left(seconds: float | None, before: str = "") -> str:
    """Time left; nothing if it is unknown, or so short that it was wrong so far."""
    return f"{before}{duration(seconds)} left" if seconds is not None and seconds >= 1 else ""


class Quiet(NoProgress):
    """Nothing but what a command waits for."""

    def waiting(self, text: str) -> None:
        _print_safely(f"setset: {text}")


class Lines(NoProgress):
    """Plain lines on stderr, a few a minute."""

    def __init__(self, introduction: Sequence[str] = ()) -> None:
        self._introduction = list(introduction)
        self._meters: dict[int, Meter] = {}
        self._last = 0.0

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        self._meters[size] = Meter(size, activity, tasks, lists_in)
        self._last = time.monotonic()
        while self._introduction:
            _print_safely(self._introduction.pop(0))

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        meter = self._meters[size]
        meter.advance(lists_in, lists_out)
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._print(meter, f"{meter.share:.1%}{_left(meter.left, ', ')}")

    def notice(self, text: str) -> None:
        _print_safely(f"setset: {text}")

    def end(self, size: int) -> None:
        meter = self._meters.pop(size)
        self._print(meter, "done" if meter.finished else f"{meter.done:,} of {meter.tasks:,} done")

    def _print(self, meter: Meter, state: str) -> None:
        rate = number(meter.rate / 1e6, 1)
        _print_safely(f"{meter.title}: {how_many(meter.found, 'list')}, {rate} M lists/s, {state}")


class Bars(NoProgress):
    """A bar for each size and, for a run, one for the whole."""

    def __init__(self, estimate: Estimate | None = None, introduction: Sequence[str] = ()) -> None:
        self._introduction = list(introduction)
        self._whole = None if estimate is None else _Whole(estimate)
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._all: TaskID | None = None
        self._meters: dict[int, tuple[Meter, TaskID]] = {}

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        while self._introduction:
            self.notice(self._introduction.pop(0))
        if self._whole is not None and self._all is None:
            self._all = self._add("all sizes", self._whole.share)
        meter = Meter(size, activity, tasks, lists_in)
        share = 0.0 if self._whole is None else self._whole.share_of_size(size)
        self._meters[size] = meter, self._add(meter.title, share)
        self._draw(size)

    def _add(self, title: str, share: float) -> TaskID:
        return self._shown().add_task(title, total=1.0, completed=share, percent=_percent(share), shown="")  # type: ignore[arg-type]

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        self._meters[size][0].advance(lists_in, lists_out)
        self._draw(size)

    def notice(self, text: str) -> None:
        self._shown().console.print(printable(pasteable(text)), highlight=False, markup=False)

    def end(self, size: int) -> None:
        self._draw(size)
        del self._meters[size]

    def complete(self) -> None:
        """All that was asked for is there."""
        if self._all is not None:
            self._update(self._all, 1.0, "")

    def _draw(self, size: int) -> None:
        meter, bar = self._meters[size]
        share = meter.share
        left = "" if meter.finished else _left(meter.left, ", ")
        if self._whole is not None and self._all is not None:
            self._whole.set_done(size, share)
            self._update(self._all, self._whole.share, _left(self._whole.left))
            share = self._whole.share_of_size(size)
        self._update(bar, share, f"{how_many(meter.found, 'list')}, {number(meter.rate / 1e6, 0)} M/s{left}")

    def _update(self, task: TaskID, share: float, shown: str) -> None:
        self._shown().update(task, completed=share, percent=_percent(share), shown=shown)

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
