"""Estimate of a run before it starts: lists, files, bytes, time and disk."""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from setset.batches.format import DIGEST_BYTES, HEAD_BYTES
from setset.database import Database, explorations, views
from setset.database.explorations import SizeRecord
from setset.database.models import Work
from setset.database.views import SizeStatus, Throughput
from setset.jobs.options import RunOptions
from setset.lazy import Shown
from setset.platform import free_bytes, usable_cores
from setset.workspace.expectation import BRIEF, CountOrigin, ExpectedCount, Probing, expect_counts
from setset.workspace.speed import TRUSTED_SECONDS, Speed, measure_speed, recorded_speeds, typical_speed

EFFICIENCY = 0.9
"""Share of the time in which workers on other machines compute. Transfers take the rest of the time."""
START_SECONDS = 2.0
"""Time until workers have loaded their code, in seconds."""
LONG_SECONDS = 3600.0
"""`setset run` asks for confirmation if the run takes more than this number of seconds, or half of the free disk."""
WORTH_MEASURING = 300.0
"""If a run seems to take more seconds than this, `setset run` measures speeds first, as `setset estimate` does."""
MEASURE_SECONDS = 3.0
"""Seconds after which no further measurement begins. Sizes without a measurement get typical speeds."""
BLOCK_BYTES = 4096
"""Block size of the file system, in bytes."""


@dataclass(frozen=True)
class SizeEstimate:
    """Estimate of one size. If the size is complete, `due` is 0."""

    size: int
    lists: int
    """Number of lists of the size, made already or not."""
    error: int
    """Standard error of `lists`. 0 if `lists` is exact or an upper limit."""
    origin: CountOrigin
    due: int
    """Number of lists that the run has yet to make or count."""
    files: int
    bytes: int
    """Disk space that the files yet to be written take, including the unused ends of their last blocks."""
    whole_seconds: float
    """Seconds that one worker needs for all lists of the size."""

    @property
    def seconds(self) -> float:
        """Seconds that one worker needs for the lists yet to be made or counted."""
        return self.whole_seconds * self.due / self.lists if self.lists else 0.0


