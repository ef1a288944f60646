"""Shows the progress of a run: bars on a terminal, plain lines elsewhere, almost nothing if quiet."""

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
"""Words before the size in the title of a bar or line, such as 'count to 9'. For any other activity, the title begins
with the name of the activity, such as 'check 3'."""
SECONDS_BETWEEN_LINES = 5.0
SECONDS_TRUSTED = 5.0
"""Seconds of a run after which measured and expected speed have the same weight in the remaining time."""
WIDE = 100
"""Minimum width of a terminal that has room for all columns of a bar."""


@contextlib.contextmanager
def show_progress(
    quiet: bool, estimate: Estimate | None = None, introduction: Sequence[str] = ()
) -> Iterator[ProgressListener]:
    """Yields a listener that shows progress: bars on a terminal, plain lines elsewhere, almost nothing if `quiet`.

    With an estimate there is also a bar for the whole run. The lines of `introduction` are printed when work begins, so
    that a refused run prints only its error.
    """
    if quiet or sys.stderr is None or sys.stderr.closed:  # a shell closes stderr with 2>&-
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
    """Prints a line on stderr. Ignores write errors, because a full disk or a closed pipe must not stop a run."""
    with contextlib.suppress(OSError, ValueError):
        print_line(text, err=True)


class _Stderr:
    """File-like object that writes bars to stderr. Ignores write errors: a closed terminal must not stop a run."""

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
    """Progress of the work on a size: finished share, lists per second and remaining time, by a monotonic clock."""

    def __init__(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        self.activity, self.tasks, self.lists_in = activity, tasks, lists_in
        self.title = f"{TITLES.get(activity, activity)} {size}"
        self.done = self.read = self.lists_found = 0
        self._started = time.monotonic()

    def advance(self, lists_in: int, lists_out: int) -> None:
        self.done, self.read, self.lists_found = self.done + 1, self.read + lists_in, self.lists_found + lists_out

    @property
    def finished(self) -> bool:
        return self.done >= self.tasks

    @property
    def spent(self) -> float:
        """Number of seconds since the work on the size began."""
        return time.monotonic() - self._started

    @property
    def share(self) -> float:
        return self.read / self.lists_in if self.lists_in else self.done / max(self.tasks, 1)

    @property
    def rate(self) -> float:
        """Number of lists found per second."""
        return self.lists_found / max(self.spent, 1e-9)

    @property
    def left(self) -> float | None:
        """Estimated remaining seconds; None before the first task is done."""
        spent = self.spent
        return spent / self.share - spent if 0 < self.share <= 1 else None


class _RunProgress:
    """Progress of a run over all its sizes. The weight of a size is the usual time of one worker for the whole size.

    The weights are usual times, not measured times, so that the bar of a resumed run continues at the same share, even
    if the speed is different. Lists that existed before the run count as done.
    """

    def __init__(self, estimate: Estimate) -> None:
        self._weights = estimate.usual_seconds()
        self._due = {size.size: size.due / size.lists if size.lists else 0.0 for size in estimate.sizes}
        self._seconds = {size.size: size.seconds for size in estimate.sizes}
        self._done = dict.fromkeys(self._due, 0.0)
        self._workers = estimate.workers
        self._started = time.monotonic()

    def set_done(self, size: int, share: float) -> None:
        """Records the finished share of the work of this run on a size. Ignores a share that is smaller than the last
        share."""
        self._done[size] = max(self._done.get(size, 0.0), share)

    @property
    def share(self) -> float:
        """Finished share of the run, from 0 to 1."""
        total = sum(self._weights.values())
        done = sum(weight * self.share_of_size(size) for size, weight in self._weights.items())
        return done / total if total else 0.0

    def share_of_size(self, size: int) -> float:
        """Finished share of a size, including lists from earlier runs."""
        return 1.0 - self._due.get(size, 1.0) * (1.0 - self._done.get(size, 0.0))

    @property
    def left(self) -> float:
        """Estimated remaining seconds of the run, at first at the expected speed, later at the measured speed."""
        done = sum(seconds * self._done[size] for size, seconds in self._seconds.items())
        spent = time.monotonic() - self._started
        pace = (spent + SECONDS_TRUSTED) / (done + SECONDS_TRUSTED * self._workers)
        return max(sum(self._seconds.values()) - done, 0.0) * pace


def _percent(share: float) -> str:
    """Formats a percentage, rounded down, so that unfinished work never shows 100 %."""
    return f"{math.floor(share * 100 + 1e-9):>3} %"


def _left(seconds: float | None, before: str = "") -> str:
    """Formats the remaining time, as '3 min left', after the text `before`. Empty if unknown or below a second."""
    return f"{before}{duration(seconds)} left" if seconds is not None and seconds >= 1 else ""


class Quiet(NoProgress):
    """Progress listener that prints nothing except a message when the command waits."""

    def waiting(self, text: str) -> None:
        _print_safely(f"setset: {text}")


class Lines(NoProgress):
    """Progress listener that prints plain lines on stderr: a line at the end of each size, and before the end at most a
    line per `seconds_between` seconds."""

    seconds_between = SECONDS_BETWEEN_LINES

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
        if time.monotonic() - self._last >= self.seconds_between:
            self._last = time.monotonic()
            self._show(meter, f"{meter.share:.1%}{_left(meter.left, ', ')}")

    def notice(self, text: str) -> None:
        _print_safely(f"setset: {text}")

    def end(self, size: int) -> None:
        meter = self._meters.pop(size)
        self._show(meter, "done" if meter.finished else f"{meter.done:,} of {meter.tasks:,} done")

    def _show(self, meter: Meter, state: str) -> None:
        rate = number(meter.rate / 1e6, 1)
        self._show_row(meter, f"{how_many(meter.lists_found, 'list')}, {rate} M lists/s, {state}")

    def _show_row(self, meter: Meter, words: str) -> None:
        _print_safely(f"{meter.title}: {words}")


class Bars(NoProgress):
    """Progress listener that draws a bar per size, and with an estimate a bar for the whole run."""

    def __init__(self, estimate: Estimate | None = None, introduction: Sequence[str] = ()) -> None:
        self._introduction = list(introduction)
        self._run = None if estimate is None else _RunProgress(estimate)
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._run_bar: TaskID | None = None
        self._meters: dict[int, tuple[Meter, TaskID]] = {}

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        while self._introduction:
            self.notice(self._introduction.pop(0))
        if self._run is not None and self._run_bar is None:
            self._run_bar = self._add("all sizes", self._run.share)
        meter = Meter(size, activity, tasks, lists_in)
        share = 0.0 if self._run is None else self._run.share_of_size(size)
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
        """Fills the bar of the whole run."""
        if self._run_bar is not None:
            self._update(self._run_bar, 1.0, "")

    def _draw(self, size: int) -> None:
        meter, bar = self._meters[size]
        share = meter.share
        left = "" if meter.finished else _left(meter.left, ", ")
        if self._run is not None and self._run_bar is not None:
            self._run.set_done(size, share)
            self._update(self._run_bar, self._run.share, _left(self._run.left))
            share = self._run.share_of_size(size)
        self._update(bar, share, f"{how_many(meter.lists_found, 'list')}, {number(meter.rate / 1e6, 0)} M/s{left}")

    def _update(self, task: TaskID, share: float, shown: str) -> None:
        self._shown().update(task, completed=share, percent=_percent(share), shown=shown)

    def _shown(self) -> Progress:
        # Needs the lock, because another thread reports workers that connect or leave.
        with self._lock:
            return self._progress or self._start()

    def _start(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.table import Column

        console = Console(file=_Stderr())  # type: ignore[arg-type]
        wide = console.width >= WIDE

        # Rows must not wrap, because rich does not erase a wrapped row when it redraws.
        def text(field: str) -> TextColumn:
            return TextColumn(field, table_column=Column(no_wrap=True, overflow="ellipsis"))

        columns: list[ProgressColumn] = [text("{task.description}")]
        edge = [text("|")] if console.no_color else []  # shows the end of a bar, which is blank without colour
        columns += [*edge, BarColumn(28 if wide else 14), *edge, text("{task.fields[percent]}")]
        columns += [TimeElapsedColumn()] if wide else []
        self._progress = Progress(*columns, text("{task.fields[shown]}"), console=console)
        self._progress.start()
        return self._progress

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()
