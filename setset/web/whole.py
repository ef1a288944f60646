"""Computes the progress, speed and remaining time of a whole run, over all of its sizes."""

import re
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import setset

Step = tuple[str, int]
"""A step of a run: the kind of work (store or count) and the size."""
FRESH: Final = 300.0
"""Number of seconds for which an estimate is reused."""
WINDOW: Final = 60.0
"""Number of seconds over which the speed is averaged."""
LEAST: Final = 6.0
"""Minimum number of seconds of observation. After a shorter observation, the page shows the estimated speed."""
KEPT: Final = 600.0
POINTS: Final = 40
"""Maximum number of points of the sparkline, which covers the last KEPT seconds."""


@dataclass
class Pace:
    """Observed speed of a run. Each observation in `seen` has its time, the share of the run that is done, and the
    number of lists."""

    seen: deque[tuple[float, float, int]] = field(default_factory=deque)
    run: int | None = None
    estimates: dict[tuple[Any, ...], tuple[float, setset.Estimate | None]] = field(default_factory=dict)

    def note(self, run: int, done: float, lists: int) -> None:
        """Adds an observation, unless the previous one is less than a second old. A new run clears all observations."""
        now = time.monotonic()
        if run != self.run or (self.seen and lists < self.seen[-1][2]):
            self.seen.clear()
            self.run = run
        if not self.seen or now - self.seen[-1][0] >= 1:
            self.seen.append((now, done, lists))
        while now - self.seen[0][0] > KEPT:
            self.seen.popleft()

    def speed(self) -> tuple[float, float] | None:
        """Observed speed in the last minute: share of the work and number of lists, both per second. None without
        enough observations."""
        if not self.seen:
            return None
        now = self.seen[-1][0]
        first = next(observation for observation in self.seen if now - observation[0] <= WINDOW)
        span = now - first[0]
        if span < LEAST or self.seen[-1][1] <= first[1]:
            return None
        return (self.seen[-1][1] - first[1]) / span, (self.seen[-1][2] - first[2]) / span

    def sparkline(self) -> list[float]:
        """Points of the sparkline: lists per second over time, oldest first."""
        seen = list(self.seen)
        step = max(1, -(-len(seen) // POINTS))
        chosen = seen[::step]
        return [round((b[2] - a[2]) / (b[0] - a[0])) for a, b in pairwise(chosen) if b[0] > a[0]]


@dataclass(frozen=True)
class Segment:
    """One size in the progress bar of a run: the share that is done, and the weight of the size in the whole run."""

    size: int
    work: str
    share: float
    weight: float
    is_damaged: bool
    """Whether the size has a known defect or an expansion that failed."""


def describe_goal(
    workspace: setset.Workspace, sizes: Sequence[setset.SizeStatus], run: Any, pace: Pace
) -> dict[str, Any] | None:
    """Computes the progress of the last run towards its goal (the sizes to store and to count). Returns None if there
    is no run, or if the run has no goal.

    Args:
        workspace: The workspace.
        sizes: Status of the sizes of the workspace.
        run: Record of the last run.
        pace: Observed speed so far. If the run is under way, the function adds an observation.
    """
    if run is None or not run.command.startswith("setset run"):
        return None
    named = re.search(r"--target[ =](\d+)", run.command)
    target = int(named[1]) if named else 12
    exploration = next((exploration for exploration in workspace.explorations if exploration.target == target), None)
    stored, counted = exploration.goal if exploration else ((), None)
    if exploration is None or not (stored or counted):
        return None
    steps = [("store", size) for size in stored] + ([("count", counted)] if counted else [])
    by_step = {(str(status.work), status.size): status for status in sizes if status.target == target}
    mine = {step: by_step[step] for step in steps if step in by_step}
    complete = len(mine) == len(steps) and all(status.share >= 1 for status in mine.values())
    estimate = None if complete else _estimate(exploration, stored, counted, run.workers, pace)
    segments = _segments(steps, mine, estimate)
    return {
        "target": target,
        "size": max(size for _, size in steps),
        "complete": complete,
        "segments": segments,
        **_speed(segments, mine, run, estimate, pace),
        **({"share": 1.0, "seconds_left": None} if complete else {}),
        "bytes_needed": 0 if estimate is None else _bytes_needed(estimate, mine),
        "free_bytes": None if estimate is None else estimate.free_bytes,
    }


def _segments(
    steps: Sequence[Step], mine: Mapping[Step, setset.SizeStatus], estimate: setset.Estimate | None
) -> list[Segment]:
    """Makes the progress bar: a segment per size to store or to count. The weight of a segment is the usual share of
    its size in the time of the run. Without an estimate, all weights are equal."""
    usual = {} if estimate is None else estimate.usual_seconds()
    expected = _expected_lists(estimate)
    weights = [usual.get(size, 0.0) if usual else 1.0 for _, size in steps]
    total = sum(weights) or 1.0
    damaged = {step for step, status in mine.items() if status.state in ("defective", "failed", "absent")}
    return [
        Segment(size, work, _share(mine.get((work, size)), expected.get(size)), weight / total, (work, size) in damaged)
        for (work, size), weight in zip(steps, weights, strict=True)
    ]


def _expected_lists(estimate: setset.Estimate | None) -> dict[int, int]:
    return {} if estimate is None else {size_estimate.size: size_estimate.lists for size_estimate in estimate.sizes}


def _speed(
    segments: Sequence[Segment],
    mine: Mapping[Step, setset.SizeStatus],
    run: Any,
    estimate: setset.Estimate | None,
    pace: Pace,
) -> dict[str, Any]:
    """Computes the finished share, the remaining time and the speed of a run.

    Remaining time and speed come from the observations of the last minute. With too few observations, they come from
    the recorded speed of the size that the run works on. Without a recorded speed, the remaining time comes from the
    estimate, and the speed is None.
    """
    done = sum(segment.weight * segment.share for segment in segments)
    is_running = run.outcome is None
    if is_running:
        pace.note(run.id, done, sum(status.lists for status in mine.values()))
    speed = pace.speed() if is_running else None
    usual, recorded = estimate.seconds if estimate else None, None
    for segment in segments:
        status, lists = mine.get((segment.work, segment.size)), _expected_lists(estimate).get(segment.size)
        if status and status.running and status.lists_per_second:
            recorded = status.lists_per_second
            if lists and segment.weight:
                usual = (1 - done) * lists / recorded / segment.weight
    return {
        "share": min(done, 0.999),
        "seconds_left": (1 - done) / speed[0] if speed else usual,
        "lists_per_second": speed[1] if speed else recorded,
        "sparkline": pace.sparkline() if is_running else [],
    }


def _share(size: setset.SizeStatus | None, expected: int | None) -> float:
    """Share of a size that is done. Divides by the expected number of lists, because not all sources are known yet."""
    if size is None or size.share >= 1:
        return 0.0 if size is None else 1.0
    if str(size.work) == "count" or not expected:
        return size.share
    return min(size.lists / expected, 0.999)


def _bytes_needed(estimate: setset.Estimate, mine: Mapping[Step, setset.SizeStatus]) -> int:
    """Estimates the number of bytes that a run still has to write."""
    made = {size: status.lists for (work, size), status in mine.items() if work == "store"}
    rest = (
        (size_estimate, max(size_estimate.lists - made.get(size_estimate.size, 0), 0))
        for size_estimate in estimate.sizes
        if size_estimate.due
    )
    return round(sum(size_estimate.bytes * min(lists / size_estimate.due, 1) for size_estimate, lists in rest))


def _estimate(
    exploration: setset.Exploration, stored: tuple[int, ...], counted: int | None, workers: int, pace: Pace
) -> setset.Estimate | None:
    """Estimates the rest of a run. Makes a new estimate at most every FRESH seconds. Returns None if the run cannot be
    estimated."""
    key = (exploration.target, stored, counted, workers)
    moment, estimate = pace.estimates.get(key, (0.0, None))
    if moment and time.monotonic() - moment < FRESH:
        return estimate
    apart = tuple(size for size in stored if size > 3 and size - 1 not in stored)
    try:
        estimate = exploration.estimate(
            max(*stored, counted or 0, 3),
            workers=workers or None,
            count_only=counted is not None,
            prune=exploration.pruned,
            store=() if counted or not apart else [size for size in stored if size >= apart[0]],
            thorough=False,
        )
    except setset.BadInput:
        estimate = None
    pace.estimates[key] = time.monotonic(), estimate
    return estimate