@dataclass(frozen=True)
class Estimate(Shown):
    """Estimate of a run. `setset.estimate` and `Exploration.estimate` return one.

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
    """Number of lists that the run has yet to make or count."""
    files: int
    bytes: int
    core_seconds: float
    """Seconds of work, summed over all workers."""
    seconds: float
    free_bytes: int
    """Free bytes on the disk that the files go to."""
    speeds: str
    """Origin of the speed of a worker and of the bytes per list: this workspace, measured now, or typical."""
    warnings: tuple[str, ...]
    pruned: bool = False
    """Whether the run prunes."""
    stored: tuple[int, ...] = ()
    """Sizes that --store and --count name; every size if empty."""

    @property
    def is_long(self) -> bool:
        """Whether the run takes more than an hour."""
        return self.seconds > LONG_SECONDS

    @property
    def takes_much_disk(self) -> bool:
        """Whether the files of the run take more than half of the free disk."""
        return self.bytes > self.free_bytes / 2

    def usual_seconds(self) -> dict[int, float]:
        """Seconds that one worker typically needs for all lists of a size, by size. Used as weights of the sizes."""
        options = RunOptions(self.size, self.target, count_only=self.count_only, pruned=self.pruned)
        return {
            size.size: size.lists / typical_speed(options, size.size, {}).lists_per_second
            for size in (self.sizes[-1:] if self.count_only else self.sizes)
        }


@dataclass(frozen=True)
class _Records:
    """Counts, progress and speeds that a workspace has recorded for one target, by size. Empty for a new workspace."""

    counts: dict[int, int] = field(default_factory=dict)
    """Number of lists by size, for complete counts."""
    begun: dict[int, SizeRecord] = field(default_factory=dict)
    complete: set[int] = field(default_factory=set)
    """Complete stored sizes."""
    stages: dict[int, SizeStatus] = field(default_factory=dict)
    speeds: dict[int, Speed] = field(default_factory=dict)


def _read_records(database: Database, options: RunOptions) -> _Records:
    counts = [count for count in views.counts(database) if count.target == options.target and count.complete]
    explored = explorations.find_all(database, options.target)

    def is_wanted(stage: SizeStatus | Throughput) -> bool:
        is_counted = options.count_only or stage.size in options.count
        return (stage.target, stage.work) == (options.target, Work.COUNT if is_counted else Work.STORE)

    stages = list(filter(is_wanted, views.progress(database)))
    return _Records(
        {count.size: count.lists for count in counts},
        {size.size: size for exploration in explored for size in exploration.sizes()},
        {size for exploration in explored for size in exploration.complete_sizes()},
        {stage.size: stage for stage in stages},
        recorded_speeds(filter(is_wanted, views.throughput(database)), stages),
    )


def make_brief_estimate(database: Database | None, options: RunOptions) -> Estimate:
    """Estimates a run in a fraction of a second, or with measured speeds if the run seems long or large."""
    brief = make_estimate(database, options, BRIEF)
    is_large = brief.seconds > WORTH_MEASURING or brief.takes_much_disk
    return make_estimate(database, options, Probing()) if is_large else brief


def make_estimate(database: Database | None, options: RunOptions, probing: Probing) -> Estimate:
    """Estimates a run in a workspace, or in a new workspace if `database` is None. Files go to `options.output`."""
    options.validate()
    wanted = {*options.stored_sizes, *options.count}
    folder = options.output or Path()
    cores, free = usable_cores(), free_bytes(folder)
    records = _Records() if database is None else _read_records(database, options)
    expected = expect_counts(options, records.counts, probing)
    files = _expected_files(options, records, expected)
    due = {
        size: _due_lists(options, records, size, count.lists, files) if size in wanted else 0
        for size, count in expected.items()
    }
    speeds, origin = _speeds(options, probing, records.speeds, expected, due)
    sizes = []
    for size, count in expected.items():
        if size not in wanted:
            continue
        speed = speeds.get(size, Speed(math.inf))
        stored = 0 if options.count_only or size in options.count else due[size]
        new_files = math.ceil(files[size] * (stored / count.lists)) if stored else 0
        new_bytes = _bytes_on_disk(stored * speed.bytes_per_list, new_files, size)
        sizes.append(SizeEstimate(size, *count, due[size], new_files, new_bytes, count.lists / speed.lists_per_second))
    workers, core_seconds = options.workers or cores, sum(size.seconds for size in sizes)
    efficiency = EFFICIENCY if workers > cores else 1.0
    without_warnings = Estimate(
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
    return replace(without_warnings, warnings=tuple(_warnings(without_warnings, folder)))


def _due_lists(options: RunOptions, records: _Records, size: int, lists: int, files: Mapping[int, float]) -> int:
    """Number of lists of a size yet to be made or counted. A count starts from the largest complete size."""
    is_counted = options.size in records.counts or max(records.complete, default=0) >= size
    is_counted = is_counted if options.count_only else size in options.count and size in records.counts
    if is_counted or (not options.count_only and size in records.complete):
        return 0
    recorded = records.stages[size].lists if size in records.stages else 0
    skipped = min(options.first / files[size - 1], 1.0) if options.first and size == options.size else 0.0
    return max(min(lists - recorded, round(lists * (1 - skipped))), 0)


def _speeds(
    options: RunOptions,
    probing: Probing,
    recorded: Mapping[int, Speed],
    expected: Mapping[int, ExpectedCount],
    due: Mapping[int, int],
) -> tuple[dict[int, Speed], str]:
    """Speed of a worker at each size, and the origin of the speeds."""
    # A count is timed at its largest size, since it counts the smaller sizes on the way.
    sizes = [options.size] if options.count_only else list(expected)
    deep = {size for size in sizes if size > options.via_size + 1}  # sizes without typical speeds
    lists = {size: float(count.lists) for size, count in expected.items()}

    def urgency(size: int) -> tuple[bool, float]:
        return size not in deep, -due[size] / typical_speed(options, size, {}).lists_per_second

    measured: dict[int, Speed] = {}
    ends = time.monotonic() + MEASURE_SECONDS
    for size in sorted((size for size in sizes if due[size] and size > 3 and not options.pruned), key=urgency):
        is_known = size in recorded and recorded[size].seconds > 10 * TRUSTED_SECONDS
        if not is_known and (size in deep or (probing.measured and time.monotonic() < ends)):
            measured[size] = measure_speed(options, size, lists, probing.seed)
    steps = {size: speed for size, speed in {**measured, **recorded}.items() if size not in deep | {options.target}}
    speeds = {size: measured.get(size) or typical_speed(options, size, steps) for size in sizes}
    speeds |= {size: recorded[size].blended(speeds[size]) for size in sizes if size in recorded}
    origins = [*(["this workspace"] if recorded else []), *(["measured now"] if measured else [])]
    return speeds, " and ".join(origins) or "typical"


def _expected_files(options: RunOptions, records: _Records, expected: Mapping[int, ExpectedCount]) -> dict[int, float]:
    """Expected numbers of files by size. If a source has several files, its last file is half full on average."""
    files = {2: 1.0}
    for size, count in expected.items():
        stage, begun = records.stages.get(size), records.begun.get(size)
        sources = files[min(size - 1, options.via_size)]
        full = count.lists / (begun.batch_lists if begun else options.lists_in_file(size))
        files[size] = max(sources, full + sources / 2) if full > 1 else sources
        if stage and stage.batches is not None and size in records.complete:
            files[size] = float(stage.batches)
    return files


def _bytes_on_disk(data: float, files: int, size: int) -> int:
    """Bytes that files of a size take, with their headers. The last block of a file is half full on average."""
    if not files:
        return 0
    length = data / files + HEAD_BYTES + 16 * size + DIGEST_BYTES
    return round(files * (length + BLOCK_BYTES / 2 if length > BLOCK_BYTES else BLOCK_BYTES))


def _bytes(count: int) -> str:
    """Formats a number of bytes in the largest unit that fits."""
    if count < 1000:
        return f"{count} B"
    units = {"TB": 1e12, "GB": 1e9, "MB": 1e6, "kB": 1e3}
    name = next(name for name, unit in units.items() if count >= unit)
    return f"{count / units[name]:,.1f} {name}"


def _warnings(estimate: Estimate, folder: Path) -> Iterator[str]:
    if estimate.bytes > estimate.free_bytes:
        yield (
            f"{_bytes(estimate.bytes)} are needed, and {folder} has {_bytes(estimate.free_bytes)} free: "
            "count without files with --count-only, name another disk with --output, or see docs/cluster.md"
        )
    large = estimate.is_long or estimate.takes_much_disk
    if large and estimate.size > estimate.target and not (estimate.stored or estimate.count_only):
        yield f"every size is stored: to store only some, name them, such as --store {estimate.target},{estimate.size}"
    if any(size.origin is CountOrigin.AT_MOST for size in estimate.sizes):
        yield "probing found too few lists to estimate sizes marked 'at most': probe for longer with --seconds"


def estimate(
    size: int,
    target: int = 12,
    *,
    workers: int | None = None,
    count_only: bool = False,
    prune: bool = False,
    seconds: float = 4.0,
    seed: int | None = None,
) -> Estimate:
    """Estimates a run in a new workspace: lists, files, bytes, time.

    Estimates unknown numbers of lists by random probing, with their standard errors. Measures the speed of this machine
    for some seconds.

    Args:
        size: 3 to 20, the size that a run would build.
        target: 4 to 20.
        workers: Worker processes; all cores of this machine if None. For more workers than cores, a cluster is assumed.
        count_only: Estimate a count without files.
        prune: Estimate a pruned run.
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
