"""Deep walk: counts or makes the lists of a larger size from a source batch, without storing the sizes between.

A list is *below* a source list if it begins with all cards of the source list. For the target T, a list of `size` cards
is kept if at least T - size cards remain. From size T on every list is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, LARGEST, third_table
from setset.engine import deep_kernels as dk
from setset.engine import kernels as k
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.engine.search import Lists, needed

MOST_ENTRIES = 100
"""Maximum number of stretches of source lists that `count` counts separately."""
CHUNK = 200_000
"""Maximum number of lists per yielded array. Also limits how many lists of an intermediate size are in memory."""

BUDGET = 1_000_000
"""Number of lists that the kernel visits per call: some milliseconds of work. Python handles signals between calls."""
WRITE_BUDGET = 200_000
"""Number of lists that the kernel visits per call when it writes batches. Smaller than `BUDGET`, because each call
needs memory for all lists that it may write."""

Counts = npt.NDArray[np.int64]


def count(source: Streams, target: int, size: int, entries: int = 1) -> Counts:
    """Counts the kept lists of `size` cards below a source batch, separately for each stretch of consecutive source
    lists.

    Args:
        source: Lists of 3 to 19 cards.
        target: 4 to 20.
        size: Larger than the size of the source, up to 20.
        entries: Maximum number of stretches, 1 to `MOST_ENTRIES`. Each stretch is `stretch_length` consecutive source
            lists; the last stretch may be shorter.

    Returns:
        The number of lists below each stretch, in order. Their sum is the number of lists below the whole source.

    Raises:
        BadStreams: The bits of the source are corrupt, or do not hold `source.lists` lists.
        ValueError: An argument is out of its range.
    """
    _require(source, target, size)
    if not 1 <= entries <= MOST_ENTRIES:
        raise ValueError(f"{entries} entries (expected 1 to {MOST_ENTRIES})")
    length = stretch_length(source.lists, entries)
    stretches = -(-source.lists // length)
    if _can_walk(source, size):
        walk = _Walk(source, target, size, dk.COUNT)
        walk.mark_stretches(stretches, length)
        while walk.run():
            pass
        return np.diff(walk.counts)
    counts = [
        sum(int(count(top, target, size).sum()) if top.size < size else top.lists for top in _tops(part, target, size))
        for part in search.pack(_source_lists(source), source.size, length, source.tail)
    ]
    return np.array(counts, np.int64)


def stretch_length(lists: int, entries: int) -> int:
    """Number of source lists per stretch, so that at most `entries` stretches hold all `lists` source lists."""
    return max(-(-lists // entries), 1)


def expand(source: Streams, target: int, size: int, limit: int) -> Iterator[Streams]:
    """Yields all kept lists of `size` cards below the source, in lexicographic order, in batches.

    Args:
        source: Lists of 3 to 19 cards. Fastest from 6 cards on, if `size` is at least two more.
        target: 4 to 20.
        size: Larger than the size of the source, up to 20.
        limit: Maximum number of lists per batch. All batches except the last one have exactly `limit` lists.

    Returns:
        Batches with the same bits that `search.pack` makes of the same lists; no batch if there are no lists.

    Raises:
        BadStreams: The bits of the source are corrupt, or do not hold `source.lists` lists.
        ValueError: An argument is out of its range.
    """
    _require(source, target, size)
    if limit < 1:
        raise ValueError(f"limit {limit} (expected 1 or more)")
    tail = needed(target, size)
    if not _can_walk(source, size):
        yield from search.pack(lists(source, target, size), size, limit, tail)
        return
    walk = _Walk(source, target, size, dk.WRITE_BATCH, limit)
    with search.open_writer(walk.nodes, size, tail) as writer:
        more = True
        while more:
            writer.make_room(WRITE_BUDGET)
            walk.out = writer.words
            more = walk.run()
            if walk.state[k.LISTS] and (walk.outcome == k.FULL or not more):
                yield writer.take(int(walk.state[k.LISTS]))
                walk.state[k.LISTS] = 0


def lists(
    source: Streams, target: int, size: int, start: int = 0, chunk: int = CHUNK, counts: Counts | None = None
) -> Iterator[Lists]:
    """Yields the kept lists of `size` cards below the source, in arrays of up to `chunk` rows.

    All arrays use the same memory, so copy the rows that you keep.

    Args:
        source: Lists of 3 to 19 cards.
        target: 4 to 20.
        size: Larger than the size of the source, up to 20.
        start: Index of the first list.
        chunk: Maximum number of rows.
        counts: Result of `count` for the same source, target and size. If given, stretches that end before `start` are
            skipped without a walk.

    Raises:
        BadStreams: The bits of the source are corrupt, or do not hold `source.lists` lists.
        ValueError: An argument is out of its range.
    """
    _require(source, target, size)
    if start < 0 or chunk < 1:
        raise ValueError(f"start {start} (expected 0 or more), chunk {chunk} (expected 1 or more)")
    first = 0
    if counts is not None:
        ends = np.cumsum(counts)
        stretch = int(np.searchsorted(ends, start, side="right"))
        first = stretch * stretch_length(source.lists, len(counts))
        start -= int(ends[stretch - 1]) if stretch else 0
    if _can_walk(source, size):
        yield from _walk_lists(source, target, size, first, start, chunk)
        return
    for part in search.pack(_source_lists(source, first), source.size, CHUNK, source.tail):
        for top in _tops(part, target, size):
            below = top.lists if top.size == size or start == 0 else int(count(top, target, size).sum())
            if top.size == size and start < below:
                yield from search.unpack(top, start, chunk)
            elif start < below or start == 0:
                yield from lists(top, target, size, start, chunk)
            start = max(start - below, 0)


def _walk_lists(source: Streams, target: int, size: int, first: int, start: int, chunk: int) -> Iterator[Lists]:
    """Does the same as `lists`, with the kernel of the deep walk. Skips `first` source lists with all lists below them,
    then `start` more lists."""
    walk = _Walk(source, target, size, dk.LIST)
    walk.state[dk.SKIP_SOURCES], walk.state[dk.SKIP] = first, start
    walk.listing = np.empty(chunk * size + k.SLACK, np.uint8)
    more = True
    while more:
        more = walk.run()
        filled = int(walk.state[dk.FILLED])
        if filled and (walk.outcome == k.FULL or not more):
            yield walk.listing[: filled * size].reshape(filled, size)
            walk.state[dk.FILLED] = 0


class _Walk:
    """A walk of the kernel over a source batch. It can stop after any batch or array: each call of `run` resumes it."""

    def __init__(self, source: Streams, target: int, size: int, use: int, limit: int = 0) -> None:
        self.nodes, _ = search.open_source(source)
        self.state = np.zeros(dk.STATE_WORDS, np.int64)
        self.state[dk.NEXT_STRETCH] = -1
        self.counts = np.zeros(1, np.int64)
        self.listing = np.empty(0, np.uint8)
        self.out = source.words
        self.outcome = k.RUNNING
        self._source, self._use = source, use
        self._space = (
            np.empty((64, 64), np.uint64),  # wide
            _aligned(33 * dk.NARROW),  # rows
            _aligned(33 * dk.NARROW),  # narrow
            _under(),
            np.empty(128, np.uint64),  # bits
            np.empty(3 * dk.NAMES, np.int64),  # names
        )
        self._numbers = use, source.size, size, target, limit, source.tail

    def mark_stretches(self, stretches: int, length: int) -> None:
        """Makes the walk record the number of lists so far in `counts`, before each stretch of `length` source lists
        and at the end."""
        self.counts = np.zeros(stretches + 1, np.int64)
        self.state[dk.NEXT_STRETCH], self.state[dk.STRETCH_LENGTH] = 0, length

    def run(self) -> bool:
        """Walks for some milliseconds, or until a batch or an array is full; returns False when the walk is done.

        Raises:
            BadStreams: The bits of the source are corrupt, or do not hold `source.lists` lists.
        """
        self.state[k.BUDGET] = WRITE_BUDGET if self._use == dk.WRITE_BATCH else BUDGET
        arrays = self.nodes, self.state, self._source.words, self.out, search.spare_table(), _thirds()
        self.outcome = dk.walk(dk.Walk(*arrays, *self._space, self.counts, self.listing, *self._numbers))
        search.refuse_corrupt(self.outcome)
        if self.outcome != k.DONE:
            return True
        search.require_all_read(self.nodes, self._source, int(self.state[dk.SOURCES]))
        self.counts[-1] = self.state[k.LISTS]
        return False


@cache
def _thirds() -> npt.NDArray[np.uint8]:
    table = np.zeros((CARDS, 128), np.uint8)
    table[:, :CARDS] = third_table()
    return table.reshape(-1)


@cache
def _under() -> npt.NDArray[np.uint32]:
    under = _aligned(dk.NARROW)
    under[:] = [(1 << bit) - 1 for bit in range(dk.NARROW)]
    return under


def _aligned(count: int) -> npt.NDArray[np.uint32]:
    """An array of words that starts at a multiple of 64 bytes. A vector that lies across such a multiple loads half as
    fast."""
    words = np.zeros(count + 16, np.uint32)
    start = -(words.ctypes.data // 4) % 16
    return words[start : start + count]


def _can_walk(source: Streams, size: int) -> bool:
    """Whether the kernel of the deep walk can expand a source to a size: the source lists need at least 6 cards, and
    `size` at least two more. Otherwise the module `search` adds one card at a time."""
    return source.size >= dk.TOP and size >= max(source.size, dk.TOP) + 2


def compile_kernels() -> None:
    """Compiles the kernel of the deep walk, or loads it from numba's cache."""
    (source,) = search.pack([np.array([[0, 1, 3, 4, 9, 10]], np.uint8)], dk.TOP, 1)
    next(lists(source, 12, 9, chunk=1))


def _require(source: Streams, target: int, size: int) -> None:
    if not source.size < size <= LARGEST:
        raise ValueError(f"size {size} (expected {source.size + 1} to {LARGEST})")
    if not 4 <= target <= LARGEST:
        raise ValueError(f"target {target} (expected 4 to {LARGEST})")


def _source_lists(source: Streams, start: int = 0) -> Iterator[Lists]:
    """Yields the lists of a source batch from index `start` on, as arrays. Raises BadStreams if a list is missing."""
    if start < source.lists:
        yield from search.unpack(source, start)


def _tops(source: Streams, target: int, size: int) -> Iterator[Streams]:
    """Expands a source batch one card at a time until its lists have `size` cards, or until the kernel of the deep walk
    can take over. Yields the resulting batches."""
    last = source.size + 1 == size
    for part in search.expand(source, target if last else max(target, size), CHUNK):
        if last or _can_walk(part, size):
            yield part
        else:
            yield from _tops(part, target, size)
