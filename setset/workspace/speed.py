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
"""Seconds of recorded work that count as much as a measurement, or as typical speeds."""
FEWEST_STARTS, MOST_STARTS = 10, 2560
"""Random lists that a measurement starts from."""
LISTS_PER_START = 100_000
"""Maximum number of lists of any size below a start, on average."""
CPU_SECONDS = 0.3
"""CPU time that a measurement takes at least: it starts again from four times as many lists until then."""
NEIGHBOURS = 0.8
"""Bytes of neighbouring lists, as in a file, per byte of lists below random ones: zstd finds more that is alike."""


@dataclass(frozen=True)
class Speed:
    """Speed of one worker on one size."""

    lists_per_second: float
    bytes_per_list: float = 0.0
    seconds: float = 0.0
    """Seconds of work that it is known from; 0 if it is typical."""

    def blended(self, other: Speed) -> Speed:
        """Mean of this recorded speed and another one: each counts in proportion to its seconds."""
        share = self.seconds / (self.seconds + TRUSTED_SECONDS)
        per_list = share / self.lists_per_second + (1 - share) / other.lists_per_second
        size = share * self.bytes_per_list + (1 - share) * other.bytes_per_list
        return Speed(1 / per_list, size, self.seconds + other.seconds)


def _table(rates: tuple[float, ...], bytes_per_list: tuple[float, ...]) -> dict[int, Speed]:
    return {
        size: Speed(1e6 * rate, count) for size, (rate, count) in enumerate(zip(rates, bytes_per_list, strict=True), 3)
    }


TYPICAL = _table(
    (150, 150, 400, 500, 450, 360, 285, 245, 230, 180, 90, 47, 23, 9, 4, 1),
    (
        0.0089,
        0.0018,
        0.001,
        0.0017,
        0.0039,
        0.0075,
        0.0119,
        0.0162,
        0.015,
        0.0055,
        0.011,
        0.027,
        0.074,
        0.17,
        0.57,
        1.7,
    ),
)
"""Speed of storing each size from 3 on, for target 12. The last speed holds for all larger sizes."""
TYPICAL_FOR_18 = _table(
    (150, 150, 300, 300, 250, 160, 110, 70, 45, 33, 20, 12, 8, 4, 3),
    (0.009, 0.005, 0.004, 0.007, 0.018, 0.024, 0.039, 0.064, 0.12, 0.2, 0.36, 0.53, 0.79, 1.0, 1.4),
)
"""The same for sizes below target 18."""
TYPICAL_COUNT = Speed(400e6)
PRUNED = Speed(2.5e6, 0.25)
"""Speed of a pruned run of any size and work: most time goes into lists that are dropped."""
PRUNED_WITH_CENTRE = Speed(0.8e6, 0.9)
"""The same for targets 19 and 20, where a tenth as many lists are kept."""


def recorded_speeds(hosts: Iterable[Throughput], sizes: Iterable[SizeStatus]) -> dict[int, Speed]:
    """Recorded speeds by size, from the work of one kind that each host did for one target, and its files."""
    bytes_per_list = {size.size: size.bytes / size.lists for size in sizes if size.bytes and size.lists}
    lists: Counter[int] = Counter()
    seconds: defaultdict[int, float] = defaultdict(float)
    for host in hosts:
        lists[host.size] += host.lists
        seconds[host.size] += host.seconds
    return {
        size: Speed(made / seconds[size], bytes_per_list.get(size, 0.0), seconds[size])
        for size, made in lists.items()
        if made and seconds[size]
    }


def typical_speed(options: RunOptions, size: int, known: Mapping[int, Speed]) -> Speed:
    """Typical speed at a size, times the ratio of known to typical speeds at other sizes, each by its seconds."""
    if options.pruned:
        return PRUNED_WITH_CENTRE if options.target >= 19 else PRUNED
    usual = _usual(options, size)
    seconds = usual_seconds = usual_bytes = known_bytes = TRUSTED_SECONDS
    for each, speed in known.items():
        there = _usual(options, each)
        seconds += speed.seconds
        usual_seconds += speed.seconds * speed.lists_per_second / there.lists_per_second
        if there.bytes_per_list and speed.bytes_per_list:
            known_bytes += speed.seconds * speed.bytes_per_list / there.bytes_per_list
            usual_bytes += speed.seconds
    return Speed(usual.lists_per_second * usual_seconds / seconds, usual.bytes_per_list * known_bytes / usual_bytes)


def _usual(options: RunOptions, size: int) -> Speed:
    """Typical speed at a size. From the target on, all lists are kept, whatever the target is."""
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
    """Stores or counts, in memory, all lists of a size below random smaller lists, for some tenths of a second.

    The speed counts the whole size: lists that lead nowhere take time, too. It is CPU time, so other work on the
    machine does not matter.

    Args:
        lists: Rough number of lists of each size up to this one.
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
        # A file has the bits of the lists that it starts from only once.
        written = -len(pack_bits(source)) if source else 0
        for _ in range(first, first if options.count_only else via):
            source = source and next(search.expand(source, target, MOST_LISTS), None)
        made, began = 0, time.process_time()
        for lists_made, bytes_made in _work(options, size, source) if source else ():
            made, written = made + lists_made, written + bytes_made
        seconds = time.process_time() - began
        is_first = starts == FEWEST_STARTS  # memory is made ready at the first use
        if (time.process_time() > ends and not is_first) or starts >= MOST_STARTS or len(rows) < starts / 2:
            break
        starts *= 4
    usual = _usual(options, size)
    if not seconds or not lists[size]:
        return usual
    is_usual = target == 12 or size >= target or not made  # which has the same bytes for every target
    bytes_per_list = usual.bytes_per_list if is_usual else NEIGHBOURS * written / made
    return Speed(lists[size] * len(rows) / (lists[first] * seconds), bytes_per_list, TRUSTED_SECONDS)


def _first_size(size: int, via: int, lists: Mapping[int, float]) -> int:
    """Smallest size below whose lists there are not too many to measure. A size between may have the most."""
    for first in range(3, via):
        if max(lists[each] for each in range(first, size + 1)) <= LISTS_PER_START * lists[first]:
            return first
    return via


def _work(options: RunOptions, size: int, source: Streams) -> Iterator[tuple[int, int]]:
    """Does what a worker does with a source: numbers of lists, and of bytes of their files."""
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
