"""Speed of a worker and bytes per list: recorded in the workspace, measured now, or typical."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from setset.database.views import SizeStatus, Throughput
from setset.jobs.options import BATCH_LISTS, RunOptions

if TYPE_CHECKING:
    from setset.engine.bitstreams import Streams

TRUSTED_SECONDS = 60.0
"""Weight of a measured or typical speed in a weighted mean. A recorded speed has its seconds of work as weight."""
FEWEST_STARTS, MOST_STARTS = 10, 2560
"""Minimum and maximum number of random lists that a measurement extends."""
LISTS_PER_START = 100_000
"""Maximum mean number of extensions of a random list to one size. `_first_size` applies the limit."""
CPU_SECONDS = 0.3
"""Minimum CPU time of a measurement. A shorter measurement is repeated with four times as many random lists."""
NEIGHBOURS = 0.8
"""Ratio of the bytes of neighbouring lists, as in a file, to the bytes of random lists. zstd compresses neighbours
better."""


@dataclass(frozen=True)
class Speed:
    """Speed of one worker on one size."""

    lists_per_second: float
    bytes_per_list: float = 0.0
    seconds: float = 0.0
    """Seconds of work that the speed is based on. 0 for a typical speed."""

    def blended(self, estimate: Speed) -> Speed:
        """Weighted mean of this recorded speed and an estimate. The weights are `seconds` and TRUSTED_SECONDS."""
        share = self.seconds / (self.seconds + TRUSTED_SECONDS)
        per_list = share / self.lists_per_second + (1 - share) / estimate.lists_per_second
        size = share * self.bytes_per_list + (1 - share) * estimate.bytes_per_list
        return Speed(1 / per_list, size, self.seconds + estimate.seconds)


def _table(rates: tuple[float, ...], lengths: tuple[float, ...]) -> dict[int, Speed]:
    """Speeds by size, from 3 on. `rates` has millions of lists per second, `lengths` bytes per 1,000 lists."""
    rows = enumerate(zip(rates, lengths, strict=True), 3)
    return {size: Speed(1e6 * rate, length / 1000) for size, (rate, length) in rows}


TYPICAL = _table(
    (150, 150, 400, 500, 450, 360, 285, 245, 230, 180, 90, 47, 23, 9, 4, 1),
    (8.9, 1.8, 1.0, 1.7, 3.9, 7.5, 11.9, 16.2, 15.0, 5.5, 11.0, 27.0, 74.0, 170.0, 570.0, 1700.0),
)
"""Speed of storing each size from 3 on, for target 12. The last speed applies to all larger sizes."""
TYPICAL_FOR_18 = _table(
    (150, 150, 300, 300, 250, 160, 110, 70, 45, 33, 20, 12, 8, 4, 3),
    (9.0, 5.0, 4.0, 7.0, 18.0, 24.0, 39.0, 64.0, 120.0, 200.0, 360.0, 530.0, 790.0, 1000.0, 1400.0),
)
"""Speed of storing each size from 3 on, for target 18. From size 18 on, `TYPICAL` applies."""
TYPICAL_COUNT = Speed(400e6)
PRUNED = Speed(2.5e6, 0.25)
"""Speed of a pruned run for targets below 19, at every size. Lists that the run drops take most of the time."""
PRUNED_WITH_CENTRE = Speed(0.8e6, 0.9)
"""Speed of a pruned run for targets 19 and 20, at every size. The rule for these targets (docs/pruning.md) drops
more lists than the rule for smaller targets."""


def recorded_speeds(hosts: Iterable[Throughput], sizes: Iterable[SizeStatus]) -> dict[int, Speed]:
    """Recorded speeds for one target, by size. Lists per second come from the hosts, bytes per list from the files."""
    bytes_per_list = {size.size: size.bytes / size.lists for size in sizes if size.bytes and size.lists}
    lists: Counter[int] = Counter()
    seconds: defaultdict[int, float] = defaultdict(float)
    for host in hosts:
        lists[host.size] += host.lists
        seconds[host.size] += host.seconds
    return {
        size: Speed(total / seconds[size], bytes_per_list.get(size, 0.0), seconds[size])
        for size, total in lists.items()
        if total and seconds[size]
    }


def typical_speed(options: RunOptions, size: int, speeds: Mapping[int, Speed]) -> Speed:
    """Expected speed at a size: the typical speed times the mean ratio of recorded to typical speed at other sizes.

    In the mean, sizes with more recorded seconds have more weight.
    """
    if options.pruned:
        return PRUNED_WITH_CENTRE if options.target >= 19 else PRUNED
    usual = _usual(options, size)
    seconds = usual_seconds = usual_bytes = known_bytes = TRUSTED_SECONDS
    for other_size, speed in speeds.items():
        usual_there = _usual(options, other_size)
        seconds += speed.seconds
        usual_seconds += speed.seconds * speed.lists_per_second / usual_there.lists_per_second
        if usual_there.bytes_per_list and speed.bytes_per_list:
            known_bytes += speed.seconds * speed.bytes_per_list / usual_there.bytes_per_list
            usual_bytes += speed.seconds
    return Speed(usual.lists_per_second * usual_seconds / seconds, usual.bytes_per_list * known_bytes / usual_bytes)


def _usual(options: RunOptions, size: int) -> Speed:
    """Typical speed at a size, before `typical_speed` scales it. From the target on, all targets have one speed."""
    if options.count_only:
        return TYPICAL_COUNT
    usual = TYPICAL[min(size, max(TYPICAL))]
    if not size < options.target > 12:
        return usual
    share, far = (options.target - 12) / 6, TYPICAL_FOR_18[min(size, max(TYPICAL_FOR_18))]
    return Speed(
        usual.lists_per_second * (far.lists_per_second / usual.lists_per_second) ** share,
        usual.bytes_per_list * (far.bytes_per_list / usual.bytes_per_list) ** share,
    )


def measure_speed(options: RunOptions, size: int, lists: Mapping[int, float], seed: int | None) -> Speed:
    """Measures the speed at a size: stores or counts, in memory, the lists that extend random smaller lists.

    Takes some tenths of a second of CPU time. The speed is per CPU second, so other work on the machine does not
    matter. The time includes random lists without extensions, because a run spends time on such lists as well.

    Args:
        lists: Approximate number of lists of each size up to `size`.
    """
    import numpy as np

    from setset.batches.format import MOST_LISTS, pack_bits
    from setset.engine import search
    from setset.engine.probing import draw_lists

    search.compile_kernels()
    target, via = options.target, min(options.via_size, size - 1)
    first, rng, starts = _first_size(size, via, lists), np.random.default_rng(seed), FEWEST_STARTS
    ends = time.process_time() + CPU_SECONDS
    while True:
        rows = draw_lists(target, first, starts, rng)
        source: Streams | None = next(search.pack([rows], first, len(rows), search.needed(target, first)), None)
        # Subtracted, since a file has the bits of the lists that it starts from only once.
        written = -len(pack_bits(source)) if source else 0
        for _ in range(first, first if options.count_only else via):
            source = source and next(search.expand(source, target, MOST_LISTS), None)
        extended, began = 0, time.process_time()
        for part_lists, part_bytes in _expand(options, size, source) if source else ():
            extended, written = extended + part_lists, written + part_bytes
        seconds = time.process_time() - began
        is_first = starts == FEWEST_STARTS  # the first round is slower, since it allocates memory
        if (time.process_time() > ends and not is_first) or starts >= MOST_STARTS or len(rows) < starts / 2:
            break
        starts *= 4
    usual = _usual(options, size)
    if not seconds or not lists[size]:
        return usual
    is_usual = target == 12 or size >= target or not extended  # such lists take the same bytes for every target
    bytes_per_list = usual.bytes_per_list if is_usual else NEIGHBOURS * written / extended
    return Speed(lists[size] * len(rows) / (lists[first] * seconds), bytes_per_list, TRUSTED_SECONDS)


def _first_size(size: int, via: int, lists: Mapping[int, float]) -> int:
    """Size of the random lists that a measurement starts from.

    Chooses the smallest size whose lists have, on average, at most LISTS_PER_START extensions to each size up to
    `size`. If no size below `via` fits, chooses `via`.
    """
    for first in range(3, via):
        if max(lists[number] for number in range(first, size + 1)) <= LISTS_PER_START * lists[first]:
            return first
    return via


def _expand(options: RunOptions, size: int, source: Streams) -> Iterator[tuple[int, int]]:
    """Expands a source as a worker does. Yields number of lists and bytes of each file; for a count, 0 bytes."""
    from setset.batches.format import pack_bits
    from setset.engine import deep, search

    target, limit = options.target, max(options.lists_in_file(size), BATCH_LISTS)
    if options.count_only:
        yield search.count(source, target, size)[size], 0
    elif size in options.count:
        yield int(deep.count(source, target, size).sum()), 0
    else:
        is_step = size == source.size + 1
        parts = search.expand(source, target, limit) if is_step else deep.expand(source, target, size, limit)
        for part in parts:
            yield part.lists, len(pack_bits(part))
