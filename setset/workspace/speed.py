"""How fast a worker is and how small a list: from the records of a workspace, measured now, or as is typical."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from setset.batches.records import Span
from setset.cards import CARDS
from setset.database.models import Work
from setset.database.views import StageProgress

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from setset.engine.bitstreams import Streams

TYPICAL_RATES = {
    4: 150e6,
    5: 400e6,
    6: 500e6,
    7: 450e6,
    8: 360e6,
    9: 285e6,
    10: 245e6,
    11: 230e6,
    12: 180e6,
    13: 90e6,
    14: 47e6,
    15: 23e6,
}
"""Lists of a size that a worker stores in a second, for target 12; the last holds for all larger sizes."""
TYPICAL_COUNT_RATE = 400e6
TYPICAL_BYTES = {
    3: 0.0089,
    4: 0.0018,
    5: 0.0010,
    6: 0.0017,
    7: 0.0039,
    8: 0.0075,
    9: 0.0122,
    10: 0.0162,
    11: 0.015,
    12: 0.0055,
    13: 0.011,
    14: 0.027,
    15: 0.074,
}
"""Of a list in a file, for target 12; the last holds for all larger sizes."""
FEWEST_SECONDS = 0.5
"""Work of a worker that took less says nothing about its speed."""
LISTS_MEASURED = 8_000_000
"""About, in one stretch, of all sizes up to the one that is measured."""
COUNTED_MEASURED = 10_000_000
MOST_STARTS = 5_000
"""How many lists counting starts from; drawing them takes time, too."""
STRETCHES = 4
"""Some of a size, from different places. Their time is that of the processor: others on the machine do not matter."""


@dataclass(frozen=True)
class Speed:
    """Of one worker on one size."""

    lists_per_second: float
    bytes_per_list: float = 0.0


PRUNED_SPEED = Speed(2.5e6, 0.25)
"""For a target that it is pruned for, whatever the size and the work: most time goes into lists that are dropped."""
PRUNED_WITH_CENTRE = Speed(0.8e6, 0.9)
"""For targets of 19 and 20, of which a tenth as many lists are kept."""


def recorded_speeds(stages: Iterable[StageProgress], target: int, work: Work) -> dict[int, Speed]:
    """What the workers of a workspace did, by size; nothing for sizes that were done too soon to tell."""
    found = {}
    for stage in stages:
        if (stage.target, stage.work) == (target, work) and stage.lists_out and stage.seconds:
            each = stage.bytes / stage.lists if stage.bytes and stage.lists else 0.0
            if stage.seconds >= FEWEST_SECONDS:
                found[stage.size] = Speed(stage.lists_out / stage.seconds, each)
    return found


def typical_speeds(
    sizes: Iterable[int], work: Work, recorded: Mapping[int, Speed], pruned_for: int | None = None
) -> dict[int, Speed]:
    """What is to be expected without measuring: as fast as usual, times what this machine was at the nearest size."""
    if pruned_for is not None:
        return dict.fromkeys(sizes, PRUNED_WITH_CENTRE if pruned_for >= 19 else PRUNED_SPEED)
    found = {}
    for size in sizes:
        usual = _usual(size, work)
        nearest = min(recorded, key=lambda each: abs(each - size), default=None)
        if nearest is not None:
            there, then = recorded[nearest], _usual(nearest, work)
            small = there.bytes_per_list / then.bytes_per_list if then.bytes_per_list else 1.0
            usual = Speed(
                usual.lists_per_second * there.lists_per_second / then.lists_per_second,
                usual.bytes_per_list * (small or 1.0),
            )
        found[size] = usual
    return found


def _usual(size: int, work: Work) -> Speed:
    if work is Work.COUNT:
        return Speed(TYPICAL_COUNT_RATE)
    rate = TYPICAL_RATES[min(max(size, min(TYPICAL_RATES)), max(TYPICAL_RATES))]
    return Speed(rate, TYPICAL_BYTES[min(size, max(TYPICAL_BYTES))])


def measure_speed(target: int, size: int, work: Work, lists: Mapping[int, float], seed: int | None) -> Speed:
    """Stores or counts some of the lists of a size, in memory: a fifth of a second or so.

    Args:
        lists: How many there are of each size up to this one, roughly.
        seed: Which of them to take.
    """
    import numpy as np

    from setset.engine import search
    from setset.engine.probing import draw_lists

    search.compile_kernels()
    rng = np.random.default_rng(seed)
    if work is Work.COUNT:
        parts = [_count_some(target, size, lists, rng)]
    else:
        # Lists that have the same chance each: the first ones below a seed have more low cards ahead than most.
        starts = draw_lists(target, size - 1, STRETCHES, rng)
        parts = [_store_stretch(target, size, start, lists) for start in starts]
    made, written, seconds = (sum(column) for column in zip((0, 0, 0.0), *parts, strict=True))
    return Speed(made / seconds, written / made) if made and seconds else _usual(size, work)


Measured = tuple[int, int, float]
"""Lists that were made, the bytes of their files, and the seconds that took."""


def _store_stretch(
    target: int, size: int, start: npt.NDArray[np.uint8], lists: Mapping[int, float]
) -> Measured:
    """Makes the lists of a size below some neighbouring ones, as a worker does with a batch."""
    from setset.batches import format as batch_format
    from setset.engine import search

    # Of all sizes together: for a high target there are many more lists of some size before.
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
    """Counts the lists of a size below some lists from everywhere."""
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
    """About as many lists as are wanted, consecutive from the list `start` on."""
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
