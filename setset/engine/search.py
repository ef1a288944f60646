"""Interface of the search: functions that expand, count, unpack and pack the lists of a batch.

The functions here check their arguments and prepare arrays; the kernels get only arrays and integers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, third_table
from setset.engine import kernels as k
from setset.engine import pruning
from setset.engine.bitstreams import SPARE_WORDS, Streams, words_of
from setset.errors import SetsetError

BUDGET = 200_000
"""Number of lists that a kernel visits per call: some milliseconds of work."""
EXPAND_BUDGET = 500_000
"""Number of lists that a kernel visits per call in `expand`. Larger than `BUDGET`, because fewer calls save time here:
before each call, the output may have to grow."""

Lists = npt.NDArray[np.uint8]

THIRDS = third_table()


class BadStreams(SetsetError):
    """The bits are not a valid batch."""


def needed(target: int, size: int) -> int:
    """Minimum number of remaining cards of a kept list of this size. With fewer cards, the list cannot grow to the
    target."""
    return max(target - size, 0)


def expand(source: Streams, target: int, limit: int, pruned: bool = False) -> Iterator[Streams]:
    """Yields the kept children of all lists of a batch, in batches of at most `limit` lists.

    If `pruned`, yields only the children that pass the rule of the module `pruning`.
    """
    nodes, state = open_source(source)
    size, need = source.size, needed(target, source.size + 1)
    # From the target size on every list is kept, so pruning would drop nothing.
    rule = pruning.rule_tables(target) if pruned and need else None
    more = rule, _fresh_notes(), target if pruning.adds_up(target) else 0
    visited = 0
    with open_writer(nodes, size + 1, need) as writer:
        outcome = k.RUNNING
        while outcome != k.DONE:
            writer.make_room(EXPAND_BUDGET)
            state[k.BUDGET] = EXPAND_BUDGET
            walk = nodes, state, source.words, writer.words, spare_table(), size, need, limit, source.tail
            outcome = k.expand(*walk, *more)
            visited += EXPAND_BUDGET - int(state[k.BUDGET])
            if outcome == k.FULL or (outcome == k.DONE and state[k.LISTS]):
                yield writer.take(int(state[k.LISTS]))
                state[k.LISTS] = 0
            refuse_corrupt(outcome)
    require_all_read(nodes, source, visited)


def count(source: Streams, target: int, upto: int, pruned: bool = False) -> dict[int, int]:
    """Counts the kept lists that begin with a list of the source batch, separately for each size up to `upto`."""
    if pruned and source.size + 1 < target:
        return _count_pruned(source, target, upto)
    size = source.size
    final = max(upto - 2 if upto >= target else upto - 1, size)
    nodes, state = open_source(source)
    counts = np.zeros(final + 3, np.int64)
    outcome, visited = k.RUNNING, 0
    while outcome != k.DONE:
        state[k.BUDGET] = BUDGET
        outcome = k.count(nodes, state, source.words, spare_table(), size, target, final, counts, source.tail)
        visited += BUDGET - int(state[k.BUDGET])
        refuse_corrupt(outcome)
    require_all_read(nodes, source, visited)
    return {n: int(counts[n]) for n in range(size + 1, upto + 1)}


def _count_pruned(source: Streams, target: int, upto: int) -> dict[int, int]:
    """Does the same as `count`, with pruning. Expands the source into batches, and calls `count` for each batch, so
    that few lists are in memory at once."""
    counts = dict.fromkeys(range(source.size + 1, upto + 1), 0)
    for part in expand(source, target, BUDGET, pruned=True):
        counts[part.size] += part.lists
        if part.size < upto:
            for size, lists in count(part, target, upto, pruned=True).items():
                counts[size] += lists
    return counts


def unpack(source: Streams, start: int = 0, chunk: int = BUDGET) -> Iterator[Lists]:
    """Yields the lists of a batch from index `start` on, in arrays of up to `chunk` rows.

    All arrays use the same memory, so copy the rows that you keep.
    """
    nodes, state = open_source(source)
    room = min(chunk, max(source.lists - start, 1))
    rows = np.empty(room * source.size + k.SLACK, np.uint8)
    outcome = k.RUNNING
    while outcome == k.RUNNING:
        outcome, filled = k.unpack(nodes, state, source.words, spare_table(), source.size, start, rows, source.tail)
        refuse_corrupt(outcome)
        if filled:
            yield rows[: filled * source.size].reshape(filled, source.size)
    require_all_read(nodes, source, int(state[k.LISTS]))


def pack(chunks: Iterable[Lists], size: int, limit: int, tail: int = 0) -> Iterator[Streams]:
    """Packs arrays of lists, in lexicographic order, into batches of at most `limit` lists.

    Every `tail` stores the same lists. For lists kept for a target, the result of `needed` gives the fewest bits.
    """
    nodes, state = _root(), np.zeros(8, np.int64)
    with open_writer(nodes, size, tail) as writer:
        for chunk in chunks:
            done = 0
            while done < len(chunk):
                rows = np.ascontiguousarray(chunk[done : done + BUDGET])
                writer.make_room(len(rows))
                outcome, packed = k.pack(nodes, state, writer.words, spare_table(), rows, size, limit, tail)
                refuse_corrupt(outcome)
                done += packed
                if outcome == k.FULL:
                    yield writer.take(int(state[k.LISTS]))
                    state[k.LISTS] = 0
        if state[k.LISTS]:
            k.finish(nodes, writer.words, size, tail)
            yield writer.take(int(state[k.LISTS]))


def seeds(target: int) -> Lists:
    """Returns the lists that an exploration starts from: all lists of 3 cards that are below 81 - (target - 3)."""
    below = CARDS - (target - 3)
    a, b, c = np.meshgrid(*[np.arange(below, dtype=np.uint8)] * 3, indexing="ij")
    return np.argwhere((a < b) & (b < c) & (THIRDS[a, b] != c)).astype(np.uint8)


def first_and_last(source: Streams) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The first and the last list of a batch, found without reading the lists between them."""
    ends = []
    for at_end in (False, True):
        nodes = _at_start(source)
        cards = np.empty(source.size, np.uint8)
        if not k.edge(nodes, source.words, spare_table(), source.size, at_end, cards, source.tail):
            raise BadStreams("the bits hold no list")
        ends.append(tuple(int(card) for card in cards))
    return ends[0], ends[1]


