"""Expands all lists up to a size on one core and stores nothing, which shows the share of a run that the kernels
take."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from setset.engine import search
from setset.engine.bitstreams import Streams

TARGET = 12
BATCH_LISTS = 16_000_000


def root() -> Streams:
    """Makes the batch of all seeds."""
    return next(search.pack([search.seeds(TARGET)], 3, 10**6, search.needed(TARGET, 3)))


def count_below(batch: Streams, size: int) -> int:
    """Counts the lists of a size that a batch expands to."""
    if batch.size == size:
        return batch.lists
    return sum(count_below(part, size) for part in search.expand(batch, TARGET, BATCH_LISTS))


def level(size: int) -> list[Streams]:
    """Makes all batches of a size."""
    batches = [root()]
    for _ in range(3, size):
        batches = [part for batch in batches for part in search.expand(batch, TARGET, BATCH_LISTS)]
    return batches


def sample(size: int, count: int) -> Iterator[Streams]:
    """Yields batches of two million lists, spread over all lists of a size."""
    sources = level(size - 1)
    for number in range(count):
        source = sources[(2 * number + 1) * len(sources) // (2 * count)]
        parts = list(search.expand(source, TARGET, 2_000_000))
        yield parts[len(parts) // 2]


if __name__ == "__main__":
    print(count_below(root(), int(sys.argv[1])))
