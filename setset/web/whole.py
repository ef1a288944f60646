"""A run as a whole, over all its sizes: how far it is, how fast, and when it ends."""

import re
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import setset

Step = tuple[str, int]
"""Work and size."""
FRESH: Final = 300.0
"""Seconds for which an estimate is used again."""
WINDOW: Final = 60.0
"""Seconds over which the speed is taken."""
LEAST: Final = 6.0
"""Seconds of observation before the speed that is seen replaces the speed that was expected."""
KEPT: Final = 600.0
POINTS: Final = 40
"""Points of the sparkline, over the last ten minutes at most."""


@dataclass
class Pace:
    """Observations of a run that goes on: moment, share of the work, lists."""

    seen: deque[tuple[float, float, int]] = field(default_factory=deque)
    run: int | None = None
    estimates: dict[tuple[Any, ...], tuple[float, setset.Estimate | None]] = field(default_factory=dict)

    def note(self, run: int, done: float, lists: int) -> None:
        """Adds an observation, unless it is of the same second as the last."""
        now = time.monotonic()
        if run != self.run or (self.seen and lists < self.seen[-1][2]):
            self.seen.clear()
            self.run = run
        if not self.seen or now - self.seen[-1][0] >= 1:
            self.seen.append((now, done, lists))
        while now - self.seen[0][0] > KEPT:
            self.seen.popleft()

    def speed(self) -> tuple[float, float] | None:
        """Work and lists per second of the last minute; None if the run was not watched for long enough."""
        if not self.seen:
            return None
        now = self.seen[-1][0]
        first = next(each for each in self.seen if now - each[0] <= WINDOW)
        span = now - first[0]
        if span < LEAST or self.seen[-1][1] <= first[1]:
            return None
        return (self.seen[-1][1] - first[1]) / span, (self.seen[-1][2] - first[2]) / span

    def sparkline(self) -> list[float]:
        """Lists per second in the course of time, oldest first."""
        seen = list(self.seen)
        step = max(1, -(-len(seen) // POINTS))
        chosen = seen[::step]
        return [round((b[2] - a[2]) / (b[0] - a[0])) for a, b in pairwise(chosen) if b[0] > a[0]]


@dataclass(frozen=True)
class Segment:
    """One size of a goal: the share of it that is there, and its part of the work of the whole."""

    size: int
    work: str
    share: float
    weight: float


def describe_goal(
    workspace: setset.Workspace, sizes: Sequence[setset.SizeStatus], run: Any, pace: Pace
) -> dict[str, Any] | None:
    """How far the last run is on the way to its goal; None if there is no run, or its goal is unknown.

    Args:
        workspace: The workspace.
        sizes: The status of its sizes.
        run: The record of the last run.
        pace: Observations so far; gets another one if the run goes on.
    """
    if run is None or not run.command.startswith("setset run"):
        return None
    named = re.search(r"--target[ =](\d+)", run.command)
    target = int(named[1]) if named else 12
    exploration = next((each for each in workspace.explorations if each.target == target), None)
    stored, counted = exploration.goal if exploration else ((), None)
    if exploration is None or not (stored or counted):
        return None
    steps = [("store", size) for size in stored] + ([("count", counted)] if counted else [])
    found = {(str(each.work), each.size): each for each in sizes if each.target == target}
    mine = {step: found[step] for step in steps if step in found}
    complete = len(mine) == len(steps) and all(each.share >= 1 for each in mine.values())
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
    """The sizes, weighted by the time that they usually take."""
    usual = {} if estimate is None else estimate.usual_seconds()
    expected = {} if estimate is None else {each.size: each.lists for each in estimate.sizes}
    weights = [usual.get(size, 0.0) if usual else 1.0 for _, size in steps]
    total = sum(weights) or 1.0
    return [
        Segment(size, work, _share(mine.get((work, size)), expected.get(size)), weight / total)
        for (work, size), weight in zip(steps, weights, strict=True)
    ]


def _speed(
    segments: Sequence[Segment],
    mine: Mapping[Step, setset.SizeStatus],
    run: Any,
    estimate: setset.Estimate | None,
    pace: Pace,
) -> dict[str, Any]:
    """Share, time left and speed: from the last minute if it was watched, else from the records."""
    done = sum(each.weight * each.share for each in segments)
    is_running = run.outcome is None
    if is_running:
        pace.note(run.id, done, sum(each.lists for each in mine.values()))
    speed = pace.speed() if is_running else None
    recorded = (each.lists_per_second for each in mine.values() if each.running)
    return {
        "share": min(done, 0.999),
        "seconds_left": (1 - done) / speed[0] if speed else estimate.seconds if estimate else None,
        "lists_per_second": speed[1] if speed else next(filter(None, recorded), None),
        "sparkline": pace.sparkline() if is_running else [],
    }


def _share(size: setset.SizeStatus | None, expected: int | None) -> float:
    """Share of a size that is there: of the lists that are expected, since sources yet to come are not known."""
    if size is None or size.share >= 1:
        return 0.0 if size is None else 1.0
    if str(size.work) == "count" or not expected:
        return size.share
    return min(size.lists / expected, 0.999)


def _bytes_needed(estimate: setset.Estimate, mine: Mapping[Step, setset.SizeStatus]) -> int:
    """Bytes of the files that are yet to come."""
    made = {size: each.lists for (work, size), each in mine.items() if work == "store"}
    rest = ((each, max(each.lists - made.get(each.size, 0), 0)) for each in estimate.sizes if each.due)
    return round(sum(each.bytes * min(lists / each.due, 1) for each, lists in rest))


def _estimate(
    exploration: setset.Exploration, stored: tuple[int, ...], counted: int | None, workers: int, pace: Pace
) -> setset.Estimate | None:
    """Estimate of the rest of a run; None if there is no estimate of such a run."""
    key = (exploration.target, stored, counted, workers)
    moment, known = pace.estimates.get(key, (0.0, None))
    if moment and time.monotonic() - moment < FRESH:
        return known
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