def compile_kernels() -> None:
    """Compiles the kernels, or loads them from numba's cache."""
    source = next(pack([seeds(4)[:100]], 3, 100))
    for pruned in (False, True):
        for batch in expand(source, 12, 50, pruned):
            first_and_last(batch)
            list(unpack(batch))
    count(source, 12, 5)
    from setset.engine import deep  # imports this module

    deep.compile_kernels()


@contextlib.contextmanager
def open_writer(nodes: npt.NDArray[np.uint64], size: int, tail: int) -> Iterator[_Writer]:
    """Opens a writer for batches of lists of `size` cards. Reuses the memory of an earlier writer, because the system
    takes time to zero new memory."""
    try:
        words = _left_over.pop()
    except IndexError:
        words = np.empty(2 * size * 1024, np.uint64)
    streams = 2 * size
    writer = _Writer(nodes, words[: len(words) // streams * streams].reshape(streams, -1), tail)
    try:
        yield writer
    finally:
        _left_over.append(writer.words)


_left_over: list[npt.NDArray[np.uint64]] = []


class _Writer:
    """Output array of a kernel, one row per stream of a batch. It grows as needed."""

    def __init__(self, nodes: npt.NDArray[np.uint64], rows: npt.NDArray[np.uint64], tail: int) -> None:
        # Write positions of the codes of each depth, then of the exceptions.
        self._positions = nodes[: len(rows) // 2, k.WRITE : k.WRITE_BITS + 1].T
        self._tail = tail
        self._use(rows)
        self._reset()

    @property
    def words(self) -> npt.NDArray[np.uint64]:
        return self._rows.reshape(-1)

    def make_room(self, lists: int) -> None:
        """Grows the array if needed, so that the kernel can write `lists` more lists. There must be room for one node
        per list at each depth, and for the open nodes that are written when a batch is full."""
        streams, capacity = self._rows.shape
        lengths = self._positions - self._starts
        longest = int(lengths.max())
        want = (longest + CARDS * (lists + 2 * CARDS)) // 64 + 4
        if want > capacity:
            rows = np.empty((streams, max(want, 2 * capacity)), np.uint64)
            used = longest // 64 + 1
            rows[:, :used] = self._rows[:, :used]
            self._use(rows)
            self._positions[:] = self._starts + lengths

    def take(self, lists: int) -> Streams:
        """Returns the finished batch as `Streams`, and starts an empty batch."""
        lengths = tuple((self._positions - self._starts).ravel().tolist())
        used = [row[:count] for row, count in zip(self._rows, words_of(lengths), strict=True)]
        words = np.concatenate([*used, np.zeros(SPARE_WORDS, np.uint64)])
        self._reset()
        return Streams(lists, lengths, words, self._tail)

    def _use(self, rows: npt.NDArray[np.uint64]) -> None:
        self._rows = rows
        starts = np.arange(0, 64 * rows.size, 64 * rows.shape[1], dtype=np.uint64)
        self._starts = starts.reshape(self._positions.shape)

    def _reset(self) -> None:
        # The kernels zero each word before they write to it, except the first word of a row.
        self._rows[:, 0] = 0
        self._positions[:] = self._starts


@cache
def spare_table() -> npt.NDArray[np.uint64]:
    """Makes the table `spare` of the kernels: a row per card c, with a bitmask for each card b, in the columns of a
    node row. The bitmask has all cards except third(c, b)."""
    table = np.zeros((CARDS, k.REMAINING), np.uint64)
    for c in range(CARDS):
        for b in range(CARDS):
            low, high = _words([] if b == c else [int(THIRDS[c, b])])
            _set_fits(table[c], b, ~low, ~high)
    return table


@cache
def _root_row() -> npt.NDArray[np.uint64]:
    row = np.zeros(k.COLUMNS, np.uint64)
    row[k.REMAINING], row[k.REMAINING + 1] = _words(range(CARDS))
    for b in range(CARDS):
        _set_fits(row, b, *_words(range(CARDS)))
    return row


def _words(cards: Iterable[int]) -> tuple[np.uint64, np.uint64]:
    """Bitmask of the cards, as low and high word."""
    bits = sum(1 << card for card in cards)
    return np.uint64(bits & ((1 << k.LOW) - 1)), np.uint64(bits >> k.LOW)


def _set_fits(row: npt.NDArray[np.uint64], b: int, low: np.uint64, high: np.uint64) -> None:
    if b < k.LOW:
        row[k.LOW_OF_LOW + b], row[k.HIGH_OF_LOW + b] = low, high
    else:
        row[k.HIGH_OF_HIGH + b - k.LOW] = high


def _root() -> npt.NDArray[np.uint64]:
    """Makes the array `nodes` of a walk, with a row per depth. Only the row of the root (the empty list) is filled."""
    nodes = np.zeros((CARDS // 3, k.COLUMNS), np.uint64)
    nodes[0] = _root_row()
    return nodes


def open_source(source: Streams) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Starts a walk over a batch. Returns its arrays `nodes` and `state`, as they are before the first list."""
    nodes = _at_start(source)
    if not k.begin(nodes, source.words, source.size, source.tail):
        raise BadStreams("the bits hold no list")
    return nodes, np.zeros(8, np.int64)


def _at_start(source: Streams) -> npt.NDArray[np.uint64]:
    """Makes the array `nodes` of a walk that has not read any bits of the source batch yet."""
    nodes, size, starts = _root(), source.size, source.starts
    ends = starts + np.array(source.lengths)
    nodes[:size, k.READ], nodes[:size, k.READ_BITS] = starts[:size], starts[size:]
    nodes[:size, k.READ_END], nodes[:size, k.READ_BITS_END] = ends[:size], ends[size:]
    return nodes


def _fresh_notes() -> npt.NDArray[np.uint64]:
    notes = np.zeros(k.NOTE_WORDS, np.uint64)
    notes[k.ORDER : k.ORDER + k.DIRECTIONS] = np.arange(k.DIRECTIONS)
    notes[k.CENTRES], notes[k.CENTRES + 1] = _words(range(CARDS))
    return notes


def refuse_corrupt(outcome: int) -> None:
    """Raises BadStreams if a kernel found the bits to be corrupt."""
    if outcome == k.CORRUPT:
        raise BadStreams("the bits do not describe a tree of lists")


def require_all_read(nodes: npt.NDArray[np.uint64], source: Streams, visited: int) -> None:
    """Raises BadStreams if bits follow the last list, or if the walk did not visit exactly `source.lists` lists."""
    read, ends = [k.READ, k.READ_BITS], [k.READ_END, k.READ_BITS_END]
    if (nodes[: source.size, read] != nodes[: source.size, ends]).any():
        raise BadStreams("bits are left over after the last list")
    if visited != source.lists:
        raise BadStreams(f"the bits hold {visited:,} lists, not {source.lists:,}")
