"""What a run will take, before it starts: lists, files, bytes, time and disk."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from setset.cards import LARGEST
from setset.database import Database, explorations, views
from setset.database.models import Work
from setset.database.views import StageProgress
from setset.errors import require_between
from setset.platform import usable_cores
from setset.workspace.expectation import CountOrigin, ExpectedCount, Probing, expect_counts
from setset.workspace.speed import Speed, measure_speed, recorded_speeds, typical_speeds

BATCH_LISTS = 16_000_000
"""As `jobs.run`, which is not loaded to look."""
PRUNED_BATCH_LISTS = 1_000_000
EFFICIENCY = 0.9
"""Of workers on other machines, relative to cores of this one: files and messages travel."""
START_SECONDS = 2.0
"""Until workers have loaded what they need."""
LONG_SECONDS = 3600.0
"""A run that takes longer is one to think about first, and so is one that takes half of the free disk."""


@dataclass(frozen=True)
class SizeEstimate:
    """What one size takes. A size that is there already takes nothing."""

    size: int
    lists: int
    """Of the whole size."""
    error: int
    """The standard error of that; 0 if it is exact."""
    origin: CountOrigin
    due: int
    """Lists that are yet to be made."""
    files: int
    bytes: int
    """Of the files of what is due."""
    whole_seconds: float
    """That one worker takes for the whole size."""

    @property
    def seconds(self) -> float:
        """That one worker takes for what is due."""
        return self.whole_seconds * self.due / self.lists if self.lists else 0.0


@dataclass(frozen=True)
class Estimate:
    """What a run takes. `setset.estimate` and `Exploration.estimate` make one.

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
    """To be made; of a count without files, all that are counted."""
    files: int
    bytes: int
    core_seconds: float
    """The time of all workers together."""
    seconds: float
    free_bytes: int
    """On the disk that the files go to."""
    speeds: str
    """Where the speed of a worker and the bytes of a list come from."""
    warnings: tuple[str, ...]
    pruned: bool = False
    """Of a run that prunes."""

    @property
    def is_long(self) -> bool:
        """Whether it takes more than an hour."""
        return self.seconds > LONG_SECONDS

    def usual_seconds(self) -> dict[int, float]:
        """Usual seconds of one worker for each whole size, whatever was measured here. They tell how sizes compare."""
        work = Work.COUNT if self.count_only else Work.STORE
        sizes = self.sizes[-1:] if self.count_only else self.sizes
        usual = typical_speeds([size.size for size in sizes], work, {}, self.target if self.pruned else None)
        return {size.size: size.lists / usual[size.size].lists_per_second for size in sizes}

    @property
    def takes_much_disk(self) -> bool:
        """Whether it takes more than half of the free disk."""
        return self.bytes > self.free_bytes / 2


@dataclass(frozen=True)
class EstimateRequest:
    """What is to be estimated: the arguments of a run, and how thoroughly."""

    size: int
    target: int
    workers: int | None
    count_only: bool
    folder: Path
    """Where files would go."""
    batch_lists: int | None
    probing: Probing
    measured: bool
    """Whether to measure what the workspace has no records of; otherwise typical figures do."""
    pruned: bool = False

    def validate(self) -> None:
        require_between("--size", self.size, 3, LARGEST)
        require_between("--target", self.target, 4, LARGEST)
        if self.workers is not None:
            require_between("--workers", self.workers, 1)


@dataclass(frozen=True)
class _Here:
    """What a workspace has, for all targets and for this one."""

    stages: Sequence[StageProgress] = ()
    counts: Mapping[int, int] | None = None
    complete: frozenset[int] = frozenset()
    """The sizes that are stored completely."""
    begun: Mapping[int, int] | None = None
    """Lists in a full file, of the sizes that were begun."""


def make_estimate(database: Database | None, request: EstimateRequest) -> Estimate:
    """What a run takes in a workspace, or in a new one if there is no database."""
    request.validate()
    cores = usable_cores()
    here = _Here() if database is None else _look(database, request.target)
    known = _up_to(request.size, here.counts)
    expected = expect_counts(request.target, request.size, known, request.probing, request.pruned)
    due = _due_lists(request, here, expected)
    speeds, origin = _speeds(request, here, expected, [size for size, many in due.items() if many])
    files = _expected_files(request, here, expected)
    sizes = []
    for size, count in expected.items():
        speed = speeds.get(size, Speed(math.inf))
        stored = 0 if request.count_only else due[size]
        share = stored / count.lists if count.lists else 0.0
        sizes.append(
            SizeEstimate(
                size,
                count.lists,
                count.error,
                count.origin,
                due[size],
                math.ceil(files[size] * share),
                round(stored * speed.bytes_per_list),
                count.lists / speed.lists_per_second,
            )
        )
    return _add_up(request, cores, tuple(sizes), origin)


def _look(database: Database, target: int) -> _Here:
    counts = {
        each.size: each.lists for each in views.counts(database) if each.target == target and each.complete
    }
    key = next((each for each in explorations.find_all(database) if each.target == target), None)
    sizes = [] if key is None else explorations.sizes(database, key)
    complete = frozenset(each.size for each in sizes if each.complete)
    return _Here(views.progress(database), counts, complete, {each.size: each.batch_lists for each in sizes})


def _up_to(size: int, counts: Mapping[int, int] | None) -> dict[int, int]:
    return {each: lists for each, lists in (counts or {}).items() if each <= size}


