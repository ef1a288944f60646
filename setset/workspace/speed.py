"""Speed of a worker and bytes per list: recorded in the workspace, measured now, or typical."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from setset.batches.records import Span
from setset.cards import CARDS
from setset.database.views import SizeStatus, Throughput
from setset.jobs.options import RunOptions

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from setset.engine.bitstreams import Streams

FEWEST_SECONDS = 0.5
"""Less work than this says nothing about the speed of a worker."""
LISTS_MEASURED = 8_000_000
"""Rough number of lists in a measured stretch, of all sizes together."""
COUNTED_MEASURED = 10_000_000
MOST_STARTS = 5_000
"""Maximum number of lists that a measured count starts from. Drawing them takes time, too."""
DRAWN_SIZE, STARTS_DRAWN, MOST_DRAWS, DEEP_SECONDS = 6, 500, 40, 1.0
"""Cards of the random lists that a measured deep walk starts from, how many at a time, how often, and for how long."""
STRETCHES = 4
"""Stretches of a size that are measured, in CPU time: other work on the machine does not matter."""


@dataclass(frozen=True)
class Speed:
    """Speed of one worker on one size."""

    lists_per_second: float
    bytes_per_list: float = 0.0


_RATES = (150, 150, 400, 500, 450, 360, 285, 245, 230, 180, 90, 47, 23)
_BYTES = (89, 18, 10, 17, 39, 75, 122, 162, 150, 55, 110, 270, 740)
TYPICAL = {
    size: Speed(rate * 1e6, count / 1e4) for size, (rate, count) in enumerate(zip(_RATES, _BYTES, strict=True), 3)
}
"""Speed of storing each size from 3 on, for target 12. The last speed holds for all larger sizes."""
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
        size: Speed(made / seconds[size], bytes_per_list.get(size, 0.0))
        for size, made in lists.items()
        if made and seconds[size] >= FEWEST_SECONDS
    }


def typical_speed(options: RunOptions, size: int, recorded: Mapping[int, Speed]) -> Speed:
    """Typical speed at a size, times the ratio of recorded to typical speed at the nearest recorded size."""
    if options.pruned:
        return PRUNED_WITH_CENTRE if options.target >= 19 else PRUNED
    usual = _usual(size, options.count_only)
    if not recorded:
        return usual
    nearest = min(recorded, key=lambda each: abs(each - size))
    there, then = recorded[nearest], _usual(nearest, options.count_only)
    ratio = there.bytes_per_list / then.bytes_per_list if then.bytes_per_list else 1.0
    return Speed(
        usual.lists_per_second * there.lists_per_second / then.lists_per_second, usual.bytes_per_list * (ratio or 1.0)
    )


def _usual(size: int, count_only: bool) -> Speed:
    return TYPICAL_COUNT if count_only else TYPICAL[min(size, max(TYPICAL))]


def measure_speed(options: RunOptions, size: int, lists: Mapping[int, float], seed: int | None) -> Speed:
    """Stores or counts some random lists of a size in memory, which takes about a fifth of a second.

    `lists` is the rough number of lists of each size up to this one.
    """
    import numpy as np

    from setset.engine import search
    from setset.engine.probing import draw_lists

    search.compile_kernels()
    rng, target = np.random.default_rng(seed), options.target
    if options.count_only:
        parts = [_count_some(target, size, lists, rng)]
    else:
        # All lists have the same chance: the first lists below a seed have more low cards ahead than most.
        starts = draw_lists(target, size - 1, STRETCHES, rng)
        parts = [_store_stretch(target, size, start, lists) for start in starts]
    made, written, seconds = (sum(column) for column in zip((0, 0, 0.0), *parts, strict=True))
    return Speed(made / seconds, written / made) if made and seconds else _usual(size, options.count_only)


def measure_deep_speed(options: RunOptions, size: int, lists: Mapping[int, float], seed: int | None) -> Speed:
    """Makes all lists of a size below random lists of few cards, in memory, for about a second.

    The speed counts the whole size: lists of the source size that lead nowhere take time, too.
    """
    import numpy as np

    from setset.batches import format as batch_format
    from setset.engine import deep, search
    from setset.engine.probing import draw_lists

    search.compile_kernels()
    rng, target, via = np.random.default_rng(seed), options.target, options.source_size
    first = min(DRAWN_SIZE, via)
    span, limit = Span(0, 0, 0, 0, True), options.lists_in_file(size)
    starts, made, written, seconds = 0, 0, 0, 0.0
    for _ in range(MOST_DRAWS):
        rows = draw_lists(target, first, STARTS_DRAWN, rng)
        source = next(search.pack([rows], first, len(rows), search.needed(target, first)))
        for _ in range(first, via):
            source = next(search.expand(source, target, batch_format.MOST_LISTS))
        began = time.process_time()
        for part in deep.expand(source, target, size, limit):
            ends = search.first_and_last(part)
            written += len(batch_format.encode(part, target, limit, span, ends, bytes(16)))
            made += part.lists
        starts, seconds = starts + len(rows), seconds + time.process_time() - began
        if seconds > DEEP_SECONDS:
            break
    per_second = lists[size] / (lists[first] * seconds / starts)
    return Speed(per_second, written / made if made else _usual(size, False).bytes_per_list)


Measured = tuple[int, int, float]
"""Number of lists made, bytes of their files, and CPU seconds."""


def _store_stretch(target: int, size: int, start: npt.NDArray[np.uint8], lists: Mapping[int, float]) -> Measured:
    """Makes the lists below some neighbouring lists, as a worker does with a batch."""
    from setset.batches import format as batch_format
    from setset.engine import search

    # The share counts all sizes: for a high target, a smaller size may have many more lists.
    share = LISTS_MEASURED / sum(lists[each] for each in range(3, size + 1))
    wanted = {each: share * lists[each] for each in range(3, size)}
    source = _stretch(target, start, wanted)
    made, written, began = 0, 0, time.process_time()
    for part in search.expand(source, target, 2 * LISTS_MEASURED):
        span, ends = Span(0, 0, 0, 0, True), search.first_and_last(part)
        written += len(batch_format.encode(part, target, 2 * LISTS_MEASURED, span, ends, bytes(16)))
        made += part.lists
    return made, written, time.process_time() - began


def _count_some(target: int, size: int, lists: Mapping[int, float], rng: np.random.Generator) -> Measured:
    """Counts the lists of a size below random lists of a smaller one."""
    from setset.engine import search
    from setset.engine.probing import draw_lists

    wanted = {each: COUNTED_MEASURED * lists[each] / lists[size] for each in range(3, size)}
    first = max((each for each, many in wanted.items() if many <= MOST_STARTS), default=3)
    rows = draw_lists(target, first, max(1, min(round(wanted[first]), MOST_STARTS)), rng)
    source = next(search.pack([rows], first, len(rows)))
    began = time.process_time()
    made = search.count(source, target, size)[size]
    return made, 0, time.process_time() - began


def _stretch(target: int, start: npt.NDArray[np.uint8], wanted: Mapping[int, float]) -> Streams:
    """Consecutive lists from the list `start` on, about `wanted` of each size."""
    import numpy as np

    from setset.engine import search

    rows, size = search.seeds(target), 3
    while True:
        first = int(np.flatnonzero((rows == start[:size]).all(axis=1))[0])
        rows = rows[first : first + max(1, round(wanted[size]))]
        source = next(search.pack([rows], size, len(rows), search.needed(target, size)))
        if size == len(start):
            return source
        # The children of the first list come first.
        size += 1
        some = next(search.expand(source, target, max(1, round(wanted[size])) + CARDS))
        rows = np.concatenate([chunk.copy() for chunk in search.unpack(some)])
