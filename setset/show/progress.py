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


class _Whole:
    """How far all sizes are together, weighted by the time that one worker is expected to take for each.

    What was there before the run counts as done: a run that is taken up again goes on where its bar stood.
    """

    def __init__(self, estimate: Estimate) -> None:
        self._expected = {size.size: size.whole_seconds for size in estimate.sizes}
        self._due = {size.size: size.seconds for size in estimate.sizes}
        self._total = sum(self._expected.values())
        self._to_do = sum(self._due.values())
        self._workers, self._done, self._current = estimate.workers, 0.0, 0.0
        self._started = time.monotonic()

    def begin(self, size: int, activity: Activity) -> None:
        is_due = activity in (Activity.STORE, Activity.COUNT)
        self._current = self._due.get(size, 0.0) if is_due else 0.0

    def end(self, share: float) -> None:
        self._done, self._current = self._done + self._current * share, 0.0

    def share(self, of_current: float) -> float:
        """From 0 to 1, with so much of the current size done in this run."""
        before = self._total - self._to_do
        return (before + self._done + self._current * of_current) / self._total if self._total else 0.0

    def share_of_size(self, size: int, of_current: float) -> float:
        """How much of a size is there, with so much of what was due done."""
        expected = self._expected.get(size)
        due = self._due[size] / expected if expected else 1.0
        return 1.0 - due + due * of_current

    def left(self, of_current: float) -> float:
        """Seconds, from the speed that was expected and more and more the one that is seen."""
        done = self._done + self._current * of_current
        spent = time.monotonic() - self._started
        pace = (spent + SECONDS_TRUSTED) / (done + SECONDS_TRUSTED * self._workers)
        return max(self._to_do - done, 0.0) * pace


def _percent(share: float) -> str:
    """Never 100 while something is missing."""
    return f"{math.floor(share * 100 + 1e-9):>3} %"


class Lines:
    """Plain lines on stderr, a few a minute."""

    def __init__(self, introduction: Sequence[str] = ()) -> None:
        self._introduction = list(introduction)
        self._meter = _Meter(0, 0)
        self._title = ""
        self._last = 0.0

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        while self._introduction:
            _print_safely(self._introduction.pop(0))
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
    """A bar for each size and, for a run, one for the whole."""

    def __init__(self, estimate: Estimate | None = None, introduction: Sequence[str] = ()) -> None:
        self._introduction = list(introduction)
        self._whole = None if estimate is None else _Whole(estimate)
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._all: TaskID | None = None
        self._task: TaskID | None = None
        self._size = 0
        self._meter = _Meter(0, 0)

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        while self._introduction:
            self.notice(self._introduction.pop(0))
        progress = self._shown()
        self._size, self._meter = size, _Meter(tasks, lists_in)
        share = 0.0
        if self._whole is not None:
            self._whole.begin(size, activity)
            share = self._whole.share_of_size(size, 0.0)
            if self._all is None:
                self._all = self._add(progress, "all sizes", self._whole.share(0.0))
        self._task = self._add(progress, TITLES[activity].format(size=size), share)
        self._draw()

    @staticmethod
    def _add(progress: Progress, title: str, share: float) -> TaskID:
        return progress.add_task(title, total=1.0, completed=share, percent=_percent(share), shown="")  # type: ignore[arg-type]

    def advance(self, lists_in: int, lists_out: int) -> None:
        self._meter.advance(lists_in, lists_out)
        self._draw()

    def notice(self, text: str) -> None:
        self._shown().console.print(printable(text), highlight=False, markup=False)

    def end(self) -> None:
        self._draw()
        if self._whole is not None:
            self._whole.end(self._meter.share)
        self._meter = _Meter(0, 0)
        self._task = None

    def complete(self) -> None:
        """All that was asked for is there."""
        if self._progress is not None and self._all is not None:
            self._progress.update(self._all, completed=1.0, percent=_percent(1), shown="")

    def _draw(self) -> None:
        if self._progress is None or self._task is None:
            return
        meter, share = self._meter, self._meter.share
        finished = meter.done >= meter.tasks
        left = "" if finished else f", {duration(meter.left)} left"
        shown = f"{how_many(meter.found, 'list')}, {number(meter.rate / 1e6, 0)} M/s{left}"
        if self._whole is not None and self._all is not None:
            whole = self._whole.share(share)
            self._update(self._all, whole, f"{duration(self._whole.left(share))} left")
            share = self._whole.share_of_size(self._size, share)
        self._update(self._task, share, shown)

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