def _due_lists(
    request: EstimateRequest, here: _Here, expected: Mapping[int, ExpectedCount]
) -> dict[int, int]:
    """How many lists of each size are yet to be made, or to be counted."""
    work = Work.COUNT if request.count_only else Work.STORE
    made = {
        stage.size: stage.lists or 0
        for stage in here.stages
        if stage.target == request.target and stage.work is work
    }
    done = set(here.complete)
    if request.count_only:
        done |= set(range(3, max(here.complete, default=2) + 1))
        if request.size in (here.counts or {}):
            done |= set(expected)
    return {
        size: 0 if size in done else max(count.lists - made.get(size, 0), 0)
        for size, count in expected.items()
    }


def _speeds(
    request: EstimateRequest, here: _Here, expected: Mapping[int, ExpectedCount], due: Sequence[int]
) -> tuple[dict[int, Speed], str]:
    """The speed of a worker at each size, and where it comes from."""
    work = Work.COUNT if request.count_only else Work.STORE
    recorded = recorded_speeds(here.stages, request.target, work)
    if work is Work.COUNT:
        # Everything on the way is counted with the largest size: the others take no time of their own.
        wanted, due = [request.size], due[-1:]
    else:
        wanted = list(expected)
    speeds = {
        **typical_speeds(wanted, work, recorded, request.target if request.pruned else None),
        **{size: recorded[size] for size in wanted if size in recorded},
    }
    missing = [size for size in due if size not in recorded and size > 3]
    if not missing or not request.measured or request.pruned:
        return speeds, "this workspace" if recorded else "typical"
    lists = {size: float(count.lists) for size, count in expected.items()}
    for size in missing:
        speeds[size] = measure_speed(request.target, size, work, lists, request.probing.seed)
    return speeds, "this workspace, the rest measured now" if recorded else "measured now"


def _expected_files(
    request: EstimateRequest, here: _Here, expected: Mapping[int, ExpectedCount]
) -> dict[int, float]:
    """The files of each size: the last file of a source is half full on average, unless it is the only one."""
    found: dict[int, float] = {}
    wanted = request.batch_lists or (PRUNED_BATCH_LISTS if request.pruned else BATCH_LISTS)
    batches = {
        stage.size: stage.batches
        for stage in here.stages
        if stage.target == request.target and stage.size in here.complete
    }
    for size, count in expected.items():
        full = count.lists / ((here.begun or {}).get(size, wanted))
        sources = found.get(size - 1, 1.0)
        if (known := batches.get(size)) is not None:
            found[size] = known
        else:
            found[size] = max(sources, full + sources / 2) if full > 1 else sources
    return found


def _add_up(request: EstimateRequest, cores: int, sizes: tuple[SizeEstimate, ...], speeds: str) -> Estimate:
    workers = request.workers or cores
    core_seconds = sum(size.seconds for size in sizes)
    efficiency = EFFICIENCY if workers > cores else 1.0
    due = sum(size.due for size in sizes)
    estimate = Estimate(
        request.target,
        request.size,
        request.count_only,
        workers,
        sizes,
        due,
        sum(size.files for size in sizes),
        sum(size.bytes for size in sizes),
        core_seconds,
        core_seconds / workers / efficiency + START_SECONDS if due else 0.0,
        free_bytes(request.folder),
        speeds,
        (),
        request.pruned,
    )
    return replace(estimate, warnings=tuple(_warnings(estimate, request.folder)))


def _warnings(estimate: Estimate, folder: Path) -> list[str]:
    found = []
    if estimate.bytes > estimate.free_bytes:
        found.append(
            f"{estimate.bytes / 1e9:,.1f} GB are needed, and {folder} has {estimate.free_bytes / 1e9:,.1f} GB free: "
            "count without files with --count-only, name another disk with --output, or see docs/cluster.md"
        )
    large = estimate.is_long or estimate.takes_much_disk
    if large and estimate.size > estimate.target:
        found.append(
            f"--size {estimate.size} is larger than --target {estimate.target}: "
            f"did you mean --size {estimate.target} --target {estimate.size}?"
        )
    if any(size.origin is CountOrigin.AT_MOST for size in estimate.sizes):
        found.append("too few lists were found to estimate those sizes: probe for longer with --seconds")
    return found


def free_bytes(folder: Path) -> int:
    """Free bytes on the disk of a folder, which may not be there yet."""
    for each in (folder.absolute(), *folder.absolute().parents):
        if each.is_dir():
            return shutil.disk_usage(each).free
    return 0


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
    """What a run in a new workspace takes: lists, files, bytes, time.

    Numbers of lists that nobody knows are estimated by random probing, with their standard errors; the speed of this
    machine is measured for a second or two.

    Args:
        size: 3 to 20, the size that a run would build.
        target: 4 to 20.
        workers: Worker processes; all cores of this machine if None. More than there are is a cluster.
        count_only: Without files.
        prune: Of a run that prunes.
        seconds: How long to probe, if anything is not known.
        seed: For the same probes each time.

    Raises:
        BadInput: An argument cannot be taken.

    Example:
        >>> guess = setset.estimate(6, target=13, seconds=1, seed=1).sizes[-1]
        >>> guess.origin.value, abs(guess.lists - 125_783_118) < 4 * guess.error
        ('probed', True)
    """
    probing = Probing(seconds, seed)
    request = EstimateRequest(size, target, workers, count_only, Path(), None, probing, True, prune)
    return make_estimate(None, request)
