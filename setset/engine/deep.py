"""Deep walk: from the lists of a batch straight to a larger size, without the sizes between.

`size` cards are wanted, below lists of `source.size` cards. A list of `size` cards is kept for the target T if at
least T - size cards remain to it; from size T on every list is kept.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from setset.cards import LARGEST
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.engine.search import BadStreams, Lists, needed

MOST_ENTRIES = 100
"""Maximum number of runs that `count` tells apart."""
CHUNK = 200_000
"""Lists per array, and lists of a size between that are in memory at once."""

Counts = npt.NDArray[np.int64]


def count(source: Streams, target: int, size: int, entries: int = 1) -> Counts:
    """Counts the lists of `size` cards below each run of source lists.

    Args:
        source: Lists of 3 to 19 cards.
        target: 4 to 20.
        size: Larger than the size of the source, up to 20.
        entries: Maximum number of runs, 1 to `MOST_ENTRIES`. Each run has `run_length` source lists, the last one may
            have fewer.

    Returns:
        The number of lists per run, in order. Their sum is the number of lists below the whole source.

    Raises:
        BadStreams: The bits of the source are not those of its number of lists.
        ValueError: An argument is out of its range.
    """
    _require(source, target, size)
    if not 1 <= entries <= MOST_ENTRIES:
        raise ValueError(f"{entries} entries (expected 1 to {MOST_ENTRIES})")
    length = run_length(source.lists, entries)
    counts = [0] * -(-source.lists // length)
    for run, part in enumerate(search.pack(_all_lists(source), source.size, length, source.tail)):
        counts[run] = sum(batch.lists for batch in _below(part, target, size))
    return np.array(counts, np.int64)


def run_length(lists: int, entries: int) -> int:
    """Number of source lists per run, if `lists` source lists are cut into up to `entries` runs."""
    return max(-(-lists // entries), 1)


def expand(source: Streams, target: int, size: int, limit: int) -> Iterator[Streams]:
    """All lists of `size` cards below the source, in lexicographic order, in batches of at most `limit` lists.

    The bits are those that `search.pack` makes of the same lists. All batches but the last one have `limit` lists.

    Raises:
        BadStreams: The bits of the source are not those of its number of lists.
        ValueError: An argument is out of its range.
    """
    _require(source, target, size)
    yield from search.pack(lists(source, target, size), size, limit, needed(target, size))


def lists(
    source: Streams, target: int, size: int, start: int = 0, chunk: int = CHUNK, counts: Counts | None = None
) -> Iterator[Lists]:
    """The lists of `size` cards below the source from index `start` on, in arrays of up to `chunk` rows.

    The memory of an array is used again for the next array: copy what is to be kept.

    Args:
        source: Lists of 3 to 19 cards.
        target: 4 to 20.
        size: Larger than the size of the source, up to 20.
        start: Index of the first list.
        chunk: Maximum number of rows.
        counts: Result of `count` for the same source, target and size, if at hand: runs before `start` are skipped
            without a walk.

    Raises:
        BadStreams: The bits of the source are not those of its number of lists.
        ValueError: An argument is out of its range.
    """
    _require(source, target, size)
    first = 0
    if counts is not None:
        ends = np.cumsum(counts)
        run = int(np.searchsorted(ends, start, side="right"))
        first = run * run_length(source.lists, len(counts))
        start -= int(ends[run - 1]) if run else 0
    for part in search.pack(_all_lists(source, first), source.size, CHUNK, source.tail):
        for batch in _below(part, target, size):
            if start < batch.lists:
                yield from search.unpack(batch, start, chunk)
            start = max(start - batch.lists, 0)


def _require(source: Streams, target: int, size: int) -> None:
    if not source.size < size <= LARGEST:
        raise ValueError(f"size {size} (expected {source.size + 1} to {LARGEST})")
    if not 4 <= target <= LARGEST:
        raise ValueError(f"target {target} (expected 4 to {LARGEST})")


def _all_lists(source: Streams, start: int = 0) -> Iterator[Lists]:
    """The lists of a source from `start` on. `search.unpack` compares their number with the source's."""
    if start < source.lists:
        yield from search.unpack(source, start)


def _below(source: Streams, target: int, size: int) -> Iterator[Streams]:
    """The lists of `size` cards below a source step by step, some lists of each size at a time."""
    for part in search.expand(source, target, CHUNK):
        if part.size == size:
            yield part
        else:
            yield from _below(part, target, size)


__all__ = ["CHUNK", "MOST_ENTRIES", "BadStreams", "Counts", "count", "expand", "lists", "run_length"]
