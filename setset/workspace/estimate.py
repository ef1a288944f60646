"""Estimate of a run before it starts: lists, files, bytes, time and disk."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from setset.cards import LARGEST
from setset.database import Database, explorations, views
from setset.database.explorations import SizeRecord
from setset.database.models import Work
from setset.database.views import SizeStatus
from setset.jobs.options import RunOptions
from setset.lazy import Shown
from setset.platform import free_bytes, usable_cores
from setset.workspace.expectation import CountOrigin, ExpectedCount, Probing, expect_counts
from setset.workspace.speed import Speed, measure_deep_speed, measure_speed, recorded_speeds, typical_speed

EFFICIENCY = 0.9
"""Efficiency of workers on other machines, relative to cores of this one: files and messages travel."""
START_SECONDS = 2.0
"""Time until workers have loaded what they need."""
LONG_SECONDS = 3600.0
"""`setset run` asks before a longer run, and before a run that takes half of the free disk."""


@dataclass(frozen=True)
class SizeEstimate:
    """Estimate of one size. A size that is there already takes nothing."""

    size: int
    lists: int
    """Lists of the whole size."""
    error: int
    """Standard error of `lists`; 0 if it is exact."""
    origin: CountOrigin
    due: int
    """Lists yet to be made."""
    files: int
    bytes: int
    """Bytes of the files of the lists that are due."""
    whole_seconds: float
    """Time of one worker for the whole size."""

    @property
    def seconds(self) -> float:
        """Time of one worker for the lists that are due."""
        return self.whole_seconds * self.due / self.lists if self.lists else 0.0


@dataclass(frozen=True)
class Estimate(Shown):
    """Estimate of a run. `setset.estimate` and `Exploration.estimate` make one.

    Example:
        >>> estimate = setset.estimate(9, target=12, workers=20)
        >>> estimate.lists, estimate.sizes[-1].origin.value
        (52383162465, 'known')
        >>> 3e8 < estimate.bytes < 2e9 and estimate.seconds < 3600
        True
    """

    target: int
    size: int
    count_only: bool
    workers: int
    sizes: tuple[SizeEstimate, ...]
    lists: int
    """Lists to be made; of a count without files, all lists that it counts."""
    files: int
    bytes: int
    core_seconds: float
    """Time of all workers together."""
    seconds: float
    free_bytes: int
    """Free bytes on the disk that the files go to."""
    speeds: str
    """Origin of the speed of a worker and of the bytes per list."""
    warnings: tuple[str, ...]
    pruned: bool = False
    """Whether the run prunes."""
    stored: tuple[int, ...] = ()
    """Sizes that --store and --count name; every size if empty."""

    @property
    def is_long(self) -> bool:
        """Whether it takes more than an hour."""
        return self.seconds > LONG_SECONDS

    @property
    def takes_much_disk(self) -> bool:
        """Whether it takes more than half of the free disk."""
        return self.bytes > self.free_bytes / 2

    def usual_seconds(self) -> dict[int, float]:
        """Typical time of one worker for each whole size, whatever was measured here. It tells how sizes compare."""
        options = RunOptions(self.size, self.target, count_only=self.count_only, pruned=self.pruned)
        return {
            size.size: size.lists / typical_speed(options, size.size, {}).lists_per_second
            for size in (self.sizes[-1:] if self.count_only else self.sizes)
        }


@dataclass(frozen=True)
class _Records:
    """Records of a workspace for the target and the work of a run, by size. A new workspace has none."""

    counts: dict[int, int] = field(default_factory=dict)
    """Number of lists of the sizes with complete counts."""
    begun: dict[int, SizeRecord] = field(default_factory=dict)
    complete: set[int] = field(default_factory=set)
    """Stored sizes with all their lists."""
    stages: dict[int, SizeStatus] = field(default_factory=dict)
    speeds: dict[int, Speed] = field(default_factory=dict)

    def is_complete(self, size: int) -> bool:
        return size in self.complete


def _read_records(database: Database, options: RunOptions) -> _Records:
    wanted = (options.target, Work.COUNT if options.count_only else Work.STORE)
    counts = [each for each in views.counts(database) if each.target == options.target and each.complete]
    found = explorations.find_all(database, options.target)
    stages = [each for each in views.progress(database) if (each.target, each.work) == wanted]
    hosts = [each for each in views.throughput(database) if (each.target, each.work) == wanted]
    return _Records(
        {each.size: each.lists for each in counts},
        {size.size: size for each in found for size in each.sizes()},
        {size for each in found for size in each.complete_sizes()},
        {each.size: each for each in stages},
        recorded_speeds(hosts, stages),
    )


def make_estimate(database: Database | None, options: RunOptions, probing: Probing) -> Estimate:
    """Estimates a run in a workspace; in a new one if there is no database. Files go to `options.output`."""
    options.validate()
    folder = options.output or Path()
    cores, free = usable_cores(), free_bytes(folder)
    records = _Records() if database is None else _read_records(database, options)
    expected = expect_counts(options, records.counts, probing)
    due = {size: _due_lists(options, records, size, count.lists) for size, count in expected.items()}
    wanted = {*options.stored_sizes, *options.count}
    due = {size: lists if size in wanted else 0 for size, lists in due.items()}
    speeds, origin = _speeds(options, probing, records.speeds, expected, due)
    sizes, files = [], 1.0
    for size, count in expected.items():
        if size not in wanted:
            continue
        files = _expected_files(options, records, size, count.lists, files)
        speed, stored = (
            speeds.get(size, Speed(math.inf)),
            0 if options.count_only or size in options.count else due[size],
        )
        new_files = math.ceil(files * (stored / count.lists)) if stored else 0
        new_bytes, seconds = round(stored * speed.bytes_per_list), count.lists / speed.lists_per_second
        sizes.append(SizeEstimate(size, *count, due[size], new_files, new_bytes, seconds))
    workers, core_seconds = options.workers or cores, sum(size.seconds for size in sizes)
    efficiency = EFFICIENCY if workers > cores else 1.0
    found = Estimate(
        options.target,
        options.size,
        options.count_only,
        workers,
        tuple(sizes),
        sum(due.values()),
        sum(size.files for size in sizes),
        sum(size.bytes for size in sizes),
        core_seconds,
        core_seconds / workers / efficiency + START_SECONDS if any(due.values()) else 0.0,
        free,
        origin,
        (),
        options.pruned,
        options.chosen,
    )
    return replace(found, warnings=tuple(_warnings(found, folder)))


def _due_lists(options: RunOptions, records: _Records, size: int, lists: int) -> int:
    """Lists of a size yet to be made, or to be counted. A count starts from the largest complete size."""
    is_counted = options.size in records.counts or any(map(records.is_complete, range(size, LARGEST + 1)))
    is_counted = is_counted if options.count_only else size in options.count and size in records.counts
    is_done = is_counted or (not options.count_only and records.is_complete(size))
    made = records.stages[size].lists if size in records.stages else 0
    if options.first and size == options.size:  # about as many lists come from each source
        sources = records.stages[size - 1].batches if size - 1 in records.stages else 0
        lists = round(lists * max(1 - options.first / sources, 0)) if sources else lists
    return 0 if is_done else max(lists - made, 0)


def _speeds(
    options: RunOptions,
    probing: Probing,
    recorded: Mapping[int, Speed],
    expected: Mapping[int, ExpectedCount],
    due: Mapping[int, int],
) -> tuple[dict[int, Speed], str]:
    """Speed of a worker at each size, and its origin."""
    # A count takes all its time at the largest size, on the way to which it counts the others.
    sizes = [options.size] if options.count_only else list(expected)
    speeds = {size: recorded.get(size) or typical_speed(options, size, recorded) for size in sizes}
    missing = [size for size in sizes if due[size] and size not in recorded and size > 3]
    deep = [size for size in missing if size > options.via_size + 1]
    missing = [size for size in missing if size not in deep and probing.measured]
    if not (missing or deep) or options.pruned:
        return speeds, "this workspace" if recorded else "typical"
    lists = {size: float(count.lists) for size, count in expected.items()}
    speeds |= {size: measure_deep_speed(options, size, lists, probing.seed) for size in deep}
    speeds |= {size: measure_speed(options, size, lists, probing.seed) for size in missing}
    return speeds, "this workspace, the rest measured now" if recorded else "measured now"


def _expected_files(options: RunOptions, records: _Records, size: int, lists: int, sources: float) -> float:
    """Files of a whole size. The last file of a source is half full on average, unless it is the only one."""
    stage, begun = records.stages.get(size), records.begun.get(size)
    if stage and stage.batches is not None and records.is_complete(size):
        return float(stage.batches)
    full = lists / (begun.batch_lists if begun else options.lists_in_file(size))
    return max(sources, full + sources / 2) if full > 1 else sources


def _bytes(count: int) -> str:
    """Bytes in a unit of which there is at least one."""
    units = {"TB": 1e12, "GB": 1e9, "MB": 1e6, "kB": 1e3}
    name = next((name for name, unit in units.items() if count >= unit), "kB")
    return f"{count / units[name]:,.1f} {name}"


def _warnings(estimate: Estimate, folder: Path) -> Iterator[str]:
    if estimate.bytes > estimate.free_bytes:
        yield (
            f"{_bytes(estimate.bytes)} are needed, and {folder} has {_bytes(estimate.free_bytes)} free: "
            "count without files with --count-only, name another disk with --output, or see docs/cluster.md"
        )
    large = estimate.is_long or estimate.takes_much_disk
    if large and estimate.size > estimate.target and not estimate.stored:
        yield (
            f"--size {estimate.size} is larger than --target {estimate.target}: "
            f"did you mean --size {estimate.target} --target {estimate.size}?"
        )
    if any(size.origin is CountOrigin.AT_MOST for size in estimate.sizes):
        yield "too few lists were found to estimate those sizes: probe for longer with --seconds"


def estimate(
    size: int,
    target: int = 12,
    *,
    workers: int | None = None,
    count_only: bool = False,
    prune: bool = False,
    seconds: float = 10.0,
    seed: int | None = None,
) -> Estimate:
    """Estimates a run in a new workspace: lists, files, bytes, time.

    Unknown numbers of lists are estimated by random probing, with their standard errors. The speed of this machine is
    measured for a second or two.

    Args:
        size: 3 to 20, the size that a run would build.
        target: 4 to 20.
        workers: Worker processes; all cores of this machine if None. More than there are is a cluster.
        count_only: Without files.
        prune: Of a run that prunes.
        seconds: Time to probe for, if a number of lists is unknown.
        seed: Random seed; the same seed gives the same probes.

    Raises:
        BadInput: An argument is out of range.

    Example:
        >>> guess = setset.estimate(6, target=13, seconds=1, seed=1).sizes[-1]
        >>> guess.origin.value, abs(guess.lists - 125_783_118) < 4 * guess.error
        ('probed', True)
    """
    options = RunOptions(size, target, workers, count_only=count_only, pruned=prune)
    return make_estimate(None, options, Probing(seconds, seed))
